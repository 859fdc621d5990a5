#include "formats/goal_schedule.h"

#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/names.h"
#include "core/scan.h"
#include "core/units.h"

/* A file while it is read. */
struct reader {
    struct orr_scan s;
    struct orr_goal *g;
    struct orr_names label;  /* of the rank at work: its operations */
    struct orr_arena labels; /* their texts */
    uint32_t rank;           /* at work, or ORR_NONE */
    struct orr_report *why;
};

void orr__goal_free(struct orr_goal *g)
{
    orr__free(g->file);
    orr__free(g->op);
    orr__free(g->wait);
    orr__free(g->part);
}

static bool is_word(const struct reader *r, const char *word)
{
    return strcmp(r->s.word, word) == 0;
}

/* The next word of the line is a whole number. */
static orr_err read_int(struct reader *r, const char *what, int64_t most,
                        int64_t *value)
{
    if (!orr__scan_here(&r->s))
        return orr__scan_fail(&r->s, "%s is missing", what);
    return orr__scan_int(&r->s, what, 0, most, value);
}

/* A message's size, with the letter b or without. */
static orr_err read_bytes(struct reader *r, uint64_t *bytes)
{
    char digits[24];
    int64_t value;
    size_t n;
    if (!orr__scan_here(&r->s))
        return orr__scan_fail(&r->s, "the message's bytes are missing");
    n = r->s.length;
    n -= n && r->s.word[n - 1] == 'b';
    if (n >= sizeof digits)
        n = 0;
    memcpy(digits, r->s.word, n);
    digits[n] = '\0';
    if (orr__parse_int(digits, &value) || value < 0 || value > INT64_C(1) << 60)
        return orr__scan_fail(
            &r->s, "%s is no number of bytes, as in send 1024b", r->s.word);
    *bytes = (uint64_t)value;
    return ORR_OK;
}

/* `to` or `from`, and the other rank. */
static orr_err read_peer(struct reader *r, struct orr_goal_op *op)
{
    const char *word = op->kind == ORR_GOAL_SEND ? "to" : "from";
    int64_t peer;
    if (!orr__scan_here(&r->s) || !is_word(r, word))
        return orr__scan_fail(&r->s, "`%s` and a rank are missing", word);
    if (!orr__scan_here(&r->s))
        return orr__scan_fail(&r->s, "the other rank is missing");
    if (is_word(r, "-1"))
        return orr__scan_fail(&r->s, "a message from any rank: which one it "
                                     "is has to be said here");
    orr_err err =
        orr__scan_int(&r->s, "a rank", 0, (int64_t)r->g->ranks - 1, &peer);
    if (!err && peer == r->rank)
        err =
            orr__scan_fail(&r->s, "a message of rank %u with itself", r->rank);
    op->peer = (uint32_t)peer;
    return err;
}

/* `tag`, `cpu` and `nic`, in any order, to the end of the line. */
static orr_err read_options(struct reader *r, struct orr_goal_op *op)
{
    orr_err err = ORR_OK;
    while (!err && orr__scan_here(&r->s)) {
        int64_t value = 0;
        if (is_word(r, "tag") && op->kind != ORR_GOAL_CALC) {
            if (orr__scan_here(&r->s) && is_word(r, "-1"))
                return orr__scan_fail(&r->s, "a message with any tag: which "
                                             "one it is has to be said here");
            err = orr__scan_int(&r->s, "a tag", 0, INT32_MAX, &value);
            op->tag = (uint32_t)value;
        } else if (is_word(r, "cpu")) {
            err = read_int(r, "a core", ORR_GOAL_CORES - 1, &value);
            op->core = (uint8_t)value;
        } else if (is_word(r, "nic")) {
            err = read_int(r, "a NIC", ORR_GOAL_CORES - 1, &value);
            r->g->nics |= value > 0;
        } else {
            err = orr__scan_fail(&r->s,
                                 "there is no %s here: %scpu and nic "
                                 "may follow",
                                 r->s.word,
                                 op->kind == ORR_GOAL_CALC ? "" : "tag, ");
        }
    }
    return err;
}

