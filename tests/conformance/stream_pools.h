/* What the cases of tasks of stream pools share.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_STREAM_POOLS_H
#define CONFORMANCE_STREAM_POOLS_H

#include "harness.h"

static inline struct trm_stream_pool *make_pool(int32_t strategy, uint32_t most)
{
    struct trm_stream_pool *pool           = NULL;
    const struct trm_stream_pool_desc desc = {
        .struct_size = sizeof(desc), .strategy = strategy, .most = most};
    ck_ok(trm_stream_pool_create(the.device, &desc, &pool));
    return pool;
}

static inline struct trm_stream_pool_stats stats_of(struct trm_stream_pool *pool)
{
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};
    ck_ok(trm_stream_pool_get_stats(pool, &stats));
    return stats;
}

static inline struct trm_stream_task function_task(trm_stream_task_fn enqueue, void *user)
{
    return (struct trm_stream_task){
        .struct_size = sizeof(struct trm_stream_task), .enqueue = enqueue, .user = user};
}

static inline struct trm_point submit(struct trm_stream_pool *pool, const struct trm_stream_task *task)
{
    struct trm_point point = {NULL, 0};
    ck_ok(trm_stream_pool_submit(pool, task, &point));
    ck_assert_ptr_nonnull(point.stream);
    return point;
}

struct filling {
    struct trm_span span;
    uint8_t byte;
    int32_t answer;
    struct trm_stream *stream; /* that the function got */
};

static inline int32_t fill(void *user, struct trm_stream *stream)
{
    struct filling *filling = user;
    filling->stream         = stream;
    int32_t status          = trm_fill(stream, filling->span, filling->byte, 1);
    return status == TRM_OK ? filling->answer : status;
}

#endif
