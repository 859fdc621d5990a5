#!/usr/bin/env bats
# The Python package: its own tests, and that pip installs it offline.

load ../cli/common

python() {
    PYTHONDONTWRITEBYTECODE=1 ORRERY_LIBRARY=$BUILD/liborrery.so \
        /usr/bin/python3 "$@"
}

needed() {
    BUILD=${BUILD:-$root/build}
    python_has numpy h5py xarray ||
        skip "no numpy, h5py, xarray (make deps-python)"
    ! nm -D "$BUILD/liborrery.so" | grep -Eq '__(a|t)san_init' ||
        skip "a sanitizer's library"
}

@test "python: runs, records, networks, comparisons" {
    needed
    PYTHONPATH=$root/python python -W error::DeprecationWarning:orrery \
        "$root/tests/python/test_orrery.py"
}

@test "python: random calls of a network" {
    needed
    PYTHONPATH=$root/python python "$root/tests/python/random_calls.py" \
        $((100 * ${SHARE:-1})) "${SEED:-1}"
}

# bats test_tags=larger
@test "python: docs/python.md can be followed" {
    needed
    python_has matplotlib ||
        skip "no matplotlib (make deps-python)"
    ln -s "$root/configs" configs
    sed -n '/^```python$/,/^```$/{/^```/!p}' "$root/docs/python.md" >page.py
    grep -q left page.py
    MPLBACKEND=agg ORRERY=$ORRERY PYTHONPATH=$root/python python page.py
}

# bats test_tags=larger
@test "python: progress in a notebook is shown, and ends" {
    needed
    python_has nbclient nbformat ipykernel ||
        skip "no nbclient, ipykernel (make deps-develop)"
    PYTHONPATH=$root/python python "$root/tests/python/progress.py"
}

@test "python: pip installs it, with nothing from the network" {
    needed
    python_has pip ||
        skip "no pip (make deps-python)"
    cp -r "$root/python" copy
    mkdir -p include/orrery
    cp "$root/include/orrery/orrery.h" include/orrery/
    /usr/bin/python3 -m pip install -q --no-index --disable-pip-version-check \
        --no-build-isolation --no-deps --target there ./copy
    ORRERY_LIBRARY=$BUILD/liborrery.so PYTHONPATH=there /usr/bin/python3 -c '
import orrery, pathlib
assert "there" in pathlib.Path(orrery.__file__).parts, orrery.__file__
print(orrery.__version__)' >version
    is_text version "$("$ORRERY" version | cut -d " " -f 2)"
}

@test "python: a wheel with the library in itself" {
    needed
    ORRERY_LIBRARY=$BUILD/liborrery.so /usr/bin/python3 -c '
import sys
sys.path.insert(0, sys.argv[1])
import backend
print(backend.build_wheel("."))' "$root/python" >wheel
    grep -q '^orrery-.*-py3-none-linux_' wheel
    /usr/bin/python3 -m zipfile -e "$(cat wheel)" there
    grep -q '^Root-Is-Purelib: false$' there/*.dist-info/WHEEL
    PYTHONPATH=there /usr/bin/python3 -c '
import orrery
print(orrery.topology({"topology": {"kind": "ring", "hosts": 4,
    "link": {"rate": "10Gbps", "delay": "1us"}}}, metrics=False).source.size)' >out
    is_text out 8
}
