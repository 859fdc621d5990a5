/* Every format that `orrery convert` reads or writes: X(NAME, of) is
 * orr__convert_NAME in NAME/convert.c, or in NAME.c if that is all. */
#define ORR_CONVERT_LIST(X, of...)                                             \
    X(hpcc, of)                                                                \
    X(htsim, of)                                                               \
    X(simai, of)                                                               \
    X(chakra, of)                                                              \
    X(pipedream, of)                                                           \
    X(kineto, of)                                                              \
    X(nccl_inspector, of)                                                      \
    X(pcap, of)                                                                \
    X(flexflow, of)                                                            \
    X(goal, of)
