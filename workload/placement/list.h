/* Every placement: X(name) is orr__placement_NAME in NAME.c. The first one is
 * the default. */
#define ORR_PLACEMENT_LIST(X)                                                  \
    X(linear)                                                                  \
    X(random)                                                                  \
    X(strided)                                                                 \
    X(list)
