/* What a packer makes, taken apart again by igzip and by hand, as HDF5's
 * filters do when a tile is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <isa-l/igzip_lib.h>
#include <string.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "record/pack.h"

enum { MOST = 64 * 64 };

/* A zlib stream, with its check sum; how many bytes come out. */
static size_t inflate_all(const void *packed, size_t n, void *out, size_t room)
{
    struct inflate_state s;

    isal_inflate_init(&s);
    s.crc_flag = ISAL_ZLIB;
    s.next_in = (uint8_t *)(uintptr_t)packed;
    s.avail_in = (uint32_t)n;
    s.next_out = out;
    s.avail_out = (uint32_t)room;
    assert_int_equal(isal_inflate(&s), ISAL_DECOMP_OK);
    assert_int_equal(s.block_state, ISAL_BLOCK_FINISH);
    assert_int_equal(s.avail_in, 0);
    return s.total_out;
}

/* Whether they come back; returns how many bytes they took. */
static size_t pack(struct orr_packer *p, const void *values, size_t n,
                   size_t element)
{
    unsigned char shuffled[8 * MOST], back[8 * MOST];
    size_t packed, i = 0;
    const void *out = orr__pack_values(p, values, n, element, &packed);

    assert_non_null(out);
    if (packed == 0)
        return 0;
    assert_int_equal(inflate_all(out, packed, shuffled, sizeof shuffled), n);
    for (size_t byte = 0; byte < element; byte++)
        for (size_t at = byte; at < n; at += element)
            back[at] = shuffled[i++];
    assert_memory_equal(back, values, n);
    return packed;
}

/* One packer for tiles of several sizes, one after the other. */
static void comes_back(void **state)
{
    struct orr_packer *p = orr__packer_new();
    uint64_t count[MOST];
    float share[MOST];

    assert_non_null(p);
    for (uint32_t i = 0; i < MOST; i++) {
        count[i] = i % 7 ? 1448 * (i % 50) : 0;
        share[i] = i % 5 ? (float)i / MOST : 0;
    }
    for (size_t n = 16; n <= MOST; n *= 4) {
        assert_in_range(pack(p, count, n * sizeof *count, sizeof *count), 1,
                        n * sizeof *count / 2);
        assert_in_range(pack(p, share, n * sizeof *share, sizeof *share), 1,
                        n * sizeof *share);
    }
    assert_in_range(pack(p, count, 16 * sizeof *count, 8), 1, 128);
    /* rows that are no multiple of 16, and elements of one byte and of two */
    for (size_t n = 241; n < 273; n++)
        for (size_t element = 1; element <= 8; element *= 2)
            assert_in_range(pack(p, count, n * element, element), 1,
                            n * element);
    orr__packer_free(p);
}

static void what_does_not_shrink_stays(void **state)
{
    struct orr_packer *p = orr__packer_new();
    struct orr_random random;
    uint64_t noise[MOST];

    assert_non_null(p);
    orr__random_init(&random, 7, 1, 2);
    for (uint32_t i = 0; i < MOST; i++)
        noise[i] = orr__random_u64(&random);
    assert_int_equal(pack(p, noise, sizeof noise, 8), 0);
    memset(noise, 0, sizeof noise); /* and then one that does */
    assert_in_range(pack(p, noise, sizeof noise, 8), 1, 200);
    orr__packer_free(p);
}

/* Each allocation fails once; the packer is as good as new when none does. */
static void without_memory(void **state)
{
    uint64_t zero[MOST] = {0};
    uint32_t failed = 0;

    for (uint64_t n = 1;; n++) {
        size_t packed;
        const void *out = NULL;
        struct orr_packer *p;

        orr__memory_fail_after(n, 0);
        p = orr__packer_new();
        if (p)
            out = orr__pack_values(p, zero, sizeof zero, 8, &packed);
        orr__memory_fail_after(0, 0);
        if (p && !out)
            assert_in_range(pack(p, zero, sizeof zero, 8), 1, 200);
        orr__packer_free(p);
        if (out)
            break;
        failed++;
    }
    assert_in_range(failed, 4, 12); /* itself, igzip's, and two buffers */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(what_does_not_shrink_stays),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
