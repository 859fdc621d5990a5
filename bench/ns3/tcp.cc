/* The scenarios of orrery's bench and validation, in ns-3 3.37:
 *
 *   tcp --topology=dumbbell --flows=8 --bytes=10000000 --cc=dctcp --mark=65
 *   tcp --topology=fat-tree --k=8 --list=FILE --cc=dctcp --mark=200
 *   tcp --topology=LINKS --list=FILE --cc=cubic --fifo=250
 *   tcp --flows=3 --both-ways=1 --until=40000 --cc=reno --fifo-bytes=1000000
 *   tcp --flows=3 --both-ways=1 --iterations=10 --from=4 --compute=20000
 *       --cc=mltcp-reno --fifo-bytes=1000000 --buffer=4000000
 *
 * FILE has one flow a line: src dst bytes, and with --starts when, ns. LINKS is
 * a topology.txt of HPCC, hosts before switches: nodes, switches and links by
 * number, the switches, then from, to, rate, delay, loss. Segments of 1,448 B are 1,502 B on
 * the wire (20 IP, 32 TCP with time stamps, 2 PPP). Prints JSON: setup and run
 * CPU apart, packets over links, completion times to the last byte at the
 * receiver: ns-3 delays the ACK of an odd last segment until the sender's RTO,
 * so the last ACK would tell of that and not of the network. */
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "fabric.h"
#include "mltcp.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/object-factory.h"
#include "ns3/rtt-estimator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-dctcp.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"
#include "ns3/boolean.h"
#include "ns3/nstime.h"
#include "ns3/string.h"

using namespace ns3;

struct Options {
    std::string topology = "dumbbell", list, cc = "dctcp";
    std::string bottleneck; /* dumbbell: rate of the middle; default: rate */
    std::string rate, delay; /* default: 10Gbps 10us dumbbell, 100Gbps 1us */
    std::string ack_delay = "1ms";
    uint32_t flows = 8, k = 8, mark = 0, fifo = 0, host_fifo = 100000;
    uint32_t seed = 1, window = 10, ack_every = 2;
    int64_t stagger = 1000; /* ns */
    uint64_t bytes = 10000000, buffer = 64u << 20;
    bool mark_hosts = true, print_flows = false, starts = false;
    bool spray = false, prr = true, both_ways = false;
    uint32_t segment = 1448, fifo_bytes = 0, mark_bytes = 0;
    uint32_t host_mark_bytes = 0;
    int64_t until_us = 0; /* 0: until all flows are done */
    uint32_t iterations = 0, from = 0; /* of jobs; 0: flows */
    int64_t compute_us = 0;
    bool watchful = false, wide = false;
    uint32_t ssthresh = 0; /* packets; 0: none */
    int64_t min_rto_us = 10000, initial_rto_us = 1000000;
};

struct Flow {
    uint32_t src, dst;
    uint64_t bytes, left, missing; /* to send, to be received */
    int64_t start_ns, finish_ns;
    bool closed;
    Ptr<Socket> socket;
    /* of a job's rank, which sends this one and receives the one beside it */
    bool computing;
    std::vector<int64_t> ends; /* of its iterations, ns */
};

/* A port is one direction of a link: the device that sends and its queue. */
struct Port {
    Ptr<PointToPointNetDevice> device;
    Ptr<bench::StepQueue> queue;
};

struct World {
    Options o;
    uint32_t hosts = 0;
    std::vector<Ptr<Node>> nodes; /* hosts first */
    std::vector<Port> ports;
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> out;
    std::vector<Flow> flows;
    std::vector<Ptr<Socket>> listeners;
    uint32_t bottleneck = 0; /* port */
    std::unordered_map<uint64_t, uint32_t> by_peer; /* flow of a source */
    uint32_t open = 0;
    double area = 0; /* of the bottleneck's queue at the last finish */
};

static double Cpu()
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return double(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * double(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static Ipv4Address HostAddress(uint32_t host)
{
    return Ipv4Address(0x0A000001u + host);
}

/* ---- TCP as a whole ---- */

/* TcpNewReno halves what it takes to be in flight, which leaves out what was
 * selectively acknowledged or is lost: four packets less than RFC 5681 has when
 * a loss is found. This halves the window. */
class HalvingReno : public TcpNewReno {
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("bench::HalvingReno")
                                .SetParent<TcpNewReno>()
                                .AddConstructor<HalvingReno>();
        return tid;
    }
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t) override
    {
        return std::max(2 * tcb->m_segmentSize, tcb->m_cWnd.Get() / 2);
    }
    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<HalvingReno>(this);
    }
};
NS_OBJECT_ENSURE_REGISTERED(HalvingReno);

