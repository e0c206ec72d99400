/* Trireme: graphs, operations that are recorded once and replayed cheaply.
 *
 *     float in[N], out[N];
 *     struct trm_graph *graph;
 *     struct trm_graph_exec *exec;
 *     struct trm_stream *recording;
 *
 *     trm_graph_create(device, &graph);
 *     trm_graph_record(graph, &recording);                       a stream that only writes down
 *     trm_upload(recording, trm_span_whole(a), in);              node 0
 *     trm_launch(recording, kernel, &grid, arguments, 3);        node 1
 *     trm_download(recording, out, trm_span_whole(b));           node 2
 *     trm_graph_instantiate(graph, &exec);
 *     trm_graph_destroy(graph);                                  the instance has what it needs
 *
 *     while (read_batch(in)) {
 *         trm_graph_launch(exec, stream);                        one call instead of three
 *         trm_stream_sync(stream);
 *         write_batch(out);
 *     }
 *     trm_graph_exec_destroy(exec);
 *
 * A graph is a sequence: its operations run in the order in which they were recorded, as if they had been enqueued on the
 * stream that it is launched on.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_GRAPH_H
#define TRIREME_GRAPH_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/kernel.h>

TRM_API_BEGIN

/* An empty graph.
 *
 * Threads     a graph is serialised by its caller, like a stream, and so is an instance
 * Ownership   keeps the device alive; trm_graph_destroy() ends it with its recording stream, its instances live on
 */
TRM_API int32_t trm_graph_create(struct trm_device *device, struct trm_graph **graph);
TRM_API void trm_graph_destroy(struct trm_graph *graph);

/* The stream that records into the graph, always the same: what is enqueued on it is checked as always, and written down
 * instead of done. Copies (also 2D), fills, launches and events with TRM_EVENT_TIMING are recorded. What does nothing
 * (no bytes, no groups) is no node. Buffers in use keep their memory, and kernels their code, for as long as the graph and its
 * instances, though their handles may be destroyed. Host memory is read and written at every launch, and is the program's to keep.
 *
 * An event is recorded anew by every launch: from then on it holds the place after that launch, and the time at which the stream
 * came to it inside.
 *
 * Ownership   the stream belongs to the graph: trm_stream_destroy() refuses it
 * Errors      of what is enqueued on it: UNSUPPORTED for what cannot be replayed (waits, points, callbacks, events without
 *             timing, memory in stream order, copies between devices, other graphs). Waiting for the stream is answered with BUSY
 */
TRM_API int32_t trm_graph_record(struct trm_graph *graph, struct trm_stream **stream);

/* The number of operations recorded so far. They are the nodes 0 to count − 1. */
TRM_API int32_t trm_graph_node_count(struct trm_graph *graph, uint32_t *count);

/* Make what can be launched of what has been recorded up to now. The recording may go on, and more instances be made.
 * Each runs once at a time; several may run at once.
 *
 * Ownership   keeps the device alive; trm_graph_exec_destroy() ends it, also while it runs
 */
TRM_API int32_t trm_graph_instantiate(struct trm_graph *graph, struct trm_graph_exec **exec);
TRM_API void trm_graph_exec_destroy(struct trm_graph_exec *exec);

/* 1: the backend replays it as a whole; 0: the core enqueues its operations one by one, since the backend has no graphs
 * or not of such operations. */
TRM_API int32_t trm_graph_exec_is_native(struct trm_graph_exec *exec, int32_t *native);

/* Enqueue all of it on a stream of the same device. Cheaper than its operations one by one; an instance of nothing does
 * nothing. It runs once at a time: on another stream than the last time, that stream waits until the last launch is done.
 *
 * Blocks      no               Statistics of the stream count it like its operations
 * Errors      WRONG_DEVICE, or the stream's first failure. If it fails otherwise where the core enqueues one by one, the first
 *             operations may have been enqueued
 */
TRM_API int32_t trm_graph_launch(struct trm_graph_exec *exec, struct trm_stream *stream);

/* Replace what a node does at later launches of this instance. Checked like the operation itself, of the same kernel in the
 * case of a launch. No bytes, or no groups: the node does nothing until it is updated again.
 *
 * node        its number, in the order of recording
 * Blocks      until the instance's launches up to now are done
 * Errors      OUT_OF_RANGE, no such node; INVALID_ARGUMENT, the node is of another kind; else as of the operation. Then
 *             the node is what it was
 */
TRM_API int32_t trm_graph_update_launch(struct trm_graph_exec *exec, uint32_t node,
                                        const struct trm_grid *grid, const struct trm_argument *arguments,
                                        uint32_t argument_count);
TRM_API int32_t trm_graph_update_upload(struct trm_graph_exec *exec, uint32_t node,
                                        struct trm_span destination, const void *source);
TRM_API int32_t trm_graph_update_download(struct trm_graph_exec *exec, uint32_t node, void *destination,
                                          struct trm_span source);
TRM_API int32_t trm_graph_update_copy(struct trm_graph_exec *exec, uint32_t node, struct trm_span destination,
                                      struct trm_span source);

TRM_API_END

#endif
