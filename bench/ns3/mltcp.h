/* MLTCP (HotNets'24) over ns-3's own controls: the increase beyond slow start,
 * a segment a window, is multiplied by 1.75 x + 0.25, x from 0 to 1 over the
 * bytes of an iteration. A pause between two ACKs begins an iteration, as in
 * the authors' code. */
#ifndef BENCH_NS3_MLTCP_H
#define BENCH_NS3_MLTCP_H

#include <algorithm>

#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

namespace bench
{

/* what all sockets of a run share */
struct MltcpIteration {
    static inline double bytes = 0;
    static inline ns3::Time gap;
};

/* Base has CongestionAvoidance: TcpNewReno, TcpLinuxReno, or made of them. */
template <class Base> class Mltcp : public Base
{
  public:
    static ns3::TypeId GetTypeId();
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<Mltcp<Base>>(this);
    }
    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb, uint32_t segments,
                   const ns3::Time &rtt) override
    {
        ns3::Time now = ns3::Simulator::Now();
        if (now - last_ > MltcpIteration::gap)
            sent_ = 0;
        last_ = now;
        sent_ += double(segments) * tcb->m_segmentSize;
        Base::PktsAcked(tcb, segments, rtt);
    }

  protected:
    void CongestionAvoidance(ns3::Ptr<ns3::TcpSocketState> tcb,
                             uint32_t segments) override
    {
        double x = std::min(1.0, sent_ / MltcpIteration::bytes);
        double segment = tcb->m_segmentSize;
        grown_ += (1.75 * x + 0.25) * segments * segment * segment
                  / tcb->m_cWnd.Get();
        uint32_t whole = uint32_t(grown_);
        tcb->m_cWnd += whole;
        grown_ -= whole;
    }

  private:
    double sent_ = 0, grown_ = 0; /* bytes */
    ns3::Time last_;
};

} // namespace bench

#endif
