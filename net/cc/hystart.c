/* HyStart++: RFC 9406, section 4.2, with the constants of section 4.3. */
#include "net/cc/hystart.h"

#include "core/snapshot.h"
#include "core/units.h"

enum { SAMPLES = 8, ROUNDS = 5, DIVISOR = 8 };
static const int64_t least_rise = 4 * ORR_MS, most_rise = 16 * ORR_MS;

/* What a round-trip time has to rise by. */
static int64_t threshold(int64_t rtt)
{
    int64_t rise = rtt / DIVISOR < most_rise ? rtt / DIVISOR : most_rise;

    return rise > least_rise ? rise : least_rise;
}

static void begin_round(struct orr_hystart *h, const struct orr_cc_ack *a)
{
    h->round_end = a->next;
    h->last = h->least;
    h->least = INT64_MAX;
    h->samples = 0;
}

/* Enough samples of this round: has the delay risen, or was that a mistake? */
static void check_delay(struct orr_hystart *h)
{
    if (h->slower && h->least < h->baseline) {
        h->slower = false;
        h->baseline = INT64_MAX;
    } else if (!h->slower && h->last != INT64_MAX
               && h->least - h->last >= threshold(h->last)) {
        h->slower = true;
        h->baseline = h->least;
        h->rounds = 1;
    }
}

bool orr__hystart_acked(struct orr_hystart *h, const struct orr_cc_ack *a)
{
    if ((int32_t)(a->una - h->round_end) >= 0) {
        begin_round(h, a);
        if (h->slower && ++h->rounds > ROUNDS) {
            h->on = false;
            return true;
        }
    }
    if (a->rtt_ps < 0)
        return false;
    if (a->rtt_ps < h->least)
        h->least = a->rtt_ps;
    if (++h->samples >= SAMPLES)
        check_delay(h);
    return false;
}

void orr__hystart_snapshot(const struct orr_hystart *h, struct orr_snapshot *w,
                           uint32_t una)
{
    orr__snapshot_value(w, h->on);
    if (!h->on)
        return;
    orr__snapshot_value(w, h->slower);
    orr__snapshot_value(w, h->round_end - una);
    orr__snapshot_value(w, h->samples);
    orr__snapshot_value(w, h->rounds);
    orr__snapshot_value(w, (uint64_t)h->last);
    orr__snapshot_value(w, (uint64_t)h->least);
    orr__snapshot_value(w, (uint64_t)h->baseline);
}
