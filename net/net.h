/* The packet world as the workload and the records see it. One struct orr_net
 * owns every node, port, connection and packet of a run.
 *
 * Threads: a host belongs to one worker for the whole run. Every call that
 * names a host or a connection's source must come from an upcall on that host,
 * or from between windows (before the run, or a control event). */
#ifndef ORR_NET_NET_H
#define ORR_NET_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/error.h"
#include "core/none.h"
#include "topo/graph.h"
#include "topo/routing.h"

struct orr_net;
struct orr_net_config; /* the `network` map, read */

/* A message travels whole from send to delivery; the first six fields are the
 * workload's and come back as they were given. */
struct orr_message {
    uint64_t bytes; /* payload; 0 travels as one packet of the header alone */
    uint64_t tag;
    uint32_t user;     /* whose upcalls it makes: orr__net_user */
    uint32_t src, dst; /* ranks, or whatever the user wants */
    uint32_t arg;
    /* the net's */
    uint32_t connection;
    uint32_t first_seq, packets; /* packet numbers on the connection */
    uint32_t received;           /* datagrams: packets here so far */
    uint32_t next;               /* queue of the connection; ORR_NONE:
                                  * it is the last */
    uint32_t id;                 /* in the net's `messages` */
    uint32_t
        path_round; /* of its host's ports, where each message has the next one
                     */
    uint32_t departs_by; /* NIC port whose `departing` it is, else UINT32_MAX */
};

/* Upcalls of one user, each in the thread of the host and at its time. They may
 * call orr__net_connect, _send, _timer and _step for that host. */
struct orr_net_ops {
    /* last byte of m arrived at its destination, in order on its connection */
    void (*received)(void *context, uint32_t host, int64_t now,
                     const struct orr_message *m);
    /* last byte of m left the source's NIC (after all of it was sent once).
     * Once for each message, and before `acked`: where what was sent again is
     * acknowledged while the first copy still waits in a port, just before. */
    void (*sent)(void *context, uint32_t host, int64_t now,
                 const struct orr_message *m);
    /* reliable only: all of m acknowledged at the source; m dies on return.
     * Nothing at the source names it then; packets of it that are still under
     * way do, but whoever gets them has all of it, and asks no more. */
    void (*acked)(void *context, uint32_t host, int64_t now,
                  const struct orr_message *m);
    /* a timer set with orr__net_timer, _timer_last or _post */
    void (*timer)(void *context, uint32_t host, int64_t now, uint64_t arg);
    /* Of a message that is being sent, maybe before it has left: that will be
     * at `at`. True: it is noted, and `sent` is not called for it, unless
     * orr__net_recall asks for that. Not of all messages; NULL: of none. */
    bool (*leaves)(void *context, uint32_t host, int64_t at,
                   const struct orr_message *m);
    /* a marker is due: net/loop/marker.h */
    void (*marked)(void *context, uint32_t host, int64_t now, uint32_t tag);
};

/* A configuration while it is made (net/config/config.h): whoever has one may
 * write it. A net is built of the const one that it becomes. */
struct orr_net_draft;
/* Reads the `network` map (NULL: all defaults). Owned by the document. */
ORR_CHECK_RESULT orr_err orr__net_config_read(struct orr_config *c,
                                              const struct orr_yaml *network,
                                              struct orr_net_draft **out,
                                              struct orr_report *why);
struct orr_param;
/* For `orrery help network`, `help buffer`, `help pfc`. */
const struct orr_param *orr__net_params(void);
const struct orr_param *orr__buffer_params(void);
const struct orr_param *orr__pfc_params(void);
const struct orr_param *orr__nic_params(void);
const struct orr_param *orr__rto_params(void);
const struct orr_param *orr__tier_params(void);
/* What traffic there is on the wire, for estimates and ideal times. */
struct orr_net_wire {
    uint64_t mtu, header, ack; /* bytes */
    uint64_t local_mtu;        /* of ways of two links at most */
    uint32_t ack_every;        /* packets that one ACK may tell of */
    bool reliable;             /* false: no ACKs */
    bool whole;                /* messages are not cut into packets */
};
struct orr_net_wire orr__net_wire(const struct orr_net_config *c);

