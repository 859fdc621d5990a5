/* From other simulators' files to a configuration, and back. A family: one
 * member a file, one line in convert_list.h, one test. A configuration that is
 * made names the files it came from; what has no meaning here is told in
 * notes. */
#ifndef ORR_FORMATS_CONVERT_H
#define ORR_FORMATS_CONVERT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"
#include "core/file.h"
#include "core/scan.h"
#include "core/text.h"
#include "formats/origin.h"
#include "workload/world.h"

/* A conversion to a configuration. */
struct orr_convert {
    const char *const *input; /* files, in any order */
    size_t inputs;
    const char *folder;    /* of the configuration; its names start there */
    struct orr_text yaml;  /* what is made */
    struct orr_text notes; /* lines: what was left out, or stands for what */
    struct orr_origins *blame; /* of yaml: where it stems from; NULL: unasked */
};

/* A member of the family. */
struct orr_convert_ops {
    const char *name;
    const char *doc;    /* what it is */
    const char *inputs; /* for help; NULL: it is not read */
    orr_err (*from)(struct orr_convert *c, struct orr_report *why);
    const char *outputs; /* for help; NULL: it is not written */
    /* Files into a folder that exists; w is loaded and was not run. */
    orr_err (*to)(const struct orr_world *w, const char *folder,
                  struct orr_text *notes, struct orr_report *why);
};

/* Ended by NULL. */
const struct orr_convert_ops *const *orr__converters(void);

/* ---- for members ------------------------------------------------------- */

/* A line of the notes. */
#define orr__note(notes, ...)                                                  \
    do {                                                                       \
        orr__text_add(notes, __VA_ARGS__);                                     \
        orr__text_add(notes, "\n");                                            \
    } while (0)

/* `path` as the configuration is to name it, in quotes where YAML asks for
 * them; free with orr__free. NULL: no memory. */
char *orr__convert_name(const struct orr_convert *c, const char *path);
/* The graph of a topology file. */
ORR_CHECK_RESULT orr_err orr__convert_graph(const char *format,
                                            const char *path,
                                            struct orr_graph **out,
                                            struct orr_report *why);
/* What a file is, by how it begins: an index of names, or the scan's failure.
 */
typedef orr_err orr_convert_classify_fn(struct orr_scan *s, void *arg,
                                        int *kind);
/* One of the input files into its place in path[], whose members names[] are
 * called; no two may be the same. */
ORR_CHECK_RESULT orr_err orr__convert_take_input(
    const char *file, orr_convert_classify_fn *classify, void *arg,
    const char *const *names, const char **path, struct orr_report *why);
/* A file of the folder, to be closed with orr__file_close. */
ORR_CHECK_RESULT orr_err orr__convert_open(struct orr_file *o,
                                           const char *folder, const char *name,
                                           struct orr_report *why);
/* Fails if the world has jobs: only flows can be told to `format`. */
ORR_CHECK_RESULT orr_err orr__convert_flows_only(const struct orr_world *w,
                                                 const char *format,
                                                 struct orr_report *why);

/* Cables of a file that lists more than it counts, `name`: told. */
void orr__convert_unread(struct orr_text *notes, const char *name,
                         const struct orr_graph *g);

#endif
