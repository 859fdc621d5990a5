#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/units.h"
#include "net/config/config.h"
#include "record/bins.h"
#include "record/operations.h"
#include "record/owners.h"
#include "record/series.h"
#include "tests/record/untapped.h"
#include "tests/record/world.h"

/* ---- a net of which the test knows everything ---------------------------- */

/* A link sends at its full rate, a byte a ns, while it is on, one packet of
 * 1,000 B after the other, with a queue of 500 B all the time. */
static struct {
    int64_t on, off;
    uint64_t max_queue, marks;
} traffic[LINKS];

static struct {
    int64_t at;
    int64_t (*fn)(void *arg, int64_t now);
    void *arg;
    orr_err failed;
} net;

static time_t hurry; /* seconds by which the wall clock is ahead */

int clock_gettime(clockid_t id, struct timespec *t)
{
    long r = syscall(SYS_clock_gettime, id, t);
    t->tv_sec += hurry;
    return (int)r;
}

void orr__net_link_sample(const struct orr_net *n, uint32_t link, int64_t t,
                          struct orr_link_sample *s)
{
    int64_t end = t < traffic[link].off ? t : traffic[link].off;
    int64_t busy = end > traffic[link].on ? end - traffic[link].on : 0;
    *s = (struct orr_link_sample){.bytes = (uint64_t)(busy / 1000),
                                  .busy_ps = busy,
                                  .packets =
                                      (uint64_t)((busy + 999999) / 1000000),
                                  .area = 500.0 * (double)busy,
                                  .max_queue = traffic[link].max_queue,
                                  .marks = busy ? traffic[link].marks : 0};
}

void orr__net_connection_sample(const struct orr_net *n, uint32_t connection,
                                struct orr_connection_sample *s)
{
    *s = (struct orr_connection_sample){0};
}

orr_err orr__net_cursor_new(struct orr_net *n, bool maxima,
                            struct orr_net_cursor **out, struct orr_report *why)
{
    *out = NULL;
    return ORR_OK;
}

void orr__net_cursor_rhythm(struct orr_net_cursor *c, struct orr_rhythm r)
{
}

uint32_t orr__net_active_links(struct orr_net *n, struct orr_net_cursor *c,
                               int64_t now, uint32_t *links)
{
    for (uint32_t i = 0; i < LINKS; i++)
        links[i] = i;
    return LINKS;
}

uint64_t orr__net_take_max(struct orr_net *n, struct orr_net_cursor *c,
                           uint32_t link, int64_t now)
{
    uint64_t most = traffic[link].max_queue;
    traffic[link].max_queue = 0;
    return most;
}

void orr__net_totals(const struct orr_net *n, struct orr_net_totals *t)
{
    *t = (struct orr_net_totals){
        .fingerprint = 0xabc, .packet_hops = 7, .last_event_ps = 35 * ORR_US};
}

bool orr__net_has_groups(const struct orr_net *n)
{
    return false;
}

bool orr__net_group_node(const struct orr_net *n, uint32_t node,
                         struct orr_group_totals *t)
{
    return false;
}

orr_err orr__net_control(struct orr_net *n, int64_t at,
                         int64_t (*fn)(void *arg, int64_t now), void *arg,
                         struct orr_report *why)
{
    net.at = at;
    net.fn = fn;
    net.arg = arg;
    return ORR_OK;
}

void orr__net_fail(struct orr_net *n, orr_err code)
{
    net.failed = code;
}

/* Links split without packets: of each, the second job has a fifth, the flows
 * have the rest. */
static struct orr_split {
    uint32_t number[LINKS], parts; /* two to a link, by first use; 0: not yet */
    struct orr_split_part part[2 * LINKS];
} splitter;

orr_err orr__split_start(struct orr_world *w, struct orr_split **out,
                         struct orr_report *why)
{
    *out = &splitter;
    return ORR_OK;
}

void orr__split_free(struct orr_split *s)
{
}

uint32_t orr__split_owners(const struct orr_split *s)
{
    return 4;
}

uint32_t orr__split_parts(const struct orr_split *s)
{
    return s->parts;
}

struct orr_split_part orr__split_part(const struct orr_split *s, uint32_t part)
{
    return s->part[part];
}

