/* In the place of record/write_circles.c, for a world whose schedules are not
 * linked: none has made a plan. For one file of a test. */
#ifndef ORR_TESTS_RECORD_UNPLANNED_H
#define ORR_TESTS_RECORD_UNPLANNED_H

#include "record/write_circles.h"

orr_err orr__circles_write(struct orr_record *r, const struct orr_world *w)
{
    return ORR_OK;
}

#endif
