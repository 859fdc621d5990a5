#include "record/packet_capture.h"

#include <stddef.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "net/config/config.h"
#include "record/packet_log.h"
#include "record/pcap.h"
#include "record/write_packets.h"

/* Rows are written when so many are there: how long that takes is found out,
 * from this time on. */
#define ROWS     65536u
#define FIRST_PS (10 * ORR_US)

/* `record.pcap`, as read. */
struct pcap_keys {
    const char *file;
    const struct orr_yaml *ports, *flows;
    int headers;
    uint64_t snaplen;
};
/* `record.packets`, as read. */
struct packets_keys {
    const struct orr_yaml *flow;
};

static const char *const headers[] = {"auto", "tcp", "roce", NULL};
static const struct orr_param pcap_params[] = {
    {"ports", ORR_PARAM_NODE, offsetof(struct pcap_keys, ports), "", NULL, NULL,
     NULL,
     "ports to capture at, as they send: a list of links, by id or as in "
     "`a > b`, and of pairs of nodes [from, to], or `all`; absent: all ports "
     "that `flows` pass"},
    {"flows", ORR_PARAM_NODE, offsetof(struct pcap_keys, flows), "", NULL, NULL,
     NULL,
     "connections to capture, both directions: a list of indices "
     "of flows and of {job: NAME, from: RANK, to: RANK}, or `all` flows; "
     "absent: all that passes `ports`"},
    {"file", ORR_PARAM_TEXT, offsetof(struct pcap_keys, file), "", NULL, NULL,
     NULL,
     "pcapng file, relative to the folder of the HDF5 file; default: its name "
     "with .pcapng"},
    {"headers", ORR_PARAM_CHOICE, offsetof(struct pcap_keys, headers), "auto",
     NULL, NULL, headers,
     "headers of packets; auto: RoCEv2 for congestion controls of RDMA, TCP "
     "for others"},
    {"snaplen", ORR_PARAM_SIZE, offsetof(struct pcap_keys, snaplen), "auto",
     "0B", "16MiB", NULL,
     "bytes of each packet to write, payload as zeros, headers always; auto: "
     "whole RoCEv2 packets, which Wireshark calls malformed otherwise, and "
     "headers of others"},
    ORR_PARAM_END,
};
static const struct orr_param packets_params[] = {
    {"flow", ORR_PARAM_NODE, offsetof(struct packets_keys, flow), NULL, NULL,
     NULL, NULL,
     "connections whose packets and ACKs are recorded, hop by hop: the index "
     "of a flow, {job: NAME, from: RANK, to: RANK}, a list of such, or `all` "
     "flows"},
    ORR_PARAM_END,
};

/* Packets that are captured: to a file of pcap, and to the group /packets. */
struct orr_packet_capture {
    struct orr_world *world;
    const struct orr_yaml *pcap_at, *file_at, *packets_at; /* NULL: no */
    struct pcap_keys keys;
    struct orr_selection pcap, packets;
    struct orr_pcap *file;
    struct orr_packet_log *collector;
    struct orr_packets_writer writer;
    int64_t period_ps;
    struct orr_report why;
};

const struct orr_param *orr__pcap_params(void)
{
    return pcap_params;
}

const struct orr_param *orr__packets_params(void)
{
    return packets_params;
}

/* ---- reading ------------------------------------------------------------ */

/* What is captured to a file; which need not be said. */
static orr_err read_pcap(struct orr_packet_capture *t,
                         const struct orr_yaml *at, struct orr_report *why)
{
    struct orr_param_set set = {pcap_params, &t->keys};
    struct orr_selector s = {
        .w = t->world, .verb = "captured", .into = &t->pcap, .why = why};
    orr_err err =
        orr__param_read(t->world->config, at, "record.pcap", &set, 1, why);
    t->pcap_at = at;
    t->file_at = orr__yaml_get(at, "file");
    if (err == ORR_OK && !t->keys.ports && !t->keys.flows) {
        err = orr__yaml_fail(t->world->config, at, why,
                             "record.pcap: what to capture is missing");
        orr__hint(why, "ports, as in `ports: [[0, 8]]`, flows, as in `flows: "
                       "[3]`, or both");
    }
    s.name = "record.pcap.ports";
    if (err == ORR_OK && t->keys.ports)
        err = orr__select_ports(&s, t->keys.ports);
    s.name = "record.pcap.flows";
    if (err == ORR_OK && t->keys.flows)
        err = orr__select_flows(&s, t->keys.flows);
    return err;
}

