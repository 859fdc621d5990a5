/* What config.txt says, and the network that it asks for. Words that are no
 * key are skipped, as where the format comes from; keys that steer output
 * files or have no counterpart are read and not used. */
#include "formats/hpcc/config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "formats/convert.h"

#define OF(field) offsetof(struct orr_hpcc_config, field)
#define SKIP      0

enum type { INT, REAL, RATE, FILE_NAME, MAP, STOP, LINK_DOWN, UNUSED };

static const struct key {
    const char *name;
    enum type type;
    size_t offset;
} keys[ORR_HPCC_KEYS] = {
    {"ENABLE_QCN", INT, OF(qcn)},
    {"USE_DYNAMIC_PFC_THRESHOLD", INT, OF(dynamic_pfc)},
    {"PACKET_PAYLOAD_SIZE", INT, OF(payload)},
    {"TOPOLOGY_FILE", FILE_NAME, OF(topology)},
    {"FLOW_FILE", FILE_NAME, OF(flows)},
    {"SIMULATOR_STOP_TIME", STOP, OF(stop_s)},
    {"CC_MODE", INT, OF(cc_mode)},
    {"ALPHA_RESUME_INTERVAL", REAL, OF(alpha_us)},
    {"RATE_DECREASE_INTERVAL", REAL, OF(decrease_us)},
    {"CLAMP_TARGET_RATE", INT, OF(clamp)},
    {"RP_TIMER", REAL, OF(rp_timer_us)},
    {"EWMA_GAIN", REAL, OF(g)},
    {"FAST_RECOVERY_TIMES", INT, OF(fast_recovery)},
    {"RATE_AI", RATE, OF(rate_ai)},
    {"RATE_HAI", RATE, OF(rate_hai)},
    {"MIN_RATE", RATE, OF(min_rate)},
    {"DCTCP_RATE_AI", RATE, OF(dctcp_rate_ai)},
    {"ERROR_RATE_PER_LINK", REAL, OF(error_rate)},
    {"L2_ACK_INTERVAL", INT, OF(ack_every)},
    {"L2_BACK_TO_ZERO", INT, OF(back_to_0)},
    {"HAS_WIN", INT, OF(has_win)},
    {"GLOBAL_T", INT, OF(global_t)},
    {"VAR_WIN", INT, OF(var_win)},
    {"FAST_REACT", INT, OF(fast_react)},
    {"U_TARGET", REAL, OF(u_target)},
    {"MI_THRESH", INT, OF(mi_thresh)},
    {"RATE_BOUND", INT, OF(rate_bound)},
    {"ACK_HIGH_PRIO", INT, OF(ack_high_prio)},
    {"BUFFER_SIZE", INT, OF(buffer_mib)},
    {"LINK_DOWN", LINK_DOWN, OF(down_us)},
    {"KMIN_MAP", MAP, OF(kmin)},
    {"KMAX_MAP", MAP, OF(kmax)},
    {"PMAX_MAP", MAP, OF(pmax)},
    {"INT_MULTI", INT, OF(int_multi)},
    {"MULTI_RATE", INT, OF(multi_rate)},
    {"SAMPLE_FEEDBACK", INT, OF(sample_feedback)},
    {"PINT_LOG_BASE", REAL, OF(pint_log_base)},
    {"PINT_PROB", REAL, OF(pint_prob)},
    /* a value each, of no meaning here: it may look like a key */
    {"TRACE_FILE", UNUSED, SKIP},
    {"TRACE_OUTPUT_FILE", UNUSED, SKIP},
    {"FCT_OUTPUT_FILE", UNUSED, SKIP},
    {"PFC_OUTPUT_FILE", UNUSED, SKIP},
    {"QLEN_MON_FILE", UNUSED, SKIP},
    {"BW_MON_FILE", UNUSED, SKIP},
    {"RATE_MON_FILE", UNUSED, SKIP},
    {"CNP_MON_FILE", UNUSED, SKIP},
};

/* ---- reading ----------------------------------------------------------- */

static orr_err next_real(struct orr_scan *s, const char *what, double *v)
{
    (void)orr__scan_word(s);
    return orr__scan_real(s, what, 0, 1e6, v);
}

static orr_err next_int(struct orr_scan *s, const char *what, int64_t *v)
{
    (void)orr__scan_word(s);
    return orr__scan_int(s, what, 0, 1000000000000000, v);
}

