/* How long a message takes with `transport: analytical`
 * (net/loop/analytical.h): the delays of its path and its time on the path's
 * slowest link. */
#ifndef ORR_NET_IDEAL_ANALYTICAL_TIME_H
#define ORR_NET_IDEAL_ANALYTICAL_TIME_H

#include "net/fabric/fabric.h"

/* The links of a message's path so far. */
struct orr_analytical_path {
    int64_t delay, slowest; /* of these links, ps */
    uint32_t tier; /* they are of this one, the lowest or highest so far, if
                    * only that counts */
    bool begun;
};

/* Bytes on the wire: a header for each packet that it would be. */
uint64_t orr__analytical_wire_bytes(const struct orr_net *n, uint64_t bytes);
/* A time in whole steps of the configuration's resolution, rounded down. */
int64_t orr__analytical_steps(const struct orr_net *n, int64_t time);
/* The next link of a path that so many bytes take. */
void orr__analytical_add_link(const struct orr_net *n,
                              struct orr_analytical_path *w, uint32_t link,
                              uint64_t wire);
/* Over all links of the path at once, ps. */
int64_t orr__analytical_path_time(const struct orr_net *n,
                                  const struct orr_analytical_path *w);
/* Over one link, at whose end the message is stored whole, ps. */
int64_t orr__analytical_hop_time(const struct orr_net *n, uint32_t link,
                                 uint64_t wire);
/* What a message of so many bytes takes, ps. */
int64_t orr__analytical_time(const struct orr_net *n,
                             const struct orr_connection_spec *spec,
                             uint64_t bytes);
/* A window may not be longer than the shortest message. */
int64_t orr__analytical_lookahead(const struct orr_net *n, int64_t least);

#endif
