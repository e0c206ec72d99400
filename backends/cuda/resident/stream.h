/* cuda backend: resident streams.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_RESIDENT_STREAM_H
#define CUDA_RESIDENT_STREAM_H

#include "graph.h"

extern const struct trm_stream_ops cuda_resident_stream_ops;

/* As trm_graph_ops.launch(). */
int32_t cuda_resident_submit(struct trm_backend_stream *stream, uint64_t value,
                             struct cuda_resident_graph *graph);

/* Stop the kernel of a graph, which is idle and about to be destroyed. */
void cuda_resident_forget(struct cuda_resident_graph *graph);

#endif
