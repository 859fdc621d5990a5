// ASTRA-sim 2.x's network interface on liborrery: what a rank sends, receives
// and schedules becomes messages and timers of orrery/network.h.
//
// One Orrery is the network of all ranks; each rank has an OrreryNetwork, as
// each has with ASTRA-sim's own networks. Rank r is host r.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <orrery/network.h>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "astra-sim/common/AstraNetworkAPI.hh"

namespace OrreryAstra {

using Handler = void (*)(void *);

// The network, open from a configuration (YAML text) until it goes.
class Orrery {
  public:
    // gb_per_s: the rate of each dimension, which some schedulers of
    // collectives ask for.
    Orrery(const std::string &config, const orr_options &options,
           std::vector<double> gb_per_s)
        : bandwidth(std::move(gb_per_s))
    {
        if (orr_network_open(config.c_str(), &options, &net, &why) != ORR_OK)
            fail(why);
    }
    ~Orrery() { orr_network_close(net); }
    Orrery(const Orrery &) = delete;
    Orrery &operator=(const Orrery &) = delete;

    // Until nothing is left; closes the records.
    void run()
    {
        orr_report end{};
        if (why.code != ORR_OK ||
            orr_network_run(net, ORR_FOREVER, &end) != ORR_OK ||
            why.code != ORR_OK || orr_network_finish(net, &end) != ORR_OK)
            fail(why.code != ORR_OK ? why : end);
    }

    // Messages that nobody asked for, and receives that nothing came for.
    size_t left_over() const { return waiting.size(); }
    // Of the run that is over: the summary as text and as JSON.
    std::string summary() const { return take(orr_network_summary(net)); }
    std::string json() const { return take(orr_network_json(net)); }

  private:
    friend class OrreryNetwork;
    struct Call { Handler handler; void *arg; };
    using Key = std::tuple<uint32_t, uint32_t, int, uint64_t>;
    struct Message { Orrery *of; Key key; Call sent; };

    [[noreturn]] static void fail(const orr_report &why)
    {
        throw std::runtime_error(why.message + std::string("\n") + why.hint);
    }
    static std::string take(char *text)
    {
        const std::string copy = text ? text : "";
        orr_text_free(text);
        return copy;
    }

    // Nothing is thrown through the library, which calls back: the run ends.
    void check(orr_err err)
    {
        if (err == ORR_OK || why.code != ORR_OK)
            return;
        orr_network_report(net, &why);
        orr_network_stop(net);
    }

    // Messages of one sender, receiver, tag and size meet the receives for them
    // in order. Whichever is first waits; the other gets to know of it. A
    // message has no handler.
    std::optional<Call> meet(const Key &key, const Call &one)
    {
        const auto [first, end] = waiting.equal_range(key);
        if (first != end && !first->second.handler != !one.handler)
            return waiting.extract(first).mapped();
        waiting.emplace(key, one);
        return {};
    }

    // As in ASTRA-sim's own networks, a send is over when all of it is there,
    // and the receive is told after it.
    static void arrived(void *what)
    {
        const std::unique_ptr<Message> m(static_cast<Message *>(what));
        const auto receive = m->of->meet(m->key, {});
        m->sent.handler(m->sent.arg);
        if (receive)
            receive->handler(receive->arg);
    }

    orr_network *net = nullptr;
    orr_report why{}; // the first failure
    std::multimap<Key, Call> waiting; // of equal keys in order
    std::vector<double> bandwidth;
};

class OrreryNetwork final : public AstraSim::AstraNetworkAPI {
  public:
    OrreryNetwork(int rank, Orrery &orrery)
        : AstraNetworkAPI(rank), orrery(orrery) {}

    int sim_send(void *, uint64_t count, int, int dst, int tag,
                 AstraSim::sim_request *, Handler handler, void *arg) override
    {
        orr_send s{};
        s.src = uint32_t(rank);
        s.dst = uint32_t(dst);
        s.bytes = count;
        s.arrived = Orrery::arrived;
        s.arrived_arg = new Orrery::Message{
            &orrery, Orrery::Key{s.src, s.dst, tag, count}, {handler, arg}};
        orrery.check(orr_network_send(orrery.net, &s));
        return 0;
    }

    int sim_recv(void *, uint64_t count, int, int src, int tag,
                 AstraSim::sim_request *, Handler handler, void *arg) override
    {
        const Orrery::Key key{uint32_t(src), uint32_t(rank), tag, count};
        if (orrery.meet(key, {handler, arg}))
            sim_schedule({AstraSim::NS, 0}, handler, arg);
        return 0;
    }

    // ASTRA-sim counts in whole ns; orrery in ps.
    void sim_schedule(AstraSim::timespec_t delta, Handler handler,
                      void *arg) override
    {
        orrery.check(orr_network_at(orrery.net, uint32_t(rank),
                                    int64_t(delta.time_val) * 1000, handler,
                                    arg));
    }

    AstraSim::timespec_t sim_get_time() override
    {
        const int64_t ns = orr_network_now(orrery.net) / 1000;
        return {AstraSim::NS, static_cast<long double>(ns)};
    }

    double get_BW_at_dimension(int dim) override
    {
        return orrery.bandwidth.at(size_t(dim));
    }

  private:
    Orrery &orrery;
};

}  // namespace OrreryAstra
