/* Random sequences of calls of include/orrery/network.h, from bytes: which call
 * comes next, on which network, and with what. What must hold: a call that is
 * wrong says so and does nothing; a callback comes at most once, not before its
 * time, and all of them once nothing is left; counters never go back, and tell
 * of no more than could have happened; and the same bytes do the same again. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/memory.h"
#include "core/random.h"
#include "orrery/network.h"
#include "tests/attack/calls.h"
#include "tests/attack/trial.h"

enum {
    NETS = 3,
    MOST_NOTES = 600,
    MOST_LINKS = 64,
    MOST_JOBS = 6,
    DEPTH = 3,
    MOST_STEPS = 4000
};

/* Networks of a kind; reliable: all that is sent arrives and is acknowledged.
 * full: a link sends no more than it can. */
static const struct kind {
    const char *config;
    bool reliable, full, fails;
    unsigned classes;
} kinds[] = {
    {"topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n",
     true, true, false, 1},
    {"topology: {kind: switch, hosts: 5, link: {rate: 10Gbps, delay: 300ns}}\n"
     "network: {cc: dctcp, queue: {kind: ecn, capacity: 60KB, threshold: "
     "20KB}}\n",
     true, true, false, 1},
    {"topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts: 4, link: "
     "{rate: 40Gbps, delay: 1us}}\nnetwork: {transport: datagram}\n",
     false, true, false, 1},
    {"topology: {kind: torus, dims: [2, 3], link: {rate: 80Gbps, delay: "
     "500ns}}\nnetwork: {transport: analytical}\n",
     false, false, false, 1},
    {"topology: {kind: ring, hosts: 3, link: {rate: 8Gbps, delay: 1us}}\n"
     "network: {transport: analytical, contention: links}\n",
     false, true, false, 1},
    {"topology: {kind: switch, hosts: 4, link: {rate: 25Gbps, delay: 1us}}\n"
     "network: {classes: 3, cc: {kind: hpcc}}\n",
     true, true, false, 3},
    {"topology: {kind: switch, hosts: 4, link: {rate: 25Gbps, delay: 1us}}\n"
     "jobs: [{ranks: 4, iterations: 3, program: [compute: 2us, all-reduce: "
     "{size: 40KB}]}]\nflows: [{src: 0, dst: 3, size: 30KB}]\n",
     true, true, false, 1},
    {"topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, delay: 0us}}\n",
     true, true, true, 1},
    {"topology: {kind: ring, hosts: 4\n", true, true, true, 1},
    {"", true, true, true, 1},
};

static const char *const jobs[] = {
    "{ranks: 3, program: [all-reduce: {size: 20KB}]}",
    "{ranks: 2, iterations: 4, program: [compute: 3us, all-to-all: {size: "
    "9KB}]}",
    "{ranks: 2, iterations: 3000, program: [compute: 10us]}",
    "{ranks: 99, program: [barrier: {}]}",
    "{ranks: 2, prgram: []}",
    "[",
    "",
};

struct machine;

/* One callback that was asked for. */
struct note {
    struct machine *m;
    uint32_t net, host;
    int64_t since, at; /* asked for; came, -1: not yet */
    bool surely;       /* nothing may prevent it */
    bool used;
};

struct net {
    orr_network *n;
    const struct kind *kind;
    unsigned threads;
    uint32_t hosts, links;
    int64_t last; /* time of the last callback */
    bool running, stopped, failed, finished, unsure;
    uint32_t sends, worked; /* messages between hosts so far, and jobs */
    uint32_t jobs[MOST_JOBS], n_jobs;
    struct orr_link_counters seen[MOST_LINKS];
};

struct machine {
    const unsigned char *code, *end;
    unsigned depth, steps;
    volatile int interrupt;
    bool starved; /* the call under way may have no memory */
    bool unsure;  /* its network had none once: it may have failed */
    bool loose;   /* what it does hangs on when it was interrupted */
    struct net net[NETS];
    struct note note[MOST_NOTES];
    uint32_t notes;
    atomic_ullong digest; /* a sum: threads tell in any order */
    struct finding *f;
};

static unsigned byte(struct machine *m)
{
    return m->code < m->end ? *m->code++ : 0;
}

static void say(struct machine *m, uint64_t what, uint64_t value)
{
    const uint64_t v[2] = {what, value};

    m->digest += XXH3_64bits(v, sizeof v);
}

