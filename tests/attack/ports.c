/* Topologies: of any kind, and hosts with several ports, at switches of their
 * own; and traffic in several classes that pause frames keep. */
#include <string.h>

#include "core/units.h"
#include "tests/attack/draw.h"
#include "topo/node_names.h"

static json_t *draw_cable(struct draw *d, uint32_t a, uint32_t b)
{
    json_t *cable = json_pack("[i,i]", (int)a, (int)b);

    if (orr__draw_chance(d, 0.3)) {
        json_array_append_new(cable, orr__draw_rate(d));
        json_array_append_new(cable,
                              orr__draw_time(d, 1000, 20 * INT64_C(1000000)));
    }
    return cable;
}

/* Hosts with one to four ports, on one switch or several, which stand in a tree
 * with some cables more. */
static json_t *draw_custom(struct draw *d)
{
    uint32_t hosts = 2 + orr__draw_below(d, 7), n = 1 + orr__draw_below(d, 5);
    uint32_t most = 1 + orr__draw_below(d, 4);
    json_t *cables = json_array();

    for (uint32_t h = 0; h < hosts; h++)
        for (uint32_t p = 1 + orr__draw_below(d, most),
                      at = orr__draw_below(d, n);
             p > 0; p--, at++)
            json_array_append_new(cables, draw_cable(d, h, hosts + at % n));
    for (uint32_t s = 1; s < n; s++)
        json_array_append_new(
            cables, draw_cable(d, hosts + orr__draw_below(d, s), hosts + s));
    for (uint32_t i = orr__draw_below(d, 4); n > 1 && i > 0; i--) {
        uint32_t a = orr__draw_below(d, n);

        json_array_append_new(cables,
                              draw_cable(d, hosts + a, hosts + (a + 1) % n));
    }
    return json_pack(
        "{s:s,s:i,s:i,s:b,s:{s:o,s:o},s:o}", "kind", "custom", "hosts",
        (int)hosts, "switches", (int)n, "hosts_forward",
        orr__draw_chance(d, 0.2), "link", "rate", orr__draw_rate(d), "delay",
        orr__draw_time(d, 1000, 20 * INT64_C(1000000)), "cables", cables);
}

/* What files of graphs leave to the user, and others refuse. */
static void draw_open(struct draw *d, json_t *map, const char *format)
{
    static const char *const open[] = {"graphml", "gml", "csv", "networkx",
                                       NULL};

    if (orr__param_choice(open, format) < 0) {
        json_object_del(map, "vertices");
        json_object_del(map, "coordinates");
    } else if (!strcmp(format, "csv")) { /* it tells no types */
        json_object_set_new(map, "vertices", json_string("host"));
    }
    if (orr__param_choice(open, format) >= 0 && orr__draw_chance(d, 0.3))
        json_object_set_new(map, "component", json_string("largest"));
}

/* A number of hosts in place of what gives it, for the kinds that need no more.
 */
static json_t *draw_sized(struct draw *d)
{
    static const char *const kinds[] = {
        "ring",       "fully-connected", "switch", "fat-tree",
        "leaf-spine", "torus",           "hyperx", "dragonfly",
        "slimfly",    "jellyfish",       "bcube",  "dumbbell"};
    json_t *map = json_pack(
        "{s:s,s:i}", "kind", kinds[orr__draw_below(d, 12)], "size",
        (int)(2 + orr__draw_below(d, orr__draw_chance(d, 0.5) ? 8 : 30)));

    json_object_set_new(map, "link",
                        orr__draw_value_of(d, "topologies", "link"));
    if (orr__draw_chance(d, 0.3))
        json_object_set_new(map, "servers",
                            orr__draw_value_of(d, "topologies", "servers"));
    return map;
}

json_t *orr__draw_topology(struct draw *d, const char *where)
{
    if (orr__draw_chance(d, 0.05))
        return draw_sized(d);

    json_t *map = orr__draw_member(d, "topologies", "kind", NULL, 0.3), *format;
    const char *kind = json_string_value(json_object_get(map, "kind"));

    if (!strcmp(kind, "custom")) {
        json_decref(map);
        return draw_custom(d);
    }
    if (!strcmp(kind, "strides"))
        orr__draw_strides(d, map);
    if (strcmp(kind, "file"))
        return map;
    format = json_string(orr__draw_name(d, "formats", NULL));
    json_object_set_new(
        map, "file", orr__draw_sample("topology", json_string_value(format)));
    json_object_set_new(map, "format", format);
    draw_open(d, map, json_string_value(format));
    if (orr__draw_chance(d, 0.8))
        json_object_del(map, "links");
    return map;
}

static void put_classes(struct draw *d, json_t *list)
{
    json_t *one;
    size_t i;

    json_array_foreach(list, i, one)
        json_object_set_new(one, "class", json_integer(orr__draw_below(d, 8)));
}