/* n, then n pairs of a rate in bit/s and a value. */
static orr_err read_map(struct orr_scan *s, const char *what,
                        struct orr_hpcc_map *m)
{
    int64_t n = 0, bps = 0;
    (void)orr__scan_word(s);
    orr_err err = orr__scan_int(s, what, 0, ORR_HPCC_MAP_MOST, &n);
    m->n = 0;
    for (int64_t i = 0; i < n && err == ORR_OK; i++) {
        err = next_int(s, what, &bps);
        if (err == ORR_OK)
            err = next_real(s, what, &m->entry[i].value);
        m->entry[i].bps = (uint64_t)bps;
        m->n++;
        ORR_ASSERT(m->n <= ORR_HPCC_MAP_MOST);
    }
    return err;
}

/* By type of the key; texts replace those before. */
static orr_err read_value(struct orr_scan *s, struct orr_hpcc_config *c,
                          const struct key *k)
{
    void *at = (char *)c + k->offset;
    int64_t *v = at;
    orr_err err;
    switch (k->type) {
    case INT:
        (void)orr__scan_word(s);
        return orr__scan_int(s, k->name, k->offset == OF(payload), 1000000, v);
    case STOP:
        /* SimAI's 4e13 s are no stop: a run has none of its own */
        (void)orr__scan_word(s);
        err = orr__scan_real(s, k->name, 0, 1e300, at);
        c->has_stop = err == ORR_OK && c->stop_s < 1e6;
        return err;
    case REAL:
        (void)orr__scan_word(s);
        return orr__scan_real(s, k->name, 0,
                              k->offset == OF(g) || k->offset == OF(error_rate)
                                      || k->offset == OF(pint_prob)
                                  ? 1
                                  : 1e6,
                              at);
    case RATE:
        (void)orr__scan_word(s);
        return orr__scan_rate(s, k->name, "bps", at);
    case MAP: return read_map(s, k->name, at);
    case LINK_DOWN:
        err = next_int(s, k->name, &c->down_us);
        if (err == ORR_OK)
            err = next_int(s, k->name, &c->down_a);
        return err == ORR_OK ? next_int(s, k->name, &c->down_b) : err;
    case FILE_NAME:
    case UNUSED: break;
    }
    if (!orr__scan_word(s))
        return orr__scan_fail(s, "%s is missing", k->name);
    if (k->type == UNUSED)
        return ORR_OK;
    char **text = at;
    orr__free(*text);
    *text = orr__strdup(s->word);
    return *text ? ORR_OK : orr__no_memory(s->why);
}

orr_err orr__hpcc_config_read(struct orr_scan *s, struct orr_hpcc_config *c)
{
    orr_err err = ORR_OK;
    *c = (struct orr_hpcc_config){
        .qcn = 1,
        .payload = 1000,
        .cc_mode = 1,
        .fast_recovery = 5,
        .alpha_us = 55,
        .decrease_us = 4,
        .rp_timer_us = 1500,
        .g = 1.0 / 16,
        .min_rate = 100000000,
        .u_target = 0.95,
        .mi_thresh = 5,
        .fast_react = 1,
        .has_win = 1,
        .global_t = 1,
        .buffer_mib = 16,
        .rate_bound = 1,
        .dynamic_pfc = 1,
        .ack_every = 0,
        .int_multi = 1,
        .multi_rate = 1,
        .pint_log_base = 1.05,
        .pint_prob = 1,
        .has_stop = false,
    };
    bool any = false;
    while (err == ORR_OK && orr__scan_word(s))
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (strcmp(keys[i].name, s->word) == 0) {
                any = true;
                c->at[i].line = orr__scan_line(s);
                c->at[i].col = orr__scan_column(s);
                err = read_value(s, c, &keys[i]);
                break;
            }
    if (err != ORR_OK || any)
        return err;
    orr__scan_fail(s, "no key of a config.txt is in this file");
    orr__hint(s->why, "a config.txt has keys as CC_MODE and KMIN_MAP; "
                      "topology.txt and flow.txt begin with a number");
    return ORR_ECONFIG;
}

void orr__hpcc_config_fini(struct orr_hpcc_config *c)
{
    orr__free(c->topology);
    orr__free(c->flows);
}

/* ---- writing ----------------------------------------------------------- */

