/* htsim's two files: a fat-tree (.topo) and a connection matrix (.cm). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "formats/convert.h"
#include "formats/htsim/options.h"
#include "formats/htsim/tree.h"
#include "net/config/config.h"
#include "net/config/failures.h"
#include "workload/flow/flows.h"
#include "workload/flow/trigger.h"

enum what { TOPO, CM, KINDS };
static const char *const names[] = {".topo", ".cm"};

/* Of htsim_uec, if nothing else is asked for: a packet with its header and an
 * acknowledgement; the tree without a .topo; the end of a run. */
enum { MTU = 4086, HEADER = 64, ACK = 64, PACKET = MTU + HEADER };
enum { LINKS = 6, END_MS = 1 };
static const struct orr_htsim_options defaults = {
    .algo = "mixed",
    .entropies = 64,
    .rate_mbps = 100000,
    .latency_us = 1,
    .sack_bytes = 16384,
    .by_sender = true,
};

/* The two files while they are converted. */
struct files {
    struct orr_convert *c;
    struct orr_htsim_options options;
    const char *path[KINDS];
    int64_t nodes; /* that the .cm says */
    int64_t k;     /* of the default tree; 0: the .topo's */
    bool endless;  /* a flow has no size */
    bool later;    /* a flow starts after 0 */
    bool messages; /* of connections: their starts are microseconds */
    uint64_t bdp;  /* packets under way in the empty network, rounded up */
    uint64_t rate; /* of host 0's link */
};

/* ---- reading ----------------------------------------------------------- */

/* By the words that only one of them has. */
static orr_err classify(struct orr_scan *s, void *arg, int *what)
{
    struct files *f = arg;
    int64_t before = f->nodes;
    *what = -1;
    s->comment = '#';
    while (*what < 0 && orr__scan_word(s)) {
        if (strcasecmp(s->word, "Tiers") == 0
            || strcasecmp(s->word, "Podsize") == 0)
            *what = TOPO;
        else if (strcmp(s->word, "Connections") == 0 || strstr(s->word, "->"))
            *what = CM;
        else if (strcasecmp(s->word, "Nodes") == 0 && orr__scan_here(s)
                 && orr__parse_int(s->word, &f->nodes))
            f->nodes = 0;
    }
    if (*what != CM)
        f->nodes = before;
    return *what >= 0 ? ORR_OK
                      : orr__scan_fail(s, "neither a topology (.topo) nor a "
                                          "connection matrix (.cm)");
}

/* k of the three-tier tree with so many hosts, htsim's default; 0: none. */
static int64_t default_tree(int64_t nodes)
{
    for (int64_t k = 2; k <= 2048; k += 2)
        if (k * k * k / 4 == nodes)
            return k;
    return 0;
}

/* Without .topo htsim's default fat-tree, if one has so many nodes. */
static orr_err write_topology(struct files *f, struct orr_report *why)
{
    struct orr_text *y = &f->c->yaml;
    int64_t k = default_tree(f->nodes);
    orr__origins_find(f->c->blame, y,
                      f->path[TOPO] ? f->path[TOPO] : f->path[CM], 0, 0, NULL);
    if (f->path[TOPO]) {
        char *name = orr__convert_name(f->c, f->path[TOPO]);
        if (!name)
            return orr__no_memory(why);
        orr__text_add(y, "topology: {kind: file, format: htsim, file: %s}\n",
                      name);
        orr__free(name);
        return ORR_OK;
    }
    if (!k)
        return orr__fail(why, ORR_ECONFIG,
                         "%s has %" PRId64 " nodes, which "
                         "no default fat-tree of htsim has: name a .topo "
                         "file too",
                         f->path[CM], f->nodes);
    f->k = k;
    orr__text_add(y,
                  "topology: {kind: fat-tree, k: %" PRId64
                  ", link: {rate: %" PRId64 "Mbps, delay: %.12gus}}\n",
                  k, f->options.rate_mbps, f->options.latency_us);
    orr__note(&f->c->notes,
              "no .topo file: htsim's default, a fat-tree of %" PRId64
              " hosts, %.12g Gbps and %.12g us",
              f->nodes, (double)f->options.rate_mbps / 1000,
              f->options.latency_us);
    return ORR_OK;
}

