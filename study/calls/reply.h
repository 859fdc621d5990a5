/* The inside of include/orrery/study.h: what all its calls have. */
#ifndef ORR_STUDY_CALLS_REPLY_H
#define ORR_STUDY_CALLS_REPLY_H

#include "orrery/study.h"
#include "topo/graph.h"

/* Made by one call, and its caller's from then on. */
struct orr_reply {
    char *json, *text, *config; /* owned; config NULL: there is none */
    struct orr_graph *graph;    /* owned; NULL: no topology's */
    const char **tier, **name;  /* owned; of the graph's links and nodes */
    char *names;                /* owned: the texts of `name` */
};

/* A call as this library knows it: `call` of the caller's size goes into mine,
 * of `size` bytes; what the caller does not know is 0. least: bytes of its
 * first version. ORR_ECALL: no size, or members unknown here that are not 0,
 * or no configuration. `name`: the function, for messages. */
ORR_CHECK_RESULT orr_err orr__call_take(const char *name, const void *call,
                                        size_t least, size_t size, void *mine,
                                        const void *out,
                                        struct orr_report *why);
/* Zeroed; NULL: no memory. */
orr_reply *orr__reply_new(void);
/* *out is r when all is well and its texts are there; else r is freed. */
ORR_CHECK_RESULT orr_err orr__reply_give(orr_reply *r, orr_err err,
                                         orr_reply **out,
                                         struct orr_report *why);

#endif
