/* Flows: what is read, what is generated, and when they finish. */
#include "tests/workload/small_workload.h"

#include "core/random.h"
#include "core/units.h"
#include "tests/refused.h"
#include "workload/flow/build.h"

static orr_err read_flows(struct orr_world *w, const char *text,
                          struct orr_report *why)
{
    char yaml[2048];
    snprintf(yaml, sizeof yaml, FAT_TREE "flows: %s\n", text);
    world_open(w, yaml);
    return orr__flows_read(w, world_node(w, "flows"), why);
}

/* A world with these flows; whatever is wrong fails the test. */
static void opened(struct orr_world *w, const char *text)
{
    struct orr_report why = {0};
    if (read_flows(w, text, &why) != ORR_OK)
        fail_msg("%s: %s", text, why.message);
}

static void assert_flow(const struct orr_flow *f, uint32_t src, uint32_t dst,
                        uint64_t bytes, int64_t start)
{
    assert_int_equal(f->src, src);
    assert_int_equal(f->dst, dst);
    assert_int_equal(f->bytes, bytes);
    assert_int_equal(f->start_ps, start);
    assert_int_equal(f->finish_ps, -1);
}

/* ---- reading ----------------------------------------------------------- */

static void a_list_is_read_in_its_order(void **state)
{
    struct orr_world w;
    opened(&w, "[{src: 3, dst: 1, size: 1MB, start: 2us},"
               " {src: 3, dst: 0, size: 0B}]");
    assert_int_equal(w.flows->count, 2);
    assert_flow(&w.flows->flow[0], 3, 1, 1000000, 2 * ORR_US);
    assert_flow(&w.flows->flow[1], 3, 0, 0, 0);
    world_close(&w);
    opened(&w, "{src: 1, dst: 2, size: 5B}"); /* one, without a list */
    assert_int_equal(w.flows->count, 1);
    world_close(&w);
    opened(&w, "[]");
    assert_null(w.flows);
    world_close(&w);
}

