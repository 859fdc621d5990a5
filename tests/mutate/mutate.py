#!/usr/bin/env python3
"""mutate.py: changes the code a little, and says which changes no test notices.

    make mutate FILES="net/cc/hpcc.c"     every mutant of these files
    make mutate FILES=net/cc/hpcc.c:300-320    of these lines
    make mutate ROOM=net N=100 SEED=7     100 of all that the room has
    make mutate ROOM=net LIST=1           how many there are, by file
UNIT=1: unit tests alone; VERBOSE=1: says what killed each.

A mutant is one changed condition, comparison, constant or operator, or one
statement left out. Only its object is compiled; the nearest tests are linked
with it and run: the unit test of the file, unit tests that include its header,
and what near.txt names, until one fails. Mutants that do not compile, or whose
object is the one it was, are no mutants; those that equivalent.txt lists change
nothing that can be seen. Limits are CPU time. Ends with status 1 where more
than MOST (10) survive.
"""

import argparse
import fnmatch
import glob
import hashlib
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

from mutants import mutants_of

HERE = os.path.dirname(__file__)
BUILD = os.environ.get("BUILD", "build")
CC = shlex.split(os.environ.get("MUTATE_CC", "cc"))
LINK = shlex.split(os.environ.get("MUTATE_LINK", ""))
COMMAND = shlex.split(os.environ.get("MUTATE_COMMAND", ""))
FREE_OF_LOAD = 30  # wall time over CPU time: only for what sleeps for ever


def limited(args, seconds, env=None, tap=False):
    """Runs a command; True: it ended well. seconds: of CPU, each process."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        # not the address space: HDF5 that crashes in one that is limited is
        # told of in other words
        resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    p = subprocess.Popen(
        args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
        stdin=subprocess.DEVNULL, preexec_fn=limit, start_new_session=True,
    )
    def end():
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    guard = threading.Timer(seconds * FREE_OF_LOAD, end)
    guard.start()
    failed = False
    for line in p.stdout:  # tap.sh goes on after a failure; one is enough
        if tap and line.startswith(b"not ok") and b"# skip" not in line.lower():
            failed = True
            end()
            break
    guard.cancel()
    p.stdout.close()
    return p.wait() == 0 and not failed


def near_map():
    """(pattern, tests) of near.txt, in its order."""
    with open(os.path.join(HERE, "near.txt"), encoding="utf-8") as f:
        for line in f:
            if ":" in line and not line.startswith("#"):
                pattern, tests = line.split(":", 1)
                yield pattern.strip(), tests.split()


def includers(header):
    found = subprocess.run(
        ["grep", "-rlF", "--include=test_*.c", f'"{header}"', "tests"],
        capture_output=True, text=True, check=False,
    ).stdout.split()
    return sorted(f for f in found if not f.startswith("tests/larger"))


def near_tests(file):
    """The tests of a file, the nearest first."""
    folder, name = os.path.split(file[:-2])
    tests = glob.glob(f"tests/{folder}/test_{name}.c")
    tests += glob.glob(f"tests/{folder}/test_{name}_*.c")
    tests += includers(f"{file[:-2]}.h")
    for pattern, named in near_map():
        if fnmatch.fnmatch(file, pattern):
            for test in named:
                tests += sorted(glob.glob(test))
    return list(dict.fromkeys(tests))


def equivalent():
    """{(file, old, new)} of equivalent.txt: FILE, `- old`, `+ new`, why."""
    known, block = set(), []
    with open(os.path.join(HERE, "equivalent.txt"), encoding="utf-8") as f:
        for line in [*f, ""]:
            line = line.strip()
            if line.startswith("#"):
                continue
            if line:
                block.append(line)
            elif block:
                known.add((block[0], block[1][2:], block[2][2:]))
                block = []
    return known


class Trial:
    """A mutant's folder, object and programs."""

    def __init__(self, mutant):
        self.m = mutant
        self.folder = tempfile.mkdtemp(prefix="mutate.")
        self.object = os.path.join(self.folder, "mutant.o")

    def compile(self, text, out):
        source = os.path.join(self.folder, os.path.basename(self.m.file))
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        args = [*CC, "-w", "-g0", "-iquote", os.path.dirname(self.m.file)]
        return limited([*args, "-c", "-o", out, source], 120)

    def link(self, objects, libraries, out):
        if os.path.exists(out):
            return True
        args = [*CC, "-fuse-ld=lld"] if shutil.which("ld.lld") else CC
        # a test may put functions of its own in place of some of the object
        if not limited([*args, "-Wl,-z,muldefs", "-o", out, *objects, self.object,
                        f"{BUILD}/liborrery.a", *libraries], 120):
            raise RuntimeError(f"{self.m.file}: {out} is not linked")
        return True

    def passes(self, test):
        env = dict(os.environ, TMPDIR=self.folder)
        if test.endswith(".c"):
            program = os.path.join(self.folder, os.path.basename(test)[:-2])
            return self.link([f"{BUILD}/{test[:-2]}.o"],
                             [*LINK, "-lcmocka"], program) and limited(
                                 [program], 60, env)
        orrery = os.path.join(self.folder, "orrery")
        env["ORRERY"] = orrery
        return self.link(glob.glob(f"{BUILD}/cli/*.o"), COMMAND, orrery) and \
            limited(["tests/tap.sh", test, "!larger"], 60, env, tap=True)


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).digest()


