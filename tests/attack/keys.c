/* Each key that a configuration sets is changed, in some ways: either the run
 * changes, or a note says that the key has no effect. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "core/config/config.h"
#include "core/text.h"
#include "experiment/experiment.h"
#include "tests/attack/keys.h"

#define NAME "attack.yaml"

/* Keys that change no run, by what they are for: what something is called, what
 * draws lots or runs in another way, what would refuse; and what is no key of
 * traffic: much of a topology is the same by another name, or is not crossed.
 */
static const char *const aside[] = {
    "title",     "name",      "names",    "seed",     "ports",
    "processes", "table",     "topology", "generate", "id",
    "tag",       "exclusive", "stream",   "servers",  NULL,
};

/* Families whose members act when something happens that may never: a loss, a
 * mark, a pause between packets. Keys of their members are tried in members.c.
 */
static const char *const families[] = {"cc", "routing", NULL};

/* Of a configuration with jobs or a cluster these alone: what they send may be
 * too little for keys of a network. */
static const char *const others[] = {"jobs", "cluster", NULL};

/* Keys that act when something happens: what the run counts of it, NULL:
 * nothing that is counted. */
static const struct {
    const char *key, *counter;
} events[] = {
    {"recovery", NULL}, /* a loss may be the last of all */
    {"rto", "packets_dropped"},
    {"nack_interval", NULL},
    {"initial_window", NULL}, /* what a link holds may be less */
    {"window", NULL},
    {"classes", NULL}, /* of which some are used */
    {"weight", NULL},  /* if its control increases anything */
    {"class", NULL},   /* at a NIC or port where two classes wait */
    {"ecn", "packets_dropped"},
    {"kmin", NULL},
    {"kmax", NULL},
    {"pmax", NULL},
    {"buffer.kind", "packets_dropped"}, /* with no other limit */
    {"buffer.size", "packets_dropped"},
    {"hysteresis", NULL}, /* on the way back to less */
    {"xoff", "pfc_pauses"},
    {"hold_acks", NULL}, /* an ACK waits at a host that is paused */
    {"reserve", NULL},   /* where memory is short */
    {"headroom", NULL},  /* what it leaves for the rest is seldom short */
    {"alpha", "pfc_pauses"},
    {"queue.header", "packets_trimmed"},
    {"latency.host", NULL}, /* of the tier that counts */
    {"min", NULL},
    {"max", NULL},
    {"initial", NULL},
    {"probe", NULL},
    {"reorder_window", NULL},
    {"capacity", NULL},
    {"queue.limit", NULL},
    {"in_service", NULL},
    {"idle_restart", NULL},
    {"ack_every", NULL}, /* of a packet */
    {"ack_delay", NULL},
    {"ack_bytes", NULL},
    {"ack_rule", NULL},
    {"ties", NULL},
    {"threshold", NULL},
    {"control", NULL},
    {"most", NULL},         /* requests, where they come one at a time */
    {"compute.time", NULL}, /* that `compute_factor` may do away with */
    {"concurrent", NULL},   /* of chunks that have a byte */
    {"switching", NULL},    /* of packets that cross a switch */
    {"tensor_rate", NULL},  /* of operations that have tensors */
    {"plane", NULL},        /* of planes that are alike, for packets apart */
    {"nic.queue", NULL},    /* of two connections */
    {"nic.marks", NULL},    /* where so much waits */
    {"ahead", NULL},
    {"failures.server", NULL},   /* of servers that are idle then */
    {"failures.for", NULL},      /* of one that nobody waits for */
    {"cluster.most", NULL},      /* more jobs than may come */
    {"chunks", NULL},            /* of a message of some bytes */
    {"slots", NULL},             /* of connectors that may never be full */
    {"fallback", NULL},          /* if no switch can */
    {"preempt", NULL},           /* if somebody is */
    {"changes.iteration", NULL}, /* for those that send little */
    {"gate.period", NULL},   /* of the first iteration `offset` may be all */
    {"gate.offset", NULL},   /* and that may be one that warms up */
    {"drift.most", NULL},    /* if a job is late so often */
    {"changes.class", NULL}, /* of an iteration that is not reached */
    {"shards", NULL},        /* of a message of some bytes */
    {"message_overhead.time", NULL}, /* if something is sent */
    {"flows.class", NULL},           /* where two classes are at one port */
    {"placement.stride", NULL},      /* of few hosts it may be the same */
    {"placement.offset", NULL},
    {"tiers", NULL},      /* where some path has several */
    {"resolution", NULL}, /* if it rounds anything */
    {"resize.grow", "resized"},
    {"gpus.step", "resized"},
    {"resize.shrink", NULL}, /* others may have grown */
    {"resize.by", NULL},     /* between two jobs */
    {"resize.cost", "resized"},
    {"resize.every", "resized"},
    {"migrate.cost", "moved"},
    {"migrate.every", NULL}, /* between two moves of one job */
    {"cluster.share", NULL}, /* if somebody waits, as these do */
    {"tenants.reclaim", NULL},
    {"tenants.borrow", NULL},
    {"network.mtu", NULL}, /* with short messages NICs' turns alone go by it */
    {"tokens", NULL},      /* some may go nowhere */
    {"efficiency", NULL},  /* of what memory bounds */
    {"spread", NULL},      /* of a computation of some ps */
    {NULL, NULL},
};

