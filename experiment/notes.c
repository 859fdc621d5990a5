#include "experiment/notes.h"

#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"
#include "experiment/rails.h"
#include "experiment/unequal.h"
#include "formats/source.h"
#include "net/config/config.h"
#include "net/config/timers.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/job/shared_hosts.h"
#include "workload/rank/rank.h"
#include "workload/schedule/schedule.h"

/* Of three kinds, about as many jobs or files; of places of a configuration so
 * many, and one note about the rest. */
enum { NOTED_JOBS = 8, NOTED_PLACES = 16 };

#define LONGEST 600 /* bytes of a sentence that another module writes */

/* Jobs that meet on hosts. */
static orr_err note_together(const struct orr_world *w, struct orr_notes *out)
{
    struct orr_shared_hosts on;
    struct orr_report ignored = {0};
    char text[LONGEST];
    orr_err err = orr__jobs_share_hosts(w, &on, &ignored);
    if (err)
        return err;
    orr__shared_hosts_text(w, &on, text, sizeof text);
    if (text[0])
        orr__notes_add(out, "%s", text);
    return ORR_OK;
}

/* A control without what it goes by. */
static void note_unmarked(const struct orr_world *w, struct orr_notes *out)
{
    const struct orr_net_config *c = w->net_config;
    if (!c->marks_for || orr__net_marks(c))
        return;
    orr__notes_add(
        out, "%s needs marks, and no queue marks packets: %s", c->marks_for,
        c->queue_params ? "network.queue.kind: ecn or red, or a preset "
                          "(orrery list presets)"
                        : "`schedule: fair` has queues of its own");
}

/* Two packets in a row that took the same way tell how full it is; of any other
 * two nothing is known. */
static void note_untold(const struct orr_world *w, struct orr_notes *out)
{
    const struct orr_net_config *c = w->net_config;
    if (!c->hops_for || c->path == ORR_PATH_flowlet || !c->reorders)
        return;
    orr__notes_add(
        out,
        "%s compares two packets in a row on one path, and network.routing "
        "chooses a path for each packet: with many paths it reacts late",
        c->hops_for);
}

/* ---- timeouts before any answer ------------------------------------------ */

struct farthest { /* the longest base round trip seen, and between whom */
    int64_t rtt_ps;
    uint32_t src, dst;
};

/* The pair whose packets and ACKs take longest in an empty network. */
static void consider_pair(const struct orr_world *w,
                          const struct orr_connection_spec *spec,
                          struct farthest *far)
{
    int64_t rtt;
    if (spec->src == spec->dst)
        return;
    rtt = orr__net_idle_of(w->net, spec, 1);
    if (rtt > far->rtt_ps)
        *far = (struct farthest){rtt, spec->src, spec->dst};
}

#define LOOKED_AT 1000 /* flows, and pairs of ranks, about as many */

/* Neighbours and opposite ranks; of many ranks some, so that it takes no time.
 */
static void consider_job(const struct orr_world *w, const struct orr_job *job,
                         struct farthest *far)
{
    uint32_t n = job->ranks;
    uint64_t step = 1 + (uint64_t)n * 2 * w->n_jobs / LOOKED_AT;
    for (uint64_t at = 0; at < n; at += step) {
        const uint32_t r = (uint32_t)at;
        const uint32_t to[2] = {(r + 1) % n, (r + n / 2) % n};
        for (uint32_t k = 0; k < 2; k++) {
            struct orr_connection_spec spec =
                orr__post_spec(job->team, 0, r, to[k]);
            consider_pair(w, &spec, far);
        }
    }
}

/* Of flows and of ranks, each with the next one and with one far away. */
static struct farthest find_farthest(const struct orr_world *w)
{
    uint32_t flows = w->flows ? w->flows->count : 0;
    uint32_t jobs = 1 + w->n_jobs / LOOKED_AT;
    struct farthest far = {.rtt_ps = 0};
    for (uint32_t i = 0; i < flows; i += 1 + flows / LOOKED_AT) {
        struct orr_connection_spec spec = orr__flow_spec(&w->flows->flow[i], i);
        consider_pair(w, &spec, &far);
    }
    for (uint32_t j = 0; j < w->n_jobs; j += jobs)
        consider_job(w, &w->jobs[j], &far);
    return far;
}