/* What is written to /packets. */
static orr_err read_packets(struct orr_packet_capture *t,
                            const struct orr_yaml *at, struct orr_report *why)
{
    struct packets_keys keys = {NULL};
    struct orr_param_set set = {packets_params, &keys};
    struct orr_selector s = {.w = t->world,
                             .name = "record.packets.flow",
                             .verb = "followed",
                             .into = &t->packets,
                             .why = why};
    orr_err err =
        orr__param_read(t->world->config, at, "record.packets", &set, 1, why);
    t->packets_at = at;
    return err ? err : orr__select_flows(&s, keys.flow);
}

static orr_err no_packets(const struct orr_packet_capture *t,
                          const char *because, struct orr_report *why)
{
    return orr__yaml_fail(
        t->world->config, t->pcap_at ? t->pcap_at : t->packets_at, why,
        "record.%s: %s", t->pcap_at ? "pcap" : "packets", because);
}

orr_err orr__packet_capture_read(struct orr_world *w,
                                 const struct orr_yaml *pcap,
                                 const struct orr_yaml *packets,
                                 struct orr_packet_capture **out,
                                 struct orr_report *why)
{
    struct orr_packet_capture *t;
    orr_err err = ORR_OK;
    if (!pcap && !packets)
        return ORR_OK;
    t = orr__alloc(1, sizeof *t);
    if (!t)
        return orr__no_memory(why);
    t->world = w;
    if (pcap)
        err = read_pcap(t, pcap, why);
    if (err == ORR_OK && packets)
        err = read_packets(t, packets, why);
    if (err == ORR_OK && w->net_config->transport == ORR_TRANSPORT_ANALYTICAL)
        err =
            no_packets(t, "network.transport: analytical has no packets", why);
    if (err)
        orr__packet_capture_free(t);
    else
        *out = t;
    return err;
}

orr_err orr__packet_capture_agrees(const struct orr_packet_capture *t,
                                   const struct orr_world *w,
                                   struct orr_report *why)
{
    if (!t || !w->repeat)
        return ORR_OK;
    return no_packets(t, "iterations that `repeat` skips have no packets", why);
}

bool orr__packet_capture_tables(const struct orr_packet_capture *t)
{
    return t && t->packets_at;
}

/* ---- the pcapng file ---------------------------------------------------- */

/* "a/b.h5" and NULL: "a/b.pcapng"; and "c": "a/c". */
static char *name_of(const char *output, const char *file)
{
    const char *slash = strrchr(output, '/');
    const char *name = slash ? slash + 1 : output;
    const char *dot = strrchr(name, '.');
    size_t n = strlen(output);
    if (file && file[0] == '/')
        return orr__strdup(file);
    if (file)
        return orr__format("%.*s%s", (int)(name - output), output, file);
    if (dot && dot != name)
        n = (size_t)(dot - output);
    return orr__format("%.*s.pcapng", (int)n, output);
}

static orr_err refuse(const struct orr_packet_capture *t, const char *because,
                      struct orr_report *why)
{
    return orr__yaml_fail(t->world->config,
                          t->file_at ? t->file_at : t->pcap_at, why,
                          "record.pcap.file: %s", because);
}

orr_err orr__packet_capture_open(struct orr_packet_capture *t,
                                 struct orr_report *why)
{
    struct orr_report reason = {.code = ORR_OK};
    char *name;
    orr_err err;
    if (!t || !t->pcap_at)
        return ORR_OK;
    name = name_of(t->world->options.output, t->keys.file);
    if (!name)
        return orr__no_memory(why);
    if (strcmp(name, t->world->options.output) == 0) {
        orr__free(name);
        return refuse(t, "that is the name of the HDF5 file", why);
    }
    err = orr__pcap_open(t->world, name, (enum orr_pcap_headers)t->keys.headers,
                         t->keys.snaplen, &t->file, &reason);
    orr__free(name);
    if (err == ORR_EIO)
        return refuse(t, reason.message, why);
    return err ? orr__fail(why, err, "%s", reason.message) : ORR_OK;
}

/* ---- during the run ----------------------------------------------------- */

static void note_message(void *tap, const struct orr_sent_message *m)
{
    orr__pcap_message(((struct orr_packet_capture *)tap)->file, m);
}

