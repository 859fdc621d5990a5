/* Reads `failures`: links that fail and come back. */
#include "net/config/failures.h"
#include "core/config/module.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/config/param.h"
#include "core/memory.h"
#include "core/units.h"
#include "net/config/config.h"
#include "net/config/random_failures.h"
#include "topo/link_names.h"

enum { LINKS, SWITCHES, HOSTS, PLANES, NOTHING = -1 };
static const char *const things[] = {"links", "switches", "hosts", "planes",
                                     NULL};

/* One item of `failures`; times in ps, rate in bit/s. */
struct entry {
    const struct orr_yaml *link, *host, *node;
    int64_t plane;                        /* -1: not there */
    int of;                               /* place in `things`, or NOTHING */
    int64_t down, up, detect, at, during; /* -1: not there */
    int64_t every, mtbf, mttr, until, times, seed; /* likewise */
    uint64_t rate;                                 /* 0: not there */
    double ber;                                    /* -1: not there */
    const char *tier;                              /* NULL: of any */
};

#define KEY(name, kind, field, text, ...)                                      \
    {                                                                          \
        .key = name, .type = ORR_PARAM_##kind,                                 \
        .offset = offsetof(struct entry, field), .fallback = "", .help = text, \
        __VA_ARGS__                                                            \
    }

static const struct orr_param failure_params[] = {
    {.key = "link",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct entry, link),
     .fallback = "",
     .help = "two nodes, [12, 40] or {from: leaf0, to: spine0}: all links "
             "between them, in both directions; or one link, by id or as in `a "
             "> b`"},
    KEY("host", NODE, host, "instead of link: a host, with all its links"),
    KEY("switch", NODE, node, "the same of a switch, by name or number"),
    KEY("plane", INT, plane, "a plane (topology.planes), with all its links",
        .min = "0"),
    KEY("of", CHOICE, of,
        "instead of link: each of these fails by chance, for itself",
        .choices = things),
    KEY("tier", TEXT, tier,
        "of: links: those of this tier alone (`server`: inside servers)"),
    KEY("mtbf", TIME, mtbf,
        "of: mean time until one of them fails, exponential", .min = "1ns"),
    KEY("mttr", TIME, mttr,
        "of: mean time until it is back, exponential; never if absent",
        .min = "1ns"),
    KEY("seed", INT, seed, "of: of these failures alone; by default the run's",
        .min = "0"),
    KEY("until", TIME, until,
        "of, every: no failure begins from then on; by default `stop`"),
    KEY("every", TIME, every, "it fails again so long after it failed (flaps)",
        .min = "1ns"),
    KEY("times", INT, times, "every: how often it fails, all in all",
        .min = "1", .max = "1000000"),
    KEY("ber", REAL, ber,
        "it does not fail, but each bit is wrong with this probability, and "
        "packets with a wrong bit are lost (degraded optics)",
        .min = "0", .max = "1"),
    {.key = "down",
     .type = ORR_PARAM_TIME,
     .fallback = "",
     .offset = offsetof(struct entry, down),
     .help = "when it fails"},
    {.key = "up",
     .type = ORR_PARAM_TIME,
     .fallback = "",
     .offset = offsetof(struct entry, up),
     .help = "when it comes back; never if absent"},
    {.key = "detect",
     .type = ORR_PARAM_TIME,
     .fallback = "0ns",
     .offset = offsetof(struct entry, detect),
     .help = "time after `down` at which routing begins to avoid it"},
    {.key = "at",
     .type = ORR_PARAM_TIME,
     .fallback = "",
     .offset = offsetof(struct entry, at),
     .help = "when its rate changes; or with `for`, when it fails"},
    {.key = "for",
     .type = ORR_PARAM_TIME,
     .fallback = "",
     .offset = offsetof(struct entry, during),
     .help = "instead of `up`: how long it is down"},
    {.key = "rate",
     .type = ORR_PARAM_RATE,
     .fallback = "",
     .offset = offsetof(struct entry, rate),
     .min = "1bps",
     .help = "its rate from `at` on; the packet in service is finished at the "
             "old one"},
    ORR_PARAM_END,
};

