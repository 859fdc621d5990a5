/* The network as a picture: where nodes stand, and which cables there are. */
#include "study/report/view.h"

#include <string.h>

#include "core/memory.h"

static const struct {
    const char *key, *path;
    enum orr_record_type type;
} columns[] = {
    {"name", "topology/name", ORR_RECORD_TEXT},
    {"type", "topology/type", ORR_RECORD_U32},
    {"level", "topology/level", ORR_RECORD_U32},
    {"x", "topology/x", ORR_RECORD_F64},
    {"y", "topology/y", ORR_RECORD_F64},
    {"z", "topology/z", ORR_RECORD_F64},
    {"from", "topology/from", ORR_RECORD_U32},
    {"to", "topology/to", ORR_RECORD_U32},
    {"rate", "topology/rate", ORR_RECORD_F64},
};

/* Ends of links beyond the nodes would lead the page astray. */
static orr_err check_ends(struct orr_reader *r, struct orr_report *why)
{
    static const char *const ends[] = {"topology/from", "topology/to"};
    uint64_t nodes[ORR_RECORD_SIDES], n;
    orr_err err = ORR_OK;
    if (orr__reader_shape(r, "topology/node", nodes) != 1)
        nodes[0] = 0;
    for (int k = 0; k < 2 && !err; k++) {
        uint32_t *id;
        err = orr__reader_column(r, ends[k], ORR_RECORD_U32, (void **)&id, &n,
                                 why);
        for (uint64_t i = 0; !err && i < n; i++)
            if (id[i] >= nodes[0])
                err = orr__fail(why, ORR_ECONFIG, "%s: %s has node %u of %llu",
                                orr__reader_name(r), ends[k], id[i],
                                (unsigned long long)nodes[0]);
        orr__free(id);
    }
    return err;
}

orr_err orr__view_topology(struct orr_reader *r, json_t *to,
                           struct orr_report *why)
{
    uint64_t links[ORR_RECORD_SIDES], nodes[ORR_RECORD_SIDES];
    if (orr__reader_shape(r, "topology/link", links) != 1
        || orr__reader_shape(r, "topology/node", nodes) != 1)
        return ORR_OK;
    json_t *topology = json_object();
    orr_err err = orr__view_put(topology, "nodes",
                                json_integer((json_int_t)nodes[0]), why);
    if (!err)
        err = orr__view_put(topology, "cables",
                            json_integer((json_int_t)links[0] / 2), why);
    /* a larger one is described, not drawn, but names are still needed */
    bool drawn = links[0] <= 2 * ORR_VIEW_CABLES;
    if (!err)
        err = orr__view_put(topology, "drawn", json_boolean(drawn), why);
    if (!err)
        err = check_ends(r, why);
    for (size_t i = 0; i < sizeof columns / sizeof *columns && !err; i++)
        if (drawn)
            err = orr__view_column(r, topology, columns[i].key, columns[i].path,
                                   columns[i].type, why);
    if (err) {
        json_decref(topology);
        return err;
    }
    return orr__view_put(to, "topology", topology, why);
}
