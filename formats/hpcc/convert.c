/* HPCC's three files: topology.txt, flow.txt, config.txt. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/units.h"
#include "formats/convert.h"
#include "formats/hpcc/config.h"
#include "net/config/config.h"
#include "workload/flow/flows.h"

#define ORIGIN_S 2 /* where the traffic generator begins */

enum what { CONFIG, TOPOLOGY, FLOWS, KINDS };
static const char *const names[] = {"config.txt", "topology.txt", "flow.txt"};

/* The three files while they are converted. */
struct files {
    struct orr_convert *c;
    const char *path[KINDS];
    char *owned[KINDS]; /* those that config.txt names */
    struct orr_hpcc_config config;
    bool has_config;
    struct orr_graph *graph;
    bool from_two_seconds; /* no flow begins before that */
    uint64_t flows, lines; /* counted in flow.txt; there */
};

/* ---- which file is what ------------------------------------------------ */

static bool is_number(const struct orr_scan *s)
{
    double number;
    return orr__parse_real(s->word, &number) == NULL;
}

/* Does a number begin the first line that is no comment, from behind a line's
 * end on? */
static bool numbers_follow(const char *at)
{
    for (; at; at = strchr(at, '\n')) {
        at += strspn(at, " \t\r\n");
        if (*at != '#' && strncmp(at, "//", 2) != 0)
            return *at >= '0' && *at <= '9';
    }
    return false;
}

/* config.txt passes over words that are no key of it; in the other two each is
 * a number. */
static orr_err classify_words(struct orr_scan *s, int *what)
{
    bool comment = s->word[0] == '#' || strncmp(s->word, "//", 2) == 0;
    *what = CONFIG;
    const char *rest = orr__scan_line_tail(s);
    if (s->under != '\0' && s->under != '\n') /* where the word was cut off */
        rest = strchr(rest + 1, '\n');
    else if (s->under)
        rest++;
    if (comment && numbers_follow(rest))
        return orr__scan_fail(s, "a topology.txt or flow.txt has no comments: "
                                 "its first line is numbers");
    return ORR_OK;
}

/* By its first line: a word, three numbers, or one. */
static orr_err classify(struct orr_scan *s, void *arg, int *what)
{
    int words = 0;
    bool numbers = true;
    if (!orr__scan_word(s))
        return orr__scan_fail(s, "this file is empty");
    if (!is_number(s))
        return classify_words(s, what);
    do {
        words++;
        numbers = numbers && is_number(s);
    } while (orr__scan_here(s));
    if (words == 1)
        *what = FLOWS;
    else if (words == 3)
        *what = TOPOLOGY;
    else if (numbers)
        return orr__scan_fail(s,
                              "the first line has %d numbers: that of a "
                              "topology.txt has three, `nodes switches links`, "
                              "and that of a flow.txt one",
                              words);
    else if (words == 6)
        return orr__scan_fail(s, "this is a topology of SimAI: "
                                 "`topology: {kind: file, format: simai, ...}` "
                                 "reads it");
    else
        return orr__scan_fail(s, "neither config.txt nor topology.txt nor "
                                 "flow.txt begins so");
    return ORR_OK;
}

/* ---- config.txt -------------------------------------------------------- */

/* F->config is freed by the caller, also after an error. */
static orr_err read_config(struct files *f, struct orr_report *why)
{
    struct orr_scan s;
    orr_err err = orr__scan_open(&s, f->path[CONFIG], f->path[CONFIG], why);
    if (err != ORR_OK)
        return err;
    f->has_config = true;
    err = orr__hpcc_config_read(&s, &f->config);
    f->config.file = f->path[CONFIG];
    f->config.blame = f->c->blame;
    orr__scan_fini(&s);
    return err;
}

/* A file that config.txt names: as it stands there, below config.txt's folder
 * or the one above it, or by its last part beside config.txt: the simulator is
 * started in a folder that nobody tells. */
