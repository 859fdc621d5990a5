#include "core/config/module.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void orr__module_name(struct orr_module *m, const char *fallback)
{
    const struct orr_yaml *kind = orr__yaml_get(m->node, "kind");

    m->at = m->node;
    m->name = NULL;
    if (!m->node || orr__yaml_is_null(m->node)
        || (orr__yaml_is_map(m->node) && !kind)) {
        m->name = fallback;
    } else if (orr__yaml_is_scalar(m->node)) {
        m->name = orr__yaml_text(m->c, m->node);
    } else if (kind && orr__yaml_is_scalar(kind)) {
        m->at = kind;
        m->name = orr__yaml_text(m->c, kind);
    }
}

bool orr__hint_nearest(struct orr_report *why, const char *const *names,
                       const char *text)
{
    const char *near = text ? orr__param_nearest(names, text) : NULL;
    if (near)
        orr__hint(why, "did you mean \"%s\"?", near);
    return near != NULL;
}

void orr__hint_names(struct orr_report *why, const char *const *names,
                     const char *text)
{
    if (orr__hint_nearest(why, names, text))
        return;
    char list[sizeof why->hint - 16] = "";
    size_t used = 0;
    for (size_t i = 0; names[i]; i++) {
        size_t n = strlen(names[i]) + 1;
        if (used + n >= sizeof list)
            return;
        used +=
            (size_t)snprintf(list + used, sizeof list - used, " %s", names[i]);
    }
    orr__hint(why, "there are:%s", list);
}

orr_err orr__module_unknown(const struct orr_module *m,
                            const char *const *names)
{
    if (!m->name)
        return orr__yaml_fail(m->c, m->at, m->why,
                              "%s: a name is expected, or a map with `kind`",
                              m->what);
    orr_err err = orr__yaml_fail(m->c, m->at, m->why, "%s: no kind \"%s\"",
                                 m->what, m->name);
    orr__hint_names(m->why, names, m->name);
    return err;
}

orr_err orr__module_read(const struct orr_module *m,
                         const struct orr_param_set *sets, size_t n_sets)
{
    const struct orr_param kind_param[] = {
        {.key = "kind",
         .type = ORR_PARAM_TEXT,
         .offset = 0,
         .fallback = m->name,
         .help = "which one"},
        ORR_PARAM_END,
    };
    const char *kind = NULL;
    struct orr_param_set all[4] = {{.table = kind_param, .into = &kind}};

    assert(n_sets < 4);
    for (size_t i = 0; i < n_sets; i++)
        all[i + 1] = sets[i];
    return orr__param_read(m->c, orr__yaml_is_map(m->node) ? m->node : NULL,
                           m->what, all, n_sets + 1, m->why);
}
