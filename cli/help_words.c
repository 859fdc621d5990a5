/* `orrery help WORD` for a word that is no subcommand, family or section: the
 * tables are searched for members, keys, values and terms of that name. */
#include <ctype.h>
#include <string.h>

#include "cli/help.h"
#include "cli/help_terms.h"
#include "core/config/param.h"
#include "core/text.h"

/* ---- spelling ----------------------------------------------------------- */

#define WORD_MAX 64

/* Small letters and digits alone, z as s: `Rail_Optimized` is railoptimised.
 * What is longer than WORD_MAX is cut; no name is. */
static void simplify(const char *text, char out[WORD_MAX])
{
    size_t n = 0;
    for (; *text && n + 1 < WORD_MAX; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '-' || c == '_' || c == ' ')
            continue;
        c = (unsigned char)tolower(c);
        out[n++] = c == 'z' ? 's' : (char)c;
    }
    out[n] = '\0';
}

/* One is the other with an s behind it. */
static bool differ_in_plural(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    return n > 2 && m > 2
           && ((n == m + 1 && a[m] == 's' && strncmp(a, b, m) == 0)
               || (m == n + 1 && b[n] == 's' && strncmp(a, b, n) == 0));
}

/* `wanted` is simplified. */
static bool is_same(const char *name, const char *wanted)
{
    char simple[WORD_MAX];
    simplify(name, simple);
    return strcmp(simple, wanted) == 0 || differ_in_plural(simple, wanted);
}

/* ---- all names ---------------------------------------------------------- */

enum name_kind { MEMBER, GROUP, KEY, VALUE, TERM };

/* A name that help knows; all texts are those of the tables it stands in. */
struct name {
    enum name_kind kind;
    const char *text;
    const char *path;   /* where it stands, "network.queue"; "" for terms */
    const char *member; /* of a key of a member: "red"; NULL: of no member */
    const struct orr_family *f;    /* MEMBER, GROUP */
    const struct orr_param *param; /* KEY, VALUE; valid during the visit */
    const struct orr_term *term;   /* TERM */
    const struct orr_family_entry *entry; /* MEMBER; valid during the visit */
};
typedef void visit_name(void *arg, const struct name *n);

/* Keys of a table, and the values of those that are a choice. */
static void visit_params(const struct orr_param *p, const char *path,
                         const char *member, visit_name *visit, void *arg)
{
    for (; p && p->key; p++) {
        struct name n = {.kind = KEY,
                         .text = p->key,
                         .path = path,
                         .member = member,
                         .param = p};
        visit(arg, &n);
        n.kind = VALUE;
        for (size_t i = 0; p->choices && p->choices[i]; i++) {
            n.text = p->choices[i];
            visit(arg, &n);
        }
    }
}

/* "network.queue.kind" names members; their keys are in "network.queue". */
static void cut_kind(const char *key, char *path, size_t size)
{
    static const char kind[] = ".kind";
    size_t n = strlen(key), k = sizeof kind - 1;
    if (n > k && strcmp(key + n - k, kind) == 0)
        n -= k;
    snprintf(path, size, "%.*s", (int)n, key);
}

static void visit_group(const struct orr_family *f, const char *group,
                        visit_name *visit, void *arg)
{
    struct orr_param room[ORR_GROUP_KEYS_MAX];
    visit(arg,
          &(struct name){.kind = GROUP, .text = group, .path = "", .f = f});
    if (!f->group_keys)
        return;
    f->group_keys(group, room);
    visit_params(room, group, NULL, visit, arg);
}

/* Groups, members and their keys, then the keys that all members take. */
static void visit_family(const struct orr_family *f,
                         const struct orr_config *plugins, visit_name *visit,
                         void *arg)
{
    char path[128];
    const char *group = "";
    struct orr_family_entry m;
    cut_kind(f->key, path, sizeof path);
    for (size_t i = 0; orr__family_member(f, plugins, i, &m); i++) {
        if (m.group && strcmp(m.group, group) != 0) {
            group = m.group;
            visit_group(f, group, visit, arg);
        }
        visit(arg, &(struct name){.kind = MEMBER,
                                  .text = m.name,
                                  .path = path,
                                  .f = f,
                                  .entry = &m});
        visit_params(m.params, path, m.name, visit, arg);
    }
    if (f->common)
        visit_params(f->common(), path, NULL, visit, arg);
}

/* The path in a section's doc, "what `network.rto` holds"; else its name. */
static void find_path(const struct orr_section *s, char *path, size_t size)
{
    const char *from = strchr(s->doc, '`');
    const char *to = from ? strchr(from + 1, '`') : NULL;
    if (to)
        snprintf(path, size, "%.*s", (int)(to - from - 1), from + 1);
    else
        snprintf(path, size, "%s", s->name);
}