/* TcpDctcp answers a loss as it answers marks, by alpha / 2: without marks
 * hardly at all. RFC 8257, section 3.5, has it halve the window then. (What a
 * timeout leaves it at is not told apart here.) */
class HalvingDctcp : public TcpDctcp {
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("bench::HalvingDctcp")
                                .SetParent<TcpDctcp>()
                                .AddConstructor<HalvingDctcp>();
        return tid;
    }
    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t state) override
    {
        TcpDctcp::CongestionStateSet(tcb, state);
        m_state = state;
    }
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t flight) override
    {
        if (m_state != TcpSocketState::CA_RECOVERY
            && m_state != TcpSocketState::CA_LOSS)
            return TcpDctcp::GetSsThresh(tcb, flight);
        return std::max(tcb->m_segmentSize, tcb->m_cWnd.Get() / 2);
    }
    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<HalvingDctcp>(this);
    }

  private:
    TcpSocketState::TcpCongState_t m_state = TcpSocketState::CA_OPEN;
};
NS_OBJECT_ENSURE_REGISTERED(HalvingDctcp);

template <> TypeId bench::Mltcp<HalvingReno>::GetTypeId()
{
    static TypeId tid = TypeId("bench::MltcpReno")
                            .SetParent<HalvingReno>()
                            .AddConstructor<bench::Mltcp<HalvingReno>>();
    return tid;
}
template <> TypeId bench::Mltcp<TcpDctcp>::GetTypeId()
{
    static TypeId tid = TypeId("bench::MltcpDctcp")
                            .SetParent<TcpDctcp>()
                            .AddConstructor<bench::Mltcp<TcpDctcp>>();
    return tid;
}
using MltcpReno = bench::Mltcp<HalvingReno>;
using MltcpDctcp = bench::Mltcp<TcpDctcp>;
NS_OBJECT_ENSURE_REGISTERED(MltcpReno);
NS_OBJECT_ENSURE_REGISTERED(MltcpDctcp);
/* TcpSocketBase looks for losses in its states OPEN and DISORDER, and not in
 * CWR, where it answers a mark: duplicate ACKs are counted there, but lead
 * nowhere, and what is lost waits for the timeout. Nor does it answer marks that
 * duplicate ACKs tell of (RFC 3168, section 6.1.2, makes no difference), and what
 * these acknowledge selectively does not bring the window further down. This one
 * does all of it. The window that the mark leaves is not cut once more for
 * losses of the same round trip, as in Linux. */
class WatchfulSocket : public TcpSocketBase {
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("bench::WatchfulSocket")
                                .SetParent<TcpSocketBase>()
                                .AddConstructor<WatchfulSocket>();
        return tid;
    }

  protected:
    void ReceivedAck(Ptr<Packet> packet, const TcpHeader &header) override
    {
        m_echo = (header.GetFlags() & TcpHeader::ECE) != 0;
        TcpSocketBase::ReceivedAck(packet, header);
    }
    void ProcessAck(const SequenceNumber32 &ack, bool sacked,
                    uint32_t delivered, const SequenceNumber32 &head) override
    {
        if (m_echo && sacked && ack == head
            && (m_tcb->m_congState == TcpSocketState::CA_OPEN
                || m_tcb->m_congState == TcpSocketState::CA_DISORDER))
            EnterCwr(delivered);
        uint32_t threshold = m_tcb->m_ssThresh;
        bool answers = sacked && ack == head
                       && m_tcb->m_congState == TcpSocketState::CA_CWR;
        if (answers)
            m_tcb->m_congState = TcpSocketState::CA_DISORDER;
        TcpSocketBase::ProcessAck(ack, sacked, delivered, head);
        if (answers && m_tcb->m_congState == TcpSocketState::CA_DISORDER) {
            m_tcb->m_congState = TcpSocketState::CA_CWR;
            m_recoveryOps->DoRecovery(m_tcb, delivered);
        } else if (answers)
            m_tcb->m_ssThresh = threshold;
    }

  private:
    bool m_echo = false; /* in the ACK that is looked at */
};
NS_OBJECT_ENSURE_REGISTERED(WatchfulSocket);

