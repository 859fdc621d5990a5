/* What explanations call things, in text and in JSON. */
#ifndef ORR_STUDY_EXPLAIN_WORDS_H
#define ORR_STUDY_EXPLAIN_WORDS_H

#include "study/explain/explain.h"

enum { ORR_WORDS = 160 }; /* bytes of the longest, its end included */

/* "job v", "flows", "the same connection", "" */
void orr__owner_words(const struct orr_explanation *e, uint32_t owner,
                      char *buf);
/* "leaf0 > spine1"; "" */
void orr__link_words(const struct orr_explanation *e, uint32_t link, char *buf);
/* "all-reduce (operation 1)"; what a leg is about. */
void orr__leg_words(const struct orr_explanation *e,
                    const struct orr_subject *s, const struct orr_leg *l,
                    char *buf);
/* "marks", "losses" ...; "" */
const char *orr__cut_words(unsigned cut_by);
/* The sum of a line's time on each cause, from `from` on. */
void orr__line_causes(const struct orr_spending *l, int64_t from, int64_t *ps);

#endif
