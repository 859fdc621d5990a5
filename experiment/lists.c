#include "experiment/lists.h"

#include <stddef.h>
#include <string.h>

const char *const orr__list_paths[ORR_LISTS + 1] = {
    "jobs",
    "jobs.*.rank_list",
    "jobs.*.collectives",
    "jobs.*.serve.request_list",
    "jobs.*.company",
    "jobs.*.pace",
    "flows.list",
    "schedule.jobs.*.paths",
    NULL,
};

bool orr__list_on_path(const char *list, const char *path, bool *all)
{
    *all = false;
    for (;;) {
        size_t n = strcspn(list, "."), m = strcspn(path, ".");
        bool any = n == 1 && *list == '*';
        if (!any && (n != m || strncmp(list, path, n) != 0))
            return false;
        list += n;
        path += m;
        if (*path != '.')
            return false;
        path++;
        if (*list != '.')
            break;
        list++;
    }
    *all = path[0] == '*' && (path[1] == '\0' || path[1] == '.');
    return true;
}
