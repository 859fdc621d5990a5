#include "formats/astra/report.h"
#include "core/none.h"

#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "formats/chakra/file.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

#define LAYERS_SHOWN 6
#define SYS_SHOWN    64

/* ---- figures ------------------------------------------------------------ */

static int64_t end_of_op(const struct orr_watch *watch, uint32_t op,
                         int64_t start)
{
    return op == ORR_NONE ? start : watch[op].end_ps;
}

/* Of the phases of one collective, r->phase[from .. to), to its layer's. */
static void add_phases(struct orr_astra_report *r,
                       const struct orr_watch *watch, uint32_t from,
                       uint32_t to)
{
    uint32_t layer = r->phase[from].layer, chunks = 0;
    if (layer >= r->layers)
        return;
    struct orr_astra_layer *l = &r->layer[layer];
    for (uint32_t i = from; i < to; i++)
        chunks += r->phase[i].step == 0;
    for (uint32_t i = from; i < to; i++) {
        const struct orr_astra_phase *p = &r->phase[i];
        const struct orr_watch *x = &watch[p->op];
        if (p->step >= ORR_ASTRA_PHASES)
            continue;
        l->phases = p->step >= l->phases ? p->step + 1u : l->phases;
        l->queue_ps[p->step] += (double)(x->start_ps - x->asked_ps) / chunks;
        if (x->messages)
            l->network_ps[p->step] +=
                (double)x->late_ps / (double)x->messages / chunks;
    }
}

/* Phases of one collective follow one another; sums become means over
 * collectives. */
static void close_phases(struct orr_astra_report *r,
                         const struct orr_watch *watch)
{
    for (uint32_t from = 0, to; from < r->phases; from = to) {
        for (to = from + 1;
             to < r->phases
             && r->phase[to].collective == r->phase[from].collective;)
            to++;
        add_phases(r, watch, from, to);
    }
    for (uint32_t i = 0; i < r->layers; i++) {
        struct orr_astra_layer *l = &r->layer[i];
        for (uint32_t k = 0; k < l->phases; k++) {
            l->queue_ps[k] /= l->collectives;
            l->network_ps[k] /= l->collectives;
        }
    }
}

/* What rank 0 sent in each dimension of the network, as ASTRA-sim counts: the
 * highest one in which both ends differ. Its own place is 0 in all. */
static void close_payload(struct orr_astra_report *r, const struct orr_world *w,
                          const struct orr_team *t)
{
    const struct orr_rank *first = t->rank ? &t->rank[0] : NULL;
    for (uint32_t i = 0; first && first->peer && i <= first->peer_mask; i++) {
        struct orr_connection_stats s;
        uint32_t dim = 0;
        uint64_t stride = 1;
        if (first->connection[i] == ORR_NONE)
            continue;
        for (uint32_t d = 0; d < r->physical; stride *= r->physical_size[d++])
            if (stride <= first->peer[i])
                dim = d;
        orr__net_connection_stats(w->net, first->connection[i], &s);
        r->payload[dim] += s.payload_bytes;
    }
}

/* What rank 0's chunks took in each dimension, and waited for. Sums are whole
 * numbers until all is in them. */
static void close_dimensions(struct orr_astra_report *r,
                             const struct orr_watch *watch)
{
    __int128 queue[ORR_ASTRA_DIMS] = {0}, chunk[ORR_ASTRA_DIMS] = {0};
    for (uint32_t i = 0; i < r->phases; i++) {
        const struct orr_watch *x = &watch[r->phase[i].op];
        uint32_t dim = r->phase[i].dim;
        queue[dim] += x->start_ps - x->asked_ps;
        chunk[dim] += x->end_ps - x->start_ps;
        r->chunks[dim]++;
    }
    for (uint32_t d = 0; d < ORR_ASTRA_DIMS; d++)
        if (r->chunks[d]) {
            r->queue_ps[d] = (double)queue[d] / r->chunks[d];
            r->chunk_ps[d] = (double)chunk[d] / r->chunks[d];
        }
}

