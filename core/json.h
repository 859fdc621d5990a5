/* A JSON text written from its beginning to its end. jansson keeps numbers as
 * double, which would lose picoseconds of a long run. */
#ifndef ORR_CORE_JSON_H
#define ORR_CORE_JSON_H

#include "core/statistics.h"
#include "core/text.h"

/* Lists by their path, "jobs.*.rank_list", over all places where they stand. */
struct orr_json_lists {
    const char *const *whole; /* those written to their end, NULL ends; NULL:
                               * none is */
    struct {
        const char *path;
        uint64_t shown, all; /* members */
    } list[12];
    unsigned n; /* of `list` */
};

struct orr_json {         /* zeroed: nothing written yet */
    struct orr_text text; /* so far */
    char close[16];       /* brackets that are open */
    unsigned depth;       /* how many of those */
    unsigned flat; /* depth from which members stay on one line; 0: none */
    bool more;     /* a member stands before the next one */
    struct orr_json_lists lists; /* that may end early */
};

/* key is NULL for members of a list and for the outermost value. */
void orr__json_object(struct orr_json *j, const char *key);
void orr__json_list(struct orr_json *j, const char *key);
/* An object or list on one line. */
void orr__json_flat_object(struct orr_json *j, const char *key);
void orr__json_end(struct orr_json *j);

/* A string as JSON has it, between quotes, into any text. Bytes that are no
 * UTF-8 become U+FFFD. */
void orr__json_string(struct orr_text *t, const char *s);

/* s NULL: null. Bytes that are no UTF-8 become U+FFFD. */
void orr__json_text(struct orr_json *j, const char *key, const char *s);
void orr__json_count(struct orr_json *j, const char *key, uint64_t value);
void orr__json_flag(struct orr_json *j, const char *key, bool value);
void orr__json_null(struct orr_json *j, const char *key);
/* Not finite: null. */
void orr__json_real(struct orr_json *j, const char *key, double value);
/* Picoseconds as nanoseconds with three decimals, exact; negative: null. */
void orr__json_time(struct orr_json *j, const char *key, int64_t ps);
/* The same from a mean, rounded to a picosecond. */
void orr__json_mean_time(struct orr_json *j, const char *key, double ps);

/* Nanoseconds that are counted whole, as a cluster's are: with three decimals
 * as well, exact; negative: null. */
void orr__json_ns(struct orr_json *j, const char *key, int64_t ns);
/* Of such a clock, what is no whole number or was worked out: to a picosecond,
 * as far as double goes; not finite: null. */
void orr__json_long_time(struct orr_json *j, const char *key, double ns);

/* mean, p10, p50, p90, p95, p99, min and max, each put by `put`. */
void orr__json_statistics(struct orr_json *j, const char *key,
                          const struct orr_statistics *s,
                          void (*put)(struct orr_json *, const char *, double));

/* How many of n members a list of that path has in the text: all if it is
 * wanted whole, else `most`. The path lives as long as j. */
uint64_t orr__json_shown(struct orr_json *j, const char *path, uint64_t n,
                         uint64_t most);
/* The list `cut`: {list, shown, of} for each of those that lack members. */
void orr__json_cuts(struct orr_json *j);

/* The text with a line end, to be freed with orr__free; NULL: no memory. */
char *orr__json_done(struct orr_json *j);

#endif
