/* Every kind of queue: X(NAME, of) is orr__queue_NAME in NAME.c. */
#define ORR_QUEUE_LIST(X, of...)                                               \
    X(droptail, of)                                                            \
    X(ecn, of)                                                                 \
    X(red, of)                                                                 \
    X(trim, of)
