/* A network to build programs on: messages and timers with callbacks, on the
 * same packets, queues and congestion controls as a run from a file.
 *
 *     orr_network *n;
 *     struct orr_report why = {0};
 *     orr_network_open("topology: {kind: ring, hosts: 4, link: {rate: "
 *                      "100Gbps, delay: 1us}}", NULL, &n, &why);
 *     orr_network_send(n, &(struct orr_send){.src = 0, .dst = 2,
 *                      .bytes = 1 << 20, .arrived = tell, .arrived_arg = n});
 *     orr_network_run(n, ORR_FOREVER, &why);
 *     orr_network_close(n);
 *
 * Any number of networks may live in a process, each used by one thread (open
 * them from one thread: igraph is not thread safe). Jobs and flows of the
 * configuration run beside what the program sends. Time is in picoseconds.
 *
 * Every call may be made from a callback, but for _run, _finish and _close;
 * a call that is wrong (NULL, a host that is not there, the wrong place)
 * returns ORR_ECALL and does nothing, and orr_network_report says what was
 * wrong. */
#ifndef ORRERY_NETWORK_H
#define ORRERY_NETWORK_H

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct orr_network orr_network;

#define ORR_FOREVER INT64_MAX

/* ---- making one ---------------------------------------------------------- */

/* From a configuration as YAML text; `jobs` and `flows` may be left out.
 * options: NULL for none. options->output NULL: no file is written. Callbacks
 * of all hosts come in order of time, so that the caller's state may be one.
 * With options->threads above 1 they come from as many threads, and a callback
 * on a host may touch only what belongs to that host, and act only for it.
 * *out is set only on success. */
ORR_CHECK_RESULT orr_err orr_network_open(const char *config,
                                          const struct orr_options *options,
                                          orr_network **out,
                                          struct orr_report *why);

/* A cable: a link each way. */
struct orr_cable_spec {
    uint32_t a, b;     /* nodes */
    uint64_t rate_bps; /* of each direction, bit/s, > 0 */
    int64_t delay_ps;  /* propagation, > 0 */
    double loss;       /* probability that a packet is lost, 0..1 */
};
/* Nodes 0..hosts-1 are hosts, the others switches. */
struct orr_graph_spec {
    uint32_t hosts, switches;           /* hosts > 0 */
    const struct orr_cable_spec *cable; /* the caller's; copied */
    uint32_t cables;
    const char *const *name; /* of each node, unique; NULL: they have none */
    bool hosts_forward;      /* hosts pass on what is for others */
};
/* On a graph from arrays. config: the rest, without `topology`; NULL or "": all
 * defaults. The effective configuration, in the records, holds the graph as
 * `topology: {kind: custom, ...}`. */
ORR_CHECK_RESULT orr_err orr_network_build(const struct orr_graph_spec *graph,
                                           const char *config,
                                           const struct orr_options *options,
                                           orr_network **out,
                                           struct orr_report *why);
/* NULL is allowed. What was recorded and not finished stays FILE.partial. Not
 * from a callback: then it does nothing. */
void orr_network_close(orr_network *n);

/* ---- looking ------------------------------------------------------------- */

/* How many there are, numbered from 0; 0: n is NULL. */
uint32_t orr_network_hosts(const orr_network *n);
/* Directed links, two for each cable; 0: n is NULL. */
uint32_t orr_network_links(const orr_network *n);
/* Of a directed link; link c of a cable is a to b, c + links / 2 is b to a. */
struct orr_link_info {
    uint32_t from, to; /* nodes; below hosts: hosts */
    uint64_t rate_bps; /* at the beginning */
    int64_t delay_ps;  /* propagation */
};
/* ECALL: there is no such link. Nothing is written then. */
orr_err orr_network_link_info(const orr_network *n, uint32_t link,
                              struct orr_link_info *out);
/* The link that a name means: "a > b", "a -> b", "a-b" where exactly one link
 * answers, with names or numbers of nodes; or a number. ECALL: none, or
 * several, which orr_network_report lists. Nothing is written then. */
orr_err orr_network_link_find(const orr_network *n, const char *name,
                              uint32_t *link);
/* ps: of the callback, inside one; else up to where the run went. With several
 * threads, inside a callback: orr_network_now_at(n, the callback's host). */
int64_t orr_network_now(const orr_network *n);
int64_t orr_network_now_at(const orr_network *n, uint32_t host);

/* What one directed link did up to now. */
struct orr_link_counters {
    uint64_t bytes;           /* on the wire, that have left */
    uint64_t packets;         /* accepted */
    uint64_t marks, drops;    /* ECN marks; packets lost here, by a full queue
                               * or by the link */
    uint64_t queue_bytes;     /* now, the packet in service included */
    uint64_t max_queue_bytes; /* the most that there was at once so far */
    int64_t busy_ps;          /* in which it was sending */
    uint64_t pauses;          /* pause frames that its sender obeyed */
};
/* At any time; with several threads not from a callback. */
orr_err orr_network_link(const orr_network *n, uint32_t link,
                         struct orr_link_counters *out);

