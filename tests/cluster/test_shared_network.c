/* Jobs that come and go: the same as jobs that were there from the beginning,
 * and nothing is left of those that went. */
#include "tests/workload/small_workload.h"

#include <malloc.h>
#include <time.h>

#include "cluster/shared_network.h"
#include "core/random.h"
#include "core/units.h"
#include "workload/job/job.h"

/* ---- one set of jobs, known before and made to come -------------------- */

#define MOST 8

struct coming {
    const char *what;
    const char *network;   /* topology and all but jobs */
    const char *job[MOST]; /* inside of their maps; NULL ends */
    int64_t start_us[MOST];
};

static uint32_t count(const struct coming *c)
{
    uint32_t n = 0;
    while (n < MOST && c->job[n])
        n++;
    return n;
}

static void text_of(const struct coming *c, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s\njobs:\n", c->network);
    for (uint32_t i = 0; i < count(c); i++)
        used += (size_t)snprintf(text + used, size - used,
                                 "- {start: %lldus, %s}\n",
                                 (long long)c->start_us[i], c->job[i]);
    assert_true(used < size);
}

/* When they are made known; CLOSING: and closed; TIDY: and numbers are given
 * to others as soon as can be. */
enum manner { BEFORE, JUST_BEFORE, CLOSING, TIDY };

static struct orr_shared_network *open_shared_network(const char *text,
                                                      unsigned threads)
{
    const struct orr_options o = {.threads = threads};
    struct orr_report why = {0};
    struct orr_shared_network *l = NULL;
    if (orr__shared_network_open("live", text, &o, 10000, &l, &why) != ORR_OK)
        fail_msg("%s", why.message);
    return l;
}

static void add(struct orr_shared_network *l, const char *inside,
                uint32_t number, int64_t at_ps)
{
    struct orr_report why = {0};
    char text[2000];
    snprintf(text, sizeof text, "{%s}", inside);
    if (orr__shared_network_add(l, text, number, at_ps, &why) != ORR_OK)
        fail_msg("%s: %s", text, why.message);
}

static int64_t run_to(struct orr_shared_network *l, int64_t until_ps)
{
    struct orr_report why = {0};
    int64_t now;
    if (orr__shared_network_run(l, until_ps, &now, &why) != ORR_OK)
        fail_msg("%s", why.message);
    return now;
}

static struct orr_shared_network_figures close_job(struct orr_shared_network *l,
                                                   uint32_t number)
{
    struct orr_report why = {0};
    struct orr_shared_network_figures f;
    if (orr__shared_network_close(l, number, &f, &why) != ORR_OK)
        fail_msg("%s", why.message);
    return f;
}

static void tidy(struct orr_shared_network *l)
{
    struct orr_report why = {0};
    if (orr__shared_network_tidy(l, &why) != ORR_OK)
        fail_msg("%s", why.message);
}

/* The job does what it did among the others of `w`. */
static void same_job(const struct coming *c, struct orr_shared_network *l,
                     uint32_t i, const struct orr_job *known, bool closing)
{
    uint32_t iterations;
    int64_t last;
    assert_true(orr__shared_network_ended(l, i));
    assert_true(orr__shared_network_progress(l, i, &iterations, &last));
    if (last != known->finish_ps)
        fail_msg("%s: job %u ends at %lld, not at %lld", c->what, i,
                 (long long)last, (long long)known->finish_ps);
    assert_int_equal(iterations, known->iterations);
    for (uint32_t k = 0; k < iterations; k++)
        assert_int_equal(orr__shared_network_end_of(l, i, k),
                         known->iteration[k].end_ps);
    if (!closing)
        return;
    const struct orr_shared_network_figures f = close_job(l, i);
    assert_true(f.ended);
    assert_int_equal(f.end_ps, known->finish_ps);
    assert_int_equal(f.start_ps, c->start_us[i] * ORR_US);
    if (known->members == known->ranks) /* servers answer afterwards, too */
        assert_int_equal(f.bytes_sent, known->bytes_sent);
}

