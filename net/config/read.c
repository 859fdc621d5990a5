/* Reads the `network` map. */
#include "net/config/config.h"

#include <string.h>

#include "core/config/module.h"
#include "core/config/param.h"
#include "core/units.h"
#include "net/cc/pint.h"
#include "net/config/idle.h"
#include "net/config/preset.h"
#include "net/config/queues.h"
#include "net/config/routing.h"
#include "net/config/simulator.h"
#include "net/config/tiers.h"
#include "net/path/entropy.h"

static const char *const transports[] = {"reliable", "datagram", "analytical",
                                         NULL};
static const char *const tiers[] = {"all", "lowest", "highest", NULL};
static const char *const contentions[] = {"none", "links", NULL};
static const char *const switchings[] = {"store-and-forward", "cut-through",
                                         NULL};
static const char *const port_kinds[] = {"computed", "explicit", NULL};
static const char *const process_kinds[] = {"auto", "nodes", "one", NULL};
static const char *const recoveries[] = {"sack", "go-back-n", "selective",
                                         "rack", "ns3",       NULL};
enum { SACK_OF_NS3 = ORR_RECOVERY_RACK + 1 }; /* SACK, with `partial_acks` */
static const char *const ack_rules[] = {"auto", "count", "uec", NULL};
enum { ACKS_AUTO, ACKS_COUNTED, ACKS_OF_UEC };
static const char *const plane_choices[] = {"routing", "packet", "flow",
                                            "message", NULL};
static const char *const tie_kinds[] = {"index", "shuffled", NULL};

#define FIELD(name) .offset = offsetof(struct orr_net_config, name)

