/* Packet trimming (NDP, SIGCOMM'17, section 3.1): a data packet that does not
 * fit loses its payload, and the header goes first, so that the receiver hears
 * of the loss within a round trip. ACKs go first too.
 *
 * What goes first must neither run out of room nor take the whole link. Every
 * sender's first window may arrive as headers, so that they have twice the room
 * of the data, as in the simulator of Ultra Ethernet's authors (uet-htsim,
 * CompositeQueue). While data waits they get half of the link: the ten headers
 * for a packet of NDP are an eighth of it where packets have 4 KB, and then the
 * headers of a large incast are dropped, which costs a timeout each; with none
 * of such limits many senders that repeat at once could take the link for ever.
 *
 * Data is marked between two thresholds as
 * well, when it is taken out to be sent, for controls that want both (Ultra
 * Ethernet). */
#include "core/units.h"
#include "net/queue/idle.h"
#include "net/queue/red.h"

/* Sizes in bytes: data, a cut packet, and room for what goes first. */
struct trim {
    uint64_t capacity, header, control;
    int64_t ahead;
    struct orr_red line;
};

static const struct orr_param params[] = {
    {.key = "capacity",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct trim, capacity),
     .fallback = "1MiB",
     .min = "1B",
     .help = "bytes of data that may wait, the packet in service included",
     .idle = orr__idle_capacity},
    {.key = "header",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct trim, header),
     .fallback = "64B",
     .min = "1B",
     .max = "64KiB",
     .help = "bytes left of a packet that is cut"},
    {.key = "control",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct trim, control),
     .fallback = "auto",
     .min = "1B",
     .help = "bytes of cut packets and ACKs that may wait; auto: twice the "
             "capacity"},
    {.key = "ahead",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct trim, ahead),
     .fallback = "auto",
     .min = "1",
     .max = "1000000000",
     .help = "cut packets and ACKs sent in a row while a data packet waits; "
             "auto: as many bytes as a full packet"},
    {.key = "kmin",
     .type = ORR_PARAM_SIZE_BY_RATE,
     .offset = offsetof(struct trim, line.kmin),
     .fallback = "auto",
     .help = "no mark if at most this much stays behind a data packet; auto: a "
             "fifth of the capacity"},
    {.key = "kmax",
     .type = ORR_PARAM_SIZE_BY_RATE,
     .offset = offsetof(struct trim, line.kmax),
     .fallback = "auto",
     .help = "always a mark if more stays behind; auto: four fifths of the "
             "capacity"},
    {.key = "pmax",
     .type = ORR_PARAM_REAL_BY_RATE,
     .offset = offsetof(struct trim, line.pmax),
     .fallback = "1",
     .min = "0",
     .max = "1",
     .help = "probability of a mark at kmax"},
    ORR_PARAM_END,
};

static orr_err check(struct orr_config *c, const struct orr_yaml *at, void *p,
                     struct orr_report *why)
{
    struct trim *q = p;
    orr_err err = orr__red_check(c, at, &q->line, why);

    q->line.weight = 1;
    if (q->control == ORR_AUTO_SIZE)
        q->control =
            q->capacity < ORR_AUTO_SIZE / 2 ? 2 * q->capacity : q->capacity;
    return err;
}

static bool wants_departures(const void *p)
{
    return true;
}

static uint64_t kmin_of(const struct trim *q, uint64_t rate_bps)
{
    return orr__queue_value(&q->line.kmin, rate_bps).size;
}

/* Without thresholds of its own marks begin at 1/5 and are certain at 4/5 of
 * the capacity, as in uet-htsim. */
static void limits(const void *p, uint64_t rate_bps,
                   struct orr_queue_limits *out)
{
    const struct trim *q = p;

    out->drop_ps = orr__serialisation(q->capacity, rate_bps);
    out->mark_ps = ORR_NEVER;
    out->at_dequeue = true;
    out->from_kmin = true;
    out->trim_bytes = (uint32_t)q->header;
    out->ahead = q->ahead == ORR_AUTO ? ORR_AHEAD_A_PACKET : (uint32_t)q->ahead;
    out->first_ps = orr__serialisation(q->control, rate_bps);
    orr__red_limits(&q->line, rate_bps, out);
    if (kmin_of(q, rate_bps) == ORR_AUTO_SIZE) {
        out->kmin_ps = orr__serialisation(q->capacity / 5, rate_bps);
        out->kmax_ps = orr__serialisation(q->capacity / 5 * 4, rate_bps);
    }
}

static enum orr_verdict judge(const void *p, const struct orr_queue_limits *l,
                              const struct orr_queue_case *c)
{
    const struct trim *q = p;

    return orr__red_picks(&q->line, l, c) ? ORR_VERDICT_MARK : ORR_VERDICT_PASS;
}

static bool marks_from(const struct trim *q, uint64_t kmin)
{
    return kmin < q->capacity || kmin == ORR_AUTO_SIZE;
}

static bool marks(const void *p)
{
    const struct trim *q = p;
    const struct orr_by_rate *kmin = &q->line.kmin;
    bool any = false;

    for (size_t i = 0; i < kmin->n; i++)
        any |= marks_from(q, kmin->entry[i].value.size);
    return any || (!kmin->n && marks_from(q, kmin->one.size));
}

extern const struct orr_queue_ops orr__queue_trim;
const struct orr_queue_ops orr__queue_trim = {
    .name = "trim",
    .doc = "cuts packets that do not fit to their headers, which go first",
    .params_size = sizeof(struct trim),
    .params = params,
    .check = check,
    .wants_departures = wants_departures,
    .limits = limits,
    .judge = judge,
    .trims = true,
    .marks = marks,
};
