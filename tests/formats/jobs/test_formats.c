/* Small files of the shape of each trace: what is read of them, and what is
 * said of broken ones. */
#include "tests/formats/jobs/traces.h"

#define DAY (24 * HOUR)
/* The date of the examples' first job is 0. */
#define AT(row, i) ((row)[i].submit_ns - (row)[0].submit_ns)

struct read_trace {
    struct orr_config *config;
    struct orr_job_trace t;
};

static void read_file(struct read_trace *r, const char *format,
                      struct trace_folder *f)
{
    struct orr_report why = {0};
    r->config = trace_config();
    r->t = (struct orr_job_trace){.n = 0};
    if (trace_format(format)->read(r->config, f->file, &r->t, &why) != ORR_OK)
        fail_msg("%s:%d: %s", why.file, why.line, why.message);
}

static void close_read(struct read_trace *r)
{
    orr__free(r->t.row);
    orr__config_free(r->config);
}

static void one(struct read_trace *r, const char *format, const char *text)
{
    struct trace_folder f;
    trace_open(&f);
    trace_put(&f, "trace", text);
    read_file(r, format, &f);
    trace_close(&f);
}

static void our_own(void **state)
{
    struct read_trace r;
    one(&r, "csv",
        "name,at,gpus,template,iterations,duration\n"
        "first,0s,8,bert,100,\n"
        "\n"
        "\"second, of two\",1.5h,4,,,90min\r\n"
        "none,2h,0,bert,1,\n"
        ",3d,2,bert,,\n");
    const struct orr_trace_row *row = r.t.row;
    assert_int_equal(r.t.n, 3);
    assert_int_equal(r.t.left_out, 1);
    assert_string_equal(row[0].id, "first");
    assert_string_equal(row[0].application, "bert");
    assert_int_equal(row[0].iterations, 100);
    assert_int_equal(row[0].duration_ns, 0);
    assert_int_equal(row[0].line, 2);
    assert_string_equal(row[1].id, "second, of two");
    assert_null(row[1].application);
    assert_int_equal(row[1].submit_ns, 5400 * SEC);
    assert_int_equal(row[1].duration_ns, 5400 * SEC);
    assert_int_equal(row[1].gpus, 4);
    assert_int_equal(row[1].line, 4);
    assert_null(row[2].id);
    assert_int_equal(row[2].submit_ns, 3 * DAY);
    close_read(&r);
}

static void pollux(void **state)
{
    struct read_trace r;
    one(&r, "pollux",
        "name,time,application,num_replicas,batch_size\n"
        "cifar10-0,107,cifar10,6,2048\nncf-2,135.5,ncf,1,32768\n");
    assert_int_equal(r.t.n, 2);
    assert_string_equal(r.t.row[0].id, "cifar10-0");
    assert_string_equal(r.t.row[0].application, "cifar10");
    assert_int_equal(r.t.row[0].gpus, 6);
    assert_int_equal(r.t.row[1].submit_ns, 135500 * (SEC / 1000));
    assert_int_equal(r.t.row[1].duration_ns, 0);
    close_read(&r);
}

/* All four shapes say the same. */
static void gavel(void **state)
{
    static const char *const shapes[] = {
        "LM\tpython3 main.py\t--steps\t6791\t179\t2\n",
        "LM\tpython3 main.py\t--steps\t1\t6791\t179.000000\t2\n",
        "LM\tpython3 main.py\t--steps\t1\t6791\t2\t1\t-1.000000\t179\n",
        "LM\tpython3 main.py\tlanguage\t--steps\t1\t6791\t2\t1\t-1.0\t179\n",
    };
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct read_trace r;
        one(&r, "gavel", shapes[i]);
        assert_int_equal(r.t.n, 1);
        assert_null(r.t.row[0].id);
        assert_string_equal(r.t.row[0].application, "LM");
        assert_int_equal(r.t.row[0].iterations, 6791);
        assert_int_equal(r.t.row[0].submit_ns, 179 * SEC);
        assert_int_equal(r.t.row[0].gpus, 2);
        close_read(&r);
    }
}

