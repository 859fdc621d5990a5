/* Keys of families of the network, of topologies and of records: each acts
 * somewhere, and where it says that it has no effect it has none. Keys of a
 * control, of a choice of path or of a queue act when something happens that
 * one run may never see, so each is tried in several networks, beside other
 * keys of its member. Keys of records act if the file has another size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/config/config.h"
#include "core/text.h"
#include "experiment/experiment.h"
#include "record/series.h"
#include "tests/attack/doors.h"
#include "tests/attack/draw.h"
#include "tests/attack/guard.h"
#include "tests/attack/keys.h"

/* What members stand in, in tests/attack/samples/members/: many into one,
 * through queues that mark, drop and trim, near and far, and jobs that pause.
 */
static const char *const scenes[] = {"mark",   "drop",    "jobs", "far",
                                     "deep",   "rounds",  "trim", "slow",
                                     "pauses", "detours", "small"};
enum { SCENES = sizeof scenes / sizeof *scenes, TRIES = 20 * SCENES };

static const struct {
    const char *name, *place; /* of the family; of its map */
} families[] = {{"cc", "network.cc"},
                {"routing", "network.routing"},
                {"queues", "network.queue"},
                {"topologies", "topology"},
                {"record", "record"}};

struct search {
    struct draw d;
    const char *family, *place; /* of the values: "cc", "network.cc" */
    const char *member;
    const struct orr_param *param;
    struct limits *l;
    bool acts, told; /* somewhere */
    bool ran;        /* with two values */
    bool few;        /* no more tries than are needed for that */
    struct finding f;
};

static bool is_of(const struct search *s, const char *family)
{
    return !strcmp(s->family, family);
}

/* NULL: it cannot be read. */
static json_t *make_scene(const struct search *s, unsigned i)
{
    char path[80], *text;
    json_t *config;
    size_t size;

    snprintf(path, sizeof path, "tests/attack/samples/members/%s.yaml",
             is_of(s, "topologies") ? "everywhere" : scenes[i % SCENES]);
    text = orr__slurp(path, &size);
    config = text ? orr__tree_of(text) : NULL;
    free(text);
    if (config && !json_object_get(config, "network"))
        json_object_set_new(config, "network", json_object());
    return config;
}

struct told {
    char start[80]; /* "network.cc.g has no effect" */
    bool is;
    off_t recorded; /* bytes */
};

static void keep(void *arg, const struct orr_remarked *r)
{
    struct told *t = arg;

    t->is |= r->key && r->text && strstr(r->text, t->start);
}

static void look(const orr_experiment *x, const struct outcome *o, void *arg)
{
    const struct orr_world *w = orr__experiment_world(x);

    if (orr__config_remarks(w->config, keep, arg) != ORR_OK)
        return;
}

/* False: it does not run like this. */
static bool run(const struct search *s, json_t *config, json_t *member,
                struct outcome *o, struct told *told)
{
    char path[256], *text;
    const struct variant v = {.name = "member",
                              .records = is_of(s, "record") ? path : NULL};
    const char *dot = strrchr(s->place, '.');
    json_t *holder = dot ? json_object_get(config, "network") : config;
    struct stat at;

    snprintf(path, sizeof path, "%s/members-%d.h5", orr__guard_folder(),
             (int)getpid());
    snprintf(told->start, sizeof told->start, ": %s.%s has no effect", s->place,
             s->param->key);
    told->is = !json_object_get(member, s->param->key);
    json_object_set(holder, dot ? dot + 1 : s->place, member);
    text = orr__yaml_of(config);
    orr__trial_run(text, &v, s->l, o, look, told);
    free(text);
    told->recorded = v.records && !stat(path, &at) ? at.st_size : 0;
    if (v.records)
        (void)unlink(path);
    json_object_del(o->summary, "notes");
    return !o->refused && !o->large && !o->late;
}

/* As for any configuration, or the least there may be. */
static json_t *draw_value(struct search *s)
{
    const struct orr_param *p = s->param;

    return p->min && orr__draw_chance(&s->d, 0.2)
               ? json_string(p->min)
               : orr__draw_value(&s->d, s->family, p);
}

/* The member with some of its keys; a topology as for any configuration. */
static json_t *draw_map(struct search *s, unsigned i)
{
    const double share = i % 2 ? 0.6 : 0;
    json_t *map = NULL;

    if (is_of(s, "record")) {
        map = json_object();
        orr__draw_table(&s->d, "record", orr__series_params(), share, map);
        return map;
    }
    if (!is_of(s, "topologies"))
        return orr__draw_member(&s->d, s->family, "kind", s->member, share);
    do {
        json_decref(map);
        map = orr__draw_topology(&s->d, "configuration");
    } while (
        strcmp(json_string_value(json_object_get(map, "kind")), s->member));
    return map;
}

