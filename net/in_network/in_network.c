/* The registry of kinds of in-network aggregation, and how one is read. */
#include "net/in_network/in_network.h"

#include <stdio.h>
#include <string.h>

#include "core/config/family.h"
#include "core/memory.h"
#include "net/in_network/list.h"

ORR_FAMILY(orr__in_network_kinds, ORR_IN_NETWORK_LIST,
           struct orr_in_network_ops, orr__in_network_)
ORR_FAMILY_FIND(find, orr__in_network_kinds, struct orr_in_network_ops)

/* "network.in_network" and "cc" are "network.in_network.cc". NULL: no memory.
 */
static const char *path_below(struct orr_config *c, const char *what,
                              const char *key)
{
    size_t size = strlen(what) + strlen(key) + 2;
    char *path = orr__arena_alloc(orr__config_arena(c), size, 1);

    if (path)
        snprintf(path, size, "%s.%s", what, key);
    return path;
}

/* A kind's own default is no more than the mtu; what a user says is. */
static orr_err choose_payload(struct orr_config *c, struct orr_in_network *n,
                              uint64_t mtu, struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(n->node, "payload");

    if (n->payload == ORR_AUTO_SIZE || (!at && n->payload > mtu))
        n->payload = mtu;
    if (n->payload <= mtu)
        return ORR_OK;
    return orr__yaml_fail(c, at, why,
                          "%s.payload: %llu B are more than network.mtu, %llu "
                          "B",
                          n->what, (unsigned long long)n->payload,
                          (unsigned long long)mtu);
}

/* Leaves cc NULL where slots clock the members. n->cc may point into `n`
 * itself, which therefore stays where it is. Telemetry is refused: a result
 * stands for several packets, each with hops of its own. */
static orr_err choose_control(struct orr_config *c, struct orr_in_network *n,
                              struct orr_report *why)
{
    const struct orr_in_network_ops *ops = n->ops;
    orr_err err;

    if (ops->clocked)
        return ORR_OK;
    if (ops->control) {
        n->own = (struct orr_cc){.ops = ops->control,
                                 .state_size = ops->control->state_size,
                                 .signals = ops->control->signals};
        n->cc = &n->own;
        return ORR_OK;
    }
    err =
        orr__cc_read_or(c, n->cc_node, n->cc_what, "dctcp", NULL, &n->cc, why);
    if (err == ORR_OK && n->cc->telemetry)
        err = orr__yaml_fail(c, n->cc_node, why,
                             "%s.cc: %s goes by what ports tell of single "
                             "packets, and a sum has several",
                             n->what, n->cc->ops->name);
    return err;
}

orr_err orr__in_network_read(struct orr_config *c, const struct orr_yaml *node,
                             const char *what, uint64_t mtu,
                             struct orr_in_network *out, struct orr_report *why)
{
    struct orr_module m = {.c = c, .node = node, .what = what, .why = why};
    struct orr_param_set set = {NULL, out};
    orr_err err;

    if (!node || orr__yaml_is_null(node))
        return ORR_OK;
    out->node = node;
    out->what = what;
    out->cc_what = path_below(c, what, "cc");
    if (!out->cc_what)
        return orr__no_memory(why);
    orr__module_name(&m, NULL);
    if (!m.name)
        return orr__yaml_fail(
            c, node, why, "%s: a map like {kind: switchml} is expected", what);
    err = find(&m, &out->ops);
    if (err != ORR_OK)
        return err;
    set.table = out->ops->params;
    err = orr__module_read(&m, &set, 1);
    if (err == ORR_OK && out->ops->server
        && out->children > ORR_IN_NETWORK_SERVED)
        err = orr__yaml_fail(c, orr__yaml_get(node, "children"), why,
                             "%s.children: a packet of `kind: %s` tells %d "
                             "children apart at most",
                             what, out->ops->name, ORR_IN_NETWORK_SERVED);
    if (err == ORR_OK)
        err = choose_payload(c, out, mtu, why);
    return err == ORR_OK ? choose_control(c, out, why) : err;
}
