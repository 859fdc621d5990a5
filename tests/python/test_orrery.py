"""The Python package, by what a user of it does. Run by python.bats, in an
empty folder."""
import contextlib
import gc
import io
import json
import os
import pathlib
import signal
import sys
import threading
import unittest
import unittest.mock
import weakref

import h5py
import numpy as np

import orrery
from orrery._library import lib

RING = {
    "title": "ring",
    "topology": {"kind": "ring", "hosts": 4,
                 "link": {"rate": "100Gbps", "delay": "1us"}},
    "network": {"header": "0B"},
    "jobs": [{"name": "reduce", "ranks": 4, "iterations": 3,
              "program": [{"compute": "10us"},
                          {"all-reduce": {"size": "1MiB"}}]}],
    "flows": [{"src": 0, "dst": 2, "size": "1MB"}],
}


CLUSTER = {
    "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 1, "hosts": 8,
                 "link": {"rate": "50Gbps", "delay": "1us"}},
    "network": {"mtu": "64KiB"},
    "cluster": {
        "accuracy": "fluid", "placement": "spread",
        "arrivals": {"load": "90%", "most": 12},
        "jobs": [{"name": "a", "gpus": [2, 4], "iterations": 50,
                  "program": [{"compute": "1ms"},
                              {"all-reduce": {"size": "20MB"}}]}]},
}


class Clusters(unittest.TestCase):
    def test_its_records_say_what_the_summary_says(self):
        r = orrery.run(CLUSTER, output="cluster.h5")
        again = orrery.open("cluster.h5")
        jobs, held = again.cluster_jobs, again.cluster_gpus
        self.assertEqual(jobs.sizes["job"], 12)
        self.assertEqual(list(jobs["name"].values),
                         [j["name"] for j in r.summary["jobs"]])
        np.testing.assert_allclose(jobs.completion.values * 1e9,
                                   [j["completion_ns"]
                                    for j in r.summary["jobs"]], rtol=1e-9)
        self.assertEqual(set(jobs.state.values), {"done"})
        hours = float(((held["to"] - held["from"]) * held.gpus).sum()) / 3600
        self.assertAlmostEqual(hours, r.summary["cluster"]["gpu_hours"]["given"])
        lost = r.summary["cluster"]["gpu_hours"]["lost"]
        self.assertGreater(lost, 0)
        self.assertAlmostEqual(float(again.cluster_links.lost.sum()) / lost, 1)
        met = again.cluster_meetings
        gpus = jobs.gpus.values[met.job.values]
        self.assertAlmostEqual(float((met.lost * gpus).sum()) / 3600 / lost, 1)
        self.assertIn(" > ", met.link_name.values[0])
        self.assertEqual(again.cluster_epochs.time.values[0], 0)
        self.assertEqual(int(again.cluster_epochs.waiting.max()),
                         r.summary["cluster"]["queue_most"])
        self.assertEqual(set(again.cluster_stretches.known.values), {"fluid"})
        with self.assertRaises(AttributeError):
            again.flows


