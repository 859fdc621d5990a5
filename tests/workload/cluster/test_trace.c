/* Jobs of a trace on a cluster: which entry of cluster.jobs each is, what is
 * left out, and what is refused at its line. */
#include "tests/formats/jobs/traces.h"

#define JOBS                                                                   \
    "jobs: [{name: bert, gpus: 8, iterations: 100, weight: 3}, "               \
    "{name: vgg, gpus: [4, 16], iterations: {uniform: {min: 10, max: 20}}}, "  \
    "{name: never, gpus: 1, iterations: 1, weight: 0}]\n"

/* rest: keys of the trace beside its file. */
static orr_err read_trace(struct coming *s, struct trace_folder *f,
                          const char *rest, const char *outer,
                          struct orr_report *why)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml, JOBS "arrivals: {trace: {file: %s%s}%s}\n",
             f->file, rest, outer);
    return coming_read(s, yaml, orr__job_trace_formats(), why);
}

static void open_trace(struct coming *s, const char *text, const char *rest,
                       const char *outer)
{
    struct trace_folder f;
    struct orr_report why = {0};
    trace_open(&f);
    trace_put(&f, "trace", text);
    if (read_trace(s, &f, rest, outer, &why) != ORR_OK)
        fail_msg("%s", why.message);
    trace_close(&f);
}

static void applications_are_entries_by_table_or_name(void **state)
{
    struct coming s;
    open_trace(&s,
               "name,at,template,gpus,iterations\n"
               "a,5s,GPT,2,7\nb,5s,vgg,2,\nc,1h,other,3,\nd,2h,,1,9\n",
               ", applications: {GPT: bert, \"*\": never}", "");
    const struct orr_arrival *a = s.c.arrivals.item;
    assert_int_equal(s.c.arrivals.n, 4);
    assert_int_equal(a[0].template, 0);
    assert_int_equal(a[0].at_ns, 0); /* the first comes at once */
    assert_int_equal(a[0].iterations, 7);
    assert_string_equal(a[0].name, "a");
    assert_int_equal(a[1].template, 1);
    assert_in_range(a[1].iterations, 10, 20); /* as the entry says */
    assert_int_equal(a[2].template, 2);
    assert_int_equal(a[2].at_ns, 3595 * SEC);
    assert_int_equal(a[2].gpus, 3);
    assert_int_equal(a[3].template, 2); /* it names none */
    coming_close(&s);
}

static void jobs_without_application_are_drawn(void **state)
{
    struct coming s;
    static char text[100000];
    size_t n = (size_t)sprintf(text, "job_id,gpu_num,submit_time,duration\n");
    uint32_t bert = 0;
    for (int i = 0; i < 2000; i++)
        n += (size_t)sprintf(text + n, "%d,%d,%d,60\n", i, i % 40 + 1, i);
    open_trace(&s, text, ", format: helios, larger: leave-out", "");
    assert_int_equal(s.c.arrivals.n, 1600);
    assert_int_equal(s.c.arrivals.left_out, 400);
    for (uint32_t i = 0; i < 1600; i++) {
        bert += s.c.arrivals.item[i].template == 0;
        assert_true(s.c.arrivals.item[i].template <2);
        assert_int_equal(s.c.arrivals.item[i].duration_ns, 60 * SEC);
        assert_int_equal(s.c.arrivals.item[i].iterations, 0);
    }
    assert_in_range(bert, 1200 - 87, 1200 + 87); /* five deviations */
    coming_close(&s);
}

static void a_table_may_be_a_file(void **state)
{
    struct coming s;
    struct trace_folder f;
    struct orr_report why = {0};
    char rest[256];
    trace_open(&f);
    trace_put(&f, "apps.yaml", "ncf: vgg\ncifar10: bert\n");
    snprintf(rest, sizeof rest, ", format: pollux, applications: %s", f.file);
    trace_put(&f, "trace",
              "name,time,application,num_replicas,batch_size\n"
              "x-0,107,cifar10,6,2048\ny-1,110,ncf,1,32768\n");
    if (read_trace(&s, &f, rest, "", &why) != ORR_OK)
        fail_msg("%s", why.message);
    assert_int_equal(s.c.arrivals.item[0].template, 0);
    assert_int_equal(s.c.arrivals.item[1].template, 1);
    assert_int_equal(s.c.arrivals.item[1].at_ns, 3 * SEC);
    coming_close(&s);
    trace_put(&f, "apps.yaml", "ncf: vgg\ncifar10: bart\n");
    char *apps = strdup(f.file);
    trace_put(&f, "trace", "name,time,application,num_replicas\n");
    assert_int_equal(read_trace(&s, &f, rest, "", &why), ORR_ECONFIG);
    assert_string_equal(why.file, apps);
    assert_int_equal(why.line, 2);
    assert_string_equal(why.message,
                        "no entry of cluster.jobs is called \"bart\"");
    free(apps);
    coming_close(&s);
    trace_close(&f);
}

