"""Runs of configurations."""
from __future__ import annotations

import contextlib
import ctypes as c
import os
import tempfile
from collections.abc import Mapping
from typing import Any

from . import _library as lib
from ._settings import (YAML, Options, Progress, Watcher, document,
                        path_bytes)
from .errors import Error, RunError, raise_for
from .records import Run, from_json

__all__ = ["run"]

Config = str | bytes | os.PathLike | Mapping[str, Any] | YAML
Path = str | bytes | os.PathLike


class _Experiment:
    """orr_experiment, freed with it."""

    def __init__(self, path: str, options: Options):
        self.handle, self.options = c.c_void_p(), options
        why = lib.Report()
        raise_for(lib.lib.orr_experiment_load(path_bytes("config", path),
                                              c.byref(options.options),
                                              c.byref(self.handle),
                                              c.byref(why)), why)

    def __enter__(self):
        return self.handle

    def __exit__(self, *_):
        lib.lib.orr_experiment_free(self.handle)


DICTIONARY = "configuration" # what one without a file goes by


def _is_file(config: Config) -> bool:
    return not isinstance(config, (Mapping, YAML))


@contextlib.contextmanager
def as_file(config: Config):
    """A path; of a dictionary or YAML text, that of a file which is there
    meanwhile, and is called DICTIONARY where something is wrong with it."""
    if _is_file(config):
        yield os.fsdecode(config)
        return
    with tempfile.TemporaryDirectory(prefix="orrery-") as folder:
        path = os.path.join(folder, DICTIONARY + ".yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(document(config))
        try:
            yield path
        except Error as e:
            other = e.about(path, DICTIONARY)
            other.__dict__.update({k: v for k, v in vars(e).items()
                                   if k not in vars(other)})
            raise other from None


def _folder(config: Config, folder: Path | None):
    """Which names in it are relative to; None: its own."""
    return folder if _is_file(config) else folder or os.getcwd()


def run(config: Config, *, set: Mapping[str, Any] | None = None,
        seed: int | None = None, threads: int = 1,
        output: Path | None = None, records: bool = True,
        folder: Path | None = None, plugins: tuple[Path, ...] = (),
        progress: Progress = False) -> Run:
    """Runs an experiment to its end.

    Parameters
    ----------
    config
        A file, or the same as a dictionary or as orrery.YAML text.
    set
        Values over those of the configuration: {"network.cc": "dctcp"}. They
        are Python's: a string is a string, whatever it looks like. YAML text is
        orrery.YAML("{kind: dctcp, g: 0.1}").
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
        True: a line on stderr; "tqdm": a bar; or a function of the share that
        is done (0 to 1; below 0: unknown), the simulated time in seconds, and
        packet-hops.

    Raises ConfigError with the place, RunError for a run that could not end
    (its `run` attribute has what there is), KeyboardInterrupt on Ctrl-C.
    """
    if not _is_file(config) and output is None:
        output = "orrery.h5"
    watcher, why = Watcher(progress), lib.Report()
    options = Options(set=set, seed=seed, threads=threads, output=output,
                      records=records, folder=_folder(config, folder),
                      plugins=plugins, watcher=watcher)
    with as_file(config) as path:
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