struct orr_cc;
/* What a connection gets from the network; read only while it runs. */
struct orr_net_service {
    const struct orr_cc *cc; /* its control, with parameters */
    uint32_t class;          /* traffic class, 0 to 7 */
    double weight; /* factor on the additive increase of its control, and its
                    * part of ports with `scheduler: fair` */
};
#define ORR_MOST_CLASSES 8
/* The service of a job or flow that overrides the network's: cc (NULL: the
 * network's), class, weight. To be called before orr__net_new: what it asks
 * for decides how ports are simulated. */
ORR_CHECK_RESULT orr_err orr__net_service_read(
    struct orr_config *c, struct orr_net_draft *draft,
    const struct orr_yaml *cc, const char *what, uint32_t class, double weight,
    struct orr_net_service *out, struct orr_report *why);

/* Bytes that a net takes at least for each directed link and for each node, and
 * its routes with it, before anything moves: to refuse graphs by. */
void orr__net_least_bytes(uint64_t *per_link, uint64_t *per_node);

/* The routes that a net of this configuration needs to send between the n
 * nodes of dests: those to them, and to wherever its packets may go on the
 * way. */
ORR_CHECK_RESULT orr_err orr__net_routes(const struct orr_graph *graph,
                                         const struct orr_net_config *config,
                                         uint64_t seed, const uint32_t *dests,
                                         uint32_t n, struct orr_routing **out,
                                         struct orr_report *why);
/* workers >= 1: lanes of core/window.h, sets of nodes that one thread at a time
 * runs; partition: per node, its worker. As many threads as workers, unless
 * told otherwise. graph, routes and config must outlive the net. */
ORR_CHECK_RESULT orr_err orr__net_new(
    const struct orr_graph *graph, const struct orr_routing *routes,
    const struct orr_net_config *config, uint64_t seed, unsigned workers,
    const uint32_t *partition, struct orr_net **out, struct orr_report *why);
void orr__net_free(struct orr_net *n);
/* At most so many threads run it, the calling one among them. */
void orr__net_threads(struct orr_net *n, unsigned threads);
/* Packets that a connection without a congestion control has under way, in the
 * place of `network.window`; before anything is sent. */
void orr__net_set_window(struct orr_net *n, double packets);
double orr__net_fixed_window(const struct orr_net *n);

/* One more user of the net: a job, the flows, a program around the library.
 * Its messages and timers carry the number that this returns, and come back to
 * its own upcalls; users do not know one another. ops outlives the net. Between
 * windows. ORR_NONE: no memory. */
uint32_t orr__net_user(struct orr_net *n, const struct orr_net_ops *ops,
                       void *context);

/* A user that wants nothing more of the net, and the connections that were made
 * for it. */
struct orr_net_teardown {
    uint32_t user;              /* of orr__net_user */
    const uint32_t *connection; /* their numbers; the caller's */
    uint32_t connections;
    bool gone; /* of orr__net_teardown: neither number is its any more */
};
/* Stops it at once: it gets no upcall any more, its timers are taken back, and
 * its connections send nothing. What is under way goes where it was sent, and
 * is thrown away there, unanswered. Between windows. */
void orr__net_stop_user(struct orr_net *n, const struct orr_net_teardown *l);
/* Finds out which of these are of no consequence any more: no message, timer or
 * packet of theirs is left. Their numbers are then free for others, and `gone`
 * is set. Whatever else they own the net may look at until then: services and
 * paths of connections. It costs a look at all that is in the net, and changes
 * nothing that happens. Between windows. */
ORR_CHECK_RESULT orr_err orr__net_teardown(struct orr_net *n,
                                           struct orr_net_teardown *l,
                                           uint32_t count,
                                           struct orr_report *why);

/* A connection carries messages one after another. */
struct orr_connection_spec {
    uint32_t src, dst; /* hosts, not the same */
    /* Names it for hashing (ECMP, fingerprint): must depend only on what the
     * connection is (job, source rank, destination rank, class), never on when
     * it was made. */
    uint64_t identity;
    const struct orr_net_service *service; /* NULL: the network's; outlives
                                            * the net */
    const uint32_t *path; /* links from src to dst, no node twice; NULL: as
                           * `routing` says; outlives the net */
    uint32_t path_links;
    uint64_t entropy; /* names it for ECMP instead of its identity; 0: not */
    /* With `scheduler: fair` those of one number, below 2^32, are served as
     * one, in each class; 0: by itself. */
    uint64_t share;
    uint32_t raise; /* it is so many traffic classes above its service's, up to
                     * the highest that there is */
};
/* ORR_NONE when out of memory: the run is then already failing, and
 * the caller just returns. */
