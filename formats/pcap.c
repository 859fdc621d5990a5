/* Captures to a job: its period by autocorrelation, and what each host sends to
 * each other in the mean of all periods, folded. Without a period: flows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/names.h"
#include "core/none.h"
#include "formats/convert.h"
#include "formats/pcap/packets.h"
#include "formats/pcap/period.h"
#include "formats/trace.h"

enum {
    BINS = 65536,      /* of the capture, for its period */
    PHASES = 1000,     /* of a period */
    MOST_PAIRS = 4096, /* of hosts */
    MOST_FLOWS = 100000,
    GAP = PHASES / 100, /* phases without bytes that do not end a message */
};
#define LITTLE 1e-3 /* of all bytes: a pair with less is left out */
#define QUIET  1e-2 /* of the mean: a phase is idle */

/* Hosts of which one sends to the other. */
struct pair {
    uint32_t from, to;
    double bytes;
    double phase[PHASES]; /* bytes, of all periods together */
};

/* What one host sends to another in a period. */
struct message {
    uint32_t from, to;
    double at, bytes; /* share of a period since its beginning; of one period */
};

/* A capture while it is folded. */
struct fold {
    struct orr_convert *c;
    const char *path;
    struct orr_capture capture;
    int64_t end_ns;
    double period_ns; /* 0: none */
    double correlation;
    double shift_ns;  /* by which periods begin before the first packet */
    uint32_t first;   /* period that is whole */
    uint32_t periods; /* whole ones */
    struct pair *pair;
    uint32_t pairs, pair_room;
    struct orr_names names; /* of pairs */
    struct message *message;
    uint32_t messages, message_room;
    double varies; /* bytes of a period: standard deviation over mean */
    struct orr_report *why;
};

/* ---- the period --------------------------------------------------------- */

/* Of the bytes of all hosts over time. */
static orr_err find_period(struct fold *f)
{
    const struct orr_capture *c = &f->capture;
    struct orr_period p = {.length = 0};
    double *bin = orr__alloc(BINS, sizeof *bin);
    if (!bin)
        return orr__no_memory(f->why);
    double width = (double)f->end_ns / BINS;
    for (size_t i = 0; i < c->packets; i++) {
        int64_t ns = c->packet[i].ns > 0 ? c->packet[i].ns : 0;
        size_t at = (size_t)((double)ns / width);
        bin[at < BINS ? at : BINS - 1] += c->packet[i].bytes;
    }
    orr_err err = orr__period_find(bin, BINS, &p);
    orr__free(bin);
    if (err)
        return orr__no_memory(f->why);
    f->period_ns = p.length * width;
    f->correlation = p.correlation;
    if (f->period_ns > 0)
        f->periods = (uint32_t)((double)f->end_ns / f->period_ns);
    return ORR_OK;
}

/* ---- folding ------------------------------------------------------------ */

/* NULL: no memory, or too many, as *many says. */
static struct pair *find_pair(struct fold *f, uint32_t from, uint32_t to,
                              bool *many)
{
    char key[32];
    snprintf(key, sizeof key, "%u>%u", from, to);
    uint32_t i = orr__names_find(&f->names, key);
    if (i != ORR_NONE)
        return &f->pair[i];
    *many = f->pairs == MOST_PAIRS;
    if (*many || !orr__array_more(f->pair, f->pair_room, f->pairs)
        || !orr__names_add(&f->names, key, f->pairs))
        return NULL;
    memset(&f->pair[f->pairs], 0, sizeof *f->pair);
    f->pair[f->pairs].from = from;
    f->pair[f->pairs].to = to;
    return &f->pair[f->pairs++];
}

/* The pair of a packet, in *out. */
static orr_err pair_of(struct fold *f, const struct orr_pcap_packet *k,
                       struct pair **out)
{
    bool many = false;
    *out = find_pair(f, k->from, k->to, &many);
    if (*out)
        return ORR_OK;
    return many ? orr__fail_at(f->why, ORR_ECONFIG, f->path, 1, 1,
                               "more than %d pairs of hosts: filter the "
                               "capture",
                               MOST_PAIRS)
                : orr__no_memory(f->why);
}

