/* Ranks at work: each goes through its program on its own; only messages hold
 * ranks together. A rank is touched only by the thread of its host.
 *
 * rank.c is the interpreter of programs, with stream.c and gate.c; packets.c is
 * its clock of packets (clock.h): message.c sends messages, call.c runs
 * collectives. */
#ifndef ORR_WORKLOAD_RANK_RANK_H
#define ORR_WORKLOAD_RANK_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/none.h"
#include "net/net.h"
#include "workload/job/path_override.h"
#include "workload/program/jitter.h"
#include "workload/program/program.h"
#include "workload/program/receives.h"
#include "workload/rank/clock.h"
#include "workload/rank/log.h"
#include "workload/rank/mailbox.h"
#include "workload/rank/tally.h"

/* What the cost of a message keeps busy. */
enum orr_overhead {
    ORR_OVERHEAD_COMPUTE, /* the compute stream 0, in its turn */
    ORR_OVERHEAD_NIC,     /* the NIC; computations do not feel it */
    ORR_OVERHEAD_THREAD,  /* a thread that takes the CPU at once: computations
                             of stream 0 end later by what it takes */
};

/* What the ranks of a job share; immutable while it runs. */
struct orr_team {
    const char *name;             /* of the job */
    uint32_t job, ranks, members; /* members beyond ranks: hidden servers */
    uint32_t iterations;          /* of each rank */
    uint32_t overlap;             /* of these a rank has open; at least 1 */
    uint64_t seed;                /* of the job's random streams */
    const struct orr_program *program; /* finished */
    const uint32_t *hosts;             /* per member */
    const struct orr_clock *clock;     /* set before the ranks are made */
    void *clock_state;                 /* that the clock keeps */
    struct orr_net *net;
    uint32_t user; /* of the net: as which messages and timers come back */
    const struct orr_world *world;
    struct orr_jitter jitter; /* of computations that name none */
    double *slower;        /* per rank: factor on its computations; or NULL */
    bool acked;            /* a send is complete when acknowledged */
    bool arrives;          /* ... when it would have arrived */
    int64_t overhead_ps;   /* for each message, and ... */
    uint64_t overhead_bps; /* ... for its bytes; 0: nothing */
    int overhead_on;       /* enum orr_overhead */
    struct orr_jitter overhead_jitter; /* of each message's overhead */
    struct orr_jitter skew; /* a rank starts so much later than its job */
    bool free_posts;    /* a message has no overhead and waits for no request */
    uint64_t local_bps; /* between ranks of one host */
    int64_t local_delay_ps;                /* beside the time of the bytes */
    const struct orr_net_service *service; /* NULL: the network's; of the
                                              first stage */
    struct orr_iteration_terms
        *stage;      /* by the iteration from which they hold */
    uint32_t stages; /* at least one */
    uint64_t kept;   /* calls, over the iterations, that are recorded */
    struct orr_tally **tally; /* per worker */
    struct orr_watch {
        int64_t asked_ps, start_ps, end_ps; /* asked: for its stream */
        uint64_t messages; /* of a collective: that it received */
        __int128 late_ps;  /* ... sum of the times that it waited for each */
    } * watch; /* per operation: as rank 0 last carried it out; or NULL */
    struct orr_rank *rank; /* per member */
    /* Rank 0 has ended an iteration; in its thread. NULL: not wanted. */
    void (*ended)(void *arg, int64_t now);
    void *ended_arg;
    /* A rank has ended its last iteration; in its thread. NULL: not wanted. */
    void (*finished)(void *arg, uint32_t host, int64_t now);
    void *finished_arg;
    const struct orr_gate *gate; /* of the job; period 0: none */
    uint32_t judge;              /* the rank that says when the job is late */
    void *policy;    /* what the program's policy keeps: changes while the job
                        runs; NULL: it has none */
    uint32_t *group; /* per call, the first of its groups in the net (ops of it
                        are on_trees); NULL: there are none */
    const struct orr_call_replay *replay; /* NULL: all calls are simulated */
    /* Not NULL: a rank begins an iteration, a step then, when somebody calls
     * orr__rank_start, and is over when somebody calls orr__rank_finish; all
     * steps count as the first iteration. */
    const struct orr_team_stepper *stepper;
    void *stepper_arg;
};

/* Who says when ranks begin, and sends messages of his own (ORR_ARG_OWN). Both
 * in the thread of the rank. */
