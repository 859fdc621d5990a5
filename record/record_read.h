/* Records read again: what a run, or a comparison, has left as HDF5. All sizes
 * are checked before anything is allocated; a file may be broken, of another
 * version, or of a run that was killed. */
#ifndef ORR_RECORD_RECORD_READ_H
#define ORR_RECORD_RECORD_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "record/record.h"

struct orr_reader;

/* ECONFIG: it is not there, no HDF5 file, a truncated one, or one of orrery in
 * another format than ORR_RECORD_FORMAT. */
ORR_CHECK_RESULT orr_err orr__reader_open(const char *name,
                                          struct orr_reader **out,
                                          struct orr_report *why);
void orr__reader_close(struct orr_reader *r); /* NULL is fine */
/* As given to orr__reader_open. */
const char *orr__reader_name(const struct orr_reader *r);

/* What cannot be looked up or opened, as its check sum is wrong, counts as not
 * there below: ECONFIG if there was such. To be asked when all is read. */
ORR_CHECK_RESULT orr_err orr__reader_sound(struct orr_reader *r,
                                           struct orr_report *why);

/* Objects are named by their path: "links/utilization". */
bool orr__reader_has(struct orr_reader *r, const char *path);
/* An attribute; path "/" for those of the file. *text NULL: not there; else to
 * be freed with orr__free. */
ORR_CHECK_RESULT orr_err orr__reader_text(struct orr_reader *r,
                                          const char *path, const char *name,
                                          char **text, struct orr_report *why);
/* False: not there, or no number. */
bool orr__reader_number(struct orr_reader *r, const char *path,
                        const char *name, uint64_t *value);

/* Whether it is a dataset of texts. */
bool orr__reader_is_text(struct orr_reader *r, const char *path);
/* Extents of a dataset, at most ORR_RECORD_SIDES; 0: it is not there, or no
 * array. */
int orr__reader_shape(struct orr_reader *r, const char *path, uint64_t *size);

/* Rows [first, first + n) of a dataset, all their columns, into `values` of
 * that type (numbers are converted; no text). */
ORR_CHECK_RESULT orr_err orr__reader_rows(struct orr_reader *r,
                                          const char *path,
                                          enum orr_record_type type,
                                          uint64_t first, uint64_t n,
                                          void *values, struct orr_report *why);
/* A whole dataset of numbers, to be freed with orr__free; *n: elements. */
ORR_CHECK_RESULT orr_err orr__reader_column(struct orr_reader *r,
                                            const char *path,
                                            enum orr_record_type type,
                                            void **values, uint64_t *n,
                                            struct orr_report *why);
/* A whole dataset of texts, or one text: n of them, NULL never among them; to
 * be freed with orr__reader_free_texts. */
ORR_CHECK_RESULT orr_err orr__reader_texts(struct orr_reader *r,
                                           const char *path, char ***text,
                                           uint64_t *n, struct orr_report *why);
void orr__reader_free_texts(char **text, uint64_t n);
/* The name of the scale of a side of a dataset, of an attached one; ECONFIG:
 * it has none. To be freed with orr__free. */
ORR_CHECK_RESULT orr_err orr__reader_scale(struct orr_reader *r,
                                           const char *path, unsigned side,
                                           char **name, struct orr_report *why);
/* Names of what is in a group, in the order in which it came there; as
 * orr__reader_texts. */
ORR_CHECK_RESULT orr_err orr__reader_names(struct orr_reader *r,
                                           const char *group, char ***text,
                                           uint64_t *n, struct orr_report *why);

#endif
