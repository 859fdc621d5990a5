#include "formats/pcap/packets.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/names.h"
#include "core/none.h"

enum {
    INTERFACES = 256,
    ROCE_PORT = 4791,
    LINK_NULL = 0,
    LINK_ETHERNET = 1,
    LINK_RAW = 101,
    LINK_SLL = 113,
    LINK_SLL2 = 276,
};

/* What one sender has sent on one connection. */
struct stream {
    bool begun;
    uint32_t next; /* sequence number, or PSN, behind what was seen */
};

/* A capture while it is read. */
struct reader {
    struct orr_capture *c;
    const char *name;
    const uint8_t *bytes;
    size_t n, at;
    bool swapped; /* numbers are in the other order of bytes */
    struct {
        uint32_t link;    /* type of the link */
        uint64_t units_s; /* of timestamps, in a second */
    } interface[INTERFACES];
    uint32_t interfaces;
    struct orr_names addresses; /* hosts by their address as text */
    struct orr_names flows;     /* streams by ports and hosts as text */
    struct stream *stream;
    uint32_t streams, room;
    bool begun;
    int64_t first_ns; /* time of the first packet */
    struct orr_report *why;
};

static orr_err fail_in_capture(const struct reader *r, const char *what)
{
    return orr__fail_at(r->why, ORR_ECONFIG, r->name, 1,
                        (int)(r->at < INT_MAX ? r->at + 1 : 1),
                        "%s, at byte %zu", what, r->at);
}

/* ---- numbers ------------------------------------------------------------ */

static uint32_t read_big16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t read_big32(const uint8_t *p)
{
    return read_big16(p) << 16 | read_big16(p + 2);
}

static uint32_t file16(const struct reader *r, const uint8_t *p)
{
    return r->swapped ? read_big16(p) : (uint32_t)p[1] << 8 | p[0];
}

static uint32_t file32(const struct reader *r, const uint8_t *p)
{
    return r->swapped ? read_big32(p)
                      : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16
                            | (uint32_t)p[1] << 8 | p[0];
}

/* ---- hosts and streams -------------------------------------------------- */

/* Its number; a new one if it was not seen before. */
static orr_err find_host(struct reader *r, const uint8_t *address, bool v4,
                         uint32_t *host)
{
    char text[INET6_ADDRSTRLEN];
    struct orr_capture *c = r->c;
    inet_ntop(v4 ? AF_INET : AF_INET6, address, text, sizeof text);
    *host = orr__names_find(&r->addresses, text);
    if (*host != ORR_NONE)
        return ORR_OK;
    if (c->hosts == ORR_PCAP_HOSTS)
        return fail_in_capture(r, "more than 65536 addresses");
    if (!orr__array_more(c->host, c->host_room, c->hosts))
        return orr__no_memory(r->why);
    struct orr_pcap_host *h = &c->host[c->hosts];
    *h = (struct orr_pcap_host){.v4 = v4};
    memcpy(h->address + (v4 ? 12 : 0), address, v4 ? 4 : 16);
    if (!orr__names_add(&r->addresses, text, c->hosts))
        return orr__no_memory(r->why);
    *host = c->hosts++;
    return ORR_OK;
}

void orr__capture_host(const struct orr_capture *c, uint32_t host, char *text,
                       size_t size)
{
    const struct orr_pcap_host *h = &c->host[host];
    text[0] = '\0';
    inet_ntop(h->v4 ? AF_INET : AF_INET6, h->address + (h->v4 ? 12 : 0), text,
              (socklen_t)size);
}

/* The stream with these ends; protocol and ports, or a queue pair. NULL: no
 * memory. */
static struct stream *find_stream(struct reader *r, uint32_t from, uint32_t to,
                                  uint32_t protocol, uint32_t source,
                                  uint32_t destination)
{
    char key[80];
    snprintf(key, sizeof key, "%u>%u %u %u %u", from, to, protocol, source,
             destination);
    uint32_t i = orr__names_find(&r->flows, key);
    if (i != ORR_NONE)
        return &r->stream[i];
    if (!orr__array_more(r->stream, r->room, r->streams)
        || !orr__names_add(&r->flows, key, r->streams))
        return NULL;
    r->stream[r->streams] = (struct stream){.begun = false};
    return &r->stream[r->streams++];
}

