"""What a run has left: its summary, and its HDF5 file as xarray datasets."""
from __future__ import annotations

import ctypes as c
import difflib
import functools
import html
import json
import os
from collections.abc import Sequence
from typing import Any

import h5py
import numpy as np
import xarray as xr

from . import _library as lib
from ._settings import path_bytes
from .errors import ConfigError

__all__ = ["Run", "open"]

# Names of groups whose columns are read as they are; the first column of each
# is its dimension.
_GROUPS = ("jobs", "ranks", "iterations", "collectives", "operations", "flows",
           "flows_by_size", "links", "flow_series", "port_series",
           "packets", "packet_flows", "circles", "cluster_jobs",
           "cluster_stretches", "cluster_epochs", "cluster_gpus",
           "cluster_meetings", "cluster_links", "cluster_tenants")

# What was called otherwise: new files have both names, older ones the first.
_NAMES = {"utilisation": "utilization",
          "part_utilisation": "part_utilization"}

_PS = 1e-12

_FORMAT = 2  # ORR_RECORD_FORMAT of record/record.h


def _attribute(x: Any) -> Any:
    return x.decode() if isinstance(x, bytes) else x


def open_h5(path: str) -> h5py.File:
    """An HDF5 file to read. Raises ConfigError when it is none, or one of
    orrery in another format."""
    try:
        file = h5py.File(path, "r")
    except OSError as e: # in the words of the command
        hint = ""
        if os.path.exists(os.path.join(path, "study.h5")):
            what, hint = f"{path} is a study", "orrery.open_study opens it"
        elif e.errno:
            what = f"{path}: {os.strerror(e.errno)}"
        elif h5py.is_hdf5(path):
            what = f"{path} cannot be opened: it is truncated, or still " \
                   "being written"
        else:
            what = f"{path} is no HDF5 file"
        raise ConfigError(what, hint=hint) from e
    source = str(_attribute(file.attrs.get("source", "")))
    ours = source.startswith("orrery ")
    found = file.attrs.get("orrery_format",
                           1 if source.startswith("orrery 0.1.") else _FORMAT)
    if found != _FORMAT:
        file.close()
        raise ConfigError(f"{path} is of {source if ours else 'orrery'}, in "
                          f"format {found}; this package reads format "
                          f"{_FORMAT}", hint="run it again with this version")
    return file


def _words(dataset: h5py.Dataset) -> np.ndarray:
    return dataset.asstr()[...].astype(str) if dataset.shape else \
        np.array(dataset.asstr()[()])


def _values(dataset: h5py.Dataset) -> tuple[np.ndarray, dict]:
    """Values as Python would have them, and attributes: times in seconds,
    flags as words."""
    attrs = {k: _attribute(v) for k, v in dataset.attrs.items()
             if k in ("units", "long_name")}
    if h5py.check_string_dtype(dataset.dtype):
        return _words(dataset), attrs
    values = dataset[...]
    meanings = _attribute(dataset.attrs.get("flag_meanings", ""))
    if meanings:
        words = np.array(meanings.split())
        return words[np.minimum(values, len(words) - 1)], attrs
    if attrs.get("units") == "ps":
        attrs["units"] = "s"
        seconds = values * _PS
        if np.issubdtype(values.dtype, np.signedinteger):
            seconds = np.where(values < 0, np.nan, seconds) # -1: not yet
        return seconds, attrs
    return values, attrs


def is_scale(dataset: h5py.Dataset) -> bool:
    return bool(h5py.h5ds.is_scale(dataset.id))


def _dimensions(dataset: h5py.Dataset) -> tuple[str, ...]:
    if is_scale(dataset):
        return (dataset.name.rsplit("/", 1)[1],)
    return tuple(side[0].name.rsplit("/", 1)[1] if len(side) else f"side{i}"
                 for i, side in enumerate(dataset.dims))


def _dataset(group: h5py.Group) -> xr.Dataset:
    coords, data = {}, {}
    for name, item in group.items():
        if not isinstance(item, h5py.Dataset) or not item.shape or \
                (name in _NAMES and _NAMES[name] in group):
            continue
        values, attrs = _values(item)
        variable = (_dimensions(item), values, attrs)
        (coords if is_scale(item) else data)[_NAMES.get(name, name)] = variable
    return xr.Dataset(data, coords,
                      {k: _attribute(v) for k, v in group.attrs.items()})


def _find_link(text: str, names: Sequence[str]) -> int:
    """Which of the names it means; KeyError: none of them, or several."""
    listed = lib.strings(str(name).encode() for name in names)
    index, why = c.c_size_t(), lib.Report()
    if lib.lib.orr_link_find(*listed, text.encode(), c.byref(index),
                             c.byref(why)):
        raise KeyError(why.message.decode(errors="replace"))
    return index.value


def as_html(text: str) -> str:
    """A text of fixed width for a notebook."""
    return f"<pre style='line-height: 1.25'>{html.escape(text)}</pre>"


