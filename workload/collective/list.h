/* The collective algorithms; the first of each kind is its default. X(NAME, of)
 * is orr__NAME in a file beside this. */
#define ORR_COLLECTIVE_LIST(X, of...)                                          \
    X(all_reduce_ring, of)                                                     \
    X(all_reduce_direct, of)                                                   \
    X(all_reduce_halving_doubling, of)                                         \
    X(all_reduce_tree, of)                                                     \
    X(all_reduce_double_tree, of)                                              \
    X(all_reduce_middle_tree, of)                                              \
    X(all_reduce_torus, of)                                                    \
    X(all_reduce_strides, of)                                                  \
    X(all_reduce_gloo_ring, of)                                                \
    X(all_reduce_hierarchical, of)                                             \
    X(all_reduce_nccl_ring, of)                                                \
    X(all_reduce_nccl_tree, of)                                                \
    X(all_reduce_nccl_auto, of)                                                \
    X(all_reduce_parameter_server, of)                                         \
    X(all_reduce_in_network, of)                                               \
    X(reduce_scatter_ring, of)                                                 \
    X(reduce_scatter_direct, of)                                               \
    X(reduce_scatter_halving, of)                                              \
    X(reduce_scatter_exchange, of)                                             \
    X(reduce_scatter_strides, of)                                              \
    X(reduce_scatter_nccl_ring, of)                                            \
    X(reduce_scatter_in_network, of)                                           \
    X(all_gather_ring, of)                                                     \
    X(all_gather_direct, of)                                                   \
    X(all_gather_doubling, of)                                                 \
    X(all_gather_exchange, of)                                                 \
    X(all_gather_strides, of)                                                  \
    X(all_gather_nccl_ring, of)                                                \
    X(all_to_all_direct, of)                                                   \
    X(all_to_all_ring, of)                                                     \
    X(all_to_all_relay, of)                                                    \
    X(broadcast_tree, of)                                                      \
    X(broadcast_ring, of)                                                      \
    X(broadcast_chain, of)                                                     \
    X(broadcast_direct, of)                                                    \
    X(broadcast_multicast, of)                                                 \
    X(broadcast_in_network, of)                                                \
    X(reduce_tree, of)                                                         \
    X(reduce_direct, of)                                                       \
    X(reduce_in_network, of)                                                   \
    X(gather_direct, of)                                                       \
    X(scatter_direct, of)                                                      \
    X(barrier_dissemination, of)
