/* Files of size distributions from anyone: what is read is one, and every
 * draw from it lies within it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/random.h"
#include "workload/flow/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct orr_size_point *p, size_t n)
{
    struct orr_sizes s = {.limit = UINT64_MAX, .point = p, .points = n};
    struct orr_random r;
    gsl_rng g = {.type = orr__random_gsl_type(), .state = &r};
    double mean = orr__sizes_mean(&s);
    s.kind = -1; /* one with points */
    if (n == 0 || p[n - 1].share != 1)
        abort();
    for (size_t i = 1; i < n; i++)
        if (p[i].bytes < p[i - 1].bytes || p[i].share < p[i - 1].share)
            abort();
    if (!(mean >= 0 && mean <= 1.0001 * (double)p[n - 1].bytes))
        abort();
    orr__random_init(&r, 1, 0, ORR_PURPOSE_TEST);
    for (int i = 0; i < 100; i++) {
        uint64_t bytes = orr__sizes_draw(&s, &g);
        if (bytes == 0 || (bytes > 1 && bytes > p[n - 1].bytes + 1000))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/orrery-fuzz-XXXXXX";
    struct orr_report why = {.code = ORR_OK};
    struct orr_size_point *p;
    size_t n;
    int fd;
    if (size > 65536)
        return -1;
    fd = mkstemp(path);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
    if (orr__cdf_read(NULL, NULL, path, &p, &n, &why) == ORR_OK)
        use(p, n);
    else if (why.code != ORR_ECONFIG || why.message[0] == '\0' || p)
        abort();
    if (why.code == ORR_OK)
        orr__free(p);
    unlink(path);
    return 0;
}