/* Runs to the end; jobs that end are looked at. */
static void live_out(const struct coming *c, struct orr_shared_network *l,
                     enum manner manner, const struct orr_world *known)
{
    bool seen[MOST] = {false};
    uint32_t n = count(c), next = 0, ended = 0;
    for (uint32_t i = 0; manner == BEFORE && i < n; i++)
        add(l, c->job[i], i, c->start_us[i] * ORR_US);
    next = manner == BEFORE ? n : 0;
    for (;;) {
        int64_t until = next < n ? c->start_us[next] * ORR_US : ORR_NEVER;
        int64_t now = run_to(l, until);
        for (uint32_t i = 0; i < next; i++)
            if (!seen[i] && orr__shared_network_ended(l, i)) {
                seen[i] = true;
                ended++;
                same_job(c, l, i, &known->jobs[i], manner >= CLOSING);
            }
        if (manner == TIDY)
            tidy(l);
        for (; next < n && c->start_us[next] * ORR_US <= now; next++)
            add(l, c->job[next], next, c->start_us[next] * ORR_US);
        if (ended == n)
            break;
        if (manner == TIDY && next < n) /* in the midst of things, too */
            (void)run_to(l, now + (until - now) / 2);
    }
    run_to(l, ORR_NEVER); /* what is under way */
}

static void is_the_same(const struct coming *c, enum manner manner,
                        unsigned threads, orr_experiment *known)
{
    char text[8000];
    text_of(c, text, sizeof text);
    struct orr_shared_network *l = open_shared_network(text, threads);
    live_out(c, l, manner, orr__experiment_world(known));
    if (orr__shared_network_fingerprint(l) != orr_experiment_fingerprint(known))
        fail_msg("%s: manner %d, %u threads: another fingerprint", c->what,
                 (int)manner, threads);
    struct orr_net_totals a, b;
    orr__shared_network_totals(l, &a);
    orr__net_totals(orr__experiment_world(known)->net, &b);
    assert_int_equal(a.packets_sent, b.packets_sent);
    assert_int_equal(a.ecn_marks, b.ecn_marks);
    assert_int_equal(a.packets_dropped, b.packets_dropped);
    orr__shared_network_free(l);
}

#define TREE                                                                   \
    "seed: 7\n"                                                                \
    "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}\n"
#define RING(hosts)                                                            \
    "ranks: 4, iterations: 3, placement: [" hosts "], "                        \
    "program: [compute: 20us, all-reduce: {size: 256KiB, algorithm: ring}]"
#define SWAP(hosts)                                                            \
    "ranks: 4, iterations: 4, placement: [" hosts "], "                        \
    "program: [all-to-all: {size: 300KB}, compute: 7us]"
/* Five jobs. Two come when a computation of the first ends on their host, one
 * when all is over. */
#define MEET                                                                   \
    .job = {RING("0, 4, 8, 12"), SWAP("1, 0, 9, 5"), RING("0, 5, 8, 13"),      \
            SWAP("2, 6, 10, 0"), RING("3, 7, 11, 15")},                        \
    .start_us = {0, 20, 20, 111, 90000}