uint32_t orr__net_connect(struct orr_net *n, int64_t now,
                          const struct orr_connection_spec *spec);
/* A group of hosts on trees of switches (net/tree/): what they send is added up
 * on its way to the root of a tree, and the sum copied to all of them; or what
 * one sends is copied to the others. */
enum orr_group_kind {
    ORR_GROUP_SUM,       /* all of them get the sum */
    ORR_GROUP_REDUCE,    /* one does */
    ORR_GROUP_SCATTER,   /* each gets its own part of it, in their order */
    ORR_GROUP_MULTICAST, /* one sends, the others get that */
};
/* What a group is to be. The arrays are the caller's and are copied, but for
 * `service`, which outlives the net. Root and turn are numbers, not nodes. */
struct orr_group_spec {
    enum orr_group_kind kind;
    uint64_t identity;     /* names it, as that of a connection does */
    const uint32_t *hosts; /* per member */
    const uint32_t *ranks; /* per member: `src` and `dst` of its messages */
    uint32_t members, trees;
    uint32_t root;           /* reduce, multicast: a member */
    uint64_t largest;        /* bytes of its largest message on a tree */
    const uint32_t *servers; /* hosts that add up what switches do not, for
                              * kinds of in-network aggregation that have one:
                              * one for each tree, in turn */
    uint32_t n_servers;
    const struct orr_net_service *service; /* as of a connection */
    uint64_t share;                        /* of the same; names the job */
    uint32_t first_tree; /* the first of its trees: groups of different turns
                          * have different roots, as far as there are some */
};
/* Whether there are such trees; text: else why not, a clause. Before the net is
 * built, or after. ENOMEM, or ORR_OK. */
#define ORR_GROUP_TEXT 256
ORR_CHECK_RESULT orr_err orr__net_group_check(
    const struct orr_graph *graph, const struct orr_net_config *config,
    const struct orr_group_spec *spec, bool *fits, char text[ORR_GROUP_TEXT],
    struct orr_report *why);
/* Notes that some will be made, which decides how switches are simulated, and
 * whether they add. */
void orr__net_expect_groups(struct orr_net_draft *draft, bool sums);
/* Makes the group: *id. Between windows, in a fixed order: slots of switches
 * are given to jobs in it. Members have connections once the net runs: those
 * that begin together share the slots. */
ORR_CHECK_RESULT orr_err orr__net_group(struct orr_net *n,
                                        const struct orr_group_spec *spec,
                                        uint32_t *id, struct orr_report *why);
/* What a message of a group of so many bytes, over all trees, puts on links. */
struct orr_group_load {
    uint64_t bytes; /* payload of a member, or of the root */
    /* gets a link and wire bytes, maybe several times; NULL: none */
    void (*fn)(void *arg, uint32_t link, uint64_t bytes);
    void *arg;
    int64_t delay_ps; /* out: of links from a member by the root to a member,
                       * as far apart as they are on a tree, the least tree */
};
ORR_CHECK_RESULT orr_err orr__net_group_load(
    const struct orr_graph *graph, const struct orr_net_config *config,
    const struct orr_group_spec *spec, struct orr_group_load *load,
    struct orr_report *why);
/* Which switches of the graph add, by the configuration. */
ORR_CHECK_RESULT orr_err orr__net_switches_add(struct orr_net_draft *draft,
                                               const struct orr_graph *g,
                                               struct orr_report *why);
/* The connection of a member on a tree: for orr__net_send. All members send
 * messages of the same sizes in the same order; `received` comes to those that
 * get something, with `acked`. ORR_NONE: memory ended before it was made. */
uint32_t orr__net_group_connection(const struct orr_net *n, uint32_t group,
                                   uint32_t member, uint32_t tree);
