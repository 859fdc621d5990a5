#include "net/config/simulator.h"

#include <stdio.h>
#include <string.h>

#include "core/config/module.h"
#include "core/config/param.h"

#define NS3                                                                    \
    "# 1,500 B with time stamps (TcpSocket::SegmentSize is 536); IPv4\n"       \
    "# 20 B, TCP 32 B, PPP 2 B\n"                                              \
    "mtu: 1448B\n"                                                             \
    "header: 54B\n"                                                            \
    "ack: 54B                     # without the bytes of SACK blocks\n"        \
    "ack_every: 2                 # TcpSocket::DelAckCount\n"                  \
    "ack_delay: 200ms             # TcpSocket::DelAckTimeout\n"                \
    "initial_window: 10           # TcpSocket::InitialCwnd\n"                  \
    "handshake: true              # TcpSocketBase, three packets\n"            \
    "# TcpTxBuffer::NextSeg; a partial ACK calls DoRetransmit, and\n"          \
    "# the first alone resets the timer\n"                                     \
    "recovery: ns3\n"                                                          \
    "# RttEstimator::InitialEstimation, TcpSocketBase::MinRto, 60 s in\n"      \
    "# ReTxTimeout\n"                                                          \
    "rto: {initial: 1s, min: 1s, max: 60s}\n"                                  \
    "nic: {queue: fifo}           # SendPendingData, a device's queue\n"       \
    "cc: {kind: cubic}            # TcpL4Protocol::SocketType\n"

#define NS3_BY_CONTROL                                                         \
    "# by the control: TcpPrrRecovery counts bytes, after marks too; ACKs\n"   \
    "# are counted, not what they tell of (TcpNewReno); TcpDctcp has\n"        \
    "# no smallest window; TcpCubic no Reno-friendly region\n"                 \
    "reno: {cc: {growth: 1, prr_form: ns3, prr_marks: true}}\n"                \
    "dctcp: {cc: {min_cwnd: 1, prr_form: ns3, prr_marks: true}}\n"             \
    "cubic: {cc: {friendly: false, form: ns3, hystart: false,\n"               \
    "  prr_form: ns3, prr_marks: true}}\n"

#define LINUX                                                                  \
    "# Ethernet 38 B, IPv4 20 B, TCP with time stamps 32 B\n"                  \
    "mtu: 1448B\n"                                                             \
    "header: 90B\n"                                                            \
    "ack: 90B\n"                                                               \
    "ack_every: 2                 # __tcp_ack_snd_check\n"                     \
    "ack_delay: 40ms              # TCP_DELACK_MIN\n"                          \
    "initial_window: 10           # TCP_INIT_CWND\n"                           \
    "handshake: true              # three packets\n"                           \
    "idle_restart: true           # tcp_slow_start_after_idle\n"               \
    "recovery: rack               # tcp_recovery.c, RFC 8985\n"                \
    "# TCP_TIMEOUT_INIT, TCP_RTO_MIN, TCP_RTO_MAX; a probe (RFC 8985) is\n"    \
    "# two ticks of a millisecond later\n"                                     \
    "rto: {initial: 1s, min: 200ms, max: 120s, probe: 2ms}\n"                  \
    "nic: {queue: fair}           # fq, and TCP small queues\n"                \
    "cc: {kind: cubic}            # tcp_congestion_control\n"

#define LINUX_BY_CONTROL                                                       \
    "# by the control: tcp_cwnd_reduction counts packets, after marks too;\n"  \
    "# tcp_cubic.c counts in whole packets\n"                                  \
    "reno: {cc: {prr_form: linux, prr_marks: true}}\n"                         \
    "dctcp: {cc: {prr_form: linux, prr_marks: true}}\n"                        \
    "cubic: {cc: {form: linux, hystart: true, prr_form: linux,\n"              \
    "  prr_marks: true}}\n"