static const struct orr_param network_params[] = {
    {.key = "preset",
     .type = ORR_PARAM_TEXT,
     FIELD(preset),
     .fallback = "",
     .help =
         "a named set of defaults for the keys below (orrery list presets)"},
    {.key = "as",
     .type = ORR_PARAM_TEXT,
     FIELD(as),
     .fallback = "",
     .help = "what is set to be the same as another simulator, under `preset` "
             "and the keys below (orrery list simulators)"},
    {.key = "mtu",
     .type = ORR_PARAM_SIZE,
     FIELD(mtu),
     .fallback = "4096B",
     .min = "1B",
     .max = "8MiB",
     .help = "payload bytes of a full packet",
     .idle = orr__idle_mtu},
    {.key = "local_mtu",
     .type = ORR_PARAM_SIZE,
     FIELD(local_mtu),
     .fallback = "auto",
     .min = "1B",
     .max = "8MiB",
     .help = "the same between hosts with a path of at most two links, such as "
             "GPUs of one server; auto: mtu",
     .idle = orr__idle_local_mtu},
    {.key = "header",
     .type = ORR_PARAM_SIZE,
     FIELD(header),
     .fallback = "0B",
     .max = "64KiB",
     .help = "bytes added to each data packet on the wire"},
    {.key = "ack",
     .type = ORR_PARAM_SIZE,
     FIELD(ack),
     .fallback = "64B",
     .min = "1B",
     .max = "64KiB",
     .help = "wire bytes of an ACK",
     .idle = orr__idle_unreliable},
    {.key = "ack_every",
     .type = ORR_PARAM_INT,
     FIELD(ack_every),
     .fallback = "1",
     .min = "1",
     .max = "1000",
     .help = "data packets for one ACK",
     .idle = orr__idle_ack_every},
    {.key = "ack_rule",
     .type = ORR_PARAM_CHOICE,
     FIELD(ack_rule),
     .fallback = "auto",
     .choices = ack_rules,
     .help = "when the receiver acknowledges: count (`ack_every`, `ack_delay`, "
             "and every packet beyond a gap) or uec (as Ultra Ethernet: the "
             "first packet, marked ones, every `ack_bytes`, and where the "
             "sender asks: at the end of its window or data); auto: uec where "
             "senders choose entropies, else count",
     .idle = orr__idle_unreliable},
    {.key = "ack_bytes",
     .type = ORR_PARAM_SIZE,
     FIELD(ack_bytes),
     .fallback = "16KiB",
     .min = "1B",
     .max = "1GiB",
     .help = "`ack_rule: uec`: wire bytes of data for one ACK",
     .idle = orr__idle_ack_bytes},
    {.key = "ack_delay",
     .type = ORR_PARAM_TIME,
     FIELD(ack_delay_ps),
     .fallback = "100us",
     .min = "1ns",
     .help = "longest delay of an ACK",
     .idle = orr__idle_ack_delay},
    {.key = "transport",
     .type = ORR_PARAM_CHOICE,
     FIELD(transport),
     .fallback = "reliable",
     .choices = transports,
     .help = "reliable: ACKs and recovery; datagram: neither, a flow ends with "
             "its last arrival; analytical: no packets, a message takes the "
             "delays of its path and its time on the slowest link, whatever "
             "else is in flight"},
    {.key = "contention",
     .type = ORR_PARAM_CHOICE,
     FIELD(contention),
     .fallback = "none",
     .choices = contentions,
     .help = "analytical: none: messages never wait; links: a message is "
             "stored whole at every node and waits for each link",
     .idle = orr__idle_not_analytical},
    {.key = "resolution",
     .type = ORR_PARAM_TIME,
     FIELD(resolution_ps),
     .fallback = "1ps",
     .min = "1ps",
     .max = "1ms",
     .help =
         "analytical: times of messages are rounded down to a multiple of this",
     .idle = orr__idle_not_analytical},
    {.key = "tiers",
     .type = ORR_PARAM_CHOICE,
     FIELD(tiers),
     .fallback = "all",
     .choices = tiers,
     .help = "analytical: lowest: only links of the lowest tier or dimension "
             "of a path count, as in ASTRA-sim 2.x; highest: as in 1.0",
     .idle = orr__idle_tiers},
    {.key = "recovery",
     .type = ORR_PARAM_CHOICE,
     FIELD(recovery),
     .fallback = "rack",
     .choices = recoveries,
     .help = "of lost packets: rack (RFC 8985, by time, with a tail loss "
             "probe; as in Linux), sack (RFC 6675, by count), go-back-n (as "
             "RoCE NICs do, with NACKs), selective (one packet sent later has "
             "arrived, where paths keep order) or ns3 (sack, and an ACK for a "
             "part of what was lost sends one packet at once, RFC 6582)",
     .idle = orr__idle_unreliable},
    {.key = "handshake",
     .type = ORR_PARAM_BOOL,
     FIELD(handshake),
     .fallback = "false",
     .help = "a new connection starts with a handshake, as in TCP: a round "
             "trip with packets of `ack` bytes, and one more before the data"},
    {.key = "nack_interval",
     .type = ORR_PARAM_TIME,
     FIELD(nack_interval_ps),
     .fallback = "500us",
     .help = "go-back-n: time after which a gap is reported again",
     .idle = orr__idle_nack_interval},
    {.key = "queue",
     .type = ORR_PARAM_NODE,
     FIELD(queue_node),
     .fallback = "",
     .help = "a kind of queue and its parameters (orrery list queues)"},
    {.key = "buffer",
     .type = ORR_PARAM_NODE,
     FIELD(buffer_node),
     .fallback = "",
     .help = "packet memory of a switch: {kind: port} or {kind: shared, size: "
             "32MiB, alpha: 0.125} (orrery help buffer)",
     .idle = orr__idle_buffer},
    {.key = "pfc",
     .type = ORR_PARAM_NODE,
     FIELD(pfc_node),
     .fallback = "",
     .help = "pause frames: {enabled: true} (orrery help pfc)"},
    {.key = "classes",
     .type = ORR_PARAM_INT,
     FIELD(least_classes),
     .fallback = "1",
     .min = "1",
     .max = "8",
     .help = "traffic classes in use, even if no job or flow has them",
     .idle = orr__idle_classes},
    {.key = "routing",
     .type = ORR_PARAM_NODE,
     FIELD(routing_node),
     .fallback = "",
     .help = "how packets choose among equal-cost paths (orrery list routing)",
     .idle = orr__idle_routing},
    {.key = "plane",
     .type = ORR_PARAM_CHOICE,
     FIELD(plane),
     .fallback = "routing",
     .choices = plane_choices,
     .help = "with topology.planes, how a host chooses the plane: packet (in "
             "turn), flow (by hash), message (those of a connection in turn), "
             "or as routing says",
     .idle = orr__idle_plane},
    {.key = "by_tier",
     .type = ORR_PARAM_NODE,
     FIELD(tier_node),
     .fallback = "",
     .help = "rules of some links alone: {TIER: {queue, routing, mtu}}; TIER "
             "is a tier of the graph (orrery topo), `server` (links inside "
             "servers) or a pattern of link names, as \"leaf* > spine*\"; the "
             "first that fits holds (orrery help by_tier)"},
    {.key = "cc",
     .type = ORR_PARAM_NODE,
     FIELD(cc_node),
     .fallback = "",
     .help = "a congestion control and its parameters (orrery list cc)",
     .idle = orr__idle_control},
    {.key = "window",
     .type = ORR_PARAM_TEXT,
     FIELD(window_text),
     .fallback = "unlimited",
     .help = "with `cc: none`: unlimited, packets (16) or bytes (64KiB)",
     .idle = orr__idle_window},
    {.key = "initial_window",
     .type = ORR_PARAM_TEXT,
     FIELD(initial_window_text),
     .fallback = "10",
     .help = "of the other controls: packets (10) or bytes (15KB)",
     .idle = orr__idle_initial_window},
    {.key = "idle_restart",
     .type = ORR_PARAM_BOOL,
     FIELD(idle_restart),
     .fallback = "false",
     .help = "return to the initial window after an idle RTO (RFC 5681, "
             "section 4.1)",
     .idle = orr__idle_idle_restart},
    {.key = "rto",
     .type = ORR_PARAM_NODE,
     FIELD(rto_node),
     .fallback = "",
     .help = "retransmission timeout: {initial: auto, min: 1ms, max: 1s} "
             "(orrery help rto)",
     .idle = orr__idle_unreliable},
    {.key = "reorder_window",
     .type = ORR_PARAM_TEXT,
     FIELD(reorder_text),
     .fallback = "auto",
     .help =
         "rack, and selective where routing reorders: how much later than a "
         "packet sent after it a packet may arrive before it counts as lost "
         "(auto: the smoothed round-trip time where routing reorders; else by "
         "RFC 8985: none after three packets or in recovery, a quarter of the "
         "least round-trip time before, more after reordering)",
     .idle = orr__idle_reorder_window},
    {.key = "nic",
     .type = ORR_PARAM_NODE,
     FIELD(nic_node),
     .fallback = "",
     .help = "how hosts queue: {queue: fair} or {queue: fifo, marks: step} "
             "(orrery help nic)",
     .idle = orr__idle_analytical},
    {.key = "in_network",
     .type = ORR_PARAM_NODE,
     FIELD(in_network_node),
     .fallback = "",
     .help = "switches that add up what a group sends: a kind and its "
             "parameters (orrery list in-network)",
     .idle = orr__idle_in_network},
    {.key = "latency",
     .type = ORR_PARAM_NODE,
     FIELD(latency_node),
     .fallback = "",
     .help = "forwarding latency: {switch: 0ns, host: 0ns}, added to the "
             "delay of every link that ends at one"},
    {.key = "switching",
     .type = ORR_PARAM_CHOICE,
     FIELD(switching),
     .fallback = "store-and-forward",
     .choices = switchings,
     .help = "store-and-forward: a switch forwards whole packets; cut-through: "
             "from the header on, if the output is free",
     .idle = orr__idle_switching},
    {.key = "cut_through_header",
     .type = ORR_PARAM_SIZE,
     FIELD(cut_through_header),
     .fallback = "64B",
     .min = "1B",
     .max = "64KiB",
     .help = "bytes that a switch needs before it forwards",
     .idle = orr__idle_cut_through},
    {.key = "ports",
     .type = ORR_PARAM_CHOICE,
     FIELD(ports),
     .fallback = "computed",
     .choices = port_kinds,
     .help = "computed: a departure is known on arrival; explicit: it is an "
             "event (slower, the same results)"},
    {.key = "processes",
     .type = ORR_PARAM_CHOICE,
     FIELD(processes),
     .fallback = "auto",
     .choices = process_kinds,
     .help = "auto: nodes joined by links much shorter than the rest are "
             "simulated as one; nodes: never (slower, same results); one: all "
             "nodes, by one thread"},
    {.key = "ties",
     .type = ORR_PARAM_CHOICE,
     FIELD(ties),
     .fallback = "shuffled",
     .choices = tie_kinds,
     .help = "order of arrivals at one instant: by link id (equal flows may "
             "then share unequally for ever), or by a seeded hash of time, "
             "node and link"},
    ORR_PARAM_END,
};

