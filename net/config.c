/* Reads the `network` map. */
#include "net/config.h"

#include <string.h>

#include "core/param.h"
#include "core/units.h"

static const char *const transports[] = {"reliable", "datagram", NULL};
static const char *const port_kinds[] = {"computed", "explicit", NULL};
static const char *const process_kinds[] = {"auto", "nodes", NULL};
static const char *const tie_kinds[] = {"index", "shuffled", NULL};

#define FIELD(name) .offset = offsetof(struct orr_net_config, name)

static const struct orr_param network_params[] = {
    {.key = "mtu", .type = ORR_PARAM_SIZE, FIELD(mtu), .fallback = "4096B",
     .min = "1B", .max = "8MiB", .help = "payload bytes of a full packet"},
    {.key = "header", .type = ORR_PARAM_SIZE, FIELD(header),
     .fallback = "0B", .max = "64KiB",
     .help = "bytes added to each data packet on the wire"},
    {.key = "ack", .type = ORR_PARAM_SIZE, FIELD(ack), .fallback = "64B",
     .min = "1B", .max = "64KiB", .help = "wire bytes of an ACK"},
    {.key = "ack_every", .type = ORR_PARAM_INT, FIELD(ack_every),
     .fallback = "1", .min = "1", .max = "1000",
     .help = "data packets for one ACK"},
    {.key = "ack_delay", .type = ORR_PARAM_TIME, FIELD(ack_delay_ps),
     .fallback = "100us", .min = "1ns",
     .help = "an ACK is held back no longer than this"},
    {.key = "transport", .type = ORR_PARAM_CHOICE, FIELD(transport),
     .fallback = "reliable", .choices = transports,
     .help = "reliable: ACKs and recovery; datagram: neither, a flow ends "
             "with its last arrival"},
    {.key = "queue", .type = ORR_PARAM_NODE, FIELD(queue_node),
     .fallback = "",
     .help = "a kind of queue and its parameters (orrery list queues)"},
    {.key = "routing", .type = ORR_PARAM_NODE, FIELD(routing_node),
     .fallback = "", .help = "how packets choose among equal paths "
                             "(orrery list routing)"},
    {.key = "cc", .type = ORR_PARAM_NODE, FIELD(cc_node), .fallback = "",
     .help = "a congestion control and its parameters (orrery list cc)"},
    {.key = "window", .type = ORR_PARAM_TEXT, FIELD(window_text),
     .fallback = "unlimited",
     .help = "with `cc: none`: unlimited, packets (16) or bytes (64KiB)"},
    {.key = "initial_window", .type = ORR_PARAM_TEXT,
     FIELD(initial_window_text), .fallback = "10",
     .help = "of the other controls: packets (10) or bytes (15KB)"},
    {.key = "idle_restart", .type = ORR_PARAM_BOOL, FIELD(idle_restart),
     .fallback = "false",
     .help = "back to the initial window after an RTO of silence (RFC 5681, "
             "section 4.1)"},
    {.key = "rto", .type = ORR_PARAM_NODE, FIELD(rto_node), .fallback = "",
     .help = "retransmission timeout: {initial: 10ms, min: 1ms, max: 1s}"},
    {.key = "reorder_window", .type = ORR_PARAM_TEXT, FIELD(reorder_text),
     .fallback = "auto",
     .help = "with paths that reorder: how much later than a packet sent "
             "after it one may arrive before it counts as lost (auto: the "
             "smoothed round-trip time)"},
    {.key = "latency", .type = ORR_PARAM_NODE, FIELD(latency_node),
     .fallback = "",
     .help = "forwarding latency: {switch: 0ns, host: 0ns}, added to the "
             "delay of every link that ends at one"},
    {.key = "ports", .type = ORR_PARAM_CHOICE, FIELD(ports),
     .fallback = "computed", .choices = port_kinds,
     .help = "computed: a departure is known on arrival; explicit: it is an "
             "event (slower, the same results)"},
    {.key = "processes", .type = ORR_PARAM_CHOICE, FIELD(processes),
     .fallback = "auto", .choices = process_kinds,
     .help = "auto: nodes joined by links much shorter than the rest are "
             "simulated as one; nodes: never (slower, the same results)"},
    {.key = "ties", .type = ORR_PARAM_CHOICE, FIELD(ties),
     .fallback = "index", .choices = tie_kinds,
     .help = "arrivals at one instant: in order of link id, or of a seeded "
             "hash of time and node"},
    ORR_PARAM_END,
};

