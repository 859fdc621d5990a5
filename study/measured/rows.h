/* Rows of measurements beside runs: which rows are meant, and which key of a
 * configuration stands for their sizes. */
#ifndef ORR_STUDY_MEASURED_ROWS_H
#define ORR_STUDY_MEASURED_ROWS_H

#include "core/config/config.h"
#include "formats/measurements/measurements.h"

/* Adds all files. element: size of an element as text, or NULL. */
ORR_CHECK_RESULT orr_err orr__rows_read(struct orr_measurements *m,
                                        const char *const *files, size_t n,
                                        const char *format, const char *element,
                                        struct orr_report *why);
/* "COLUMN=VALUE" of an option: the column of texts, and the value. ECONFIG:
 * there is no such column. */
ORR_CHECK_RESULT orr_err orr__rows_column(const struct orr_measurements *m,
                                          const char *option, const char *text,
                                          uint32_t *column, const char **value,
                                          struct orr_report *why);
/* Whether the row has these n bytes there. */
bool orr__rows_has(const struct orr_measurements_row *r, uint32_t column,
                   const char *value, size_t n);
/* Whether the row is meant by these conditions "COLUMN=VALUE"; of several on
 * one column one is enough. Of nccl-tests' two times the one out of place is
 * meant unless `place` is asked for. */
ORR_CHECK_RESULT orr_err orr__rows_choose(const struct orr_measurements *m,
                                          const char *const *where, size_t n,
                                          const struct orr_measurements_row *r,
                                          bool *chosen, struct orr_report *why);

/* The node at a path like jobs[0].program[1].all-reduce.size; NULL: none. */
const struct orr_yaml *orr__config_at(const struct orr_yaml *root,
                                      const char *path);
/* The whole number there; 0: there is none. */
uint64_t orr__config_number(struct orr_config *c, const char *path);
/* Where the size of the only collective of the first job stands, or of the
 * first flow; in the arena. ECONFIG: there is none, or several. */
ORR_CHECK_RESULT orr_err orr__size_key_find(struct orr_config *effective,
                                            struct orr_arena *arena,
                                            const char **key,
                                            struct orr_report *why);
/* The kind of collective that such a key is of; "": of none. */
ORR_CHECK_RESULT orr_err orr__size_key_kind(const char *key,
                                            struct orr_arena *arena,
                                            const char **kind,
                                            struct orr_report *why);

#endif