const struct orr_param *orr__failure_params(void)
{
    return failure_params;
}

/* What is read into f; arrays grow, and are the caller's even after an
 * error. */
struct reader {
    struct orr_config *c;
    const struct orr_graph *g;
    struct orr_failures *f;
    uint32_t room, retune_room, error_room;
    const struct orr_yaml *list;
    uint32_t entry; /* of that, which is read */
    struct orr_report *why;
    /* Of an entry by chance: what is drawn, of which thing, and how it went. */
    struct entry *drawn;
    uint32_t thing;
    orr_err err;
};

#define MOST_FAILURES 1000000

static orr_err add_retune(struct reader *r, uint32_t link,
                          const struct entry *e)
{
    struct orr_failures *f = r->f;

    if (!orr__array_more(f->retune, r->retune_room, f->retunes))
        return orr__no_memory(r->why);
    f->retune[f->retunes++] = (struct orr_rate_change){
        .link = link, .at = e->at, .rate_bps = e->rate, .entry = r->entry};
    return ORR_OK;
}

/* A link has bit errors from `down` to `up` of the entry. */
static orr_err add_errors(struct reader *r, uint32_t link,
                          const struct entry *e)
{
    struct orr_failures *f = r->f;

    if (!orr__array_more(f->errors, r->error_room, f->degraded))
        return orr__no_memory(r->why);
    f->errors[f->degraded++] = (struct orr_bit_errors){.link = link,
                                                       .from = e->down,
                                                       .until = e->up,
                                                       .rate = e->ber,
                                                       .entry = r->entry};
    return ORR_OK;
}

/* One link fails, is degraded or changes its rate; both directions are two
 * entries. */
static orr_err add_failure(struct reader *r, uint32_t link,
                           const struct entry *e)
{
    struct orr_failures *f = r->f;

    if (e->at >= 0)
        return add_retune(r, link, e);
    if (f->outages + f->degraded >= MOST_FAILURES)
        return orr__yaml_fail(r->c, orr__yaml_item(r->list, r->entry), r->why,
                              "failures: there are more than %d failures of "
                              "links",
                              MOST_FAILURES);
    if (e->ber >= 0)
        return add_errors(r, link, e);
    if (!orr__array_more(f->outage, r->room, f->outages))
        return orr__no_memory(r->why);
    f->outage[f->outages++] = (struct orr_outage){
        .link = link,
        .down = e->down,
        .up = e->up,
        .noticed = orr__time_add(e->down, e->detect),
        .back = e->up,
        .entry = r->entry,
    };
    return ORR_OK;
}

/* All links of a node, both ways. */
static orr_err add_node(struct reader *r, uint32_t node, const struct entry *e)
{
    const struct orr_graph *g = r->g;
    orr_err err = ORR_OK;

    for (uint32_t i = g->out_off[node]; i < g->out_off[node + 1] && !err; i++)
        err = add_failure(r, g->out_link[i], e);
    for (uint32_t i = g->in_off[node]; i < g->in_off[node + 1] && !err; i++)
        err = add_failure(r, g->in_link[i], e);
    return err;
}

/* All links of a plane, those of hosts into it and out of it too. */
static orr_err add_plane(struct reader *r, uint32_t plane,
                         const struct entry *e)
{
    const struct orr_graph *g = r->g;
    orr_err err = ORR_OK;

    for (uint32_t l = 0; l < g->links && !err; l++)
        if (g->plane[g->from[l]] == plane + 1
            || g->plane[g->to[l]] == plane + 1)
            err = add_failure(r, l, e);
    return err;
}

/* Both directions of a cable. */
static orr_err add_cable(struct reader *r, uint32_t cable,
                         const struct entry *e)
{
    orr_err err = add_failure(r, cable, e);

    if (err == ORR_OK && !orr__link_absent(r->g, cable + r->g->cables))
        err = add_failure(r, cable + r->g->cables, e);
    return err;
}

