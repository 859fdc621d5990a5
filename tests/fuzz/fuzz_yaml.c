/* Any bytes as a configuration: it loads or says where it is wrong. What loads
 * takes a --set and parameter defaults, prints as text, and that text loads and
 * prints as itself. A line that starts with "--set " at the end of the input is
 * the assignment. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/param.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libfyaml 0.7 loses a line buffer of its own at some malformed strings. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml";
}

static void require(int fine, const char *what, const char *detail)
{
    if (fine)
        return;
    fprintf(stderr, "%s: %s\n", what, detail);
    abort();
}

static void check_report(orr_err err, const struct orr_report *why)
{
    char buf[2048];
    require(err == ORR_ECONFIG && why->code == err, "code", why->message);
    require(why->message[0] != '\0', "a failure says nothing", "");
    orr__report_format(why, buf, sizeof buf);
    for (size_t i = 0, n; buf[i]; i += n) {
        uint32_t point = 0;
        n = orr__utf8_length(buf + i, strlen(buf + i), &point);
        require(n > 0 && (point >= 32 || point == '\n'), "message", buf);
    }
}

static void visit(struct orr_config *c, const struct orr_yaml *n)
{
    struct orr_report why = {.code = ORR_OK};
    check_report(orr__yaml_fail(c, n, &why, "here"), &why);
    require((orr__yaml_text(c, n) != NULL) == orr__yaml_is_scalar(n), "text",
            "");
    for (size_t i = 0; i < orr__yaml_count(n) && i < 8; i++) {
        if (orr__yaml_is_list(n)) {
            visit(c, orr__yaml_item(n, i));
            continue;
        }
        const struct orr_yaml *key = orr__yaml_key(n, i);
        require(orr__yaml_get(n, orr__yaml_text(c, key))
                    == orr__yaml_value(n, i),
                "a key is not found", "");
        visit(c, orr__yaml_value(n, i));
    }
}

struct values {
    int64_t mtu, delay;
    struct orr_ints dims;
    const struct orr_yaml *link;
};

static const struct orr_param table[] = {
    {"mtu", ORR_PARAM_SIZE, offsetof(struct values, mtu), "4KiB", "1B", NULL,
     NULL, ""},
    {"delay", ORR_PARAM_TIME, offsetof(struct values, delay), "5us", "1ps",
     "1s", NULL, ""},
    {"dims", ORR_PARAM_INTS, offsetof(struct values, dims), "[4, 4]", "1", NULL,
     NULL, ""},
    {"link", ORR_PARAM_NODE, offsetof(struct values, link), "{a: 1}", NULL,
     NULL, NULL, ""},
    ORR_PARAM_END,
};

static void fill_in(struct orr_config *c)
{
    struct values v;
    const struct orr_param_set set = {table, &v};
    struct orr_report why = {.code = ORR_OK};
    orr_err err =
        orr__param_read(c, orr__yaml_get(orr__config_root(c), "network"),
                        "network", &set, 1, &why);
    if (err)
        check_report(err, &why);
}

static void check_effective(struct orr_config *c)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *d;
    char *once = orr__config_effective(c);
    require(once != NULL, "memory", "");
    orr_err err = orr__config_parse("again", once, strlen(once), &d, &why);
    require(err == ORR_OK, why.message, once);
    char *twice = orr__config_effective(d);
    require(twice && strcmp(once, twice) == 0, "does not read back", once);
    orr__free(once);
    orr__free(twice);
    orr__config_free(d);
}

static void set_last_line(struct orr_config *c, const char *text, size_t size)
{
    size_t at = size;
    struct orr_report why = {.code = ORR_OK};
    while (at > 0 && text[at - 1] != '\n')
        at--;
    if (size - at < 6 || memcmp(text + at, "--set ", 6) != 0)
        return;
    orr_err err = orr__config_set(c, text + at + 6, &why);
    if (err)
        check_report(err, &why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c = NULL;
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    size_t body = size;
    while (body > 0 && text[body - 1] != '\n')
        body--;
    if (strncmp(text + body, "--set ", 6) != 0)
        body = size;
    orr_err err = orr__config_parse("fuzz", text, body, &c, &why);
    if (err) {
        check_report(err, &why);
        require(c == NULL, "failed, but with a document", "");
    } else {
        set_last_line(c, text, size);
        visit(c, orr__config_root(c));
        fill_in(c);
        check_effective(c);
        orr__config_free(c);
    }
    free(text);
    return 0;
}