/* The code that a call may return beside `want`. */
static bool check(struct machine *m, const char *call, orr_err got,
                  orr_err want)
{
    say(m, 1, (uint64_t)got);
    if (got == want || (m->unsure && (got == ORR_ECALL || got == ORR_ENOMEM)))
        return true;
    return orr__found(m->f, call, "%s: %d instead of %d", call, got, want);
}

static void step(struct machine *m);

/* ---- callbacks ----------------------------------------------------------- */

static void called(void *arg)
{
    struct note *x = arg;
    struct machine *m = x->m;
    struct net *n = &m->net[x->net];
    int64_t now = n->threads > 1 ? orr_network_now_at(n->n, x->host)
                                 : orr_network_now(n->n);

    if (x->at >= 0)
        orr__found(m->f, "called twice", "note %ld", (long)(x - m->note));
    if (now < x->since)
        orr__found(m->f, "called too early", "%lld before %lld", (long long)now,
                   (long long)x->since);
    if (n->threads == 1 && now < n->last)
        orr__found(m->f, "time goes back", "%lld after %lld", (long long)now,
                   (long long)n->last);
    x->at = now;
    say(m, 2 + (uint64_t)(x - m->note), (uint64_t)now);
    if (n->threads > 1) /* the others' state is not this thread's */
        return;
    n->last = now;
    if (m->depth < DEPTH && byte(m) % 3 == 0) {
        m->depth++;
        step(m);
        m->depth--;
    }
}

static struct note *new_note(struct machine *m, uint32_t net, uint32_t host,
                             int64_t since)
{
    struct note *x = &m->note[m->notes++];

    *x = (struct note){
        .m = m, .net = net, .host = host, .since = since, .at = -1};
    return x;
}

/* ---- networks ------------------------------------------------------------ */

static void look_at(struct net *n)
{
    n->hosts = orr_network_hosts(n->n);
    n->links = orr_network_links(n->n);
    memset(n->seen, 0, sizeof n->seen);
}

static void forget_notes(struct machine *m, uint32_t net)
{
    for (uint32_t i = 0; i < m->notes; i++)
        if (m->note[i].net == net)
            m->note[i].used = false;
}

static void open_one(struct machine *m, uint32_t k)
{
    struct net *n = &m->net[k];
    const struct kind *kind = &kinds[byte(m) % (sizeof kinds / sizeof *kinds)];
    struct orr_options o = {.threads = 1 + byte(m) % 5 / 4,
                            .interrupt = &m->interrupt};
    struct orr_report why = {0};
    orr_err err;

    if (n->n)
        return;
    *n = (struct net){.kind = kind, .threads = o.threads};
    err = orr_network_open(kind->config, &o, &n->n, &why);
    m->unsure = n->unsure = m->starved;
    if (kind->fails && !err)
        orr__found(m->f, "open", "%s was opened", kind->config);
    if (!kind->fails && err != ORR_EINTERRUPTED)
        check(m, "open", err, ORR_OK);
    if (err && (n->n || !why.message[0]))
        orr__found(m->f, "open", "failed, with a network or without words");
    if (n->n)
        look_at(n);
}

static void build_one(struct machine *m, uint32_t k)
{
    static const struct kind plain = {"", true, true, false, 1};
    struct net *n = &m->net[k];
    struct orr_cable_spec cable[6];
    struct orr_graph_spec g = {.hosts = 1 + byte(m) % 4,
                               .switches = byte(m) % 3,
                               .cable = cable,
                               .cables = byte(m) % 7,
                               .hosts_forward = byte(m) % 2};
    struct orr_report why = {0};

    if (n->n)
        return;
    for (uint32_t i = 0; i < g.cables; i++)
        cable[i] = (struct orr_cable_spec){
            .a = byte(m) % 8,
            .b = byte(m) % 8,
            .rate_bps = (uint64_t)byte(m) % 9 * 10000000000,
            .delay_ps = (int64_t)byte(m) % 9 * 100000 - 100000};
    *n = (struct net){.kind = &plain, .threads = 1};
    say(m, 3,
        orr_network_build(&g, byte(m) % 2 ? NULL : "", NULL, &n->n, &why));
    if (n->n)
        look_at(n);
    else if (!why.message[0] && !m->starved)
        orr__found(m->f, "build", "failed without words");
}

static void close_one(struct machine *m, uint32_t k)
{
    struct net *n = &m->net[k];

    orr_network_close(n->n); /* does nothing while it runs */
    if (n->running)
        return;
    forget_notes(m, k);
    n->n = NULL;
}

/* ---- traffic ------------------------------------------------------------- */

