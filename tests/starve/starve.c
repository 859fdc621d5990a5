/* Preloaded, this fails allocations of the command it is loaded into, whoever
 * makes them: orrery, or a library below it. Not those made within functions
 * that crash, abort or print then (HDF5's, and a few more): orrery sees to it
 * that there is memory before it calls them, which a limit of the process's
 * memory tests.
 *   STARVE_AT=n    the n-th allocation since main began fails; 0: none
 *   STARVE_ALL=1   and all after it
 *   STARVE_COUNT=f how many there were goes to the file f, when main is done,
 *                  and below it the functions that were spared
 *   STARVE_PLACES=f  to f goes a list of those allocations, "n 0" each, that
 *                  came by a call within the program by which none before came:
 *                  with all of them, what every call does when it fails is seen
 *   STARVE_LIST=f  instead: for each line "n a" of the file a child in which
 *                  the n-th fails, and all after it if a is 1. Libraries are
 *                  loaded once for all. It runs in the folder run.n.a, its
 *                  output goes to out and err there, how it ended to status */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The allocator of glibc by its own names; the usual ones are those below. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t align, size_t size);

static _Atomic bool armed;
static unsigned long fail_at;
static bool fail_all;
static const char *count_file;

/* Return addresses within the program that were on the way to an allocation;
 * 0: free. */
enum { MOST_PLACES = 1 << 16, MOST_DEEP = 200, MOST_CALLED = 256 };

/* What a command and the children that it forks (core/apart.h) share: what is
 * counted in one of them goes on in the others. */
struct counts {
    _Atomic unsigned long made;
    /* Names of those that are spared and were called, by first calls. */
    const char *called[MOST_CALLED];
    _Atomic unsigned n_called;
    _Atomic uintptr_t seen[MOST_PLACES];
};
static struct counts *counts; /* NULL before main */

static void begin_counts(void)
{
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED)
        _exit(125);
}

/* ---- who is spared ------------------------------------------------------- */

static _Thread_local int sparing;

static void add_called(const char *name)
{
    if (!counts)
        return;
    for (unsigned i = 0; i < counts->n_called && i < MOST_CALLED; i++)
        if (counts->called[i] == name)
            return;
    unsigned n = atomic_fetch_add(&counts->n_called, 1);
    counts->called[n % MOST_CALLED] = name;
}

/* Stands before a function of a library. None of these takes or returns
 * anything but whole numbers and pointers, nor more than fourteen. */
#define TAKEN                                                                  \
    long a, long b, long c, long d, long e, long f, long g, long h, long i,    \
        long j, long k, long l, long m, long n
