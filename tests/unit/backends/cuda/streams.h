/* What the tests of the cuda backend's streams share.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_BACKENDS_CUDA_STREAMS_H
#define TESTS_UNIT_BACKENDS_CUDA_STREAMS_H

#include "tests/unit/backends/cuda/fixture.h"

#define BYTES 4096u

static const struct trm_stream_ops *const ops = &cuda_stream_ops;

static struct {
    struct trm_backend_memory *device, *pinned;
    unsigned char *host; /* of pinned */
} with;

static inline void begin(void)
{
    on_open("");
    with.device = on_memory(TRM_MEMORY_DEVICE, BYTES);
    with.pinned = on_memory(TRM_MEMORY_PINNED, BYTES);
    with.host   = on_host(with.pinned);
    memset(with.host, 0, BYTES);
}

/* The test has destroyed its streams. */
static inline void end(void)
{
    on.control->fail_work(NULL);
    on.control->release();
    cuda_memory_ops.free(with.pinned);
    cuda_memory_ops.free(with.device);
    on_close();
}

/* Bytes of the pinned memory become `value`. */
static inline int32_t fill_at(struct trm_backend_stream *stream, uint64_t number, uint64_t offset,
                              uint64_t size, uint8_t value)
{
    const struct trm_fill_desc desc = {
        .struct_size  = sizeof(desc),
        .pattern_size = 1,
        .memory       = with.pinned,
        .offset       = offset,
        .size         = size,
        .pattern      = value,
    };
    return ops->fill(stream, number, &desc);
}

/* Set the first byte of the pinned memory. */
static inline int32_t put(struct trm_backend_stream *stream, uint64_t number, uint8_t value)
{
    return fill_at(stream, number, 0, 1, value);
}

/* Copy the byte at `from` of the pinned memory to `to` of the device memory. */
static inline int32_t move(struct trm_backend_stream *stream, uint64_t number, uint64_t to, uint64_t from)
{
    struct trm_copy_desc desc = {
        .struct_size = sizeof(desc),
        .destination = {.memory = with.device, .offset = to},
        .source      = {.memory = with.pinned, .offset = from},
        .size        = 1,
    };
    return ops->copy(stream, number, &desc);
}

static inline int32_t mark_after(struct trm_backend_stream *stream, uint64_t number, uint8_t value)
{
    int32_t status = put(stream, number, value);
    return status != TRM_OK ? status : ops->mark(stream, number);
}

#define ck_ok(call) ck_assert_msg((call) == TRM_OK, "%s: %s", #call, fake.sentence)
#define ck_status(call, status) ck_assert_int_eq((call), (status))

static inline uint64_t completed(struct trm_backend_stream *stream)
{
    uint64_t value = 0;
    ck_ok(ops->query(stream, &value));
    return value;
}

/* Wait for everything that was enqueued, up to number `last`, and destroy the stream. */
static inline void finish(struct trm_backend_stream *stream, uint64_t last)
{
    on.control->release();
    ck_ok(ops->wait(stream, last, TRM_FOREVER));
    ops->destroy(stream);
}

/* ---- notifications --------------------------------------------------------------------------- */

struct told {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t count;
    int32_t statuses[128];
    int order[128]; /* of the notifications, as indices into `ears` */
};

struct ear {
    struct told *told;
    int number;
};

static inline void told_init(struct told *told)
{
    memset(told, 0, sizeof(*told));
    pthread_mutex_init(&told->lock, NULL);
    pthread_cond_init(&told->changed, NULL);
}

static inline void hear(void *user, int32_t status)
{
    struct ear *ear   = user;
    struct told *told = ear->told;
    pthread_mutex_lock(&told->lock);
    told->statuses[told->count] = status;
    told->order[told->count++]  = ear->number;
    pthread_cond_broadcast(&told->changed);
    pthread_mutex_unlock(&told->lock);
}

static inline void wait_told(struct told *told, uint32_t count)
{
    pthread_mutex_lock(&told->lock);
    while (told->count < count)
        pthread_cond_wait(&told->changed, &told->lock);
    pthread_mutex_unlock(&told->lock);
}

static inline uint32_t told_count(struct told *told)
{
    pthread_mutex_lock(&told->lock);
    uint32_t count = told->count;
    pthread_mutex_unlock(&told->lock);
    return count;
}

#endif
