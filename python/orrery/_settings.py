"""What run, Network and compare have in common: settings and units."""
from __future__ import annotations

import ctypes as c
import json
import math
import operator
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, Literal

from . import _library as lib

PS = 1_000_000_000_000

_UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12,
          "min": 60 * 10**12, "h": 3600 * 10**12}
_TIME = re.compile(r"\s*((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*"
                   r"([a-z]+)\s*")


def picoseconds(time: float | int | str) -> int:
    """Seconds, or a text with a unit ("10us"), as picoseconds."""
    number, unit = time, "s"
    if isinstance(time, str):
        match = _TIME.fullmatch(time)
        number, unit = (float(match[1]), match[2]) if match else (None, "")
    if not hasattr(number, "__float__") or unit not in _UNITS or \
            not -math.inf < number < math.inf:
        raise ValueError(f"{time!r} is no time: a number of seconds, or a text "
                         "such as '10us'")
    ps = round(number * _UNITS[unit])
    if abs(ps) >= 2**63:
        raise ValueError(f"{time!r} is more time than the 2**63 ps, 106 days, "
                         "that are counted")
    return ps


def natural(what: str, x: Any, bits: int = 32) -> int:
    """A number for a field of so many bits: ctypes would cut off the rest."""
    try:
        number = operator.index(x)
    except TypeError:
        raise TypeError(f"{what}: {x!r} is no whole number") from None
    if not 0 <= number < 2**bits:
        raise ValueError(f"{what}: {number} is not from 0 to 2**{bits} - 1")
    return number


class YAML(str):
    """YAML text where a value is wanted: `set={"network.cc": YAML("{kind:
    dctcp, g: 0.1}")}`. Any other string is a string, whatever it looks like."""


def encoded(what: str, text: str) -> bytes:
    """For the library, whose texts end at a NUL."""
    if "\0" in text:
        raise ValueError(f"{what}: {text!r} has a NUL in it")
    return text.encode()


