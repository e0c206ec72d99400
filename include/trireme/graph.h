/* Trireme: graphs, operations that are recorded once and replayed cheaply.
 *
 *     float in[N], out[N];
 *     struct trm_graph *graph;
 *     struct trm_graph_exec *exec;
 *     struct trm_stream *recording;
 *
 *     trm_graph_create(device, &graph);
 *     trm_graph_record(graph, &recording);                       a stream that only records
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
 * A graph is a sequence: its operations run in the order in which they were recorded, as if they were
 * enqueued on the stream that the graph is launched on.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * graph       the graph, or for trm_graph_create() receives it
 * exec        an instance of a graph, or for trm_graph_instantiate() receives it
 * Blocks      no
 * Threads     one at a time for each graph, and for each instance
 * Ownership   graphs and instances keep their device alive, the memory of the buffers and the code of the
 *             kernels that they use, though the handles of those may be destroyed. Host memory belongs to the
 *             program, which keeps it: every launch reads or writes it
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_GRAPH_H
#define TRIREME_GRAPH_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/kernel.h>

TRM_API_BEGIN

/* Make an empty graph.
 *
 * device      the device
 * Threads     any
 * Ownership   the caller destroys the graph with trm_graph_destroy()
 */
TRM_API int32_t trm_graph_create(struct trm_device *device, struct trm_graph **graph);

/* Destroy a graph and its recording stream. Its instances stay. */
TRM_API void trm_graph_destroy(struct trm_graph *graph);

/* Get the stream that records into a graph; every call returns the same one. What is enqueued on it is
 * checked as always, and recorded instead of run. It takes copies (also 2D), fills, launches and events with
 * TRM_EVENT_TIMING. An operation that does nothing (no bytes, no groups) becomes no node.
 *
 * Every launch of the graph records its events anew: from then on an event holds the place after that launch,
 * and the time at which the stream reached the event within it.
 *
 * stream      receives the recording stream. It answers UNSUPPORTED to what cannot be replayed (waits,
 *             points, callbacks, events without timing, memory in stream order, copies between devices, other
 *             graphs) and BUSY to waits for it
 * Ownership   the stream belongs to the graph: trm_stream_destroy() refuses it
 */
TRM_API int32_t trm_graph_record(struct trm_graph *graph, struct trm_stream **stream);

/* Count the operations that are recorded. They are the nodes 0 to `count` - 1. */
TRM_API int32_t trm_graph_node_count(struct trm_graph *graph, uint32_t *count);

/* Make an instance, which can be launched, of what is recorded so far. The recording may go on, and further
 * instances may be made. Each instance runs once at a time; several may run at once.
 *
 * Ownership   the caller destroys the instance with trm_graph_exec_destroy()
 * Errors      INVALID_HANDLE when another thread destroyed a buffer while it was recorded
 */
TRM_API int32_t trm_graph_instantiate(struct trm_graph *graph, struct trm_graph_exec **exec);

/* Destroy an instance. Launches that are enqueued run to their end. */
TRM_API void trm_graph_exec_destroy(struct trm_graph_exec *exec);

/* Ask how an instance is replayed.
 *
 * native      receives 1 when the backend replays it as a whole; 0 when the core enqueues its operations one
 *             by one, since the backend has no graphs or does not support these operations in them
 */
TRM_API int32_t trm_graph_exec_is_native(struct trm_graph_exec *exec, int32_t *native);

/* Enqueue all operations of an instance. The stream's statistics count them one by one. An instance runs once
 * at a time: on another stream than for the last launch, the stream first waits for that launch. An empty
 * instance does nothing.
 *
 * stream      a stream of the same device
 * Threads     one at a time for each instance and each stream
 * Errors      WRONG_DEVICE; UNSUPPORTED on a stream that records into a graph; the stream's first failure.
 *             After another failure, where the core enqueues the operations one by one, the first of them may
 *             have been enqueued
 */
TRM_API int32_t trm_graph_launch(struct trm_graph_exec *exec, struct trm_stream *stream);

/* Replace what a node does in later launches of an instance. The new operation is checked like any other, and
 * a launch is of the same kernel. With no bytes or no groups, the node does nothing until it is updated
 * again.
 *
 * node        its number, in the order of recording
 * grid, arguments, argument_count  as for trm_launch()
 * destination, source  as for trm_upload(), trm_download() and trm_copy()
 * Blocks      until the launches of the instance that are enqueued are done
 * Errors      OUT_OF_RANGE when there is no such node; INVALID_ARGUMENT when the node is of another kind;
 *             DEADLOCK inside a host callback that such a launch comes after; else as of the operation. After
 *             an error the node is unchanged
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
