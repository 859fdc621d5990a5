#include "record/pack.h"

#include <isa-l/igzip_lib.h>
#include <string.h>

#include "core/memory.h"

/* What tiles are packed with, one after another. */
struct orr_packer {
    struct isal_zstream stream;
    unsigned char *work;           /* ISAL_DEF_LVL1_DEFAULT bytes */
    unsigned char *shuffled, *out; /* room for so many bytes each */
    size_t room;
};

struct orr_packer *orr__packer_new(void)
{
    struct orr_packer *p = orr__alloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->work = orr__resize(NULL, ISAL_DEF_LVL1_DEFAULT, 1);
    if (p->work)
        return p;
    orr__free(p);
    return NULL;
}

void orr__packer_free(struct orr_packer *p)
{
    if (p == NULL)
        return;
    orr__free(p->work);
    orr__free(p->shuffled);
    orr__free(p->out);
    orr__free(p);
}

/* For tiles of n bytes. False: no memory; there is none, then. */
static bool make_room(struct orr_packer *p, size_t n)
{
    if (n <= p->room)
        return true;
    orr__free(p->shuffled);
    orr__free(p->out);
    p->shuffled = orr__resize(NULL, n, 1);
    p->out = orr__resize(NULL, n, 1);
    p->room = p->shuffled && p->out ? n : 0;
    return p->room > 0;
}

/* ---- shuffling ---------------------------------------------------------- */

enum { ROWS = 16 };
typedef unsigned char byte_vector __attribute__((vector_size(ROWS)));

/* The first half of n vectors and the second, byte by byte in turn. */
static inline __attribute__((always_inline)) void interleave(
    const byte_vector *in, byte_vector *out, size_t n)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < n / 2; i++) {
        byte_vector a = in[i], b = in[n / 2 + i];
        out[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19,
                                             4, 20, 5, 21, 6, 22, 7, 23);
        out[2 * i + 1] = __builtin_shufflevector(
            a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
}

/* ROWS elements at `in`, byte 0 of each to `out`, byte 1 to out + stride and so
 * on. A byte's place is its row's number, then its own within the row, in
 * binary; to interleave turns that by one digit to the left, and a row has
 * four. */
static inline __attribute__((always_inline)) void shuffle_rows(
    unsigned char *out, const unsigned char *in, size_t stride, size_t element)
{
    byte_vector v[8], w[8];
    memcpy(v, in, ROWS * element);
    interleave(v, w, element);
    interleave(w, v, element);
    interleave(v, w, element);
    interleave(w, v, element);
#pragma GCC unroll 8
    for (size_t byte = 0; byte < element; byte++)
        memcpy(out + byte * stride, &v[byte], ROWS);
}

/* n bytes of elements of so many; `at` rows of them stand in `out` already. */
static void shuffle_bytes(unsigned char *out, const unsigned char *in, size_t n,
                          size_t element, size_t at)
{
    size_t stride = n / element;
    for (size_t byte = 0; byte < element; byte++)
        for (size_t i = at; i < stride; i++)
            out[byte * stride + i] = in[i * element + byte];
}

static void shuffle(unsigned char *out, const unsigned char *in, size_t n,
                    size_t element)
{
    size_t stride = n / element, at = 0;
    for (; element == 8 && at + ROWS <= stride; at += ROWS)
        shuffle_rows(out + at, in + at * 8, stride, 8);
    for (; element == 4 && at + ROWS <= stride; at += ROWS)
        shuffle_rows(out + at, in + at * 4, stride, 4);
    shuffle_bytes(out, in, n, element, at);
}

/* ------------------------------------------------------------------------- */

/* In the frame of RFC 1950, at the level of H5Pset_deflate (record.c). Returns
 * how many bytes they take, 0: no fewer. */
static size_t deflate(struct orr_packer *p, size_t n)
{
    struct isal_zstream *z = &p->stream;
    isal_deflate_stateless_init(z);
    z->gzip_flag = IGZIP_ZLIB;
    z->level = 1;
    z->level_buf = p->work;
    z->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
    z->end_of_stream = 1;
    z->next_in = p->shuffled;
    z->avail_in = (uint32_t)n;
    z->next_out = p->out;
    z->avail_out = (uint32_t)n;
    if (isal_deflate_stateless(z) != COMP_OK || z->total_out >= n)
        return 0;
    return z->total_out;
}

const void *orr__pack_values(struct orr_packer *p, const void *values, size_t n,
                             size_t element, size_t *packed)
{
    if (!make_room(p, n))
        return NULL;
    shuffle(p->shuffled, values, n, element);
    *packed = deflate(p, n);
    return p->out;
}
