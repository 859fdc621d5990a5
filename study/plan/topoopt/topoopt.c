/* The question how to divide a model and which direct network to build for it,
 * as TopoOpt answers it (Wang et al., NSDI 2023). */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "record/figures.h"
#include "study/plan/topoopt/show.h"
#include "study/run/entry.h"
#include "workload/job/job.h"

/* `plan` as it is read. Nodes and texts belong to the document. */
struct keys {
    int64_t degree, budget, batch, hosts, verify;
    double verify_hops, alpha;
    int direction;
    const char *job;
    const struct orr_yaml *model;
};

#define KEY(name, kind, ...)                                                   \
    {                                                                          \
        .key = #name, .type = ORR_PARAM_##kind,                                \
        .offset = offsetof(struct keys, name), __VA_ARGS__                     \
    }

static const struct orr_param params[] = {
    KEY(degree, INT, .min = "1", .max = "256",
        .help = "ports of a host: a ring takes two, or one with `direction: "
                "forward`, a matching one"),
    KEY(budget, INT, .fallback = "4000", .min = "1", .max = "100000000",
        .help = "divisions of the model to try, over four random chains"),
    KEY(alpha, REAL, .fallback = "1", .min = "0", .max = "1e9",
        .help = "a change that makes an iteration x ms longer is accepted with "
                "e^(-alpha x)"),
    KEY(direction, CHOICE, .fallback = "both",
        .choices = (const char *const[]){"forward", "both", NULL},
        .help = "of rings, as in topology.kind strides"),
    KEY(verify, INT, .fallback = "2", .min = "0", .max = "4",
        .help = "how many of the best to try with packets"),
    KEY(verify_hops, REAL, .fallback = "1e8", .min = "0", .max = "1e15",
        .help = "packet-hops that one of these may take"),
    KEY(job, TEXT, .fallback = "",
        .help = "name of the job whose model it is; default: the first with a "
                "model"),
    KEY(model, NODE, .fallback = "",
        .help = "instead of a job: a model as for `model` of a job"),
    KEY(hosts, INT, .fallback = "", .min = "2", .max = "1024",
        .help = "that train it; default: the ranks of the job"),
    KEY(batch, INT, .fallback = "", .min = "1", .max = "1000000",
        .help = "samples of a host; default: the job's, or the model's"),
    ORR_PARAM_END,
};

/* A question while it is answered. */
struct asked {
    const struct orr_question *q;
    const struct keys *k;
    struct orr_design_plan *p;
    struct orr_report *why;
};

/* ---- reading ------------------------------------------------------------- */

/* 2 to ORR_DIRECT_HOSTS. */
static orr_err read_hosts(struct asked *a)
{
    const struct orr_yaml *at =
        orr__yaml_get(a->q->at, a->k->hosts ? "hosts" : "model");
    int64_t n = a->k->hosts;
    if (!n && a->p->of.has_job) {
        at = orr__yaml_get(a->p->of.node, "ranks");
        const char *text = orr__yaml_text(a->q->c, at);
        if (!text || orr__parse_int(text, &n))
            n = 0;
    }
    if (n < 2 || n > ORR_DIRECT_HOSTS)
        return orr__yaml_fail(a->q->c, at ? at : a->q->at, a->why,
                              "plan: 2 to %d hosts can be designed for; "
                              "`hosts` says how many, or the ranks of the job",
                              ORR_DIRECT_HOSTS);
    a->p->design.n = (uint32_t)n;
    return ORR_OK;
}

/* The value of one key of topology.link. */
static const char *link_text(const struct asked *a, const char *key)
{
    const struct orr_yaml *x =
        orr__yaml_get(orr__config_root(a->q->c), "topology");
    x = orr__yaml_get(orr__yaml_get(x, "link"), key);
    return orr__yaml_text(a->q->c, x);
}