static void wrong_flows_say_why(void **state)
{
    static const struct {
        const char *flows, *message, *hint;
    } cases[] = {
        {"[{src: 0, dst: 16, size: 1MB}]",
         "host 16 does not exist: hosts are 0 to 15", ""},
        {"[{src: 5, dst: 5, size: 1MB}]",
         "a flow from host 5 to itself uses no network", ""},
        {"[{src: 0, dst: 1, size: 100TB}]",
         "a flow of 100 TB is more than 2^31 packets (8.796 TB)", ""},
        {"[7]", "a flow is a map", "for example {src: 0, dst: 1, size: 1MB}"},
        {"many", "flows are a list",
         "for example [{src: 0, dst: 1, size: 1MB}]"},
        {"[{src: 0, dts: 1, size: 1MB}]", NULL, "did you mean \"dst\"?"},
        {"[{generate: permutaton, size: 1MB}]",
         "no generator of flows is called \"permutaton\"",
         "did you mean \"permutation\"?"},
        {"[{generate: permutation, size: {min: 2MB, max: 1MB}}]",
         "min is larger than max", ""},
        {"[{generate: permutation, size: websaerch}]",
         "no distribution of sizes is called \"websaerch\"",
         "did you mean \"websearch\"?"},
        {"[{generate: permutation, size: pareto}]",
         "\"pareto\" has parameters: write {kind: pareto, ...}", ""},
        {"[{generate: permutation, size: {kind: cdf, points: [[1KB, 0.5]]}}]",
         "the last share must be 1", ""},
        {"[{generate: permutation, size: {kind: cdf, "
         "points: [[2KB, 0.5], [1KB, 1]]}}]",
         "sizes and shares must not go down", ""},
        {"[{generate: permutation, size: {kind: cdf}}]",
         "a cumulative distribution has either `cdf` (a file) or `points`", ""},
        {"[{generate: permutation, size: {cdf: a.txt, points: [[1B, 1]]}}]",
         "a cumulative distribution has either `cdf` (a file) or `points`", ""},
        {"[{generate: permutation, size: {cdf: /nosuch.txt}}]",
         "/nosuch.txt: No such file or directory", ""},
        {"[{generate: permutation, size: 1MB, hosts: 1}]",
         "a permutation needs two hosts or more", ""},
        {"[{generate: permutation, size: 1MB, hosts: [1, 2, 1]}]",
         "host 1 is listed twice", ""},
        {"[{generate: incast, dst: 3, senders: [2, 3], size: 1MB}]",
         "dst cannot send to itself", ""},
        {"[{generate: incast, dst: 3, hosts: [3], size: 1MB}]",
         "an incast needs two hosts or more", ""},
        {"[{generate: incast, dst: 3, senders: 16, size: 1MB}]",
         "16 hosts are asked for, of 15", ""},
        {"[{generate: poisson, size: 1MB, count: 5}]",
         "poisson flows need either load or interval", ""},
        {"[{generate: poisson, size: 1MB, load: 0.5, count: 5, "
         "duration: 1us}]",
         "poisson flows need either count or duration: for example duration: "
         "10ms",
         ""},
        {"[{generate: incasts, fan_in: 3, size: 1MB, load: 0.5}]",
         "incasts need either count or duration: for example duration: 10ms",
         ""},
        {"[{generate: incasts, fan_in: 16, size: 1MB, load: 0.5, count: 5}]",
         "these are more hosts than take part", ""},
        {"[{generate: incasts, fan_in: 2, size: 1MB, load: 0.5, count: 5, "
         "hosts: [4, 5, 6], dst: 3}]",
         "dst is none of `hosts`", ""},
        {"[{generate: requests, size: 1MB, count: 5}]",
         "requests need either load or interval", ""},
        {"[{generate: poisson, size: 0B, load: 0.5, count: 5}]",
         "flows of this size make no such load", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_world w;
        struct orr_report why = {0};
        orr_err err = read_flows(&w, cases[i].flows, &why);
        assert_refused(
            err, &why,
            (struct refused){i, cases[i].message, cases[i].hint, 2, 0});
        assert_true(why.col > 0);
        world_close(&w);
    }
}

/* A generator that would never end is stopped by what memory there is. */
static void endless_flows_are_an_error(void **state)
{
    struct orr_world w;
    struct orr_report why = {0};
    struct orr_flow_list l = {.world = &w};
    world_open(&w, FAT_TREE);
    l.count = l.capacity = 1u << 30; /* 300 GB more would be needed */
    assert_int_equal(orr__flow_list_add(&l, 0, 1, 1, 0, &why), ORR_ENOMEM);
    assert_non_null(strstr(why.message, "more than 1073741824 flows"));
    world_close(&w);
}

/* ---- from a file ------------------------------------------------------- */

static orr_err from_file(struct orr_world *w, const char *text,
                         const char *more, struct orr_report *why)
{
    char path[] = "/tmp/orrery-test-XXXXXX", entry[128];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    snprintf(entry, sizeof entry, "[{file: %s%s}]", path, more);
    orr_err err = read_flows(w, entry, why);
    unlink(path);
    return err;
}

static void a_file_lists_flows(void **state)
{
    struct orr_world w;
    struct orr_report why = {0};
    assert_int_equal(from_file(&w,
                               "# src dst bytes start\n"
                               "0 10 2840258\n"
                               "\n"
                               "  1\t13 1MiB 3us # late\r\n"
                               "2 3 7",
                               ", start: 1us", &why),
                     ORR_OK);
    assert_int_equal(w.flows->count, 3);
    assert_flow(&w.flows->flow[0], 0, 10, 2840258, ORR_US);
    assert_flow(&w.flows->flow[1], 1, 13, 1048576, 4 * ORR_US);
    assert_flow(&w.flows->flow[2], 2, 3, 7, ORR_US);
    world_close(&w);
}

static void wrong_lines_say_where(void **state)
{
    static const struct {
        const char *text, *message;
        int line, col;
    } cases[] = {
        {"0 1 5\n0 16 5\n", "host 16 does not exist: hosts are 0 to 15", 2, 3},
        {"0 1\n", "a line is `src dst bytes [start]`", 1, 4},
        {"0 1 5 1us 7\n", "a line is `src dst bytes [start]`", 1, 11},
        {"x 1 5\n",
         "a host is named by its number, or by a name that it "
         "has in the topology",
         1, 1},
        {"0 1 5 10\n", NULL, 1, 7},
        {"0 1 -5\n", NULL, 1, 5},
        {"4 4 5\n", "a flow from a host to itself uses no network", 1, 3},
        {"0 1 9999999999999999\n",
         "a flow of 10000 TB is more than 2^31 packets (8.796 TB)", 1, 5},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_world w;
        struct orr_report why = {0};
        orr_err err = from_file(&w, cases[i].text, "", &why);
        assert_refused(err, &why,
                       (struct refused){i, cases[i].message, NULL,
                                        cases[i].line, cases[i].col});
        assert_true(why.excerpt[0]);
        world_close(&w);
    }
}

static void a_missing_file_is_told_at_its_name(void **state)
{
    struct orr_world w;
    struct orr_report why = {0};
    assert_int_equal(read_flows(&w, "[{file: nosuch.txt}]", &why), ORR_ECONFIG);
    assert_string_equal(why.message, "cannot read nosuch.txt: No such file "
                                     "or directory");
    assert_int_equal(why.line, 2);
    assert_int_equal(why.col, 16);
    world_close(&w);
}

/* ---- generators -------------------------------------------------------- */

static void a_permutation_has_no_fixed_point(void **state)
{
    for (int seed = 0; seed < 50; seed++) {
        struct orr_world w;
        char text[128];
        uint32_t to = 0;
        snprintf(text, sizeof text,
                 "[{generate: permutation, size: 1KB, seed: %d}]", seed);
        opened(&w, text);
        assert_int_equal(w.flows->count, 16);
        for (uint32_t i = 0; i < 16; i++) {
            assert_int_equal(w.flows->flow[i].src, i);
            assert_true(w.flows->flow[i].dst != i);
            assert_int_equal(w.flows->flow[i].bytes, 1000);
            to |= 1u << w.flows->flow[i].dst;
        }
        assert_int_equal(to, 0xffff);
        world_close(&w);
    }
}

/* The streams are apart: other sizes, the same pairs; another entry before it
 * or another seed gives others; the same text gives the same. */
static void generators_depend_on_what_names_them(void **state)
{
    static const char *const same[] = {
        "[{generate: permutation, size: 1KB}]",
        "[{generate: permutation, size: {min: 1MB, max: 4MB}}]",
    };
    static const char *const other[] = {
        "[{generate: permutation, size: 1KB, seed: 9}]",
        "[{src: 0, dst: 1, size: 1KB}, {generate: permutation, size: 1KB}]",
    };
    uint32_t dst[16];
    struct orr_world w;
    opened(&w, same[0]);
    for (int i = 0; i < 16; i++)
        dst[i] = w.flows->flow[i].dst;
    world_close(&w);
    for (size_t c = 0; c < 4; c++) {
        opened(&w, c < 2 ? same[c] : other[c - 2]);
        uint32_t first = w.flows->count - 16, equal = 0;
        for (uint32_t i = 0; i < 16; i++)
            equal += w.flows->flow[first + i].dst == dst[i];
        if (c < 2)
            assert_int_equal(equal, 16);
        else
            assert_in_range(equal, 0, 15);
        world_close(&w);
    }
}

static void an_incast_comes_from_all_or_some(void **state)
{
    struct orr_world w;
    opened(&w, "[{generate: incast, dst: 2, senders: 3, size: 1KB, repeat: 2,"
               " period: 10us, start: 1us}]");
    static const uint32_t from[] = {0, 1, 3, 0, 1, 3};
    assert_int_equal(w.flows->count, 6);
    for (int i = 0; i < 6; i++)
        assert_flow(&w.flows->flow[i], from[i], 2, 1000,
                    (i < 3 ? 1 : 11) * ORR_US);
    world_close(&w);
    opened(&w, "[{generate: incast, dst: 15, size: 1KB, jitter: 5us}]");
    assert_int_equal(w.flows->count, 15);
    int64_t least = ORR_NEVER, most = 0;
    for (int i = 0; i < 15; i++) {
        int64_t at = w.flows->flow[i].start_ps;
        assert_in_range(at, 0, 5 * ORR_US - 1);
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    assert_true(least < most);
    world_close(&w);
    opened(&w, "[{generate: incast, dst: 1, senders: [4, 3], size: 1KB}]");
    assert_flow(&w.flows->flow[0], 4, 1, 1000, 0);
    assert_flow(&w.flows->flow[1], 3, 1, 1000, 0);
    world_close(&w);
    opened(&w, "[{generate: incast, dst: 1, hosts: 3, size: 1KB}]");
    assert_int_equal(w.flows->count, 2);
    assert_flow(&w.flows->flow[0], 0, 1, 1000, 0);
    assert_flow(&w.flows->flow[1], 2, 1, 1000, 0);
    world_close(&w);
    opened(&w, "[{generate: incast, dst: 1, hosts: [9, 1, 4], size: 1KB}]");
    assert_int_equal(w.flows->count, 2);
    assert_flow(&w.flows->flow[0], 9, 1, 1000, 0);
    assert_flow(&w.flows->flow[1], 4, 1, 1000, 0);
    world_close(&w);
}

/* 20,000 arrivals: mean gap within 4 sigma (0.7 %), whole nanoseconds, all
 * hosts about as often. */
static void poisson_arrivals_are_poisson(void **state)
{
    struct orr_world w;
    opened(&w, "[{generate: poisson, size: 1KB, interval: 1us, "
               "count: 20000}]");
    const struct orr_flow *f = w.flows->flow;
    uint32_t sent[16] = {0}, got[16] = {0}, long_gaps = 0;
    assert_int_equal(w.flows->count, 20000);
    for (int i = 0; i < 20000; i++) {
        int64_t gap = f[i].start_ps - (i ? f[i - 1].start_ps : 0);
        assert_true(gap >= 0);
        assert_int_equal(gap % ORR_NS, 0);
        assert_true(f[i].src != f[i].dst);
        long_gaps += gap > ORR_US;
        sent[f[i].src]++;
        got[f[i].dst]++;
    }
    assert_in_range(f[19999].start_ps / ORR_US, 19440, 20560);
    /* a share of 1/e exceeds the mean: 7,358 with sigma 68 */
    assert_in_range(long_gaps, 7058, 7658);
    for (int h = 0; h < 16; h++) {
        assert_in_range(sent[h], 1100, 1400); /* 1,250, sigma 34 */
        assert_in_range(got[h], 1100, 1400);
    }
    world_close(&w);
}

/* load 0.8 of one host's 100 Gbps with 1 MB: a flow every 100 us; of all 16:
 * every 6.25 us. */
static void a_load_is_a_share_of_the_senders_links(void **state)
{
    static const struct {
        const char *from;
        int64_t interval_ns;
    } cases[] = {{"src: 3, ", 100000}, {"", 6250}, {"hosts: 8, ", 12500}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_world w;
        char text[160];
        snprintf(text, sizeof text,
                 "[{generate: poisson, size: 1MB, load: 0.8, %scount: 10000}]",
                 cases[i].from);
        opened(&w, text);
        double mean = (double)w.flows->flow[9999].start_ps / 1e3 / 10000;
        assert_in_range((uint64_t)(mean * 1e4 / (double)cases[i].interval_ns),
                        9600, 10400);
        world_close(&w);
    }
}

static void a_duration_ends_the_arrivals(void **state)
{
    struct orr_world w;
    opened(&w, "[{generate: poisson, size: 1KB, interval: 1us, start: 5us, "
               "duration: 1ms, src: 0, dst: 1}]");
    assert_in_range(w.flows->count, 870, 1130); /* 1,000, sigma 32 */
    for (uint32_t i = 0; i < w.flows->count; i++) {
        assert_in_range(w.flows->flow[i].start_ps, 5 * ORR_US,
                        1005 * ORR_US - 1);
        assert_int_equal(w.flows->flow[i].src, 0);
        assert_int_equal(w.flows->flow[i].dst, 1);
    }
    world_close(&w);
}

/* ---- sizes ------------------------------------------------------------- */

static void sizes_have_their_means(void **state)
{
    static const struct {
        const char *size;
        double mean, tolerance; /* of 40,000 draws, relative */
        uint64_t min, max;
    } cases[] = {
        {"1MB", 1e6, 0, 1000000, 1000000},
        {"{min: 1MB, max: 4MB}", 2.5e6, 0.01, 1000000, 4000000},
        {"{kind: uniform, min: 1B, max: 2B}", 1.5, 0.02, 1, 2},
        {"{kind: exponential, mean: 1MB}", 1e6, 0.02, 1, UINT64_MAX},
        {"{kind: lognormal, mean: 1MB, sigma: 0.5}", 1e6, 0.02, 1, UINT64_MAX},
        {"{kind: pareto, mean: 1MB, shape: 3}", 1e6, 0.02, 666666, UINT64_MAX},
        {"{kind: cdf, points: [[10KB, 0.5], [10KB, 0.5], [30KB, 1]]}", 15e3,
         0.01, 10000, 30000},
        {"{kind: cdf, points: [[7B, 1]]}", 7, 0, 7, 7},
        {"websearch", 1.712e6, 0.05, 10000, 30000000},
        {"datamining", 7.47e6, 0.25, 1460, 973333820},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_world w;
        struct orr_report why = {0};
        struct orr_sizes s;
        struct orr_random r;
        gsl_rng g = {.type = orr__random_gsl_type(), .state = &r};
        char yaml[256];
        double sum = 0;
        snprintf(yaml, sizeof yaml, FAT_TREE "size: %s\n", cases[i].size);
        world_open(&w, yaml);
        if (orr__sizes_read(&w, world_node(&w, "size"), &s, &why) != ORR_OK)
            fail_msg("%s: %s", cases[i].size, why.message);
        orr__random_init(&r, 1, 0, ORR_PURPOSE_TEST);
        for (int n = 0; n < 40000; n++) {
            uint64_t bytes = orr__sizes_draw(&s, &g);
            assert_true(bytes >= cases[i].min && bytes <= cases[i].max);
            sum += (double)bytes;
        }
        double expected = orr__sizes_mean(&s);
        assert_true(expected > 0.99 * cases[i].mean
                    && expected < 1.01 * cases[i].mean);
        double off = sum / 40000 / expected - 1;
        if (off > cases[i].tolerance || off < -cases[i].tolerance)
            fail_msg("%s: mean off by %g", cases[i].size, off);
        orr__sizes_fini(&s);
        world_close(&w);
    }
}

/* A file of these bytes as a distribution. */
static orr_err read_cdf_of(const char *text, size_t bytes,
                           struct orr_size_point **p, size_t *n,
                           struct orr_report *why)
{
    char path[] = "/tmp/orrery-test-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, text, bytes), (ssize_t)bytes);
    close(fd);
    *why = (struct orr_report){0};
    orr_err err = orr__cdf_read(NULL, NULL, path, p, n, why);
    unlink(path);
    return err;
}

static orr_err read_cdf(const char *text, struct orr_size_point **p, size_t *n,
                        struct orr_report *why)
{
    return read_cdf_of(text, strlen(text), p, n, why);
}

static void a_cdf_file_holds_points(void **state)
{
    static const char *const same[] = {
        "0 0\n1000 0.25\n3000 1\n",
        "# bytes percent\n\n 0 0 \r\n1KB\t25 # a quarter\n3e3 100",
        "0 0.0\n1000.4 0.25\n3000 1.000\n   \n",
    };
    struct orr_size_point *p;
    struct orr_report why;
    size_t n;
    for (size_t i = 0; i < COUNT(same); i++) {
        if (read_cdf(same[i], &p, &n, &why) != ORR_OK)
            fail_msg("%s", why.message);
        assert_int_equal(n, 3);
        assert_true(p[0].bytes == 0 && p[1].bytes == 1000
                    && p[2].bytes == 3000);
        assert_true(p[0].share == 0 && p[1].share == .25 && p[2].share == 1);
        orr__free(p);
    }
}

static void a_wrong_cdf_file_says_where(void **state)
{
    static const struct {
        const char *text, *message;
        int line, col;
    } cases[] = {
        {"", "there are no lines `bytes probability`", 1, 1},
        {"# nothing\n", "there are no lines `bytes probability`", 2, 1},
        {"0 0\n10 0.9\n", "the last probability must be 1", 2, 1},
        {"0 0\n10 50\n", "the last probability must be 1", 2, 1},
        {"0 0\n  10 0.5\n  9 1\n", "must not go down", 3, 3},
        {"0 0.5\n10 0.4\n", "must not go down", 2, 1},
        {"0 0\n10\n", "a line is `bytes probability`", 2, 3},
        {"0 0 0\n", "a line is `bytes probability`", 1, 6},
        {"x 1\n", "a number of bytes", 1, 1},
        {"-5 1\n", "between 0 and 1e18", 1, 1},
        {"1e30 1\n", "between 0 and 1e18", 1, 1},
        {"10 y\n", "a probability is expected", 1, 4},
        {"10 nan\n", "a probability is expected", 1, 4},
        {"10 101\n", "a probability lies between", 1, 4},
        {"10 -1\n", "a probability lies between", 1, 4},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_size_point *p;
        struct orr_report why;
        size_t n;
        assert_int_equal(read_cdf(cases[i].text, &p, &n, &why), ORR_ECONFIG);
        if (!strstr(why.message, cases[i].message))
            fail_msg("%zu: %s", i, why.message);
        if (why.line != cases[i].line || why.col != cases[i].col)
            fail_msg("%zu: at %d:%d", i, why.line, why.col);
        assert_null(p);
    }
}

/* Lines may be of any length; numbers may not, and no text has zero bytes. */
static void lines_of_a_cdf_file_may_be_long(void **state)
{
    static const char zero[] = "0 0\n10 \0 0.5\n";
    char line[400];
    memset(line, '1', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    struct orr_size_point *p;
    struct orr_report why;
    size_t n;
    assert_int_equal(read_cdf(line, &p, &n, &why), ORR_ECONFIG);
    assert_non_null(strstr(why.message, "between 0 and 1e18"));
    line[0] = '#';
    memcpy(line + sizeof line - 11, "\n0 0\n10 1\n", 11);
    assert_int_equal(read_cdf(line, &p, &n, &why), ORR_OK);
    assert_int_equal(n, 2);
    orr__free(p);
    assert_int_equal(read_cdf_of(zero, sizeof zero - 1, &p, &n, &why),
                     ORR_ECONFIG);
    assert_non_null(strstr(why.message, "zero byte"));
    assert_true(why.line == 2 && why.col == 4);
}

/* Sizes of a file are drawn as those of the same points; the quarters of the
 * draws lie where linear interpolation puts them. */
static void a_cdf_file_is_drawn_linearly(void **state)
{
    char path[] = "/tmp/orrery-test-XXXXXX", yaml[600];
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "1000 0\n2000 50\n10000 100\n", 25), 25);
    close(fd);
    snprintf(yaml, sizeof yaml,
             FAT_TREE
             "flows:\n"
             "  - {generate: poisson, interval: 1us, count: 20000, seed: 5,"
             " size: {cdf: %s}}\n"
             "  - {generate: poisson, interval: 1us, count: 20000, seed: 5,"
             " size: {kind: cdf, points: [[1000B, 0], [2000B, 0.5],"
             " [10000B, 1]]}}\n",
             path);
    struct orr_world w;
    struct orr_report why = {0};
    world_open(&w, yaml);
    if (orr__flows_read(&w, world_node(&w, "flows"), &why) != ORR_OK)
        fail_msg("%s", why.message);
    static const uint64_t limit[] = {1500, 2000, 6000, 10001};
    uint32_t below[COUNT(limit)] = {0};
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t bytes = w.flows->flow[i].bytes;
        assert_int_equal(bytes, w.flows->flow[20000 + i].bytes);
        for (size_t k = 0; k < COUNT(limit); k++)
            below[k] += bytes < limit[k];
    }
    for (size_t k = 0; k < COUNT(limit); k++) /* sigma 61 */
        assert_in_range(below[k], (k + 1) * 5000 - 250, (k + 1) * 5000 + 250);
    world_close(&w);
    unlink(path);
}