static const struct coming sets[] = {
    {.what = "no control", .network = TREE, MEET},
    {.what = "reno",
     .network = TREE "network: {cc: {kind: reno}, queue: "
                     "{kind: droptail, capacity: 60KB}}",
     MEET},
    {.what = "cubic",
     .network = TREE "network: {cc: {kind: cubic}, queue: "
                     "{kind: droptail, capacity: 60KB}, recovery: sack}",
     MEET},
    {.what = "dctcp",
     .network =
         TREE "network: {cc: {kind: dctcp}, queue: "
              "{kind: ecn, capacity: 200KB, threshold: 30KB}, ack_every: 2}",
     MEET},
    {.what = "dcqcn and pfc",
     .network =
         TREE "network: {cc: {kind: dcqcn}, "
              "queue: {kind: red, capacity: 1MB, kmin: 20KB, kmax: 100KB}, "
              "pfc: {enabled: true, xoff: 60KB}}",
     MEET},
    {.what = "timely", .network = TREE "network: {cc: {kind: timely}}", MEET},
    {.what = "swift, spraying",
     .network = TREE "network: {cc: {kind: swift}, routing: spray}",
     MEET},
    {.what = "hpcc", .network = TREE "network: {cc: {kind: hpcc}}", MEET},
    {.what = "flowlets",
     .network =
         TREE "network: {cc: {kind: dctcp}, "
              "routing: {kind: flowlet}, queue: {kind: ecn, capacity: 200KB, "
              "threshold: 30KB}}",
     MEET},
    {.what = "datagrams",
     .network = TREE "network: {transport: datagram, queue: {kind: droptail, "
                     "capacity: 100MB}}",
     MEET},
    {.what = "formulas",
     .network = TREE "network: {transport: analytical}",
     MEET},
    {.what = "mltcp",
     .network = TREE "network: {cc: {kind: dctcp}}\n"
                     "schedule: mltcp",
     MEET},
    {.what = "fair", .network = TREE "schedule: fair", MEET},
    {.what = "a link that fails while nothing runs, and back",
     .network = TREE "network: {cc: {kind: reno}}\n"
                     "failures: [{link: [16, 24], down: 50ms, up: 80ms}]",
     MEET},
    {.what = "handshakes",
     .network =
         TREE "network: {cc: {kind: reno}, "
              "handshake: true, queue: {kind: droptail, capacity: 60KB}}",
     MEET},
    {.what = "background",
     .network = TREE "network: {cc: {kind: dctcp}}\n"
                     "flows: [{generate: permutation, size: 200KB}]",
     MEET},
};

static void jobs_that_come_are_as_jobs_that_were_there(void **state)
{
    for (size_t i = 0; i < COUNT(sets); i++) {
        char text[8000];
        text_of(&sets[i], text, sizeof text);
        orr_experiment *known = experiment_run(text, 1);
        for (int m = BEFORE; m <= TIDY; m++)
            is_the_same(&sets[i], (enum manner)m, 1 + (i + m) % 3, known);
        orr_experiment_free(known);
    }
}

/* Jobs that have all that a job can have of its own. */
static const struct coming own[] = {
    {.what = "services of their own",
     .network = TREE
     "network: {queue: {scheduler: strict, kind: ecn, capacity: 200KB, "
     "threshold: 30KB}}",
     .job = {"class: 1, cc: {kind: dctcp}, " RING("0, 4, 8, 12"),
             "cc: {kind: hpcc}, weight: 2, " SWAP("1, 0, 9, 5"),
             "changes: [{iteration: 2, class: 1}], " RING("0, 5, 8, 13")},
     .start_us = {3, 40, 77}},
    {.what = "shares",
     .network = TREE "network: {queue: {scheduler: fair}}",
     .job = {"weight: 3, " RING("0, 4, 8, 12"), SWAP("1, 0, 9, 5"),
             RING("0, 5, 8, 13")},
     .start_us = {0, 0, 50}},
    {.what = "gates, jitter, overhead",
     .network = TREE,
     .job =
         {"gate: {period: 150us, offset: 20us, drift: {threshold: 2%}}, " RING(
              "0, 4, 8, 12"),
          "jitter: {kind: normal, spread: 0.1}, " SWAP("1, 0, 9, 5"),
          "message_overhead: {time: 1us, on: thread}, complete: acked, " RING(
              "0, 5, 8, 13")},
     .start_us = {10, 20, 333}},
    {.what = "servers and staleness",
     .network = TREE,
     .job = {"ranks: 4, iterations: 5, placement: [0, 4, 8, 12], "
             "model: vgg11-cifar, sync: parameter-server, "
             "asynchronous: true, staleness: 1, servers: [1, 5]",
             SWAP("1, 0, 9, 5")},
     .start_us = {0, 3000}},
    {.what = "ways",
     .network = TREE,
     .job = {"paths: [{from: 0, to: 1, choice: 1}], " RING("0, 4, 8, 12"),
             "paths: {entropy: 5}, " SWAP("1, 0, 9, 5")},
     .start_us = {0, 31}},
};

