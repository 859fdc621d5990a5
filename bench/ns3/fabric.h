/* What ns-3 3.37 has no ready part for: a FIFO queue that marks above a
 * threshold, and per-flow ECMP. Both do as little as they can, so that what
 * the bench measures is ns-3 and not these. */
#ifndef BENCH_NS3_FABRIC_H
#define BENCH_NS3_FABRIC_H

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/queue-disc.h"
#include "ns3/simulator.h"

namespace bench
{

/* A FIFO of `limit` packets, and of `limit_bytes` (0: no such limit). An
 * arriving packet is marked when at least `threshold` packets are before it, or
 * `threshold_bytes` with it are not enough (0: never). */
class StepQueue : public ns3::QueueDisc
{
  public:
    static ns3::TypeId GetTypeId();
    StepQueue();

    uint64_t marks = 0, drops = 0;
    uint64_t data_marks = 0; // of them those of data; here ACKs are ECT, too
    uint64_t bytes = 0; /* that left, with headers of a point-to-point link */
    uint32_t largest = 0;
    /* packets times nanoseconds since `from` was set */
    double AreaUntil(int64_t now_ns);

  private:
    uint32_t limit_ = 0, limit_bytes_ = 0;
    uint32_t threshold_ = 0, threshold_bytes_ = 0;
    int64_t changed_ns_ = 0;
    uint32_t length_ = 0, length_bytes_ = 0;
    double area_ = 0;

    void Changed(uint32_t length);
    bool DoEnqueue(ns3::Ptr<ns3::QueueDiscItem> item) override;
    ns3::Ptr<ns3::QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override
    {
    }
};

/* Next hops by destination address; among several, a hash of addresses, ports
 * and node decides, so that a flow keeps its path. */
class EcmpRouting : public ns3::Ipv4RoutingProtocol
{
  public:
    static ns3::TypeId GetTypeId();
    void SetHash(uint32_t node, uint32_t seed);
    /* Packets take all ways in turn instead */
    void SetSpray(bool spray)
    {
        spray_ = spray;
    }
    /* `out` are interfaces, ascending */
    void AddDestination(ns3::Ipv4Address to, const std::vector<uint32_t> &out);

    ns3::Ptr<ns3::Ipv4Route> RouteOutput(
        ns3::Ptr<ns3::Packet> p, const ns3::Ipv4Header &header,
        ns3::Ptr<ns3::NetDevice> oif,
        ns3::Socket::SocketErrno &sockerr) override;
    bool RouteInput(ns3::Ptr<const ns3::Packet> p,
                    const ns3::Ipv4Header &header,
                    ns3::Ptr<const ns3::NetDevice> idev,
                    UnicastForwardCallback ucb, MulticastForwardCallback mcb,
                    LocalDeliverCallback lcb, ErrorCallback ecb) override;
    void NotifyInterfaceUp(uint32_t) override
    {
    }
    void NotifyInterfaceDown(uint32_t) override
    {
    }
    void NotifyAddAddress(uint32_t, ns3::Ipv4InterfaceAddress) override
    {
    }
    void NotifyRemoveAddress(uint32_t, ns3::Ipv4InterfaceAddress) override
    {
    }
    void SetIpv4(ns3::Ptr<ns3::Ipv4> ipv4) override
    {
        ipv4_ = ipv4;
    }
    void PrintRoutingTable(ns3::Ptr<ns3::OutputStreamWrapper>,
                           ns3::Time::Unit) const override
    {
    }

  private:
    ns3::Ptr<ns3::Ipv4> ipv4_;
    uint64_t salt_ = 0;
    bool spray_ = false;
    mutable uint32_t turn_ = 0;
    /* one route for each (destination, next hop), made once */
    std::unordered_map<uint32_t, std::vector<ns3::Ptr<ns3::Ipv4Route>>> to_;

    const ns3::Ptr<ns3::Ipv4Route> *Pick(const ns3::Packet *p,
                                         const ns3::Ipv4Header &header) const;
};

} // namespace bench

#endif