static orr_err resolve(struct files *f, enum what what, const char *name,
                       struct orr_report *why)
{
    const char *config = f->path[CONFIG];
    if (f->path[what] || !name || !config)
        return ORR_OK;
    const char *slash = strrchr(config, '/'), *last = strrchr(name, '/');
    int n = slash ? (int)(slash - config) : 1;
    const char *folder = slash ? config : ".";
    last = last ? last + 1 : name;
    char *tries[] = {
        orr__strdup(name),
        orr__format("%.*s/%s", n, folder, name),
        orr__format("%.*s/../%s", n, folder, name),
        strcmp(folder, ".") == 0 ? orr__strdup(last)
                                 : orr__format("%.*s/%s", n, folder, last),
    };
    orr_err err = ORR_OK;
    for (size_t i = 0; i < 4; i++) {
        if (!tries[i])
            err = orr__no_memory(why);
        else if (!f->owned[what] && access(tries[i], R_OK) == 0)
            f->owned[what] = tries[i];
        if (f->owned[what] != tries[i])
            orr__free(tries[i]);
    }
    f->path[what] = f->owned[what];
    if (err == ORR_OK && !f->path[what])
        err = orr__fail(why, ORR_ECONFIG,
                        "%s names %s, and there is no such "
                        "file here or near it",
                        config, name);
    return err;
}

/* ---- topology.txt and flow.txt ----------------------------------------- */

/* To the end of a line of which one word is read: is it a flow? What stands
 * behind the flows may be remarks, as in HPCC's own file. */
static bool is_flow(struct orr_scan *s)
{
    int64_t v;
    int words = 0;
    bool flow = true;
    do {
        flow &= words < 5 ? orr__scan_int(s, "", 0, INT64_MAX, &v) == ORR_OK
                          : orr__scan_time(s, "", "s", &v) == ORR_OK;
        words++;
    } while (orr__scan_here(s));
    return flow && words == 6;
}

/* Whether all begin at 2 s or later, and whether all are counted. What is
 * wrong in it, the configuration's reader will say. */
static orr_err read_flow_facts(struct files *f, struct orr_report *why)
{
    struct orr_scan s;
    struct orr_report ignored = {.code = ORR_OK};
    int64_t v = 0, start = 0;
    orr_err err = orr__scan_open(&s, f->path[FLOWS], f->path[FLOWS], why);
    if (err != ORR_OK)
        return err;
    s.why = &ignored;
    (void)orr__scan_word(&s);
    if (orr__scan_int(&s, "", 0, INT32_MAX, &v) == ORR_OK)
        f->flows = (uint64_t)v;
    f->from_two_seconds = f->flows > 0;
    for (; f->lines < f->flows && orr__scan_word(&s); f->lines++) {
        for (int i = 0; i < 5; i++)
            (void)orr__scan_word(&s);
        if (!s.length)
            break;
        if (orr__scan_time(&s, "", "s", &start) != ORR_OK
            || start < ORIGIN_S * ORR_S)
            f->from_two_seconds = false;
    }
    while (orr__scan_word(&s))
        f->lines += is_flow(&s);
    orr__scan_fini(&s);
    return ORR_OK;
}

/* ---- the configuration ------------------------------------------------- */

/* The files stay where they are, and are named. */
static orr_err write_yaml(struct files *f, struct orr_report *why)
{
    struct orr_text *y = &f->c->yaml, *notes = &f->c->notes;
    char *topology = orr__convert_name(f->c, f->path[TOPOLOGY]);
    char *flows =
        f->path[FLOWS] ? orr__convert_name(f->c, f->path[FLOWS]) : NULL;
    bool lost = !topology || (f->path[FLOWS] && !flows);
    if (!lost) {
        orr__origins_find(f->c->blame, y, f->path[TOPOLOGY], 0, 0, NULL);
        orr__hpcc_topology_write(f->has_config ? &f->config : NULL, "hpcc",
                                 topology, y);
        if (f->has_config)
            orr__hpcc_config_write(&f->config, f->graph,
                                   f->from_two_seconds ? ORIGIN_S : 0, y,
                                   notes);
        orr__origins_find(f->c->blame, y,
                          f->has_config ? f->path[CONFIG] : NULL, 0, 0, NULL);
        if (!f->has_config)
            orr__text_add(y, "network: {mtu: 1000B, header: 48B, ack: 60B}\n");
        orr__origins_find(f->c->blame, y, f->path[FLOWS], 0, 0, NULL);
        if (flows)
            orr__text_add(y, "flows:\n  - {file: %s, format: hpcc%s}\n", flows,
                          f->from_two_seconds ? ", origin: 2s" : "");
    }
    orr__convert_unread(notes, f->path[TOPOLOGY], f->graph);
    if (f->lines > f->flows)
        orr__note(notes,
                  "%s counts %" PRIu64 " flows and lists %" PRIu64
                  ": as in HPCC, the rest is not read",
                  f->path[FLOWS], f->flows, f->lines);
    orr__free(topology);
    orr__free(flows);
    return lost ? orr__no_memory(why) : ORR_OK;
}

