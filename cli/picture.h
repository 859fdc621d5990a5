/* Pictures by gnuplot: a script, data and all, is made elsewhere; here gnuplot
 * is started, and its picture gets its name only when it is whole. */
#ifndef ORR_CLI_PICTURE_H
#define ORR_CLI_PICTURE_H

#include <stdbool.h>

#include "core/error.h"
#include "core/text.h"

/* A picture that is to be. */
struct orr_picture {
    const char *name; /* of its file */
    const char *font;
    double points;        /* of the font */
    double width, height; /* cm */
};

/* Whether the name ends as one of a picture does; else a usage error of the
 * command is printed. */
bool orr__picture_is_known(const char *command, const char *name);
/* Begins a script: the terminal for that name, which has to be known. */
void orr__picture_begin(struct orr_text *t, const struct orr_picture *p);
/* ECONFIG: gnuplot is not there. */
ORR_CHECK_RESULT orr_err orr__picture_draw(const struct orr_text *script,
                                           const char *name,
                                           struct orr_report *why);

#endif
