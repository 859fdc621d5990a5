/* Nodes of a configuration, which go by number or by name. */
#include <inttypes.h>

#include "core/config/config.h"
#include "core/units.h"
#include "topo/node_names.h"

/* With the nearest name as a hint. */
static orr_err no_such(const struct orr_graph *g, struct orr_config *c,
                       const struct orr_yaml *at, const char *what,
                       struct orr_report *why)
{
    const char *text = orr__yaml_text(c, at);
    const char *near = text ? orr__node_nearest(g, text) : NULL;
    orr_err err = orr__yaml_fail(c, at, why,
                                 "a %s is named by its number, or "
                                 "by a name that it has in the topology",
                                 what);
    if (near)
        orr__hint(why, "did you mean \"%s\"?", near);
    return err;
}

/* A name or a number below `below`; names of switches are refused where hosts
 * are expected. */
static orr_err read_node(const struct orr_graph *g, struct orr_config *c,
                         const struct orr_yaml *at, const char *what,
                         uint32_t below, uint32_t *node, struct orr_report *why)
{
    const char *text = orr__yaml_text(c, at);
    int64_t number;
    if (text && orr__node_find(g, text, node)) {
        if (*node < below)
            return ORR_OK;
        return orr__yaml_fail(c, at, why, "%s is a switch, no host", text);
    }
    if (!text || orr__parse_int(text, &number))
        return no_such(g, c, at, what, why);
    if (number < 0 || number >= below)
        return orr__yaml_fail(c, at, why,
                              "%s %" PRId64 " does not exist: %ss "
                              "are 0 to %" PRIu32,
                              what, number, what, below - 1);
    *node = (uint32_t)number;
    return ORR_OK;
}

orr_err orr__node_read(const struct orr_graph *g, struct orr_config *c,
                       const struct orr_yaml *at, uint32_t *node,
                       struct orr_report *why)
{
    return read_node(g, c, at, "node", g->nodes, node, why);
}

orr_err orr__host_read(const struct orr_graph *g, struct orr_config *c,
                       const struct orr_yaml *at, uint32_t *host,
                       struct orr_report *why)
{
    return read_node(g, c, at, "host", g->hosts, host, why);
}
