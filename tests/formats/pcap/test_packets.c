#include "formats/pcap/packets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/memory.h"
#include "formats/pcap/period.h"
#include "tests/refused.h"

/* A capture while it is written. */
struct writer {
    uint8_t bytes[4096];
    size_t n;
    bool big; /* order of bytes of the file's own numbers */
};

static void put(struct writer *w, const void *bytes, size_t n)
{
    assert_true(w->n + n <= sizeof w->bytes);
    memcpy(w->bytes + w->n, bytes, n);
    w->n += n;
}

static void put32(struct writer *w, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        put(w, &(uint8_t){(uint8_t)(x >> 8 * (w->big ? 3 - i : i))}, 1);
}

static void put16(struct writer *w, uint32_t x)
{
    for (int i = 0; i < 2; i++)
        put(w, &(uint8_t){(uint8_t)(x >> 8 * (w->big ? 1 - i : i))}, 1);
}

/* Ethernet, a VLAN, IPv4 from 10.0.0.1 to 10.0.0.`to`, TCP: 58 bytes of
 * headers; the capture has no payload. */
static void put_tcp(struct writer *w, uint8_t to, uint32_t seq,
                    uint32_t payload)
{
    uint8_t p[58] = {
        [12] = 0x81, [16] = 8,  [18] = 0x45, [27] = 6, [30] = 10,  [33] = 1,
        [34] = 10,   [37] = to, [39] = 5,    [41] = 6, [50] = 0x50};
    p[20] = (uint8_t)((payload + 40) >> 8);
    p[21] = (uint8_t)(payload + 40);
    for (int i = 0; i < 4; i++)
        p[42 + i] = (uint8_t)(seq >> (24 - 8 * i));
    put(w, p, sizeof p);
}

static void begin_pcap(struct writer *w, uint32_t magic)
{
    static const uint32_t rest[] = {0x00040002, 0, 0, 65535, 1};
    put32(w, magic);
    for (int i = 0; i < 5; i++)
        put32(w, rest[i]);
}

static void put_packet(struct writer *w, uint32_t s, uint32_t part, uint8_t to,
                       uint32_t seq, uint32_t payload)
{
    put32(w, s);
    put32(w, part);
    put32(w, 58);
    put32(w, 58 + payload);
    put_tcp(w, to, seq, payload);
}

static void check_packets(const struct orr_capture *c)
{
    char host[64];
    assert_int_equal(c->hosts, 3);
    orr__capture_host(c, 0, host, sizeof host);
    assert_string_equal(host, "10.0.0.1");
    assert_int_equal(c->packets, 3);
    assert_int_equal(c->packet[0].ns, 0);
    assert_int_equal(c->packet[0].bytes, 1000);
    assert_int_equal(c->packet[1].ns, 1000000000 + 3000);
    assert_int_equal(c->packet[1].bytes, 500); /* half of it was seen */
    assert_int_equal(c->packet[2].from, 0);
    assert_int_equal(c->packet[2].to, 2);
    assert_int_equal(c->repeated, 1500);
    assert_int_equal(c->seen, 5);
    assert_false(c->ended_early);
}

/* In both orders of bytes, in us and ns. */
static void test_pcap(void **state)
{
    static const struct {
        uint32_t magic, part;
        bool big;
    } kinds[] = {{0xa1b2c3d4, 3, false},
                 {0xa1b2c3d4, 3, true},
                 {0xa1b23c4d, 3000, false}};
    for (size_t i = 0; i < 3; i++) {
        struct writer w = {.big = kinds[i].big};
        struct orr_capture c = {.hosts = 0};
        struct orr_report why = {.code = ORR_OK};
        begin_pcap(&w, kinds[i].magic);
        put_packet(&w, 7, 0, 2, 0xffffff00, 1000);
        put_packet(&w, 7, 1, 2, 0xffffff00, 1000);
        put_packet(&w, 8, kinds[i].part, 2, 0xffffff00 + 500, 1000);
        put_packet(&w, 8, kinds[i].part, 3, 1, 10);
        put_packet(&w, 8, kinds[i].part, 3, 11, 0); /* an ACK */
        assert_int_equal(orr__capture_read(&c, "c", w.bytes, w.n, &why),
                         ORR_OK);
        check_packets(&c);
        orr__capture_fini(&c);
        assert_int_equal(orr__capture_read(&c, "c", w.bytes, w.n - 1, &why),
                         ORR_OK);
        assert_true(c.ended_early);
        orr__capture_fini(&c);
    }
}

