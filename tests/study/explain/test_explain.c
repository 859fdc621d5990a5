/* Why things took as long as they did: a few by hand, and of every control on
 * several networks that the parts add up. A byte takes 1 ns at 8 Gbps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/none.h"
#include "net/cc/cc.h"
#include "study/explain/explain.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"

#define NS INT64_C(1000)
#define US INT64_C(1000000)

static struct orr_explanation *explain(const char *yaml,
                                       const struct orr_explain_options *o)
{
    char name[] = "/tmp/orrery-explain-XXXXXX", text[2048];
    struct orr_explanation *e = NULL;
    struct orr_report why = {0};
    int fd = mkstemp(name);
    orr_err err;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, yaml, strlen(yaml)), strlen(yaml));
    close(fd);
    err = orr__explain(name, o, &e, &why);
    unlink(name);
    if (err != ORR_OK) {
        orr__report_format(&why, text, sizeof text);
        fail_msg("%s\n%s", text, yaml);
    }
    return e;
}

/* Time on a cause; owner NONE: whoever. */
static int64_t spent(const struct orr_subject *s, enum orr_cause cause,
                     uint32_t owner)
{
    int64_t ps = 0;

    for (uint32_t i = 0; i < s->parts; i++)
        if (s->part[i].what.cause == cause
            && (owner == ORR_NONE || s->part[i].what.owner == owner))
            ps += s->part[i].ps;
    return ps;
}

#define ANY ORR_NONE

/* Legs follow one another, pieces fill them, and all that is the duration. */
static void check(const struct orr_explanation *e)
{
    assert_true(e->n > 0);
    for (uint32_t i = 0; i < e->n; i++) {
        const struct orr_subject *s = &e->subject[i];
        int64_t sum = 0, at = s->path.leg[0].from;

        assert_true(at <= s->path.from);
        for (uint32_t k = 0; k < s->path.n; k++) {
            const struct orr_leg *l = &s->path.leg[k];

            assert_int_equal(l->from, at);
            assert_int_equal(l->line.from, at);
            for (uint32_t p = 0; p < l->line.n; p++) {
                assert_true(l->line.piece[p].until > at);
                at = l->line.piece[p].until;
            }
            assert_int_equal(l->until, at);
        }
        assert_int_equal(at, s->path.until);
        for (uint32_t k = 0; k < s->parts; k++) {
            assert_true(s->part[k].ps > 0);
            sum += s->part[k].ps;
        }
        assert_int_equal(sum, s->path.until - s->path.from);
        if (s->owner == ORR_OWNER_IS_FLOWS)
            continue;
        assert_int_equal(s->path.until,
                         e->world->jobs[s->owner].iteration[s->last].end_ps);
    }
}

/* All iterations, and each job's slowest. */
static void adds_up(const char *yaml)
{
    struct orr_explain_options o = {.which = ORR_EXPLAIN_ALL};
    struct orr_explanation *e = explain(yaml, &o);
    char *text = orr__explanation_text(e), *json = orr__explanation_json(e);

    check(e);
    assert_non_null(text);
    assert_non_null(json);
    orr__free(text);
    orr__free(json);
    orr__explanation_free(e);
    o.which = ORR_EXPLAIN_SLOWEST;
    e = explain(yaml, &o);
    check(e);
    orr__explanation_free(e);
}

static void flow_adds_up(const char *yaml, uint32_t flow)
{
    struct orr_explain_options o = {.has_flow = true, .flow = flow};
    struct orr_explanation *e = explain(yaml, &o);
    const struct orr_flow *f = &e->world->flows->flow[flow];

    check(e);
    assert_int_equal(e->subject[0].path.until - e->subject[0].path.from,
                     f->finish_ps - f->start_ps);
    orr__explanation_free(e);
}

/* ---- by hand ---- */

#define SWITCH                                                                 \
    "topology: {kind: switch, hosts: 4, "                                      \
    "link: {rate: 8Gbps, delay: 1us}}\n"                                       \
    "record: none\n"

