/* flow.txt of HPCC and its kin: the number of flows, then for each
 *     <src> <dst> <priority group> <destination port> <bytes> <start, s>
 * Hosts go by their numbers in topology.txt. The priority group becomes the
 * traffic class. As there, what stands behind the flows counted in the first
 * line is not read; unlike there, they need not be in order of start. The
 * traffic generator's starts begin at 2 s: `origin: 2s` takes that off. */
#include "workload/flow/file/flow_file.h"

/* One line; the port is checked, and means nothing here. */
static orr_err read_flow(struct orr_flow_reader *r)
{
    struct orr_scan *s = &r->scan;
    struct orr_flow_line f = {.src = 0};
    int64_t class = 0, port = 0;
    (void)orr__scan_word(s);
    orr_err err = orr__flow_read_host(r, "a source", true, &f.src);
    if (err != ORR_OK)
        return err;
    (void)orr__scan_word(s);
    err = orr__flow_read_host(r, "a destination", true, &f.dst);
    if (err == ORR_OK)
        err = orr__flow_check_ends(r, &f);
    if (err != ORR_OK)
        return err;
    (void)orr__scan_word(s);
    err =
        orr__scan_int(s, "the priority group", 0, ORR_MOST_CLASSES - 1, &class);
    if (err != ORR_OK)
        return err;
    (void)orr__scan_word(s);
    err = orr__scan_int(s, "the port", 0, 65535, &port);
    if (err != ORR_OK)
        return err;
    (void)orr__scan_word(s);
    err = orr__flow_read_bytes(r, &f.bytes);
    if (err != ORR_OK)
        return err;
    (void)orr__scan_word(s);
    err = orr__flow_read_start(r, "s", &f.start);
    if (err == ORR_OK)
        err = orr__flow_set_class(r, (uint32_t) class);
    return err == ORR_OK ? orr__flow_add(r, &f) : err;
}

static orr_err read_hpcc(struct orr_flow_reader *r)
{
    int64_t count = 0;
    (void)orr__scan_word(&r->scan);
    orr_err err =
        orr__scan_int(&r->scan, "the number of flows", 0, INT32_MAX, &count);
    for (int64_t i = 0; i < count && err == ORR_OK; i++)
        err = read_flow(r);
    return err;
}

extern const struct orr_flow_format_ops orr__flow_format_hpcc;
const struct orr_flow_format_ops orr__flow_format_hpcc = {
    .name = "hpcc",
    .doc = "flow.txt of HPCC and of the ns-3 backends made from it: "
           "src, dst, priority group, port, bytes, start in seconds.",
    .read = read_hpcc};
