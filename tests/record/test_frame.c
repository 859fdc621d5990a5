/* Frames, byte by byte. What they should be was written down by hand from the
 * standards: RFC 791, 768, 9293, InfiniBand's annex A17, IEEE 802.1Qbb. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "record/frame.h"

static const struct orr_frame_ends ends = {
    .from = 3,
    .to = 260,
    .src = 1,
    .dst = 0x020304,
    .src_port = 49152,
    .dst_port = 5001,
    .class = 3,
    .ecn = true,
    .ce = true,
};

/* text: hexadecimal digits, blanks between. */
static void are(const uint8_t *bytes, size_t n, const char *text)
{
    char hex[3 * ORR_FRAME_MOST + 1] = "", wanted[3 * ORR_FRAME_MOST + 1] = "";
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    for (; *text; text++)
        if (*text != ' ')
            wanted[at++] = *text;
    assert_string_equal(hex, wanted);
}

/* RFC 1071: of right ones the sum is all ones. */
static uint32_t sum_of(const uint8_t *bytes, size_t n, uint32_t sum)
{
    for (size_t i = 0; i < n; i += 2)
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

static void tcp(void **state)
{
    struct orr_frame f;
    struct orr_frame_tcp data = {.seq = 4096, .payload = 1000, .push = true};
    struct orr_frame_tcp ack = {.ack = UINT64_C(0x100000005), .echo = true};
    orr__frame_tcp(&f, &ends, &data);
    are(f.byte, 24,
        "020000000104 020000000003 0800 "
        "45 63 0410 0000 4000 40 06");
    assert_int_equal(sum_of(f.byte + 14, 20, 0), 0xffff);
    are(f.byte + 26, 8, "0a000001 0a020304");
    are(f.byte + 34, 16, "c000 1389 00001001 00000001 5018 ffff");
    /* the pseudo header: addresses, protocol, 20 + 1000; payload is zeros */
    assert_int_equal(sum_of(f.byte + 34, 20, sum_of(f.byte + 26, 8, 6 + 1020)),
                     0xffff);
    assert_int_equal(f.length, 54);
    assert_int_equal(orr__frame_bytes(&f), 1054);
    orr__frame_tcp(&f, &ends, &ack);
    are(f.byte + 38, 12, "00000001 00000006 5050 ffff");
    assert_int_equal(orr__frame_bytes(&f), 54);
}

static void udp(void **state)
{
    struct orr_frame f;
    struct orr_frame_ends plain = ends;
    plain.ce = false;
    orr__frame_udp(&f, &plain, 100);
    are(f.byte + 14, 10, "45 62 0080 0000 4000 40 11");
    are(f.byte + 34, 8, "c000 1389 006c 0000");
    assert_int_equal(orr__frame_bytes(&f), 142);
    plain.ecn = false;
    orr__frame_udp(&f, &plain, 70000); /* more than a header can say */
    are(f.byte + 14, 4, "45 60 0000");
    assert_int_equal(orr__frame_bytes(&f), 70042);
}

/* CRC-32 bit by bit, reflected, as Ethernet has it. */
static uint32_t crc_of(const uint8_t *bytes, size_t n, uint32_t crc)
{
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return crc;
}

static uint32_t icrc_of(const struct orr_frame *f)
{
    uint8_t b[8 + ORR_FRAME_MOST], zero = 0;
    uint32_t crc;
    size_t n = 8 + f->length - 14;
    memset(b, 0xff, 8);
    memcpy(b + 8, f->byte + 14, f->length - 14);
    b[8 + 1] = b[8 + 8] = b[8 + 10] = b[8 + 11] = 0xff;
    b[8 + 26] = b[8 + 27] = b[8 + 32] = 0xff;
    crc = crc_of(b, n, UINT32_MAX);
    for (uint64_t i = 0; i < f->payload; i++)
        crc = crc_of(&zero, 1, crc);
    return ~crc;
}

static void has_icrc(const struct orr_frame *f)
{
    const uint8_t *c = f->byte + f->length;
    assert_int_equal(f->trailer, 4);
    assert_int_equal(c[0] | c[1] << 8 | c[2] << 16 | (uint32_t)c[3] << 24,
                     icrc_of(f));
}

static void roce(void **state)
{
    struct orr_frame f;
    struct orr_frame_roce data = {.opcode = ORR_ROCE_LAST,
                                  .pair = 0x1012,
                                  .psn = 0x1000007,
                                  .payload = 1001,
                                  .asks = true};
    struct orr_frame_roce ack = {
        .opcode = ORR_ROCE_ACK, .pair = 16, .psn = 6, .messages = 2};
    struct orr_frame_roce cnp = {.opcode = ORR_ROCE_CNP, .pair = 16};
    struct orr_frame_ends to = ends;
    to.dst_port = ORR_ROCE_PORT;
    orr__frame_roce(&f, &to, &data);
    are(f.byte + 34, 8, "c000 12b7 0404 0000"); /* 8 + 12 + 1004 + 4 */
    are(f.byte + 42, 12, "02 30 ffff 00 001012 80 000007");
    assert_int_equal(orr__frame_bytes(&f), 14 + 20 + 8 + 12 + 1004 + 4);
    has_icrc(&f);
    orr__frame_roce(&f, &to, &ack);
    are(f.byte + 42, 16, "11 00 ffff 00 000010 00 000006 1f 000002");
    assert_int_equal(orr__frame_bytes(&f), 62);
    has_icrc(&f);
    ack.refused = true;
    orr__frame_roce(&f, &to, &ack);
    are(f.byte + 54, 4, "60 000002");
    orr__frame_roce(&f, &to, &cnp);
    are(f.byte + 42, 12, "81 00 ffff 40 000010 00 000000");
    assert_int_equal(orr__frame_bytes(&f), 14 + 20 + 8 + 12 + 16 + 4);
    has_icrc(&f);
}

static void pause_frames(void **state)
{
    struct orr_frame f;
    orr__frame_pause(&f, 9, 5, true);
    are(f.byte, f.length,
        "0180c2000001 020000000009 8808 0101 0020 "
        "0000 0000 0000 0000 0000 ffff 0000 0000");
    assert_int_equal(orr__frame_bytes(&f), 60);
    orr__frame_pause(&f, 9, 0, false);
    are(f.byte + 14, f.length - 14,
        "0101 0001 "
        "0000 0000 0000 0000 0000 0000 0000 0000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp),
        cmocka_unit_test(udp),
        cmocka_unit_test(roce),
        cmocka_unit_test(pause_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
