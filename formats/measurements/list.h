/* Every format of measurements, the surest to be recognised first: X(NAME, of)
 * is orr__measurements_NAME in NAME.c. */
#define ORR_MEASUREMENTS_LIST(X, of...)                                        \
    X(nccl_inspector, of)                                                      \
    X(nccl_tests, of)                                                          \
    X(osu, of)                                                                 \
    X(pico, of)                                                                \
    X(csv, of)
