/* config.txt of HPCC (and of the ns-3 backends made from it). */
#ifndef ORR_FORMATS_HPCC_CONFIG_H
#define ORR_FORMATS_HPCC_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/scan.h"
#include "formats/convert.h"
#include "topo/graph.h"

enum { ORR_HPCC_MAP_MOST = 64, ORR_HPCC_KEYS = 46 };

struct orr_hpcc_map { /* a value for each rate */
    uint32_t n;
    struct {
        uint64_t bps;
        double value;
    } entry[ORR_HPCC_MAP_MOST];
};

/* Defaults are those of its code; texts are owned by whoever read it. */
struct orr_hpcc_config {
    char *topology, *flows; /* NULL: not named */
    double stop_s;
    bool has_stop;
    int64_t qcn, payload, cc_mode, clamp, fast_recovery, ack_every, back_to_0;
    int64_t has_win, global_t, var_win, fast_react, mi_thresh, buffer_mib;
    int64_t rate_bound, dynamic_pfc, ack_high_prio;
    int64_t int_multi, multi_rate, sample_feedback;
    double alpha_us, decrease_us, rp_timer_us, g, error_rate, u_target;
    double pint_log_base, pint_prob;
    uint64_t rate_ai, rate_hai, min_rate, dctcp_rate_ai; /* 0: not given */
    int64_t down_us, down_a, down_b;
    struct orr_hpcc_map kmin, kmax, pmax;
    struct {
        int line, col; /* of a key, the last of several; 0: it is not there */
    } at[ORR_HPCC_KEYS];
    /* what is written stems from this file; set after reading, or NULL */
    const char *file;
    struct orr_origins *blame;
    struct orr_hpcc_longest {
        uint64_t rtt_ns, bytes; /* 0: no two hosts reach one another */
    } longest;                  /* of its network; set after reading */
};

/* Bytes of an acknowledgement, and of a packet beside its payload. */
int orr__hpcc_ack(int64_t cc_mode);
int orr__hpcc_header(int64_t cc_mode);

/* Its maxRtt and maxBdp, with packets of so much payload. */
ORR_CHECK_RESULT orr_err orr__hpcc_longest(const struct orr_graph *g,
                                           uint64_t payload,
                                           struct orr_hpcc_longest *out,
                                           struct orr_report *why);

/* Reads from the scan; free with orr__hpcc_config_fini also after a failure. */
ORR_CHECK_RESULT orr_err orr__hpcc_config_read(struct orr_scan *s,
                                               struct orr_hpcc_config *c);
void orr__hpcc_config_fini(struct orr_hpcc_config *c);

/* The topology, a file of this format: its links lose what that says, or what
 * config.txt (c may be NULL) says of all. */
void orr__hpcc_topology_write(const struct orr_hpcc_config *c,
                              const char *format, const char *file,
                              struct orr_text *yaml);
/* The outermost keys that it asks for: stop, network, failures. graph may be
 * NULL. origin_s: the simulator's time that becomes 0. */
void orr__hpcc_config_write(const struct orr_hpcc_config *c,
                            const struct orr_graph *graph, double origin_s,
                            struct orr_text *yaml, struct orr_text *notes);
/* Another, for the network of w, whose longest paths these are; its flows begin
 * at 2 s. */
void orr__hpcc_config_print(FILE *f, const struct orr_world *w,
                            const struct orr_hpcc_longest *longest,
                            struct orr_text *notes);

#endif
