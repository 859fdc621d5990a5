/* Parameter tables: one table drives parsing, checking, `orrery help`, the
 * effective configuration and the docs. A module states its parameters once. */
#ifndef ORR_CORE_CONFIG_PARAM_H
#define ORR_CORE_CONFIG_PARAM_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/error.h"

enum orr_param_type {                 /* C type at offset */
                      ORR_PARAM_BOOL, /* bool */
                      ORR_PARAM_INT,  /* int64_t */
                      ORR_PARAM_REAL, /* double */
                      ORR_PARAM_TIME, /* int64_t, ps */
                      ORR_PARAM_SIZE, /* uint64_t, bytes */
                      ORR_PARAM_RATE, /* uint64_t, bit/s */
                      ORR_PARAM_TEXT, /* const char *, owned by the document */
                      ORR_PARAM_CHOICE, /* int, index into choices */
                      ORR_PARAM_INTS,   /* struct orr_ints */
                      ORR_PARAM_NODE,   /* const struct orr_yaml *, read by the
                                           caller */
                      ORR_PARAM_SIZE_BY_RATE, /* struct orr_by_rate of sizes ...
                                               */
                      ORR_PARAM_REAL_BY_RATE, /* ... and of reals */
};

/* A value for links of all rates, or one for each rate: `{25Gbps: 10KB,
 * 100Gbps: 40KB}`. All of it is owned by the document. */
union orr_rate_value {
    uint64_t size; /* bytes */
    double real;
};

/* A value that may differ by the rate of a link; entries are the document's. */
struct orr_by_rate {
    union orr_rate_value one; /* of all, if n is 0 */
    size_t n;
    const struct orr_rate_entry {
        uint64_t rate_bps; /* no two are the same */
        union orr_rate_value value;
    } * entry;
    const struct orr_yaml *at; /* where it stands; NULL: a default */
};

/* A list of integers. */
struct orr_ints {
    int64_t *v; /* owned by the document */
    size_t n;
};

/* Why a key has no effect in this configuration, as a clause that can follow
 * it ("`recovery: sack` sends no probe"); NULL: it has one. Asked of keys that
 * the user wrote, when all is read and built: `set` is the struct as the table
 * filled it, `around` what stands beside `into` below. */
typedef const char *orr_param_idle(const void *set, const void *around);

#define ORR_AUTO      (-1)
#define ORR_AUTO_SIZE UINT64_MAX
/* A row of a parameter table; tables are static and end with key NULL.
 *
 * `fallback`, `min` and max are written as a user would write them ("10us");
 * fallback NULL: the key is required; fallback "": optional, the field keeps
 * what the caller put there (NODE and TEXT: NULL). fallback "auto" of a number:
 * users may write `auto` as well, and the field is then ORR_AUTO (INT, TIME,
 * REAL) or ORR_AUTO_SIZE (SIZE, RATE), for the owner of the table to resolve;
 * of a map by rate any of its values may be.
 * min, max NULL: no bound. */
struct orr_param {
    const char *key; /* in the map; NULL ends the table */
    enum orr_param_type type;
    size_t offset;                    /* of its field in the struct to fill */
    const char *fallback, *min, *max; /* see above */
    const char *const *choices;       /* CHOICE: NULL-ended */
    const char *help;                 /* one sentence, units and meaning */
    orr_param_idle *idle; /* NULL: it has an effect wherever it may stand;
                           * the attack tries whether that is so */
};
#define ORR_PARAM_END                                                          \
    {                                                                          \
        .key = NULL                                                            \
    }

/* A table and the struct that it fills: both are the caller's. */
struct orr_param_set {
    const struct orr_param *table; /* ends with ORR_PARAM_END */
    void *into;         /* zeroed, or with what optional keys are to keep */
    const void *around; /* for orr_param_idle, of the table's own room: it has
                         * to live as long as notes are asked for; NULL: none
                         * is asked */
};

/* Reads map into the n sets at once (a module's own keys stand beside the
 * common ones). A NULL map means all defaults. Unknown keys fail, with the
 * nearest known key as the hint; so do values out of range, of the wrong type
 * or without a unit. Defaults are entered into the document for
 * orr__config_effective: where `map` is NULL, at the path `what`, which names
 * the map in messages ("network.cc"); "": nowhere. */
ORR_CHECK_RESULT orr_err orr__param_read(struct orr_config *c,
                                         const struct orr_yaml *map,
                                         const char *what,
                                         const struct orr_param_set *sets,
                                         size_t n, struct orr_report *why);

/* The key that a report says is not known, and the map that it stands in ("":
 * the outermost); false: the report says something else. For hints about where
 * such a key would be. Longer names are cut. */
#define ORR_KEY_MAX 64
bool orr__param_unknown_key(const struct orr_report *why, char key[ORR_KEY_MAX],
                            char around[ORR_KEY_MAX]);

/* Index of text in a NULL-ended list, or -1. */
int orr__param_choice(const char *const *choices, const char *text);
/* The entry of names (NULL-ended) nearest to text by edit distance, or NULL
 * when none is near. For "did you mean". */
const char *orr__param_nearest(const char *const *names, const char *text);
/* What is wrong with an entry of a table that others wrote, or NULL: of a type
 * with a single value, its bounds and fallback are values of that type, the
 * fallback within the bounds. (Our own tables are asserted to be so.) */
const char *orr__param_fault(const struct orr_param *p);
/* The value for links of this rate; NULL: the map does not list it. */
const union orr_rate_value *orr__by_rate(const struct orr_by_rate *b,
                                         uint64_t rate_bps);
/* "time", "size", ... : for help and docs. */
const char *orr__param_type_name(enum orr_param_type t);
/* Bytes of the C type that a parameter fills. */
size_t orr__param_size(enum orr_param_type t);

#endif