void orr__astra_close(struct orr_astra_report *r, const struct orr_world *w,
                      const struct orr_job *j)
{
    const struct orr_team *t = j->team;
    const struct orr_watch *watch = t->watch;
    int64_t start = j->iteration[j->iterations - 1].start_ps;
    int64_t finish = j->finish_ps;
    close_payload(r, w, t);
    r->finish_ps = finish;
    r->total_ps = finish - start;
    if (finish < 0 || !watch)
        return;
    for (uint32_t i = 0; i < r->spans; i++) {
        const struct orr_astra_span *s = &r->span[i];
        struct orr_astra_layer *l = &r->layer[s->layer];
        int64_t ps =
            end_of_op(watch, s->to, start) - end_of_op(watch, s->from, start);
        *(s->exposed ? &l->exposed_ps[s->stage] : &l->comm_ps[s->stage]) += ps;
        if (r->waits_for_first && (i == 0 || ps < l->exposed_ps[s->stage]))
            l->exposed_ps[s->stage] = ps;
    }
    close_dimensions(r, watch);
    close_phases(r, watch);
}

static int64_t sum_stages(const int64_t *stage)
{
    return stage[ORR_ASTRA_FWD] + stage[ORR_ASTRA_IG] + stage[ORR_ASTRA_WG];
}

/* As ASTRA-sim has it, all that is not computation is exposed communication:
 * the waits for updates and the nanoseconds between phases too. */
void orr__astra_totals(const struct orr_astra_report *r, int64_t *compute,
                       int64_t *exposed)
{
    *compute = 0;
    for (uint32_t i = 0; i < r->layers; i++)
        *compute += sum_stages(r->layer[i].compute_ps);
    *exposed = r->total_ps - *compute;
}

/* ---- text --------------------------------------------------------------- */

static const char *const type_names[] = {
    "invalid", "metadata", "memory load", "memory store",
    "compute", "send",     "recv",        "collective"};

void orr__trace_text(struct orr_text *t, const struct orr_trace_info *i,
                     int indent)
{
    char digits[32], size[32], time[32];
    orr__group_digits(i->nodes, digits, sizeof digits);
    if (i->astra) {
        orr__text_add(t, "%*s%s, %" PRIu64 " layer%s, %u pass%s\n", indent, "",
                      i->astra->type, i->nodes, i->nodes == 1 ? "" : "s",
                      i->astra->passes, i->astra->passes == 1 ? "" : "es");
        return;
    }
    orr__text_add(t, "%*s%s node%s", indent, "", digits,
                  i->nodes == 1 ? "" : "s");
    if (i->ranks > i->files) /* each has those of its file */
        orr__text_add(t, " of %u ranks,", i->ranks);
    orr__text_add(t, " in %u file%s", i->files, i->files == 1 ? "" : "s");
    for (int k = 0, n = 0; k < ORR_CHAKRA_TYPES; k++)
        if (i->by_type[k]) {
            orr__group_digits(i->by_type[k], digits, sizeof digits);
            if (n++ % 3)
                orr__text_add(t, ", %s %s", digits, type_names[k]);
            else
                orr__text_add(t, "\n%*s  %s %s", indent, "", digits,
                              type_names[k]);
        }
    orr__human_size(i->collective_bytes, size, sizeof size);
    orr__text_add(t, "\n%*srank 0: %" PRIu64 " collective%s of %s", indent, "",
                  i->collectives, i->collectives == 1 ? "" : "s", size);
    if (i->sends) {
        orr__human_size(i->send_bytes, size, sizeof size);
        orr__text_add(t, ", %" PRIu64 " message%s of %s", i->sends,
                      i->sends == 1 ? "" : "s", size);
    }
    orr__human_time(i->critical_ps, time, sizeof time);
    orr__group_digits(i->critical_nodes, digits, sizeof digits);
    orr__text_add(t, "\n%*slongest chain of computations %s, %s node%s\n",
                  indent, "", time, digits, i->critical_nodes == 1 ? "" : "s");
    if (i->ignored_control || i->missing_control) {
        orr__group_digits(i->ignored_control + i->missing_control, digits,
                          sizeof digits);
        orr__text_add(t, "%*s%s control dependencies\n%*s  %s\n", indent, "",
                      digits, indent, "",
                      i->ignored_control ? "are calls, and were left out"
                                         : "on absent nodes");
    }
}

