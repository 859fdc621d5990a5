/* The kinds of operations: a row each, with what others ask about a kind. How
 * an operation is carried out says a clock (workload/rank/clock.h), how it is
 * written in YAML workload/program/read.c. */
#ifndef ORR_WORKLOAD_PROGRAM_KINDS_H
#define ORR_WORKLOAD_PROGRAM_KINDS_H

#include <stdbool.h>
#include <stdint.h>

enum orr_op_trait {
    ORR_OP_COMPUTES = 1,     /* keeps a stream of the rank busy for time_ps */
    ORR_OP_COMMUNICATES = 2, /* its time counts as communication */
    ORR_OP_TRANSMITS = 4,    /* puts bytes on the network: a gate holds it */
    ORR_OP_HAS_PEER = 8,     /* `peer`, and a tag in `index` */
    ORR_OP_HAS_CALL = 16,    /* `index` is a call */
    ORR_OP_JOINS = 32, /* moves nothing of its own: waits for what it depends
                          on, or for other ranks */
};

/* X(NAME, name, traits) */
#define ORR_OP_KIND_LIST(X)                                                    \
    /* joins its dependencies, takes no time */                                \
    X(WAIT, "wait", ORR_OP_JOINS)                                              \
    /* keeps one of the rank's streams busy */                                 \
    X(COMPUTE, "compute", ORR_OP_COMPUTES)                                     \
    /* complete when the last byte left, or is acked */                        \
    X(SEND, "send", ORR_OP_COMMUNICATES | ORR_OP_TRANSMITS | ORR_OP_HAS_PEER)  \
    /* complete when the last byte is there */                                 \
    X(RECV, "recv", ORR_OP_COMMUNICATES | ORR_OP_HAS_PEER)                     \
    /* complete when this rank's part is done */                               \
    X(COLLECTIVE, "collective",                                                \
      ORR_OP_COMMUNICATES | ORR_OP_TRANSMITS | ORR_OP_HAS_CALL)                \
    /* complete when no rank is more than `bytes` iterations behind; see       \
     * workload/rank/staleness.c */                                            \
    X(CLOCK, "clock",                                                          \
      ORR_OP_COMMUNICATES | ORR_OP_TRANSMITS | ORR_OP_HAS_CALL | ORR_OP_JOINS)

#define ORR_OP_KIND(name, text, traits) ORR_OP_##name,
enum orr_op_kind { ORR_OP_KIND_LIST(ORR_OP_KIND) ORR_OP_KINDS };
#undef ORR_OP_KIND

/* How users and records call a kind. */
static inline const char *orr__op_kind_name(uint8_t kind)
{
#define ORR_OP_KIND(name, text, traits) text,
    static const char *const names[] = {ORR_OP_KIND_LIST(ORR_OP_KIND)};
#undef ORR_OP_KIND
    return names[kind];
}

/* Whether a kind has a trait. */
static inline bool orr__op_has(uint8_t kind, enum orr_op_trait trait)
{
#define ORR_OP_KIND(name, text, traits) traits,
    static const uint8_t traits_of[] = {ORR_OP_KIND_LIST(ORR_OP_KIND)};
#undef ORR_OP_KIND
    return traits_of[kind] & trait;
}

#endif
