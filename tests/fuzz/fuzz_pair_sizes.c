/* Tables of sizes from anyone: what is read keeps within what all-to-alls may
 * have. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "workload/program/pair_sizes_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct orr_pair_sizes *s, uint32_t n)
{
    uint64_t all = 0;
    if (s->n != n || s->sender >= n || s->receiver >= n)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        uint64_t row = 0;
        for (uint32_t j = 0; j < n; j++)
            row += orr__bytes_between(s, 0, i, j);
        if (orr__bytes_between(s, 0, i, i) || row > s->most)
            abort();
        all += row;
    }
    if (all > ORR_PAIR_SIZES_MAX)
        abort();
}

/* The first byte says for how many ranks. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/orrery-fuzz-XXXXXX";
    struct orr_report why = {.code = ORR_OK};
    struct orr_pair_sizes *s;
    int fd;
    if (size > 65536 || size == 0)
        return -1;
    uint32_t n = 1 + data[0] % 16;
    fd = mkstemp(path);
    if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
        abort();
    close(fd);
    if (orr__pair_sizes_table(path, path, n, &s, &why) == ORR_OK)
        use(s, n);
    else if (why.code != ORR_ECONFIG || why.message[0] == '\0' || s)
        abort();
    orr__pair_sizes_free(s);
    unlink(path);
    return 0;
}