/* Names of a term one by one: they stand in one text, with | between them. */
static void visit_term(const struct orr_term *t, visit_name *visit, void *arg)
{
    char one[WORD_MAX];
    for (const char *at = t->name; *at;) {
        size_t n = strcspn(at, "|");
        snprintf(one, sizeof one, "%.*s", (int)n, at);
        visit(arg,
              &(struct name){.kind = TERM, .text = one, .path = "", .term = t});
        at += n + (at[n] == '|');
    }
}

/* All names but those of subcommands, families and sections, in the order of
 * the tables. */
static void visit_all(const struct orr_config *plugins, visit_name *visit,
                      void *arg)
{
    char path[128];
    for (size_t i = 0; orr__families[i].name; i++)
        visit_family(&orr__families[i], plugins, visit, arg);
    for (size_t i = 0; orr__sections[i].name; i++) {
        find_path(&orr__sections[i], path, sizeof path);
        visit_params(orr__sections[i].params(), path, NULL, visit, arg);
    }
    for (size_t i = 0; orr__terms[i].name; i++)
        visit_term(&orr__terms[i], visit, arg);
}

/* ---- what has a name ---------------------------------------------------- */

/* What is looked for, and what was printed of it. */
struct search {
    char wanted[WORD_MAX];
    char path[WORD_MAX]; /* what stands before the key; "": anything may */
    enum name_kind kind; /* the kind that is printed now */
    const char *last;    /* help of the key that was printed last: the same key
                          * of another member is not printed again */
    const struct orr_term *term; /* printed last */
    int found;
};

static bool is_wanted(const struct search *s, const struct name *n)
{
    char path[WORD_MAX];
    if (n->kind != s->kind || !is_same(n->text, s->wanted))
        return false;
    simplify(n->path, path);
    return !s->path[0] || strstr(path, s->path) != NULL;
}

static void begin_part(struct search *s)
{
    if (s->found++)
        putchar('\n');
}

static void print_place(const struct name *n)
{
    char text[256];
    snprintf(text, sizeof text, "in `%s`%s%s", n->path,
             n->member ? " of kind " : "", n->member ? n->member : "");
    orr__help_left("");
    orr__help_right(text);
}

/* A key that several members have with the same help is printed once, with all
 * its places: they follow one another in the tables. */
static void print_key(struct search *s, const struct name *n)
{
    struct orr_param one[2] = {*n->param, ORR_PARAM_END};
    if (n->param->help && s->last && strcmp(n->param->help, s->last) == 0) {
        print_place(n); /* the same, elsewhere */
        return;
    }
    begin_part(s);
    s->last = n->param->help;
    orr__help_params(one);
    print_place(n);
}

static void print_value(struct search *s, const struct name *n)
{
    begin_part(s);
    printf("%s: a value of `%s` in `%s`\n", n->text, n->param->key, n->path);
    struct orr_param one[2] = {*n->param, ORR_PARAM_END};
    orr__help_params(one);
}

/* As `orrery help FAMILY MEMBER` has it; a text that is a file (of a model, a
 * preset) is only pointed to. */
static void print_member(struct search *s, const struct name *n)
{
    begin_part(s);
    printf("%s %s%s%s (`%s: %s`)\n", n->f->singular,
           n->entry->group ? n->entry->group : "", n->entry->group ? " " : "",
           n->entry->name, n->f->key, n->entry->name);
    printf("  ");
    orr__help_wrapped(n->entry->doc, 2);
    if (n->f->text)
        printf("\n`orrery help %s %s` prints it, to copy and edit.\n",
               n->f->singular, n->entry->name);
    else if (n->entry->params && n->entry->params->key)
        putchar('\n');
    if (!n->f->text)
        orr__help_params(n->entry->params);
    if (n->f->common || n->f->group_keys)
        printf("\n`orrery help %s%s%s` prints the keys that all of them "
               "take.\n",
               n->f->singular, n->f->group_keys ? " " : "",
               n->f->group_keys ? n->entry->group : "");
}

/* The members of a group, "all-reduce"; their keys take a page of their own. */
static void print_group(struct search *s, const struct name *n)
{
    struct orr_family_entry m;
    begin_part(s);
    printf("%s: of `orrery help %s`\n", n->text, n->f->name);
    for (size_t i = 0; n->f->member(i, &m); i++) {
        if (!m.group || strcmp(m.group, n->text) != 0)
            continue;
        orr__help_left(m.name);
        orr__help_right(m.doc);
    }
    if (n->f->group_keys)
        printf("\n`orrery help %s %s` prints their keys.\n", n->f->singular,
               n->text);
}

