/* orrery: simulates, packet by packet, how training jobs share a network.
 *
 * Everything hangs off one experiment; there is no global state, and several
 * experiments may live in one process (load them from one thread: igraph is
 * not thread safe). It never prints, exits or aborts; bad calls: ORR_ECALL. */
#ifndef ORRERY_ORRERY_H
#define ORRERY_ORRERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All that liborrery.so exports; the rest is compiled hidden. */
#pragma GCC visibility push(default)

#define ORR_VERSION "0.2.0"

/* code, what it means for a caller */
#define ORR_ERROR_MAP(X)                                                       \
    X(OK, "ok")                                                                \
    X(ECONFIG, "the configuration or an input file is wrong")                  \
    X(ENOMEM, "out of memory, or more memory needed than there is")            \
    X(EIO, "a file could not be read or written")                              \
    X(ERUN, "the run could not finish")                                        \
    X(EINTERRUPTED, "interrupted")                                             \
    X(EINTERNAL, "a library that orrery uses failed")                          \
    X(ECALL, "the library was called in a way that it does not allow")

typedef enum orr_err {
#define ORR_ERROR_ENUM(name, text) ORR_##name,
    ORR_ERROR_MAP(ORR_ERROR_ENUM)
#undef ORR_ERROR_ENUM
} orr_err;

#define ORR_CHECK_RESULT __attribute__((warn_unused_result))

/* Where and why something failed. Zero it before use; the first failure wins.
 * line and col count from 1; 0: not tied to a place in a file. */
struct orr_report {
    orr_err code; /* ORR_OK: nothing failed */
    int line, col;
    char file[256];     /* as the user named it; empty: no file is to blame */
    char message[1024]; /* one sentence, of UTF-8, without file and line */
    char hint[256];     /* "did you mean ...", may be empty */
    char excerpt[256];  /* the source line that col points into, may be empty */
};

typedef struct orr_experiment orr_experiment;

/* How far a run has come; given to options.progress between windows, at most
 * about ten times a second of wall time, in the calling thread or another. */
struct orr_progress {
    int64_t time_ps;      /* simulated, so far */
    uint64_t packet_hops; /* arrivals of packets at nodes, so far */
    double wall_s;        /* since the run began */
    double share; /* of the work known so far that is done, 0..1; <0 unknown */
};

/* As many threads as there are processors for, and as help: measured while it
 * runs. Results do not depend on it. */
#define ORR_THREADS_AUTO 0xffffffffu

/* What a run takes from outside its configuration; zeroed is fine. Texts must
 * live as long as the experiment. */
struct orr_options {
    const char *const *sets; /* "a.b=c" assignments over the configuration */
    size_t n_sets;
    unsigned threads; /* at most; 0: one; or ORR_THREADS_AUTO */
    bool has_seed;    /* seed overrides the configuration's */
    uint64_t seed;
    const char *output;  /* HDF5 file; NULL: CONFIG's stem + ".h5" */
    bool no_output;      /* write no file whatever the configuration says */
    const char *folder;  /* where files that the configuration names are
                            looked for; NULL: in its own folder */
    const char *command; /* the command line, for the records, or NULL */
    void (*progress)(void *arg, const struct orr_progress *p);
    void *progress_arg;            /* handed to progress as it is */
    const volatile int *interrupt; /* set non-zero (by a signal handler) to
                                      end the run cleanly with EINTERRUPTED */
    const char *const *plugins;    /* shared objects with congestion controls
                                      (orrery/cc.h), beside those that the
                                      configuration names; relative to the
                                      working directory */
    size_t n_plugins;
};

/* Reads and checks a configuration and builds everything that a run needs.
 * *out is set only on success; free it with orr_experiment_free. */
ORR_CHECK_RESULT orr_err orr_experiment_load(const char *path,
                                             const struct orr_options *options,
                                             orr_experiment **out,
                                             struct orr_report *why);

/* What a run would take, estimated from sizes and paths without running. */
struct orr_estimate {
    double packet_hops;    /* arrivals of packets at nodes, ACKs included */
    uint64_t memory_bytes; /* at most at once */
    double seconds;        /* on one thread of a machine like the one asked */
    /* with an interval of records given: how many bins of links and samples of
     * flows and ports there will be at least, and the file up to about */
    double bins, samples, record_bytes;
};
/* EINTERRUPTED: options->interrupt came, and *e is set all the same: its first
 * three members are of what was looked at by then; of a cluster, reckoned for
 * all of it from that. */
ORR_CHECK_RESULT orr_err orr_experiment_estimate(const orr_experiment *x,
                                                 struct orr_estimate *e,
                                                 struct orr_report *why);

/* Runs to the end, writes the HDF5 file (as FILE.partial, then renamed).
 * ERUN: it went quiet with work open; *why lists who waits for what, and the
 * records are closed. EINTERRUPTED: stopped cleanly. Once only. */
ORR_CHECK_RESULT orr_err orr_experiment_run(orr_experiment *x,
                                            struct orr_report *why);

/* After a run (also a failed or interrupted one): the summary as JSON text and
 * as text for people. Free with orr_text_free. NULL when out of memory, and
 * when the run never began (its records could not be created). */
char *orr_experiment_json(const orr_experiment *x);
char *orr_experiment_summary(const orr_experiment *x);
void orr_text_free(char *text);

/* A digest of all that arrived at nodes and of all steps of programs, in order.
 * Equal ones mean that two runs went the same way, whatever threads, compilers
 * and records they had. Of the run so far; 0: x is NULL. */
uint64_t orr_experiment_fingerprint(const orr_experiment *x);
/* Name of the HDF5 file written, or NULL. */
const char *orr_experiment_output(const orr_experiment *x);
/* NULL is allowed. Texts that were given out stay the caller's. */
void orr_experiment_free(orr_experiment *x);

/* Which of n names of links, as records have them ("a -> b"), a text means: "a
 * > b", "a -> b", or "a-b" where exactly one answers. *index is set only on
 * success. ECONFIG: none does, or several. */
ORR_CHECK_RESULT orr_err orr_link_find(const char *const *names, size_t n,
                                       const char *text, size_t *index,
                                       struct orr_report *why);

/* ORR_VERSION of the library that runs: it may be another than the header's. */
const char *orr_version(void);
/* What a code means, as in ORR_ERROR_MAP; static, never NULL. */
const char *orr_strerror(orr_err code);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