/* One value of the key beside another, or beside none. */
static void try_once(struct search *s, unsigned i)
{
    json_t *config = make_scene(s, i), *a, *b, *v;
    struct outcome first = {0}, second = {0};
    struct told told[2];

    a = draw_map(s, i);
    v = draw_value(s);
    if (v)
        json_object_set(a, s->param->key, v);
    if (!strcmp(s->family, "queues") && strstr("kmin kmax", s->param->key)) {
        json_object_set_new(a, "kmin", orr__draw_size(&s->d, 0, 20000));
        json_object_set_new(a, "kmax", orr__draw_size(&s->d, 20000, 99999));
    }
    if (!strncmp(s->param->key, "pint_",
                 5)) { /* of a round trip that is there */
        json_object_set_new(a, "telemetry", json_string("pint"));
        json_object_set_new(a, "pint_rtt", json_string("10us"));
        json_object_del(a, "base_rtt");
    }
    if (!strcmp(s->member, "clos")) { /* of several leaves */
        json_object_set_new(a, "radix", json_integer(4));
        json_object_set_new(a, "hosts", json_integer(8));
    }
    if (v)
        json_object_set(a, s->param->key, v);
    b = json_deep_copy(a);
    json_decref(v);
    v = draw_value(s);
    if (v && orr__draw_chance(&s->d, 0.6))
        json_object_set(b, s->param->key, v);
    else
        json_object_del(b, s->param->key);
    json_decref(v);
    if (run(s, config, a, &first, &told[0])
        && run(s, config, b, &second, &told[1])) {
        bool differ = first.code != second.code
                      || !json_equal(first.summary, second.summary)
                      || told[0].recorded != told[1].recorded;
        bool both = told[0].is && told[1].is;

        s->ran |= !json_equal(a, b);
        s->told |= both;
        s->acts |= differ;
        if (both && differ) {
            char *text = orr__yaml_of(config);

            orr__found(&s->f, "told",
                       "%s: a note says that %s has no effect, "
                       "and it has:\n%s",
                       s->member, s->param->key, text);
            free(text);
        }
    }
    orr__outcome_fini(&first);
    orr__outcome_fini(&second);
    json_decref(a);
    json_decref(b);
    json_decref(config);
}

static unsigned try_key(struct search *s, const struct orr_param *p)
{
    s->param = p;
    s->acts = s->told = s->ran = false;
    for (unsigned i = 0; i < TRIES && !(s->acts && (s->few || i > SCENES)); i++)
        try_once(s, i);
    if (!s->acts && s->ran)
        orr__found(&s->f, "dead", "%s: %s changes nothing anywhere%s",
                   s->member, p->key,
                   s->told ? " (and notes say so)" : ", and no note says so");
    if (!s->f.kind[0])
        return 0;
    printf("not ok - %s.%s: %s\n", s->place, s->member, s->f.detail);
    memset(&s->f, 0, sizeof s->f);
    return 1;
}

/* Values of some are drawn with all the rest, or with files. */
static bool is_drawn(struct search *s, const struct orr_param *p)
{
    json_t *v;

    s->param = p;
    v = draw_value(s);
    json_decref(v);
    return v != NULL;
}

/* Of all keys of a table; counts them in *keys. */
static unsigned try_table(struct search *s, const struct orr_param *p,
                          size_t number, unsigned *keys)
{
    unsigned bad = 0;

    for (; p && p->key; p++) {
        orr__random_init(&s->d.random, 1, number, ORR_PURPOSE_TEST);
        s->d.hosts = s->d.nodes = 4;
        orr__guard_begin(s->l, false);
        s->l->hops *= 5;
        if (!is_drawn(s, p))
            continue;
        bad += try_key(s, p);
        ++*keys;
    }
    return bad;
}

unsigned orr__members(bool few)
{
    /* links that some scenes have, for ports to record */
    uint32_t from[] = {0, 6, 1}, to[] = {6, 0, 6};
    struct orr_graph some = {.links = 3, .from = from, .to = to};
    unsigned bad = 0, keys = 0;
    struct limits l;
    struct search s = {.l = &l, .few = few, .d = {.graph = &some, .links = 3}};

    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        const struct orr_family *all = orr__family_find(families[f].name);
        struct orr_family_entry m;

        s.family = s.member = families[f].name;
        s.place = families[f].place;
        if (!all)
            bad += try_table(&s, orr__series_params(), 0, &keys);
        for (size_t i = 0; all && all->member(i, &m); i++) {
            s.member = m.name;
            if (strcmp(m.name, "file")) /* what a key says may be in it */
                bad += try_table(&s, m.params, i, &keys);
        }
        if (is_of(&s, "topologies")) {
            s.member = "leaf-spine"; /* as any */
            bad += try_table(&s, all->common(), 0, &keys);
        }
    }
    printf("%s - %u keys of members of families\n", bad ? "not ok" : "ok",
           keys);
    return bad;
}
