#include "topo/budget.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/param.h"
#include "core/memory.h"

#define G(n) (UINT64_C(n) * 1000000000)

/* Prices: the table of network components of TopoOpt (Wang et al., NSDI 2023),
 * in US dollars, to 200 Gbit/s. Power: 2.8 W for a port, 0.7 W for each of four
 * lanes (Besta and Hoefler, SC 2014, section VI); optics 17 W for two ends at
 * 400 Gbit/s (NVIDIA, MMS4X00-NS twin-port OSFP transceiver), in proportion to
 * the rate. A NIC's port is counted as a switch's; its host's power is not. */
static const struct orr_prices usual = {
    .currency = "USD",
    .source = "TopoOpt, NSDI 2023 (prices); Slim Fly, SC 2014, and NVIDIA "
              "MMS4X00-NS (power)",
    .at =
        {
            {G(10), 94, 185, 20, 2.8, 2.8, 0.2125},
            {G(25), 144, 185, 39, 2.8, 2.8, 0.53125},
            {G(40), 144, 354, 39, 2.8, 2.8, 0.85},
            {G(100), 187, 678, 99, 2.8, 2.8, 2.125},
            {G(200), 374, 815, 198, 2.8, 2.8, 4.25},
        },
    .rates = 5,
};

const struct orr_prices *orr__prices_default(void)
{
    return &usual;
}

/* ---- reading ----------------------------------------------------------- */

/* A file of prices; texts and list are the document's. */
struct keys {
    const char *currency, *source;
    double cable;
    const struct orr_yaml *rates;
};

static const struct orr_param params[] = {
    {.key = "currency",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct keys, currency),
     .fallback = "USD",
     .help = "currency of prices"},
    {.key = "source",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct keys, source),
     .fallback = "",
     .help = "source of prices"},
    {.key = "cable",
     .type = ORR_PARAM_REAL,
     .offset = offsetof(struct keys, cable),
     .fallback = "0",
     .min = "0",
     .help = "price of a cable without its ends"},
    {.key = "rates",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct keys, rates),
     .help = "a list of prices of parts by rate; interpolated between rates, "
             "proportional beyond the last"},
    ORR_PARAM_END};

#define FIELD(name) .offset = offsetof(struct orr_price, name)
static const struct orr_param price_params[] = {
    {.key = "rate",
     .type = ORR_PARAM_RATE,
     FIELD(rate_bps),
     .min = "1bps",
     .help = "bits per second, each direction"},
    {.key = "port",
     .type = ORR_PARAM_REAL,
     FIELD(port),
     .min = "0",
     .help = "price of a switch's port"},
    {.key = "nic",
     .type = ORR_PARAM_REAL,
     FIELD(nic),
     .min = "0",
     .help = "price of a host's port"},
    {.key = "optics",
     .type = ORR_PARAM_REAL,
     FIELD(optics),
     .fallback = "0",
     .min = "0",
     .help = "price of a transceiver, at each end of a cable"},
    {.key = "port_watts",
     .type = ORR_PARAM_REAL,
     FIELD(port_watts),
     .fallback = "0",
     .min = "0",
     .help = "power of a switch's port, W"},
    {.key = "nic_watts",
     .type = ORR_PARAM_REAL,
     FIELD(nic_watts),
     .fallback = "0",
     .min = "0",
     .help = "power of a host's port, W"},
    {.key = "optics_watts",
     .type = ORR_PARAM_REAL,
     FIELD(optics_watts),
     .fallback = "0",
     .min = "0",
     .help = "power of a transceiver, W"},
    ORR_PARAM_END};
#undef FIELD

const struct orr_param *orr__prices_params(void)
{
    return params;
}

const struct orr_param *orr__price_params(void)
{
    return price_params;
}

/* Prices by rate, ascending, at most ORR_MOST_PRICES, so that a search for a
 * rate ends at the first that is not below it. */
static orr_err read_rows(struct orr_config *c, const struct orr_yaml *list,
                         struct orr_prices *out, struct orr_report *why)
{
    size_t n = orr__yaml_is_list(list) ? orr__yaml_count(list) : 0;
    if (n == 0 || n > ORR_MOST_PRICES)
        return orr__yaml_fail(c, list, why,
                              "rates must be a list of 1 to %d "
                              "maps",
                              ORR_MOST_PRICES);
    for (size_t i = 0; i < n; i++) {
        const struct orr_yaml *row = orr__yaml_item(list, i);
        struct orr_param_set set = {price_params, &out->at[i]};
        orr_err err = orr__param_read(c, row, "rates", &set, 1, why);
        if (err)
            return err;
        if (i > 0 && out->at[i].rate_bps <= out->at[i - 1].rate_bps)
            return orr__yaml_fail(c, orr__yaml_get(row, "rate"), why,
                                  "rates must ascend");
    }
    out->rates = (uint32_t)n;
    return ORR_OK;
}

orr_err orr__prices_read(struct orr_config *c, struct orr_prices *out,
                         struct orr_report *why)
{
    struct keys k = {.source = NULL};
    struct orr_param_set set = {params, &k};
    *out = (struct orr_prices){.rates = 0};
    orr_err err =
        orr__param_read(c, orr__config_root(c), "prices", &set, 1, why);
    if (err)
        return err;
    out->currency = k.currency;
    out->source = k.source ? k.source : orr__config_name(c);
    out->cable = k.cable;
    return read_rows(c, k.rates, out, why);
}

/* ---- what parts cost --------------------------------------------------- */

static double between(double rate, double r0, double r1, double a, double b)
{
    return a + (b - a) * ((rate - r0) / (r1 - r0));
}

