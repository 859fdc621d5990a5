/* What `orrery topo` says of parts, prices and failures. */
#include "cli/topo_budget.h"

#include <stdio.h>

#include "core/units.h"

void orr__print_budget(const struct orr_budget *b, const struct orr_prices *p)
{
    char rate[32];
    printf("  %-22s", "switches");
    for (uint32_t i = 0; i < b->radixes; i++)
        printf("%s%u with %u port%s", i ? ", " : "", b->radix[i].switches,
               b->radix[i].ports, b->radix[i].ports == 1 ? "" : "s");
    if (b->more)
        printf(", %u with fewer", b->more);
    if (b->radixes == 0)
        printf("none");
    putchar('\n');
    orr__human_rate((double)b->capacity_bps, rate, sizeof rate);
    printf("  %-22s%s over all links\n", "capacity", rate);
    printf("  %-22s%.0f %s: ports %.0f, NICs %.0f, optics %.0f", "price",
           b->price, p->currency, b->port_price, b->nic_price, b->optics_price);
    if (b->cable_price > 0)
        printf(", cables %.0f", b->cable_price);
    printf("\n  %-22s%.4g kW\n", "power", b->watts / 1e3);
    printf("  %-22s%s\n", "prices by", p->source);
}

static void print_paths(const char *what, uint32_t least, uint32_t most,
                        double mean, bool sampled)
{
    const char *about = sampled ? ", of a sample" : "";
    if (least == most)
        printf("  %-22s%u%s\n", what, least, about);
    else
        printf("  %-22s%u to %u, mean %.4g%s\n", what, least, most, mean,
               about);
}

void orr__print_diversity(const struct orr_diversity *d)
{
    uint32_t cables = d->cables_min, switches = d->switches_min;
    if (d->pairs == 0)
        return;
    print_paths("cable-disjoint paths", d->cables_min, d->cables_max,
                d->cables_mean, d->sampled);
    print_paths("switch-disjoint paths", d->switches_min, d->switches_max,
                d->switches_mean, d->sampled);
    printf("  %-22sany %u cable%s, or any %u switch%s, beyond hosts' own%s\n",
           "failures survived", cables - 1, cables == 2 ? "" : "s",
           switches - 1, switches == 2 ? "" : "es",
           d->sampled ? ", of a sample" : "");
}

json_t *orr__json_budget(const struct orr_budget *b, const struct orr_prices *p)
{
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < b->radixes; i++)
        if (json_array_append_new(
                list, json_pack("{si si}", "ports", (int)b->radix[i].ports,
                                "switches", (int)b->radix[i].switches))) {
            json_decref(list);
            list = NULL;
        }
    return json_pack("{so sI sI sI sI sI s{sf sf sf sf sf ss ss} sf}",
                     "switches_by_ports", list, "switch_ports",
                     (json_int_t)b->ports, "nic_ports", (json_int_t)b->nics,
                     "cables", (json_int_t)b->cables, "capacity_bps",
                     (json_int_t)b->capacity_bps, "switching_bps",
                     (json_int_t)b->switching_bps, "price", "total", b->price,
                     "ports", b->port_price, "nics", b->nic_price, "optics",
                     b->optics_price, "cables", b->cable_price, "currency",
                     p->currency, "source", p->source, "watts", b->watts);
}

json_t *orr__json_diversity(const struct orr_diversity *d)
{
    if (d->pairs == 0)
        return json_null();
    return json_pack("{s{si si sf} s{si si sf} si si sb}", "cable_disjoint",
                     "min", (int)d->cables_min, "max", (int)d->cables_max,
                     "mean", d->cables_mean, "switch_disjoint", "min",
                     (int)d->switches_min, "max", (int)d->switches_max, "mean",
                     d->switches_mean, "cables_survived",
                     (int)d->cables_min - 1, "switches_survived",
                     (int)d->switches_min - 1, "sampled", d->sampled);
}
