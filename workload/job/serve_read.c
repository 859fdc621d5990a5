/* The keys of `serve`, and the program that they make. */
#include <assert.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/job/serve.h"
#include "workload/program/call_read.h"
#include "workload/program/program.h"

/* The map `serve`. */
struct serve_keys {
    struct orr_request_keys requests;
    const struct orr_yaml *prefill, *decode, *slo;
    uint64_t kv;
    int batch;
};

/* The maps `prefill` and `decode`. */
struct engine_keys {
    int64_t ranks, step, token, cached, layers, most;
    uint64_t all_reduce, all_to_all;
    const char *algorithm;
};

/* The map `slo`. */
struct slo_keys {
    int64_t ttft, tpot;
};

/* A file of requests says how many there are. */
static const char *in_a_file(const void *set, const void *around)
{
    const struct serve_keys *k = set;
    return strcmp(k->requests.arrivals, "poisson") != 0
               ? "the file of `arrivals` has all requests"
               : NULL;
}

#define KEY(name, kind, ...)                                                   \
    {                                                                          \
        .key = #name, .type = ORR_PARAM_##kind,                                \
        .offset = offsetof(struct serve_keys, name), __VA_ARGS__               \
    }
#define REQUEST_KEY(name, kind, ...)                                           \
    {                                                                          \
        .key = #name, .type = ORR_PARAM_##kind,                                \
        .offset = offsetof(struct serve_keys, requests.name), __VA_ARGS__      \
    }
const struct orr_param orr__serve_params[] = {
    REQUEST_KEY(arrivals, TEXT, .fallback = "poisson",
                .help = "when requests come: poisson, or a file with lines of "
                        "seconds, tokens of the prompt, tokens of the output"),
    REQUEST_KEY(requests, INT, .fallback = "100", .min = "1", .max = "10000000",
                .help = "poisson: how many", .idle = in_a_file),
    REQUEST_KEY(rate, REAL, .fallback = "", .min = "0.000001",
                .max = "1000000000", .help = "poisson: requests a second"),
    REQUEST_KEY(prompt, NODE, .fallback = "",
                .help = "poisson: tokens of a prompt, a number or {min, max} "
                        "or {mean}"),
    REQUEST_KEY(output, NODE, .fallback = "",
                .help = "poisson: tokens of an answer, likewise"),
    KEY(prefill, NODE,
        .help = "{ranks, ...}: the first ranks, which read prompts and make "
                "the first token"),
    KEY(decode, NODE,
        .help = "{ranks, ...}: the other ranks, which make all other tokens"),
    KEY(kv, SIZE, .max = "1TB",
        .help = "bytes of keys and values of a token, over all layers: they go "
                "from prefilling to decoding ranks, each its part"),
    KEY(batch, CHOICE, .fallback = "continuous",
        .choices = (const char *const[]){"continuous", "static", NULL},
        .help = "continuous: a request joins the next decoding step; static: "
                "when all that are in it are over"),
    KEY(slo, NODE, .fallback = "",
        .help = "{ttft, tpot}: within these a request counts as goodput"),
    ORR_PARAM_END,
};

#define ENGINE_KEY(name, kind, ...)                                            \
    {                                                                          \
        .key = #name, .type = ORR_PARAM_##kind,                                \
        .offset = offsetof(struct engine_keys, name), __VA_ARGS__              \
    }
/* Of a part; around: the struct orr_serve, whose requests are read. */
static const char *no_more(const void *set, const void *around)
{
    const struct engine_keys *k = set;
    const struct orr_serve *s = around;
    return k->most >= (int64_t)s->n ? "there are no more requests" : NULL;
}

static const char *idle_for_one(const void *set, const void *around)
{
    const struct engine_keys *k = set;
    return k->ranks == 1 ? "one rank sums nothing up, and has all experts"
                         : NULL;
}

static const char *sums_nothing(const void *set, const void *around)
{
    const struct engine_keys *k = set;
    return k->all_reduce == 0 ? "`all_reduce: 0B`" : idle_for_one(set, around);
}

