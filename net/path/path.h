/* The family of load balancing: which of several equal next hops a packet
 * takes. Members are a few lines each and stand in the packet path, so they
 * are functions behind one predictable switch, the short ones inline, not
 * calls through an ops table; list.h is the registry all the same. */
#ifndef ORR_NET_PATH_PATH_H
#define ORR_NET_PATH_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/param.h"
#include "net/path/list.h"

enum orr_path_kind {
#define ORR_PATH_ENUM(symbol, name, reorders, params, doc) ORR_PATH_##symbol,
    ORR_PATH_LIST(ORR_PATH_ENUM)
#undef ORR_PATH_ENUM
        ORR_PATH_KINDS,
    /* No kind of its own: each tier has one (net/config/tiers.h). */
    ORR_PATH_BY_TIER = ORR_PATH_KINDS
};

/* What the parameters of all kinds are read into. */
struct orr_path_params {
    int64_t gap_ps; /* a longer pause ends a flowlet */
    int64_t table;  /* flowlets that a node can tell apart, a power of two */
    int choice;     /* enum orr_path_choice */
    int per;        /* enum orr_path_per */
    int64_t threshold_ps; /* by which a detour has to promise less */
    int64_t stops;        /* that detours may lead by, at most */
    int64_t k;            /* paths of a pair of hosts */
    int64_t entropies;    /* of a connection, a power of two */
    int64_t penalty;      /* most turns that one is left out */
    int64_t cache;        /* entropies kept for use again */
    int64_t freeze_ps;    /* after a timeout only those are used */
    uint64_t step;        /* bytes: queues are compared in multiples of it; or
                           * ORR_AUTO_SIZE until the configuration is read */
};
enum orr_path_choice { ORR_PATH_RANDOM, ORR_PATH_ROUND_ROBIN };
/* Valiant: a connection stays with what it took first, as if it were one
 * flowlet. */
enum orr_path_per { ORR_PATH_PER_FLOWLET, ORR_PATH_PER_PACKET };

/* How packets choose among next hops. */
struct orr_path_rule {
    enum orr_path_kind kind;
    const struct orr_path_params *params; /* those that the kind has */
};

/* A member of the family, as list.h registers it. */
struct orr_path_info {
    const char *name, *doc;
    bool reorders; /* packets of one connection may overtake one another */
    const struct orr_param *params; /* into struct orr_path_params; or NULL */
};

extern const struct orr_param orr__path_flowlet_params[];
extern const struct orr_param orr__path_adaptive_params[];
extern const struct orr_param orr__path_valiant_params[];
extern const struct orr_param orr__path_ugal_params[];
extern const struct orr_param orr__path_k_shortest_params[];
extern const struct orr_param orr__path_entropy_params[];
extern const struct orr_param orr__path_bitmap_params[];
extern const struct orr_param orr__path_reps_params[];

/* ORR_PATH_KINDS entries, then one with name NULL. */
const struct orr_path_info *orr__path_kinds(void);
/* With these parameters: may packets of one connection overtake one another,
 * and may each of them leave by another port than the one before? */
bool orr__path_reorders(enum orr_path_kind kind,
                        const struct orr_path_params *p);
bool orr__path_moves(enum orr_path_kind kind, const struct orr_path_params *p);
/* Is the choice the same whatever waits in queues? */
bool orr__path_blind(enum orr_path_kind kind);
/* May packets be sent by way of some other switch? */
bool orr__path_detours(enum orr_path_kind kind);
/* Does it choose at each node, by what is there? Else it chooses whole paths.
 */
bool orr__path_is_local(enum orr_path_kind kind);

#endif