/* Row i and the one before it, at a rate between them; row -1 is nothing for
 * nothing. Beyond the last row: as if the one before it were nothing, too. */
static struct orr_price price_at(const struct orr_prices *p, double rate)
{
    static const struct orr_price nothing;
    uint32_t i = 0;
    while (i < p->rates && (double)p->at[i].rate_bps < rate)
        i++;
    bool beyond = i == p->rates;
    const struct orr_price *b = &p->at[beyond ? i - 1 : i];
    const struct orr_price *a = i == 0 || beyond ? &nothing : b - 1;
    double r0 = (double)a->rate_bps, r1 = (double)b->rate_bps;
#define AT(field) .field = between(rate, r0, r1, a->field, b->field)
    return (struct orr_price){
        AT(port),       AT(nic),       AT(optics),
        AT(port_watts), AT(nic_watts), AT(optics_watts),
    };
#undef AT
}

/* ---- counting ---------------------------------------------------------- */

static bool is_nvlink(const struct orr_graph *g, uint32_t link)
{
    return g->gpus && strcmp(g->tier_names[g->tier[link]], "nvlink") == 0;
}

/* What carries a NIC: hosts, and the switches of servers. */
static bool *find_ends(const struct orr_graph *g)
{
    bool *end = orr__alloc(g->nodes, sizeof *end);
    for (uint32_t v = 0; end && v < g->nodes; v++)
        end[v] = orr__is_host(g, v);
    for (uint32_t l = 0; end && l < g->links; l++)
        if (is_nvlink(g, l))
            end[g->from[l]] = true;
    return end;
}

static void add_end(struct orr_budget *b, bool nic, const struct orr_price *p)
{
    *(nic ? &b->nics : &b->ports) += 1;
    *(nic ? &b->nic_price : &b->port_price) += nic ? p->nic : p->port;
    b->optics_price += p->optics;
    b->watts += (nic ? p->nic_watts : p->port_watts) + p->optics_watts;
}

/* All but the list of radixes, with rates times scale. */
static void add_up(const struct orr_graph *g, const struct orr_prices *p,
                   const bool *end, double scale, struct orr_budget *b)
{
    struct orr_price price = {.rate_bps = 0};
    uint64_t known = 0, fibres = 0;
    *b = (struct orr_budget){.radixes = 0};
    for (uint32_t c = 0; c < g->cables; c++) {
        uint64_t rate = g->rate_bps[c];
        if (is_nvlink(g, c))
            continue;
        if (rate != known)
            price = price_at(p, (double)rate * scale);
        known = rate;
        bool simplex = g->simplex && g->simplex[c];
        fibres += 2 - simplex;
        b->capacity_bps += (2 - simplex) * rate;
        add_end(b, end[g->from[c]], &price);
        if (!simplex) /* else that end's port sends on a cable of its own */
            add_end(b, end[g->to[c]], &price);
        b->switching_bps += rate * (!end[g->from[c]] + !end[g->to[c]]);
    }
    b->cables = (fibres + 1) / 2;
    b->cable_price = p->cable * (double)b->cables;
    b->price = b->port_price + b->nic_price + b->optics_price + b->cable_price;
}

static int descending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : -(x > y);
}

/* Switches by number of ports, most ports first. Those beyond ORR_MOST_RADIXES
 * kinds are only counted (b->more). */
static orr_err count_radixes(const struct orr_graph *g, const bool *end,
                             struct orr_budget *b, struct orr_report *why)
{
    uint32_t *ports = orr__alloc(g->nodes, sizeof *ports), n = 0;
    if (!ports)
        return orr__no_memory(why);
    for (uint32_t v = 0; v < g->nodes; v++)
        if (!end[v])
            ports[n++] = g->out_off[v + 1] - g->out_off[v];
    qsort(ports, n, sizeof *ports, descending);
    b->switches = n;
    for (uint32_t i = 0; i < n; i++) {
        bool new = i == 0 || ports[i] != ports[i - 1];
        if (new && b->radixes == ORR_MOST_RADIXES) {
            b->more = n - i;
            break;
        }
        if (new)
            b->radix[b->radixes++].ports = ports[i];
        b->radix[b->radixes - 1].switches++;
    }
    orr__free(ports);
    return ORR_OK;
}

orr_err orr__budget(const struct orr_graph *g, const struct orr_prices *p,
                    struct orr_budget *b, struct orr_report *why)
{
    bool *end = find_ends(g);
    if (!end)
        return orr__no_memory(why);
    add_up(g, p, end, 1, b);
    orr_err err = count_radixes(g, end, b, why);
    orr__free(end);
    return err;
}

orr_err orr__budget_scale(const struct orr_graph *g, const struct orr_prices *p,
                          double price, double *scale, struct orr_report *why)
{
    enum { HALVINGS = 64 };
    double low = 1e-3, high = 1e3;
    struct orr_budget least, most, b;
    bool *end = find_ends(g);
    if (!end)
        return orr__no_memory(why);
    add_up(g, p, end, low, &least);
    add_up(g, p, end, high, &most);
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        add_up(g, p, end, middle, &b);
        *(b.price < price ? &low : &high) = middle;
    }
    orr__free(end);
    *scale = (low + high) / 2;
    if (price < least.price || price > most.price)
        return orr__fail(why, ORR_ECONFIG,
                         "%s: no rates make it cost %.6g %s: "
                         "at a thousandth of them it is %.6g, at a thousand "
                         "times %.6g",
                         g->kind, price, p->currency, least.price, most.price);
    return ORR_OK;
}
