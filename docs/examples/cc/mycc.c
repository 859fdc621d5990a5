/* A control that adds one packet a round trip, and cuts its window once a round
 * trip when packets were marked or lost:
 *
 *     gcc -O2 -shared -fPIC -o mycc.so mycc.c
 *     orrery run experiment.yaml --plugin ./mycc.so --set network.cc=mycc */
#include <orrery/cc.h>

struct params { double increase, keep; };
struct state { uint32_t quiet_until; }; /* no second cut up to this packet */

static const struct orr_cc_param params[] = {
    {.key = "increase", .type = ORR_CC_REAL, .fallback = "1", .min = "0",
     .offset = offsetof(struct params, increase),
     .help = "what the window grows by, packets a round trip"},
    {.key = "keep", .type = ORR_CC_REAL, .fallback = "0.5", .min = "0",
     .max = "1", .offset = offsetof(struct params, keep),
     .help = "share of the window that a mark or a loss leaves"},
    {.key = NULL},
};

static void cut(void *state, const void *params, struct orr_cc_limits *w,
                const struct orr_cc_event *e)
{
    w->cwnd *= ((const struct params *)params)->keep;
    ((struct state *)state)->quiet_until = e->next;
}

static void on_ack(void *state, const void *params, struct orr_cc_limits *w,
                   const struct orr_cc_event *e)
{
    bool quiet = (int32_t)(((struct state *)state)->quiet_until - e->una) > 0;

    if (e->echo && !quiet)
        cut(state, params, w, e);
    else if (!e->echo && !e->recovering && w->cwnd < e->peak + 1)
        w->cwnd += w->gain * ((const struct params *)params)->increase
                   * e->delivered / w->cwnd;
}

static void on_timeout(void *state, const void *params,
                       struct orr_cc_limits *w, const struct orr_cc_event *e)
{
    w->cwnd = 1;
}

const struct orr_cc_plugin orr_cc_plugin = {
    .abi = ORR_CC_ABI, .size = sizeof(struct orr_cc_plugin),
    .name = "mycc", .doc = "adds a packet a round trip, halves at a mark",
    .state_size = sizeof(struct state), .params_size = sizeof(struct params),
    .params = params,
    .on_ack = on_ack, .on_loss = cut, .on_timeout = on_timeout,
};
