/* Every kind of queue: X(symbol). */
#define ORR_QUEUE_LIST(X)                                                      \
    X(droptail)                                                                \
    X(ecn)                                                                     \
    X(red)                                                                     \
    X(trim)