/* What is added from here on stems from the key of this field. */
static void note_origin(const struct orr_hpcc_config *c,
                        const struct orr_text *t, size_t field)
{
    for (size_t i = 0; c->file && i < ORR_HPCC_KEYS; i++)
        if (keys[i].offset == field && keys[i].type != UNUSED)
            orr__origins_find(c->blame, t, c->file, c->at[i].line, c->at[i].col,
                              keys[i].name);
}

/* From here on from no key. */
static void from_all(const struct orr_hpcc_config *c, const struct orr_text *t)
{
    if (c->file)
        orr__origins_find(c->blame, t, c->file, 0, 0, NULL);
}

/* The shortest text that reads back to the same number. */
static void add_number(struct orr_text *t, double v)
{
    char text[32];
    double back = -1;
    for (int digits = 1; digits <= 17 && back != v; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (orr__parse_real(text, &back))
            break;
    }
    orr__text_add(t, "%s", text);
}

static void add_real(struct orr_text *t, const char *key, double v)
{
    orr__text_add(t, ", %s: ", key);
    add_number(t, v);
}

/* ---- marking ----------------------------------------------------------- */

static const double *find_entry(const struct orr_hpcc_map *m, uint64_t bps)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->entry[i].bps == bps)
            return &m->entry[i].value;
    return NULL;
}

/* What the queue of a link has that no map lists, KB for each Gbps, and the
 * probability: those that `auto` and the default stand for. */
#define AUTO_KMIN 4.0
#define AUTO_KMAX 16.0
#define AUTO_PMAX 0.2

/* The rates that links of the graph have, or without one those of the map; at
 * most as many as a map has room for. */
static uint32_t list_rates(const struct orr_graph *g,
                           const struct orr_hpcc_map *m,
                           uint64_t rate[ORR_HPCC_MAP_MOST])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < (g ? g->cables : m->n); i++) {
        uint64_t bps = g ? g->rate_bps[i] : m->entry[i].bps;
        uint32_t k = 0;
        while (k < n && rate[k] != bps)
            k++;
        if (k == n && n < ORR_HPCC_MAP_MOST)
            rate[n++] = bps;
    }
    return n;
}

/* Is a map `per_25g` KB for 25 Gbps and in proportion for other rates, where
 * the graph has them? That is what `auto` means. */
static bool is_auto(const struct orr_hpcc_map *m, const struct orr_graph *g,
                    double per_25g)
{
    if (!g)
        return false;
    for (uint32_t c = 0; c < g->cables; c++) {
        const double *v = find_entry(m, g->rate_bps[c]);
        if (!v || *v != per_25g * (double)g->rate_bps[c] / 25e9)
            return false;
    }
    return true;
}

/* A value for each rate; *each as long as rate. As one, if they are all the
 * same. */
static void write_map(struct orr_text *yaml, const char *key,
                      const uint64_t *rate, const double *each, uint32_t n,
                      bool bytes)
{
    char text[32];
    bool same = true;
    for (uint32_t i = 1; i < n; i++)
        same = same && each[i] == each[0];
    orr__text_add(yaml, ", %s: %s", key, same ? "" : "{");
    for (uint32_t i = 0; i < (same ? 1 : n); i++) {
        orr__format_rate(rate[i], text, sizeof text);
        if (!same)
            orr__text_add(yaml, "%s%s: ", i ? ", " : "", text);
        if (bytes)
            orr__text_add(yaml, "%.0fB", each[i] * 1000);
        else
            add_number(yaml, each[i]);
    }
    orr__text_add(yaml, "%s", same ? "" : "}");
}

/* Rates that a link has and this map not: HPCC's simulator ends there. */
static void note_missing(const struct orr_hpcc_map *m, const char *what,
                         const uint64_t *rate, uint32_t n, const char *instead,
                         struct orr_text *notes)
{
    char list[512] = "", text[32];
    uint32_t missing = 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t used = strlen(list);
        if (find_entry(m, rate[i]))
            continue;
        orr__format_rate(rate[i], text, sizeof text);
        snprintf(list + used, sizeof list - used, "%s%s", missing++ ? ", " : "",
                 text);
    }
    if (missing)
        orr__note(notes,
                  "%s: %s, which links have, %s not there, and HPCC "
                  "would stop; %s",
                  what, list, missing == 1 ? "is" : "are", instead);
}

/* Marking thresholds by rate, with the code's defaults for rates that the maps
 * lack. */