/* ---- running ----------------------------------------------------------- */

/* Over a switch of 8 Gbps and 1 us, one packet of 1,000 B and its ACK of 64 B
 * need 2 (1 + 1) + 2 (0.064 + 1) us. */
static void a_flow_ends_with_its_last_ack(void **state)
{
    orr_experiment *x = experiment_run(
        SWITCH "flows: [{src: 0, dst: 1, size: 1KB, start: 3us}]\n", 1);
    const struct orr_flow *f = orr__experiment_world(x)->flows->flow;
    assert_int_equal(f->finish_ps, 3000000 + 4000000 + 2128000);
    assert_int_equal(f->done_ps, 3000000 + 4000000);
    assert_int_equal(f->ideal_ps, 4000000 + 2128000);
    assert_int_equal(f->retransmissions, 0);
    orr_experiment_free(x);
}

static void a_datagram_ends_with_its_last_arrival(void **state)
{
    orr_experiment *x =
        experiment_run(SWITCH "network: {transport: datagram}\n"
                              "flows: [{src: 0, dst: 1, size: 1KB}]\n",
                       1);
    const struct orr_flow *f = orr__experiment_world(x)->flows->flow;
    assert_int_equal(f->finish_ps, 4000000);
    assert_int_equal(f->done_ps, 4000000);
    assert_int_equal(f->ideal_ps, 4000000);
    orr_experiment_free(x);
}

