/* Words that help explains beside the names of the configuration: figures of a
 * summary, units, and terms of the field. */
#ifndef ORR_CLI_HELP_TERMS_H
#define ORR_CLI_HELP_TERMS_H

/* A word, static; several with the same meaning share an entry. */
struct orr_term {
    const char *name;  /* as output has it; other spellings behind `|` */
    const char *where; /* of a figure: where it stands; else NULL */
    const char *doc;   /* what it is, with its unit; a full sentence or two */
};
extern const struct orr_term orr__terms[]; /* name NULL ends */

#endif
