/* What the files of study/compare share: the cells of a study and their
 * trials. A cell is a combination of variants, a trial one run of it, with a
 * seed. */
#ifndef ORR_STUDY_COMPARE_STUDY_H
#define ORR_STUDY_COMPARE_STUDY_H

#include "core/json.h"
#include "core/names.h"
#include "core/none.h"
#include "experiment/doubt.h"
#include "formats/measurements/measurements.h"
#include "study/compare/jobs.h"
#include "study/compare/matrix.h"
#include "study/compare/measure.h"

#define ORR_HASH_SIZE 17 /* 16 digits */

enum orr_trial_state {
    ORR_TRIAL_MISSING,
    ORR_TRIAL_RUNNING,
    ORR_TRIAL_OK,
    ORR_TRIAL_FAILED,
};

/* Places that configurations of a study have remarks about. */
struct orr_study_note {
    const char *text;  /* NULL: nothing is to be said */
    uint32_t reported; /* combinations that have it */
    bool key, acts;    /* it is a key; that has an effect in one */
};

/* Notes on configurations, collected over all cells. */
struct orr_study_notes {
    struct orr_study_note *note; /* by number in `names`; owned */
    struct orr_names names;      /* places, and texts of remarks */
    uint32_t n, room;
};

/* Measures that are known before a run: the last ones, with equal costs. */
enum orr_given { ORR_GIVEN_PRICE, ORR_GIVEN_SCALE, ORR_GIVEN };

/* One run of a cell. */
struct orr_trial {
    int64_t seed;
    char hash[ORR_HASH_SIZE]; /* of its configuration: names its folder */
    enum orr_trial_state state;
    bool reused;   /* its outcome was there already */
    double *value; /* for each measure, NaN: the summary has none; NULL unless
                    * the trial is OK */
    double *half;  /* behind the values: of the 95 % interval that the run
                    * itself gives, NaN: none */
    const double *given;    /* of its cell */
    struct orr_doubt doubt; /* of a run that left a summary */
    char *reason;           /* of a failure, one line */
    double cpu_s;           /* that it took, as far as known */
};

/* A combination of variants. */
struct orr_study_cell {
    uint32_t *variant;       /* of each dimension */
    double seconds;          /* CPU time of a run, estimated */
    char *before, *after;    /* the effective configuration around its seed */
    double *given;           /* by orr_given; NULL: costs are as they are */
    const char *rates;       /* of its links, for people; NULL likewise */
    uint64_t files;          /* digest of the files that it names */
    struct orr_trial *trial; /* by seed, in the order of the matrix */
    uint32_t trials, room;   /* of `trial`, which is owned */
};

/* A column of the tables. */
struct orr_study_measure {
    const char *path;
    const char *unit; /* "ns", "B", "bit/s", "s", "1" */
    struct orr_measure_own own;
};

/* A line of the journal. */
struct orr_journal_entry {
    char hash[ORR_HASH_SIZE]; /* of the trial */
    bool ok;
    double cpu_s; /* that it took */
    char *reason; /* of a failure; or NULL */
};

/* The journal, as read, and open for more. */
struct orr_journal {
    struct orr_journal_entry *entry; /* in the order of the file; owned */
    struct orr_names names;          /* hashes; the last line of each */
    uint32_t entries, room;          /* of `entry` */
    int fd;                          /* open for more; -1 */
};

/* Measurements beside the study (measured.h); zeroed: none. */
struct orr_study_measured {
    struct orr_measurements m;
    const struct orr_measurements_row **row; /* by cell, NULL: none; owned */
    uint32_t measure;                        /* that they stand beside */
    uint32_t found, unused;                  /* cells with, rows without */
};

