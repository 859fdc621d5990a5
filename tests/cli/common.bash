# What the tests of the command share. ORRERY names the command under test; each
# test runs in a folder of its own with a copy of nothing but what it makes.

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    ORRERY=${ORRERY:-$root/build/orrery}
    # what was found out before is of this file, not of the user
    export ORRERY_CACHE=${ORRERY_CACHE:-$BATS_FILE_TMPDIR/cache}
    [ -d "$BATS_TEST_TMPDIR/work" ] || mkdir "$BATS_TEST_TMPDIR/work"
    cd "$BATS_TEST_TMPDIR/work" || return 1
}

# orrery ARGUMENT...: status, stdout and stderr go to $status, out and err.
orrery() {
    status=0
    "$ORRERY" "$@" >../out 2>../err </dev/null || status=$?
}

# cpu SECONDS COMMAND...: it may take so much CPU time, however busy the machine.
cpu() {
    local most=$1
    shift
    (ulimit -t "$most" && exec "$@")
}

# python_has MODULE...: Debian's Python finds them; importing takes half a second.
python_has() {
    /usr/bin/python3 -S -c 'import importlib.util as u, site, sys
site.main(); sys.exit(not all(map(u.find_spec, sys.argv[1:])))' "$@" 2>/dev/null
}

# is_text FILE TEXT: the file holds exactly that, but for the last newline.
is_text() {
    if [ "$(<"$1")" != "$2" ]; then
        echo "$1 is:" && cat "$1" && echo "and not:" && echo "$2"
        return 1
    fi
}

# fails STATUS TEXT: the last command ended so, and said exactly that.
fails() {
    [ "$status" -eq "$1" ] || { echo "status $status"; cat ../err; return 1; }
    is_text ../err "$2"
}

# leaves NAME...: exactly these files are in the folder.
leaves() {
    is_text <(ls -A) "$(printf '%s\n' "$@")"
}

# Eight hosts in a ring, one flow.
small() {
    cat >small.yaml <<'END'
title: one flow
topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}
flows: [{src: 0, dst: 1, size: 1MB}]
END
}

# A run of several minutes, unless it is stopped.
long() {
    cat >long.yaml <<'END'
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
network: {cc: {kind: dctcp}, queue: {kind: ecn, capacity: 1MiB, threshold: 100KB}}
jobs:
  - ranks: 16
    iterations: 1000000
    program: [all-reduce: {size: 16MiB}]
END
}

# A summary in which each note, which goes on under its column, is one line.
unwrapped() {
    awk 'substr($0, 1, 21) ~ /^ +[^ ]$/ && length($0) > 20 && note {
             line = line " " substr($0, 21); next }
         note { print line; note = 0 }
         /^note / { line = $0; note = 1; next }
         { print }
         END { if (note) print line }' "$1"
}
