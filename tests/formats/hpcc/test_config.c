#include "formats/hpcc/config.h"
#include "tests/refused.h"
#include "tests/workload/small_workload.h"

static orr_err read_text(const char *text, struct orr_hpcc_config *c,
                         struct orr_report *why)
{
    struct orr_scan s;
    *why = (struct orr_report){.code = ORR_OK};
    orr_err err = orr__scan_text(&s, "c.txt", text, strlen(text), why);
    assert_int_equal(err, ORR_OK);
    err = orr__hpcc_config_read(&s, c);
    orr__scan_fini(&s);
    return err;
}

/* What a text asks for on this topology. */
static void writes(const char *text, const char *topology, const char *expected,
                   const char *noted)
{
    struct orr_hpcc_config c;
    struct orr_report why;
    struct orr_world w;
    struct orr_text yaml = {.s = NULL}, notes = {.s = NULL};
    world_open(&w, topology);
    if (read_text(text, &c, &why) != ORR_OK)
        fail_msg("%s", why.message);
    assert_int_equal(
        orr__hpcc_longest(w.graph, (uint64_t)c.payload, &c.longest, &why),
        ORR_OK);
    orr__hpcc_config_write(&c, w.graph, 2, &yaml, &notes);
    char *y = orr__text_done(&yaml), *n = orr__text_done(&notes);
    assert_string_equal(y, expected);
    assert_string_equal(n, noted);
    orr__free(y);
    orr__free(n);
    orr__hpcc_config_fini(&c);
    world_close(&w);
}

#define ONE_RATE                                                               \
    "topology: {kind: switch, hosts: 2, link: {rate: 100Gbps, delay: 1us}}\n"
#define SHARED                                                                 \
    "  buffer: {kind: shared, size: 32MiB, alpha: 0.125}\n"                    \
    "  pfc: {enabled: true, form: hpcc}\n"

static void hpcc_as_shipped(void **state)
{
    writes("ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\nSIMULATOR_STOP_TIME 4.00\n"
           "CC_MODE 3\nRATE_AI 50Mb/s\nMIN_RATE 100Mb/s\nGLOBAL_T 0\n"
           "L2_ACK_INTERVAL 1\nU_TARGET 0.95\nMI_THRESH 0\nunknown 7\n"
           "KMAX_MAP 2 25000000000 400 100000000000 1600\n"
           "KMIN_MAP 2 25000000000 100 100000000000 400\n"
           "PMAX_MAP 1 100000000000 0.2\nBUFFER_SIZE 32\n",
           ONE_RATE,
           "stop: 2s\nnetwork:\n  mtu: 1000B\n  header: 90B\n  ack: 88B\n"
           "  ack_every: 1\n  recovery: go-back-n\n  rto: {timer: never}\n"
           "  queue: {kind: red, mark: dequeue, capacity: 32MiB, pmax: "
           "0.2}\n" SHARED
           "  cc: {kind: hpcc, telemetry: fields, counts: payload, "
           "max_stage: 0, fast_react: true, eta: 0.95, rate_ai: 50Mbps, "
           "min_rate: 100Mbps}\n",
           "");
}

static void dcqcn_with_thresholds_of_its_own(void **state)
{
    writes("CC_MODE 1 HAS_WIN 0 ALPHA_RESUME_INTERVAL 1 EWMA_GAIN 0.00390625\n"
           "RATE_DECREASE_INTERVAL 4 CLAMP_TARGET_RATE 0 RP_TIMER 300\n"
           "FAST_RECOVERY_TIMES 1 RATE_AI 20Mb/s RATE_HAI 200Mb/s\n"
           "KMAX_MAP 1 100000000000 1000 KMIN_MAP 1 100000000000 200\n"
           "BUFFER_SIZE 32 LINK_DOWN 0 0 0 FLOW_FILE a FLOW_FILE b",
           ONE_RATE,
           "network:\n  mtu: 1000B\n  header: 48B\n  ack: 60B\n"
           "  ack_every: 1\n  recovery: go-back-n\n  rto: {timer: never}\n"
           "  queue: {kind: red, mark: dequeue, capacity: 32MiB, kmin: "
           "200000B, kmax: 1000000B}\n" SHARED
           "  cc: {kind: dcqcn, preset: vendor, alpha_interval: 1us, "
           "decrease_interval: 4us, increase_interval: 300us, g: 0.00390625, "
           "recovery: 1, clamp: false, window: none, rate_ai: 20Mbps, "
           "rate_hai: 200Mbps, min_rate: 100Mbps}\n",
           "");
}

