/* Calls for a group's buffer that wait for a task.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "hold.h"
#include "stream_pools.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define WORDS 64u
#define BYTES (WORDS * sizeof(uint32_t))
#define TASKS 50u

struct reading {
    struct trm_group *group;
    struct trm_stream_pool *pool;
    struct trm_group_buffer *buffers[2];
    struct hold *hold;
    _Atomic bool has_begun;
    uint32_t words[WORDS];
    uint32_t call;  /* enum call */
    uint32_t count; /* devices */
    int32_t status;
};

/* What waits. */
enum call {
    READ   = 0,
    WRITE  = 1,
    UPDATE = 2,
    CHANGE = 3,
};

struct writing {
    struct reading *reading;
    uint32_t buffer, value;
    bool is_held;
};

static int32_t write_there(void *user, struct trm_stream *stream)
{
    const struct writing *writing = user;
    struct trm_buffer *one        = NULL;
    uint32_t device               = 0;
    if (writing->is_held)
        writing->reading->hold = hold_begin(stream);
    int32_t status = trm_group_pool_find(writing->reading->pool, stream, &device);
    if (status == TRM_OK)
        status = trm_group_buffer_get(writing->reading->buffers[writing->buffer], device, &one);
    return status == TRM_OK ? trm_fill(stream, trm_span_whole(one), writing->value, 4) : status;
}

static void submit_writing(struct reading *reading, uint32_t buffer, uint32_t value, bool is_held)
{
    struct writing writing         = {reading, buffer, value, is_held};
    const struct trm_group_use use = {.buffer = reading->buffers[buffer], .access = TRM_ACCESS_WRITE};
    struct trm_stream_task task    = function_task(write_there, &writing);
    task.uses                      = &use;
    task.use_count                 = 1;
    task.devices                   = is_held ? 1 : 0;
    submit(reading->pool, &task);
}

static void *call_first(void *user)
{
    struct reading *reading       = user;
    struct trm_group_buffer *here = reading->buffers[0];
    reading->has_begun            = true;
    if (reading->call == READ)
        reading->status = trm_group_buffer_read(here, 0, reading->words, BYTES);
    else if (reading->call == WRITE)
        reading->status = trm_group_buffer_write(here, 0, reading->words, BYTES);
    else if (reading->call == UPDATE)
        reading->status = trm_group_buffer_update(here, reading->count - 1);
    else
        reading->status = trm_group_buffer_changed(here, 0);
    return NULL;
}

/* The task that the call waits for ends only when the others have been submitted. Device 0
 * runs it. */
static void submit_beside(uint32_t call, uint32_t expected)
{
    const struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = BYTES};
    struct reading reading            = {.call = call, .status = TRM_ERROR_INTERNAL};
    uint32_t found[WORDS];
    pthread_t reader;
    for (uint32_t i = 0; i < WORDS; i++)
        reading.words[i] = 5;
    ck_ok(trm_group_create(the.context, "*", &reading.group));
    ck_ok(trm_group_size(reading.group, &reading.count));
    ck_ok(trm_group_pool_create(reading.group, NULL, &reading.pool));
    for (uint32_t i = 0; i < 2; i++)
        ck_ok(trm_group_buffer_create(reading.group, &desc, &reading.buffers[i]));
    submit_writing(&reading, 0, 77, true);
    ck_assert_int_eq(pthread_create(&reader, NULL, call_first, &reading), 0);
    while (!reading.has_begun)
        sched_yield();
    for (uint32_t i = 0; i < TASKS; i++) {
        submit_writing(&reading, 1, i, false);
        sched_yield();
    }
    hold_end(reading.hold);
    pthread_join(reader, NULL);
    ck_ok(reading.status);
    ck_ok(trm_group_buffer_read(reading.buffers[0], 0, found, BYTES));
    ck_words(found, WORDS, expected);
    if (call == READ)
        ck_words(reading.words, WORDS, expected);
    ck_ok(trm_group_buffer_read(reading.buffers[1], 0, found, BYTES));
    ck_words(found, WORDS, TASKS - 1);
    trm_stream_pool_destroy(reading.pool);
    for (uint32_t i = 0; i < 2; i++)
        trm_group_buffer_destroy(reading.buffers[i]);
    trm_group_destroy(reading.group);
}

START_TEST(tasks_of_a_group_are_submitted_while_a_read_waits_for_one)
{
    if (hold_works())
        submit_beside(READ, 77);
    else
        skip("streams cannot be held");
}
END_TEST

START_TEST(tasks_of_a_group_are_submitted_while_a_change_by_the_program_waits_for_one)
{
    if (!hold_works()) {
        skip("streams cannot be held");
        return;
    }
    submit_beside(WRITE, 5);
    submit_beside(UPDATE, 77);
    submit_beside(CHANGE, 77);
}
END_TEST

void add_group_read(Suite *suite)
{
    TCase *group = group_make(suite, "group_pool: calls that wait");
    CASE(group, tasks_of_a_group_are_submitted_while_a_read_waits_for_one);
    CASE(group, tasks_of_a_group_are_submitted_while_a_change_by_the_program_waits_for_one);
}