orr_err orr__split_take(struct orr_split *s, const struct orr_cell *whole,
                        int64_t now, struct orr_cell *out, uint32_t *n)
{
    uint32_t *number = &s->number[whole->link];
    if (!*number) {
        s->part[s->parts++] = (struct orr_split_part){whole->link, 1};
        s->part[s->parts++] =
            (struct orr_split_part){whole->link, ORR_OWNER_FLOWS(2)};
        *number = s->parts;
    }
    out[*n] = (struct orr_cell){.bytes = whole->bytes / 5,
                                .busy_ps = whole->busy_ps / 2,
                                .link = *number - 2};
    out[*n + 1] = (struct orr_cell){.bytes = whole->bytes - whole->bytes / 5,
                                    .marks = whole->marks,
                                    .link = *number - 1};
    *n += 2;
    return ORR_OK;
}

/* The jobs of this world have no programs. */
orr_err orr__operations_ask(struct orr_world *w, enum orr_operations which,
                            struct orr_report *why)
{
    return ORR_OK;
}

orr_err orr__operations_write(struct orr_record *r, const struct orr_world *w)
{
    return ORR_OK;
}

/* All controls that are due before the end. */
static void run_net(struct orr_world *w, int64_t end)
{
    while (net.at < end)
        net.at = net.fn(net.arg, net.at);
    w->result.end_ps = end;
}

/* ---- the world ----------------------------------------------------------- */

static char folder[64], output[80];
static struct orr_world world;