/* Whatever their order in the list, flows of one host start when they should;
 * those of one time in the order of the list. */
static void starts_need_not_be_in_order(void **state)
{
    orr_experiment *x =
        experiment_run(SWITCH "flows:\n"
                              "  - {src: 0, dst: 1, size: 1KB, start: 50us}\n"
                              "  - {src: 2, dst: 1, size: 1KB, start: 90us}\n"
                              "  - {src: 0, dst: 3, size: 1KB, start: 0s}\n"
                              "  - {src: 0, dst: 2, size: 1KB, start: 50us}\n",
                       2);
    const struct orr_flow *f = orr__experiment_world(x)->flows->flow;
    assert_int_equal(f[0].finish_ps - f[0].start_ps, 6128000);
    assert_int_equal(f[1].finish_ps - f[1].start_ps, 6128000);
    assert_int_equal(f[2].finish_ps - f[2].start_ps, 6128000);
    assert_int_equal(f[3].finish_ps - f[3].start_ps, 7128000);
    orr_experiment_free(x);
}

/* Twenty datagrams at once for a queue of four. */
static void dropped_datagrams_are_accounted_for(void **state)
{
    struct orr_report why = {0};
    struct orr_options o = {.no_output = true};
    orr_experiment *x;
    assert_int_equal(
        experiment_load(
            SWITCH "network: {transport: datagram, mtu: 1000B, queue: {kind: "
                   "droptail, capacity: 4KB}}\n"
                   "flows: [{generate: incast, dst: 0, size: 20KB}]\n",
            &o, &x, &why),
        ORR_OK);
    assert_int_equal(orr_experiment_run(x, &why), ORR_ERUN);
    assert_non_null(strstr(why.message, "of 3 flows did not finish: flow "));
    assert_string_equal(why.hint,
                        "datagrams that are dropped are not sent again");
    orr_experiment_free(x);
}

