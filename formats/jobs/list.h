/* Every format of traces of jobs: X(NAME, of) is orr__job_trace_NAME in NAME.c,
 * or beside one of the same shape. The first one is the default. */
#define ORR_JOB_TRACE_LIST(X, of...)                                           \
    X(csv, of)                                                                 \
    X(pollux, of)                                                              \
    X(gavel, of)                                                               \
    X(helios, of)                                                              \
    X(acme, of)                                                                \
    X(philly, of)                                                              \
    X(lingjun, of)