static void other_controls_and_notes(void **state)
{
    writes("CC_MODE 7 VAR_WIN 1 BUFFER_SIZE 32 ENABLE_QCN 0 LINK_DOWN 5 0 1\n"
           "L2_BACK_TO_ZERO 1 USE_DYNAMIC_PFC_THRESHOLD 0\n"
           "ERROR_RATE_PER_LINK 0.001",
           ONE_RATE,
           "network:\n  mtu: 1000B\n  header: 56B\n  ack: 60B\n"
           "  ack_every: 1\n  recovery: go-back-n\n  rto: {timer: never}\n"
           "  queue: {kind: droptail, capacity: 32MiB}\n" SHARED
           "  cc: {kind: timely, window: scaled, counts: payload, base_rtt: "
           "4160ns, min_rate: 100Mbps}\n",
           "LINK_DOWN: no link connects nodes 0 and 1: left out\n"
           "senders have no timer, as in HPCC: a flow whose last packet a link "
           "loses does not end; set network.rto.timer to auto for one\n"
           "L2_BACK_TO_ZERO: go-back-N is used, not go-back-0 (to the "
           "beginning of an L2_CHUNK_SIZE)\n"
           "USE_DYNAMIC_PFC_THRESHOLD 0: the threshold is dynamic; set "
           "network.pfc.xoff for a fixed one\n");
    writes("CC_MODE 12 BUFFER_SIZE 32 ENABLE_QCN 0 GLOBAL_T 0", ONE_RATE,
           "network:\n  mtu: 1000B\n  header: 48B\n  ack: 60B\n"
           "  ack_every: 1\n  recovery: go-back-n\n  rto: {timer: never}\n"
           "  queue: {kind: droptail, capacity: 32MiB}\n" SHARED
           "  cc: {kind: none}\n  window: 52000B\n",
           "GLOBAL_T 0: without a control all have the window of the longest "
           "path\n");
    writes("CC_MODE 8 BUFFER_SIZE 32 ENABLE_QCN 0 HAS_WIN 0 ACK_HIGH_PRIO 1 "
           "DCTCP_RATE_AI 615Mb/s EWMA_GAIN 0.0625 RATE_AI 10Mb/s",
           ONE_RATE,
           "network:\n  mtu: 1000B\n  header: 48B\n  ack: 60B\n"
           "  ack_every: 1\n  recovery: go-back-n\n  rto: {timer: never}\n"
           "  queue: {kind: droptail, capacity: 32MiB}\n"
           "  buffer: {kind: shared, size: 32MiB, alpha: 0.125}\n"
           "  pfc: {enabled: true, form: hpcc, hold_acks: false}\n"
           "  cc: {kind: dctcp-rate, g: 0.0625, window: none, rate_ai: "
           "615Mbps, min_rate: 100Mbps}\n",
           "");
    writes("CC_MODE 10 BUFFER_SIZE 32 ENABLE_QCN 0 PINT_LOG_BASE 1.01 "
           "PINT_PROB 0.5 MI_THRESH 0 CC_MODE 10",
           ONE_RATE,
           "network:\n  mtu: 1000B\n  header: 50B\n  ack: 60B\n"
           "  ack_every: 1\n  recovery: go-back-n\n  rto: {timer: never}\n"
           "  queue: {kind: droptail, capacity: 32MiB}\n" SHARED
           "  cc: {kind: hpcc, telemetry: pint, pint_form: hpcc, pint_base: "
           "1.02, pint_share: 0.5, counts: payload, base_rtt: 4160ns, "
           "max_stage: 0, fast_react: true, eta: 0.95, min_rate: 100Mbps}\n",
           "PINT_LOG_BASE 1.01 takes more than a byte: 1.02 is used\n");
}

static void bad_values_have_places(void **state)
{
    static const struct {
        const char *text, *message;
        int line, col;
    } cases[] = {
        {"CC_MODE\n", "CC_MODE is missing", 2, 1},
        {"CC_MODE three\n", "CC_MODE must be a whole number, not \"three\"", 1,
         9},
        {"RATE_AI 50\nMIN_RATE fast\n",
         "MIN_RATE: not a rate: write a number and a unit, like 400Gbps or "
         "50GB/s",
         2, 10},
        {"KMAX_MAP 100 1 2\n", "KMAX_MAP must be from 0 to 64, not 100", 1, 10},
        {"KMAX_MAP 2 1 2 3\n", "KMAX_MAP is missing", 2, 1},
        {"EWMA_GAIN -1\n", "EWMA_GAIN must be from 0 to 1, not -1", 1, 11},
        {"LINK_DOWN 1 2\n", "LINK_DOWN is missing", 2, 1},
        {"FLOW_FILE", "FLOW_FILE is missing", 1, 10},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_hpcc_config c;
        struct orr_report why;
        orr_err err = read_text(cases[i].text, &c, &why);
        assert_refused(err, &why,
                       (struct refused){i, cases[i].message, NULL,
                                        cases[i].line, cases[i].col});
        orr__hpcc_config_fini(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hpcc_as_shipped),
        cmocka_unit_test(dcqcn_with_thresholds_of_its_own),
        cmocka_unit_test(other_controls_and_notes),
        cmocka_unit_test(bad_values_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
