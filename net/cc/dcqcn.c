/* DCQCN: "Congestion Control for Large-Scale RDMA Deployments" (SIGCOMM'15),
 * section 3, in two forms.
 *
 * paper: the reaction point of section 3.1. A notification cuts the rate at
 * once (equation 1); alpha decays when none came for a while (equation 2); a
 * timer and a byte counter raise the rate again (equations 3 and 4).
 *
 * vendor: what NICs do and the ns-3 simulators of the HPCC family model.
 * Notifications are only remembered; timers of their own look every so often
 * whether one came, for alpha and for the cut. There is no byte counter, and
 * every marked ACK is a notification.
 *
 * decrease_interval tells the forms apart; all else are numbers. Timers are
 * caught up with, in order of time, whenever the control is called. */
#include "core/assert.h"
#include "core/snapshot.h"
#include "core/units.h"
#include "net/cc/idle.h"
#include "net/cc/rate.h"

enum preset { PRESET_VENDOR, PRESET_PAPER };
static const char *const presets[] = {"vendor", "paper", NULL};

/* Rates in bit/s, ORR_AUTO_SIZE: by line rate; decrease_ps 0: as in the
 * paper. */
struct dcqcn_params {
    struct orr_rate_params rate;
    int preset;
    int64_t cnp_ps, alpha_ps, decrease_ps, increase_ps;
    uint64_t counter_bytes;
    int64_t recovery;
    uint64_t ai_bps, hai_bps;
    double g;
    int clamp;
};

/* A connection's state; rates in bit/s. Ticks are not timers of the net: they
 * are caught up with when something is sent or acknowledged. */
struct dcqcn {
    struct orr_rate bounds;
    double rate, target, alpha;
    double ai, hai;               /* bit/s a step */
    bool active;                  /* a notification has come */
    bool for_alpha, for_decrease; /* one came since that timer's last tick */
    /* Next ticks; ORR_NEVER: it does not run. */
    int64_t alpha_at, decrease_at, increase_at;
    int64_t ticks, fills; /* of timer and byte counter since the last cut */
    uint64_t bytes;       /* in the byte counter */
};

enum clamp { CLAMP_AUTO, CLAMP_YES, CLAMP_NO };
static const char *const clamps[] = {"auto", "true", "false", NULL};

#define FIELD(name) .offset = offsetof(struct dcqcn_params, name)

static const struct orr_param params[] = {
    {.key = "preset",
     .type = ORR_PARAM_CHOICE,
     FIELD(preset),
     .fallback = "vendor",
     .choices = presets,
     .help = "meaning of `auto` below: vendor (NICs with their own timers, as "
             "in the HPCC family of simulators) or paper (SIGCOMM'15)"},
    {.key = "cnp_interval",
     .type = ORR_PARAM_TIME,
     FIELD(cnp_ps),
     .fallback = "auto",
     .help = "least time between two notification packets from the receiver; "
             "0ns: none, every marked ACK notifies (vendor 0ns, paper 50us)",
     .idle = orr__cc_idle_marks},
    {.key = "alpha_interval",
     .type = ORR_PARAM_TIME,
     FIELD(alpha_ps),
     .fallback = "auto",
     .min = "1ns",
     .help = "alpha's timer (vendor 1us, paper 55us)",
     .idle = orr__cc_idle_marks},
    {.key = "decrease_interval",
     .type = ORR_PARAM_TIME,
     FIELD(decrease_ps),
     .fallback = "auto",
     .help = "least time between two cuts of the rate; 0ns: at every "
             "notification (vendor 4us, paper 0ns)",
     .idle = orr__cc_idle_marks},
    {.key = "increase_interval",
     .type = ORR_PARAM_TIME,
     FIELD(increase_ps),
     .fallback = "auto",
     .min = "1ns",
     .help = "the rate increase timer T (vendor 300us, paper 55us)",
     .idle = orr__cc_idle_marks},
    {.key = "byte_counter",
     .type = ORR_PARAM_SIZE,
     FIELD(counter_bytes),
     .fallback = "auto",
     .help = "bytes after which the rate also increases; 0B: never (vendor 0B, "
             "paper 10MB)",
     .idle = orr__cc_idle_marks},
    {.key = "recovery",
     .type = ORR_PARAM_INT,
     FIELD(recovery),
     .fallback = "auto",
     .min = "0",
     .max = "1000",
     .help = "steps of fast recovery before additive increase (vendor 1, "
             "paper 5)",
     .idle = orr__cc_idle_marks},
    {.key = "rate_ai",
     .type = ORR_PARAM_RATE,
     FIELD(ai_bps),
     .fallback = "auto",
     .help = "a step of additive increase (vendor 5Mbps, paper 25Mbps for "
             "every 25Gbps of the source's line rate)",
     .idle = orr__cc_idle_marks},
    {.key = "rate_hai",
     .type = ORR_PARAM_RATE,
     FIELD(hai_bps),
     .fallback = "auto",
     .help = "a step of hyper increase (auto: ten of additive increase)",
     .idle = orr__cc_idle_marks},
    {.key = "g",
     .type = ORR_PARAM_REAL,
     FIELD(g),
     .fallback = "0.00390625",
     .min = "0",
     .max = "1",
     .help = "weight of a notification in alpha",
     .idle = orr__cc_idle_marks},
    {.key = "clamp",
     .type = ORR_PARAM_CHOICE,
     FIELD(clamp),
     .fallback = "auto",
     .choices = clamps,
     .help = "every cut sets the target to the previous rate; false: only the "
             "first after an increase (vendor false, paper true)",
     .idle = orr__cc_idle_marks},
    ORR_RATE_PARAMS(struct dcqcn_params, rate.),
    ORR_PARAM_END,
};

