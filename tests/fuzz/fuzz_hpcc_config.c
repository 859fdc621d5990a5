/* config.txt of HPCC: any text is read, or refused with a place; what it asks
 * for is YAML. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "formats/hpcc/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int fine, const char *what, const char *detail)
{
    if (fine)
        return;
    fprintf(stderr, "%s: %s\n", what, detail);
    abort();
}

static void write_out(const struct orr_hpcc_config *k)
{
    struct orr_text yaml = {.s = NULL}, notes = {.s = NULL};
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c = NULL;
    orr__hpcc_config_write(k, NULL, 2, &yaml, &notes);
    char *y = orr__text_done(&yaml), *n = orr__text_done(&notes);
    require(y && n, "memory", "");
    orr_err err = orr__config_parse("made", y, strlen(y), &c, &why);
    require(err == ORR_OK, why.message, y);
    orr__config_free(c);
    orr__free(y);
    orr__free(n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_hpcc_config k;
    struct orr_scan s;
    if (orr__scan_text(&s, "fuzz", (const char *)data, size, &why) != ORR_OK)
        return 0;
    orr_err err = orr__hpcc_config_read(&s, &k);
    if (err == ORR_OK)
        write_out(&k);
    else
        require(why.line > 0 && why.message[0], "no place", why.message);
    orr__hpcc_config_fini(&k);
    orr__scan_fini(&s);
    return 0;
}
