/* A second, slow simulator of the same model, to hold the engine against. It
 * shares no code with it: one list of events that is searched from end to end
 * for the next, no windows, no rings, no pools, no threads. Links never lose
 * and queues never overflow; datagrams, or a fixed window with ACKs. */
#ifndef ORR_TESTS_REFERENCE_REFERENCE_H
#define ORR_TESTS_REFERENCE_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

enum { REF_MAX_HOPS = 16 };

struct ref_link {
    uint32_t from, to;
    uint64_t rate_bps;
    int64_t delay_ps;
};

struct ref_connection {
    uint32_t src, dst;
    uint32_t forward[REF_MAX_HOPS], back[REF_MAX_HOPS]; /* link ids */
    uint32_t n_forward, n_back;
    uint32_t rank; /* held ACKs that are due together go in this order */
};

/* Messages of one connection travel in the order of their start, then of
 * their index. */
struct ref_message {
    uint32_t connection;
    uint64_t bytes;
    int64_t start_ps;
    int64_t sent_ps, received_ps, acked_ps; /* results; -1: never */
};

struct ref_rules {
    uint64_t mtu, header, ack;
    uint64_t local_mtu; /* of connections of two links at most */
    uint32_t ack_every;
    int64_t ack_delay_ps;
    uint32_t window; /* packets; datagrams know none */
    bool reliable;
    bool shuffled; /* ties among arrivals by a hash with this seed */
    uint64_t seed;
};

struct ref_network {
    struct ref_rules rules;
    const struct ref_link *links;
    const struct ref_connection *connections;
    struct ref_message *messages;
    uint32_t n_links, n_connections, n_messages;
};

/* Fills the messages' results. Returns how many packets were put on links, 0
 * when out of memory. */
uint64_t ref_run(const struct ref_network *net);

#endif