static int setup(void **state)
{
    strcpy(folder, "/tmp/orrery-series-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(output, sizeof output, "%s/run.h5", folder);
    memset(traffic, 0, sizeof traffic);
    memset(&net, 0, sizeof net);
    memset(&splitter, 0, sizeof splitter);
    hurry = 0;
    for (uint32_t i = 0; i < LINKS; i++) {
        from[i] = i % 4;
        to[i] = (i + 1) % 4;
        rate[i] = 8000000000; /* a byte a ns */
        delay[i] = 500 * ORR_NS;
        tier[i] = i % 2;
    }
    static const struct orr_net_config plain;
    world = (struct orr_world){.options.title = "a test",
                               .net_config = &plain,
                               .graph = &graph,
                               .jobs = jobs,
                               .n_jobs = 2,
                               .flows = &flows,
                               .options.command = "orrery run x.yaml",
                               .options.output = output};
    return 0;
}

static int teardown(void **state)
{
    char command[128];
    orr__series_free(&world, false);
    orr__config_free(world.config);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static orr_err open_series(const char *yaml, struct orr_report *why)
{
    orr__config_free(world.config);
    world.config = NULL;
    *why = (struct orr_report){.code = ORR_OK};
    orr_err err =
        orr__config_parse("x.yaml", yaml, strlen(yaml), &world.config, why);
    if (err == ORR_OK)
        err = orr__series_open(
            &world, orr__yaml_get(orr__config_root(world.config), "record"),
            NULL, why);
    if (err == ORR_OK && world.watch.series)
        err = orr__series_start(&world, why);
    return err;
}

static void must_open(const char *yaml)
{
    struct orr_report why;
    if (open_series(yaml, &why) != ORR_OK)
        fail_msg("%s", why.message);
}

static void must_close(void)
{
    struct orr_report why = {.code = ORR_OK};
    if (orr__series_close(&world, NULL, &why) != ORR_OK)
        fail_msg("%s", why.message);
}

/* Reads a whole dataset; n: elements. */
static void *read_all(const char *file, const char *name, hid_t type, size_t *n)
{
    hid_t f = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(f >= 0);
    hid_t d = H5Dopen2(f, name, H5P_DEFAULT), space = H5Dget_space(d);
    *n = (size_t)H5Sget_simple_extent_npoints(space);
    void *v = test_calloc(*n + 1, 8);
    assert_true(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0);
    H5Sclose(space);
    H5Dclose(d);
    H5Fclose(f);
    return v;
}

#define CHECK_ROW(file, name, hdf, type, ...)                                  \
    do {                                                                       \
        const type want[] = {__VA_ARGS__};                                     \
        size_t got_n;                                                          \
        type *got = read_all(file, name, hdf, &got_n);                         \
        assert_int_equal(got_n, sizeof want / sizeof *want);                   \
        for (size_t k = 0; k < got_n; k++)                                     \
            if (got[k] != want[k])                                             \
                fail_msg("%s[%zu] is %g, not %g", name, k, (double)got[k],     \
                         (double)want[k]);                                     \
        test_free(got);                                                        \
    } while (0)
#define CHECK_I64(name, ...)                                                   \
    CHECK_ROW(output, name, H5T_NATIVE_INT64, int64_t, __VA_ARGS__)
#define CHECK_F64(name, ...)                                                   \
    CHECK_ROW(output, name, H5T_NATIVE_DOUBLE, double, __VA_ARGS__)

/* ---- tests --------------------------------------------------------------- */

/* Link 3 is on from 0 to 15 us, link 1 from 25 us on: bins of 10 us. */
static void a_bin_holds_what_happened_in_it(void **state)
{
    traffic[3].off = 15 * ORR_US;
    traffic[3].max_queue = 700;
    traffic[3].marks = 5;
    traffic[1].on = 25 * ORR_US;
    traffic[1].off = 90 * ORR_US;
    must_open("record: {interval: 10us}");
    run_net(&world, 35 * ORR_US);
    must_close();
    CHECK_I64("links/time", 0, 10 * ORR_US, 20 * ORR_US, 30 * ORR_US);
    CHECK_I64("links/time_end", 10 * ORR_US, 20 * ORR_US, 30 * ORR_US,
              35 * ORR_US);
    CHECK_F64("links/time_s", 0, 10e-6, 20e-6, 30e-6);
    CHECK_I64("links/link", 3, 1); /* by first use */
    CHECK_I64("links/from", 3, 1);
    CHECK_I64("links/to", 0, 2);
    CHECK_I64("links/bytes", 10000, 0, 5000, 0, 0, 5000, 0, 5000);
    CHECK_F64("links/utilization", 1, 0, .5, 0, 0, .5, 0, 1);
    CHECK_F64("links/utilisation", 1, 0, .5, 0, 0, .5, 0, 1); /* as before */
    CHECK_F64("links/mean_queue", 500, 0, 250, 0, 0, 250, 0, 500);
    CHECK_I64("links/max_queue", 700, 0, 0, 0, 0, 0, 0, 0);
    CHECK_I64("links/marks", 5, 0, 0, 0, 0, 0, 0, 0);
    CHECK_I64("links/drops", 0, 0, 0, 0, 0, 0, 0, 0);
}

static void all_links_may_be_asked_for(void **state)
{
    size_t n;
    must_open("record: {interval: 10us, links: all}");
    run_net(&world, 10 * ORR_US);
    must_close();
    int64_t *link = read_all(output, "links/link", H5T_NATIVE_INT64, &n);
    assert_int_equal(n, LINKS);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(link[i], i);
    test_free(link);
}

/* Sum of a link's bytes over all bins of a file. */
static uint64_t total_bytes(const char *file, uint32_t link)
{
    size_t links, cells;
    uint32_t *id = read_all(file, "links/link", H5T_NATIVE_UINT32, &links);
    uint64_t *v = read_all(file, "links/bytes", H5T_NATIVE_UINT64, &cells);
    uint64_t sum = 0;
    for (size_t i = 0; i < cells; i++)
        sum += id[i % links] == link ? v[i] : 0;
    test_free(id);
    test_free(v);
    return sum;
}

static void many_rows_and_links_reach_the_file(void **state)
{
    for (uint32_t i = 0; i < LINKS; i++) {
        traffic[i].on = i * 3 * ORR_US;
        traffic[i].off = traffic[i].on + 100 * ORR_US;
    }
    must_open("record: {interval: 2us}");
    for (int64_t t = 20; t <= 700; t += 20) {
        run_net(&world, t * ORR_US);
        hurry += t % 60 == 0 ? 100 : 0; /* a flush is due now and then */
    }
    must_close();
    for (uint32_t i = 0; i < LINKS; i++)
        assert_int_equal(total_bytes(output, i), 100000);
    size_t n;
    int64_t *time = read_all(output, "links/time", H5T_NATIVE_INT64, &n);
    assert_int_equal(n, 350);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(time[i], (int64_t)i * 2 * ORR_US);
    test_free(time);
}

static void automatic_bins_merge_in_pairs(void **state)
{
    traffic[0].off = traffic[1].off = 5300 * ORR_US;
    traffic[1].on = 2000 * ORR_US;
    traffic[1].max_queue = 900;
    must_open("title: x");
    run_net(&world, 5300 * ORR_US + 250 * ORR_NS);
    must_close();
    size_t n;
    int64_t *time = read_all(output, "links/time", H5T_NATIVE_INT64, &n);
    /* 10,600 bins of 500 ns become 1,325 of 4 us and a shorter one. */
    assert_int_equal(n, 1326);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(time[i], (int64_t)i * 4 * ORR_US);
    test_free(time);
    double *u = read_all(output, "links/utilisation", H5T_NATIVE_DOUBLE, &n);
    assert_true(u[0] == 1 && u[1] == 0); /* link 1: not yet */
    assert_true(u[2 * 1324] == 1 && u[2 * 1324 + 1] == 1);
    test_free(u);
    assert_int_equal(total_bytes(output, 0), 5300000);
    assert_int_equal(total_bytes(output, 1), 3300000);
}

/* Links come into use one after another, so that parts do; bins are merged, or
 * written before others are there. */
static void links_are_split(const char *yaml, int64_t end)
{
    static struct orr_net_config config;
    for (uint32_t i = 0; i < LINKS; i++) {
        traffic[LINKS - 1 - i].on = i * 3 * ORR_US;
        traffic[LINKS - 1 - i].off = i * 3 * ORR_US + 99 * ORR_US;
        traffic[i].marks = i;
    }
    world.net_config = &config;
    must_open(yaml);
    run_net(&world, end);
    must_close();
    size_t n, parts;
    uint64_t *bytes =
        read_all(output, "links/part_bytes", H5T_NATIVE_UINT64, &n);
    uint64_t *marks =
        read_all(output, "links/part_marks", H5T_NATIVE_UINT64, &n);
    int64_t *link =
        read_all(output, "links/part_link", H5T_NATIVE_INT64, &parts);
    int64_t *job = read_all(output, "links/part_job", H5T_NATIVE_INT64, &parts);
    assert_int_equal(parts, 2 * LINKS);
    for (size_t p = 0; p < parts; p++) {
        uint64_t all = 0, marked = 0;
        for (size_t row = 0; row < n / parts; row++) {
            all += bytes[row * parts + p];
            marked += marks[row * parts + p];
        }
        assert_int_equal(link[p], LINKS - 1 - p / 2);
        assert_int_equal(job[p], p % 2 ? -1 : 1);
        assert_int_equal(all, total_bytes(output, (uint32_t)link[p])
                                  * (p % 2 ? 4 : 1) / 5);
        assert_int_equal(marked, p % 2 ? link[p] : 0);
    }
    test_free(bytes);
    test_free(marks);
    test_free(link);
    test_free(job);
}

static void links_are_split_as_they_go(void **state)
{
    links_are_split("record: {by_job: true, interval: 3us}", 900 * ORR_US);
}

static void links_are_split_in_merged_bins(void **state)
{
    links_are_split("record: {by_job: true}", 1800 * ORR_US);
}

static void automatic_bins_are_written_anew(void **state)
{
    char partial[100], next[100];
    snprintf(partial, sizeof partial, "%s.partial", output);
    snprintf(next, sizeof next, "%s.partial.next", output);
    traffic[7].off = 3000 * ORR_US;
    must_open("title: x");
    for (int64_t t = 100; t <= 2000; t += 100) {
        run_net(&world, t * ORR_US);
        hurry += 100;
        if (t > 100)
            assert_true(total_bytes(partial, 7) >= (uint64_t)(t - 101) * 1000);
        assert_true(access(next, F_OK) != 0);
    }
    must_close();
    assert_int_equal(total_bytes(output, 7), 2000000);
    assert_true(access(partial, F_OK) != 0);
    assert_true(access(next, F_OK) != 0);
}

static void a_killed_run_leaves_its_bins(void **state)
{
    static const char *const kinds[] = {"title: x", "record: {interval: 1us}"};
    char partial[100];
    snprintf(partial, sizeof partial, "%s.partial", output);
    traffic[7].off = ORR_NEVER;
    for (int i = 0; i < 2; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            must_open(kinds[i]);
            run_net(&world, 1000 * ORR_US);
            hurry += 100;
            run_net(&world, 1500 * ORR_US);
            raise(SIGKILL);
        }
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        assert_in_range(total_bytes(partial, 7), 999000, 1000000 + 1000);
        assert_true(access(output, F_OK) != 0);
    }
}

static herr_t check_object(hid_t at, const char *name, const H5O_info_t *info,
                           void *arg)
{
    unsigned *datasets = arg;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    hid_t d = H5Dopen2(at, name, H5P_DEFAULT), space = H5Dget_space(d);
    if (H5Aexists(d, "units") <= 0 || H5Aexists(d, "long_name") <= 0)
        fail_msg("%s lacks units or long_name", name);
    for (int i = 0; i < H5Sget_simple_extent_ndims(space); i++)
        if (H5DSis_scale(d) <= 0 && H5DSget_num_scales(d, (unsigned)i) != 1)
            fail_msg("%s lacks a scale", name);
    H5Sclose(space);
    H5Dclose(d);
    ++*datasets;
    return 0;
}

static void everything_has_scales_and_units(void **state)
{
    unsigned datasets = 0;
    char text[64];
    traffic[3].off = 15 * ORR_US;
    must_open("record: {interval: 10us}");
    run_net(&world, 15 * ORR_US);
    must_close();
    hid_t f = H5Fopen(output, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ovisit1(f, H5_INDEX_NAME, H5_ITER_INC, check_object, &datasets);
    assert_true(datasets > 60);
    memset(text, 0, sizeof text);
    H5LTget_attribute_string(f, "/", "fingerprint", text);
    assert_string_equal(text, "0000000000000abc");
    memset(text, 0, sizeof text);
    H5LTget_attribute_string(f, "/", "status", text);
    assert_string_equal(text, "complete");
    memset(text, 0, sizeof text);
    H5LTget_attribute_string(f, "/topology/tier", "flag_meanings", text);
    assert_string_equal(text, "host up_down");
    H5Fclose(f);
}

static void what_came_out_is_in_tables(void **state)
{
    must_open("record: {interval: 10us}");
    run_net(&world, 15 * ORR_US);
    must_close();
    CHECK_I64("iterations/job", 0, 0, 1, 1);
    CHECK_I64("iterations/iteration", 0, 1, 0, 1);
    CHECK_I64("iterations/duration", 10, 15, 10, 15);
    CHECK_I64("ranks/job", 0, 0, 1, 1);
    CHECK_I64("ranks/host", 0, 1, 0, 1);
    CHECK_I64("ranks/iterations", 0, 0, 2, 0);
    CHECK_I64("ranks/compute", 0, 0, 9, 0);
    CHECK_I64("ranks/communication", 0, 0, 8, 0);
    CHECK_I64("ranks/exposed", 0, 0, 5, 0);
    CHECK_I64("ranks/overlap", 0, 0, 3, 0);
    CHECK_I64("ranks/bytes_sent", 0, 0, 11, 12);
    CHECK_I64("ranks/bytes_received", 0, 0, 12, 11);
    CHECK_I64("collectives/bytes_sent", 16);
    CHECK_I64("collectives/limiting_link", 3);
    CHECK_I64("collectives/limiting_time", 7);
    CHECK_I64("collectives/job", 1);
    CHECK_I64("jobs/finish", -1, 25);
    CHECK_I64("flows/fct", 20, -1);
    CHECK_I64("flows/bytes", 5, 5);
    CHECK_I64("topology/type", 0, 0, 1, 1);
    size_t n;
    double *s = read_all(output, "flows/slowdown", H5T_NATIVE_DOUBLE, &n);
    assert_true(s[0] == 2 && isnan(s[1]));
    test_free(s);
}

static void it_opens_as_netcdf(void **state)
{
    static const char *const wanted[] = {
        ":Conventions = \"CF-1.10\"",
        ":history = \"orrery run x.yaml\"",
        "group: links {",
        "time = UNLIMITED ; // (2 currently)",
        "link = UNLIMITED ; // (1 currently)",
        "float utilization(time, link) ;",
        "utilization:units = \"1\" ;",
        "float utilisation(time, link) ;",
        "utilisation:units = \"1\" ;",
        "utilisation:coordinates = \"time_end time_s from to name\" ;",
        "group: flows {",
        "int64 fct(flow) ;",
        "string name(job) ;",
        "string effective ;",
        "type:flag_meanings = \"host switch\" ;"};
    static char text[65536];
    char command[128];
    if (system("command -v ncdump >/dev/null") != 0)
        skip();
    traffic[3].off = 15 * ORR_US;
    must_open("record: {interval: 10us}");
    run_net(&world, 15 * ORR_US);
    must_close();
    snprintf(command, sizeof command, "ncdump -h %s 2>&1", output);
    FILE *p = popen(command, "r");
    text[fread(text, 1, sizeof text - 1, p)] = '\0';
    assert_int_equal(pclose(p), 0);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (strstr(text, wanted[i]) == NULL)
            fail_msg("no '%s' in:\n%s", wanted[i], text);
}

/* A run without jobs, flows, traffic or time writes the same groups. */
static void an_empty_run_is_a_file_too(void **state)
{
    char command[128];
    world.n_jobs = 0;
    world.flows = NULL;
    must_open("title: x");
    run_net(&world, 0);
    must_close();
    snprintf(command, sizeof command, "ncdump %s >/dev/null 2>&1", output);
    if (system("command -v ncdump >/dev/null") == 0)
        assert_int_equal(system(command), 0);
}

static void wrong_values_are_refused(void **state)
{
    static const struct {
        const char *yaml, *message;
    } wrong[] = {{"record: {interval: 10}", "unit"},
                 {"record: {interval: 0us}", "at least 1ns"},
                 {"record: {intervall: 1us}", "intervall"},
                 {"record: {links: some}", "links"},
                 {"record: never", "record"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct orr_report why;
        assert_int_equal(open_series(wrong[i].yaml, &why), ORR_ECONFIG);
        if (strstr(why.message, wrong[i].message) == NULL || why.line != 1)
            fail_msg("%d: %s", why.line, why.message);
        assert_null(world.watch.series);
    }
}

static void none_writes_nothing(void **state)
{
    must_open("record: none");
    assert_null(world.watch.series);
    assert_true(access(output, F_OK) != 0);
}

static void an_unwritable_place_is_a_wrong_argument(void **state)
{
    struct orr_report why;
    world.options.output = (char *)"/nowhere/run.h5";
    assert_int_equal(open_series("title: x", &why), ORR_ECONFIG);
    assert_non_null(strstr(why.message, "/nowhere/run.h5.partial: No such"));
    orr__series_free(&world, false);
    world.options.output = (char *)"/dev/full";
    assert_int_equal(open_series("title: x", &why), ORR_ECONFIG);
    assert_non_null(strstr(why.message, "/dev/full: not a regular file"));
}

/* In a process of its own: limits cannot be raised again. */
static int fill_disk(void)
{
    struct rlimit limit = {200000, 200000};
    struct orr_report why = {.code = ORR_OK};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < LINKS; i++)
        traffic[i].off = ORR_NEVER;
    must_open("record: {interval: 1us}");
    run_net(&world, 20000 * ORR_US);
    if (net.failed != ORR_EIO)
        return 1;
    if (orr__series_state(&world, &why) != ORR_EIO
        || strstr(why.message, "run.h5.partial: File too large") == NULL)
        return 2;
    if (orr__series_close(&world, NULL, &why) != ORR_EIO)
        return 3;
    return rmdir(folder) != 0; /* nothing is left in it */
}

static void a_full_disk_ends_the_run(void **state)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(fill_disk());
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_full_disk_at_the_start_is_a_wrong_argument(void **state)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {2000, 2000};
        struct orr_report why;
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(open_series("title: x", &why) != ORR_ECONFIG);
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void every_allocation_may_fail(void **state)
{
    static const char *const kinds[] = {"title: x", "record: {interval: 10us}",
                                        "record: {by_job: true}"};
    static struct orr_net_config config;
    struct orr_report why;
    world.net_config = &config;
    for (int i = 0; i < 3; i++) {
        orr_err err = ORR_ENOMEM;
        for (uint64_t n = 1; err != ORR_OK && n < 100000; n += 1 + n / 10) {
            traffic[3].off = 1500 * ORR_US;
            net.at = ORR_NEVER;
            orr__memory_fail_after(n, 1);
            err = open_series(kinds[i], &why);
            if (err == ORR_OK) {
                run_net(&world, 1500 * ORR_US);
                err = orr__series_close(&world, NULL, &why);
            }
            orr__memory_fail_after(0, 0);
            orr__series_free(&world, false);
            assert_int_equal(access(output, F_OK) == 0, err == ORR_OK);
            if (err != ORR_OK && err != ORR_ENOMEM)
                fail_msg("%d: %s", err, why.message);
        }
        assert_int_equal(err, ORR_OK);
        unlink(output);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(a_bin_holds_what_happened_in_it),
        TEST(all_links_may_be_asked_for),
        TEST(many_rows_and_links_reach_the_file),
        TEST(automatic_bins_merge_in_pairs),
        TEST(links_are_split_as_they_go),
        TEST(links_are_split_in_merged_bins),
        TEST(automatic_bins_are_written_anew),
        TEST(a_killed_run_leaves_its_bins),
        TEST(everything_has_scales_and_units),
        TEST(what_came_out_is_in_tables),
        TEST(it_opens_as_netcdf),
        TEST(an_empty_run_is_a_file_too),
        TEST(wrong_values_are_refused),
        TEST(none_writes_nothing),
        TEST(an_unwritable_place_is_a_wrong_argument),
        TEST(a_full_disk_ends_the_run),
        TEST(a_full_disk_at_the_start_is_a_wrong_argument),
        TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
