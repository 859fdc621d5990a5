/* Values of topologies that their tables do not say. */
#include "tests/attack/draw.h"

/* Three hosts and more have two strides at least. */
void orr__draw_strides(struct draw *d, json_t *map)
{
    uint32_t hosts = 3 + orr__draw_below(d, 6), strides;
    bool both = orr__draw_chance(d, 0.5), matched = orr__draw_chance(d, 0.3);
    json_t *list = json_array();
    strides = 1 + orr__draw_below(d, 2);
    json_array_append_new(list, json_integer(1));
    if (strides > 1)
        json_array_append_new(list, json_integer(hosts - 1));
    json_object_set_new(map, "hosts", json_integer(hosts));
    json_object_set_new(map, "direction",
                        json_string(both ? "both" : "forward"));
    json_object_set_new(map, "degree",
                        json_integer(strides * (both ? 2 : 1) + matched));
    if (matched)
        json_object_set_new(map, "matching",
                            json_pack("[[ii]]", 0, (int)hosts - 1));
    if (orr__draw_chance(d, 0.5))
        json_object_set(map, "strides", list);
    json_decref(list);
}

json_t *orr__draw_dims(struct draw *d, const char *where)
{
    json_t *list = json_array();
    for (uint32_t n = 1 + orr__draw_below(d, 3); n > 0; n--)
        json_array_append_new(list, json_integer(1 + orr__draw_below(d, 4)));
    return list;
}

json_t *orr__draw_names(struct draw *d, const char *where)
{
    static const char *const names[] = {"oslo", "new york", "a/b.c", "d-1"};
    json_t *list = json_array();
    for (uint32_t i = 0, n = 1 + orr__draw_below(d, 4); i < n; i++)
        json_array_append_new(list, json_string(names[i]));
    return list;
}

/* Good for all ranks, the second mostly not for some. */
json_t *orr__draw_stride_list(struct draw *d, const char *where)
{
    json_t *list = json_pack("[i]", 1);
    if (d->ranks > 2 && orr__draw_chance(d, 0.5))
        json_array_append_new(list, json_integer(d->ranks - 1));
    return list;
}
