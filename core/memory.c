#include "core/memory.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/assert.h"

/* The only mutable static data of core's allocator, and only tests set it: 0
 * is off, n means that the n-th allocation from now on fails. The top bit says
 * that all after it fail too. Atomic, for allocations in several threads. */
#define FAIL_FOR_GOOD (UINT64_C(1) << 63)
static _Atomic uint64_t fail_countdown;

void orr__memory_fail_after(uint64_t n, int for_good)
{
    n &= ~FAIL_FOR_GOOD;
    atomic_store(&fail_countdown, n && for_good ? n | FAIL_FOR_GOOD : n);
}

static bool must_fail(void)
{
    uint64_t now = atomic_load_explicit(&fail_countdown, memory_order_relaxed);
    while (now != 0) {
        if (now == (FAIL_FOR_GOOD | 1))
            return true;
        if (atomic_compare_exchange_weak(&fail_countdown, &now, now - 1))
            return now == 1;
    }
    return false;
}

/* n * size, at least 1, so that no caller gets NULL for nothing. */
static bool total_bytes(size_t n, size_t size, size_t *bytes)
{
    if (__builtin_mul_overflow(n, size, bytes))
        return false;
    if (*bytes == 0)
        *bytes = 1;
    return true;
}

void *orr__alloc(size_t n, size_t size)
{
    size_t bytes;
    if (!total_bytes(n, size, &bytes) || must_fail())
        return NULL;
    return calloc(1, bytes);
}

void *orr__resize(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (!total_bytes(n, size, &bytes) || must_fail())
        return NULL;
    return realloc(p, bytes);
}

#define LINE ((size_t)64)

/* Bytes of whole lines; 0: more than there could be. */
static size_t line_bytes(size_t n, size_t size)
{
    size_t bytes;
    if (!total_bytes(n, size, &bytes) || bytes > SIZE_MAX - LINE)
        return 0;
    return (bytes + LINE - 1) / LINE * LINE;
}

void *orr__alloc_lines_bare(size_t n, size_t size)
{
    size_t bytes = line_bytes(n, size);
    void *p;
    if (bytes == 0 || must_fail() || posix_memalign(&p, LINE, bytes) != 0)
        return NULL;
    return p;
}

void *orr__alloc_lines(size_t n, size_t size)
{
    void *p = orr__alloc_lines_bare(n, size);
    return p ? memset(p, 0, line_bytes(n, size)) : NULL;
}

void orr__free(void *p)
{
    free(p);
}

char *orr__strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = orr__alloc(n, 1);
    return copy ? memcpy(copy, s, n) : NULL;
}

char *orr__format_list(const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *text = n < 0 ? NULL : orr__alloc((size_t)n + 1, 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, fmt, ap);
    return text;
}

char *orr__format(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = orr__format_list(fmt, ap);
    va_end(ap);
    return text;
}

/* ---- reserves ---- */

/* Not malloc: it would learn from a large block that is freed at once to keep
 * such blocks, and a test that counts allocations would count these. Untouched
 * pages cost nothing but what `ulimit -v` and the kernel's accounts count. */
static void *take_space(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool orr__reserve_take(struct orr_reserve *r, size_t bytes)
{
    if (bytes <= r->bytes)
        return true;
    void *p = r->at ? mremap(r->at, r->bytes, bytes, MREMAP_MAYMOVE)
                    : take_space(bytes);
    if (p == NULL || p == MAP_FAILED)
        return false;
    *r = (struct orr_reserve){p, bytes};
    return true;
}

void orr__reserve_release(struct orr_reserve *r)
{
    if (r->at)
        munmap(r->at, r->bytes);
    *r = (struct orr_reserve){NULL, 0};
}

bool orr__memory_spare(size_t bytes)
{
    struct orr_reserve r = {NULL, 0};
    bool there = orr__reserve_take(&r, bytes);
    orr__reserve_release(&r);
    return there;
}

/* ---- what there is ---- */

/* Number after the first word `key` at a line's start in a file of the kernel
 * ("MemAvailable:   123 kB"); key "" takes the first number. UINT64_MAX when
 * file or key is missing, or the file says "max". */
static uint64_t kernel_number(const char *path, const char *key)
{
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return UINT64_MAX;
    char line[256];
    size_t n = strlen(key);
    uint64_t value = UINT64_MAX;
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, key, n) != 0)
            continue;
        char *end;
        unsigned long long v = strtoull(line + n, &end, 10);
        if (end != line + n)
            value = v;
        break;
    }
    fclose(f);
    return value;
}

/* What a memory cgroup still grants: its limit less its use, where file cache
 * that the kernel would drop does not count as use. */
static uint64_t cgroup_room(const char *folder, const char *limit_file,
                            const char *use_file, const char *cache_key)
{
    char path[4096 + 64];
    snprintf(path, sizeof path, "%s/%s", folder, limit_file);
    uint64_t limit = kernel_number(path, "");
    snprintf(path, sizeof path, "%s/%s", folder, use_file);
    uint64_t use = kernel_number(path, "");
    if (limit == UINT64_MAX || use == UINT64_MAX)
        return UINT64_MAX;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    uint64_t cache = kernel_number(path, cache_key);
    if (cache != UINT64_MAX)
        use -= cache < use ? cache : use;
    return limit > use ? limit - use : 0;
}

