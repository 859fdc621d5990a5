/* One network on which jobs come and go while it runs. What is read, what is
 * placed, what runs and what is closed are apart: a job is read from a text of
 * its own, takes its part in the network when its time has come, and when it
 * has ended, or is stopped, all that it had is given back as soon as nothing in
 * the network names it. Memory follows the jobs that run.
 *
 * A job that comes at a time does exactly what it would do if it had been among
 * `jobs` with that start, and it does not matter when it was made known. */
#ifndef ORR_CLUSTER_SHARED_NETWORK_H
#define ORR_CLUSTER_SHARED_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "net/net.h"
#include "orrery/orrery.h"
#include "workload/world.h"

struct orr_shared_network;

/* config: text of a configuration; name: what messages call it. Its `jobs`, if
 * any, do not run: they show what may come, their classes and congestion
 * controls. Its schedule must be one that jobs can join (`none`, `mltcp`,
 * `fair`); `repeat` and `alone` are left aside. most_jobs: that run at once. */
ORR_CHECK_RESULT orr_err orr__shared_network_open(
    const char *name, const char *config, const struct orr_options *o,
    uint32_t most_jobs, struct orr_shared_network **out,
    struct orr_report *why);
/* The same of a document, which is taken over in any case. */
/* steered: the caller plans, whatever the schedule is, and tells by
 * orr__shared_network_steer. */
ORR_CHECK_RESULT orr_err orr__shared_network_open_config(
    struct orr_config *config, const struct orr_options *o, uint32_t most_jobs,
    bool steered, struct orr_shared_network **out, struct orr_report *why);
void orr__shared_network_free(struct orr_shared_network *l);

/* On an experiment that has begun, idle, whose caller runs and frees it, and
 * says when it is now; orr__shared_network_run is not to be called. Its
 * repetitions must be off, its schedule one that plans nothing. */
struct orr_shared_network_host {
    orr_experiment *x;
    /* The last rank of a job has ended, on this host: fn(arg) is what was given
     * for that, not NULL. */
    void (*call)(void *context, uint32_t host, int64_t now, void (*fn)(void *),
                 void *arg);
    void *context; /* what `call` is called with */
};
ORR_CHECK_RESULT orr_err orr__shared_network_attach(
    const struct orr_shared_network_host *host, struct orr_shared_network **out,
    struct orr_report *why);
void orr__shared_network_time(struct orr_shared_network *l, int64_t now_ps);
/* Of a job that was just added. */
void orr__shared_network_tell(struct orr_shared_network *l, uint32_t number,
                              void (*ended)(void *), void *arg);

/* A job as it stands in `jobs`, a map, to start at at_ps, which is not past,
 * whatever it says of its `start`. number: its index, by which connections and
 * random streams are called; no job that runs has it. ECONFIG, ECALL: all is as
 * before. */
ORR_CHECK_RESULT orr_err orr__shared_network_add(struct orr_shared_network *l,
                                                 const char *job_yaml,
                                                 uint32_t number, int64_t at_ps,
                                                 struct orr_report *why);
/* The same of a job that stands in a document, which is taken over in any
 * case. kind: what schedules may call it beside its name; lives as long as the
 * job; NULL: nothing. */
ORR_CHECK_RESULT orr_err orr__shared_network_add_node(
    struct orr_shared_network *l, struct orr_config *document,
    const struct orr_yaml *node, const char *kind, uint32_t number,
    int64_t at_ps, struct orr_report *why);
/* A job that was added and not closed gets this class and what else `like`
 * would get, a job of the same ranks in a world that was planned. fresh: it was
 * just added, and has them from the beginning; else from the next iteration on
 * that none of its ranks has begun. */
ORR_CHECK_RESULT orr_err orr__shared_network_steer(struct orr_shared_network *l,
                                                   uint32_t number,
                                                   const struct orr_job *like,
                                                   uint32_t class, bool fresh,
                                                   struct orr_report *why);
/* Runs to until_ps (ORR_NEVER: as long as anything happens), or to the end of
 * the window in which a job ended its last iteration. *now_ps: where it is;
 * everything before that has happened. Fails as a run does, and then goes no
 * further. */
ORR_CHECK_RESULT orr_err orr__shared_network_run(struct orr_shared_network *l,
                                                 int64_t until_ps,
                                                 int64_t *now_ps,
                                                 struct orr_report *why);
int64_t orr__shared_network_now(const struct orr_shared_network *l);

/* What became of a job. */
struct orr_shared_network_figures {
    bool ended;               /* all ranks have; else it was stopped */
    int64_t start_ps;         /* as it was told to */
    int64_t end_ps;           /* of its last rank; or when it was stopped */
    uint32_t iterations;      /* that all its ranks ended */
    double mean_iteration_ps; /* of those; 0: there are none */
    uint64_t bytes_sent;      /* payload without repeats */
    uint64_t wire_bytes;      /* with headers and repeats */
    uint64_t marks, retransmissions, timeouts; /* packets, events so far */
    int64_t compute_ps, communication_ps, overlap_ps; /* mean of its ranks */
};
/* Takes a job out, which has ended or is stopped at once: then its ranks do no
 * more, its timers are gone, and what it has under way is thrown away where it
 * arrives. No other job notices, but for the packets that do not come. */
ORR_CHECK_RESULT orr_err orr__shared_network_close(
    struct orr_shared_network *l, uint32_t number,
    struct orr_shared_network_figures *out, struct orr_report *why);

/* Gives back at once what closed jobs had and the network names no more; else
 * that is done when enough of them have gathered. */
ORR_CHECK_RESULT orr_err orr__shared_network_tidy(struct orr_shared_network *l,
                                                  struct orr_report *why);

/* Of a job that was added and not closed: whether it has ended, how many
 * iterations all its ranks have ended, when the last of those ended (-1: none),
 * and one of them. False: there is no such job. */
bool orr__shared_network_ended(const struct orr_shared_network *l,
                               uint32_t number);
bool orr__shared_network_progress(const struct orr_shared_network *l,
                                  uint32_t number, uint32_t *iterations,
                                  int64_t *last_end_ps);
int64_t orr__shared_network_end_of(const struct orr_shared_network *l,
                                   uint32_t number, uint32_t iteration);
/* Bytes of its payload so far; marks and retransmissions of its packets. */
bool orr__shared_network_traffic(const struct orr_shared_network *l,
                                 uint32_t number, uint64_t *bytes_sent,
                                 uint64_t *marks, uint64_t *retransmissions);

/* Jobs that run; that were closed and of which something is left. */
uint32_t orr__shared_network_jobs(const struct orr_shared_network *l);
uint32_t orr__shared_network_closed(const struct orr_shared_network *l);
/* Of all that happened so far. */
void orr__shared_network_totals(const struct orr_shared_network *l,
                                struct orr_net_totals *out);
/* Of the network itself, for reports. */
const struct orr_world *orr__shared_network_world(
    const struct orr_shared_network *l);
uint64_t orr__shared_network_fingerprint(const struct orr_shared_network *l);

#endif