/* 3,000 B in packets of 1,000: two packets' time before the last sets out, two
 * links of store and forward, and an ACK of 64 B back. */
static void one_flow(void **state)
{
    struct orr_explain_options o = {.has_flow = true};
    struct orr_explanation *e =
        explain(SWITCH "network: {mtu: 1000B, ack: 64B}\n"
                       "flows: [{src: 0, dst: 1, size: 3000B}]\n",
                &o);
    const struct orr_subject *s = &e->subject[0];

    check(e);
    assert_int_equal(s->path.until - s->path.from, 8128 * NS);
    assert_int_equal(spent(s, ORR_CAUSE_SERIALISATION, ANY), 4128 * NS);
    assert_int_equal(spent(s, ORR_CAUSE_PROPAGATION, ANY), 4 * US);
    orr__explanation_free(e);
}

/* The window of two packets is open again an ACK after the first has left. */
static void window(void **state)
{
    struct orr_explain_options o = {.has_flow = true};
    struct orr_explanation *e =
        explain(SWITCH "network: {mtu: 1000B, ack: 64B, window: 2}\n"
                       "flows: [{src: 0, dst: 1, size: 3000B}]\n",
                &o);
    const struct orr_subject *s = &e->subject[0];

    check(e);
    /* the first ACK is back after 2 * 1064 + 4000 ns; two packets have left */
    assert_int_equal(spent(s, ORR_CAUSE_WINDOW, ANY), (6128 - 2000) * NS);
    assert_int_equal(s->path.until - s->path.from, (6128 + 6128) * NS);
    orr__explanation_free(e);
}

/* Computation, then a message; then the NIC's turn among two messages. */
static void compute_and_turns(void **state)
{
    struct orr_explain_options o = {.job = "v"};
    struct orr_explanation *e =
        explain(SWITCH "network: {mtu: 1000B, ties: index}\n"
                       "jobs:\n"
                       "- {name: w, ranks: 2, placement: [0, 3], program: "
                       "[{compute: 5us}, {broadcast: {size: 4000B}}]}\n"
                       "- {name: v, ranks: 2, placement: [0, 2], program: "
                       "[{compute: 5us}, {broadcast: {size: 1000B}}]}\n",
                &o);
    const struct orr_subject *s = &e->subject[0];

    check(e);
    assert_int_equal(e->n, 1);
    assert_int_equal(s->owner, 1);
    assert_int_equal(spent(s, ORR_CAUSE_COMPUTE, ANY), 5 * US);
    /* w was first, and in the list again before v came */
    assert_int_equal(spent(s, ORR_CAUSE_TURN, 0), 2000 * NS);
    assert_int_equal(spent(s, ORR_CAUSE_SERIALISATION, ANY), 2000 * NS);
    assert_int_equal(spent(s, ORR_CAUSE_PROPAGATION, ANY), 2 * US);
    assert_true(orr__is_other(s, 0));
    assert_false(orr__is_other(s, 1));
    assert_false(orr__is_other(s, ORR_OWNER_SELF));
    orr__explanation_free(e);
}

/* Time in which the NIC is said to have sent packets of nobody. */
static int64_t turns_of_nobody(const struct orr_subject *s)
{
    int64_t ps = 0;

    for (uint32_t i = 0; i < s->parts; i++)
        if (s->part[i].what.cause == ORR_CAUSE_TURN
            && s->part[i].what.owner == ORR_NONE)
            ps += s->part[i].ps;
    return ps;
}

/* Windows that close while the NIC is at a packet: a port that stands still
 * after it waits for the window, and for no pause frame, as none is sent. */
