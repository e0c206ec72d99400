/* The list of calls.c goes on: functions of groups, stream pools, collectives and profiles.
 * SPDX-License-Identifier: MIT
 */
#include "call_list.h"
#include "kernels.h"

/* ---- groups ---- */

CALL(trm_group_create, (handle, NULL, out()))
CALL(trm_group_size, (handle, out()))
CALL(trm_group_device, (handle, 0, out()))
CALL(trm_group_kernel_named, (handle, "affine", NULL, 0, out()))
CALL(trm_group_kernel_get, (handle, 0, out()))
CALL(trm_group_buffer_get, (handle, 0, out()))
CALL(trm_group_buffer_write, (handle, 0, host_memory, 8))
CALL(trm_group_buffer_read, (handle, 0, host_memory, 8))
CALL(trm_group_buffer_current, (handle, out()))
CALL(trm_group_buffer_update, (handle, 0))
CALL(trm_group_buffer_changed, (handle, 0))

static int32_t call_trm_group_kernel_load(void *handle, const struct objects *others)
{
    struct trm_module_desc desc = kernels_desc(the.device);
    (void)others;
    return trm_group_kernel_load(handle, &desc, "affine", out());
}

static int32_t call_trm_group_buffer_create(void *handle, const struct objects *others)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .kind = TRM_MEMORY_DEVICE, .size = 64};
    (void)others;
    return trm_group_buffer_create(handle, &desc, out());
}

static int32_t make_pipeline(struct trm_group *group, struct trm_port port, const struct trm_stage *stage)
{
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = &port,
                                     .port_count  = 1,
                                     .stages      = stage,
                                     .stage_count = stage != NULL,
                                     .depth       = 1};
    return trm_group_pipeline_create(group, &desc, out());
}

CALL_AS(trm_group_pipeline_create, make_pipeline(handle, trm_port_input("in", 64), NULL))

static int32_t call_pipeline_of_kernel(void *handle, const struct objects *others)
{
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_u32(16), trm_arg_u32(1), trm_arg_u32(0)};
    struct trm_stage stage          = trm_stage_launch(trm_group_stage_kernel(handle), arguments, 4, 0, 64);
    return make_pipeline(others->handles[OF_GROUP], trm_port_input("in", 64), &stage);
}

static int32_t call_pipeline_of_buffer(void *handle, const struct objects *others)
{
    struct trm_port port = trm_port_shared("shared", trm_group_port_buffer(handle));
    return make_pipeline(others->handles[OF_GROUP], port, NULL);
}

/* ---- stream pools ---- */

static int32_t enqueue_nothing(void *user, struct trm_stream *stream)
{
    (void)user;
    (void)stream;
    return TRM_OK;
}

static const struct trm_stream_task nothing = {.struct_size = sizeof(nothing), .enqueue = enqueue_nothing};

static const struct trm_stream_pool_desc narrow = {.struct_size = sizeof(narrow), .most = 2};
static struct trm_point points[TRM_STREAM_POOL_MOST];

CALL(trm_stream_pool_create, (handle, &narrow, out()))
CALL(trm_stream_pool_acquire, (handle, 0, TRM_FOREVER, out()))
CALL_AS(trm_stream_pool_release, trm_stream_pool_release(handle, others->handles[OF_STREAM]))
CALL_AS(release_stream, trm_stream_pool_release(others->handles[OF_STREAM_POOL], handle))
CALL(trm_stream_pool_submit, (handle, &nothing, out()))
CALL(trm_stream_pool_submit_all, (handle, &nothing, points, out()))
CALL(trm_stream_pool_predict, (handle, &nothing, sized(sizeof(struct trm_stream_prediction))))
CALL(trm_stream_pool_get_stats, (handle, sized(sizeof(struct trm_stream_pool_stats))))
CALL(trm_stream_pool_reset_stats, (handle))
CALL(trm_stream_model_forget, (handle, out()))

