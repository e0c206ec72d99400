/* cuda backend: watcher threads of a device.
 *
 * They wait for numbers that have notifications, and submit deferred operations that would block. There
 * are as many threads as there were streams to serve at the same time, up to a limit; they stay until the
 * device is closed.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_WATCHER_H
#define CUDA_STREAM_WATCHER_H

#include "backends/cuda/driver/driver.h"

/* Also opens the device's blocking waits (driver/blocking_wait.c), which the threads use. */
int32_t cuda_watchers_open(struct trm_backend_device *device);
void cuda_watchers_close(
    struct trm_backend_device *device); /* End the threads. No notification may be due any more. */

/* Make sure that there is a thread. Errors: OUT_OF_HOST_MEMORY. */
int32_t cuda_watchers_start(struct trm_backend_device *device);

/* Have a thread deliver the stream's notifications and, with `flush`, submit its deferred operations.
 * False: there is no thread. */
bool cuda_watchers_queue(struct trm_backend_stream *stream, bool flush);
/* Take a stream that is about to be destroyed off the queue. A thread that serves it already goes on. */
void cuda_watchers_remove(struct trm_backend_stream *stream);

#endif
