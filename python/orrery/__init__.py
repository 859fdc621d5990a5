"""orrery: simulates, packet by packet, how training jobs share a network.

>>> import orrery
>>> r = orrery.run("ring.yaml", set={"network.cc": "dctcp"}, seed=3)
>>> r.links.utilization.max()
>>> orrery.compare("ring.yaml", over={"network.cc": ["dctcp", "hpcc"]},
...                seeds="1..5", measure=["jobs.*.iteration_ns.mean"]).data
>>> orrery.topology("ring.yaml").to_networkx()
>>> orrery.explain("ring.yaml")
>>> orrery.open("ring.h5").iterations.duration
"""
from ._library import lib as _lib
from ._settings import YAML
from .comparison import Study, compare, open_study
from .errors import CallError, ConfigError, Error, RunError
from .experiment import run
from .network import Cable, LinkCounters, Network
from .questions import (Estimate, Explanation, Plan, Profile, Reply, Topology,
                        check, explain, plan, profile, topology)
from .records import Run, open

__version__ = _lib.orr_version().decode()

__all__ = ["run", "check", "topology", "profile", "plan", "explain", "compare",
           "open", "open_study", "Run", "Study", "Reply", "Estimate",
           "Topology", "Profile", "Plan", "Explanation",
           "Network", "Cable", "LinkCounters", "YAML", "Error", "ConfigError",
           "RunError", "CallError"]
