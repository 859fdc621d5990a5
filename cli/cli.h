/* The orrery command: the only place that prints, and the only one that exits.
 * Results go to stdout, everything else to stderr. */
#ifndef ORR_CLI_CLI_H
#define ORR_CLI_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "orrery/orrery.h"

enum orr_exit {
    ORR_EXIT_OK = 0,
    ORR_EXIT_RUN = 1,   /* the run failed, or stdout is not writable */
    ORR_EXIT_USAGE = 2, /* usage, configuration, a file that was named */
    ORR_EXIT_INTERRUPTED = 130,
};

/* A subcommand; static. */
struct orr_command {
    const char *name, *arguments, *doc;
    const char *options;   /* lines for help; may be NULL */
    void (*more)(FILE *f); /* what help says behind them; may be NULL */
    /* argv[0] is the subcommand's name. Returns the exit status. */
    int (*run)(int argc, char **argv);
};
const struct orr_command *const *orr__commands(void); /* NULL ends */
const struct orr_command *orr__command_find(const char *name);

extern const struct orr_command orr__cmd_run, orr__cmd_check, orr__cmd_topo,
    orr__cmd_compare, orr__cmd_profile, orr__cmd_plan, orr__cmd_convert,
    orr__cmd_list, orr__cmd_help, orr__cmd_version, orr__cmd_completion,
    orr__cmd_report, orr__cmd_timeline, orr__cmd_plot, orr__cmd_explain,
    orr__cmd_fit, orr__cmd_messages;

/* ---- print.c ----------------------------------------------------------- */