static int32_t submit_launch(struct trm_stream_pool *pool, struct trm_kernel *kernel,
                             struct trm_buffer *buffer)
{
    struct trm_argument arguments[] = {trm_arg_span(trm_span_of(buffer, 0, 64)), trm_arg_u32(16),
                                       trm_arg_u32(1), trm_arg_u32(0)};
    struct trm_stream_task task     = {.struct_size    = sizeof(task),
                                       .kernel         = kernel,
                                       .grid           = trm_grid_1d(1, 64),
                                       .arguments      = arguments,
                                       .argument_count = 4};
    return trm_stream_pool_submit(pool, &task, out());
}

CALL_AS(task_of_kernel, submit_launch(others->handles[OF_STREAM_POOL], handle, others->handles[OF_BUFFER]))
CALL_AS(task_of_group_kernel, submit_launch(others->group_pool, trm_group_stage_kernel(handle),
                                            trm_group_port_buffer(others->handles[OF_GROUP_BUFFER])))

static int32_t call_task_after_point(void *handle, const struct objects *others)
{
    struct trm_stream_task task = nothing;
    struct trm_point after      = point_of(handle);
    task.after                  = &after;
    task.after_count            = 1;
    return trm_stream_pool_submit(others->handles[OF_STREAM_POOL], &task, out());
}

static int32_t call_task_with_use(void *handle, const struct objects *others)
{
    struct trm_stream_task task = nothing;
    struct trm_group_use use    = {.buffer = handle, .access = TRM_ACCESS_READ, .length = 8};
    task.uses                   = &use;
    task.use_count              = 1;
    return trm_stream_pool_submit(others->group_pool, &task, out());
}

static int32_t call_coordinator_of_pool(void *handle, const struct objects *others)
{
    struct trm_coordinator_desc desc = {.struct_size = sizeof(desc), .pool = handle};
    return trm_coordinator_create(others->handles[OF_DEVICE], &desc, out());
}

CALL(trm_group_pool_create, (handle, &narrow, out()))
CALL(trm_group_pool_get, (handle, 0, out()))
CALL_AS(trm_group_pool_find, trm_group_pool_find(handle, others->handles[OF_STREAM], out()))
CALL_AS(find_stream, trm_group_pool_find(others->group_pool, handle, out()))

/* ---- collectives ---- */

/* All of one device: a stream, and two spans of a buffer. */
struct collective_call {
    struct trm_collective *collective;
    struct trm_stream *stream;
    struct trm_span output, input;
};

static struct collective_call collective_call(struct trm_collective *collective, struct trm_stream *stream,
                                              struct trm_buffer *output, struct trm_buffer *input)
{
    return (struct collective_call){collective, stream, trm_span_of(output, 0, 8), trm_span_of(input, 8, 8)};
}

/* The live ones, and the handle in place of the collective. */
static struct collective_call with_collective(void *handle, const struct objects *others)
{
    return collective_call(handle, others->handles[OF_STREAM], others->handles[OF_BUFFER],
                           others->handles[OF_BUFFER]);
}

static int32_t sum(struct collective_call call)
{
    return trm_all_reduce(call.collective, &call.stream, &call.output, &call.input, 1, TRM_TYPE_I32,
                          TRM_REDUCE_SUM);
}

static int32_t send(struct collective_call call)
{
    return trm_send(call.collective, 0, 0, call.stream, call.input);
}

static int32_t receive(struct collective_call call)
{
    return trm_recv(call.collective, 0, 0, call.stream, call.output, 0);
}

CALL(trm_collective_create, (handle, 0, out()))
CALL_AS(trm_all_reduce, sum(with_collective(handle, others)))
CALL_AS(trm_send, send(with_collective(handle, others)))
CALL_AS(trm_recv, receive(with_collective(handle, others)))

static int32_t call_trm_reduce(void *handle, const struct objects *others)
{
    struct collective_call call = with_collective(handle, others);
    return trm_reduce(handle, &call.stream, &call.output, &call.input, 1, TRM_TYPE_I32, TRM_REDUCE_SUM, 0);
}

