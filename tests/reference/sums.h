/* A second, slow simulator of one job whose all-reduces are added up by
 * switches: no events at all, but what each packet waits for, packet by packet.
 * It shares no code with the engine. One tree, nothing is lost, each link has
 * packets of the job alone, and slots clock themselves. */
#ifndef ORR_TESTS_REFERENCE_SUMS_H
#define ORR_TESTS_REFERENCE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

enum { REF_SUMS_DEPTH = 16 };

/* A member's path to the root: links up, and the links back beside them. Paths
 * that meet at a node go on together. */
struct ref_member {
    uint32_t up[REF_SUMS_DEPTH], back[REF_SUMS_DEPTH], links;
};

struct ref_sums {
    uint64_t bytes, payload, header; /* of a message; of a packet */
    uint32_t messages, members;      /* one after another; of the job */
    uint32_t window;                 /* packets of a member under way */
    int64_t latency_ps;              /* of a switch that adds */
    const struct ref_member *member;
    const uint32_t *to;   /* per link: the node at its end */
    const uint64_t *rate; /* bit/s */
    const int64_t *delay; /* ps, with the latency of the node */
    uint32_t n_links, nodes;
};

/* When the last member has all results, ps; -1: out of memory. *hops: packets
 * put on links. */
int64_t ref_sums_run(const struct ref_sums *s, uint64_t *hops);

#endif
