/* Every format of flow files: X(NAME, of) is orr__flow_format_NAME in NAME.c,
 * and NAME what `flows[].format` calls it. */
#define ORR_FLOW_FORMAT_LIST(X, of...)                                         \
    X(list, of)                                                                \
    X(csv, of)                                                                 \
    X(hpcc, of)                                                                \
    X(htsim, of)
