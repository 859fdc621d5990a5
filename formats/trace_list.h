/* Every format of traces: X(NAME, of) is orr__trace_NAME in a folder of that
 * name, or in NAME.c if that is all. */
#define ORR_TRACE_LIST(X, of...)                                               \
    X(chakra, of)                                                              \
    X(astra, of)                                                               \
    X(simai, of)                                                               \
    X(flexflow, of)                                                            \
    X(goal, of)