class Runs(unittest.TestCase):
    def test_figures_are_those_of_the_file(self):
        r = orrery.run(RING, seed=3)
        self.assertEqual(r.summary["seed"], 3)
        self.assertEqual(r.output, "orrery.h5")
        self.assertIn("ring", repr(r))
        again = orrery.open("orrery.h5")
        self.assertEqual(again.fingerprint, r.fingerprint)
        self.assertEqual(again.title, "ring")
        self.assertEqual(again.status, "complete")
        durations = again.iterations.duration.values
        self.assertEqual(durations.shape, (3,))
        for mine, theirs in zip(durations,
                                r.summary["jobs"][0]["iterations"]):
            self.assertAlmostEqual(mine * 1e9, theirs["duration_ns"], 3)
        self.assertEqual(list(again.jobs.job.values), ["reduce"])
        self.assertEqual(int(again.jobs.iterations.sel(job="reduce")), 3)
        r.close()
        again.close()

    def test_links_are_named_and_times_in_seconds(self):
        with orrery.run(RING) as r:
            u = r.links.utilization
            self.assertEqual(u.dims, ("time", "link"))
            self.assertIn("host 0 -> host 1", u.link.values)
            one = u.sel(link="host 0 -> host 1")
            self.assertGreater(float(one.max()), 0.5)
            self.assertLessEqual(float(u.max()), 1)
            self.assertEqual(r.links.time.attrs["units"], "s")
            # exact picoseconds are one step away
            exact = r.file["links/time"][...]
            np.testing.assert_allclose(r.links.time.values, exact * 1e-12)
            total = int(r.links.bytes.sel(link="host 0 -> host 1").sum())
            for name in ("host 0 > host 1", "host 0->host 1", "host 0-host 1",
                         int(r.links.sel(link="host 0 -> host 1").id)):
                self.assertEqual(int(r.link(name).bytes.sum()), total)
            with self.assertRaisesRegex(KeyError, 'no link "a > b"'):
                r.link("a > b")
            with self.assertRaisesRegex(KeyError, 'no link "0"'):
                r.link("0") # ids are numbers, not texts
            busiest = {(b["from"], b["to"]): b["bytes"]
                       for b in r.summary["links"]["busiest"]}
            if (0, 1) in busiest:
                self.assertEqual(total, busiest[0, 1])

    def test_links_are_split_by_job(self):
        two = dict(RING, jobs=RING["jobs"] + [dict(RING["jobs"][0],
                                                   name="other", start="5us")])
        with orrery.run(two, set={"record.by_job": True}) as r:
            jobs = r.links_by_job
            self.assertEqual(jobs.bytes.dims, ("time", "link", "job"))
            self.assertEqual(list(jobs.job.values),
                             ["reduce", "other", "flows"])
            for name in ("bytes", "marks", "drops"):
                np.testing.assert_array_equal(
                    jobs[name].sum("job").values, r.links[name].values)
            np.testing.assert_allclose(
                jobs.utilization.sum("job").values,
                r.links.utilization.values, atol=1e-6)
            one = jobs.bytes.sel(link="host 1 -> host 2").sum("time")
            self.assertGreater(int(one.sel(job="other")), 1000000)
            # the flow: 1 MB, and its ACKs on the way back
            self.assertEqual(int(one.sel(job="flows")), 1000000)
            self.assertNotIn("part", r.links.dims)
            self.assertEqual(r.iterations.marks.dims, ("row",))
        with orrery.run(RING) as r, self.assertRaises(AttributeError):
            r.links_by_job

    def test_what_is_set_holds(self):
        r = orrery.run(RING, set={"network.cc": "dctcp", "jobs[0].iterations":
                                  2, "network.queue": {"kind": "ecn"}},
                       records=False)
        self.assertEqual(len(r.summary["jobs"][0]["iterations"]), 2)
        self.assertIsNone(r.output)
        with self.assertRaises(orrery.ConfigError):
            r.links

    def test_numbers_of_numpy_and_paths_are_set_too(self):
        for seed in np.uint64(2), 2:
            run = orrery.run(RING, set={"seed": seed,
                                        "title": pathlib.PurePath("a/b")})
            self.assertEqual(run.summary["seed"], 2)
            self.assertEqual(run.summary["title"], "a/b")

    def test_strings_are_strings(self):
        """What is set is what Python has; YAML has to be said."""
        for text in ("{a: 1}", "yes: no", "[1, 2]", "# none", "a, b", "5",
                     "true", " spaces ", "q\"'\\", "\u00e9\u2028\U0001f600",
                     "*a", "", "- x", "null", "%x", "@y", "x #y", "a: b"):
            def title(**given):
                return orrery.run(RING, records=False,
                                  **given).summary["title"]
            self.assertEqual(title(set={"title": text}), text)
            with orrery.Network(set={"title": text}, hosts=1) as n:
                n.run()
                self.assertEqual(n.finish().title, text)
            whole = {**RING, "title": text}
            self.assertEqual(orrery.run(whole, records=False).title, text)
        set = {"network.queue": orrery.YAML("{kind: ecn, threshold: 50KB}")}
        r = orrery.run(RING, set=set)
        self.assertIn("threshold: 50KB", r.config)
        with self.assertRaises(orrery.ConfigError):
            orrery.check(RING, set={"network.queue": str(*set.values())})
        text = orrery.YAML("# of texts\ntopology: {kind: rng}\n")
        with self.assertRaises(orrery.ConfigError) as e:
            orrery.check(text)
        self.assertEqual((e.exception.file, e.exception.line),
                         ("configuration", 2))
        with self.assertRaisesRegex(TypeError, "whole value"):
            orrery.check(RING, set={"network": {"queue": text}})

    def test_nul_is_refused(self):
        yaml = orrery.YAML
        for call in (lambda x: orrery.check(RING, set={"title": x}),
                     lambda x: orrery.check(RING, set={"title": yaml(x)}),
                     lambda x: orrery.check(RING, set={x: 1}),
                     lambda x: orrery.check(RING, set={"network": {"cc": [x]}}),
                     lambda x: orrery.check(RING, set={"network": {x: 1}}),
                     lambda x: orrery.check({**RING, "title": x}),
                     lambda x: orrery.check({**RING, x: "title"}),
                     lambda x: orrery.check(RING, folder=x),
                     lambda x: orrery.check(x),
                     lambda x: orrery.run(x),
                     lambda x: orrery.run(RING, output=x),
                     lambda x: orrery.run(RING, output=os.fsencode(x)),
                     lambda x: orrery.run(RING, plugins=[x]),
                     lambda x: orrery.open(x),
                     lambda x: orrery.compare(RING, folder=x),
                     lambda x: orrery.Network(x),
                     lambda x: orrery.Network(hosts=1, names=[x]),
                     lambda x: orrery.Network(hosts=1, output=x)):
            self.assertRaises(ValueError, call, "a\0b")

    def test_paths_of_any_kind(self):
        folder = b"sp\xe9cial"
        os.mkdir(folder)
        for kind in bytes, os.fsdecode, lambda x: pathlib.Path(os.fsdecode(x)):
            config, output = kind(folder + b"/c.yaml"), kind(folder + b"/o.h5")
            with open(config, "w") as f:
                json.dump(RING, f)
            orrery.check(config, folder=kind(folder))
            with orrery.run(config, output=output) as r:
                self.assertEqual(r.status, "complete")
                self.assertEqual(os.fsencode(r.output), folder + b"/o.h5")
                self.assertGreater(r.links.sizes["link"], 0)
            with orrery.open(output) as r:
                self.assertEqual(r.status, "complete")
            with orrery.Network(RING, output=kind(folder + b"/n.h5")) as n:
                n.run()
                n.finish().jobs
            with self.assertRaises(orrery.ConfigError):
                orrery.check(config, set={"topology": {
                    "kind": "file", "file": kind(b"none.graphml")}})
            with self.assertRaisesRegex(orrery.ConfigError, "cc.so"):
                orrery.run(config, plugins=kind(b"/none/cc.so"))

    def test_flags_are_words(self):
        with orrery.run(RING) as r:
            self.assertEqual(set(r.operations.kind.values),
                             {"compute", "all-reduce"})
            self.assertEqual(set(r.nodes.type.values), {"host"})

    def test_errors_know_their_place(self):
        with open("bad.yaml", "w") as f:
            f.write("topology: {kind: rng, hosts: 4}\n"
                    "flows: [{src: 0, dst: 1, size: 1MB}]\n")
        with self.assertRaises(orrery.ConfigError) as e:
            orrery.run("bad.yaml")
        self.assertEqual((e.exception.file, e.exception.line), ("bad.yaml", 1))
        self.assertIn("ring", e.exception.hint)
        self.assertIn("bad.yaml:1:", str(e.exception))
        self.assertIn("^", str(e.exception))
        with self.assertRaises(orrery.ConfigError):
            orrery.check(RING, set={"network.cc": "nothing"})
        orrery.check(RING)

    def test_a_dictionary_goes_by_a_name(self):
        """No file that the user never saw is spoken of."""
        untitled = {k: v for k, v in RING.items() if k != "title"}
        self.assertEqual(orrery.run(untitled).title, "configuration")
        wrong = {**RING, "network": {"cc": "dctpc"}}
        for call in orrery.run, orrery.check:
            with self.assertRaises(orrery.ConfigError) as e:
                call(wrong)
            self.assertEqual(e.exception.file, "configuration")
            self.assertIn("dctpc", e.exception.excerpt)
            self.assertIn('did you mean "dctcp"?', e.exception.hint)

    def test_wrong_arguments(self):
        for seed in -1, 2**63:
            with self.assertRaisesRegex(ValueError, "seed: "):
                orrery.run(RING, seed=seed)
        with self.assertRaises(TypeError):
            orrery.run(RING, seed="1")
        with self.assertRaisesRegex(TypeError, "no dictionary"):
            orrery.run(RING, set=["network.cc"])
        with self.assertRaisesRegex(TypeError, "a configuration holds texts"):
            orrery.run(RING, set={"network.mtu": object()})
        with self.assertRaisesRegex(AttributeError, "did you mean 'flows'"):
            getattr(orrery.run(RING), "flwos")
        with self.assertRaisesRegex(AttributeError, "by_job: true}"):
            getattr(orrery.run(RING), "links_by_job")
        with self.assertRaisesRegex(orrery.ConfigError, "/nowhere/cc.so"):
            orrery.run(RING, plugins="/nowhere/cc.so")
        with self.assertRaisesRegex(TypeError, "progress: 5"):
            orrery.run(RING, progress=5)
        for over in ["network.cc"], {"network.cc": 5}:
            with self.assertRaisesRegex(TypeError, "over: "):
                orrery.compare(RING, over=over)

    def test_a_run_that_cannot_end(self):
        stuck = dict(RING, flows=[], jobs=[{"ranks": 2, "program": [
            {"recv": {"from": "+1"}}]}])
        with self.assertRaises(orrery.RunError) as e:
            orrery.run(stuck, output="stuck.h5")
        self.assertIn("waits", str(e.exception))
        self.assertTrue(e.exception.run.summary["partial"])

    def test_progress_and_its_exceptions(self):
        long = dict(RING, jobs=[], flows=[{"src": 0, "dst": 2,
                                           "size": "20GB"}])
        told = []

        def tell(share, seconds, hops):
            told.append((share, seconds, hops))
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            orrery.run(long, records=False, progress=tell)
        self.assertEqual(len(told), 1)

    def test_a_line_that_ends_with_all_of_it(self):
        flow = {"src": 0, "dst": 2, "size": "2GB"}
        for stop, share in (None, "100.0 %"), ("1us", " "):
            told = io.StringIO()
            watcher = orrery._settings.Watcher(True)
            with contextlib.redirect_stderr(told):
                watcher.fn(0.5, 2e-5, 10)
                watcher.told = True
                r = orrery.run(dict(RING, jobs=[], flows=[flow]),
                               set={"stop": stop} if stop else {},
                               records=False)
                watcher.done(r.summary)
            line = told.getvalue()
            self.assertEqual(r.status, "partial" if stop else "complete")
            self.assertIn("\r 50.0 % simulated 20 us, 10 packet-hops ", line)
            self.assertTrue(line.endswith("\n"))
            self.assertTrue(line.rpartition("\r")[2].startswith(share), line)
            self.assertTrue(all(len(x) == 64 for x in
                                line.rstrip("\n").split("\r")[1:]))

    def test_interrupt(self):
        long = dict(RING, jobs=[], flows=[{"src": 0, "dst": 2,
                                           "size": "200GB"}])
        # where this runs in the background, Python leaves SIGINT ignored
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        main = threading.main_thread().ident
        timer = threading.Timer(0.3, lambda: signal.pthread_kill(
            main, signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            orrery.run(long, records=False)

    def test_no_file(self):
        orrery.run(RING, output="ring.h5")
        with open("ring.h5", "rb") as whole, open("short.h5", "wb") as part:
            part.write(whole.read()[:20000])
        for name, why in (("none.h5", "none.h5: No such file or directory"),
                          (__file__, f"{__file__} is no HDF5 file"),
                          ("short.h5", "short.h5 cannot be opened: it is "
                                       "truncated, or still being written")):
            with self.assertRaises(orrery.ConfigError) as e:
                orrery.open(name)
            self.assertEqual(e.exception.message, why)
        with h5py.File("other.h5", "w"):
            pass
        with self.assertRaisesRegex(orrery.ConfigError, "no run"):
            orrery.open("other.h5")

    def test_another_version(self):
        orrery.run(RING, output="ring.h5")
        with h5py.File("ring.h5", "r+") as f:
            reads = f.attrs["orrery_format"]
            f.attrs["orrery_format"], f.attrs["source"] = 99, "orrery 9.1.0"
        with self.assertRaises(orrery.ConfigError) as e:
            orrery.open("ring.h5")
        self.assertEqual(e.exception.message,
                         "ring.h5 is of orrery 9.1.0, in format 99; this "
                         f"package reads format {reads}")
        self.assertIn("hint: run it again", str(e.exception))


class Networks(unittest.TestCase):
    CONFIG = {"topology": RING["topology"], "network": RING["network"]}

    def test_ping_pong(self):
        times = []
        with orrery.Network(self.CONFIG) as n:
            def pong():
                times.append(n.now_ps)
                n.send(1, 0, 4096, arrived=lambda: times.append(n.now_ps))

            n.send(0, 1, 4096, arrived=pong)
            n.run()
            # a packet each way: its bytes at 100 Gbps, and the delay; the ACK
            # of the first leaves host 1 before the answer
            packet, ack = 4096 * 80, 64 * 80
            self.assertEqual(times, [packet + 10**6,
                                     2 * packet + ack + 2 * 10**6])
            self.assertEqual(n.hosts, 4)
            self.assertEqual(len(n.links), 8)
            self.assertEqual(n.link(n.links.index((0, 1))).packets, 2)
            for name in ("host 0 > host 1", "host 0 -> host 1", "0-1",
                         "host 0-host 1", "0 > host 1"):
                self.assertEqual(n.link(name).packets, 2)
            with self.assertRaisesRegex(orrery.CallError, 'no link "0 > 2"'):
                n.link("0 > 2")

    def test_timers_in_order(self):
        seen = []
        with orrery.Network(self.CONFIG) as n:
            n.at(0, "2us", lambda: seen.append("later"))
            n.at(1, 1e-6, lambda: seen.append(n.now))
            n.run(until="1.5us")
            self.assertEqual(seen, [1e-6])
            n.run()
            self.assertEqual(seen, [1e-6, "later"])

    def test_an_exception_ends_the_run(self):
        with orrery.Network(self.CONFIG) as n:
            n.at(0, "1us", lambda: 1 / 0)
            n.at(0, "100us", lambda: self.fail("it went on"))
            with self.assertRaises(ZeroDivisionError):
                n.run()

    def test_an_exception_loses_no_other_callback(self):
        """What comes in its moment is called, and what comes later, too."""
        for at_once in 1, 3:
            log = []
            with orrery.Network(self.CONFIG) as n:
                def fails():
                    log.append("fails")
                    1 / 0
                unraised, told = [], sys.unraisablehook
                for host in range(at_once):
                    n.at(host, 0, fails)
                n.at(3, 0, lambda: log.append("timer"))
                n.send(0, 1, 0, arrived=lambda: log.append("arrived"),
                       sent=lambda: log.append("sent"),
                       acked=lambda: log.append("acked"))
                n.at(0, "1ms", lambda: log.append("late"))
                sys.unraisablehook = lambda x: unraised.append(x.exc_type)
                try:
                    with self.assertRaises(ZeroDivisionError):
                        n.run()
                finally:
                    sys.unraisablehook = told
                self.assertLess(n.now, 2e-6)
                n.run()
            self.assertEqual(sorted(log), ["acked", "arrived"] + ["fails"] *
                             at_once + ["late", "sent", "timer"])
            self.assertEqual(unraised, [ZeroDivisionError] * (at_once - 1))

    def test_a_run_in_a_run_is_refused(self):
        """And takes neither what a callback raised nor Ctrl-C with it."""
        with orrery.Network(self.CONFIG) as n:
            refused = []

            def nested():
                try:
                    n.run()
                except orrery.CallError as e:
                    refused.append(e)

            n.at(0, 0, lambda: 1 / 0)
            n.at(1, 0, nested)
            handler = signal.getsignal(signal.SIGINT)
            with self.assertRaises(ZeroDivisionError):
                n.run()
            self.assertEqual(len(refused), 1)
            self.assertIs(signal.getsignal(signal.SIGINT), handler)

    def test_refused_calls_keep_nothing(self):
        class Held:
            def __call__(self):
                pass

        with orrery.Network(self.CONFIG, set={"network.transport": "datagram",
                                              "network.cc": "none"}) as n:
            closed = orrery.Network(self.CONFIG)
            closed.close()
            for refused in (lambda f: n.send(0, 99, 1, arrived=f, sent=f),
                            lambda f: n.send(0, 1, 1, acked=f),
                            lambda f: n.send(0, 1, 2**63, sent=f),
                            lambda f: n.at(99, 0, f), lambda f: n.at(0, -1, f),
                            lambda f: n.at(0, 9e6, f),
                            lambda f: closed.send(0, 1, 1, arrived=f),
                            lambda f: closed.at(0, 0, f)):
                held = Held()
                gone = weakref.ref(held)
                with self.assertRaises(orrery.Error):
                    refused(held)
                held = None
                self.assertIsNone(gone(), refused)
            kept = Held()
            gone = weakref.ref(kept)
            n.send(0, 1, 1, arrived=kept)
            kept = None
            self.assertIsNotNone(gone())
        self.assertIsNone(gone()) # closed

    def test_networks_that_are_not_closed_are_freed(self):
        """Also with callbacks that hold them, and ones that never came."""
        closed = []
        close = lib.orr_network_close
        with unittest.mock.patch.object(
                lib, "orr_network_close",
                lambda handle: closed.append(handle.value) or close(handle)):
            for i in range(5):
                n = orrery.Network(self.CONFIG)
                n.send(0, 1, 10**5, arrived=lambda n=n: n.now)
                n.at(0, "1us", lambda n=n: n.send(0, 1, 1))
                n.at(0, "1h", n.run)
                n.run("1ms")
            del n
            gc.collect()
            self.assertEqual(len(closed), 5)
            n = orrery.Network(self.CONFIG)
            n.close()
            n.close()
            del n
            gc.collect()
            self.assertEqual(len(closed), 6)

    def test_runs_that_are_dropped_close_their_file(self):
        r = orrery.run(RING, output="dropped.h5")
        self.assertGreater(r.links.sizes["link"], 0)
        gone = weakref.ref(r)
        del r
        gc.collect()
        self.assertIsNone(gone())

    def test_wrong_calls(self):
        with orrery.Network(self.CONFIG) as n:
            with self.assertRaises(orrery.CallError):
                n.send(0, 99, 1)
            with self.assertRaises(ValueError):
                n.at(0, "soon", lambda: None)
        with self.assertRaises(orrery.ConfigError):
            orrery.Network({"topology": {"kind": "rng"}})

    def test_numbers_that_do_not_fit(self):
        """Nothing of them is cut off: host 2**32 is not host 0."""
        with orrery.Network(self.CONFIG) as n:
            for given in ({"src": 2**32}, {"dst": 2**32 + 1}, {"size": 2**64},
                          {"size": -1}, {"channel": 2**32},
                          {"traffic_class": 2**32}):
                with self.assertRaisesRegex(ValueError, next(iter(given))):
                    n.send(**{"src": 0, "dst": 1, "size": 1, **given})
            for call in (lambda: n.at(2**32, 0, print), lambda: n.link(-1),
                         lambda: n.run(1e8), lambda: n.run("2e7s"),
                         lambda: n.run(float("inf")), lambda: n.run(b"1us"),
                         lambda: n.run("1.2.3us")):
                self.assertRaises(ValueError, call)
            self.assertEqual(n.now_ps, 0)
            n.run(".5us")
            self.assertEqual(n.now_ps, 500000)
        for rate in -1, 2**64, float("nan"), "1Gbps":
            with self.assertRaisesRegex(ValueError, r"cables\[0\].*rate"):
                orrery.Network(hosts=2, cables=[(0, 1, rate, "1us")])
        with self.assertRaisesRegex(ValueError, "names: 3 for 2 nodes"):
            orrery.Network(hosts=2, cables=[(0, 1, 1e9, 1e-6)], names="abc")
        with self.assertRaisesRegex(ValueError, "hosts"):
            orrery.Network(self.CONFIG, switches=3)

    def test_closed(self):
        n = orrery.Network(self.CONFIG)
        n.at(0, 0, n.close)
        with self.assertRaisesRegex(orrery.CallError, "from a callback"):
            n.run()
        n.close()
        n.close()
        for call in (n.run, n.finish, lambda: n.now, lambda: n.links,
                     lambda: n.send(0, 1, 1), lambda: n.at(0, 0, print)):
            with self.assertRaisesRegex(orrery.CallError, "is closed"):
                call()

    def test_cables_and_records(self):
        cables = [(0, 2, 10e9, "1us"), (1, 2, 10e9, 1e-6)]
        with orrery.Network(hosts=2, switches=1, cables=cables,
                            names=["a", "b", "s"], output="net.h5") as n:
            n.send(0, 1, 10**5)
            n.run()
            r = n.finish()
        self.assertGreater(r.summary["counters"]["packet_hops"], 40)
        with orrery.open("net.h5") as r:
            self.assertIn("a -> s", r.links.link.values)


class Questions(unittest.TestCase):
    TWO = {"topology": {"kind": "custom", "hosts": 4, "switches": 2,
                        "cables": [[0, 4], [1, 4], [2, 5], [3, 5], [4, 5]],
                        "link": {"rate": "10Gbps", "delay": "1us"}},
           "jobs": [{"name": name, "ranks": 2, "placement": place,
                     "iterations": 8, "program": [
                         {"compute": "2ms"}, {"all-reduce": {"size": "1MB"}}]}
                    for name, place in (("a", [0, 2]), ("b", [1, 3]))]}

    def test_a_topology_as_arrays(self):
        t = orrery.topology(self.TWO)
        self.assertEqual((t.hosts, t.switches, len(t.source)), (4, 2, 10))
        self.assertEqual(t["diameter"], 3)
        self.assertTrue((t.rate == 10 * 10**9).all())
        self.assertTrue((t.delay == 10**6).all())
        with self.assertRaises(ValueError):
            t.rate[0] = 1
        self.assertIn("<svg", t._repr_html_())
        rate = t.rate
        del t # the array keeps what it points into
        self.assertEqual(rate.sum(), 10 * 10**10)
        none = orrery.topology(self.TWO, metrics=False)
        self.assertNotIn("diameter", none.data)
        with self.assertRaisesRegex(orrery.ConfigError, "smallest"):
            orrery.topology(self.TWO, set={"topology.hosts": 0})

    def test_a_topology_for_other_libraries(self):
        try:
            import networkx as nx
            import scipy.sparse # noqa: F401
        except ImportError:
            self.skipTest("no networkx, scipy (make deps-python)")
        t = orrery.topology(self.TWO)
        g = t.to_networkx()
        self.assertEqual(nx.diameter(nx.Graph(g)), 3)
        self.assertEqual(g.edges[0, 4, 0]["rate_bps"], 10**10)
        self.assertEqual(t.to_sparse().sum(), 10)
        self.assertEqual(t.to_sparse("rate")[4, 5], 10**10)
        self.assertEqual(t.to_sparse("delay")[5, 4], 10**6)

    def test_check_plan_profile_explain(self):
        e = orrery.check(self.TWO)
        r = orrery.run(self.TWO, records=False)
        hops = r.summary["counters"]["packet_hops"]
        self.assertLess(abs(e["estimate"]["packet_hops"] / hops - 1), 0.03)
        self.assertEqual(e["kind"], "run")
        p = orrery.plan(self.TWO)
        planned = orrery.run(orrery.YAML(p.yaml), records=False)
        self.assertLess(planned.summary["jobs"][1]["iteration_ns"]["mean"],
                        r.summary["jobs"][1]["iteration_ns"]["mean"])
        f = orrery.profile(self.TWO, job="b")
        self.assertEqual(f["job"], "b")
        self.assertIn("iteration:", f.yaml)
        x = orrery.explain(self.TWO, job="a", iteration=2)
        self.assertIn("iteration 2", x.text)
        self.assertIn("<pre", x._repr_html_())
        with self.assertRaisesRegex(orrery.ConfigError, "nobody"):
            orrery.explain(self.TWO, job="nobody")
        with self.assertRaises(ValueError):
            orrery.explain(self.TWO, iteration="latest")


class Comparisons(unittest.TestCase):
    def test_a_study(self):
        with open("base.yaml", "w") as f:
            f.write("topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, "
                    "delay: 1us}}\n"
                    "flows: [{generate: poisson, size: 20KB, load: 0.5, "
                    "duration: 500us}]\n")
        s = orrery.compare("base.yaml", over={"network.cc": ["none", "dctcp"]},
                           seeds="1..2", measure=["flows.fct_ns.mean"],
                           folder="two")
        self.assertIn("dctcp", repr(s))
        v = s.data["flows.fct_ns.mean"]
        self.assertEqual(dict(v.sizes), {"cc": 2, "seed": 2})
        self.assertTrue((v > 0).all())
        self.assertEqual(s.failed, [])
        self.assertTrue(orrery.open_study("two").data.identical(s.data))
        s = orrery.compare("base.yaml", over={"title": ["a, b", "c"]},
                           seeds=np.int64(2), folder="titles")
        self.assertEqual(s.data["title"].values.tolist(), ["a, b", "c"])
        self.assertEqual(s.data["seed"].values.tolist(), [2])
        with self.assertRaisesRegex(orrery.ConfigError, "netwrk"):
            orrery.compare("base.yaml", over={"netwrk.cc": ["none"]},
                           folder="three")

    def test_progress_of_a_study(self):
        told, lines = [], io.StringIO()
        orrery.compare(RING, over={"title": ["a", "b", "c"]}, folder="told",
                       progress=lambda *n: told.append(n))
        self.assertEqual((told[0], told[-1]), ((0, 3, 0), (3, 3, 0)))
        with contextlib.redirect_stderr(lines):
            orrery.compare(RING, over={"title": ["d"]}, folder="told",
                           progress=True)
        self.assertTrue(lines.getvalue().endswith("1 of 1 runs done\n"))
        def stop(*_):
            raise KeyError("enough")
        with self.assertRaisesRegex(KeyError, "enough"):
            orrery.compare(RING, over={"title": ["e", "f"]}, folder="told",
                           progress=stop)

    def test_a_run_that_fails(self):
        lossy = {"topology": {"kind": "switch", "hosts": 4,
                              "link": {"rate": "10Gbps", "delay": "1us"}},
                 "network": {"transport": "datagram", "queue":
                             {"kind": "droptail", "capacity": "1MiB"}},
                 "flows": [{"src": i, "dst": 3, "size": "1MB"}
                           for i in range(2)]}
        with self.assertRaisesRegex(orrery.Error, "1 run failed.*no events") \
                as e:
            orrery.compare(lossy, over={"network.queue.capacity":
                                        ["10KB", "16MiB"]},
                           measure="flows.fct_ns.max", folder="lossy", jobs=2)
        study = e.exception.study
        self.assertEqual(len(study.failed), 1)
        v = study.data["flows.fct_ns.max"]
        self.assertEqual(np.isnan(v.values).sum(), 1)

    def test_doubt_goes_with_figures(self):
        with open("shared.yaml", "w") as f:
            f.write("topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, "
                    "delay: 1us}}\n"
                    "jobs: [{name: a, ranks: 4, program: [compute: 1us]}, "
                    "{name: b, ranks: 4, program: [compute: 1us]}]\n")
        s = orrery.compare("shared.yaml", over={"title": ["x", "y"]},
                           measure=["jobs.*.iteration_ns.mean"],
                           folder="shared")
        v = s.data["jobs.*.iteration_ns.mean"].sel(title="y")
        self.assertTrue((v["doubt"] != "").all())
        self.assertIn("host 0", str(v["doubt_says"].values[0]))

    def test_errors_know_their_place(self):
        with self.assertRaises(orrery.ConfigError) as e:
            orrery.compare(RING, over={"network.cc": ["dctcp", "hppc"]},
                           measure=["jobs.*.iteration_ns.mean"], folder="four")
        e = e.exception
        self.assertEqual((e.file, e.line, e.col), ("--over network.cc", 1, 8))
        self.assertEqual(e.excerpt, "[dctcp,hppc]")
        self.assertIn('did you mean "hpcc"?', e.hint)
        self.assertTrue(str(e).startswith("--over network.cc:1:8: "))
        with self.assertRaisesRegex(orrery.ConfigError, "orrery.compare"):
            orrery.open_study("nowhere")

    def test_a_dictionary_and_single_values(self):
        s = orrery.compare(RING, over={"network.cc": "none,dctcp"}, seeds=3,
                           measure="jobs.*.iteration_ns.mean", folder="five")
        v = s.data["jobs.*.iteration_ns.mean"]
        self.assertEqual(list(v.cc.values), ["none", "dctcp"])
        self.assertEqual(list(v.seed.values), [3])
        with self.assertRaisesRegex(orrery.ConfigError, "open_study"):
            orrery.open("five")


if __name__ == "__main__":
    unittest.main()
