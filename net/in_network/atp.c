/* ATP (NSDI'21): all jobs share the slots of a switch by a hash, and whoever
 * comes first has one; what finds another packet in its slot goes on to a
 * parameter server, which adds it there. Windows grow by a packet of 1,500 B
 * with each result, up to 100 packets, and are halved by a mark, once in a
 * window, or by a loss. */
#include <stddef.h>

#include "core/snapshot.h"
#include "net/in_network/in_network.h"

#define STEP_BYTES 1500
#define MOST       100 /* packets */

/* Of one member on one tree, in its sender's state of the control. Zero is a
 * good start of all but `step`, which the size of a packet gives. */
struct atp {
    double step;  /* packets that a result adds */
    uint32_t end; /* one mark counts until this is acknowledged */
};

static void init(void *state, const void *params, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    struct atp *a = state;

    a->step = (double)STEP_BYTES / (double)path->packet_bytes;
    if (w->cwnd > MOST)
        w->cwnd = MOST;
}

static void halve_window(struct atp *a, struct orr_cc_window *w, uint32_t next)
{
    w->cwnd = w->cwnd / 2 > 1 ? w->cwnd / 2 : 1;
    a->end = next;
}

/* A marked result halves the window unless that was done for a packet sent at
 * the same time; any other lets it grow, to MOST at most. */
static void on_ack(void *state, const void *params, struct orr_cc_window *w,
                   const struct orr_cc_ack *k)
{
    struct atp *a = state;

    if (k->echo) {
        if ((int32_t)(k->una - a->end) >= 0)
            halve_window(a, w, k->next);
        return;
    }
    w->cwnd += a->step * w->gain;
    if (w->cwnd > MOST)
        w->cwnd = MOST;
}

static void on_loss(void *state, const void *params, struct orr_cc_window *w,
                    const struct orr_cc_ack *k)
{
    struct atp *a = state;

    if ((int32_t)(k->una - a->end) >= 0)
        halve_window(a, w, k->next);
}

static void snapshot_state(void *state, const void *params,
                           struct orr_snapshot *w, uint32_t una)
{
    const struct atp *a = state;
    bool past = (int32_t)(una - a->end) >= 0;

    orr__snapshot_value(w, past ? 0 : a->end - una);
}

static const struct orr_cc_ops control = {
    .name = "atp",
    .doc = "AIMD of ATP",
    .state_size = sizeof(struct atp),
    .signals = ORR_CC_MARKS,
    .init = init,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_loss,
    .snapshot = snapshot_state,
};

static const struct orr_param params[] = {
    ORR_IN_NETWORK_PARAMS("20000", "248B", "100", "32", "1ms"),
    ORR_PARAM_END,
};

extern const struct orr_in_network_ops orr__in_network_atp;
const struct orr_in_network_ops orr__in_network_atp = {
    .name = "atp",
    .doc = "ATP: slots by a hash, first come, first served; what gets none is "
           "added at a parameter server",
    .params = params,
    .pool = ORR_POOL_HASHED,
    .server = true,
    .gap = 3,
    .control = &control,
};