/* Proportional rate reduction as TcpPrrRecovery has it, in 64 bits. There what
 * was delivered times the threshold, both in bytes, has 32: it overflows once 33
 * of 122 packets of 1,448 B have arrived, and nothing is sent until the pipe is
 * down to the threshold. */
class WidePrr : public TcpClassicRecovery {
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("bench::WidePrr")
                                .SetParent<TcpClassicRecovery>()
                                .AddConstructor<WidePrr>();
        return tid;
    }
    void EnterRecovery(Ptr<TcpSocketState> tcb, uint32_t, uint32_t unacked,
                       uint32_t delivered) override
    {
        m_delivered = m_sent = 0;
        m_flight = unacked;
        DoRecovery(tcb, delivered);
    }
    void DoRecovery(Ptr<TcpSocketState> tcb, uint32_t delivered) override
    {
        int64_t pipe = tcb->m_bytesInFlight.Get(), room = delivered;
        int64_t threshold = tcb->m_ssThresh.Get(), segment = tcb->m_segmentSize;

        m_delivered += delivered;
        if (pipe > threshold) {
            room = (m_delivered * threshold + m_flight - 1) / m_flight - m_sent;
        } else {
            if (tcb->m_isRetransDataAcked)
                room = std::max(m_delivered - m_sent, room) + segment;
            room = std::min(room, threshold - pipe);
        }
        room = std::max(room, m_sent > 0 ? 0 : segment);
        tcb->m_cWnd = uint32_t(pipe + room);
        tcb->m_cWndInfl = tcb->m_cWnd;
    }
    void ExitRecovery(Ptr<TcpSocketState> tcb) override
    {
        tcb->m_cWndInfl = tcb->m_cWnd;
    }
    void UpdateBytesSent(uint32_t bytes) override
    {
        m_sent += bytes;
    }
    Ptr<TcpRecoveryOps> Fork() override
    {
        return CopyObject<WidePrr>(this);
    }

  private:
    int64_t m_delivered = 0, m_sent = 0, m_flight = 1; /* bytes */
};
NS_OBJECT_ENSURE_REGISTERED(WidePrr);

/* An object of the type that TcpL4Protocol's attribute names */
template <class T>
static Ptr<T> Made(Ptr<TcpL4Protocol> tcp, const char *attribute)
{
    TypeIdValue type;
    tcp->GetAttribute(attribute, type);
    ObjectFactory factory;
    factory.SetTypeId(type.Get());
    return factory.Create<T>();
}

/* What TcpL4Protocol::CreateSocket does, which makes TcpSocketBase alone. */
static Ptr<Socket> NewSocket(const Options &o, Ptr<Node> node)
{
    if (!o.watchful)
        return Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    Ptr<TcpL4Protocol> tcp = node->GetObject<TcpL4Protocol>();
    Ptr<WatchfulSocket> s = CreateObject<WatchfulSocket>();
    s->SetNode(node);
    s->SetTcp(tcp);
    s->SetRtt(Made<RttEstimator>(tcp, "RttEstimatorType"));
    s->SetCongestionControlAlgorithm(Made<TcpCongestionOps>(tcp, "SocketType"));
    s->SetRecoveryAlgorithm(Made<TcpRecoveryOps>(tcp, "RecoveryType"));
    tcp->AddSocket(s);
    return s;
}

static void ConfigureTcp(const Options &o)
{
    std::string cc = o.cc == "dctcp"     ? "ns3::TcpDctcp"
                     : o.cc == "rfc8257" ? "bench::HalvingDctcp"
                     : o.cc == "newreno" ? "ns3::TcpNewReno"
                     : o.cc == "reno"    ? "bench::HalvingReno"
                     : o.cc == "cubic"   ? "ns3::TcpCubic"
                     : o.cc == "mltcp-reno"  ? "bench::MltcpReno"
                     : o.cc == "mltcp-dctcp" ? "bench::MltcpDctcp"
                                         : "";
    if (cc.empty()) {
        std::cerr << "--cc is dctcp, rfc8257, newreno, reno, cubic, "
                     "mltcp-reno or mltcp-dctcp\n";
        exit(2);
    }
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName(cc)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(o.segment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(o.window));
    Config::SetDefault("ns3::TcpSocket::DelAckCount",
                       UintegerValue(o.ack_every));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout",
                       StringValue(o.ack_delay));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(o.buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(o.buffer));
    Config::SetDefault("ns3::TcpSocketBase::MinRto",
                       TimeValue(MicroSeconds(o.min_rto_us)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::RttEstimator::InitialEstimation",
                       TimeValue(MicroSeconds(o.initial_rto_us)));
    /* 3 s by themselves; RFC 6298 has the initial RTO */
    Config::SetDefault("ns3::TcpSocket::ConnTimeout",
                       TimeValue(MicroSeconds(o.initial_rto_us)));
    if (o.ssthresh > 0)
        Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold",
                           UintegerValue(o.segment * o.ssthresh));
    if (!o.prr || o.wide)
        Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                           TypeIdValue(TypeId::LookupByName(
                               o.prr ? "bench::WidePrr"
                                     : "ns3::TcpClassicRecovery")));
    if (o.cc == "dctcp" || o.cc == "rfc8257" || o.cc == "mltcp-dctcp")
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    if (o.cc == "cubic") /* an extension that RFC 9438 leaves open */
        Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(false));
}

