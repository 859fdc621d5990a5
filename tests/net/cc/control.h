/* One control alone, with no network: read from a text, called by hand. */
#ifndef ORR_TESTS_NET_CC_CONTROL_H
#define ORR_TESTS_NET_CC_CONTROL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/config/config.h"
#include "core/units.h"
#include "net/cc/cc.h"

struct control {
    struct orr_config *c;
    const struct orr_cc *cc;
    void *state;
    struct orr_cc_window w;
    uint32_t una; /* for tests: up to where it was told of */
};

/* 100 Gbps, 10 us there and back, 4,000 B packets, 2 links */
static const struct orr_cc_path control_path = {
    .line_bps = 100000000000,
    .base_rtt_ps = 10 * ORR_US,
    .packet_bytes = 4000,
    .payload_bytes = 4000,
    .hops = 2,
};

/* yaml: the map at `network.cc`; cwnd: the initial window. */
static inline void control_begin(struct control *k, const char *yaml,
                                 double cwnd, double gain,
                                 const struct orr_cc_path *path)
{
    struct orr_report why = {0};

    memset(k, 0, sizeof *k);
    assert_int_equal(orr__config_parse("test", yaml, strlen(yaml), &k->c, &why),
                     ORR_OK);
    if (orr__cc_read(k->c, orr__config_root(k->c), "cc", NULL, &k->cc, &why)
        != ORR_OK)
        fail_msg("%s", why.message);
    k->state = calloc(1, k->cc->state_size);
    k->w.cwnd = cwnd;
    k->w.gain = gain;
    k->cc->ops->init(k->state, k->cc->params, &k->w, path);
}

static inline void control_ack(struct control *k, struct orr_cc_ack a)
{
    k->cc->ops->on_ack(k->state, k->cc->params, &k->w, &a);
}

static inline void control_loss(struct control *k, struct orr_cc_ack a)
{
    a.recovering = true;
    k->cc->ops->on_loss(k->state, k->cc->params, &k->w, &a);
}

static inline void control_timeout(struct control *k, struct orr_cc_ack a)
{
    a.recovering = true;
    a.rtt_ps = -1;
    k->cc->ops->on_timeout(k->state, k->cc->params, &k->w, &a);
}

static inline void control_finish(struct control *k)
{
    free(k->state);
    orr__config_free(k->c);
}

#endif
