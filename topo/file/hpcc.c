/* topology.txt of HPCC (alibaba-edu/High-Precision-Congestion-Control) and of
 * the ns-3 backends that stem from it: numbers between blanks,
 *     <nodes> <switches> <links>
 *     <the switches' numbers>
 *     <a> <b> <rate> <delay> <error rate>     a line for each link
 * Nodes are numbered from 0 and all that are no switch are hosts. As there,
 * what stands behind the links counted in the first line is not read; how many
 * links that are is told. */
#include <inttypes.h>

#include "core/units.h"
#include "topo/file/file.h"

orr_err orr__hpcc_number(struct orr_scan *s, const char *what, int64_t most,
                         uint32_t *value)
{
    int64_t v = 0;
    (void)orr__scan_word(s);
    orr_err err = orr__scan_int(s, what, 0, most, &v);
    *value = (uint32_t)v;
    return err;
}

/* A node's number; there are `nodes`. */
static orr_err read_node(struct orr_scan *scan, const char *what,
                         uint32_t nodes, uint32_t *v)
{
    int64_t number = 0;
    (void)orr__scan_word(scan);
    orr_err err = orr__scan_int(scan, what, 0, UINT32_MAX, &number);
    if (err == ORR_OK && number >= nodes)
        err = orr__scan_fail(scan,
                             "node %" PRId64 " does not exist: nodes "
                             "are 0 to %u",
                             number, nodes - 1);
    *v = (uint32_t)number;
    return err;
}

/* Rate, delay and error rate, in this order; zero rates and delays are
 * refused. */
static orr_err read_line(struct orr_scan *scan, struct orr_line *line)
{
    (void)orr__scan_word(scan);
    orr_err err = orr__scan_rate(scan, "the rate", "bps", &line->rate_bps);
    if (err == ORR_OK && line->rate_bps == 0)
        err = orr__scan_fail(scan, "the rate is 0");
    if (err != ORR_OK)
        return err;
    (void)orr__scan_word(scan);
    err = orr__scan_time(scan, "the delay", "s", &line->delay_ps);
    if (err == ORR_OK && line->delay_ps == 0)
        err = orr__scan_fail(scan, "the delay is 0: every link needs a "
                                   "propagation delay > 0");
    if (err != ORR_OK)
        return err;
    (void)orr__scan_word(scan);
    return orr__scan_real(scan, "the error rate", 0, 1, &line->loss);
}

/* Ends, rate, delay and loss; the switches are known. */
static orr_err read_link(struct orr_sketch *s, struct orr_scan *scan,
                         const struct orr_hpcc_counts *n,
                         const uint8_t *is_switch, struct orr_report *why)
{
    struct orr_line line = {.loss = 0};
    uint32_t a = 0, b = 0;
    orr_err err = read_node(scan, "a link's end", n->nodes, &a);
    if (err == ORR_OK)
        err = read_node(scan, "a link's other end", n->nodes, &b);
    if (err == ORR_OK && a == b)
        err = orr__scan_fail(scan, "a link joins node %u to itself", a);
    if (err == ORR_OK)
        err = read_line(scan, &line);
    if (err != ORR_OK)
        return err;
    const char *tier = is_switch[a] && is_switch[b] ? "switch" : "host";
    if (is_switch[a] > 1 || is_switch[b] > 1)
        tier = "nvlink";
    return orr__sketch_cable(s, a, b, tier, &line, why);
}

/* 1 for a switch, 2 for an NVSwitch, 0 for a host. */
static orr_err read_switches(struct orr_scan *scan,
                             const struct orr_hpcc_counts *n,
                             uint8_t *is_switch)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < n->switches && err == ORR_OK; i++) {
        uint32_t v = 0;
        err = read_node(scan, "a switch's number", n->nodes, &v);
        if (err == ORR_OK && is_switch[v])
            err = orr__scan_fail(scan, "switch %u is listed twice", v);
        if (err == ORR_OK)
            is_switch[v] = i < n->nvswitches ? 2 : 1;
    }
    return err;
}