/* Files in any order; those that config.txt names need not be given. */
static orr_err from_hpcc(struct orr_convert *c, struct orr_report *why)
{
    struct files f = {.c = c};
    orr_err err = ORR_OK;
    for (size_t i = 0; i < c->inputs && err == ORR_OK; i++)
        err = orr__convert_take_input(c->input[i], classify, NULL, names,
                                      f.path, why);
    if (err == ORR_OK && f.path[CONFIG])
        err = read_config(&f, why);
    if (err == ORR_OK && f.has_config)
        err = resolve(&f, TOPOLOGY, f.config.topology, why);
    if (err == ORR_OK && f.has_config)
        err = resolve(&f, FLOWS, f.config.flows, why);
    if (err == ORR_OK && !f.path[TOPOLOGY])
        err = orr__fail(why, ORR_ECONFIG,
                        "there is no topology.txt among "
                        "the files");
    if (err == ORR_OK)
        err = orr__convert_graph("hpcc", f.path[TOPOLOGY], &f.graph, why);
    if (err == ORR_OK && f.has_config)
        err = orr__hpcc_longest(f.graph, (uint64_t)f.config.payload,
                                &f.config.longest, why);
    if (err == ORR_OK && f.path[FLOWS])
        err = read_flow_facts(&f, why);
    if (err == ORR_OK)
        err = write_yaml(&f, why);
    orr__graph_free(f.graph);
    if (f.has_config)
        orr__hpcc_config_fini(&f.config);
    for (int i = 0; i < KINDS; i++)
        orr__free(f.owned[i]);
    return err;
}

/* ---- writing ----------------------------------------------------------- */

/* Ids as they are: hosts have the lower ones here, too. */
static orr_err write_topology(const struct orr_graph *g, const char *folder,
                              struct orr_report *why)
{
    struct orr_file o;
    char rate[32], delay[32];
    if (g->simplex)
        return orr__fail(why, ORR_ECONFIG,
                         "topology: HPCC's files know no one-way cables");
    orr_err err = orr__convert_open(&o, folder, "topology.txt", why);
    if (err != ORR_OK)
        return err;
    fprintf(o.out, "%u %u %u\n", g->nodes, g->nodes - g->hosts, g->cables);
    for (uint32_t v = g->hosts; v < g->nodes; v++)
        fprintf(o.out, "%s%u", v > g->hosts ? " " : "", v);
    fputc('\n', o.out);
    for (uint32_t c = 0; c < g->cables; c++) {
        orr__format_rate(g->rate_bps[c], rate, sizeof rate);
        orr__format_time(g->delay_ps[c], delay, sizeof delay);
        fprintf(o.out, "%u %u %s %s %.17g\n", g->from[c], g->to[c], rate, delay,
                g->loss[c]);
    }
    return orr__file_close(&o, ORR_OK, why);
}