/* A study; owns all but what is said to be the caller's. */
struct orr_compare {
    struct orr_matrix m;         /* what is asked for */
    struct orr_arena arena;      /* texts of what is below */
    char *folder;                /* of the study */
    char *config_folder;         /* in which its configuration's files are */
    struct orr_study_cell *cell; /* combinations that rules allow, in order */
    uint32_t cells;
    uint32_t looked_at; /* of these, planned: all, unless it was interrupted */
    struct orr_study_measure *measure; /* in the order of columns */
    uint32_t measures, until;          /* until: index of its measure */
    uint32_t measured;   /* measures that are in summaries: the first ones */
    const char **needed; /* paths of all that is read of a summary */
    uint32_t n_needed;
    uint32_t *aimed; /* the baseline that costs `aim`; NULL: none yet */
    double aim;
    bool has_jobs, has_flows;   /* some combination has */
    struct orr_study_jobs jobs; /* of all combinations */
    struct orr_study_measured beside;
    struct orr_study_notes notes; /* on what their configurations say */
    uint32_t shard, shards;       /* as in struct orr_compare_options */
    const char *const *collect;   /* the caller's */
    size_t n_collect;
    bool collects; /* nothing is run: what those folders have is all */
    struct orr_journal journal; /* of the folder: what was done before */
    int lock[2];                /* descriptors, -1: none */
    uint32_t sort;              /* measure, or measures + dimension; ORR_NONE */
    bool descending;            /* by that */
};

/* ---- plan.c ------------------------------------------------------------- */

/* Adds a trial with this seed to a cell, and what is known of it. */
ORR_CHECK_RESULT orr_err orr__plan_trial(struct orr_compare *c,
                                         struct orr_study_cell *cell,
                                         int64_t seed, struct orr_report *why);
/* The variants of the combination that a cell is told against. */
void orr__plan_against(const struct orr_compare *c,
                       const struct orr_study_cell *cell, uint32_t *variant);
/* The cell that another one is told against: its own variants but for those
 * that the baseline names. NULL: there is none. */
const struct orr_study_cell *orr__plan_baseline(
    const struct orr_compare *c, const struct orr_study_cell *cell);

/* ---- notes.c ------------------------------------------------------------ */

/* Adds the notes on the configuration of a combination. */
ORR_CHECK_RESULT orr_err orr__study_notes_add(struct orr_compare *c,
                                              const struct orr_world *w);
void orr__study_notes_fini(struct orr_study_notes *n);

/* ---- outcome.c: what a trial left ---------------------------------------- */

/* "FOLDER/runs/HASH/NAME"; free with orr__free. */
char *orr__trial_path(const char *folder, const struct orr_trial *t,
                      const char *name);
/* Looks for the outcome of a trial in the folders of the study. */
ORR_CHECK_RESULT orr_err orr__outcome_recall(struct orr_compare *c,
                                             struct orr_trial *t,
                                             struct orr_report *why);
/* Makes room for the values of a trial that has none, or lets them be. */
ORR_CHECK_RESULT orr_err orr__outcome_room(const struct orr_compare *c,
                                           struct orr_trial *t,
                                           struct orr_report *why);
/* A process ended: its outcome goes into the trial and the journal. */
ORR_CHECK_RESULT orr_err orr__outcome_take(struct orr_compare *c,
                                           struct orr_trial *t,
                                           const struct orr_compare_ended *e,
                                           struct orr_report *why);

/* ---- journal.c ---------------------------------------------------------- */