static void closed_at_its_turn(void **state)
{
    int64_t window[2];

    for (int pfc = 0; pfc < 2; pfc++) {
        struct orr_explain_options o = {.job = "v"};
        struct orr_explanation *e;
        char yaml[1024];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: dumbbell, left: 2, "
                 "right: 2, link: {rate: 50Gbps, delay: 1us}}\n"
                 "network: {preset: tcp-dctcp, pfc: {enabled: %s}}\n"
                 "record: none\njobs:\n"
                 "- {name: v, placement: [0, 2], ranks: 2, iterations: 2, "
                 "program: [{compute: 200us}, {all-reduce: {size: 8MiB}}]}\n"
                 "- {name: w, placement: [1, 3], ranks: 2, iterations: 2, "
                 "program: [{compute: 300us}, {all-reduce: {size: 8MiB}}]}\n",
                 pfc ? "true" : "false");
        e = explain(yaml, &o);
        check(e);
        assert_int_equal(spent(e->subject, ORR_CAUSE_PAUSE, ANY), 0);
        assert_int_equal(turns_of_nobody(e->subject), 0);
        assert_true(spent(e->subject, ORR_CAUSE_TURN, ANY) > 0);
        window[pfc] = spent(e->subject, ORR_CAUSE_WINDOW, ANY);
        orr__explanation_free(e);
    }
    assert_int_equal(window[0], window[1]);
}

/* Three send to one, whose switch holds them back; who has most of what it
 * holds is to blame, and NICs that stand still have no turns. */
static void paused(void **state)
{
    struct orr_explain_options o = {.has_flow = true};
    struct orr_explanation *e = explain(
        SWITCH
        "network: {mtu: 1000B, window: 200, queue: {kind: droptail, "
        "capacity: 60KB}, pfc: {enabled: true, xoff: 10KB}}\n"
        "flows: [{src: 1, dst: 0, size: 200KB}, {src: 2, dst: 0, size: 200KB}, "
        "{src: 3, dst: 0, size: 200KB}]\n",
        &o);
    const struct orr_subject *s = &e->subject[0];

    check(e);
    assert_true(spent(s, ORR_CAUSE_PAUSE, ORR_OWNER_IS_FLOWS) > 100 * US);
    assert_int_equal(spent(s, ORR_CAUSE_PAUSE, ORR_OWNER_IS_FLOWS),
                     spent(s, ORR_CAUSE_PAUSE, ANY));
    assert_int_equal(turns_of_nobody(s), 0);
    orr__explanation_free(e);
}

/* What is in the way of a job's message at the switch is another's. */
static void behind_others(void **state)
{
    struct orr_explain_options o = {
        .which = ORR_EXPLAIN_ONE, .job = "v", .alone = true};
    struct orr_explanation *e = explain(
        SWITCH
        "network: {mtu: 1000B, ties: index}\n"
        "jobs:\n"
        "- {name: w, ranks: 2, placement: [0, 2], program: "
        "[{broadcast: {size: 4000B}}]}\n"
        "- {name: v, ranks: 2, placement: [1, 2], start: 1500ns, program: "
        "[{broadcast: {size: 1000B}}]}\n",
        &o);
    const struct orr_subject *s = &e->subject[0];

    check(e);
    /* at the switch after 1,500 + 2,000 ns; w's packets there are sent from
     * 2, 3, 4 and 5 us on, and the one of 3 us is under way */
    assert_int_equal(spent(s, ORR_CAUSE_QUEUEING, 0), 500 * NS);
    assert_int_equal(s->path.until - s->path.from, 4500 * NS);
    assert_int_equal(s->baseline_ps, 4000 * NS);
    orr__explanation_free(e);
}

/* ---- everything adds up ---- */

#define TWO_JOBS                                                               \
    "jobs:\n"                                                                  \
    "- {name: v, ranks: 8, iterations: 2, placement: strided, "                \
    "program: [{compute: 5us}, {all-reduce: {size: 256KiB}}]}\n"               \
    "- {name: w, ranks: 8, iterations: 3, placement: strided, "                \
    "program: [{compute: 3us}, {all-to-all: {size: 128KiB}}]}\n"               \
    "record: none\n"