#define HTSIM                                                                  \
    "# htsim_uec: packets of 4 KB with a header, an ACK of one\n"              \
    "mtu: 4086B                   # packet_size, less _hdr_size\n"             \
    "header: 64B\n"                                                            \
    "ack: 64B\n"                                                               \
    "ack_rule: uec                # UecSink::processData\n"                    \
    "recovery: rack               # what the receiver does not report\n"       \
    "queue: {kind: trim, header: 64B}   # CompositeQueue\n"                    \
    "routing: spray               # equal paths in turn\n"                     \
    "cc: {kind: nscc}             # UecSrc\n"

#define HPCC_SIM                                                               \
    "# PPP 2 B, IPv4 20 B, UDP 8 B, SeqTsHeader 18 B; qbbHeader of an ACK\n"   \
    "mtu: 1000B                   # PACKET_PAYLOAD_SIZE\n"                     \
    "header: 48B\n"                                                            \
    "ack: 60B\n"                                                               \
    "ack_every: 1                 # L2_ACK_INTERVAL\n"                         \
    "recovery: go-back-n          # L2_BACK_TO_ZERO 0\n"                       \
    "rto: {timer: never}          # RdmaHw has none\n"                         \
    "# SwitchMmu, BUFFER_SIZE of run.py; marks as packets leave\n"             \
    "queue: {kind: red, capacity: 32MiB, mark: dequeue}\n"                     \
    "buffer: {kind: shared, size: 32MiB, alpha: 0.125}\n"                      \
    "pfc: {enabled: true, form: hpcc}   # SwitchMmu, ConfigHdrm\n"             \
    "cc: {kind: dcqcn}            # CC_MODE 1\n"

#define HPCC_SIM_BY_CONTROL                                                    \
    "# by the control, as run.py sets it: IntHeader of five hops, 42 B, or\n"  \
    "# a time stamp, 8 B; Mellanox' DCQCN; MI_THRESH 0; 1 Gbps at least;\n"    \
    "# ACK_HIGH_PRIO, RdmaEgressQueue::ack_q_idx; windows of payload,\n"       \
    "# RdmaQueuePair::GetOnTheFly; DCTCP as HandleAckDctcp has it\n"           \
    "hpcc: {header: 90B, ack: 88B, cc: {telemetry: fields,\n"                  \
    "  counts: payload, max_stage: 0, min_rate: 1Gbps}}\n"                     \
    "dcqcn: {pfc: {hold_acks: false}, cc: {preset: vendor,\n"                  \
    "  min_rate: 1Gbps}}\n"                                                    \
    "timely: {header: 56B, pfc: {hold_acks: false}, cc: {min_rate: 1Gbps}}\n"  \
    "dctcp-rate: {cc: {window: scaled, counts: payload, rate_ai: 615Mbps,\n"   \
    "  min_rate: 1Gbps}}\n"

