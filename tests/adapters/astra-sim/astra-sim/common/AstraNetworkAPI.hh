// What the adapter needs of ASTRA-sim 2.x's header of this name: the interface
// between its systems and a network, declared anew, so that the adapter is
// compiled and tried where ASTRA-sim is not.
#pragma once

#include <cstdint>

namespace AstraSim {

enum time_type_e { SE = 0, MS, US, NS, FS };

struct timespec_t {
    time_type_e time_res;
    long double time_val;
};

struct sim_request;

class AstraNetworkAPI {
  public:
    explicit AstraNetworkAPI(int rank) : rank(rank) {}
    virtual ~AstraNetworkAPI() {}

    virtual int sim_send(void *buffer, uint64_t count, int type, int dst,
                         int tag, sim_request *request,
                         void (*msg_handler)(void *fun_arg),
                         void *fun_arg) = 0;
    virtual int sim_recv(void *buffer, uint64_t count, int type, int src,
                         int tag, sim_request *request,
                         void (*msg_handler)(void *fun_arg),
                         void *fun_arg) = 0;
    virtual void sim_schedule(timespec_t delta,
                              void (*fun_ptr)(void *fun_arg),
                              void *fun_arg) = 0;
    virtual timespec_t sim_get_time() = 0;
    virtual double get_BW_at_dimension(int dim) { return -1; }

    int rank;
};

}  // namespace AstraSim
