/* strided: every stride-th host. When the stride comes round to a host that is
 * taken, it goes on from the next one, so the first n ranks of n hosts are
 * always distinct. */
#include "core/assert.h"
#include "workload/placement/placement.h"

/* As configured. */
struct params {
    int64_t stride, offset;
};

static const char *one_rank(const void *set, const void *around)
{
    return *(const uint32_t *)around == 1 ? "there is one rank" : NULL;
}

static const struct orr_param params[] = {
    {"stride", ORR_PARAM_INT, offsetof(struct params, stride), "2", "1", NULL,
     NULL, "hosts from one rank to the next", one_rank},
    {"offset", ORR_PARAM_INT, offsetof(struct params, offset), "0", "0", NULL,
     NULL, "host of rank 0"},
    ORR_PARAM_END,
};

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

/* round: after so many ranks it comes back to the offset, and goes on one
 * further. */
static orr_err place(const struct orr_placement_request *q, const void *given,
                     uint32_t *hosts, struct orr_report *why)
{
    const struct params *p = given;
    uint64_t n = q->world->graph->hosts;
    uint64_t stride = (uint64_t)p->stride % n;
    if ((uint64_t)p->offset >= n)
        return orr__yaml_fail(q->world->config, q->node, why,
                              "host %lld does not exist: there are %u hosts",
                              (long long)p->offset, (uint32_t)n);
    uint64_t round =
        n / common_divisor(n, stride); /* ranks until it comes round */
    ORR_ASSERT(round > 0);
    for (uint64_t r = 0; r < q->ranks; r++)
        hosts[r] =
            (uint32_t)(((uint64_t)p->offset + r % round * stride + r / round)
                       % n);
    return ORR_OK;
}

const struct orr_placement_ops orr__placement_strided = {
    .name = "strided",
    .doc = "every stride-th host, then the hosts left out",
    .params = params,
    .params_size = sizeof(struct params),
    .place = place,
};
