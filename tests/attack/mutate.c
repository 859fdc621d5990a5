/* Bytes with some of them changed: bits, stretches taken out, doubled or
 * swapped, numbers made extreme, words put in from elsewhere. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "tests/attack/doors.h"

struct bytes {
    struct orr_random *r;
    char *at;
    size_t size;
};

static size_t below(struct bytes *b, size_t n)
{
    return n ? (size_t)orr__random_below(b->r, n) : 0;
}

/* Puts n bytes in place of `old` bytes at `from`. */
static void replace(struct bytes *b, size_t from, size_t old, const char *with,
                    size_t n)
{
    char *made = malloc(b->size - old + n + 1);

    memcpy(made, b->at, from);
    memcpy(made + from, with, n);
    memcpy(made + from + n, b->at + from + old, b->size - from - old);
    b->size = b->size - old + n;
    made[b->size] = '\0';
    free(b->at);
    b->at = made;
}

static void flip(struct bytes *b)
{
    if (b->size)
        b->at[below(b, b->size)] ^= (char)(1 << below(b, 8));
}

static void take_out(struct bytes *b)
{
    size_t from = below(b, b->size + 1);

    replace(b, from, below(b, (b->size - from < 40 ? b->size - from : 40) + 1),
            "", 0);
}

static void cut_off(struct bytes *b)
{
    size_t from = below(b, b->size + 1);

    replace(b, from, b->size - from, "", 0);
}

static void twice(struct bytes *b)
{
    size_t from = below(b, b->size + 1);
    size_t n = below(b, (b->size - from < 60 ? b->size - from : 60) + 1);
    char part[64];

    memcpy(part, b->at + from, n);
    replace(b, below(b, b->size + 1), 0, part, n);
}

/* A number somewhere becomes one that nobody expects. */
static void extreme(struct bytes *b)
{
    static const char *const numbers[] = {
        "0",          "-1",         "1",
        "2",          "4294967295", "4294967296",
        "2147483648", "65536",      "9223372036854775807",
        "1e18",       "1e308",      "18446744073709551616",
        "0.1",        "nan",        "99999999999999999999999",
        "",           "inf",        "1e-300"};
    const char *with = numbers[below(b, sizeof numbers / sizeof *numbers)];
    size_t from = below(b, b->size + 1), n = 0;

    while (from < b->size && !isdigit((unsigned char)b->at[from]))
        from++;
    while (from + n < b->size && isdigit((unsigned char)b->at[from + n]))
        n++;
    if (n)
        replace(b, from, n, with, strlen(with));
}

static void put_in(struct bytes *b)
{
    static const char *const words[] = {
        "{",   "}",    "[",   "]",     ": ",   "\n",   "- ",  ", ",
        "\"",  "#",    "\t",  "&a",    "*a",   "null", "~",   "0",
        "-",   "\xff", "\r",  "none",  "auto", "Gbps", "ns",  "<",
        ">",   "&lt;", "1",   "{}",    "[]",   "-1",   " ",   "B",
        "|\n", "!!x ", "---", "kind:", "\\u0", "</a>", "NaN", "%"};
    const char *word = words[below(b, sizeof words / sizeof *words)];

    replace(b, below(b, b->size + 1), 0, word, strlen(word));
}

/* Where the line that holds this byte begins, and how long it is. */
static size_t line_at(const struct bytes *b, size_t at, size_t *length)
{
    size_t from = at, end = at;

    while (from > 0 && b->at[from - 1] != '\n')
        from--;
    while (end < b->size && b->at[end] != '\n')
        end++;
    *length = end - from;
    return from;
}

static void move_line(struct bytes *b)
{
    size_t n, m, from = line_at(b, below(b, b->size + 1), &n);
    char *line = strndup(b->at + from, n);

    n = strlen(line);
    if (orr__random_below(b->r, 2))
        replace(b, from, n, "", 0);
    from = line_at(b, below(b, b->size + 1), &m);
    replace(b, from, 0, "\n", 1);
    replace(b, from, 0, line, n);
    free(line);
}

char *orr__mutate(struct orr_random *r, const char *bytes, size_t size,
                  size_t *new_size)
{
    static void (*const ways[])(struct bytes * b) = {
        flip,    take_out, cut_off, twice,  extreme,
        extreme, extreme,  put_in,  put_in, move_line};
    struct bytes b = {r, malloc(size + 1), size};

    memcpy(b.at, bytes, size);
    b.at[size] = '\0';
    for (size_t n = 1 + below(&b, 4); n > 0; n--)
        ways[below(&b, sizeof ways / sizeof *ways)](&b);
    *new_size = b.size;
    return b.at;
}
