/* The page's fixed parts; study/report/page/, made part of the library as
 * text by embed.sh. */
#ifndef ORR_STUDY_REPORT_PAGE_H
#define ORR_STUDY_REPORT_PAGE_H

#include <stdbool.h>

/* A library that pages contain. */
struct orr_page_library {
    const char *file;    /* below the folder of JavaScript libraries */
    const char *package; /* of Debian, that has it */
    bool style;          /* CSS, else a script */
};
extern const struct orr_page_library orr__page_libraries[]; /* NULL ends */

extern const char orr__page_html[], orr__page_css[];
extern const char *const orr__page_js[]; /* one after another; NULL ends */

#endif
