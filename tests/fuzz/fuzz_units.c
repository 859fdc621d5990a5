/* Any text as every kind of value. What parses must print and parse back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void try_time(const char *text, char *buf, size_t size)
{
    int64_t ps = -1, back = -2;
    const char *wrong = orr__parse_time(text, &ps);
    if (wrong) {
        require(wrong[0] != '\0' && ps == -1, "a bad time");
        return;
    }
    require(ps >= 0, "a negative time");
    orr__format_time(ps, buf, size);
    require(orr__parse_time(buf, &back) == NULL && back == ps,
            "a time does not read back");
    orr__human_time(ps, buf, size);
}

static void try_size(const char *text, char *buf, size_t size)
{
    uint64_t bytes = 7, back = 8;
    if (orr__parse_size(text, &bytes) != NULL) {
        require(bytes == 7, "a bad size");
        return;
    }
    orr__format_size(bytes, buf, size);
    require(orr__parse_size(buf, &back) == NULL && back == bytes,
            "a size does not read back");
    orr__human_size(bytes, buf, size);
}

static void try_rate(const char *text, char *buf, size_t size)
{
    uint64_t bps = 7, back = 8;
    if (orr__parse_rate(text, &bps) != NULL) {
        require(bps == 7, "a bad rate");
        return;
    }
    orr__format_rate(bps, buf, size);
    require(orr__parse_rate(buf, &back) == NULL && back == bps,
            "a rate does not read back");
    orr__human_rate((double)bps, buf, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), buf[64];
    int64_t i, back;
    double r;
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    try_time(text, buf, sizeof buf);
    try_size(text, buf, sizeof buf);
    try_rate(text, buf, sizeof buf);
    if (orr__parse_int(text, &i) == NULL) {
        snprintf(buf, sizeof buf, "%lld", (long long)i);
        require(orr__parse_int(buf, &back) == NULL && back == i,
                "an integer does not read back");
        require(orr__parse_real(text, &r) == NULL, "an integer is no number");
    }
    if (orr__parse_real(text, &r) == NULL)
        require(r - r == 0, "a number is not finite");
    free(text);
    return 0;
}