/* ---- the graph ---- */

static void AddNodes(World &w, uint32_t n)
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    for (uint32_t i = 0; i < n; i++) {
        Ptr<Node> node = CreateObject<Node>();
        stack.Install(node);
        Ptr<bench::EcmpRouting> r = CreateObject<bench::EcmpRouting>();
        r->SetHash(i, w.o.seed);
        r->SetSpray(w.o.spray);
        node->GetObject<Ipv4>()->SetRoutingProtocol(r);
        w.nodes.push_back(node);
    }
    w.out.resize(n);
}

static void AddPort(World &w, uint32_t from, uint32_t to,
                    Ptr<NetDevice> device)
{
    Ptr<Node> node = w.nodes[from];
    Ptr<Ipv4> ip = node->GetObject<Ipv4>();
    uint32_t interface = ip->AddInterface(device);
    Ipv4Address address = from < w.hosts
                              ? HostAddress(from)
                              : Ipv4Address(0x80000001u + w.ports.size());
    ip->AddAddress(interface,
                   Ipv4InterfaceAddress(address, Ipv4Mask::GetOnes()));
    ip->SetMetric(interface, 1);
    ip->SetUp(interface);

    bool host = from < w.hosts;
    Ptr<bench::StepQueue> queue = CreateObject<bench::StepQueue>();
    queue->SetAttribute("Limit",
                        UintegerValue(host          ? w.o.host_fifo
                                      : w.o.fifo > 0 ? w.o.fifo
                                                     : 100000));
    queue->SetAttribute("LimitBytes",
                        UintegerValue(host ? 0 : w.o.fifo_bytes));
    queue->SetAttribute("ThresholdBytes",
                        UintegerValue(host ? w.o.host_mark_bytes
                                           : w.o.mark_bytes));
    queue->SetAttribute("Threshold", UintegerValue(host && !w.o.mark_hosts
                                                       ? 0
                                                       : w.o.mark));
    node->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(device,
                                                                     queue);
    w.out[from].push_back({to, interface});
    w.ports.push_back({DynamicCast<PointToPointNetDevice>(device), queue});
}

static uint32_t AddCable(World &w, PointToPointHelper &p2p, uint32_t a,
                         uint32_t b)
{
    uint32_t port = uint32_t(w.ports.size());
    NetDeviceContainer d = p2p.Install(w.nodes[a], w.nodes[b]);
    AddPort(w, a, b, d.Get(0));
    AddPort(w, b, a, d.Get(1));
    return port;
}

/* Hosts 0..n-1 send to n..2n-1 through two switches and one link, and those to
 * them if both ways are asked for. */
static void BuildDumbbell(World &w, PointToPointHelper &p2p)
{
    uint32_t n = w.o.flows;
    w.hosts = 2 * n;
    AddNodes(w, 2 * n + 2);
    for (uint32_t i = 0; i < 2 * n; i++)
        AddCable(w, p2p, i, 2 * n + i / n);
    if (!w.o.bottleneck.empty())
        p2p.SetDeviceAttribute("DataRate", StringValue(w.o.bottleneck));
    w.bottleneck = AddCable(w, p2p, 2 * n, 2 * n + 1);
    for (uint32_t i = 0; i < n; i++) {
        int64_t start = w.o.stagger * int64_t(i);
        w.flows.push_back({i, n + i, w.o.bytes, w.o.bytes, w.o.bytes, start,
                           -1, false, nullptr, false, {}});
        if (w.o.both_ways)
            w.flows.push_back({n + i, i, w.o.bytes, w.o.bytes, w.o.bytes,
                               start + w.o.stagger / 2, -1, false, nullptr,
                               false, {}});
    }
}

