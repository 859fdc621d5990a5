/* Messages, options, folders. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/help.h"
#include "core/array.h"
#include "core/assert.h"
#include "core/config/param.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"
#include "experiment/notes.h"

/* A write to a closed pipe, or past `ulimit -f`, fails as a write does, and is
 * told as one. */
void orr__ignore_signals(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void orr__print_report(const struct orr_report *why)
{
    char text[4096];
    orr__report_format(why, text, sizeof text);
    size_t n = strlen(text);
    /* a message without a place says at least whose it is */
    fprintf(stderr, "%s%s%s", why->file[0] ? "" : "orrery: ", text,
            n && text[n - 1] == '\n' ? "" : "\n");
    char key[ORR_KEY_MAX], around[ORR_KEY_MAX], places[256];
    if (orr__param_unknown_key(why, key, around)
        && strncmp(why->hint, "did you", 7) != 0
        && orr__help_places(key, around, places, sizeof places))
        orr__print_visible(stderr, "hint: \"%s\" is a key of %s\n", key,
                           places);
}

int orr__no_memory_for_words(void)
{
    struct orr_report why = {0};
    orr_err err = orr__no_memory(&why);
    orr__print_report(&why);
    return orr__exit_status(err, false);
}

/* Something was not shown: there was no memory for it. */
static bool lost;

void orr__lose_output(void)
{
    lost = true;
}

/* Control characters in names from files are made visible. Without memory
 * output counts as lost, which the exit status tells. */
static void print_visible(FILE *f, const char *fmt, va_list args)
{
    char small[2048], *text = small;
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, fmt, args);
    if (n >= (int)sizeof small) {
        text = orr__alloc((size_t)n + 1, 1);
        if (text)
            n = vsnprintf(text, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    if (n < 0 || !text) {
        orr__lose_output();
    } else {
        orr__make_shown(text);
        fputs(text, f);
    }
    if (text != small)
        orr__free(text);
}

void orr__print_visible(FILE *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_visible(f, fmt, args);
    va_end(args);
}

static void print_command(const char *command)
{
    fprintf(stderr, "orrery%s%s: ", command ? " " : "", command ? command : "");
}

int orr__usage_error(const char *command, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_command(command);
    print_visible(stderr, fmt, args);
    va_end(args);
    fprintf(stderr, "\nhint: `orrery help%s%s` says how it is used\n",
            command ? " " : "", command ? command : "");
    return ORR_EXIT_USAGE;
}

int orr__usage_unknown(const char *command, const char *what, const char *text,
                       const char *const *names, const char *said_by)
{
    const char *near = orr__param_nearest(names, text);
    print_command(command);
    orr__print_visible(stderr, "no %s is called \"%s\"\n", what, text);
    if (near)
        fprintf(stderr, "hint: did you mean \"%s\"?\n", near);
    else
        fprintf(stderr, "hint: `orrery %s` names them\n", said_by);
    return ORR_EXIT_USAGE;
}

int orr__exit_status(orr_err code, bool running)
{
    switch (code) {
    case ORR_OK: return ORR_EXIT_OK;
    case ORR_ECONFIG: return ORR_EXIT_USAGE;
    case ORR_EIO: /* before a run: of a file that the user named */
    case ORR_ENOMEM: return running ? ORR_EXIT_RUN : ORR_EXIT_USAGE;
    case ORR_EINTERRUPTED: return ORR_EXIT_INTERRUPTED;
    case ORR_ERUN:
    case ORR_EINTERNAL:
    case ORR_ECALL: break;
    }
    return ORR_EXIT_RUN;
}

int orr__finish_stdout(int status)
{
    int failed = ferror(stdout);
    if (lost) {
        int short_of = orr__no_memory_for_words();
        status = status == ORR_EXIT_OK ? short_of : status;
    }
    errno = 0;
    if (fflush(stdout) != 0)
        failed = 1;
    if (!failed)
        return status;
    if (errno == 0) { /* it failed before: once more, to know why */
        clearerr(stdout);
        (void)(fputc('\n', stdout) == EOF || fflush(stdout));
    }
    fprintf(stderr, "orrery: standard output: %s\n",
            errno ? strerror(errno) : "could not be written");
    return status == ORR_EXIT_OK ? ORR_EXIT_RUN : status;
}

void orr__print_usage(FILE *f, const struct orr_command *c)
{
    fprintf(f, "usage: orrery %s%s%s\n\n%s\n", c->name,
            c->arguments[0] ? " " : "", c->arguments, c->doc);
    if (c->options)
        fprintf(f, "\n%s", c->options);
    if (c->more)
        c->more(f);
}

void orr__print_places(const struct orr_world *w)
{
    struct orr_notes n;
    if (orr__notes_of_places(w, &n) != ORR_OK)
        orr__lose_output();
    for (uint32_t i = 0; i < n.n; i++)
        orr__print_visible(stderr, "note: %s\n", n.text[i]);
    orr__notes_free(&n);
}

/* ---- options ----------------------------------------------------------- */

/* With the nearest long option. */
static void unknown_option(const char *command, const char *word,
                           const struct option *longs)
{
    enum { MOST = 96 };
    const char *names[MOST] = {NULL};
    char name[64];
    for (size_t i = 0; longs[i].name && i + 1 < MOST; i++) {
        ORR_ASSERT(!longs[i + 1].name || i + 2 < MOST); /* all are known */
        names[i] = longs[i].name;
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *near = orr__param_nearest(names, name);
    orr__print_visible(stderr, "orrery %s: no option is called \"--%s\"\n",
                       command, name);
    if (near)
        fprintf(stderr, "hint: did you mean \"--%s\"?\n", near);
    else
        fprintf(stderr, "hint: `orrery help %s` names them\n", command);
}

/* The option if its value names what is to be written and is empty, which would
 * show when the run is over; or NULL. */
static const struct option *unnamed_output(const struct option *longs, int c)
{
    static const char *const outputs[] = {"output",   "json",  "fct",
                                          "timeline", "write", "svg",
                                          "graphml",  "dot",   NULL};
    for (const struct option *o = longs; o->name; o++)
        if (o->val == c && o->has_arg == required_argument && !optarg[0]
            && orr__param_choice(outputs, o->name) >= 0)
            return o;
    return NULL;
}

int orr__next_option(int argc, char **argv, const char *shorts,
                     const struct option *longs)
{
    opterr = 0;
    if (optind == 1) /* nothing is read yet */
        orr__settle_json(argc, argv, shorts, longs);
    int c = getopt_long(argc, argv, shorts, longs, NULL);
    ORR_ASSERT(optind >= 1 && optind <= argc);
    if (c == ':') {
        (void)orr__usage_error(argv[0], "%s needs a value", argv[optind - 1]);
        return '?';
    }
    const struct option *unnamed = unnamed_output(longs, c);
    if (unnamed) {
        (void)orr__usage_error(argv[0], "--%s needs a name", unnamed->name);
        return '?';
    }
    if (c != '?')
        return c;
    const char *word = argv[optind - 1];
    if (optopt && strncmp(word, "--", 2) != 0)
        (void)orr__usage_error(argv[0], "no option is called \"-%c\"", optopt);
    else if (optopt)
        (void)orr__usage_error(argv[0], "%.*s takes no value",
                               (int)strcspn(word, "="), word);
    else
        unknown_option(argv[0], word, longs);
    return '?';
}

bool orr__option_number(const char *command, const char *option,
                        const char *text, int64_t most, int64_t *value)
{
    const char *wrong = orr__parse_int(text, value);
    if (!wrong && *value >= 0 && *value <= most)
        return true;
    (void)orr__usage_error(command,
                           "%s takes a number from 0 to %lld, not "
                           "\"%s\"",
                           option, (long long)most, text);
    return false;
}

bool orr__words_add(struct orr_words *w, const char *word)
{
    if (!orr__array_more(w->word, w->capacity, w->count))
        return false;
    w->word[w->count++] = word;
    return true;
}

bool orr__words_preset(struct orr_words *w, const char *name)
{
    char *text = orr__format("network.preset=%s", name);
    if (!text)
        return false;
    for (size_t i = 0; i < w->count && w->preset; i++)
        if (w->word[i] == w->preset) {
            w->word[i] = text;
            orr__free(w->preset);
            w->preset = text;
            return true;
        }
    if (!orr__words_add(w, text)) {
        orr__free(text);
        return false;
    }
    w->preset = text;
    return true;
}

void orr__words_fini(struct orr_words *w)
{
    orr__free(w->preset);
    orr__free(w->word);
}

/* ---- files ------------------------------------------------------------- */

orr_err orr__write_text(const char *name, const char *text,
                        struct orr_report *why)
{
    struct orr_file f = {.out = NULL};
    orr_err err = orr__file_open(&f, name, why);
    if (err)
        return err;
    orr__file_put(&f, text, strlen(text));
    return orr__file_close(&f, ORR_OK, why);
}

void orr__print_notes(struct orr_text *notes)
{
    char *text = orr__text_done(notes), *next;
    for (char *line = text; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        orr__print_visible(stderr, "note: %s\n", line);
        if (!next)
            break;
    }
    orr__free(text);
}