static void write_thresholds(const struct orr_hpcc_config *c,
                             const struct orr_graph *g, struct orr_text *yaml,
                             struct orr_text *notes)
{
    uint64_t rate[ORR_HPCC_MAP_MOST];
    double low[ORR_HPCC_MAP_MOST], high[ORR_HPCC_MAP_MOST];
    struct orr_hpcc_map both = {0};
    uint32_t n = list_rates(g, &c->kmin, rate);
    if ((!c->kmin.n && !c->kmax.n) || !n
        || (is_auto(&c->kmin, g, 100) && is_auto(&c->kmax, g, 400)))
        return;
    for (uint32_t i = 0; i < n; i++) {
        const double *kmin = find_entry(&c->kmin, rate[i]);
        const double *kmax = find_entry(&c->kmax, rate[i]);
        low[i] = kmin && kmax ? *kmin : AUTO_KMIN * (double)rate[i] / 1e9;
        high[i] = kmin && kmax ? *kmax : AUTO_KMAX * (double)rate[i] / 1e9;
        if (kmin && kmax)
            both.entry[both.n++].bps = rate[i];
    }
    note_origin(c, yaml, OF(kmin));
    write_map(yaml, "kmin", rate, low, n, true);
    note_origin(c, yaml, OF(kmax));
    write_map(yaml, "kmax", rate, high, n, true);
    note_missing(&both, "KMIN_MAP, KMAX_MAP", rate, n,
                 "their queues are "
                 "marked from 4 KB, and surely from 16 KB, for each Gbps",
                 notes);
}

/* The same of probabilities. */
static void write_pmax(const struct orr_hpcc_config *c,
                       const struct orr_graph *g, struct orr_text *yaml,
                       struct orr_text *notes)
{
    uint64_t rate[ORR_HPCC_MAP_MOST];
    double each[ORR_HPCC_MAP_MOST];
    uint32_t n = list_rates(g, &c->pmax, rate);
    if (!c->pmax.n || !n)
        return;
    for (uint32_t i = 0; i < n; i++) {
        const double *p = find_entry(&c->pmax, rate[i]);
        each[i] = p ? *p : AUTO_PMAX;
    }
    note_origin(c, yaml, OF(pmax));
    write_map(yaml, "pmax", rate, each, n, false);
    note_missing(&c->pmax, "PMAX_MAP", rate, n, "0.2 there", notes);
}

static void write_red(const struct orr_hpcc_config *c,
                      const struct orr_graph *g, struct orr_text *yaml,
                      struct orr_text *notes)
{
    orr__text_add(yaml, "  queue: {kind: red, mark: dequeue");
    note_origin(c, yaml, OF(buffer_mib));
    orr__text_add(yaml, ", capacity: %lldMiB", (long long)c->buffer_mib);
    write_thresholds(c, g, yaml, notes);
    write_pmax(c, g, yaml, notes);
    orr__text_add(yaml, "}\n");
}

/* ---- congestion control ------------------------------------------------ */

static void add_us(const struct orr_hpcc_config *c, struct orr_text *t,
                   const char *key, size_t field)
{
    char text[32];
    double us = *(const double *)((const char *)c + field);
    note_origin(c, t, field);
    orr__format_time((int64_t)rint(us * (double)ORR_US), text, sizeof text);
    orr__text_add(t, ", %s: %s", key, text);
}

static void add_rate(const struct orr_hpcc_config *c, struct orr_text *t,
                     const char *key, size_t field)
{
    char text[32];
    uint64_t bps = *(const uint64_t *)((const char *)c + field);
    if (bps == 0)
        return;
    note_origin(c, t, field);
    orr__format_rate(bps, text, sizeof text);
    orr__text_add(t, ", %s: %s", key, text);
}

static bool all_the_same(const struct orr_hpcc_config *c)
{
    return c->global_t == 1 && c->longest.rtt_ns > 0;
}

/* The window of a control that has a rate, and the round trip that it is of. */
static void add_window(const struct orr_hpcc_config *c, struct orr_text *t)
{
    note_origin(c, t, c->has_win ? OF(var_win) : OF(has_win));
    orr__text_add(t, ", window: %s",
                  !c->has_win  ? "none"
                  : c->var_win ? "scaled"
                               : "bdp");
    if (!c->has_win)
        return;
    orr__text_add(t, ", counts: payload");
    if (all_the_same(c)) {
        note_origin(c, t, OF(global_t));
        orr__text_add(t, ", base_rtt: %" PRIu64 "ns", c->longest.rtt_ns);
    }
}