/* ---- what the files leave to the command line ---------------------------- */

/* Links, one-way delay and serialisations between host 0 and the host that is
 * farthest: in a fat-tree all ways between them are alike. */
struct far {
    uint32_t links;
    int64_t delay, round; /* of a packet there and an ACK back, beside delays */
    uint64_t rate;        /* of host 0's link */
};

/* The furthest host from host 0, breadth first: links, delay, and time of a
 * packet and its ACK. */
static orr_err measure(const struct orr_graph *g, struct far *far,
                       struct orr_report *why)
{
    struct far *at = orr__alloc(g->nodes, sizeof *at);
    uint32_t *queue = orr__alloc(g->nodes, sizeof *queue), n = 1;
    *far = (struct far){.links = 0};
    for (uint32_t i = 0; at && queue && i < n; i++) {
        uint32_t v = queue[i];
        if (v < g->hosts && at[v].links > far->links)
            *far = at[v];
        for (uint32_t k = g->out_off[v]; k < g->out_off[v + 1]; k++) {
            uint32_t link = g->out_link[k], to = g->to[link];
            uint64_t rate = g->rate_bps[link];
            if (to == 0 || at[to].links)
                continue;
            at[to] = (struct far){
                .links = at[v].links + 1,
                .delay = orr__time_add(at[v].delay, g->delay_ps[link]),
                .round = orr__time_add(at[v].round,
                                       orr__serialisation(PACKET, rate)
                                           + orr__serialisation(ACK, rate)),
                .rate = v == 0 ? rate : at[v].rate,
            };
            ORR_ASSERT(n < g->nodes);
            queue[n++] = to;
        }
    }
    orr_err err = at && queue ? ORR_OK : orr__no_memory(why);
    orr__free(at);
    orr__free(queue);
    return err;
}

/* Bandwidth times delay of the longest path, bytes, by which htsim sets queues
 * and windows. */
static orr_err find_product(struct files *f, struct orr_report *why)
{
    struct orr_graph *g = NULL;
    uint64_t rate = (uint64_t)f->options.rate_mbps * 1000000;
    struct far far = {
        .delay = LINKS * (int64_t)(f->options.latency_us * (double)ORR_US),
        .rate = rate,
        .round = LINKS
                 * (orr__serialisation(PACKET, rate)
                    + orr__serialisation(ACK, rate)),
    };
    orr_err err = ORR_OK;
    if (f->path[TOPO])
        err = orr__convert_graph("htsim", f->path[TOPO], &g, why);
    if (err == ORR_OK && g)
        err = measure(g, &far, why);
    orr__graph_free(g);
    ORR_ASSERT(far.delay >= 0 && far.round >= 0);
    f->bdp = (orr__bytes_in(orr__time_add(2 * far.delay, far.round), far.rate)
              + PACKET - 1)
             / PACKET;
    f->rate = far.rate;
    return err;
}

/* What has to be known of the flows before they are read. */
static orr_err read_flow_facts(struct files *f, struct orr_report *why)
{
    struct orr_scan s;
    int64_t v = -1;
    orr_err err = f->path[CM]
                      ? orr__scan_open(&s, f->path[CM], f->path[CM], why)
                      : ORR_OK;
    if (err != ORR_OK || !f->path[CM])
        return err;
    s.comment = '#';
    while (orr__scan_word(&s)) {
        bool size = strcmp(s.word, "size") == 0;
        f->messages = f->messages || strcmp(s.word, "msg") == 0;
        if ((!size && strcmp(s.word, "start") != 0) || !orr__scan_here(&s))
            continue;
        if (size && !orr__parse_int(s.word, &v) && v == 0)
            f->endless = true;
        if (!size && strspn(s.word, "0.") < strlen(s.word))
            f->later = true;
    }
    orr__scan_fini(&s);
    return ORR_OK;
}