/* The number of a node, as text at `node`. */
static orr_err read_number(struct reader *r, const struct orr_yaml *node,
                           uint32_t *out)
{
    uint32_t below = r->g->nodes;
    const char *text = orr__yaml_text(r->c, node);
    int64_t v;

    if (!text || orr__parse_int(text, &v))
        return orr__yaml_fail(r->c, node, r->why,
                              "failures.link: the number of a node is expected "
                              "here");
    if (v < 0 || v >= below)
        return orr__yaml_fail(r->c, node, r->why,
                              "failures.link: there is no node %lld: they are "
                              "0 to %u",
                              (long long)v, below - 1);
    *out = (uint32_t)v;
    return ORR_OK;
}

/* A node, by number or name. */
static orr_err read_node(struct reader *r, const struct orr_yaml *node,
                         uint32_t *out)
{
    const char *text = orr__yaml_text(r->c, node), *near;
    int64_t number;
    orr_err err;

    if (!text || !orr__parse_int(text, &number))
        return read_number(r, node, out);
    if (orr__node_find(r->g, text, out))
        return ORR_OK;
    err = orr__yaml_fail(r->c, node, r->why,
                         "failures.link: there is no node \"%s\"", text);
    near = orr__node_nearest(r->g, text);
    if (near)
        orr__hint(r->why, "did you mean \"%s\"?", near);
    return err;
}

/* All links from a to b; *found if there are any, else as it was. */
static orr_err add_between(struct reader *r, uint32_t a, uint32_t b,
                           const struct entry *e, bool *found)
{
    const struct orr_graph *g = r->g;
    orr_err err = ORR_OK;

    for (uint32_t i = g->out_off[a]; i < g->out_off[a + 1]; i++)
        if (err == ORR_OK && g->to[g->out_link[i]] == b) {
            err = add_failure(r, g->out_link[i], e);
            *found = true;
        }
    return err;
}

/* All links between two nodes, of both directions or the one there is. */
static orr_err add_both(struct reader *r, uint32_t a, uint32_t b,
                        const struct entry *e)
{
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
    bool found = false;
    orr_err err = add_between(r, a, b, e, &found);

    if (err == ORR_OK)
        err = add_between(r, b, a, e, &found);
    if (err == ORR_OK && !found)
        err = orr__yaml_fail(r->c, e->link, r->why,
                             "failures.link: no link connects %s and %s",
                             orr__node_name(r->g, a, from, sizeof from),
                             orr__node_name(r->g, b, to, sizeof to));
    return err;
}

/* A link by name or number is one direction; a pair of nodes is all links
 * between them, both ways. */
static orr_err read_link(struct reader *r, const struct entry *e)
{
    uint32_t a = 0, b = 0;
    orr_err err;

    if (orr__yaml_is_scalar(e->link)) {
        err = orr__link_read(r->g, r->c, e->link, "failures.link", &a, r->why);
        return err == ORR_OK ? add_failure(r, a, e) : err;
    }
    const struct orr_yaml *from = orr__yaml_get(e->link, "from");
    const struct orr_yaml *to = orr__yaml_get(e->link, "to");
    bool list = orr__yaml_is_list(e->link);
    bool ends = !list && from && to && orr__yaml_count(e->link) == 2;
    if (!ends && (!list || orr__yaml_count(e->link) != 2))
        return orr__yaml_fail(r->c, e->link, r->why,
                              "failures.link: two nodes like [12, 40] are "
                              "expected here, or a link");
    err = read_node(r, ends ? from : orr__yaml_item(e->link, 0), &a);
    if (err == ORR_OK)
        err = read_node(r, ends ? to : orr__yaml_item(e->link, 1), &b);
    return err == ORR_OK ? add_both(r, a, b, e) : err;
}

/* `at` and `for`, or `down` and `for`: how long it is down. */
static orr_err take_length(struct reader *r, const struct orr_yaml *node,
                           struct entry *e)
{
    if (e->during < 0)
        return ORR_OK;
    if (orr__yaml_get(node, "up") || e->rate > 0)
        return orr__yaml_fail(r->c, orr__yaml_get(node, "for"), r->why,
                              "failures.for: a link is down until `up`, or for "
                              "so long; one whose rate changes does not fail");
    if (e->at >= 0 && e->down < 0) {
        e->down = e->at;
        e->at = -1;
    }
    e->up = orr__time_add(e->down, e->during);
    return ORR_OK;
}

