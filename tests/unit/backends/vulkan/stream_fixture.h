/* Operations, notifications and jobs for tests of streams, over the fake driver of driver.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_BACKENDS_VULKAN_STREAM_FIXTURE_H
#define TESTS_UNIT_BACKENDS_VULKAN_STREAM_FIXTURE_H

#include "tests/unit/backends/vulkan/driver.h"

static const struct trm_stream_ops *const ops = &vulkan_stream_ops;

static inline struct trm_backend_stream *make_stream(int32_t role)
{
    struct trm_backend_stream *stream = NULL;
    struct trm_stream_desc desc       = {.struct_size = sizeof(desc), .role = role};
    ck_assert_int_eq(ops->create(&driver.device, &desc, &stream), TRM_OK);
    return stream;
}

/* Enqueues an operation with a command buffer. */
static inline int32_t enqueue(struct trm_backend_stream *stream, uint64_t value)
{
    struct vulkan_batch *batch;
    vulkan_stream_lock(stream);
    int32_t status = vulkan_stream_check(stream);
    if (status == TRM_OK)
        status = vulkan_stream_open(stream, value, &batch);
    if (status == TRM_OK)
        status = vulkan_stream_note(stream, value, 1);
    vulkan_stream_unlock(stream);
    return status;
}

/* The same, with a host copy of one byte at the end. */
static inline int32_t enqueue_finish(struct trm_backend_stream *stream, uint64_t value, char *to,
                                     const char *from)
{
    struct vulkan_batch *batch     = NULL;
    struct vulkan_host_copy finish = {.destination = to, .source = from, .width = 1, .height = 1};
    vulkan_stream_lock(stream);
    int32_t status = vulkan_stream_open(stream, value, &batch);
    if (status == TRM_OK)
        status = vulkan_batch_add_host_copy(stream, batch, &finish);
    if (status == TRM_OK)
        status = vulkan_stream_note(stream, value, 1);
    vulkan_stream_unlock(stream);
    return status;
}

static inline uint64_t completed(struct trm_backend_stream *stream)
{
    uint64_t value = 0;
    ck_assert_int_eq(ops->query(stream, &value), TRM_OK);
    return value;
}

static inline void run_everything(void)
{
    while (driver_run(0, DRIVER_BATCHES) + driver_run(1, DRIVER_BATCHES) != 0)
        ;
}

static inline void finish_and_destroy(struct trm_backend_stream *stream)
{
    ops->flush(stream);
    run_everything();
    ops->wait(stream, stream->enqueued, UINT64_MAX);
    ops->destroy(stream);
}

/* ---- notifications -- */

struct told {
    _Atomic uint32_t count; /* futex */
    int32_t status;
};

static inline void tell(void *user, int32_t status)
{
    struct told *told = user;
    told->status      = status;
    atomic_fetch_add(&told->count, 1);
    trm_util_futex_wake_all(&told->count);
}

static inline int32_t wait_until_told(struct told *told)
{
    while (atomic_load(&told->count) == 0)
        trm_util_futex_wait(&told->count, 0, TRM_UTIL_NEVER);
    return told->status;
}

/* ---- jobs ---- */

struct test_job {
    struct vulkan_job job;
    int32_t status; /* result of the job */
    _Atomic uint32_t may_end, has_run, released;
};

static inline int32_t run_job(struct vulkan_job *base)
{
    struct test_job *job = (struct test_job *)base;
    atomic_store(&job->has_run, 1);
    trm_util_futex_wake_all(&job->has_run);
    while (atomic_load(&job->may_end) == 0)
        trm_util_futex_wait(&job->may_end, 0, TRM_UTIL_NEVER);
    return job->status;
}

static inline void release_job(struct vulkan_job *base)
{
    atomic_fetch_add(&((struct test_job *)base)->released, 1);
}

static inline void enqueue_job(struct trm_backend_stream *stream, uint64_t value, struct test_job *job)
{
    job->job.run     = run_job;
    job->job.release = release_job;
    vulkan_stream_lock(stream);
    ck_assert_int_eq(vulkan_stream_add_job(stream, value, &job->job), TRM_OK);
    vulkan_stream_unlock(stream);
}

static inline void let_end(struct test_job *job)
{
    atomic_store(&job->may_end, 1);
    trm_util_futex_wake_all(&job->may_end);
}

#endif
