/* What the page shows, as JSON; each part of a file by a function of its own.
 * Times are in seconds. Large arrays of small numbers are base64. */
#ifndef ORR_STUDY_REPORT_VIEW_H
#define ORR_STUDY_REPORT_VIEW_H

#include <jansson.h>
#include <stdint.h>

#include "core/error.h"
#include "record/record_read.h"

/* What a run's page holds at most: the rest is thinned here, not by the
 * browser. */
enum {
    ORR_VIEW_LINKS = 400,       /* rows of the heat map, with series */
    ORR_VIEW_BINS = 600,        /* columns of it */
    ORR_VIEW_FRAMES = 100,      /* times of the topology's slider */
    ORR_VIEW_CABLES = 6000,     /* lines of the topology */
    ORR_VIEW_ROWS = 24,         /* ranks of the Gantt chart */
    ORR_VIEW_SPANS = 20000,     /* spans of it */
    ORR_VIEW_ITERATIONS = 5000, /* of a job */
    ORR_VIEW_POINTS = 500,      /* of a distribution */
    ORR_VIEW_SAMPLES = 500,     /* times of samples, ... */
    ORR_VIEW_SAMPLED = 8,       /* ... and connections or ports of them */
    ORR_VIEW_CIRCLES = 8,       /* of a plan, ... */
    ORR_VIEW_PHASES = 20000,    /* ... and phases of all of them */
    ORR_VIEW_JOBS = 20000,      /* of a cluster */
    ORR_VIEW_TENANTS = 500,     /* of it */
    ORR_VIEW_HOLDINGS = 40000,  /* rectangles of its Gantt chart */
    ORR_VIEW_EVENTS = 1500,     /* times of its curves */
    ORR_VIEW_CONTENDED = 40,    /* links on which its jobs met */
};

/* Adds a value under a key, takes the reference also on failure; NULL: no
 * memory. */
ORR_CHECK_RESULT orr_err orr__view_put(json_t *to, const char *key,
                                       json_t *value, struct orr_report *why);
/* n bytes as base64; NULL: no memory. */
json_t *orr__view_bytes(const void *bytes, size_t n);
/* Numbers; those that are not finite become null. NULL: no memory. */
json_t *orr__view_number(double x);
json_t *orr__view_doubles(const double *x, size_t n);
json_t *orr__view_numbers(const uint32_t *x, size_t n);
/* Picoseconds as seconds; negative ones, which mean `not`, become null. */
json_t *orr__view_times(const int64_t *ps, size_t n);
/* A user's text; what is no UTF-8 shows as '?'. */
json_t *orr__view_text(const char *s);
json_t *orr__view_texts(char *const *s, size_t n);
/* A column under a key. */
ORR_CHECK_RESULT orr_err orr__view_column(struct orr_reader *r, json_t *to,
                                          const char *key, const char *path,
                                          enum orr_record_type type,
                                          struct orr_report *why);

/* An attribute that is a text, under its own name; nothing if there is none. */
ORR_CHECK_RESULT orr_err orr__view_attribute(struct orr_reader *r, json_t *to,
                                             const char *path, const char *name,
                                             struct orr_report *why);

/* The cumulative distribution of a column's values that are numbers, and not
 * below 0, under a key; nothing if there are none. values (or NULL): how many
 * they are. */
ORR_CHECK_RESULT orr_err orr__view_distribution(struct orr_reader *r,
                                                json_t *to, const char *key,
                                                const char *path,
                                                uint64_t *values,
                                                struct orr_report *why);

/* Title, status, seed, configuration and so on. */
ORR_CHECK_RESULT orr_err orr__view_about(struct orr_reader *r, json_t *to,
                                         struct orr_report *why);
/* Jobs with their iterations; the flows' distributions. */
ORR_CHECK_RESULT orr_err orr__view_jobs(struct orr_reader *r, json_t *to,
                                        struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__view_flows(struct orr_reader *r, json_t *to,
                                         struct orr_report *why);
/* What was sampled of connections and ports. */
ORR_CHECK_RESULT orr_err orr__view_samples(struct orr_reader *r, json_t *to,
                                           struct orr_report *why);
/* Switches that add: what they counted, and their slots over time. */
ORR_CHECK_RESULT orr_err orr__view_adders(struct orr_reader *r, json_t *to,
                                          struct orr_report *why);
/* What ranks did: computing, communicating, both; of many those that all wait
 * for, and a note on the others. */
ORR_CHECK_RESULT orr_err orr__view_gantt(struct orr_reader *r, json_t *to,
                                         struct orr_report *why);
/* Nodes and cables; links over time. */
ORR_CHECK_RESULT orr_err orr__view_topology(struct orr_reader *r, json_t *to,
                                            struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__view_links(struct orr_reader *r, json_t *to,
                                         struct orr_report *why);
/* What jobs had of links, if they were split. */
ORR_CHECK_RESULT orr_err orr__view_split(struct orr_reader *r, json_t *to,
                                         struct orr_report *why);
/* The circles of a plan, if there was one; those that exceed their links most
 * come first. */
ORR_CHECK_RESULT orr_err orr__view_circles(struct orr_reader *r, json_t *to,
                                           struct orr_report *why);
/* A cluster: jobs, GPUs, the queue, links; of other runs nothing. */
ORR_CHECK_RESULT orr_err orr__view_cluster(struct orr_reader *r, json_t *to,
                                           struct orr_report *why);
/* All of a file, or of a study's folder, behind the others of the list. */
ORR_CHECK_RESULT orr_err orr__view_named(const char *name, json_t *list,
                                         struct orr_report *why);
/* The file that `explain --json` wrote, with the run of the list that it is
 * about; ECONFIG if it is about none of them. */
ORR_CHECK_RESULT orr_err orr__view_explained(const char *name, json_t *runs,
                                             struct orr_report *why);
/* A comparison: its measures over its dimensions, with intervals. */
ORR_CHECK_RESULT orr_err orr__view_study(struct orr_reader *r, json_t *to,
                                         struct orr_report *why);

#endif