/* The map `latency`, ps. */
struct latency {
    int64_t switch_ps, host_ps;
};
static const struct orr_param latency_params[] = {
    {.key = "switch",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct latency, switch_ps),
     .fallback = "0ns",
     .help = "time in a switch before a packet can be queued",
     .idle = orr__idle_latency},
    {.key = "host",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct latency, host_ps),
     .fallback = "0ns",
     .help = "time in a host before a packet is handled"},
    ORR_PARAM_END,
};

/* The map `rto`, ps; ORR_AUTO: by the path. */
struct rto {
    int64_t initial_ps, min_ps, max_ps, probe_ps;
    int timer;
};
static const char *const timer_runs[] = {"auto", "always", "never", NULL};
static const struct orr_param rto_params[] = {
    {.key = "initial",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct rto, initial_ps),
     .fallback = "auto",
     .min = "1ns",
     .help = "before the first round-trip sample, also for a handshake; auto: "
             "three times the base round trip of the connection's path (RFC "
             "6298 with that as a sample), at most max, at least 10ms",
     .idle = orr__idle_timeout},
    {.key = "min",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct rto, min_ps),
     .fallback = "1ms",
     .min = "1ns",
     .help = "shortest",
     .idle = orr__idle_timeouts},
    {.key = "max",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct rto, max_ps),
     .fallback = "1s",
     .min = "1ns",
     .help = "longest; each timeout doubles it",
     .idle = orr__idle_timeouts},
    {.key = "probe",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct rto, probe_ps),
     .fallback = "0ns",
     .help = "rack: added to two smoothed round-trip times after which a tail "
             "loss probe is sent (RFC 8985 adds nothing, Linux 2ms)",
     .idle = orr__idle_probe},
    {.key = "timer",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct rto, timer),
     .fallback = "auto",
     .choices = timer_runs,
     .help = "auto: no timer if pause frames keep all packets and no link "
             "loses packets or fails; otherwise it stops while the host is "
             "paused; never: only losses that the receiver reports are "
             "repaired, as with the RDMA NICs of HPCC's simulator"},
    ORR_PARAM_END,
};