/* What the groups of a net have come to; between windows. */
struct orr_group_totals {
    uint64_t sums;       /* packets added up into one, at switches */
    uint64_t summed;     /* packets that switches took in for that */
    uint64_t copies;     /* packets that switches made more than they got */
    uint64_t duplicates; /* packets that were in a sum already */
    uint64_t collisions; /* that found another one in their slot */
    uint64_t no_slots;   /* that found none free */
    uint64_t evictions;  /* sums taken out of their slot before they were
                          * whole */
    uint64_t results;    /* whole sums */
    uint64_t misfits;    /* sums with a member twice: none, or the run fails */
    uint64_t
        fallen_back;     /* of these results, which a server added up in part */
    uint64_t moves;      /* trees made anew where links failed */
    uint64_t most_slots; /* of a switch, in use at one time */
    double mean_slots;   /* of the switch where that was, over time */
    double slot_ps;      /* of one node: slots times how long they were used */
};
void orr__net_group_totals(const struct orr_net *n, struct orr_group_totals *t);
/* The same of one node. False: nothing is added there. */
bool orr__net_group_node(const struct orr_net *n, uint32_t node,
                         struct orr_group_totals *t);
/* Whether there are any groups. */
bool orr__net_has_groups(const struct orr_net *n);
/* Queues a copy of m on the connection. */
void orr__net_send(struct orr_net *n, int64_t now, uint32_t connection,
                   const struct orr_message *m);
/* Nothing more will be sent on this connection and all its messages were
 * acknowledged: gives back the memory it needed under way. Its statistics
 * stay. From an upcall at its source (`acked` of its last message, say). */
void orr__net_close(struct orr_net *n, uint32_t connection);
/* The user's timer(host, at, arg) at time at >= now. Timers of one host at one
 * time fire in the order they were set. */
void orr__net_timer(struct orr_net *n, uint32_t host, int64_t at, uint32_t user,
                    uint64_t arg);
/* Of a host one of whose messages has not left yet, which was told by `leaves`:
 * `sent` is to be called after all, when it has. */
void orr__net_recall(struct orr_net *n, uint32_t host, int64_t now);
/* A timer that comes before all others of users at that time, by `order`, below
 * 2^62, whenever it was set. */
void orr__net_timer_first(struct orr_net *n, uint32_t host, int64_t at,
                          uint32_t user, uint64_t order, uint64_t arg);
/* A timer that comes after all else at that time in the host's process; where
 * there are several, their order is not defined. */
void orr__net_timer_last(struct orr_net *n, uint32_t host, int64_t at,
                         uint32_t user, uint64_t arg);
/* Whether all nodes are one process: what happens on one may then act on
 * another at the same time. */
bool orr__net_single(const struct orr_net *n);
/* A timer of another host, set by an upcall on `host` at `now`: what goes from
 * node to node without a link, as the end of a flow that starts another. It
 * fires at `at`, which is later than now by least_post_ps of the net's
 * configuration at least: windows are no longer than that. At one time such
 * timers come after the host's own, in order of (host that set it, number). */
void orr__net_post(struct orr_net *n, uint32_t host, int64_t now, uint32_t to,
                   int64_t at, uint32_t user, uint64_t arg);
/* A program step, for the host's part of the fingerprint. */
void orr__net_step(struct orr_net *n, uint32_t host, int64_t now, uint64_t a,
                   uint64_t b);
/* To which worker (0..workers-1) this host belongs: index for sums that no two
 * threads may work on at once. */
unsigned orr__net_worker(const struct orr_net *n, uint32_t host);
/* Makes the run stop after this window with this failure, which its owner
 * knows more of, or which needs no words. Any thread. */
void orr__net_fail(struct orr_net *n, orr_err code);
/* The same from an upcall on `host`, as ORR_ERUN, with a sentence that says
 * what failed and for whom. Of several failures the earliest is told, among
 * equals that of the lowest host, with its time. */
void orr__net_fail_at(struct orr_net *n, uint32_t host, int64_t now,
                      const char *fmt, ...) ORR_PRINTF(4, 5);

/* fn(arg, now) between windows, exactly at time `at`: everything before it has
 * happened, nothing at or after it. Returns the time of the next call, or
 * ORR_NEVER. Controls with one time run in the order they were added. They do
 * not keep a run alive: it ends when nothing else is left to happen and the
 * last packet has left its port. */
ORR_CHECK_RESULT orr_err orr__net_control(struct orr_net *n, int64_t at,
                                          int64_t (*fn)(void *arg, int64_t now),
                                          void *arg, struct orr_report *why);

/* fn(arg, now) between windows, after each in which an upcall called
 * orr__net_ask; up to `now` all has happened. One for a net, before the run. */