/* The plane that an entry names. */
static orr_err read_plane(struct reader *r, const struct entry *e)
{
    const struct orr_yaml *at =
        orr__yaml_get(orr__yaml_item(r->list, r->entry), "plane");

    if (e->plane < r->g->planes)
        return add_plane(r, (uint32_t)e->plane, e);
    if (!r->g->planes)
        return orr__yaml_fail(r->c, at, r->why,
                              "failures.plane: this topology has no "
                              "`planes`");
    return orr__yaml_fail(r->c, at, r->why,
                          "failures.plane: there is no plane %lld: they are 0 "
                          "to %u",
                          (long long)e->plane, r->g->planes - 1);
}

/* The host or switch that an entry names. */
static orr_err read_whole(struct reader *r, const struct entry *e)
{
    uint32_t node = 0;
    orr_err err = e->host ? orr__host_read(r->g, r->c, e->host, &node, r->why)
                          : orr__node_read(r->g, r->c, e->node, &node, r->why);

    if (err == ORR_OK && e->node && orr__is_host(r->g, node)) {
        err = orr__yaml_fail(r->c, e->node, r->why,
                             "failures.switch: node %u is a host", node);
        orr__hint(r->why, "`host: %u` is a host with all its links", node);
    }
    return err == ORR_OK ? add_node(r, node, e) : err;
}

static orr_err read_thing(struct reader *r, const struct entry *e)
{
    if (e->link)
        return read_link(r, e);
    return e->plane >= 0 ? read_plane(r, e) : read_whole(r, e);
}

/* Where failures end that go on by themselves: `until`, or the run's stop; -1:
 * nowhere. */
static int64_t end_of(struct reader *r, const struct entry *e)
{
    const struct orr_yaml *stop = orr__yaml_get(orr__config_root(r->c), "stop");
    const char *text = stop ? orr__yaml_text(r->c, stop) : NULL;
    int64_t at;

    if (e->until >= 0)
        return e->until;
    return text && !orr__parse_time(text, &at) ? at : -1;
}

/* As often as `every` says. */
static orr_err read_times(struct reader *r, const struct orr_yaml *node,
                          const struct entry *e)
{
    int64_t end = end_of(r, e), times = e->times > 0 ? e->times : INT64_MAX;
    struct entry one = *e;
    orr_err err = ORR_OK;

    if (e->every < 0)
        return read_thing(r, e);
    if (e->at >= 0 || e->up == ORR_NEVER || e->up - e->down >= e->every)
        return orr__yaml_fail(r->c, orr__yaml_get(node, "every"), r->why,
                              "failures.every: it has to be back (`up` or "
                              "`for`) before it fails again");
    if (e->times < 0 && end < 0)
        return orr__yaml_fail(r->c, orr__yaml_get(node, "every"), r->why,
                              "failures.every: `times` or `until` is missing, "
                              "or a `stop` of the run");
    for (int64_t i = 0; i < times && !err && (end < 0 || one.down < end); i++) {
        err = read_thing(r, &one);
        one.down = orr__time_add(one.down, e->every);
        one.up = orr__time_add(one.up, e->every);
    }
    return err;
}

/* ---- by chance ----------------------------------------------------------- */

static bool add_drawn(void *arg, int64_t down, int64_t up)
{
    struct reader *r = arg;

    r->drawn->down = down;
    r->drawn->up = up;
    r->err = r->drawn->of == LINKS    ? add_cable(r, r->thing, r->drawn)
             : r->drawn->of == PLANES ? add_plane(r, r->thing, r->drawn)
                                      : add_node(r, r->thing, r->drawn);
    return r->err == ORR_OK;
}

/* Is the cable of the tier that the entry names? */
static bool is_of_tier(const struct orr_graph *g, const struct entry *e,
                       uint32_t cable)
{
    const char *name = g->tier_names[g->tier[cable]];

    return !e->tier || strcmp(name, e->tier) == 0
           || (strcmp(e->tier, "server") == 0 && strcmp(name, "nvlink") == 0);
}