struct orr_team_stepper {
    void (*ended)(void *arg, struct orr_rank *r, int64_t now); /* a step */
    void (*arrived)(void *arg, struct orr_rank *r, int64_t now, uint64_t tag);
};

/* Who carries out calls otherwise, or wants to know of their ends alone. */
struct orr_call_replay {
    /* A rank enters a call: true: it need not do anything;
     * orr__collect_count_begin was called, and orr__collect_count_end will be.
     * NULL: it always has to. */
    bool (*enter)(void *arg, struct orr_rank *r, int64_t now, uint32_t op);
    /* One that was simulated is over for a rank, which does not go on. NULL: it
     * goes on. */
    void (*ended)(void *arg, struct orr_rank *r, int64_t now, uint32_t op);
    void *arg;
};

/* What happens later to a rank: queued on a stream or waiting for a timer. */
struct orr_later {
    uint64_t tag, bytes; /* of a message */
    uint32_t arg, peer;  /* of a message; arg: operation of a computation */
    uint32_t next;       /* in its queue, or the next free one */
    uint16_t stream;     /* that it is queued on */
    uint8_t kind;        /* what is to happen */
};

/* A stream of one rank: who waits, and how many have it. */
struct orr_stream {
    uint32_t head, tail; /* of struct orr_later waiting; ORR_NONE */
    uint32_t busy;       /* things that keep it */
    bool open;           /* among the rank's `open`: something may have it */
};
#define ORR_STREAM_HELD 0x80000000u

/* How a rank spent its time, up to since_ps. */
struct orr_meter {
    int64_t since_ps;  /* all below is up to then */
    int64_t finish_ps; /* of its last iteration; 0: it has not ended */
    uint32_t computing, communicating; /* operations under way */
    int64_t compute_ps;       /* one computation at least was at work */
    int64_t communication_ps; /* one send, recv or collective at least */
    int64_t overlap_ps;       /* both */
    /* the same when its last iteration so far ended; of a server, when the
     * first message of the one that it is in came */
    struct orr_spent ended;
};

/* What the job counts, by the rank where it happens. */
struct orr_counted {
    uint64_t calls_done;    /* where a call's member 0 leaves */
    uint64_t pushes, stale; /* asynchronous updates; updates of others that
                               they missed, in all */
};

/* On cache lines of its own: neighbours may belong to other threads. What each
 * message of a collective needs stands in the first two. */
struct orr_rank {
    /* what every message needs */
    _Alignas(64) struct orr_team *team;
    struct orr_tally *tally; /* of its worker: shared by the ranks there */
    struct orr_run *recent; /* the call looked at last, if that is under way; or
                               NULL */
    /* the member sent to last, and its connection; or ORR_NONE */
    uint32_t recent_peer, recent_connection;
    uint32_t rank;      /* its number in the team */
    uint32_t iteration; /* the first that is open; == team->iterations: done */
    uint32_t left;      /* operations of it not complete yet; ORR_NONE: its job
                           starts with skew, and this rank has not started */
    uint32_t firsts;    /* of the part's first operations: not started yet */
    uint32_t ready_head, ready_tail; /* of `ready` */
    uint32_t n_open;                 /* of `open` */
    bool serves;  /* a hidden parameter server: only answers */
    bool watched; /* `watch` is not NULL */
    bool steps;   /* with a stepper: it is in a step */

    _Alignas(64) uint64_t bytes_sent; /* payload, over the network */
    uint64_t bytes_received;          /* the same */
    struct orr_mailbox mail; /* of calls: what came, what is waited for */

    _Alignas(64) struct orr_watch *watch; /* of the team; NULL for most */
    uint32_t host;         /* all of the rank happens there, in its thread */
    uint32_t stage;        /* of the team's: what connections are made by */
    uint32_t shifts;       /* of the job by its gate, if this rank judges it */
    struct orr_hold *hold; /* at its job's gate; NULL: there is none */
    int64_t held_ps;       /* it has waited there */
    struct orr_log *log;   /* of the job; NULL: not wanted */

