/* Every queueing policy: X(name) is orr__queue_policy_NAME in NAME.c. The first
 * one is the default. */
#define ORR_QUEUE_POLICY_LIST(X)                                               \
    X(fifo)                                                                    \
    X(backfill)                                                                \
    X(sjf)                                                                     \
    X(srtf)                                                                    \
    X(las)                                                                     \
    X(themis)
