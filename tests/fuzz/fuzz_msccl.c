/* Schedules from anyone: what is read and checked can be carried out. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "workload/collective/msccl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All that a run would ask of it. */
static void use(const struct orr_msccl *s)
{
    for (uint32_t b = 0; b < s->blocks; b++)
        for (uint32_t i = 0; i < s->block[b].steps; i++) {
            const struct orr_msccl_step *x = &s->step[s->block[b].first + i];
            if (x->acts & ORR_MSCCL_RECEIVES && x->in >= s->block[b].all_in)
                abort();
        }
}

/* The first two bytes say for how many GPUs, and for which collective. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/orrery-fuzz-XXXXXX";
    struct orr_report why = {.code = ORR_OK};
    struct orr_msccl *s;
    int fd;
    if (size > 65536 || size < 2)
        return -1;
    fd = mkstemp(path);
    if (fd < 0 || write(fd, data + 2, size - 2) != (ssize_t)(size - 2))
        abort();
    close(fd);
    orr_err err =
        orr__msccl_read(path, 1 + data[0] % 8,
                        (enum orr_collective_kind)(data[1] % 4), &s, &why);
    if (!err)
        err = orr__msccl_check(s, 8, &why);
    if (!err)
        use(s);
    else if (err != ORR_ECONFIG || why.message[0] == '\0')
        abort();
    orr__msccl_free(s);
    unlink(path);
    return 0;
}
