"""Random calls of orrery.Network: none may crash the interpreter, lose a
callback, or raise what it does not say it raises. `random_calls.py CASES SEED`;
run by python.bats."""
import gc
import pathlib
import random
import sys
import weakref

import orrery

CONFIGS = [
    ({"topology": {"kind": "ring", "hosts": 4,
                   "link": {"rate": "100Gbps", "delay": "1us"}}}, True),
    ({"topology": {"kind": "switch", "hosts": 5,
                   "link": {"rate": "10Gbps", "delay": 3e-7}}}, None),
    ({"topology": {"kind": "switch", "hosts": 5,
                   "link": {"rate": "10Gbps", "delay": "300ns"}},
      "network": {"cc": "dctcp"}}, True),
    ({"topology": {"kind": "torus", "dims": [2, 3],
                   "link": {"rate": "40Gbps", "delay": "1us"}},
      "network": {"transport": "analytical"}}, False),
    ("topology: {kind: ring", None), ({}, None), ("a\0b", None), (5, None),
]
SENT = (orrery.Error, ValueError, TypeError, MemoryError)


class Planned(Exception):
    """That a callback raises."""


class Case:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.network = self.reliable = None
        self.due = {}       # callbacks that must come, by number
        self.came = []
        self.depth = 0

    def pick(self, *values):
        return self.random.choice(values)

    def callback(self, surely):
        """None, or a function that notes that it came, and may do more."""
        if self.random.random() < 0.4:
            return None, None
        number = len(self.came) + len(self.due) + 1_000_000 * self.depth + \
            self.random.randrange(10**9) * 10**7

        def function():
            assert number not in self.came, "called twice"
            self.came.append(number)
            self.due.pop(number, None)
            if self.depth < 3 and self.random.random() < 0.3:
                self.depth += 1
                try:
                    self.step()
                finally:
                    self.depth -= 1
            if self.random.random() < 0.05:
                raise Planned

        return function, number if surely else None

    def open(self):
        config, reliable = self.pick(*CONFIGS)
        options = self.pick({}, {}, {"seed": 3}, {"seed": -1}, {"set": {"a": 1}},
                            {"set": {"seed": "7"}}, {"set": {"title": "{x"}},
                            {"output": pathlib.Path("random.h5")},
                            {"output": b"random2.h5"}, {"plugins": "no.so"},
                            {"hosts": 2}, {"names": ["a"]})
        try:
            self.network = orrery.Network(config, **options)
        except SENT:
            self.network = None
            return
        self.reliable, self.finished = reliable, False
        self.due, self.came = {}, []
        assert reliable is not None, config

    def send(self):
        n, wanted = self.network, {}
        for name in "arrived", "sent", "acked":
            wanted[name] = self.callback(self.reliable or name == "sent")
        arguments = [self.pick(0, 1, 2, 3, 99, -1, 2**32, "0", None),
                     self.pick(0, 1, 2, 3, 99, 2.5),
                     self.pick(0, 1, 5000, 100_000, 2**63, -1)]
        held = {k: weakref.ref(f) for k, (f, _) in wanted.items() if f}
        try:
            n.send(*arguments, channel=self.pick(0, 0, 1, -1),
                   **{k: f for k, (f, _) in wanted.items()})
            refused = False
        except SENT:
            refused = True
        if refused: # and the exception's frames are gone
            wanted = None
            assert not any(x() for x in held.values()), "kept what it refused"
            return
        self.due.update((i, k) for k, (_, i) in wanted.items() if i)

    def at(self):
        f, i = self.callback(True)
        try:
            self.network.at(self.pick(0, 1, 2, 99, "x"),
                            self.pick(0, "1us", 3e-6, -1, "soon", 1e9), f)
        except SENT:
            return
        if i:
            self.due[i] = "at"

    def run(self):
        n, until = self.network, self.pick(None, None, "1us", n_later, 0, -1,
                                           "2e9s", b"1us")
        nested, before = self.depth > 0, n.now_ps
        if until is n_later:
            until = n.now + 5e-6
        try:
            n.run(until)
        except Planned:
            assert not nested, "raised from a call that is refused"
            assert n.now_ps >= before, "time went back"
            return
        except SENT:
            return
        assert not nested, "run from a callback"
        assert n.now_ps >= before, "time went back"
        if until is None and not self.stopped:
            assert not self.due, f"never called: {self.due}"

    def step(self):
        n = self.network
        if n is None:
            return self.open() if self.depth == 0 else None
        what = self.random.randrange(20)
        if what < 7:
            self.send()
        elif what < 11:
            self.at()
        elif what < 15:
            if self.depth == 0:
                self.stopped = False
            self.run()
        else:
            try:
                self.look(what)
            except SENT:
                pass

    def look(self, what):
        n = self.network
        if what == 15:
            assert n.link(self.pick(0, 1, 5, 99, -1)).busy <= n.now + 1e-9 \
                or not self.reliable
        elif what == 16:
            assert len(n.links) > 0 and n.hosts > 0
        elif what == 17:
            self.stopped = True
            n.stop()
        elif what == 18:
            n.finish()
            self.due = {}
        elif self.pick(True, False):
            n.close()
            assert self.depth == 0
            self.network = None
            self.due = {}
        elif self.depth == 0:
            self.network = None # dropped: freed some time
            self.due = {}


n_later = object()


def main(cases, seed):
    unraised = []
    sys.unraisablehook = unraised.append
    for case in range(cases):
        c = Case(seed * 1_000_003 + case)
        c.stopped = False
        try:
            for _ in range(c.random.randrange(5, 60)):
                c.step()
        except Exception:
            print(f"case {case} of seed {seed}", file=sys.stderr)
            raise
        wrong = [x for x in unraised if x.exc_type is not Planned]
        assert not wrong, (case, wrong[0].exc_value)
        unraised.clear()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
