/* Every scheduler of a port: X(NAME, of) is orr__schedule_NAME in NAME.c. */
#define ORR_SCHEDULE_LIST(X, of...)                                            \
    X(fifo, of)                                                                \
    X(strict, of)                                                              \
    X(drr, of)                                                                 \
    X(wfq, of)                                                                 \
    X(fair, of)