/* Packets of a queue: as asked for, or a product; five where it drops. */
static uint64_t queued(const struct files *f)
{
    if (f->options.queue)
        return (uint64_t)f->options.queue;
    return f->options.drops ? 5 * f->bdp : f->bdp;
}

static const char *queue_kind(const struct files *f)
{
    return f->options.drops ? "kind: red, mark: dequeue, pmax: 1"
                            : "kind: trim, header: 64B";
}

/* A share of a product, in fifths, whole packets rounded up: bytes. */
static uint64_t fifths(const struct files *f, uint64_t n)
{
    return (f->bdp * n + 4) / 5 * PACKET;
}

/* Its timer: 15 us and six full queues (main_uec.cpp). */
static int64_t timeout_ns(const struct files *f)
{
    int64_t queues = orr__serialisation(6 * queued(f) * PACKET, f->rate);

    return orr__time_add(15 * ORR_US, queues) / ORR_NS;
}

/* One, or a part of one. */
static void write_queue(struct files *f, uint64_t parts)
{
    orr__text_add(&f->c->yaml,
                  "{%s, capacity: %" PRIu64 "B, kmin: %" PRIu64
                  "B, kmax: %" PRIu64 "B}",
                  queue_kind(f), queued(f) * PACKET / parts,
                  fifths(f, 1) / parts, fifths(f, 4) / parts);
}

/* -failed N: of the default tree's links down to aggregation switches, the
 * first N have a quarter of their rate, and of their queue
 * (fat_tree_topology.cpp, init_network). */
static void each_slow_link(struct files *f, bool queues)
{
    struct orr_text *y = &f->c->yaml;
    int64_t half = f->k / 2, n = 0;

    for (int64_t agg = 0; agg < f->k * half; agg++)
        for (int64_t l = 0; l < half; l++) {
            if (l + agg * half >= f->options.failed)
                continue;
            orr__text_add(y,
                          queues ? "%s\"core%" PRId64 " > pod%" PRId64
                                   "/agg%" PRId64 "\": {queue: "
                                 : "%s{link: \"core%" PRId64 " > pod%" PRId64
                                   "/agg%" PRId64 "\", at: 0s, rate: ",
                          n++ ? ", " : "", agg % half * half + l, agg / half,
                          agg % half);
            if (queues)
                write_queue(f, 4);
            else
                orr__text_add(y, "%" PRId64 "Kbps", f->options.rate_mbps * 250);
            orr__text_add(y, "}");
        }
}

/* Ports with other queues: those of slow links, and with credits of receivers
 * the last ones, which do not mark (set_ecn_parameters). */
static void write_tiers(struct files *f, bool slow)
{
    struct orr_text *y = &f->c->yaml;

    if (!slow && !f->options.by_receiver)
        return;
    orr__text_add(y, "  by_tier: {");
    if (f->options.by_receiver)
        orr__text_add(y,
                      "host: {queue: {%s, capacity: "
                      "%" PRIu64 "B, kmin: %" PRIu64 "B, kmax: %" PRIu64
                      "B}}%s",
                      queue_kind(f), queued(f) * PACKET, queued(f) * PACKET,
                      queued(f) * PACKET, slow ? ", " : "");
    if (slow)
        each_slow_link(f, true);
    orr__text_add(y, "}\n");
    if (!slow)
        return;
    orr__text_add(y, "failures: [");
    each_slow_link(f, false);
    orr__text_add(y, "]\n");
}

static const char *control_of(const struct files *f)
{
    if (!f->options.by_receiver)
        return "{kind: nscc}";
    return f->options.by_sender ? "{kind: rccc, base: nscc}" : "{kind: rccc}";
}