/* Finds this process's memory cgroup in /proc/self/cgroup: lines "0::/path"
 * (version 2) and "N:...memory...:/path" (version 1). */
static bool own_cgroup(bool v2, char *path, size_t size)
{
    FILE *f = fopen("/proc/self/cgroup", "re");
    if (f == NULL)
        return false;
    char line[4096];
    bool found = false;
    while (!found && fgets(line, sizeof line, f)) {
        char *names = strchr(line, ':');
        char *at = names ? strchr(names + 1, ':') : NULL;
        if (at == NULL)
            continue;
        *at++ = '\0';
        at[strcspn(at, "\n")] = '\0';
        found =
            v2 ? strcmp(line, "0:") == 0 : strstr(names + 1, "memory") != NULL;
        if (found)
            snprintf(path, size, "%s", at);
    }
    fclose(f);
    return found;
}

/* A limit holds for all cgroups below it: takes the least of the process's own
 * and its parents'. Inside a container the own path may not exist; its root
 * then shows the container's limit. */
static uint64_t cgroups_room(bool v2)
{
    char own[2048] = "", folder[4096];
    const char *base = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    uint64_t least = UINT64_MAX;
    if (!own_cgroup(v2, own, sizeof own))
        own[0] = '\0';
    for (;;) {
        snprintf(folder, sizeof folder, "%s%s", base, own);
        uint64_t room =
            v2 ? cgroup_room(folder, "memory.max", "memory.current",
                             "inactive_file ")
               : cgroup_room(folder, "memory.limit_in_bytes",
                             "memory.usage_in_bytes", "total_inactive_file ");
        if (room < least)
            least = room;
        char *slash = strrchr(own, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

/* What `ulimit -v` leaves. */
static uint64_t address_room(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r) != 0 || r.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    uint64_t pages = kernel_number("/proc/self/statm", "");
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (pages == UINT64_MAX)
        return r.rlim_cur;
    return r.rlim_cur > pages * page ? r.rlim_cur - pages * page : 0;
}

uint64_t orr__memory_available(void)
{
    uint64_t kib = kernel_number("/proc/meminfo", "MemAvailable:");
    uint64_t least = kib < UINT64_MAX / 1024 ? kib * 1024 : UINT64_MAX;
    uint64_t others[] = {cgroups_room(true), cgroups_room(false),
                         address_room()};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i] < least)
            least = others[i];
    return least;
}

#define MOST_UNASKED (UINT64_C(16) << 20) /* bytes */

bool orr__memory_fits(uint64_t bytes)
{
    return bytes <= MOST_UNASKED || bytes <= orr__memory_available();
}

uint64_t orr__memory_peak(void)
{
    struct rusage use;
    uint64_t kib = kernel_number("/proc/self/status", "VmHWM:");
    if (kib < UINT64_MAX / 1024)
        return kib * 1024;
    /* of the process that became this one, too */
    if (getrusage(RUSAGE_SELF, &use) != 0)
        return 0;
    return (uint64_t)use.ru_maxrss * 1024; /* Linux counts in KiB */
}

uint64_t orr__memory_resident(void)
{
    /* statm: pages of address space, and those that are resident */
    FILE *f = fopen("/proc/self/statm", "re");
    unsigned long long pages = 0;
    if (f == NULL)
        return 0;
    if (fscanf(f, "%*u %llu", &pages) != 1)
        pages = 0;
    fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- arena ---- */

enum { ARENA_BLOCK = 8192, ARENA_ALIGN = 16 };

/* Bytes [0, used) of data are handed out, the rest is zero. */
struct orr_arena_block {
    struct orr_arena_block *next;
    size_t used, size;
    _Alignas(ARENA_ALIGN) unsigned char data[];
};

void *orr__arena_alloc(struct orr_arena *a, size_t n, size_t size)
{
    size_t bytes;
    if (!total_bytes(n, size, &bytes)
        || bytes > SIZE_MAX - ARENA_ALIGN - sizeof(struct orr_arena_block))
        return NULL;
    bytes = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    struct orr_arena_block *b = a->blocks;
    if (b == NULL || b->size - b->used < bytes) {
        size_t room = bytes > ARENA_BLOCK ? bytes : ARENA_BLOCK;
        struct orr_arena_block *fresh = orr__alloc(1, sizeof *fresh + room);
        if (fresh == NULL)
            return NULL;
        fresh->size = room;
        fresh->next = b;
        a->blocks = b = fresh;
    }
    ORR_ASSERT(b->used % ARENA_ALIGN == 0 && b->size - b->used >= bytes);
    void *p = b->data + b->used;
    b->used += bytes;
    return p;
}

char *orr__arena_strdup(struct orr_arena *a, const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = orr__arena_alloc(a, n, 1);
    return copy ? memcpy(copy, s, n) : NULL;
}

void orr__arena_fini(struct orr_arena *a)
{
    while (a->blocks) {
        struct orr_arena_block *b = a->blocks;
        a->blocks = b->next;
        orr__free(b);
    }
}