static const uint64_t sizes[] = {0,     1,      1500,       4096,          4097,
                                 70000, 300000, UINT64_MAX, UINT64_MAX / 2};

static void send_one(struct machine *m, uint32_t k)
{
    struct net *n = &m->net[k];
    struct orr_send s = {.src = byte(m) % (n->hosts + 1),
                         .dst = byte(m) % (n->hosts + 1),
                         .channel = byte(m) % 3,
                         .traffic_class = byte(m) % 16 / 13,
                         .bytes =
                             sizes[byte(m) % (sizeof sizes / sizeof *sizes)]};
    unsigned wanted = byte(m) % 8;
    struct note *x[3];
    orr_err want = ORR_OK, got;
    int64_t now = orr_network_now(n->n);

    if (m->notes + 3 > MOST_NOTES || (n->running && n->threads > 1))
        return;
    x[0] = new_note(m, k, s.dst, now);
    x[1] = new_note(m, k, s.src, now);
    x[2] = new_note(m, k, s.src, now);
    s.arrived = wanted & 1 ? called : NULL;
    s.sent = wanted & 2 ? called : NULL;
    s.acked = wanted & 4 ? called : NULL;
    s.arrived_arg = x[0];
    s.sent_arg = x[1];
    s.acked_arg = x[2];
    if (s.bytes > 300000)
        want = ORR_ECONFIG;
    if (n->finished || n->failed || s.src >= n->hosts || s.dst >= n->hosts
        || s.traffic_class >= n->kind->classes
        || (s.acked && !n->kind->reliable && s.bytes <= 300000))
        want = ORR_ECALL;
    got = orr_network_send(n->n, &s);
    if (got == ORR_ECALL && want == ORR_ECONFIG) /* both are wrong with it */
        want = got;
    check(m, "send", got, want);
    if (got)
        return;
    n->sends += s.src != s.dst;
    for (int i = 0; i < 3; i++) {
        x[i]->used = wanted >> i & 1;
        x[i]->surely = x[i]->used && (n->kind->reliable || i == 1);
    }
}

static void at_one(struct machine *m, uint32_t k)
{
    static const int64_t delays[] = {0,       1,        1000, 500000,
                                     1000000, 30000000, -1,   INT64_MAX};
    struct net *n = &m->net[k];
    uint32_t host = byte(m) % (n->hosts + 1);
    int64_t delay = delays[byte(m) % 8], now = orr_network_now(n->n);
    bool no_function = byte(m) % 16 == 0;
    struct note *x;
    orr_err want = ORR_OK, got;

    if (m->notes == MOST_NOTES || (n->running && n->threads > 1))
        return;
    x = new_note(m, k, host, now);
    if (delay == INT64_MAX)
        want = ORR_ECONFIG;
    if (n->finished || n->failed || host >= n->hosts || delay < 0
        || no_function)
        want = ORR_ECALL;
    got = orr_network_at(n->n, host, delay, no_function ? NULL : called, x);
    check(m, "at", got, want);
    x->used = x->surely = !got;
    x->since = got ? 0 : now + delay;
}

/* ---- time ---------------------------------------------------------------- */

/* Nothing is left: all has come that nothing could prevent. */
static void check_notes(struct machine *m, uint32_t k)
{
    for (uint32_t i = 0; i < m->notes; i++) {
        const struct note *x = &m->note[i];

        if (x->net == k && x->used && x->surely && x->at < 0)
            orr__found(m->f, "never called", "note %u", i);
    }
}

static void run_one(struct machine *m, uint32_t k)
{
    struct net *n = &m->net[k];
    struct orr_report why = {0};
    int64_t now = orr_network_now(n->n), until = ORR_FOREVER;
    unsigned how = byte(m);
    bool interrupted = m->interrupt;
    orr_err got;

    if (how % 4)
        until = now + (int64_t)(how % 64) * 400000 - (how % 32 == 31);
    if (until < 0 || n->running || n->finished || until < now) {
        check(m, "run", orr_network_run(n->n, until, &why), ORR_ECALL);
        return;
    }
    n->stopped = false;
    n->running = true;
    got = orr_network_run(n->n, until, &why);
    n->running = false;
    interrupted |= m->interrupt;
    say(m, 4, got);
    if (got == ORR_EINTERRUPTED && interrupted) {
        m->interrupt = 0;
        return;
    }
    if (got && !n->unsure && !n->failed && got != ORR_ERUN)
        orr__found(m->f, "run", "%d: %s", got, why.message);
    n->failed |= got != ORR_OK;
    if (!got && orr_network_now(n->n) < now)
        orr__found(m->f, "run", "time went back");
    if (!got && !interrupted && until == ORR_FOREVER && !n->stopped)
        check_notes(m, k);
}

