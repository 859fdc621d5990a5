/* Every queueing policy: X(NAME, of) is orr__queue_policy_NAME in NAME.c. The
 * first one is the default. */
#define ORR_QUEUE_POLICY_LIST(X, of...)                                        \
    X(fifo, of)                                                                \
    X(backfill, of)                                                            \
    X(sjf, of)                                                                 \
    X(srtf, of)                                                                \
    X(las, of)                                                                 \
    X(themis, of)                                                              \
    X(max_min, of)                                                             \
    X(edf, of)
