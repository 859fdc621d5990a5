/* Every placement: X(NAME, of) is orr__placement_NAME in NAME.c. The first one
 * is the default. */
#define ORR_PLACEMENT_LIST(X, of...)                                           \
    X(linear, of)                                                              \
    X(random, of)                                                              \
    X(strided, of)                                                             \
    X(list, of)