static void stop_one(struct machine *m, uint32_t k)
{
    struct net *n = &m->net[k];

    n->stopped |= n->running;
    m->loose |= n->running && n->threads > 1;
    orr_network_stop(n->n);
}

/* ---- looking ------------------------------------------------------------- */

static void link_one(struct machine *m, uint32_t k)
{
    struct net *n = &m->net[k];
    uint32_t l = byte(m) % (n->links + 1);
    struct orr_link_counters c, *last = &n->seen[l % MOST_LINKS];
    struct orr_link_info info;
    orr_err want = l < n->links ? ORR_OK : ORR_ECALL;
    double now = (double)orr_network_now(n->n);

    if (n->running && n->threads > 1)
        return;
    check(m, "link", orr_network_link(n->n, l, &c), want);
    check(m, "link_info", orr_network_link_info(n->n, l, &info), want);
    check(m, "link", orr_network_link(n->n, l, NULL), ORR_ECALL);
    if (want || l >= MOST_LINKS || n->unsure || n->failed)
        return;
    say(m, 5, c.bytes ^ c.packets << 32);
    if (c.bytes < last->bytes || c.packets < last->packets
        || c.drops < last->drops || c.busy_ps < last->busy_ps)
        orr__found(m->f, "counters go back", "link %u", l);
    /* where nothing waits each message has the link to itself */
    if ((double)c.bytes * 8e12 / (double)info.rate_bps
        > (now + 8000) * (n->kind->full ? 1 : n->sends + 1e9 * n->worked))
        orr__found(m->f, "counts the future",
                   "link %u of %llu bit/s: %llu B "
                   "by %.0f ps on\n%s",
                   l, (unsigned long long)info.rate_bps,
                   (unsigned long long)c.bytes, now, n->kind->config);
    *last = c;
}

static void ask_one(struct machine *m, uint32_t k)
{
    struct net *n = &m->net[k];
    struct orr_report why;
    char *text;

    say(m, 6, orr_network_fingerprint(n->n));
    (void)orr_network_now_at(n->n, byte(m));
    orr_network_report(n->n, &why);
    text = orr_network_json(n->n);
    if (!text == n->finished && !n->unsure && !n->running)
        orr__found(m->f, "json", "%s", text ? "before the end" : "none");
    orr_text_free(text);
    orr_text_free(orr_network_summary(n->n));
}

/* Calls without a network, or without what they need. */
static void nothing(struct machine *m)
{
    struct orr_report why = {0};
    struct orr_link_counters c;
    orr_network *out = NULL;

    check(m, "nothing", orr_network_open(NULL, NULL, &out, &why), ORR_ECALL);
    check(m, "nothing", orr_network_open("", NULL, NULL, NULL), ORR_ECALL);
    check(m, "nothing", orr_network_build(NULL, NULL, NULL, &out, NULL),
          ORR_ECALL);
    check(m, "nothing", orr_network_send(NULL, NULL), ORR_ECALL);
    check(m, "nothing", orr_network_at(NULL, 0, 0, called, NULL), ORR_ECALL);
    check(m, "nothing", orr_network_run(NULL, 0, NULL), ORR_ECALL);
    check(m, "nothing", orr_network_finish(NULL, NULL), ORR_ECALL);
    check(m, "nothing", orr_network_link(NULL, 0, &c), ORR_ECALL);
    orr_network_stop(NULL);
    orr_network_close(NULL);
    orr_network_report(NULL, &why);
    orr_network_report(NULL, NULL);
    if (orr_network_hosts(NULL) || orr_network_links(NULL)
        || orr_network_now(NULL) || orr_network_fingerprint(NULL)
        || orr_network_json(NULL) || orr_network_summary(NULL)
        || orr_network_job_ended(NULL, 0))
        orr__found(m->f, "nothing", "something of no network");
}

/* ---- jobs, and the end --------------------------------------------------- */