static int32_t call_trm_reduce_scatter(void *handle, const struct objects *others)
{
    struct collective_call call = with_collective(handle, others);
    return trm_reduce_scatter(handle, &call.stream, &call.output, &call.input, 1, TRM_TYPE_I32,
                              TRM_REDUCE_SUM);
}

static int32_t call_trm_broadcast(void *handle, const struct objects *others)
{
    struct collective_call call = with_collective(handle, others);
    return trm_broadcast(handle, &call.stream, &call.output, 1, 0);
}

static int32_t call_trm_all_gather(void *handle, const struct objects *others)
{
    struct collective_call call = with_collective(handle, others);
    return trm_all_gather(handle, &call.stream, &call.output, &call.input, 1);
}

static int32_t call_trm_all_to_all(void *handle, const struct objects *others)
{
    struct collective_call call = with_collective(handle, others);
    return trm_all_to_all(handle, &call.stream, &call.output, &call.input, 1);
}

CALL_AS(sum_on_stream, sum(collective_call(others->handles[OF_COLLECTIVE], handle, others->handles[OF_BUFFER],
                                           others->handles[OF_BUFFER])))
CALL_AS(send_on_stream, send(collective_call(others->handles[OF_COLLECTIVE], handle,
                                             others->handles[OF_BUFFER], others->handles[OF_BUFFER])))
CALL_AS(receive_on_stream, receive(collective_call(others->handles[OF_COLLECTIVE], handle,
                                                   others->handles[OF_BUFFER], others->handles[OF_BUFFER])))
CALL_AS(sum_into, sum(collective_call(others->handles[OF_COLLECTIVE], others->handles[OF_STREAM], handle,
                                      others->handles[OF_BUFFER])))
CALL_AS(sum_of, sum(collective_call(others->handles[OF_COLLECTIVE], others->handles[OF_STREAM],
                                    others->handles[OF_BUFFER], handle)))
CALL_AS(send_of, send(collective_call(others->handles[OF_COLLECTIVE], others->handles[OF_STREAM],
                                      others->handles[OF_BUFFER], handle)))
CALL_AS(receive_into, receive(collective_call(others->handles[OF_COLLECTIVE], others->handles[OF_STREAM],
                                              handle, others->handles[OF_BUFFER])))

/* ---- profiles ---- */

CALL(trm_profile_begin, (handle, NULL, out()))
CALL(trm_profile_begin_context, (handle, NULL, out()))
CALL(trm_profile_end, (handle))
CALL(trm_profile_stream_count, (handle, out()))
CALL(trm_profile_get_stream, (handle, 0, sized(sizeof(struct trm_profile_stream))))
CALL(trm_profile_get_wait, (handle, 0, 0, sized(sizeof(struct trm_profile_wait))))
CALL(trm_profile_get_kernel, (handle, 0, sized(sizeof(struct trm_profile_kernel))))
CALL(trm_profile_get_device, (handle, 0, sized(sizeof(struct trm_profile_device))))
CALL(trm_profile_get_range, (handle, 0, sized(sizeof(struct trm_profile_range))))
CALL(trm_profile_get_advice, (handle, 0, sized(sizeof(struct trm_profile_advice))))
CALL(trm_profile_write, (handle, TRM_PROFILE_JSON, write_none, NULL))
CALL(trm_profile_write_file, (handle, TRM_PROFILE_JSON, NO_FOLDER))

/* ---- the list ---- */

