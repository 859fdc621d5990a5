/* The collective algorithms; the first of each kind is its default. A line here
 * names a `const struct orr_collective_ops orr__NAME` of a file beside it. */
#define ORR_COLLECTIVES(X)                                                     \
    X(all_reduce_ring)                                                         \
    X(all_reduce_direct)                                                       \
    X(all_reduce_halving_doubling)                                             \
    X(all_reduce_tree)                                                         \
    X(all_reduce_double_tree)                                                  \
    X(all_reduce_middle_tree)                                                  \
    X(all_reduce_torus)                                                        \
    X(all_reduce_gloo_ring)                                                    \
    X(all_reduce_hierarchical)                                                 \
    X(all_reduce_nccl_ring)                                                    \
    X(all_reduce_nccl_tree)                                                    \
    X(all_reduce_parameter_server)                                             \
    X(reduce_scatter_ring)                                                     \
    X(reduce_scatter_direct)                                                   \
    X(reduce_scatter_halving)                                                  \
    X(reduce_scatter_exchange)                                                 \
    X(reduce_scatter_nccl_ring)                                                \
    X(all_gather_ring)                                                         \
    X(all_gather_direct)                                                       \
    X(all_gather_doubling)                                                     \
    X(all_gather_exchange)                                                     \
    X(all_gather_nccl_ring)                                                    \
    X(all_to_all_direct)                                                       \
    X(all_to_all_ring)                                                         \
    X(all_to_all_relay)                                                        \
    X(broadcast_tree)                                                          \
    X(broadcast_ring)                                                          \
    X(broadcast_chain)                                                         \
    X(broadcast_direct)                                                        \
    X(reduce_tree)                                                             \
    X(reduce_direct)                                                           \
    X(gather_direct)                                                           \
    X(scatter_direct)                                                          \
    X(barrier_dissemination)
