/* RCCC, receiver-credit congestion control (UE Specification 1.0, section
 * 3.6.14; as in uet-htsim, UecSrc). The first window goes out unasked, up to
 * the first answer. From then on each packet spends credit that the receiver
 * has given (net/host/pull.c), and says how far it is wanted. A control of the
 * sender may bound it beside (`base`): both have to agree.
 *
 * Credit is counted in quanta of 256 B that were given so far; numbers go
 * round. */
#include "core/config/config.h"
#include "net/cc/cc.h"

/* Whom it is beside, and how much credit there may be. */
struct rccc_params {
    struct orr_cc_base base;
    double most;
};

/* A connection's state; the other control's stands behind it. */
struct rccc {
    struct orr_cc_window inner; /* the other control's; unlimited with none */
    int64_t credit, most;       /* bytes; below 0 once the last is spent */
    double packet;              /* bytes of a full packet on the wire */
    uint32_t pull;              /* given so far */
    bool speculating;           /* nothing was answered */
};

static const struct orr_param params[] = {
    {.key = "base",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct rccc_params, base.name),
     .fallback = "none",
     .help = "a control of the sender beside it, such as nscc; its parameters "
             "go beside these"},
    {.key = "max_credit",
     .type = ORR_PARAM_REAL,
     .offset = offsetof(struct rccc_params, most),
     .fallback = "1.5",
     .min = "0.01",
     .max = "16",
     .help = "most credit, and that at the start, in bandwidth-delay products "
             "of the port's rate and the empty round-trip time"},
    ORR_PARAM_END,
};

static orr_err check(struct orr_config *c, const struct orr_yaml *at, void *p,
                     struct orr_report *why)
{
    const struct rccc_params *q = p;

    if (!q->base.ops->telemetry)
        return ORR_OK;
    return orr__yaml_fail(c, at, why,
                          "rccc: what %s wants of packets has the place of "
                          "what they ask for",
                          q->base.name);
}

static void *base_state(void *state)
{
    return ORR_CC_BASE_STATE(state, struct rccc);
}

static void set_window(const struct rccc *s, struct orr_cc_window *w)
{
    *w = s->inner;
    if (s->credit <= 0)
        w->cwnd = 0;
}

/* All the credit that there may be, unasked. */
static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    struct rccc *s = state;
    const struct rccc_params *q = p;
    double bdp = (double)path->line_bps / 8 * (double)path->base_rtt_ps * 1e-12;

    s->inner = *w;
    s->packet = path->packet_bytes;
    s->most = (int64_t)(q->most * bdp) + 1;
    s->credit = s->most;
    s->speculating = true;
    if (!q->base.ops->state_size)
        s->inner.cwnd = ORR_CC_UNLIMITED;
    if (q->base.ops->init)
        q->base.ops->init(base_state(state), q->base.params, &s->inner, path);
    set_window(s, w);
}

/* Of what was spent unasked nothing is left. */
static void end_speculation(struct rccc *s)
{
    if (s->speculating && s->credit > 0)
        s->credit = 0;
    s->speculating = false;
}

static void on_send(void *state, const void *p, struct orr_cc_window *w,
                    int64_t now_ps, uint32_t bytes)
{
    struct rccc *s = state;
    const struct rccc_params *q = p;

    s->credit -= bytes;
    if (q->base.ops->on_send)
        q->base.ops->on_send(base_state(state), q->base.params, &s->inner,
                             now_ps, bytes);
    set_window(s, w);
}

/* What was cut on the last link is the receiver's affair. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    struct rccc *s = state;
    const struct rccc_params *q = p;
    struct orr_cc_ack inner = *a;

    inner.spared = a->at_end;
    end_speculation(s);
    if (q->base.ops->on_ack)
        q->base.ops->on_ack(base_state(state), q->base.params, &s->inner,
                            &inner);
    set_window(s, w);
}

static void on_loss(void *state, const void *p, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    struct rccc *s = state;
    const struct rccc_params *q = p;

    if (q->base.ops->on_loss)
        q->base.ops->on_loss(base_state(state), q->base.params, &s->inner, a);
    set_window(s, w);
}

static void on_timeout(void *state, const void *p, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    struct rccc *s = state;
    const struct rccc_params *q = p;

    end_speculation(s);
    if (q->base.ops->on_timeout)
        q->base.ops->on_timeout(base_state(state), q->base.params, &s->inner,
                                a);
    set_window(s, w);
}

static void on_cnp(void *state, const void *p, struct orr_cc_window *w,
                   int64_t now_ps)
{
    struct rccc *s = state;
    const struct rccc_params *q = p;

    if (q->base.ops->on_cnp)
        q->base.ops->on_cnp(base_state(state), q->base.params, &s->inner,
                            now_ps);
    set_window(s, w);
}

static uint32_t quanta(int64_t bytes)
{
    return (uint32_t)((bytes + ORR_CC_QUANTUM - 1) >> ORR_CC_QUANTUM_BITS);
}

/* Of what is still to be sent as much as the window lets go, and the most that
 * there may be. While nothing was answered a packet at least. */
static struct orr_cc_request request(const void *state, const void *p,
                                     uint64_t backlog)
{
    const struct rccc *s = state;
    double most = (s->inner.cwnd + 1) * s->packet;
    int64_t wanted = backlog < (uint64_t)s->most ? (int64_t)backlog : s->most;

    if ((double)wanted > most)
        wanted = (int64_t)most;
    wanted -= s->credit;
    if (s->speculating && backlog > 0 && (double)wanted < s->packet)
        wanted = (int64_t)s->packet;
    return (struct orr_cc_request){s->pull + quanta(wanted),
                                   (uint32_t)(s->most >> ORR_CC_QUANTUM_BITS)};
}

/* pull: quanta given so far. */
static void on_pull(void *state, const void *p, struct orr_cc_window *w,
                    uint32_t pull)
{
    struct rccc *s = state;
    int32_t more = (int32_t)(pull - s->pull);

    end_speculation(s);
    if (more > 0) {
        s->credit += (int64_t)more << ORR_CC_QUANTUM_BITS;
        s->credit = s->credit < s->most ? s->credit : s->most;
        s->pull = pull;
    }
    set_window(s, w);
}

extern const struct orr_cc_ops orr__cc_rccc;
const struct orr_cc_ops orr__cc_rccc = {
    .name = "rccc",
    .doc = "RCCC (Ultra Ethernet): the receiver gives credits; alone, or "
           "beside a control of the sender",
    .state_size = sizeof(struct rccc),
    .params_size = sizeof(struct rccc_params),
    .params = params,
    .rdma = true,
    .wraps = true,
    .alone = true,
    .check = check,
    .init = init,
    .on_send = on_send,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
    .on_cnp = on_cnp,
    .request = request,
    .on_pull = on_pull,
};
