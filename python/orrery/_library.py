"""liborrery by ctypes: the structures and functions of its two headers."""
from __future__ import annotations

import ctypes as c
import ctypes.util
import os
import pathlib

_ABI = "0"


class Report(c.Structure):
    """struct orr_report"""
    _fields_ = [("code", c.c_int), ("line", c.c_int), ("col", c.c_int),
                ("file", c.c_char * 256), ("message", c.c_char * 1024),
                ("hint", c.c_char * 256), ("excerpt", c.c_char * 256)]


class Progress(c.Structure):
    """struct orr_progress"""
    _fields_ = [("time_ps", c.c_int64), ("packet_hops", c.c_uint64),
                ("wall_s", c.c_double), ("share", c.c_double)]


PROGRESS = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(Progress))
CALLBACK = c.CFUNCTYPE(None, c.c_void_p)


class Options(c.Structure):
    """struct orr_options"""
    _fields_ = [("sets", c.POINTER(c.c_char_p)), ("n_sets", c.c_size_t),
                ("threads", c.c_uint), ("has_seed", c.c_bool),
                ("seed", c.c_uint64), ("output", c.c_char_p),
                ("no_output", c.c_bool), ("folder", c.c_char_p),
                ("command", c.c_char_p), ("progress", PROGRESS),
                ("progress_arg", c.c_void_p),
                ("interrupt", c.POINTER(c.c_int)),
                ("plugins", c.POINTER(c.c_char_p)), ("n_plugins", c.c_size_t)]


class Send(c.Structure):
    """struct orr_send"""
    _fields_ = [("src", c.c_uint32), ("dst", c.c_uint32),
                ("channel", c.c_uint32), ("traffic_class", c.c_uint32),
                ("bytes", c.c_uint64), ("arrived", CALLBACK),
                ("sent", CALLBACK), ("acked", CALLBACK),
                ("arrived_arg", c.c_void_p), ("sent_arg", c.c_void_p),
                ("acked_arg", c.c_void_p)]


class Cable(c.Structure):
    """struct orr_cable_spec"""
    _fields_ = [("a", c.c_uint32), ("b", c.c_uint32), ("rate_bps", c.c_uint64),
                ("delay_ps", c.c_int64), ("loss", c.c_double)]


class Graph(c.Structure):
    """struct orr_graph_spec"""
    _fields_ = [("hosts", c.c_uint32), ("switches", c.c_uint32),
                ("cable", c.POINTER(Cable)), ("cables", c.c_uint32),
                ("name", c.POINTER(c.c_char_p)), ("hosts_forward", c.c_bool)]


class LinkInfo(c.Structure):
    """struct orr_link_info"""
    _fields_ = [("from_", c.c_uint32), ("to", c.c_uint32),
                ("rate_bps", c.c_uint64), ("delay_ps", c.c_int64)]


class LinkCounters(c.Structure):
    """struct orr_link_counters"""
    _fields_ = [("bytes", c.c_uint64), ("packets", c.c_uint64),
                ("marks", c.c_uint64), ("drops", c.c_uint64),
                ("queue_bytes", c.c_uint64), ("max_queue_bytes", c.c_uint64),
                ("busy_ps", c.c_int64), ("pauses", c.c_uint64)]


class StudyProgress(c.Structure):
    """struct orr_study_progress"""
    _fields_ = [("runs", c.c_uint32), ("done", c.c_uint32),
                ("failed", c.c_uint32), ("running", c.c_uint32),
                ("left_s", c.c_double)]


STUDY_PROGRESS = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(StudyProgress))


def _call(name: str, *more) -> type[c.Structure]:
    """struct orr_NAME_call of orrery/study.h: all begin alike. (Not by classes
    that inherit fields: ctypes then forgets who keeps their texts.)"""
    fields = [("size", c.c_size_t), ("config", c.c_char_p),
              ("options", c.POINTER(Options)), *more]
    return type(name, (c.Structure,), {"_fields_": fields})


CheckCall = _call("CheckCall")
TopologyCall = _call("TopologyCall", ("prices", c.c_char_p),
                     ("no_metrics", c.c_bool))
ProfileCall = _call("ProfileCall", ("job", c.c_char_p),
                    ("iterations", c.c_uint32), ("bins", c.c_uint32))
PlanCall = _call("PlanCall", ("configured", c.c_bool))
ExplainCall = _call("ExplainCall", ("job", c.c_char_p), ("which", c.c_int),
                    ("iteration", c.c_uint32), ("flow", c.c_uint32),
                    ("has_flow", c.c_bool), ("alone", c.c_bool))
CompareCall = _call(
    "CompareCall", ("over", c.POINTER(c.c_char_p)),
    ("measures", c.POINTER(c.c_char_p)), ("n_over", c.c_size_t),
    ("n_measures", c.c_size_t), ("seeds", c.c_char_p), ("until", c.c_char_p),
    ("baseline", c.c_char_p), ("prices", c.c_char_p), ("sort", c.c_char_p),
    ("folder", c.c_char_p), ("jobs", c.c_uint32), ("keep", c.c_int),
    ("equal_cost", c.c_bool), ("progress", STUDY_PROGRESS),
    ("progress_arg", c.c_void_p))


