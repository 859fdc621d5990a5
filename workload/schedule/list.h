/* Every schedule: X(name) is orr__schedule_kind_NAME in NAME.c. The first one
 * is the default. */
#define ORR_SCHEDULE_KINDS(X)                                                  \
    X(none)                                                                    \
    X(weights)                                                                 \
    X(mltcp)                                                                   \
    X(fair)                                                                    \
    X(ideal)                                                                   \
    X(priority)                                                                \
    X(cassini)                                                                 \
    X(crux)