const struct orr_simulator orr__simulators[] = {
    {"ns3", "TCP as ns-3 3.37 has it", NS3, NS3_BY_CONTROL, NS3 NS3_BY_CONTROL,
     "cubic",
     "SACK blocks take no bytes, NewReno halves its window and not what is in "
     "flight, retransmissions that are selectively acknowledged are not in "
     "flight (issue 1190 there), DCTCP answers a loss by RFC 8257, losses are "
     "looked for while a mark is answered, CUBIC has no HyStart, simultaneous "
     "packets come by `ties`; a queue disc of N packets is `limit: N + 2`, and "
     "FqCoDel is not modelled"},
    {"linux", "TCP as Linux 6.x has it", LINUX, LINUX_BY_CONTROL,
     LINUX LINUX_BY_CONTROL, "cubic",
     "the first packets are not acknowledged at once (quick ACKs), windows "
     "after an idle time are the initial one and not halved for each timeout, "
     "`hystart` is HyStart++, nothing is undone after a spurious loss (F-RTO, "
     "DSACK), buffers of sockets are unlimited, segments are not offloaded"},
    {"htsim", "Ultra Ethernet as uet-htsim has it", HTSIM, NULL, HTSIM, "nscc",
     "`queue: {capacity: ...}` is one bandwidth-delay product there, "
     "`rto` 15 us and six such queues, and each packet has a timer; credits "
     "are `cc: rccc`"},
    {"hpcc-sim", "RDMA as the ns-3 of HPCC has it", HPCC_SIM,
     HPCC_SIM_BY_CONTROL, HPCC_SIM HPCC_SIM_BY_CONTROL, "dcqcn",
     "its clock has whole ns, memory is free when a packet begins to leave, "
     "`base_rtt` is the longest of the network (GLOBAL_T 1), its DCTCP is "
     "`dctcp-rate`, PINT has `pint_form: hpcc`, a header of 50 B and ACKs of "
     "60 B; kmin, kmax and pmax are those of the configuration"},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

const struct orr_simulator *orr__simulator_find(const char *name)
{
    for (const struct orr_simulator *s = orr__simulators; s->name; s++)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

/* ORR_ECONFIG, with the nearest name or where the names are. */
static orr_err unknown(struct orr_config *c, const struct orr_yaml *at,
                       const char *name, struct orr_report *why)
{
    const char *names[sizeof orr__simulators / sizeof *orr__simulators];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        names[i] = orr__simulators[i].name;
    orr_err err =
        orr__yaml_fail(c, at, why, "network.as: no simulator \"%s\"", name);
    orr__hint_names(why, names, name);
    return err;
}

/* The control of a `cc`, or the one that it wraps; NULL: it says none. */
static const char *innermost(struct orr_config *c, const struct orr_yaml *cc,
                             const char *fallback)
{
    struct orr_module m = {.c = c, .node = cc};
    const struct orr_yaml *base = orr__yaml_get(cc, "base");

    orr__module_name(&m, fallback);
    if (m.name && strcmp(m.name, "mltcp") == 0)
        return orr__yaml_is_scalar(base) ? orr__yaml_text(c, base) : "reno";
    return m.name;
}

/* What a simulator says where this control is in use. */
static orr_err fill_by_control(struct orr_config *c, const struct orr_yaml *map,
                               const struct orr_simulator *s, const char *kind,
                               const char *within, struct orr_report *why)
{
    char source[64];

    if (!s->by_control || !kind)
        return ORR_OK;
    snprintf(source, sizeof source, "as %s", s->name);
    return orr__config_fill_part(c, map, source, s->by_control, kind, within,
                                 why);
}

orr_err orr__simulator_apply(struct orr_config *c,
                             const struct orr_yaml *network,
                             struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(network, "as");
    const struct orr_yaml *cc = orr__yaml_get(network, "cc");
    const struct orr_simulator *s;
    char source[64];
    orr_err err = ORR_OK;

    if (!orr__yaml_is_scalar(at) || orr__yaml_is_null(at))
        return ORR_OK; /* there is none, or the table says what is wrong */
    s = orr__simulator_find(orr__yaml_text(c, at));
    if (!s)
        return unknown(c, at, orr__yaml_text(c, at), why);
    snprintf(source, sizeof source, "as %s", s->name);
    if (cc)
        err = orr__config_expand_member(c, cc, why);
    if (err == ORR_OK)
        err =
            fill_by_control(c, network, s, innermost(c, cc, s->cc), NULL, why);
    if (err == ORR_OK)
        err = orr__config_fill(c, network, source, s->text, why);
    if (err == ORR_OK)
        err = orr__yaml_remark(c, at, why,
                               "network.as: %s differs beyond what "
                               "keys set: %s",
                               s->name, s->beyond);
    return err;
}

orr_err orr__simulator_control(struct orr_config *c, const struct orr_yaml *cc,
                               const char *name, struct orr_report *why)
{
    const struct orr_simulator *s = name ? orr__simulator_find(name) : NULL;
    orr_err err = s ? orr__config_expand_member(c, cc, why) : ORR_OK;

    return s && err == ORR_OK
               ? fill_by_control(c, cc, s, innermost(c, cc, s->cc), "cc", why)
               : err;
}
