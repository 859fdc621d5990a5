/* Every kind of topology: file and symbol, name in `topology.kind`, and what
 * it is in one sentence. No include guard: included once for each use. */
ORR_TOPOLOGY(ring, "ring",
             "Hosts in a circle, each joined to the next; hosts forward.")
ORR_TOPOLOGY(fully_connected, "fully-connected",
             "Every host joined to every other.")
ORR_TOPOLOGY(fat_tree, "fat-tree",
             "Three tiers of k-port switches with as much capacity up as down.")
ORR_TOPOLOGY(torus, "torus",
             "A grid of hosts that closes in every dimension; hosts forward.")
ORR_TOPOLOGY(parameter_server, "parameter-server",
             "Workers and servers on one switch, or on racks under a core.")
ORR_TOPOLOGY(switch, "switch", "Hosts on one switch.")
ORR_TOPOLOGY(dumbbell, "dumbbell",
             "Two switches with hosts on each and one cable between them.")
ORR_TOPOLOGY(leaf_spine, "leaf-spine",
             "Leaf switches with hosts, each joined to every spine.")
ORR_TOPOLOGY(clos, "clos",
             "Equal switches in as few tiers as so many hosts need.")
ORR_TOPOLOGY(dragonfly, "dragonfly",
             "Groups of routers, all joined inside and every two outside.")
ORR_TOPOLOGY(hyperx, "hyperx",
             "A grid of switches, all joined along every dimension.")
ORR_TOPOLOGY(slimfly, "slimfly",
             "Routers two hops apart at most: the graphs of McKay, Miller and "
             "Siran.")
ORR_TOPOLOGY(jellyfish, "jellyfish", "Switches joined at random.")
ORR_TOPOLOGY(bcube, "bcube",
             "Hosts with a port on each of several levels of switches; hosts "
             "forward.")
ORR_TOPOLOGY(rail_optimised, "rail-optimised",
             "Leaf i for GPU i of every server, and spines above.")
ORR_TOPOLOGY(rail_only, "rail-only",
             "Leaf i for GPU i of every server, and nothing above.")
ORR_TOPOLOGY(custom, "custom", "Any graph, cable by cable.")
ORR_TOPOLOGY(file, "file", "A graph read from a file: `orrery list formats`.")
