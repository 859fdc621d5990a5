// All-reduces on ASTRA-sim's network interface, through the adapter, as
// ASTRA-sim's systems run them: chunks one after another; an endpoint delay
// before the first message and after each one that came; three passes through
// memory for what is reduced.
//
//     driver NETWORK OPTIONS ALGORITHM RANKS BYTES CHUNKS [JSON]
//            [--set KEY=VALUE]...
//
// NETWORK is a network file of ASTRA-sim's, OPTIONS are keys of `network`,
// ALGORITHM is ring, halving or early (messages before they are asked for).
// Prints when each rank was done.
#include "adapters/astra-sim/OrreryNetwork.hh"
#include "adapters/astra-sim/Sets.hh"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>

static const int endpoint_ns = 10;
static const double memory_bytes_per_ns = 1600;

struct Rank {
    OrreryAstra::OrreryNetwork net;
    std::string algorithm;
    int rank, ranks, chunks;
    uint64_t bytes; // of a chunk
    int chunk = 0, step = 0, rounds = 0;
    bool due = false;
    int64_t end_ns = -1;

    Rank(int rank, OrreryAstra::Orrery &orrery, const std::string &algorithm,
         int ranks, uint64_t bytes, int chunks)
        : net(rank, orrery), algorithm(algorithm), rank(rank), ranks(ranks),
          chunks(chunks), bytes(bytes / uint64_t(chunks))
    {
        while (1 << rounds < ranks)
            rounds++;
    }

    bool ring() const { return algorithm != "halving"; }
    int half() const { return ring() ? ranks - 1 : rounds; }
    uint64_t size() const
    {
        if (ring())
            return bytes / uint64_t(ranks);
        return step < rounds ? bytes >> (step + 1)
                             : bytes >> (rounds + 1) << (step - rounds + 1);
    }
    // What memory takes once a message came; ASTRA-sim's halving looks at the
    // next one, and does without after the last.
    int64_t memory_ns() const
    {
        const uint64_t m = ring()            ? size()
                           : step + 1 < half() ? bytes >> (step + 2)
                                               : 0;
        return step < half() ? 3 * int64_t(double(m) / memory_bytes_per_ns) : 0;
    }
    int partner() const
    {
        return rank ^ (step < rounds ? 1 << step
                                     : 1 << (2 * rounds - 1 - step));
    }
    int to() const { return ring() ? (rank + 1) % ranks : partner(); }
    int from() const { return ring() ? (rank + ranks - 1) % ranks : partner(); }

    void after(int64_t ns, void (*what)(void *))
    {
        net.sim_schedule({AstraSim::NS, static_cast<long double>(ns)}, what,
                         this);
    }

    void begin() { after(endpoint_ns, swap); }

    static void nothing(void *) {}

    // A rank that asks early asks for what comes before it sends.
    static void swap(void *what)
    {
        Rank &r = *static_cast<Rank *>(what);
        auto receive = [&] {
            r.net.sim_recv(nullptr, r.size(), 0, r.from(), r.chunk, nullptr,
                           came, &r);
        };
        const bool late = r.algorithm == "early" && r.rank % 2 == 1;
        if (r.algorithm == "early" && !late)
            receive();
        r.net.sim_send(nullptr, r.size(), 0, r.to(), r.chunk, nullptr, nothing,
                       nullptr);
        if (r.algorithm != "early")
            receive();
        if (late) // long after it is there
            r.after(1000000, ask);
    }

    static void ask(void *what)
    {
        Rank &r = *static_cast<Rank *>(what);
        r.net.sim_recv(nullptr, r.size(), 0, r.from(), r.chunk, nullptr, came,
                       &r);
    }

    static void came(void *what)
    {
        Rank &r = *static_cast<Rank *>(what);
        r.after(endpoint_ns + r.memory_ns(), next);
    }

    static void next(void *what)
    {
        Rank &r = *static_cast<Rank *>(what);
        if (++r.step < 2 * r.half())
            return swap(&r);
        r.step = 0;
        if (++r.chunk < r.chunks)
            r.begin();
        else
            r.end_ns = int64_t(r.net.sim_get_time().time_val);
    }
};

int main(int argc, char *argv[])
try {
    const auto set = OrreryAstra::take_sets(argc, argv);
    if (argc < 7)
        return 2;
    const int ranks = std::atoi(argv[4]);
    const uint64_t bytes = std::strtoull(argv[5], nullptr, 10);
    orr_options options{};
    options.no_output = true;
    std::vector<const char *> sets;
    for (const auto &s : set)
        sets.push_back(s.c_str());
    options.sets = sets.data();
    options.n_sets = sets.size();
    OrreryAstra::Orrery orrery(
        std::string("topology: {kind: file, format: astra, file: ") + argv[1] +
            "}\nnetwork: {routing: first, " + argv[2] + "}\n",
        options, {50.0});
    std::vector<std::unique_ptr<Rank>> all;
    for (int i = 0; i < ranks; i++) {
        all.push_back(std::make_unique<Rank>(i, orrery, argv[3], ranks, bytes,
                                             std::atoi(argv[6])));
        all.back()->begin();
    }
    if (all[0]->net.get_BW_at_dimension(0) != 50.0)
        return 2;
    orrery.run();
    for (const auto &r : all)
        std::cout << r->end_ns << "\n";
    if (argc > 7)
        std::ofstream(argv[7]) << orrery.json();
    return orrery.left_over() == 0 ? 0 : 1;
} catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    return 2;
}
