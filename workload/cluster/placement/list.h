/* Every placement on a cluster: X(name) is orr__cluster_placement_NAME in
 * NAME.c. The first one is the default. */
#define ORR_CLUSTER_PLACEMENT_LIST(X)                                          \
    X(packed)                                                                  \
    X(linear)                                                                  \
    X(random)                                                                  \
    X(spread)                                                                  \
    X(rack_aware)                                                              \
    X(community)                                                               \
    X(cassini)