static void ReadFlows(World &w)
{
    std::ifstream list(w.o.list);
    Flow f = {};
    while (list >> f.src >> f.dst >> f.bytes) {
        if (w.o.starts && !(list >> f.start_ns))
            break;
        f.left = f.missing = f.bytes;
        f.finish_ns = -1;
        w.flows.push_back(f);
    }
    if (w.flows.empty()) {
        std::cerr << "no flows in --list=" << w.o.list << "\n";
        exit(2);
    }
}

static void BuildFatTree(World &w, PointToPointHelper &p2p)
{
    uint32_t k = w.o.k, h = k / 2, edges = k * h;
    w.hosts = k * h * h;
    uint32_t E = w.hosts, A = E + edges, C = A + edges;
    AddNodes(w, C + h * h);
    for (uint32_t i = 0; i < w.hosts; i++)
        AddCable(w, p2p, i, E + i / h);
    for (uint32_t e = 0; e < edges; e++)
        for (uint32_t j = 0; j < h; j++)
            AddCable(w, p2p, E + e, A + e / h * h + j);
    for (uint32_t a = 0; a < edges; a++)
        for (uint32_t j = 0; j < h; j++)
            AddCable(w, p2p, A + a, C + a % h * h + j);

    ReadFlows(w);
}

/* The link whose queue is measured is the last one. */
static void BuildFile(World &w, PointToPointHelper &p2p)
{
    std::ifstream in(w.o.topology);
    uint32_t nodes, switches, links, a, b;
    std::string rate, delay;
    double loss;
    if (!(in >> nodes >> switches >> links)) {
        std::cerr << "cannot read --topology=" << w.o.topology << "\n";
        exit(2);
    }
    for (uint32_t i = 0; i < switches; i++)
        in >> a;
    w.hosts = nodes - switches;
    AddNodes(w, nodes);
    for (uint32_t i = 0; i < links; i++) {
        in >> a >> b >> rate >> delay >> loss;
        p2p.SetDeviceAttribute("DataRate", StringValue(rate));
        p2p.SetChannelAttribute("Delay", StringValue(delay));
        w.bottleneck = AddCable(w, p2p, a, b);
        for (uint32_t k = 0; k < 2 && loss > 0; k++) {
            Ptr<RateErrorModel> e = CreateObject<RateErrorModel>();
            e->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            e->SetRate(loss);
            e->AssignStreams(1000 * w.o.seed + 2 * i + k);
            w.ports[w.bottleneck + k].device->SetReceiveErrorModel(e);
        }
    }
    ReadFlows(w);
}

/* All shortest paths towards the hosts that flows use, breadth first. */
static void Route(World &w)
{
    std::vector<char> used(w.hosts, 0);
    for (const Flow &f : w.flows)
        used[f.src] = used[f.dst] = 1;
    std::vector<uint32_t> distance, queue, via;
    for (uint32_t host = 0; host < w.hosts; host++) {
        if (!used[host])
            continue;
        distance.assign(w.nodes.size(), UINT32_MAX);
        distance[host] = 0;
        queue.assign(1, host);
        for (size_t i = 0; i < queue.size(); i++)
            for (auto [to, interface] : w.out[queue[i]])
                if (distance[to] == UINT32_MAX) {
                    distance[to] = distance[queue[i]] + 1;
                    queue.push_back(to);
                }
        for (uint32_t n = 0; n < w.nodes.size(); n++) {
            via.clear();
            for (auto [to, interface] : w.out[n])
                if (distance[to] + 1 == distance[n])
                    via.push_back(interface);
            if (n != host && (n >= w.hosts || used[n]))
                DynamicCast<bench::EcmpRouting>(
                    w.nodes[n]->GetObject<Ipv4>()->GetRoutingProtocol())
                    ->AddDestination(HostAddress(host), via);
        }
    }
}

/* ---- the flows ---- */

static void Fill(World *w, uint32_t id, Ptr<Socket> socket, uint32_t room)
{
    Flow &f = w->flows[id];
    while (f.left > 0 && room > 0) {
        uint32_t n = uint32_t(std::min<uint64_t>(f.left, room));
        int sent = socket->Send(Create<Packet>(n));
        if (sent <= 0)
            return;
        f.left -= uint64_t(sent);
        room = socket->GetTxAvailable();
    }
    if (f.left == 0 && !f.closed && w->o.iterations == 0) {
        f.closed = true;
        socket->Close();
    }
}

