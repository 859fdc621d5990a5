#include "study/plan/pipedream/show.h"

#include <stdio.h>

#include "core/json.h"
#include "core/memory.h"
#include "core/units.h"

static const char *const costs[] = {"code", "paper"};

/* ---- stages -------------------------------------------------------------- */

uint32_t orr__stage_versions(const struct orr_partition *p, uint32_t stage)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < stage; i++)
        before += p->stage[i].replicas;
    return (p->machines - 1 - before) / p->stage[stage].replicas + 1;
}

/* A stage as people see it. Layers are numbers of the model, from 0;
 * activations and across are those of a minibatch, and across is 0 for the last
 * stage. */
struct stage {
    uint32_t first, last, layers; /* of these some may belong elsewhere */
    uint32_t versions;
    uint64_t activations, parameters, across; /* bytes */
};

/* The i-th stage holds what its cut has and the cut before has not; between its
 * first and its last layer there may be layers of other stages. */
static struct stage stage_of(const struct orr_stage_plan *p, uint32_t i)
{
    const struct orr_planned_stage *x = &p->result.stage[i];
    const struct orr_cut *to = &p->cuts.cut[x->to];
    const struct orr_cut *from = x->from ? &p->cuts.cut[x->from - 1] : NULL;
    struct stage s = {
        .first = UINT32_MAX,
        .versions = orr__stage_versions(&p->result, i),
        .activations = to->activations - (from ? from->activations : 0),
        .parameters = to->parameters - (from ? from->parameters : 0),
        .across = i + 1 < p->result.stages ? to->across : 0,
    };
    for (uint32_t l = 0; l < p->model->layers; l++) {
        if (!orr__cut_holds(to, l) || (from && orr__cut_holds(from, l)))
            continue;
        s.first = s.first == UINT32_MAX ? l : s.first;
        s.last = l;
        s.layers++;
    }
    return s;
}

static double ratio_of(int64_t a, int64_t b)
{
    return b ? (double)a / (double)b : 0;
}

/* ---- text ---------------------------------------------------------------- */

static void time_at(struct orr_text *t, size_t column, int64_t ps)
{
    char text[32];
    orr__human_time(ps, text, sizeof text);
    orr__text_column(t, column);
    orr__text_add(t, "%s", text);
}

static void size_at(struct orr_text *t, size_t column, uint64_t bytes)
{
    char text[32];
    orr__human_size(bytes, text, sizeof text);
    orr__text_column(t, column);
    orr__text_add(t, "%s", text);
}

/* The lines above the table: what was planned, for which machines, and by which
 * of the two costs, as results differ by it. */
static void put_head(struct orr_text *t, const struct orr_stage_plan *p)
{
    char rate[32];
    orr__text_words(t, p->model->name, 40);
    orr__text_add(t, ": %u layers, %u cuts, minibatches of %u\n",
                  p->model->layers, p->cuts.n, p->costs.batch);
    for (uint32_t l = 0; l < p->request.levels; l++) {
        orr__human_rate((double)p->request.level[l].rate_bps, rate,
                        sizeof rate);
        orr__text_add(t, "%s%u machine%s at %s", l ? " x " : "",
                      p->request.level[l].machines,
                      p->request.level[l].machines == 1 ? "" : "s", rate);
    }
    orr__text_add(t, "; cost as in the %s\n\n",
                  p->request.cost == ORR_COST_CODE ? "authors' code" : "paper");
}

enum {
    LAYERS = 7,
    REPLICAS = 32,
    COMPUTE = 42,
    PASSED = 53,
    VERSIONS = 64,
    MEMORY = 69
};

/* The table, a line per stage from 1 on. The compute time is that of one
 * machine, before replicas share it; the size behind the versions is that of
 * one version. */
static void list_stages(struct orr_text *t, const struct orr_stage_plan *p)
{
    orr__text_add(t, "stage  layers");
    orr__text_column(t, REPLICAS);
    orr__text_add(t, "replicas  computing  passes on  versions\n");
    for (uint32_t i = 0; i < p->result.stages; i++) {
        const struct orr_planned_stage *x = &p->result.stage[i];
        struct stage s = stage_of(p, i);
        orr__text_add(t, "%5u", i + 1);
        orr__text_column(t, LAYERS);
        orr__text_add(t, "%u: ", s.layers);
        orr__text_words(t, p->model->layer[s.first].name, 8);
        orr__text_add(t, " to ");
        orr__text_words(t, p->model->layer[s.last].name, 8);
        orr__text_column(t, REPLICAS);
        orr__text_add(t, "%u", x->replicas);
        time_at(t, COMPUTE, x->compute_ps);
        size_at(t, PASSED, s.across);
        orr__text_column(t, VERSIONS);
        orr__text_add(t, "%u of ", s.versions);
        size_at(t, MEMORY, s.parameters);
        orr__text_add(t, "\n");
    }
}

