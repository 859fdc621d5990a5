/* The table of a study, to the letter: units, digits, changes, what failed,
 * what has no figure, and the order of its rows; in three dialects. */
#include "tests/study/compare/planned.h"

#include "core/memory.h"

#define JSON(fct, marks)                                                       \
    "{\"partial\": false, \"flows\": {\"fct_ns\": {\"mean\": " fct "}}, "      \
    "\"counters\": {\"ecn_marks\": " marks "}}"

#define UNITS(bytes, rate, share)                                              \
    "{\"partial\": false, \"flows\": {\"throughput_bps\": {\"mean\": " rate    \
    "}}, \"counters\": {\"bytes_sent\": " bytes ", \"packets_sent\": 200, "    \
    "\"packets_dropped\": 3}, \"links\": {\"mean_utilization\": " share "}}"

#define STUDY                                                                  \
    "title: none\n"                                                            \
    "compare:\n"                                                               \
    "  over: {way: {a: {title: a}, b_%: {title: b}, c: {title: c}, "           \
    "d: {title: d}}}\n"                                                        \
    "  measure: [flows.fct_ns.mean]\n"                                         \
    "  keep: false\n"

static const struct planned plan[] = {
    {"a", 1, JSON("1000", "0")},
    {"a", 2, JSON("1200", "0")},
    {"b", 1, JSON("2000000", "3")},
    {"b", 2, JSON("2100000", "5")},
    {"c", 1, NULL},
    {"c", 2, JSON("1100", "2.5")},
    {"u", 0, UNITS("1500000", "90000000000", "0.25")},
    {"v", 1, UNITS("1600000", "9e10", "0")},
    {"v", 2, UNITS("12", "9e10", "1.5")},
    {"v", 3, UNITS("1600", "9e10", "1e7")},
    {"d", 1, JSON("900.5", "0")},
    {"d", 2, JSON("1300.5", "0")},
};

/* All of a table is what it is. */
static void is_table(const char *text, struct orr_compare_options o,
                     enum orr_compare_style style, const char *want)
{
    struct runner r = {.plan = plan};
    struct orr_report why = {.code = ORR_OK};
    struct orr_compare *c = planned_study(text, o, text[0] == ' ' ? NULL : &r);
    char *made;
    assert_int_equal(orr__compare_table(c, style, &made, &why), ORR_OK);
    orr__compare_free(c);
    assert_string_equal(made, want);
    orr__free(made);
}

/* Halves are 12.706 times half the difference of two values; changes are paired
 * by seed. */
static void of_two_seeds(void **state)
{
    is_table(STUDY "  seeds: [1, 2]\n", (struct orr_compare_options){0},
             ORR_COMPARE_TEXT,
             "way  flows.fct_ns.mean              change\n"
             "a         1.1 ± 1.3 us                   =\n"
             "b_%     2.05 ± 0.64 ms        × 1864 ± 576\n"
             "c             1.100 us             -9.09 %  1 of 2 failed [1"
             "]\n"
             "d         1.1 ± 2.5 us  +0.05 ± 115.51 % ~\n"
             "\n"
             "4 combinations, 8 runs, 1 failed; mean and 95 % interval (St"
             "udent's t); one seed: no intervals\n"
             "change: against way=a, paired by seed; ~: not significant; t"
             "he 95 % interval includes 0\n"
             "[1] way=c, seed 1: it broke\n");
}

static void of_one_seed(void **state)
{
    is_table(STUDY "  seeds: [2]\n", (struct orr_compare_options){0},
             ORR_COMPARE_TEXT,
             "way  flows.fct_ns.mean   change\n"
             "a             1.200 us        =\n"
             "b_%           2.100 ms   × 1750\n"
             "c             1.100 us  -8.33 %\n"
             "d             1.300 us  +8.38 %\n"
             "\n"
             "4 combinations, 4 runs; one seed: no intervals\n"
             "change: against way=a, paired by seed\n");
}

/* Of a baseline of 0, with its difference. */
static void of_counts(void **state)
{
    static const char *const marks[] = {"counters.ecn_marks"};
    is_table(STUDY "  seeds: [1, 2]\n",
             (struct orr_compare_options){.measures = marks, .n_measures = 1},
             ORR_COMPARE_TEXT,
             "way  counters.ecn_marks     change\n"
             "a                 0 ± 0          =\n"
             "b_%              4 ± 13  +4 ± 13 ~\n"
             "c                 2.500     +2.500  1 of 2 failed [1]\n"
             "d                 0 ± 0          0\n"
             "\n"
             "4 combinations, 8 runs, 1 failed; mean and 95 % interval (St"
             "udent's t); one seed: no intervals\n"
             "change: against way=a, paired by seed; ~: not significant; t"
             "he 95 % interval includes 0\n"
             "[1] way=c, seed 1: it broke\n");
}

