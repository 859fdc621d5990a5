/* ASTRA-sim workloads and system files from anyone. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "formats/astra/system.h"
#include "formats/astra/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(orr_err err, const struct orr_report *why)
{
    if (err != ORR_OK && (why->code != ORR_ECONFIG || why->message[0] == '\0'))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_arena arena = {.blocks = NULL};
    struct orr_astra_text t;
    struct orr_astra_system s;
    char *text = orr__alloc(size + 1, 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    orr_err err = orr__astra_text("workload", text, &arena, &t, &why);
    check(err, &why);
    for (uint32_t i = 0; !err && i < t.lines; i++)
        if (!t.line[i].name || t.line[i].stage[0].kind < -1
            || t.line[i].type >= ORR_ASTRA_TYPES)
            abort();
    why = (struct orr_report){.code = ORR_OK};
    err = orr__astra_system("system", text, strlen(text), &s, &why);
    check(err, &why);
    if (!err && (s.all_reduce.n == 0 || s.splits == 0 || s.active == 0))
        abort();
    orr__free(text);
    orr__arena_fini(&arena);
    return 0;
}