static void every_allocation_may_fail(void **state)
{
    for (uint64_t n = 1;; n++) {
        struct orr_world w;
        struct orr_report why = {0};
        world_open(&w, FAT_TREE
                   "flows: [{generate: poisson, interval: 1us, count: 500, "
                   "size: {kind: cdf, points: [[1KB, 1]]}}, "
                   "{generate: permutation, size: 1KB}, "
                   "{generate: incast, dst: 0, size: 1KB}]\n");
        orr__memory_fail_after(n, 0);
        orr_err err = orr__flows_read(&w, world_node(&w, "flows"), &why);
        orr__memory_fail_after(0, 0);
        world_close(&w);
        if (err == ORR_OK) {
            assert_true(n > 10);
            break;
        }
        assert_int_equal(err, ORR_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read_in_its_order),
        cmocka_unit_test(wrong_flows_say_why),
        cmocka_unit_test(endless_flows_are_an_error),
        cmocka_unit_test(a_file_lists_flows),
        cmocka_unit_test(wrong_lines_say_where),
        cmocka_unit_test(a_missing_file_is_told_at_its_name),
        cmocka_unit_test(a_permutation_has_no_fixed_point),
        cmocka_unit_test(generators_depend_on_what_names_them),
        cmocka_unit_test(an_incast_comes_from_all_or_some),
        cmocka_unit_test(poisson_arrivals_are_poisson),
        cmocka_unit_test(a_load_is_a_share_of_the_senders_links),
        cmocka_unit_test(a_duration_ends_the_arrivals),
        cmocka_unit_test(sizes_have_their_means),
        cmocka_unit_test(a_cdf_file_holds_points),
        cmocka_unit_test(a_wrong_cdf_file_says_where),
        cmocka_unit_test(lines_of_a_cdf_file_may_be_long),
        cmocka_unit_test(a_cdf_file_is_drawn_linearly),
        cmocka_unit_test(a_flow_ends_with_its_last_ack),
        cmocka_unit_test(a_datagram_ends_with_its_last_arrival),
        cmocka_unit_test(starts_need_not_be_in_order),
        cmocka_unit_test(dropped_datagrams_are_accounted_for),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