/* A .cm names no protocol; what it is simulated with is htsim_uec. */
static void write_network(struct files *f)
{
    struct orr_text *y = &f->c->yaml;
    int64_t rto = timeout_ns(f);
    orr__origins_find(f->c->blame, y, NULL, 0, 0, NULL);
    orr__text_add(y,
                  "network:\n  mtu: %dB\n  header: %dB\n  ack: %dB\n"
                  "  ack_rule: uec\n  ack_bytes: %" PRId64
                  "B\n  cc: %s\n  queue: ",
                  MTU, HEADER, ACK, f->options.sack_bytes, control_of(f));
    write_queue(f, 1);
    orr__text_add(y,
                  "\n  # each packet has a timer there; here by its time\n"
                  "  rto: {initial: %" PRId64 "ns, min: %" PRId64
                  "ns, max: %" PRId64 "ns}\n  reorder_window: %" PRId64
                  "ns\n  routing: {kind: %s, entropies: %" PRId64 "}\n",
                  rto, rto, rto, rto, f->options.algo, f->options.entropies);
    if (f->options.failed && !f->k)
        orr__note(&f->c->notes,
                  "htsim's -failed is left out: it is for its default tree");
    write_tiers(f, f->options.failed && f->k);
    orr__note(&f->c->notes,
              "the .cm names no protocol: as htsim_uec has it, "
              "%s, its acknowledgements, entropies (%s), and queues of "
              "%" PRIu64 " B that %s packets and mark them",
              f->options.by_receiver ? "RCCC" : "NSCC", f->options.algo,
              queued(f) * PACKET, f->options.drops ? "drop" : "trim");
    if (f->later && !f->messages)
        orr__note(&f->c->notes,
                  "starts are read as picoseconds, as htsim's "
                  "generators write them; htsim_uec itself counts them in "
                  "microseconds: `unit: us` beside the file, or "
                  "--set flows[0].unit=us");
    if (!f->endless && !f->options.end_us)
        return;
    if (f->options.end_us) {
        orr__text_add(y, "stop: %" PRId64 "us\n", f->options.end_us);
        return;
    }
    orr__text_add(y, "stop: %dms\n", END_MS);
    orr__note(&f->c->notes,
              "a flow of size 0 sends to the end of the run: "
              "htsim_uec's, %d ms",
              END_MS);
}

/* Files in any order. */
static orr_err from_htsim(struct orr_convert *c, struct orr_report *why)
{
    struct files f = {.c = c, .options = defaults};
    orr_err err = ORR_OK;
    for (size_t i = 0; i < c->inputs && err == ORR_OK; i++) {
        const char *file;
        err = orr__htsim_option(&f.options, c->input, c->inputs, &i, &file,
                                &c->notes, why);
        if (err == ORR_OK && file)
            err =
                orr__convert_take_input(file, classify, &f, names, f.path, why);
    }
    if (err == ORR_OK)
        err = write_topology(&f, why);
    if (err == ORR_OK)
        err = find_product(&f, why);
    if (err == ORR_OK)
        err = read_flow_facts(&f, why);
    if (err != ORR_OK)
        return err;
    write_network(&f);
    if (!f.path[CM])
        return ORR_OK;
    char *name = orr__convert_name(c, f.path[CM]);
    if (!name)
        return orr__no_memory(why);
    orr__origins_find(c->blame, &c->yaml, f.path[CM], 0, 0, NULL);
    orr__text_add(&c->yaml, "flows:\n  - {file: %s, format: htsim}\n", name);
    orr__free(name);
    return ORR_OK;
}

/* ---- the tree ---------------------------------------------------------- */

/* Only a fat-tree has a .topo. */
static orr_err write_tree(const struct orr_world *w, const char *folder,
                          struct orr_text *notes, struct orr_report *why)
{
    struct orr_file o;
    struct orr_htsim_tree t;
    const char *reason;
    orr_err err = orr__htsim_recognise(w->graph, &t, &reason, why);
    if (err != ORR_OK)
        return err;
    if (reason) {
        orr__note(notes, "no .topo, which describes fat-trees: %s", reason);
        return ORR_OK;
    }
    err = orr__convert_open(&o, folder, "network.topo", why);
    if (err != ORR_OK)
        return err;
    orr__htsim_print_tree(o.out, w->graph, &t);
    if (t.renumbered)
        orr__note(notes, "core switches have other numbers in a .topo: which "
                         "path a hash chooses may differ");
    return orr__file_close(&o, ORR_OK, why);
}