static void jobs_keep_what_is_their_own(void **state)
{
    for (size_t i = 0; i < COUNT(own); i++) {
        char text[8000];
        text_of(&own[i], text, sizeof text);
        orr_experiment *known = experiment_run(text, 1);
        for (int m = BEFORE; m <= TIDY; m++)
            is_the_same(&own[i], (enum manner)m, 1 + (i + m) % 2, known);
        orr_experiment_free(known);
    }
}

/* ---- stopping ------------------------------------------------------------ */

/* A job that is stopped under way. */
struct stopping {
    const char *what, *network;
};

static const struct stopping kinds[] = {
    {"no control", TREE},
    {"lossy reno", TREE "network: {cc: {kind: reno}, queue: {kind: droptail, "
                        "capacity: 60KB}}"},
    {"dcqcn and pfc",
     TREE "network: {cc: {kind: dcqcn}, queue: {kind: red, "
          "capacity: 1MB, kmin: 20KB, kmax: 100KB}, pfc: {enabled: true, "
          "xoff: 60KB}}"},
    {"hpcc", TREE "network: {cc: {kind: hpcc}}"},
    {"paced", TREE "network: {cc: {kind: swift}, routing: spray}"},
    {"shares", TREE "network: {queue: {scheduler: fair}}"},
    {"trimmed", TREE "network: {cc: {kind: nscc}, queue: {kind: trim, "
                     "capacity: 80KB}, routing: spray}"},
    {"go back n", TREE "network: {recovery: go-back-n, queue: {kind: droptail, "
                       "capacity: 60KB}}"},
    {"datagrams", TREE "network: {transport: datagram, queue: {kind: droptail, "
                       "capacity: 100MB}}"},
    {"formulas", TREE "network: {transport: analytical, contention: links}"},
    {"handshakes", TREE "network: {cc: {kind: cubic}, handshake: true}"},
    {"NICs that queue",
     TREE "network: {nic: {queue: fifo}, cc: {kind: dctcp}, "
          "queue: {kind: ecn, capacity: 10MB, threshold: 30KB}}"},
};

#define LONG(hosts)                                                            \
    "ranks: 4, iterations: 1000, placement: [" hosts "], "                     \
    "program: [all-to-all: {size: 300KB}, compute: 7us]"

/* Stops it at so many us, and says what is then known of it. */
static struct orr_shared_network_figures stop_at(struct orr_shared_network *l,
                                                 uint32_t number, int64_t us)
{
    assert_int_equal(run_to(l, us * ORR_US), us * ORR_US);
    assert_false(orr__shared_network_ended(l, number));
    return close_job(l, number);
}

static void a_job_that_is_stopped_leaves_nothing(void **state)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (int64_t us = 1; us < 400; us = us * 3 / 2 + 1) {
            struct orr_shared_network *l =
                open_shared_network(kinds[i].network, 1 + us % 3);
            struct orr_net_totals t;
            add(l, LONG("0, 4, 8, 12"), 0, 0);
            add(l, LONG("0, 5, 9, 13"), 1, 0);
            const struct orr_shared_network_figures f = stop_at(l, 0, us);
            assert_false(f.ended);
            assert_int_equal(f.end_ps, us * ORR_US);
            if (us & 1)
                tidy(l);
            (void)stop_at(l, 1, us + 3);
            run_to(l, ORR_NEVER); /* audited: nothing is under way */
            orr__shared_network_totals(l, &t);
            if (t.packets_sent != t.packets_delivered + t.packets_dropped)
                fail_msg("%s: packets are missing", kinds[i].what);
            assert_in_range(t.last_event_ps, 0, (us + 3000) * ORR_US);
            tidy(l);
            assert_int_equal(orr__shared_network_closed(l), 0);
            orr__shared_network_free(l);
        }
}

