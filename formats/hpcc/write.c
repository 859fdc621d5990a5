/* A config.txt for HPCC's simulator, from what a configuration says. */
#include <inttypes.h>
#include <string.h>

#include "core/units.h"
#include "formats/hpcc/config.h"
#include "net/config/config.h"
#include "net/config/timers.h"
#include "workload/flow/flows.h"

enum { RESERVE = 4096, HYSTERESIS = 3072 }; /* of its switches, bytes */

/* ---- parameters --------------------------------------------------------- */

/* The field that a key of this table fills; NULL: there is none. */
static const void *find_param(const struct orr_param *table, const void *params,
                              const char *key, const struct orr_param **entry)
{
    for (; table && params && table->key; table++)
        if (strcmp(table->key, key) == 0) {
            *entry = table;
            return (const char *)params + table->offset;
        }
    return NULL;
}

static const void *cc_field(const struct orr_cc *cc, const char *key)
{
    const struct orr_param *entry;
    return find_param(cc->ops->params, cc->params, key, &entry);
}

/* The word that a choice stands at; "" if there is no such key. */
static const char *choice(const struct orr_cc *cc, const char *key)
{
    const struct orr_param *entry;
    const int *v = find_param(cc->ops->params, cc->params, key, &entry);
    return v ? entry->choices[*v] : "";
}

static const void *queue_field(const struct orr_world *w, const char *key)
{
    const struct orr_param *entry;
    return find_param(w->net_config->queue->params, w->net_config->queue_params,
                      key, &entry);
}

/* ---- congestion control ------------------------------------------------- */

static void print_us(FILE *f, const struct orr_cc *cc, const char *to,
                     const char *key)
{
    const int64_t *ps = cc_field(cc, key);
    if (ps)
        fprintf(f, "%s %.12g\n", to, (double)*ps / (double)ORR_US);
}

static void print_int(FILE *f, const struct orr_cc *cc, const char *to,
                      const char *key)
{
    const int64_t *v = cc_field(cc, key);
    if (v)
        fprintf(f, "%s %" PRId64 "\n", to, *v);
}

static void print_real(FILE *f, const struct orr_cc *cc, const char *to,
                       const char *key)
{
    const double *v = cc_field(cc, key);
    if (v)
        fprintf(f, "%s %.12g\n", to, *v);
}

/* The fastest of a host's links. */
static uint64_t line_rate(const struct orr_graph *g)
{
    uint64_t line = 0;
    for (uint32_t c = 0; c < g->cables; c++)
        if ((orr__is_host(g, g->from[c]) || orr__is_host(g, g->to[c]))
            && g->rate_bps[c] > line)
            line = g->rate_bps[c];
    return line;
}

/* What is left to the line rate is told for the fastest one of a host. */
static void print_rate(FILE *f, const struct orr_world *w, const char *to,
                       const char *key, uint64_t share)
{
    const uint64_t *given = cc_field(w->net_config->service.cc, key);
    uint64_t bps = given ? *given : 0;
    if (given)
        fprintf(f, "%s %" PRIu64 "b/s\n", to,
                bps == ORR_AUTO_SIZE ? line_rate(w->graph) / share : bps);
}

/* What HPCC's windows count, and of which round trip they are. */
static void print_round_trip(FILE *f, const struct orr_cc *cc,
                             const struct orr_hpcc_longest *longest,
                             struct orr_text *notes)
{
    const int64_t *rtt = cc_field(cc, "base_rtt");
    bool given = rtt && *rtt != ORR_AUTO;
    fprintf(f, "GLOBAL_T %d\n", given);
    if (given && *rtt / ORR_NS != (int64_t)longest->rtt_ns)
        orr__note(notes,
                  "cc.base_rtt: HPCC's is the longest of the network, "
                  "%" PRIu64 " ns",
                  longest->rtt_ns);
    if (strcmp(choice(cc, "counts"), "payload") != 0)
        orr__note(notes, "cc.counts: HPCC's window is of payload");
}

static void print_window(FILE *f, const struct orr_cc *cc,
                         const struct orr_hpcc_longest *longest,
                         struct orr_text *notes)
{
    const char *window = choice(cc, "window");
    bool some = *window && strcmp(window, "none") != 0;
    fprintf(f, "HAS_WIN %d\nVAR_WIN %d\n", some, strcmp(window, "scaled") == 0);
    if (some)
        print_round_trip(f, cc, longest, notes);
}

