/* Units in which tables and pictures show figures. */
#ifndef ORR_STUDY_UNITS_H
#define ORR_STUDY_UNITS_H

/* A unit and its size; the last one of a list has no name. */
struct orr_unit {
    double size;
    const char *name;
};
extern const struct orr_unit orr__units_of_s[];
extern const struct orr_unit orr__units_of_ns[];
extern const struct orr_unit orr__units_of_bytes[];
extern const struct orr_unit orr__units_of_bps[];

/* The largest unit of a list of which `most` has one at least; else the least.
 */
const struct orr_unit *orr__unit_for(const struct orr_unit *u, double most);

#endif
