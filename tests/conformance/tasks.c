/* Tasks for the cases of the coordinator.
 * SPDX-License-Identifier: MIT
 */
#include "tasks.h"

#include "kernels.h"

#include <stdlib.h>

struct trm_coordinator *coordinator;

static struct trm_stream_pool *pool;
static struct trm_group *group_of_pool;

/* From now on the case uses a device of the group. */
static void open_group(void)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    char devices[80];
    ck_ok(trm_device_describe(the.context, 0, &summary));
    snprintf(devices, sizeof(devices), "%s:*", summary.backend);
    ck_ok(trm_group_create(the.context, devices, &group_of_pool));
    trm_stream_destroy(the.stream);
    trm_device_destroy(the.device);
    ck_ok(trm_group_device(group_of_pool, 0, &the.device));
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &the.stream));
}

static void open_pool(uint32_t most)
{
    const struct trm_stream_pool_desc desc = {.struct_size = sizeof(desc), .most = most};
    if (getenv("CONFORMANCE_POOL_OF_GROUP") == NULL) {
        ck_ok(trm_stream_pool_create(the.device, &desc, &pool));
        return;
    }
    if (group_of_pool == NULL)
        open_group();
    ck_ok(trm_group_pool_create(group_of_pool, &desc, &pool));
}

/* CONFORMANCE_POOL=N: coordinators draw from a pool of N streams, with CONFORMANCE_POOL_OF_GROUP of each
 * device of a group. The coordinator before has been destroyed. */
void open_coordinator(void)
{
    struct trm_coordinator_desc desc = {.struct_size = sizeof(desc)};
    const char *most                 = getenv("CONFORMANCE_POOL");
    trm_stream_pool_destroy(pool);
    pool = NULL;
    if (most != NULL)
        open_pool((uint32_t)strtoul(most, NULL, 10));
    desc.pool = pool;
    ck_ok(trm_coordinator_create(the.device, &desc, &coordinator));
}

static void close_coordinator(void)
{
    trm_coordinator_destroy(coordinator);
    trm_stream_pool_destroy(pool);
    trm_group_destroy(group_of_pool);
    coordinator   = NULL;
    pool          = NULL;
    group_of_pool = NULL;
}

TCase *group_with_coordinator(Suite *suite, const char *name)
{
    TCase *group = group_make(suite, name);
    tcase_add_checked_fixture(group, open_coordinator, close_coordinator);
    return group;
}

struct trm_task task_of(int32_t kind, uint64_t id, const uint64_t *after, uint32_t count)
{
    struct trm_task task = {
        .struct_size = sizeof(task),
        .kind        = kind,
        .id          = id,
        .after       = after,
        .after_count = count,
    };
    return task;
}

int32_t add_upload(uint64_t id, struct trm_buffer *buffer, const void *from, const uint64_t *after,
                   uint32_t count)
{
    struct trm_task task = task_of(TRM_TASK_UPLOAD, id, after, count);
    task.destination     = trm_span_whole(buffer);
    task.host_source     = from;
    return trm_coordinator_add(coordinator, &task);
}

int32_t add_download(uint64_t id, void *to, struct trm_buffer *buffer, const uint64_t *after, uint32_t count)
{
    struct trm_task task  = task_of(TRM_TASK_DOWNLOAD, id, after, count);
    task.source           = trm_span_whole(buffer);
    task.host_destination = to;
    return trm_coordinator_add(coordinator, &task);
}

int32_t add_affine(uint64_t id, struct trm_buffer *data, uint32_t factor, uint32_t addend,
                   const uint64_t *after, uint32_t count)
{
    struct trm_argument arguments[] = {trm_arg_buffer(data), trm_arg_u32(N), trm_arg_u32(factor),
                                       trm_arg_u32(addend)};
    struct trm_task task            = task_of(TRM_TASK_COMPUTE, id, after, count);
    task.kernel                     = kernel("affine");
    task.grid                       = trm_grid_1d((N + 63) / 64, 64);
    task.arguments                  = arguments;
    task.argument_count             = 4;
    return trm_coordinator_add(coordinator, &task);
}

int32_t add_failing(uint64_t id, const char *name, int32_t native_code, const uint64_t *after, uint32_t count)
{
    struct trm_argument argument = trm_arg_i32(native_code);
    struct trm_task task         = task_of(TRM_TASK_COMPUTE, id, after, count);
    task.name                    = name;
    task.kernel                  = kernel("fail");
    task.grid                    = trm_grid_1d(1, 1);
    task.arguments               = &argument;
    task.argument_count          = 1;
    return trm_coordinator_add(coordinator, &task);
}

int32_t add_nothing(uint64_t id, const char *name, const uint64_t *after, uint32_t count)
{
    struct trm_task task = task_of(TRM_TASK_NOTHING, id, after, count);
    task.name            = name;
    return trm_coordinator_add(coordinator, &task);
}

int32_t add_host(uint64_t id, trm_callback_fn host, void *user, const uint64_t *after, uint32_t count)
{
    struct trm_task task = task_of(TRM_TASK_HOST, id, after, count);
    task.host            = host;
    task.user            = user;
    return trm_coordinator_add(coordinator, &task);
}

void stand(void *user, int32_t status)
{
    (void)status;
    while (!atomic_load((atomic_int *)user))
        sleep_ms(1);
}

void count_up(void *user, int32_t status)
{
    (void)status;
    atomic_fetch_add((atomic_int *)user, 1);
}

void ck_all(const uint32_t *data, uint32_t value)
{
    ck_words(data, N, value);
}
