/* Finding and loading models. */
#include "workload/model/model.h"
#include "core/config/module.h"

#include <errno.h>
#include <string.h>

#include "core/memory.h"
#include "core/read.h"

const struct orr_model_file *orr__model_find(const char *name)
{
    for (const struct orr_model_file *f = orr__model_files; f->name; f++)
        if (!strcmp(f->name, name))
            return f;
    return NULL;
}

void orr__model_free(struct orr_model *m)
{
    if (!m)
        return;
    orr__free(m->layer);
    orr__free(m->tensor);
    orr__arena_fini(&m->arena);
    orr__free(m);
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n > k && !strcmp(text + n - k, end);
}

static bool is_path(const char *text)
{
    return strchr(text, '/') || ends_in(text, ".yaml") || ends_in(text, ".yml")
           || ends_in(text, ".txt");
}

uint64_t orr__model_crossing(const struct orr_model *m, uint32_t cut)
{
    uint64_t sum = 0;
    if (!m->edge)
        return cut ? m->layer[cut - 1].activations : 0;
    for (uint32_t l = 0; l < cut; l++)
        sum += m->layer[l].needed >= cut ? m->layer[l].activations : 0;
    return sum;
}

/* With the nearest of the names of our models. */
static orr_err unknown(struct orr_config *c, const struct orr_yaml *node,
                       const char *text, struct orr_report *why)
{
    const char *names[64];
    uint32_t n = 0;
    for (; orr__model_files[n].name && n < 63; n++)
        names[n] = orr__model_files[n].name;
    names[n] = NULL;
    orr__yaml_fail(c, node, why, "model: there is no model \"%s\"", text);
    if (!orr__hint_nearest(why, names, text))
        orr__hint(why, "`orrery list models` names them; a file of your own "
                       "ends in .yaml");
    return ORR_ECONFIG;
}

/* A file that the configuration names; NULL: no memory. */
static char *path_of(const struct orr_config *c, const char *text)
{
    return text[0] == '/' ? orr__strdup(text)
                          : orr__format("%s/%s", orr__config_folder(c), text);
}

#define GRAPH_MAX (64u << 20) /* bytes of a graph.txt */

/* A graph.txt of the user's, relative to the configuration; *out is the
 * caller's. That it cannot be read is told at node, what is wrong in it at its
 * own line. */
static orr_err load_graph(struct orr_config *c, const struct orr_yaml *node,
                          const char *text, struct orr_model **out,
                          struct orr_report *why)
{
    char *path = path_of(c, text), *all = NULL;
    size_t n = 0;
    orr_err err;
    if (!path)
        return orr__no_memory(why);
    int failed = orr__read_file(path, GRAPH_MAX, 0, &all, &n);
    if (failed == ENOMEM)
        err = orr__no_memory(why);
    else if (failed)
        err = orr__yaml_fail(c, node, why, "model: %s: %s", path,
                             strerror(failed));
    else
        err = orr__model_read_graph(path, all, n, text, out, why);
    orr__free(all);
    orr__free(path);
    return err;
}

/* A file of ours by its name, or the user's, relative to the configuration;
 * *out is the caller's. */
static orr_err open_document(struct orr_config *c, const struct orr_yaml *node,
                             const char *text, struct orr_config **doc,
                             struct orr_report *why)
{
    if (is_path(text)) {
        char *path = path_of(c, text);
        if (!path)
            return orr__no_memory(why);
        struct orr_report inner = {0};
        orr_err err = orr__config_load(path, doc, &inner);
        if (err == ORR_ECONFIG && !inner.file[0])
            err = orr__yaml_fail(c, node, why, "model: %s", inner.message);
        else if (err && why && !why->code)
            *why = inner;
        orr__free(path);
        return err;
    }
    const struct orr_model_file *f = orr__model_find(text);
    if (!f)
        return unknown(c, node, text, why);
    return orr__config_parse(f->name, f->text, strlen(f->text), doc, why);
}

orr_err orr__model_load(struct orr_config *c, const struct orr_yaml *node,
                        struct orr_model **out, struct orr_report *why)
{
    const char *text = orr__yaml_text(c, node);
    struct orr_config *doc = NULL;
    *out = NULL;
    if (!text || !*text)
        return orr__yaml_fail(c, node, why,
                              "model: a name is expected, like vgg16");
    if (ends_in(text, ".txt"))
        return load_graph(c, node, text, out, why);
    orr_err err = open_document(c, node, text, &doc, why);
    if (err)
        return err;
    err = orr__model_read(doc, text, out, why);
    orr__config_free(doc);
    return err;
}
