#include "formats/origin.h"

#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/read.h"

/* From here on the text stems from this place. */
struct orr_origin_piece {
    size_t from;            /* the first byte of the text */
    const char *file, *key; /* the arena's, NULL: none */
    int line, col;
};

/* The arena's copy; NULL of NULL. */
static const char *copy_text(struct orr_origins *b, const char *text)
{
    const char *s = text ? orr__arena_strdup(&b->arena, text) : NULL;
    b->failed |= text && !s;
    return s;
}

void orr__origins_find(struct orr_origins *b, const struct orr_text *t,
                       const char *file, int line, int col, const char *key)
{
    if (!b)
        return;
    if (!orr__array_more(b->piece, b->room, b->pieces)) {
        b->failed = true;
        return;
    }
    b->piece[b->pieces++] = (struct orr_origin_piece){
        t->length, copy_text(b, file), copy_text(b, key), line, col,
    };
}

void orr__origins_fini(struct orr_origins *b)
{
    orr__free(b->piece);
    orr__arena_fini(&b->arena);
}

/* Line n of a text, from 1; NULL: it has fewer. */
static const char *line_of(const char *text, int n, size_t *length)
{
    for (; n > 1 && text; n--) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    *length = text ? strcspn(text, "\n") : 0;
    return text;
}

/* The byte at which a line and a column stand, which counts characters. */
static size_t byte_of(const char *text, int line, int col)
{
    size_t left, n = 0;
    uint32_t point;
    const char *at = line_of(text, line, &left);
    for (; at && left && col > 1; at += n, left -= n, col--) {
        n = orr__utf8_length(at, left, &point);
        n = n ? n : 1;
    }
    return at ? (size_t)(at - text) : 0;
}

static bool is_utf8(const char *s)
{
    for (size_t n; *s; s += n) {
        n = orr__text_character(s);
        if (n == 0)
            return false;
    }
    return true;
}

/* The line of the user's file below the message; a file that is too large, or
 * gone, shows none. */
static void show_line(const char *file, int line, struct orr_report *why)
{
    enum { MOST = 1 << 20 };
    char *text = NULL;
    size_t length;
    if (line == 0
        || orr__read_file(file, MOST, ORR_READ_REGULAR, &text, &length) != 0)
        return;
    const char *at = line_of(text, line, &length);
    if (at)
        orr__excerpt(why, at, length);
    orr__free(text);
}

bool orr__origins_names(const struct orr_origins *b, const char *name)
{
    for (size_t i = 0; i < b->pieces; i++)
        if (b->piece[i].file && strcmp(b->piece[i].file, name) == 0)
            return true;
    return false;
}

void orr__origins_tell(const struct orr_origins *b, const char *name,
                       const char *text, struct orr_report *why)
{
    if (why->code == ORR_OK || why->line < 1 || strcmp(why->file, name) != 0)
        return;
    const struct orr_origin_piece *p = NULL;
    size_t at = byte_of(text, why->line, why->col);
    for (size_t i = 0; i < b->pieces && b->piece[i].from <= at; i++)
        p = &b->piece[i];
    if (!p || !p->file)
        return;
    /* the name stands in the text, and makes it none */
    const char *key = is_utf8(p->file) ? p->key : "the name of this file";
    struct orr_report moved = {.code = ORR_OK};
    orr__fail_at(&moved, why->code, p->file, p->line, p->col, "%s%s%s",
                 key ? key : "", key ? ": " : "", why->message);
    orr__hint(&moved, "%s", why->hint);
    show_line(p->file, p->line, &moved);
    *why = moved;
}