static orr_err fail_tier(struct reader *r, const struct orr_yaml *node,
                         const struct entry *e)
{
    orr_err err =
        orr__yaml_fail(r->c, orr__yaml_get(node, "tier"), r->why,
                       "failures.tier: no link is of a tier \"%s\"", e->tier);

    orr__hint_nearest(r->why, r->g->tier_names, e->tier);
    return err;
}

/* Every thing of the kind for itself. */
static orr_err draw_all(struct reader *r, const struct orr_yaml *node,
                        struct entry *e)
{
    const struct orr_graph *g = r->g;
    const uint32_t first[] = {0, g->hosts, 0, 0};
    const uint32_t end[] = {g->cables, g->nodes, g->hosts, g->planes};
    const struct orr_yaml *seed = orr__yaml_get(orr__config_root(r->c), "seed");
    const char *text = seed ? orr__yaml_text(r->c, seed) : NULL;
    struct orr_random_failures random = {.mtbf = e->mtbf,
                                         .mttr =
                                             e->mttr < 0 ? ORR_NEVER : e->mttr,
                                         .until = end_of(r, e)};
    int64_t number = 1;
    uint32_t things_found = 0;

    if (text && orr__parse_int(text, &number))
        number = 1;
    random.seed = (uint64_t)(e->seed >= 0 ? e->seed : number);
    random.stream = (uint32_t)e->of << 24 | (e->seed >= 0 ? 0 : r->entry);
    r->drawn = e;
    for (uint32_t i = first[e->of]; i < end[e->of]; i++) {
        if (e->of == LINKS && !is_of_tier(g, e, i))
            continue;
        things_found++;
        r->thing = i;
        if (!orr__random_failures_draw(&random, i, add_drawn, r))
            return r->err;
    }
    return e->tier && !things_found ? fail_tier(r, node, e) : ORR_OK;
}

/* `of` with what it needs, and nothing that says when. */
static orr_err read_random_failures(struct reader *r,
                                    const struct orr_yaml *node,
                                    struct entry *e)
{
    static const char *const others[] = {"down", "up",    "at",
                                         "for",  "every", "rate"};
    orr_err err;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (orr__yaml_get(node, others[i]))
            return orr__yaml_fail(r->c, orr__yaml_get(node, others[i]), r->why,
                                  "failures.%s: with `of` things fail by "
                                  "chance, at no given time",
                                  others[i]);
    if (e->mtbf < 0) {
        err = orr__yaml_fail(r->c, node, r->why, "failures.mtbf is missing");
        orr__hint(r->why, "for example {of: links, mtbf: 10ms, mttr: 100us, "
                          "until: 1s}");
        return err;
    }
    if (end_of(r, e) < 0)
        return orr__yaml_fail(r->c, node, r->why,
                              "failures.until is missing, or a `stop` of the "
                              "run: failures by chance have no end");
    if (e->tier && e->of != LINKS)
        return orr__yaml_fail(r->c, orr__yaml_get(node, "tier"), r->why,
                              "failures.tier: tiers are of links");
    return draw_all(r, node, e);
}

/* ---- an entry ------------------------------------------------------------ */

/* One of link, host, switch and of; keys of `of` only with it. */
static orr_err check_thing(struct reader *r, const struct orr_yaml *node,
                           const struct entry *e)
{
    static const char *const chances[] = {"mtbf", "mttr", "seed", "tier"};
    int given = !!e->link + !!e->host + !!e->node + (e->plane >= 0)
                + (e->of != NOTHING);

    if (given == 0)
        return orr__yaml_fail(r->c, node, r->why,
                              "failures.link is missing, or `host`, `switch`, "
                              "`plane` or `of`");
    if (given > 1)
        return orr__yaml_fail(r->c, node, r->why,
                              "failures: an entry has one of link, host, "
                              "switch, plane and of");
    for (size_t i = 0; e->of == NOTHING && i < 4; i++)
        if (orr__yaml_get(node, chances[i]))
            return orr__yaml_fail(r->c, orr__yaml_get(node, chances[i]), r->why,
                                  "failures.%s: only what fails by chance has "
                                  "it (`of`)",
                                  chances[i]);
    return ORR_OK;
}