void orr__net_between(struct orr_net *n, void (*fn)(void *arg, int64_t now),
                      void *arg);
void orr__net_ask(struct orr_net *n);

/* Runs until nothing is left to happen, or to `stop` (exclusive). poll (may be
 * NULL) is called between windows now and then, at least every few
 * milliseconds of wall time; true ends the run there. *end is the time up to
 * which everything has happened: if nothing is left, when the last packet
 * arrived, or left where a link lost it; and ORR_HORIZON, with ERUN, where
 * simulated time ends. Fails also with ENOMEM and what orr__net_fail and
 * _fail_at got. May be called again, to go on. */
ORR_CHECK_RESULT orr_err orr__net_run(struct orr_net *n, int64_t stop,
                                      bool (*poll)(void *arg, int64_t now),
                                      void *arg, int64_t *end,
                                      struct orr_report *why);

/* Time up to which everything has happened, while windows are run. */
int64_t orr__net_now(const struct orr_net *n);
/* From an upcall: the run ends after this window, and may be gone on with. */
void orr__net_halt(struct orr_net *n);
/* Has all happened that there was? After orr__net_run. */
bool orr__net_ended(const struct orr_net *n);
/* Where all has happened, time goes on to `at`, or as far back as the last
 * event, for what is entered from now on. Returns the time that it is. */
int64_t orr__net_settle(struct orr_net *n, int64_t at);

/* Totals; between windows or after the run. */
struct orr_net_totals {
    uint64_t events; /* what the fingerprint is made from: arrivals of packets
                      * at nodes (of whole messages, if there are no packets)
                      * and steps of programs and flows. Equal runs have equal
                      * numbers of them, however they are simulated. */
    uint64_t packet_hops;
    /* By hosts, ACKs included, and by switches that copy or add; to hosts, and
     * into sums and copies: a run that is over has delivered or dropped all. */
    uint64_t packets_sent, packets_delivered;
    uint64_t packets_dropped;   /* by a full queue or by a link */
    uint64_t ecn_marks;         /* that queues set */
    uint64_t retransmissions;   /* packets sent again */
    uint64_t pfc_pauses;        /* frames that paused somebody */
    uint64_t packets_trimmed;   /* cut to their header, and not dropped */
    uint64_t timeouts;          /* of senders that waited in vain */
    int64_t longest_timeout_ps; /* what one of them waited; 0: none did */
    int64_t last_event_ps;      /* of the hashed events */
    uint64_t fingerprint;       /* of those; of what was skipped, when and how
                                 * often (state.h) */
    bool pfc;                   /* pause frames are in use */
};
void orr__net_totals(const struct orr_net *n, struct orr_net_totals *t);

/* One directed link at time t, between windows (t = now) or after the run. */
struct orr_link_sample {
    uint64_t bytes;        /* wire bytes sent by t: accepted minus queue */
    uint64_t packets;      /* accepted so far */
    int64_t busy_ps;       /* time up to t in which it was sending */
    double area;           /* integral of the queue up to t, byte * ps */
    uint64_t max_queue;    /* bytes, largest of the run */
    uint64_t queue;        /* bytes of packets that were accepted and have not
                            * left, of the one in service what is left */
    uint64_t marks, drops; /* ECN marks; drops by a full queue and by loss */
    uint64_t pauses;       /* pause frames that this link's sender obeyed */
    int64_t paused_ps;     /* time in which it held back a class, or several */
};
/* busy_ps alone of the samples below, of several links. */
void orr__net_links_busy(const struct orr_net *n, const uint32_t *links,
                         uint32_t count, int64_t t, int64_t *busy);
void orr__net_link_sample(const struct orr_net *n, uint32_t link, int64_t t,
                          struct orr_link_sample *s);
/* Packets that an outage of a link, by its number among those of the link, has
 * taken by time t, as above. */
uint64_t orr__net_outage_drops(const struct orr_net *n, uint32_t link,
                               uint32_t outage, int64_t t);
/* An observer's place: what changed since it looked last. Observers do not see
 * one another, nor does anything else of the run see them. Lives as long as the
 * net. maxima: it will call _take_max. Before the run. */
struct orr_net_cursor;
ORR_CHECK_RESULT orr_err orr__net_cursor_new(struct orr_net *n, bool maxima,
                                             struct orr_net_cursor **out,
                                             struct orr_report *why);
