/* cuda backend: threads of a device that see to streams.
 *
 * They wait for numbers that somebody is to be told of, and submit what would make the caller wait. There are as many as
 * there are streams to be seen to at the same time, up to a limit; they stay for the next.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_WATCHER_H
#define CUDA_STREAM_WATCHER_H

#include "backends/cuda/driver/driver.h"

/* With what waits sleep with (sleeping.h). */
int32_t cuda_watchers_open(struct trm_backend_device *device);
void cuda_watchers_close(
    struct trm_backend_device *device); /* ends its threads; no notification is due any more */

/* There is a thread. Errors: OUT_OF_HOST_MEMORY. */
int32_t cuda_watchers_start(struct trm_backend_device *device);

/* Have a thread see to the stream's notices; `pump`: and submit what it holds. False: there is no thread. */
bool cuda_watchers_queue(struct trm_backend_stream *stream, bool pump);
/* It is about to be destroyed: nobody will see to it any more, but for who has begun. */
void cuda_watchers_remove(struct trm_backend_stream *stream);

#endif