/* Bit errors last from `at` or `down` on, by default from the beginning. */
static void take_errors(struct entry *e)
{
    if (e->ber < 0)
        return;
    if (e->down < 0)
        e->down = e->at >= 0 ? e->at : 0;
    if (e->rate == 0)
        e->at = -1;
}

/* Either `down` (perhaps `up`) or `at` with `rate`; anything else is refused at
 * its line. */
static orr_err check_times(struct reader *r, const struct orr_yaml *node,
                           const struct entry *e)
{
    orr_err err;

    if ((e->down >= 0) == (e->at >= 0) || (e->at >= 0) != (e->rate > 0)) {
        err = orr__yaml_fail(r->c, node, r->why,
                             "failures: a link fails (`down`, perhaps `up`), "
                             "or its rate changes (`at` and `rate`)");
        orr__hint(r->why, "for example {link: [12, 40], down: 1ms, up: 5ms}");
        return err;
    }
    if (e->at >= 0 && orr__yaml_get(node, "up"))
        return orr__yaml_fail(r->c, orr__yaml_get(node, "up"), r->why,
                              "failures.up: a link whose rate changes does "
                              "not fail");
    if (e->up <= e->down)
        return orr__yaml_fail(r->c, orr__yaml_get(node, "up"), r->why,
                              "failures.up: a link comes back after it "
                              "failed, not before");
    return ORR_OK;
}

/* One entry, with all failures that it comes to. */
static orr_err read_entry(struct reader *r, const struct orr_yaml *node)
{
    struct entry e = {.of = NOTHING,
                      .up = ORR_NEVER,
                      .down = -1,
                      .at = -1,
                      .during = -1,
                      .every = -1,
                      .mtbf = -1,
                      .mttr = -1,
                      .until = -1,
                      .times = -1,
                      .seed = -1,
                      .plane = -1,
                      .ber = -1};
    struct orr_param_set set = {failure_params, &e};
    orr_err err = orr__param_read(r->c, node, "failures", &set, 1, r->why);

    if (err == ORR_OK)
        err = check_thing(r, node, &e);
    if (err == ORR_OK && e.of != NOTHING)
        return read_random_failures(r, node, &e);
    if (err == ORR_OK)
        err = take_length(r, node, &e);
    if (err != ORR_OK)
        return err;
    take_errors(&e);
    err = check_times(r, node, &e);
    return err == ORR_OK ? read_times(r, node, &e) : err;
}

int orr__outage_order(const void *a, const void *b)
{
    const struct orr_outage *x = a, *y = b;

    if (x->link != y->link)
        return x->link < y->link ? -1 : 1;
    if (x->down != y->down)
        return x->down < y->down ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* ECONFIG at an entry: what it says of a link cannot be. */
static orr_err reject_entry(struct reader *r, const struct orr_yaml *list,
                            uint32_t entry, uint32_t link, const char *what)
{
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];

    return orr__yaml_fail(
        r->c, orr__yaml_item(list, entry), r->why,
        "failures: link %u (%s > %s) %s", link,
        orr__node_name(r->g, r->g->from[link], from, sizeof from),
        orr__node_name(r->g, r->g->to[link], to, sizeof to), what);
}

/* Does an entry name links, and when they fail? Two of these may not say
 * that one fails while it is dead. */
static bool is_plain(struct reader *r, const struct orr_yaml *list,
                     uint32_t entry)
{
    return orr__yaml_get(orr__yaml_item(list, entry), "link") != NULL;
}

/* Sorts; what fails in several ways at once is dead while one of them
 * lasts. */
static orr_err sort_failures(struct reader *r, const struct orr_yaml *list)
{
    struct orr_outage *o = r->f->outage;
    uint32_t kept = 0;

    qsort(o, r->f->outages, sizeof *o, orr__outage_order);
    for (uint32_t i = 1; i < r->f->outages; i++) {
        struct orr_outage *last = &o[kept];

        if (o[i].link != last->link || o[i].down >= last->up) {
            o[++kept] = o[i];
            continue;
        }
        if (is_plain(r, list, o[i].entry) && is_plain(r, list, last->entry))
            return reject_entry(r, list, o[i].entry, o[i].link,
                                "fails again before it came back");
        if (o[i].up > last->up)
            last->up = last->back = o[i].up;
        if (o[i].noticed < last->noticed)
            last->noticed = o[i].noticed;
    }
    r->f->outages = kept + 1;
    return ORR_OK;
}

