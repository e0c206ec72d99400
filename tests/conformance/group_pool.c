/* Stream pools over groups: where tasks run, what they come after, where data is.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "stream_pools.h"

#include <pthread.h>
#include <stdatomic.h>

#define WORDS 256u
#define BYTES (WORDS * sizeof(uint32_t))
#define BUFFERS 3u
#define TASKS 60u
#define FLOOD 300u
#define THREADS 4u

/* ---- a group and its pool ------------------------------------------------------------------- */

struct team {
    struct trm_context *context;
    struct trm_group *group;
    struct trm_stream_pool *pool;
    struct trm_group_kernel *affine; /* NULL: the devices take none of the kernels */
    struct trm_group_buffer *buffers[BUFFERS];
    uint32_t count; /* devices */
    bool is_mixed;
};

static void load_affine(struct team *team)
{
    struct trm_module_desc desc = !team->is_mixed && functions_there() ? functions_desc() : portable_desc();
    team->affine                = NULL;
    if (team->is_mixed || kernels_there())
        ck_ok(trm_group_kernel_load(team->group, &desc, "affine", &team->affine));
}

static void team_open(struct team *team)
{
    const struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .size = BYTES, .flags = TRM_BUFFER_ZEROED};
    team->is_mixed = group_of_team(&team->context, &team->group);
    ck_ok(trm_group_size(team->group, &team->count));
    load_affine(team);
    for (uint32_t i = 0; i < BUFFERS; i++)
        ck_ok(trm_group_buffer_create(team->group, &desc, &team->buffers[i]));
    ck_ok(trm_group_pool_create(team->group, NULL, &team->pool));
}

static void team_close(struct team *team)
{
    trm_stream_pool_destroy(team->pool);
    for (uint32_t i = 0; i < BUFFERS; i++)
        trm_group_buffer_destroy(team->buffers[i]);
    if (team->affine != NULL)
        trm_group_kernel_destroy(team->affine);
    trm_group_destroy(team->group);
    trm_context_destroy(team->context);
}

static bool affine_missing(struct team *team)
{
    if (team->affine != NULL)
        return false;
    skip("the device takes none of the kernels");
    team_close(team);
    return true;
}

static struct trm_stream_pool *member(const struct team *team, uint32_t index)
{
    struct trm_stream_pool *one = NULL;
    ck_ok(trm_group_pool_get(team->pool, index, &one));
    return one;
}

static uint32_t current(struct trm_group_buffer *buffer)
{
    uint32_t devices = 0;
    ck_ok(trm_group_buffer_current(buffer, &devices));
    return devices;
}

static void ck_contents(struct trm_group_buffer *buffer, uint32_t expected)
{
    uint32_t words[WORDS] = {0};
    ck_ok(trm_group_buffer_read(buffer, 0, words, sizeof(words)));
    ck_words(words, WORDS, expected);
}

/* ---- tasks ---------------------------------------------------------------------------------- */

/* words[i] = words[i] × factor + addend */
struct affine {
    struct trm_argument arguments[4];
    struct trm_stream_task task;
};

static const struct trm_stream_task *affine_of(struct affine *affine, const struct team *team,
                                               struct trm_group_buffer *buffer, uint32_t factor,
                                               uint32_t addend)
{
    affine->arguments[0] = trm_arg_buffer(trm_group_port_buffer(buffer));
    affine->arguments[1] = trm_arg_u32(WORDS);
    affine->arguments[2] = trm_arg_u32(factor);
    affine->arguments[3] = trm_arg_u32(addend);
    affine->task         = (struct trm_stream_task){.struct_size    = sizeof(affine->task),
                                                    .kernel         = trm_group_stage_kernel(team->affine),
                                                    .grid           = trm_grid_1d(WORDS / 64, 64),
                                                    .arguments      = affine->arguments,
                                                    .argument_count = 4};
    return &affine->task;
}

/* Fills the buffer of the device on which it runs. */
struct group_filling {
    const struct team *team;
    struct trm_group_buffer *buffer;
    uint32_t value;
    _Atomic uint32_t device; /* where it ran */
};