struct latency {
    int64_t switch_ps, host_ps;
};
static const struct orr_param latency_params[] = {
    {.key = "switch", .type = ORR_PARAM_TIME,
     .offset = offsetof(struct latency, switch_ps), .fallback = "0ns",
     .help = "time in a switch before a packet can be queued"},
    {.key = "host", .type = ORR_PARAM_TIME,
     .offset = offsetof(struct latency, host_ps), .fallback = "0ns",
     .help = "time in a host before a packet is seen"},
    ORR_PARAM_END,
};

struct rto {
    int64_t initial_ps, min_ps, max_ps;
};
static const struct orr_param rto_params[] = {
    {.key = "initial", .type = ORR_PARAM_TIME,
     .offset = offsetof(struct rto, initial_ps), .fallback = "10ms",
     .min = "1ns", .help = "before the first round-trip sample"},
    {.key = "min", .type = ORR_PARAM_TIME,
     .offset = offsetof(struct rto, min_ps), .fallback = "1ms",
     .min = "1ns", .help = "never shorter than this"},
    {.key = "max", .type = ORR_PARAM_TIME,
     .offset = offsetof(struct rto, max_ps), .fallback = "1s",
     .min = "1ns", .help = "never longer; each timeout doubles it"},
    ORR_PARAM_END,
};

const struct orr_param *orr__net_params(void)
{
    return network_params;
}

struct reader {
    struct orr_config *c;
    const struct orr_yaml *network;
    struct orr_net_config *n;
    struct orr_report *why;
};

/* A family member is named by a scalar or by `kind` in a map. */
static const char *kind_of(struct reader *r, const struct orr_yaml *node,
                           const char *fallback, const struct orr_yaml **at)
{
    const struct orr_yaml *kind = orr__yaml_get(node, "kind");

    *at = node;
    if (!node || orr__yaml_is_null(node) || (orr__yaml_is_map(node) && !kind))
        return fallback;
    if (orr__yaml_is_scalar(node))
        return orr__yaml_text(r->c, node);
    if (kind && orr__yaml_is_scalar(kind)) {
        *at = kind;
        return orr__yaml_text(r->c, kind);
    }
    return NULL;
}

static orr_err unknown_kind(struct reader *r, const struct orr_yaml *at,
                            const char *what, const char *name,
                            const char *const *names)
{
    const char *near = name ? orr__param_nearest(names, name) : NULL;
    orr_err err;

    if (!name)
        return orr__yaml_fail(r->c, at, r->why,
                              "network.%s: a name is expected, or a map "
                              "with `kind`", what);
    err = orr__yaml_fail(r->c, at, r->why, "network.%s: no kind \"%s\"",
                         what, name);
    if (near)
        orr__hint(r->why, "did you mean \"%s\"?", near);
    return err;
}

#define MAX_KINDS 64

/* Reads a module's parameters; `kind` stands beside them, and is entered into
 * the effective configuration when it was left out. */
static orr_err read_module(struct reader *r, const struct orr_yaml *node,
                           const char *what, const char *name,
                           const struct orr_param *params, size_t size,
                           const void **out)
{
    const struct orr_param kind_param[] = {
        {.key = "kind", .type = ORR_PARAM_TEXT, .offset = 0, .fallback = name,
         .help = "which one"},
        ORR_PARAM_END,
    };
    const char *kind = NULL;
    void *into = orr__arena_alloc(orr__config_arena(r->c), 1,
                                  size ? size : 1);
    struct orr_param_set sets[2] = {
        {.table = kind_param, .into = &kind},
        {.table = params, .into = into},
    };

    if (!into)
        return orr__no_memory(r->why);
    *out = into;
    if (node && !orr__yaml_is_map(node))
        node = NULL; /* a bare name: all defaults */
    return orr__param_read(r->c, node, what, sets, 2, r->why);
}

static orr_err read_queue(struct reader *r)
{
    const struct orr_queue_ops *const *all = orr__queue_kinds();
    const char *names[MAX_KINDS] = {NULL};
    const struct orr_yaml *at;
    const char *name = kind_of(r, r->n->queue_node, "droptail", &at);

    for (size_t i = 0; all[i] && i < MAX_KINDS - 1; i++) {
        names[i] = all[i]->name;
        if (name && strcmp(name, all[i]->name) == 0)
            r->n->queue = all[i];
    }
    if (!r->n->queue)
        return unknown_kind(r, at, "queue", name, names);
    return read_module(r, r->n->queue_node, "network.queue", name,
                       r->n->queue->params, r->n->queue->params_size,
                       &r->n->queue_params);
}

