#include "net/config/preset.h"

#include <stdio.h>
#include <string.h>

#include "core/config/module.h"
#include "core/config/param.h"

/* 38 B of each packet are Ethernet's: 14 of header, 4 of checksum, 8 of
 * preamble and 12 of gap. */
const struct orr_preset orr__presets[] = {
    {"tcp-dctcp", "TCP in a data centre: DCTCP, marks at 65 packets, RACK",
     "# Ethernet 38 B, IPv4 20 B, TCP with time stamps 32 B\n"
     "mtu: 1448B\n"
     "header: 90B\n"
     "ack: 90B\n"
     "ack_every: 2                 # RFC 5681, section 4.2\n"
     "initial_window: 10           # RFC 6928\n"
     "recovery: rack               # RFC 8985, as in Linux\n"
     "# RTOmin of DCTCP (SIGCOMM'10), section 4; Linux probes two ticks of a\n"
     "# millisecond later than the RFC\n"
     "rto: {min: 10ms, max: 1s, probe: 2ms}\n"
     "# K = 65 packets (the same, section 3.5): more than C RTT / 7 up to\n"
     "# 560us at 10 Gbps and 56us at 100 Gbps\n"
     "queue: {kind: ecn, capacity: 4MiB, threshold: 100KB}\n"
     "routing: ecmp\n"
     "cc: {kind: dctcp}            # RFC 8257\n",
     "dctcp"},
    {"roce-dcqcn",
     "RoCEv2: DCQCN as NICs have it, RED, pause frames, go-back-N",
     "# Ethernet 38 B, IPv4 20 B, UDP 8 B, BTH 12 B, ICRC 4 B; ACKs: AETH 4 B\n"
     "mtu: 4096B\n"
     "header: 82B\n"
     "ack: 86B\n"
     "recovery: go-back-n\n"
     "# thresholds by the rate, memory and its share as in the scripts of\n"
     "# HPCC (SIGCOMM'19), which mark as packets leave\n"
     "queue: {kind: red, capacity: 32MiB, mark: dequeue}\n"
     "buffer: {kind: shared, size: 32MiB, alpha: 0.125}\n"
     "pfc: {enabled: true}         # IEEE 802.1Qbb\n"
     "routing: ecmp\n"
     "cc: {kind: dcqcn, preset: vendor}   # SIGCOMM'15; timers as there\n",
     "dcqcn"},
    {"roce-hpcc",
     "RoCEv2: HPCC with in-band telemetry, pause frames, go-back-N",
     "# as roce-dcqcn, and 42 B of telemetry for five hops, both ways\n"
     "# (HPCC, SIGCOMM'19, section 4.1)\n"
     "mtu: 4096B\n"
     "header: 124B\n"
     "ack: 128B\n"
     "recovery: go-back-n\n"
     "queue: {kind: droptail, capacity: 32MiB}\n"
     "buffer: {kind: shared, size: 32MiB, alpha: 0.125}\n"
     "pfc: {enabled: true}\n"
     "routing: ecmp\n"
     "# section 3; eta 0.95, five stages, and what 42 B have bits for\n"
     "cc: {kind: hpcc, telemetry: fields}\n",
     "hpcc"},
    {"uec-nscc", "Ultra Ethernet: NSCC, packets sprayed and trimmed",
     "# packets as in uet-htsim, the simulator of its authors\n"
     "mtu: 4096B\n"
     "header: 64B\n"
     "ack: 64B\n"
     "# the receiver reports what was cut; other losses are found by time,\n"
     "# because paths reorder\n"
     "recovery: rack\n"
     "# a product of 100 Gbps and 12us; marks from a fifth to four fifths\n"
     "queue: {kind: trim, capacity: 150KB}\n"
     "routing: {kind: spray-random}\n"
     "cc: {kind: nscc}             # UE Specification 1.0, section 3.6.13\n",
     "nscc"},
    {"swift", "Swift: delay alone, no marks, no pause frames",
     "# Ethernet 38 B, IPv4 20 B, 32 B of transport with time stamps\n"
     "mtu: 4096B\n"
     "header: 90B\n"
     "ack: 90B\n"
     "recovery: selective          # a hole in the bitmap is a loss\n"
     "queue: {kind: droptail, capacity: 2MiB}\n"
     "routing: ecmp\n"
     "cc: {kind: swift}            # SIGCOMM'20, section 3\n",
     "swift"},
    {NULL, NULL, NULL, NULL},
};

const struct orr_preset *orr__preset_find(const char *name)
{
    for (const struct orr_preset *p = orr__presets; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

/* ORR_ECONFIG, with the nearest name or where the names are. */
static orr_err unknown(struct orr_config *c, const struct orr_yaml *at,
                       const char *name, struct orr_report *why)
{
    const char *names[sizeof orr__presets / sizeof *orr__presets];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        names[i] = orr__presets[i].name;
    orr_err err =
        orr__yaml_fail(c, at, why, "network.preset: no preset \"%s\"", name);
    orr__hint_names(why, names, name);
    return err;
}

/* Another control than the preset's: what that says of its own is dropped, and
 * the rest was made for it. */
static orr_err remark_control(struct orr_config *c,
                              const struct orr_yaml *network,
                              const struct orr_preset *p,
                              struct orr_report *why)
{
    struct orr_module m = {.c = c, .node = orr__yaml_get(network, "cc")};

    orr__module_name(&m, p->cc);
    if (!m.node || !m.name || strcmp(m.name, p->cc) == 0)
        return ORR_OK;
    return orr__yaml_remark(c, m.at, why,
                            "network.cc: %s replaces %s, for which the preset "
                            "%s is made: the preset's parameters of that "
                            "control have no effect, its other keys stay",
                            m.name, p->cc, p->name);
}

orr_err orr__preset_apply(struct orr_config *c, const struct orr_yaml *network,
                          struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(network, "preset");
    const struct orr_preset *p;
    char source[64];

    if (!orr__yaml_is_scalar(at) || orr__yaml_is_null(at))
        return ORR_OK; /* there is none, or the table says what is wrong */
    p = orr__preset_find(orr__yaml_text(c, at));
    if (!p)
        return unknown(c, at, orr__yaml_text(c, at), why);
    snprintf(source, sizeof source, "preset %s", p->name);
    if (remark_control(c, network, p, why) != ORR_OK)
        return ORR_ENOMEM;
    return orr__config_fill(c, network, source, p->text, why);
}