const struct orr_param orr__engine_params[] = {
    ENGINE_KEY(ranks, INT, .min = "1", .max = "16000000",
               .help = "that share each step; with those of the other part the "
                       "job's"),
    ENGINE_KEY(step, TIME, .fallback = "0s", .max = "1h",
               .help = "computing of a step: weights are read"),
    ENGINE_KEY(token, TIME, .fallback = "0s", .max = "1h",
               .help =
                   "and for each token: of prompts, or one of each request"),
    ENGINE_KEY(cached, TIME, .fallback = "0s", .max = "1h",
               .help = "decode: and for each token of all requests in the step "
                       "so far: keys and values are read"),
    ENGINE_KEY(layers, INT, .fallback = "1", .min = "1", .max = "10000",
               .help = "equal parts of a step, each with its collectives"),
    ENGINE_KEY(all_reduce, SIZE, .fallback = "0B", .max = "1TB",
               .help = "bytes a token and layer that the ranks sum up: twice "
                       "the hidden state, of tensor parallelism",
               .idle = idle_for_one),
    ENGINE_KEY(all_to_all, SIZE, .fallback = "0B", .max = "1TB",
               .help = "bytes a token and layer that go to experts on all "
                       "ranks, and back",
               .idle = idle_for_one),
    ENGINE_KEY(most, INT, .fallback = "", .min = "1", .max = "1000000",
               .help = "requests in a step; default: 1 for prefill, 256 for "
                       "decode",
               .idle = no_more),
    ENGINE_KEY(algorithm, TEXT, .fallback = "",
               .help = "of the all-reduce, by its defaults",
               .idle = sums_nothing),
    ORR_PARAM_END,
};

const struct orr_param orr__slo_params[] = {
    {.key = "ttft",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct slo_keys, ttft),
     .fallback = "",
     .help = "time to the first token; default: any"},
    {.key = "tpot",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct slo_keys, tpot),
     .fallback = "",
     .help = "mean time of each token after it; default: any"},
    ORR_PARAM_END,
};

/* ---- keys ---------------------------------------------------------------- */

/* Its arrays are freed with the job that serves. */
static orr_err read_engine(const struct orr_serve_job *j,
                           const struct orr_yaml *node, int which,
                           struct orr_serve *s, struct orr_report *why)
{
    const char *name = which == ORR_PREFILL ? "prefill" : "decode";
    struct engine_keys k = {.most = which == ORR_PREFILL ? 1 : 256};
    const struct orr_param_set set = {orr__engine_params, &k, s};
    struct orr_serve_part *e = &s->engine[which];
    orr_err err = orr__param_read(j->world->config, node, name, &set, 1, why);
    if (err)
        return err;
    if (which == ORR_PREFILL && k.cached)
        return orr__yaml_fail(j->world->config, orr__yaml_get(node, "cached"),
                              why, "prefill.cached: only `decode` has it");
    *e = (struct orr_serve_part){
        .ranks = (uint32_t)k.ranks,
        .step_ps = k.step,
        .token_ps = k.token,
        .cached_ps = k.cached,
        .layers = (uint32_t)k.layers,
        .all_reduce = k.all_reduce,
        .all_to_all = k.all_to_all,
        .most = k.most < s->n ? (uint32_t)k.most : s->n,
        .algorithm = k.algorithm,
    };
    e->at_work = orr__alloc(e->most, sizeof *e->at_work);
    e->queue = orr__alloc(s->n, sizeof *e->queue);
    return e->at_work && e->queue ? ORR_OK : orr__no_memory(why);
}

static orr_err read_slo(const struct orr_serve_job *j,
                        const struct orr_yaml *node, struct orr_serve *s,
                        struct orr_report *why)
{
    struct slo_keys k = {-1, -1};
    const struct orr_param_set set = {orr__slo_params, &k};
    orr_err err = ORR_OK;
    if (node)
        err = orr__param_read(j->world->config, node, "slo", &set, 1, why);
    s->slo_ttft_ps = k.ttft;
    s->slo_tpot_ps = k.tpot;
    return err;
}

