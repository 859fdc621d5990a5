/* Comparisons: the same experiment in many variants, each a run of its own, and
 * tables of what came out. The folder of a study holds table.csv, table.md,
 * study.json, study.h5, journal, and runs/HASH/{config.yaml, summary.json,
 * run.h5, log}; HASH names the effective configuration and the version of
 * orrery, so that a run is never done twice.
 *
 * Runs are processes, started and awaited by the caller through a runner; all
 * else is here. One thread, one study a folder. */
#ifndef ORR_STUDY_COMPARE_COMPARE_H
#define ORR_STUDY_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

struct orr_param;
struct orr_compare;
struct orr_config_file;

/* What the command line says beside, and before, the section `compare`. */
struct orr_compare_options {
    const char *config;                 /* the study's file */
    const struct orr_config_file *file; /* it, where it is read; NULL: is not */
    const char *const *sets,
        *const *over, *const *measures; /* as given to
                                         * --set, --over, --measure */
    size_t n_sets, n_over, n_measures;
    const char *const *plugins; /* as in struct orr_options */
    size_t n_plugins;
    const char *seeds, *until, *baseline; /* NULL: as the study says */
    bool equal_cost;                      /* of all networks */
    const char *prices;     /* a file of what parts cost; NULL: as it says */
    int keep;               /* records of each run: 1, 0, or -1: as it says */
    const char *folder;     /* NULL: the file's stem + ".study" */
    uint32_t shard, shards; /* the shard-th of so many parts; 0: all */
    const char *const *collect; /* folders to look for results in, read only */
    size_t n_collect;
    const char *const *measured; /* files of times that were measured */
    size_t n_measured;
    const char *const *where; /* "COLUMN=VALUE": these rows of them alone */
    size_t n_where;
    const char *element; /* size of an element of theirs, or NULL */
    bool collects;       /* what is there is all that is looked at */
    /* One combination of so many is planned; NULL: not wanted. */
    void (*planned)(void *arg, uint32_t done, uint32_t all);
    void *planned_arg;
    const volatile int
        *interrupt;   /* non-zero: no more are planned, and all
                       * that such a study is good for is being counted; for
                       * who does not want that NULL */
    const char *sort; /* a measure or a dimension, "-" before it: descending;
                       * NULL: as the study has them */
};

/* How far a study has come. */
struct orr_compare_progress {
    uint32_t runs, done, failed, running;
    double left_s; /* wall time that is left; < 0: unknown */
};

/* What a process that ended left. */
struct orr_compare_ended {
    int id;       /* that `start` gave it */
    int status;   /* what it returned, or -1: a signal ended it */
    int signal;   /* 0: none */
    double cpu_s; /* its CPU time */
};

/* Files of a run, and what of it is written. Texts live as long as the call. */
struct orr_compare_files {
    const char *config, *folder; /* read; where names in it are relative to */
    const char *json, *log;      /* written: the summary, what is printed */
    const char *records;         /* written; NULL: none */
    const char *const *whole;    /* lists of the summary to be written to their
                                  * end (experiment/lists.h); NULL ends */
};

/* What starts processes; the caller's, it must outlive the call. */
struct orr_compare_runner {
    uint32_t jobs;       /* processes at once */
    const char *program; /* orrery */
    void *arg;           /* what all these are called with */
    /* Starts argv, or what does the same with these files; an id, or -errno.
     * The process ends when this one does. */
    int (*start)(void *arg, const char *const *argv,
                 const struct orr_compare_files *files);
    /* Waits for one to end, at most so long; false: none has. */
    bool (*wait)(void *arg, double seconds, struct orr_compare_ended *e);
    void (*stop)(void *arg, int id); /* asks one to end at once */
    void (*progress)(void *arg, const struct orr_compare_progress *p);
    const volatile int *interrupt; /* non-zero: no more are started */
};

enum orr_compare_style {
    ORR_COMPARE_TEXT,
    ORR_COMPARE_MARKDOWN,
    ORR_COMPARE_LATEX,
};

/* Keys of the section `compare`, of its `until` and its `equal_cost`. */
const struct orr_param *orr__compare_params(void);
const struct orr_param *orr__compare_until_params(void);
const struct orr_param *orr__compare_equal_cost_params(void);

/* Does this configuration have a section `compare`? */
bool orr__compare_is_study(const struct orr_config_file *file);

/* Reads the study, checks each combination, works out what its runs take, and
 * finds what has been run before. Nothing is written. */
ORR_CHECK_RESULT orr_err orr__compare_open(const struct orr_compare_options *o,
                                           struct orr_compare **out,
                                           struct orr_report *why);
void orr__compare_free(struct orr_compare *c);

/* Makes the folder, if need be, and keeps others out of it until c is freed.
 * ECONFIG: another is at work there. */
ORR_CHECK_RESULT orr_err orr__compare_lock(struct orr_compare *c,
                                           struct orr_report *why);
/* Does what is missing, longest first. A run that fails is no failure of this
 * call. EINTERRUPTED; EIO: the folder cannot be written. */
ORR_CHECK_RESULT orr_err orr__compare_run(struct orr_compare *c,
                                          const struct orr_compare_runner *r,
                                          struct orr_report *why);
/* Writes the configurations of what is missing, and a command for each: a line
 * of a shell; free with orr__free. */
ORR_CHECK_RESULT orr_err orr__compare_list(struct orr_compare *c,
                                           const char *program, char **text,
                                           struct orr_report *why);
/* table.csv, table.md, study.json and study.h5 of what is there. */
ORR_CHECK_RESULT orr_err orr__compare_write(struct orr_compare *c,
                                            struct orr_report *why);
/* The table; free with orr__free. ECONFIG: there is nothing to sort by. */
ORR_CHECK_RESULT orr_err orr__compare_table(const struct orr_compare *c,
                                            enum orr_compare_style style,
                                            char **text,
                                            struct orr_report *why);

/* How many runs failed, and why the first ones did: lines for people, or "".
 * Free with orr__free; NULL: no memory. */
char *orr__compare_failures(const struct orr_compare *c);

/* How far a study is. */
struct orr_compare_count {
    uint32_t combinations, runs;  /* a run: one of them with one seed */
    uint32_t ok, failed, missing; /* of the runs */
    uint32_t reused;              /* done before this call */
    uint32_t looked_at; /* combinations; if these are not all, the others are
                         * taken for like them, and what is done for missing */
    double seconds;     /* CPU time of what is missing, estimated */
};
struct orr_compare_count orr__compare_count(const struct orr_compare *c);
/* Calls tell with a sentence, its place before it, on each key that has an
 * effect in no combination, and on what is remarked in all of them. */
void orr__compare_notes(const struct orr_compare *c,
                        void (*tell)(void *arg, const char *text), void *arg);
const char *orr__compare_folder(const struct orr_compare *c);

#endif