struct keys {
    const char *text;
    json_t *config;
    struct orr_config *parsed;
    const struct limits *l;
    struct outcome base;
    json_t *idle;  /* places of keys that have no effect: true; of remarks */
    bool sections; /* those alone */
    struct tally *t;
    struct finding *f;
};

static bool is_among(const char *const *list, const char *key)
{
    while (*list && strcmp(*list, key))
        list++;
    return *list != NULL;
}

static bool is_aside(const char *key)
{
    return is_among(aside, key);
}

/* Is it the last key, or the last ones, of a path? */
static bool ends_in(const char *path, const char *key)
{
    size_t n = strlen(path), m = strlen(key);

    return n > m && path[n - m - 1] == '.' && !strcmp(path + n - m, key);
}

/* What a link loses counts as dropped, as does what a dark one does not send,
 * or a queue that counts packets. */
static bool loses(const json_t *tree)
{
    const json_t *v;
    const char *key;
    size_t i;
    bool any =
        json_object_get(tree, "loss") || json_object_get(tree, "circuits")
        || json_object_get(tree, "failures") || json_object_get(tree, "limit");

    json_object_foreach((json_t *)tree, key, v) any |= loses(v);
    json_array_foreach(tree, i, v) any |= loses(v);
    return any;
}

/* Beside something longer it may not matter how long an operation takes, nor
 * how fast sizes are that no job has, or kinds of GPUs that none is on. */
static bool is_hidden(const char *path)
{
    return (strstr(path, ".parallel.")
            && (ends_in(path, "size") || ends_in(path, "compute")
                || ends_in(path, "time")))
           || strstr(path, ".throughput.") || strstr(path, ".dispatch.")
           || (strstr(path, ".cluster.jobs.program.")
               && ends_in(path, "size")); /* on one GPU */
}

/* Is it a counter of the run, or of its cluster, that is not 0? */
static bool counts(const json_t *summary, const char *counter)
{
    const json_t *of[] = {json_object_get(summary, "counters"),
                          json_object_get(summary, "cluster")};

    return json_integer_value(json_object_get(of[0], counter))
           || json_integer_value(json_object_get(of[1], counter));
}

/* Of the tiers of a path the least packet counts, of few messages perhaps. */
static bool is_one_of_many(const struct keys *k, const char *path)
{
    const json_t *network = json_object_get(k->config, "network");

    /* of lossy classes what comes first drops: memory or queue */
    if (json_object_get(json_object_get(network, "pfc"), "lossless")
        && strstr(path, ".buffer."))
        return true;
    return strstr(path, ".by_tier.")
           || (json_object_get(network, "by_tier")
               && (ends_in(path, "mtu") || ends_in(path, "local_mtu")));
}

static bool happens(const struct keys *k, const char *path)
{
    bool lossy = loses(k->config);

    if (is_hidden(path) || is_one_of_many(k, path))
        return false;
    for (size_t i = 0; events[i].key; i++)
        if (ends_in(path, events[i].key)
            && (!events[i].counter
                || (lossy && strstr(events[i].counter, "dropped"))
                || !counts(k->base.summary, events[i].counter)))
            return false;
    return true;
}

/* ---- what is told ------------------------------------------------------- */

static void keep_place(void *arg, const struct orr_remarked *r)
{
    if (r->text)
        json_object_set_new(arg, r->place, json_boolean(r->key));
}

