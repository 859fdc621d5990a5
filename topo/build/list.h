/* Every kind of topology: X(NAME, of) is orr__topology_NAME in NAME.c. */
#define ORR_TOPOLOGY_LIST(X, of...)                                            \
    X(ring, of)                                                                \
    X(fully_connected, of)                                                     \
    X(fat_tree, of)                                                            \
    X(torus, of)                                                               \
    X(parameter_server, of)                                                    \
    X(switch, of)                                                              \
    X(dumbbell, of)                                                            \
    X(leaf_spine, of)                                                          \
    X(clos, of)                                                                \
    X(dragonfly, of)                                                           \
    X(hyperx, of)                                                              \
    X(slimfly, of)                                                             \
    X(jellyfish, of)                                                           \
    X(strides, of)                                                             \
    X(bcube, of)                                                               \
    X(rail_optimised, of)                                                      \
    X(rail_only, of)                                                           \
    X(custom, of)                                                              \
    X(file, of)
