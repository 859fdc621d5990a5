#include "core/config/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/config/yaml.h"
#include "core/read.h"
#include "core/units.h"

#define MAX_FILE ((size_t)64 << 20)

/* ---- reading ---- */

static orr_err cannot_read(const char *path, const char *reason,
                           struct orr_report *why)
{
    return orr__fail(why, ORR_ECONFIG, "cannot read %s: %s", path, reason);
}

/* "-": standard input. *text is the caller's, with a NUL behind `length`
 * bytes; at most MAX_FILE. */
static orr_err read_file(const char *path, char **text, size_t *length,
                         struct orr_report *why)
{
    const bool standard = strcmp(path, "-") == 0;
    int wrong = standard
                    ? orr__read_from(STDIN_FILENO, MAX_FILE, 0, text, length)
                    : orr__read_file(path, MAX_FILE, 0, text, length);
    const char *name = standard ? "standard input" : path;
    switch (wrong) {
    case 0: return ORR_OK;
    case ENOMEM: return orr__no_memory(why);
    case EFBIG:
        return cannot_read(name, "larger than 64 MiB: this is no configuration",
                           why);
    case EISDIR: return cannot_read(name, "it is a directory", why);
    default: return cannot_read(name, strerror(wrong), why);
    }
}

/* Beside a pipe that the system names (/dev/stdin, /dev/fd/63) is nothing. */
static bool is_of_system(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

static const char *folder_of(struct orr_arena *arena, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (slash == NULL || is_of_system(path))
        return ".";
    size_t n = slash == path ? 1 : (size_t)(slash - path);
    char *folder = orr__arena_alloc(arena, n + 1, 1);
    return folder ? memcpy(folder, path, n) : NULL;
}

/* ORR_ECONFIG unless the root is a map: an empty file, `null`, a list or a
 * single value. */
static orr_err check_root(struct orr_config *c, struct orr_report *why)
{
    if (c->root == NULL || orr__yaml_is_null(c->root))
        return orr__fail_at(why, ORR_ECONFIG, c->file.name, 1, 1,
                            "the configuration is empty");
    if (c->root->kind == ORR_YAML_MAP)
        return ORR_OK;
    return orr__yaml_fail(c, c->root, why,
                          "a configuration is a map of keys and values, not "
                          "a %s",
                          orr__yaml_is_list(c->root) ? "list" : "single value");
}

/* Takes text over, also when it fails. path: NULL if there is no file. */
static orr_err new_config(const char *name, const char *path, char *text,
                          size_t length, struct orr_config **out,
                          struct orr_report *why)
{
    struct orr_config *c = orr__alloc(1, sizeof *c);
    if (c == NULL) {
        orr__free(text);
        return orr__no_memory(why);
    }
    c->text = text;
    c->folder = folder_of(&c->arena, path);
    name = orr__arena_strdup(&c->arena, name);
    c->file = (struct orr_source){name, text, length};
    c->made = (struct orr_source){name, "", 0, true};
    c->effective = length >= strlen(ORR_EFFECTIVE)
                   && memcmp(text, ORR_EFFECTIVE, strlen(ORR_EFFECTIVE)) == 0;
    orr_err err = c->folder && name ? ORR_OK : orr__no_memory(why);
    if (!err)
        err = orr__yaml_parse(&c->arena, &c->file, &c->root, why);
    if (!err)
        err = check_root(c, why);
    if (err)
        orr__config_free(c);
    else
        *out = c;
    return err;
}

/* Takes the text over, also when it fails. */
static orr_err new_of_file(const char *path, char *text, size_t length,
                           struct orr_config **out, struct orr_report *why)
{
    bool is_stdin = strcmp(path, "-") == 0;
    return new_config(is_stdin ? "standard input" : path,
                      is_stdin ? NULL : path, text, length, out, why);
}

orr_err orr__config_load(const char *path, struct orr_config **out,
                         struct orr_report *why)
{
    char *text;
    size_t length;
    orr_err err = read_file(path, &text, &length, why);
    return err ? err : new_of_file(path, text, length, out, why);
}

orr_err orr__config_file_read(struct orr_config_file *f, const char *path,
                              struct orr_report *why)
{
    *f = (struct orr_config_file){.path = path};
    return read_file(path, &f->text, &f->length, why);
}

orr_err orr__config_file_parse(const struct orr_config_file *f,
                               struct orr_config **out, struct orr_report *why)
{
    char *copy = orr__alloc(f->length + 1, 1);
    if (copy == NULL)
        return orr__no_memory(why);
    memcpy(copy, f->text, f->length);
    return new_of_file(f->path, copy, f->length, out, why);
}

void orr__config_file_fini(struct orr_config_file *f)
{
    orr__free(f->text);
    *f = (struct orr_config_file){.path = NULL};
}

orr_err orr__config_parse(const char *name, const char *text, size_t length,
                          struct orr_config **out, struct orr_report *why)
{
    char *copy = orr__alloc(length + 1, 1);
    if (copy == NULL)
        return orr__no_memory(why);
    memcpy(copy, text, length);
    return new_config(name, NULL, copy, length, out, why);
}

void orr__config_free(struct orr_config *c)
{
    if (c == NULL)
        return;
    for (struct orr_kept *k = c->kept; k; k = k->next)
        if (k->close)
            k->close(k->what);
    orr__arena_fini(&c->arena);
    orr__free(c->text);
    orr__free(c);
}

/* ---- access ---- */

const char *orr__config_name(const struct orr_config *c)
{
    return c->file.name;
}

const char *orr__config_folder(const struct orr_config *c)
{
    return c->folder;
}

const struct orr_yaml *orr__config_root(const struct orr_config *c)
{
    return c->root;
}

struct orr_arena *orr__config_arena(struct orr_config *c)
{
    return &c->arena;
}

orr_err orr__config_keep(struct orr_config *c, const void *key, void *what,
                         void (*close)(void *what), struct orr_report *why)
{
    struct orr_kept *k = orr__arena_alloc(&c->arena, 1, sizeof *k);
    if (k == NULL)
        return orr__no_memory(why);
    *k = (struct orr_kept){c->kept, key, what, close};
    c->kept = k;
    return ORR_OK;
}

void *orr__config_kept(const struct orr_config *c, const void *key)
{
    for (const struct orr_kept *k = c->kept; k; k = k->next)
        if (k->key == key)
            return k->what;
    return NULL;
}

char *orr__config_effective(struct orr_config *c)
{
    return orr__yaml_emit(c->root);
}

bool orr__yaml_is_map(const struct orr_yaml *n)
{
    return n && n->kind == ORR_YAML_MAP;
}

bool orr__yaml_is_list(const struct orr_yaml *n)
{
    return n && n->kind == ORR_YAML_LIST;
}

bool orr__yaml_is_scalar(const struct orr_yaml *n)
{
    return n && n->kind == ORR_YAML_SCALAR;
}

bool orr__yaml_is_null(const struct orr_yaml *n)
{
    return orr__yaml_is_scalar(n) && n->plain && orr__yaml_null_word(n->text);
}

const char *orr__yaml_text(struct orr_config *c, const struct orr_yaml *n)
{
    return orr__yaml_is_scalar(n) ? n->text : NULL;
}

size_t orr__yaml_count(const struct orr_yaml *n)
{
    return n ? n->n : 0;
}

const struct orr_yaml *orr__yaml_item(const struct orr_yaml *n, size_t i)
{
    return orr__yaml_is_list(n) && i < n->n ? n->items[i] : NULL;
}

const struct orr_yaml *orr__yaml_key(const struct orr_yaml *n, size_t i)
{
    return orr__yaml_is_map(n) && i < n->n ? n->items[2 * i] : NULL;
}

const struct orr_yaml *orr__yaml_value(const struct orr_yaml *n, size_t i)
{
    return orr__yaml_is_map(n) && i < n->n ? n->items[2 * i + 1] : NULL;
}

const struct orr_yaml *orr__yaml_get(const struct orr_yaml *n, const char *key)
{
    ptrdiff_t i = orr__yaml_is_map(n) ? orr__yaml_find(n, key) : -1;
    return i < 0 ? NULL : n->items[2 * i + 1];
}

/* Of what is not there, of the whole, or of what stands nowhere, the place is
 * that of the document. */
static const struct orr_yaml *placed(const struct orr_config *c,
                                     const struct orr_yaml *n)
{
    return !n || (n->line == 0 && n->from == &c->made) ? c->root : n;
}

orr_err orr__yaml_place(struct orr_config *c, const struct orr_yaml *n,
                        orr_err err, struct orr_report *why)
{
    struct orr_report bare;
    if (err != ORR_ECONFIG || !why || why->file[0])
        return err;
    bare = *why;
    *why = (struct orr_report){.code = ORR_OK};
    orr__yaml_fail(c, n, why, "%s", bare.message);
    orr__hint(why, "%s", bare.hint);
    return err;
}

void orr__config_note_rounded(struct orr_config *c,
                              const struct orr_yaml *scalar)
{
    if (orr__is_integer_size(scalar->text) || scalar->rounded)
        return;
    ((struct orr_yaml *)scalar)->rounded = true; /* the document is ours */
    if (c->n_rounded < ORR_ROUNDED)
        c->rounded[c->n_rounded] = scalar;
    c->n_rounded++;
}

uint32_t orr__config_rounded(const struct orr_config *c)
{
    return c->n_rounded;
}

/* What a terminal can show of a file's name: of a long one the end. */
static void add_name(struct orr_text *t, const char *name)
{
    enum { MOST = 64 };
    size_t length = strlen(name);
    if (length > MOST) {
        name += length - MOST;
        while (((unsigned char)*name & 0xc0) == 0x80) /* within a character */
            name++;
        orr__text_add(t, "...");
    }
    orr__text_words(t, name, MOST);
}

void orr__config_rounded_text(const struct orr_config *c, uint32_t i,
                              struct orr_text *t)
{
    enum { MOST = 24 };
    const struct orr_yaml *n = c->rounded[i];
    orr__text_words(t, n->text, MOST);
    orr__text_add(t, "%s", strlen(n->text) > MOST ? "..." : "");
    if (n->line == 0)
        return;
    orr__text_add(t, " (");
    add_name(t, n->from->name);
    orr__text_add(t, ":%d:%d)", n->line, n->col);
}

orr_err orr__yaml_fail(struct orr_config *c, const struct orr_yaml *n,
                       struct orr_report *why, const char *fmt, ...)
{
    char message[sizeof why->message];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    n = placed(c, n);
    return orr__source_fail(n ? n->from : &c->made, n ? n->line : 0,
                            n ? n->col : 0, why, "%s", message);
}
