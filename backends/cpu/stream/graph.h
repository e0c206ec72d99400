/* cpu backend: graphs.
 *
 * The operations of a graph are made once, in the form that they have in a ring, each with its arguments. A
 * launch puts one operation into the ring of its stream, however many operations the graph has; the session
 * that comes to it runs the graph's operations where they are. A graph runs once at a time, so its operations
 * belong to the owner of that stream meanwhile.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_GRAPH_H
#define BACKENDS_CPU_STREAM_GRAPH_H

#include "backends/cpu/stream/ring.h"

/* The likely cost of a launch in nanoseconds. Any thread. */
uint32_t cpu_graph_cost(const struct trm_backend_graph *graph);

/* The first operation of the graph; the others follow it, up to the one with `is_last`. Only the owner of the
 * stream that launches the graph may call this. */
struct cpu_op *cpu_graph_begin(struct trm_backend_graph *graph);

#endif
