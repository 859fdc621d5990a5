#include "record/record_links.h"

#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "topo/link_names.h"

orr_err orr__record_link_names(struct orr_reader *r, const char *path,
                               char ***name, uint64_t *n,
                               struct orr_report *why)
{
    static const char sign[] = " -> ", shown[] = " > ";
    orr_err err = orr__reader_texts(r, path, name, n, why);
    for (uint64_t i = 0; !err && i < *n; i++) {
        char *at = strstr((*name)[i], sign);
        if (!at)
            continue;
        const char *behind = at + strlen(sign);
        memcpy(at, shown, strlen(shown));
        at += strlen(shown);
        memmove(at, behind, strlen(behind) + 1);
    }
    return err;
}

static void between(struct orr_link_search *s, const char *a, const char *b)
{
    const struct orr_record_links *l = s->arg;
    for (uint64_t i = 0; i < l->n; i++)
        if (orr__link_is_between(l->name(l->arg, i), a, b))
            orr__link_found(s, l->id(l->arg, i));
}

/* The row of a link's id; n: there is none. */
static uint64_t row_of(const struct orr_record_links *l, uint64_t id)
{
    uint64_t i = 0;
    while (i < l->n && l->id(l->arg, i) != id)
        i++;
    return i;
}

/* ORR_ECONFIG: a name that fits several links, with the first ORR_LINK_SHOWN of
 * them. */
static orr_err several(const struct orr_record_links *l,
                       const struct orr_link_search *s, const char *text,
                       struct orr_report *why)
{
    struct orr_text t = {NULL};
    for (uint32_t i = 0; i < s->found && i < ORR_LINK_SHOWN; i++)
        orr__text_add(&t, "%s %" PRIu64 " (%s)", i ? "," : "", s->link[i],
                      l->name(l->arg, row_of(l, s->link[i])));
    if (s->found > ORR_LINK_SHOWN)
        orr__text_add(&t, " and %" PRIu32 " more", s->found - ORR_LINK_SHOWN);
    char *list = orr__text_done(&t);
    if (!list)
        return orr__no_memory(why);
    orr_err err =
        orr__fail(why, ORR_ECONFIG, "%s: \"%s\" names %" PRIu32 " links:%s",
                  l->file, text, s->found, list);
    orr__hint(why, "name it by its id");
    orr__free(list);
    return err;
}

orr_err orr__record_find_link(const struct orr_record_links *l,
                              const char *text, uint64_t *row,
                              struct orr_report *why)
{
    struct orr_link_search s = {between, NULL, .links = UINT64_MAX};
    s.arg = l;
    orr__link_search(&s, text);
    if (s.found > 1)
        return several(l, &s, text, why);
    *row = s.found ? row_of(l, s.link[0]) : l->n;
    if (*row < l->n)
        return ORR_OK;
    return orr__fail(why, ORR_ECONFIG,
                     "%s has no link \"%s\" among the %" PRIu64
                     " %s; names are as in \"%s\"",
                     l->file, text, l->n, l->which,
                     l->n ? l->name(l->arg, 0) : "a > b");
}
