#!/usr/bin/env bats
# What `make install` puts down is enough to build programs on: with the shared
# library, with the archive, in another folder of libraries.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    to=$BATS_TEST_TMPDIR/to
    example=docs/examples/network/pingpong.c
    grep -qE '__(asan|tsan|ubsan|gcov)_' "$BUILD/liborrery.so" &&
        skip "a library with a sanitizer in it, or that counts its lines"
    return 0
}

# install VARIABLE=VALUE...: what was built, and nothing is built anew.
install() {
    make -s -o all install BUILD="$BUILD" DESTDIR= PREFIX="$to" "$@" >/dev/null
    export PKG_CONFIG_PATH=$to/lib/pkgconfig
}

# link ARGUMENTS OF pkg-config...: builds the example as a user would.
link() {
    # shellcheck disable=SC2046,SC2086 # words
    ${CC:-cc} "$example" -o "$to/example" $(pkg-config --cflags "$@" orrery)
}

works() {
    LD_LIBRARY_PATH=${1-} "$to/example" | grep -q '^round trip 1296[05] ns'
}

@test "the shared library shows what the headers declare, each with a version" {
    tests/lint/symbols.sh
}

@test "a program is linked with the shared library" {
    install
    link --libs
    readelf -d "$to/example" | grep -q 'NEEDED.*\[liborrery\.so\.0\]'
    works "$to/lib"
    # and with a version of each symbol, which the loader checks
    nm -D "$to/example" | grep -q 'U orr_network_send@ORRERY_0\.2'
}

@test "pkg-config --static: with the archive" {
    install
    rm "$to"/lib/liborrery.so*
    link --static --libs
    ! readelf -d "$to/example" | grep -q 'NEEDED.*liborrery' || false
    works
}

@test "orrery-static: with the archive, beside the shared library" {
    install
    # shellcheck disable=SC2046 # words
    ${CC:-cc} "$example" -o "$to/example" \
        $(pkg-config --cflags --libs orrery-static)
    ! readelf -d "$to/example" | grep -q 'NEEDED.*liborrery' || false
    works
}

@test "LIBDIR and DESTDIR: the folders that a distribution wants" {
    install DESTDIR="$to/root" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu
    cd "$to/root/usr/lib/x86_64-linux-gnu"
    [ -L liborrery.so ] && [ -L liborrery.so.0 ] && [ -f liborrery.a ]
    export PKG_CONFIG_PATH=$PWD/pkgconfig
    [ "$(pkg-config --variable=libdir orrery)" = /usr/lib/x86_64-linux-gnu ]
    [ "$(pkg-config --variable=includedir orrery)" = /usr/include ]
    [ "$(pkg-config --modversion orrery)" = \
        "$("$to/root/usr/bin/orrery" version | grep -oE '[0-9.]+' | head -1)" ]
    # shells complete with what stands there
    [ -s "$to/root/usr/share/bash-completion/completions/orrery" ]
    [ -s "$to/root/usr/share/zsh/vendor-completions/_orrery" ]
    [ -s "$to/root/usr/share/fish/vendor_completions.d/orrery.fish" ]
    # elsewhere than under the prefix
    cd "$BATS_TEST_DIRNAME/../.."
    install LIBDIR="$to/elsewhere"
    export PKG_CONFIG_PATH=$to/elsewhere/pkgconfig
    link --libs
    works "$to/elsewhere"
}

@test "uninstall leaves no file behind" {
    install
    [ "$(find "$to" -type f | wc -l)" -ge 7 ]
    make -s uninstall BUILD="$BUILD" DESTDIR= PREFIX="$to"
    [ -z "$(find "$to" -type f -o -type l)" ]
}

@test "manual pages: without help2man, or where it fails, a message and no page" {
    to=$BATS_TEST_TMPDIR
    mkdir "$to/tools" "$to/bad"
    for tool in bash env dirname realpath mkdir cut git stat mktemp rm sed cat \
        chmod basename tr mv; do
        ln -s "$(command -v "$tool")" "$to/tools/$tool"
    done
    run env PATH="$to/tools" ORRERY="$BUILD/orrery" bash docs/man.sh "$to/man"
    [ "$status" -ne 0 ]
    [[ $output = *"man.sh: help2man is not there"* ]]
    [ ! -e "$to/man" ] || [ -z "$(ls -A "$to/man")" ]
    printf '#!/bin/sh\nexit 1\n' >"$to/bad/help2man"
    chmod +x "$to/bad/help2man"
    run env PATH="$to/bad:$PATH" ORRERY="$BUILD/orrery" bash docs/man.sh "$to/man"
    [ "$status" -ne 0 ]
    [ -z "$(ls -A "$to/man")" ]
    # and one that works
    printf '#!/bin/sh\necho .TH; for a; do x=$a; done; "$x"\n' >"$to/bad/help2man"
    run env PATH="$to/bad:$PATH" ORRERY="$BUILD/orrery" bash docs/man.sh "$to/man"
    [ "$status" -eq 0 ]
    [ -s "$to/man/orrery.1" ] && [ -s "$to/man/orrery-run.1" ]
}