/* When an observer will look: next, and then each time that an interval has
 * passed. With `most`, once it has an even number of bins, that many at least,
 * two become one each and the interval doubles. interval_ps 0: it does not say,
 * or only when all is over. */
struct orr_rhythm {
    int64_t next_ps, interval_ps; /* the first time; between two */
    uint32_t bins, most;          /* so far; before two become one, 0: never */
};
void orr__net_cursor_rhythm(struct orr_net_cursor *c, struct orr_rhythm r);
/* Links whose sample may differ from that of this observer's last call, in
 * ascending order, into links (room for all); returns how many. Between
 * windows. */
uint32_t orr__net_active_links(struct orr_net *n, struct orr_net_cursor *c,
                               int64_t now, uint32_t *links);
/* Bytes of the longest queue since this observer's last call for the link.
 * Between windows. */
uint64_t orr__net_take_max(struct orr_net *n, struct orr_net_cursor *c,
                           uint32_t link, int64_t now);

/* Of one connection, after its traffic ended. */
struct orr_connection_stats {
    uint64_t packets, payload_bytes, wire_bytes; /* data only, with repeats */
    uint64_t marks; /* of these packets, which arrived with one */
    uint64_t retransmissions, timeouts; /* of the sender */
    uint64_t cnps;   /* congestion notifications that it got */
    uint64_t probes; /* tail loss probes (RFC 8985) */
};
void orr__net_connection_stats(const struct orr_net *n, uint32_t connection,
                               struct orr_connection_stats *s);

/* One connection's sender at this moment; between windows. */
struct orr_connection_sample {
    double cwnd_bytes; /* payload; infinite if there is no window */
    double rate_bps;   /* that it is paced at; 0: not paced */
    double estimate;   /* the control's (alpha ...); NaN: it has none */
    double gain;       /* on additive increases: the weight, times F of MLTCP */
    int64_t srtt_ps, rtt_ps;  /* smoothed, and the last sample; 0: none yet */
    uint64_t in_flight_bytes; /* payload, full packets */
    uint64_t sent_bytes;      /* payload, with repeats */
};
void orr__net_connection_sample(const struct orr_net *n, uint32_t connection,
                                struct orr_connection_sample *s);

/* The best rate that each directed link ever has in the run, bit/s. */
const uint64_t *orr__net_best_rates(const struct orr_net *n);

/* The links that a connection of this identity takes (ECMP; with spraying: one
 * of its paths). forward: data, else ACKs. Writes at most max link ids and
 * returns how many links the path has. */
uint32_t orr__net_path(const struct orr_net *n, uint32_t src, uint32_t dst,
                       uint64_t identity, bool forward, uint32_t *links,
                       uint32_t max);
/* The same for a connection that may have a path or an entropy of its own. */
uint32_t orr__net_path_of(const struct orr_net *n,
                          const struct orr_connection_spec *spec, bool forward,
                          uint32_t *links, uint32_t max);
/* Completion time of a flow that is alone, window unlimited: to the last ACK
 * at the source (datagrams: last arrival). Where its packets or ACKs may take
 * several ways, a bound: it cannot be there before. It ran from `from` to `to`:
 * if routes were others meanwhile, it may have taken any way, and if rates had
 * changed by its end, links have the best that they ever have; resent: not all
 * packets came in order, so nothing is said of ACKs before the last. One caller
 * at a time, between windows. */
int64_t orr__net_ideal_of(const struct orr_net *n,
                          const struct orr_connection_spec *spec,
                          uint64_t bytes, int64_t from, int64_t to,
                          bool resent);
/* Of one that ran while nothing had failed or changed. */
int64_t orr__net_ideal(const struct orr_net *n, uint32_t src, uint32_t dst,
                       uint64_t identity, uint64_t bytes);
/* Payload of its full packets: `mtu`, or `local_mtu`. */
uint64_t orr__net_mtu_of(const struct orr_net *n,
                         const struct orr_connection_spec *spec);
/* What a message takes over one of the ways, nothing queued, all links alive,
 * at the rates of the beginning. Any worker may ask. */
int64_t orr__net_idle_of(const struct orr_net *n,
                         const struct orr_connection_spec *spec,
                         uint64_t bytes);

#endif