static void set_time(int64_t *field, int64_t vendor, int64_t paper,
                     bool is_paper)
{
    if (*field == ORR_AUTO)
        *field = is_paper ? paper : vendor;
}

/* What `auto` stands for. */
static orr_err check(struct orr_config *c, const struct orr_yaml *at, void *p,
                     struct orr_report *why)
{
    struct dcqcn_params *q = p;
    bool paper = q->preset == PRESET_PAPER;

    set_time(&q->cnp_ps, 0, 50 * ORR_US, paper);
    set_time(&q->alpha_ps, ORR_US, 55 * ORR_US, paper);
    set_time(&q->decrease_ps, 4 * ORR_US, 0, paper);
    set_time(&q->increase_ps, 300 * ORR_US, 55 * ORR_US, paper);
    set_time(&q->recovery, 1, 5, paper);
    if (q->counter_bytes == ORR_AUTO_SIZE)
        q->counter_bytes = paper ? 10000000 : 0;
    if (q->clamp == CLAMP_AUTO)
        q->clamp = paper ? CLAMP_YES : CLAMP_NO;
    return ORR_OK;
}

static int64_t cnp_interval(const void *p)
{
    return ((const struct dcqcn_params *)p)->cnp_ps;
}

/* Begins at the initial rate with alpha 1 and all timers off: they run from the
 * first notification on. */
static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    const struct dcqcn_params *q = p;
    struct dcqcn *d = state;
    double paper = q->preset == PRESET_PAPER ? 5 : 1;

    orr__rate_init(&d->bounds, &q->rate, w, path);
    d->rate = d->target = w->rate;
    d->alpha = 1;
    /* 5 Mbps of 25 Gbps; in the paper 40 Mbps of 40 Gbps */
    d->ai = orr__rate_step(&d->bounds, q->ai_bps, paper / 5000);
    d->hai = q->hai_bps == ORR_AUTO_SIZE ? 10 * d->ai : (double)q->hai_bps;
    d->alpha_at = d->decrease_at = d->increase_at = ORR_NEVER;
}

/* ---- decrease ---- */

/* A reduction (equation 1), never below the least rate; the increase starts
 * anew with its timer and byte counter at 0. */
static void cut_rate(struct dcqcn *d, const struct dcqcn_params *q, int64_t now)
{
    if (q->clamp == CLAMP_YES || d->ticks || d->fills)
        d->target = d->rate;
    ORR_ASSERT(d->alpha >= 0 && d->alpha < 2); /* a cut leaves something */
    d->rate *= 1 - d->alpha / 2;
    if (d->rate < d->bounds.least)
        d->rate = d->bounds.least;
    d->ticks = d->fills = 0;
    d->bytes = 0;
    d->increase_at = orr__time_add(now, q->increase_ps);
}

