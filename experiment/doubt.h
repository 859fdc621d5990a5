/* What makes the figures of a run doubtful, from its JSON summary: a mark for
 * each kind, which stands in tables and pictures, and words that say how much.
 * What shows figures of runs shows this beside them. */
#ifndef ORR_EXPERIMENT_DOUBT_H
#define ORR_EXPERIMENT_DOUBT_H

#include <stdbool.h>

#include <jansson.h>

#include "core/error.h"
#include "core/text.h"
#include "workload/world.h"

enum orr_doubt_kind {
    ORR_DOUBT_LOST,     /* packets were lost, or sent again */
    ORR_DOUBT_TIMEOUTS, /* senders waited in vain */
    ORR_DOUBT_STOPPED,  /* the run ended before its work was done: at `stop` */
    ORR_DOUBT_QUIET,    /* the same: nothing was left to happen */
    ORR_DOUBT_INFERRED, /* iterations were not simulated, or no packets */
    ORR_DOUBT_NOTED,    /* the summary has notes */
    ORR_DOUBT_CUT,      /* a list that is measured lacks members */
    ORR_DOUBTS
};

struct orr_doubt { /* zeroed: none */
    double lost;   /* share of the packets that were sent */
    double resent; /* packets sent again, an iteration of a cluster's job */
    double timeouts, longest_ns; /* of senders; what the longest waited */
    bool stopped, quiet;
    double at_ns; /* where it ended, if one of these */
    double jobs, open_jobs, flows, open_flows; /* open: not finished */
    double inferred;                           /* share of iterations */
    double error; /* of a mean, a share of it; 0: not known */
    bool fluid;   /* shares of links, no packets */
    char *notes;  /* a line each, owned; NULL: none */
    char *cut;    /* the same */
};

/* What a summary says, with what orr__doubt_needs has of it. ENOMEM alone
 * fails; *d is to be given to orr__doubt_fini in any case. */
ORR_CHECK_RESULT orr_err orr__doubt_take(struct orr_doubt *d,
                                         const json_t *summary);
void orr__doubt_fini(struct orr_doubt *d);
/* *to is new. ENOMEM alone fails. */
ORR_CHECK_RESULT orr_err orr__doubt_copy(struct orr_doubt *to,
                                         const struct orr_doubt *from);
/* Adds a line to d->cut, unless it is there. */
ORR_CHECK_RESULT orr_err orr__doubt_add_cut(struct orr_doubt *d,
                                            const char *line);

/* Paths of a summary (study/compare/measure.h) that this reads; NULL ends. */
extern const char *const orr__doubt_needs[];

/* What it comes to, to tell which of two runs is worse; 0: nothing. */
double orr__doubt_amount(const struct orr_doubt *d, enum orr_doubt_kind k);
/* A letter for each kind, in their order: "LT". */
#define ORR_DOUBT_MARKS (ORR_DOUBTS + 1)
extern const char orr__doubt_letters[ORR_DOUBT_MARKS];
void orr__doubt_marks(const struct orr_doubt *d, char marks[ORR_DOUBT_MARKS]);
/* "8.8 % of packets lost"; of notes and cut lists how many there are. */
void orr__doubt_say(struct orr_text *t, const struct orr_doubt *d,
                    enum orr_doubt_kind k);
/* All of it: "8.8 % of packets lost, 1 timeout of 10 ms", with notes and cut
 * lists behind, in full. */
void orr__doubt_text(struct orr_text *t, const struct orr_doubt *d);

/* Of a summary (JSON) a line each: the letter of its mark, a blank, and what it
 * means here; notes one by one. Lists that are cut in a summary are whole in
 * records, so nothing is said of them. "": nothing is doubtful. The caller
 * frees it; NULL: no memory, or no summary. */
char *orr__doubt_of_summary(const char *json);
/* The same of a run that has ended, for its records. */
char *orr__doubt_of_world(const struct orr_world *w);

#endif
