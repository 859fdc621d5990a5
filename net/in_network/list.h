/* Every kind of in-network aggregation: X(NAME, of) is orr__in_network_NAME in
 * NAME.c. */
#define ORR_IN_NETWORK_LIST(X, of...)                                          \
    X(switchml, of)                                                            \
    X(panama, of)                                                              \
    X(atp, of)                                                                 \
    X(sharp, of)