/* (1 - g)^n, n >= 0. */
static double decay_power(double g, int64_t n)
{
    double power = 1, square = 1 - g;

    ORR_ASSERT(n >= 0);
    for (; n > 0; n >>= 1) {
        if (n & 1)
            power *= square;
        square *= square;
    }
    return power;
}

/* How many ticks of a timer that is due at `at` there are up to `end`. */
static int64_t ticks_to(int64_t at, int64_t period, int64_t end)
{
    ORR_ASSERT(at == ORR_NEVER || period > 0);
    return at > end ? 0 : (end - at) / period + 1;
}

/* When it is due after n > 0 of them. */
static int64_t next_tick(int64_t at, int64_t period, int64_t n)
{
    return orr__time_add(at + (n - 1) * period, period);
}

/* Alpha's ticks up to `end`: only the first can have seen a notification. */
static void catch_up_alpha(struct dcqcn *d, const struct dcqcn_params *q,
                           int64_t end)
{
    int64_t n = ticks_to(d->alpha_at, q->alpha_ps, end);

    if (n == 0)
        return;
    d->alpha_at = next_tick(d->alpha_at, q->alpha_ps, n);
    if (d->for_alpha) {
        d->alpha = (1 - q->g) * d->alpha + q->g;
        d->for_alpha = false;
        n--;
    }
    if (n)
        d->alpha *= decay_power(q->g, n);
}

/* ---- increase ---- */

/* How much the target grows at this step: fast recovery while neither counter
 * is beyond its steps, hyper increase when both are; with no byte counter one
 * step of additive increase lies between. */
static double growth(const struct dcqcn *d, const struct dcqcn_params *q)
{
    int64_t most = d->ticks > d->fills ? d->ticks : d->fills;
    int64_t least = d->ticks < d->fills ? d->ticks : d->fills;

    if (!q->counter_bytes)
        least = d->ticks - 1;
    if (most <= q->recovery)
        return 0;
    return least > q->recovery ? d->hai : d->ai;
}

static void raise_rate(struct dcqcn *d, double more)
{
    ORR_ASSERT(d->rate <= d->target && more >= 0);
    d->target += more;
    if (d->target > d->bounds.line)
        d->target = d->bounds.line;
    d->rate = (d->rate + d->target) / 2;
    if (d->target - d->rate < 1) /* bit/s: halving never quite gets there */
        d->rate = d->target;
}

#define SETTLED 64 /* halvings that leave nothing of a double's difference */

/* n ticks of the increase timer, however many. Beyond two steps after fast
 * recovery all are alike; after SETTLED of them the rate follows the target at
 * the distance of a step, and what is left up to line rate is one product. */
static void increase(struct dcqcn *d, const struct dcqcn_params *q, int64_t n,
                     double gain)
{
    double line = d->bounds.line;

    for (int run = 0; n > 0; run++) {
        if (d->rate >= line && d->target >= line) {
            d->ticks += n;
            return;
        }
        if (d->ticks < q->recovery + 2)
            run = 0;
        if (run == SETTLED) {
            double more = growth(d, q) * gain;
            double room = (line - d->target) / more; /* NaN: none is needed */
            int64_t same = room < (double)n ? (int64_t)room : n;

            d->ticks += same;
            n -= same;
            d->target += more * (double)same;
            d->rate = d->target - more;
            run = 0;
            continue;
        }
        d->ticks++;
        n--;
        raise_rate(d, growth(d, q) * gain);
    }
}

/* Those ticks of the increase timer that are due up to `end`. */
static void catch_up_increase(struct dcqcn *d, const struct dcqcn_params *q,
                              int64_t end, double gain)
{
    int64_t n = ticks_to(d->increase_at, q->increase_ps, end);

    if (n == 0)
        return;
    d->increase_at = next_tick(d->increase_at, q->increase_ps, n);
    increase(d, q, n, gain);
}

/* ---- events ---- */

/* All ticks up to now, in order of time and at one instant alpha's first, then
 * the cut's, which puts the increase off. A notification is remembered only
 * until the next tick: at most one of them cuts. */
static void catch_up(struct dcqcn *d, const struct dcqcn_params *q, int64_t now,
                     double gain)
{
    int64_t n = ticks_to(d->decrease_at, q->decrease_ps, now);

    if (n && d->for_decrease) {
        catch_up_alpha(d, q, d->decrease_at);
        catch_up_increase(d, q, d->decrease_at - 1, gain);
        cut_rate(d, q, d->decrease_at);
        d->for_decrease = false;
    }
    if (n)
        d->decrease_at = next_tick(d->decrease_at, q->decrease_ps, n);
    catch_up_alpha(d, q, now);
    catch_up_increase(d, q, now, gain);
}

