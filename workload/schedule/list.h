/* Every schedule: X(NAME, of) is orr__schedule_kind_NAME in NAME.c. The first
 * one is the default. */
#define ORR_SCHEDULE_KIND_LIST(X, of...)                                       \
    X(none, of)                                                                \
    X(weights, of)                                                             \
    X(mltcp, of)                                                               \
    X(fair, of)                                                                \
    X(ideal, of)                                                               \
    X(priority, of)                                                            \
    X(cassini, of)                                                             \
    X(crux, of)