static void a_trace_may_be_cut_short(void **state)
{
    static const char text[] = "at,gpus\n10s,1\n20s,1\n30s,1\n40s,1\n";
    struct coming s;
    open_trace(&s, text, "", ", until: 20s");
    assert_int_equal(s.c.arrivals.n, 3); /* from the first on */
    assert_int_equal(s.c.until_ns, 20 * SEC);
    coming_close(&s);
    open_trace(&s, text, "", ", most: 2");
    assert_int_equal(s.c.arrivals.n, 2);
    coming_close(&s);
}

static void lines_in_any_order_are_sorted_when_asked(void **state)
{
    struct coming s;
    open_trace(&s, "name,at,gpus\nb,20s,1\nc,20s,2\na,10s,1\n", ", sort: true",
               "");
    assert_string_equal(s.c.arrivals.item[0].name, "a");
    assert_string_equal(s.c.arrivals.item[1].name, "b");
    assert_string_equal(s.c.arrivals.item[2].name, "c");
    assert_int_equal(s.c.arrivals.item[1].at_ns, 10 * SEC);
    coming_close(&s);
}

/* The second and the fourth job had parts of a server at the same time, the
 * third came when the first had ended. */
static void jobs_get_the_servers_that_they_had(void **state)
{
    struct coming s;
    struct trace_folder f;
    struct orr_report why = {0};
    trace_open(&f);
    trace_put(&f, "topo.csv", "ip,DSW,PSW,ASW\na,1,1,1\nb,1,1,1\n");
    trace_put(&f, "worker.csv",
              "job_name,host_ip,RES\n"
              "j1,a,\"{\"\"nvidia.com/gpu\"\": 4}\"\n"
              "j2,b,\"{\"\"nvidia.com/gpu\"\": 1}\"\n"
              "j3,a,\"{\"\"nvidia.com/gpu\"\": 1}\"\n"
              "j4,b,\"{\"\"nvidia.com/gpu\"\": 2}\"\n");
    trace_put(&f, "job.csv",
              "job_name,gmt_job_submitted,gmt_job_running,"
              "gmt_job_finished\nj1,0,0,10\nj2,0,0,90\nj3,10,10,20\n"
              "j4,50,50,60\n");
    if (read_trace(&s, &f, ", format: lingjun, hosts: true", "", &why)
        != ORR_OK)
        fail_msg("%s", why.message);
    const struct orr_arrival *a = s.c.arrivals.item;
    assert_memory_equal(a[0].hosts, ((uint32_t[]){0, 1, 2, 3}), 16);
    assert_memory_equal(a[1].hosts, ((uint32_t[]){4}), 4);
    assert_memory_equal(a[2].hosts, ((uint32_t[]){0}), 4);
    assert_memory_equal(a[3].hosts, ((uint32_t[]){5, 6}), 8);
    coming_close(&s);
    if (read_trace(&s, &f, ", format: lingjun", "", &why) != ORR_OK)
        fail_msg("%s", why.message);
    assert_null(s.c.arrivals.item[0].hosts);
    coming_close(&s);
    trace_close(&f);
}

/* ---- what is refused ----------------------------------------------------- */

struct bad_trace {
    const char *text, *rest, *message;
    int line; /* of the trace; 0: of the configuration */
};