    /* Only what is under way takes room: a trace may have a million nodes. */
    struct orr_mailbox satisfied; /* operations that wait for several others:
                               how many of these are complete */
    uint32_t
        *ready; /* a ring of operations to start after the first ones;
                   ORR_STREAM_HELD beside it: its stream is its own already */
    uint32_t ready_mask;
    struct orr_stream *stream; /* of the program's streams */
    uint16_t *open; /* streams to be given away when all that becomes ready in
                       this instant waits for them */
    uint32_t calls; /* begun */
    uint32_t held;  /* operations that the policy of the program keeps back */
    struct orr_run **run;       /* calls under way, open addressing; or NULL */
    uint32_t runs, run_mask;    /* of `run`: calls; slots less one */
    struct orr_receives posted; /* receives that wait */

    struct orr_mailbox asked; /* with rendezvous: requests for messages that it
                                 has not sent yet, and sends without one */
    struct orr_receives unasked; /* of the latter, the slot of each */

    uint32_t *retired, n_retired; /* connections of stages before */
    uint32_t *peer, *connection;  /* open addressing; ORR_NONE: free */
    uint32_t peers, peer_mask;    /* of both: members; slots less one */

    struct orr_later *later;         /* by number; free ones are a list */
    uint32_t later_room, later_free; /* ORR_NONE: none is free */
    uint64_t draws;                  /* of the jitter of messages, so far */
    int64_t post_free_ps; /* with overhead at the NIC or on a thread */
    int64_t stolen_ps; /* what the thread has taken so far, and will at once */
    struct orr_meter meter;
    struct orr_counted counted, counted_ended; /* and as of meter.ended */

    /* bounded staleness; one clock a program */
    uint32_t clock_op, clock_answers; /* the operation; iterations that all
                                         workers are known to have ended */
    bool clock_waits;                 /* clock_op, for more of those */
    /* of a server: updates so far, and how many there were when it last
     * answered each call; NULL before the first */
    uint64_t updates, *answered;

    struct orr_overlap *overlap; /* NULL: one iteration at a time */
};
_Static_assert(offsetof(struct orr_rank, watch) == 128,
               "messages touch two cache lines");

/* Between two iterations: what it has spent on those that are over. */
static inline void orr__rank_note_ended(struct orr_rank *r)
{
    r->meter.ended = (struct orr_spent){
        .compute_ps = r->meter.compute_ps,
        .communication_ps = r->meter.communication_ps,
        .overlap_ps = r->meter.overlap_ps,
        .bytes_sent = r->bytes_sent,
        .bytes_received = r->bytes_received,
    };
    r->counted_ended = r->counted;
}

/* Makes a member ready for its first iteration; false: no memory. */
bool orr__rank_init(struct orr_rank *r, struct orr_team *team, uint32_t rank,
                    struct orr_tally *tally);
void orr__rank_fini(struct orr_rank *r);

/* The iteration of an operation that is at work, or comes next to it. */
uint32_t orr__rank_iteration(const struct orr_rank *r, uint32_t op);
/* Begins its first iteration; of a team with a stepper, the next one. */
void orr__rank_start(struct orr_rank *r, int64_t now);
/* With a stepper: there will be none. */
void orr__rank_finish(struct orr_rank *r);
/* A computation is over, or a gate opens: *x was in the slot of a timer. */
void orr__rank_due(struct orr_rank *r, int64_t now, const struct orr_later *x);
/* A message that a receive may wait for is there. */
void orr__rank_message(struct orr_rank *r, int64_t now, uint32_t src,
                       uint32_t tag);

/* Upcalls of the net (packets.c). slot: of orr__rank_timer_arg; src: who
 * sent. */
void orr__rank_timer(struct orr_rank *r, int64_t now, uint32_t slot);
void orr__rank_received(struct orr_rank *r, int64_t now, uint32_t src,
                        uint64_t tag, uint32_t arg);
void orr__rank_left(struct orr_rank *r, int64_t now, uint64_t tag,
                    uint32_t arg);
/* struct orr_net_ops: leaves. */
bool orr__rank_leaves(struct orr_rank *r, int64_t at, uint64_t tag,
                      uint32_t arg);

/* One sentence about what a rank waits for, or "" when it does not. */
void orr__rank_describe(const struct orr_rank *r, char *buf, size_t size);

/* A timer's argument: member and slot of orr_later; slot 0 means that the job
 * starts. */
#define ORR_TIMER_SHIFT      (UINT64_C(1) << 63) /* beside: orr__gate_shifted */
#define ORR_RANK_SLOT_BITS   24
#define ORR_RANK_MEMBER_BITS 24
static inline uint64_t orr__rank_timer_arg(const struct orr_rank *r,
                                           uint32_t slot)
{
    return (uint64_t)r->rank << ORR_RANK_SLOT_BITS | slot;
}