/* To the end of a line of which one word is read: is it a link? What stands
 * behind the links may be anything. */
static bool is_link(struct orr_scan *scan)
{
    struct orr_report ignored = {.code = ORR_OK}, *why = scan->why;
    int64_t v;
    uint64_t rate;
    double loss;
    int words = 0;
    bool link = true;
    scan->why = &ignored;
    do {
        if (words < 2)
            link &= orr__scan_int(scan, "", 0, UINT32_MAX, &v) == ORR_OK;
        else if (words == 2)
            link &= orr__scan_rate(scan, "", "bps", &rate) == ORR_OK;
        else if (words == 3)
            link &= orr__scan_time(scan, "", "s", &v) == ORR_OK;
        else
            link &= orr__scan_real(scan, "", 0, 1, &loss) == ORR_OK;
        words++;
    } while (orr__scan_here(scan));
    scan->why = why;
    return link && words == 5;
}

orr_err orr__hpcc_read(struct orr_sketch *s, struct orr_scan *scan,
                       const struct orr_hpcc_counts *n, struct orr_report *why)
{
    s->numbered = true;
    if (n->switches >= n->nodes)
        return orr__scan_fail(scan,
                              "%u nodes with %u switches among them "
                              "leave no host",
                              n->nodes, n->switches);
    if (n->links < n->nodes - 1)
        return orr__scan_fail(scan, "%u links cannot join %u nodes", n->links,
                              n->nodes);
    /* a link takes ten characters at least: counts are no larger than that */
    if (n->links > scan->size / 10)
        return orr__scan_fail(scan,
                              "%u links do not fit in a file of %zu bytes",
                              n->links, scan->size);
    orr_err err = orr__sketch_reserve(s, n->nodes, n->links, why);
    uint8_t *is_switch = orr__alloc(n->nodes, 1);
    if (err == ORR_OK && !is_switch)
        err = orr__no_memory(why);
    if (err == ORR_OK)
        err = read_switches(scan, n, is_switch);
    for (uint32_t v = 0; v < n->nodes && err == ORR_OK; v++) {
        err = orr__sketch_node(s, !is_switch[v], why);
        if (err == ORR_OK && is_switch[v] > 1)
            s->node[v].level = 1;
    }
    for (uint32_t i = 0; i < n->links && err == ORR_OK; i++)
        err = read_link(s, scan, n, is_switch, why);
    while (err == ORR_OK && orr__scan_word(scan))
        s->unread += is_link(scan);
    orr__free(is_switch);
    return err;
}

/* The three counts; what follows is the same as SimAI's. */
static orr_err read_hpcc(struct orr_sketch *s, struct orr_report *why)
{
    struct orr_hpcc_counts n = {.nvswitches = 0};
    struct orr_scan scan;
    orr_err err = orr__sketch_open(s, &scan, why);
    if (err != ORR_OK)
        return err;
    err = orr__hpcc_number(&scan, "the number of nodes", UINT32_MAX - 1,
                           &n.nodes);
    if (err == ORR_OK)
        err = orr__hpcc_number(&scan, "the number of switches", UINT32_MAX - 1,
                               &n.switches);
    if (err == ORR_OK)
        err =
            orr__hpcc_number(&scan, "the number of links", INT32_MAX, &n.links);
    if (err == ORR_OK)
        err = orr__hpcc_read(s, &scan, &n, why);
    else
        orr__hint(why, "the first line is `nodes switches links`");
    orr__scan_fini(&scan);
    return err;
}

extern const struct orr_topology_format_ops orr__topology_format_hpcc;
const struct orr_topology_format_ops orr__topology_format_hpcc = {
    .name = "hpcc",
    .doc = "topology.txt of HPCC and of the ns-3 backends made from "
           "it: nodes, switches and links by number.",
    .read = read_hpcc,
};
