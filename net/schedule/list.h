/* Every scheduler of a port: X(symbol). */
#define ORR_SCHEDULE_LIST(X)                                                   \
    X(fifo)                                                                    \
    X(strict)                                                                  \
    X(drr)                                                                     \
    X(wfq)                                                                     \
    X(fair)
