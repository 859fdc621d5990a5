#include "core/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"

/* What was read so far; `n` of `room` bytes are used. */
struct bytes {
    char *s;
    size_t n, room;
};

/* Room for a byte more and a NUL, and at first for as many as a regular file
 * has, so that its bytes are not copied. */
static bool make_room(struct bytes *b, size_t expected, size_t most)
{
    size_t want = b->n ? b->n + 2 : expected + 2;
    if (want <= b->room)
        return true;
    void *more = orr__array_grow(b->s, &b->room, want, most + 2, 1);
    if (more)
        b->s = more;
    return more != NULL;
}

/* 0, or an errno. */
static int read_on(int fd, size_t most, unsigned how, size_t expected,
                   struct bytes *b)
{
    const bool shortened = how & ORR_READ_BEGINNING;
    for (;;) {
        if (!make_room(b, expected, most))
            return ENOMEM;
        ORR_ASSERT(b->s != NULL && b->n < b->room - 1);
        ssize_t got = read(fd, b->s + b->n, b->room - b->n - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            b->s[b->n] = '\0';
            return got < 0 ? errno : 0;
        }
        bool text = !memchr(b->s + b->n, '\0', (size_t)got);
        b->n += (size_t)got;
        if (b->n > most && !shortened)
            return EFBIG;
        if (b->n > most)
            b->n = most;
        b->s[b->n] = '\0';
        if ((shortened && b->n == most) || (!text && how & ORR_READ_TEXT))
            return 0;
    }
}

int orr__read_from(int fd, size_t most, unsigned how, char **bytes, size_t *n)
{
    struct bytes b = {0};
    struct stat st;
    size_t expected = 4096;
    int wrong = fstat(fd, &st) != 0 ? errno : 0;
    if (!wrong && S_ISDIR(st.st_mode))
        wrong = EISDIR;
    else if (!wrong && S_ISREG(st.st_mode) && (uintmax_t)st.st_size <= most)
        expected = (size_t)st.st_size;
    else if (!wrong && !S_ISREG(st.st_mode) && how & ORR_READ_REGULAR)
        wrong = EINVAL;
    if (expected > most)
        expected = most;
    if (!wrong)
        wrong = read_on(fd, most, how, expected, &b);
    if (wrong) {
        orr__free(b.s);
        b = (struct bytes){0};
    }
    *bytes = b.s;
    *n = b.n;
    return wrong;
}

int orr__read_file(const char *path, size_t most, unsigned how, char **bytes,
                   size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int wrong = fd < 0 ? errno : 0;
    *bytes = NULL;
    *n = 0;
    if (fd >= 0) {
        wrong = orr__read_from(fd, most, how, bytes, n);
        close(fd);
    }
    return wrong;
}

int orr__lines_open(struct orr_lines *l, const char *path, size_t most)
{
    *l = (struct orr_lines){0};
    return orr__read_file(path, most, ORR_READ_TEXT, &l->text, &l->n);
}

char *orr__lines_next(struct orr_lines *l)
{
    if (l->at == l->n)
        return NULL;
    ORR_ASSERT(l->text != NULL && l->at < l->n);
    char *line = l->text + l->at;
    char *end = memchr(line, '\n', l->n - l->at);
    l->ended = end != NULL;
    l->length = end ? (size_t)(end - line) : l->n - l->at;
    l->at += l->length + l->ended;
    line[l->length] = '\0'; /* one is behind the last line too */
    return line;
}

void orr__lines_fini(struct orr_lines *l)
{
    orr__free(l->text);
    *l = (struct orr_lines){0};
}