static void in_markdown(void **state)
{
    is_table(STUDY "  seeds: [1, 2]\n", (struct orr_compare_options){0},
             ORR_COMPARE_MARKDOWN,
             "| way | flows.fct\\_ns.mean (ms) | change |  |\n"
             "|---|--:|--:|--:|\n"
             "| a | 0.0011 ± 0.0013 | = |  |\n"
             "| b\\_% | 2.05 ± 0.64 | × 1864 ± 576 |  |\n"
             "| c | 0.001100 | -9.09 % | 1 of 2 failed [1] |\n"
             "| d | 0.0011 ± 0.0025 | +0.05 ± 115.51 % ~ |  |\n"
             "\n"
             "- 4 combinations, 8 runs, 1 failed; mean and 95 % interval ("
             "Student's t); one seed: no intervals\n"
             "- change: against way=a, paired by seed; ~: not significant;"
             " the 95 % interval includes 0\n"
             "- [1] way=c, seed 1: it broke\n");
}

static void in_latex(void **state)
{
    is_table(STUDY "  seeds: [1, 2]\n", (struct orr_compare_options){0},
             ORR_COMPARE_LATEX,
             "% \\usepackage{booktabs,siunitx}\n"
             "\\begin{tabular}{lS[separate-uncertainty]rl}\n"
             "\\toprule\n"
             "way & {mean completion time of flows (ms)} & change &  \\\\"
             "\n"
             "\\midrule\n"
             "a & 0.0011 \\pm 0.0013 & = &  \\\\\n"
             "b\\_\\% & 2.05 \\pm 0.64 & $\\times$ 1864 $\\pm$ 576 &  \\\\"
             "\n"
             "c & 0.001100 & $-$9.09 \\% & 1 of 2 failed [1] \\\\\n"
             "d & 0.0011 \\pm 0.0025 & +0.05 $\\pm$ 115.51 \\% $\\sim$ &  "
             "\\\\\n"
             "\\bottomrule\n"
             "\\end{tabular}\n"
             "% 4 combinations, 8 runs, 1 failed; mean and 95 % interval ("
             "Student's t); one seed: no intervals\n"
             "% change: against way=a, paired by seed; ~: not significant;"
             " the 95 % interval includes 0\n"
             "% [1] way=c, seed 1: it broke\n");
}

/* Before any run. */
static void of_what_is_missing(void **state)
{
    is_table(" \n" STUDY "  seeds: [1, 2]\n", (struct orr_compare_options){0},
             ORR_COMPARE_TEXT,
             "way  flows.fct_ns.mean  change\n"
             "a                    -       =  missing\n"
             "b_%                  -       -  missing\n"
             "c                    -       -  missing\n"
             "d                    -       -  missing\n"
             "\n"
             "4 combinations, 8 runs, 8 missing; mean and 95 % interval (S"
             "tudent's t)\n"
             "change: against way=a, paired by seed\n");
}

/* What has no value comes last, either way; equals as they are. */
static void sorted_by_a_measure(void **state)
{
    is_table(STUDY "  seeds: 1\n  baseline: none\n",
             (struct orr_compare_options){.sort = "flows.fct_ns.mean"},
             ORR_COMPARE_TEXT,
             "way  flows.fct_ns.mean\n"
             "d             900.5 ns\n"
             "a                 1 us\n"
             "b_%               2 ms\n"
             "c                    -  failed [1]\n"
             "\n"
             "4 combinations, 4 runs, 1 failed; one seed: no intervals\n"
             "[1] way=c, seed 1: it broke\n");
    is_table(STUDY "  seeds: 1\n  baseline: none\n",
             (struct orr_compare_options){.sort = "-flows.fct_ns.mean"},
             ORR_COMPARE_TEXT,
             "way  flows.fct_ns.mean\n"
             "b_%               2 ms\n"
             "a                 1 us\n"
             "d             900.5 ns\n"
             "c                    -  failed [1]\n"
             "\n"
             "4 combinations, 4 runs, 1 failed; one seed: no intervals\n"
             "[1] way=c, seed 1: it broke\n");
}

static void sorted_by_a_dimension(void **state)
{
    is_table(STUDY "  seeds: 1\n  baseline: none\n",
             (struct orr_compare_options){.sort = "-way"}, ORR_COMPARE_TEXT,
             "way  flows.fct_ns.mean\n"
             "d             900.5 ns\n"
             "c                    -  failed [1]\n"
             "b_%               2 ms\n"
             "a                 1 us\n"
             "\n"
             "4 combinations, 4 runs, 1 failed; one seed: no intervals\n"
             "[1] way=c, seed 1: it broke\n");
}