/* Another job that never meets a packet of it does not notice. */
static void others_do_not_notice_a_stop(void **state)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct orr_shared_network_figures f[2];
        for (int with = 0; with < 2; with++) {
            struct orr_shared_network *l =
                open_shared_network(kinds[i].network, 2);
            add(l, SWAP("0, 1, 2, 3"), 7, 5 * ORR_US);
            if (with) {
                add(l, LONG("12, 13, 14, 15"), 3, 0);
                (void)stop_at(l, 3, 47);
            }
            while (!orr__shared_network_ended(l, 7))
                run_to(l, ORR_NEVER);
            f[with] = close_job(l, 7);
            orr__shared_network_free(l);
        }
        assert_memory_equal(&f[0], &f[1], sizeof f[0]);
    }
}

/* One that was in the way of another: the other is as fast as alone from then
 * on; and the same for any number of threads. */
static void others_go_on_after_a_stop(void **state)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        uint64_t fingerprint = 0;
        int64_t end = 0;
        for (unsigned threads = 1; threads <= 3; threads++) {
            struct orr_shared_network *l =
                open_shared_network(kinds[i].network, threads);
            add(l, SWAP("0, 4, 8, 12"), 0, 0);
            add(l, LONG("4, 8, 12, 0"), 1, 0);
            (void)stop_at(l, 1, 63);
            tidy(l);
            while (!orr__shared_network_ended(l, 0))
                run_to(l, ORR_NEVER);
            add(l, SWAP("4, 8, 12, 0"), 1,
                orr__shared_network_now(l)); /* and again */
            run_to(l, ORR_NEVER);
            while (!orr__shared_network_ended(l, 1))
                run_to(l, ORR_NEVER);
            run_to(l, ORR_NEVER);
            const struct orr_shared_network_figures a = close_job(l, 0);
            const struct orr_shared_network_figures b = close_job(l, 1);
            assert_int_equal(a.iterations, 4);
            assert_int_equal(b.iterations, 4);
            if (threads > 1
                && (orr__shared_network_fingerprint(l) != fingerprint
                    || b.end_ps != end))
                fail_msg("%s: another with %u threads", kinds[i].what, threads);
            fingerprint = orr__shared_network_fingerprint(l);
            end = b.end_ps;
            orr__shared_network_free(l);
        }
    }
}

/* ---- what is refused ----------------------------------------------------- */

static void refuse_open(const char *text, const char *message)
{
    struct orr_report why = {0};
    struct orr_shared_network *l = NULL;
    orr_err err = orr__shared_network_open("live", text, NULL, 4, &l, &why);
    assert_int_equal(err, ORR_ECONFIG);
    assert_string_equal(why.message, message);
    assert_string_equal(why.file, "live");
    assert_null(l);
}

static void schedules_that_jobs_cannot_join(void **state)
{
    refuse_open(TREE "schedule: cassini\n",
                "schedule: `cassini` is planned for jobs that are there from "
                "the beginning");
    refuse_open(TREE "schedule: {kind: crux}\n",
                "schedule: `crux` is planned for jobs that are there from the "
                "beginning");
}

static void records_that_ask_who_it_was(void **state)
{
    refuse_open(TREE "record: {by_job: true}\n",
                "record.by_job: jobs that come and go are not supported");
}