/* From the control's parameters, by key. */
static void print_dcqcn(FILE *f, const struct orr_world *w,
                        struct orr_text *notes)
{
    const struct orr_cc *cc = w->net_config->service.cc;
    const int64_t *counter = cc_field(cc, "byte_counter");
    print_us(f, cc, "ALPHA_RESUME_INTERVAL", "alpha_interval");
    print_us(f, cc, "RATE_DECREASE_INTERVAL", "decrease_interval");
    print_us(f, cc, "RP_TIMER", "increase_interval");
    print_real(f, cc, "EWMA_GAIN", "g");
    print_int(f, cc, "FAST_RECOVERY_TIMES", "recovery");
    fprintf(f, "CLAMP_TARGET_RATE %d\n",
            strcmp(choice(cc, "clamp"), "true") == 0);
    if (cc->cnp_interval_ps || (counter && *counter))
        orr__note(notes, "cc: dcqcn has no byte counter and no packets of "
                         "notification in HPCC");
}

/* CC_MODE 3, and 10: with PINT. */
static void print_hpcc(FILE *f, const struct orr_world *w,
                       const struct orr_hpcc_longest *longest, bool pint,
                       struct orr_text *notes)
{
    const struct orr_cc *cc = w->net_config->service.cc;
    const bool *fast = cc_field(cc, "fast_react");
    uint64_t units = line_rate(w->graph) / 25000000000u;
    print_real(f, cc, "U_TARGET", "eta");
    print_int(f, cc, "MI_THRESH", "max_stage");
    fprintf(f,
            "FAST_REACT %d\nHAS_WIN 1\nVAR_WIN 1\nMULTI_RATE 0\n"
            "SAMPLE_FEEDBACK 0\nINT_MULTI %" PRIu64 "\n",
            fast && *fast, units ? units : 1);
    if (pint) {
        print_real(f, cc, "PINT_LOG_BASE", "pint_base");
        print_real(f, cc, "PINT_PROB", "pint_share");
    }
    print_round_trip(f, cc, longest, notes);
}

/* CC_MODE 8, of either kind; a step by default is a packet a round trip. */
static void print_dctcp(FILE *f, const struct orr_world *w,
                        const struct orr_hpcc_longest *longest,
                        struct orr_text *notes)
{
    const struct orr_cc *cc = w->net_config->service.cc;
    const uint64_t *step = cc_field(cc, "rate_ai");
    uint64_t bps = longest->rtt_ns
                       ? w->net_config->mtu * 8000000000u / longest->rtt_ns
                       : 1;
    if (strcmp(cc->ops->name, "dctcp") == 0)
        orr__note(notes, "cc: dctcp has a window here and a rate there, as "
                         "dctcp-rate");
    print_real(f, cc, "EWMA_GAIN", "g");
    print_window(f, cc, longest, notes);
    fprintf(f, "DCTCP_RATE_AI %" PRIu64 "b/s\n",
            step && *step != ORR_AUTO_SIZE ? *step : bps);
    if (!cc_field(cc, "min_rate"))
        fprintf(f, "MIN_RATE 100000000b/s\n");
}

/* Controls that HPCC has; PINT is one of the first, with a byte. */
static const struct mode {
    const char *kind;
    int mode;
    uint64_t ai, hai; /* the line rate's share that `auto` is */
} modes[] = {{"dcqcn", 1, 5000, 500},  {"hpcc", 3, 2500, 1},
             {"timely", 7, 1000, 200}, {"dctcp", 8, 1, 1},
             {"dctcp-rate", 8, 1, 1},  {"none", 12, 1, 1}};

/* What HPCC has no counterpart for runs at line rate there; the mode. */
static int print_cc(FILE *f, const struct orr_world *w,
                    const struct orr_hpcc_longest *longest,
                    struct orr_text *notes)
{
    const struct orr_cc *cc = w->net_config->service.cc;
    const size_t last = sizeof modes / sizeof *modes - 1;
    size_t i = 0;
    while (i < last && strcmp(cc->ops->name, modes[i].kind) != 0)
        i++;
    if (strcmp(cc->ops->name, modes[i].kind) != 0)
        orr__note(notes, "cc: HPCC has no %s: line rate (CC_MODE 12)",
                  cc->ops->name);
    int mode = modes[i].mode == 3 && cc->pint ? 10 : modes[i].mode;
    fprintf(f, "\nCC_MODE %d\n", mode);
    if (mode == 1)
        print_dcqcn(f, w, notes);
    if (mode == 1 || mode == 7)
        print_window(f, cc, longest, notes);
    if (mode == 3 || mode == 10)
        print_hpcc(f, w, longest, mode == 10, notes);
    if (mode == 8)
        print_dctcp(f, w, longest, notes);
    if (mode == 12)
        fprintf(f, "HAS_WIN 0\n");
    if (mode != 8)
        print_rate(f, w, "RATE_AI", "rate_ai", modes[i].ai);
    print_rate(f, w, "RATE_HAI", "rate_hai", modes[i].hai);
    print_rate(f, w, "MIN_RATE", "min_rate", 1);
    return mode;
}