/* A timeout that the user set comes before any answer can. */
static void note_hasty(const struct orr_world *w, struct orr_notes *out)
{
    const struct orr_net_config *c = w->net_config;
    bool given = c->rto.initial_ps != ORR_AUTO;
    bool near = !given && c->rto.first_ps != ORR_AUTO; /* all paths are */
    struct farthest far;
    char timeout[32], rtt[32];
    if (!w->net || w->jobs_join || c->transport != ORR_TRANSPORT_RELIABLE
        || !orr__timers_run(c) || (near && c->rto.max_ps >= c->rto.first_ps))
        return;
    far = find_farthest(w);
    if (far.rtt_ps <= c->rto.max_ps
        && (!given || far.rtt_ps <= c->rto.initial_ps))
        return;
    given = given && far.rtt_ps > c->rto.initial_ps;
    orr__format_time(given ? c->rto.initial_ps : c->rto.max_ps, timeout,
                     sizeof timeout);
    orr__human_time(far.rtt_ps, rtt, sizeof rtt);
    orr__notes_add(
        out,
        "network.rto.%s, %s, is less than the base round trip of %s from host "
        "%u to host %u: packets are retransmitted before an answer can arrive",
        given ? "initial" : "max", timeout, rtt, far.src, far.dst);
}

/* Bytes are whole; what is computed is rounded, and what is written was meant
 * otherwise. */
static orr_err note_rounded(const struct orr_world *w, struct orr_notes *out)
{
    enum { SHOWN = ORR_ROUNDED };
    uint32_t n = w->config ? orr__config_rounded(w->config) : 0;
    struct orr_text t = {.s = NULL};
    if (n == 0)
        return ORR_OK;
    for (uint32_t i = 0; i < n && i < SHOWN; i++) {
        orr__text_add(&t, "%s", i ? ", " : "");
        orr__config_rounded_text(w->config, i, &t);
    }
    if (n > SHOWN)
        orr__text_add(&t, " and %u more", n - SHOWN);
    char *list = orr__text_done(&t);
    if (!list)
        return ORR_ENOMEM;
    orr__notes_add(out,
                   "a size that is no whole number of bytes is rounded: "
                   "%s",
                   list);
    orr__free(list);
    return ORR_OK;
}

/* A file that lists more cables than it counts. */
static void note_unread(const struct orr_world *w, struct orr_notes *out)
{
    const struct orr_graph *g = w->graph;
    if (!g || !g->unread)
        return;
    orr__notes_add(out,
                   "the file of the topology counts %u links and lists "
                   "%llu: as in HPCC, the rest is not read",
                   g->cables, (unsigned long long)g->cables + g->unread);
}

/* What a file of a topology leaves open. */
static void note_inferred(const struct orr_world *w, struct orr_notes *out)
{
    if (!w->graph)
        return;
    const struct orr_inferred *n = &w->graph->inferred;
    if (n->rates)
        orr__notes_add(out,
                       "the file of the topology gives no rate for %u of %u "
                       "edges: they have that of topology.link",
                       n->rates, n->cables);
    if (n->delays)
        orr__notes_add(out,
                       "the file of the topology gives no delay for %u of %u "
                       "edges: they have that of topology.link",
                       n->delays, n->cables);
    if (n->distances)
        orr__notes_add(out,
                       "the delays of %u of %u edges are inferred from the "
                       "coordinates of their ends: the great circle at 2/3 of "
                       "the speed of light, and cables are longer",
                       n->distances, n->cables);
    if (n->left_out)
        orr__notes_add(out,
                       "the file of the topology has %u parts that no edge "
                       "joins; nodes left out: %u (topology.component)",
                       n->parts, n->left_out);
}