enum { NIC_FAIR, NIC_FIFO };
static const char *const nic_queues[] = {"fair", "fifo", NULL};
enum { NIC_NONE, NIC_STEP };
static const char *const nic_marks[] = {"none", "step", NULL};

/* The map `nic`: places among the choices of each key. */
struct nic {
    int queue, marks;
};
static const struct orr_param nic_params[] = {
    {.key = "queue",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct nic, queue),
     .fallback = "fair",
     .choices = nic_queues,
     .help = "fair: round robin among connections, a packet is made when the "
             "port is free, as in Linux with TCP small queues; fifo: all that "
             "a window allows is queued at once, ACKs behind it, as in ns-3"},
    {.key = "marks",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct nic, marks),
     .fallback = "none",
     .choices = nic_marks,
     .help = "fifo: step: packets of the host are marked above the threshold "
             "of `queue: {kind: ecn}`"},
    ORR_PARAM_END,
};

const struct orr_param *orr__rto_params(void)
{
    return rto_params;
}

const struct orr_param *orr__nic_params(void)
{
    return nic_params;
}

const struct orr_param *orr__net_params(void)
{
    return network_params;
}

/* The map that is read, what it goes into, and where errors go. */
struct reader {
    struct orr_config *c;
    const struct orr_yaml *network;
    struct orr_net_config *n;
    struct orr_report *why;
};

/* The name of a control, or of the one that it wraps. */
static const char *innermost(const struct orr_cc *cc)
{
    const struct orr_cc_base *base = cc->params;

    return cc->ops->wraps ? base->ops->name : cc->ops->name;
}