/* What it does has just been scanned; label: its name, or NULL. */
static orr_err read_op(struct reader *r, const char *label)
{
    struct orr_goal *g = r->g;
    struct orr_goal_op op = {.line = orr__scan_line(&r->s)};
    int64_t ns = 0;
    orr_err err;
    op.kind = is_word(r, "calc")   ? ORR_GOAL_CALC
              : is_word(r, "send") ? ORR_GOAL_SEND
                                   : ORR_GOAL_RECV;
    if (op.kind == ORR_GOAL_CALC) {
        err = read_int(r, "a calculation's nanoseconds", ORR_HORIZON / ORR_NS,
                       &ns);
        op.amount = (uint64_t)ns;
    } else {
        err = read_bytes(r, &op.amount);
        if (!err)
            err = read_peer(r, &op);
    }
    if (!err)
        err = read_options(r, &op);
    if (err)
        return err;
    if (!orr__array_more(g->op, g->op_room, g->ops)
        || (label && !orr__names_add(&r->label, label, g->ops)))
        return orr__no_memory(r->why);
    g->op[g->ops++] = op;
    g->part[r->rank].ops++;
    return ORR_OK;
}

/* The operation that the last word names. */
static orr_err find_operation(struct reader *r, uint32_t *op)
{
    *op = orr__names_find(&r->label, r->s.word);
    return *op == ORR_NONE
               ? orr__scan_fail(&r->s,
                                "rank %u has no operation %s above this line",
                                r->rank, r->s.word)
               : ORR_OK;
}

/* `requires` or `irequires` has just been scanned. */
static orr_err read_wait(struct reader *r, uint32_t after)
{
    struct orr_goal *g = r->g;
    struct orr_goal_wait w = {.after = after, .start = is_word(r, "irequires")};
    if (!orr__scan_here(&r->s))
        return orr__scan_fail(&r->s, "what it waits for is missing");
    orr_err err = find_operation(r, &w.before);
    if (!err && w.before == after)
        err = orr__scan_fail(&r->s, "%s waits for itself", r->s.word);
    if (!err && orr__scan_here(&r->s))
        err = orr__scan_fail(&r->s, "one operation a line is waited for");
    if (err)
        return err;
    if (!orr__array_more(g->wait, g->wait_room, g->waits))
        return orr__no_memory(r->why);
    g->wait[g->waits++] = w;
    g->part[r->rank].waits++;
    return ORR_OK;
}

static bool is_operation(const struct reader *r)
{
    return is_word(r, "calc") || is_word(r, "send") || is_word(r, "recv");
}

/* A line that begins with a name. */
static orr_err read_named(struct reader *r)
{
    uint32_t op = orr__names_find(&r->label, r->s.word);
    char *label = orr__arena_strdup(&r->labels, r->s.word);
    if (!label)
        return orr__no_memory(r->why);
    if (!orr__scan_here(&r->s))
        return orr__scan_fail(&r->s, "nothing stands behind %s", label);
    if (is_word(r, "requires") || is_word(r, "irequires")) {
        if (op != ORR_NONE)
            return read_wait(r, op);
        return orr__scan_fail(&r->s,
                              "rank %u has no operation %s above this line",
                              r->rank, label);
    }
    if (!is_operation(r))
        return orr__scan_fail(&r->s,
                              "%s is neither calc, send, recv, "
                              "requires nor irequires",
                              r->s.word);
    if (op != ORR_NONE)
        return orr__scan_fail(&r->s, "rank %u has two operations %s", r->rank,
                              label);
    return read_op(r, label);
}

/* ---- ranks --------------------------------------------------------------- */

/* `rank` has just been scanned. */
static orr_err begin_rank(struct reader *r)
{
    int64_t rank = 0;
    orr_err err = read_int(r, "a rank", (int64_t)r->g->ranks - 1, &rank);
    if (err)
        return err;
    struct orr_goal_part *part = &r->g->part[rank];
    if (part->line)
        return orr__scan_fail(&r->s, "rank %u is there twice: see line %d",
                              (unsigned)rank, part->line);
    *part = (struct orr_goal_part){
        .op = r->g->ops, .wait = r->g->waits, .line = orr__scan_line(&r->s)};
    r->rank = (uint32_t)rank;
    if (!orr__scan_here(&r->s) || !is_word(r, "{"))
        return orr__scan_fail(&r->s, "{ is missing behind rank %u", r->rank);
    return ORR_OK;
}

