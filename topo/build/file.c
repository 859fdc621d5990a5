/* A graph from a file, in one of the formats of topo/file/. */
#include <stdio.h>
#include <string.h>

#include "core/config/family.h"
#include "core/memory.h"
#include "topo/file/file.h"
#include "topo/file/list.h"

/* Parameters; the sketch and the path are freed by the kind's `free`. */
struct file {
    const char *file; /* as configured */
    int format, vertices;
    const char *component;
    bool coordinates;
    double loss; /* probability, of links that the file gives none */
    struct orr_sketch sketch;
    char *path;
};

static const char *const names[] = {ORR_TOPOLOGY_FORMAT_LIST(ORR_FAMILY_NAME)
                                        NULL};

ORR_FAMILY(orr__topology_formats, ORR_TOPOLOGY_FORMAT_LIST,
           struct orr_topology_format_ops, orr__topology_format_)

/* enum orr_vertices */
static const char *const vertices[] = {"typed", "host", "switch", "leaves",
                                       NULL};

static const struct orr_param params[] = {
    {.key = "file",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct file, file),
     .help = "the file's name, relative to the configuration"},
    {.key = "format",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct file, format),
     .choices = names,
     .fallback = "graphml",
     .help = "what it is: `orrery list formats`"},
    {.key = "vertices",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct file, vertices),
     .choices = vertices,
     .fallback = "typed",
     .help = "type of nodes that the file gives none; leaves: hosts if they "
             "have one cable, else switches; typed: such nodes are rejected "
             "(graphml, gml, networkx, csv)"},
    {.key = "component",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct file, component),
     .fallback = "",
     .help = "part of a disconnected graph to use: largest, or the name of a "
             "node in it (the same formats)"},
    {.key = "coordinates",
     .type = ORR_PARAM_BOOL,
     .offset = offsetof(struct file, coordinates),
     .fallback = "true",
     .help = "edges without a delay get that of light in fibre (2/3 c) between "
             "the Latitude and Longitude of their ends (the same formats)"},
    {.key = "loss",
     .type = ORR_PARAM_REAL,
     .offset = offsetof(struct file, loss),
     .fallback = "0",
     .min = "0",
     .max = "1",
     .help = "probability that a link loses a packet, where the file says 0 or "
             "nothing"},
    ORR_PARAM_END};

/* Keys that only formats with `open` take; their defaults say nothing. */
static orr_err check_keys(const struct orr_draft *d, const struct file *p,
                          const char *format, struct orr_report *why)
{
    const char *key = p->vertices != ORR_VERTICES_TYPED ? "vertices"
                      : p->component                    ? "component"
                      : !p->coordinates                 ? "coordinates"
                                                        : NULL;
    if (!key)
        return ORR_OK;
    return orr__yaml_fail(
        d->config, orr__yaml_get(d->map, key), why,
        "topology.%s: files of the format %s need no such key", key, format);
}

/* Reads the file here, since it says how large the graph is; relative to the
 * configuration's folder. Keys for formats that leave things open are refused
 * with other formats. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    struct file *p = d->params;
    const char *folder = orr__config_folder(d->config);
    d->blame = orr__yaml_get(d->map, "file");
    p->path = p->file[0] == '/' || strcmp(folder, ".") == 0
                  ? orr__strdup(p->file)
                  : orr__format("%s/%s", folder, p->file);
    if (p->path == NULL)
        return orr__no_memory(why);
    d->file = p->path;
    p->sketch.draft = d;
    p->sketch.path = p->sketch.name = p->path;
    p->sketch.vertices = (enum orr_vertices)p->vertices;
    p->sketch.component = p->component;
    p->sketch.distances = p->coordinates;
    const struct orr_topology_format_ops *format =
        orr__topology_formats()[p->format];
    orr_err err = format->open ? ORR_OK : check_keys(d, p, format->name, why);
    if (!err)
        err = format->read(&p->sketch, why);
    if (!err && format->open)
        err = orr__sketch_complete(&p->sketch, why);
    for (uint32_t i = 0; !err && i < p->sketch.cables; i++)
        if (!(p->sketch.cable[i].line.loss > 0))
            p->sketch.cable[i].line.loss = p->loss;
    return err ? err : orr__sketch_plan(&p->sketch, size, why);
}

static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    struct file *p = d->params;
    return orr__sketch_draw(&p->sketch, why);
}

static void fini(struct orr_draft *d)
{
    struct file *p = d->params;
    orr__sketch_fini(&p->sketch);
    orr__free(p->path);
}

extern const struct orr_topology_ops orr__topology_file;
const struct orr_topology_ops orr__topology_file = {
    .name = "file",
    .doc = "A graph read from a file: `orrery list formats`.",
    .params = params,
    .params_size = sizeof(struct file),
    .size_key = "file",
    .link_optional = true,
    .plan = plan,
    .build = build,
    .fini = fini,
};