/* All rows before a time go where they belong. */
static orr_err save_rows(struct orr_packet_capture *t, int64_t until,
                         struct orr_report *why)
{
    uint64_t n;
    struct orr_packet_row *row = orr__packet_log_rows(t->collector, until, &n);
    if (n == UINT64_MAX)
        return orr__no_memory(why);
    if (t->file) {
        orr__packet_log_messages(t->collector, note_message, t);
        for (uint64_t i = 0; i < n; i++)
            if (row[i].wants & 1u << ORR_WANT_PCAP)
                orr__pcap_packet(t->file, &row[i]);
        orr_err err = orr__pcap_flush(t->file, why);
        if (err)
            return err;
    }
    if (t->packets_at && orr__packets_add(&t->writer, row, n))
        return orr__no_memory(why);
    return ORR_OK;
}

/* Control event: looks whether there is enough to be written. */
static int64_t write_waiting(void *tap, int64_t now)
{
    struct orr_packet_capture *t = tap;
    uint64_t kept = orr__packet_log_kept(t->collector);
    if (kept < ROWS / 4)
        t->period_ps = orr__time_add(t->period_ps, t->period_ps);
    else if (kept > ROWS && t->period_ps > ORR_NS)
        t->period_ps /= 2;
    if (kept >= ROWS / 4 && save_rows(t, now, &t->why)) {
        orr__net_fail(t->world->net, t->why.code);
        return ORR_NEVER;
    }
    return orr__time_add(now, t->period_ps);
}

/* Of pcap: a selection without flows means all connections. */
static orr_err choose(const struct orr_packet_capture *t,
                      struct orr_wanted *wanted)
{
    const struct orr_world *w = t->world;
    struct orr_wanted *pcap = &wanted[ORR_WANT_PCAP];
    struct orr_wanted *packets = &wanted[ORR_WANT_PACKETS];
    orr_err err = ORR_OK;
    pcap->on = t->pcap_at;
    packets->on = t->packets_at;
    if (pcap->on && t->keys.flows)
        err = orr__wanted_flows(pcap, w, &t->pcap);
    if (pcap->on && err == ORR_OK)
        err = orr__wanted_links(pcap, w, &t->pcap);
    if (packets->on && err == ORR_OK)
        err = orr__wanted_flows(packets, w, &t->packets);
    if (packets->on && err == ORR_OK)
        err = orr__wanted_links(packets, w, &t->packets);
    return err;
}

orr_err orr__packet_capture_start(struct orr_packet_capture *t,
                                  struct orr_record *r, struct orr_report *why)
{
    struct orr_wanted wanted[ORR_WANTS] = {{.on = false}};
    orr_err err;
    if (!t)
        return ORR_OK;
    if (choose(t, wanted)) {
        for (unsigned i = 0; i < ORR_WANTS; i++)
            orr__wanted_fini(&wanted[i]);
        return orr__no_memory(why);
    }
    err = orr__packet_log_new(t->world, wanted, &t->collector, why);
    if (err)
        return err;
    for (uint32_t i = 0; i < t->pcap.ports; i++)
        orr__pcap_interface(t->file, t->pcap.port[i]);
    if (t->packets_at
        && orr__packets_begin(&t->writer, r, t->world, &t->packets))
        return orr__no_memory(why);
    t->period_ps = FIRST_PS;
    return orr__net_control(t->world->net, t->period_ps, write_waiting, t, why);
}

orr_err orr__packet_capture_state(const struct orr_packet_capture *t,
                                  struct orr_report *why)
{
    if (!t || t->why.code == ORR_OK)
        return ORR_OK;
    return orr__fail(why, t->why.code, "%s", t->why.message);
}

/* ---- the end ------------------------------------------------------------ */

/* What a computed port would begin only after a run that was stopped did not
 * happen. */
orr_err orr__packet_capture_finish(struct orr_packet_capture *t,
                                   struct orr_report *why)
{
    const struct orr_world *w;
    if (!t || !t->collector)
        return ORR_OK;
    w = t->world;
    return save_rows(t, orr__net_ended(w->net) ? INT64_MAX : w->result.end_ps,
                     why);
}

orr_err orr__packet_capture_close(struct orr_packet_capture *t,
                                  struct orr_report *why)
{
    struct orr_pcap *file;
    if (!t || !t->file)
        return ORR_OK;
    file = t->file;
    t->file = NULL;
    return orr__pcap_close(file, why);
}

void orr__packet_capture_free(struct orr_packet_capture *t)
{
    if (!t)
        return;
    orr__pcap_free(t->file);
    orr__packets_fini(&t->writer);
    orr__packet_log_free(t->collector);
    orr__selection_fini(&t->pcap);
    orr__selection_fini(&t->packets);
    orr__free(t);
}