static bool has_control(const struct orr_hpcc_config *c)
{
    int64_t mode = c->cc_mode;

    return mode == 1 || mode == 3 || mode == 7 || mode == 8 || mode == 10;
}

/* HPCC's code differs from the paper: the preset `vendor`. */
static void write_dcqcn(const struct orr_hpcc_config *c, struct orr_text *t)
{
    orr__text_add(t, "kind: dcqcn, preset: vendor");
    add_us(c, t, "alpha_interval", OF(alpha_us));
    add_us(c, t, "decrease_interval", OF(decrease_us));
    add_us(c, t, "increase_interval", OF(rp_timer_us));
    note_origin(c, t, OF(g));
    add_real(t, "g", c->g);
    note_origin(c, t, OF(fast_recovery));
    orr__text_add(t, ", recovery: %lld", (long long)c->fast_recovery);
    from_all(c, t);
    orr__text_add(t, ", clamp: %s", c->clamp ? "true" : "false");
    add_window(c, t);
    add_rate(c, t, "rate_ai", OF(rate_ai));
    add_rate(c, t, "rate_hai", OF(rate_hai));
    add_rate(c, t, "min_rate", OF(min_rate));
}

/* The least base of PINT's logarithm that a byte has room for here. */
#define LEAST_PINT_BASE 1.02

/* PINT's byte; ports go by the longest round trip, whatever GLOBAL_T says. */
static void write_pint(const struct orr_hpcc_config *c, struct orr_text *t)
{
    double base = c->pint_log_base;

    orr__text_add(t, ", telemetry: pint, pint_form: hpcc");
    note_origin(c, t, OF(pint_log_base));
    add_real(t, "pint_base", base < LEAST_PINT_BASE ? LEAST_PINT_BASE : base);
    note_origin(c, t, OF(pint_prob));
    add_real(t, "pint_share", c->pint_prob);
    from_all(c, t);
    if (!all_the_same(c))
        orr__text_add(t, ", pint_rtt: %" PRIu64 "ns",
                      c->longest.rtt_ns ? c->longest.rtt_ns : 1);
}

/* CC_MODE 3, and 10: with PINT. */
static void write_hpcc(const struct orr_hpcc_config *c, struct orr_text *t)
{
    orr__text_add(t, "kind: hpcc");
    if (c->cc_mode == 10)
        write_pint(c, t);
    else
        orr__text_add(t, ", telemetry: fields");
    orr__text_add(t, ", counts: payload");
    if (all_the_same(c)) {
        note_origin(c, t, OF(global_t));
        orr__text_add(t, ", base_rtt: %" PRIu64 "ns", c->longest.rtt_ns);
    }
    note_origin(c, t, OF(mi_thresh));
    orr__text_add(t, ", max_stage: %lld", (long long)c->mi_thresh);
    from_all(c, t);
    orr__text_add(t, ", fast_react: %s", c->fast_react ? "true" : "false");
    note_origin(c, t, OF(u_target));
    add_real(t, "eta", c->u_target);
    add_rate(c, t, "rate_ai", OF(rate_ai));
    add_rate(c, t, "min_rate", OF(min_rate));
}

/* The control of CC_MODE; one without a counterpart becomes none, and a
 * note. */
static void write_cc(const struct orr_hpcc_config *c, struct orr_text *t,
                     struct orr_text *notes)
{
    orr__text_add(t, "  cc: {");
    switch (c->cc_mode) {
    case 1: write_dcqcn(c, t); break;
    case 10:
    case 3: write_hpcc(c, t); break;
    case 7:
        orr__text_add(t, "kind: timely");
        add_window(c, t);
        add_rate(c, t, "rate_ai", OF(rate_ai));
        add_rate(c, t, "rate_hai", OF(rate_hai));
        add_rate(c, t, "min_rate", OF(min_rate));
        break;
    case 8:
        orr__text_add(t, "kind: dctcp-rate");
        note_origin(c, t, OF(g));
        add_real(t, "g", c->g);
        add_window(c, t);
        add_rate(c, t, "rate_ai", OF(dctcp_rate_ai));
        add_rate(c, t, "min_rate", OF(min_rate));
        break;
    default:
        orr__text_add(t, "kind: none");
        if (c->cc_mode != 12)
            orr__note(notes, "CC_MODE %lld is no control: line rate",
                      (long long)c->cc_mode);
        break;
    }
    orr__text_add(t, "}\n");
    if (has_control(c) || !c->has_win || !c->longest.bytes)
        return;
    note_origin(c, t, OF(has_win));
    orr__text_add(t, "  window: %" PRIu64 "B\n", c->longest.bytes);
    if (!all_the_same(c))
        orr__note(notes, "GLOBAL_T 0: without a control all have the window of "
                         "the longest path");
}

