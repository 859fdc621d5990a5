/* Any bytes as a study: the section `compare` of a configuration, its
 * dimensions, rules, seeds, measures. What can be read gives a configuration
 * for each combination, or says where it is wrong; none is run. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/compare/matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libfyaml 0.7 loses a line buffer of its own at some malformed strings. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

static void check(orr_err err, const struct orr_report *why)
{
    if (err == ORR_OK || (err == ORR_ECONFIG && why->message[0]))
        return;
    fprintf(stderr, "%d: %s\n", (int)err, why->message);
    abort();
}

/* The first and the last combination. */
static void combine(const struct orr_matrix *m)
{
    uint32_t variant[ORR_MOST_DIMENSIONS];
    for (int last = 0; last < 2; last++) {
        struct orr_report why = {.code = ORR_OK};
        struct orr_config *c = NULL;
        char text[100];
        for (uint32_t d = 0; d < m->dimensions; d++)
            variant[d] = last ? m->dimension[d].variants - 1 : 0;
        (void)orr__matrix_runs(m, variant);
        orr__matrix_describe(m, variant, text, sizeof text);
        check(orr__matrix_config(m, variant, 1, &c, &why), &why);
        orr__config_free(c);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[] = "/tmp/orrery-fuzz-XXXXXX";
    int fd = mkstemp(name);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
    struct orr_report why = {.code = ORR_OK};
    struct orr_compare_options o = {.config = name, .keep = -1};
    struct orr_matrix m;
    orr_err err = orr__matrix_read(&m, &o, &why);
    check(err, &why);
    if (err == ORR_OK)
        combine(&m);
    orr__matrix_fini(&m);
    unlink(name);
    return 0;
}