/* What is said; the network goes on as if nothing had been. */
static void refuse_job(struct orr_shared_network *l, const char *text,
                       uint32_t number, int64_t at_ps, orr_err code,
                       const char *message)
{
    struct orr_report why = {0};
    uint32_t jobs = orr__shared_network_jobs(l);
    assert_int_equal(orr__shared_network_add(l, text, number, at_ps, &why),
                     code);
    assert_string_equal(why.message, message);
    assert_int_equal(orr__shared_network_jobs(l), jobs);
    if (code != ORR_ECONFIG)
        return;
    char name[32];
    snprintf(name, sizeof name, "job %u", number);
    assert_string_equal(why.file, name);
    assert_true(why.line > 0);
}

/* Memory for pause frames is kept apart for the classes that were shown. */
static void a_class_that_was_not_shown(void **state)
{
    static const char shown[] =
        TREE "network: {pfc: {enabled: true}}\n"
             "jobs: [{name: a, class: 3, " SWAP("1, 2, 3, 5") "}]\n";
    struct orr_report why = {0};
    struct orr_shared_network *l = NULL;
    assert_int_equal(orr__shared_network_open("live", shown, NULL, 2, &l, &why),
                     ORR_OK);
    refuse_job(l, "{class: 1, " SWAP("1, 2, 3, 5") "}", 6, 0, ORR_ECONFIG,
               "class: switches reserve no memory for this traffic class: "
               "neither `jobs` nor `network.classes` uses it");
    add(l, "class: 3, " SWAP("1, 2, 3, 5"), 6, 0);
    while (!orr__shared_network_ended(l, 6))
        run_to(l, ORR_NEVER);
    orr__shared_network_free(l);
}

static void jobs_that_cannot_come(void **state)
{
    struct orr_report why = {0};
    struct orr_shared_network_figures f;
    struct orr_shared_network *l = NULL;
    assert_int_equal(orr__shared_network_open("live", TREE, NULL, 2, &l, &why),
                     ORR_OK);
    add(l, "exclusive: true, " RING("0, 4, 8, 12"), 5, 30 * ORR_US);
    run_to(l, 20 * ORR_US);
    refuse_job(l, "{" SWAP("1, 2, 3, 5") "}", 5, 20 * ORR_US, ORR_ECALL,
               "job 5 runs already");
    refuse_job(l, "{" SWAP("1, 2, 3, 5") "}", 6, 20 * ORR_US - 1, ORR_ECALL,
               "job 6: it is 20000000 ps, and no job can start at 19999999");
    refuse_job(l, "{" SWAP("1, 2, 3, 4") "}", 6, 20 * ORR_US, ORR_ECONFIG,
               "exclusive: a job that runs has a rank on host 4, too");
    refuse_job(l, "{class: 2, " SWAP("1, 2, 3, 5") "}", 6, 20 * ORR_US,
               ORR_ECONFIG,
               "class: there is no traffic class 2 in a network "
               "of 1 (`network.classes`)");
    refuse_job(l, "{cc: {kind: hpcc}, " SWAP("1, 2, 3, 5") "}", 6, 20 * ORR_US,
               ORR_ECONFIG,
               "cc: this control needs a network that was made "
               "for it: `network.cc`, or a job of this kind among its `jobs`");
    refuse_job(l, "{colour: red, " SWAP("1, 2, 3, 5") "}", 6, 20 * ORR_US,
               ORR_ECONFIG, "unknown key \"colour\" in job");
    refuse_job(l, "{ranks: 17, program: [compute: 1us]}", 6, 20 * ORR_US,
               ORR_ECONFIG, "17 ranks do not fit on 16 hosts");
    add(l, SWAP("1, 2, 3, 5"), 6, 20 * ORR_US);
    refuse_job(l, "{" SWAP("1, 2, 3, 5") "}", 7, 20 * ORR_US, ORR_ECALL,
               "2 jobs run, there is room for no more");
    assert_int_equal(orr__shared_network_close(l, 7, &f, &why), ORR_ECALL);
    assert_string_equal(why.message, "there is no job 7");
    f = close_job(l, 5); /* before it began */
    assert_int_equal(f.iterations, 0);
    assert_int_equal(f.bytes_sent, 0);
    while (!orr__shared_network_ended(l, 6))
        run_to(l, ORR_NEVER);
    orr__shared_network_free(l);
}

