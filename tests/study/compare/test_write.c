/* The files of a study, to the letter: table.csv, study.json, and the arrays of
 * study.h5. */
#include "tests/study/compare/planned.h"

#include <hdf5.h>
#include <math.h>

#include "core/memory.h"

#define RUN(bytes, fct, dropped)                                               \
    "{\"partial\": false, \"counters\": {\"bytes_sent\": " bytes ", "          \
    "\"packets_sent\": 200, \"packets_dropped\": " dropped "}, \"flows\": "    \
    "{\"fct_ns\": {\"mean\": " fct "}}}"

static const struct planned plan[] = {
    {"a", 1, RUN("1000", "0.1", "0")},
    {"a", 2, RUN("1100", "0.30000000000000004", "0")},
    {"b", 1, RUN("3000", "7", "4")},
    {"b", 2, NULL},
};

static const char study[] =
    "title: none\n"
    "compare:\n"
    "  over: {way: {'x,y': {title: a}, b: {title: b}}}\n"
    "  measure: [counters.bytes_sent, flows.fct_ns.mean, flows.fct_ns.p99]\n"
    "  keep: false\n"
    "  seeds: [1, 2]\n"
    "  claim: it may be\n";

static char *text_of(const char *file)
{
    static char text[20000];
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

/* Hashes name configurations and versions: each is "#", as the version is. */
static char *without_hashes(char *text)
{
    for (char *s = text; (s = strstr(s, "\"run\": \"")); s++)
        memmove(s + 9, s + 24, strlen(s + 24) + 1), s[8] = '#';
    char *s = strstr(text, "\"orrery\": \"");
    assert_non_null(s);
    memmove(s + 12, strchr(s + 11, '"'), strlen(strchr(s + 11, '"')) + 1);
    s[11] = '#';
    return text;
}

static void write_study(const char *text)
{
    struct runner r = {.plan = plan};
    struct orr_report why = {.code = ORR_OK};
    struct orr_compare *c =
        planned_study(text, (struct orr_compare_options){0}, &r);
    assert_int_equal(orr__compare_write(c, &why), ORR_OK);
    orr__compare_free(c);
}

static void is_file(const char *file, const char *want)
{
    char *text = text_of(file);
    if (strstr(file, ".json"))
        text = without_hashes(text);
    assert_string_equal(text, want);
}

static void as_csv(void **state)
{
    write_study(study);
    is_file("p.study/table.csv",
            "way,seed,measure,value,unit,status,marks,doubt\n"
            "\"x,y\",1,counters.bytes_sent,1000,B,ok,,\n"
            "\"x,y\",1,flows.fct_ns.mean,0.1,ns,ok,,\n"
            "\"x,y\",1,flows.fct_ns.p99,,ns,absent,,\n"
            "\"x,y\",2,counters.bytes_sent,1100,B,ok,,\n"
            "\"x,y\",2,flows.fct_ns.mean,0.30000000000000004,ns,ok,,\n"
            "\"x,y\",2,flows.fct_ns.p99,,ns,absent,,\n"
            "b,1,counters.bytes_sent,3000,B,ok,L,2 % of packets lost\n"
            "b,1,flows.fct_ns.mean,7,ns,ok,L,2 % of packets lost\n"
            "b,1,flows.fct_ns.p99,,ns,absent,L,2 % of packets lost\n"
            "b,2,counters.bytes_sent,,B,failed: it broke,,\n"
            "b,2,flows.fct_ns.mean,,ns,failed: it broke,,\n"
            "b,2,flows.fct_ns.p99,,ns,failed: it broke,,\n");
}

static void as_json(void **state)
{
    write_study(study);
    is_file("p.study/study.json",
            "{\n"
            "  \"orrery\": \"#\",\n"
            "  \"study\": \"p\",\n"
            "  \"claim\": \"it may be\",\n"
            "  \"dimensions\": [\n"
            "    {\n"
            "      \"name\": \"way\",\n"
            "      \"key\": \"way\",\n"
            "      \"variants\": [\n"
            "        \"x,y\",\n"
            "        \"b\"\n"
            "      ]\n"
            "    }\n"
            "  ],\n"
            "  \"measures\": [\n"
            "    {\"path\": \"counters.bytes_sent\", \"unit\": \"B\"},\n"
            "    {\"path\": \"flows.fct_ns.mean\", \"unit\": \"ns\"},\n"
            "    {\"path\": \"flows.fct_ns.p99\", \"unit\": \"ns\"}\n"
            "  ],\n"
            "  \"baseline\": {\"way\": \"x,y\"},\n"
            "  \"cells\": [\n"
            "    {\n"
            "      \"at\": {\"way\": \"x,y\"},\n"
            "      \"marks\": \"\",\n"
            "      \"doubt\": [],\n"
            "      \"measures\": [\n"
            "        {\n"
            "          \"path\": \"counters.bytes_sent\",\n"
            "          \"value\": {\"n\": 2, \"mean\": 1050, \"half_inter"
            "val\": 635.310236809}\n"
            "        },\n"
            "        {\n"
            "          \"path\": \"flows.fct_ns.mean\",\n"
            "          \"value\": {\"n\": 2, \"mean\": 0.2, \"half_interv"
            "al\": 1.27062047362}\n"
            "        },\n"
            "        {\n"
            "          \"path\": \"flows.fct_ns.p99\",\n"
            "          \"value\": {\"n\": 0, \"mean\": null, \"half_inter"
            "val\": null}\n"
            "        }\n"
            "      ],\n"
            "      \"runs\": [\n"
            "        {\"seed\": 1, \"run\": \"#\", \"status\": \"ok\", \""
            "values\": [1000, 0.1, null], \"marks\": \"\", \"doubt\": []}"
            ",\n"
            "        {\"seed\": 2, \"run\": \"#\", \"status\": \"ok\", \""
            "values\": [1100, 0.3, null], \"marks\": \"\", \"doubt\": []}\n"
            "      ]\n"
            "    },\n"
            "    {\n"
            "      \"at\": {\"way\": \"b\"},\n"
            "      \"marks\": \"L\",\n"
            "      \"doubt\": [\n"
            "        {\"mark\": \"L\", \"says\": \"2 % of packets lost\","
            " \"amount\": 0.02, \"runs\": 1}\n"
            "      ],\n"
            "      \"measures\": [\n"
            "        {\n"
            "          \"path\": \"counters.bytes_sent\",\n"
            "          \"value\": {\"n\": 1, \"mean\": 3000, \"half_inter"
            "val\": null},\n"
            "          \"difference\": {\"n\": 1, \"mean\": 2000, \"half_"
            "interval\": null},\n"
            "          \"relative\": 1.90476190476,\n"
            "          \"significant\": null\n"
            "        },\n"
            "        {\n"
            "          \"path\": \"flows.fct_ns.mean\",\n"
            "          \"value\": {\"n\": 1, \"mean\": 7, \"half_interval"
            "\": null},\n"
            "          \"difference\": {\"n\": 1, \"mean\": 6.9, \"half_i"
            "nterval\": null},\n"
            "          \"relative\": 34.5,\n"
            "          \"significant\": null\n"
            "        },\n"
            "        {\n"
            "          \"path\": \"flows.fct_ns.p99\",\n"
            "          \"value\": {\"n\": 0, \"mean\": null, \"half_inter"
            "val\": null},\n"
            "          \"difference\": {\"n\": 0, \"mean\": null, \"half_"
            "interval\": null},\n"
            "          \"relative\": null,\n"
            "          \"significant\": null\n"
            "        }\n"
            "      ],\n"
            "      \"runs\": [\n"
            "        {\"seed\": 1, \"run\": \"#\", \"status\": \"ok\", \""
            "values\": [3000, 7, null], \"marks\": \"L\", \"doubt\": [{\""
            "mark\": \"L\", \"says\": \"2 % of packets lost\", \"amount\""
            ": 0.02}]},\n"
            "        {\"seed\": 2, \"run\": \"#\", \"status\": \"failed\""
            ", \"reason\": \"it broke\", \"marks\": \"\", \"doubt\": []}\n"
            "      ]\n"
            "    }\n"
            "  ]\n"
            "}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_csv),
        cmocka_unit_test(as_json),
    };
    return cmocka_run_group_tests(tests, planned_enter, planned_leave);
}