/* SIGPIPE and SIGXFSZ: a write fails instead, and is told as any failure. */
void orr__ignore_signals(void);
/* A failure, with its place, caret and hint, on stderr. */
void orr__print_report(const struct orr_report *why);
/* Says that memory ran out while the command line was read; its exit status. */
int orr__no_memory_for_words(void);
/* "orrery SUBCOMMAND: sentence" on stderr; returns ORR_EXIT_USAGE. */
int orr__usage_error(const char *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same with "did you mean" when a name is near to text, or what `orrery`
 * says them all with: "list cc". */
int orr__usage_unknown(const char *command, const char *what, const char *text,
                       const char *const *names, const char *said_by);
/* The exit status that a failure has, before or while the run is on. */
int orr__exit_status(orr_err code, bool running);
/* Flushes stdout and says so when it could not be written, or that memory ran
 * out for output. Returns status, or one of a failure when status was fine and
 * output was not. */
int orr__finish_stdout(int status);
/* There was no memory for a note or another line: orr__finish_stdout tells. */
void orr__lose_output(void);
/* What a subcommand's help says. */
void orr__print_usage(FILE *f, const struct orr_command *c);
/* A whole file of text. */
struct orr_report;
ORR_CHECK_RESULT orr_err orr__write_text(const char *name, const char *text,
                                         struct orr_report *why);
/* fprintf of what may hold names of the user's: as orr__make_shown has them. */
void orr__print_visible(FILE *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Notes about places of a configuration, a line each, on stderr. */
struct orr_world;
void orr__print_places(const struct orr_world *w);

/* Notes of a conversion, a line each, on stderr: for people. The text is empty
 * then. That memory ran out for it is for the caller to tell. */
struct orr_text;
void orr__print_notes(struct orr_text *notes);

/* getopt_long with messages of our own: the next option's value, -1 at the end,
 * '?' after a message on stderr. */
int orr__next_option(int argc, char **argv, const char *shorts,
                     const struct option *longs);
/* json_option.c: makes each `--json` in argv that has no FILE `--json=-`. The
 * first orr__next_option does it. */
void orr__settle_json(int argc, char **argv, const char *shorts,
                      const struct option *longs);
#define ORR_JSON_LONG                                                          \
    {                                                                          \
        "json", required_argument, NULL, 'j'                                   \
    }
/* A whole number from an option; false after a message. */
bool orr__option_number(const char *command, const char *option,
                        const char *text, int64_t most, int64_t *value);

/* A list of strings that grows: the --set assignments. */
struct orr_words {
    const char **word;
    size_t count, capacity;
    char *preset; /* one of them, owned; NULL: none */
};
bool orr__words_add(struct orr_words *w, const char *word); /* false: memory */
/* What --preset NAME sets, instead of what an earlier one did. */
bool orr__words_preset(struct orr_words *w, const char *name);
void orr__words_fini(struct orr_words *w);

/* --plugin PATH, where it is taken: its value in longs, and its help. */
#define ORR_PLUGIN_OPTION 500
#define ORR_PLUGIN_LONG                                                        \
    {                                                                          \
        "plugin", required_argument, NULL, ORR_PLUGIN_OPTION                   \
    }
#define ORR_PLUGIN_HELP                                                        \
    "      --plugin FILE     a shared object with a congestion control (may\n" \
    "                        be repeated); orrery/cc.h says how to write "     \
    "one\n"

/* What other runs found out is not read, and nothing is kept for others. */
enum { ORR_NO_CACHE_OPTION = 501 };
#define ORR_NO_CACHE_LONG                                                      \
    {                                                                          \
        "no-cache", no_argument, NULL, ORR_NO_CACHE_OPTION                     \
    }
#define ORR_NO_CACHE_HELP                                                      \
    "      --no-cache        neither use nor write the cache (ORRERY_CACHE,\n" \
    "                        or ~/.cache/orrery)\n"
int orr__forgo_cache(void); /* -1, as options return it */

/* ---- progress.c -------------------------------------------------------- */

/* The line on stderr that says how far a run is. */
struct orr_progress_line {
    bool on;        /* anything is to be told */
    bool rewrites;  /* stderr is a terminal that can rewrite a line; else there
                     * is a line now and then */
    bool shown;     /* a line is there and has to be wiped */
    double shown_s; /* when the last one was written */
    unsigned pass;  /* of a run that is made several times; 0: it is not */
};
void orr__progress_init(struct orr_progress_line *l, bool quiet);
/* options.progress; arg is the line */
void orr__progress_show(void *arg, const struct orr_progress *p);
/* How far it is, by the wall clock: shows this text. */
void orr__progress_say(struct orr_progress_line *l, const char *text);
/* "3 min 20 s" */
void orr__progress_left(double s, char *buf, size_t size);
void orr__progress_wipe(struct orr_progress_line *l);

/* ---- families.c: what there is to list and explain --------------------- */

struct orr_param;
#define ORR_GROUP_KEYS_MAX 16

/* A member of a family, as help and list print it; borrowed. */
struct orr_family_entry {
    const char *name, *doc;
    const char *group;              /* "all-reduce" of a collective, or NULL */
    const struct orr_param *params; /* NULL: none */
};

/* A family of parts, for help, list and completion; static. */
struct orr_family {
    const char *name, *singular, *doc;
    const char *key; /* where its members stand in a configuration */
    const struct orr_param *(*common)(void); /* keys beside the members' own */
    /* The same when they depend on the group: fills room for that many. */
    void (*group_keys)(const char *group, struct orr_param *room);
    /* The i-th member; false past the last. */
    bool (*member)(size_t i, struct orr_family_entry *m);
    /* What help prints of a member instead of its keys; NULL: nothing. */
    const char *(*text)(const char *name);
};
extern const struct orr_family orr__families[]; /* name NULL ends */
/* The i-th member, those of the shared objects that a document has loaded
 * behind ours (c NULL: none); false past the last. */
struct orr_config;
bool orr__family_member(const struct orr_family *f, const struct orr_config *c,
                        size_t i, struct orr_family_entry *m);
/* A document with these shared objects and nothing else, to be freed with
 * orr__config_free. -1, or the exit status, after a message. */
int orr__families_load(const struct orr_words *plugins,
                       struct orr_config **out);
const struct orr_family *orr__family_find(const char *name);

/* Parts of a configuration that are no family: name, doc, table. */
struct orr_section {
    const char *name, *doc;
    const struct orr_param *(*params)(void);
};
/* Of pictures; NULL ends. */
extern const char *const orr__plot_styles[];
extern const struct orr_section orr__sections[]; /* name NULL ends */

#endif