/* Pause frames, and classes that some traffic is in, any of them. */
void orr__draw_lossless(struct draw *d, json_t *config)
{
    static const char *const schedulers[] = {"fifo", "strict", "drr", "wfq"};
    json_t *network = json_object_get(config, "network");

    json_object_set_new(network, "pfc", json_pack("{s:b}", "enabled", 1));
    if (orr__draw_chance(d, 0.3))
        json_object_set_new(json_object_get(network, "pfc"), "lossless",
                            orr__draw_lossless_classes(d, "pfc"));
    json_object_set_new(network, "buffer",
                        json_pack("{s:s,s:o}", "kind", "shared", "size",
                                  orr__draw_size(d, 300000, 30000000)));
    json_object_set_new(network, "queue",
                        json_pack("{s:s,s:s}", "kind", "ecn", "scheduler",
                                  schedulers[orr__draw_below(d, 4)]));
    put_classes(d, json_object_get(config, "flows"));
    put_classes(d, json_object_get(config, "jobs"));
}

/* Rules of one or two tiers that there are, or of all links from a node. */
json_t *orr__draw_by_tier(struct draw *d, const char *where)
{
    static const char *const kinds[] = {"ecmp",         "first",   "spray",
                                        "spray-random", "flowlet", "adaptive"};
    const struct orr_graph *g = d->graph;
    json_t *map = json_object();

    for (uint32_t n = 1 + orr__draw_below(d, 2); n > 0; n--) {
        uint32_t link = orr__draw_below(d, g->links);
        json_t *rule = json_object();
        char from[ORR_NODE_NAME], name[ORR_NODE_NAME + 8];

        snprintf(name, sizeof name, "%s", g->tier_names[g->tier[link]]);
        if (orr__draw_chance(d, 0.2))
            snprintf(name, sizeof name, "%s > *",
                     orr__node_name(g, g->from[link], from, sizeof from));
        if (orr__draw_chance(d, 0.8))
            json_object_set_new(rule, "routing",
                                json_string(kinds[orr__draw_below(d, 6)]));
        if (orr__draw_chance(d, 0.3))
            json_object_set_new(rule, "mtu", orr__draw_size(d, 200, 9000));
        if (orr__draw_chance(d, 0.3))
            json_object_set_new(
                rule, "queue",
                json_pack("{s:s,s:o}", "kind",
                          orr__draw_chance(d, 0.5) ? "ecn" : "droptail",
                          "capacity", orr__draw_size(d, 20000, 2000000)));
        json_object_set_new(map, name, rule);
    }
    return map;
}

/* Some of the classes, or none. */
json_t *orr__draw_lossless_classes(struct draw *d, const char *where)
{
    json_t *list = json_array();

    for (uint32_t class = 0; class < 8; class ++)
        if (orr__draw_chance(d, 0.5))
            json_array_append_new(list, json_integer(class));
    return list;
}

/* Nodes that fail, flaps, bit errors, and what fails by chance. */
json_t *orr__draw_whole_failure(struct draw *d)
{
    static const char *const things[] = {"links", "switches", "hosts"};
    json_t *map = json_object();
    uint32_t what = orr__draw_below(d, 4);

    if (what == 0) {
        json_object_set_new(map, "of",
                            json_string(things[orr__draw_below(d, 3)]));
        json_object_set_new(map, "mtbf", orr__draw_time(d, ORR_US, ORR_MS));
        json_object_set_new(map, "until",
                            orr__draw_time(d, ORR_US, 100 * ORR_US));
    } else if (what == 1 && d->nodes > d->hosts) {
        json_object_set_new(
            map, "switch",
            json_integer(d->hosts + orr__draw_below(d, d->nodes - d->hosts)));
    } else {
        json_object_set_new(map, "host",
                            json_integer(orr__draw_below(d, d->hosts)));
    }
    if (what == 0) {
        json_object_set_new(map, "mttr",
                            orr__draw_time(d, ORR_NS, 100 * ORR_US));
    } else {
        json_object_set_new(map, "down",
                            orr__draw_time(d, ORR_NS, 100 * ORR_US));
        json_object_set_new(map, "for", orr__draw_time(d, ORR_NS, ORR_US));
    }
    if (what == 3) {
        json_object_set_new(map, "every",
                            orr__draw_time(d, 2 * ORR_US, 9 * ORR_US));
        json_object_set_new(map, "times",
                            json_integer(1 + orr__draw_below(d, 4)));
    }
    if (orr__draw_chance(d, 0.3))
        json_object_set_new(map, "ber",
                            json_real(orr__draw_between(d, 0, 1e-4)));
    return map;
}

/* Few kinds have more than one. */
json_t *orr__draw_planes(struct draw *d, const char *where)
{
    return json_integer(orr__draw_chance(d, 0.1) ? 2 + orr__draw_below(d, 2)
                                                 : 1);
}