/* ---- the whole --------------------------------------------------------- */

void orr__hpcc_topology_write(const struct orr_hpcc_config *c,
                              const char *format, const char *file,
                              struct orr_text *yaml)
{
    orr__text_add(yaml, "topology: {kind: file, format: %s, file: %s", format,
                  file);
    if (c && c->error_rate > 0)
        add_real(yaml, "loss", c->error_rate);
    orr__text_add(yaml, "}\n");
}

/* What qbbHeader takes beside Ethernet and IP, 12 B and what telemetry has, and
 * what makes it 60 B. */
int orr__hpcc_ack(int64_t cc_mode)
{
    return cc_mode == 3 ? 88 : 60;
}

/* Bytes beside the payload: PPP (for Ethernet), IP, UDP, sequence, and what
 * telemetry takes of five hops, a time stamp or PINT. */
int orr__hpcc_header(int64_t cc_mode)
{
    return 48 + (cc_mode == 3 ? 42 : cc_mode == 7 ? 8 : cc_mode == 10 ? 2 : 0);
}

/* Each line with the key that it stems from, for messages. */
static void write_network(const struct orr_hpcc_config *c,
                          const struct orr_graph *g, struct orr_text *yaml,
                          struct orr_text *notes)
{
    from_all(c, yaml);
    orr__text_add(yaml, "network:\n");
    note_origin(c, yaml, OF(payload));
    orr__text_add(yaml, "  mtu: %lldB\n  header: %dB\n  ack: %dB\n",
                  (long long)c->payload, orr__hpcc_header(c->cc_mode),
                  orr__hpcc_ack(c->cc_mode));
    from_all(c, yaml);
    orr__text_add(yaml, "  ack_every: 1\n  recovery: go-back-n\n"
                        "  rto: {timer: never}\n");
    if (c->qcn)
        write_red(c, g, yaml, notes);
    note_origin(c, yaml, OF(buffer_mib));
    if (!c->qcn)
        orr__text_add(yaml, "  queue: {kind: droptail, capacity: %lldMiB}\n",
                      (long long)c->buffer_mib);
    orr__text_add(yaml,
                  "  buffer: {kind: shared, size: %lldMiB, alpha: "
                  "0.125}\n",
                  (long long)c->buffer_mib);
    note_origin(c, yaml, OF(ack_high_prio));
    orr__text_add(yaml, "  pfc: {enabled: true, form: hpcc%s}\n",
                  c->ack_high_prio ? ", hold_acks: false" : "");
    note_origin(c, yaml, OF(cc_mode));
    write_cc(c, yaml, notes);
    from_all(c, yaml);
}

/* Does a link join the two nodes that LINK_DOWN names? */
static bool are_joined(const struct orr_hpcc_config *c,
                       const struct orr_graph *g)
{
    if (!g || !g->node_of || c->down_a >= g->nodes || c->down_b >= g->nodes)
        return false;
    uint32_t a = g->node_of[c->down_a], b = g->node_of[c->down_b];
    for (uint32_t i = g->out_off[a]; i < g->out_off[a + 1]; i++)
        if (g->to[g->out_link[i]] == b)
            return true;
    return false;
}

/* Whether a link may lose a packet that no later one tells of. */
static bool may_lose(const struct orr_hpcc_config *c, const struct orr_graph *g)
{
    bool lossy = c->error_rate > 0 || (c->down_us > 0 && are_joined(c, g));
    for (uint32_t i = 0; g && i < g->links; i++)
        lossy |= g->loss[i] > 0;
    return lossy;
}

/* Is this field's key in the file? What the simulator has by default differs
 * from what its scripts write, and older files lack keys. */
static bool is_given(const struct orr_hpcc_config *c, size_t field)
{
    for (size_t i = 0; i < ORR_HPCC_KEYS; i++)
        if (keys[i].offset == field && keys[i].type != UNUSED)
            return c->at[i].line > 0;
    return false;
}