/* Those that are left out, of so many jobs: by how much a list is cut. */
static void note_more(uint32_t all, const char *what, struct orr_notes *out)
{
    if (all > NOTED_JOBS)
        orr__notes_add(out, "and %u more %s", all - NOTED_JOBS, what);
}

/* What the schedule found odd about jobs when it planned. */
static void note_remarks(const struct orr_world *w, struct orr_notes *out)
{
    const struct orr_scheduler *s = w->scheduler;
    uint32_t shown = 0;
    char text[LONGEST];
    if (!s || !s->ops->remark)
        return;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (s->ops->remark(w, i, text, sizeof text) && shown++ < NOTED_JOBS)
            orr__notes_add(out, "%s", text);
    note_more(shown, "jobs that the schedule has such a note for", out);
}

/* What the files of traces say to no effect. */
static void note_traces(const struct orr_world *w, struct orr_notes *out)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_trace_info *t = orr__trace_of(&w->jobs[i]);
        if (t && t->note && shown++ < NOTED_JOBS)
            orr__notes_add(out, "%s", t->note);
    }
    note_more(shown, "traces with such a note", out);
}

/* Places of the configuration that are noted; n: all there are. */
struct places {
    struct orr_notes *out;
    uint32_t n;
};

static void tell_place(void *arg, const struct orr_remarked *t)
{
    struct places *p = arg;
    if (t->text && p->n++ < NOTED_PLACES)
        orr__notes_add(p->out, "%s", t->text);
}

/* What stands in the configuration and has no effect. */
static orr_err add_places(const struct orr_world *w, struct orr_notes *out)
{
    struct places p = {out, 0};
    orr_err err =
        w->config ? orr__config_remarks(w->config, tell_place, &p) : ORR_OK;
    if (p.n > NOTED_PLACES)
        orr__notes_add(out,
                       "and %u more places of the configuration with such "
                       "a note",
                       p.n - NOTED_PLACES);
    return err;
}

/* Links that get more than their share. */
static void note_unequal(const struct orr_world *w, struct orr_notes *out)
{
    char text[LONGEST];
    orr__note_unequal(w, text, sizeof text);
    if (text[0])
        orr__notes_add(out, "%s", text);
}

/* Calls that asked for switches that add, and got none: the first of each
 * job. */
static void note_fallbacks(const struct orr_world *w, struct orr_notes *out)
{
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_job *job = &w->jobs[i];
        const struct orr_program *p = job->team ? job->team->program : NULL;
        uint32_t k = 0;
        while (p && k < p->calls && !p->call[k].c.no_trees)
            k++;
        if (p && k < p->calls)
            orr__notes_add(out, "%s of %.100s falls back to %s: %s",
                           orr__call_name(&p->call[k]), job->name,
                           p->call[k].c.ops->name, p->call[k].c.no_trees);
    }
}

/* Collectives that cross rails. */
static orr_err note_rails(const struct orr_world *w, struct orr_notes *out)
{
    char text[LONGEST];
    orr_err err = orr__note_rails(w, text, sizeof text);
    if (!err && text[0])
        orr__notes_add(out, "%s", text);
    return err;
}

/* What came of them: all, or none. */
static orr_err close_notes(struct orr_notes *out, orr_err err)
{
    if (err)
        orr__notes_free(out);
    return err ? err : orr__notes_done(out);
}

orr_err orr__notes_of_places(const struct orr_world *w, struct orr_notes *out)
{
    *out = (struct orr_notes){.text = NULL};
    return close_notes(out, add_places(w, out));
}

orr_err orr__gather_notes(const struct orr_world *w, struct orr_notes *out)
{
    *out = (struct orr_notes){.text = NULL};
    orr_err err = add_places(w, out);
    note_unmarked(w, out);
    note_untold(w, out);
    note_hasty(w, out);
    note_unread(w, out);
    note_inferred(w, out);
    note_unequal(w, out);
    if (!err)
        err = note_rounded(w, out);
    note_remarks(w, out);
    note_fallbacks(w, out);
    if (!err)
        err = note_rails(w, out);
    note_traces(w, out);
    if (!err)
        err = note_together(w, out);
    return close_notes(out, err);
}