static void helios(void **state)
{
    struct read_trace r;
    one(&r, "helios",
        "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,"
        "start_time,end_time,duration,queue\n"
        "1,u,vc,1,1,1,COMPLETED,2020-02-28 23:59:59,x,x,36848,0\n"
        "2,u,vc,0,4,1,COMPLETED,2020-02-29 00:00:00,x,x,100,0\n"
        "3,u,vc,4,16,1,FAILED,2020-03-01 00:00:01,x,x,249,0\n"
        "4,u,vc,4,16,1,CANCELLED,2020-03-01 00:00:01,x,x,0,0\n");
    assert_int_equal(r.t.n, 2);
    assert_int_equal(r.t.left_out, 2);
    assert_string_equal(r.t.row[0].id, "1");
    assert_null(r.t.row[0].application);
    assert_int_equal(r.t.row[0].duration_ns, 36848 * SEC);
    assert_int_equal(AT(r.t.row, 1), DAY + 2 * SEC); /* a leap day between */
    assert_int_equal(r.t.row[1].gpus, 4);
    close_read(&r);
}

/* As tables come that have gaps, and texts of several lines. */
static void helios_with_gaps(void **state)
{
    struct read_trace r;
    one(&r, "helios",
        "job_id,name,gpu_num,submit_time,duration\n"
        "1,\"two\nlines, and a \"\"comma\"\"\",4.0,2020-02-28 23:59:59,12.5\n"
        "2,NA,8,2020-02-29 00:00:00,NA\n"
        "3,,1,2020-02-29 00:00:00,\n"
        "4,\"\r\n\r\n\",2.00,2020-03-01 00:00:01,249.0\n");
    assert_int_equal(r.t.n, 2);
    assert_int_equal(r.t.left_out, 2); /* 2 and 3 did not run */
    assert_int_equal(r.t.row[0].gpus, 4);
    assert_int_equal(r.t.row[0].duration_ns, 12500000000);
    assert_int_equal(r.t.row[0].line, 2);
    assert_string_equal(r.t.row[1].id, "4");
    assert_int_equal(r.t.row[1].gpus, 2);
    assert_int_equal(r.t.row[1].line, 6);
    assert_int_equal(r.t.early.jobs, 0);
    close_read(&r);
}

static void acme(void **state)
{
    struct read_trace r;
    one(&r, "acme",
        "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,"
        "start_time,end_time,duration,queue,gpu_time\n"
        "a,u,1,8,128,Pretrain,FAILED,2023-03-01 00:18:22+08:00,,,117,32,936\n"
        "b,u,8,64,960,Other,FAILED,2023-02-28 17:00:00+00:00,,,18,10,1152\n");
    assert_int_equal(r.t.n, 2);
    assert_string_equal(r.t.row[0].application, "Pretrain");
    assert_int_equal(AT(r.t.row, 1), (41 * 60 + 38) * SEC);
    assert_int_equal(r.t.row[1].gpus, 64);
    close_read(&r);
}

#define ATTEMPT(start, end, gpus)                                              \
    "{\"start_time\": " start ", \"end_time\": " end ", \"detail\": "          \
    "[{\"ip\": \"m1\", \"gpus\": [" gpus "]}, "                                \
    "{\"ip\": \"m2\", \"gpus\": [\"gpu7\"]}]}"

