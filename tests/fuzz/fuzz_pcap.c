/* Captures: whatever the bytes, packets that can be, or a failure that names
 * the file. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/pcap/packets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_capture c = {.hosts = 0};
    char host[64];
    orr_err err = orr__capture_read(&c, "fuzz", data, size, &why);
    if (err)
        require(why.message[0] && (why.file[0] || err == ORR_ENOMEM), "place");
    for (size_t i = 0; i < c.packets; i++)
        require(c.packet[i].bytes > 0 && c.packet[i].from < c.hosts
                    && c.packet[i].to < c.hosts,
                "a packet");
    for (uint32_t i = 0; i < c.hosts; i++)
        orr__capture_host(&c, i, host, sizeof host);
    orr__capture_fini(&c);
    return 0;
}
