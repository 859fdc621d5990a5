#!/usr/bin/env bash
# tap.sh FILE.bats [TAG|!TAG]: runs its tests, those with the tag or without it, and
# writes TAP, as `bats --tap FILE` does, for a tenth of bats' own time: the shell
# reads the file once, and each test is a fork of it. Knows what our files use of
# bats: setup, setup_file, load, run, skip, test_tags, BATS_TEST_DIRNAME and
# BATS_TEST_FILENAME, BATS_TEST_TMPDIR, BATS_FILE_TMPDIR. What more there is, is bats'.

tap_file=$1
if grep -qE '^ *(teardown|setup_suite|bats_)|file_tags|BATS_(RUN|SUITE|TEST_N|VER)|^ *run -' \
    "$1"; then
    exec bats --tap ${2:+--filter-tags "$2"} "$1"
fi
BATS_TEST_FILENAME=$(realpath "$1") || exit
BATS_TEST_DIRNAME=${BATS_TEST_FILENAME%/*}
tap_folder=$(mktemp -d) || exit
BATS_FILE_TMPDIR=$tap_folder/0
export BATS_TEST_FILENAME BATS_TEST_DIRNAME BATS_FILE_TMPDIR BATS_TEST_TMPDIR

load() {
    # shellcheck source=/dev/null
    source "$BATS_TEST_DIRNAME/$1.bash"
}

skip() {
    echo "${*-}" >"$BATS_TEST_TMPDIR.skipped"
    tap_whole=1
    exit 0
}

# run COMMAND...: leaves $status, $output and $lines.
run() {
    status=0
    # shellcheck disable=SC2034
    output=$("$@" 2>&1) || status=$?
    # shellcheck disable=SC2034
    IFS=$'\n' read -r -d '' -a lines <<<"$output" || true
}

setup() { :; }
setup_file() { :; }

# In the shell's own -e, which `if` and `||` would take away from all below them. A
# test that ends before its end has failed, whatever its status.
tap_strictly() {
    tap_whole=
    trap 'echo "${BASH_SOURCE[0]/#$tap_folder*/$tap_file}:$LINENO: $BASH_COMMAND" \
        >>"$BATS_TEST_TMPDIR.where"' ERR
    set -eE
}

# tap_say N STATUS: how test N went.
tap_say() {
    local at=$tap_folder/$1
    if [ "$2" -ne 0 ]; then
        printf 'not ok %d %s\n' "$1" "${tap_names[$1]}"
        [ ! -e "$at.where" ] || sed 's/^/# /' "$at.where"
        sed "s:$tap_folder/tests:$tap_file:; s/^/# /" "$at.out"
        tap_bad=1
    elif [ -e "$at.skipped" ]; then
        printf 'ok %d %s # skip %s\n' "$1" "${tap_names[$1]}" "$(<"$at.skipped")"
    else
        printf 'ok %d %s\n' "$1" "${tap_names[$1]}"
    fi
}

# The tests as functions, in the lines that they have in the file.
awk -v tag="$2" '
    /^# bats test_tags=/ { tags = "," substr($0, 18) "," }
    match($0, /^@test .*[^ ] +\{/) {
        name = substr($0, 7, RLENGTH - 7)
        without = tag ~ /^!/
        if (tag == "" || without != !!index(tags, "," substr(tag, 1 + without) ","))
            printf "tap_names[%d]=%s; tap_test_%d", ++n, name, n
        else
            printf "tap_left_out"
        print "() {" substr($0, RLENGTH + 1)
        tags = ""
        next
    }
    { print }' "$1" >"$tap_folder/tests" || exit
tap_names=([0]="setup_file of $1")
tap_bad=0
# shellcheck source=/dev/null
source "$tap_folder/tests" || exit
tap_all=("${!tap_names[@]}")
(cd "$tap_folder" && mkdir -p "${tap_all[@]/%//work}") || exit

# What setup_file exports is for the tests: it runs in this shell.
tap_end() {
    [ -n "$tap_whole" ] || { exec >&3; tap_say 0 1; }
    rm -rf "$tap_folder"
    exit $tap_bad
}
exec 3>&1 4>&2
trap tap_end EXIT
BATS_TEST_TMPDIR=$tap_folder/0
exec >"$tap_folder/0.out" 2>&1
tap_strictly
setup_file
tap_whole=1
set +eE
trap - ERR
exec >&3 2>&4

echo "1..$((${#tap_names[@]} - 1))"
for ((tap_n = 1; tap_n < ${#tap_names[@]}; tap_n++)); do
    BATS_TEST_TMPDIR=$tap_folder/$tap_n
    (
        trap '[ -n "$tap_whole" ] || exit 1' EXIT
        tap_strictly
        setup
        "tap_test_$tap_n"
        tap_whole=1
    ) >"$BATS_TEST_TMPDIR.out" 2>&1
    tap_say $tap_n $?
done