/* ---- marking ------------------------------------------------------------ */

/* KB of 1000 bytes at a link's rate: the queue's own, or so many for each
 * Gbps. */
static double threshold(const struct orr_by_rate *b, uint64_t rate,
                        double per_gbps)
{
    const union orr_rate_value *v = b ? orr__by_rate(b, rate) : NULL;
    return v && v->size != ORR_AUTO_SIZE ? (double)v->size / 1000
                                         : per_gbps * (double)rate / 1e9;
}

/* The distinct rates of the graph, at most as many as a map holds. */
static uint32_t find_rates(const struct orr_graph *g,
                           uint64_t rate[ORR_HPCC_MAP_MOST])
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < g->cables && n < ORR_HPCC_MAP_MOST; c++) {
        uint32_t i = 0;
        while (i < n && rate[i] != g->rate_bps[c])
            i++;
        if (i == n)
            rate[n++] = g->rate_bps[c];
    }
    return n;
}

static void print_map(FILE *f, const char *key, const uint64_t *rate,
                      uint32_t n, const struct orr_by_rate *bytes,
                      double per_gbps)
{
    fprintf(f, "%s %u", key, n);
    for (uint32_t i = 0; i < n; i++)
        fprintf(f, " %" PRIu64 " %.12g", rate[i],
                threshold(bytes, rate[i], per_gbps));
    fputc('\n', f);
}

/* Maps by rate; without marking they are HPCC's defaults. */
static void print_marking(FILE *f, const struct orr_world *w,
                          struct orr_text *notes)
{
    const char *kind = w->net_config->queue->name;
    bool red = strcmp(kind, "red") == 0, ecn = strcmp(kind, "ecn") == 0;
    const struct orr_by_rate *low = queue_field(w, ecn ? "threshold" : "kmin");
    const struct orr_by_rate *high = queue_field(w, ecn ? "threshold" : "kmax");
    const struct orr_by_rate *p = queue_field(w, "pmax");
    uint64_t rate[ORR_HPCC_MAP_MOST] = {0};
    uint32_t n = find_rates(w->graph, rate);
    fprintf(f, "\nENABLE_QCN %d\n", red || ecn);
    if (!red && !ecn && strcmp(kind, "droptail") != 0)
        orr__note(notes, "queue: HPCC has no %s: nothing is marked", kind);
    print_map(f, "KMIN_MAP", rate, n, low, 4);
    print_map(f, "KMAX_MAP", rate, n, high, 16);
    fprintf(f, "PMAX_MAP %u", n);
    for (uint32_t i = 0; i < n; i++) {
        const union orr_rate_value *v = p ? orr__by_rate(p, rate[i]) : NULL;
        fprintf(f, " %" PRIu64 " %.12g", rate[i], v ? v->real : 1.0);
    }
    fputc('\n', f);
}

/* What a switch of HPCC keeps apart for a link: three times what it holds, and
 * the reserve. */
static uint64_t kept_apart(const struct orr_world *w, uint32_t link)
{
    const struct orr_graph *g = w->graph;
    return 3 * orr__bytes_in(g->delay_ps[link], g->rate_bps[link]) + RESERVE;
}

/* Bytes of the largest memory of a switch; *apart: of the most that one has to
 * keep apart. */
static uint64_t largest_memory(const struct orr_world *w, uint64_t *apart)
{
    const struct orr_graph *g = w->graph;
    const struct orr_net_config *c = w->net_config;
    const uint64_t *capacity = queue_field(w, "capacity");
    uint64_t most = 0;
    *apart = 0;
    for (uint32_t v = 0; v < g->nodes; v++) {
        uint64_t ports = g->out_off[v + 1] - g->out_off[v], sum = 0;
        uint64_t bytes = c->buffer.shared ? c->buffer.size
                         : capacity       ? *capacity * ports
                                          : 0;
        if (!g->forwards[v])
            continue;
        for (uint32_t i = g->in_off[v]; i < g->in_off[v + 1]; i++)
            sum += kept_apart(w, g->in_link[i]);
        most = bytes > most ? bytes : most;
        *apart = sum > *apart ? sum : *apart;
    }
    return most;
}