/* address and port, for by_peer */
static uint64_t Peer(const Address &a)
{
    InetSocketAddress peer = InetSocketAddress::ConvertFrom(a);
    return uint64_t(peer.GetIpv4().Get()) << 16 | peer.GetPort();
}

/* A rank's iteration ends when all that it sends in it is acknowledged, and all
 * that it receives is there; then it computes, and sends again. */
static void EndIteration(World *w, uint32_t id)
{
    Flow &f = w->flows[id];
    const Flow &in = w->flows[id ^ 1];
    uint64_t received = uint64_t(w->o.iterations) * w->o.bytes - in.missing;
    if (f.computing || f.left > 0
        || f.socket->GetTxAvailable() < uint32_t(w->o.buffer)
        || received < (f.ends.size() + 1) * w->o.bytes)
        return;
    f.ends.push_back(Simulator::Now().GetNanoSeconds());
    if (f.ends.size() == w->o.iterations) {
        if (--w->open == 0)
            Simulator::Stop();
        return;
    }
    f.computing = true;
    Simulator::Schedule(MicroSeconds(w->o.compute_us), [w, id] {
        Flow &f = w->flows[id];
        f.computing = false;
        f.left = w->o.bytes;
        Fill(w, id, f.socket, f.socket->GetTxAvailable());
    });
}

static void Start(World *w, uint32_t id)
{
    Flow &f = w->flows[id];
    f.socket = NewSocket(w->o, w->nodes[f.src]);
    f.socket->Bind();
    f.socket->SetSendCallback(
        [w, id](Ptr<Socket> s, uint32_t room) {
            Fill(w, id, s, room);
            if (w->o.iterations > 0)
                EndIteration(w, id);
        });
    f.socket->Connect(InetSocketAddress(HostAddress(f.dst), 5000));
    f.socket->ShutdownRecv();
    Address own;
    f.socket->GetSockName(own);
    w->by_peer[Peer(own)] = id;
    Fill(w, id, f.socket, f.socket->GetTxAvailable());
}

static void Drain(World *w, uint32_t id, Ptr<Socket> socket)
{
    Flow &f = w->flows[id];
    while (Ptr<Packet> p = socket->Recv())
        f.missing -= p->GetSize();
    if (w->o.iterations > 0) {
        EndIteration(w, id ^ 1);
        return;
    }
    if (f.missing > 0 || f.finish_ns >= 0)
        return;
    f.finish_ns = Simulator::Now().GetNanoSeconds();
    if (--w->open == 0) {
        w->area = w->ports[w->bottleneck].queue->AreaUntil(f.finish_ns);
        Simulator::Stop();
    }
}

static void StartFlows(World &w)
{
    World *wp = &w;
    std::vector<char> listens(w.hosts, 0);
    for (uint32_t id = 0; id < w.flows.size(); id++) {
        const Flow &f = w.flows[id];
        if (!listens[f.dst]) {
            listens[f.dst] = 1;
            Ptr<Socket> l = Socket::CreateSocket(
                w.nodes[f.dst], TcpSocketFactory::GetTypeId());
            l->Bind(InetSocketAddress(Ipv4Address::GetAny(), 5000));
            l->Listen();
            l->SetAcceptCallback(
                MakeNullCallback<bool, Ptr<Socket>, const Address &>(),
                [wp](Ptr<Socket> s, const Address &peer) {
                    uint32_t id = wp->by_peer.at(Peer(peer));
                    s->SetRecvCallback(
                        [wp, id](Ptr<Socket> s) { Drain(wp, id, s); });
                });
            w.listeners.push_back(l);
        }
        Simulator::ScheduleWithContext(f.src, NanoSeconds(f.start_ns), &Start,
                                       &w, id);
    }
    w.open = uint32_t(w.flows.size());
    for (uint32_t id = 0; id < w.flows.size() && w.o.iterations > 0; id++)
        w.flows[id].missing = w.o.iterations * w.o.bytes;
}

/* ---- results ---- */

/* A flow that is not done at --until has sent what has arrived. */
static void CutOff(World &w)
{
    for (Flow &f : w.flows) {
        if (f.finish_ns >= 0)
            continue;
        f.bytes -= f.missing;
        f.finish_ns = w.o.until_us * 1000;
    }
}

