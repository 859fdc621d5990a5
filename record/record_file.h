/* The file below a record, as a driver of HDF5's. HDF5 cannot close a file
 * that it cannot write to; this driver therefore remembers the first failure
 * of the system and lets everything after it seem to succeed, so that the
 * library always closes, and the true reason is kept. */
#ifndef ORR_RECORD_RECORD_FILE_H
#define ORR_RECORD_RECORD_FILE_H

#include <hdf5.h>

#include "core/error.h"

/* The file below a record. */
struct orr_record_file {
    char *name; /* where it is now; changed by _rename */
    int fd;     /* -1: closed */
    int error;  /* errno of the first failed read or write; 0: none */
};

/* Creates the file, as orr__file_create does, so that no other run writes the
 * same. Fails with ECONFIG and the system's reason. */
ORR_CHECK_RESULT orr_err orr__record_file_open(struct orr_record_file *f,
                                               const char *name,
                                               struct orr_report *why);
/* Lets a file access list use f, which must outlive the HDF5 file. Returns the
 * driver's id, to be given to H5FDunregister once that file is closed; < 0
 * when HDF5 failed. */
hid_t orr__record_file_driver(struct orr_record_file *f, hid_t fapl);
/* Waits until the bytes are on the disk. */
ORR_CHECK_RESULT orr_err orr__record_file_sync(struct orr_record_file *f,
                                               struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__record_file_rename(struct orr_record_file *f,
                                                 const char *name,
                                                 struct orr_report *why);
/* EIO with the file's name and the reason when something failed, else OK. */
ORR_CHECK_RESULT orr_err orr__record_file_state(const struct orr_record_file *f,
                                                struct orr_report *why);
/* Removes the file unless `keep`. */
void orr__record_file_close(struct orr_record_file *f, bool keep);

#endif