/* What the journal in a folder says, added to what is there; none: fine. */
ORR_CHECK_RESULT orr_err orr__journal_read(struct orr_journal *j,
                                           const char *folder,
                                           struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__journal_open(struct orr_journal *j,
                                           const char *folder,
                                           struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__journal_add(struct orr_journal *j,
                                          const struct orr_trial *t,
                                          struct orr_report *why);
const struct orr_journal_entry *orr__journal_find(const struct orr_journal *j,
                                                  const char *hash);
void orr__journal_fini(struct orr_journal *j);

/* ---- tables ------------------------------------------------------------- */

/* A measure of a cell over its seeds. Where these all say the same, or there is
 * one, its interval is that of the run itself, if it gives one. */
struct orr_estimated {
    uint32_t n;  /* values */
    double mean; /* NaN: none */
    double half; /* of the 95 % interval; NaN: there is none */
};
struct orr_estimated orr__study_estimate(const struct orr_study_cell *cell,
                                         uint32_t measure);
/* The mean of the differences to a baseline's, paired by seed. */
struct orr_estimated orr__study_change(const struct orr_study_cell *cell,
                                       const struct orr_study_cell *baseline,
                                       uint32_t measure);
/* Half of the 95 % interval of a mean; NaN below two values. */
double orr__study_half(const double *v, uint32_t n, double *mean);

/* ---- doubt.c ------------------------------------------------------------ */

/* Of the runs of a cell those that are worst, by kind; NULL: none has any. */
struct orr_cell_doubt {
    const struct orr_trial *worst[ORR_DOUBTS];
    uint32_t runs[ORR_DOUBTS]; /* that have any */
};
struct orr_cell_doubt orr__cell_doubt(const struct orr_study_cell *cell);
void orr__cell_marks(const struct orr_study_cell *cell,
                     char marks[ORR_DOUBT_MARKS]);
/* What the marks mean and how much it is: a line for each kind that there is,
 * with `before` before it. */
void orr__doubt_lines(struct orr_text *t, const struct orr_compare *c,
                      const char *before);
/* "marks" of a cell, and "doubt" of it: {mark, says, runs}, runs being how many
 * have it. */
void orr__doubt_of_cell(struct orr_json *j, const struct orr_study_cell *cell);
/* The same of a run. */
void orr__doubt_of_run(struct orr_json *j, const struct orr_trial *t);

/* ---- until.c ------------------------------------------------------------ */

enum orr_until_state {
    ORR_UNTIL_REACHED,
    ORR_UNTIL_MOST,    /* too wide, and there may be no more seeds */
    ORR_UNTIL_FAILED,  /* a run did, and would with other seeds */
    ORR_UNTIL_ABSENT,  /* a run has no such figure */
    ORR_UNTIL_ZERO,    /* the mean is: nothing is a share of it */
    ORR_UNTIL_MISSING, /* runs are */
    ORR_UNTIL_OPEN,    /* too wide, and there may be more */
};

/* How wide the interval is, and why no seeds are added. */
struct orr_until {
    enum orr_until_state state;
    double width; /* half of the interval over the mean; NaN: there is none */
};
/* How far a cell has come to what `until` asks for; m.until is above 0. */
struct orr_until orr__study_until(const struct orr_compare *c,
                                  const struct orr_study_cell *cell);
/* How many seeds it lacks: as many more as its width asks for, at most as many
 * again. */
uint32_t orr__until_more(const struct orr_compare *c,
                         const struct orr_study_cell *cell);
/* A line, with `before` before it, for each cell that has not come there. */
void orr__until_text(struct orr_text *t, const struct orr_compare *c,
                     const char *before);
/* What was asked for, and what a cell came to; nothing without `until`. */
void orr__until_asked(struct orr_json *j, const struct orr_compare *c);
void orr__until_reached(struct orr_json *j, const struct orr_compare *c,
                        const struct orr_study_cell *cell);

/* ---- files -------------------------------------------------------------- */

/* Writes the files of results into the study's folder, whole or not at all. */
ORR_CHECK_RESULT orr_err orr__study_csv(const struct orr_compare *c,
                                        struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__study_json(const struct orr_compare *c,
                                         struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__study_h5(const struct orr_compare *c,
                                       struct orr_report *why);
/* All the seeds of any trial, ascending; free with orr__free. NULL: no
 * memory. */
int64_t *orr__study_seeds(const struct orr_compare *c, uint32_t *n);
/* "table.csv" in the folder of the study; written whole or not at all. */
ORR_CHECK_RESULT orr_err orr__study_file(const struct orr_compare *c,
                                         const char *name, const char *text,
                                         struct orr_report *why);

#endif
