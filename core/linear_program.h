/* Small linear programs, by GLPK, which is used here and nowhere else: it
 * prints and aborts by default. */
#ifndef ORR_CORE_LINEAR_PROGRAM_H
#define ORR_CORE_LINEAR_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

/* Maximizes the sum of gain[i] x[i] over x >= 0, where for each row the sum of
 * value x is at most its limit. */
struct orr_linear_program {
    uint32_t variables, rows, entries;
    const double *gain;  /* per variable */
    const double *limit; /* per row */
    /* per entry: in which row, of which variable, times what */
    const uint32_t *row, *variable;
    const double *value;
};

/* Whether this build has GLPK. */
bool orr__linear_program_there(void);
/* x: per variable, out. ORR_ERUN: there is no best one; ENOMEM. */
ORR_CHECK_RESULT orr_err orr__linear_program_solve(
    const struct orr_linear_program *p, double *x, struct orr_report *why);

#endif