/* Its rate and delay. */
static orr_err read_link(struct asked *a)
{
    struct orr_design *d = &a->p->design;
    const struct orr_yaml *at =
        orr__yaml_get(orr__config_root(a->q->c), "topology");
    const char *rate = link_text(a, "rate"), *delay = link_text(a, "delay");
    if (!rate || orr__parse_rate(rate, &d->rate_bps) || d->rate_bps == 0)
        return orr__yaml_fail(a->q->c, at ? at : a->q->at, a->why,
                              "plan: topology.link.rate is missing: the rate "
                              "of each port");
    d->delay_ps = ORR_US;
    if (delay && (orr__parse_time(delay, &d->delay_ps) || d->delay_ps <= 0))
        return orr__yaml_fail(a->q->c, at, a->why,
                              "plan: topology.link.delay is no time above 0");
    return ORR_OK;
}

/* Headers, as network has them. */
static void read_wire(struct asked *a)
{
    const struct orr_yaml *net =
        orr__yaml_get(orr__config_root(a->q->c), "network");
    const char *mtu = orr__yaml_text(a->q->c, orr__yaml_get(net, "mtu"));
    const char *header = orr__yaml_text(a->q->c, orr__yaml_get(net, "header"));
    uint64_t payload = 4096, more = 0;
    if (mtu && orr__parse_size(mtu, &payload))
        payload = 4096;
    if (header && orr__parse_size(header, &more))
        more = 0;
    a->p->design.wire = payload ? 1 + (double)more / (double)payload : 1;
}

/* The degree, as far as rings can use it. */
static orr_err read_degree(struct asked *a)
{
    struct orr_design *d = &a->p->design;
    const struct orr_yaml *at = orr__yaml_get(a->q->at, "degree");
    uint32_t unit = d->both ? 2 : 1;
    uint64_t rings = orr__strides_count(d->n, ORR_MOST_STRIDES);
    rings = d->both && d->n > 2 ? rings / 2 : rings;
    d->degree = (uint32_t)a->k->degree;
    if (d->degree < unit)
        return orr__yaml_fail(a->q->c, at, a->why,
                              "plan.degree: a ring of all hosts takes two "
                              "ports; `direction: forward` takes one");
    if (d->degree / unit > rings)
        return orr__yaml_fail(
            a->q->c, at, a->why,
            "plan.degree: %u ports are more than rings can use: %llu strides "
            "share no factor with %u hosts",
            d->degree, (unsigned long long)rings, d->n);
    d->strides =
        (uint32_t)(rings < ORR_MOST_STRIDES ? rings : ORR_MOST_STRIDES);
    return ORR_OK;
}

/* The seed of the options, else of the document. */
static orr_err read_seed(struct asked *a)
{
    const struct orr_options *o = a->q->options;
    const struct orr_yaml *at =
        orr__yaml_get(orr__config_root(a->q->c), "seed");
    const char *text = orr__yaml_text(a->q->c, at);
    int64_t seed = 1;
    if (text && orr__parse_int(text, &seed))
        return orr__yaml_fail(a->q->c, at, a->why, "seed: a whole number");
    a->p->seed = o->has_seed ? o->seed : (uint64_t)seed;
    return ORR_OK;
}

/* The model and what is designed for; p is freed by the caller. */
static orr_err read_all(struct asked *a)
{
    const struct orr_job_model_keys of = {a->k->job, a->k->model, a->k->batch};
    struct orr_design *d = &a->p->design;
    d->both = a->k->direction == 1;
    d->alpha = a->k->alpha;
    orr_err err = orr__job_model_read(a->q, &of, &a->p->of, a->why);
    if (!err)
        err = read_hosts(a);
    if (!err)
        err = read_link(a);
    if (!err)
        err = read_degree(a);
    if (!err)
        err = read_seed(a);
    if (err)
        return err;
    read_wire(a);
    return orr__design_layers(d, a->p->of.model, &a->p->of.costs, a->why);
}