/* ---- between the files of a rank ---- */

/* Messages of send and recv; tag: the user's << 32 | operation. */
#define ORR_ARG_PLAIN UINT32_MAX
/* Requests for messages of a call, or of sends (rendezvous.c). */
#define ORR_ARG_REQUEST       0x80000000u
#define ORR_ARG_PLAIN_REQUEST (ORR_ARG_PLAIN - 1)
/* Messages of the team's stepper. */
#define ORR_ARG_OWN (ORR_ARG_PLAIN - 2)
/* Whether a message's arg says that it asks for one. */
static inline bool orr__is_request(uint32_t arg)
{
    return arg & ORR_ARG_REQUEST && arg != ORR_ARG_PLAIN && arg != ORR_ARG_OWN;
}
static inline uint32_t orr__request_of(uint32_t arg)
{
    return arg == ORR_ARG_PLAIN ? ORR_ARG_PLAIN_REQUEST : arg | ORR_ARG_REQUEST;
}
static inline uint32_t orr__requested_by(uint32_t request)
{
    return request == ORR_ARG_PLAIN_REQUEST ? ORR_ARG_PLAIN
                                            : request & ~ORR_ARG_REQUEST;
}
/* Messages of collectives; arg: the call. */
static inline uint64_t orr__tag_of(uint32_t iteration, uint32_t chunk,
                                   uint32_t lane, uint32_t step)
{
    return (uint64_t)(iteration & 0xffff) << 48 | (uint64_t)chunk << 34
           | (uint64_t)lane << 22 | step;
}
static inline uint32_t orr__tag_chunk(uint64_t tag)
{
    return tag >> 34 & (ORR_MAX_CHUNKS - 1);
}
static inline uint32_t orr__tag_lane(uint64_t tag)
{
    return tag >> 22 & (ORR_MAX_LANES - 1);
}
static inline uint32_t orr__tag_step(uint64_t tag)
{
    return tag & (ORR_MAX_STEPS - 1);
}

/* Where a member is in a collective, as a message's tag says. */
static inline struct orr_spot orr__spot_at(uint32_t member, uint64_t tag)
{
    return (struct orr_spot){member, orr__tag_lane(tag), orr__tag_step(tag),
                             (uint32_t)(tag >> 48)};
}
_Static_assert(ORR_DRAWING_BITS == 16, "of a tag's iteration");

/* With channels a lane is a channel, a step the member at the other end, and a
 * chunk one of these. */
enum { ORR_TAG_SLICE, ORR_TAG_ROOM };

enum orr_later_kind {
    ORR_LATER_COMPUTE, /* a computation on a stream */
    ORR_LATER_POST,    /* a message's overhead, on a stream or at the NIC */
    ORR_LATER_HOLD,    /* an operation waits for its turn on a stream */
    ORR_LATER_LEFT,    /* a message to the same host has left */
    ORR_LATER_ARRIVED, /* a message from the same host is there */
    ORR_LATER_GATE,    /* the gate of the job opens */
    ORR_LATER_POLICY,  /* a timer of the program's policy */
    ORR_LATER_CHUNK,   /* a chunk starts after the endpoint delay */
    ORR_LATER_STEP,    /* a step is over after delay and reduction; with
                          channels: a copy, of the block that is the lane */
    ORR_LATER_SLICE,   /* a slice is sent */
};

/* group.c: makes the groups of calls on trees. */
ORR_CHECK_RESULT orr_err orr__team_groups(struct orr_team *t,
                                          struct orr_report *why);
/* Whether a message is one to a tree; then it is sent there. */
bool orr__post_on_tree(struct orr_rank *r, int64_t now,
                       const struct orr_later *m);

/* An operation is complete. */
void orr__rank_complete(struct orr_rank *r, int64_t now, uint32_t op);
/* What a computation takes by its program, and as slow as its rank is, ps;
 * without jitter. */
int64_t orr__rank_slowed(const struct orr_rank *r, uint32_t op);
/* Whether messages put off a computation that is due; it is due again then. */
bool orr__rank_put_off(struct orr_rank *r, int64_t now, uint32_t slot);
/* Sets a timer for a thing that happens later. */
void orr__rank_later(struct orr_rank *r, int64_t at,
                     const struct orr_later *what);
