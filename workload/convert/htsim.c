/* htsim's two files: a fat-tree (.topo) and a connection matrix (.cm). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/convert/convert.h"
#include "workload/flows.h"
#include "workload/trigger.h"

enum what { TOPO, CM, KINDS };
static const char *const names[] = { ".topo", ".cm" };

struct files {
    struct orr_convert *c;
    const char *path[KINDS];
    int64_t nodes; /* that the .cm says */
};

/* ---- reading ----------------------------------------------------------- */

/* By the words that only one of them has. */
static orr_err classify(struct files *f, struct orr_scan *s, int *what)
{
    *what = -1;
    s->comment = '#';
    while (*what < 0 && orr__scan_word(s)) {
        if (strcasecmp(s->word, "Tiers") == 0 ||
            strcasecmp(s->word, "Podsize") == 0)
            *what = TOPO;
        else if (strcmp(s->word, "Connections") == 0 || strstr(s->word, "->"))
            *what = CM;
        else if (strcasecmp(s->word, "Nodes") == 0 && orr__scan_here(s) &&
                 orr__parse_int(s->word, &f->nodes))
            f->nodes = 0;
    }
    return *what >= 0 ? ORR_OK
                      : orr__scan_fail(s, "neither a topology (.topo) nor a "
                                       "connection matrix (.cm)");
}

static orr_err take_input(struct files *f, const char *path,
                          struct orr_report *why)
{
    struct orr_scan s;
    int what = -1;
    int64_t before = f->nodes;
    orr_err err = orr__scan_open(&s, path, path, why);
    if (err != ORR_OK)
        return err;
    err = classify(f, &s, &what);
    if (err == ORR_OK && what >= 0 && f->path[what])
        err = orr__fail(why, ORR_ECONFIG, "%s and %s are both a %s",
                        f->path[what], path, names[what]);
    if (err == ORR_OK && what >= 0)
        f->path[what] = path;
    if (what != CM)
        f->nodes = before;
    orr__scan_fini(&s);
    return err;
}

/* k of the three-tier tree with so many hosts, htsim's default; 0: none. */
static int64_t default_tree(int64_t nodes)
{
    for (int64_t k = 2; k <= 2048; k += 2)
        if (k * k * k / 4 == nodes)
            return k;
    return 0;
}

static orr_err write_topology(struct files *f, struct orr_report *why)
{
    struct orr_text *y = &f->c->yaml;
    int64_t k = default_tree(f->nodes);
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
        return orr__fail(why, ORR_ECONFIG, "%s has %" PRId64 " nodes, which "
                         "no default fat-tree of htsim has: name a .topo "
                         "file too", f->path[CM], f->nodes);
    orr__text_add(y, "topology: {kind: fat-tree, k: %" PRId64 ", link: {rate: "
                  "100Gbps, delay: 1us}}\n", k);
    orr__note(&f->c->notes, "no .topo file: htsim's default, a fat-tree of %"
              PRId64 " hosts, 100 Gbps and 1 us", f->nodes);
    return ORR_OK;
}

static orr_err from_htsim(struct orr_convert *c, struct orr_report *why)
{
    struct files f = { .c = c };
    orr_err err = ORR_OK;
    for (size_t i = 0; i < c->inputs && err == ORR_OK; i++)
        err = take_input(&f, c->input[i], why);
    if (err == ORR_OK)
        err = write_topology(&f, why);
    if (err != ORR_OK)
        return err;
    orr__text_add(&c->yaml, "network:\n  mtu: 4000B\n  header: 64B\n"
                  "  ack: 64B\n  cc: none\n");
    orr__note(&c->notes, "the .cm names no protocol: cc is none; choose one "
              "of `orrery list cc`, and a queue");
    if (!f.path[CM])
        return ORR_OK;
    char *name = orr__convert_name(c, f.path[CM]);
    if (!name)
        return orr__no_memory(why);
    orr__text_add(&c->yaml, "flows:\n  - {file: %s, format: htsim}\n", name);
    orr__free(name);
    return ORR_OK;
}

