"""A network to build programs on: messages and timers that call back."""
from __future__ import annotations

import ctypes as c
import itertools
import numbers
import os
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from . import _library as lib
from ._settings import (PS, Options, Watcher, document, encoded, natural,
                        picoseconds)
from .errors import CallError, raise_for
from .records import Run, from_json

__all__ = ["Network", "Cable", "LinkCounters"]

_FOREVER = 2**63 - 1


class Cable(NamedTuple):
    """A link each way between two nodes; rate in bit/s, delay in seconds or
    with a unit, loss the probability that a packet is lost."""
    a: int
    b: int
    rate: float
    delay: float | str
    loss: float = 0.0


class LinkCounters(NamedTuple):
    """What one directed link did up to now: bytes on the wire, packets, marks
    and drops; queue_bytes now and at most; busy in seconds; pauses."""
    bytes: int
    packets: int
    marks: int
    drops: int
    queue_bytes: int
    max_queue_bytes: int
    busy: float
    pauses: int


class _Calls:
    """Callbacks by number, and the first exception of one. The library knows
    this, not the network, which may go meanwhile."""

    def __init__(self):
        self.functions: dict[int, Callable[[], None]] = {}
        self.ids = itertools.count(1)
        self.failed: BaseException | None = None
        self.handle: int | None = None
        self.back = lib.CALLBACK(self.call)

    def call(self, number: int) -> None:
        function = self.functions.pop(number)
        try:
            function()
        except BaseException as e:
            if self.failed:
                raise # to ctypes, which gives it to sys.unraisablehook
            self.failed = e # must not pass through C
            lib.lib.orr_network_stop(self.handle)

    def keep(self, functions) -> list:
        """For each a callback and its argument."""
        numbers = [None if f is None else next(self.ids) for f in functions]
        self.functions.update((n, f) for n, f in zip(numbers, functions) if n)
        return [(self.back, n) if n else (lib.CALLBACK(), None)
                for n in numbers]

    def drop(self, kept) -> None:
        for _, number in kept:
            self.functions.pop(number, None)


def _close(handle: c.c_void_p, _options: Options) -> None:
    """Of a network that nothing refers to, its options neither."""
    lib.lib.orr_network_close(handle)