/* packets.c: a timer for what a slot holds, after all else at that time. */
void orr__rank_timer_last(struct orr_rank *r, int64_t at, uint32_t slot);
/* Puts a computation or a message on a stream: it keeps the stream busy when
 * its turn comes. */
void orr__rank_enqueue(struct orr_rank *r, const struct orr_later *what);
/* A slot that holds *what; slot 0 is never given out. ORR_NONE: none. */
uint32_t orr__rank_keep(struct orr_rank *r, const struct orr_later *what);
/* What a slot holds; the slot is free then. */
struct orr_later orr__rank_take(struct orr_rank *r, uint32_t slot);
/* What a slot holds has its stream now. */
void orr__rank_occupy(struct orr_rank *r, int64_t now, uint32_t slot);
/* stream.c: an operation asks for its stream; it is over; one thing that kept a
 * stream is over; a stream is given away, as far as it has room; all that were
 * left are (false: there was none). */
void orr__stream_ask(struct orr_rank *r, int64_t now, uint32_t op);
void orr__stream_end(struct orr_rank *r, int64_t now, uint32_t op);
void orr__stream_release(struct orr_rank *r, uint32_t stream);
void orr__stream_serve(struct orr_rank *r, int64_t now, uint32_t stream);
bool orr__stream_give(struct orr_rank *r, int64_t now);
/* Starts all that can start now. A server has no program. */
void orr__rank_advance(struct orr_rank *r, int64_t now);
/* Whether there is anything to start, as orr__rank_advance would find out. */
static inline bool orr__rank_may_start(const struct orr_rank *r)
{
    return r->ready_head != r->ready_tail || r->firsts || r->n_open
           || (!r->serves && !r->left);
}
/* Stops the run: out of memory. Messages go on arriving until the window is
 * over, so what a rank says of itself stays true. */
void orr__rank_fail(struct orr_rank *r);
/* The same, of what was counted as waited for (-1) and could not be noted. */
void orr__rank_waits_not(struct orr_rank *r, struct orr_mailbox *m,
                         uint32_t arg, uint64_t key);

/* Sends a message, its overhead first. */
void orr__post_message(struct orr_rank *r, int64_t now, uint32_t peer,
                       uint64_t bytes, uint64_t tag, uint32_t arg);
/* The same when its receiver has asked for it; when the overhead is over. */
void orr__post_paid(struct orr_rank *r, int64_t now,
                    const struct orr_later *message);

/* Hands a message to the net, all that it waited for being over. */
void orr__post_now(struct orr_rank *r, int64_t now,
                   const struct orr_later *message);
/* The same, but its call has counted it. */
void orr__post_counted(struct orr_rank *r, int64_t now,
                       const struct orr_later *message);
/* rendezvous.c, for programs with request_bytes: whether a message may leave,
 * else it is kept; asks for one that is waited for; such a request is there. */
bool orr__rendezvous_send(struct orr_rank *r, const struct orr_later *message);
void orr__rendezvous_ask(struct orr_rank *r, int64_t now, uint32_t peer,
                         uint64_t tag, uint32_t arg);
void orr__rendezvous_asked(struct orr_rank *r, int64_t now, uint32_t peer,
                           uint64_t tag, uint32_t request);
/* What sending a message costs the rank. */
int64_t orr__post_cost(const struct orr_team *t, uint64_t bytes);
/* The same of one message, with its jitter. */
int64_t orr__post_drawn(struct orr_rank *r, uint64_t bytes);
/* A connection between two members, as this stage of the team has it. */
struct orr_connection_spec orr__post_spec(const struct orr_team *t,
                                          uint32_t stage, uint32_t src,
                                          uint32_t dst);
/* The next stage holds from now on. */
void orr__post_restage(struct orr_rank *r);
/* The stage of which connections in this one are. */
uint32_t orr__path_stage_of(const struct orr_team *t, uint32_t stage);
/* What the connection between two members is called, in the first stage. */
uint64_t orr__post_identity(const struct orr_team *t, uint32_t src,
                            uint32_t dst);

/* The slot of a peer among the connections, or the free one where it would
 * go. */
