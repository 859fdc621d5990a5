/* Measurements of any format: whatever the text, rows that can be, or a failure
 * with a place. The first byte chooses the format; beyond them it is found by
 * what the text holds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/measurements/measurements.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int fine, const char *what, const char *detail)
{
    if (fine)
        return;
    fprintf(stderr, "%s: %s\n", what, detail);
    abort();
}

static void check_rows(const struct orr_measurements *m)
{
    static const char *const kinds[] = {"all-reduce", "all-gather",
                                        "all-to-all"};
    for (uint32_t i = 0; i < m->n; i++) {
        const struct orr_measurements_row *r = &m->row[i];
        require(r->time_ns > 0 && isfinite(r->time_ns), "a time", r->file);
        require(r->bytes > 0 && r->line > 0, "a size", r->file);
        for (int k = 0; k < 3; k++)
            require(orr__measurements_held(r, 1, kinds[k]) > 0, "held", "");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct orr_measurements_format *const *all =
        orr__measurements_formats();
    struct orr_report why = {.code = ORR_OK};
    struct orr_measurements m = {.n = 0};
    size_t formats = 0;
    if (size == 0)
        return 0;
    while (all[formats])
        formats++;
    size_t which = data[0] % (formats + 1);
    char *text = malloc(size);
    require(text != NULL, "memory", "");
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    orr_err err = orr__measurements_text(
        &m, "8_ring_int32.csv", text, size - 1,
        which < formats ? all[which]->name : NULL, size & 4, &why);
    if (!err)
        check_rows(&m);
    else
        require(why.message[0] && (why.line > 0 || err == ORR_ENOMEM),
                "no place", why.message);
    orr__measurements_fini(&m);
    free(text);
    return 0;
}
