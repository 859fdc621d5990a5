/* Every placement: X(name) is orr__place_NAME in NAME.c. The first one is the
 * default. */
#define ORR_PLACE_LIST(X)                                                     \
    X(linear)                                                                 \
    X(random)                                                                 \
    X(strided)                                                                \
    X(list)