/* Packets of whole periods into phases; bytes of each period into `of`, NULL:
 * nobody asks. */
static orr_err fold_packets(struct fold *f, double *of)
{
    const struct orr_capture *c = &f->capture;
    for (size_t i = 0; i < c->packets; i++) {
        const struct orr_pcap_packet *k = &c->packet[i];
        double ns = (double)(k->ns > 0 ? k->ns : 0) + f->shift_ns;
        double at = ns / f->period_ns - f->first;
        struct pair *p = NULL;
        if (at < 0 || at >= f->periods)
            continue;
        orr_err err = pair_of(f, k, &p);
        if (err)
            return err;
        uint32_t phase = (uint32_t)((at - floor(at)) * PHASES);
        p->phase[phase < PHASES ? phase : PHASES - 1] += k->bytes;
        p->bytes += k->bytes;
        if (of)
            of[(size_t)at] += k->bytes;
    }
    return ORR_OK;
}

/* The middle of the longest time in which next to nothing is sent: there
 * periods begin; *idle: how many phases that time has. */
static uint32_t find_begin(const struct fold *f, uint32_t *idle)
{
    double all[PHASES] = {0}, mean = 0;
    uint32_t best = 0, run = 0;
    *idle = 0;
    for (uint32_t k = 0; k < f->pairs; k++)
        for (uint32_t i = 0; i < PHASES; i++) {
            all[i] += f->pair[k].phase[i];
            mean += f->pair[k].phase[i] / PHASES;
        }
    for (uint32_t i = 0; i < 2 * PHASES; i++) {
        if (all[i % PHASES] <= QUIET * mean) {
            run++;
            continue;
        }
        if (run > *idle && run < PHASES) {
            *idle = run;
            best = i - run / 2;
        }
        run = 0;
    }
    return best % PHASES;
}

/* Periods begin where it is quiet, so that one that comes a little early or
 * late stays whole. */
static orr_err align_periods(struct fold *f)
{
    uint32_t idle;
    orr_err err = fold_packets(f, NULL);
    if (err)
        return err;
    uint32_t begin = find_begin(f, &idle);
    double quiet = f->period_ns * idle / PHASES / 2 * 1.01;
    f->shift_ns = f->period_ns * (PHASES - begin) / PHASES;
    if (begin == 0)
        f->shift_ns = 0;
    f->first = f->shift_ns > quiet;
    double whole = ((double)f->end_ns + f->shift_ns + quiet) / f->period_ns;
    f->periods = (uint32_t)whole > f->first ? (uint32_t)whole - f->first : 1;
    for (uint32_t k = 0; k < f->pairs; k++) {
        memset(f->pair[k].phase, 0, sizeof f->pair[k].phase);
        f->pair[k].bytes = 0;
    }
    return ORR_OK;
}

static orr_err add_message(struct fold *f, const struct pair *p, double at,
                           double bytes)
{
    if (!orr__array_more(f->message, f->message_room, f->messages))
        return orr__no_memory(f->why);
    f->message[f->messages++] =
        (struct message){p->from, p->to, at, bytes / f->periods};
    return ORR_OK;
}

/* Phases of a pair to messages. */
static orr_err split_pair(struct fold *f, const struct pair *p)
{
    double bytes = 0, least = QUIET * p->bytes / PHASES;
    uint32_t first = 0, idle = 0;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < PHASES && !err; i++) {
        double here = p->phase[i];
        if (here <= least) {
            idle++;
            bytes += here;
            continue;
        }
        if (bytes > 0 && idle > GAP) {
            err = add_message(f, p, (double)first / PHASES, bytes);
            bytes = 0;
        }
        if (bytes == 0)
            first = i;
        idle = 0;
        bytes += here;
    }
    return err || bytes == 0 ? err
                             : add_message(f, p, (double)first / PHASES, bytes);
}