static const char *const networks[] = {
    "topology: {kind: fat-tree, k: 8, link: {rate: 100Gbps, delay: 1us}}\n"
    "network: {mtu: 1448B, header: 54B, ack: 54B, ack_every: 2, queue: {kind: "
    "ecn, capacity: 1MB, threshold: 30KB}, ",
    "topology: {kind: ring, hosts: 20, link: {rate: 100Gbps, delay: 1us}}\n"
    "network: {mtu: 4096B, header: 64B, queue: {kind: ecn, capacity: 1MB, "
    "threshold: 30KB}, ",
    "topology: {kind: leaf-spine, leaves: 4, spines: 1, hosts_per_leaf: 4, "
    "link: {rate: 50Gbps, delay: 500ns}}\n"
    "network: {mtu: 1000B, header: 48B, queue: {kind: ecn, capacity: 60KB, "
    "threshold: 20KB}, rto: {min: 100us}, ",
    "topology: {kind: torus, dims: [4, 4], link: {rate: 50Gbps, delay: "
    "500ns}}\n"
    "network: {mtu: 1000B, header: 48B, routing: spray, queue: {kind: ecn, "
    "capacity: 500KB, threshold: 20KB}, ",
};

static void every_control(void **state)
{
    char yaml[2048];

    for (size_t k = 0; orr__cc_kinds()[k]; k++)
        for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
            const char *name = orr__cc_kinds()[k]->name;

            snprintf(yaml, sizeof yaml, "%scc: {kind: %s}}\n" TWO_JOBS,
                     networks[i], name);
            adds_up(yaml);
        }
}

static void every_control_in_incast(void **state)
{
    char yaml[2048];

    for (size_t k = 0; orr__cc_kinds()[k]; k++) {
        snprintf(yaml, sizeof yaml,
                 "%scc: {kind: %s}}\nrecord: none\n"
                 "flows: [{generate: incast, dst: 0, size: 40KB}]\n",
                 networks[0], orr__cc_kinds()[k]->name);
        flow_adds_up(yaml, 0);
        flow_adds_up(yaml, 60);
    }
}

#define LEAVES                                                                 \
    "topology: {kind: leaf-spine, leaves: 4, spines: 2, "                      \
    "hosts_per_leaf: 4, link: {rate: 50Gbps, delay: 500ns}}\n"

static void ways_of_ports(void **state)
{
    static const char *const ways[] = {
        "ports: explicit, queue: {kind: ecn, capacity: 1MB, threshold: 30KB}, "
        "cc: dctcp",
        "queue: {kind: droptail, capacity: 80KB}, pfc: {enabled: true}",
        "queue: {kind: red, capacity: 80KB, kmin: 5KB, kmax: 40KB, mark: "
        "dequeue}, pfc: {enabled: true}, cc: dcqcn, recovery: go-back-n",
        "switching: cut-through, queue: {kind: ecn, capacity: 1MB, threshold: "
        "30KB}, cc: dctcp",
        "queue: {kind: trim, capacity: 12KB}, cc: nscc, routing: spray",
        "queue: {kind: droptail, capacity: 15KB}, cc: cubic, recovery: sack, "
        "rto: {min: 50us}",
        "queue: {kind: droptail, capacity: 15KB}, cc: reno, recovery: "
        "go-back-n, rto: {min: 50us}",
        "queue: {kind: droptail, scheduler: drr, capacity: 1MB}, classes: 2",
        "buffer: {kind: shared, size: 200KB}, cc: cubic, rto: {min: 50us}",
        "transport: datagram, queue: {kind: droptail, capacity: 8MB}",
        "ack_every: 8, ack_delay: 2us, cc: swift",
        "routing: adaptive, cc: dctcp, queue: {kind: ecn, capacity: 1MB, "
        "threshold: 30KB}",
    };
    char yaml[2048];

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(yaml, sizeof yaml,
                 LEAVES "network: {mtu: 1000B, header: 48B, "
                        "%s}\n" TWO_JOBS,
                 ways[i]);
        adds_up(yaml);
    }
}

/* Every kind of topology, with the routes that it is for, under a window with
 * marks, a rate with pause frames, sprayed and trimmed packets, and delay. */