static const struct bad_trace bad[] = {
    {"at,gpus\n2s,1\n1s,1\n", "",
     "this job was submitted before the one above it", 3},
    {"at,gpus\n2s,1\n3s,33\n", "",
     "a job of 33 GPUs is larger than the cluster, which has 32", 3},
    {"name,at,gpus\na,2s,1\nb,3s,1\na,4s,1\n", "", "two jobs are called \"a\"",
     4},
    {"at,gpus\n1s,\n", "", "gpus is missing", 2},
    {"at,gpus\n1s,0\n", "", "cluster.arrivals: no job comes", 0},
    {"at,gpus\n1s,1\n", ", format: polux",
     "cluster.arrivals.trace: no format \"polux\"", 0},
    {"at,gpus\n1s,1\n", ", applications: [a]",
     "cluster.arrivals.trace."
     "applications: a map {application: entry of cluster.jobs} is expected",
     0},
    {"at,gpus\n1s,1\n", ", applications: {a: b}",
     "no entry of cluster.jobs is called \"b\"", 0},
    {"at,gpus\n1s,1\n", ", speed: 2",
     "unknown key \"speed\" in cluster.arrivals.trace", 0},
};

static void bad_traces_are_refused(void **state)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct coming s;
        struct trace_folder f;
        struct orr_report why = {0};
        trace_open(&f);
        trace_put(&f, "trace", bad[i].text);
        assert_int_equal(read_trace(&s, &f, bad[i].rest, "", &why),
                         ORR_ECONFIG);
        assert_string_equal(why.message, bad[i].message);
        assert_string_equal(why.file, bad[i].line ? f.file : "test.yaml");
        assert_int_equal(why.line, bad[i].line ? bad[i].line : 3);
        coming_close(&s);
        trace_close(&f);
    }
}

/* All are named in one message, up to ten. */
static void unknown_applications_are_named(void **state)
{
    struct coming s;
    struct trace_folder f;
    struct orr_report why = {0};
    char text[512] = "at,gpus,template\n1s,1,bert\n", expected[512];
    for (int i = 0; i < 26; i++)
        sprintf(text + strlen(text), "%ds,1,app%d\n", i + 1, i / 2);
    trace_open(&f);
    trace_put(&f, "trace", text);
    assert_int_equal(read_trace(&s, &f, "", "", &why), ORR_ECONFIG);
    snprintf(expected, sizeof expected,
             "%s has applications that are no "
             "entry of cluster.jobs: \"app0\", \"app1\", \"app2\", \"app3\", "
             "\"app4\", \"app5\", \"app6\", \"app7\", \"app8\", \"app9\" and "
             "3 more",
             f.file);
    assert_string_equal(why.message, expected);
    assert_string_equal(why.file, "test.yaml");
    coming_close(&s);
    trace_close(&f);
}

static void a_file_that_is_not_there_is_said_where_it_is_named(void **state)
{
    struct coming s;
    struct trace_folder f = {.file = "/nowhere/trace"};
    struct orr_report why = {0};
    assert_int_equal(read_trace(&s, &f, "", "", &why), ORR_ECONFIG);
    assert_string_equal(why.message, "cannot read /nowhere/trace: No such "
                                     "file or directory");
    assert_string_equal(why.file, "test.yaml");
    assert_int_equal(why.line, 3);
    assert_int_equal(why.col, 26);
    coming_close(&s);
}

/* A million lines, and one that is none. */
static void one_bad_line_of_a_million_is_found(void **state)
{
    enum { N = 1000000, BAD = 765432 };
    struct coming s;
    struct trace_folder f;
    struct orr_report why = {0};
    trace_open(&f);
    trace_put(&f, "trace", "");
    FILE *out = fopen(f.file, "w");
    assert_non_null(out);
    fprintf(out, "at,gpus,duration\n");
    for (int i = 2; i <= N; i++)
        fprintf(out, i == BAD ? "%ds,eight,60s\n" : "%ds,8,60s\n", i);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(read_trace(&s, &f, "", "", &why), ORR_ECONFIG);
    assert_string_equal(why.message,
                        "gpus must be a whole number, not \"eight\"");
    assert_int_equal(why.line, BAD);
    assert_int_equal(why.col, 9);
    coming_close(&s);
    trace_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(applications_are_entries_by_table_or_name),
        cmocka_unit_test(jobs_without_application_are_drawn),
        cmocka_unit_test(a_table_may_be_a_file),
        cmocka_unit_test(a_trace_may_be_cut_short),
        cmocka_unit_test(lines_in_any_order_are_sorted_when_asked),
        cmocka_unit_test(jobs_get_the_servers_that_they_had),
        cmocka_unit_test(bad_traces_are_refused),
        cmocka_unit_test(unknown_applications_are_named),
        cmocka_unit_test(a_file_that_is_not_there_is_said_where_it_is_named),
        cmocka_unit_test(one_bad_line_of_a_million_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
