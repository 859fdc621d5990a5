/* The files of a study, to the letter: table.csv, study.json, and the arrays of
 * study.h5. */
#include "tests/study/compare/planned.h"

#include <hdf5.h>
#include <math.h>

#include "core/memory.h"

#define RUN(bytes, fct, dropped)                                               \
    "{\"partial\": false, \"counters\": {\"bytes_sent\": " bytes ", "          \
    "\"packets_sent\": 200, \"packets_dropped\": " dropped "}, \"flows\": "    \
    "{\"fct_ns\": {\"mean\": " fct "}}"

static const struct planned plan[] = {
    {"a", 1,
     RUN("1000", "0.1", "0") ", \"jobs\": [{\"name\": \"j\", "
                             "\"iteration_ns\": {\"mean\": 50}}], \"repeat\": "
                             "{\"jobs\": [{\"name\": "
                             "\"j\", \"inferred\": 0, \"error\": 0.1}]}}"},
    {"a", 2, RUN("1100", "0.30000000000000004", "0") "}"},
    {"b", 1, RUN("3000", "7", "4") "}"},
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

static const char json[] =
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
    "}\n";

static void as_json(void **state)
{
    write_study(study);
    is_file("p.study/study.json", json);
}

/* ---- study.h5 ------------------------------------------------------------ */

static void numbers(hid_t file, const char *name, double *v, hsize_t n)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), n);
    assert_true(
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0);
    H5Sclose(space);
    H5Dclose(set);
}

/* Texts of a set, with "|" between them. */
static void texts(hid_t file, const char *name, const char *want)
{
    char *text[16], all[1000] = "";
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set);
    hid_t space = H5Dget_space(set);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    assert_in_range(n, 1, 16);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    for (hssize_t i = 0; i < n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
                 i ? "|" : "", text[i] ? text[i] : "");
    assert_string_equal(all, want);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, text);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

static void attribute(hid_t file, const char *name, const char *key,
                      const char *want)
{
    char text[200] = "";
    hid_t a = H5Aopen_by_name(file, name, key, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Aget_type(a);
    assert_in_range(H5Tget_size(type), 1, sizeof text - 1);
    assert_true(H5Aread(a, type, text) >= 0);
    assert_string_equal(text, want);
    H5Tclose(type);
    H5Aclose(a);
}

static void are(const double *v, const double *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(want[i]) ? !isnan(v[i]) : v[i] != want[i])
            fail_msg("%zu: %g instead of %g", i, v[i], want[i]);
}

/* Two dimensions and three seeds, a combination of which is left out; the first
 * run says an interval of its own, and one failed. */
static void as_arrays(void **state)
{
    double v[12];
    write_study("title: none\n"
                "jobs: [{name: j, ranks: 2, program: [barrier: {}]}]\n"
                "compare:\n"
                "  over:\n"
                "    way: {x: {title: a}, y: {title: b}}\n"
                "    m u/s: {s: {network.mtu: 1KB}, l: {network.mtu: 2KB}}\n"
                "  measure: [counters.bytes_sent, jobs.j.iteration_ns.mean]\n"
                "  when: [{not: {way: x, m u/s: l}}]\n"
                "  keep: false\n"
                "  seeds: [2, 1]\n");
    hid_t file = H5Fopen("p.study/study.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    attribute(file, "/", "title", "none");
    attribute(file, "/", "Conventions", "CF-1.10");
    texts(file, "way", "x|y");
    texts(file, "mus", "s|l");
    numbers(file, "seed", v, 2);
    are(v, (const double[]){1, 2}, 2);
    numbers(file, "counters.bytes_sent", v, 8);
    are(v, (const double[]){1000, 1100, NAN, NAN, 3000, NAN, 3000, NAN}, 8);
    attribute(file, "counters.bytes_sent", "units", "B");
    attribute(file, "counters.bytes_sent", "long_name", "counters.bytes_sent");
    numbers(file, "jobs.j.iteration_ns.mean", v, 8);
    are(v, (const double[]){50, NAN, NAN, NAN, NAN, NAN, NAN, NAN}, 8);
    numbers(file, "jobs.j.iteration_ns.mean_half_interval", v, 8);
    are(v, (const double[]){5, NAN, NAN, NAN, NAN, NAN, NAN, NAN}, 8);
    assert_int_equal(
        H5Lexists(file, "counters.bytes_sent_half_interval", H5P_DEFAULT), 0);
    texts(file, "doubt/marks", "||||L||L|");
    texts(file, "doubt/says", "||||2 % of packets lost||2 % of packets lost|");
    texts(file, "doubt/line",
          "L: 2 % of packets lost (way=y, mus=s, seed 1; in 1 of 2 runs); 2 % "
          "of packets lost (way=y, mus=l, seed 1; in 1 of 2 runs)");
    H5Fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_csv),
        cmocka_unit_test(as_json),
        cmocka_unit_test(as_arrays),
    };
    return cmocka_run_group_tests(tests, planned_enter, planned_leave);
}
