/* Between chakra.c (files, ranks, groups) and build.c (nodes). */
#ifndef ORR_FORMATS_CHAKRA_BUILD_H
#define ORR_FORMATS_CHAKRA_BUILD_H

#include "core/table.h"
#include "formats/astra/custom.h"
#include "formats/astra/expand.h"
#include "formats/astra/memory.h"
#include "formats/chakra/chakra.h"
#include "formats/chakra/file.h"

/* The units of an NPU: streams of the program. */
enum {
    ORR_CHAKRA_HOST,
    ORR_CHAKRA_DEVICE,
    ORR_CHAKRA_COMM,
    ORR_CHAKRA_ANY, /* no unit: as many at once as there are */
    ORR_CHAKRA_FIRST_QUEUE
};

/* A collective that ranks share: the calls of one instance, in the order in
 * which a rank comes to them. */
struct orr_chakra_shared {
    uint32_t call;
    uint32_t part;
    uint64_t node, bytes;
    int8_t comm;
};

/* A job's files on their way to a program. Files are read one after another:
 * of each only what its part of the program is stays. */
struct orr_chakra_build {
    const struct orr_trace_job *job;
    const struct orr_chakra_how *how; /* the keys of `trace` */
    struct orr_program *p;            /* being made */
    struct orr_expander x;            /* makes calls of collectives */
    struct orr_trace_info *info;      /* for the summary */
    struct orr_report *why;

    uint32_t files; /* different ranks there are files for */
    struct orr_chakra_part {
        uint64_t hash[2];   /* of the file: ranks with equal ones share it */
        uint32_t id;        /* of the part in the program */
        bool messages;      /* it sends or receives */
        int64_t compute_ps; /* of the accelerator */
        uint32_t by_type[ORR_CHAKRA_TYPES];
        char *file;
    } * part;
    uint32_t parts;

    struct orr_chakra_shared *shared;
    uint32_t n_shared, shared_room;
    struct orr_table by_key; /* of shared: their index */

    struct orr_chakra_named { /* of the file of groups */
        const char *name;
        uint32_t group; /* of the program */
    } * group;
    uint32_t groups;
    struct orr_arena arena;    /* names, which outlive their files */
    uint32_t *server, servers; /* hosts */

    /* of the part being built */
    struct orr_chakra *c;  /* its trace */
    uint32_t rank;         /* the first that it belongs to */
    uint32_t *head, *tail; /* per node: its first and last operation */
    int32_t
        *priority; /* per node: its priority; the lowest number goes first */
    struct orr_chakra_count { /* per group and dimensions: collectives so far */
        uint32_t group, involved;
        uint64_t n;
    } * seen;
    uint32_t seens, counts_room;
    struct orr_chakra_custom { /* files of custom collectives (custom.c) */
        const char *prefix;
        uint32_t position;
        char *file;
        struct orr_chakra c;
    } * custom;
    uint32_t customs;
};

/* The trace b->c of rank b->rank becomes the operations of the program's last
 * part, b->part[b->parts - 1]. */
ORR_CHECK_RESULT orr_err orr__chakra_add_part(struct orr_chakra_build *b);

#endif
