#include "study/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "core/memory.h"
#include "study/build_name.h"

char *orr__cache_folder(void)
{
    const char *own = getenv("ORRERY_CACHE"), *home = getenv("HOME");
    const char *all = getenv("XDG_CACHE_HOME");
    char *folder = NULL;
    if (own && !*own)
        return NULL;
    if (own)
        folder = orr__strdup(own);
    else if (all && *all)
        folder = orr__format("%s/orrery", all);
    else if (home && *home)
        folder = orr__format("%s/.cache/orrery", home);
    if (folder && (mkdir(folder, 0777) == 0 || errno == EEXIST))
        return folder;
    orr__free(folder);
    return NULL;
}

uint64_t orr__cache_build(void)
{
    return ORR_BUILD_NAME;
}

uint64_t orr__cache_sum(const char *text, size_t n)
{
    return XXH3_64bits(text, n);
}
