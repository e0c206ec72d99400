/* The thread of the core on which host callbacks and bridges run.
 *
 * There is one thread that takes jobs. Where they come one soon after another it looks for the next one for a few
 * microseconds before it sleeps, as waking it would take longer; else it sleeps at once. When it blocks inside a
 * job (a callback that waits for a stream), another takes its place for as long, so that what it waits for can
 * come about.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_SERVICE_H
#define CORE_STREAM_SERVICE_H

#include <stdint.h>

struct core_context;
struct core_service;
struct core_stream;

/* One thing to do on the service thread. Embedded in what it works for; queued at most once at a
 * time. The job may be freed by its own run(). */
struct core_job {
    struct core_job *next;
    void (*run)(struct core_job *job);
};

int32_t core_service_create(struct core_context *context, struct core_service **service);

/* The context's own service, which the first call starts. */
int32_t core_service_get(struct core_context *context, struct core_service **service);

/* Runs what is queued, then ends the threads. Called from a service thread itself it lets that
 * thread end by itself, after its job. NULL is fine. */
void core_service_destroy(struct core_service *service);

/* Queue a job. Any thread, also a backend's; never blocks for long, allocates nothing. */
void core_service_post(struct core_service *service, struct core_job *job);

/* Around anything that may block for long. Does nothing but on a service thread. */
void core_service_block(void);
void core_service_unblock(void);

/* A host callback that the calling thread runs just now; on its stack. */
struct core_callback_frame {
    const struct core_stream *stream;
    uint64_t value; /* the number that is complete when it returns; UINT64_MAX: none waits for it */
    struct core_callback_frame *outer;
};

void core_callback_push(struct core_callback_frame *frame, const struct core_stream *stream, uint64_t value);
void core_callback_pop(const struct core_callback_frame *frame);

/* The stream and number whose host callback the calling thread runs just now; NULL outside of
 * callbacks. */
const struct core_stream *core_callback_current(uint64_t *value);

/* Does the calling thread run a callback of this stream? */
int32_t core_callback_is_inside(const struct core_stream *stream);

/* Would waiting for `value` of `stream` be waiting for a callback that the calling thread runs? */
int32_t core_callback_would_deadlock(const struct core_stream *stream, uint64_t value);

#endif