static void put_times(struct orr_text *t, const char *what,
                      const int64_t *stage)
{
    char a[32], b[32], c[32];
    orr__human_time(stage[ORR_ASTRA_FWD], a, sizeof a);
    orr__human_time(stage[ORR_ASTRA_IG], b, sizeof b);
    orr__human_time(stage[ORR_ASTRA_WG], c, sizeof c);
    orr__text_add(t, "%s %s, %s, %s", what, a, b, c);
}

void orr__astra_text_report(struct orr_text *t,
                            const struct orr_astra_report *r, int indent)
{
    int64_t compute, exposed;
    char a[32], b[32];
    if (r->finish_ps < 0)
        return;
    orr__astra_totals(r, &compute, &exposed);
    orr__human_time(compute, a, sizeof a);
    orr__human_time(exposed, b, sizeof b);
    orr__text_add(t, "%*scompute %s, exposed communication %s (rank 0)\n",
                  indent, "", a, b);
    orr__text_add(t, "%*s%s\n", indent, "",
                  "by layer, forward, input and weight gradient:");
    for (uint32_t i = 0; i < r->layers && i < LAYERS_SHOWN; i++) {
        const struct orr_astra_layer *l = &r->layer[i];
        orr__text_add(t, "%*s", indent + 2, "");
        orr__text_words(t, l->name, 24);
        put_times(t, ": exposed", l->exposed_ps);
        orr__text_add(t, "\n");
        orr__text_add(t, "%*s", indent + 4, "");
        put_times(t, "communication", l->comm_ps);
        orr__text_add(t, "\n");
    }
    if (r->layers > LAYERS_SHOWN)
        orr__text_add(t, "%*s... and %u layers more\n", indent + 2, "",
                      r->layers - LAYERS_SHOWN);
    for (uint32_t d = 0; d < r->dims; d++) {
        orr__human_time((int64_t)r->chunk_ps[d], a, sizeof a);
        orr__human_time((int64_t)r->queue_ps[d], b, sizeof b);
        if (!(r->chunk_ps[d] > 0))
            continue;
        if (r->dim_names)
            orr__text_add(t, "%*s%s: a collective takes %s, waits %s\n", indent,
                          "", r->dim_names[d], a, b);
        else
            orr__text_add(t, "%*sdimension %u: a chunk takes %s, waits %s\n",
                          indent, "", d, a, b);
    }
}

/* Cycles are nanoseconds; what is not computation of the accelerator is
 * exposed communication there. */
static uint64_t cycles(int64_t ps)
{
    return (uint64_t)ps / ORR_NS;
}

static uint64_t exposed_cycles(const struct orr_sys_report *s)
{
    uint64_t end = cycles(s->finish_ps), compute = cycles(s->compute_ps);
    return end > compute ? end - compute : 0;
}

void orr__sys_text_report(struct orr_text *t, const struct orr_trace_info *i,
                          int indent)
{
    uint32_t shown = 0;
    for (uint32_t r = 0; r < i->ranks && shown < SYS_SHOWN; r++) {
        const struct orr_sys_report *s = &i->sys[r];
        if (s->finish_ps < 0)
            continue;
        shown++;
        orr__text_add(t, "%*ssys[%u] finished, %" PRIu64 " cycles,\n", indent,
                      "", r, cycles(s->finish_ps));
        orr__text_add(t, "%*s  exposed communication %" PRIu64 " cycles.\n",
                      indent, "", exposed_cycles(s));
    }
    if (shown < i->ranks && shown == SYS_SHOWN)
        orr__text_add(t, "%*s... and %u more\n", indent, "", i->ranks - shown);
}

/* ---- JSON --------------------------------------------------------------- */

