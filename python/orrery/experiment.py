"""Runs of configurations."""
from __future__ import annotations

import ctypes as c
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

from . import _library as lib
from ._settings import Options, Watcher
from .errors import RunError, raise_for
from .records import Run, from_json

__all__ = ["run", "check"]

Config = str | os.PathLike | Mapping[str, Any]


class _Experiment:
    """orr_experiment, freed with it."""

    def __init__(self, path: str, options: Options):
        self.handle, self.options = c.c_void_p(), options
        why = lib.Report()
        raise_for(lib.lib.orr_experiment_load(path.encode(),
                                              c.byref(options.options),
                                              c.byref(self.handle),
                                              c.byref(why)), why)

    def __enter__(self):
        return self.handle

    def __exit__(self, *_):
        lib.lib.orr_experiment_free(self.handle)


def _as_file(config: Config, folder: str | os.PathLike | None):
    """A path, the folder that its names are relative to, and what removes the
    file."""
    if not isinstance(config, Mapping):
        return os.fspath(config), folder, lambda: None
    handle, path = tempfile.mkstemp(suffix=".yaml", prefix="orrery-")
    with os.fdopen(handle, "w") as f:
        json.dump(config, f)
    return path, folder or os.getcwd(), lambda: os.unlink(path)


def run(config: Config, *, set: Mapping[str, Any] | None = None,
        seed: int | None = None, threads: int = 1,
        output: str | os.PathLike | None = None, records: bool = True,
        folder: str | os.PathLike | None = None, plugins: tuple[str, ...] = (),
        progress: bool | Callable[[float, float, int], None] = False) -> Run:
    """Runs an experiment to its end.

    Parameters
    ----------
    config
        A file, or the same as a dictionary.
    set
        Values over those of the configuration: {"network.cc": "dctcp"}.
    seed
        Instead of the configuration's.
    threads
        Results do not depend on it.
    output
        Name of the HDF5 file; by default that of the configuration with .h5
        (orrery.h5 for a dictionary), in the current folder.
    records
        False: no file.
    folder
        Where files that the configuration names are looked for; by default its
        own folder, for a dictionary the current one.
    plugins
        Shared objects with congestion controls.
    progress
        True: a line on stderr; or a function of the share that is done (0 to 1;
        below 0: unknown), the simulated time in seconds, and packet-hops.

    Raises ConfigError with the place, RunError for a run that could not end
    (its `run` attribute has what there is), KeyboardInterrupt on Ctrl-C.
    """
    path, folder, remove = _as_file(config, folder)
    if isinstance(config, Mapping) and output is None:
        output = "orrery.h5"
    watcher, why = Watcher(progress), lib.Report()
    options = Options(set=set, seed=seed, threads=threads, output=output,
                      records=records, folder=folder, plugins=plugins,
                      watcher=watcher)
    try:
        with _Experiment(path, options) as x:
            with watcher:
                code = lib.lib.orr_experiment_run(x, c.byref(why))
            text = lib.text(lib.lib.orr_experiment_json(x))
            left = from_json(text, lib.text(lib.lib.orr_experiment_summary(x)),
                             lib.lib.orr_experiment_output(x)) if text else None
            watcher.done(left.summary if left else None)
        try:
            raise_for(code, why)
        except RunError as e:
            e.run = left
            raise
        return left
    finally:
        remove()


def check(config: Config, *, set: Mapping[str, Any] | None = None,
          folder: str | os.PathLike | None = None) -> None:
    """Reads and builds everything that a run needs; raises ConfigError."""
    path, folder, remove = _as_file(config, folder)
    try:
        with _Experiment(path, Options(set=set, records=False, folder=folder)):
            pass
    finally:
        remove()
