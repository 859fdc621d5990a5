/* Every kind of load balancing: X(symbol, name, reorders, params, doc). The
 * choice itself is orr__path_SYMBOL in pick.h; reorders: packets of one
 * connection may overtake one another (by default: see path.c); params: a
 * table of parameters beside `kind`, or NULL. */
#define ORR_PATH_LIST(X)                                                       \
    X(ecmp, "ecmp", false, NULL,                                               \
      "a seeded hash of connection, direction and node")                       \
    X(first, "first", false, NULL,                                             \
      "always the next hop with the lowest link id")                           \
    X(spray, "spray", true, NULL,                                              \
      "by packet, round robin at each node; among the ports of a host by "     \
      "rate")                                                                  \
    X(spray_random, "spray-random", true, NULL,                                \
      "by packet, at random at each node")                                     \
    X(message, "message", true, NULL,                                          \
      "by message: those of a connection take the ports of a host in turn; "   \
      "at "                                                                    \
      "switches as ecmp")                                                      \
    X(flowlet, "flowlet", false, orr__path_flowlet_params,                     \
      "a connection that paused at a node may take another next hop")          \
    X(adaptive, "adaptive", false, orr__path_adaptive_params,                  \
      "the next hop whose port is free soonest, for each flowlet or packet")   \
    X(valiant, "valiant", true, orr__path_valiant_params,                      \
      "via a random switch (Valiant): balances any traffic pattern, over "     \
      "twice the hops")                                                        \
    X(ugal, "ugal", true, orr__path_ugal_params,                               \
      "the shortest path or one via a random switch, by the queue at its "     \
      "first port (UGAL-L)")                                                   \
    X(k_shortest, "k-shortest", false, orr__path_k_shortest_params,            \
      "each connection stays on one of the k shortest paths of its hosts")     \
    X(oblivious, "oblivious", true, orr__path_entropy_params,                  \
      "each packet by an entropy of its own, all in turn")                     \
    X(bitmap, "bitmap", true, orr__path_bitmap_params,                         \
      "the same, without entropies that met marks, cuts or losses")            \
    X(reps, "reps", true, orr__path_reps_params,                               \
      "entropies whose packets came unmarked are used again, else new ones "   \
      "(REPS)")                                                                \
    X(mixed, "mixed", true, orr__path_bitmap_params,                           \
      "as reps where there is one to use again, else as bitmap")               \
    X(explicit, "explicit", false, NULL,                                       \
      "the path or entropy that a flow names (`path`, `entropy`), else ecmp")
