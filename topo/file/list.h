/* Every format of topology files: X(NAME, of) is orr__topology_format_NAME in
 * NAME.c, and NAME what `topology.format` calls it. */
#define ORR_TOPOLOGY_FORMAT_LIST(X, of...)                                     \
    X(graphml, of)                                                             \
    X(hpcc, of)                                                                \
    X(simai, of)                                                               \
    X(htsim, of)                                                               \
    X(astra, of)                                                               \
    X(gml, of)                                                                 \
    X(csv, of)                                                                 \
    X(networkx, of)
