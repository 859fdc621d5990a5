/* NSCC, the sender's congestion control of the Ultra Ethernet Consortium
 * (Specification 1.0, section 3.6.13), as the consortium's authors simulate it
 * (uet-htsim). A mark says that a queue is long now, the delay says how long
 * packets waited; together they make four cases:
 *
 *            | little delay          | much delay
 *   no mark  | increase by what the  | increase gently: the queue is
 *            | delay falls short      | going down already
 *   mark     | nothing: a queue that | decrease by what the delay is
 *            | has only begun        | too much, once a round trip
 *
 * A loss, a cut packet or a very long delay starts a quick adaptation: the
 * window becomes what arrived in the last round trip and target delay.
 *
 * The window is in bytes on the wire. Constants are those of a reference
 * network of 100 Gbps and 12 us; `a` is how much more there is in flight in
 * this one, and all of them grow with it. There is no multi-path part: paths
 * are the business of network.routing. Queues have to mark: without marks only
 * losses and very long delays make the window smaller. */
#include "core/snapshot.h"
#include "net/cc/cc.h"

static const double reference_bytes = 100e9 / 8 * 12e-6;
static const double reference_rtt = 12e6; /* ps */

/* Names of section 3.6.13, times in ps, sizes in shares of the bandwidth-delay
 * product. */
struct nscc_params {
    int64_t target; /* ps, or ORR_AUTO */
    int64_t fast_delay;
    double alpha, fair, fast, eta, gamma, max_cut, average;
    double most, qa_delay, qa_share, adjust;
};

/* A connection's state; sizes are bytes of the wire, as in the
 * specification. */
struct nscc {
    double cwnd, given;       /* bytes; what w->cwnd was set to, packets */
    double most, packet, rtt; /* bytes, bytes, ps (nothing queued) */
    double target, a, alpha;  /* ps, 1, bytes / ps */
    double increase;          /* to be divided by the window, byte^2 */
    double received;          /* bytes since the last adjustment */
    double clear;             /* bytes in a row with next to no delay */
    double delay;             /* mean, ps */
    double achieved;          /* bytes in this interval of quick adaptation */
    double ignore;            /* bytes still to come that were sent before it */
    int64_t adjusted, cut, qa_end; /* ps; qa_end 0: not begun */
    uint64_t samples;              /* that entered the mean */
    uint64_t uses; /* of these other than 0, and questions what it is */
    bool rushing;  /* in fast increase */
    bool trigger;  /* quick adaptation was asked for */
};

/* Of a mean delay beyond the target, gamma cuts less than its own share. */
static const char *cuts_less(const void *set, const void *around)
{
    const struct nscc_params *q = set;

    return q->gamma <= q->max_cut ? "`gamma` is no larger, so no decrease is"
                                  : NULL;
}

static const char *adapts_never(const void *set, const void *around)
{
    const struct nscc_params *q = set;

    return q->qa_share > 0 ? NULL
                           : "with `qa_share: 0` there is no quick adaptation";
}

#define AT(member) offsetof(struct nscc_params, member)
#define NUMBER(name, at, value, least, what)                                   \
    {                                                                          \
        .key = name, .type = ORR_PARAM_REAL, .offset = AT(at),                 \
        .fallback = value, .min = least, .help = what                          \
    }
static const struct orr_param params[] = {
    {.key = "target_delay",
     .type = ORR_PARAM_TIME,
     .offset = AT(target),
     .fallback = "auto",
     .min = "1ns",
     .help = "target of the delay in queues; auto: the round-trip time of a "
             "full packet through the empty path, 0.75 of it where queues "
             "trim packets"},
    NUMBER("alpha", alpha, "4", "0",
           "proportional increase: packets a window with no delay and the "
           "reference's target of 12us"),
    NUMBER("fair", fair, "5", "0",
           "fair increase (much delay, no mark), packets a window"),
    NUMBER("fast", fast, "0.25", "0",
           "fast increase, share of the bytes acknowledged"),
    {.key = "fast_delay",
     .type = ORR_PARAM_TIME,
     .offset = AT(fast_delay),
     .fallback = "1us",
     .min = "0ns",
     .help = "fast increase begins after a window below this delay"},
    NUMBER("eta", eta, "0.15", "0",
           "minimum increase, packets a round trip (a window at its maximum "
           "stays there)"),
    {.key = "gamma",
     .type = ORR_PARAM_REAL,
     .offset = AT(gamma),
     .fallback = "0.8",
     .min = "0",
     .max = "1",
     .help = "window decrease per relative excess delay"},
    {.key = "max_decrease",
     .type = ORR_PARAM_REAL,
     .offset = AT(max_cut),
     .fallback = "0.5",
     .min = "0",
     .max = "1",
     .help = "largest relative decrease of the window",
     .idle = cuts_less},
    {.key = "delay_gain",
     .type = ORR_PARAM_REAL,
     .offset = AT(average),
     .fallback = "0.0125",
     .min = "0",
     .max = "1",
     .help = "weight of the newest sample in the mean delay"},
    NUMBER("max_window", most, "1.5", "0.01",
           "largest and initial window, in bandwidth-delay products of the "
           "port's rate and the empty round-trip time"),
    {.key = "qa_delay",
     .type = ORR_PARAM_REAL,
     .offset = AT(qa_delay),
     .fallback = "4",
     .min = "0",
     .help = "quick adaptation at this many target delays",
     .idle = adapts_never},
    NUMBER("qa_share", qa_share, "0.125", "0",
           "and only if less than this share of the largest window was "
           "delivered; 0: no quick adaptation"),
    NUMBER("adjust", adjust, "8", "1",
           "packets acknowledged before increases are applied, at most a round "
           "trip"),
    ORR_PARAM_END,
};