static void look(const orr_experiment *x, const struct outcome *o, void *arg)
{
    const struct orr_world *w = orr__experiment_world(x);

    if (orr__config_remarks(w->config, keep_place, arg) != ORR_OK)
        return; /* a key without a note: a finding */
}

static void run(const struct keys *k, const char *text, struct outcome *o,
                json_t *idle)
{
    static const struct variant plain = {.name = "keys"};

    orr__trial_run(text, &plain, k->l, o, idle ? look : NULL, idle);
    json_object_del(o->summary, "notes");
    json_object_del(o->summary, "title");
    k->t->runs += !o->refused && !o->large;
}

/* ---- changes ------------------------------------------------------------ */

/* The i-th other value of a number with a unit, or NULL. */
static json_t *other_number(const char *text, unsigned i)
{
    static const double factor[] = {0.01, 100, 0.5, 2, 0.0001, 10000};
    char *unit, buf[64];
    double v = strtod(text, &unit);

    if (unit == text)
        return NULL;
    v = v > 0 ? v * factor[i % 6] : 1000 * factor[i % 6];
    snprintf(buf, sizeof buf, v < 1e15 ? "%.0f%s" : "%g%s", v, unit);
    if (!strchr(text, '.') || *unit)
        return json_string(buf);
    snprintf(buf, sizeof buf, "%g", v);
    return json_string(buf);
}

/* The i-th choice that the network has for a key, or NULL. */
static json_t *other_word(const char *key, unsigned i)
{
    static const char *const sections[] = {"network", "buffer", "nic"};

    for (size_t s = 0; s < sizeof sections / sizeof *sections; s++)
        for (size_t n = 0; orr__sections[n].name; n++) {
            const struct orr_param *p = orr__sections[n].params();

            if (strcmp(orr__sections[n].name, sections[s]))
                continue;
            while (p->key && strcmp(p->key, key))
                p++;
            for (unsigned c = 0; p->key && p->choices && p->choices[c]; c++)
                if (c == i)
                    return json_string(p->choices[c]);
        }
    return NULL;
}

enum { WAYS = 8 };

/* The i-th change of a key in its map; false: there is no such one. The value
 * that was there is the caller's to put back. */
static bool change(json_t *map, const char *key, const json_t *was, unsigned i)
{
    const char *text = json_string_value(was);
    json_t *other = NULL;

    if (i == 0)
        return json_object_del(map, key) == 0;
    if (text && i == 1 && !strcmp(text, "true"))
        other = json_string("false");
    else if (text && i == 1 && !strcmp(text, "false"))
        other = json_string("true");
    else if (text && i >= 2)
        other = other_number(text, i - 2);
    if (!other && i >= 2)
        other = other_word(key, i - 2);
    if (other && json_equal(other, was)) {
        json_decref(other);
        return false;
    }
    return other && json_object_set_new(map, key, other) == 0;
}

/* Did some change have an effect, or was none possible? What is left out may be
 * the same by default. Of what runs for longer nothing is known. at: where the
 * key is, as a note that it has no other value there either would say. */
static bool acts(const struct keys *k, json_t *map, const char *key,
                 const char *at)
{
    json_t *was = json_incref(json_object_get(map, key));
    bool acted = false, tried = false;

    for (unsigned i = 0; i < WAYS && !acted; i++) {
        json_t *idle = json_object();
        struct outcome o;
        char *text;

        if (change(map, key, was, i)) {
            text = orr__yaml_of(k->config);
            run(k, text, &o, idle);
            tried |=
                i > 0 && !o.refused && !json_is_true(json_object_get(idle, at));
            acted = o.late || o.large
                    || (!o.refused
                        && (o.code != k->base.code
                            || !json_equal(o.summary, k->base.summary)));
            orr__outcome_fini(&o);
            free(text);
        }
        json_object_set(map, key, was);
        json_decref(idle);
    }
    json_decref(was);
    return acted || !tried;
}

/* A key that a note says has no effect: without it the run is the same, unless
 * it is refused. What results say of the key itself does not count. */
