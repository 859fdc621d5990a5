/* SimAI's topology (aliyun/SimAI): as HPCC's, but the first line is
 *     <nodes> <GPUs per server> <NVSwitches> <switches> <links> <GPU type>
 * and the second lists the NVSwitches, then the switches. An NVSwitch is a
 * switch of the lowest level whose cables are of the tier `nvlink`. */
#include <string.h>

#include "core/units.h"
#include "topo/file/file.h"

/* In the order of SimAI's first line; n->switches includes NVSwitches. */
static orr_err read_counts(struct orr_scan *scan, struct orr_hpcc_counts *n)
{
    uint32_t per_server = 0;
    orr_err err = orr__hpcc_number(scan, "the number of nodes", UINT32_MAX - 1,
                                   &n->nodes);
    if (err == ORR_OK)
        err = orr__hpcc_number(scan, "the number of GPUs per server",
                               UINT32_MAX, &per_server);
    if (err == ORR_OK)
        err = orr__hpcc_number(scan, "the number of NVSwitches", INT32_MAX,
                               &n->nvswitches);
    if (err == ORR_OK)
        err = orr__hpcc_number(scan, "the number of switches", INT32_MAX,
                               &n->switches);
    if (err == ORR_OK)
        err =
            orr__hpcc_number(scan, "the number of links", INT32_MAX, &n->links);
    n->switches += n->nvswitches;
    return err;
}

/* The type of GPU ends the first line and is not used. */
static orr_err read_simai(struct orr_sketch *s, struct orr_report *why)
{
    struct orr_hpcc_counts n = {.nodes = 0};
    struct orr_scan scan;
    int64_t type;
    orr_err err = orr__sketch_open(s, &scan, why);
    if (err != ORR_OK)
        return err;
    err = read_counts(&scan, &n);
    if (err == ORR_OK && !orr__scan_here(&scan))
        err = orr__scan_fail(&scan, "the type of GPU is missing");
    else if (err == ORR_OK && orr__parse_int(scan.word, &type) == NULL)
        err = orr__scan_fail(&scan, "a type of GPU is expected here, not a "
                                    "number");
    if (err != ORR_OK)
        orr__hint(why, "the first line is `nodes GPUs-per-server NVSwitches "
                       "switches links GPU-type`");
    else
        err = orr__hpcc_read(s, &scan, &n, why);
    orr__scan_fini(&scan);
    return err;
}

extern const struct orr_topology_format_ops orr__topology_format_simai;
const struct orr_topology_format_ops orr__topology_format_simai = {
    .name = "simai",
    .doc = "SimAI's topology: as hpcc, with NVSwitches and GPUs per "
           "server.",
    .read = read_simai,
};