/* All ports of a switch share its memory there, so many MiB in each. */
static void print_buffer(FILE *f, const struct orr_world *w,
                         struct orr_text *notes)
{
    const struct orr_net_config *c = w->net_config;
    uint64_t mib = UINT64_C(1) << 20, apart;
    uint64_t bytes = largest_memory(w, &apart);
    uint64_t whole = bytes < mib ? 1 : bytes / mib;
    if (!c->buffer.shared)
        orr__note(notes,
                  "buffer: the ports of a switch share its memory in "
                  "HPCC, and all switches have as much as the largest one's "
                  "ports together");
    if (whole * mib < apart + mib) {
        whole = apart / mib + 2;
        orr__note(notes,
                  "buffer: %" PRIu64 " MiB, of which pause frames need "
                  "%" PRIu64 " B as headroom",
                  whole, apart);
    } else if (bytes != whole * mib) {
        orr__note(notes, "buffers have whole MiB there, at least one");
    }
    fprintf(f, "BUFFER_SIZE %" PRIu64 "\n", whole);
    if (!c->pfc.enabled)
        orr__note(notes, "HPCC's switches always send pause frames");
    fprintf(f, "USE_DYNAMIC_PFC_THRESHOLD %d\n",
            !c->pfc.enabled || c->pfc.xoff == 0);
}

/* ---- what comes out otherwise ------------------------------------------- */

/* Whether links may lose packets. */
static bool may_lose(const struct orr_world *w)
{
    bool lossy = w->net_config->failures != NULL;
    for (uint32_t i = 0; i < w->graph->links; i++)
        lossy |= w->graph->loss[i] > 0;
    return lossy;
}

/* Where HPCC's packets differ. */
static void note_packets(const struct orr_world *w, int mode,
                         struct orr_text *notes)
{
    const struct orr_net_config *c = w->net_config;
    uint64_t header = (uint64_t)orr__hpcc_header(mode);
    if (c->header != header)
        orr__note(notes,
                  "header: HPCC's packets have %" PRIu64 " bytes beside "
                  "the payload, not %" PRIu64,
                  header, c->header);
    if (c->ack != (uint64_t)orr__hpcc_ack(mode))
        orr__note(notes,
                  "ack: HPCC's acknowledgements have %d bytes, not "
                  "%" PRIu64,
                  orr__hpcc_ack(mode), c->ack);
    if (c->ack_every != 1)
        orr__note(notes, "ack_every: HPCC acknowledges every packet");
    if (c->transport != ORR_TRANSPORT_RELIABLE)
        orr__note(notes, "transport: HPCC's is acknowledged and repaired");
    if (c->recovery != ORR_RECOVERY_GO_BACK_N)
        orr__note(notes, "recovery: HPCC's is go-back-N");
    if (orr__timers_run(c) && may_lose(w))
        orr__note(notes, "rto: HPCC's senders have no timer: a flow whose last "
                         "packet a link loses does not end there");
    if (c->switching != ORR_SWITCHING_STORE_AND_FORWARD)
        orr__note(notes, "switching: HPCC's switches store and forward");
    if (c->path != ORR_PATH_ecmp)
        orr__note(notes, "routing: HPCC's is ECMP");
    if (c->rules)
        orr__note(notes, "network.by_tier is left out: HPCC has one rule for "
                         "all links");
    if (c->latency.switch_ps || c->latency.host_ps)
        orr__note(notes, "network.latency is left out");
    if (mode == 12 && c->window_text
        && strcmp(c->window_text, "unlimited") != 0)
        orr__note(notes, "window: %s is left out", c->window_text);
}

