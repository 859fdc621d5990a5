#include "record/pack.h"

#include <zlib.h>

#include "core/memory.h"

struct orr_packer {
    z_stream deflate;
    unsigned char *shuffled, *out; /* room for so many bytes each */
    size_t room;
};

/* So that its failures are ours. */
static voidpf allocate(voidpf opaque, uInt n, uInt size)
{
    return orr__alloc(n, size);
}

static void release(voidpf opaque, voidpf p)
{
    orr__free(p);
}

/* The level that H5Pset_deflate was told (record.c). To look for runs alone
 * (Z_RLE) takes a quarter less of the time for some tiles, but makes those of
 * iterations, which repeat, up to twice as long. */
struct orr_packer *orr__packer_new(void)
{
    enum { LEVEL = 1 };
    struct orr_packer *p = orr__alloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->deflate.zalloc = allocate;
    p->deflate.zfree = release;
    if (deflateInit(&p->deflate, LEVEL) == Z_OK)
        return p;
    orr__free(p);
    return NULL;
}

void orr__packer_free(struct orr_packer *p)
{
    if (p == NULL)
        return;
    deflateEnd(&p->deflate);
    orr__free(p->shuffled);
    orr__free(p->out);
    orr__free(p);
}

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

static void shuffle(unsigned char *out, const unsigned char *in, size_t n,
                    size_t element)
{
    for (size_t byte = 0; byte < element; byte++)
        for (size_t i = byte; i < n; i += element)
            *out++ = in[i];
}

const void *orr__pack(struct orr_packer *p, const void *values, size_t n,
                      size_t element, size_t *packed)
{
    z_stream *z = &p->deflate;
    if (!make_room(p, n) || deflateReset(z) != Z_OK)
        return NULL;
    shuffle(p->shuffled, values, n, element);
    z->next_in = p->shuffled;
    z->avail_in = (uInt)n;
    z->next_out = p->out;
    z->avail_out = (uInt)n;
    *packed = deflate(z, Z_FINISH) == Z_STREAM_END ? n - z->avail_out : 0;
    if (*packed == n)
        *packed = 0;
    return p->out;
}