/* An iteration of a job ends with that of its last rank. */
static void PrintJobs(const World &w, double run_s)
{
    double sum = 0;
    uint32_t last = w.o.iterations - 1;
    for (size_t id = 0; id < w.flows.size(); id += 2) {
        const Flow &a = w.flows[id], &b = w.flows[id + 1];
        sum += double(std::max(a.ends[last], b.ends[last])
                      - std::max(a.ends[w.o.from - 1], b.ends[w.o.from - 1]));
    }
    printf("{\"simulator\": \"ns-3\", \"iteration_ns\": %.1f, "
           "\"cpu_seconds\": %.3f}\n",
           2 * sum / double(w.flows.size()) / double(last + 1 - w.o.from),
           run_s);
}

static void Print(const World &w, double setup_s, double run_s)
{
    uint64_t hops = 0, marks = 0, data_marks = 0, drops = 0, bytes = 0;
    for (const Port &p : w.ports) {
        hops += p.device->GetQueue()->GetTotalReceivedPackets();
        marks += p.queue->marks;
        data_marks += p.queue->data_marks;
        drops += p.queue->drops + p.device->GetQueue()->GetTotalDroppedPackets();
    }
    double sum = 0, rates = 0, squares = 0;
    int64_t least = INT64_MAX, most = 0, first = INT64_MAX, last = 0;
    for (const Flow &f : w.flows) {
        int64_t fct = f.finish_ns - f.start_ns;
        double rate = double(f.bytes) / double(fct);
        bytes += f.bytes;
        sum += double(fct);
        rates += rate;
        squares += rate * rate;
        least = std::min(least, fct);
        most = std::max(most, fct);
        first = std::min(first, f.start_ns);
        last = std::max(last, f.finish_ns);
    }
    double n = double(w.flows.size()), span = double(last - first);
    const auto &q = w.ports[w.bottleneck].queue;
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("{\"simulator\": \"ns-3\", \"flows\": %zu, \"completed\": %zu,\n",
           w.flows.size(), w.flows.size() - w.open);
    printf(" \"goodput_bps\": %.0f, \"jain\": %.5f,\n",
           double(bytes) * 8e9 / span, rates * rates / (n * squares));
    printf(" \"fct_ns\": {\"mean\": %.1f, \"min\": %ld, \"max\": %ld},\n",
           sum / n, long(least), long(most));
    printf(" \"drops\": %lu, \"marks\": %lu, \"data_marks\": %lu,\n",
           (unsigned long)drops, (unsigned long)marks,
           (unsigned long)data_marks);
    printf(" \"queue_packets\": {\"mean\": %.2f, \"max\": %u, "
           "\"marks\": %lu, \"drops\": %lu},\n",
           w.area / span, q->largest, (unsigned long)q->marks,
           (unsigned long)q->drops);
    if (w.o.until_us > 0) {
        DataRateValue rate;
        w.ports[w.bottleneck].device->GetAttribute("DataRate", rate);
        double room = double(rate.Get().GetBitRate()) / 8 * span / 1e9;
        printf(" \"utilization\": [%.4f, %.4f],\n", double(q->bytes) / room,
               double(w.ports[w.bottleneck + 1].queue->bytes) / room);
    }
    printf(" \"packet_hops\": %lu, \"sim_time_ns\": %ld,\n",
           (unsigned long)hops, long(last));
    printf(" \"wall\": {\"setup_seconds\": %.3f, \"cpu_seconds\": %.3f, "
           "\"peak_memory_bytes\": %ld}",
           setup_s, run_s, u.ru_maxrss * 1024L);
    if (w.o.print_flows) {
        printf(",\n \"list\": [");
        for (size_t i = 0; i < w.flows.size(); i++)
            printf("%s%ld", i ? ", " : "",
                   long(w.flows[i].finish_ns - w.flows[i].start_ns));
        printf("]");
    }
    printf("}\n");
}