/* ---- packets ------------------------------------------------------------ */

/* An IP packet: its ends, and what is behind its header. */
struct ip {
    uint32_t from, to;
    uint8_t protocol;
    const uint8_t *body;
    size_t there;  /* bytes of it in the capture */
    size_t length; /* of it on the wire */
    int64_t ns;
};

static orr_err add_packet(struct reader *r, const struct ip *ip, size_t bytes)
{
    struct orr_capture *c = r->c;
    if (bytes == 0 || bytes > UINT32_MAX)
        return ORR_OK;
    if (!orr__array_more(c->packet, c->room, c->packets))
        return orr__no_memory(r->why);
    c->packet[c->packets++] = (struct orr_pcap_packet){
        .ns = ip->ns, .from = ip->from, .to = ip->to, .bytes = (uint32_t)bytes};
    return ORR_OK;
}

/* TCP: what lies behind the highest byte seen so far is new. */
static orr_err take_tcp(struct reader *r, const struct ip *ip)
{
    if (ip->there < 20) {
        r->c->foreign++;
        return ORR_OK;
    }
    size_t header = (size_t)(ip->body[12] >> 4) * 4;
    size_t payload = ip->length > header ? ip->length - header : 0;
    if (header < 20 || payload == 0)
        return ORR_OK;
    struct stream *s =
        find_stream(r, ip->from, ip->to, ip->protocol, read_big16(ip->body),
                    read_big16(ip->body + 2));
    if (!s)
        return orr__no_memory(r->why);
    uint32_t end = read_big32(ip->body + 4) + (uint32_t)payload;
    int32_t ahead = (int32_t)(end - s->next);
    size_t fresh = !s->begun                 ? payload
                   : ahead <= 0              ? 0
                   : (size_t)ahead < payload ? (size_t)ahead
                                             : payload;
    r->c->repeated += payload - fresh;
    if (!s->begun || ahead > 0)
        s->next = end;
    s->begun = true;
    return add_packet(r, ip, fresh);
}

/* RoCE: data packets whose PSN is not behind the highest one. Opcodes of ACKs
 * carry nothing. */
static orr_err take_roce(struct reader *r, const struct ip *ip)
{
    const uint8_t *bth = ip->body + 8;
    enum { HEADERS = 8 + 12, CHECK = 4 };
    if (ip->there < HEADERS) {
        r->c->foreign++;
        return ORR_OK;
    }
    uint32_t opcode = bth[0] & 0x1f, pair = read_big32(bth + 4) & 0xffffff;
    uint32_t psn = read_big32(bth + 8) & 0xffffff;
    if (opcode == 0x11 || opcode == 0x12 || ip->length <= HEADERS + CHECK)
        return ORR_OK;
    struct stream *s =
        find_stream(r, ip->from, ip->to, ip->protocol, ROCE_PORT, pair);
    if (!s)
        return orr__no_memory(r->why);
    size_t payload = ip->length - HEADERS - CHECK;
    bool fresh = !s->begun || ((psn - s->next) & 0xffffff) < 0x800000;
    if (!fresh) {
        r->c->repeated += payload;
        return ORR_OK;
    }
    s->begun = true;
    s->next = psn + 1;
    return add_packet(r, ip, payload);
}

static orr_err take_body(struct reader *r, const struct ip *ip)
{
    enum { TCP = 6, UDP = 17 };
    if (ip->protocol == TCP)
        return take_tcp(r, ip);
    if (ip->protocol == UDP && ip->there >= 8
        && read_big16(ip->body + 2) == ROCE_PORT)
        return take_roce(r, ip);
    size_t header = ip->protocol == UDP ? 8 : 0;
    return add_packet(r, ip, ip->length > header ? ip->length - header : 0);
}