/* ---- the connections --------------------------------------------------- */

/* reuse: flows are messages of connections, and starts count us. */
static void print_flow(FILE *f, const struct orr_flow *flow, uint32_t i,
                       bool reuse, const struct orr_flow_use *use)
{
    fprintf(f, "%u->%u id %u%s ", flow->src, flow->dst,
            flow->on ? flow->on : i + 1, reuse ? " msg" : "");
    if (use->waits)
        fprintf(f, "trigger %u", use->waits);
    else
        fprintf(f, "start %" PRId64,
                reuse ? flow->start_ps / ORR_US : flow->start_ps);
    fprintf(f, " size %" PRIu64, flow->bytes);
    if (use->on_sent)
        fprintf(f, " send_done_trigger %u", use->on_sent);
    if (use->on_received)
        fprintf(f, " recv_done_trigger %u", use->on_received);
    fputc('\n', f);
}

static void print_triggers(FILE *f, const struct orr_triggers *t)
{
    static const char *const kinds[] = {"oneshot", "multishot", "barrier"};
    for (uint32_t i = 0; t && i < t->count; i++) {
        fprintf(f, "trigger id %u %s", i + 1, kinds[t->trigger[i].kind]);
        if (t->trigger[i].kind == ORR_TRIGGER_BARRIER)
            fprintf(f, " count %u", t->trigger[i].count);
        fputc('\n', f);
    }
}

/* ---- failures ----------------------------------------------------------- */

/* Is the link away from the beginning to the end? */
static bool is_dead(const struct orr_failures *f, uint32_t link)
{
    const struct orr_outage *o;
    return orr__failures_of(f, link, &o) == 1 && o->down <= 0
           && o->up == ORR_NEVER;
}

/* The cable as one of a switch's, counted as .cm files count: neighbours above
 * it in the order of links. False: only some cables between the two fail, or
 * it goes to a host. */
static bool place_of(const struct orr_graph *g, const struct orr_failures *f,
                     uint32_t cable, uint32_t *low, uint32_t *number)
{
    uint32_t a = g->from[cable], b = g->to[cable], last = UINT32_MAX;
    *low = g->level[a] < g->level[b] ? a : b;
    uint32_t high = *low == a ? b : a;
    if (g->level[*low] == 0 || g->level[*low] > 2
        || g->level[high] != g->level[*low] + 1 || !is_dead(f, cable)
        || !is_dead(f, cable + g->cables))
        return false;
    *number = UINT32_MAX;
    for (uint32_t i = g->out_off[*low]; i < g->out_off[*low + 1]; i++) {
        uint32_t link = g->out_link[i], to = g->to[link];
        if (g->level[to] != g->level[high] || to == last)
            continue;
        last = to;
        ++*number;
        if (to == high) /* the first of a bundle is meant */
            return link % g->cables == cable;
    }
    return false;
}

/* The lines, or how many there are; *lost: outages that no line can tell. */
static uint32_t print_failures(FILE *f, const struct orr_world *w,
                               uint32_t *lost)
{
    static const char *const types[] = {"TOR", "AGG"};
    const struct orr_failures *all = w->net_config->failures;
    const struct orr_graph *g = w->graph;
    uint32_t n = 0, low, number, first[3] = {g->hosts, g->nodes, g->nodes};
    *lost = all ? all->outages + all->retunes + all->degraded : 0;
    for (uint32_t v = g->nodes; v-- > g->hosts;)
        if (g->level[v] == 2)
            first[1] = v;
    for (uint32_t c = 0; *lost && c < g->cables; c++) {
        if (!place_of(g, all, c, &low, &number))
            continue;
        int type = g->level[low] - 1;
        if (f)
            fprintf(f, "failure switch_type %s switch_id %u link_id %u\n",
                    types[type], low - first[type], number);
        n++;
        *lost -= 2;
    }
    return n;
}

