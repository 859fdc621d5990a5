"""The questions of the command: check, topology, profile, plan, explain."""
from __future__ import annotations

import ctypes as c
import html
import json
import os
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from . import _library as lib
from ._settings import Options, Progress, Watcher, natural, path_bytes
from .errors import raise_for
from .experiment import Config, Path, _folder, as_file
from .records import as_html

__all__ = ["check", "topology", "profile", "plan", "explain", "Reply",
           "Estimate", "Topology", "Profile", "Plan", "Explanation"]

PICTURED = 500 # nodes of a topology that a notebook draws


class Reply:
    """What a question came to.

    Attributes
    ----------
    data : dict
        What the command writes as JSON.
    text : str
        What it prints.
    """

    def __init__(self, handle: c.c_void_p):
        self._handle = handle
        self.text = _decoded(lib.lib.orr_reply_text(handle))
        self.data: dict[str, Any] = json.loads(
            _decoded(lib.lib.orr_reply_json(handle)))

    def __del__(self):
        if lib: # the interpreter may be on its way out
            lib.lib.orr_reply_free(self._handle)

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        return as_html(self.text)

    def _config(self) -> str:
        return _decoded(lib.lib.orr_reply_config(self._handle))


def _decoded(text: bytes | None) -> str:
    return (text or b"").decode(errors="replace")


class Estimate(Reply):
    """What a run would take: `data` has kind ("run", "cluster" or "study"),
    topology, jobs, estimate, left_out and notes."""

    @property
    def notes(self) -> list[str]:
        """What is worth a second look."""
        return self.data["notes"]


