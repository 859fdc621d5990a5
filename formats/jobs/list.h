/* Every format of traces of jobs: X(name) is orr__job_trace_NAME in NAME.c, or
 * beside one of the same shape. The first one is the default. */
#define ORR_JOB_TRACE_LIST(X)                                                  \
    X(csv)                                                                     \
    X(pollux)                                                                  \
    X(gavel)                                                                   \
    X(helios)                                                                  \
    X(acme)                                                                    \
    X(philly)                                                                  \
    X(lingjun)