static int32_t fill_there(void *user, struct trm_stream *stream)
{
    struct group_filling *filling = user;
    struct trm_buffer *one        = NULL;
    uint32_t device               = 0;
    int32_t status                = trm_group_pool_find(filling->team->pool, stream, &device);
    if (status == TRM_OK)
        status = trm_group_buffer_get(filling->buffer, device, &one);
    if (status == TRM_OK)
        status = trm_fill(stream, trm_span_whole(one), filling->value, 4);
    filling->device = device;
    return status;
}

static void submit_filling(struct group_filling *filling, uint32_t devices)
{
    const struct trm_group_use use = {.buffer = filling->buffer, .access = TRM_ACCESS_WRITE};
    struct trm_stream_task task    = function_task(fill_there, filling);
    task.uses                      = &use;
    task.use_count                 = 1;
    task.devices                   = devices;
    submit(filling->team->pool, &task);
}

/* ---- order ---------------------------------------------------------------------------------- */

START_TEST(tasks_of_a_group_come_after_one_another_where_they_write_the_same_buffer)
{
    struct team team;
    struct affine affine;
    uint32_t expected[BUFFERS] = {0}, seed = 5;
    team_open(&team);
    if (affine_missing(&team))
        return;
    for (uint32_t i = 0; i < TASKS; i++) {
        uint32_t which = next_random(&seed) % BUFFERS;
        submit(team.pool, affine_of(&affine, &team, team.buffers[which], 3, i));
        expected[which] = expected[which] * 3 + i;
    }
    for (uint32_t i = 0; i < BUFFERS; i++)
        ck_contents(team.buffers[i], expected[i]);
    ck_assert_uint_eq(stats_of(team.pool).tasks, TASKS);
    team_close(&team);
}
END_TEST

START_TEST(tasks_of_a_group_that_move_from_device_to_device_take_their_data_along)
{
    struct team team;
    struct affine affine;
    uint32_t expected = 0;
    team_open(&team);
    if (affine_missing(&team))
        return;
    for (uint32_t i = 0; i < TASKS; i++) {
        affine_of(&affine, &team, team.buffers[0], 3, i);
        affine.task.devices = 1u << i % team.count;
        submit(team.pool, &affine.task);
        ck_assert_uint_eq(current(team.buffers[0]), 1u << i % team.count);
        expected = expected * 3 + i;
    }
    ck_contents(team.buffers[0], expected);
    ck_assert_uint_eq(stats_of(team.pool).copies, team.count > 1 ? TASKS - 1 : 0);
    ck_assert_uint_eq(stats_of(team.pool).copied_bytes, stats_of(team.pool).copies * BYTES);
    ck_assert_uint_eq(stats_of(team.pool).tasks, TASKS);
    ck_ok(trm_stream_pool_reset_stats(team.pool));
    ck_assert_uint_eq(stats_of(team.pool).copies, 0);
    ck_assert_uint_eq(stats_of(team.pool).copied_bytes, 0);
    ck_assert_uint_eq(stats_of(team.pool).tasks, 0);
    team_close(&team);
}
END_TEST

/* How often its data is copied depends on how long tasks take here: tests/unit/pipeline/pool/flood.c counts
 * that where the times are known. */
START_TEST(a_flood_of_tasks_of_a_group_takes_its_data_along)
{
    struct team team;
    struct affine affine;
    uint32_t expected = 0;
    team_open(&team);
    if (affine_missing(&team))
        return;
    for (uint32_t i = 0; i < FLOOD; i++) {
        submit(team.pool, affine_of(&affine, &team, team.buffers[0], 3, i));
        expected = expected * 3 + i;
    }
    ck_contents(team.buffers[0], expected);
    ck_assert_uint_eq(stats_of(team.pool).tasks, FLOOD);
    team_close(&team);
}
END_TEST

static void submit_and_finish(struct team *team, uint32_t i)
{
    struct affine affine;
    submit(team->pool, affine_of(&affine, team, team->buffers[i % BUFFERS], 3, i));
    for (uint32_t k = 0; k < BUFFERS; k++)
        ck_ok(trm_group_buffer_update(team->buffers[k], 0));
}

