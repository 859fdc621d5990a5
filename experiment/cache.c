#include "experiment/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "core/memory.h"
#include "experiment/build_name.h"

orr_err orr__cache_folder(char **out, struct orr_report *why)
{
    const char *own = getenv("ORRERY_CACHE"), *home = getenv("HOME");
    const char *all = getenv("XDG_CACHE_HOME");
    char *folder = NULL;
    *out = NULL;
    if (own ? !*own : !(all && *all) && !(home && *home))
        return ORR_OK;
    if (own)
        folder = orr__strdup(own);
    else if (all && *all)
        folder = orr__format("%s/orrery", all);
    else
        folder = orr__format("%s/.cache/orrery", home);
    if (!folder)
        return orr__no_memory(why);
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        *out = folder;
    else
        orr__free(folder);
    return ORR_OK;
}

uint64_t orr__cache_build(void)
{
    return ORR_BUILD_NAME;
}

uint64_t orr__cache_sum(const char *text, size_t n)
{
    return XXH3_64bits(text, n);
}