static int by_begin(const void *a, const void *b)
{
    const struct orr_bit_errors *x = a, *y = b;

    if (x->link != y->link)
        return x->link < y->link ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static bool is_same_moment(const struct orr_rate_change *x,
                           const struct orr_rate_change *y)
{
    return x->at == y->at && x->link == y->link;
}

static int by_moment(const void *a, const void *b)
{
    const struct orr_rate_change *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->link != y->link)
        return x->link < y->link ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static orr_err order_retunes(struct reader *r, const struct orr_yaml *list)
{
    struct orr_rate_change *t = r->f->retune;

    qsort(t, r->f->retunes, sizeof *t, by_moment);
    for (uint32_t i = 1; i < r->f->retunes; i++)
        if (is_same_moment(&t[i], &t[i - 1]))
            return reject_entry(r, list, t[i].entry, t[i].link,
                                "gets two rates at one time");
    return ORR_OK;
}

/* Moves all that to where the configuration's memory is. */
static orr_err keep_failures(struct reader *r)
{
    struct orr_failures *f = r->f;
    struct orr_outage *o =
        orr__arena_alloc(orr__config_arena(r->c), f->outages, sizeof *o);

    struct orr_rate_change *t =
        orr__arena_alloc(orr__config_arena(r->c), f->retunes, sizeof *t);
    struct orr_bit_errors *e =
        orr__arena_alloc(orr__config_arena(r->c), f->degraded, sizeof *e);

    if (!o || !t || !e)
        return orr__no_memory(r->why);
    for (uint32_t i = 0; i < f->degraded; i++)
        e[i] = f->errors[i];
    orr__free(f->errors);
    f->errors = e;
    for (uint32_t i = 0; i < f->outages; i++)
        o[i] = f->outage[i];
    for (uint32_t i = 0; i < f->retunes; i++)
        t[i] = f->retune[i];
    orr__free(f->outage);
    orr__free(f->retune);
    f->outage = o;
    f->retune = t;
    return ORR_OK;
}

orr_err orr__failures_read(struct orr_config *c, const struct orr_graph *g,
                           const struct orr_yaml *list,
                           const struct orr_failures **out,
                           struct orr_report *why)
{
    struct reader r = {.c = c, .g = g, .list = list, .why = why};
    orr_err err = ORR_OK;

    *out = NULL;
    if (!list || orr__yaml_is_null(list))
        return ORR_OK;
    if (!orr__yaml_is_list(list)) {
        err = orr__yaml_fail(c, list, why, "failures are a list");
        orr__hint(why, "for example [{link: [12, 40], down: 1ms, up: 5ms}]");
        return err;
    }
    r.f = orr__arena_alloc(orr__config_arena(c), 1, sizeof *r.f);
    if (!r.f)
        return orr__no_memory(why);
    r.f->entries = (uint32_t)orr__yaml_count(list);
    for (; r.entry < r.f->entries && err == ORR_OK; r.entry++)
        err = read_entry(&r, orr__yaml_item(list, r.entry));
    if (err == ORR_OK && r.f->outages)
        err = sort_failures(&r, list);
    if (err == ORR_OK && r.f->retunes)
        err = order_retunes(&r, list);
    if (err == ORR_OK && r.f->degraded)
        qsort(r.f->errors, r.f->degraded, sizeof *r.f->errors, by_begin);
    if (err == ORR_OK)
        err = keep_failures(&r);
    if (err != ORR_OK) {
        orr__free(r.f->outage);
        orr__free(r.f->retune);
        orr__free(r.f->errors);
        return err;
    }
    if (r.f->outages || r.f->retunes || r.f->degraded)
        *out = r.f;
    return ORR_OK;
}
