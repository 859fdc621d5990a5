/* What a chart of a study shows: its measures over its dimensions, cut down to
 * what was selected, and which dimension has which part. */
#ifndef ORR_STUDY_REPORT_CHART_CUBE_H
#define ORR_STUDY_REPORT_CHART_CUBE_H

#include <stdbool.h>
#include <stddef.h>

#include "experiment/doubt.h"
#include "study/report/plot_parts.h"

/* Lines, or bars of a group, that are told apart in grey; panels of a picture;
 * bars of a panel; boxes likewise. */
enum { ORR_CHART_SERIES = 12, ORR_CHART_PANELS = 12, ORR_CHART_BARS = 60 };

/* What the values of a dimension are, if all of them are numbers. */
enum orr_chart_kind {
    ORR_CHART_NAMES,
    ORR_CHART_NUMBERS,
    ORR_CHART_TIMES, /* s */
    ORR_CHART_SIZES, /* B */
    ORR_CHART_RATES, /* bit/s */
};

/* A value of a dimension that was selected. */
struct orr_chart_value {
    const char *text; /* as the study has it; borrowed */
    char *name;       /* as it is shown; owned */
    size_t index;     /* in the study */
    double number;    /* unless the kind is ORR_CHART_NAMES */
};

/* A dimension, and what was selected of it. */
struct orr_chart_dim {
    char *text; /* as the study has it; owned */
    char *name; /* owned */
    enum orr_chart_kind kind;
    struct orr_chart_value *value; /* those that were selected; owned */
    size_t n;                      /* of value, 1 at least */
    size_t all;                    /* in the study */
};

/* Dimension 0 is the measures; those of the study follow. */
struct orr_cube {
    const json_t *view; /* borrowed */
    struct orr_chart_dim *dim;
    size_t dims;
    size_t x, facet; /* dimensions; SIZE_MAX: none */
    bool star;       /* dimension 0 is what a pattern of measures fits */
    size_t *series, n_series; /* dimensions; owned */
    char *title;              /* of what is measured; owned */
    const char *units;        /* of the measures; borrowed */
};

/* What of a dimension stands where: indices into `value`. */
struct orr_chart_at {
    size_t x, series, facet;
};

/* ECONFIG: no such measure, dimension or value, or parts that do not fit. box:
 * whether the picture has no numeric axis. */
ORR_CHECK_RESULT orr_err orr__cube_make(struct orr_plotting *p, bool names,
                                        bool over_runs, struct orr_cube *c);
void orr__cube_fini(struct orr_cube *c);
/* How many there are of each. */
size_t orr__cube_lines(const struct orr_cube *c);
size_t orr__cube_places(const struct orr_cube *c);
size_t orr__cube_panels(const struct orr_cube *c);
/* The measure of a place, and the index of its cell in it. */
const json_t *orr__cube_measure(const struct orr_cube *c,
                                const struct orr_chart_at *at, size_t *cell);
/* Adds the letters of doubt of a place to those that there are. */
void orr__cube_add_marks(const struct orr_cube *c,
                         const struct orr_chart_at *at,
                         char marks[ORR_DOUBT_MARKS]);
/* "dctcp, 4:1"; "" of the only one. */
void orr__cube_line_name(const struct orr_cube *c, size_t series,
                         struct orr_text *t);
/* What all of the picture has: "load = 60 %"; "" if nothing was selected. */
void orr__cube_fixed(const struct orr_cube *c, struct orr_text *t);

#endif
