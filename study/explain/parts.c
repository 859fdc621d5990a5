#include "study/explain/parts.h"

#include "core/array.h"
#include "core/memory.h"

void orr__line_begin(struct orr_spending *l, int64_t from)
{
    l->from = l->at = from;
    l->n = 0;
    l->failed = false;
}

static bool make_room(struct orr_spending *l)
{
    bool enough = orr__array_more(l->piece, l->room, l->n);

    l->failed |= !enough;
    return enough;
}

void orr__line_piece(struct orr_spending *l, int64_t until,
                     struct orr_what what)
{
    if (make_room(l))
        l->piece[l->n++] = (struct orr_piece){until, what};
}

void orr__line_cut(struct orr_spending *l, int64_t at)
{
    if (at >= l->at)
        return;
    l->at = at > l->from ? at : l->from;
    while (l->n && (l->n > 1 ? l->piece[l->n - 2].until : l->from) >= l->at)
        l->n--;
    if (l->n)
        l->piece[l->n - 1].until = l->at;
}

void orr__line_append(struct orr_spending *l, const struct orr_spending *more,
                      int64_t until)
{
    l->failed |= more->failed;
    for (uint32_t i = 0; i < more->n && l->at < until; i++) {
        int64_t end = more->piece[i].until;

        orr__line_add(l, end < until ? end : until, more->piece[i].what);
    }
}

void orr__line_fini(struct orr_spending *l)
{
    orr__free(l->piece);
    *l = (struct orr_spending){0};
}

const char *orr__cause_name(enum orr_cause c)
{
#define NAME(id, name, doc) name,
    static const char *const names[] = {ORR_CAUSE_MAP(NAME)};
#undef NAME

    return names[c];
}

const char *orr__cause_doc(enum orr_cause c)
{
#define DOC(id, name, doc) doc,
    static const char *const docs[] = {ORR_CAUSE_MAP(DOC)};
#undef DOC

    return docs[c];
}