/* clang-format off */
static void philly(void **state)
{
    struct read_trace r;
    one(&r, "philly",
        "[{\"status\": \"Pass\", \"jobid\": \"a_1\",\n"
        "  \"attempts\": ["
        ATTEMPT("\"2017-10-07 01:12:09\"", "\"2017-10-07 01:13:23\"",
                "\"gpu0\"") ",\n"
        ATTEMPT("\"2017-10-07 01:13:30\"", "\"2017-10-07 02:13:30\"",
                "\"gpu0\", \"gpu1\", \"gpu2\"") "],\n"
        "  \"submitted_time\": \"2017-10-07 01:11:39\"},\n"
        " {\"jobid\": \"never [ran\", \"attempts\": [],\n"
        "  \"submitted_time\": \"2017-10-07 01:11:40\"},\n"
        " {\"jobid\": \"a_2\", \"attempts\": ["
        ATTEMPT("null", "\"None\"", "") ", "
        ATTEMPT("\"2017-10-07 01:13:30\"", "\"2017-10-07 01:13:31\"", "")
        "], \"submitted_time\": \"2017-10-07 02:11:39\"}]\n");
    assert_int_equal(r.t.n, 2);
    assert_int_equal(r.t.left_out, 1);
    assert_string_equal(r.t.row[0].id, "a_1");
    assert_int_equal(r.t.row[0].duration_ns, (74 + 3600) * SEC);
    assert_int_equal(r.t.row[0].gpus, 4);
    assert_int_equal(r.t.row[0].line, 1);
    assert_int_equal(AT(r.t.row, 1), HOUR);
    assert_int_equal(r.t.row[1].gpus, 1);
    assert_int_equal(r.t.row[1].line, 7);
    close_read(&r);
}
/* clang-format on */

/* What attempts take together is more than 64 bits of ns hold. */
static void long_attempts(void **state)
{
    struct read_trace r;
#define AGES ATTEMPT("\"1970-01-01 00:00:01\"", "\"2200-12-31 00:00:00\"", "")
    one(&r, "philly",
        "[{\"jobid\": \"a\", \"attempts\": [" AGES ", " AGES "],\n"
        "  \"submitted_time\": \"2017-10-07 01:11:39\"}]\n");
    assert_int_equal(r.t.row[0].duration_ns, INT64_MAX);
    close_read(&r);
}

#define RES(n) "\"{\"\"cpu\"\": 90, \"\"nvidia.com/gpu\"\": " n "}\""

static void put_lingjun(struct trace_folder *f, const char *jobs)
{
    trace_put(f, "topo.csv",
              "ip,DSW,PSW,ASW\nh-a,G6,P1,S14\n"
              "h-b,G6,P1,S2\nh-c,G5,P9,S9\nh-d,G6,P1,S2\n");
    trace_put(f, "worker.csv",
              "job_name,worker_name,replica_type,host_ip,RES\n"
              "j2,w1,Worker,h-c," RES(
                  "\"\"8\"\"") "\n"
                               "j1,w1,Master,h-a," RES(
                                   "2") "\n"
                                        "j1,w2,Worker,h-d," RES(
                                            "1") "\n"
                                                 "j1,w3,Worker,h-d,\"{"
                                                 "\"\"cpu\"\": 4}\"\n"
                                                 "j5,w1,Worker,elsewhere," RES(
                                                     "1") "\n"
                                                          "j3,w1,Worker,,\n");
    trace_put(f, "job.csv", jobs);
}

static void lingjun(void **state)
{
    struct trace_folder f;
    struct read_trace r;
    trace_open(&f);
    put_lingjun(&f, "job_name,kind,model,gmt_job_submitted,gmt_job_running,"
                    "gmt_job_finished,gmt_job_stopped\n"
                    "j1,PyTorchJob,GPT,2023/8/1 9:05,2023/8/1 9:10,"
                    "2023/8/1 10:10,\n"
                    "j2,TFJob,,2023/8/1 10:05,2023/8/1 10:05,,2023/8/1 10:06\n"
                    "j3,TFJob,ResNet,2023/8/1 10:06,2023/8/1 10:06,"
                    "2023/8/1 10:07,\n"
                    "j4,TFJob,ResNet,2023/8/1 10:06,,,\n"
                    "j5,TFJob,ResNet,2023/8/1 10:07,2023/8/1 10:07,"
                    "2023/8/1 10:08,\n");
    read_file(&r, "lingjun", &f);
    assert_int_equal(r.t.n, 3);
    assert_int_equal(r.t.left_out, 2); /* j3 has no GPUs, j4 never ran */
    assert_string_equal(r.t.row[0].id, "j1");
    assert_string_equal(r.t.row[0].application, "GPT");
    assert_int_equal(r.t.row[0].duration_ns, HOUR);
    /* in order of switches: h-c, h-b, h-d, h-a */
    assert_int_equal(r.t.row[0].gpus, 3);
    assert_memory_equal(r.t.row[0].hosts, ((uint32_t[]){3, 3, 2}), 12);
    assert_null(r.t.row[1].application);
    assert_int_equal(AT(r.t.row, 1), HOUR);
    assert_int_equal(r.t.row[1].duration_ns, 60 * SEC);
    assert_int_equal(r.t.row[1].gpus, 8);
    assert_int_equal(r.t.row[1].hosts[7], 0);
    assert_null(r.t.row[2].hosts);
    assert_int_equal(r.t.early.jobs, 0);
    close_read(&r);
    trace_close(&f);
}

