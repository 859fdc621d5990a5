#include "net/config/routing.h"

#include <string.h>

#include "core/config/module.h"

orr_err orr__routing_read(struct orr_config *c, const struct orr_yaml *node,
                          const char *what, struct orr_net_config *n,
                          enum orr_path_kind *kind, struct orr_path_params *p,
                          struct orr_report *why)
{
    const struct orr_path_info *all = orr__path_kinds();
    const char *names[ORR_MODULE_KINDS] = {NULL};
    struct orr_module m = {.c = c, .node = node, .what = what, .why = why};
    struct orr_param_set set = {NULL, p, n};
    bool found = false;
    orr_err err;

    orr__module_name(&m, "ecmp");
    for (size_t i = 0; all[i].name && i < ORR_MODULE_KINDS - 1; i++) {
        names[i] = all[i].name;
        if (m.name && strcmp(m.name, all[i].name) == 0) {
            *kind = (enum orr_path_kind)i;
            set.table = all[i].params;
            found = true;
        }
    }
    if (!found)
        return orr__module_unknown(&m, names);
    err = orr__module_read(&m, &set, set.table != NULL);
    if (p->step == ORR_AUTO_SIZE)
        p->step = p->per == ORR_PATH_PER_PACKET ? 4 * (n->mtu + n->header) : 1;
    while (p->entropies & (p->entropies - 1)) /* up to a power of two */
        p->entropies += p->entropies & -p->entropies;
    while (p->table & (p->table - 1)) /* up to a power of two */
        p->table += p->table & -p->table;
    return err;
}