/* The end of a job ends the run, also where nothing else is left. */
static void a_run_ends_with_a_job(void **state)
{
    struct orr_shared_network *l = open_shared_network(TREE, 1);
    uint32_t iterations;
    int64_t end, now;
    add(l, RING("0, 4, 8, 12"), 0, 0);
    now = run_to(l, ORR_S);
    assert_true(orr__shared_network_progress(l, 0, &iterations, &end));
    assert_int_equal(iterations, 3);
    assert_in_range(now, end, end + 20 * ORR_US); /* its last ACKs */
    assert_int_equal(run_to(l, ORR_S), ORR_S);
    add(l, RING("0, 4, 8, 12"), 1, ORR_S);
    now = run_to(l, ORR_NEVER);
    assert_true(orr__shared_network_progress(l, 1, &iterations, &end));
    assert_int_equal(iterations, 3);
    assert_in_range(now, end, end + 20 * ORR_US);
    orr__shared_network_free(l);
}

/* A job whose ranks wait for what never comes is reported. */
static void jobs_that_never_end(void **state)
{
    struct orr_report why = {0};
    struct orr_shared_network *l = open_shared_network(TREE, 1);
    int64_t now;
    add(l, "name: stuck, ranks: 2, program: [recv: {from: -1}]", 3, 0);
    assert_int_equal(orr__shared_network_run(l, ORR_NEVER, &now, &why),
                     ORR_ERUN);
    assert_non_null(strstr(
        why.message, "no events are left, but 2 ranks wait: stuck: rank 0"));
    memset(&why, 0, sizeof why); /* and again */
    assert_int_equal(orr__shared_network_run(l, ORR_NEVER, &now, &why),
                     ORR_ERUN);
    assert_int_equal(orr__shared_network_add(l, "{}", 4, 0, &why), ORR_ERUN);
    orr__shared_network_free(l);
}

/* A life with one allocation that fails: it is reported, and nothing leaks. */
static orr_err live_shortly(void)
{
    struct orr_report why = {0};
    struct orr_shared_network *l = NULL;
    struct orr_shared_network_figures f;
    int64_t now;
    orr_err err = orr__shared_network_open("live", TREE, NULL, 4, &l, &why);
    if (!err)
        err =
            orr__shared_network_add(l, "{" SWAP("0, 4, 8, 12") "}", 0, 0, &why);
    if (!err)
        err =
            orr__shared_network_add(l, "{" SWAP("1, 4, 8, 12") "}", 1, 0, &why);
    if (!err)
        err = orr__shared_network_run(l, 40 * ORR_US, &now, &why);
    if (!err)
        err = orr__shared_network_close(l, 1, &f, &why);
    if (!err)
        err = orr__shared_network_run(l, ORR_NEVER, &now, &why);
    if (!err)
        err = orr__shared_network_close(l, 0, &f, &why);
    if (!err)
        err = orr__shared_network_tidy(l, &why);
    orr__shared_network_free(l);
    return err;
}

static void memory_that_runs_out(void **state)
{
    orr_err err = ORR_ENOMEM;
    uint32_t failed = 0;
    for (uint64_t n = 1; err != ORR_OK && n < 100000; n += 1 + n / 16) {
        orr__memory_fail_after(n, 0);
        err = live_shortly();
        orr__memory_fail_after(0, 0);
        assert_true(err == ORR_OK || err == ORR_ENOMEM);
        failed += err == ORR_ENOMEM;
    }
    assert_int_equal(err, ORR_OK);
    assert_true(failed > 20);
}

/* ---- many ---------------------------------------------------------------- */

#define MANY 10000

