#include "workload/cluster/item_list.h"

#include "core/config/yaml.h"
#include "workload/world.h"

orr_err orr__item_list_read(const struct orr_cluster *c,
                            const struct orr_yaml *list, const char *expected,
                            size_t size, orr_read_item_fn *read, void **out,
                            uint32_t *n, struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    orr_err err = ORR_OK;
    *n = 0;
    if (!list || orr__yaml_is_null(list))
        return ORR_OK;
    if (!orr__yaml_is_list(list))
        return orr__yaml_fail(config, list, why, "%s is expected", expected);
    size_t items = orr__yaml_count(list);
    char *item = orr__arena_alloc(orr__config_arena(config), items + 1, size);
    if (!item)
        return orr__no_memory(why);
    for (size_t i = 0; !err && i < items; i++)
        err = read(c, orr__yaml_item(list, i), item + i * size, why);
    *out = item;
    *n = (uint32_t)items;
    return err;
}
