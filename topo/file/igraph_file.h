/* Graphs that igraph reads, with attributes: what graphml and gml share.
 * Vertices: type (host or switch), forward, and optionally name, label, server,
 * level, x, y, z, Latitude, Longitude; edges: rate, delay, optionally loss and
 * tier, and LinkSpeedRaw, in bit/s, in place of a rate. An edge is a cable in
 * both directions. */
#ifndef ORR_TOPO_FILE_IGRAPH_FILE_H
#define ORR_TOPO_FILE_IGRAPH_FILE_H

#include <stdio.h>

#include "topo/file/file.h"
#include "topo/igraph.h"

/* The file, for reading from its beginning, if there is room for what libraries
 * make of it. */
ORR_CHECK_RESULT orr_err orr__igraph_open(const struct orr_sketch *s, FILE **f,
                                          struct orr_report *why);
/* Calls `read`, which fills the graph, and takes nodes and cables from that.
 * undirected: how a file says that it is that. */
ORR_CHECK_RESULT orr_err
orr__igraph_file(struct orr_sketch *s, const char *undirected,
                 orr_err (*read)(const struct orr_sketch *s, igraph_t *g,
                                 struct orr_report *why),
                 struct orr_report *why);

#endif
