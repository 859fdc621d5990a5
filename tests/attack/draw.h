/* Random valid configurations. What a value may be is read from the parameter
 * tables that parse it, what there is to choose from the families of `orrery
 * list`: a new member, or a new key of a member, is drawn from the day it is
 * there. A key that holds a structure needs a shape (draw.c); orr__draw_gaps
 * names those that have none. */
#ifndef ORR_TESTS_ATTACK_DRAW_H
#define ORR_TESTS_ATTACK_DRAW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/config/param.h"
#include "core/random.h"

struct draw {
    struct orr_random random;
    bool plain; /* only what the slow reference simulator knows */
    bool calm;  /* only what an iteration may do like the one before */
    /* of the topology, once it is drawn */
    uint32_t hosts, nodes, links;
    const struct orr_graph *graph;
    /* of what is being drawn */
    uint32_t ranks; /* of the job */
    uint32_t ids;   /* of items in its program */
    uint32_t depth; /* of `parallel` */
    bool explicit_paths;
    const char *unit; /* of times of a cluster */
};

/* A configuration; case number n of a seed is the same everywhere. Most are
 * valid. NULL: out of memory. To be run from the top of the tree: files are
 * named as tests/attack/samples/... */
json_t *orr__draw(uint64_t seed, uint64_t n);

/* plain.c: so much traffic in place of what was drawn that queues fill. */
void orr__draw_busy(json_t *config);

/* mend.c: takes out of a configuration what would be refused, as long as the
 * refusals name something. */
void orr__mend(json_t *config);

/* gaps.c: prints a line for each structure of the tables that nobody draws; how
 * many. */
unsigned orr__draw_gaps(FILE *out);
bool orr__draw_has_shape(const char *where, const char *key);

/* ---- for the parts ------------------------------------------------------- */

uint32_t orr__draw_below(struct draw *d, uint32_t n);
bool orr__draw_chance(struct draw *d, double share);
/* Log-uniform between the two, which are greater than 0. */
double orr__draw_between(struct draw *d, double least, double most);
json_t *orr__draw_text(const char *format, unsigned long long value);
/* "1234B", "12us", "7Gbps": log-uniform between the two, often a round one. */
json_t *orr__draw_size(struct draw *d, uint64_t least, uint64_t most);
json_t *orr__draw_time(struct draw *d, int64_t least_ps, int64_t most_ps);
json_t *orr__draw_rate(struct draw *d);
/* A value for the key, or NULL to leave it out. where: "job", "network". */
json_t *orr__draw_value(struct draw *d, const char *where,
                        const struct orr_param *p);
/* Enters keys of the table into map: what is required, and of the rest each
 * with that chance. Keys that are there stay. */
void orr__draw_table(struct draw *d, const char *where,
                     const struct orr_param *table, double share, json_t *map);
/* A member of a family with its keys, the common ones too: {kind: NAME, ...}.
 * name NULL: any. */
json_t *orr__draw_member(struct draw *d, const char *family, const char *key,
                         const char *name, double share);
/* The name of a random member; group NULL: any. NULL: there is none. */
const char *orr__draw_name(struct draw *d, const char *family,
                           const char *group);

/* A section of `orrery help` as a map: keys each with that chance. */
json_t *orr__draw_section(struct draw *d, const char *name, double share);
/* A structure that has a shape. */
json_t *orr__draw_value_of(struct draw *d, const char *where, const char *key);

/* Shapes: what the tables do not say. Where a key stands (NULL: anywhere), the
 * key (NULL: all that the tables alone cannot draw), and its value, or NULL to
 * leave it out. The first that fits counts; an entry without `draw` ends. */
struct orr_shape {
    const char *where, *key;
    json_t *(*draw)(struct draw *d, const char *where);
};
extern const struct orr_shape orr__draw_sharing[]; /* sharing.c */

/* A divisor of n > 0, any of them. */
uint32_t orr__draw_divisor(struct draw *d, uint32_t n);

/* `schedule`, and what it needs of the rest of the configuration. */
void orr__draw_schedule(struct draw *d, json_t *config); /* sharing.c */

/* plain.c: the network and what uses it, where d->plain or d->calm. */
void orr__draw_plain(struct draw *d, json_t *config);
void orr__draw_calm(struct draw *d, json_t *config);

/* ports.c: a topology of any kind; pause frames and classes for a whole
 * configuration. */
json_t *orr__draw_topology(struct draw *d, const char *where);
void orr__draw_lossless(struct draw *d, json_t *config);
json_t *orr__draw_lossless_classes(struct draw *d, const char *where);
json_t *orr__draw_whole_failure(struct draw *d);
json_t *orr__draw_planes(struct draw *d, const char *where);
json_t *orr__draw_by_tier(struct draw *d, const char *where);

/* traffic.c */
json_t *orr__draw_flows(struct draw *d, const char *where);
json_t *orr__draw_jobs(struct draw *d, const char *where);
json_t *orr__draw_program(struct draw *d, const char *where);
json_t *orr__draw_placement(struct draw *d, const char *where);
json_t *orr__draw_trace(struct draw *d, const char *where);
json_t *orr__draw_sizes(struct draw *d, const char *where);
json_t *orr__draw_hosts(struct draw *d, const char *where);
/* outages.c: a link by number or nodes; `failures`; circuits of a topology. */
json_t *orr__draw_failed_link(struct draw *d, const char *where);
json_t *orr__draw_failures(struct draw *d, const char *where);
void orr__draw_circuits(struct draw *d, json_t *topology);
/* topologies.c: for `kind: strides`; keys of several kinds. */
void orr__draw_strides(struct draw *d, json_t *map);
json_t *orr__draw_dims(struct draw *d, const char *where);
json_t *orr__draw_stride_list(struct draw *d, const char *where);
json_t *orr__draw_names(struct draw *d, const char *where);
/* A file of tests/attack/samples/FOLDER/NAME, or NULL. */
json_t *orr__draw_sample(const char *folder, const char *name);
/* tenants.c: the same of a trace of jobs, by its format. */
json_t *orr__draw_jobs_file(const char *format);

#endif