/* The plan beside all layers on every machine and on a single one; all are ps
 * of a minibatch, so a ratio above 1 speaks for the plan. */
static void compare(struct orr_text *t, const struct orr_stage_plan *p)
{
    const struct orr_partition *r = &p->result;
    orr__text_add(t, "\na minibatch");
    time_at(t, 18, r->slowest_ps);
    orr__text_add(t, ", by the slowest stage");
    orr__text_add(t, "\nreplicas alone");
    time_at(t, 18, r->replicated_ps);
    orr__text_add(t, ": the stages are %.3f times as fast",
                  ratio_of(r->replicated_ps, r->slowest_ps));
    orr__text_add(t, "\none machine");
    time_at(t, 18, r->single_ps);
    orr__text_add(t, ": %.3f times\n", ratio_of(r->single_ps, r->slowest_ps));
}

char *orr__stage_plan_text(const struct orr_stage_plan *p)
{
    struct orr_text t = {.s = NULL};
    put_head(&t, p);
    list_stages(&t, p);
    compare(&t, p);
    return orr__text_shown(&t);
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_levels(struct orr_json *j, const struct orr_stage_plan *p)
{
    orr__json_list(j, "levels");
    for (uint32_t l = 0; l < p->request.levels; l++) {
        orr__json_flat_object(j, NULL);
        orr__json_count(j, "machines", p->request.level[l].machines);
        orr__json_count(j, "rate_bps", p->request.level[l].rate_bps);
        orr__json_end(j);
    }
    orr__json_end(j);
}

/* `from` and `to` count cuts from 1, with 0 for the beginning of the model, so
 * that `to` of a stage is `from` of the next. */
static void json_stage(struct orr_json *j, const struct orr_stage_plan *p,
                       uint32_t i)
{
    const struct orr_planned_stage *x = &p->result.stage[i];
    struct stage s = stage_of(p, i);
    orr__json_object(j, NULL);
    orr__json_count(j, "from", x->from);
    orr__json_count(j, "to", x->to + (uint64_t)1);
    orr__json_count(j, "layers", s.layers);
    orr__json_text(j, "first", p->model->layer[s.first].name);
    orr__json_text(j, "last", p->model->layer[s.last].name);
    orr__json_count(j, "replicas", x->replicas);
    orr__json_list(j, "replicas_by_level");
    for (uint32_t l = 0; l < p->request.levels; l++)
        orr__json_count(j, NULL, x->per_level[l]);
    orr__json_end(j);
    orr__json_time(j, "compute_ns", x->compute_ps);
    orr__json_count(j, "parameter_bytes", s.parameters);
    orr__json_count(j, "activation_bytes", s.activations);
    orr__json_count(j, "passed_bytes", s.across);
    orr__json_count(j, "versions", s.versions);
    orr__json_count(j, "version_bytes", s.versions * s.parameters);
    orr__json_end(j);
}

char *orr__stage_plan_json(const struct orr_stage_plan *p)
{
    struct orr_json j = {.depth = 0};
    const struct orr_partition *r = &p->result;
    orr__json_object(&j, NULL);
    orr__json_text(&j, "kind", "pipedream");
    orr__json_text(&j, "model", p->model->name);
    orr__json_text(&j, "cost", costs[p->request.cost]);
    orr__json_count(&j, "batch", p->costs.batch);
    orr__json_count(&j, "layers", p->model->layers);
    orr__json_count(&j, "states", p->cuts.n);
    json_levels(&j, p);
    if (p->request.memory)
        orr__json_count(&j, "memory_bytes", p->request.memory);
    orr__json_list(&j, "stages");
    for (uint32_t i = 0; i < r->stages; i++)
        json_stage(&j, p, i);
    orr__json_end(&j);
    orr__json_time(&j, "slowest_ns", r->slowest_ps);
    orr__json_time(&j, "data_parallel_ns", r->replicated_ps);
    orr__json_time(&j, "single_ns", r->single_ps);
    orr__json_real(&j, "speedup_over_data_parallel",
                   ratio_of(r->replicated_ps, r->slowest_ps));
    orr__json_real(&j, "speedup_over_single",
                   ratio_of(r->single_ps, r->slowest_ps));
    orr__json_end(&j);
    return orr__json_done(&j);
}
