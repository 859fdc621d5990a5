/* Every congestion control: X(NAME, of) is orr__cc_NAME in NAME.c. */
#define ORR_CC_LIST(X, of...)                                                  \
    X(none, of)                                                                \
    X(reno, of)                                                                \
    X(cubic, of)                                                               \
    X(dctcp, of)                                                               \
    X(dctcp_rate, of)                                                          \
    X(dcqcn, of)                                                               \
    X(timely, of)                                                              \
    X(hpcc, of)                                                                \
    X(swift, of)                                                               \
    X(nscc, of)                                                                \
    X(mltcp, of)                                                               \
    X(fixed_rate, of)                                                          \
    X(bbr, of)                                                                 \
    X(rccc, of)
