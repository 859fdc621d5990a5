/* GML, read by igraph: topo/file/igraph_file.h. */
#include <errno.h>
#include <string.h>

#include "topo/file/igraph_file.h"

/* What igraph says is wrong, by words that it has in it, and what we say. A
 * line is known of all but the first. */
static const struct fault {
    const char *words, *message;
} faults[] = {
    {"No 'graph'", "there is no `graph [ ... ]` in it"},
    {"Invalid type for 'graph'", "`graph` must be a list: graph [ ... ]"},
    {"'node' is not", "`node` must be a list: node [ id 0 ... ]"},
    {"'edge' is not", "`edge` must be a list: edge [ source 0 target 1 ... ]"},
    {"Duplicate node", "a node before has the same id"},
    {"Non-integer node", "the id of a node must be a whole number"},
    {"No 'source'", "an edge has no source"},
    {"No 'target'", "an edge has no target"},
    {"Non-integer 'source'", "the source of an edge must be the id of a node"},
    {"Non-integer 'target'", "the target of an edge must be the id of a node"},
    {"Unknown source", "the source of an edge is no node's id"},
    {"Unknown target", "the target of an edge is no node's id"},
    {"unexpected end of file", "the file ends within a list or before a value"},
    {"unexpected ]", "a ] stands here that closes nothing, or a key has no "
                     "value"},
    {"Parse error", "this is no GML: keys, each with a number, a \"text\" or a "
                    "[ list ]"},
};

/* Its last number behind "line". 0: it names none. */
static int line_of(const char *text)
{
    int line = 0;
    for (const char *at = strstr(text, "line "); at; at = strstr(at, "line ")) {
        at += strlen("line ");
        (void)sscanf(at, "%d", &line);
    }
    return line;
}

/* igraph keeps no columns: a failure is at the line's first character. */
static orr_err fail_in_gml(const struct orr_sketch *s, const char *text,
                           struct orr_report *why)
{
    const char *message = "igraph can make no graph of it";
    int line = line_of(text);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strstr(text, faults[i].words)) {
            message = faults[i].message;
            break;
        }
    orr_err err = line > 0 ? orr__fail_at(why, ORR_ECONFIG, s->name, line, 1,
                                          "%s", message)
                           : orr__sketch_fail(s, why, "%s", message);
    orr__hint(why, "a GML file was expected: graph [ node [ id 0 ] ... edge [ "
                   "source 0 target 1 ] ... ]");
    return err;
}

/* igraph reports lack of memory as other errors, so errno counts too. */
static orr_err read_graph(const struct orr_sketch *s, igraph_t *g,
                          struct orr_report *why)
{
    struct orr_report reason = {.code = ORR_OK};
    FILE *f;
    orr_err err = orr__igraph_open(s, &f, why);
    if (err)
        return err;
    errno = 0;
    err = orr__igraph(&reason, igraph_read_graph_gml(g, f), "reading");
    bool no_memory = err && errno == ENOMEM;
    fclose(f);
    if (err == ORR_ENOMEM || no_memory)
        return orr__no_memory(why);
    return err ? fail_in_gml(s, reason.message, why) : ORR_OK;
}

static orr_err read_gml(struct orr_sketch *s, struct orr_report *why)
{
    return orr__igraph_file(s, "directed 0", read_graph, why);
}

extern const struct orr_topology_format_ops orr__topology_format_gml;
const struct orr_topology_format_ops orr__topology_format_gml = {
    .name = "gml",
    .doc = "GML, with the keys of graphml: rate \"10Gbps\" in an edge, type "
           "\"host\" in a node.",
    .open = true,
    .read = read_gml,
};