/* On a busy machine the pool may see a task too late to learn from it, so that it takes more of them. */
START_TEST(a_group_pool_measures_a_kind_of_task_on_each_device)
{
    struct trm_stream_prediction prediction = {.struct_size = sizeof(prediction)};
    struct team team;
    struct affine affine;
    int32_t status = TRM_ERROR_NOT_FOUND;
    team_open(&team);
    if (affine_missing(&team))
        return;
    for (uint32_t i = 0; i < 4 * team.count; i++)
        submit_and_finish(&team, i);
    for (uint32_t i = 0; i < team.count; i++)
        ck_assert_uint_ge(stats_of(member(&team, i)).tasks, 2);
    for (uint32_t i = 0; i < 1000 && status == TRM_ERROR_NOT_FOUND; i++) {
        status =
            trm_stream_pool_predict(team.pool, affine_of(&affine, &team, team.buffers[0], 3, 1), &prediction);
        submit_and_finish(&team, i);
    }
    ck_ok(status);
    ck_assert_uint_lt(prediction.device, team.count);
    ck_assert_uint_ge(prediction.samples, 1);
    team_close(&team);
}
END_TEST

/* ---- data ----------------------------------------------------------------------------------- */

START_TEST(a_task_that_overwrites_a_buffer_of_a_group_needs_no_copy)
{
    struct team team;
    team_open(&team);
    struct group_filling filling = {.team = &team, .buffer = team.buffers[0]};
    for (uint32_t i = 0; i < 2 * team.count; i++) {
        filling.value = i;
        submit_filling(&filling, 1u << i % team.count);
        ck_assert_uint_eq(filling.device, i % team.count);
        ck_assert_uint_eq(current(team.buffers[0]), 1u << i % team.count);
    }
    ck_contents(team.buffers[0], 2 * team.count - 1);
    ck_assert_uint_eq(stats_of(team.pool).copies, 0);
    team_close(&team);
}
END_TEST

START_TEST(a_buffer_of_a_group_is_current_where_it_was_written_and_brought)
{
    const uint32_t words[WORDS] = {0};
    struct team team;
    team_open(&team);
    uint32_t all = (1u << team.count) - 1, last = team.count - 1;
    struct group_filling filling = {.team = &team, .buffer = team.buffers[0], .value = 7};
    ck_assert_uint_eq(current(team.buffers[0]), all);
    submit_filling(&filling, 1u << last);
    ck_assert_uint_eq(current(team.buffers[0]), 1u << last);
    ck_ok(trm_group_buffer_update(team.buffers[0], 0));
    ck_assert_uint_eq(current(team.buffers[0]), 1u << last | 1u);
    ck_contents(team.buffers[0], 7);
    ck_ok(trm_group_buffer_write(team.buffers[0], 4, words, 4)); /* a part of it, everywhere */
    ck_assert_uint_eq(current(team.buffers[0]), 1u << last | 1u);
    ck_ok(trm_group_buffer_write(team.buffers[0], 0, words, sizeof(words)));
    ck_assert_uint_eq(current(team.buffers[0]), all);
    ck_contents(team.buffers[0], 0);
    ck_status(trm_group_buffer_update(team.buffers[0], team.count), TRM_ERROR_OUT_OF_RANGE);
    team_close(&team);
}
END_TEST

START_TEST(what_a_program_wrote_on_one_device_of_a_group_is_brought_to_the_others)
{
    struct team team;
    struct trm_device *device;
    struct trm_buffer *one;
    team_open(&team);
    uint32_t last = team.count - 1;
    ck_ok(trm_group_device(team.group, last, &device));
    ck_ok(trm_group_buffer_get(team.buffers[1], last, &one));
    struct trm_stream *stream = make_stream(device);
    ck_ok(trm_fill(stream, trm_span_whole(one), 9, 4));
    ck_ok(trm_stream_sync(stream));
    ck_ok(trm_group_buffer_changed(team.buffers[1], last));
    ck_assert_uint_eq(current(team.buffers[1]), 1u << last);
    ck_contents(team.buffers[1], 9);
    ck_ok(trm_group_buffer_update(team.buffers[1], 0));
    ck_ok(trm_group_buffer_changed(team.buffers[1], 0));
    ck_contents(team.buffers[1], 9);
    ck_status(trm_group_buffer_changed(team.buffers[1], team.count), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_group_buffer_read(team.buffers[1], 4, &last, BYTES), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_group_buffer_read(team.buffers[1], 0, NULL, 4), TRM_ERROR_INVALID_ARGUMENT);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    team_close(&team);
}
END_TEST