class Topology(Reply):
    """A topology as arrays, without copies: of each link, one way, `source`,
    `target` (numbers of nodes, hosts first), `rate` (bit/s), `delay` (ps) and
    `loss`; `names` of nodes, `tiers` of links (None: there is no such link, as
    the way back of a one-way cable); `x`, `y` for pictures, or None. `data` has
    its metrics."""

    def __init__(self, handle: c.c_void_p):
        super().__init__(handle)
        g = lib.GraphArrays(size=c.sizeof(lib.GraphArrays))
        why = lib.Report()
        raise_for(lib.lib.orr_reply_graph(handle, c.byref(g)), why)
        nodes = g.hosts + g.switches
        self.hosts, self.switches = g.hosts, g.switches
        self.source = self._array(g.from_, g.links)
        self.target = self._array(g.to, g.links)
        self.rate = self._array(g.rate_bps, g.links)
        self.delay = self._array(g.delay_ps, g.links)
        self.loss = self._array(g.loss, g.links)
        self.x = self._array(g.x, nodes) if g.x else None
        self.y = self._array(g.y, nodes) if g.y else None
        self.names = [_decoded(g.name[i]) for i in range(nodes)]
        self.tiers = [g.tier[i].decode() if g.tier[i] else None
                      for i in range(g.links)]

    def _array(self, pointer, n: int) -> np.ndarray:
        """The library's memory, for reading; it lives as long as the array."""
        if n == 0:
            return np.empty(0, pointer._type_)
        there = (pointer._type_ * n).from_address(
            c.cast(pointer, c.c_void_p).value)
        there.reply = self._keeper()
        array = np.ctypeslib.as_array(there)
        array.flags.writeable = False
        return array

    def _keeper(self) -> _Keeper:
        """Frees the reply when neither it nor an array is used any more."""
        if not isinstance(self._handle, _Keeper):
            self._handle = _Keeper(self._handle)
        return self._handle

    def __del__(self):
        if not isinstance(self._handle, _Keeper):
            super().__del__()

    @property
    def present(self) -> np.ndarray:
        """Which links are there."""
        return np.array([t is not None for t in self.tiers], bool)

    def svg(self, width: int = 480) -> str:
        """A picture: hosts as squares, switches as circles."""
        if self.x is None or self.y is None or len(self.names) == 0:
            return ""
        low = self.x.min(), self.y.min()
        size = max(self.x.max() - low[0], self.y.max() - low[1]) or 1
        scale = (width - 24) / size
        at = [(12 + (x - low[0]) * scale, 12 + (y - low[1]) * scale)
              for x, y in zip(self.x, self.y)]
        height = max(y for _, y in at) + 12
        lines = {tuple(sorted((int(a), int(b))))
                 for a, b in zip(self.source[self.present],
                                 self.target[self.present])}
        marks = [f"<path d='M{at[a][0]:.1f} {at[a][1]:.1f}"
                 f"L{at[b][0]:.1f} {at[b][1]:.1f}'/>" for a, b in sorted(lines)]
        for i, (x, y) in enumerate(at):
            name = f"<title>{html.escape(self.names[i])}</title>"
            marks.append(
                f"<rect x='{x - 4:.1f}' y='{y - 4:.1f}' width='8' height='8'>"
                f"{name}</rect>" if i < self.hosts else
                f"<circle cx='{x:.1f}' cy='{y:.1f}' r='5'>{name}</circle>")
        return (f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' "
                f"height='{height:.0f}' stroke='#666' fill='#fff'>"
                + "".join(marks) + "</svg>")

    def _repr_html_(self) -> str:
        few = len(self.names) <= PICTURED and len(self.tiers) <= 4 * PICTURED
        return (self.svg() if few else "") + super()._repr_html_()

    def to_networkx(self):
        """A networkx.MultiDiGraph: an edge for each link, its key the link's
        number."""
        import networkx as nx
        g = nx.MultiDiGraph()
        for i, name in enumerate(self.names):
            g.add_node(i, name=name, host=i < self.hosts)
            if self.x is not None and self.y is not None:
                g.nodes[i]["pos"] = (float(self.x[i]), float(self.y[i]))
        for i in np.flatnonzero(self.present):
            g.add_edge(int(self.source[i]), int(self.target[i]), key=int(i),
                       rate_bps=int(self.rate[i]), delay_ps=int(self.delay[i]),
                       loss=float(self.loss[i]), tier=self.tiers[i])
        return g

    def to_sparse(self, weight: Literal["links", "rate", "delay"] = "links"):
        """A scipy.sparse.csr_array of nodes by nodes: the number of links, the
        sum of their rates in bit/s, or the least delay in ps."""
        from scipy.sparse import coo_array
        there = self.present
        n, at = len(self.names), (self.source[there], self.target[there])
        if weight == "delay":
            pairs: dict[tuple[int, int], int] = {}
            for a, b, d in zip(*at, self.delay[there]):
                pairs[a, b] = min(int(d), pairs.get((a, b), int(d)))
            rows, columns = zip(*pairs)
            return coo_array((list(pairs.values()), (rows, columns)),
                             shape=(n, n)).tocsr()
        values = self.rate[there] if weight == "rate" else \
            np.ones(int(there.sum()), np.int64)
        return coo_array((values, at), shape=(n, n)).tocsr()


class _Keeper(c.c_void_p):
    """A reply that arrays point into."""

    def __init__(self, handle: c.c_void_p):
        super().__init__(handle.value)

    def __del__(self):
        if lib:
            lib.lib.orr_reply_free(self)


class Profile(Reply):
    """The demand of a job on each link; `yaml` is what schedules read."""

    @property
    def yaml(self) -> str:
        return self._config()


class Plan(Reply):
    """A plan; `yaml` is the configuration with the plan filled in."""

    @property
    def yaml(self) -> str:
        return self._config()


class Explanation(Reply):
    """Where the time of an iteration or a flow went."""