/* Whether the units of telemetry are those of a port's rate, as here. */
static bool has_own_units(const struct orr_hpcc_config *c,
                          const struct orr_graph *g)
{
    for (uint32_t i = 0; g && i < g->cables; i++) {
        uint64_t units = g->rate_bps[i] / 25000000000u;

        if ((uint64_t)c->int_multi != (units ? units : 1))
            return false;
    }
    return true;
}

/* What HPCC's control does there and not here. */
static void note_telemetry(const struct orr_hpcc_config *c,
                           const struct orr_graph *g, struct orr_text *notes)
{
    if ((is_given(c, OF(has_win)) && !c->has_win)
        || (is_given(c, OF(var_win)) && !c->var_win))
        orr__note(notes, "HAS_WIN, VAR_WIN: HPCC has a window that varies");
    if (c->cc_mode == 10 && c->pint_log_base < LEAST_PINT_BASE)
        orr__note(notes, "PINT_LOG_BASE %g takes more than a byte: %g is used",
                  c->pint_log_base, LEAST_PINT_BASE);
    if (c->cc_mode == 10)
        return;
    if (is_given(c, OF(multi_rate)) && c->multi_rate)
        orr__note(notes, "MULTI_RATE: one rate for all hops, as in the paper, "
                         "not one for each");
    if (c->sample_feedback)
        orr__note(notes, "SAMPLE_FEEDBACK is ignored: every ACK counts, also "
                         "of a hop without a queue");
    if (is_given(c, OF(int_multi)) && !has_own_units(c, g))
        orr__note(notes,
                  "INT_MULTI %lld is ignored: units of telemetry are those of "
                  "25Gbps times a link's rate over 25Gbps",
                  (long long)c->int_multi);
}

/* What has no counterpart here, or means something else. */
static void write_notes(const struct orr_hpcc_config *c,
                        const struct orr_graph *graph, struct orr_text *notes)
{
    if (may_lose(c, graph))
        orr__note(notes,
                  "senders have no timer, as in HPCC: a flow whose last "
                  "packet a link loses does not end; set network.rto.timer to "
                  "auto for one");
    if (c->back_to_0)
        orr__note(notes, "L2_BACK_TO_ZERO: go-back-N is used, not "
                         "go-back-0 (to the beginning of an L2_CHUNK_SIZE)");
    if (is_given(c, OF(ack_every)) && c->ack_every != 1)
        orr__note(notes,
                  "L2_ACK_INTERVAL %lld: every packet is acknowledged; there "
                  "it is %s",
                  (long long)c->ack_every,
                  c->ack_every ? "the bytes after which each one is"
                               : "none, and no flow ends");
    if (!c->rate_bound)
        orr__note(notes, "RATE_BOUND 0 is ignored: rates are bounded");
    if (!c->dynamic_pfc)
        orr__note(notes, "USE_DYNAMIC_PFC_THRESHOLD 0: the threshold is "
                         "dynamic; set network.pfc.xoff for a fixed one");
    if (c->cc_mode == 3 || c->cc_mode == 10)
        note_telemetry(c, graph, notes);
}

void orr__hpcc_config_write(const struct orr_hpcc_config *c,
                            const struct orr_graph *graph, double origin_s,
                            struct orr_text *yaml, struct orr_text *notes)
{
    char text[32];
    if (c->has_stop && c->stop_s > origin_s) {
        orr__format_time((int64_t)rint((c->stop_s - origin_s) * (double)ORR_S),
                         text, sizeof text);
        note_origin(c, yaml, OF(stop_s));
        orr__text_add(yaml, "stop: %s\n", text);
    }
    write_network(c, graph, yaml, notes);
    if (c->down_us) {
        note_origin(c, yaml, OF(down_us));
        if (are_joined(c, graph))
            /* counted from the second second, wherever 0 is here */
            orr__text_add(yaml,
                          "failures:\n  - {link: [%u, %u], down: "
                          "%lldus}\n",
                          graph->node_of[c->down_a], graph->node_of[c->down_b],
                          (long long)c->down_us
                              + (long long)((2 - origin_s) * 1e6));
        else
            orr__note(
                notes,
                "LINK_DOWN: no link connects nodes %lld and %lld: left out",
                (long long)c->down_a, (long long)c->down_b);
    }
    write_notes(c, graph, notes);
}
