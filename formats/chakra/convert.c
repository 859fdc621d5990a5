/* Chakra execution traces of any job: FOLDER/NAME.RANK.et, and the groups that
 * are not all ranks as NAME.groups.json. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "formats/chakra/chakra.h"
#include "formats/convert.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

/* A job's name as part of a file's: letters, digits and the like stay. */
static char *file_name(const struct orr_job *job, uint32_t index)
{
    char *name = orr__format("%s", job->name ? job->name : "job");
    for (char *p = name; p && *p; p++)
        if (*p == '/' || (unsigned char)*p <= ' ' || *p == 0x7f)
            *p = '_';
    if (name && (name[0] == '\0' || name[0] == '.')) {
        orr__free(name);
        name = orr__format("job%u", index);
    }
    return name;
}

/* A file for each rank, and one of groups. */
static orr_err write_job(const struct orr_job *job, const char *folder,
                         const char *name, struct orr_report *why)
{
    const struct orr_program *program = orr__job_program(job);
    orr_err err = ORR_OK;
    for (uint32_t r = 0; r < job->ranks && err == ORR_OK; r++) {
        char *path = orr__format("%s/%s.%u.et", folder, name, r);
        err = path ? orr__chakra_write(program, r, path, why)
                   : orr__no_memory(why);
        orr__free(path);
    }
    if (err != ORR_OK)
        return err;
    char *path = orr__format("%s/%s.groups.json", folder, name);
    err = path ? orr__chakra_write_groups(program, path, why)
               : orr__no_memory(why);
    orr__free(path);
    return err;
}

/* ASTRA-sim knows four kinds of collectives. */
static void note_kinds(const struct orr_job *job, const char *name,
                       struct orr_text *notes)
{
    const struct orr_program *p = orr__job_program(job);
    for (uint32_t i = 0; i < p->calls; i++) {
        enum orr_collective_kind k = p->call[i].c.ops->kind;
        if (k == ORR_ALL_REDUCE || k == ORR_ALL_GATHER
            || k == ORR_REDUCE_SCATTER || k == ORR_ALL_TO_ALL)
            continue;
        orr__note(notes, "%s: there is a %s, which ASTRA-sim does not run",
                  name, orr__collective_kind_name(k));
        return;
    }
}

/* A collective of a trace has one size. */
static void note_sizes(const struct orr_job *job, const char *name,
                       struct orr_text *notes)
{
    const struct orr_program *p = orr__job_program(job);
    uint32_t unequal = 0;
    for (uint32_t i = 0; i < p->calls; i++)
        unequal += p->call[i].c.sizes != NULL;
    if (unequal)
        orr__note(notes,
                  "%s: %u all-to-all%s of unequal sizes, which traces do not "
                  "have: written with equal parts of what the busiest rank "
                  "sends or receives",
                  name, unequal, unequal > 1 ? "s" : "");
}

/* One iteration of each job; what the format cannot say is noted. */
static orr_err to_chakra(const struct orr_world *w, const char *folder,
                         struct orr_text *notes, struct orr_report *why)
{
    orr_err err = ORR_OK;
    if (w->n_jobs == 0)
        return orr__fail(why, ORR_ECONFIG,
                         "traces are of jobs, and this "
                         "configuration has none");
    for (uint32_t j = 0; j < w->n_jobs && err == ORR_OK; j++) {
        const struct orr_job *job = &w->jobs[j];
        if (job->serve)
            return orr__fail(why, ORR_ECONFIG,
                             "job %s serves requests: its steps are decided "
                             "while it runs",
                             job->name);
        char *name = file_name(job, j);
        err = name ? write_job(job, folder, name, why) : orr__no_memory(why);
        if (err == ORR_OK)
            note_kinds(job, name, notes);
        if (err == ORR_OK)
            note_sizes(job, name, notes);
        if (err == ORR_OK && job->iterations > 1)
            orr__note(notes, "%s: one of its %u iterations", name,
                      job->iterations);
        if (err == ORR_OK && job->team->overlap > 1)
            orr__note(notes,
                      "%s: iterations overlap if the job that reads it "
                      "has `overlap: %u`",
                      name, job->team->overlap);
        orr__free(name);
    }
    if (err == ORR_OK && w->flows)
        orr__note(notes, "flows do not belong to a job: left out");
    return err;
}

const struct orr_convert_ops orr__convert_chakra = {
    .name = "chakra",
    .doc = "Chakra execution traces, which a job reads as `trace`",
    .outputs = "JOB.RANK.et for each rank, JOB.groups.json",
    .to = to_chakra,
};