/* Downloads a word of the buffer of the device on which it runs. */
struct reading {
    const struct team *team;
    uint32_t word;
};

static int32_t read_there(void *user, struct trm_stream *stream)
{
    struct reading *reading = user;
    struct trm_buffer *one  = NULL;
    uint32_t device         = 0;
    int32_t status          = trm_group_pool_find(reading->team->pool, stream, &device);
    if (status == TRM_OK)
        status = trm_group_buffer_get(reading->team->buffers[0], device, &one);
    return status == TRM_OK ? trm_download(stream, &reading->word, trm_span_of(one, 0, 4)) : status;
}

START_TEST(many_tasks_read_a_buffer_of_a_group_between_two_that_write_it)
{
    enum {
        ROUNDS = 8
    };
    static struct reading readings[ROUNDS][TASKS];
    struct team team;
    team_open(&team);
    struct group_filling filling   = {.team = &team, .buffer = team.buffers[0]};
    const struct trm_group_use use = {.buffer = team.buffers[0], .access = TRM_ACCESS_READ};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        filling.value = round + 1;
        submit_filling(&filling, 0);
        for (uint32_t i = 0; i < TASKS; i++) {
            readings[round][i]          = (struct reading){.team = &team};
            struct trm_stream_task task = function_task(read_there, &readings[round][i]);
            task.uses                   = &use;
            task.use_count              = 1;
            submit(team.pool, &task);
        }
    }
    trm_stream_pool_destroy(team.pool);
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < TASKS; i++)
            ck_assert_uint_eq(readings[round][i].word, round + 1);
    ck_ok(trm_group_pool_create(team.group, NULL, &team.pool));
    team_close(&team);
}
END_TEST

/* ---- one device ----------------------------------------------------------------------------- */

