"""Comparisons: `orrery compare`, and what it leaves."""
from __future__ import annotations

import ctypes as c
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import h5py
import xarray as xr

from . import _library as lib
from ._settings import YAML, Bar, Options, Watcher, encoded, natural, path_bytes, value
from .errors import ConfigError, Error, raise_for
from .experiment import Config, Path, as_file
from .records import (_attribute, _dimensions, _values, as_html, is_scale,
                      open_h5)

__all__ = ["compare", "open_study", "Study"]

class Study:
    """What a comparison has left: `data`, an xarray dataset with a variable for
    each measure over the dimensions and the seed, and what makes a figure
    doubtful beside it (`doubt`, its marks, and `doubt_says`); `text`, its table;
    `folder`.
    """

    def __init__(self, folder: Path, text: str | None = None):
        self.folder, self.text = os.fsdecode(folder), text
        path = os.path.join(self.folder, "study.h5")
        if not os.path.exists(path):
            raise ConfigError(f"{path}: No such file",
                              hint="a study is the folder that orrery.compare "
                                   "or `orrery compare -o` wrote")
        with open_h5(path) as f:
            self.data = _study(f)

    def __repr__(self) -> str:
        return self.text or f"orrery.open_study({self.folder!r})"

    def _repr_html_(self) -> str:
        return as_html(repr(self))

    @property
    def failed(self) -> list[dict]:
        """Runs that failed, as in study.json."""
        with open(os.path.join(self.folder, "study.json")) as f:
            study = json.load(f)
        return [r for cell in study["cells"] for r in cell["runs"]
                if r["status"] == "failed"]


def _study(f: h5py.File) -> xr.Dataset:
    coords, data = {}, {}
    for name, item in f.items():
        if not isinstance(item, h5py.Dataset):
            continue
        values, attrs = _values(item)
        (coords if is_scale(item) else data)[name] = (_dimensions(item), values,
                                                     attrs)
    # coordinates go with a figure wherever it is taken
    for name, part in (("doubt", "marks"), ("doubt_says", "says")):
        if f"doubt/{part}" in f:
            item = f[f"doubt/{part}"]
            values, attrs = _values(item)
            coords[name] = (_dimensions(item), values, attrs)
    return xr.Dataset(data, coords,
                      {k: _attribute(v) for k, v in f.attrs.items()})


def open_study(folder: Path) -> Study:
    """A study that is there already."""
    return Study(folder)


def _in_list(x: Any) -> str:
    """A value as it stands between commas."""
    text = value(x)
    plain = not isinstance(x, YAML) or "," not in x or x[0] in "[{\"'"
    return text if plain else json.dumps(x)


def _values_of(key: str, values: str | Iterable[Any]) -> str:
    if isinstance(values, str):
        return values
    if not isinstance(values, Iterable) or isinstance(values, Mapping):
        raise TypeError(f"over: {key!r} takes a list of values, not {values!r}")
    return ",".join(_in_list(v) for v in values)


def _over(over) -> list[str]:
    """As --over takes them."""
    if over is not None and not isinstance(over, Mapping):
        raise TypeError(f"over: {over!r} is no dictionary such as "
                        "{'network.cc': ['dctcp', 'hpcc']}")
    return [encoded("over", f"{key}={_values_of(key, values)}")
            for key, values in (over or {}).items()]


def _seeds(seeds) -> bytes | None:
    if seeds is None:
        return None
    many = isinstance(seeds, Iterable) and not isinstance(seeds, str)
    return encoded("seeds", ",".join(map(str, seeds)) if many else str(seeds))


StudyProgress = bool | Literal["tqdm"] | Callable[[int, int, int], None]


