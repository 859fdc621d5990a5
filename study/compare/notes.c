/* Notes on the configurations of a study: once, and not of what only
 * some combinations leave without an effect. */
#include "core/array.h"
#include "core/config/config.h"
#include "core/memory.h"
#include "core/none.h"
#include "study/compare/compare.h"
#include "study/compare/study.h"
#include "workload/world.h"

/* Where notes go. */
struct adding {
    struct orr_compare *c;
    bool failed; /* no memory */
};

/* The note on this place, or on this remark; NULL: no memory. */
static struct orr_study_note *note_of(struct orr_compare *c,
                                      const struct orr_remarked *t)
{
    struct orr_study_notes *n = &c->notes;
    const char *name = t->key ? t->place : t->text;
    uint32_t at = orr__names_find(&n->names, name);
    if (at != ORR_NONE)
        return &n->note[at];
    name = orr__arena_strdup(&c->arena, name);
    if (!name || !orr__array_more(n->note, n->room, n->n)
        || !orr__names_add(&n->names, name, n->n))
        return NULL;
    n->note[n->n] = (struct orr_study_note){.key = t->key};
    return &n->note[n->n++];
}

/* A note counts only if no combination lets its key act. */
static void add_note(void *arg, const struct orr_remarked *t)
{
    struct adding *a = arg;
    struct orr_study_note *n = note_of(a->c, t);
    if (!n) {
        a->failed = true;
        return;
    }
    n->acts |= t->text == NULL;
    n->reported += t->text != NULL;
    if (t->text && !n->text)
        n->text = orr__arena_strdup(&a->c->arena, t->text);
    a->failed |= t->text && !n->text;
}

orr_err orr__study_notes_add(struct orr_compare *c, const struct orr_world *w)
{
    struct adding a = {c, false};
    orr_err err = orr__config_remarks(w->config, add_note, &a);
    return err ? err : a.failed ? ORR_ENOMEM : ORR_OK;
}

void orr__compare_notes(const struct orr_compare *c,
                        void (*tell)(void *arg, const char *text), void *arg)
{
    for (uint32_t i = 0; i < c->notes.n; i++) {
        const struct orr_study_note *n = &c->notes.note[i];
        if (n->key ? !n->acts : n->reported == c->cells)
            tell(arg, n->text);
    }
}

void orr__study_notes_fini(struct orr_study_notes *n)
{
    orr__names_fini(&n->names);
    orr__free(n->note);
}
