/* A constant rate, whatever happens: background load, and sources in tests. */
#include "net/cc/cc.h"

/* The rate on the wire, bit/s. */
struct fixed_rate {
    uint64_t rate_bps;
};

static const struct orr_param params[] = {
    {.key = "rate",
     .type = ORR_PARAM_RATE,
     .offset = offsetof(struct fixed_rate, rate_bps),
     .fallback = "1Gbps",
     .min = "1bps",
     .help = "on the wire, headers included"},
    ORR_PARAM_END,
};

static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    const struct fixed_rate *q = p;

    w->cwnd = ORR_CC_UNLIMITED;
    w->rate = (double)q->rate_bps;
}

/* There is nothing to show. */
static void snapshot(void *state, const void *p, struct orr_snapshot *w,
                     uint32_t una)
{
}

extern const struct orr_cc_ops orr__cc_fixed_rate;
const struct orr_cc_ops orr__cc_fixed_rate = {
    .name = "fixed-rate",
    .doc = "a constant rate, whatever happens",
    .state_size = 1,
    .params_size = sizeof(struct fixed_rate),
    .params = params,
    .rdma = true,
    .init = init,
    .snapshot = snapshot,
};
