/* Completion in shells: a script for each that asks `orrery completion words`
 * what may stand where. All words come from the tables that help is made of. */
#include <string.h>

#include "cli/cli.h"
#include "core/config/param.h"
#include "study/report/plot.h"

static const char options_text[] =
    "  -h, --help            this text\n"
    "\n"
    "Prints a script for bash, zsh or fish. Put it where the shell looks:\n"
    "~/.local/share/bash-completion/completions/orrery, _orrery in a folder\n"
    "of zsh's fpath, or ~/.config/fish/completions/orrery.fish.\n"
    "\n"
    "`orrery completion words WORD...` prints the possible completions of the\n"
    "last word, one a line; nothing for a file.\n";

static const char bash[] =
    "# bash completion for orrery\n"
    "_orrery() {\n"
    "    local IFS=$'\\n' word=${COMP_WORDS[COMP_CWORD]}\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words\n"
    "    IFS=' ' read -ra words <<<\"$line\"\n"
    "    [[ $line == *' ' ]] && words+=('')\n"
    "    word=${words[-1]}\n"
    "    COMPREPLY=($(orrery completion words \"${words[@]:1}\" 2>/dev/null))\n"
    "    # bash ends a word at = and :, so only what follows is replaced\n"
    "    local cut=${word%\"${word##*[=:]}\"}\n"
    "    [ -n \"$cut\" ] && COMPREPLY=(\"${COMPREPLY[@]#\"$cut\"}\")\n"
    "    [[ ${COMPREPLY[0]-} == *[=.] ]] && compopt -o nospace\n"
    "    return 0\n"
    "}\n"
    "complete -o default -F _orrery orrery\n";

static const char zsh[] =
    "#compdef orrery\n"
    "local -a all\n"
    "all=(${(f)\"$(orrery completion words \"${(@Q)words[2,CURRENT-1]}\" "
    "\"${(Q)PREFIX}\" \\\n"
    "    2>/dev/null)\"})\n"
    "if (( $#all )); then\n"
    "    compadd -S '' -- ${(M)all:#*[=.]}\n"
    "    compadd -- ${all:#*[=.]}\n"
    "else\n"
    "    _files\n"
    "fi\n";

static const char fish[] =
    "# fish completion for orrery\n"
    "function __orrery_words\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    orrery completion words $words[2..-1] 2>/dev/null\n"
    "end\n"
    "# files where nothing else may stand\n"
    "complete -c orrery -n 'count (__orrery_words) >/dev/null' -f \\\n"
    "    -a '(__orrery_words)'\n";

/* Where the keys of a section stand in a configuration. Those of files of
 * their own, and of programs, which are lists, are not set one by one. */
static const struct {
    const char *section, *prefix;
} places[] = {
    {"configuration", ""},
    {"link", "topology.link."},
    {"servers", "topology.servers."},
    {"network", "network."},
    {"buffer", "network.buffer."},
    {"pfc", "network.pfc."},
    {"nic", "network.nic."},
    {"rto", "network.rto."},
    {"flows", "flows[0]."},
    {"flow-path", "flows[0]."},
    {"flow-window", "flows[0]."},
    {"flow-file", "flows[0]."},
    {"service", "flows[0]."},
    {"job", "jobs[0]."},
    {"stage", "jobs[0]."},
    {"service", "jobs[0]."},
    {"message_overhead", "jobs[0].message_overhead."},
    {"local", "jobs[0].local."},
    {"path", "jobs[0].paths[0]."},
    {"change", "jobs[0].changes[0]."},
    {"gate", "jobs[0].gate."},
    {"drift", "jobs[0].gate.drift."},
    {"parallelism", "jobs[0].parallelism."},
    {"failures", "failures[0]."},
    {"candidates", "schedule.candidates."},
    {"record", "record."},
    {"pcap", "record.pcap."},
    {"packets", "record.packets."},
    {"repeat", "repeat."},
    {"cluster", "cluster."},
    {"cluster-job", "cluster.jobs[0]."},
    {"cluster-elastic", "cluster.jobs[0].gpus."},
    {"cluster-failures", "cluster.failures[0]."},
    {"cluster-resize", "cluster.resize."},
    {"cluster-told", "cluster.resize.told[0]."},
    {"cluster-migrate", "cluster.migrate."},
    {"cluster-trace", "cluster.arrivals.trace."},
    {"compare", "compare."},
    {"until", "compare.until."},
    {"equal-cost", "compare.equal_cost."},
};
enum { PLACES = sizeof places / sizeof *places };