/* ---- packets ------------------------------------------------------------- */

/* Runs what was found: its mean iteration in packets_ps. What is too long, or
 * fails, stays at 0. */
static orr_err run_found(struct asked *a, uint32_t which, const char *text)
{
    struct orr_options o = {.no_output = true,
                            .threads = a->q->options->threads,
                            .interrupt = a->q->options->interrupt,
                            .folder = orr__config_folder(a->q->c),
                            .plugins = a->q->options->plugins,
                            .n_plugins = a->q->options->n_plugins,
                            .has_seed = true,
                            .seed = a->p->seed};
    struct orr_report why = {0};
    struct orr_estimate e = {0};
    orr_experiment *x = NULL;
    orr_err err = orr__experiment_load_text("the plan", text, &o, &x, &why);
    if (!err)
        err = orr_experiment_estimate(x, &e, &why);
    a->p->hops = e.packet_hops;
    if (!err && e.packet_hops <= a->k->verify_hops)
        err = orr_experiment_run(x, &why);
    else
        which = ORR_DESIGN_CHAINS;
    if (!err && which < ORR_DESIGN_CHAINS) {
        const struct orr_world *w = orr__experiment_world(x);
        const struct orr_job *j = &w->jobs[a->p->of.has_job ? a->p->of.job : 0];
        double *room = orr__alloc(j->iterations, sizeof *room);
        double ps = room ? orr__figures_iterations(j, room).mean : 0;
        a->p->packets_ps[which] = isfinite(ps) ? ps : 0;
        orr__free(room);
    }
    orr_experiment_free(x);
    if (!err || err == ORR_EINTERRUPTED)
        return ORR_OK;
    return orr__fail(a->why, err, "with packets: %s", why.message);
}

/* The best by packets, where some were tried. */
static orr_err verify(struct asked *a)
{
    const struct orr_options *o = a->q->options;
    orr_err err = ORR_OK;
    double least = 0;
    for (uint32_t i = 0; i < a->p->search.found && i < a->k->verify && !err;
         i++) {
        char *text = NULL;
        if (o->interrupt && *o->interrupt)
            return ORR_OK;
        err = orr__design_config(a->p, a->q, i, &text, a->why);
        if (!err)
            err = run_found(a, i, text);
        orr__free(text);
        double ps = a->p->packets_ps[i];
        if (ps > 0 && (least == 0 || ps < least)) {
            a->p->chosen = i;
            least = ps;
        }
    }
    return err;
}

/* ---- the answer ---------------------------------------------------------- */

static orr_err show_network(struct asked *a, struct orr_answer *answer)
{
    answer->text = orr__design_text(a->p);
    answer->json = orr__design_json(a->p);
    if (!answer->text || !answer->json)
        return orr__no_memory(a->why);
    return a->q->configured ? orr__design_config(a->p, a->q, a->p->chosen,
                                                 &answer->config, a->why)
                            : ORR_OK;
}

/* All of the plan lives here; *out gets texts of its own. */
static orr_err answer(const struct orr_question *q, struct orr_answer *out,
                      struct orr_report *why)
{
    struct orr_design_plan p = {.chosen = 0};
    struct asked a = {.q = q, .k = q->keys, .p = &p, .why = why};
    orr_err err = read_all(&a);
    p.budget = (uint64_t)a.k->budget;
    if (!err)
        err = orr__search(&p.design, p.budget, p.seed, q->options, &p.search,
                          why);
    if (!err)
        err = verify(&a);
    if (!err)
        err = show_network(&a, out);
    orr__search_fini(&p.search);
    orr__design_fini(&p.design);
    orr__job_model_fini(&p.of);
    return err;
}

const struct orr_question_ops orr__question_topoopt = {
    .name = "topoopt",
    .doc = "how to divide a model among hosts, and which links these need "
           "(TopoOpt)",
    .keys_size = sizeof(struct keys),
    .params = params,
    .answer = answer,
};