/* ---- the program --------------------------------------------------------- */

/* An engine while its part of the program is made. */
struct maker {
    const struct orr_serve_job *j;
    struct orr_program *p;
    struct orr_report *why;
    uint32_t last;  /* operation; ORR_NONE: none yet */
    uint32_t group; /* of the engine's ranks */
};

static orr_err add_op(struct maker *m, const struct orr_op *op)
{
    uint32_t id;
    orr_err err = orr__program_add(m->p, op, &id, m->why);
    if (!err && m->last != ORR_NONE)
        err = orr__program_depend(m->p, m->last, id, m->why);
    m->last = id;
    return err;
}

/* Of all ranks of the engine. */
static orr_err add_call(struct maker *m, const struct orr_serve_part *e,
                        enum orr_collective_kind kind, uint64_t bytes)
{
    struct orr_op op = {.kind = ORR_OP_COLLECTIVE, .who = ORR_EVERYONE};
    struct orr_call call = {
        .bytes = bytes, .chunks = 1, .concurrent = 1, .group = m->group};
    const struct orr_call_reader r = {
        m->j->world->config, m->j->world->graph,
        m->j->hosts,         m->p,
        m->j->node,          orr__collective_kind_name(kind),
        "algorithm"};
    uint32_t *servers = NULL;
    call.c.ops = orr__collective_find(
        kind, kind == ORR_ALL_REDUCE ? e->algorithm : NULL);
    assert(call.c.ops); /* the name was looked at */
    call.c.n = e->ranks;
    const struct orr_param_set set = {call.c.ops->params, &call.c};
    orr_err err = ORR_OK;
    if (call.c.ops->params)
        err = orr__param_read(r.c, NULL, "", &set, 1, m->why);
    if (!err)
        err = orr__call_finish(&r, &call, &servers, m->why);
    if (!err)
        err = orr__program_call(m->p, &call, servers, &op.index, m->why);
    orr__free(servers);
    return err ? err : add_op(m, &op);
}

/* Computing, the all-reduce, to the experts and back. */
static orr_err add_layer(struct maker *m, struct orr_serve_part *e,
                         uint64_t tokens)
{
    const struct orr_op compute = {
        .kind = ORR_OP_COMPUTE, .who = ORR_EVERYONE, .index = ORR_NONE};
    bool alone = e->ranks == 1;
    orr_err err = add_op(m, &compute);
    e->reduces = e->all_reduce && !alone;
    if (!err && e->reduces)
        err = add_call(m, e, ORR_ALL_REDUCE, e->all_reduce * tokens);
    for (int i = 0; !err && i < 2 && e->all_to_all && !alone; i++)
        err = add_call(m, e, ORR_ALL_TO_ALL, e->all_to_all * tokens);
    return err;
}

static orr_err make_group(struct maker *m, const struct orr_serve_part *e)
{
    int64_t *rank = orr__alloc(e->ranks, sizeof *rank);
    if (!rank)
        return orr__no_memory(m->why);
    for (uint32_t i = 0; i < e->ranks; i++)
        rank[i] = (int64_t)e->base + i;
    orr_err err = orr__program_group(m->p, rank, e->ranks, &m->group, m->why);
    orr__free(rank);
    return err;
}

/* tokens: of all requests. */
static orr_err add_engine(struct maker *m, struct orr_serve_part *e,
                          uint64_t tokens)
{
    uint32_t part;
    orr_err err = orr__program_part(m->p, &part, m->why);
    if (!err)
        err = make_group(m, e);
    for (uint32_t i = 0; !err && i < e->ranks; i++)
        err = orr__program_assign(m->p, e->base + i, part, m->why);
    m->last = ORR_NONE;
    e->op = m->p->ops;
    e->call = m->p->calls;
    for (uint32_t i = 0; !err && i < e->layers; i++)
        err = add_layer(m, e, tokens);
    assert(e->layers > 0); /* as its key has it */
    e->layer_ops = (m->p->ops - e->op) / e->layers;
    e->layer_calls = (m->p->calls - e->call) / e->layers;
    return err;
}