static void set_window(struct nscc *s, struct orr_cc_window *w)
{
    if (s->cwnd > s->most)
        s->cwnd = s->most;
    if (s->cwnd < s->packet)
        s->cwnd = s->packet;
    w->cwnd = s->given = s->cwnd / s->packet;
}

/* Begins at the largest window. Constants scale with path and packet against
 * those of the authors' reference network. */
static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    struct nscc *s = state;
    const struct nscc_params *q = p;
    double bdp;

    s->rtt = (double)path->base_rtt_ps;
    bdp = (double)path->line_bps / 8 * s->rtt * 1e-12;
    s->packet = path->packet_bytes;
    s->most = q->most * bdp;
    s->target = q->target != ORR_AUTO ? (double)q->target
                                      : s->rtt * (path->trims ? 0.75 : 1);
    s->a = bdp / reference_bytes;
    s->alpha = q->alpha * s->packet * s->a / reference_rtt;
    s->cut = INT64_MIN / 2;
    s->adjusted = path->now_ps;
    s->cwnd = s->most;
    set_window(s, w);
}

/* A sample without a mark above the target is an old queue going down: it
 * enters as a quarter of the empty round trip. */
static void average(struct nscc *s, const struct nscc_params *q, double delay,
                    bool mark)
{
    if (!mark && delay > s->target)
        delay = s->rtt / 4;
    s->delay += (delay - s->delay) * q->average;
    s->samples++;
    s->uses += delay > 0;
}

/* True if this ACK has no other effect: the window was adapted, or the packet
 * was sent before it was. */
static bool quick_adapt(struct nscc *s, const struct nscc_params *q, bool mark,
                        double delay, const struct orr_cc_ack *a)
{
    bool done = false;

    if (s->ignore > 0 && mark) {
        done = true;
    } else if (a->now_ps > s->qa_end) {
        if (s->qa_end && (s->trigger || delay > q->qa_delay * s->target)
            && s->achieved < q->qa_share * s->most) {
            s->ignore = a->in_flight * s->packet;
            s->cwnd = s->achieved;
            s->trigger = false;
            done = true;
        }
        s->achieved = 0;
        s->qa_end = a->now_ps + (int64_t)(s->rtt + s->target);
    }
    if (done)
        s->increase = s->received = 0;
    return done;
}

/* Much delay and a mark: by the delay beyond the target, at most max_cut and
 * once a round trip. */
static void decrease(struct nscc *s, const struct nscc_params *q, int64_t now)
{
    double share;

    s->rushing = false;
    s->clear = 0;
    s->uses++;
    if (s->delay <= s->target || (double)(now - s->cut) <= s->rtt)
        return;
    share = 1 - q->gamma * (s->delay - s->target) / s->delay;
    s->cwnd *= share > 1 - q->max_cut ? share : 1 - q->max_cut;
    s->cut = now;
}

/* n bytes arrived, with less delay than the target. */
static void increase(struct nscc *s, const struct nscc_params *q, double gain,
                     double n, double delay)
{
    if (delay < (double)q->fast_delay) {
        s->clear += n;
        s->rushing = s->rushing || s->clear > s->cwnd;
    } else {
        s->clear = 0;
        s->rushing = false;
    }
    if (s->rushing)
        s->cwnd += q->fast * s->a * n;
    else
        s->increase += gain * s->alpha * n * (s->target - delay);
}

/* Turns the increase gathered so far into window, after so many bytes or a
 * round trip; a round trip adds eta as well. */
static void adjust(struct nscc *s, const struct nscc_params *q, double gain,
                   int64_t now)
{
    bool due = (double)(now - s->adjusted) >= s->rtt;

    if (s->received <= q->adjust * s->packet && !due)
        return;
    s->cwnd += s->increase / s->cwnd;
    if (due) {
        s->cwnd += gain * q->eta * s->packet * s->a;
        s->adjusted = now;
    }
    s->increase = s->received = 0;
}

/* n packets are missing for sure. */
static void missing(struct nscc *s, const struct nscc_params *q, double n,
                    const struct orr_cc_ack *a)
{
    s->trigger = true;
    s->ignore -= n * s->packet;
    if (!quick_adapt(s, q, true, 0, a) && !a->spared)
        s->cwnd -= n * s->packet;
}

