#include "fabric.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/uinteger.h"

namespace bench {

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(StepQueue);
NS_OBJECT_ENSURE_REGISTERED(EcmpRouting);

TypeId StepQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("bench::StepQueue")
            .SetParent<QueueDisc>()
            .AddConstructor<StepQueue>()
            .AddAttribute("Limit", "packets", UintegerValue(1000),
                          MakeUintegerAccessor(&StepQueue::limit_),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("LimitBytes", "bytes; 0: no limit", UintegerValue(0),
                          MakeUintegerAccessor(&StepQueue::limit_bytes_),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ThresholdBytes", "bytes; 0: no marking",
                          UintegerValue(0),
                          MakeUintegerAccessor(&StepQueue::threshold_bytes_),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Threshold", "packets; 0: no marking",
                          UintegerValue(0),
                          MakeUintegerAccessor(&StepQueue::threshold_),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

StepQueue::StepQueue() : QueueDisc(QueueDiscSizePolicy::SINGLE_INTERNAL_QUEUE)
{
}

void StepQueue::Changed(uint32_t length)
{
    int64_t now = Simulator::Now().GetNanoSeconds();
    area_ += double(length_) * double(now - changed_ns_);
    changed_ns_ = now;
    length_ = length;
    if (length > largest)
        largest = length;
}

double StepQueue::AreaUntil(int64_t now_ns)
{
    return area_ + double(length_) * double(now_ns - changed_ns_);
}

/* of an item on a point-to-point link: PPP's two bytes are the device's */
static uint32_t WireBytes(Ptr<const QueueDiscItem> item)
{
    return item->GetSize() + 2;
}

/* Bytes on the wire: headers of 54 B and options, without any payload. */
static const uint32_t MOST_OF_AN_ACK = 100;

bool StepQueue::DoEnqueue(Ptr<QueueDiscItem> item)
{
    uint32_t size = WireBytes(item);
    if (length_ >= limit_ ||
        (limit_bytes_ != 0 && length_bytes_ + size > limit_bytes_)) {
        drops++;
        DropBeforeEnqueue(item, "full");
        return false;
    }
    bool full = (threshold_ != 0 && length_ >= threshold_) ||
                (threshold_bytes_ != 0 &&
                 length_bytes_ + size > threshold_bytes_);
    if (full && Mark(item, "step")) {
        marks++;
        data_marks += size > MOST_OF_AN_ACK;
    }
    Changed(length_ + 1);
    length_bytes_ += size;
    return GetInternalQueue(0)->Enqueue(item);
}

Ptr<QueueDiscItem> StepQueue::DoDequeue()
{
    Ptr<QueueDiscItem> item = GetInternalQueue(0)->Dequeue();
    if (item) {
        Changed(length_ - 1);
        length_bytes_ -= WireBytes(item);
        bytes += WireBytes(item);
    }
    return item;
}

bool StepQueue::CheckConfig()
{
    if (GetNInternalQueues() == 0)
        AddInternalQueue(CreateObjectWithAttributes<
                         DropTailQueue<QueueDiscItem>>(
            "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS,
                                                limit_ + 1))));
    return true;
}

TypeId EcmpRouting::GetTypeId()
{
    static TypeId tid = TypeId("bench::EcmpRouting")
                            .SetParent<Ipv4RoutingProtocol>()
                            .AddConstructor<EcmpRouting>();
    return tid;
}

static uint64_t Mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
}

void EcmpRouting::SetHash(uint32_t node, uint32_t seed)
{
    salt_ = Mix(uint64_t(seed) << 32 | node);
}

void EcmpRouting::AddDestination(Ipv4Address to,
                                 const std::vector<uint32_t> &out)
{
    auto &routes = to_[to.Get()];
    for (uint32_t interface : out) {
        Ptr<Ipv4Route> r = Create<Ipv4Route>();
        r->SetDestination(to);
        r->SetGateway(Ipv4Address::GetZero());
        r->SetSource(ipv4_->GetAddress(interface, 0).GetLocal());
        r->SetOutputDevice(ipv4_->GetNetDevice(interface));
        routes.push_back(r);
    }
}

const Ptr<Ipv4Route> *EcmpRouting::Pick(const Packet *p,
                                        const Ipv4Header &header) const
{
    auto found = to_.find(header.GetDestination().Get());
    if (found == to_.end())
        return nullptr;
    const auto &routes = found->second;
    if (routes.size() == 1)
        return &routes[0];
    if (spray_)
        return &routes[turn_++ % routes.size()];
    uint8_t ports[4] = {0, 0, 0, 0};
    if (p)
        p->CopyData(ports, sizeof ports);
    uint64_t key = uint64_t(header.GetSource().Get()) << 32 |
                   header.GetDestination().Get();
    uint64_t pair = uint64_t(ports[0]) << 24 | uint64_t(ports[1]) << 16 |
                    uint64_t(ports[2]) << 8 | ports[3];
    return &routes[Mix(Mix(key ^ salt_) ^ pair) % routes.size()];
}

Ptr<Ipv4Route> EcmpRouting::RouteOutput(Ptr<Packet> p,
                                        const Ipv4Header &header,
                                        Ptr<NetDevice>,
                                        Socket::SocketErrno &sockerr)
{
    const Ptr<Ipv4Route> *r = Pick(PeekPointer(p), header);
    sockerr = r ? Socket::ERROR_NOTERROR : Socket::ERROR_NOROUTETOHOST;
    return r ? *r : nullptr;
}

bool EcmpRouting::RouteInput(Ptr<const Packet> p, const Ipv4Header &header,
                             Ptr<const NetDevice> idev,
                             UnicastForwardCallback ucb,
                             MulticastForwardCallback, LocalDeliverCallback lcb,
                             ErrorCallback)
{
    uint32_t iif = uint32_t(ipv4_->GetInterfaceForDevice(idev));
    if (ipv4_->IsDestinationAddress(header.GetDestination(), iif)) {
        lcb(p, header, iif);
        return true;
    }
    const Ptr<Ipv4Route> *r = Pick(PeekPointer(p), header);
    if (!r)
        return false;
    ucb(*r, p, header);
    return true;
}

} // namespace bench
