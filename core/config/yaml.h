/* The tree behind a configuration, shared by yaml.c (text to tree), emit.c
 * (tree to text), path.c (changes by path) and config.c (the rest); nobody else
 * includes it. All of it lives in the arena of its document. */
#ifndef ORR_CORE_CONFIG_YAML_H
#define ORR_CORE_CONFIG_YAML_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/config/param.h"

/* A text that nodes stand in: the file, or the value of one --set. */
struct orr_source {
    const char *name, *text; /* for messages; all of it, for excerpts */
    size_t length;           /* of text, bytes */
    bool ours;               /* no user wrote it: a preset, a default */
};

enum orr_yaml_kind { ORR_YAML_SCALAR, ORR_YAML_LIST, ORR_YAML_MAP };

/* Deeper nesting is an error, so recursion over a tree is bounded. */
enum { ORR_YAML_DEPTH = 64 };

struct orr_default;

/* A node. Its text and items are in the arena of its document. */
struct orr_yaml {
    const struct orr_source *from; /* never NULL: `made` has no text */
    int line, col;  /* from 1; 0: made by us, it stands nowhere in the text */
    uint8_t kind;   /* enum orr_yaml_kind */
    bool plain;     /* scalar without quotes: only such a one can be null */
    bool stale;     /* a key beside a `kind` that was replaced since: whoever
                     * does not know it drops it */
    bool acts;      /* a key, while orr__config_remarks is at work: it has an */
    bool passed;    /* effect somewhere; it was told of, or what holds it was */
    bool rounded;   /* a scalar that orr__config_rounded counts */
    uint8_t height; /* levels below this node */
    uint32_t hash;  /* of a scalar's text */
    size_t n;       /* items of a list, pairs of a map */
    union {
        const char *text;        /* of a scalar, NUL-terminated, decoded */
        struct orr_yaml **items; /* a map's keys and values, alternately */
    };
    struct orr_default *defaults; /* of a map: what the user left out */
};

/* What a parameter table filled in. Only orr__config_effective shows it, also
 * in the place of a null that the user wrote. */
struct orr_default {
    struct orr_default *next; /* in the order in which tables were read */
    const char *key;          /* the table's */
    struct orr_yaml *value;   /* stands nowhere in a text */
};

/* What others left with a document, the newest first. */
struct orr_kept {
    struct orr_kept *next;
    const void *key;           /* an address of whoever left it */
    void *what;                /* owned from now on */
    void (*close)(void *what); /* NULL: nothing has to be done */
};

/* A key whose table says when it has no effect, or a remark about a node. */
struct orr_remark {
    struct orr_remark *next;      /* in the order in which they came */
    struct orr_yaml *key, *value; /* value NULL: a remark */
    const char *path;             /* of the key, or the remark's text */
    orr_param_idle *idle;         /* NULL: a remark */
    const void *set, *around;     /* that idle is called with */
};

/* A document; owns its nodes, its text and what was kept for it. */
struct orr_config {
    struct orr_arena arena; /* all nodes and strings */
    struct orr_kept *kept;  /* closed before the arena goes */
    struct orr_source file; /* what was loaded or parsed */
    struct orr_source made; /* of nodes that no text has: a name, no place */
    char *text;             /* of the file */
    const char *folder;     /* of the file; ".": there is none */
    struct orr_yaml *root;  /* a map */
    const struct orr_yaml *rounded[ORR_ROUNDED]; /* as orr__config_rounded */
    uint32_t n_rounded; /* of these; those that there is room for are kept */
    struct orr_remark *remarks, **last_remark; /* NULL: none */
    bool effective; /* what the user wrote in it is not known */
};

/* Text to tree; *root is NULL when there is no value in it. The source and the
 * arena must outlive the tree. Fails with ECONFIG or ENOMEM. */
ORR_CHECK_RESULT orr_err orr__yaml_parse(struct orr_arena *arena,
                                         const struct orr_source *from,
                                         struct orr_yaml **root,
                                         struct orr_report *why);

/* An empty one of this kind, that stands nowhere in the text. NULL: out of
 * memory. */
struct orr_yaml *orr__yaml_new(struct orr_arena *arena, enum orr_yaml_kind kind,
                               const struct orr_source *from);
/* A scalar with a copy of text. */
struct orr_yaml *orr__yaml_scalar(struct orr_arena *arena, const char *text,
                                  size_t length, bool plain,
                                  const struct orr_source *from);
/* A copy with the same places; texts are shared. NULL: no memory. */
struct orr_yaml *orr__yaml_copy(struct orr_arena *arena,
                                const struct orr_yaml *n);
/* Are both maps, of one `kind` as far as they say? Then one may complete the
 * other. */
bool orr__yaml_alike(const struct orr_yaml *a, const struct orr_yaml *b);
/* Takes the i-th pair out of a map. */
void orr__yaml_drop(struct orr_yaml *map, size_t i);
/* Index of a key among a map's pairs, or -1. */
ptrdiff_t orr__yaml_find(const struct orr_yaml *map, const char *key);
/* True for the words that YAML reads as null. */
bool orr__yaml_null_word(const char *text);

/* ECONFIG at a place of a source, with its line as the excerpt. */
orr_err orr__source_fail(const struct orr_source *from, int line, int col,
                         struct orr_report *why, const char *fmt, ...)
    ORR_PRINTF(5, 6);

/* Enters a value that the user left out, for the effective configuration. */
ORR_CHECK_RESULT orr_err orr__config_add_default(struct orr_config *c,
                                                 const struct orr_yaml *map,
                                                 const char *key,
                                                 struct orr_yaml *value,
                                                 struct orr_report *why);
struct orr_default *orr__yaml_find_default(const struct orr_yaml *map,
                                           const char *key);
/* The map at a path, made of defaults where there is none; *out is NULL when
 * the path does not lead to a map. */
ORR_CHECK_RESULT orr_err orr__config_default_map(struct orr_config *c,
                                                 const char *path,
                                                 struct orr_yaml **out,
                                                 struct orr_report *why);
/* Keeps the keys of a map that was read whose tables say when they have no
 * effect, as far as the user wrote them. */
ORR_CHECK_RESULT orr_err orr__remark_keys(struct orr_config *c,
                                          const struct orr_yaml *map,
                                          const char *what,
                                          const struct orr_param_set *set,
                                          struct orr_report *why);
/* A null value where a map belongs ("queue:" and nothing) is an empty map. */
void orr__yaml_become_map(const struct orr_yaml *null);

/* A map to text, defaults included; NULL when out of memory. */
char *orr__yaml_emit(const struct orr_yaml *root);

#endif
