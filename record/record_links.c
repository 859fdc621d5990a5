#include "record/record_links.h"

#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "orrery/orrery.h"
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

static uint64_t id_of_row(const struct orr_record_links *l, uint64_t row)
{
    return l->id ? l->id(l->arg, row) : row;
}

static void between(struct orr_link_search *s, const char *a, const char *b)
{
    const struct orr_record_links *l = s->arg;
    for (uint64_t i = 0; i < l->n; i++)
        if (orr__link_is_between(l->name(l->arg, i), a, b))
            orr__link_found(s, id_of_row(l, i));
}

/* The row of a link's id; n: there is none. */
static uint64_t row_of(const struct orr_record_links *l, uint64_t id)
{
    uint64_t i = 0;
    while (i < l->n && id_of_row(l, i) != id)
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
    for (uint32_t i = 0; i < s->found && i < ORR_LINK_SHOWN; i++) {
        const char *name = l->name(l->arg, row_of(l, s->link[i]));
        if (l->id)
            orr__text_add(&t, "%s %" PRIu64 " (%s)", i ? "," : "", s->link[i],
                          name);
        else
            orr__text_add(&t, "%s %s", i ? "," : "", name);
    }
    if (s->found > ORR_LINK_SHOWN)
        orr__text_add(&t, " and %" PRIu32 " more", s->found - ORR_LINK_SHOWN);
    char *list = orr__text_done(&t);
    if (!list)
        return orr__no_memory(why);
    orr_err err = orr__fail(
        why, ORR_ECONFIG, "%s%s\"%s\" names %" PRIu32 " links:%s",
        l->file ? l->file : "", l->file ? ": " : "", text, s->found, list);
    if (l->id)
        orr__hint(why, "name it by its id");
    orr__free(list);
    return err;
}

orr_err orr__record_find_link(const struct orr_record_links *l,
                              const char *text, uint64_t *row,
                              struct orr_report *why)
{
    struct orr_link_search s = {between, l, .links = l->id ? UINT64_MAX : 0};
    orr__link_search(&s, text);
    if (s.found > 1)
        return several(l, &s, text, why);
    *row = s.found ? row_of(l, s.link[0]) : l->n;
    if (*row < l->n)
        return ORR_OK;
    if (!l->file)
        return orr__fail(why, ORR_ECONFIG,
                         "there is no link \"%s\"; names are as in \"%s\"",
                         text, l->n ? l->name(l->arg, 0) : "a > b");
    return orr__fail(why, ORR_ECONFIG,
                     "%s has no link \"%s\" among the %" PRIu64
                     " %s; names are as in \"%s\"",
                     l->file, text, l->n, l->which,
                     l->n ? l->name(l->arg, 0) : "a > b");
}

static const char *listed_name(const void *names, uint64_t i)
{
    return ((const char *const *)names)[i];
}

orr_err orr_link_find(const char *const *names, size_t n, const char *text,
                      size_t *index, struct orr_report *why)
{
    const struct orr_record_links l = {
        .n = n, .name = listed_name, .arg = names};
    uint64_t row = 0;
    if ((n && !names) || !text || !index)
        return orr__fail(why, ORR_ECALL, "orr_link_find: an argument is NULL");
    for (size_t i = 0; i < n; i++)
        if (!names[i])
            return orr__fail(why, ORR_ECALL,
                             "orr_link_find: names[%zu] is NULL", i);
    orr_err err = orr__record_find_link(&l, text, &row, why);
    if (!err)
        *index = (size_t)row;
    return err;
}
