"""orrery: simulates, packet by packet, how training jobs share a network.

>>> import orrery
>>> r = orrery.run("ring.yaml", set={"network.cc": "dctcp"}, seed=3)
>>> r.links.utilization.max()
>>> orrery.compare("ring.yaml", over={"network.cc": ["dctcp", "hpcc"]},
...                seeds="1..5", measure=["jobs.*.iteration_ns.mean"]).data
>>> orrery.open("ring.h5").iterations.duration
"""
from ._library import lib as _lib
from ._settings import YAML
from .comparison import Study, compare, open_study
from .errors import CallError, ConfigError, Error, RunError
from .experiment import check, run
from .network import Cable, LinkCounters, Network
from .records import Run, open

__version__ = _lib.orr_version().decode()

__all__ = ["run", "check", "open", "compare", "open_study", "Run", "Study",
           "Network", "Cable", "LinkCounters", "YAML", "Error", "ConfigError",
           "RunError", "CallError"]