/* What a control that is used asks of the network. */
static orr_err note_control(struct orr_config *c, struct orr_net_config *n,
                            const struct orr_cc *cc, const struct orr_yaml *at,
                            const char *what, struct orr_report *why)
{
    const struct orr_pint *p = cc->pint, *q = n->pint;

    n->telemetry |= cc->telemetry;
    n->pulls |= cc->ops->request != NULL;
    if (cc->ops->request && n->acks_known && !n->uec_acks)
        return orr__yaml_fail(c, at, why,
                              "%s: %s goes by ACKs that only `ack_rule: "
                              "uec` and `transport: reliable` have",
                              what, cc->ops->name);
    if (!n->marks_for)
        n->marks_for = cc->marks;
    if (!n->hops_for && cc->telemetry && !cc->pint)
        n->hops_for = innermost(cc);
    if (cc->state_size > 0 && !n->controlled)
        n->control_node = at;
    n->controlled |= cc->state_size > 0;
    if (p && q
        && (p->rtt_ps != q->rtt_ps || p->base < q->base || p->base > q->base
            || p->share < q->share || p->share > q->share
            || p->forgets != q->forgets))
        return orr__yaml_fail(c, at, why,
                              "%s: ports keep one "
                              "`telemetry: pint` for all, and another control "
                              "has another round-trip time of ports, "
                              "pint_base, pint_share or pint_form",
                              what);
    if (p)
        n->pint = p;
    return ORR_OK;
}

/* The control of connections that name none, with weight 1. */
static orr_err read_cc(struct reader *r)
{
    struct orr_net_service *own = &r->n->service;
    orr_err err;

    own->weight = 1;
    err = orr__cc_read(r->c, r->n->cc_node, "network.cc", &r->n->used.facts,
                       &own->cc, r->why);
    if (err == ORR_OK)
        err = note_control(r->c, r->n, own->cc, r->n->cc_node, "network.cc",
                           r->why);
    return err;
}

/* Where the sender chooses entropies, by what ACKs of UEC say of them. */
static orr_err read_entropies(struct reader *r)
{
    struct orr_net_config *n = r->n;
    bool reliable = n->transport == ORR_TRANSPORT_RELIABLE;

    if (n->transport != ORR_TRANSPORT_ANALYTICAL)
        n->entropy = orr__entropy_of(n->path);
    n->uec_acks =
        reliable
        && (n->ack_rule == ACKS_OF_UEC
            || (n->ack_rule == ACKS_AUTO && (n->entropy != NULL || n->pulls)));
    n->acks_known = true;
    if (n->pulls && !n->uec_acks)
        return note_control(r->c, n, n->service.cc, n->cc_node, "network.cc",
                            r->why);
    if (!n->entropy || !n->entropy->hear || n->uec_acks || !reliable)
        return ORR_OK;
    return orr__yaml_fail(r->c, n->routing_node, r->why,
                          "network.routing: %s goes by what ACKs say of each "
                          "packet, and only those of `ack_rule: uec` do",
                          orr__path_kinds()[n->path].name);
}

/* How nodes choose among next hops, and what that means for connections. */
static orr_err read_routing(struct reader *r)
{
    struct orr_net_config *n = r->n;
    orr_err err = orr__routing_read(r->c, n->routing_node, "network.routing", n,
                                    &n->path, &n->path_params, r->why);

    n->plain_path = n->path;
    n->reorders = orr__path_reorders(n->path, &n->path_params);
    n->moves = orr__path_moves(n->path, &n->path_params);
    n->detours = orr__path_detours(n->path);
    n->flowlets = (uint32_t)n->path_params.table;
    return err == ORR_OK ? read_entropies(r) : err;
}