/* Packets arrived: the four cases of the table above, unless quick adaptation
 * has its say. An ACK with no sample of its own counts with the mean. */
static void arrived(struct nscc *s, const struct nscc_params *q,
                    const struct orr_cc_window *w, const struct orr_cc_ack *a)
{
    double n = a->delivered * s->packet, delay = s->delay;

    s->achieved += n;
    s->received += n;
    s->ignore -= n;
    if (a->rtt_ps >= 0) {
        delay = (double)a->rtt_ps - s->rtt;
        delay = delay > 0 ? delay : 0;
        average(s, q, delay, a->echo);
    } else {
        s->uses++;
    }
    if (quick_adapt(s, q, a->echo, delay, a))
        return;
    if (a->echo && delay >= s->target)
        decrease(s, q, a->now_ps);
    else if (!a->echo && delay >= s->target)
        s->increase += w->gain * q->fair * s->packet * s->a * n;
    else if (!a->echo)
        increase(s, q, w->gain, n, delay);
    if (s->cwnd > s->most)
        s->cwnd = s->most;
    adjust(s, q, w->gain, a->now_ps);
}

/* A cut packet that an ACK tells of is a loss with one round trip of delay;
 * after it what was delivered counts. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    struct nscc *s = state;
    const struct nscc_params *q = p;

    if (w->cwnd < s->given) /* somebody else began anew */
        s->cwnd = w->cwnd * s->packet;
    if (a->trimmed) {
        average(s, q, s->rtt, true);
        missing(s, q, 1, a);
    }
    if (a->delivered)
        arrived(s, q, w, a);
    set_window(s, w);
}

static void on_loss(void *state, const void *p, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    if (a->trimmed)
        return; /* on_ack counts each packet */
    missing(state, p, 1, a);
    set_window(state, w);
}

static void on_timeout(void *state, const void *p, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    missing(state, p, a->next - a->una, a);
    set_window(state, w);
}

/* A moment that matters until it is over. */
static void snapshot_until(int64_t *t, bool over, struct orr_snapshot *w)
{
    orr__snapshot_value(w, !over);
    if (!over)
        orr__snapshot_time(w, t);
}

/* While packets never wait the mean only fades, and nothing depends on it. */
static void fade_delay(struct nscc *s, const struct nscc_params *q,
                       uint64_t samples)
{
    for (; samples > 0; samples--) {
        double before = s->delay;

        s->delay += (0 - s->delay) * q->average;
        if (s->delay == before)
            break;
    }
}

/* Samples of no delay shrink the mean by the same factor each, so they may
 * repeat; a use of the mean between them ends that. */
static void snapshot_delay(struct nscc *s, const struct nscc_params *q,
                           struct orr_snapshot *w)
{
    uint64_t samples, uses;

    orr__snapshot_idle(w, s->delay, s->uses);
    samples = orr__snapshot_more(w, s->samples);
    uses = orr__snapshot_more(w, s->uses);
    s->samples += samples;
    s->uses += uses;
    if (uses == 0)
        fade_delay(s, q, samples);
}

/* Moments that can no longer matter are not part of it: snapshot_until. */
static void snapshot(void *state, const void *p, struct orr_snapshot *w,
                     uint32_t una)
{
    struct nscc *s = state;

    snapshot_delay(s, p, w);
    orr__snapshot_real(w, s->cwnd);
    orr__snapshot_real(w, s->given);
    orr__snapshot_real(w, s->increase);
    orr__snapshot_real(w, s->received);
    orr__snapshot_real(w, s->rushing ? 0 : s->clear); /* is enough, and grows */
    orr__snapshot_real(w, s->achieved);
    orr__snapshot_real(w, s->ignore > 0 ? s->ignore : 0);
    snapshot_until(&s->adjusted, (double)(w->now - s->adjusted) >= s->rtt, w);
    snapshot_until(&s->cut, (double)(w->now - s->cut) > s->rtt, w);
    snapshot_until(&s->qa_end, s->qa_end < w->now, w);
    orr__snapshot_value(w,
                        s->rushing | s->trigger << 1 | (s->qa_end != 0) << 2);
}

static double mean_delay(const void *state)
{
    return ((const struct nscc *)state)->delay * 1e-12;
}

extern const struct orr_cc_ops orr__cc_nscc;
const struct orr_cc_ops orr__cc_nscc = {
    .name = "nscc",
    .doc = "NSCC (Ultra Ethernet): marks and delay together, and quick "
           "adaptation to deliveries",
    .signals = ORR_CC_MARKS | ORR_CC_DELAY,
    .state_size = sizeof(struct nscc),
    .params_size = sizeof(struct nscc_params),
    .params = params,
    .rdma = true,
    .marks = true,
    .init = init,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
    .estimate = mean_delay,
    .snapshot = snapshot,
};