/* Counts that htsim checks. */
static void print_head(FILE *f, const struct orr_world *w,
                       const struct orr_triggers *t, struct orr_text *notes)
{
    uint32_t lost, failures = print_failures(NULL, w, &lost);
    fprintf(f, "Nodes %u\nConnections %u\n", w->graph->hosts,
            w->flows ? w->flows->count : 0);
    if (t)
        fprintf(f, "Triggers %u\n", t->count);
    if (failures)
        fprintf(f, "Failures %u\n", failures);
    if (lost)
        orr__note(notes,
                  "htsim's links fail for the whole run, between switches, in "
                  "both directions: %u other changes of links are left out",
                  lost);
}

/* Sizes and starts that htsim's types cannot hold are noted. */
static orr_err write_flows(const struct orr_world *w, const char *folder,
                           struct orr_text *notes, struct orr_report *why)
{
    static const struct orr_flow_use none;
    const struct orr_triggers *t = orr__flows_triggers(w);
    struct orr_file o;
    uint32_t n = w->flows ? w->flows->count : 0, large = 0, rounded = 0, lost;
    bool reuse = false, later = false;
    for (uint32_t i = 0; i < n; i++)
        reuse = reuse || w->flows->flow[i].on;
    orr_err err = orr__convert_open(&o, folder, "flows.cm", why);
    if (err != ORR_OK)
        return err;
    print_head(o.out, w, t, notes);
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_flow *f = &w->flows->flow[i];
        print_flow(o.out, f, i, reuse, t && i < t->uses ? &t->use[i] : &none);
        large += f->bytes > INT32_MAX;
        later = later || f->start_ps > 0;
        rounded += reuse ? f->start_ps > 0 && f->start_ps % ORR_US
                         : (int64_t)(float)f->start_ps != f->start_ps;
    }
    print_triggers(o.out, t);
    (void)print_failures(o.out, w, &lost);
    if (large)
        orr__note(notes, "%u flows have more bytes than htsim's 31 bits hold",
                  large);
    if (later && !reuse)
        orr__note(notes, "starts are picoseconds, as htsim's generators write "
                         "them; htsim_uec itself counts them in microseconds");
    if (rounded && reuse)
        orr__note(notes,
                  "messages of connections start at whole microseconds "
                  "in htsim (-conn_reuse): %u of them are cut down",
                  rounded);
    else if (rounded)
        orr__note(notes,
                  "htsim reads starts to 24 bits: %u of them %s "
                  "rounded there",
                  rounded, rounded == 1 ? "is" : "are");
    return orr__file_close(&o, ORR_OK, why);
}

/* ORR_ECONFIG for jobs, and for flows of no bytes, which are endless there. */
static orr_err to_htsim(const struct orr_world *w, const char *folder,
                        struct orr_text *notes, struct orr_report *why)
{
    orr_err err = orr__convert_flows_only(w, "htsim", why);
    for (uint32_t i = 0; !err && w->flows && i < w->flows->count; i++)
        if (w->flows->flow[i].bytes == 0)
            err = orr__fail(why, ORR_ECONFIG,
                            "flow %u has no bytes: htsim "
                            "would send for ever",
                            i);
    if (err == ORR_OK)
        err = write_tree(w, folder, notes, why);
    return err == ORR_OK ? write_flows(w, folder, notes, why) : err;
}

const struct orr_convert_ops orr__convert_htsim = {
    .name = "htsim",
    .doc = "htsim",
    .inputs = "a .topo file and a .cm file, or one of them; and behind -- "
              "words of htsim_uec's command line",
    .from = from_htsim,
    .outputs = "flows.cm, and network.topo if it is a fat-tree",
    .to = to_htsim,
};
