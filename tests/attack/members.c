/* Keys of families of the network: each acts somewhere, and where it says that
 * it has no effect it has none. Keys of a control, of a choice of path or of a
 * queue act when something happens that one run may never see, so each is
 * tried in several networks, beside other keys of its member. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "core/config/config.h"
#include "core/text.h"
#include "experiment/experiment.h"
#include "tests/attack/doors.h"
#include "tests/attack/draw.h"
#include "tests/attack/guard.h"
#include "tests/attack/keys.h"

/* What members stand in, in tests/attack/samples/members/: many into one,
 * through queues that mark, drop and trim, near and far, and jobs that pause.
 */
static const char *const scenes[] = {"mark",   "drop",   "jobs", "far",
                                     "deep",   "rounds", "trim", "slow",
                                     "pauses", "detours"};
enum { SCENES = sizeof scenes / sizeof *scenes, TRIES = 20 * SCENES };

static const struct {
    const char *name, *key; /* of the family; in `network` */
} families[] = {{"cc", "cc"}, {"routing", "routing"}, {"queues", "queue"}};

struct search {
    struct draw d;
    const char *family, *place; /* of the values: "cc", "network.cc" */
    const char *member;
    const struct orr_param *param;
    const struct limits *l;
    bool acts, told; /* somewhere */
    bool few;        /* no more tries than are needed for that */
    struct finding f;
};

/* NULL: it cannot be read. */
static json_t *make_scene(unsigned i)
{
    char path[80], *text;
    json_t *config;
    size_t size;

    snprintf(path, sizeof path, "tests/attack/samples/members/%s.yaml",
             scenes[i % SCENES]);
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
    static const struct variant plain = {.name = "member"};
    json_t *network = json_object_get(config, "network");
    const char *key = strrchr(s->place, '.') + 1;
    char *text;

    snprintf(told->start, sizeof told->start, ": %s.%s has no effect", s->place,
             s->param->key);
    told->is = !json_object_get(member, s->param->key);
    json_object_set(network, key, member);
    text = orr__yaml_of(config);
    orr__trial_run(text, &plain, s->l, o, look, told);
    free(text);
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

/* One value of the key beside another, or beside none. */
static void try_once(struct search *s, unsigned i)
{
    json_t *config = make_scene(i), *a, *b, *v;
    struct outcome first = {0}, second = {0};
    struct told told[2];

    a = orr__draw_member(&s->d, s->family, "kind", s->member, i % 2 ? 0.6 : 0);
    v = draw_value(s);
    if (v)
        json_object_set_new(a, s->param->key, v);
    if (!strcmp(s->family, "queues") && strstr("kmin kmax", s->param->key)) {
        json_object_set_new(a, "kmin", orr__draw_size(&s->d, 0, 20000));
        json_object_set_new(a, "kmax", orr__draw_size(&s->d, 20000, 99999));
    }
    b = json_deep_copy(a);
    v = draw_value(s);
    if (v && orr__draw_chance(&s->d, 0.6))
        json_object_set(b, s->param->key, v);
    else
        json_object_del(b, s->param->key);
    json_decref(v);
    if (run(s, config, a, &first, &told[0])
        && run(s, config, b, &second, &told[1])) {
        bool differ = first.code != second.code
                      || !json_equal(first.summary, second.summary);
        bool both = told[0].is && told[1].is;

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
    s->acts = s->told = false;
    for (unsigned i = 0; i < TRIES && !(s->acts && (s->few || i > SCENES)); i++)
        try_once(s, i);
    if (!s->acts)
        orr__found(&s->f, "dead", "%s: %s changes nothing anywhere%s",
                   s->member, p->key,
                   s->told ? " (and notes say so)" : ", and no note says so");
    if (!s->f.kind[0])
        return 0;
    printf("not ok - %s.%s: %s\n", s->place, s->member, s->f.detail);
    memset(&s->f, 0, sizeof s->f);
    return 1;
}

unsigned orr__members(bool few)
{
    unsigned bad = 0, keys = 0;
    struct limits l;
    struct search s = {.l = &l, .few = few};

    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        const struct orr_family *all = orr__family_find(families[f].name);
        struct orr_family_entry m;
        char place[64];

        snprintf(place, sizeof place, "network.%s", families[f].key);
        s.family = families[f].name;
        s.place = place;
        for (size_t i = 0; all->member(i, &m); i++)
            for (const struct orr_param *p = m.params; p && p->key; p++) {
                orr__random_init(&s.d.random, 1, i, ORR_PURPOSE_TEST);
                s.d.hosts = s.d.nodes = 4;
                orr__guard_begin(&l, false);
                l.hops *= 5;
                s.member = m.name;
                bad += try_key(&s, p);
                keys++;
            }
    }
    printf("%s - %u keys of members of families\n", bad ? "not ok" : "ok",
           keys);
    return bad;
}
