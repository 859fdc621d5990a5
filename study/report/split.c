/* Links split by who used them, where that is recorded: bytes of each part over
 * the whole run. */
#include "study/report/view.h"

#include <string.h>

#include "core/memory.h"

/* Cells that are read at a time. */
#define STRIP (UINT64_C(1) << 22)

/* In strips of rows, so that memory does not depend on the length of the
 * run. */
static orr_err sum_bytes(struct orr_reader *r, uint64_t parts, double *sum,
                         struct orr_report *why)
{
    uint64_t size[ORR_RECORD_SIDES];
    if (orr__reader_shape(r, "links/part_bytes", size) != 2 || size[1] != parts)
        return orr__fail(why, ORR_ECONFIG,
                         "%s: links/part_bytes is not as "
                         "wide as its parts",
                         orr__reader_name(r));
    uint64_t rows = parts ? STRIP / parts : 0;
    rows = rows < 1 ? 1 : rows;
    double *x = orr__alloc(rows * parts, sizeof *x);
    orr_err err = x ? ORR_OK : orr__no_memory(why);
    for (uint64_t at = 0; at < size[0] && !err; at += rows) {
        uint64_t n = size[0] - at < rows ? size[0] - at : rows;
        err = orr__reader_rows(r, "links/part_bytes", ORR_RECORD_F64, at, n, x,
                               why);
        for (uint64_t i = 0; !err && i < n * parts; i++)
            sum[i % parts] += x[i];
    }
    orr__free(x);
    return err;
}

/* The first of many parts: the page names those of a link that is chosen. */
static orr_err put_parts(struct orr_reader *r, const uint32_t *link,
                         uint64_t parts, json_t *to, struct orr_report *why)
{
    char **owner = NULL;
    uint64_t owners = 0, n = parts < ORR_VIEW_CABLES ? parts : ORR_VIEW_CABLES;
    double *sum = orr__alloc(parts, sizeof *sum);
    orr_err err = sum ? sum_bytes(r, parts, sum, why) : orr__no_memory(why);
    if (!err)
        err = orr__reader_texts(r, "links/part_owner", &owner, &owners, why);
    if (!err && owners != parts)
        err = orr__fail(why, ORR_ECONFIG,
                        "%s: links/part_owner is not as long "
                        "as its parts",
                        orr__reader_name(r));
    if (!err)
        err = orr__view_put(to, "link", orr__view_numbers(link, n), why);
    if (!err)
        err = orr__view_put(to, "owner", orr__view_texts(owner, n), why);
    if (!err)
        err = orr__view_put(to, "bytes", orr__view_doubles(sum, n), why);
    orr__reader_free_texts(owner, owners);
    orr__free(sum);
    return err;
}

orr_err orr__view_split(struct orr_reader *r, json_t *to,
                        struct orr_report *why)
{
    uint32_t *link = NULL;
    uint64_t parts = 0;
    if (!orr__reader_has(r, "links/part_bytes"))
        return ORR_OK;
    json_t *split = json_object();
    orr_err err = orr__reader_column(r, "links/part_link", ORR_RECORD_U32,
                                     (void **)&link, &parts, why);
    if (!err)
        err = put_parts(r, link, parts, split, why);
    orr__free(link);
    if (err) {
        json_decref(split);
        return err;
    }
    return orr__view_put(to, "split", split, why);
}