/* "unlimited", "16", "16 packets" or "64KiB" into packets. */
static orr_err read_window(struct reader *r, const char *key, const char *text,
                           double *packets)
{
    char digits[32];
    const char *space = strstr(text, " packet");
    size_t n = space ? (size_t)(space - text) : strlen(text);
    int64_t count;
    uint64_t bytes;

    if (strcmp(text, "unlimited") == 0) {
        *packets = ORR_CC_UNLIMITED;
        return ORR_OK;
    }
    if (n < sizeof digits) {
        memcpy(digits, text, n);
        digits[n] = '\0';
        if (!orr__parse_int(digits, &count) && count >= 1
            && count <= 1000000000) {
            *packets = (double)count;
            return ORR_OK;
        }
    }
    if (!orr__parse_size(text, &bytes) && bytes >= 1) {
        uint64_t whole = (bytes - 1) / r->n->mtu + 1;
        *packets = (double)whole;
        return ORR_OK;
    }
    return orr__yaml_fail(r->c, orr__yaml_get(r->network, key), r->why,
                          "network.%s: \"%s\" is neither `unlimited`, a "
                          "number of packets (16) nor a size (64KiB)",
                          key, text);
}

/* Needs the queue: what a NIC marks, it marks by that one's threshold. */
static orr_err read_nic(struct reader *r)
{
    struct nic nic;
    struct orr_param_set set = {nic_params, &nic};
    struct orr_net_config *n = r->n;
    orr_err err =
        orr__param_read(r->c, n->nic_node, "network.nic", &set, 1, r->why);

    if (err != ORR_OK)
        return err;
    n->nic.fifo = nic.queue == NIC_FIFO;
    n->nic.marks = nic.marks == NIC_STEP;
    if (n->nic.marks && !n->nic.fifo)
        return orr__yaml_fail(r->c, n->nic_node, r->why,
                              "network.nic: with `queue: fair` no queue forms "
                              "that could mark; `queue: fifo` has one");
    if (n->nic.marks && !n->queue->threshold)
        return orr__yaml_fail(r->c, n->nic_node, r->why,
                              "network.nic: `marks: step` uses the "
                              "threshold of `network.queue: {kind: ecn}`, and "
                              "this one is %s",
                              n->queue->name);
    return ORR_OK;
}

/* latency and rto; sets what timers go by (first, least, most) as given,
 * net/config/timers.h changes it later. */
static orr_err read_small_maps(struct reader *r)
{
    struct latency latency;
    struct rto rto;
    struct orr_net_config *n = r->n;
    struct orr_param_set a = {latency_params, &latency, n};
    struct orr_param_set b = {rto_params, &rto, n};
    orr_err err = orr__param_read(r->c, n->latency_node, "network.latency", &a,
                                  1, r->why);

    if (err != ORR_OK)
        return err;
    n->latency.switch_ps = latency.switch_ps;
    n->latency.host_ps = latency.host_ps;
    err = orr__param_read(r->c, n->rto_node, "network.rto", &b, 1, r->why);
    if (err != ORR_OK)
        return err;
    n->rto.initial_ps = rto.initial_ps;
    n->rto.min_ps = rto.min_ps;
    n->rto.max_ps = rto.max_ps;
    n->rto.probe_ps = rto.probe_ps;
    n->rto.timer = rto.timer;
    n->rto.first_ps = rto.initial_ps;
    n->rto.least_ps = rto.min_ps;
    n->rto.most_ps = rto.max_ps;
    n->held_ps = n->ack_every > 1 && !n->uec_acks ? n->ack_delay_ps : 0;
    if (rto.min_ps > rto.max_ps)
        return orr__yaml_fail(r->c, n->rto_node, r->why,
                              "network.rto: min is larger than max");
    return ORR_OK;
}

/* Of the switches of the network, and of those inside servers. */
static orr_err read_in_network(struct reader *r)
{
    struct orr_net_config *n = r->n;
    const struct orr_yaml *servers = orr__yaml_get(
        orr__yaml_get(orr__config_root(r->c), "topology"), "servers");
    orr_err err =
        orr__in_network_read(r->c, n->in_network_node, "network.in_network",
                             n->mtu, &n->in_network, r->why);

    if (err == ORR_OK)
        err =
            orr__in_network_read(r->c, orr__yaml_get(servers, "in_network"),
                                 "topology.servers.in_network",
                                 n->local_mtu < n->mtu ? n->local_mtu : n->mtu,
                                 &n->in_servers, r->why);
    return err;
}

static orr_err check_handshake(const struct reader *r)
{
    const struct orr_net_config *n = r->n;

    if (!n->handshake || n->transport == ORR_TRANSPORT_RELIABLE)
        return ORR_OK;
    return orr__yaml_fail(r->c, orr__yaml_get(r->network, "handshake"), r->why,
                          "network.handshake: `transport: %s` has none, "
                          "because it has no answers",
                          transports[n->transport]);
}

