/* The journal of a study: a line for each run that ended,
 *
 *     ok HASH CPU_SECONDS
 *     failed HASH CPU_SECONDS REASON
 *
 * and the last one of a hash counts. A line is appended by one write; what a
 * crash has cut short reads as nothing. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/none.h"
#include "core/read.h"
#include "study/compare/study.h"

static orr_err enter_entry(struct orr_journal *j, struct orr_journal_entry e,
                           struct orr_report *why)
{
    if (!orr__array_more(j->entry, j->room, j->entries)) {
        orr__free(e.reason);
        return orr__no_memory(why);
    }
    j->entry[j->entries++] = e;
    return ORR_OK;
}

/* Lines of no known form are passed over: a crash may have cut one short. */
static orr_err read_line(struct orr_journal *j, const char *line,
                         struct orr_report *why)
{
    struct orr_journal_entry e = {.ok = strncmp(line, "ok ", 3) == 0};
    const char *at = strchr(line, ' ');
    char *end;
    if (!at || (!e.ok && strncmp(line, "failed ", 7) != 0)
        || strspn(at + 1, "0123456789abcdef") != ORR_HASH_SIZE - 1
        || at[ORR_HASH_SIZE] != ' ')
        return ORR_OK;
    ORR_ASSERT(strlen(at) > ORR_HASH_SIZE);
    memcpy(e.hash, at + 1, ORR_HASH_SIZE - 1);
    e.cpu_s = strtod(at + ORR_HASH_SIZE, &end);
    if (!e.ok && *end == ' ') {
        e.reason = orr__strdup(end + 1);
        if (!e.reason)
            return orr__no_memory(why);
    }
    return enter_entry(j, e, why);
}

/* The names point into the entries, which move while there are more. */
static orr_err index_entries(struct orr_journal *j, struct orr_report *why)
{
    orr__names_fini(&j->names);
    j->names = (struct orr_names){.slot = NULL};
    for (uint32_t i = j->entries; i-- > 0;)
        if (orr__names_find(&j->names, j->entry[i].hash) == ORR_NONE
            && !orr__names_add(&j->names, j->entry[i].hash, i))
            return orr__no_memory(why);
    return ORR_OK;
}

orr_err orr__journal_read(struct orr_journal *j, const char *folder,
                          struct orr_report *why)
{
    char *path = orr__format("%s/journal", folder), *line;
    struct orr_lines lines;
    orr_err err = ORR_OK;
    if (!path)
        return orr__no_memory(why);
    int wrong = orr__lines_open(&lines, path, SIZE_MAX / 2);
    orr__free(path);
    if (wrong)
        return wrong == ENOMEM ? orr__no_memory(why) : ORR_OK;
    while (!err && (line = orr__lines_next(&lines)))
        if (lines.ended)
            err = read_line(j, line, why);
    orr__lines_fini(&lines);
    return err ? err : index_entries(j, why);
}

static orr_err cannot(const char *folder, struct orr_report *why)
{
    return orr__fail(why, ORR_EIO, "cannot write %s/journal: %s", folder,
                     strerror(errno));
}

/* A line that was cut short is ended first, so that ours is one of its own. */
orr_err orr__journal_open(struct orr_journal *j, const char *folder,
                          struct orr_report *why)
{
    char *path = orr__format("%s/journal", folder), last = '\n';
    if (!path)
        return orr__no_memory(why);
    j->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    orr__free(path);
    if (j->fd < 0)
        return cannot(folder, why);
    off_t end = lseek(j->fd, 0, SEEK_END);
    if (end > 0 && pread(j->fd, &last, 1, end - 1) == 1 && last != '\n'
        && write(j->fd, "\n", 1) != 1)
        return cannot(folder, why);
    return ORR_OK;
}

orr_err orr__journal_add(struct orr_journal *j, const struct orr_trial *t,
                         struct orr_report *why)
{
    bool ok = t->state == ORR_TRIAL_OK;
    char *line = orr__format("%s %s %.3f%s%s\n", ok ? "ok" : "failed", t->hash,
                             t->cpu_s, ok ? "" : " ", ok ? "" : t->reason);
    if (!line)
        return orr__no_memory(why);
    size_t n = strlen(line);
    errno = ENOSPC; /* of a write that is short */
    ssize_t written = write(j->fd, line, n);
    orr__free(line);
    if (written == (ssize_t)n)
        return ORR_OK;
    return orr__fail(why, ORR_EIO, "cannot write the journal: %s",
                     strerror(errno));
}

const struct orr_journal_entry *orr__journal_find(const struct orr_journal *j,
                                                  const char *hash)
{
    uint32_t i = orr__names_find(&j->names, hash);
    ORR_ASSERT(i == ORR_NONE || strcmp(j->entry[i].hash, hash) == 0);
    return i == ORR_NONE ? NULL : &j->entry[i];
}

void orr__journal_fini(struct orr_journal *j)
{
    for (uint32_t i = 0; i < j->entries; i++)
        orr__free(j->entry[i].reason);
    orr__free(j->entry);
    orr__names_fini(&j->names);
    if (j->fd >= 0)
        close(j->fd);
    *j = (struct orr_journal){.fd = -1};
}