/* Where HPCC's queues differ. */
static void note_queues(const struct orr_world *w, struct orr_text *notes)
{
    const struct orr_net_config *c = w->net_config;
    const struct orr_param *entry;
    const char *kind = c->queue->name;
    const int *mark =
        find_param(c->queue->params, c->queue_params, "mark", &entry);
    const bool *ecn = queue_field(w, "ecn");
    const double *weight = queue_field(w, "weight");
    if (strcmp(kind, "red") != 0)
        mark = NULL;
    if (mark && strcmp(entry->choices[*mark], "dequeue") != 0)
        orr__note(notes, "queue.mark: HPCC marks a packet by the queue behind "
                         "it (dequeue), not by the one that it finds");
    if (strcmp(kind, "ecn") == 0)
        orr__note(notes, "queue: HPCC marks a packet by the queue behind it, "
                         "not by the one that it finds");
    if (mark && ecn && !*ecn)
        orr__note(notes, "queue.ecn: HPCC marks where packets are dropped "
                         "here");
    if (mark && weight && *weight < 1)
        orr__note(notes, "queue.weight: HPCC uses the queue, not an average");
    if (!c->schedule->by_arrival)
        orr__note(notes, "queue.scheduler: %s is left out", c->schedule->name);
    if (c->buffer.shared && c->buffer.alpha != 0.125)
        orr__note(notes, "buffer.alpha: HPCC's is 0.125, not %g",
                  c->buffer.alpha);
    if (c->pfc.enabled && c->pfc.form != ORR_PFC_HPCC)
        orr__note(notes, "pfc.form: HPCC's headroom is three times a link's "
                         "rate times its delay");
    if (c->pfc.enabled
        && (!c->pfc.headroom_auto || c->pfc.xoff || c->pfc.reserve != RESERVE
            || c->pfc.hysteresis != HYSTERESIS))
        orr__note(notes, "pfc: HPCC has thresholds of its own");
    if (c->pfc.enabled && c->pfc.lossy)
        orr__note(notes, "pfc.lossless is left out: HPCC pauses all classes");
}

/* What flows have of their own. */
static void note_flows(const struct orr_world *w, struct orr_text *notes)
{
    const struct orr_cc *cc = w->net_config->service.cc;
    uint32_t others = 0, paths = 0, n = w->flows ? w->flows->count : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_flow *f = &w->flows->flow[i];
        others += f->service && f->service->cc != cc;
        paths += f->path != NULL;
    }
    if (others)
        orr__note(notes,
                  "%u flow%s a congestion control of %s own: HPCC has "
                  "one for all",
                  others, others == 1 ? " has" : "s have",
                  others == 1 ? "its" : "their");
    if (paths)
        orr__note(notes, "%u flow%s which path to take: HPCC's use ECMP", paths,
                  paths == 1 ? " says" : "s say");
}

/* ---- failures ----------------------------------------------------------- */

/* HPCC has one link that goes down after 2 s and stays so. */
static void print_link_down(FILE *f, const struct orr_world *w,
                            struct orr_text *notes)
{
    const struct orr_failures *all = w->net_config->failures;
    const struct orr_outage *o = all ? all->outage : NULL;
    if (!all)
        return;
    if (all->outages == 2 && !all->retunes && !all->degraded
        && o[0].up == ORR_NEVER && o[1].link == o[0].link + w->graph->cables
        && o[0].down == o[1].down && o[0].down > 0 && o[0].down % ORR_US == 0) {
        fprintf(f, "LINK_DOWN %" PRId64 " %u %u\n", o[0].down / ORR_US,
                w->graph->from[o[0].link], w->graph->to[o[0].link]);
        return;
    }
    orr__note(notes, "failures: HPCC's LINK_DOWN is one link, at whole "
                     "microseconds after 0, without an end: left out");
}

/* ---- the whole ---------------------------------------------------------- */

void orr__hpcc_config_print(FILE *f, const struct orr_world *w,
                            const struct orr_hpcc_longest *longest,
                            struct orr_text *notes)
{
    const struct orr_net_config *c = w->net_config;
    bool stops = w->options.stop_ps > 0 && w->options.stop_ps < 1000 * ORR_S;
    fprintf(f,
            "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\n"
            "TRACE_FILE trace.txt\nTRACE_OUTPUT_FILE mix.tr\n"
            "FCT_OUTPUT_FILE fct.txt\nPFC_OUTPUT_FILE pfc.txt\n"
            "QLEN_MON_FILE qlen.txt\n"
            "SIMULATOR_STOP_TIME %.12g\n\nPACKET_PAYLOAD_SIZE %" PRIu64
            "\nL2_CHUNK_SIZE 4000\nL2_ACK_INTERVAL 1"
            "\nL2_BACK_TO_ZERO 0\nERROR_RATE_PER_LINK 0\n"
            "RATE_BOUND 1\nACK_HIGH_PRIO %d\nENABLE_TRACE 0\n",
            2 + (stops ? (double)w->options.stop_ps / (double)ORR_S : 10),
            c->mtu, !c->pfc.hold_acks);
    note_packets(w, print_cc(f, w, longest, notes), notes);
    note_queues(w, notes);
    note_flows(w, notes);
    print_marking(f, w, notes);
    print_buffer(f, w, notes);
    print_link_down(f, w, notes);
}