/* ---- the tree ---------------------------------------------------------- */

/* What a regular tree is like, tier by tier: 0 edge, 1, 2 core. */
struct tree {
    int tiers;
    uint32_t count[4];    /* nodes of each level, hosts first */
    uint32_t cables[3];   /* below each tier */
    uint32_t line[3];     /* a cable of them */
    uint32_t pods, bundle[3];
};

/* Levels, and whether the cables below each tier are alike. */
static bool measure(const struct orr_graph *g, struct tree *t)
{
    for (uint32_t v = 0; v < g->nodes; v++) {
        if (g->level[v] > 3)
            return false;
        t->count[g->level[v]]++;
    }
    for (uint32_t c = 0; c < g->cables; c++) {
        uint32_t low = g->level[g->from[c]], high = g->level[g->to[c]];
        if (low > high) {
            uint32_t swap = low;
            low = high;
            high = swap;
        }
        if (high != low + 1)
            return false;
        if (t->cables[low]++ == 0)
            t->line[low] = c;
        uint32_t first = t->line[low];
        if (g->rate_bps[c] != g->rate_bps[first] ||
            g->delay_ps[c] != g->delay_ps[first] || g->loss[c] > 0)
            return false;
    }
    t->tiers = t->count[3] ? 3 : 2;
    return t->count[1] && t->count[2] && t->cables[0] == g->hosts;
}

/* Kinds whose wiring is htsim's; the rest follows from the counts. */
static bool recognise(const struct orr_graph *g, struct tree *t)
{
    *t = (struct tree){ .bundle = { 1, 1, 1 } };
    bool fat_tree = strcmp(g->kind, "fat-tree") == 0;
    bool leaf_spine = strcmp(g->kind, "leaf-spine") == 0;
    if ((!fat_tree && !leaf_spine) || g->parallel != 1 || !measure(g, t))
        return false;
    t->pods = fat_tree ? g->k : 1;
    if (leaf_spine)
        t->bundle[1] = t->cables[1] / (t->count[1] * t->count[2]);
    for (int i = 0; i < t->tiers; i++) {
        uint32_t c = t->line[i];
        if (g->rate_bps[c] % 1000000000 || g->delay_ps[c] % ORR_NS)
            return false;
    }
    return true;
}

/* Capacity below a tier over that above it; 0: no whole number. */
static uint64_t oversubscription(const struct orr_graph *g,
                                 const struct tree *t, int tier)
{
    uint64_t below = t->cables[tier] * (g->rate_bps[t->line[tier]] / 1000000);
    uint64_t above = t->cables[tier + 1] *
                     (g->rate_bps[t->line[tier + 1]] / 1000000);
    return below % above ? 0 : below / above;
}

static void print_tier(FILE *f, const struct orr_graph *g,
                       const struct tree *t, int i)
{
    uint32_t c = t->line[i];
    fprintf(f, "\nTier %d\nDownlink_speed_Gbps %" PRIu64 "\nRadix_Down %u\n",
            i, g->rate_bps[c] / 1000000000, t->cables[i] / t->count[i + 1]);
    if (i + 1 < t->tiers)
        fprintf(f, "Radix_Up %u\nOversubscribed %" PRIu64 "\n",
                t->cables[i + 1] / t->count[i + 1],
                oversubscription(g, t, i));
    fprintf(f, "Downlink_Latency_ns %" PRId64 "\nBundle %u\n",
            g->delay_ps[c] / ORR_NS, t->bundle[i]);
}

