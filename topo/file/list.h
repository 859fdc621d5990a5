/* Every format of topology files: file and symbol, name in `topology.format`,
 * and what it is in one sentence. No include guard: included once for each
 * use. */
ORR_TOPOLOGY_FORMAT(graphml, "graphml",
                    "GraphML; edges: rate, delay, loss, tier; vertices: type "
                    "(host, switch), forward, server, level, x, y, z.")
ORR_TOPOLOGY_FORMAT(hpcc, "hpcc",
                    "topology.txt of HPCC and of the ns-3 backends made from "
                    "it: nodes, switches and links by number.")
ORR_TOPOLOGY_FORMAT(simai, "simai",
                    "SimAI's topology: as hpcc, with NVSwitches and GPUs per "
                    "server.")
ORR_TOPOLOGY_FORMAT(htsim, "htsim",
                    "htsim's .topo: a fat-tree of two or three tiers, each "
                    "with its radix, speed, latency and bundles.")
ORR_TOPOLOGY_FORMAT(astra, "astra",
                    "ASTRA-sim's network file, JSON (1.0) or YAML (2.x): Ring, "
                    "FullyConnected or Switch in each dimension.")
