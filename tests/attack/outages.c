/* Links that fail, change their rate, or exist for a while. */
#include "core/units.h"
#include "tests/attack/draw.h"
#include "topo/graph.h"

static json_t *draw_two_nodes(struct draw *d)
{
    uint32_t link = orr__draw_below(d, d->links);
    json_t *pair = json_array();
    json_array_append_new(pair, json_integer(d->graph->from[link]));
    json_array_append_new(pair, json_integer(d->graph->to[link]));
    return pair;
}

json_t *orr__draw_failed_link(struct draw *d, const char *where)
{
    if (orr__draw_chance(d, 0.5))
        return json_integer(orr__draw_below(d, d->links));
    return draw_two_nodes(d);
}

json_t *orr__draw_failures(struct draw *d, const char *where)
{
    json_t *list = json_array();
    for (uint32_t n = 1 + orr__draw_below(d, 3); n > 0; n--) {
        json_t *map = json_object();

        if (orr__draw_chance(d, 0.4)) {
            json_array_append_new(list, orr__draw_whole_failure(d));
            json_decref(map);
            continue;
        }
        json_object_set_new(map, "link", orr__draw_failed_link(d, where));
        if (orr__draw_chance(d, 0.5)) {
            json_object_set_new(map, "at", orr__draw_time(d, 0, ORR_MS));
            json_object_set_new(map, "rate", orr__draw_rate(d));
        } else {
            uint64_t down = (uint64_t)orr__draw_between(d, 1, 200 * ORR_US);
            uint64_t out = (uint64_t)orr__draw_between(d, 1e3, 3 * ORR_MS);

            json_object_set_new(map, "down", orr__draw_text("%llups", down));
            if (orr__draw_chance(d, 0.8))
                json_object_set_new(map, "up",
                                    orr__draw_text("%llups", down + out));
            if (orr__draw_chance(d, 0.5))
                json_object_set_new(map, "detect",
                                    orr__draw_time(d, 0, ORR_MS));
        }
        json_array_append_new(list, map);
    }
    return list;
}

/* Circuits of some cables, into `topology`; some of them go on for rounds. */
void orr__draw_circuits(struct draw *d, json_t *topology)
{
    json_t *list = json_array(), *keys = json_object();
    uint64_t at = 0, delay = (uint64_t)orr__draw_between(d, 1, 20 * ORR_US);
    for (uint32_t n = 1 + orr__draw_below(d, 3); n > 0; n--) {
        json_t *pairs = json_array();
        for (uint32_t k = orr__draw_below(d, 4); k > 0; k--)
            json_array_append_new(pairs, draw_two_nodes(d));
        json_array_append_new(list, json_pack("{soso}", "at",
                                              orr__draw_text("%llups", at),
                                              "links", pairs));
        at += delay + (uint64_t)orr__draw_between(d, 1e3, 100 * ORR_US);
    }
    json_object_set_new(keys, "delay", orr__draw_text("%llups", delay));
    json_object_set_new(keys, "ports",
                        json_integer(orr__draw_chance(d, 0.9) ? 65535 : 1));
    json_object_set_new(keys, "drop", json_boolean(orr__draw_chance(d, 0.4)));
    if (orr__draw_chance(d, 0.5)) {
        json_object_set_new(keys, "period", orr__draw_text("%llups", ++at));
        json_object_set_new(keys, "until",
                            orr__draw_time(d, ORR_NS, 2 * ORR_MS));
    }
    json_object_update_new(
        topology, json_pack("{soso}", "circuits", list, "reconfigure", keys));
}
