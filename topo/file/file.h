/* Formats of topology files. A family: one member a file, one line in list.h,
 * one test. A member reads its file into a sketch: nodes and cables in the
 * file's own order and numbers. What is the same for all is done in sketch.c:
 * hosts get their ids first, then switches, both in file order. */
#ifndef ORR_TOPO_FILE_FILE_H
#define ORR_TOPO_FILE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/scan.h"
#include "topo/build/build.h"
#include "topo/great_circle.h"

/* A node as the file has it. Positions are in any unit. */
struct orr_sketch_node {
    const char *name;  /* in messages; NULL: its number */
    const char *label; /* what it is called in the graph; NULL: by its id */
    bool host, server, forward; /* else a switch; a parameter server, a host;
                                 * passes on what is for others */
    bool stays;     /* a host that does not, even where there is no switch */
    bool untyped;   /* what it is, `topology.vertices` says */
    bool weak;      /* it has its label only if no other node has the same */
    uint8_t level;  /* of a switch; 0: its distance from the hosts */
    double x, y, z; /* not finite: unknown */
    struct orr_place place;
};

/* What the file does not say of a cable. */
enum orr_sketch_lack {
    ORR_LACKS_RATE = 1,  /* it is topology.link's */
    ORR_LACKS_DELAY = 2, /* the same */
    ORR_BY_DISTANCE = 4, /* its delay is that of the distance of its ends */
};

/* `topology.vertices`: what nodes are whose type a file does not tell. */
enum orr_vertices {
    ORR_VERTICES_TYPED, /* there must be none */
    ORR_VERTICES_HOST,
    ORR_VERTICES_SWITCH,
    ORR_VERTICES_LEAVES, /* hosts, if they have one cable at most */
};

/* A cable as the file has it. */
struct orr_sketch_cable {
    uint32_t a, b; /* by place in `node` */
    uint8_t tier;  /* place in `tier` */
    uint8_t lacks; /* enum orr_sketch_lack, or-ed */
    bool simplex;  /* from a to b alone */
    struct orr_line line;
};

enum { ORR_MOST_TIERS = 255, ORR_SKETCH_DIMS = 8 };

/* A file's graph; owned by the kind that reads it, and freed with
 * orr__sketch_fini. */
struct orr_sketch {
    struct orr_draft *draft;    /* link, has_link: what a file may leave out */
    const char *path, *name;    /* to open, and for messages */
    enum orr_vertices vertices; /* the user's, of formats with `open` */
    const char *component;      /* the same; NULL: there may be one only */
    bool distances;             /* delays from coordinates */
    struct orr_arena arena;     /* texts that live as long as this */
    struct orr_sketch_node *node; /* both in the order of the file */
    struct orr_sketch_cable *cable;
    uint32_t nodes, cables;
    uint32_t node_room, cable_room;
    const char *tier[ORR_MOST_TIERS + 1]; /* names that cables have, as they
                                           * were met; ends with NULL */
    unsigned tiers;
    bool numbered;   /* flow files of this format name nodes by their place */
    uint64_t unread; /* cables behind those that the file counts */
    uint32_t parts, left_out; /* of what the file has; nodes not taken on */
    bool springs; /* without positions: laid out by springs, not in rows */
    uint32_t dims, dim[ORR_SKETCH_DIMS]; /* of a regular grid of hosts */
    uint64_t dim_bps[ORR_SKETCH_DIMS];   /* what a host may send there */
    uint32_t *id;                        /* per node: its id in the graph */
    const char **names;                  /* per id */
};

/* A member of the family. */
struct orr_topology_format_ops {
    const char *name, *doc; /* the name as in list.h */
    bool open; /* its nodes and cables may lack what `topology.vertices`,
                * `coordinates` and `link` say; it may be in several parts */
    /* Fills nodes, cables and tiers. Failures carry a place in the file, or,
     * through orr__sketch_fail, that of `topology.file`. */
    orr_err (*read)(struct orr_sketch *s, struct orr_report *why);
};

/* ---- for members ------------------------------------------------------- */

/* The file for a scan, to be closed with orr__scan_fini when it is OK. */
ORR_CHECK_RESULT orr_err orr__sketch_open(struct orr_sketch *s,
                                          struct orr_scan *scan,
                                          struct orr_report *why);
/* Room for so many more, if memory has it: to be asked before a file's own
 * counts are acted upon. Blames `topology.file`. */
ORR_CHECK_RESULT orr_err orr__sketch_reserve(struct orr_sketch *s,
                                             uint64_t nodes, uint64_t cables,
                                             struct orr_report *why);
/* The next node, of unknown position. */
ORR_CHECK_RESULT orr_err orr__sketch_node(struct orr_sketch *s, bool host,
                                          struct orr_report *why);
/* The next cable. */
ORR_CHECK_RESULT orr_err orr__sketch_cable(struct orr_sketch *s, uint32_t a,
                                           uint32_t b, const char *tier,
                                           const struct orr_line *line,
                                           struct orr_report *why);
/* Of an edge without a delay between nodes that have been read: that of their
 * distance, else topology.link's; *lacks tells which. False: there is neither.
 */
bool orr__sketch_delay(const struct orr_sketch *s, uint32_t a, uint32_t b,
                       int64_t *ps, unsigned *lacks);
/* What the last cable lacks. */
static inline void orr__sketch_lacks(struct orr_sketch *s, unsigned lacks)
{
    s->cable[s->cables - 1].lacks = (uint8_t)lacks;
}
/* What is wrong with coordinates, or NULL; not finite: they are unknown. */
const char *orr__sketch_bad_place(const struct orr_place *p);
/* The type of the last node: "" and what is neither host nor switch leave it to
 * `topology.vertices`. False: that says nothing, and orr__sketch_type_hint
 * tells the user of it. */
bool orr__sketch_type(struct orr_sketch *s, const char *type);
void orr__sketch_type_hint(struct orr_report *why);
/* Fails at `topology.file`, with the file's name before the message. */
orr_err orr__sketch_fail(const struct orr_sketch *s, struct orr_report *why,
                         const char *fmt, ...) ORR_PRINTF(3, 4);

/* What hpcc and simai share. A number of `most` at most from the next word. */
ORR_CHECK_RESULT orr_err orr__hpcc_number(struct orr_scan *s, const char *what,
                                          int64_t most, uint32_t *value);
/* The rest of the file behind its counts: `switches` ids, of which the first
 * `nvswitches` are NVSwitches, and `links` lines. */
struct orr_hpcc_counts {
    uint32_t nodes, nvswitches, switches, links; /* as its first line says */
};
ORR_CHECK_RESULT orr_err orr__hpcc_read(struct orr_sketch *s,
                                        struct orr_scan *scan,
                                        const struct orr_hpcc_counts *n,
                                        struct orr_report *why);

/* ---- for topo/build/file.c --------------------------------------------- */

/* After read, of formats with `open`: types of nodes without one, and the part
 * of the graph that the user chose. */
ORR_CHECK_RESULT orr_err orr__sketch_complete(struct orr_sketch *s,
                                              struct orr_report *why);
/* How large the graph will be, once all is read; gives nodes their ids. */
ORR_CHECK_RESULT orr_err orr__sketch_plan(struct orr_sketch *s,
                                          struct orr_size *size,
                                          struct orr_report *why);
/* Into the graph of the draft, which was made for that size. */
ORR_CHECK_RESULT orr_err orr__sketch_draw(struct orr_sketch *s,
                                          struct orr_report *why);
void orr__sketch_fini(struct orr_sketch *s);

#endif
