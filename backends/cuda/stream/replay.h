/* cuda backend: launches by graphs of one node.
 *
 * The driver takes a kernel's node with new parameters and the launch of its graph in less than half the time of cuLaunchKernel
 * (1.4 µs and 3.2 on an H200), and the device comes to it sooner. So a kernel that a stream launches again and again gets a few
 * such graphs there, which are used in turn, since a graph waits for its own last launch.
 *
 * Streams of high priority do without: nodes have priorities of their own. So do streams of the application.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_REPLAY_H
#define CUDA_STREAM_REPLAY_H

#include "launch.h"
#include "stream.h"

/* So many launches of a kernel on a stream are plain before it gets its graphs. */
#define CUDA_REPLAY_AFTER 8u

/* Submit a launch, in whatever way. The thread that submits. */
CUresult cuda_replay_launch(struct trm_backend_stream *stream, const struct cuda_launch *launch);

/* The kernel of this serial is about to go, and no stream has anything to do with it any more. Any thread. */
void cuda_replays_forget(struct trm_backend_device *device, uint64_t serial);

/* With the context current, where that is possible still; nothing of the stream is under way. */
void cuda_replays_fini(struct trm_backend_stream *stream);

#endif