/* IPv4 or IPv6; wire: bytes from here on, on the wire. */
static orr_err take_ip(struct reader *r, const uint8_t *p, size_t there,
                       size_t wire, int64_t ns)
{
    struct ip ip = {.ns = ns};
    uint32_t version = there ? p[0] >> 4 : 0;
    size_t header = version == 4 ? (size_t)(p[0] & 15) * 4 : 40, total;
    if ((version != 4 && version != 6) || there < header || header < 20) {
        r->c->foreign++;
        return ORR_OK;
    }
    total = version == 4 ? read_big16(p + 2) : read_big16(p + 4) + (size_t)40;
    if (total <= header) /* segmented by the NIC: it is not filled in */
        total = wire;
    ip.protocol = version == 4 ? p[9] : p[6];
    ip.body = p + header;
    ip.there = there - header;
    ip.length = total > header ? total - header : 0;
    if (ip.there > ip.length)
        ip.there = ip.length;
    orr_err err =
        find_host(r, p + (version == 4 ? 12 : 8), version == 4, &ip.from);
    if (!err)
        err = find_host(r, p + (version == 4 ? 16 : 24), version == 4, &ip.to);
    return err ? err : take_body(r, &ip);
}

/* Down to IP. wire: length of the packet on the wire. */
static orr_err take_frame(struct reader *r, uint32_t link, const uint8_t *p,
                          size_t n, size_t wire, int64_t ns)
{
    enum { V4 = 0x0800, V6 = 0x86dd, VLAN = 0x8100, QINQ = 0x88a8 };
    size_t at = 0;
    uint32_t type = 0;
    r->c->seen++;
    if (link == LINK_ETHERNET && n >= 14) {
        type = read_big16(p + 12);
        for (at = 14; (type == VLAN || type == QINQ) && n >= at + 4; at += 4)
            type = read_big16(p + at + 2);
    } else if (link == LINK_SLL && n >= 16) {
        type = read_big16(p + 14);
        at = 16;
    } else if (link == LINK_SLL2 && n >= 20) {
        type = read_big16(p);
        at = 20;
    } else if (link == LINK_RAW || (link == LINK_NULL && n >= 4)) {
        type = V4; /* take_ip sees which it is */
        at = link == LINK_RAW ? 0 : 4;
    }
    if (type != V4 && type != V6) {
        r->c->foreign++;
        return ORR_OK;
    }
    if (!r->begun)
        r->first_ns = ns;
    r->begun = true;
    return take_ip(r, p + at, n - at, wire > at ? wire - at : 0,
                   ns - r->first_ns);
}

/* ---- pcap --------------------------------------------------------------- */

/* ns: times are in ns, else in us. */
static orr_err read_pcap(struct reader *r, bool ns)
{
    if (r->n < 24)
        return fail_in_capture(r, "the header of the capture is cut");
    uint32_t link = file32(r, r->bytes + 20) & 0xffff;
    orr_err err = ORR_OK;
    for (r->at = 24; r->at < r->n && !err;) {
        const uint8_t *p = r->bytes + r->at;
        size_t left = r->n - r->at;
        uint32_t there = left >= 16 ? file32(r, p + 8) : 0;
        if (left < 16 || there > left - 16) {
            r->c->ended_early = true;
            return ORR_OK;
        }
        uint32_t part = file32(r, p + 4);
        int64_t at = (int64_t)file32(r, p) * 1000000000
                     + (int64_t)part * (ns ? 1 : 1000);
        err = take_frame(r, link, p + 16, there, file32(r, p + 12), at);
        r->at += 16 + there;
    }
    return err;
}

/* ---- pcapng ------------------------------------------------------------- */

/* Options of an interface: if_tsresol (9). */
static uint64_t read_resolution(const struct reader *r, const uint8_t *p,
                                size_t n)
{
    uint64_t units = 1000000;
    while (n >= 4) {
        uint32_t code = file16(r, p), length = file16(r, p + 2);
        size_t padded = (length + (size_t)3) & ~(size_t)3;
        if (code == 0 || padded > n - 4)
            break;
        if (code == 9 && length >= 1) {
            uint32_t power = p[4] & 0x7f;
            units = 1;
            if (p[4] & 0x80)
                units = power < 63 ? UINT64_C(1) << power : 0;
            else
                for (uint32_t i = 0; i < power && units; i++)
                    units = units > UINT64_MAX / 10 ? 0 : units * 10;
        }
        p += 4 + padded;
        n -= 4 + padded;
    }
    return units;
}

static int64_t ns_of_stamp(uint64_t stamp, uint64_t units_s)
{
    unsigned __int128 ns = (unsigned __int128)stamp * 1000000000u;
    return units_s ? (int64_t)(uint64_t)(ns / units_s & (INT64_MAX >> 1)) : 0;
}