static void distrust(struct keys *k, json_t *map, const char *key,
                     const char *path, const char *at)
{
    json_t *was = json_incref(json_object_get(map, key));
    struct outcome o;
    char *text;

    json_object_del(map, key);
    text = orr__yaml_of(k->config);
    run(k, text, &o, NULL);
    if (!o.refused && !o.late && !o.large
        && (o.code != k->base.code
            || !json_equal(json_object_get(o.summary, "fingerprint"),
                           json_object_get(k->base.summary, "fingerprint"))))
        orr__found(k->f, "told",
                   "%s: a note says that %s has no effect, and "
                   "it has",
                   at, path);
    orr__outcome_fini(&o);
    free(text);
    json_object_set_new(map, key, was);
}

/* ---- keys --------------------------------------------------------------- */

static void walk(struct keys *k, const struct orr_yaml *n, json_t *tree,
                 const char *path);

enum { PLACE = 300 };

static void place_of(const struct keys *k, const struct orr_yaml *n,
                     char at[PLACE])
{
    struct orr_report why = {0};

    (void)orr__yaml_fail(k->parsed, n, &why, "here");
    snprintf(at, PLACE, "%s:%d:%d", NAME, why.line, why.col);
}

/* An item of a list of which a note says something, as that nothing is made of
 * it. */
static bool is_remarked(const struct keys *k, const struct orr_yaml *n)
{
    char at[PLACE];

    place_of(k, n, at);
    return json_object_get(k->idle, at) != NULL;
}

/* An operation of no bytes. */
static bool is_empty(const json_t *map)
{
    const char *size = json_string_value(json_object_get(map, "size"));

    return size && strtod(size, NULL) == 0 && strchr("0.", size[0]);
}

static void try_key(struct keys *k, const struct orr_yaml *map, size_t i,
                    json_t *tree, const char *path)
{
    const struct orr_yaml *key = orr__yaml_key(map, i);
    const char *name = orr__yaml_text(k->parsed, key);
    char at[PLACE], inner[256];

    place_of(k, key, at);
    snprintf(inner, sizeof inner, "%s.%s", path, name);
    if (is_aside(name))
        return;
    /* of all tenants together; and of nothing that is sent */
    if (ends_in(inner, "tenants.priority") || is_empty(tree))
        return;
    if (json_is_true(json_object_get(k->idle, at))) {
        distrust(k, tree, name, inner, at);
        return;
    }
    if (!*path && k->sections && !is_among(others, name))
        return;
    if (!is_among(families, name))
        walk(k, orr__yaml_value(map, i), json_object_get(tree, name), inner);
    if (k->f->kind[0] || !happens(k, inner)
        || !json_is_string(json_object_get(tree, name)))
        return;
    k->t->changed++;
    if (!acts(k, tree, name, at))
        orr__found(k->f, "idle", "%s: %s changes nothing, and no note says so",
                   at, inner);
}

static void walk(struct keys *k, const struct orr_yaml *n, json_t *tree,
                 const char *path)
{
    size_t count = orr__yaml_is_scalar(n) ? 0 : orr__yaml_count(n);

    for (size_t i = 0; i < count && !k->f->kind[0]; i++)
        if (orr__yaml_is_map(n))
            try_key(k, n, i, tree, path);
        else if (!is_remarked(k, orr__yaml_item(n, i)))
            walk(k, orr__yaml_item(n, i), json_array_get(tree, i), path);
}

void orr__keys(const char *text, const struct limits *l, struct tally *t,
               struct finding *f)
{
    struct orr_report why = {0};
    struct limits own = *l;
    struct keys k = {.l = &own, .t = t, .f = f, .idle = json_object()};
    json_t *tree = orr__tree_of(text);
    char *yaml = orr__yaml_of(tree);

    if (json_object_get(tree, "jobs") || json_object_get(tree, "cluster"))
        own.hops /= 50; /* each key has many runs */
    t->cases++;
    k.text = yaml;
    k.config = tree;
    k.sections =
        json_object_get(tree, "jobs") || json_object_get(tree, "cluster");
    run(&k, yaml, &k.base, k.idle);
    t->refused += k.base.refused;
    t->large += k.base.large;
    if (!k.base.refused && !k.base.large && !k.base.late && !k.base.code
        && orr__config_parse(NAME, yaml, strlen(yaml), &k.parsed, &why)
               == ORR_OK) {
        walk(&k, orr__config_root(k.parsed), tree, "");
        orr__config_free(k.parsed);
    }
    orr__outcome_fini(&k.base);
    json_decref(k.idle);
    json_decref(tree);
    free(yaml);
}