static int by_sender(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* An iteration begins with its first message. */
static void begin_at_first(struct fold *f)
{
    double first = 1;
    for (uint32_t i = 0; i < f->messages; i++)
        first = fmin(first, f->message[i].at);
    for (uint32_t i = 0; i < f->messages; i++)
        f->message[i].at -= first;
}

/* Packets to messages of a period. */
static orr_err fold_capture(struct fold *f)
{
    double sum = 0, squares = 0;
    uint32_t little = 0;
    orr_err err = align_periods(f);
    double *of = orr__alloc(f->periods, sizeof *of);
    if (!err)
        err = of ? fold_packets(f, of) : orr__no_memory(f->why);
    for (uint32_t i = 0; i < f->periods && !err; i++) {
        sum += of[i];
        squares += of[i] * of[i];
    }
    orr__free(of);
    double mean = sum / f->periods;
    f->varies =
        mean > 0 ? sqrt(fmax(squares / f->periods - mean * mean, 0)) / mean : 0;
    for (uint32_t k = 0; k < f->pairs && !err; k++) {
        bool omitted = f->pair[k].bytes < LITTLE * sum;
        little += omitted;
        if (!omitted)
            err = split_pair(f, &f->pair[k]);
    }
    if (little)
        orr__note(&f->c->notes,
                  "%u pairs of hosts that send less than 0.1 %% are left out",
                  little);
    if (f->messages)
        qsort(f->message, f->messages, sizeof *f->message, by_sender);
    begin_at_first(f);
    return err;
}

/* ---- what is written ---------------------------------------------------- */

/* The network is a guess: a switch. */
static void put_hosts(struct fold *f)
{
    struct orr_text *y = &f->c->yaml;
    char address[64];
    uint32_t hosts = f->capture.hosts > 1 ? f->capture.hosts : 2;
    for (uint32_t i = 0; i < f->capture.hosts; i++) {
        orr__capture_host(&f->capture, i, address, sizeof address);
        orr__text_add(y, "# host %u: %s\n", i, address);
    }
    orr__text_add(y,
                  "topology: {kind: switch, hosts: %u, link: {rate: 100Gbps, "
                  "delay: 1us}}\n",
                  hosts);
}

/* Each sender computes until its next message, to the end of the period. */
static void put_job(struct fold *f)
{
    struct orr_text *y = &f->c->yaml;
    uint32_t n = 0, hosts = f->capture.hosts > 1 ? f->capture.hosts : 2;
    double now = 0;
    orr__text_add(y,
                  "jobs:\n  - name: capture\n    ranks: %u\n    iterations: "
                  "%u\n    program:\n",
                  hosts, f->periods < 1000000 ? f->periods : 1000000);
    for (uint32_t i = 0; i < f->messages; i++) {
        const struct message *m = &f->message[i];
        bool new = i == 0 || f->message[i - 1].from != m->from;
        now = new ? 0 : now;
        orr__text_add(y, "      - {id: t%u, compute: %.0fns, after: [", n,
                      (m->at - now) * f->period_ns);
        if (!new)
            orr__text_add(y, "t%u", n - 1);
        orr__text_add(y,
                      "], ranks: [%u]}\n      - {send: {from: %u, to: %u, "
                      "size: %.0fB}, after: [t%u]}\n",
                      m->from, m->from, m->to, fmax(rint(m->bytes), 1), n);
        n++;
        now = m->at;
        if (i + 1 == f->messages || f->message[i + 1].from != m->from)
            orr__text_add(y,
                          "      - {id: t%u, compute: %.0fns, after: [t%u], "
                          "ranks: [%u]}\n",
                          n, (1 - now) * f->period_ns, n - 1, m->from),
                n++;
    }
}

static void note_period(struct fold *f)
{
    orr__note(&f->c->notes,
              "period: %.6g ms, %u times, correlation %.2f; bytes of a period "
              "vary by %.2g %%",
              f->period_ns * 1e-6, f->periods, f->correlation, 100 * f->varies);
    orr__note(&f->c->notes, "messages are what is sent without a pause of 1 %% "
                            "of the period, in the mean of all periods");
}

/* Packets of a pair with no pause between. */
struct burst {
    int64_t begin, last;
    uint64_t bytes; /* 0: none is open */
};

static void put_flow(struct fold *f, const struct pair *p, struct burst *b)
{
    orr__text_add(
        &f->c->yaml, "  - {src: %u, dst: %u, size: %lluB, start: %lldns}\n",
        p->from, p->to, (unsigned long long)b->bytes, (long long)b->begin);
    b->bytes = 0;
}

/* Each burst of a pair, apart by a millisecond or a thousandth of all. */
static orr_err put_flows(struct fold *f)
{
    const struct orr_capture *c = &f->capture;
    int64_t gap = f->end_ns / 1000 > 1000000 ? f->end_ns / 1000 : 1000000;
    struct burst *burst = orr__alloc(MOST_PAIRS, sizeof *burst);
    struct pair *p = NULL;
    uint32_t flows = 0;
    orr_err err = burst ? ORR_OK : orr__no_memory(f->why);
    orr__text_add(&f->c->yaml, "flows:\n");
    for (size_t i = 0; i < c->packets && flows < MOST_FLOWS && !err; i++) {
        const struct orr_pcap_packet *k = &c->packet[i];
        err = pair_of(f, k, &p);
        if (err)
            break;
        struct burst *b = &burst[p - f->pair];
        int64_t ns = k->ns > 0 ? k->ns : 0;
        if (b->bytes && ns - b->last > gap) {
            put_flow(f, p, b);
            flows++;
        }
        if (!b->bytes)
            b->begin = ns;
        b->bytes += k->bytes;
        b->last = ns;
    }
    for (uint32_t i = 0; i < f->pairs && !err; i++)
        if (burst[i].bytes)
            put_flow(f, &f->pair[i], &burst[i]);
    orr__free(burst);
    if (flows == MOST_FLOWS)
        orr__note(&f->c->notes, "flows end after %d", MOST_FLOWS);
    orr__note(&f->c->notes, "no period: flows, one for each burst");
    return err;
}

/* ---- all ---------------------------------------------------------------- */

/* The packets, and notes on what they are not. */
static orr_err read_capture(struct fold *f)
{
    char *bytes = NULL;
    size_t n = 0;
    orr_err err = orr__trace_slurp(f->path, &bytes, &n, f->why);
    if (!err)
        err = orr__capture_read(&f->capture, f->path, (const uint8_t *)bytes, n,
                                f->why);
    orr__free(bytes);
    const struct orr_capture *c = &f->capture;
    if (err)
        return err;
    for (size_t i = 0; i < c->packets; i++)
        if (c->packet[i].ns >= f->end_ns)
            f->end_ns = c->packet[i].ns + 1;
    if (c->packets == 0)
        return orr__fail_at(f->why, ORR_ECONFIG, f->path, 1, 1,
                            "no payload in %llu packets",
                            (unsigned long long)c->seen);
    if (c->ended_early)
        orr__note(&f->c->notes, "%s ends within a packet", f->path);
    if (c->foreign)
        orr__note(&f->c->notes,
                  "%llu of %llu packets are neither IPv4 nor IPv6, or are cut "
                  "too short",
                  (unsigned long long)c->foreign, (unsigned long long)c->seen);
    if (c->repeated)
        orr__note(&f->c->notes,
                  "%llu bytes were sent again, or seen twice: counted once",
                  (unsigned long long)c->repeated);
    return ORR_OK;
}

/* A lack of memory stays in the texts. */
static orr_err from_pcap(struct orr_convert *c, struct orr_report *why)
{
    struct fold f = {.c = c, .path = c->input[0], .why = why};
    if (c->inputs != 1)
        return orr__fail(why, ORR_ECONFIG, "one capture at a time");
    orr_err err = read_capture(&f);
    if (!err)
        err = find_period(&f);
    if (!err)
        put_hosts(&f);
    if (!err && f.periods >= 2)
        err = fold_capture(&f);
    if (!err && f.periods >= 2) {
        put_job(&f);
        note_period(&f);
    } else if (!err) {
        err = put_flows(&f);
    }
    orr__capture_fini(&f.capture);
    orr__names_fini(&f.names);
    orr__free(f.pair);
    orr__free(f.message);
    return err;
}

const struct orr_convert_ops orr__convert_pcap = {
    .name = "pcap",
    .doc = "a capture: a job by its period, or flows",
    .inputs = "one pcap or pcapng file with IPv4 or IPv6: TCP, RoCEv2, UDP",
    .from = from_pcap,
};