/* Jobs that began before they were submitted are reported. */
static void lingjun_before_submission(void **state)
{
    struct trace_folder f;
    struct read_trace r;
    trace_open(&f);
    put_lingjun(&f,
                "job_name,gmt_job_submitted,gmt_job_running,gmt_job_finished\n"
                "j1,2023/8/1 9:05,2023/8/1 9:05,2023/8/1 10:10\n"
                "j2,2023/8/3 9:05,2023/8/1 9:05,2023/8/3 9:10\n"
                "j5,2023/8/3 9:06,2023/8/3 9:05,2023/8/3 9:10\n");
    read_file(&r, "lingjun", &f);
    assert_int_equal(r.t.n, 3);
    assert_int_equal(r.t.early.jobs, 2);
    assert_int_equal(r.t.early.line, 3);
    assert_int_equal(r.t.early.by_ns, 2 * DAY);
    close_read(&r);
    trace_close(&f);
}

/* ---- moments ------------------------------------------------------------ */

static void moments_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t ns; /* -1: it is none */
    } rows[] = {
        {"0", 0},
        {"12.5", 12500000000},
        {"1970-01-01 00:00:00", 0},
        {"1970-01-01T00:00:00Z", 0},
        {"2000-02-29 12:00", 951825600 * SEC},
        {"2023/8/1 9:05", 1690880700 * SEC},
        {"2023-03-01 00:18:22+08:00", 1677601102 * SEC},
        {"2023-03-01 00:18:22.25 -0700", 1677655102 * SEC + SEC / 4},
        {"2023-02-29 00:00:00", -1},
        {"2023-13-01 00:00:00", -1},
        {"2023-01-01 24:00:00", -1},
        {"2023-01-01", -1},
        {"2023-01-01 00:00:00 PST", -1},
        {"2023-01/01 00:00:00", -1},
        {"1.2.3", -1},
        {"-5", -1},
        {"1e5", -1},
        {"", -1},
        {"99999999999999999999", -1},
        {"1969-12-31 23:59:59", -1},
        {"2200-12-31 23:59:60", 7289654400 * SEC},
        {"2201-01-01 00:00:00", -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t ns = 7;
        const char *wrong = orr__jobs_moment(rows[i].text, &ns);
        if ((wrong == NULL) != (rows[i].ns >= 0)
            || (!wrong && ns != rows[i].ns))
            fail_msg("%s: %s, %lld", rows[i].text, wrong ? wrong : "fine",
                     (long long)ns);
    }
}

/* ---- broken files ------------------------------------------------------- */

struct broken {
    const char *format, *text, *message;
    int line, col;
};

