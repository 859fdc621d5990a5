/* `orrery help`: subcommands, sections and families with their keys, all from
 * the tables that also parse them (core/config/param.h). What a new module
 * states in its table is in here, in completions and in docs/configuration.md
 * by that alone. */
#include <string.h>

#include "cli/cli.h"
#include "cli/help.h"
#include "core/config/config.h"
#include "core/config/param.h"

static const char options_text[] =
    "  orrery help run              a subcommand\n"
    "  orrery help network          a section of the configuration\n"
    "  orrery help cc               a family and what is common to it\n"
    "  orrery help cc dctcp         one of its members and its parameters\n"
    "  orrery help collective ring  a collective algorithm\n"
    "  orrery help model vgg16      the file of a model, to copy and edit\n"
    "  orrery help threshold        any key, member, figure, unit or term\n"
    "  orrery help cc mycc --plugin ./mycc.so\n"
    "                               a congestion control of your own\n";

static const struct option longs[] = {
    ORR_PLUGIN_LONG,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static void print_members(const struct orr_family *f,
                          const struct orr_config *plugins)
{
    struct orr_family_entry m;
    for (size_t i = 0; orr__family_member(f, plugins, i, &m); i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s%s", m.group ? m.group : "",
                 m.group ? " " : "", m.name);
        orr__help_left(name);
        orr__help_right(m.doc);
    }
}

static int help_family(const struct orr_family *f,
                       const struct orr_config *plugins)
{
    printf("%s: %s (`%s`)\n\n", f->name, f->doc, f->key);
    print_members(f, plugins);
    if (f->common) {
        printf("\nKeys that all of them take:\n\n");
        orr__help_params(f->common());
    }
    return ORR_EXIT_OK;
}

/* Text that can be kept as a file, or the member's keys. */
static void help_member(const struct orr_family *f,
                        const struct orr_family_entry *m)
{
    if (f->text) { /* a file with a comment first: so that it can be kept */
        printf("# %s %s: %s\n%s", f->singular, m->name, m->doc,
               f->text(m->name));
        return;
    }
    printf("%s %s%s%s: %s (`%s: %s`)\n", f->singular, m->group ? m->group : "",
           m->group ? " " : "", m->name, m->doc, f->key, m->name);
    if (m->params && m->params->key) {
        putchar('\n');
        orr__help_params(m->params);
    } else {
        printf("\nIt has no parameters of its own.\n");
    }
    if (f->common)
        printf("\n`orrery help %s` prints the keys that all of them take.\n",
               f->singular);
    if (f->group_keys)
        printf("\n`orrery help %s %s` prints the keys that all of them take.\n",
               f->singular, m->group);
}

/* A group of a family: its members, and the keys that all of them take. */
static int help_group(const struct orr_family *f, const char *group)
{
    struct orr_param room[ORR_GROUP_KEYS_MAX];
    struct orr_family_entry m;
    printf("%s: by %s\n\n", group, f->key);
    for (size_t i = 0; f->member(i, &m); i++) {
        if (!m.group || strcmp(m.group, group) != 0)
            continue;
        orr__help_left(m.name);
        orr__help_right(m.doc);
    }
    printf("\nKeys that all of them take:\n\n");
    f->group_keys(group, room);
    orr__help_params(room);
    return ORR_EXIT_OK;
}

/* All members of that name: a collective algorithm has one for each kind; group
 * (NULL: any) narrows it to one. */
static int help_members(const struct orr_family *f,
                        const struct orr_config *plugins, const char *group,
                        const char *name)
{
    const char *names[64] = {NULL};
    char list[64];
    struct orr_family_entry m;
    size_t n = 0, found = 0;
    for (size_t i = 0; orr__family_member(f, plugins, i, &m); i++) {
        if (n < 63)
            names[n++] = m.name;
        if (strcmp(m.name, name) != 0 || (group && strcmp(m.group, group) != 0))
            continue;
        if (found++)
            putchar('\n');
        help_member(f, &m);
    }
    if (found)
        return ORR_EXIT_OK;
    snprintf(list, sizeof list, "list %s", f->name);
    return orr__usage_unknown("help", f->singular, name, names, list);
}

static bool is_group(const struct orr_family *f, const char *name)
{
    struct orr_family_entry m;
    for (size_t i = 0; f->member(i, &m); i++)
        if (m.group && strcmp(m.group, name) == 0)
            return true;
    return false;
}