/* The word to complete. */
struct asked {
    const char *begins; /* what the word has so far */
    const char *before; /* what stands before it in the same word */
};

static void offer_word(const struct asked *a, const char *prefix,
                       const char *word, const char *suffix)
{
    char whole[300];
    snprintf(whole, sizeof whole, "%s%s%s", prefix, word, suffix);
    if (strncmp(whole, a->begins, strlen(a->begins)) == 0)
        printf("%s%s\n", a->before, whole);
}

/* Values of a key that has a known set of them. */
static void offer_values(const struct asked *a, const struct orr_param *p)
{
    if (p->type == ORR_PARAM_BOOL) {
        offer_word(a, "", "true", "");
        offer_word(a, "", "false", "");
    }
    for (size_t i = 0; p->type == ORR_PARAM_CHOICE && p->choices[i]; i++)
        offer_word(a, "", p->choices[i], "");
}

typedef void (*key_fn)(const struct asked *a, const char *prefix,
                       const struct orr_param *p);

static void offer_key(const struct asked *a, const char *prefix,
                      const struct orr_param *p)
{
    offer_word(a, prefix, p->key, "=");
}

/* a->before is KEY=: values if this is that key. */
static void offer_its_values(const struct asked *a, const char *prefix,
                             const struct orr_param *p)
{
    size_t n = strlen(prefix), m = strlen(p->key);
    if (strncmp(a->before, prefix, n) == 0
        && strncmp(a->before + n, p->key, m) == 0 && a->before[n + m] == '=')
        offer_values(a, p);
}

static void each_of(const struct asked *a, const char *prefix,
                    const struct orr_param *table, key_fn fn)
{
    for (; table && table->key; table++)
        fn(a, prefix, table);
}

/* The key of a family's choice as it is set, "jobs[0].placement.kind"; false:
 * it stands in no fixed place. */
static bool key_of(const struct orr_family *f, char *key, size_t size)
{
    size_t n = 0;
    if (!f->key || !strchr(f->key, '.'))
        return false;
    for (const char *p = f->key; *p && n + 2 < size; p++) {
        key[n++] = *p;
        if (*p == '[')
            key[n++] = '0';
    }
    key[n] = '\0';
    return true;
}

/* The choice of a family, and what its members take beside it. */
static void each_of_family(const struct asked *a, const struct orr_family *f,
                           key_fn fn)
{
    char prefix[100];
    struct orr_family_entry m;
    if (!key_of(f, prefix, sizeof prefix))
        return;
    char *last = strrchr(prefix, '.') + 1;
    const struct orr_param choice[] = {{"kind", .type = ORR_PARAM_TEXT},
                                       ORR_PARAM_END};
    bool kind = strcmp(last, choice[0].key) == 0;
    *last = '\0';
    if (kind)
        each_of(a, prefix, choice, fn);
    if (f->common)
        each_of(a, prefix, f->common(), fn);
    for (size_t i = 0; f->member(i, &m); i++)
        each_of(a, prefix, m.params, fn);
}

static void each_key(const struct asked *a, key_fn fn)
{
    for (size_t i = 0; orr__sections[i].name; i++)
        for (size_t k = 0; k < PLACES; k++)
            if (strcmp(places[k].section, orr__sections[i].name) == 0)
                each_of(a, places[k].prefix, orr__sections[i].params(), fn);
    for (const struct orr_family *f = orr__families; f->name; f++)
        each_of_family(a, f, fn);
}

/* Members of the family whose choice a key is: "network.cc.kind=", or in short
 * "network.cc=". */
static void offer_members(const struct asked *a)
{
    static const char kind[] = ".kind";
    char key[100];
    struct orr_family_entry m;
    size_t n = strlen(a->before) - 1; /* without the = */
    for (const struct orr_family *f = orr__families; f->name; f++) {
        if (!key_of(f, key, sizeof key) || strncmp(key, a->before, n) != 0
            || (key[n] && strcmp(key + n, kind) != 0))
            continue;
        for (size_t i = 0; f->member(i, &m); i++)
            offer_word(a, "", m.name, "");
    }
}

/* Keys, and behind the equal sign values of the key. */
static void offer_assignment(const char *word)
{
    const char *equal = strchr(word, '=');
    char before[300];
    if (!equal) {
        each_key(&(struct asked){word, ""}, offer_key);
        return;
    }
    snprintf(before, sizeof before, "%.*s", (int)(equal + 1 - word), word);
    const struct asked a = {equal + 1, before};
    each_key(&a, offer_its_values);
    offer_members(&a);
}

