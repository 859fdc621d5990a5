/* The frame of a chart: panels, their axes, the legend above, and below what
 * casts doubt on the figures. */
#ifndef ORR_STUDY_REPORT_CHART_PANELS_H
#define ORR_STUDY_REPORT_CHART_PANELS_H

#include "study/report/chart_cube.h"

/* How series are drawn. */
enum orr_chart_form { ORR_CHART_LINES, ORR_CHART_BOXES, ORR_CHART_STEPS };

/* A chart while its script is made. */
struct orr_chart_panels {
    struct orr_plotting *p;
    const struct orr_cube *cube;
    enum orr_chart_form form;
    const char *x_label; /* "": none */
    const char *y_label; /* with its unit; "": none */
    double bottom, top;  /* of the y axis */
    double left, right;  /* of the x axis */
    bool log_x, log_y;
    /* set by orr__panels_begin; lengths in cm */
    size_t columns, rows;         /* of panels */
    double letter, line;          /* of the font: width, height */
    double gap;                   /* between panels of a row */
    double x0, y0, width, height; /* of the panels together */
    bool above;                   /* y_label stands above the panels */
    bool rotated;                 /* names along the axis */
    size_t doubt_rows, doubt_columns;
};

/* What all panels share. */
void orr__panels_begin(struct orr_chart_panels *f);
/* A panel, its title and axes; plots follow. */
void orr__panels_one(struct orr_chart_panels *f, size_t panel);
/* Whether letters have room over boxes this wide; else they stand together at
 * the upper end of the panel. */
bool orr__panels_has_room(const struct orr_chart_panels *f, double width);
/* Letters of doubt over a place, or at the upper end (y NAN); before the
 * panel's plot. */
void orr__panels_mark(struct orr_chart_panels *f, const char *marks, double x,
                      double y);
/* The legend, and lines of doubt. */
void orr__panels_end(struct orr_chart_panels *f);
/* "ls 3 ..." of a series in this form. */
void orr__panels_style(const struct orr_chart_panels *f, size_t series);
/* "#0072b2" of it. */
const char *orr__panels_colour(size_t series);

#endif
