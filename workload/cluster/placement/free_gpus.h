/* What is free, by server and rack, and what of it a job takes. For members of
 * the family of placements. */
#ifndef ORR_WORKLOAD_CLUSTER_PLACEMENT_FREE_GPUS_H
#define ORR_WORKLOAD_CLUSTER_PLACEMENT_FREE_GPUS_H

#include "core/random.h"
#include "workload/cluster/placement/placement.h"

#define ORR_ANY_RACK UINT32_MAX

/* One choice of GPUs, while it is made. */
struct orr_free_gpus {
    const struct orr_inventory *inventory;
    uint32_t wanted; /* GPUs of the job */
    uint32_t *gpu;   /* the caller's: GPUs taken so far */
    uint32_t taken;  /* of `wanted` */
    bool *free;      /* per GPU: it may be taken, and is not yet */
    /* GPUs by server: gpus_of[gpu_off[s] .. gpu_off[s + 1] - 1], ascending */
    uint32_t *gpus_of, *gpu_off, *next; /* next: place of the first that has
                                         * not been looked at */
    uint32_t *left;                     /* per server: GPUs that may be taken */
    uint32_t *rack_of;                  /* per server */
    uint32_t *rack_left;                /* per rack: the same as left */
    bool *used;                         /* per rack: GPUs of it were taken */
    uint32_t *rank;  /* per server: which goes first where nothing else
                      * tells two apart. Its number, unless shuffled */
    bool shuffled;   /* rank goes before the best fit */
    uint32_t *count; /* per rack: scratch */
    void *owned;     /* what the arrays above lie in, but gpu */
};

/* GPUs that are free; of those that other jobs have as well, the ones with the
 * fewest jobs that give `wanted` in all. label not NULL: only GPUs i with
 * label[i] == only. fini also when it fails. */
ORR_CHECK_RESULT orr_err orr__free_gpus_init(struct orr_free_gpus *room,
                                             const struct orr_inventory *v,
                                             uint32_t wanted, uint32_t *gpu,
                                             const uint32_t *label,
                                             uint32_t only,
                                             struct orr_report *why);
void orr__free_gpus_fini(struct orr_free_gpus *room);

/* Takes n of a server's, the lowest first; there are as many. */
void orr__free_gpus_take(struct orr_free_gpus *room, uint32_t server,
                         uint32_t n);
/* Takes n GPUs of a rack (ORR_ANY_RACK: of all) from as few servers as
 * possible, in few racks: the fullest servers that are filled, then the rest
 * where it fits best. There are as many. */
void orr__free_gpus_pack(struct orr_free_gpus *room, uint32_t rack, uint32_t n);
/* From one rack if one has room for all, the one in which it fits best; else
 * from as few as possible. */
void orr__free_gpus_racks(struct orr_free_gpus *room, uint32_t n);
/* From as many racks as possible, in each from as many servers. */
void orr__free_gpus_apart(struct orr_free_gpus *room, uint32_t n);
/* Any n, in the order in which they are drawn. */
ORR_CHECK_RESULT orr_err orr__free_gpus_draw(struct orr_free_gpus *room,
                                             uint32_t n, struct orr_random *r,
                                             struct orr_report *why);
/* The GPUs of any servers, in the order in which these are drawn: of each all
 * that are free, of the last as many as are still wanted. There are n. */
ORR_CHECK_RESULT orr_err orr__free_gpus_draw_servers(struct orr_free_gpus *room,
                                                     uint32_t n,
                                                     struct orr_random *r,
                                                     struct orr_report *why);
/* Draws `rank` anew. */
void orr__free_gpus_shuffle(struct orr_free_gpus *room, struct orr_random *r);
/* Ranks by rack, server and number of their GPU: neighbours in a ring are near
 * one another. */
void orr__free_gpus_sort(struct orr_free_gpus *room);

/* The stream of a job's placement. */
void orr__cluster_placement_stream(const struct orr_cluster *c, uint32_t job,
                                   int64_t seed, uint32_t variant,
                                   struct orr_random *r);

#endif
