#!/usr/bin/env bats
# What `make install` puts down is enough to build and run a program, with the
# shared library and with the static one, and `make uninstall` takes it away.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    root=$BATS_TEST_TMPDIR/root
    make --no-print-directory install BUILD="$BUILD" PREFIX="$root" >/dev/null
    export PKG_CONFIG_PATH=$root/lib/pkgconfig
    cat >"$BATS_TEST_TMPDIR/run.c" <<'C'
#include <orrery/orrery.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct orr_options options = {.no_output = true};
    struct orr_report why = {0};
    orr_experiment *x;

    if (orr_experiment_load(argv[1], &options, &x, &why) ||
        orr_experiment_run(x, &why)) {
        fprintf(stderr, "%s\n", why.message);
        return 1;
    }
    printf("%016llx\n", (unsigned long long)orr_experiment_fingerprint(x));
    orr_experiment_free(x);
    return 0;
}
C
}

kept() {
    awk '$1 == "configs/conformance/ring_1mib.yaml" { print $2 }' \
        tests/golden/fingerprints.tsv
}

@test "a program with the shared library" {
    # shellcheck disable=SC2046
    cc "$BATS_TEST_TMPDIR/run.c" -o "$BATS_TEST_TMPDIR/run" \
        $(pkg-config --cflags --libs orrery)
    LD_LIBRARY_PATH=$root/lib run "$BATS_TEST_TMPDIR/run" \
        configs/conformance/ring_1mib.yaml
    [ "$status" -eq 0 ]
    [[ "$output" = *"$(kept | sed 's/^0x//')"* ]]
}

# The libraries below it stay shared: Debian has no static ones of igraph's.
@test "a program with the static library" {
    # shellcheck disable=SC2046
    cc "$BATS_TEST_TMPDIR/run.c" -o "$BATS_TEST_TMPDIR/run" \
        $(pkg-config --cflags --libs orrery-static)
    run "$BATS_TEST_TMPDIR/run" configs/conformance/ring_1mib.yaml
    [ "$status" -eq 0 ]
    [[ "$output" = *"$(kept | sed 's/^0x//')"* ]]
}

@test "the installed command runs" {
    "$root/bin/orrery" version
}

@test "uninstall leaves nothing" {
    make --no-print-directory uninstall BUILD="$BUILD" PREFIX="$root" >/dev/null
    [ -z "$(find "$root" -type f -o -type l)" ]
}