/* A congestion notification. In the paper it cuts at once; in the form of NICs
 * it only marks the interval, and the tick of decrease_ps cuts. */
static void take_notification(struct dcqcn *d, const struct dcqcn_params *q,
                              int64_t now)
{
    bool first = !d->active;

    d->active = true;
    if (q->decrease_ps == 0) { /* equation 1 */
        cut_rate(d, q, now);
        d->alpha = (1 - q->g) * d->alpha + q->g;
        d->alpha_at = orr__time_add(now, q->alpha_ps);
        return;
    }
    d->for_decrease = true;
    if (first) {
        d->alpha_at = orr__time_add(now, q->alpha_ps);
        d->decrease_at = orr__time_add(now, q->decrease_ps);
    } else {
        d->for_alpha = true;
    }
}

static void on_cnp(void *state, const void *p, struct orr_cc_window *w,
                   int64_t now_ps)
{
    const struct dcqcn_params *q = p;
    struct dcqcn *d = state;

    catch_up(d, q, now_ps, w->gain);
    take_notification(d, q, now_ps);
    orr__rate_set(&d->bounds, &q->rate, w, d->rate);
}

/* With a notification interval of 0 each marked ACK is a notification; else it
 * only moves the clock. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    const struct dcqcn_params *q = p;
    struct dcqcn *d = state;

    if (a->echo && q->cnp_ps == 0) {
        on_cnp(state, p, w, a->now_ps);
    } else if (d->active) {
        catch_up(d, q, a->now_ps, w->gain);
        orr__rate_set(&d->bounds, &q->rate, w, d->rate);
    }
}

/* Counts bytes towards an increase, after the ticks that are due; nothing until
 * the first notification. */
static void on_send(void *state, const void *p, struct orr_cc_window *w,
                    int64_t now_ps, uint32_t bytes)
{
    const struct dcqcn_params *q = p;
    struct dcqcn *d = state;

    if (!d->active)
        return;
    catch_up(d, q, now_ps, w->gain);
    d->bytes += bytes;
    if (q->counter_bytes && d->bytes >= q->counter_bytes) {
        d->bytes %= q->counter_bytes; /* at most once a packet */
        d->fills++;
        raise_rate(d, growth(d, q) * w->gain);
    }
    orr__rate_set(&d->bounds, &q->rate, w, d->rate);
}

static double alpha_of(const void *state)
{
    return ((const struct dcqcn *)state)->alpha;
}

/* Before the first notification the rate is all there is: no timer runs. */
static void snapshot(void *state, const void *p, struct orr_snapshot *w,
                     uint32_t una)
{
    struct dcqcn *d = state;

    orr__snapshot_real(w, d->rate);
    orr__snapshot_value(w, d->active);
    if (!d->active)
        return; /* at its first rate, and no timer runs */
    orr__snapshot_real(w, d->target);
    orr__snapshot_real(w, d->alpha);
    orr__snapshot_value(w, d->for_alpha | d->for_decrease << 1);
    orr__snapshot_time(w, &d->alpha_at);
    orr__snapshot_time(w, &d->decrease_at);
    orr__snapshot_time(w, &d->increase_at);
    orr__snapshot_value(w, (uint64_t)d->ticks);
    orr__snapshot_value(w, (uint64_t)d->fills);
    orr__snapshot_value(w, d->bytes);
}

extern const struct orr_cc_ops orr__cc_dcqcn;
const struct orr_cc_ops orr__cc_dcqcn = {
    .name = "dcqcn",
    .doc = "DCQCN (SIGCOMM'15): a rate, reduced by notifications of marked "
           "packets",
    .signals = ORR_CC_MARKS,
    .state_size = sizeof(struct dcqcn),
    .params_size = sizeof(struct dcqcn_params),
    .params = params,
    .rdma = true,
    .marks = true,
    .check = check,
    .cnp_interval = cnp_interval,
    .init = init,
    .on_send = on_send,
    .on_ack = on_ack,
    .on_cnp = on_cnp,
    .estimate = alpha_of,
    .snapshot = snapshot,
};
