#include "formats/astra/memory.h"

#include <jansson.h>
#include <string.h>

#include "core/json_read.h"
#include "core/units.h"

/* The file while it is read. */
struct reader {
    struct orr_json_text json;
    const json_t *root;
    struct orr_report *why;
};

static orr_err number(const struct reader *r, const char *key, double max,
                      double *out)
{
    const json_t *v = json_object_get(r->root, key);
    *out = json_number_value(v);
    if (v && (!json_is_number(v) || !(*out >= 0) || !(*out <= max)))
        return orr__json_fail(&r->json, key, r->why,
                              "%s: a number from 0 to %.15g is expected", key,
                              max);
    return ORR_OK;
}

/* One of four names. */
static orr_err type_of(const struct reader *r, uint8_t *type)
{
    static const char *const names[] = {
        "NO_MEMORY_EXPANSION", "PER_NODE_MEMORY_EXPANSION",
        "PER_NPU_MEMORY_EXPANSION", "MEMORY_POOL"};
    const char *text =
        json_string_value(json_object_get(r->root, "memory-type"));
    for (uint8_t i = 0; text && i < 4; i++)
        if (!strcmp(text, names[i])) {
            *type = i;
            return ORR_OK;
        }
    return orr__json_fail(&r->json, "memory-type", r->why,
                          "memory-type: one of NO_MEMORY_EXPANSION, "
                          "PER_NODE_MEMORY_EXPANSION, PER_NPU_MEMORY_EXPANSION "
                          "and MEMORY_POOL is expected");
}

/* A memory needs a bandwidth; npus: how many share one of it. */
static orr_err read_all(const struct reader *r, uint32_t ranks,
                        struct orr_astra_memory *out)
{
    double npus = 0;
    orr_err err = type_of(r, &out->type);
    if (!err)
        err = number(r, "remote-mem-latency", 1e12, &out->latency_ns);
    if (!err)
        err = number(r, "remote-mem-bw", 1e9, &out->gbps);
    if (!err)
        err = number(r, "num-npus-per-node", 1e9, &npus);
    if (!err && out->type != ORR_ASTRA_NO_MEMORY && out->gbps == 0)
        return orr__json_fail(&r->json, "remote-mem-bw", r->why,
                              "remote-mem-bw is missing");
    out->npus = out->type == ORR_ASTRA_POOL       ? ranks
                : out->type == ORR_ASTRA_PER_NODE ? (uint32_t)npus
                                                  : 1;
    return err;
}

orr_err orr__astra_memory(const char *name, const char *text, size_t length,
                          uint32_t ranks, struct orr_astra_memory *out,
                          struct orr_report *why)
{
    const struct orr_json_text json = {name, text, length};
    json_t *root;
    *out = (struct orr_astra_memory){0};
    orr_err err = orr__json_read(&json, JSON_REJECT_DUPLICATES, JSON_OBJECT,
                                 "a map is expected", &root, why);
    if (!err)
        err = read_all(&(struct reader){json, root, why}, ranks, out);
    json_decref(root);
    return err;
}

int64_t orr__astra_memory_time(const struct orr_astra_memory *m, uint64_t bytes)
{
    double ns = (double)bytes / m->gbps, most = 4e15;
    int64_t whole = (int64_t)(ns < most ? ns : most);
    return orr__time_add(whole * ORR_NS, (int64_t)m->latency_ns * ORR_NS);
}