static void every_topology(void **state)
{
    static const char *const topologies[] = {
        "kind: ring, hosts: 16",
        "kind: fully-connected, hosts: 12",
        "kind: fat-tree, k: 4",
        "kind: fat-tree, hosts: 32, "
        "oversubscription: 4",
        "kind: torus, dims: [4, 2, 2]",
        "kind: parameter-server, workers: 8, servers: 8, racks: 4",
        "kind: switch, hosts: 16",
        "kind: dumbbell, left: 8, right: 8",
        "kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 4",
        "kind: clos, hosts: 32, radix: 8",
        "kind: dragonfly, h: 2",
        "kind: hyperx, dims: [3, 3], hosts_per_switch: 2",
        "kind: slimfly, q: 5",
        "kind: jellyfish, switches: 10, degree: "
        "4, hosts_per_switch: 2",
        "kind: bcube, n: 4, k: 1",
        "kind: rail-optimised, servers: {gpus: 4, link: {rate: 400Gbps, "
        "delay: 300ns}}, hosts: 16",
        "kind: rail-only, servers: {gpus: 4, link: {rate: 400Gbps, delay: "
        "300ns}}, hosts: 16",
    };
    static const char *const controls[] = {
        "routing: ecmp, cc: dctcp, queue: {kind: ecn, capacity: 1MB, "
        "threshold: 30KB}",
        "preset: roce-dcqcn",
        "preset: uec-nscc",
        "routing: valiant, cc: swift",
    };
    char yaml[2048];

    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        for (size_t k = i % 2; k < sizeof controls / sizeof *controls; k += 2) {
            snprintf(yaml, sizeof yaml,
                     "topology: {link: {rate: 50Gbps, "
                     "delay: 500ns}, %s}\nnetwork: {%s}\n" TWO_JOBS,
                     topologies[i], controls[k]);
            adds_up(yaml);
        }
}

/* Detours are chosen by packets as they go, and k paths beforehand. */
static void every_routing(void **state)
{
    static const char *const ways[] = {
        "first",    "ecmp",    "spray", "{kind: flowlet, gap: 5us}",
        "adaptive", "valiant", "ugal",  "k-shortest",
    };
    char yaml[2048];

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(yaml, sizeof yaml,
                 "topology: {kind: dragonfly, h: 2, link: "
                 "{rate: 50Gbps, delay: 500ns}}\nnetwork: {mtu: 1000B, cc: "
                 "dctcp, queue: {kind: ecn, capacity: 1MB, threshold: 30KB}, "
                 "routing: %s}\n" TWO_JOBS,
                 ways[i]);
        adds_up(yaml);
    }
}

/* Adds what gates took, of all iterations, to *gated. */
static void explain_gates(const char *yaml, int64_t *gated)
{
    const struct orr_explain_options o = {.which = ORR_EXPLAIN_ALL};

    adds_up(yaml);
    struct orr_explanation *e = explain(yaml, &o);
    for (uint32_t k = 0; k < e->n; k++)
        *gated += spent(&e->subject[k], ORR_CAUSE_GATE, ANY);
    orr__explanation_free(e);
}

/* What the jobs do about one another: classes, shares, weights, gates. */
static void every_schedule(void **state)
{
    static const char *const schedules[] = {
        "none",    "{kind: weights, weights: {v: 2}}",
        "mltcp",   "fair",
        "ideal",   "priority",
        "cassini", "crux"};
    char yaml[2048];
    int64_t gated = 0;

    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        snprintf(yaml, sizeof yaml,
                 LEAVES
                 "network: {mtu: 1000B, header: 48B, "
                 "cc: dctcp, queue: {kind: ecn, capacity: 1MB, threshold: "
                 "30KB}}\nschedule: %s\n" TWO_JOBS,
                 schedules[i]);
        explain_gates(yaml, &gated);
    }
    /* two that fit into turns, which their gates hold */
    explain_gates("topology: {kind: dumbbell, left: 2, right: 2, link: {rate: "
                  "10Gbps, delay: 1us}}\nnetwork: {cc: dctcp, queue: {kind: "
                  "ecn, capacity: 1MB, threshold: 30KB}}\nschedule: cassini\n"
                  "record: none\njobs:\n"
                  "- {name: v, ranks: 2, iterations: 4, placement: [0, 2], "
                  "program: [{compute: 200us}, {send: {from: 0, to: 1, size: "
                  "100KB}}]}\n"
                  "- {name: w, ranks: 2, iterations: 4, placement: [1, 3], "
                  "program: [{compute: 200us}, {send: {from: 0, to: 1, size: "
                  "100KB}}]}\n",
                  &gated);
    assert_true(gated > 0);
}