/* A section, an interface with a resolution of `resolution`, a packet of
 * interface `i` whose block is `more` bytes longer than it says. */
static void put_section(struct writer *w, uint32_t magic)
{
    put32(w, 0x0a0d0d0a);
    put32(w, 28);
    put32(w, magic);
    put32(w, 1);
    put32(w, 0xffffffff);
    put32(w, 0xffffffff);
    put32(w, 28);
}

static void put_interface(struct writer *w, uint8_t resolution)
{
    put32(w, 1);
    put32(w, 32);
    put16(w, 1);
    put16(w, 0);
    put32(w, 0);
    put16(w, 9);
    put16(w, 1);
    put(w, (uint8_t[]){resolution, 0, 0, 0}, 4);
    put32(w, 0);
    put32(w, 32);
}

static void put_enhanced(struct writer *w, uint32_t interface, uint32_t stamp,
                         uint32_t there)
{
    put32(w, 6);
    put32(w, 92);
    put32(w, interface);
    put32(w, 0);
    put32(w, stamp);
    put32(w, there);
    put32(w, 1058);
    put_tcp(w, 2, 7 * stamp, 1000);
    put(w, (uint8_t[]){0, 0}, 2);
    put32(w, 92);
}

static void test_pcapng(void **state)
{
    struct writer w = {.n = 0};
    struct orr_capture c = {.hosts = 0};
    struct orr_report why = {.code = ORR_OK};
    put_section(&w, 0x1a2b3c4d);
    put_interface(&w, 9);
    put_enhanced(&w, 0, 5, 58);
    put_enhanced(&w, 0, 905, 58);
    assert_int_equal(orr__capture_read(&c, "c", w.bytes, w.n, &why), ORR_OK);
    assert_int_equal(c.packets, 2);
    assert_int_equal(c.packet[1].ns, 900);
    orr__capture_fini(&c);
}

static void refuse(size_t row, const struct writer *w, const char *message)
{
    struct orr_capture c = {.hosts = 0};
    struct orr_report why = {.code = ORR_OK};
    assert_refused(orr__capture_read(&c, "c", w->bytes, w->n, &why), &why,
                   (struct refused){row, message, NULL, 0, 0});
    assert_string_equal(why.file, "c");
    orr__capture_fini(&c);
}

static void test_refuses(void **state)
{
    struct writer w = {.n = 0};
    refuse(0, &w, "the file is empty");
    put32(&w, 0x12345678);
    refuse(1, &w, "no capture: neither pcap nor pcapng");
    w.n = 0;
    put32(&w, 0xa1b2c3d4);
    refuse(2, &w, "the header of the capture is cut, at byte 0");
    w.n = 0;
    put_section(&w, 0x1a2b3c4e);
    refuse(3, &w, "a section without its magic number, at byte 0");
    w.n = 0;
    put_section(&w, 0x1a2b3c4d);
    put_enhanced(&w, 0, 5, 58);
    refuse(4, &w, "a packet of an interface that is not described, at byte 28");
    w.n = 28;
    put_interface(&w, 9);
    put_enhanced(&w, 0, 5, 1000);
    refuse(5, &w, "a packet that is longer than its block, at byte 60");
    w.n = 28;
    put32(&w, 6);
    put32(&w, 13);
    put32(&w, 0);
    put32(&w, 0);
    refuse(6, &w, "a block whose length is wrong, at byte 28");
}

/* Bursts every 500.25 bins that come up to 10 bins early or late; and noise. */
static void test_period(void **state)
{
    static double bin[65536];
    struct orr_period p;
    unsigned random = 1;
    for (int k = 0; k < 129; k++) {
        double at = 100 + k * 500.25;
        random = random * 1103515245u + 12345u;
        size_t from = (size_t)(at + (double)(random >> 16 & 15) - 8);
        for (size_t i = 0; i < 20; i++)
            bin[from + i] += 1;
        bin[from + 250] += 5;
    }
    assert_int_equal(orr__period_find(bin, 65536, &p), ORR_OK);
    assert_true(fabs(p.length - 500.25) < 0.2);
    assert_true(p.correlation > 0.6 && p.correlation <= 1);
    for (size_t i = 0; i < 65536; i++) {
        random = random * 1103515245u + 12345u;
        bin[i] = (random >> 16 & 255) == 0;
    }
    assert_int_equal(orr__period_find(bin, 65536, &p), ORR_OK);
    assert_true(p.length == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pcap),
        cmocka_unit_test(test_pcapng),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