START_TEST(the_pool_of_one_device_of_a_group_lends_streams_and_ends_with_the_whole)
{
    struct team team;
    struct trm_stream_pool *one = NULL;
    struct trm_stream *stream   = NULL;
    uint32_t index              = 99;
    team_open(&team);
    uint32_t last = team.count - 1;
    one           = member(&team, last);
    ck_ok(trm_stream_pool_acquire(one, 0, TRM_FOREVER, &stream));
    ck_ok(trm_group_pool_find(team.pool, stream, &index));
    ck_assert_uint_eq(index, last);
    ck_assert_uint_eq(stats_of(team.pool).lent, 1);
    ck_ok(trm_stream_pool_release(one, stream));
    trm_stream_pool_destroy(one);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_BUSY);
    ck_status(trm_group_pool_get(team.pool, team.count, &one), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_group_pool_get(one, 0, &one), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_group_pool_find(team.pool, the.stream, &index), TRM_ERROR_NOT_FOUND);
    team_close(&team);
    ck_status(trm_stream_pool_acquire(one, 0, 0, &stream), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(a_buffer_of_one_device_keeps_a_task_of_a_group_there)
{
    struct team team;
    struct affine affine;
    struct trm_buffer *one;
    team_open(&team);
    if (affine_missing(&team))
        return;
    uint32_t last = team.count - 1;
    for (uint32_t i = 0; i < 4; i++) {
        affine_of(&affine, &team, team.buffers[0], 3, i);
        ck_ok(trm_group_buffer_get(team.buffers[0], last, &one));
        affine.arguments[0] = trm_arg_buffer(one);
        submit(team.pool, &affine.task);
    }
    ck_assert_uint_eq(stats_of(member(&team, last)).tasks, 4);
    affine.task.devices = 1u << (last + 1);
    struct trm_point point;
    ck_status(trm_stream_pool_submit(team.pool, &affine.task, &point), TRM_ERROR_WRONG_DEVICE);
    team_close(&team);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------ */

static int32_t submit_again(void *user, struct trm_stream *stream)
{
    struct group_filling *filling  = user;
    const struct trm_group_use use = {.buffer = filling->buffer, .access = TRM_ACCESS_READ};
    struct trm_stream_task task    = function_task(submit_again, filling);
    struct trm_point point;
    (void)stream;
    task.uses      = &use;
    task.use_count = 1;
    return trm_stream_pool_submit(filling->team->pool, &task, &point);
}

START_TEST(a_group_pool_refuses_what_is_of_another_group_or_has_no_sense)
{
    struct team team;
    struct trm_group *other;
    struct trm_group_buffer *foreign;
    struct trm_stream *stream = NULL;
    struct trm_point points[TRM_STREAM_POOL_MOST];
    uint32_t count                    = 0;
    const struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = BYTES};
    team_open(&team);
    struct group_filling filling = {.team = &team, .buffer = team.buffers[0]};
    struct trm_group_use use     = {.buffer = team.buffers[0], .access = TRM_ACCESS_WRITE};
    struct trm_stream_task task  = function_task(fill_there, &filling);
    ck_ok(trm_group_create(team.context, NULL, &other));
    ck_ok(trm_group_buffer_create(other, &desc, &foreign));
    task.use_count = 1;
    ck_status(trm_stream_pool_submit(team.pool, &task, points), TRM_ERROR_INVALID_ARGUMENT);
    task.uses = &use;
    ck_status(trm_stream_pool_submit(member(&team, 0), &task, points), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("uses buffers of a group");
    task.use_count = 0;
    task.devices   = 1;
    ck_status(trm_stream_pool_submit(member(&team, 0), &task, points), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("names devices of a group");
    task.devices   = 0;
    task.use_count = 65; /* refused before more than the one use is read */
    ck_status(trm_stream_pool_submit(team.pool, &task, points), TRM_ERROR_OUT_OF_RANGE);
    task.use_count = 1;
    use.access     = 0;
    ck_status(trm_stream_pool_submit(team.pool, &task, points), TRM_ERROR_INVALID_ARGUMENT);
    use = (struct trm_group_use){.buffer = foreign, .access = TRM_ACCESS_READ};
    ck_status(trm_stream_pool_submit(team.pool, &task, points), TRM_ERROR_WRONG_DEVICE);
    use          = (struct trm_group_use){.buffer = team.buffers[0], .access = TRM_ACCESS_READ};
    task.enqueue = submit_again;
    ck_status(trm_stream_pool_submit(team.pool, &task, points), TRM_ERROR_DEADLOCK);
    ck_sentence_has("would wait for itself");
    ck_status(trm_stream_pool_acquire(team.pool, 0, 0, &stream), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_stream_pool_release(team.pool, the.stream), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_stream_pool_submit_all(team.pool, &task, points, &count), TRM_ERROR_UNSUPPORTED);
    trm_group_buffer_destroy(foreign);
    trm_group_destroy(other);
    ck_status(trm_stream_pool_submit(team.pool, &task, NULL), TRM_ERROR_INVALID_ARGUMENT);
    team_close(&team);
}
END_TEST

/* ---- threads and ends ----------------------------------------------------------------------- */

struct submitting {
    const struct team *team;
    int32_t status;
    _Atomic bool is_over;
};

static void *submit_many(void *user)
{
    struct submitting *submitting = user;
    struct affine affine;
    struct trm_point point;
    for (uint32_t i = 0; i < TASKS && submitting->status == TRM_OK; i++) {
        const struct team *team = submitting->team;
        affine_of(&affine, team, team->buffers[i % BUFFERS], 1, 1);
        submitting->status = trm_stream_pool_submit(team->pool, &affine.task, &point);
    }
    return NULL;
}

START_TEST(threads_may_submit_to_a_group_pool_at_once)
{
    struct team team;
    pthread_t threads[THREADS];
    struct submitting submitting[THREADS];
    team_open(&team);
    if (affine_missing(&team))
        return;
    for (uint32_t i = 0; i < THREADS; i++) {
        submitting[i] = (struct submitting){.team = &team, .status = TRM_OK};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, submit_many, &submitting[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(submitting[i].status, TRM_OK);
    }
    for (uint32_t i = 0; i < BUFFERS; i++)
        ck_contents(team.buffers[i], THREADS * TASKS / BUFFERS);
    team_close(&team);
}
END_TEST

static int32_t enqueue_nothing(void *user, struct trm_stream *stream)
{
    (void)user;
    (void)stream;
    return TRM_OK;
}

static void *submit_without_data(void *user)
{
    struct submitting *submitting = user;
    struct trm_stream_task task   = function_task(enqueue_nothing, NULL);
    struct trm_point point;
    while (!submitting->is_over && submitting->status == TRM_OK)
        submitting->status = trm_stream_pool_submit(submitting->team->pool, &task, &point);
    return NULL;
}

/* A sanitizer for threads looks at it. */
START_TEST(tasks_without_data_may_be_submitted_beside_some_that_move_theirs)
{
    struct team team;
    struct submitting beside = {.team = &team, .status = TRM_OK};
    struct affine affine;
    pthread_t thread;
    team_open(&team);
    if (affine_missing(&team))
        return;
    ck_assert_int_eq(pthread_create(&thread, NULL, submit_without_data, &beside), 0);
    for (uint32_t i = 0; i < TASKS; i++) {
        affine_of(&affine, &team, team.buffers[0], 1, 1);
        affine.task.devices = 1u << i % team.count;
        submit(team.pool, &affine.task);
    }
    beside.is_over = true;
    pthread_join(thread, NULL);
    ck_assert_int_eq(beside.status, TRM_OK);
    ck_contents(team.buffers[0], TASKS);
    team_close(&team);
}
END_TEST

START_TEST(a_group_pool_drains_whatever_is_destroyed_first)
{
    struct team team;
    struct affine affine;
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};
    team_open(&team);
    if (affine_missing(&team))
        return;
    for (uint32_t i = 0; i < TASKS; i++)
        submit(team.pool, affine_of(&affine, &team, team.buffers[i % BUFFERS], 3, i));
    trm_group_destroy(team.group);
    trm_group_kernel_destroy(team.affine);
    trm_stream_pool_destroy(team.pool);
    ck_status(trm_stream_pool_get_stats(team.pool, &stats), TRM_ERROR_INVALID_HANDLE);
    uint32_t word = 0;
    ck_ok(trm_group_buffer_read(team.buffers[0], 0, &word, sizeof(word)));
    for (uint32_t i = 0; i < BUFFERS; i++)
        trm_group_buffer_destroy(team.buffers[i]);
    trm_context_destroy(team.context);
}
END_TEST

void add_group_pool(Suite *suite)
{
    TCase *group = group_make(suite, "group_pool");
    CASE(group, tasks_of_a_group_come_after_one_another_where_they_write_the_same_buffer);
    CASE(group, tasks_of_a_group_that_move_from_device_to_device_take_their_data_along);
    CASE(group, a_flood_of_tasks_of_a_group_takes_its_data_along);
    CASE(group, a_group_pool_measures_a_kind_of_task_on_each_device);
    CASE(group, a_task_that_overwrites_a_buffer_of_a_group_needs_no_copy);
    CASE(group, a_buffer_of_a_group_is_current_where_it_was_written_and_brought);
    CASE(group, what_a_program_wrote_on_one_device_of_a_group_is_brought_to_the_others);
    CASE(group, many_tasks_read_a_buffer_of_a_group_between_two_that_write_it);
    CASE(group, the_pool_of_one_device_of_a_group_lends_streams_and_ends_with_the_whole);
    CASE(group, a_buffer_of_one_device_keeps_a_task_of_a_group_there);
    CASE(group, a_group_pool_refuses_what_is_of_another_group_or_has_no_sense);
    CASE(group, threads_may_submit_to_a_group_pool_at_once);
    CASE(group, tasks_without_data_may_be_submitted_beside_some_that_move_theirs);
    CASE(group, a_group_pool_drains_whatever_is_destroyed_first);
}