SOUND, OBJECT, LOCK = {}, {}, threading.Lock()


def sound(m, text, test):
    """A test kills only if it passes without a change."""
    with LOCK:
        if (m.file, test) not in SOUND:
            t = Trial(m)
            SOUND[m.file, test] = t.compile(text, t.object) and t.passes(test)
            shutil.rmtree(t.folder, ignore_errors=True)
    if not SOUND[m.file, test]:
        raise RuntimeError(f"{test} fails with {m.file} as it is")


def unchanged(m, text):
    """The digest of the file's object as it is; compiled once."""
    with LOCK:
        if m.file not in OBJECT:
            t = Trial(m)
            OBJECT[m.file] = t.compile(text, t.object) and digest(t.object)
            shutil.rmtree(t.folder, ignore_errors=True)
    return OBJECT[m.file]


def try_one(m, tests):
    """None: no mutant; else "" or the test that killed it."""
    t = Trial(m)
    try:
        with open(m.file, encoding="utf-8") as f:
            text = f.read()
        if not t.compile(m.text, t.object):
            return None
        if unchanged(m, text) == digest(t.object):
            return None
        for test in tests:
            if not t.passes(test):
                sound(m, text, test)
                return test
        return ""
    finally:
        shutil.rmtree(t.folder, ignore_errors=True)


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--files", nargs="*", default=[])
    p.add_argument("--room", default="")
    p.add_argument("--draw", type=int, default=0)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--most", type=int, default=10)
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--unit", action="store_true")
    p.add_argument("--list", action="store_true")
    p.add_argument("--verbose", action="store_true")
    return p.parse_args()


def wanted(m, lines):
    first, last = lines or (0, 1 << 30)
    return first <= m.line <= last


def only(files):
    """Paths without :LINE or :FROM-TO, and which lines of which."""
    lines = {}
    for i, file in enumerate(files):
        path, _, some = file.partition(":")
        if some:
            first, _, last = some.partition("-")
            lines[path] = int(first), int(last or first)
        files[i] = path
    return lines


def draw(a, files, lines):
    """The mutants to try, in the order in which they are tried."""
    known, skipped, all_of = equivalent(), 0, []
    for file in files:
        mine = [m for m in mutants_of(file) if wanted(m, lines.get(file))]
        new = [m for m in mine if (file, m.old, m.new) not in known]
        skipped += len(mine) - len(new)
        all_of += new
        if a.list:
            print(f"{len(new):6} {file}")
    print(f"{len(all_of)} mutants, {skipped} more are known to be equivalent"
          + (f"; SEED={a.seed}" if a.draw else ""))
    if a.draw:
        random.Random(a.seed).shuffle(all_of)
    return all_of


def tell(m, killed, a):
    if killed:
        if a.verbose:
            print(f"killed   {m.file}:{m.line} by {killed}\n    + {m.new}",
                  flush=True)
    else:
        print(f"SURVIVED {m.file}:{m.line}\n    - {m.old}\n    + {m.new}",
              flush=True)


def main():
    a = arguments()
    files = a.files or sorted(
        f for f in glob.glob(f"{a.room}/**/*.c", recursive=True))
    if not files:
        sys.exit("mutate: FILES= or ROOM= is missing")
    lines = only(files)
    todo = iter(draw(a, files, lines))
    if a.list:
        return
    near = {f: [t for t in near_tests(f) if t.endswith(".c") or not a.unit]
            for f in files}
    tried, survived, by = 0, 0, {}
    with ThreadPoolExecutor(a.jobs) as pool:
        while not a.draw or tried < a.draw:
            some = [m for _, m in zip(range(
                min(4 * a.jobs, a.draw - tried if a.draw else 4 * a.jobs)),
                todo)]
            if not some:
                break
            for m, killed in zip(some, pool.map(
                    lambda m: try_one(m, near[m.file]), some)):
                if killed is None:
                    continue
                tried += 1
                survived += not killed
                by[killed] = by.get(killed, 0) + 1
                tell(m, killed, a)
    for test, n in sorted(by.items(), key=lambda x: -x[1]):
        if test:
            print(f"{n:6} killed by {test}")
    print(f"{tried} tried, {survived} survived")
    sys.exit(survived > (a.most if a.draw else 0))


if __name__ == "__main__":
    main()
