/* The service thread, on which host callbacks run and gates open.
 *
 * One thread takes jobs. Where jobs follow each other closely it looks for the next one for a few
 * microseconds before it sleeps, since waking it takes longer; else it sleeps at once. While it blocks
 * inside a job (a callback that waits for a stream), another thread takes its place, so that the work it
 * waits for can go on.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_SERVICE_H
#define CORE_STREAM_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

struct core_context;
struct core_service;
struct core_stream;

/* A job for the service thread. Embedded in its owner; queued at most once at a time. run() may free it. */
struct core_job {
    struct core_job *next;
    void (*run)(struct core_job *job);
};

int32_t core_service_create(struct core_context *context, struct core_service **service);

/* The context's own service, which the first call starts. */
int32_t core_service_get(struct core_context *context, struct core_service **service);

/* Runs the queued jobs, then ends the threads. When a service thread calls it, that thread ends by itself
 * after its job. NULL is fine. */
void core_service_destroy(struct core_service *service);

/* Queues a job. Any thread, a backend's too; does not block for long and allocates nothing. */
void core_service_post(struct core_service *service, struct core_job *job);

/* Queues a job for the service whose thread calls. False on all other threads. */
bool core_service_post_own(struct core_job *job);

/* Call these around anything that may block for long. They do nothing on other threads. */
void core_service_block(void);
void core_service_unblock(void);

/* ---- the callbacks that a thread runs ------------------------------------------------------------ */

/* A host callback that the calling thread is running; on its stack. */
struct core_callback_frame {
    const struct core_stream *stream;
    uint64_t value; /* the operation that is complete when it returns; UINT64_MAX: none waits for it */
    struct core_callback_frame *outer;
};

void core_callback_push(struct core_callback_frame *frame, const struct core_stream *stream, uint64_t value);
/* Does not return in a child of a fork: ends it. */
void core_callback_pop(const struct core_callback_frame *frame);

/* The stream and operation (may be NULL) of the host callback that the calling thread is running; NULL
 * outside of callbacks. */
const struct core_stream *core_callback_current(uint64_t *value);

/* True if the calling thread is running a callback of this stream. */
bool core_callback_is_inside(const struct core_stream *stream);

/* True if waiting for `value` of `stream` would wait for a callback that the calling thread is running. */
bool core_callback_would_deadlock(const struct core_stream *stream, uint64_t value);

#endif
