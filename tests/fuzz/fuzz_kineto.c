/* Traces of PyTorch's profiler: whatever the text, operations that can be, or a
 * failure with a place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/kineto/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_kineto k = {.n = 0};
    struct orr_text notes = {.s = NULL};
    char *text = malloc(size + 1);
    require(text != NULL, "memory");
    memcpy(text, data, size);
    text[size] = '\0';
    orr_err err = orr__kineto_read(&k, "fuzz", text, size, &notes, &why);
    if (err)
        require(why.message[0] && (why.line > 0 || err == ORR_ENOMEM), "place");
    for (uint32_t i = 0; i < k.n && !err; i++) {
        const struct orr_kineto_op *op = &k.op[i];
        require(op->ns >= 0 && isfinite(op->ns), "a time");
        require(!op->kind || op->ranks > 0, "a group");
        for (uint32_t w = 0; w < op->waits; w++)
            require(op->wait[w] < i && k.op[op->wait[w]].kind != NULL, "waits");
    }
    orr__kineto_fini(&k);
    orr__free(notes.s);
    free(text);
    return 0;
}