static const struct broken broken[] = {
    {"csv", "", "there is no column \"at\"", 1, 1},
    {"csv", "at,gpu\n", "there is no column \"gpus\"", 1, 7},
    {"csv", "at,gpus,at\n", "there are two columns \"at\"", 1, 9},
    {"csv", "at,gpus\n1h\n", "gpus is missing", 2, 3},
    {"csv", "at,gpus,name\n1h\n",
     "a line of 3 columns is expected, this "
     "one has 1",
     2, 3},
    {"csv", "at,gpus\n1h,2,3\n",
     "a line of 2 columns is expected, this "
     "one has more",
     2, 6},
    {"csv", "at,gpus\n1h,NA\n", "gpus is missing: \"NA\"", 2, 4},
    {"csv", "at,gpus\n1h,4.0\n1h,4.5\n",
     "gpus must be a whole number, not "
     "\"4.5\"",
     3, 4},
    {"csv", "at,gpus\n1h,-4.0\n",
     "gpus must be from 0 to 16000000, not "
     "-4.0",
     2, 4},
    {"csv", "name,at,gpus\n\"a\nb\",1h,2\n\"c\n\nd\",1h,x\n",
     "gpus must be a whole number, not \"x\"", 6, 7},
    {"csv", "name,at,gpus\n\"a\nb,1h,2\n",
     "a line of 3 columns is expected, "
     "this one has 1",
     2, 3},
    {"csv", "at,gpus\n1h,\n", "gpus is missing", 2, 4},
    {"csv", "at,gpus\n,3\n", "at is missing", 2, 1},
    {"csv", "at,gpus\n1h,3\n1,3\n",
     "at: a unit is missing: write a time "
     "like 30s or 24h",
     3, 1},
    {"csv", "at,gpus\n1h,-3\n", "gpus must be from 0 to 16000000, not -3", 2,
     4},
    {"csv", "at,gpus\n1h,some\n", "gpus must be a whole number, not \"some\"",
     2, 4},
    {"csv", "at,gpus,duration\n1h,3,long\n",
     "duration: not a time: write a number and a unit, like 30s or 24h", 2, 6},
    {"pollux", "name,time,application,num_replicas\na,soon,b,1\n",
     "time: not a time: seconds, or a date like 2023-03-01 00:18:22", 2, 3},
    {"helios", "job_id,gpu_num,submit_time,duration\n1,1,,5\n",
     "submit_time is missing", 2, 5},
    {"helios",
     "job_id,gpu_num,submit_time,duration\n"
     "1,1,2020-06-31 00:00:00,5\n",
     "submit_time: not a time: seconds, or a "
     "date like 2023-03-01 00:18:22",
     2, 5},
    {"acme", "job_id,submit_time,duration\n", "there is no column \"gpu_num\"",
     1, 28},
    {"gavel", "LM\tpython3\n",
     "a line of 6, 7, 9 or 10 columns is expected, "
     "with tabs between them, not 2",
     1, 1},
    {"gavel", "LM\ta\tb\t1\t2\t1\nLM\ta\tb\t1\t2\n", "scale factor is missing",
     2, 11},
    {"gavel", "LM\ta\tb\t1\t2\t1\nLM\ta\tb\t1\t2\t1\t0\n",
     "a line of 6 columns is expected, this one has more", 2, 14},
    {"gavel", "LM\ta\tb\tmany\t2\t1\n",
     "total steps must be a whole number, not \"many\"", 1, 8},
    {"philly", "{}", "a list of jobs is expected", 1, 1},
    {"philly", "[{\"jobid\": 3}]", "this job has no \"jobid\"", 1, 1},
    {"philly", "[\n\n{\"jobid\": \"a\"}]",
     "\"submitted_time\" of this job is no date", 3, 1},
    {"philly",
     "[{\"jobid\": \"a }]\", \"submitted_time\": \"2017-10-07 "
     "01:11:39\",\n\"attempts\": [ {} ]},\n\n 7]",
     "a list of jobs, each a map, is expected", 4, 1},
    {"philly", "[7]", "a list of jobs, each a map, is expected", 1, 1},
    {"philly",
     "[{\"jobid\": \"a\", \"submitted_time\": \"2017-10-07 "
     "01:11:39\", \"attempts\": [{\"start_time\": \"then\"}]}]",
     "an attempt of this job has a time that is no date", 1, 1},
    {"philly", "[{", "string or '}' expected near end of file", 1, 2},
};