/* "auto" or a time; ORR_NEVER stands for auto. */
static orr_err read_reorder(struct reader *r)
{
    const char *text = r->n->reorder_text, *problem;

    r->n->reorder_ps = ORR_NEVER;
    if (strcmp(text, "auto") == 0)
        return ORR_OK;
    problem = orr__parse_time(text, &r->n->reorder_ps);
    if (!problem)
        return ORR_OK;
    return orr__yaml_fail(r->c, orr__yaml_get(r->network, "reorder_window"),
                          r->why, "network.reorder_window: %s", problem);
}

/* The keys of the map itself, under which a preset and a simulator lie. */
static orr_err read_keys(struct reader *r)
{
    struct orr_net_config *n = r->n;
    struct orr_param_set set = {network_params, n, n};
    orr_err err = orr__preset_apply(r->c, r->network, r->why);

    if (err == ORR_OK)
        err = orr__simulator_apply(r->c, r->network, r->why);
    if (err == ORR_OK)
        err = orr__param_read(r->c, r->network, "network", &set, 1, r->why);
    if (n->recovery == SACK_OF_NS3) {
        n->recovery = ORR_RECOVERY_SACK;
        n->partial_acks = true;
    }
    if (n->local_mtu == ORR_AUTO_SIZE)
        n->local_mtu = n->mtu;
    return err;
}

orr_err orr__net_config_read(struct orr_config *c,
                             const struct orr_yaml *network,
                             struct orr_net_draft **out, struct orr_report *why)
{
    struct orr_net_draft *draft =
        orr__arena_alloc(orr__config_arena(c), 1, sizeof *draft);
    struct orr_net_config *n = draft ? &draft->config : NULL;
    struct reader r = {.c = c, .network = network, .n = n, .why = why};
    orr_err err;

    if (!n)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < ORR_MOST_CLASSES; i++)
        n->class_weight[i] = 1;
    err = read_keys(&r);
    n->classes = err == ORR_OK ? (uint32_t)n->least_classes : 1;
    n->switching_node = orr__yaml_get(network, "switching");
    if (err == ORR_OK)
        err = orr__net_queues_read(c, draft, why);
    if (err == ORR_OK)
        err = read_cc(&r);
    if (err == ORR_OK)
        err = read_routing(&r);
    if (err == ORR_OK)
        err = read_nic(&r);
    if (err == ORR_OK)
        err = read_small_maps(&r);
    if (err == ORR_OK)
        err = read_window(&r, "window", n->window_text, &n->window);
    if (err == ORR_OK)
        err = read_window(&r, "initial_window", n->initial_window_text,
                          &n->initial_window);
    if (err == ORR_OK)
        err = read_reorder(&r);
    if (err == ORR_OK)
        err = read_in_network(&r);
    if (err == ORR_OK)
        err = check_handshake(&r);
    if (err == ORR_OK)
        err = orr__tiers_read(c, n, why);
    if (err == ORR_OK)
        *out = draft;
    return err;
}

orr_err orr__net_service_read(struct orr_config *c, struct orr_net_draft *draft,
                              const struct orr_yaml *cc, const char *what,
                              uint32_t class, double weight,
                              struct orr_net_service *out,
                              struct orr_report *why)
{
    struct orr_net_config *n = &draft->config;
    orr_err err = ORR_OK;

    *out = n->service;
    out->class = class;
    out->weight = weight;
    if (cc)
        err = orr__simulator_control(c, cc, n->as, why);
    if (cc && err == ORR_OK)
        err = orr__cc_read(c, cc, what, &n->used.facts, &out->cc, why);
    if (cc && err == ORR_OK) {
        n->used.controlled |= out->cc->state_size > 0;
        n->used.uncontrolled |= out->cc->state_size == 0;
        n->used.begins |= orr__cc_begins(out->cc);
    }
    if (err == ORR_OK)
        err = note_control(c, n, out->cc, cc, what, why);
    if (err == ORR_OK && class >= n->classes)
        n->classes = class + 1;
    return err;
}