static void ways_of_ranks(void **state)
{
    static const char *const ways[] = {
        "message_overhead: {time: 1us, on: compute}",
        "message_overhead: {time: 1us, on: nic}",
        "message_overhead: {time: 1us, on: thread}",
        "complete: acked",
        "local: {rate: 100GB/s, delay: 50ns}, placement: [0, 0, 1, 1, 4, 4, "
        "8, 8]",
        "jitter: {kind: uniform, spread: 0.2}",
    };
    char yaml[2048];

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(yaml, sizeof yaml,
                 LEAVES
                 "network: {mtu: 1000B, header: 48B, "
                 "cc: dctcp, queue: {kind: ecn, capacity: 1MB, threshold: "
                 "30KB}}\nrecord: none\njobs:\n"
                 "- {name: v, ranks: 8, iterations: 3, program: [{compute: "
                 "5us}, {parallel: [{compute: 30us}, {all-reduce: {size: "
                 "64KiB, chunks: 2, concurrent: 2, endpoint_delay: 300ns, "
                 "memory: 100GB/s}}]}, {all-gather: {size: 4KiB}}], %s}\n",
                 ways[i]);
        adds_up(yaml);
    }
}

static void links_that_change(void **state)
{
    adds_up(LEAVES "network: {mtu: 1000B, cc: dctcp, queue: {kind: ecn, "
                   "capacity: 1MB, threshold: 30KB}, rto: {min: 100us}}\n"
                   "failures: [{link: [leaf0, spine0], down: 20us, up: "
                   "400us}]\n" TWO_JOBS);
    adds_up(LEAVES "network: {mtu: 1000B, cc: dctcp, queue: {kind: ecn, "
                   "capacity: 1MB, threshold: 30KB}}\n"
                   "failures: [{link: [leaf0, spine0], at: 20us, rate: "
                   "10Gbps}]\n" TWO_JOBS);
}

/* Who is in the way is known in another way of either kind of port. */
static void computed_as_explicit(void **state)
{
    static const char *const controls[] = {"dctcp", "swift", "cubic"};
    const struct orr_explain_options o = {.which = ORR_EXPLAIN_ALL};
    char yaml[2048];

    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        struct orr_explanation *e[2];
        char *text[2];

        for (int k = 0; k < 2; k++) {
            snprintf(yaml, sizeof yaml,
                     "%scc: %s, ports: %s}\n" TWO_JOBS
                     "flows: [{src: 0, dst: 9, size: 300KB}]\n",
                     networks[2], controls[i], k ? "explicit" : "computed");
            e[k] = explain(yaml, &o);
            text[k] = orr__explanation_text(e[k]);
        }
        assert_string_equal(text[0], text[1]);
        for (int k = 0; k < 2; k++) {
            orr__free(text[k]);
            orr__explanation_free(e[k]);
        }
    }
}

/* ---- what cannot be explained ---- */

static void refuses(const char *yaml, const struct orr_explain_options *o,
                    orr_err code, const char *message)
{
    char name[] = "/tmp/orrery-explain-XXXXXX";
    struct orr_explanation *e = NULL;
    struct orr_report why = {0};
    int fd = mkstemp(name);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, yaml, strlen(yaml)), strlen(yaml));
    close(fd);
    assert_int_equal(orr__explain(name, o, &e, &why), code);
    unlink(name);
    assert_string_equal(why.message, message);
    assert_null(e);
}

