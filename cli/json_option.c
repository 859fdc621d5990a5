/* `--json [FILE]`, one rule for all subcommands that have it: none or `-` is
 * stdout. The word behind it is the FILE where another word is left for what
 * the subcommand reads: in `plan --json x.yaml` it is the configuration. */
#include <string.h>

#include "cli/cli.h"

/* The long option that a word begins with, by a beginning of its name that no
 * other has, too; NULL: none. */
static const struct option *long_of(const struct option *longs,
                                    const char *word)
{
    const struct option *found = NULL;
    size_t n = strcspn(word + 2, "=");
    for (const struct option *o = longs; o->name; o++) {
        if (strncmp(o->name, word + 2, n) != 0)
            continue;
        if (strlen(o->name) == n)
            return o;
        if (found)
            return NULL;
        found = o;
    }
    return found;
}

/* How many words behind argv[i] are its value. */
static int values_of(char *const *argv, int i, const char *shorts,
                     const struct option *longs)
{
    const char *word = argv[i];
    if (strncmp(word, "--", 2) == 0) {
        const struct option *o = long_of(longs, word);
        if (!o || o->has_arg != required_argument || strchr(word, '='))
            return 0;
        /* topo --path SRC DST; run --path FOLDER */
        return strcmp(o->name, "path") == 0 && strcmp(argv[0], "topo") == 0 ? 2
                                                                            : 1;
    }
    for (const char *c = word + 1; *c; c++) {
        const char *known = *c == ':' ? NULL : strchr(shorts, *c);
        if (known && known[1] == ':')
            return c[1] == '\0';
    }
    return 0;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/* Words of a kind of topology: `topo ring hosts=4`. */
static bool is_assignment(const char *command, const char *word)
{
    return strcmp(command, "topo") == 0 && strchr(word, '=') != NULL;
}

static bool is_json(const struct option *longs, const char *word)
{
    const struct option *o = strncmp(word, "--", 2) == 0 && word[2] != '\0'
                                 ? long_of(longs, word)
                                 : NULL;
    return o && strcmp(o->name, "json") == 0 && !strchr(word, '=');
}

/* ASTRA-sim's --network-configuration and so on. */
static bool is_astra_file(const char *name)
{
    static const char end[] = "-configuration";
    size_t n = strlen(name), k = sizeof end - 1;
    return n > k && strcmp(name + n - k, end) == 0;
}

/* Options that say what is to be read instead of a configuration. */
static bool is_source(const struct option *longs, const char *word)
{
    static const char *const names[] = {"astra", "simai", "hpcc", "htsim"};
    const struct option *o = strncmp(word, "--", 2) == 0 && word[2] != '\0'
                                 ? long_of(longs, word)
                                 : NULL;
    for (size_t i = 0; o && i < sizeof names / sizeof *names; i++)
        if (strcmp(o->name, names[i]) == 0)
            return true;
    return o && is_astra_file(o->name);
}

/* Whether words are left for what is read if one is taken. */
static bool can_spare(int argc, char *const *argv, const char *shorts,
                      const struct option *longs)
{
    int words = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            words += argc - i - 1;
            break;
        }
        if (is_source(longs, argv[i]))
            return true;
        if (!is_option(argv[i]))
            words += !is_assignment(argv[0], argv[i]);
        else if (!is_json(longs, argv[i]))
            i += values_of(argv, i, shorts, longs);
    }
    return words > 1;
}

void orr__settle_json(int argc, char **argv, const char *shorts,
                      const struct option *longs)
{
    static char to_stdout[] = "--json=-";
    bool spare = can_spare(argc, argv, shorts, longs);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (!is_option(argv[i]))
            continue;
        if (!is_json(longs, argv[i])) {
            i += values_of(argv, i, shorts, longs);
            continue;
        }
        if (spare && next && !is_option(next) && !is_assignment(argv[0], next))
            i++;
        else
            argv[i] = to_stdout;
    }
}