class Network:
    """A simulated network, from a configuration or from cables.

    >>> with Network({"topology": {"kind": "ring", "hosts": 4, "link":
    ...               {"rate": "100Gbps", "delay": "1us"}}}) as n:
    ...     n.send(0, 2, 2**20, arrived=lambda: print(n.now))
    ...     n.run()

    Times are in seconds, or texts with a unit ("10us"); `now_ps` is exact.
    Callbacks take no arguments, may send and set timers, and come in order of
    time. An exception in one ends the run within a microsecond, and the run
    raises it; what comes before it has ended is called, too, and exceptions of
    that go to sys.unraisablehook. The network may run on.

    A network that is not closed is when nothing refers to it any more.
    """

    def __init__(self, config: str | Mapping[str, Any] = "", *,
                 hosts: int = 0, switches: int = 0,
                 cables: Iterable[Cable] = (), names: Iterable[str] = (),
                 hosts_forward: bool = False,
                 set: Mapping[str, Any] | None = None, seed: int | None = None,
                 output: str | bytes | os.PathLike | None = None,
                 plugins: tuple[str | bytes | os.PathLike, ...] = ()):
        """config: YAML text or a dictionary; `jobs` and `flows` may be left
        out. hosts, switches, cables: the topology instead of `topology`; nodes
        below `hosts` are hosts. output: HDF5 file, by default none."""
        text = document(config).encode()
        self._calls = _Calls()
        self._watcher = Watcher(False)
        self._options = Options(set=set, seed=seed, output=output,
                                plugins=plugins, watcher=self._watcher)
        self._handle, why = c.c_void_p(), lib.Report()
        self._running = False
        options = c.byref(self._options.options)
        cables, names = list(cables), list(names)
        if not hosts and (switches or cables or names):
            raise ValueError("switches, cables and names are of a network "
                             "whose `hosts` are given")
        if names and len(names) != hosts + switches:
            raise ValueError(f"names: {len(names)} for {hosts + switches} "
                             "nodes")
        if hosts:
            graph = self._graph(hosts, switches, cables, names,
                                hosts_forward)
            code = lib.lib.orr_network_build(c.byref(graph), text,
                                             options, c.byref(self._handle),
                                             c.byref(why))
        else:
            code = lib.lib.orr_network_open(text, options,
                                            c.byref(self._handle),
                                            c.byref(why))
        raise_for(code, why)
        self._calls.handle = self._handle.value
        self._freed = weakref.finalize(self, _close, self._handle,
                                       self._options)

    @staticmethod
    def _graph(hosts, switches, cables, names, forward) -> lib.Graph:
        spec = (lib.Cable * len(cables))()
        for i, cable in enumerate(cables):
            x, name = Cable(*cable), f"cables[{i}]"
            if not isinstance(x.rate, numbers.Real) or not 0 < x.rate < 2**64:
                raise ValueError(f"{name}: {x.rate!r} is no rate, a number of "
                                 "bit/s")
            spec[i] = lib.Cable(natural(name, x.a), natural(name, x.b),
                                round(x.rate), picoseconds(x.delay), x.loss)
        texts = [encoded(f"names[{i}]", x) for i, x in enumerate(names)]
        named = c.cast(lib.strings(texts)[0], c.POINTER(c.c_char_p)) \
            if names else None
        return lib.Graph(natural("hosts", hosts), natural("switches", switches),
                         spec, len(cables), named, forward)

    # ---- calls --------------------------------------------------------------

    def _open(self) -> c.c_void_p:
        if not self._handle:
            raise CallError("the network is closed")
        return self._handle

    def _checked(self, code: int) -> None:
        if code:
            why = lib.Report()
            lib.lib.orr_network_report(self._handle, c.byref(why))
            raise_for(code, why)

    # ---- traffic ------------------------------------------------------------

    def send(self, src: int, dst: int, size: int, *, channel: int = 0,
             traffic_class: int = 0,
             arrived: Callable[[], None] | None = None,
             sent: Callable[[], None] | None = None,
             acked: Callable[[], None] | None = None) -> None:
        """A message of `size` bytes, now. Those from one host to another on one
        channel and class follow one another. arrived: all of it is there;
        sent: its last byte has left; acked: all of it is acknowledged."""
        message = lib.Send(natural("src", src), natural("dst", dst),
                           natural("channel", channel),
                           natural("traffic_class", traffic_class),
                           natural("size", size, 64))
        handle = self._open()
        kept = self._calls.keep((arrived, sent, acked))
        (message.arrived, message.arrived_arg), (message.sent, message.sent_arg
         ), (message.acked, message.acked_arg) = kept
        self._given(lib.lib.orr_network_send(handle, c.byref(message)), kept)

    def at(self, host: int, delay: float | str,
           function: Callable[[], None]) -> None:
        """Calls a function on a host, `delay` from now."""
        host, wait = natural("host", host), picoseconds(delay)
        handle = self._open()
        kept = self._calls.keep((function,))
        self._given(lib.lib.orr_network_at(handle, host, wait, *kept[0]), kept)

    def _given(self, code: int, kept) -> None:
        """Nothing will be called of what was refused."""
        if code:
            self._calls.drop(kept)
        self._checked(code)

    # ---- time ---------------------------------------------------------------

    def run(self, until: float | str | None = None) -> None:
        """Runs to that time (exclusive), or until nothing is left; again and
        again."""
        end = _FOREVER if until is None else picoseconds(until)
        why = lib.Report()
        handle = self._open()
        if self._running: # what a callback has raised is for the outer run
            raise CallError("run from a callback")
        self._running = True
        try:
            with self._watcher:
                code = lib.lib.orr_network_run(handle, end, c.byref(why))
        finally:
            self._running = False
        failed, self._calls.failed = self._calls.failed, None
        if failed:
            raise failed
        self._watcher.done()
        raise_for(code, why)

    def stop(self) -> None:
        """Ends the run that is under way; from a callback."""
        lib.lib.orr_network_stop(self._handle)

    @property
    def now_ps(self) -> int:
        """In picoseconds, exact."""
        return lib.lib.orr_network_now(self._open())

    @property
    def now(self) -> float:
        """In seconds."""
        return self.now_ps / PS

    # ---- looking ------------------------------------------------------------

    @property
    def hosts(self) -> int:
        """How many; they are numbered from 0."""
        return lib.lib.orr_network_hosts(self._open())

    @property
    def links(self) -> list[tuple[int, int]]:
        """Directed links by their number: from, to."""
        info, out = lib.LinkInfo(), []
        for link in range(lib.lib.orr_network_links(self._open())):
            self._checked(lib.lib.orr_network_link_info(self._handle, link,
                                                        c.byref(info)))
            out.append((info.from_, info.to))
        return out

    def link(self, link: int | str) -> LinkCounters:
        """What a link did up to now; it is a number, or a name as in "host 0 >
        host 1"."""
        x = lib.LinkCounters()
        self._checked(lib.lib.orr_network_link(self._open(),
                                               self._link_number(link),
                                               c.byref(x)))
        return LinkCounters(x.bytes, x.packets, x.marks, x.drops,
                            x.queue_bytes, x.max_queue_bytes, x.busy_ps / PS,
                            x.pauses)

    def _link_number(self, link: int | str) -> int:
        if not isinstance(link, str):
            return natural("link", link)
        number = c.c_uint32()
        self._checked(lib.lib.orr_network_link_find(
            self._open(), encoded("link", link), c.byref(number)))
        return number.value

    # ---- the end ------------------------------------------------------------

    def finish(self) -> Run:
        """No more traffic: closes the records and gives the summary."""
        why = lib.Report()
        raise_for(lib.lib.orr_network_finish(self._open(), c.byref(why)), why)
        output = self._options.options.output
        return from_json(lib.text(lib.lib.orr_network_json(self._handle)),
                         lib.text(lib.lib.orr_network_summary(self._handle)),
                         output)

    def close(self) -> None:
        """Frees it; what was recorded stays only after `finish`. Not from a
        callback."""
        if self._running:
            raise CallError("close from a callback")
        if self._handle:
            self._freed()
            self._calls.functions.clear()
        self._handle = c.c_void_p()

    def __enter__(self) -> Network:
        return self

    def __exit__(self, *_) -> None:
        self.close()
