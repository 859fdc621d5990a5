/* What the files of study/fit share. */
#ifndef ORR_STUDY_FIT_STATE_H
#define ORR_STUDY_FIT_STATE_H

#include "core/config/config.h"
#include "experiment/doubt.h"
#include "formats/measurements/measurements.h"
#include "study/fit/fit.h"

enum { ORR_FIT_KEYS = 32, ORR_FIT_POINTS = 2000 };

/* A measured time and the run that stands for it. */
struct orr_fit_point {
    const struct orr_measurements_row *row;
    uint64_t bytes;    /* as the key has them */
    uint32_t ranks;    /* 0: not known */
    const char *label; /* of its columns of texts that differ; "" */
    const char **sets; /* beside those of all runs; in the arena */
    uint32_t n_sets;
    bool held_out;
    double fitted_ns;       /* predicted, with the fitted values */
    struct orr_doubt doubt; /* of the fitted run */
};

enum orr_fit_unit { ORR_FIT_TIME, ORR_FIT_RATE, ORR_FIT_SIZE, ORR_FIT_REAL };

/* What became of a key. */
enum orr_fit_fate {
    ORR_FIT_FOUND,
    ORR_FIT_AT_BOUND,  /* it would go on beyond low or high */
    ORR_FIT_NO_EFFECT, /* on any point */
    ORR_FIT_TANGLED,   /* only together with others is it determined */
};

/* A key that is fitted. Values are in ps, bit/s, bytes, or plain. */
struct orr_fit_key {
    const char *key;
    enum orr_fit_unit unit;
    double low, high; /* its bounds */
    bool linear;      /* low is 0: else its logarithm is what varies */
    double begin, value;
    double from, to; /* 95 % interval; NAN: none */
    enum orr_fit_fate fate;
};

/* A combination of keys that no point tells apart. */
struct orr_fit_tangle {
    double share[ORR_FIT_KEYS]; /* by key, of a unit vector; 0: not in it */
};

/* A fit; owns all but its options. */
struct orr_fit {
    const struct orr_fit_options *o;
    struct orr_arena arena;
    struct orr_config_file file;
    struct orr_measurements m;
    struct orr_fit_point *point; /* in the order of rows */
    uint32_t points, fitted;     /* fitted: not held out */
    struct orr_fit_key key[ORR_FIT_KEYS];
    uint32_t keys;
    struct orr_fit_tangle tangle[ORR_FIT_KEYS];
    uint32_t tangles;
    const char *figure;
    const char **sets; /* of all runs */
    uint32_t n_sets;
    uint64_t runs;
    bool converged;
    struct orr_text notes;
};

/* ---- points.c ----------------------------------------------------------- */

/* Reads files of measurements; chooses rows; finds what each sets. The
 * effective configuration is `effective`, of the ranks that it has. */
ORR_CHECK_RESULT orr_err orr__fit_points(struct orr_fit *f,
                                         struct orr_config *effective,
                                         struct orr_report *why);

/* ---- keys.c ------------------------------------------------------------- */

ORR_CHECK_RESULT orr_err orr__fit_keys(struct orr_fit *f,
                                       struct orr_config *effective,
                                       struct orr_report *why);
/* "KEY=VALUE" as the configuration reads it. */
void orr__fit_assign(const struct orr_fit_key *k, double value, char *text,
                     size_t size);
/* The nearest value that a configuration can hold, within the bounds. */
double orr__fit_round(const struct orr_fit_key *k, double value);
/* For people: "1.25 us". */
void orr__fit_value(const struct orr_fit_key *k, double value, char *text,
                    size_t size);

/* ---- runs.c ------------------------------------------------------------- */

/* A run: a point with these values of the keys. */
struct orr_fit_run {
    const struct orr_fit_point *point;
    const double *value;    /* by key, as orr__fit_round has them */
    double ns;              /* out */
    struct orr_doubt doubt; /* out; to be freed with orr__doubt_fini */
    orr_err err;            /* out; `why` says */
    struct orr_report why;
};
/* Does them all, several at once. The failure of the first one of the list
 * that fails is told in *why. */
ORR_CHECK_RESULT orr_err orr__fit_run(struct orr_fit *f,
                                      struct orr_fit_run *run, uint32_t n,
                                      struct orr_report *why);

/* ---- solve.c ------------------------------------------------------------ */

/* Chooses the values of the keys, and their intervals. */
ORR_CHECK_RESULT orr_err orr__fit_solve(struct orr_fit *f,
                                        struct orr_report *why);

/* ---- for tables --------------------------------------------------------- */

/* How far predictions are off: shares. */
struct orr_fit_error {
    uint32_t n;
    double median, p90, most; /* of absolute relative errors; NAN: n is 0 */
    uint32_t inside, of;      /* within the measured 10th to 90th percentile */
};
/* Of points that are held out, or are not. ENOMEM alone fails. */
ORR_CHECK_RESULT orr_err orr__fit_error(const struct orr_fit *f, bool held_out,
                                        struct orr_fit_error *e);
static inline double orr__fit_relative(const struct orr_fit_point *p)
{
    return p->fitted_ns / p->row->time_ns - 1;
}

#endif
