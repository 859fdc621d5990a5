/* A configuration in all the ways that must not change its run. */
#include "tests/attack/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "study/run/entry.h"

bool orr__found(struct finding *f, const char *kind, const char *format, ...)
{
    va_list list;

    if (f->kind[0])
        return false;
    snprintf(f->kind, sizeof f->kind, "%s", kind);
    va_start(list, format);
    vsnprintf(f->detail, sizeof f->detail, format, list);
    va_end(list);
    return false;
}

/* What a summary says about this run only, and not about what was simulated. */
static json_t *summary_of(const orr_experiment *x)
{
    char *text = orr_experiment_json(x);
    json_t *s = text ? json_loads(text, 0, NULL) : NULL, *job;
    size_t i;

    orr_text_free(text);
    json_object_del(s, "wall");
    json_object_del(s, "output");
    json_array_foreach(json_object_get(s, "jobs"), i, job)
        json_object_del(json_object_get(job, "trace"), "load_seconds");
    return s;
}

enum { MOST_SETS = sizeof((struct variant *)0)->set / sizeof(char *) };

void orr__trial_run(const char *text, const struct variant *v,
                    const struct limits *l, struct outcome *o,
                    orr__messages_fn *look, void *arg)
{
    struct orr_options options = {
        .sets = v->set,
        .threads = v->threads,
        .output = v->records,
        .no_output = !v->records,
        .interrupt = (const volatile int *)l->interrupt,
    };
    struct orr_estimate e = {0};
    orr_experiment *x = NULL;

    memset(o, 0, sizeof *o);
    while (options.n_sets < MOST_SETS && v->set[options.n_sets])
        options.n_sets++;
    o->code =
        orr__experiment_load_text("attack.yaml", text, &options, &x, &o->why);
    o->late = o->code == ORR_EINTERRUPTED; /* while a schedule planned */
    o->refused = o->code != ORR_OK;
    if (o->refused)
        return;
    o->code = orr_experiment_estimate(x, &e, &o->why);
    o->late = o->code == ORR_EINTERRUPTED;
    o->large = o->code != ORR_OK || e.packet_hops > l->hops
               || e.memory_bytes > l->memory;
    if (!o->large) {
        o->code = orr_experiment_run(x, &o->why);
        o->late = o->code == ORR_EINTERRUPTED;
        o->summary = summary_of(x);
        if (look && !o->late)
            look(x, o, arg);
    }
    orr_experiment_free(x);
}

void orr__outcome_fini(struct outcome *o)
{
    json_decref(o->summary);
    o->summary = NULL;
}

/* ---- alike? -------------------------------------------------------------- */

struct place {
    char path[256];
    char said[256];
};

