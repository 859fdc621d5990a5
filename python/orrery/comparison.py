"""Comparisons: `orrery compare`, and what it leaves."""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

import h5py
import xarray as xr

from . import _library as lib
from ._settings import YAML, assignments, value
from .errors import ConfigError, Error, said
from .experiment import Config, Path, as_file
from .records import _attribute, _dimensions, _values, is_scale, open_h5

__all__ = ["compare", "open_study", "Study"]

_PROGRESS = re.compile(r"\d+ of \d+ runs done")


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

    @property
    def failed(self) -> list[dict]:
        """Runs that failed, as in study.json."""
        with open(os.path.join(self.folder, "study.json")) as f:
            study = json.load(f)
        return [r for r in study.get("runs", []) if r.get("status") != "ok"]


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


def _command() -> str:
    for path in (os.environ.get("ORRERY"), lib.in_tree("orrery"),
                 shutil.which("orrery")):
        if path:
            return path
    raise FileNotFoundError("the command `orrery` is not found: install it, or "
                            "set ORRERY to the file")


def _run(line: list[str], progress: bool) -> tuple[int, str, str]:
    """Status, stdout, and stderr without the lines that tell how far it is.
    With `progress` sys.stderr, which a notebook shows, has all as it comes."""
    said = []
    with tempfile.TemporaryFile("w+") as table:
        with subprocess.Popen(line, stdout=table, stderr=subprocess.PIPE,
                              text=True) as process:
            for text in process.stderr or ():
                if not _PROGRESS.match(text):
                    said.append(text)
                if progress:
                    print(text, end="", file=sys.stderr, flush=True)
        table.seek(0)
        return process.returncode, table.read(), "".join(said).strip()


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


def _line(over, seeds, measure, settings) -> list[str]:
    """Arguments of the command."""
    line = []
    if over is not None and not isinstance(over, Mapping):
        raise TypeError(f"over: {over!r} is no dictionary such as "
                        "{'network.cc': ['dctcp', 'hpcc']}")
    for key, values in (over or {}).items():
        line += ["--over", f"{key}=" + _values_of(key, values)]
    if seeds is not None:
        line += ["--seeds", ",".join(map(str, seeds))
                 if isinstance(seeds, Iterable) and not isinstance(seeds, str)
                 else str(seeds)]
    for path in [measure] if isinstance(measure, str) else measure or ():
        line += ["--measure", path]
    for assignment in assignments(settings):
        line += ["--set", assignment]
    return line


def compare(config: Config, *,
            over: Mapping[str, Iterable[Any]] | None = None,
            seeds: str | int | Iterable[int] | None = None,
            measure: str | Iterable[str] = (), set: Mapping[str, Any] | None = None,
            folder: Path = "study", jobs: int = 1,
            progress: bool = False) -> Study:
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
        Runs at once, each a process of its own.

    Raises ConfigError, or Error when a run failed; `study` of it has the rest.
    """
    with as_file(config) as path:
        line = [_command(), "compare", path, "-o", os.fsdecode(folder), "-j",
                str(jobs)] + _line(over, seeds, measure, set)
        status, table, text = _run(line, progress)
        if status == 2:
            raise said(ConfigError, text)
        if status == 0:
            return Study(folder, table)
        error = said(Error, text or f"orrery compare ended with {status}")
        if os.path.exists(os.path.join(os.fsdecode(folder), "study.h5")):
            error.study = Study(folder, table)
        raise error
