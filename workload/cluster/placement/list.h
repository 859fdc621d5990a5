/* Every placement on a cluster: X(NAME, of) is orr__cluster_placement_NAME in
 * NAME.c. The first one is the default. */
#define ORR_CLUSTER_PLACEMENT_LIST(X, of...)                                   \
    X(packed, of)                                                              \
    X(linear, of)                                                              \
    X(random, of)                                                              \
    X(spread, of)                                                              \
    X(rack_aware, of)                                                          \
    X(community, of)                                                           \
    X(cells, of)                                                               \
    X(cassini, of)
