/* Libraries that abort or print when something fails are taught to return
 * here: GSL and HDF5. igraph is tamed in topo/igraph.h, the only room that may
 * include it. */
#ifndef ORR_CORE_LIBRARIES_H
#define ORR_CORE_LIBRARIES_H

#include <stdbool.h>

#include "core/error.h"

/* Switches GSL's aborting handler off. May be called any number of times from
 * any thread. */
void orr__libraries_init(void);

/* Starts HDF5, if nobody has, and switches its printing off. May be called any
 * number of times; each thread that uses HDF5 calls it, because HDF5 keeps one
 * error stack a thread. To be called only where a file will be written:
 * starting HDF5 takes thousands of allocations, and it crashes when one of
 * them fails (record/record.c). Writing past `ulimit -f` raises SIGXFSZ, which
 * would end the process: that signal belongs to the program around the library;
 * the command ignores it, and the write fails instead. */
void orr__libraries_init_hdf5(void);

/* The HDF5 function just called in this thread failed while `doing` ("writing
 * run.h5.partial"): ENOMEM when memory was short, EIO with the system's reason
 * ("No space left on device") where there is one, else EINTERNAL. Clears HDF5's
 * error stack. */
ORR_CHECK_RESULT orr_err orr__libraries_hdf5(struct orr_report *why,
                                             const char *doing);

/* The HDF5 function just called in this thread failed because memory is short:
 * not because a damaged file asks for more than anybody has. */
bool orr__libraries_hdf5_starved(void);

#endif
