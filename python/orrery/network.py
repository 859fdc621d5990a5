"""A network to build programs on: messages and timers that call back."""
from __future__ import annotations

import ctypes as c
import itertools
import numbers
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from . import _library as lib
from ._settings import PS, Options, Watcher, natural, picoseconds, value
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


class Network:
    """A simulated network, from a configuration or from cables.

    >>> with Network({"topology": {"kind": "ring", "hosts": 4, "link":
    ...               {"rate": "100Gbps", "delay": "1us"}}}) as n:
    ...     n.send(0, 2, 2**20, arrived=lambda: print(n.now))
    ...     n.run()

    Times are in seconds, or texts with a unit ("10us"); `now_ps` is exact.
    Callbacks take no arguments, may send and set timers, and come in order of
    time. An exception in one ends the run, which raises it.
    """

    def __init__(self, config: str | Mapping[str, Any] = "", *,
                 hosts: int = 0, switches: int = 0,
                 cables: Iterable[Cable] = (), names: Iterable[str] = (),
                 hosts_forward: bool = False,
                 set: Mapping[str, Any] | None = None, seed: int | None = None,
                 output: str | os.PathLike | None = None,
                 plugins: tuple[str, ...] = ()):
        """config: YAML text or a dictionary; `jobs` and `flows` may be left
        out. hosts, switches, cables: the topology instead of `topology`; nodes
        below `hosts` are hosts. output: HDF5 file, by default none."""
        text = value(config)
        self._functions: dict[int, Callable[[], None]] = {}
        self._ids = itertools.count(1)
        self._failed: BaseException | None = None
        self._called = lib.CALLBACK(self._call)
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
            code = lib.lib.orr_network_build(c.byref(graph), text.encode(),
                                             options, c.byref(self._handle),
                                             c.byref(why))
        else:
            code = lib.lib.orr_network_open(text.encode(), options,
                                            c.byref(self._handle),
                                            c.byref(why))
        raise_for(code, why)

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
        named = c.cast(lib.strings(names)[0], c.POINTER(c.c_char_p)) \
            if names else None
        return lib.Graph(natural("hosts", hosts), natural("switches", switches),
                         spec, len(cables), named, forward)

    # ---- calls back ---------------------------------------------------------

    def _call(self, number: int) -> None:
        function = self._functions.pop(number)
        if self._failed:
            return
        try:
            function()
        except BaseException as e: # must not pass through C
            self._failed = e
            self.stop()

    def _keep(self, function: Callable[[], None] | None):
        """A callback and its argument for the library."""
        if function is None:
            return lib.CALLBACK(), None
        number = next(self._ids)
        self._functions[number] = function
        return self._called, number

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
        message.arrived, message.arrived_arg = self._keep(arrived)
        message.sent, message.sent_arg = self._keep(sent)
        message.acked, message.acked_arg = self._keep(acked)
        self._checked(lib.lib.orr_network_send(self._open(), c.byref(message)))

    def at(self, host: int, delay: float | str,
           function: Callable[[], None]) -> None:
        """Calls a function on a host, `delay` from now."""
        host, wait = natural("host", host), picoseconds(delay)
        callback, number = self._keep(function)
        self._checked(lib.lib.orr_network_at(self._open(), host, wait,
                                             callback, number))

    # ---- time ---------------------------------------------------------------

    def run(self, until: float | str | None = None) -> None:
        """Runs to that time (exclusive), or until nothing is left; again and
        again."""
        end = _FOREVER if until is None else picoseconds(until)
        why = lib.Report()
        self._failed = None
        handle, outer = self._open(), self._running
        self._running = True
        try:
            with self._watcher:
                code = lib.lib.orr_network_run(handle, end, c.byref(why))
        finally:
            self._running = outer
        if self._failed:
            failed, self._failed = self._failed, None
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

    def link(self, number: int) -> LinkCounters:
        """What a link did up to now."""
        x = lib.LinkCounters()
        self._checked(lib.lib.orr_network_link(self._open(),
                                               natural("link", number),
                                               c.byref(x)))
        return LinkCounters(x.bytes, x.packets, x.marks, x.drops,
                            x.queue_bytes, x.max_queue_bytes, x.busy_ps / PS,
                            x.pauses)

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
        lib.lib.orr_network_close(self._handle)
        self._handle = c.c_void_p()

    def __enter__(self) -> Network:
        return self

    def __exit__(self, *_) -> None:
        self.close()
