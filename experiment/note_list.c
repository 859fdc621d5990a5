#include "experiment/note_list.h"

#include <stdarg.h>

#include "core/array.h"
#include "core/memory.h"

void orr__notes_add(struct orr_notes *notes, const char *fmt, ...)
{
    va_list ap;
    if (!notes->failed)
        notes->failed = !orr__array_more(notes->text, notes->room, notes->n);
    if (notes->failed)
        return;
    va_start(ap, fmt);
    char *text = orr__format_list(fmt, ap);
    va_end(ap);
    notes->failed = text == NULL;
    if (text)
        notes->text[notes->n++] = text;
}

orr_err orr__notes_done(struct orr_notes *notes)
{
    if (!notes->failed)
        return ORR_OK;
    orr__notes_free(notes);
    return ORR_ENOMEM;
}

void orr__notes_free(struct orr_notes *notes)
{
    for (uint32_t i = 0; i < notes->n; i++)
        orr__free(notes->text[i]);
    orr__free(notes->text);
    *notes = (struct orr_notes){.text = NULL};
}

void orr__note_text(struct orr_text *t, const char *note, size_t column)
{
    orr__text_add(t, "note");
    orr__text_column(t, column);
    orr__text_wrapped(t, note, column);
    orr__text_add(t, "\n");
}
