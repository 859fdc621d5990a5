#include "study/report/page.h"

#include <stddef.h>

const struct orr_page_library orr__page_libraries[] = {
    {"chart.js/chart.min.js", "libjs-chart.js", false},
    {"dygraphs/dygraph.min.js", "libjs-dygraphs", false},
    {"dygraphs/dygraph.min.css", "libjs-dygraphs", true},
    {NULL, NULL, false},
};
