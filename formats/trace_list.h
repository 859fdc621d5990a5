/* The formats of traces. A line here names a `const struct orr_trace_format
 * orr__trace_NAME` of a file beside it. */
#define ORR_TRACES(X)                                                          \
    X(chakra)                                                                  \
    X(astra)                                                                   \
    X(simai)
