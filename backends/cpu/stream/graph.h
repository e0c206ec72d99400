/* cpu backend: graphs.
 *
 * The operations of a graph are made once, as they would lie in a ring, each with its arguments. A launch puts one
 * operation into the ring of its stream, whatever the number of those in the graph; whoever comes to it goes through them where
 * they lie. Since a graph runs once at a time, they belong to the owner of the stream meanwhile.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_GRAPH_H
#define BACKENDS_CPU_STREAM_GRAPH_H

#include "backends/cpu/stream/ring.h"

/* What a launch of it is likely to take, in nanoseconds. Any thread. */
uint32_t cpu_graph_cost(const struct trm_backend_graph *graph);

/* Owner of the stream that has come to it: the first of its operations. They follow each other, to one that is `last`. */
struct cpu_op *cpu_graph_enter(struct trm_backend_graph *graph);

#endif
