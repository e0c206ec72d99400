/* cuda backend, room `resident`: kernels that stay on the device.
 *
 * A resident stream has a ring, one page of pinned host memory: the host writes into it up to which token to
 * work, and the kernel which token has ended. A resident graph has a table, also in pinned memory: what the
 * nodes do, with their arguments. The kernel of the graph loops: one thread reads the ring over the bus, the
 * others wait for it on the device; the groups do the nodes, with a barrier among them in between; the last
 * one writes the end. The kernels of the nodes are translated as functions and compiled with the loop
 * (program.c).
 *
 *     text.c      the loop, as CUDA C
 *     program.c   translates and compiles the kernels of a graph with the loop
 *     graph.c     graphs: the table, and changes of it
 *     stream.c    streams: the ring, launching and leaving; how far they are
 *     clock.c     converts the device's time to the host's
 *
 * A kernel leaves by itself after an idle time (the setting cuda.resident.idle), and is launched again for
 * the next token. It is stopped around driver calls that wait for all work of the device, since those would
 * wait for the idle time, or for ever while tokens come (driver/quiet.c): loading and unloading code, and
 * freeing and registering memory.
 *
 * A token that takes too long (the setting cuda.resident.limit) is given up: loops that might not end look at
 * a word in the ring now and then, and their threads end.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_RESIDENT_RESIDENT_H
#define CUDA_RESIDENT_RESIDENT_H

#include "backends/cuda/driver/driver.h"

extern const struct trm_resident_ops cuda_resident_ops;

#endif
