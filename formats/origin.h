/* Of a configuration that is made of other simulators' files: which of their
 * places each piece stems from, so that what is wrong with it is told there. */
#ifndef ORR_FORMATS_ORIGIN_H
#define ORR_FORMATS_ORIGIN_H

#include "core/memory.h"
#include "core/text.h"

struct orr_origin_piece;
struct orr_origins { /* zeroed: nothing is known */
    struct orr_arena arena;
    struct orr_origin_piece *piece; /* in the order of the text; owned */
    size_t pieces, room;
    bool failed; /* memory ran out: pieces are missing */
};

/* What is added to t from here on stems from a place in the user's file; line
 * 0: from the file. key: what it is called there, NULL: nothing. file NULL: it
 * stems from no file. b may be NULL; texts are copied. */
void orr__origins_find(struct orr_origins *b, const struct orr_text *t,
                       const char *file, int line, int col, const char *key);
/* Is one of the user's files called so? */
bool orr__origins_names(const struct orr_origins *b, const char *name);
/* A failure in the text that was made, which `name` is what messages call,
 * becomes one in the user's file, if it is known in which. No file of the
 * user's may be called so. */
void orr__origins_tell(const struct orr_origins *b, const char *name,
                       const char *text, struct orr_report *why);
void orr__origins_fini(struct orr_origins *b);

#endif
