#include "experiment/digest.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

/* A file that a scalar of the configuration names, if it does: its contents
 * are part of what is run. */
static uint64_t digest_file(const char *folder, const char *text)
{
    char path[4096];
    struct stat st;
    uint64_t digest = 0;
    if (!strpbrk(text, "./") || strlen(text) > 1024)
        return 0;
    bool bare = text[0] == '/' || strcmp(folder, ".") == 0;
    snprintf(path, sizeof path, "%s%s%s", bare ? "" : folder, bare ? "" : "/",
             text);
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *at =
        fd < 0 ? MAP_FAILED
               : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at != MAP_FAILED) {
        digest = XXH3_64bits(at, (size_t)st.st_size);
        munmap(at, (size_t)st.st_size);
    }
    if (fd >= 0)
        close(fd);
    return digest;
}

uint64_t orr__digest_files(struct orr_config *c, const struct orr_yaml *n,
                           const char *folder)
{
    uint64_t sum = 0;
    bool map = orr__yaml_is_map(n);
    if (orr__yaml_is_scalar(n))
        return digest_file(folder, orr__yaml_text(c, n));
    for (size_t i = 0; i < orr__yaml_count(n); i++)
        sum =
            sum * 31
            + orr__digest_files(
                c, map ? orr__yaml_value(n, i) : orr__yaml_item(n, i), folder);
    return sum;
}