static inline uint32_t orr__peer_find(const uint32_t *peer,
                                      const uint32_t *connection, uint32_t mask,
                                      uint32_t key)
{
    uint32_t i = orr__mail_hash(key, 0) & mask;
    while (connection[i] != ORR_NONE && peer[i] != key)
        i = (i + 1) & mask;
    return i;
}
/* The connection to another member; ORR_NONE: not made yet. */
static inline uint32_t orr__rank_connection(const struct orr_rank *r,
                                            uint32_t peer)
{
    return r->peer ? r->connection[orr__peer_find(r->peer, r->connection,
                                                  r->peer_mask, peer)]
                   : ORR_NONE;
}

/* An operation may start. */
void orr__rank_ready(struct orr_rank *r, uint32_t op);
/* gate.c, for ranks with `hold`: an iteration begins; whether an operation that
 * could start is kept back, until the gate lets it go; the timer for that; the
 * job was shifted; whether something waits. */
bool orr__gate_init(struct orr_rank *r);
void orr__gate_fini(struct orr_rank *r);
bool orr__gate_begin(struct orr_rank *r);
bool orr__gate_holds(struct orr_rank *r, int64_t now, uint32_t op);
void orr__gate_open(struct orr_rank *r, int64_t now);
void orr__gate_shifted(struct orr_rank *r);
bool orr__gate_waits(const struct orr_rank *r);
/* Whether a rank ever sends anything. */
bool orr__rank_sends(const struct orr_program *p, uint32_t rank);

/* overlap.c: iterations that are open at once, with `overlap` above 1. An
 * operation is at work in one iteration at a time: in which, is how often it
 * has been complete. */
struct orr_overlap {
    uint32_t opened;   /* iterations whose operations may begin */
    uint32_t begun;    /* ... of which one has begun; <= opened */
    uint32_t first_op; /* of the rank's part */
    uint32_t *passed;  /* per operation of it: iterations that it is over in */
    uint32_t *left;    /* of iteration (rank's + i), i below team->overlap:
                          operations that are not complete */
};

/* False: no memory. */
bool orr__overlap_init(struct orr_rank *r);
void orr__overlap_fini(struct orr_rank *r);
/* Opens as many iterations as may be; r->left is of the rank's own. */
void orr__overlap_open(struct orr_rank *r);
/* The rank's iteration is the next one. */
void orr__overlap_next(struct orr_rank *r);
/* Operation op is complete: lets go of those that waited for it. */
void orr__overlap_release(struct orr_rank *r, uint32_t op);
/* Iterations up to this one have begun: how many had not before, the last ones.
 */
uint32_t orr__overlap_begin(struct orr_rank *r, uint32_t iteration);

/* op: that of this rank which names the call. */
void orr__collect_start(struct orr_rank *r, int64_t now, uint32_t op);
/* The same, what is counted alone: it enters a call, and leaves it. */
void orr__collect_count_begin(struct orr_rank *r, int64_t now, uint32_t op);
void orr__collect_count_end(struct orr_rank *r, int64_t now, uint32_t op);
/* What is counted of a call in an iteration, in the rank's thread. */
static inline struct orr_tally_call *orr__collect_record(struct orr_rank *r,
                                                         uint32_t iteration,
                                                         uint32_t call)
{
    uint64_t i = (uint64_t)iteration * r->team->program->calls + call;
    return i < r->team->kept ? &r->tally->call[i] : &r->tally->beyond;
}
void orr__collect_received(struct orr_rank *r, int64_t now, uint32_t call,
                           uint64_t tag);
void orr__collect_left(struct orr_rank *r, int64_t now, uint32_t call,
                       uint64_t tag);
/* A message will have left at `at`. Whether that is all that needs reporting of
 * it. */
bool orr__collect_leaves(struct orr_rank *r, int64_t at, uint32_t call,
                         uint64_t tag);
void orr__collect_sent(struct orr_rank *r, int64_t now, uint32_t call,
                       uint64_t tag, uint64_t bytes);
/* clock.c: a clock begins; the server's answer; a push is at its server. */
void orr__staleness_start(struct orr_rank *r, int64_t now, uint32_t op);
void orr__staleness_answer(struct orr_rank *r, int64_t now);
void orr__staleness_push(struct orr_rank *r, uint32_t call);
void orr__collect_chunk(struct orr_rank *r, int64_t now, uint32_t call,
                        uint64_t tag);
void orr__collect_step(struct orr_rank *r, int64_t now, uint32_t call,
                       uint64_t tag);

#endif