/* What is printed without a topic. */
static int help_all(void)
{
    printf("orrery simulates, packet by packet, how training jobs share a "
           "network.\n\nusage: orrery SUBCOMMAND ...\n\n");
    for (size_t i = 0; orr__commands()[i]; i++)
        printf("  %-10s %s\n", orr__commands()[i]->name,
               orr__commands()[i]->doc);
    printf("\n"
           "`orrery help SUBCOMMAND` explains one. `orrery help NAME` explains "
           "a family or a\n"
           "section of the configuration:\n"
           "\n");
    for (size_t i = 0; orr__families[i].name; i++)
        printf("  %-15s %s\n", orr__families[i].name, orr__families[i].doc);
    putchar('\n');
    for (size_t i = 0; orr__sections[i].name; i++)
        printf("  %-15s %s\n", orr__sections[i].name, orr__sections[i].doc);
    return ORR_EXIT_OK;
}

/* Exit status of bad usage, with the nearest name of all that there are. */
static int help_unknown(const char *name, const struct orr_config *plugins)
{
    const char *commands[32] = {NULL};
    for (size_t i = 0; orr__commands()[i] && i < 31; i++)
        commands[i] = orr__commands()[i]->name;
    const char *near = orr__help_nearest(name, commands, plugins);
    orr__print_visible(stderr, "orrery help: nothing is called \"%s\"\n", name);
    if (near)
        fprintf(stderr, "hint: did you mean \"%s\"?\n", near);
    else
        fprintf(stderr, "hint: `orrery help` names everything\n");
    return ORR_EXIT_USAGE;
}

/* A section of the configuration, if one has that name; `behind`: something
 * else of that name is explained already. */
static bool help_section(const char *name, bool behind)
{
    for (size_t i = 0; orr__sections[i].name; i++) {
        const struct orr_section *s = &orr__sections[i];
        if (strcmp(s->name, name) != 0)
            continue;
        printf("%s%s: %s\n\n", behind ? "\n" : "", s->name, s->doc);
        orr__help_params(s->params());
        return true;
    }
    return false;
}

/* All that has that name: `compare` is a subcommand and a section, `path` a
 * member of the family of routings, a section and a key. */
static int help_name(const char *name, const struct orr_config *plugins)
{
    const struct orr_command *c = orr__command_find(name);
    const struct orr_family *f = orr__family_find(name);
    if (c)
        orr__print_usage(stdout, c);
    else if (f)
        (void)help_family(f, plugins);
    bool begun = help_section(name, c || f) || c || f;
    if (orr__help_word(name, plugins, begun) || begun)
        return ORR_EXIT_OK;
    return help_unknown(name, plugins);
}

static bool is_section(const char *name)
{
    for (size_t i = 0; orr__sections[i].name; i++)
        if (strcmp(orr__sections[i].name, name) == 0)
            return true;
    return orr__command_find(name) != NULL;
}

/* "rail optimised", written as two words. */
static int help_joined(int n, char **word, const struct orr_config *plugins)
{
    char text[256] = "";
    size_t used = 0;
    for (int i = 0; i < n && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 i ? " " : "", word[i]);
    if (orr__help_word(text, plugins, false))
        return ORR_EXIT_OK;
    if (!is_section(word[0]))
        return help_unknown(text, plugins);
    orr__print_visible(stderr,
                       "orrery help: \"%s\" is no family of parts\n"
                       "hint: `orrery help %s` explains all of it\n",
                       word[0], word[0]);
    return ORR_EXIT_USAGE;
}

/* By number of words: subcommand, family, member, or group and member. Returns
 * the exit status. */
static int help_words(int n, char **word, const struct orr_config *plugins)
{
    if (n == 0)
        return help_all();
    if (n == 1)
        return help_name(word[0], plugins);
    const struct orr_family *f = orr__family_find(word[0]);
    if (!f)
        return help_joined(n, word, plugins);
    if (n == 3 && is_group(f, word[1]))
        return help_members(f, plugins, word[1], word[2]);
    if (n == 2 && is_group(f, word[1]))
        return help_group(f, word[1]);
    if (n == 2)
        return help_members(f, plugins, NULL, word[1]);
    return orr__usage_error("help", "one thing at a time");
}

/* Plug-ins are loaded first, so that their controls have help. Returns the exit
 * status. */
static int run(int argc, char **argv)
{
    struct orr_words plugins = {.word = NULL};
    struct orr_config *loaded = NULL;
    int c, status = -1;
    while (status < 0
           && (c = orr__next_option(argc, argv, ":h", longs)) != -1) {
        if (c == 'h')
            status = help_all();
        else if (c != ORR_PLUGIN_OPTION)
            status = ORR_EXIT_USAGE;
        else if (!orr__words_add(&plugins, optarg))
            status = orr__no_memory_for_words();
    }
    if (status < 0)
        status = orr__families_load(&plugins, &loaded);
    if (status < 0)
        status = help_words(argc - optind, argv + optind, loaded);
    orr__config_free(loaded);
    orr__words_fini(&plugins);
    return status;
}

const struct orr_command orr__cmd_help = {
    .name = "help",
    .arguments = "[WORD | FAMILY NAME]",
    .doc = "explain a subcommand, a key, a part, a figure: any word",
    .options = options_text,
    .run = run,
};