static void refusals(void **state)
{
    const char *yaml = SWITCH "jobs: [{name: v, ranks: 4, iterations: 2, "
                              "program: [{all-reduce: {size: 64KiB}}]}]\n";

    refuses(yaml, &(struct orr_explain_options){.job = "w"}, ORR_ECONFIG,
            "no job is called \"w\"");
    refuses(yaml, &(struct orr_explain_options){.has_flow = true}, ORR_ECONFIG,
            "there is no flow 0: the configuration has none");
    refuses(
        yaml,
        &(struct orr_explain_options){.which = ORR_EXPLAIN_ONE, .iteration = 2},
        ORR_ECONFIG, "job v has no iteration 2: they are numbered from 0 to 1");
    refuses(SWITCH "stop: 1us\njobs: [{name: v, ranks: 4, program: "
                   "[{all-reduce: {size: 64KiB}}]}]\n",
            &(struct orr_explain_options){0}, ORR_ERUN,
            "job v was stopped before it ended iteration 0");
    refuses(SWITCH "stop: 1us\nflows: [{src: 0, dst: 1, size: 1MB}]\n",
            &(struct orr_explain_options){.has_flow = true}, ORR_ERUN,
            "flow 0 has not ended");
    refuses(SWITCH "network: {transport: analytical}\n"
                   "flows: [{src: 0, dst: 1, size: 1MB}]\n",
            &(struct orr_explain_options){0}, ORR_ECONFIG,
            "network.transport: analytical has no packets to explain");
    refuses(SWITCH "cluster: {arrivals: {kind: poisson, load: 0.5, most: 2}, "
                   "jobs: [{name: t, gpus: [2], iterations: 1, program: "
                   "[{all-reduce: {size: 64KiB}}]}]}\n",
            &(struct orr_explain_options){.alone = true}, ORR_ECONFIG,
            "for a cluster, jobs are explained relative to alone, over all "
            "iterations: only --job is accepted");
}

/* Wherever memory runs out, that is said, and nothing is lost. */
static void out_of_memory(void **state)
{
    char name[] = "/tmp/orrery-explain-XXXXXX";
    const char *yaml =
        SWITCH "network: {mtu: 1000B, cc: dctcp, queue: {kind: "
               "droptail, capacity: 4KB}, rto: {min: 20us}}\n"
               "jobs: [{name: v, ranks: 4, iterations: 2, program: "
               "[{all-to-all: {size: 16KB}}]}]\n"
               "flows: [{src: 0, dst: 1, size: 8KB}]\n";
    int fd = mkstemp(name), failed = 0;
    orr_err err = ORR_ENOMEM;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, yaml, strlen(yaml)), strlen(yaml));
    close(fd);
    for (uint64_t n = 1; err != ORR_OK; n += 1 + n / 16, failed++) {
        const struct orr_explain_options o = {.alone = true};
        struct orr_explanation *e = NULL;
        struct orr_report why = {0};

        orr__memory_fail_after(n, 1);
        err = orr__explain(name, &o, &e, &why);
        if (err == ORR_OK) {
            char *text = orr__explanation_text(e);
            char *json = orr__explanation_json(e);

            orr__memory_fail_after(0, 0);
            orr__free(text);
            orr__free(json);
        } else {
            assert_int_equal(err, ORR_ENOMEM);
            assert_null(e);
        }
        orr__memory_fail_after(0, 0);
        orr__explanation_free(e);
    }
    unlink(name);
    assert_true(failed > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_flow),
        cmocka_unit_test(window),
        cmocka_unit_test(compute_and_turns),
        cmocka_unit_test(closed_at_its_turn),
        cmocka_unit_test(paused),
        cmocka_unit_test(behind_others),
        cmocka_unit_test(every_control),
        cmocka_unit_test(every_control_in_incast),
        cmocka_unit_test(ways_of_ports),
        cmocka_unit_test(every_topology),
        cmocka_unit_test(every_routing),
        cmocka_unit_test(every_schedule),
        cmocka_unit_test(ways_of_ranks),
        cmocka_unit_test(links_that_change),
        cmocka_unit_test(computed_as_explicit),
        cmocka_unit_test(refusals),
        cmocka_unit_test(out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