def _ask(name: str, kind: type[Reply], call_type, config: Config,
         options: Options, watcher: Watcher | None = None, **members) -> Any:
    """The reply to a call of orrery/study.h."""
    handle, why = c.c_void_p(), lib.Report()
    function = getattr(lib.lib, f"orr_study_{name}")
    with as_file(config) as path:
        call = call_type(size=c.sizeof(call_type),
                         config=path_bytes("config", path),
                         options=c.pointer(options.options), **members)
        with watcher or Watcher(False):
            code = function(c.byref(call), c.byref(handle), c.byref(why))
        if watcher:
            watcher.done()
        raise_for(code, why)
    return kind(handle)


def _text(what: str, x: str | None) -> bytes | None:
    return path_bytes(what, x) if x is not None else None


def check(config: Config, *, set: Mapping[str, Any] | None = None,
          seed: int | None = None, folder: Path | None = None,
          plugins: tuple[Path, ...] = ()) -> Estimate:
    """What `orrery check` says: reads and builds everything that a run, or all
    runs of a study, need, and estimates what they take; raises ConfigError."""
    options = Options(set=set, seed=seed, records=True, plugins=plugins,
                      folder=_folder(config, folder))
    return _ask("check", Estimate, lib.CheckCall, config, options)


def topology(config: Config, *, set: Mapping[str, Any] | None = None,
             metrics: bool = True, prices: Path | None = None) -> Topology:
    """The topology of a configuration, or of {"topology": {...}}.

    metrics=False leaves out what takes time on large graphs; prices is a file
    of what parts cost."""
    return _ask("topology", Topology, lib.TopologyCall, config,
                Options(set=set, records=False), no_metrics=not metrics,
                prices=path_bytes("prices", prices)
                if prices is not None else None)


def profile(config: Config, *, job: str | None = None,
            set: Mapping[str, Any] | None = None, iterations: int = 3,
            bins: int = 0, seed: int | None = None, threads: int = 1,
            folder: Path | None = None, progress: Progress = False) -> Profile:
    """The demand of a job on each link over an iteration, alone."""
    watcher = Watcher(progress)
    options = Options(set=set, seed=seed, threads=threads, records=False,
                      folder=_folder(config, folder), watcher=watcher)
    return _ask("profile", Profile, lib.ProfileCall, config, options, watcher,
                job=_text("job", job),
                iterations=natural("iterations", iterations),
                bins=natural("bins", bins))


def plan(config: Config, *, set: Mapping[str, Any] | None = None,
         seed: int | None = None, threads: int = 1,
         folder: Path | None = None, plugins: tuple[Path, ...] = (),
         progress: Progress = False) -> Plan:
    """When, where and in which class jobs communicate; or the answer to the
    configuration's `plan`. Ctrl-C ends a search with the best so far."""
    watcher = Watcher(progress)
    options = Options(set=set, seed=seed, threads=threads, records=False,
                      folder=_folder(config, folder), plugins=plugins,
                      watcher=watcher)
    return _ask("plan", Plan, lib.PlanCall, config, options, watcher,
                configured=True)


def explain(config: Config, *, job: str | None = None,
            iteration: int | Literal["slowest", "all"] = "slowest",
            flow: int | None = None, alone: bool = False,
            set: Mapping[str, Any] | None = None, seed: int | None = None,
            folder: Path | None = None, plugins: tuple[Path, ...] = (),
            progress: Progress = False) -> Explanation:
    """Why an iteration, or a flow, took so long."""
    which = {"slowest": 0, "all": 1}.get(iteration, 2) \
        if isinstance(iteration, str) else 2
    if isinstance(iteration, str) and which == 2:
        raise ValueError(f"iteration: {iteration!r} is neither a number nor "
                         "'slowest' or 'all'")
    watcher = Watcher(progress)
    options = Options(set=set, seed=seed, records=False, plugins=plugins,
                      folder=_folder(config, folder), watcher=watcher)
    return _ask("explain", Explanation, lib.ExplainCall, config, options,
                watcher, job=_text("job", job), which=which,
                iteration=natural("iteration", iteration) if which == 2 else 0,
                has_flow=flow is not None,
                flow=natural("flow", flow) if flow is not None else 0,
                alone=alone)