class _Teller(Watcher):
    """Follows a study: between its runs Python's handlers of signals are run."""

    def __init__(self, progress: StudyProgress):
        super().__init__(False)
        if progress == "tqdm":
            self.bar = Bar(0, "run")
        elif progress and progress is not True and not callable(progress):
            raise TypeError(f"progress: {progress!r} is neither True nor "
                            "'tqdm' nor a function")
        self.study_fn = self._move if self.bar else \
            _tell if progress is True else progress or None
        self.shown = None
        self.study_callback = lib.STUDY_PROGRESS(self._study_called)

    def _move(self, done: int, runs: int, _failed: int) -> None:
        self.bar.bar.total = runs
        self.bar.move(done)

    def _study_called(self, _arg, p) -> None:
        try:
            p = p.contents
            now = p.done, p.runs, p.failed
            if self.study_fn and not self.failed and now != self.shown:
                self.shown = now
                self.study_fn(*now)
        except BaseException as e: # must not pass through C
            self.failed = e
            self.interrupt.value = 1


def _tell(done: int, runs: int, failed: int) -> None:
    text = f"{done} of {runs} runs done"
    print(text + (f", {failed} failed" if failed else ""), file=sys.stderr,
          flush=True)


def compare(config: Config, *,
            over: Mapping[str, Iterable[Any]] | None = None,
            seeds: str | int | Iterable[int] | None = None,
            measure: str | Iterable[str] = (), set: Mapping[str, Any] | None = None,
            folder: Path = "study", jobs: int = 1,
            plugins: tuple[Path, ...] = (), baseline: str | None = None,
            until: str | None = None, keep: bool | None = None,
            progress: StudyProgress = False) -> Study:
    """Runs a configuration over the values of some keys, and over seeds.

    Parameters
    ----------
    config
        A file, or the same as a dictionary (names of files in it are to be
        whole paths); its section `compare` says what varies where `over` does not.
    over
        {"network.cc": ["dctcp", "hpcc"]}: values as those of `set`. A string in
        place of a list is what the command takes: "dctcp,hpcc". Values with
        names stand in the configuration's `compare.over`.
    seeds
        "1..5", a list, or one.
    measure
        Paths in the summary: ["jobs.*.iteration_ns.mean"].
    set
        Values over those of the configuration, as of orrery.run.
    folder
        Where runs and tables are left; runs that are there are not run again.
    jobs
        Runs at once, each a process of its own; 0: one for each processor.
    plugins
        Shared objects with congestion controls.
    baseline, until, keep
        As `orrery compare --baseline`, `--until`, `--keep`; None: as the
        configuration says.
    progress
        True: lines on stderr; "tqdm": a bar; or a function of the runs that are done, of all,
        and of those that failed.

    Raises ConfigError, or Error when a run failed; `study` of it has the rest.
    """
    teller, why, handle = _Teller(progress), lib.Report(), c.c_void_p()
    options = Options(set=set, records=True, plugins=plugins, watcher=teller)
    overs, n_over = lib.strings(_over(over))
    paths, n_measures = lib.strings(
        encoded("measure", m)
        for m in ([measure] if isinstance(measure, str) else measure))
    with as_file(config) as path:
        call = lib.CompareCall(
            size=c.sizeof(lib.CompareCall), config=os.fsencode(path), options=c.pointer(options.options),
            over=overs, n_over=n_over, measures=paths, n_measures=n_measures,
            seeds=_seeds(seeds), folder=path_bytes("folder", folder),
            jobs=natural("jobs", jobs),
            until=encoded("until", until) if until else None,
            baseline=encoded("baseline", baseline) if baseline else None,
            keep=0 if keep is None else 1 if keep else -1,
            progress=teller.study_callback)
        with teller:
            code = lib.lib.orr_study_compare(c.byref(call), c.byref(handle),
                                             c.byref(why))
        teller.done()
        raise_for(code, why)
    text = lib.lib.orr_reply_text(handle).decode(errors="replace")
    lib.lib.orr_reply_free(handle)
    study = Study(folder, text)
    failed = study.failed
    if failed:
        error = Error(f"{len(failed)} run{'s' if len(failed) > 1 else ''} "
                      f"failed, the first: {failed[0].get('reason')}")
        error.study = study
        raise error
    return study
