/* What the files of `orrery help` share. */
#ifndef ORR_CLI_HELP_H
#define ORR_CLI_HELP_H

#include "cli/cli.h"

/* A name in the left column; the cursor is at the right one then. */
void orr__help_left(const char *text);
/* Text in the right column, broken at spaces, and the end of the line. */
void orr__help_right(const char *text);
/* Keys with their help, types, bounds and defaults, up to the end of a table
 * (NULL: none). */
void orr__help_params(const struct orr_param *p);
/* Text from this column on, where the cursor is. */
void orr__help_wrapped(const char *text, int at);

/* help_words.c: all keys, values, members and figures of this name, however it
 * is spelled (`ECN`, `rail-optimized`, `network.queue.kmin`). The number of
 * things that were printed; -1: memory ran out. `begun`: something was printed
 * before. */
int orr__help_word(const char *word, const struct orr_config *plugins,
                   bool begun);
/* The nearest of these (NULL-ended) and of all names that help knows, or NULL;
 * in static storage. */
const char *orr__help_nearest(const char *word, const char *const *commands,
                              const struct orr_config *plugins);
/* Where a key of this name stands, "`network.queue` of kind red, ...": at most
 * three places, those inside `around` (a path; "": none) before others. false:
 * nowhere. */
bool orr__help_places(const char *key, const char *around, char *text,
                      size_t size);

#endif