static void put_three(struct orr_json *j, const char *key, const int64_t *stage)
{
    orr__json_flat_object(j, key);
    orr__json_time(j, "forward", stage[ORR_ASTRA_FWD]);
    orr__json_time(j, "input_gradient", stage[ORR_ASTRA_IG]);
    orr__json_time(j, "weight_gradient", stage[ORR_ASTRA_WG]);
    orr__json_end(j);
}

static void phases_json(struct orr_json *j, const struct orr_astra_layer *l)
{
    orr__json_list(j, "phases");
    for (uint32_t i = 0; i < l->phases; i++) {
        orr__json_flat_object(j, NULL);
        orr__json_mean_time(j, "queueing_ns", l->queue_ps[i]);
        orr__json_mean_time(j, "network_ns", l->network_ps[i]);
        orr__json_end(j);
    }
    orr__json_end(j);
}

/* Keys are part of the interface; ns. */
static void astra_json(struct orr_json *j, const struct orr_astra_report *r)
{
    int64_t compute, exposed;
    orr__astra_totals(r, &compute, &exposed);
    orr__json_object(j, "astra");
    orr__json_text(j, "type", r->type);
    orr__json_count(j, "passes", r->passes);
    orr__json_time(j, "compute_ns", compute);
    orr__json_time(j, "exposed_ns", r->finish_ps < 0 ? -1 : exposed);
    orr__json_list(j, "layers");
    for (uint32_t i = 0; i < r->layers; i++) {
        orr__json_object(j, NULL);
        orr__json_text(j, "name", r->layer[i].name);
        orr__json_count(j, "collectives", r->layer[i].collectives);
        put_three(j, "compute_ns", r->layer[i].compute_ps);
        put_three(j, "exposed_ns", r->layer[i].exposed_ps);
        put_three(j, "communication_ns", r->layer[i].comm_ps);
        if (r->layer[i].phases)
            phases_json(j, &r->layer[i]);
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_list(j, "dimensions");
    for (uint32_t d = 0; d < r->dims; d++) {
        orr__json_flat_object(j, NULL);
        if (r->dim_names)
            orr__json_text(j, "name", r->dim_names[d]);
        orr__json_mean_time(j, "chunk_ns", r->chunk_ps[d]);
        orr__json_mean_time(j, "queueing_ns", r->queue_ps[d]);
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_end(j);
}

/* Cycles are ns, as ASTRA-sim prints them. */
static void sys_json(struct orr_json *j, const struct orr_trace_info *i)
{
    orr__json_object(j, "astra");
    orr__json_list(j, "sys");
    for (uint32_t r = 0; r < i->ranks; r++) {
        const struct orr_sys_report *s = &i->sys[r];
        if (s->finish_ps < 0)
            continue;
        orr__json_flat_object(j, NULL);
        orr__json_count(j, "sys", r);
        orr__json_count(j, "cycles", cycles(s->finish_ps));
        orr__json_count(j, "exposed_communication_cycles", exposed_cycles(s));
        orr__json_count(j, "compute_cycles", cycles(s->compute_ps));
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_end(j);
}

void orr__trace_json(struct orr_json *j, const struct orr_trace_info *i)
{
    orr__json_object(j, "trace");
    orr__json_text(j, "format", i->format);
    orr__json_count(j, "files", i->files);
    orr__json_count(j, "nodes", i->nodes);
    orr__json_real(j, "load_seconds", i->load_s);
    if (!i->astra) {
        orr__json_flat_object(j, "by_type");
        for (int k = 0; k < ORR_CHAKRA_TYPES; k++)
            orr__json_count(j, type_names[k], i->by_type[k]);
        orr__json_end(j);
        orr__json_count(j, "collectives", i->collectives);
        orr__json_count(j, "collective_bytes", i->collective_bytes);
        orr__json_count(j, "sends", i->sends);
        orr__json_count(j, "send_bytes", i->send_bytes);
        orr__json_time(j, "critical_path_ns", i->critical_ps);
        orr__json_count(j, "critical_path_nodes", i->critical_nodes);
    }
    orr__json_end(j);
    if (i->astra)
        astra_json(j, i->astra);
    if (i->sys)
        sys_json(j, i);
}