/* An entry with several names is printed once, under the first that fits. */
static void print_term(struct search *s, const struct name *n)
{
    if (s->term == n->term)
        return;
    begin_part(s);
    s->term = n->term;
    orr__help_left(n->text);
    orr__help_right(n->term->doc);
    if (n->term->where) {
        char text[128];
        snprintf(text, sizeof text, "in %s", n->term->where);
        orr__help_left("");
        orr__help_right(text);
    }
}

/* visit_name: prints what is wanted, of the kind whose turn it is. */
static void print_found(void *arg, const struct name *n)
{
    struct search *s = arg;
    if (!is_wanted(s, n))
        return;
    switch (n->kind) {
    case MEMBER: print_member(s, n); break;
    case GROUP: print_group(s, n); break;
    case KEY: print_key(s, n); break;
    case VALUE: print_value(s, n); break;
    case TERM: print_term(s, n); break;
    }
}

static int print_all_kinds(struct search *s, const struct orr_config *plugins)
{
    static const enum name_kind order[] = {TERM, GROUP, MEMBER, KEY, VALUE};
    int before = s->found;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        s->kind = order[i];
        s->last = NULL;
        visit_all(plugins, print_found, s);
    }
    return s->found - before;
}

int orr__help_word(const char *word, const struct orr_config *plugins,
                   bool begun)
{
    struct search s = {.found = begun};
    const char *dot = strrchr(word, '.');
    char before[WORD_MAX];
    simplify(dot ? dot + 1 : word, s.wanted);
    if (dot) { /* a path: the part before the key chooses among places */
        snprintf(before, sizeof before, "%.*s", (int)(dot - word), word);
        simplify(before, s.path);
    }
    int found = print_all_kinds(&s, plugins);
    if (found || !dot)
        return found;
    s.path[0] = '\0';
    return print_all_kinds(&s, plugins);
}

/* ---- near names, places of keys ------------------------------------------ */

/* All names, for orr__param_nearest. */
struct names {
    const char *list[2048];
    char room[32768]; /* the texts: a name is valid during its visit */
    size_t n, used;
};

static void keep_name(void *arg, const struct name *n)
{
    struct names *all = arg;
    size_t size = strlen(n->text) + 1;
    if (all->n + 1 >= sizeof all->list / sizeof *all->list
        || all->used + size > sizeof all->room)
        return; /* a name fewer to be near to */
    all->list[all->n++] = memcpy(all->room + all->used, n->text, size);
    all->used += size;
}

const char *orr__help_nearest(const char *word, const char *const *commands,
                              const struct orr_config *plugins)
{
    static struct names all;
    all = (struct names){.n = 0};
    for (; *commands; commands++)
        keep_name(&all, &(struct name){.text = *commands});
    for (size_t i = 0; orr__families[i].name; i++) {
        keep_name(&all, &(struct name){.text = orr__families[i].name});
        keep_name(&all, &(struct name){.text = orr__families[i].singular});
    }
    for (size_t i = 0; orr__sections[i].name; i++)
        keep_name(&all, &(struct name){.text = orr__sections[i].name});
    visit_all(plugins, keep_name, &all);
    return orr__param_nearest(all.list, word);
}

/* A list of places under construction; `text` is the caller's, of `size`. */
struct places {
    const char *key, *around;
    bool inside; /* those that begin with `around` are added now, else others */
    char *text;
    size_t size, used;
    int n;
};

/* A path inside of another one; of the outermost map, the maps that it holds.
 */
static bool is_near(const char *around, const char *path)
{
    return around[0] ? strncmp(path, around, strlen(around)) == 0
                     : !strpbrk(path, ".[");
}

/* visit_name: a place of the key, unless it is listed or the text is full. */
static void add_place(void *arg, const struct name *n)
{
    struct places *p = arg;
    char one[256];
    if (n->kind != KEY || strcmp(n->text, p->key) != 0
        || p->inside != is_near(p->around, n->path))
        return;
    snprintf(one, sizeof one, "`%s`%s%s", n->path, n->member ? " of kind " : "",
             n->member ? n->member : "");
    if (p->n == 3 || strstr(p->text, one)
        || p->used + strlen(one) + 3 > p->size)
        return; /* three places help, thirty do not */
    p->used += (size_t)snprintf(p->text + p->used, p->size - p->used, "%s%s",
                                p->n ? ", " : "", one);
    p->n++;
}

bool orr__help_places(const char *key, const char *around, char *text,
                      size_t size)
{
    struct places p = {
        .key = key, .around = around, .text = text, .size = size};
    if (size)
        text[0] = '\0';
    p.inside = true;
    visit_all(NULL, add_place, &p);
    p.inside = false;
    visit_all(NULL, add_place, &p);
    return p.n > 0;
}