static orr_err read_cc(struct reader *r)
{
    const struct orr_cc_ops *const *all = orr__cc_kinds();
    const char *names[MAX_KINDS] = {NULL};
    const struct orr_yaml *at;
    const char *name = kind_of(r, r->n->cc_node, "none", &at);
    orr_err err;

    for (size_t i = 0; all[i] && i < MAX_KINDS - 1; i++) {
        names[i] = all[i]->name;
        if (name && strcmp(name, all[i]->name) == 0)
            r->n->cc = all[i];
    }
    if (!r->n->cc)
        return unknown_kind(r, at, "cc", name, names);
    err = read_module(r, r->n->cc_node, "network.cc", name,
                      r->n->cc->params, r->n->cc->params_size,
                      &r->n->cc_params);
    if (err == ORR_OK && r->n->cc->check)
        err = r->n->cc->check(r->c, at, r->n->cc_params, r->why);
    return err;
}

static orr_err read_routing(struct reader *r)
{
    const struct orr_path_info *all = orr__path_kinds();
    const char *names[MAX_KINDS] = {NULL};
    static const struct orr_param none[] = {ORR_PARAM_END};
    const struct orr_yaml *at;
    const void *unused;
    const char *name = kind_of(r, r->n->routing_node, "ecmp", &at);
    bool found = false;

    for (size_t i = 0; all[i].name && i < MAX_KINDS - 1; i++) {
        names[i] = all[i].name;
        if (name && strcmp(name, all[i].name) == 0) {
            r->n->path = (enum orr_path_kind)i;
            r->n->reorders = all[i].reorders;
            found = true;
        }
    }
    if (!found)
        return unknown_kind(r, at, "routing", name, names);
    return read_module(r, r->n->routing_node, "network.routing", name,
                       none, 0, &unused);
}

/* "unlimited", "16", "16 packets" or "64KiB" into packets. */
static orr_err read_window(struct reader *r, const char *key,
                           const char *text, double *packets)
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
        uint64_t whole = (bytes + r->n->mtu - 1) / r->n->mtu;
        *packets = (double)whole;
        return ORR_OK;
    }
    return orr__yaml_fail(r->c, orr__yaml_get(r->network, key), r->why,
                          "network.%s: \"%s\" is neither `unlimited`, a "
                          "number of packets (16) nor a size (64KiB)",
                          key, text);
}

static orr_err read_small_maps(struct reader *r)
{
    struct latency latency;
    struct rto rto;
    struct orr_param_set a = {latency_params, &latency};
    struct orr_param_set b = {rto_params, &rto};
    struct orr_net_config *n = r->n;
    orr_err err = orr__param_read(r->c, n->latency_node, "network.latency",
                                  &a, 1, r->why);

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
    if (rto.min_ps > rto.max_ps)
        return orr__yaml_fail(r->c, n->rto_node, r->why,
                              "network.rto: min is larger than max");
    return ORR_OK;
}

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

orr_err orr__net_config_read(struct orr_config *c,
                             const struct orr_yaml *network,
                             struct orr_net_config **out,
                             struct orr_report *why)
{
    struct orr_net_config *n
        = orr__arena_alloc(orr__config_arena(c), 1, sizeof *n);
    struct reader r = {.c = c, .network = network, .n = n, .why = why};
    struct orr_param_set set = {network_params, n};
    orr_err err;

    if (!n)
        return orr__no_memory(why);
    err = orr__param_read(c, network, "network", &set, 1, why);
    if (err == ORR_OK)
        err = read_queue(&r);
    if (err == ORR_OK)
        err = read_cc(&r);
    if (err == ORR_OK)
        err = read_routing(&r);
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
        *out = n;
    return err;
}

struct orr_net_wire orr__net_wire(const struct orr_net_config *c)
{
    return (struct orr_net_wire){
        .mtu = c->mtu,
        .header = c->header,
        .ack = c->ack,
        .ack_every = (uint32_t)c->ack_every,
        .reliable = c->transport == ORR_TRANSPORT_RELIABLE,
    };
}
