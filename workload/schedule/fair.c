/* fair: every link is shared exactly equally among the jobs that have something
 * to send over it (processor sharing, by the packet): the baseline that others
 * are measured against. It is ours, and what papers mean by fair sharing.
 *
 * Congestion control is set aside, for none shares exactly: each job has a
 * queue of its own at every port and a turn of its own at NICs (`scheduler:
 * fair`), which hold all and mark nothing, and each connection a window that
 * fills its way twice, so that it always has a packet where it waits, and none
 * waits elsewhere. Flows have queues of their own and keep their controls.
 */
#include "core/json.h"
#include "core/units.h"
#include "net/cc/cc.h"
#include "net/config/config.h"
#include "workload/job/adjust.h"
#include "workload/schedule/schedule.h"

static const struct orr_param params[] = {ORR_PARAM_END};

static const struct orr_schedule_ops *by_share(void)
{
    const struct orr_schedule_ops *const *all = orr__schedules();
    while (!(*all)->by_share)
        all++;
    return *all;
}

static void no_limits(const void *unused, uint64_t rate_bps,
                      struct orr_queue_limits *out)
{
    out->drop_ps = out->mark_ps = ORR_NEVER;
}

static const struct orr_queue_ops endless = {
    .name = "endless",
    .doc = "holds all",
    .limits = no_limits,
};

/* Endless queues, fair ports, no marks, and a fixed window for each connection
 * of a job. ORR_ECONFIG without ACKs. */
static orr_err serve(struct orr_world *w, struct orr_report *why)
{
    struct orr_net_config *c = &w->draft->config;
    if (c->transport != ORR_TRANSPORT_RELIABLE)
        return orr__yaml_fail(w->config, w->scheduler->at, why,
                              "schedule: fair shares need `network.transport: "
                              "reliable`");
    c->queue = &endless;
    c->queue_params = NULL;
    for (uint32_t i = 0; i < c->rules; i++)
        c->rule[i].queue = NULL;
    c->schedule = by_share();
    c->strict = false;
    if (!w->flows) /* whose controls stay as they are */
        c->marks_for = NULL;
    c->buffer.shared = false;
    c->pfc.enabled = false;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < w->n_jobs; i++) {
        struct orr_net_service *s = orr__job_service(w, &w->jobs[i]);
        if (!s)
            return orr__no_memory(why);
        s->weight = 1;
        s->class = 0;
        err = orr__cc_read(w->config, NULL, "", NULL, &s->cc, why);
    }
    return err;
}

/* What a full packet takes from one host to another; to itself: nothing. */
static int64_t time_to(const struct orr_world *w, uint32_t src, uint32_t dst)
{
    const struct orr_connection_spec s = {.src = src, .dst = dst};
    return src == dst
               ? 0
               : orr__net_idle_of(w->net, &s, orr__net_mtu_of(w->net, &s));
}

/* Of a full packet from one host to another and of its answer, the longest. */
static int64_t longest_round(const struct orr_world *w)
{
    int64_t longest = 0, time;
    uint32_t first = w->jobs_join ? 0 : w->jobs[0].hosts[0];
    for (uint32_t h = 0; w->jobs_join && h < w->graph->hosts; h++) {
        time = time_to(w, first, h);
        longest = time > longest ? time : longest;
    }
    for (uint32_t j = 0; j < w->n_jobs; j++)
        for (uint32_t r = 0; r < w->jobs[j].members; r++) {
            time = time_to(w, first, w->jobs[j].hosts[r]);
            longest = time > longest ? time : longest;
        }
    return 4 * longest; /* there and back, by way of the first at most */
}

/* A window that never limits: two of the longest round trips at the fastest
 * rate. */
static orr_err plan(struct orr_world *w, struct orr_report *why)
{
    const struct orr_net_config *c = w->net_config;
    uint64_t fastest = 0;
    for (uint32_t l = 0; l < w->graph->links; l++)
        if (w->graph->rate_bps[l] > fastest)
            fastest = w->graph->rate_bps[l];
    if (!w->n_jobs && !w->jobs_join)
        return ORR_OK;
    double bytes = (double)orr__bytes_in(longest_round(w), fastest);
    uint64_t mtu = orr__smallest_payload(c);
    uint64_t packets = (uint64_t)(bytes / (double)(mtu + c->header));
    orr__net_set_window(w->net,
                        (double)(2 * packets + 2 * (uint64_t)c->ack_every + 8));
    return ORR_OK;
}

static void json(const struct orr_world *w, struct orr_json *j)
{
    orr__json_real(j, "window_packets", orr__net_fixed_window(w->net));
}

extern const struct orr_scheduler_ops orr__schedule_kind_fair;
const struct orr_scheduler_ops orr__schedule_kind_fair = {
    .name = "fair",
    .doc = "every link is shared exactly equally among jobs, whatever their "
           "controls",
    .params = params,
    .joins = true,
    .serve = serve,
    .plan = plan,
    .json = json,
};
