// ASTRA-sim 2.x with its own options, workloads, systems and networks, and
// orrery below them.
#include "OrreryNetwork.hh"
#include "Sets.hh"

#include <cxxopts/cxxopts.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <remote_memory_backend/analytical/AnalyticalRemoteMemory.hh>
#include <yaml-cpp/yaml.h>

#include "astra-sim/common/Logging.hh"
#include "astra-sim/system/Sys.hh"

static cxxopts::ParseResult options(int argc, char *argv[])
{
    cxxopts::Options o(argv[0], "ASTRA-sim on orrery");
    const auto text = [] { return cxxopts::value<std::string>(); };
    o.add_options()
        ("workload-configuration", "what the traces begin with", text())
        ("comm-group-configuration", "", text()->default_value("empty"))
        ("system-configuration", "", text())
        ("remote-memory-configuration", "", text())
        ("network-configuration", "ASTRA-sim's: dimensions and links", text())
        ("logging-configuration", "", text()->default_value("empty"))
        ("logging-folder", "", text()->default_value("log"))
        ("num-queues-per-dim", "",
         cxxopts::value<int>()->default_value("1"))
        ("comm-scale", "", cxxopts::value<double>()->default_value("1"))
        ("injection-scale", "", cxxopts::value<double>()->default_value("1"))
        ("rendezvous-protocol", "",
         cxxopts::value<bool>()->default_value("false"))
        ("packets", "packets as they travel, not ASTRA-sim's formulas",
         cxxopts::value<bool>()->default_value("false"))
        ("congestion", "of the formulas: aware or unaware of it "
         "(default: aware with one dimension)", text()->default_value(""))
        ("orrery", "a configuration of orrery in place of what these two say",
         text()->default_value(""))
        ("set", "KEY=VALUE over the configuration; may be repeated", text())
        ("output", "records, as HDF5", text()->default_value(""))
        ("json", "the summary, as JSON", text()->default_value(""))
        ("h,help", "");
    auto result = o.parse(argc, argv);
    if (result.count("help")) {
        std::cout << o.help();
        exit(0);
    }
    return result;
}

// What ASTRA-sim's network file says: NPUs and GB/s of each dimension.
struct Dimensions {
    std::vector<int> npus;
    std::vector<double> gb_per_s;
};

static Dimensions dimensions(const std::string &file)
{
    const YAML::Node n = YAML::LoadFile(file);
    return {n["npus_count"].as<std::vector<int>>(),
            n["bandwidth"].as<std::vector<double>>()};
}

// In YAML's single quotes.
static std::string quoted(const std::string &file)
{
    std::string out = "'";
    for (const char c : std::filesystem::absolute(file).string())
        out += c == '\'' ? "''" : std::string(1, c);
    return out + "'";
}

// The same network as `orrery run --astra` makes of that file.
static std::string configuration(const cxxopts::ParseResult &o, size_t dims)
{
    const auto given = o["orrery"].as<std::string>();
    if (!given.empty()) {
        std::ifstream in(given);
        if (!in)
            throw std::runtime_error(given + ": cannot be read");
        return {std::istreambuf_iterator<char>(in), {}};
    }
    const auto congestion = o["congestion"].as<std::string>();
    const bool aware = congestion.empty() ? dims == 1 : congestion == "aware";
    std::string network = "transport: analytical, resolution: 1ns";
    if (o["packets"].as<bool>())
        network = "mtu: 4096B";
    else if (aware)
        network += ", contention: links";
    else if (dims > 1)
        network += ", tiers: lowest";
    return "topology: {kind: file, format: astra, file: " +
           quoted(o["network-configuration"].as<std::string>()) +
           "}\nnetwork: {routing: first, " + network + "}\n";
}

// By what ASTRA-sim itself goes by. Not by is_finished: of a trace with work of
// CPUs its statistics throw (518bd51), behind the last cycle.
static bool is_over(const AstraSim::Workload &w)
{
    const auto &left = w.et_feeder->getDependancyResolver();
    return w.is_finished || (left.get_dependancy_free_nodes().empty() &&
                             left.get_ongoing_nodes().empty());
}

static int run(const cxxopts::ParseResult &o,
               const std::vector<std::string> &set)
{
    const auto text = [&](const char *key) { return o[key].as<std::string>(); };
    const Dimensions d = dimensions(text("network-configuration"));
    int ranks = 1;
    for (const int n : d.npus)
        ranks *= n;

    std::vector<const char *> sets;
    for (const auto &s : set)
        sets.push_back(s.c_str());
    const auto output = text("output"), json = text("json");
    // what --orrery names is beside it
    const auto folder =
        std::filesystem::path(text("orrery")).parent_path().string();
    orr_options options{};
    options.sets = sets.data();
    options.n_sets = sets.size();
    options.folder = folder.empty() ? nullptr : folder.c_str();
    options.output = output.empty() ? nullptr : output.c_str();
    OrreryAstra::Orrery orrery(configuration(o, d.npus.size()), options,
                               d.gb_per_s);

    AstraSim::LoggerFactory::init(text("logging-configuration"),
                                  text("logging-folder"));
    Analytical::AnalyticalRemoteMemory memory(
        text("remote-memory-configuration"));
    const std::vector<int> queues(d.npus.size(),
                                  o["num-queues-per-dim"].as<int>());
    std::vector<std::unique_ptr<OrreryAstra::OrreryNetwork>> networks;
    // never deleted: a Sys with groups frees their plans twice (518bd51)
    std::vector<AstraSim::Sys *> systems;
    for (int rank = 0; rank < ranks; rank++) {
        networks.push_back(
            std::make_unique<OrreryAstra::OrreryNetwork>(rank, orrery));
        systems.push_back(new AstraSim::Sys(
            rank, text("workload-configuration"),
            text("comm-group-configuration"), text("system-configuration"),
            &memory, networks.back().get(), d.npus, queues,
            o["injection-scale"].as<double>(), o["comm-scale"].as<double>(),
            o["rendezvous-protocol"].as<bool>()));
    }
    for (const auto *system : systems)
        system->workload->fire();
    orrery.run();

    std::cout << orrery.summary();
    if (!json.empty())
        std::ofstream(json) << orrery.json();
    bool finished = true;
    for (const auto *system : systems)
        finished = finished && is_over(*system->workload);
    AstraSim::LoggerFactory::shutdown();
    if (!finished)
        std::cerr << "it went quiet before all ranks had finished\n";
    return finished ? 0 : 1;
}

int main(int argc, char *argv[])
try {
    const auto set = OrreryAstra::take_sets(argc, argv);
    return run(options(argc, argv), set);
} catch (const std::exception &e) {
    std::cerr << "orrery: " << e.what() << '\n';
    return 2;
}