/* Ranks of both parts, algorithms, and bytes that fit. */
static orr_err check_keys(const struct orr_serve_job *j,
                          const struct orr_serve *s, const uint64_t *tokens,
                          struct orr_report *why)
{
    struct orr_config *c = j->world->config;
    uint64_t ranks =
        (uint64_t)s->engine[0].ranks + (uint64_t)s->engine[1].ranks;
    if (ranks != j->ranks)
        return orr__yaml_fail(c, j->node, why,
                              "serve: prefill and decode have %llu ranks, and "
                              "the job has %u",
                              (unsigned long long)ranks, j->ranks);
    for (int i = 0; i < 2; i++) {
        const struct orr_serve_part *e = &s->engine[i];
        const struct orr_yaml *at =
            orr__yaml_get(j->node, i == ORR_PREFILL ? "prefill" : "decode");
        const struct orr_collective_ops *ops =
            orr__collective_find(ORR_ALL_REDUCE, e->algorithm);
        if (!ops || ops->on_trees || ops->serves)
            return orr__yaml_fail(c, orr__yaml_get(at, "algorithm"), why,
                                  "%s.algorithm: \"%s\" is none of an "
                                  "all-reduce between ranks",
                                  i == ORR_PREFILL ? "prefill" : "decode",
                                  e->algorithm);
        double bytes = (double)(e->all_reduce + e->all_to_all)
                       * (double)tokens[i] * e->ranks * e->layers;
        if (!(bytes < 0x1p61) || !((double)s->kv * (double)tokens[i] < 0x1p61))
            return orr__yaml_fail(c, at, why,
                                  "serve: all requests together are more than "
                                  "2 EiB");
    }
    return ORR_OK;
}

/* The program of both parts; *out only on success. */
static orr_err make_program(const struct orr_serve_job *j, struct orr_serve *s,
                            struct orr_program **out, struct orr_report *why)
{
    struct maker m = {
        .j = j, .p = orr__program_new(j->ranks), .why = why, .last = ORR_NONE};
    uint64_t tokens[2] = {0, 0};
    if (!m.p)
        return orr__no_memory(why);
    s->engine[ORR_DECODE].base = s->engine[ORR_PREFILL].ranks;
    for (uint32_t i = 0; i < s->n; i++) {
        tokens[ORR_PREFILL] += s->request[i].prompt;
        tokens[ORR_DECODE] += s->request[i].output - 1;
    }
    orr_err err = check_keys(j, s, tokens, why);
    for (int i = 0; !err && i < 2; i++)
        err = add_engine(&m, &s->engine[i], tokens[i]);
    if (!err)
        err = orr__program_finish(m.p, why);
    if (err)
        orr__program_free(m.p);
    else
        *out = m.p;
    return err;
}

orr_err orr__serve_read(const struct orr_serve_job *j, struct orr_serve **out,
                        struct orr_program **program, struct orr_report *why)
{
    struct serve_keys k = {.kv = 0};
    const struct orr_param_set set = {orr__serve_params, &k};
    struct orr_serve *s = *out = orr__alloc(1, sizeof *s);
    if (!s)
        return orr__no_memory(why);
    orr_err err =
        orr__param_read(j->world->config, j->node, "serve", &set, 1, why);
    s->kv = k.kv;
    s->continuous = k.batch == 0;
    if (!err)
        err = orr__requests_read(j, &k.requests, s, why);
    if (!err)
        err = read_slo(j, k.slo, s, why);
    if (!err)
        err = read_engine(j, k.prefill, ORR_PREFILL, s, why);
    if (!err)
        err = read_engine(j, k.decode, ORR_DECODE, s, why);
    return err ? err : make_program(j, s, program, why);
}

void orr__serve_free(struct orr_serve *s)
{
    if (!s)
        return;
    for (int i = 0; i < 2; i++) {
        orr__free(s->engine[i].at_work);
        orr__free(s->engine[i].queue);
    }
    orr__free(s->request);
    orr__free(s);
}
