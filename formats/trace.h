/* Programs from other people's files. A family: one format a file, one line in
 * list.h. A format reads what stands under a job's `trace` and makes a finished
 * program of it. */
#ifndef ORR_FORMATS_TRACE_H
#define ORR_FORMATS_TRACE_H

#include "core/config/param.h"
#include "workload/program/source.h"

/* A rank as ASTRA-sim 2.x reports it. */
struct orr_sys_report {
    int64_t compute_ps; /* of its accelerator, all nodes together */
    int64_t finish_ps;  /* after a run; -1: it did not end */
};

/* What is known of a trace beyond its program, for reports. */
struct orr_trace_info {
    struct orr_program_source source; /* first: it is one */
    const char *format;
    uint32_t files;
    uint64_t nodes;                         /* over all ranks' files */
    uint64_t by_type[8];                    /* Chakra's node types, 0 unused */
    uint64_t collectives, collective_bytes; /* of rank 0 */
    uint64_t sends, send_bytes;             /* of rank 0 */
    uint64_t missing_control; /* control dependencies on absent nodes */
    uint64_t ignored_control; /* left out because they do not count */
    int64_t critical_ps;      /* longest chain of computations, rank 0 */
    uint64_t critical_nodes;
    double load_s;
    struct orr_astra_report *astra; /* NULL: not an ASTRA-sim workload */
    struct orr_sys_report *sys;     /* per rank: ASTRA-sim 2.x; else NULL */
    uint32_t ranks;
    const char *note; /* what its user had better know; NULL: nothing */
};

/* A member of the family; static. */
struct orr_trace_format {
    const char *name, *doc;
    const struct orr_param *params; /* beside `format` */
    size_t params_size;
    /* Makes *out, finished. keys: params_size bytes, read through params. */
    orr_err (*read)(const struct orr_trace_job *job, const void *keys,
                    struct orr_program **out, struct orr_trace_info *info,
                    struct orr_report *why);
};

/* For formats: whether the ranks of a finished program fit together: each
 * message that one sends another receives, each collective has all the members
 * of its group. file: per part, for messages, which name the node by its
 * label. */
ORR_CHECK_RESULT orr_err orr__trace_check(const struct orr_program *p,
                                          const char *const *file,
                                          struct orr_report *why);
/* For formats: a file name from the configuration as it is to be opened,
 * starting at the configuration's folder; free with orr__free. NULL: no
 * memory. */
char *orr__trace_path(const struct orr_trace_job *job, const char *file);
/* A text file that the key of the `trace` map names, path as it is to be
 * opened; free *text with orr__free. Blames that key if it cannot be read, the
 * file if it is empty or no text. */
ORR_CHECK_RESULT orr_err orr__trace_text_file(const struct orr_trace_job *job,
                                              const char *key, const char *path,
                                              char **text, size_t *length,
                                              struct orr_report *why);
/* A whole file of at most 1 GiB with a NUL behind it, free with orr__free.
 * ECONFIG, with the file's name, if it cannot be read. */
ORR_CHECK_RESULT orr_err orr__trace_slurp(const char *path, char **text,
                                          size_t *length,
                                          struct orr_report *why);

#endif
