#include "study/calls/reply.h"

#include <string.h>

#include "core/error.h"
#include "core/memory.h"

/* All calls begin alike. */
struct beginning {
    size_t size;
    const char *config;
};

orr_err orr__call_take(const char *name, const void *call, size_t least,
                       size_t size, void *mine, const void *out,
                       struct orr_report *why)
{
    const unsigned char *byte = call;
    struct beginning b;
    if (!call || !out)
        return orr__fail(why, ORR_ECALL, "%s: %s is NULL", name,
                         call ? "out" : "call");
    memcpy(&b.size, call, sizeof b.size);
    if (b.size < least)
        return orr__fail(why, ORR_ECALL, "%s: call->size is %zu, not %zu", name,
                         b.size, size);
    for (size_t i = size; i < b.size; i++)
        if (byte[i])
            return orr__fail(why, ORR_ECALL,
                             "%s: the program is made for a library newer "
                             "than %s",
                             name, ORR_VERSION);
    memset(mine, 0, size);
    memcpy(mine, call, b.size < size ? b.size : size);
    memcpy(&b, mine, sizeof b);
    if (!b.config)
        return orr__fail(why, ORR_ECALL, "%s: call->config is NULL", name);
    return ORR_OK;
}

orr_reply *orr__reply_new(void)
{
    return orr__alloc(1, sizeof(orr_reply));
}

orr_err orr__reply_give(orr_reply *r, orr_err err, orr_reply **out,
                        struct orr_report *why)
{
    if (err == ORR_OK && (!r || !r->json || !r->text))
        err = orr__no_memory(why);
    if (err == ORR_OK)
        *out = r;
    else
        orr_reply_free(r);
    return err;
}

const char *orr_reply_json(const orr_reply *r)
{
    return r ? r->json : "";
}

const char *orr_reply_text(const orr_reply *r)
{
    return r ? r->text : "";
}

const char *orr_reply_config(const orr_reply *r)
{
    return r ? r->config : NULL;
}

void orr_reply_free(orr_reply *r)
{
    if (!r)
        return;
    orr__free(r->json);
    orr__free(r->text);
    orr__free(r->config);
    orr__free(r->tier);
    orr__free(r->name);
    orr__free(r->names);
    orr__graph_free(r->graph);
    orr__free(r);
}
