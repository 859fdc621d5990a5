/* Any bytes as a model's file: it is read or says where it is wrong; what is
 * read has tensors and units that fit its layers. */
#include <stdint.h>
#include <stdlib.h>

#include "core/config/config.h"
#include "workload/model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libfyaml 0.7 loses a line buffer of its own at some malformed strings. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

static void check(const struct orr_model *m)
{
    uint32_t tensors = 0;
    for (uint32_t i = 0; i < m->layers; i++) {
        const struct orr_layer *l = &m->layer[i];
        if (l->first != tensors || l->unit >= m->units || !l->name)
            abort();
        tensors += l->n;
    }
    if (tensors != m->tensors || m->layers < m->units)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_report why = {0};
    struct orr_config *c;
    struct orr_model *m;
    if (orr__config_parse("fuzz.yaml", (const char *)data, size, &c, &why))
        return 0;
    if (orr__model_read(c, "fuzz", &m, &why) == ORR_OK) {
        check(m);
        orr__model_free(m);
    } else if (!why.message[0]) {
        abort();
    }
    orr__config_free(c);
    return 0;
}