class GraphArrays(c.Structure):
    """struct orr_graph_arrays"""
    _fields_ = [("size", c.c_size_t), ("hosts", c.c_uint32),
                ("switches", c.c_uint32), ("links", c.c_uint32),
                ("from_", c.POINTER(c.c_uint32)), ("to", c.POINTER(c.c_uint32)),
                ("rate_bps", c.POINTER(c.c_uint64)),
                ("delay_ps", c.POINTER(c.c_int64)),
                ("loss", c.POINTER(c.c_double)),
                ("tier", c.POINTER(c.c_char_p)),
                ("name", c.POINTER(c.c_char_p)),
                ("x", c.POINTER(c.c_double)), ("y", c.POINTER(c.c_double))]


def in_tree(name: str) -> str | None:
    """A file of the build that this package stands beside, if it does."""
    path = pathlib.Path(__file__).resolve().parents[2] / "build" / name
    return str(path) if path.exists() else None


def _in_wheel() -> str | None:
    """The library that came with this package, if one did."""
    path = pathlib.Path(__file__).with_name("liborrery.so")
    return str(path) if path.exists() else None


def _find() -> str:
    for path in (os.environ.get("ORRERY_LIBRARY"), _in_wheel(),
                 in_tree("liborrery.so"), ctypes.util.find_library("orrery")):
        if path:
            return path
    raise ImportError("liborrery.so is not found: install orrery, or set "
                      "ORRERY_LIBRARY to the file")


_REPORT, _TEXT = c.POINTER(Report), c.c_void_p # texts are ours to free
_OPTIONS, _HANDLE = c.POINTER(Options), c.c_void_p

_PROTOTYPES = {
    "orr_version": (c.c_char_p, []),
    "orr_text_free": (None, [_TEXT]),
    "orr_link_find": (c.c_int, [c.POINTER(c.c_char_p), c.c_size_t, c.c_char_p,
                                c.POINTER(c.c_size_t), _REPORT]),
    "orr_experiment_load": (c.c_int, [c.c_char_p, _OPTIONS,
                                      c.POINTER(_HANDLE), _REPORT]),
    "orr_experiment_run": (c.c_int, [_HANDLE, _REPORT]),
    "orr_experiment_json": (_TEXT, [_HANDLE]),
    "orr_experiment_summary": (_TEXT, [_HANDLE]),
    "orr_experiment_output": (c.c_char_p, [_HANDLE]),
    "orr_experiment_free": (None, [_HANDLE]),
    "orr_reply_json": (c.c_char_p, [_HANDLE]),
    "orr_reply_text": (c.c_char_p, [_HANDLE]),
    "orr_reply_config": (c.c_char_p, [_HANDLE]),
    "orr_reply_graph": (c.c_int, [_HANDLE, c.POINTER(GraphArrays)]),
    "orr_reply_free": (None, [_HANDLE]),
    **{f"orr_study_{name}": (c.c_int, [c.POINTER(call), c.POINTER(_HANDLE),
                                       _REPORT])
       for name, call in (("check", CheckCall), ("topology", TopologyCall),
                          ("profile", ProfileCall), ("plan", PlanCall),
                          ("explain", ExplainCall),
                          ("compare", CompareCall))},
    "orr_network_open": (c.c_int, [c.c_char_p, _OPTIONS, c.POINTER(_HANDLE),
                                   _REPORT]),
    "orr_network_build": (c.c_int, [c.POINTER(Graph), c.c_char_p, _OPTIONS,
                                    c.POINTER(_HANDLE), _REPORT]),
    "orr_network_close": (None, [_HANDLE]),
    "orr_network_hosts": (c.c_uint32, [_HANDLE]),
    "orr_network_links": (c.c_uint32, [_HANDLE]),
    "orr_network_link_info": (c.c_int, [_HANDLE, c.c_uint32,
                                        c.POINTER(LinkInfo)]),
    "orr_network_link_find": (c.c_int, [_HANDLE, c.c_char_p,
                                        c.POINTER(c.c_uint32)]),
    "orr_network_link": (c.c_int, [_HANDLE, c.c_uint32,
                                   c.POINTER(LinkCounters)]),
    "orr_network_now": (c.c_int64, [_HANDLE]),
    "orr_network_send": (c.c_int, [_HANDLE, c.POINTER(Send)]),
    "orr_network_at": (c.c_int, [_HANDLE, c.c_uint32, c.c_int64, CALLBACK,
                                 c.c_void_p]),
    "orr_network_run": (c.c_int, [_HANDLE, c.c_int64, _REPORT]),
    "orr_network_stop": (None, [_HANDLE]),
    "orr_network_finish": (c.c_int, [_HANDLE, _REPORT]),
    "orr_network_json": (_TEXT, [_HANDLE]),
    "orr_network_summary": (_TEXT, [_HANDLE]),
    "orr_network_fingerprint": (c.c_uint64, [_HANDLE]),
    "orr_network_report": (None, [_HANDLE, _REPORT]),
}


def _load() -> c.CDLL:
    lib = c.CDLL(_find())
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    version = lib.orr_version().decode()
    if version.split(".")[0] != _ABI:
        raise ImportError(f"liborrery {version} is of another ABI than this "
                          f"package, {_ABI}.x")
    return lib


lib = _load()


def text(pointer: int | None) -> str | None:
    """A text that the library made, which is freed."""
    if not pointer:
        return None
    try:
        return c.cast(pointer, c.c_char_p).value.decode(errors="replace")
    finally:
        lib.orr_text_free(pointer)


def strings(values) -> tuple:
    """A char ** and its length, of bytes."""
    encoded = list(values)
    return (c.c_char_p * len(encoded))(*encoded), len(encoded)
