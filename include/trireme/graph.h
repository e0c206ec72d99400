/* Trireme: graphs, operations that are recorded once and replayed cheaply.
 *
 *     trm_graph_create(device, &graph);
 *     trm_graph_record(graph, &stream);              a stream that only writes down
 *     trm_upload(stream, …); trm_launch(stream, …); trm_download(stream, …);
 *     trm_graph_instantiate(graph, &exec);           ends the recording
 *     trm_graph_launch(exec, any_stream);            as often as wanted
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

/* An empty graph. Serialised by its caller, like a stream.
 * Ownership   keeps the device alive; trm_graph_destroy() ends it, its instances live on */
TRM_API int32_t trm_graph_create(struct trm_device *device, struct trm_graph **graph);
TRM_API void trm_graph_destroy(struct trm_graph *graph);

/* The stream that records into the graph: what is enqueued on it is checked as always, and written down instead of done.
 * It belongs to the graph and ends with it. Copies (also 2D), fills, launches and events with TRM_EVENT_TIMING are recorded;
 * buffers and kernels in use stay alive as long as the graph and its instances. Host memory given by address is
 * read and written at every replay. What cannot be replayed (waits, callbacks, allocation in stream order) is refused
 * with UNSUPPORTED, waiting for the stream or its points with BUSY. */
TRM_API int32_t trm_graph_record(struct trm_graph *graph, struct trm_stream **stream);

/* The number of operations recorded so far; the last one is node count − 1. */
TRM_API int32_t trm_graph_node_count(struct trm_graph *graph, uint32_t *count);

/* Make what can be launched, from what has been recorded up to now; the recording goes on or not. May be done
 * again. The instance is the backend's own where it has graphs, else the core enqueues its operations one by one. */
TRM_API int32_t trm_graph_instantiate(struct trm_graph *graph, struct trm_graph_exec **exec);
TRM_API void trm_graph_exec_destroy(struct trm_graph_exec *exec); /* legal while it runs */

/* 1: the backend replays it; 0: the core does, operation by operation. */
TRM_API int32_t trm_graph_exec_is_native(struct trm_graph_exec *exec, int32_t *native);

/* Enqueue all of it on a stream of the same device. An instance runs once at a time: launched on another stream, it
 * waits there for the last launch. Cheaper than its operations one by one. An empty one does nothing. */
TRM_API int32_t trm_graph_launch(struct trm_graph_exec *exec, struct trm_stream *stream);

/* Replace what a node does at later launches. Checked like the operation itself. Blocks until the instance's launches up to
 * now are done.
 *
 * node        its number, in the order of recording
 * Errors      OUT_OF_RANGE, no such node; INVALID_ARGUMENT, the node is of another kind; as of the operation
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