/* Small, for a while, somewhere, now and then stopped. */
static void add_any(struct orr_shared_network *l, struct orr_random *r,
                    uint32_t number)
{
    char text[400];
    uint32_t first = orr__random_u32(r) % 16, step = 1 + orr__random_u32(r) % 5;
    snprintf(text, sizeof text,
             "ranks: 3, iterations: %u, "
             "placement: [%u, %u, %u], program: [compute: %uus, all-reduce: "
             "{size: %uKB}]",
             1 + orr__random_u32(r) % 3, first, (first + step) % 16,
             (first + 2 * step) % 16, 1 + orr__random_u32(r) % 5,
             1 + orr__random_u32(r) % 40);
    add(l, text, number, orr__shared_network_now(l));
}

struct known { /* after some number of jobs */
    size_t bytes;
    clock_t cpu;
    uint32_t most_leaving;
};

static struct known run_many(struct orr_shared_network *l, struct orr_random *r,
                             uint32_t from, uint32_t to)
{
    struct known k = {.cpu = clock()};
    for (uint32_t i = from; i < to; i++) {
        add_any(l, r, i);
        run_to(l, orr__shared_network_now(l) + 2 * ORR_US);
        for (uint32_t j = i < 12 ? 0 : i - 12; j <= i; j++) {
            if (!orr__shared_network_ended(l, j) && (j + 12 != i))
                continue;
            uint32_t iterations;
            int64_t end;
            if (orr__shared_network_progress(l, j, &iterations, &end))
                (void)close_job(l, j);
        }
        if (orr__shared_network_closed(l) > k.most_leaving)
            k.most_leaving = orr__shared_network_closed(l);
    }
    k.cpu = clock() - k.cpu;
    k.bytes = mallinfo2().uordblks;
    return k;
}

/* Memory and time follow the jobs that run, not those that ever ran. */
static void ten_thousand_jobs(void **state)
{
    struct orr_random r;
    struct orr_shared_network *l = open_shared_network(
        TREE "network: {cc: {kind: dctcp}, queue: {kind: ecn, capacity: 60KB, "
             "threshold: 20KB}}",
        1);
    size_t bare = mallinfo2().uordblks;
    orr__random_init(&r, 1, 0, ORR_PURPOSE_TEST);
    const struct known a = run_many(l, &r, 0, MANY / 5);
    const struct known b = run_many(l, &r, MANY / 5, MANY * 4 / 5);
    const struct known c = run_many(l, &r, MANY * 4 / 5, MANY);
    if (getenv("TELL"))
        printf("%zu, %zu, %zu KB over %zu; %ld, %ld, %ld us a job; %u leave\n",
               (a.bytes - bare) / 1000, (b.bytes - bare) / 1000,
               (c.bytes - bare) / 1000, bare / 1000, (long)(a.cpu / (MANY / 5)),
               (long)(b.cpu / (MANY / 5 * 3)), (long)(c.cpu / (MANY / 5)),
               b.most_leaving);
    assert_in_range(b.most_leaving, 0, 40);
    assert_in_range(c.bytes, 0, a.bytes + (a.bytes - bare) / 4);
    assert_in_range(c.cpu, 0, 3 * a.cpu);
    orr__shared_network_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_that_come_are_as_jobs_that_were_there),
        cmocka_unit_test(jobs_keep_what_is_their_own),
        cmocka_unit_test(a_job_that_is_stopped_leaves_nothing),
        cmocka_unit_test(others_do_not_notice_a_stop),
        cmocka_unit_test(others_go_on_after_a_stop),
        cmocka_unit_test(schedules_that_jobs_cannot_join),
        cmocka_unit_test(records_that_ask_who_it_was),
        cmocka_unit_test(a_class_that_was_not_shown),
        cmocka_unit_test(jobs_that_cannot_come),
        cmocka_unit_test(a_run_ends_with_a_job),
        cmocka_unit_test(jobs_that_never_end),
        cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(ten_thousand_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