typedef long any_fn(TAKEN);
#define SPARE(name)                                                            \
    any_fn name;                                                               \
    long name(TAKEN)                                                           \
    {                                                                          \
        static any_fn *real;                                                   \
        if (!real) {                                                           \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                         \
            add_called(#name);                                                 \
        }                                                                      \
        sparing++;                                                             \
        long result = real(a, b, c, d, e, f, g, h, i, j, k, l, m, n);          \
        sparing--;                                                             \
        return result;                                                         \
    }

SPARE(fy_parser_set_string)
SPARE(igraph_is_mutual)
SPARE(igraph_square_lattice)
SPARE(igraph_read_graph_graphml)
SPARE(igraph_write_graph_graphml)
SPARE(METIS_PartGraphRecursive)
#include "hdf5_calls.h"

/* ---- from where ---------------------------------------------------------- */

static int places = -1; /* a file; each line goes there at once */
static uintptr_t program_from, program_to; /* its code and data */

static int find_program(struct dl_phdr_info *of, size_t size, void *arg)
{
    for (int i = 0; i < of->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &of->dlpi_phdr[i];
        if (h->p_type != PT_LOAD)
            continue;
        uintptr_t from = of->dlpi_addr + h->p_vaddr;
        if (program_from == 0)
            program_from = from;
        program_to = from + h->p_memsz;
    }
    return 1; /* the program itself comes first, and is all that we ask for */
}

/* Whether this one was not there yet; it is from now on. */
static bool is_new(uintptr_t address)
{
    for (unsigned i = (unsigned)(address * 2654435761u >> 7);; i++) {
        _Atomic uintptr_t *at = &counts->seen[i % MOST_PLACES];
        uintptr_t there = 0;
        if (atomic_compare_exchange_strong(at, &there, address))
            return true;
        if (there == address)
            return false;
    }
}

static void note_place(unsigned long n)
{
    void *way[MOST_DEEP];
    bool new = false;
    sparing++; /* what looks may need memory itself */
    int deep = backtrace(way, MOST_DEEP);
    for (int i = 0; i < deep; i++) {
        uintptr_t at = (uintptr_t)way[i];
        if (at >= program_from && at < program_to && is_new(at))
            new = true;
    }
    if (new)
        dprintf(places, "%lu 0\n", n);
    sparing--;
}

static void look_for_places(const char *file)
{
    void *one[1];
    dl_iterate_phdr(find_program, NULL);
    (void)backtrace(one, 1); /* loads what it needs */
    places =
        open(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (places < 0)
        _exit(125);
}

/* ---- the allocator ------------------------------------------------------- */

static bool fails(void)
{
    if (!atomic_load_explicit(&armed, memory_order_relaxed) || sparing > 0)
        return false;
    unsigned long n = atomic_fetch_add(&counts->made, 1) + 1;
    if (places >= 0)
        note_place(n);
    if (fail_at == 0 || (fail_all ? n < fail_at : n != fail_at))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return fails() ? NULL : __libc_realloc(p, size);
}

void *memalign(size_t align, size_t size)
{
    return fails() ? NULL : __libc_memalign(align, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    return fails() ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
    if (fails())
        return ENOMEM;
    void *new = __libc_memalign(align, size);
    if (!new)
        return ENOMEM;
    *p = new;
    return 0;
}

/* ---- main ---------------------------------------------------------------- */

typedef int main_fn(int, char **, char **);
typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void),
                     void (*)(void), void *);

static main_fn *real_main;

static void tell(void)
{
    atomic_store(&armed, false);
    FILE *f = fopen(count_file, "w");
    if (!f)
        return;
    fprintf(f, "%lu\n", atomic_load(&counts->made));
    for (unsigned i = 0; i < counts->n_called && i < MOST_CALLED; i++)
        fprintf(f, "%s\n", counts->called[i]);
    fclose(f);
}

enum { SECONDS = 60 }; /* after which a child is killed */

static void output_to(const char *file, int fd)
{
    int to = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (to < 0 || dup2(to, fd) < 0)
        _exit(125);
    close(to);
}

/* A child's way from here on is that of a process that was just started. */
static int starved_child(const char *folder, int argc, char **argv, char **env)
{
    if (chdir(folder))
        _exit(125);
    output_to("out", 1);
    output_to("err", 2);
    alarm(SECONDS);
    begin_counts();
    atomic_store(&armed, true);
    int status = real_main(argc, argv, env);
    atomic_store(&armed, false); /* libraries end */
    return status;
}

enum { MOST_LINES = 1000 };

/* Returns in the children, each with its status; the parent ends with 0. The
 * list is closed before there is a child: as that ends, it would set the place
 * in a file that both have open. */
static int serve(const char *list, int argc, char **argv, char **env)
{
    static unsigned long at[MOST_LINES];
    static int and_after[MOST_LINES];
    FILE *f = fopen(list, "re");
    int lines = 0, status;
    if (!f)
        return 125;
    while (lines < MOST_LINES
           && fscanf(f, "%lu %d", &at[lines], &and_after[lines]) == 2)
        lines++;
    fclose(f);
    for (int i = 0; i < lines; i++) {
        unsigned long n = at[i];
        int all = and_after[i];
        char folder[64], file[80];
        snprintf(folder, sizeof folder, "run.%lu.%d", n, all);
        snprintf(file, sizeof file, "%s/status", folder);
        mkdir(folder, 0755);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            fail_at = n;
            fail_all = all;
            return starved_child(folder, argc, argv, env);
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 125;
        FILE *told = fopen(file, "we");
        if (!told)
            return 125;
        fprintf(told, "%d\n",
                WIFEXITED(status) ? WEXITSTATUS(status)
                                  : 128 + WTERMSIG(status));
        fclose(told);
    }
    return 0;
}

static int starved_main(int argc, char **argv, char **env)
{
    const char *list = getenv("STARVE_LIST");
    unsetenv("LD_PRELOAD"); /* what the command starts is not starved */
    if (list)
        return serve(list, argc, argv, env);
    const char *at = getenv("STARVE_AT");
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    fail_all = getenv("STARVE_ALL") != NULL;
    count_file = getenv("STARVE_COUNT");
    if (count_file)
        atexit(tell);
    begin_counts();
    if (getenv("STARVE_PLACES"))
        look_for_places(getenv("STARVE_PLACES"));
    atomic_store(&armed, true);
    int status = real_main(argc, argv, env);
    atomic_store(&armed, false); /* libraries end */
    if (count_file)
        tell();
    return status;
}

int __libc_start_main(main_fn *fn, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld)(void), void *end);
int __libc_start_main(main_fn *fn, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld)(void), void *end)
{
    start_fn *start;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = fn;
    return start(starved_main, argc, argv, init, fini, rtld, end);
}