class Run:
    """What a run has left.

    `summary` is the JSON summary as a dictionary (None of a run that was opened
    from its file). `jobs`, `ranks`, `iterations`, `collectives`, `operations`,
    `flows`, `flows_by_size`, `links`, `links_by_job`, `flow_series`,
    `port_series`, `packets`, `packet_flows`, `circles`, `nodes` and `topology`
    are xarray datasets, read from the file when asked for. Times are in
    seconds, names are coordinates: `run.links.utilization`
    is over `time` and `link`, `run.links.utilization.sel(link="host 0 -> switch
    8")` one link. A cluster has `cluster_jobs`, `cluster_stretches`,
    `cluster_epochs`, `cluster_gpus`, `cluster_meetings` and `cluster_links`
    instead, in which jobs are numbers. `file` is the h5py file, with times as
    the exact picoseconds.
    """

    def __init__(self, summary: dict | None, text: str | None,
                 output: str | bytes | os.PathLike | None):
        self.summary = summary
        self.text = text
        self.output = os.fsdecode(path_bytes("output", output)) \
            if output is not None else None
        self._groups: dict[str, xr.Dataset] = {}

    def __repr__(self) -> str:
        return self.text or f"orrery.open({self.output!r})"

    def _repr_html_(self) -> str:
        return as_html(repr(self))

    @functools.cached_property
    def file(self) -> h5py.File:
        """The HDF5 file, times in picoseconds."""
        if self.output is None:
            raise ConfigError("the run wrote no records",
                              hint="record: none and records=False leave none")
        return open_h5(self.output)

    def close(self) -> None:
        """Closes the HDF5 file, if it was opened."""
        if "file" in self.__dict__:
            self.file.close()
            del self.__dict__["file"]

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    @property
    def title(self) -> str:
        """The configuration's, or the stem of its name."""
        return self.summary["title"] if self.summary \
            else _attribute(self.file.attrs["title"])

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits: equal runs have equal ones."""
        return self.summary["fingerprint"] if self.summary \
            else _attribute(self.file.attrs["fingerprint"])

    @property
    def status(self) -> str:
        """"complete", "partial", or "unfinished" of a run that was killed."""
        if self.summary:
            return "partial" if self.summary["partial"] else "complete"
        return _attribute(self.file.attrs["status"])

    @property
    def config(self) -> str:
        """The effective configuration, YAML."""
        return self.file["config/effective"].asstr()[()]

    def _group(self, name: str) -> xr.Dataset:
        if name in self._groups:
            return self._groups[name]
        if name not in self.file:
            raise AttributeError(f"{self.output} has no /{name}: " +
                                 ("the run did not end" if self.status ==
                                  "unfinished" else "it was not recorded"))
        self._groups[name] = _dataset(self.file[name])
        return self._groups[name]

    def __getattr__(self, name: str) -> xr.Dataset:
        mine = getattr(type(self), name, None)
        if isinstance(mine, property): # it said what is missing: once more
            return mine.__get__(self)
        if name in _GROUPS and name not in ("jobs", "links"):
            return self._group(name)
        near = difflib.get_close_matches(name, _GROUPS, 1)
        raise AttributeError(f"a run has no {name!r}" + (
            f"; did you mean {near[0]!r}?" if near else ""))

    @property
    def jobs(self) -> xr.Dataset:
        """Over `job`, which is named."""
        jobs = self._group("jobs")
        return jobs.assign_coords(job=jobs["name"].values).drop_vars("name")

    @property
    def links(self) -> xr.Dataset:
        """Over `time` (start of a bin, s) and `link` (named "from -> to")."""
        links = self._group("links").drop_vars(["time_s"], errors="ignore")
        links = links.drop_dims("part", errors="ignore")
        return links.assign_coords(id=("link", links["link"].values),
                                   link=links["name"].values).drop_vars("name")

    def link(self, link: int | str) -> xr.Dataset:
        """One of `links`, by its id or a name as in "host 0 > host 1"."""
        links = self.links
        if isinstance(link, str):
            return links.isel(link=_find_link(link,
                                              links["link"].values))
        at = np.flatnonzero(links["id"].values == link)
        if not at.size:
            raise KeyError(f"no link {link} was recorded")
        return links.isel(link=int(at[0]))

    @property
    def links_by_job(self) -> xr.Dataset:
        """What each job had of each link, of a run with `record: {by_job:
        true}`: `bytes`, `utilization`, `marks` and `drops` over `time`, `link`
        and `job`; jobs by name, and "flows" and "others" where there are
        any."""
        parts = self._group("links")
        if "part" not in parts.dims:
            raise AttributeError(f"{self.output} has no links by job: "
                                 "record: {by_job: true} asks for them")
        owners = list(dict.fromkeys(self._group("jobs")["name"].values))
        owners += [o for o in ("flows", "others")
                   if o in parts["part_owner"].values and o not in owners]
        ids = {link: i for i, link in enumerate(parts["link"].values)}
        link = [ids[x] for x in parts["part_link"].values]
        job = [owners.index(x) for x in parts["part_owner"].values]
        data = {}
        for name in ("bytes", "utilization", "marks", "drops"):
            of = parts["part_" + name]
            values = np.zeros((parts.sizes["time"], len(ids), len(owners)),
                              of.dtype)
            values[:, link, job] = of.values
            data[name] = (("time", "link", "job"), values, of.attrs)
        return xr.Dataset(data, {"time": parts["time"],
                                 "link": parts["name"].values, "job": owners,
                                 "id": ("link", parts["link"].values)})

    @property
    def nodes(self) -> xr.Dataset:
        """Over `node`: names, types, layout."""
        t = self._group("topology")
        return t[[v for v in t.data_vars if t[v].dims == ("node",)]]

    @property
    def topology(self) -> xr.Dataset:
        """Nodes and links, by their ids."""
        return self._group("topology")


def open(path: str | bytes | os.PathLike) -> Run:
    """The records of a run, from its HDF5 file (`run.h5`; also the `.partial`
    of one that was killed). Raises ConfigError when it is none."""
    run = Run(None, None, path)
    if "topology" not in run.file:
        run.close()
        raise ConfigError(f"{run.output} holds no run of orrery")
    return run


def from_json(text: str, summary: str | None, output: bytes | None) -> Run:
    """Of a run that has just ended."""
    return Run(json.loads(text), summary, output or None)
