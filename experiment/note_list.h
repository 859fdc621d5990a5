/* Notes: a list of sentences that grows with them. */
#ifndef ORR_EXPERIMENT_NOTE_LIST_H
#define ORR_EXPERIMENT_NOTE_LIST_H

#include "core/error.h"
#include "core/text.h"

struct orr_notes { /* zeroed: none */
    char **text;   /* n of them, owned: sentences without a full stop */
    uint32_t n, room;
    bool failed; /* memory ran out: what was added since is lost */
};

/* One more, as printf would print it. */
void orr__notes_add(struct orr_notes *notes, const char *fmt, ...)
    ORR_PRINTF(2, 3);
/* ORR_ENOMEM if memory ran out, and then the list is empty again. */
ORR_CHECK_RESULT orr_err orr__notes_done(struct orr_notes *notes);
void orr__notes_free(struct orr_notes *notes);

/* A line of a summary for people that is labelled "note", whose texts begin at
 * this column, and as many as the note needs below it. */
void orr__note_text(struct orr_text *t, const char *note, size_t column);

#endif