def path_bytes(what: str, path: str | bytes | os.PathLike) -> bytes:
    """A path as the system knows it."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"{what}: {path!r} has a NUL in it")
    return name


def _tree(x: Any) -> Any:
    """The same of what JSON knows: numbers of numpy, arrays, paths and any
    mapping have others in their place."""
    if isinstance(x, YAML):
        raise TypeError(f"YAML text is a whole value, not a part of one: {x!r}")
    if isinstance(x, str):
        encoded("a configuration", x)
        return x
    if x is None or isinstance(x, (bool, int, float)):
        return x
    if isinstance(x, Mapping):
        return {_tree(k) if isinstance(k, str) else k: _tree(v)
                for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [_tree(v) for v in x]
    if hasattr(x, "tolist"):
        return _tree(x.tolist())
    if isinstance(x, (bytes, os.PathLike)):
        return _tree(os.fsdecode(x))
    raise TypeError(f"a configuration holds texts, numbers, lists and "
                    f"dictionaries, not {x!r}")


# YAML shows these only as escapes; JSON leaves them as they are.
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def _json(x: Any, indent: int | None = None) -> str:
    text = json.dumps(_tree(x), ensure_ascii=False, indent=indent)
    return _HIDDEN.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


# Strings that YAML reads as themselves without quotes: what is said about them
# then looks as people write it.
_WORD = re.compile(r"(?!(?i:true|false|yes|no|on|off|null|y|n)$)"
                   r"[A-Za-z_/][A-Za-z0-9_./-]*")


def value(x: Any) -> str:
    """A value as YAML has it (JSON is YAML)."""
    if isinstance(x, YAML):
        encoded("a configuration", x)
        return str(x)
    if isinstance(x, str) and _WORD.fullmatch(x):
        return x
    return _json(x)


def document(config: Mapping[str, Any] | str) -> str:
    """A configuration as YAML text, a line for each entry to point to."""
    if isinstance(config, str):
        encoded("a configuration", config)
        return config
    return _json(config, indent=1)


def assignments(settings: Mapping[str, Any] | None) -> list[str]:
    """{"network.cc": "dctcp"} as ["network.cc=dctcp"]."""
    if settings is not None and not isinstance(settings, Mapping):
        raise TypeError(f"set: {settings!r} is no dictionary such as "
                        "{'network.cc': 'dctcp'}")
    all = []
    for key, x in (settings or {}).items():
        if not isinstance(key, str):
            raise TypeError(f"set: {key!r} is no key such as 'network.cc'")
        encoded("set", key)
        all.append(f"{key}={value(x)}")
    return all


# True: a line on stderr; "tqdm": a bar; or a function of the share that is done
# (0 to 1; below 0: unknown), the simulated time in seconds, and packet-hops.
Progress = bool | Literal["tqdm"] | Callable[[float, float, int], None]


def time_text(seconds: float) -> str:
    """A time in the unit that people would say it in, as summaries do."""
    for unit in ("s", "ms", "us", "ns"):
        if seconds * PS >= _UNITS[unit]:
            break
    return f"{seconds * PS / _UNITS[unit]:.4g} {unit}"


def tell(share: float, seconds: float, hops: int) -> None:
    """A line on stderr that is written over, also by one that is shorter."""
    done = "" if share < 0 else f"{100 * share:5.1f} % "
    line = f"{done}simulated {time_text(seconds)}, {hops:,} packet-hops"
    print(f"\r{line:64}", end="", file=sys.stderr, flush=True)


class Bar:
    """Progress as a bar of tqdm: in a notebook a picture, elsewhere a line."""

    def __init__(self, total: float = 1, unit: str = ""):
        from tqdm.auto import tqdm
        form = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
        self.bar = tqdm(total=total, unit=unit, bar_format=form if total == 1
                        else None)

    def __call__(self, share: float, seconds: float, hops: int) -> None:
        self.bar.set_postfix_str(f"simulated {time_text(seconds)}, "
                                 f"{hops:,} packet-hops", refresh=False)
        self.move(max(share, 0))

    def move(self, n: float) -> None:
        """So much is done; a share that was too high at first may fall."""
        self.bar.n = n
        self.bar.refresh()

    def close(self) -> None:
        self.bar.close()


class Watcher:
    """Follows a run: tells how far it is, and ends it on Ctrl-C.

    The library calls back some ten times a second, in the calling thread; that
    is where Python runs the handlers of signals. An exception that one raises
    there would be lost, so in the main thread the handler of Ctrl-C is another
    one meanwhile.
    """

    def __init__(self, progress: Progress):
        self.bar = Bar() if progress == "tqdm" else None
        self.fn = self.bar or (tell if progress is True else progress or None)
        if self.fn and not callable(self.fn):
            raise TypeError(f"progress: {progress!r} is neither True nor "
                            "'tqdm' nor a function")
        self.told = False
        self.failed: BaseException | None = None
        self.interrupt = c.c_int(0)
        self.callback = lib.PROGRESS(self._called)

    def _called(self, _arg, p) -> None:
        try:
            if self.fn and not self.failed:
                p = p.contents
                self.fn(p.share, p.time_ps / PS, p.packet_hops)
                self.told = self.fn is tell
        except BaseException as e: # must not pass through C
            self.failed = e
            self.interrupt.value = 1

    def _on_signal(self, _number, _frame) -> None:
        self.failed = KeyboardInterrupt()
        self.interrupt.value = 1

    def __enter__(self) -> Watcher:
        main = threading.current_thread() is threading.main_thread()
        self.handler = None
        if main and signal.getsignal(signal.SIGINT) is \
                signal.default_int_handler:
            self.handler = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *_) -> None:
        if self.handler:
            signal.signal(signal.SIGINT, self.handler)

    def done(self, summary: Mapping[str, Any] | None = None) -> None:
        """After the run; raises what the callback met. The line that is left
        says how far it came: all the way, if the summary has all of it."""
        if self.bar:
            if summary and not summary["partial"]:
                self.bar(1, summary["sim_time_ns"] * 1e-9,
                         summary["counters"]["packet_hops"])
            self.bar.close()
        if self.told:
            if summary and not summary["partial"]:
                tell(1, summary["sim_time_ns"] * 1e-9,
                     summary["counters"]["packet_hops"])
            print(file=sys.stderr)
        self.interrupt.value = 0
        failed, self.failed = self.failed, None
        if failed:
            raise failed


class Options:
    """struct orr_options, and what it points to."""

    def __init__(self, *, set=None, seed=None, threads=1, output=None,
                 records=True, folder=None, plugins=(), watcher=None):
        o = self.options = lib.Options()
        if isinstance(plugins, (str, bytes, os.PathLike)):
            plugins = (plugins,)
        self.keep = [lib.strings(x.encode() for x in assignments(set)),
                     lib.strings(path_bytes("plugins", x) for x in plugins)]
        (sets, n), (shared, m) = self.keep
        o.sets, o.n_sets = c.cast(sets, c.POINTER(c.c_char_p)), n
        o.plugins, o.n_plugins = c.cast(shared, c.POINTER(c.c_char_p)), m
        o.threads = natural("threads", threads)
        o.has_seed = seed is not None
        o.seed = natural("seed", seed, 63) if o.has_seed else 0
        o.output = path_bytes("output", output) if output is not None else None
        o.no_output = not records
        o.folder = path_bytes("folder", folder) if folder is not None else None
        if watcher:
            o.progress = watcher.callback
            o.interrupt = c.pointer(watcher.interrupt)