/* ---- traffic ------------------------------------------------------------- */

/* A message. Those from one host to another on one channel and class follow one
 * another on one connection, with the congestion control of the configuration.
 * A message of a host to itself takes no link: it arrives after
 * ORR_LOCAL_DELAY_PS and its bytes at ORR_LOCAL_BPS. */
#define ORR_LOCAL_DELAY_PS 100000
#define ORR_LOCAL_BPS      UINT64_C(3200000000000)
/* A message to be sent; copied, it need not outlive the call. */
struct orr_send {
    uint32_t src, dst;      /* hosts */
    uint32_t channel;       /* any number */
    uint32_t traffic_class; /* 0 to 7; above 0 only where the configuration
                             * has queues per class (network.classes) */
    uint64_t bytes;         /* payload; 0: one packet of the header alone */
    /* Callbacks, each NULL or called once: all of it is at dst; its last byte
     * has left src; all of it is acknowledged at src (only with `transport:
     * reliable`). */
    void (*arrived)(void *arg);
    void (*sent)(void *arg);
    void (*acked)(void *arg);
    void *arrived_arg, *sent_arg, *acked_arg; /* what each is called with */
};
/* Now, copies *s. ECONFIG: more bytes than can be simulated. */
orr_err orr_network_send(orr_network *n, const struct orr_send *s);
/* fn(arg) on a host, delay_ps >= 0 from now; those of one host at one time in
 * the order in which they were asked for. */
orr_err orr_network_at(orr_network *n, uint32_t host, int64_t delay_ps,
                       void (*fn)(void *arg), void *arg);

/* ---- time ---------------------------------------------------------------- */

/* Runs to until_ps (exclusive; ORR_FOREVER: until nothing is left), or until
 * _stop. Again and again; what happens in between is given to _send and _at.
 * ERUN, ENOMEM, EINTERRUPTED as for orr_experiment_run; after the last it may
 * be run on. */
ORR_CHECK_RESULT orr_err orr_network_run(orr_network *n, int64_t until_ps,
                                         struct orr_report *why);
/* Ends the run that is under way, within a microsecond; with several threads,
 * within the shortest delay between two of them. */
void orr_network_stop(orr_network *n);

/* ---- jobs ---------------------------------------------------------------- */

/* One more job, while the network is open: `job` is YAML text, a map as it
 * stands in the list `jobs` of a configuration. Its ranks start at at_ps, which
 * is not past, whatever it says of its `start`. What it asks of the network
 * (traffic classes, controls with telemetry) must be there already; `schedule`
 * is `none` or `mltcp`, and `repeat` is off. *number, if wanted: names it from
 * now on. ended, or NULL: called once, on the host of the rank that ends last;
 * with several threads nobody knows which that is, and it must be NULL. Between
 * runs, not from a callback; what was wrong with the text is in *why, at its
 * line. */
orr_err orr_network_job(orr_network *n, const char *job, int64_t at_ps,
                        void (*ended)(void *arg), void *arg, uint32_t *number,
                        struct orr_report *why);
/* Whether all its ranks have ended; false where there is no such job. */
bool orr_network_job_ended(const orr_network *n, uint32_t number);
/* What a job did until it was closed. */
struct orr_job_figures {
    bool ended;               /* else it was stopped */
    uint32_t iterations;      /* that all its ranks have ended */
    int64_t start_ps, end_ps; /* of its last rank; or when it was stopped */
    double mean_iteration_ps; /* 0: there are none */
    uint64_t bytes_sent;      /* payload without repeats */
    uint64_t wire_bytes;      /* with headers and repeats */
    uint64_t marks;           /* of its packets that arrived with a mark */
    uint64_t retransmissions; /* packets that were sent again */
    uint64_t timeouts;        /* of its connections */
    int64_t compute_ps, communication_ps, overlap_ps; /* mean of its ranks */
};
/* Takes a job out and gives back its memory. One that has not ended is stopped
 * at once: its ranks do no more, and what it has under way is thrown away where
 * it arrives. out may be NULL. Between runs. */
orr_err orr_network_job_close(orr_network *n, uint32_t number,
                              struct orr_job_figures *out,
                              struct orr_report *why);

/* ---- results ------------------------------------------------------------- */

/* No more traffic: closes the records, which get their final name. Jobs that
 * wait for ever are ERUN, as in a run. Jobs of orr_network_job are in neither
 * records nor summary: their figures are what orr_network_job_close gives. */
ORR_CHECK_RESULT orr_err orr_network_finish(orr_network *n,
                                            struct orr_report *why);
/* After _finish, free with orr_text_free: the summary as JSON and as text. NULL
 * before it, and when out of memory. */
char *orr_network_json(const orr_network *n);
char *orr_network_summary(const orr_network *n);
/* A digest of all that arrived and was done so far: equal ones mean equal runs.
 * It does not depend on threads, compilers or records. 0: n is NULL. */
uint64_t orr_network_fingerprint(const orr_network *n);
/* The last call without a report of its own that failed; empty: none did. */
void orr_network_report(const orr_network *n, struct orr_report *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
