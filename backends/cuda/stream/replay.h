/* cuda backend: launches by graphs of one node.
 *
 * Setting the parameters of a kernel node and launching its graph takes the driver less than half the time
 * of cuLaunchKernel (1.4 µs instead of 3.2 µs on an H200), and the device starts sooner. So a kernel that
 * a stream launches repeatedly gets a few such graphs there. They are used in turn, since a graph waits
 * for its own last launch.
 *
 * A graph remembers the parameters that it was given last. A launch that has the same, such as that of a
 * pipeline's slot with every token, only launches the graph: that saves four calls of the driver, three of
 * which change the current context.
 *
 * Streams of high priority do not use them, because nodes have priorities of their own. Neither do adopted
 * streams.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_REPLAY_H
#define CUDA_STREAM_REPLAY_H

#include "launch.h"
#include "stream.h"

/* Launches of a kernel on a stream before it gets its graphs. */
#define CUDA_REPLAY_AFTER 8u

/* Submit a launch, either way. Only the thread that submits. */
CUresult cuda_replay_launch(struct trm_backend_stream *stream, const struct cuda_launch *launch);

/* Drop the graphs of the kernel with this serial, which is about to be destroyed and which no stream uses
 * any more. Any thread. */
void cuda_replays_forget(struct trm_backend_device *device, uint64_t serial);

/* With the context current if it still can be; nothing of the stream is in flight. */
void cuda_replays_fini(struct trm_backend_stream *stream);

#endif