const struct call group_calls[] = {
    ROW(OF_CONTEXT, trm_group_create),
    ROW(OF_GROUP, trm_group_size),
    ROW(OF_GROUP, trm_group_device),
    ROW(OF_GROUP, trm_group_kernel_load),
    ROW(OF_GROUP, trm_group_kernel_named),
    ROW(OF_GROUP_KERNEL, trm_group_kernel_get),
    ROW(OF_GROUP, trm_group_buffer_create),
    ROW(OF_GROUP_BUFFER, trm_group_buffer_get),
    ROW(OF_GROUP_BUFFER, trm_group_buffer_write),
    ROW(OF_GROUP_BUFFER, trm_group_buffer_read),
    ROW(OF_GROUP_BUFFER, trm_group_buffer_current),
    ROW(OF_GROUP_BUFFER, trm_group_buffer_update),
    ROW(OF_GROUP_BUFFER, trm_group_buffer_changed),
    ROW(OF_GROUP, trm_group_pipeline_create),
    ROW(OF_GROUP_KERNEL, pipeline_of_kernel),
    ROW(OF_GROUP_BUFFER, pipeline_of_buffer),
    ROW(OF_DEVICE, trm_stream_pool_create),
    ROW(OF_STREAM_POOL, trm_stream_pool_submit_all), /* first: it waits for the streams that are lent */
    ROW(OF_STREAM_POOL, trm_stream_pool_acquire),
    ROW(OF_STREAM_POOL, trm_stream_pool_release),
    ROW(OF_STREAM, release_stream),
    ROW(OF_STREAM_POOL, trm_stream_pool_submit),
    ROW(OF_STREAM_POOL, trm_stream_pool_predict),
    ROW(OF_STREAM_POOL, trm_stream_pool_get_stats),
    ROW(OF_STREAM_POOL, trm_stream_pool_reset_stats),
    ROW(OF_CONTEXT, trm_stream_model_forget),
    ROW(OF_KERNEL, task_of_kernel),
    ROW(OF_GROUP_KERNEL, task_of_group_kernel),
    ROW(OF_STREAM, task_after_point),
    ROW(OF_GROUP_BUFFER, task_with_use),
    ROW(OF_STREAM_POOL, coordinator_of_pool),
    ROW(OF_GROUP, trm_group_pool_create),
    ROW(OF_STREAM_POOL, trm_group_pool_get),
    ROW(OF_STREAM_POOL, trm_group_pool_find),
    ROW(OF_STREAM, find_stream),
    ROW(OF_GROUP, trm_collective_create),
    ROW(OF_COLLECTIVE, trm_all_reduce),
    ROW(OF_COLLECTIVE, trm_reduce),
    ROW(OF_COLLECTIVE, trm_reduce_scatter),
    ROW(OF_COLLECTIVE, trm_broadcast),
    ROW(OF_COLLECTIVE, trm_all_gather),
    ROW(OF_COLLECTIVE, trm_all_to_all),
    ROW(OF_COLLECTIVE, trm_send),
    ROW(OF_COLLECTIVE, trm_recv),
    ROW(OF_STREAM, sum_on_stream),
    ROW(OF_STREAM, send_on_stream),
    ROW(OF_STREAM, receive_on_stream),
    ROW(OF_BUFFER, sum_into),
    ROW(OF_BUFFER, sum_of),
    ROW(OF_BUFFER, send_of),
    ROW(OF_BUFFER, receive_into),
    ROW(OF_DEVICE, trm_profile_begin),
    ROW(OF_CONTEXT, trm_profile_begin_context),
    ROW(OF_PROFILE, trm_profile_end),
    ROW(OF_PROFILE, trm_profile_stream_count),
    ROW(OF_PROFILE, trm_profile_get_stream),
    ROW(OF_PROFILE, trm_profile_get_wait),
    ROW(OF_PROFILE, trm_profile_get_kernel),
    ROW(OF_PROFILE, trm_profile_get_device),
    ROW(OF_PROFILE, trm_profile_get_range),
    ROW(OF_PROFILE, trm_profile_get_advice),
    ROW(OF_PROFILE, trm_profile_write),
    ROW(OF_PROFILE, trm_profile_write_file),
};

const size_t group_call_count = sizeof(group_calls) / sizeof(group_calls[0]);
