/* Every kind of load balancing: X(symbol, name, reorders, doc). The choice
 * itself is orr__path_SYMBOL in pick.h. */
#define ORR_PATH_LIST(X)                                                     \
    X(ecmp, "ecmp", false,                                                   \
      "a seeded hash of connection, direction and node")                     \
    X(first, "first", false, "always the next hop with the lowest link id")  \
    X(spray, "spray", true, "packet by packet, round robin at each node")    \
    X(spray_random, "spray-random", true,                                    \
      "packet by packet, at random at each node")
