/* A configuration: YAML text with places. libfyaml is used in yaml.c and
 * nowhere else. Every value that is read can say where it stood, so that an
 * error found late still points at the user's line. */
#ifndef ORR_CORE_CONFIG_CONFIG_H
#define ORR_CORE_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"

struct orr_config; /* a document; owns its nodes and all strings read from it */
struct orr_yaml;   /* a node of it */

/* Reads a file ("-" is stdin) or a text; name is what messages call it. On
 * success *out is to be freed with orr__config_free. Fails with ECONFIG (cannot
 * be read, not YAML, duplicate keys, not a map, too large), ENOMEM. */
ORR_CHECK_RESULT orr_err orr__config_load(const char *path,
                                          struct orr_config **out,
                                          struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__config_parse(const char *name, const char *text,
                                           size_t length,
                                           struct orr_config **out,
                                           struct orr_report *why);
void orr__config_free(struct orr_config *c);

/* A file whose text is kept, for who makes several documents of it: a pipe can
 * be read once. */
struct orr_config_file {
    const char *path; /* the caller's; "-": stdin */
    char *text;       /* owned */
    size_t length;
};
/* Fails as orr__config_load does; may be freed then, too, as if it is all
 * zero. */
ORR_CHECK_RESULT orr_err orr__config_file_read(struct orr_config_file *f,
                                               const char *path,
                                               struct orr_report *why);
/* What orr__config_load would give; f is as it was. */
ORR_CHECK_RESULT orr_err orr__config_file_parse(const struct orr_config_file *f,
                                                struct orr_config **out,
                                                struct orr_report *why);
void orr__config_file_fini(struct orr_config_file *f);

/* "a.b=c", "jobs[0].iterations=3", "topology.link={rate: 1Gbps, delay: 1us}":
 * replaces or adds a value; the value is YAML. Messages about a value set so
 * name the file "--set a.b". */
ORR_CHECK_RESULT orr_err orr__config_set(struct orr_config *c,
                                         const char *assignment,
                                         struct orr_report *why);

/* The same; messages name the file as `name` says. */
ORR_CHECK_RESULT orr_err orr__config_set_named(struct orr_config *c,
                                               const char *assignment,
                                               const char *name,
                                               struct orr_report *why);

/* ---- one document laid over another ------------------------------------- */

/* A document of its own with what c holds, but for one of its outermost keys
 * (NULL: none). c, and all that is laid over the copy, must outlive it. */
ORR_CHECK_RESULT orr_err orr__config_copy(const struct orr_config *c,
                                          const char *without,
                                          struct orr_config **out,
                                          struct orr_report *why);
/* Lays value over what stands at a path ("a.b[0].c"): a map over a map is
 * merged key by key, unless both say `kind` and differ; all else is replaced.
 * A path that ends in `kind` may change the kind of a map: its other keys are
 * then dropped when whoever reads them does not know them. Messages about what
 * is made on the way point at `at`. */
ORR_CHECK_RESULT orr_err orr__config_lay(struct orr_config *c, const char *path,
                                         const struct orr_yaml *at,
                                         const struct orr_yaml *value,
                                         struct orr_report *why);
/* A text as a value that lives as long as c; messages call it `name`, and so
 * does *key, a scalar that names it (for `at` above). */
ORR_CHECK_RESULT orr_err orr__config_value(struct orr_config *c,
                                           const char *name, const char *key,
                                           const char *text,
                                           const struct orr_yaml **key_node,
                                           const struct orr_yaml **value,
                                           struct orr_report *why);
/* Files that the document names are looked for in this folder. */
ORR_CHECK_RESULT orr_err orr__config_set_folder(struct orr_config *c,
                                                const char *folder,
                                                struct orr_report *why);

/* Completes a map of the document by `text`, another map, which outlives it:
 * keys that it has not are added, and maps that it has are completed in turn,
 * unless the two are of different `kind`. Messages name what comes from there
 * `name`. */
ORR_CHECK_RESULT orr_err orr__config_fill(struct orr_config *c,
                                          const struct orr_yaml *map,
                                          const char *name, const char *text,
                                          struct orr_report *why);

/* In a map of the document the pairs of `text`, a map, take the place of a key
 * that is there and stand where its value did. Not those that the map has. */
ORR_CHECK_RESULT orr_err orr__config_replace(struct orr_config *c,
                                             const struct orr_yaml *map,
                                             const char *key, const char *text,
                                             struct orr_report *why);
/* The same by the map that is at `part` of that text, or at `within` that part
 * if it is not NULL; nothing, if there is none. */
ORR_CHECK_RESULT orr_err
orr__config_fill_part(struct orr_config *c, const struct orr_yaml *map,
                      const char *name, const char *text, const char *part,
                      const char *within, struct orr_report *why);
/* A family's member by its name alone (`cc: reno`) becomes a map of that kind,
 * which can be completed. Other nodes stay. */
ORR_CHECK_RESULT orr_err
orr__config_expand_member(struct orr_config *c, const struct orr_yaml *member,
                          struct orr_report *why);

/* What messages call the document: the path as given, or a text's name. */
const char *orr__config_name(const struct orr_config *c);
/* Folder of the file, for files named inside it; "." for a text. */
const char *orr__config_folder(const struct orr_config *c);
const struct orr_yaml *orr__config_root(const struct orr_config *c);
/* Memory that lives as long as the document. */
struct orr_arena *orr__config_arena(struct orr_config *c);
/* Hands something over that lives as long as the document and is closed before
 * its memory goes, the newest first (close NULL: nothing has to be done). key:
 * an address of the caller's, by which orr__config_kept finds the newest again.
 * When it fails nothing was taken over. */
ORR_CHECK_RESULT orr_err orr__config_keep(struct orr_config *c, const void *key,
                                          void *what, void (*close)(void *what),
                                          struct orr_report *why);
void *orr__config_kept(const struct orr_config *c, const void *key);
/* The document with every default filled in that was read through
 * orr__param_read so far, as YAML text; free with orr__free. */
char *orr__config_effective(struct orr_config *c);

/* A text that begins so is a document that was effective: of such a one no keys
 * are told that have no effect, for all are there. */
#define ORR_EFFECTIVE "# effective: with all defaults\n"

/* Sizes that stand in the document and are no whole number of bytes, and so
 * were rounded when they were read: how many, and the texts of the first ones.
 * A scalar that is whole, or that has a note already, is none. */
#define ORR_ROUNDED 4
void orr__config_note_rounded(struct orr_config *c,
                              const struct orr_yaml *scalar);
uint32_t orr__config_rounded(const struct orr_config *c);
/* Adds "1.3B (NAME:LINE:COL)" of the i-th, shortened to 120 bytes. */
void orr__config_rounded_text(const struct orr_config *c, uint32_t i,
                              struct orr_text *t);

/* Says something about a node that is no error, and seldom what was meant:
 * "what the user wrote does this", without a full stop. */
ORR_CHECK_RESULT orr_err orr__yaml_remark(struct orr_config *c,
                                          const struct orr_yaml *n,
                                          struct orr_report *why,
                                          const char *fmt, ...)
    ORR_PRINTF(4, 5);
/* What orr__config_remarks tells; texts are valid during the call. */
struct orr_remarked {
    const char *place; /* "NAME:LINE:COL", of a remark's node, or of a key */
    const char *text;  /* "NAME:LINE:COL: sentence"; NULL: this key acts */
    bool key;          /* else it is a remark */
};
/* Calls tell with each of these, and with each key that the user wrote and
 * whose table says when it has no effect (orr_param_idle), in the order in
 * which they were read. For one thread, when all that a run needs was built. */
ORR_CHECK_RESULT orr_err orr__config_remarks(
    const struct orr_config *c,
    void (*tell)(void *arg, const struct orr_remarked *t), void *arg);

/* What a node is; false of NULL, so that what was left out is none of them. A
 * null is a plain scalar that YAML reads as one: ~, null, or nothing at all. */
bool orr__yaml_is_map(const struct orr_yaml *n);
bool orr__yaml_is_list(const struct orr_yaml *n);
bool orr__yaml_is_scalar(const struct orr_yaml *n);
bool orr__yaml_is_null(const struct orr_yaml *n);
/* What the user wrote; defaults that tables filled in do not show here.
 * Scalar text (owned by the document), NULL if not a scalar. */
const char *orr__yaml_text(struct orr_config *c, const struct orr_yaml *n);
size_t orr__yaml_count(const struct orr_yaml *n);
/* i-th item of a list; i-th key and value of a map. */
const struct orr_yaml *orr__yaml_item(const struct orr_yaml *n, size_t i);
const struct orr_yaml *orr__yaml_key(const struct orr_yaml *n, size_t i);
const struct orr_yaml *orr__yaml_value(const struct orr_yaml *n, size_t i);
/* Value of a key; NULL if absent or n is not a map. */
const struct orr_yaml *orr__yaml_get(const struct orr_yaml *n, const char *key);

/* Of a map, the pairs whose keys are among `keys` (NULL-ended), or those whose
 * keys are not: a map at the same place, which lives as long as c. NULL: no
 * memory. */
const struct orr_yaml *orr__yaml_pick(struct orr_config *c,
                                      const struct orr_yaml *map,
                                      const char *const *keys, bool among);

/* Gives a configuration error that has no place that of node n, as
 * orr__yaml_fail does. err as it was. */
orr_err orr__yaml_place(struct orr_config *c, const struct orr_yaml *n,
                        orr_err err, struct orr_report *why);
/* Fails at the place of node n (NULL: the document as a whole, at its
 * beginning), excerpt
 * included; always returns ORR_ECONFIG. */
orr_err orr__yaml_fail(struct orr_config *c, const struct orr_yaml *n,
                       struct orr_report *why, const char *fmt, ...)
    ORR_PRINTF(4, 5);

#endif