static void end_rank(struct reader *r)
{
    orr__names_fini(&r->label);
    r->label = (struct orr_names){.slot = NULL};
    orr__arena_fini(&r->labels);
    r->labels = (struct orr_arena){.blocks = NULL};
    r->rank = ORR_NONE;
}

/* A line whose first word has been scanned. */
static orr_err read_line(struct reader *r)
{
    orr_err err;
    if (r->rank == ORR_NONE) {
        if (!is_word(r, "rank"))
            return orr__scan_fail(&r->s, "`rank` and its number are expected "
                                         "here");
        err = begin_rank(r);
    } else if (is_word(r, "}")) {
        end_rank(r);
        err = ORR_OK;
    } else {
        return is_operation(r) ? read_op(r, NULL) : read_named(r);
    }
    if (!err && orr__scan_here(&r->s))
        err = orr__scan_fail(&r->s, "one statement a line");
    return err;
}

/* The whole file, line by line. */
static orr_err read_all(struct reader *r)
{
    int64_t ranks = 0;
    orr_err err;
    if (!orr__scan_word(&r->s) || !is_word(r, "num_ranks"))
        return orr__scan_fail(&r->s, "`num_ranks` and their number are "
                                     "expected here");
    err = read_int(r, "the number of ranks", ORR_GOAL_RANKS, &ranks);
    if (!err && ranks == 0)
        err = orr__scan_fail(&r->s, "a schedule has at least one rank");
    if (err)
        return err;
    r->g->ranks = (uint32_t)ranks;
    r->g->part = orr__alloc((size_t)ranks, sizeof *r->g->part);
    if (!r->g->part)
        return orr__no_memory(r->why);
    while (!err && orr__scan_word(&r->s))
        err = read_line(r);
    if (!err && r->rank != ORR_NONE)
        err = orr__scan_fail(&r->s, "} is missing behind rank %u", r->rank);
    return err;
}

/* ---- comments ------------------------------------------------------------ */

/* Where the comment that begins at `from` is over; beyond length: nowhere. */
static size_t comment_end(const char *text, size_t length, size_t from)
{
    bool line = text[from + 1] == '/';
    for (size_t i = from + 2; i < length; i++) {
        if (line && text[i] == '\n')
            return i;
        if (!line && text[i] == '*' && i + 1 < length && text[i + 1] == '/')
            return i + 2;
    }
    return line ? length : length + 1;
}

/* Blanks instead of comments; lines stay as they are. False: the one that
 * begins at *at does not end. */
static bool blank_comments(char *text, size_t length, size_t *at)
{
    for (size_t i = 0; i + 1 < length;) {
        if (text[i] != '/' || (text[i + 1] != '/' && text[i + 1] != '*')) {
            i++;
            continue;
        }
        size_t end = comment_end(text, length, i);
        *at = i;
        if (end > length)
            return false;
        for (; i < end; i++)
            if (text[i] != '\n')
                text[i] = ' ';
    }
    return true;
}

/* ECONFIG at a comment that does not end. */
static orr_err fail_comment(const char *file, const char *text, size_t at,
                            struct orr_report *why)
{
    int line = 1;
    size_t from = 0;
    for (size_t i = 0; i < at; i++)
        if (text[i] == '\n') {
            line++;
            from = i + 1;
        }
    return orr__fail_at(why, ORR_ECONFIG, file, line, (int)(at - from) + 1,
                        "a comment that does not end");
}

orr_err orr__goal_read(const char *file, const char *text, size_t length,
                       struct orr_goal *out, struct orr_report *why)
{
    struct reader r = {.g = out, .rank = ORR_NONE, .why = why};
    size_t at = 0;
    *out = (struct orr_goal){.file = orr__strdup(file)};
    char *plain = orr__alloc(length + 1, 1);
    if (!out->file || !plain) {
        orr__free(plain);
        return orr__no_memory(why);
    }
    memcpy(plain, text, length);
    orr_err err = blank_comments(plain, length, &at)
                      ? orr__scan_text(&r.s, file, plain, length, why)
                      : fail_comment(file, text, at, why);
    r.s.separator = ':';
    if (!err)
        err = read_all(&r);
    end_rank(&r);
    orr__scan_fini(&r.s);
    orr__free(plain);
    return err;
}