/* Bytes, rates and shares; a run's own interval; losses; what no run has. */
static void with_units_doubt_and_a_claim(void **state)
{
    static const char study[] =
        "title: none\n"
        "compare:\n"
        "  over: {way: {u: {title: u}, v: {title: v}}}\n"
        "  measure: [counters.bytes_sent, flows.throughput_bps.mean, "
        "links.mean_utilization, flows.fct_ns.p99]\n"
        "  baseline: none\n"
        "  keep: false\n"
        "  seeds: [1, 2, 3]\n"
        "  until: {interval: 5%, measure: counters.bytes_sent, most: 3}\n"
        "  claim: |\n    one\n    two\n";
    is_table(study, (struct orr_compare_options){0}, ORR_COMPARE_TEXT,
             "way  counters.bytes_sent  flows.throughput_bps.mean  links.m"
             "ean_utilization  flows.fct_ns.p99  doubt\n"
             "u           1.500 ± 0 MB                90 ± 0 Gbps         "
             "     0.2500 ± 0                 -      L\n"
             "v          534 ± 2294 KB                90 ± 0 Gbps      333"
             "3334 ± 14342175                 -      L\n"
             "\n"
             "2 combinations, 6 runs; mean and 95 % interval (Student's t)\n"
             "L: 1.5 % of packets lost (way=u, seed 1; in 3 of 3 runs); 1."
             "5 % of packets lost (way=v, seed 1; in 3 of 3 runs)\n"
             "flows.fct_ns.p99: no run has this figure\n"
             "until 5%: not reached: way=v, counters.bytes_sent: 430 % of "
             "the mean with 3 seeds, the most there may be\n"
             "claim: one\n"
             "two\n");
    is_table(study, (struct orr_compare_options){0}, ORR_COMPARE_LATEX,
             "% \\usepackage{booktabs,siunitx}\n"
             "\\begin{tabular}{lS[separate-uncertainty]S[separate-uncertai"
             "nty]S[separate-uncertainty]S[separate-uncertainty]r}\n"
             "\\toprule\n"
             "way & {bytes sent (MB)} & {mean throughput of flows (Gbps)} "
             "& {mean utilization of links} & {p99 completion time of flow"
             "s} & doubt \\\\\n"
             "\\midrule\n"
             "u & 1.500 \\pm 0 & 90 \\pm 0 & 0.2500 \\pm 0 & {-} & L \\\\"
             "\n"
             "v & 0.5 \\pm 2.3 & 90 \\pm 0 & 3333334 \\pm 14342175 & {-} &"
             " L \\\\\n"
             "\\midrule\n"
             "\\multicolumn{6}{p{\\linewidth}}{\\footnotesize L: 1.5 \\% o"
             "f packets lost (way=u, seed 1; in 3 of 3 runs); 1.5 \\% of p"
             "ackets lost (way=v, seed 1; in 3 of 3 runs)} \\\\\n"
             "\\bottomrule\n"
             "\\end{tabular}\n"
             "% 2 combinations, 6 runs; mean and 95 % interval (Student's "
             "t)\n"
             "% flows.fct_ns.p99: no run has this figure\n"
             "% until 5%: not reached: way=v, counters.bytes_sent: 430 % o"
             "f the mean with 3 seeds, the most there may be\n"
             "% claim: one\n"
             "% two\n");
}

/* Columns behind a cell that is empty stand where they stand. */
static void empty_cells_are_as_wide_as_others(void **state)
{
    is_table("title: none\n"
             "compare:\n"
             "  over: {way: {u: {title: u}, c: {title: c}}}\n"
             "  measure: [counters.bytes_sent]\n"
             "  seeds: [1, 2]\n"
             "  keep: false\n",
             (struct orr_compare_options){0}, ORR_COMPARE_TEXT,
             "way  counters.bytes_sent  change  doubt\n"
             "u           1.500 ± 0 MB       =      L\n"
             "c                      -       -         1 of 2 failed [1]\n"
             "\n"
             "2 combinations, 4 runs, 1 failed; mean and 95 % interval (St"
             "udent's t)\n"
             "change: against way=u, paired by seed\n"
             "L: 1.5 % of packets lost (way=u, seed 1; in 2 of 2 runs)\n"
             "[1] way=c, seed 1: it broke\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_seeds),
        cmocka_unit_test(of_one_seed),
        cmocka_unit_test(of_counts),
        cmocka_unit_test(in_markdown),
        cmocka_unit_test(in_latex),
        cmocka_unit_test(of_what_is_missing),
        cmocka_unit_test(sorted_by_a_measure),
        cmocka_unit_test(sorted_by_a_dimension),
        cmocka_unit_test(with_units_doubt_and_a_claim),
        cmocka_unit_test(empty_cells_are_as_wide_as_others),
    };
    return cmocka_run_group_tests(tests, planned_enter, planned_leave);
}
