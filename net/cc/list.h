/* Every congestion control: X(symbol). */
#define ORR_CC_LIST(X)                                                         \
    X(none)                                                                    \
    X(reno)                                                                    \
    X(cubic)                                                                   \
    X(dctcp)                                                                   \
    X(dcqcn)                                                                   \
    X(timely)                                                                  \
    X(hpcc)                                                                    \
    X(swift)                                                                   \
    X(nscc)                                                                    \
    X(mltcp)                                                                   \
    X(fixed_rate)