static orr_err write_tree(const struct orr_graph *g, const char *folder,
                          struct orr_text *notes, struct orr_report *why)
{
    struct orr_convert_file o;
    struct tree t;
    bool good = recognise(g, &t);
    for (int i = 0; good && i + 1 < t.tiers; i++)
        good = oversubscription(g, &t, i) > 0;
    if (!good) {
        orr__note(notes, "no .topo: htsim knows fat-trees with uniform tiers, "
                  "whole Gbps and ns, and a whole oversubscription");
        return ORR_OK;
    }
    orr_err err = orr__convert_open(&o, folder, "network.topo", why);
    if (err != ORR_OK)
        return err;
    fprintf(o.f, "Nodes %u\nTiers %d\nPodsize %u\n", g->hosts, t.tiers,
            g->hosts / t.pods);
    for (int i = 0; i < t.tiers; i++)
        print_tier(o.f, g, &t, i);
    return orr__convert_close(&o, ORR_OK, why);
}

/* ---- the connections --------------------------------------------------- */

static void print_flow(FILE *f, const struct orr_flow *flow, uint32_t i,
                       const struct orr_flow_use *use)
{
    fprintf(f, "%u->%u id %u ", flow->src, flow->dst, i + 1);
    if (use->waits)
        fprintf(f, "trigger %u", use->waits);
    else
        fprintf(f, "start %" PRId64, flow->start_ps);
    fprintf(f, " size %" PRIu64, flow->bytes);
    if (use->on_sent)
        fprintf(f, " send_done_trigger %u", use->on_sent);
    if (use->on_received)
        fprintf(f, " recv_done_trigger %u", use->on_received);
    fputc('\n', f);
}

static void print_triggers(FILE *f, const struct orr_triggers *t)
{
    static const char *const kinds[] = { "oneshot", "multishot", "barrier" };
    for (uint32_t i = 0; t && i < t->count; i++) {
        fprintf(f, "trigger id %u %s", i + 1, kinds[t->trigger[i].kind]);
        if (t->trigger[i].kind == ORR_TRIGGER_BARRIER)
            fprintf(f, " count %u", t->trigger[i].count);
        fputc('\n', f);
    }
}

static orr_err write_flows(const struct orr_world *w, const char *folder,
                           struct orr_text *notes, struct orr_report *why)
{
    static const struct orr_flow_use none;
    const struct orr_triggers *t = orr__flows_triggers(w);
    struct orr_convert_file o;
    uint32_t n = w->flows ? w->flows->count : 0, large = 0, rounded = 0;
    orr_err err = orr__convert_open(&o, folder, "flows.cm", why);
    if (err != ORR_OK)
        return err;
    fprintf(o.f, "Nodes %u\nConnections %u\n", w->graph->hosts, n);
    if (t)
        fprintf(o.f, "Triggers %u\n", t->count);
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_flow *f = &w->flows->flow[i];
        print_flow(o.f, f, i, t && i < t->uses ? &t->use[i] : &none);
        large += f->bytes > INT32_MAX;
        rounded += f->start_ps > 1 << 24;
    }
    print_triggers(o.f, t);
    if (large)
        orr__note(notes, "%u flows have more bytes than htsim's 31 bits hold",
                  large);
    if (rounded)
        orr__note(notes, "htsim reads starts to 24 bits: %u of them are "
                  "rounded there", rounded);
    return orr__convert_close(&o, ORR_OK, why);
}

static orr_err to_htsim(const struct orr_world *w, const char *folder,
                        struct orr_text *notes, struct orr_report *why)
{
    orr_err err = orr__convert_flows_only(w, "htsim", why);
    for (uint32_t i = 0; !err && w->flows && i < w->flows->count; i++)
        if (w->flows->flow[i].bytes == 0)
            err = orr__fail(why, ORR_ECONFIG, "flow %u has no bytes: htsim "
                            "would send for ever", i);
    if (err == ORR_OK)
        err = write_tree(w->graph, folder, notes, why);
    return err == ORR_OK ? write_flows(w, folder, notes, why) : err;
}

const struct orr_convert_ops orr__htsim_convert = {
    .name = "htsim",
    .doc = "htsim",
    .inputs = "a .topo file and a .cm file, or one of them",
    .from = from_htsim,
    .outputs = "flows.cm, and network.topo if it is a fat-tree",
    .to = to_htsim,
};
