/* Tables of measurements: a line of names of columns, and a row a line, fields
 * apart by commas, semicolons, tabs or blanks. Lines that begin with # are
 * passed over. */
#ifndef ORR_FORMATS_MEASUREMENTS_TABLE_H
#define ORR_FORMATS_MEASUREMENTS_TABLE_H

#include "formats/measurements/measurements.h"

/* What a format lays down about its tables. */
struct orr_measurements_rules {
    double unit_ns; /* of times whose column has none; 0: none */
    enum orr_measurements_size counts; /* what its sizes count */
};

ORR_CHECK_RESULT orr_err
orr__measurements_table(const struct orr_measurements_input *in,
                        const struct orr_measurements_rules *rules);
/* Whether the first line that is no comment has a column of sizes or elements,
 * and one of times. */
bool orr__measurements_is_table(const struct orr_measurements_input *in);

#endif
