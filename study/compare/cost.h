/* Networks of one price: the rates of all links of a combination's network are
 * scaled until it costs what others do. */
#ifndef ORR_STUDY_COMPARE_COST_H
#define ORR_STUDY_COMPARE_COST_H

#include "study/compare/study.h"

/* What the section `compare` says of it; what the options say goes first. */
ORR_CHECK_RESULT orr_err orr__cost_read(struct orr_matrix *m,
                                        const struct orr_yaml *equal_cost,
                                        const struct orr_compare_options *o,
                                        struct orr_report *why);
/* Lays `topology.scale` over the configuration of a cell, and allocates
 * cell->given. ECONFIG: there is nothing that it could cost as much as, or no
 * rates do. */
ORR_CHECK_RESULT orr_err orr__cost_scale(struct orr_compare *c,
                                         struct orr_study_cell *cell,
                                         struct orr_config *config,
                                         struct orr_report *why);
/* Of a network that was built so: what it costs, and its rates, go into the
 * cell. */
ORR_CHECK_RESULT orr_err orr__cost_note(struct orr_compare *c,
                                        struct orr_study_cell *cell,
                                        const struct orr_graph *g,
                                        struct orr_report *why);

#endif
