// The same library from C++: one message, and when it was there.
//
//     c++ hello.cc $(pkg-config --cflags --libs orrery) -o hello
#include <iostream>
#include <memory>
#include <orrery/network.h>
#include <stdexcept>

class Network {
public:
    explicit Network(const char *config)
    {
        orr_report why{};
        if (orr_network_open(config, nullptr, &net, &why) != ORR_OK)
            throw std::runtime_error(why.message);
    }
    ~Network() { orr_network_close(net); }
    Network(const Network &) = delete;
    Network &operator=(const Network &) = delete;
    operator orr_network *() const { return net; }

private:
    orr_network *net = nullptr;
};

int main()
{
    Network net("topology: {kind: switch, hosts: 2, link: {rate: 10Gbps, "
                "delay: 1us}}");
    orr_send message{};
    message.src = 0;
    message.dst = 1;
    message.bytes = 1500;
    message.arrived_arg = &net;
    message.arrived = [](void *arg) {
        Network &n = *static_cast<Network *>(arg);
        std::cout << "arrived at " << orr_network_now(n) / 1000 << " ns\n";
    };
    orr_report why{};
    if (orr_network_send(net, &message) != ORR_OK ||
        orr_network_run(net, ORR_FOREVER, &why) != ORR_OK) {
        std::cerr << why.message << '\n';
        return 1;
    }
}