static orr_err take_interface(struct reader *r, const uint8_t *p, size_t n)
{
    if (n < 8)
        return fail_in_capture(r, "the description of an interface is cut");
    if (r->interfaces == INTERFACES)
        return fail_in_capture(r, "more than 256 interfaces");
    r->interface[r->interfaces].link = file16(r, p);
    r->interface[r->interfaces].units_s = read_resolution(r, p + 8, n - 8);
    r->interfaces++;
    return ORR_OK;
}

/* An enhanced packet block, without its type and lengths. */
static orr_err take_enhanced(struct reader *r, const uint8_t *p, size_t n)
{
    if (n < 20)
        return fail_in_capture(r, "a packet block is cut");
    uint32_t i = file32(r, p), there = file32(r, p + 12);
    if (i >= r->interfaces)
        return fail_in_capture(
            r, "a packet of an interface that is not described");
    if (there > n - 20)
        return fail_in_capture(r, "a packet that is longer than its block");
    uint64_t stamp = (uint64_t)file32(r, p + 4) << 32 | file32(r, p + 8);
    return take_frame(r, r->interface[i].link, p + 20, there, file32(r, p + 16),
                      ns_of_stamp(stamp, r->interface[i].units_s));
}

/* One block; a section may be of the other order of bytes. */
static orr_err take_block(struct reader *r, uint32_t type, const uint8_t *p,
                          size_t n)
{
    enum { INTERFACE = 1, ENHANCED = 6 };
    if (type == INTERFACE)
        return take_interface(r, p, n);
    return type == ENHANCED ? take_enhanced(r, p, n) : ORR_OK;
}

/* Block by block. */
static orr_err read_pcapng(struct reader *r)
{
    static const uint8_t section[] = {0x0a, 0x0d, 0x0d, 0x0a};
    orr_err err = ORR_OK;
    while (r->at < r->n && !err) {
        const uint8_t *p = r->bytes + r->at;
        size_t left = r->n - r->at;
        if (left >= 12 && memcmp(p, section, 4) == 0) {
            r->swapped = read_big32(p + 8) == 0x1a2b3c4d;
            r->interfaces = 0;
            if (file32(r, p + 8) != 0x1a2b3c4d)
                return fail_in_capture(r, "a section without its magic number");
        }
        uint32_t length = left >= 12 ? file32(r, p + 4) : 0;
        if (left < 12 || length > left) {
            r->c->ended_early = true;
            return ORR_OK;
        }
        if (length < 12 || length % 4)
            return fail_in_capture(r, "a block whose length is wrong");
        err = take_block(r, file32(r, p), p + 8, length - 12);
        r->at += length;
    }
    return err;
}

/* ---- all ---------------------------------------------------------------- */

orr_err orr__capture_read(struct orr_capture *c, const char *name,
                          const uint8_t *bytes, size_t n,
                          struct orr_report *why)
{
    struct reader r = {
        .c = c, .name = name, .bytes = bytes, .n = n, .why = why};
    uint32_t magic = n >= 4 ? read_big32(bytes) : 0;
    orr_err err;
    if (magic == 0xa1b2c3d4 || magic == 0xa1b23c4d) {
        r.swapped = true;
        err = read_pcap(&r, magic == 0xa1b23c4d);
    } else if (magic == 0xd4c3b2a1 || magic == 0x4d3cb2a1) {
        err = read_pcap(&r, magic == 0x4d3cb2a1);
    } else if (magic == 0x0a0d0d0a) {
        err = read_pcapng(&r);
    } else {
        err = orr__fail_at(why, ORR_ECONFIG, name, 1, 1,
                           n ? "no capture: neither pcap nor pcapng"
                             : "the file is empty");
        if (magic >> 16 == 0x1f8b)
            orr__hint(why, "it is compressed: gunzip it first");
    }
    orr__names_fini(&r.addresses);
    orr__names_fini(&r.flows);
    orr__free(r.stream);
    return err;
}

void orr__capture_fini(struct orr_capture *c)
{
    orr__free(c->host);
    orr__free(c->packet);
    *c = (struct orr_capture){.hosts = 0};
}
