/* Lines `src dst bytes [start]`; # begins a comment. */
#include "workload/flow/file/flow_file.h"

/* A start that is left out is the entry's origin. */
static orr_err read_line(struct orr_flow_reader *r)
{
    struct orr_scan *s = &r->scan;
    struct orr_flow_line f = {.start = r->origin};
    orr_err err = orr__flow_read_host(r, "a host", false, &f.src);
    if (err != ORR_OK)
        return err;
    if (!orr__scan_here(s))
        return orr__scan_fail(s, "a line is `src dst bytes [start]`");
    err = orr__flow_read_host(r, "a host", false, &f.dst);
    if (err == ORR_OK)
        err = orr__flow_check_ends(r, &f);
    if (err != ORR_OK)
        return err;
    if (!orr__scan_here(s))
        return orr__scan_fail(s, "a line is `src dst bytes [start]`");
    err = orr__flow_read_bytes(r, &f.bytes);
    if (err == ORR_OK && orr__scan_here(s))
        err = orr__flow_read_start(r, NULL, &f.start);
    if (err == ORR_OK && orr__scan_here(s))
        err = orr__scan_fail(s, "a line is `src dst bytes [start]`");
    return err == ORR_OK ? orr__flow_add(r, &f) : err;
}

static orr_err read_list(struct orr_flow_reader *r)
{
    orr_err err = ORR_OK;
    r->scan.comment = '#';
    while (err == ORR_OK && orr__scan_word(&r->scan))
        err = read_line(r);
    return err;
}

extern const struct orr_flow_format_ops orr__flow_format_list;
const struct orr_flow_format_ops orr__flow_format_list = {
    .name = "list",
    .doc = "Lines `src dst bytes [start]`; bytes may have a unit, start "
           "must; # begins a comment.",
    .read = read_list};
