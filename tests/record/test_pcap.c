/* A pcapng file, block by block, and the packets in it. */
#include "tests/workload/small_workload.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"
#include "record/record.h"

static char folder[64], output[80], capture[80];

static int setup(void **state)
{
    strcpy(folder, "/tmp/orrery-pcap-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(output, sizeof output, "%s/run.h5", folder);
    snprintf(capture, sizeof capture, "%s/run.pcapng", folder);
    return 0;
}

static int teardown(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* What the file says. */
struct packet {
    uint32_t interface, shown, whole;
    uint64_t ns;
    const uint8_t *byte;
};
struct file {
    uint8_t *bytes;
    size_t length;
    struct packet *packet;
    size_t packets;
    char name[128][64];
    unsigned interfaces, names, comments;
    uint64_t hops; /* of the run, and what links counted */
    uint64_t link_packets[64], link_marks[64];
};

static uint32_t number(const uint8_t *b)
{
    return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

/* The option of a block, or NULL. */
static const uint8_t *option(const uint8_t *b, const uint8_t *end,
                             unsigned code, unsigned *length)
{
    while (b < end && (b[0] | b[1] << 8)) {
        *length = b[2] | b[3] << 8;
        if ((unsigned)(b[0] | b[1] << 8) == code)
            return b + 4;
        b += 4 + (*length + 3) / 4 * 4;
    }
    return NULL;
}

static void take_interface(struct file *f, const uint8_t *b, uint32_t n)
{
    unsigned length;
    const uint8_t *o = option(b + 16, b + n - 4, 2, &length);
    assert_int_equal(b[8] | b[9] << 8, 1); /* Ethernet */
    assert_non_null(o);
    assert_true(f->interfaces < 128 && length < 64);
    memcpy(f->name[f->interfaces], o, length);
    f->name[f->interfaces++][length] = '\0';
    o = option(b + 16, b + n - 4, 9, &length);
    assert_non_null(o);
    assert_int_equal(*o, 9); /* nanoseconds */
}

static void take_packet(struct file *f, const uint8_t *b, uint32_t n)
{
    struct packet p = {.interface = number(b + 8),
                       .ns = (uint64_t)number(b + 12) << 32 | number(b + 16),
                       .shown = number(b + 20),
                       .whole = number(b + 24),
                       .byte = b + 28};
    unsigned length;
    assert_true(p.interface < f->interfaces);
    assert_true(p.shown <= p.whole && 32 + p.shown <= n);
    assert_true(f->packets == 0 || f->packet[f->packets - 1].ns <= p.ns);
    f->comments +=
        option(b + 28 + (p.shown + 3) / 4 * 4, b + n - 4, 1, &length) != NULL;
    f->packet = realloc(f->packet, (f->packets + 1) * sizeof p);
    assert_non_null(f->packet);
    f->packet[f->packets++] = p;
}

static void take_blocks(struct file *f)
{
    assert_int_equal(number(f->bytes), 0x0a0d0d0a);
    assert_int_equal(number(f->bytes + 8), 0x1a2b3c4d);
    for (size_t at = 0; at < f->length;) {
        const uint8_t *b = f->bytes + at;
        uint32_t type = number(b), n = number(b + 4);
        assert_true(n % 4 == 0 && n >= 12 && at + n <= f->length);
        assert_int_equal(number(b + n - 4), n);
        if (type == 1)
            take_interface(f, b, n);
        else if (type == 4)
            f->names++;
        else if (type == 6)
            take_packet(f, b, n);
        else
            assert_int_equal(at, 0);
        at += n;
    }
}

/* Runs, and reads what was captured. */
static struct file run(const char *yaml, unsigned threads)
{
    struct file f = {.bytes = NULL};
    struct orr_report why = {0};
    struct orr_options o = {.output = output, .threads = threads};
    struct orr_net_totals t;
    orr_experiment *x = NULL;
    orr_err err = experiment_load(yaml, &o, &x, &why);
    if (err == ORR_OK)
        err = orr_experiment_run(x, &why);
    if (err != ORR_OK)
        fail_msg("%s", why.message);
    const struct orr_world *w = orr__experiment_world(x);
    orr__net_totals(w->net, &t);
    f.hops = t.packet_hops;
    for (uint32_t l = 0; l < w->graph->links && l < 64; l++) {
        struct orr_link_sample s;
        orr__net_link_sample(w->net, l, w->result.end_ps, &s);
        f.link_packets[l] = s.packets;
        f.link_marks[l] = s.marks;
    }
    orr_experiment_free(x);
    FILE *in = fopen(capture, "rb");
    assert_non_null(in);
    f.bytes = malloc(64 << 20);
    assert_non_null(f.bytes);
    f.length = fread(f.bytes, 1, 64 << 20, in);
    fclose(in);
    take_blocks(&f);
    return f;
}

static void done(struct file *f)
{
    free(f->packet);
    free(f->bytes);
}

#define LEAVES                                                                 \
    "topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 4,\n"  \
    "  link: {rate: 100Gbps, delay: 500ns}}\n"
#define INCAST                                                                 \
    "flows:\n"                                                                 \
    "  - {src: 0, dst: 4, size: 100001B}\n"                                    \
    "  - {src: 1, dst: 4, size: 300KB}\n"                                      \
    "  - {src: 5, dst: 4, size: 200KB}\n"

static uint32_t big(const uint8_t *b, unsigned n)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v = v << 8 | b[i];
    return v;
}

/* All that a port sends is there, and what is on the wire at once: no two
 * packets of a link overlap. */
static void all_of_a_port(void **state)
{
    struct file f = run(LEAVES "network: {cc: dctcp, header: 54B, queue: "
                               "{kind: ecn, threshold: 30KB}}\n" INCAST
                               "record: {pcap: {ports: all}}\n",
                        1);
    uint64_t of[64] = {0}, free_at[64] = {0}, ce[64] = {0}, marks = 0;
    assert_int_equal(f.packets, f.hops);
    for (size_t i = 0; i < f.packets; i++) {
        const struct packet *p = &f.packet[i];
        of[p->interface]++;
        assert_true(p->ns + 1 >= free_at[p->interface]);
        free_at[p->interface] = p->ns + p->whole * 8 / 100;
        ce[p->interface] += (big(p->byte + 15, 1) & 3) == 3;
    }
    assert_int_equal(f.interfaces, 20);
    for (unsigned l = 0; l < f.interfaces; l++) {
        assert_int_equal(of[l], f.link_packets[l]);
        assert_true(ce[l] >= f.link_marks[l]); /* and those from before */
        marks += f.link_marks[l];
    }
    assert_int_equal(f.comments, 3); /* one a connection */
    assert_true(marks > 10);
    done(&f);
}

/* One connection at one port: TCP's numbers cover its bytes, each once. */
static void sequence_numbers(void **state)
{
    struct file f =
        run(LEAVES "network: {cc: reno}\n" INCAST
                   "record: {pcap: {flows: [0], ports: [[leaf0, spine0],"
                   " [spine0, leaf0]]}}\n",
            1);
    uint32_t next = 1, acked = 1, payload;
    assert_int_equal(f.interfaces, 2);
    assert_string_equal(f.name[0], "leaf0 > spine0");
    for (size_t i = 0; i < f.packets; i++) {
        const struct packet *p = &f.packet[i];
        const uint8_t *b = p->byte;
        payload = big(b + 16, 2) - 40;
        if (p->interface == 0) {
            assert_int_equal(big(b + 26, 4), 0x0a000000);
            assert_int_equal(big(b + 30, 4), 0x0a000004);
            assert_int_equal(big(b + 38, 4), next);
            assert_int_equal(p->whole, 54 + payload);
            assert_int_equal(p->shown, 54);
            next += payload;
        } else {
            assert_int_equal(payload, 0);
            assert_int_equal(p->whole, 64); /* as network.ack has it */
            assert_true(big(b + 42, 4) >= acked && big(b + 42, 4) <= next);
            acked = big(b + 42, 4);
        }
    }
    assert_int_equal(next, 100002);
    assert_int_equal(acked, 100002);
    done(&f);
}

/* RoCEv2: a message after another; packet numbers go on. */
static void messages_of_a_job(void **state)
{
    struct file f =
        run(LEAVES "network: {cc: timely}\n"
                   "jobs:\n"
                   "  - {name: j, ranks: 2, placement: [0, 4],\n"
                   "     iterations: 3, program: [{send: {to: 1, size: "
                   "10000B}, ranks: [0]}, {recv: {from: 0}, ranks: [1]}"
                   "]}\n"
                   "record: {pcap: {snaplen: 0B, flows: "
                   "[{job: j, from: 0, to: 1}], "
                   "ports: [[host 0, leaf0], [leaf0, host 0]]}}\n",
            1);
    static const uint8_t opcode[] = {0, 1, 2};
    uint32_t sent = 0, complete = 0;
    for (size_t i = 0; i < f.packets; i++) {
        const uint8_t *b = f.packet[i].byte;
        assert_int_equal(big(b + 36, 2), 4791);
        if (f.packet[i].interface == 0) {
            assert_int_equal(big(b + 42, 1), opcode[sent % 3]);
            assert_int_equal(big(b + 51, 3), sent++);
        } else {
            assert_int_equal(big(b + 42, 1), 0x11);
            complete = big(b + 55, 3);
        }
    }
    assert_int_equal(sent, 9);
    assert_int_equal(complete, 3);
    done(&f);
}

/* Two threads and more give the same file. */
static void any_threads(void **state)
{
    static const char text[] =
        "title: pause\n"
        "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "
        "delay: 1us}}\n"
        "network: {cc: {kind: dcqcn, cnp_interval: 10us}, queue: {kind: red,"
        " kmin: 10KB, kmax: 40KB, pmax: 1}, pfc: {enabled: true, xoff: 30KB}"
        ", buffer: {size: 4MB}}\n"
        "flows: [{generate: incast, senders: 8, dst: 3, size: 200KB}]\n"
        "record: {pcap: {flows: all, snaplen: 0B}}\n";
    struct file one = run(text, 1);
    for (unsigned threads = 2; threads <= 4; threads++) {
        struct file f = run(text, threads);
        assert_int_equal(f.length, one.length);
        assert_memory_equal(f.bytes, one.bytes, one.length);
        done(&f);
    }
    assert_true(one.packets > 1000);
    done(&one);
}

/* FNV-1a of all blocks behind the first, which names the version. */
static uint64_t digest(const struct file *f)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = number(f->bytes + 4); i < f->length; i++)
        h = (h ^ f->bytes[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* To the byte. Where the form of the file changes on purpose, tshark must read
 * it as tests/cli/packets.bats says, before these change. */
static void bytes_of_the_file(void **state)
{
    static const struct {
        const char *yaml;
        uint64_t digest;
    } row[] = {
        {LEAVES "network: {cc: dctcp, queue: {kind: ecn, threshold: 30KB}}\n"
                "flows: [{src: 0, dst: 4, size: 100001B}, {src: 5, dst: 4, "
                "size: 20KB}]\nrecord: {pcap: {ports: all}}\n",
         UINT64_C(0x93c644835088dac7)},
        {LEAVES "network: {cc: {kind: dcqcn, cnp_interval: 5us}, mtu: 1KB, "
                "queue: {kind: red, kmin: 5KB, kmax: 20KB, pmax: 1}, pfc: "
                "{enabled: true, xoff: 15KB}, buffer: {size: 4MB}}\n"
                "jobs: [{name: j, ranks: 3, placement: [0, 4, 1], iterations: "
                "2, program: [{all-to-all: {size: 60KB}}]}]\n"
                "record: {pcap: {ports: all, snaplen: 128B}}\n",
         UINT64_C(0x507e8afdf5a380aa)},
        {LEAVES "network: {transport: datagram, queue: {kind: droptail, "
                "capacity: 1MB}}\n" INCAST
                "record: {pcap: {flows: [1, 2], snaplen: 96B}}\n",
         UINT64_C(0x737be31105ea1a8c)},
        {LEAVES "network: {cc: nscc, queue: {kind: trim, capacity: 12KB}, "
                "routing: spray, ack_every: 4, handshake: true}\n" INCAST
                "record: {pcap: {ports: [[leaf0, spine0]], headers: roce, "
                "snaplen: 0B}}\n",
         UINT64_C(0x278e2daf90d0c786)},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct file f = run(row[i].yaml, 1);
        if (digest(&f) != row[i].digest)
            fail_msg("%zu: 0x%llx of %zu packets", i,
                     (unsigned long long)digest(&f), f.packets);
        done(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(all_of_a_port), TEST(sequence_numbers),  TEST(messages_of_a_job),
        TEST(any_threads),   TEST(bytes_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