static void Parse(Options &o, int argc, char **argv)
{
    CommandLine cmd(__FILE__);
    cmd.AddValue("topology", "dumbbell, fat-tree or a file", o.topology);
    cmd.AddValue("flows", "dumbbell: flows", o.flows);
    cmd.AddValue("bytes", "dumbbell: bytes of a flow", o.bytes);
    cmd.AddValue("stagger", "dumbbell: ns from flow to flow", o.stagger);
    cmd.AddValue("k", "fat-tree: ports of a switch", o.k);
    cmd.AddValue("list", "fat-tree: file of `src dst bytes`", o.list);
    cmd.AddValue("cc", "dctcp, rfc8257 (halves it at a loss), newreno, reno "
                 "(halves the window), cubic", o.cc);
    cmd.AddValue("mark", "mark when so many packets wait; 0: never", o.mark);
    cmd.AddValue("mark-hosts", "mark in the hosts' ports too", o.mark_hosts);
    cmd.AddValue("fifo", "packets a switch port holds; 0: no limit", o.fifo);
    cmd.AddValue("fifo-bytes", "bytes a switch port holds; 0: no limit",
                 o.fifo_bytes);
    cmd.AddValue("buffer", "bytes of a socket's, each way", o.buffer);
    cmd.AddValue("mark-bytes", "mark when a switch port holds more; 0: never",
                 o.mark_bytes);
    cmd.AddValue("host-mark-bytes", "the same of a host's port",
                 o.host_mark_bytes);
    cmd.AddValue("segment", "bytes of a segment", o.segment);
    cmd.AddValue("both-ways", "dumbbell: each receiver sends as well",
                 o.both_ways);
    cmd.AddValue("iterations", "dumbbell, both ways: each pair is a job of so "
                 "many, which computes and sends --bytes", o.iterations);
    cmd.AddValue("from", "iterations left out of the mean, 1 at least",
                 o.from);
    cmd.AddValue("compute", "us of an iteration", o.compute_us);
    cmd.AddValue("until", "us; tell what has arrived until then", o.until_us);
    cmd.AddValue("host-fifo", "packets a host's port holds", o.host_fifo);
    cmd.AddValue("rate", "of all links", o.rate);
    cmd.AddValue("bottleneck", "dumbbell: rate of the link in the middle",
                 o.bottleneck);
    cmd.AddValue("delay", "of all links", o.delay);
    cmd.AddValue("seed", "of the ECMP hash", o.seed);
    cmd.AddValue("window", "initial window, segments", o.window);
    cmd.AddValue("ack-every", "segments for an ACK", o.ack_every);
    cmd.AddValue("ack-delay", "a single segment waits so long", o.ack_delay);
    cmd.AddValue("print-flows", "each flow's time", o.print_flows);
    cmd.AddValue("starts", "the list says when flows start", o.starts);
    cmd.AddValue("spray", "packet by packet, in turn", o.spray);
    cmd.AddValue("prr", "TcpPrrRecovery, else TcpClassicRecovery", o.prr);
    cmd.AddValue("wide", "PRR whose products do not overflow", o.wide);
    cmd.AddValue("watchful", "look for losses, and answer marks, as Linux does",
                 o.watchful);
    cmd.AddValue("ssthresh", "of the first slow start, segments", o.ssthresh);
    cmd.AddValue("min-rto", "us", o.min_rto_us);
    cmd.AddValue("initial-rto", "us", o.initial_rto_us);
    cmd.Parse(argc, argv);
}

int main(int argc, char **argv)
{
    double t0 = Cpu();
    World w;
    Parse(w.o, argc, argv);
    bool tree = w.o.topology == "fat-tree";
    ConfigureTcp(w.o);
    bench::MltcpIteration::bytes = double(w.o.bytes);
    bench::MltcpIteration::gap = MicroSeconds(w.o.compute_us / 2);
    PointToPointHelper p2p;
    p2p.SetDeviceAttribute("DataRate",
                           StringValue(!w.o.rate.empty() ? w.o.rate
                                       : tree            ? "100Gbps"
                                                         : "10Gbps"));
    p2p.SetChannelAttribute("Delay", StringValue(!w.o.delay.empty() ? w.o.delay
                                                 : tree ? "1us"
                                                        : "10us"));
    p2p.SetDeviceAttribute("Mtu", UintegerValue(w.o.segment + 52));
    p2p.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
    if (tree)
        BuildFatTree(w, p2p);
    else if (w.o.topology == "dumbbell")
        BuildDumbbell(w, p2p);
    else
        BuildFile(w, p2p);
    Route(w);
    StartFlows(w);
    double t1 = Cpu();
    Simulator::Stop(w.o.until_us > 0 ? MicroSeconds(w.o.until_us)
                                     : Seconds(100));
    Simulator::Run();
    double t2 = Cpu();
    if (w.o.iterations > 0 && w.open == 0) {
        PrintJobs(w, t2 - t1);
        fflush(stdout);
        _Exit(0);
    }
    if (w.o.until_us > 0)
        CutOff(w);
    Print(w, t1 - t0, t2 - t1);
    fflush(stdout);
    _Exit(w.o.until_us > 0 || w.open == 0 ? 0 : 1); /* freeing it all takes seconds */
}
