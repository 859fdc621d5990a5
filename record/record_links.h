/* Links of a record by name: what `plot` and `timeline` are asked for. */
#ifndef ORR_RECORD_RECORD_LINKS_H
#define ORR_RECORD_RECORD_LINKS_H

#include <stdint.h>

#include "core/error.h"
#include "record/record_read.h"

/* Links that a record has, as its reader knows them. */
struct orr_record_links {
    const char *file;  /* for messages; NULL: they are of no file */
    const char *which; /* for messages: "busiest" */
    uint64_t n;
    /* "a > b" of the i-th of them, and its id; id NULL: they go by name
     * alone. */
    const char *(*name)(const void *arg, uint64_t i);
    uint64_t (*id)(const void *arg, uint64_t i);
    const void *arg;
};

/* Names of links that a record has as "a -> b", as they are shown: "a > b".
 * Otherwise as orr__reader_texts. */
ORR_CHECK_RESULT orr_err orr__record_link_names(struct orr_reader *r,
                                                const char *path, char ***name,
                                                uint64_t *n,
                                                struct orr_report *why);

/* Which of them a text names, by id or by the rules of topo/link_names.h.
 * ECONFIG: none, or several. */
ORR_CHECK_RESULT orr_err orr__record_find_link(const struct orr_record_links *l,
                                               const char *text, uint64_t *row,
                                               struct orr_report *why);

#endif