static bool differ(struct place *p, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool differ(struct place *p, const char *path, const char *format, ...)
{
    va_list list;

    snprintf(p->path, sizeof p->path, "%s", path);
    va_start(list, format);
    vsnprintf(p->said, sizeof p->said, format, list);
    va_end(list);
    return false;
}

/* A queue may be added up in another order. */
static bool near(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + 1e-6;
}

static bool alike(const json_t *a, const json_t *b, const char *path,
                  struct place *p);

static bool alike_objects(const json_t *a, const json_t *b, const char *path,
                          struct place *p)
{
    const char *key;
    json_t *v;

    json_object_foreach((json_t *)a, key, v)
    {
        char inner[256];

        snprintf(inner, sizeof inner, "%s.%s", path, key);
        if (!alike(v, json_object_get(b, key), inner, p))
            return false;
    }
    return json_object_size(a) == json_object_size(b)
           || differ(p, path, "%zu and %zu keys", json_object_size(a),
                     json_object_size(b));
}

static bool alike(const json_t *a, const json_t *b, const char *path,
                  struct place *p)
{
    char inner[256], *x, *y;
    bool same;

    if (json_is_number(a) && json_is_number(b)
        && (json_is_real(a) || json_is_real(b)))
        return near(json_number_value(a), json_number_value(b))
               || differ(p, path, "%.15g and %.15g", json_number_value(a),
                         json_number_value(b));
    if (json_is_object(a) && json_is_object(b))
        return alike_objects(a, b, path, p);
    if (json_is_array(a) && json_is_array(b)) {
        for (size_t i = 0; i < json_array_size(a); i++) {
            snprintf(inner, sizeof inner, "%s[%zu]", path, i);
            if (!alike(json_array_get(a, i), json_array_get(b, i), inner, p))
                return false;
        }
        return json_array_size(a) == json_array_size(b)
               || differ(p, path, "%zu and %zu items", json_array_size(a),
                         json_array_size(b));
    }
    if (json_equal(a, b))
        return true;
    x = json_dumps(a, JSON_ENCODE_ANY);
    y = json_dumps(b, JSON_ENCODE_ANY);
    same = differ(p, path, "%.100s and %.100s", x ? x : "nothing",
                  y ? y : "nothing");
    free(x);
    free(y);
    return same;
}

static void compare(const struct outcome *a, const struct outcome *b,
                    const struct variant *v, struct finding *f)
{
    char kind[64], said[2][1600];
    struct place p = {{0}, {0}};

    snprintf(kind, sizeof kind, "differs: %s", v->name);
    if (b->late || b->large)
        return; /* more slowly, or with more memory, and that is all */
    orr__report_format(&a->why, said[0], sizeof said[0]);
    orr__report_format(&b->why, said[1], sizeof said[1]);
    if (a->refused != b->refused || a->code != b->code
        || (a->code && strcmp(said[0], said[1])))
        orr__found(f, kind, "%s ends with \"%s\", and without with \"%s\"",
                   v->name, said[1], said[0]);
    else if (!alike(a->summary, b->summary, "", &p))
        orr__found(f, kind, "%s: %s", p.path, p.said);
}

/* ---- what a configuration says ------------------------------------------- */

static bool says(const json_t *config, const char *section, const char *key,
                 const char *value)
{
    const json_t *map = json_object_get(config, section);
    const char *s = json_string_value(json_object_get(map, key));

    return s && !strcmp(s, value);
}

static bool has(const json_t *config, const char *section, const char *key)
{
    return json_object_get(json_object_get(config, section), key) != NULL;
}

/* ---- the comparisons ----------------------------------------------------- */

/* A configuration, what it came to as it is, and where findings go. */
struct trial {
    const char *text, *folder;
    const json_t *config;
    const struct limits *l;
    const struct outcome *base;
    struct tally *t;
    struct finding *f;
};

static bool vary(struct trial *x, const struct variant *v)
{
    struct outcome o;

    orr__trial_run(x->text, v, x->l, &o, NULL, NULL);
    x->t->runs++;
    compare(x->base, &o, v, x->f);
    if (v->records && !x->f->kind[0] && !o.late && !o.large) {
        orr__hold_records(v->records, x->config, &o, x->f);
        x->t->records++;
    }
    orr__outcome_fini(&o);
    return true;
}

/* Ports that hold their packets cannot be had under these. */
static bool takes_explicit_ports(const json_t *config)
{
    return !says(config, "network", "switching", "cut-through")
           && !says(json_object_get(config, "network"), "nic", "queue", "fifo")
           && !says(config, "network", "as", "ns3") /* the same */
           && !says(config, "network", "transport", "analytical");
}

static bool on_two_threads(struct trial *x)
{
    static const struct variant v = {.name = "two threads", .threads = 2};

    return vary(x, &v);
}

static bool on_three_threads(struct trial *x)
{
    static const struct variant v = {.name = "three threads", .threads = 3};

    return vary(x, &v);
}

static bool by_explicit_ports(struct trial *x)
{
    static const struct variant v = {.name = "explicit ports",
                                     .set = {"network.ports=explicit"}};

    return takes_explicit_ports(x->config) && vary(x, &v);
}

static bool by_nodes(struct trial *x)
{
    static const struct variant v = {.name = "a process for each node",
                                     .set = {"network.processes=nodes"}};

    return !says(x->config, "network", "processes", "one") && vary(x, &v);
}

static bool by_both(struct trial *x)
{
    static const struct variant v = {
        .name = "explicit ports, two threads, a process for each node",
        .threads = 2,
        .set = {"network.ports=explicit", "network.processes=nodes"}};

    return takes_explicit_ports(x->config)
           && !says(x->config, "network", "processes", "one") && vary(x, &v);
}

/* The first job goes through more iterations, so that there is something to
 * repeat, and no lots are drawn. With fewer looks at the summary: what was
 * repeated is not simulated, and has a fingerprint of its own; packets that are
 * skipped have no owner. */
static bool by_repetition(struct trial *x)
{
    static const struct variant full = {.name = "more iterations",
                                        .set = {"network.ties=index",
                                                "jobs[0].iterations=60",
                                                "record.by_job=false"}};
    static const struct variant skipped = {
        .name = "repetition",
        .set = {"network.ties=index", "jobs[0].iterations=60",
                "record.by_job=false", "repeat=exact"}};
    struct outcome a, b;
    bool ran;

    if (!json_object_get(x->config, "jobs"))
        return false;
    orr__trial_run(x->text, &full, x->l, &a, NULL, NULL);
    ran = !a.refused && !a.large && !a.late;
    if (ran) {
        orr__trial_run(x->text, &skipped, x->l, &b, NULL, NULL);
        x->t->runs += 2;
        x->t->repeated += json_array_size(json_object_get(
                              json_object_get(b.summary, "repeat"), "jumps"))
                          > 0;
        json_object_del(a.summary, "fingerprint");
        json_object_del(b.summary, "fingerprint");
        json_object_del(b.summary, "repeat");
        compare(&a, &b, &skipped, x->f);
        orr__outcome_fini(&b);
    }
    orr__outcome_fini(&a);
    return ran;
}

/* What was seen of links while a collective went on: nobody looks where some
 * are replayed. */
static void drop_limits(json_t *value)
{
    const char *key;
    json_t *part;
    size_t i;

    json_object_del(value, "limiting_link");
    json_object_foreach(value, key, part) drop_limits(part);
    json_array_foreach(value, i, part) drop_limits(part);
}

/* A run whose collectives overtake one another cannot be exact, and says so
 * when it happens: docs/model.md has this limit. */
static bool gives_way(const struct outcome *o)
{
    return o->code == ORR_ERUN
           && strstr(o->why.message, "repeat.operations cannot be exact here");
}

/* Collectives on links of their own, in full and replayed. */
static bool by_replay(struct trial *x)
{
    static const struct variant full = {.name = "without records",
                                        .set = {"record=none"}};
    static const struct variant memo = {
        .name = "collectives replayed",
        .threads = 2,
        .set = {"record=none", "repeat={operations: exact}"}};
    struct outcome a, b;
    bool ran;

    if (!json_object_get(x->config, "jobs"))
        return false;
    orr__trial_run(x->text, &full, x->l, &a, NULL, NULL);
    ran = !a.refused && !a.large && !a.late;
    if (ran) {
        orr__trial_run(x->text, &memo, x->l, &b, NULL, NULL);
        x->t->runs += 2;
        x->t->replayed +=
            json_integer_value(json_object_get(
                json_object_get(b.summary, "replayed"), "islands"))
            > 0;
        json_object_del(a.summary, "fingerprint");
        json_object_del(b.summary, "fingerprint");
        json_object_del(b.summary, "replayed");
        drop_limits(a.summary);
        drop_limits(b.summary);
        if (!gives_way(&b))
            compare(&a, &b, &memo, x->f);
        orr__outcome_fini(&b);
    }
    orr__outcome_fini(&a);
    return ran;
}

/* What is inferred is the same on two threads, and in the file of records. */
static bool by_sampling(struct trial *x)
{
#define SAMPLED                                                                \
    {                                                                          \
        "jobs[0].iterations=60", "repeat={kind: sampled, error: 50%}"          \
    }
    static const struct variant alone = {.name = "sampled", .set = SAMPLED};
    char path[256];
    struct variant v = {.name = "sampled, on two threads, with records",
                        .threads = 2,
                        .records = path,
                        .set = SAMPLED};
    struct outcome a, b;
    bool ran;

    if (!json_object_get(x->config, "jobs"))
        return false;
    orr__trial_run(x->text, &alone, x->l, &a, NULL, NULL);
    ran = !a.refused && !a.large && !a.late;
    if (ran) {
        snprintf(path, sizeof path, "%s/attack-%d.h5", x->folder,
                 (int)getpid());
        orr__trial_run(x->text, &v, x->l, &b, NULL, NULL);
        x->t->runs += 2;
        x->t->sampled += json_array_size(json_object_get(
                             json_object_get(b.summary, "repeat"), "jumps"))
                         > 0;
        compare(&a, &b, &v, x->f);
        if (!x->f->kind[0] && !b.late && !b.large)
            orr__hold_records(path, x->config, &b, x->f);
        orr__outcome_fini(&b);
        (void)unlink(path);
    }
    orr__outcome_fini(&a);
    return ran;
}

static bool with_records(struct trial *x)
{
    char path[256];
    struct variant v = {.name = "records", .records = path};

    if (!x->l->records && !has(x->config, "record", "interval"))
        return false;
    snprintf(path, sizeof path, "%s/attack-%d.h5", x->folder, (int)getpid());
    vary(x, &v);
    (void)unlink(path);
    return true;
}

static bool explained(struct trial *x)
{
    bool had = x->base->code == ORR_OK
               && orr__explained(x->text, x->l, x->folder, x->base, x->f);

    x->t->explained += had;
    return had;
}

static bool lived(struct trial *x)
{
    bool had = x->base->code == ORR_OK
               && orr__lived(x->text, x->config, x->l, x->base, x->f);

    x->t->lived += had;
    return had;
}

/* False: it is not for this configuration. */
typedef bool check_fn(struct trial *x);
static check_fn *const checks[] = {on_two_threads,
                                   on_three_threads,
                                   by_explicit_ports,
                                   by_nodes,
                                   by_both,
                                   by_repetition,
                                   by_replay,
                                   by_sampling,
                                   with_records,
                                   explained,
                                   lived};
enum { CHECKS = sizeof checks / sizeof *checks };

/* All comparisons, or one that the configuration itself draws. */
static void check(struct trial *x)
{
    size_t lot = XXH3_64bits(x->text, strlen(x->text)) / 8 % CHECKS;
    bool enough = false;

    for (size_t i = 0; i < CHECKS && !enough && !x->f->kind[0]; i++)
        enough = checks[(lot + i) % CHECKS](x) && x->l->few;
}

struct beside {
    struct finding *f;
    struct tally *t;
};

static void look(const orr_experiment *x, const struct outcome *o, void *arg)
{
    struct beside *b = arg;

    b->t->reference +=
        orr__beside_reference(x, o, b->f) || orr__beside_sums(x, o, b->f);
}

void orr__trial(const char *text, const struct limits *l, const char *folder,
                struct tally *t, struct finding *f)
{
    static const struct variant plain = {.name = "as it is"};
    json_t *config = orr__tree_of(text);
    struct beside b = {f, t};
    struct outcome base;
    struct trial x = {.text = text,
                      .folder = folder,
                      .config = config,
                      .l = l,
                      .base = &base,
                      .t = t,
                      .f = f};

    t->cases++;
    orr__trial_run(text, &plain, l, &base, look, &b);
    if (base.refused && !base.late) {
        t->refused++;
        orr__hold_report(&base.why, false, f);
    } else if (base.large) {
        t->large++;
    } else if (base.late) {
        t->late++;
    } else {
        t->runs++;
        t->failed += base.code != ORR_OK;
        if (base.code)
            orr__hold_report(&base.why, true, f);
        orr__hold(config, &base, f);
        check(&x);
    }
    orr__outcome_fini(&base);
    json_decref(config);
}