static int by_start(const void *a, const void *b, void *arg)
{
    const struct orr_flow *flow = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    if (flow[i].start_ps != flow[j].start_ps)
        return flow[i].start_ps < flow[j].start_ps ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* Seconds, to the picosecond. */
static void print_seconds(FILE *f, int64_t ps)
{
    char text[40];
    snprintf(text, sizeof text, "%" PRId64 ".%012" PRId64, ps / ORR_S,
             ps % ORR_S);
    size_t n = strlen(text);
    while (text[n - 1] == '0')
        text[--n] = '\0';
    if (text[n - 1] == '.')
        text[n - 1] = '\0';
    fputs(text, f);
}

/* In order of start, which begins at ORIGIN_S, as HPCC's generators have it. */
static orr_err write_flows(const struct orr_world *w, const uint32_t *order,
                           const char *folder, struct orr_text *notes,
                           struct orr_report *why)
{
    struct orr_file o;
    uint32_t n = w->flows ? w->flows->count : 0, large = 0;
    orr_err err = orr__convert_open(&o, folder, "flow.txt", why);
    if (err != ORR_OK)
        return err;
    fprintf(o.out, "%u\n", n);
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_flow *f = &w->flows->flow[order[i]];
        fprintf(o.out, "%u %u %u 100 %" PRIu64 " ", f->src, f->dst,
                f->service ? f->service->class : 3, f->bytes);
        print_seconds(o.out, orr__time_add(f->start_ps, ORIGIN_S * ORR_S));
        fputc('\n', o.out);
        large += f->bytes > UINT32_MAX;
    }
    if (large)
        orr__note(notes, "%u flows have more bytes than HPCC's 32 bits hold",
                  large);
    return orr__file_close(&o, ORR_OK, why);
}

/* config.txt, and trace.txt, which the simulator asks for. */
static orr_err write_config(const struct orr_world *w, const char *folder,
                            struct orr_text *notes, struct orr_report *why)
{
    struct orr_file o;
    struct orr_hpcc_longest longest;
    orr_err err =
        orr__hpcc_longest(w->graph, w->net_config->mtu, &longest, why);
    if (err == ORR_OK)
        err = orr__convert_open(&o, folder, "config.txt", why);
    if (err != ORR_OK)
        return err;
    orr__hpcc_config_print(o.out, w, &longest, notes);
    err = orr__file_close(&o, ORR_OK, why);
    /* nodes whose packets are to be traced: none */
    if (err == ORR_OK)
        err = orr__convert_open(&o, folder, "trace.txt", why);
    if (err != ORR_OK)
        return err;
    fputs("0\n", o.out);
    return orr__file_close(&o, ORR_OK, why);
}

/* ORR_ECONFIG for jobs and for flows that wait for others. */
static orr_err to_hpcc(const struct orr_world *w, const char *folder,
                       struct orr_text *notes, struct orr_report *why)
{
    uint32_t n = w->flows ? w->flows->count : 0;
    uint32_t *order = orr__alloc(n, sizeof *order);
    orr_err err = orr__convert_flows_only(w, "HPCC", why);
    if (!order)
        err = orr__no_memory(why);
    for (uint32_t i = 0; i < n && err == ORR_OK; i++) {
        order[i] = i;
        if (w->flows->flow[i].start_ps < 0)
            err = orr__fail(why, ORR_ECONFIG,
                            "flow %u waits for a trigger: HPCC has none", i);
    }
    if (n && err == ORR_OK)
        qsort_r(order, n, sizeof *order, by_start, w->flows->flow);
    if (err == ORR_OK)
        err = write_topology(w->graph, folder, why);
    if (err == ORR_OK)
        err = write_flows(w, order, folder, notes, why);
    if (err == ORR_OK)
        err = write_config(w, folder, notes, why);
    if (err == ORR_OK)
        orr__note(notes, "flows begin at 2 s, as HPCC's do; a flow without a "
                         "class is of priority group 3");
    orr__free(order);
    return err;
}

const struct orr_convert_ops orr__convert_hpcc = {
    .name = "hpcc",
    .doc = "HPCC and the ns-3 backends made from it",
    .inputs = "config.txt (and what it names), topology.txt, flow.txt",
    .from = from_hpcc,
    .outputs = "topology.txt, flow.txt, config.txt, trace.txt",
    .to = to_hpcc,
};
