/* Tables that somebody made: columns by their names. */
#include "formats/measurements/table.h"

static orr_err read_csv(const struct orr_measurements_input *in)
{
    static const struct orr_measurements_rules rules = {
        .counts = ORR_MEASUREMENTS_HELD};
    return orr__measurements_table(in, &rules);
}

const struct orr_measurements_format orr__measurements_csv = {
    .name = "csv",
    .doc = "a table: bytes, ranks, time_us, p10_us, p90_us; other columns are "
           "texts",
    .is = orr__measurements_is_table,
    .read = read_csv,
};
