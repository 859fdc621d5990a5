#include "formats/convert.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/family.h"
#include "core/memory.h"
#include "formats/convert_list.h"

ORR_FAMILY(orr__converters, ORR_CONVERT_LIST, struct orr_convert_ops,
           orr__convert_)

/* ---- names ------------------------------------------------------------- */

/* Does YAML read this as one plain word, also in a {map}? */
static bool is_plain(const char *s)
{
    for (const char *p = s; *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                    "0123456789._-+/",
                    *p))
            return false;
    return *s && (!strchr("-.0123456789", *s) || strncmp(s, "../", 3) == 0);
}

static char *quote_text(const char *s)
{
    struct orr_text t = {.s = NULL};
    if (is_plain(s))
        return orr__strdup(s);
    orr__text_quoted(&t, s);
    return orr__text_done(&t);
}

/* The way from one absolute path, a folder, to another. */
static char *relative_path(const char *from, const char *to)
{
    size_t common = 0; /* both agree before it, at a slash or an end */
    struct orr_text t = {.s = NULL};
    for (size_t i = 0;; i++) {
        bool ends_from = from[i] == '\0' || from[i] == '/';
        bool ends_to = to[i] == '\0' || to[i] == '/';
        if (ends_from && ends_to)
            common = i;
        if (from[i] != to[i] || from[i] == '\0')
            break;
    }
    for (const char *p = from + common; *p; p++)
        if (*p == '/' && p[1])
            orr__text_add(&t, "../");
    orr__text_add(&t, "%s", to + common + (to[common] == '/'));
    return orr__text_done(&t);
}

char *orr__convert_name(const struct orr_convert *c, const char *path)
{
    char folder[PATH_MAX], file[PATH_MAX];
    char *relative = NULL;
    if (path[0] != '/' && strcmp(c->folder, ".") != 0
        && realpath(c->folder, folder) && realpath(path, file))
        relative = relative_path(folder, file);
    else
        relative = orr__strdup(path);
    char *quoted = relative ? quote_text(relative) : NULL;
    orr__free(relative);
    return quoted;
}

/* ---- topologies -------------------------------------------------------- */

orr_err orr__convert_graph(const char *format, const char *path,
                           struct orr_graph **out, struct orr_report *why)
{
    static const char said[] = "topology: {kind: file, format: ";
    struct orr_config *c = NULL;
    char *name = quote_text(path);
    char *text =
        name ? orr__format("%s%s, file: %s}\n", said, format, name) : NULL;
    orr_err err = text ? orr__config_parse(path, text, strlen(text), &c, why)
                       : orr__no_memory(why);
    orr__free(name);
    orr__free(text);
    if (err == ORR_OK)
        err = orr__graph_build(
            c, orr__yaml_get(orr__config_root(c), "topology"), 1, out, why);
    orr__config_free(c);
    /* the line that was made here is none of the file's */
    if (err != ORR_OK && why
        && strncmp(why->excerpt, said, sizeof said - 1) == 0) {
        why->file[0] = why->excerpt[0] = '\0';
        why->line = why->col = 0;
    }
    return err;
}

/* ---- files ------------------------------------------------------------- */

orr_err orr__convert_take_input(const char *file,
                                orr_convert_classify_fn *classify, void *arg,
                                const char *const *names, const char **path,
                                struct orr_report *why)
{
    struct orr_scan s;
    int kind = -1;
    orr_err err = orr__scan_open(&s, file, file, why);
    if (err != ORR_OK)
        return err;
    err = classify(&s, arg, &kind);
    if (err == ORR_OK && path[kind])
        err = orr__fail(why, ORR_ECONFIG, "%s and %s are both a %s", path[kind],
                        file, names[kind]);
    if (err == ORR_OK)
        path[kind] = file;
    orr__scan_fini(&s);
    return err;
}

orr_err orr__convert_open(struct orr_file *o, const char *folder,
                          const char *name, struct orr_report *why)
{
    char *path = orr__format("%s/%s", folder, name);
    orr_err err = path ? orr__file_open(o, path, why) : orr__no_memory(why);
    orr__free(path);
    return err;
}

orr_err orr__convert_flows_only(const struct orr_world *w, const char *format,
                                struct orr_report *why)
{
    if (w->n_jobs == 0)
        return ORR_OK;
    return orr__fail(why, ORR_ECONFIG,
                     "%s knows flows, no jobs, and this "
                     "configuration has %u",
                     format, w->n_jobs);
}

void orr__convert_unread(struct orr_text *notes, const char *name,
                         const struct orr_graph *g)
{
    if (g && g->unread)
        orr__note(notes,
                  "%s counts %u links and lists %llu: as in HPCC, the "
                  "rest is not read",
                  name, g->cables, (unsigned long long)(g->cables + g->unread));
}