static void broken_files_are_refused_at_their_place(void **state)
{
    for (size_t i = 0; i < COUNT(broken); i++) {
        struct trace_folder f;
        struct orr_report why = {0};
        struct orr_job_trace t = {.n = 0};
        struct orr_config *c = trace_config();
        trace_open(&f);
        trace_put(&f, "trace", broken[i].text);
        orr_err err = trace_format(broken[i].format)->read(c, f.file, &t, &why);
        assert_int_equal(err, ORR_ECONFIG);
        assert_string_equal(why.message, broken[i].message);
        assert_string_equal(why.file, f.file);
        if (why.line != broken[i].line || why.col != broken[i].col)
            fail_msg("%s: at %d:%d, not %d:%d", why.message, why.line, why.col,
                     broken[i].line, broken[i].col);
        orr__free(t.row);
        orr__config_free(c);
        trace_close(&f);
    }
}

static void lingjun_refused(const char *name, const char *text,
                            const char *message, int line)
{
    struct trace_folder f;
    struct orr_report why = {0};
    struct orr_job_trace t = {.n = 0};
    struct orr_config *c = trace_config();
    char file[192];
    trace_open(&f);
    put_lingjun(&f, "job_name,gmt_job_submitted\n");
    trace_put(&f, name, text);
    snprintf(file, sizeof file, "%s/job.csv", f.path);
    assert_int_equal(trace_format("lingjun")->read(c, file, &t, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.message, message);
    assert_string_equal(why.file, f.file);
    assert_int_equal(why.line, line);
    orr__free(t.row);
    orr__config_free(c);
    trace_close(&f);
}

static void lingjuns_other_files_have_places_too(void **state)
{
    lingjun_refused("topo.csv", "ip,DSW,PSW,ASW\na,1,1,1\nb,1,1,1\na,2,2,2\n",
                    "there are two hosts \"a\"", 4);
    lingjun_refused("worker.csv", "job_name,host_ip,RES\nj,a,{\n",
                    "RES: no resources like {\"nvidia.com/gpu\": 8}", 2);
    lingjun_refused("worker.csv", "job_name,host_ip,RES\nj,a," RES("-1") "\n",
                    "RES: no resources like {\"nvidia.com/gpu\": 8}", 2);
    lingjun_refused("job.csv", "job_name,model\n",
                    "there is no column \"gmt_job_submitted\"", 1);
}

static void no_memory_is_said(void **state)
{
    struct trace_folder f;
    trace_open(&f);
    put_lingjun(&f, "job_name,gmt_job_submitted,gmt_job_running,"
                    "gmt_job_finished\nj1,5,5,6\nj2,6,6,7\n");
    orr_err err = ORR_ENOMEM;
    uint64_t n = 1;
    for (; err == ORR_ENOMEM && n < 200; n++) {
        struct orr_report why = {0};
        struct orr_job_trace t = {.n = 0};
        struct orr_config *c = trace_config();
        orr__memory_fail_after(n, 0);
        err = trace_format("lingjun")->read(c, f.file, &t, &why);
        orr__memory_fail_after(0, 0);
        orr__free(t.row);
        orr__config_free(c);
    }
    assert_int_equal(err, ORR_OK);
    assert_true(n > 20);
    trace_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_own),
        cmocka_unit_test(pollux),
        cmocka_unit_test(gavel),
        cmocka_unit_test(helios),
        cmocka_unit_test(helios_with_gaps),
        cmocka_unit_test(acme),
        cmocka_unit_test(philly),
        cmocka_unit_test(long_attempts),
        cmocka_unit_test(lingjun),
        cmocka_unit_test(lingjun_before_submission),
        cmocka_unit_test(moments_are_read),
        cmocka_unit_test(broken_files_are_refused_at_their_place),
        cmocka_unit_test(lingjuns_other_files_have_places_too),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