static void job_one(struct machine *m, uint32_t k)
{
    struct net *n = &m->net[k];
    struct orr_report why = {0};
    unsigned what = byte(m), which = byte(m);
    const char *text = jobs[which % (sizeof jobs / sizeof *jobs)];
    uint32_t number;
    orr_err err;

    if (what % 2 && n->n_jobs) {
        struct orr_job_figures f;
        uint32_t at = which % n->n_jobs;

        (void)orr_network_job_ended(n->n, n->jobs[at]);
        err = orr_network_job_close(n->n, n->jobs[at], &f, &why);
        say(m, 7, err);
        if (!err)
            n->jobs[at] = n->jobs[--n->n_jobs];
        return;
    }
    if (n->n_jobs == MOST_JOBS)
        return;
    err = orr_network_job(n->n, text, orr_network_now(n->n) + what * 1000, NULL,
                          NULL, &number, &why);
    say(m, 8, err);
    if ((n->running || n->finished) && err != ORR_ECALL && !n->unsure)
        orr__found(m->f, "job", "%d in the wrong place", err);
    if (err && !why.message[0])
        orr__found(m->f, "job", "failed without words");
    n->worked += !err;
    if (!err)
        n->jobs[n->n_jobs++] = number;
}

static void finish_one(struct machine *m, uint32_t k)
{
    struct net *n = &m->net[k];
    struct orr_report why = {0};
    orr_err err = orr_network_finish(n->n, &why);

    say(m, 9, err);
    if ((n->running || n->finished) && err != ORR_ECALL && !n->unsure)
        orr__found(m->f, "finish", "%d in the wrong place", err);
    if (!n->running)
        n->finished |= !m->starved;
}

/* ---- steps --------------------------------------------------------------- */

static void on_network(struct machine *m, unsigned what, uint32_t k)
{
    m->unsure = m->net[k].unsure |= m->starved;
    if (what < 9)
        send_one(m, k);
    else if (what < 13)
        at_one(m, k);
    else if (what < 19)
        run_one(m, k);
    else if (what < 22)
        link_one(m, k);
    else if (what < 23)
        stop_one(m, k);
    else if (what < 25)
        ask_one(m, k);
    else if (what < 28)
        job_one(m, k);
    else if (what < 29)
        finish_one(m, k);
    else
        close_one(m, k);
}

static void one_step(struct machine *m, unsigned what, uint32_t k)
{
    if (what == 30)
        m->loose |= m->interrupt = byte(m) % 2;
    else if (what == 31)
        nothing(m);
    else if (m->net[k].n)
        on_network(m, what, k);
    else if (what % 8)
        open_one(m, k);
    else
        build_one(m, k);
}

/* Now and then an allocation of what is done next fails, or of a callback. */
static void step(struct machine *m)
{
    unsigned what = byte(m), k = byte(m), starve = byte(m);
    bool first = !m->starved;

    if (m->code == m->end || ++m->steps > MOST_STEPS || m->f->kind[0])
        return;
    if (starve < 8) {
        orr__memory_fail_after(1 + (what * 7 + k) % 60, starve % 2);
        m->starved = true;
    }
    one_step(m, what % 32, k % NETS);
    if (first) {
        orr__memory_fail_after(0, 0);
        m->starved = false;
    }
}

/* Adds to *came the callbacks that came. */
static uint64_t play(const struct attack_case *c, struct finding *f,
                     uint64_t *came)
{
    struct machine *m = calloc(1, sizeof *m);
    uint64_t digest;

    m->code = (const unsigned char *)c->bytes;
    m->end = m->code + c->size;
    m->f = f;
    while (m->code < m->end && !f->kind[0])
        step(m);
    for (uint32_t k = 0; k < NETS; k++)
        close_one(m, k);
    for (uint32_t i = 0; i < m->notes; i++)
        *came += m->note[i].at >= 0;
    digest = m->loose ? 0 : m->digest;
    free(m);
    return digest;
}

void orr__calls(const struct attack_case *c, struct tally *t, struct finding *f)
{
    uint64_t first = play(c, f, &t->lived), again, none = 0;

    t->cases++;
    t->runs++;
    if (f->kind[0])
        return;
    again = play(c, f, &none);
    if (again != first)
        orr__found(f, "not the same", "the same calls do other things");
}

char *orr__draw_calls(uint64_t seed, uint64_t n, size_t *size)
{
    struct orr_random r;
    char *bytes;

    orr__random_init(&r, seed, n, ORR_PURPOSE_SAMPLE);
    *size = 16 + orr__random_below(&r, n % 8 ? 400 : 3000);
    bytes = malloc(*size + 1);
    for (size_t i = 0; i < *size; i++)
        bytes[i] = (char)orr__random_below(&r, 256);
    bytes[*size] = '\0';
    return bytes;
}