/* Options stand at the beginning of lines of the help. */
static void offer_options(const struct asked *a, const char *text)
{
    for (const char *line = text; line && *line;) {
        const char *p = line + strspn(line, " ");
        while (*p == '-' && p - line < 10) {
            char option[64];
            size_t n = strcspn(p, " ,\n");
            snprintf(option, sizeof option, "%.*s", (int)n, p);
            if (n > 1 && (n == 2 || p[1] == '-'))
                offer_word(a, "", option, "");
            p += n;
            p += *p == ',' ? 2 : 0;
        }
        line = strchr(line, '\n');
        line += line ? 1 : 0;
    }
}

static void offer_family(const struct asked *a, const char *name)
{
    struct orr_family_entry m;
    const struct orr_family *f = orr__family_find(name);
    for (size_t i = 0; f && f->member(i, &m); i++)
        offer_word(a, "", m.name, "");
}

/* After `help` and `list`: subcommands, families, sections, members. */
static void offer_topics(const struct asked *a, int n, char *const *word)
{
    bool help = strcmp(word[0], "help") == 0;
    if (n > 2 && help) {
        offer_family(a, word[1]);
        return;
    }
    for (size_t i = 0; help && orr__commands()[i]; i++)
        offer_word(a, "", orr__commands()[i]->name, "");
    for (size_t i = 0; orr__families[i].name; i++)
        offer_word(a, "", orr__families[i].name, "");
    for (size_t i = 0; help && orr__sections[i].name; i++)
        offer_word(a, "", orr__sections[i].name, "");
}

static void offer_list(const struct asked *a, const char *const *names)
{
    while (*names)
        offer_word(a, "", *names++, "");
}

/* What may stand as the last of n words, one a line; the first word is the
 * subcommand. */
static void offer_words(int n, char *const *word)
{
    const struct asked a = {n ? word[n - 1] : "", ""};
    const char *before = n > 1 ? word[n - 2] : "";
    const struct orr_command *c = n > 1 ? orr__command_find(word[0]) : NULL;
    if (n <= 1) {
        for (size_t i = 0; orr__commands()[i]; i++)
            offer_word(&a, "", orr__commands()[i]->name, "");
    } else if (strcmp(before, "--set") == 0 || strcmp(before, "-s") == 0
               || strcmp(before, "--over") == 0) {
        offer_assignment(a.begins);
    } else if (strcmp(before, "--preset") == 0) {
        offer_family(&a, "presets");
    } else if (strcmp(word[0], "help") == 0 || strcmp(word[0], "list") == 0) {
        offer_topics(&a, n, word);
    } else if (strcmp(word[0], "completion") == 0) {
        offer_word(&a, "", "bash", "");
        offer_word(&a, "", "zsh", "");
        offer_word(&a, "", "fish", "");
    } else if (strcmp(before, "--style") == 0 && c == &orr__cmd_plot) {
        offer_list(&a, orr__plot_styles);
    } else if (c == &orr__cmd_plot && n == 3 && a.begins[0] != '-') {
        for (size_t i = 0; orr__plots[i].name; i++)
            offer_word(&a, "", orr__plots[i].name, "");
    } else if (a.begins[0] == '-' && c && c->options) {
        offer_options(&a, c->options);
    }
}

/* The script of a shell, or, asked by such a script, the words. Returns the
 * exit status. */
static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    static const char *const scripts[] = {bash, zsh, fish};
    if (argc > 1 && strcmp(argv[1], "words") == 0) {
        offer_words(argc - 2, argv + 2);
        return ORR_EXIT_OK;
    }
    int option = orr__next_option(argc, argv, "h", longs);
    if (option == 'h')
        orr__print_usage(stdout, &orr__cmd_completion);
    if (option != -1)
        return option == 'h' ? ORR_EXIT_OK : ORR_EXIT_USAGE;
    if (argc - optind != 1)
        return orr__usage_error("completion", "for which shell? bash, zsh or "
                                              "fish");
    for (size_t i = 0; shells[i]; i++)
        if (strcmp(argv[optind], shells[i]) == 0) {
            fputs(scripts[i], stdout);
            return ORR_EXIT_OK;
        }
    return orr__usage_unknown("completion", "shell", argv[optind], shells,
                              "help completion");
}

const struct orr_command orr__cmd_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .doc = "print completion code for a shell",
    .options = options_text,
    .run = run,
};
