/* Coordinators over the pool of a group: where tasks run, and where their data is.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "stream_pools.h"
#include "tasks.h"

#include <pthread.h>

#define WORDS 256u
#define WORDS_BYTES (WORDS * sizeof(uint32_t))
#define BUFFERS 3u
#define TASKS 60u
#define CHAIN 300u

/* ---- a group, its pool and a coordinator ------------------------------------------------------ */

struct squad {
    struct trm_context *context;
    struct trm_group *group;
    struct trm_stream_pool *pool;
    struct trm_device *device; /* the first */
    struct trm_coordinator *coordinator;
    struct trm_group_kernel *affine; /* NULL: the devices take none of the kernels */
    struct trm_group_buffer *buffers[BUFFERS];
    uint32_t count; /* devices */
    bool is_mixed;
};

/* most: streams of each device; 0: as many as the pool likes */
static void squad_open(struct squad *squad, uint32_t most)
{
    const struct trm_stream_pool_desc of_pool = {.struct_size = sizeof(of_pool), .most = most};
    const struct trm_buffer_desc of_buffer    = {
           .struct_size = sizeof(of_buffer), .size = WORDS_BYTES, .flags = TRM_BUFFER_ZEROED};
    squad->is_mixed = group_of_team(&squad->context, &squad->group);
    ck_ok(trm_group_size(squad->group, &squad->count));
    ck_ok(trm_group_device(squad->group, 0, &squad->device));
    struct trm_module_desc code = !squad->is_mixed && functions_there() ? functions_desc() : portable_desc();
    squad->affine               = NULL;
    if (squad->is_mixed || kernels_there())
        ck_ok(trm_group_kernel_load(squad->group, &code, "affine", &squad->affine));
    for (uint32_t i = 0; i < BUFFERS; i++)
        ck_ok(trm_group_buffer_create(squad->group, &of_buffer, &squad->buffers[i]));
    ck_ok(trm_group_pool_create(squad->group, &of_pool, &squad->pool));
    const struct trm_coordinator_desc desc = {.struct_size = sizeof(desc), .pool = squad->pool};
    ck_ok(trm_coordinator_create(squad->device, &desc, &squad->coordinator));
}

static void squad_close(struct squad *squad)
{
    trm_coordinator_destroy(squad->coordinator);
    ck_assert_uint_eq(stats_of(squad->pool).lent, 0);
    trm_stream_pool_destroy(squad->pool);
    for (uint32_t i = 0; i < BUFFERS; i++)
        trm_group_buffer_destroy(squad->buffers[i]);
    if (squad->affine != NULL)
        trm_group_kernel_destroy(squad->affine);
    trm_device_destroy(squad->device);
    trm_group_destroy(squad->group);
    trm_context_destroy(squad->context);
}

static bool affine_missing(struct squad *squad)
{
    if (squad->affine != NULL)
        return false;
    skip("the device takes none of the kernels");
    squad_close(squad);
    return true;
}

static void finish(struct squad *squad)
{
    ck_ok(trm_coordinator_submit(squad->coordinator));
    ck_ok(trm_coordinator_wait_all(squad->coordinator, TRM_FOREVER));
}

static struct trm_buffer *shared(const struct squad *squad, uint32_t which)
{
    return trm_group_port_buffer(squad->buffers[which]);
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

/* ---- tasks ------------------------------------------------------------------------------------ */

static void add(const struct squad *squad, const struct trm_task *task)
{
    ck_ok(trm_coordinator_add(squad->coordinator, task));
}

/* words[i] = words[i] × factor + addend, on one of the devices; 0: on any */
static void add_affine_of(const struct squad *squad, uint64_t id, uint32_t which, uint32_t factor,
                          uint32_t addend, uint32_t devices, const uint64_t *after, uint32_t count)
{
    struct trm_argument arguments[] = {trm_arg_buffer(shared(squad, which)), trm_arg_u32(WORDS),
                                       trm_arg_u32(factor), trm_arg_u32(addend)};
    struct trm_task task            = task_of(TRM_TASK_COMPUTE, id, after, count);
    task.kernel                     = trm_group_stage_kernel(squad->affine);
    task.grid                       = trm_grid_1d(WORDS / 64, 64);
    task.arguments                  = arguments;
    task.argument_count             = 4;
    task.devices                    = devices;
    add(squad, &task);
}

static struct trm_task fill_task(uint64_t id, struct trm_buffer *buffer, uint32_t value,
                                 const uint64_t *after, uint32_t count)
{
    struct trm_task task = task_of(TRM_TASK_FILL, id, after, count);
    task.destination     = trm_span_whole(buffer);
    task.pattern         = value;
    task.pattern_size    = 4;
    return task;
}

/* ---- cases ------------------------------------------------------------------------------------ */

START_TEST(tasks_of_a_coordinator_over_a_group_take_their_data_along)
{
    uint32_t words[WORDS], back[WORDS], expected = 5;
    struct squad squad;
    squad_open(&squad, 0);
    if (affine_missing(&squad))
        return;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = expected;
    struct trm_task upload = task_of(TRM_TASK_UPLOAD, 1, AFTER_NOTHING);
    upload.destination     = trm_span_whole(shared(&squad, 0));
    upload.host_source     = words;
    upload.devices         = 1u << (squad.count - 1);
    add(&squad, &upload);
    for (uint32_t i = 0; i < TASKS; i++) {
        add_affine_of(&squad, i + 2, 0, 3, i, 1u << i % squad.count, AFTER(i + 1));
        expected = expected * 3 + i;
    }
    struct trm_task download  = task_of(TRM_TASK_DOWNLOAD, TASKS + 2, AFTER(TASKS + 1));
    download.source           = trm_span_whole(shared(&squad, 0));
    download.host_destination = back;
    download.devices          = 1u << (TASKS - 1) % squad.count;
    add(&squad, &download);
    finish(&squad);
    ck_words(back, WORDS, expected);
    ck_assert_uint_eq(current(squad.buffers[0]), 1u << (TASKS - 1) % squad.count);
    ck_assert_uint_eq(stats_of(squad.pool).copies, squad.count > 1 ? TASKS : 0);
    ck_assert_uint_eq(stats_of(squad.pool).tasks, TASKS + 2);
    squad_close(&squad);
}
END_TEST

START_TEST(a_chain_of_a_coordinator_over_a_group_is_seldom_copied)
{
    struct squad squad;
    uint32_t expected = 0;
    squad_open(&squad, 0);
    if (affine_missing(&squad))
        return;
    for (uint32_t i = 0; i < CHAIN; i++) {
        const uint64_t before = i;
        add_affine_of(&squad, i + 1, 0, 3, i, 0, &before, i > 0);
        expected = expected * 3 + i;
    }
    finish(&squad);
    ck_contents(squad.buffers[0], expected);
    ck_assert_uint_le(stats_of(squad.pool).copies, CHAIN / 2);
    squad_close(&squad);
}
END_TEST

/* An upload goes where the kernel behind it may run: by its devices, or by a buffer of one device. */
START_TEST(an_upload_over_a_group_goes_where_the_task_behind_it_may_run)
{
    static const uint32_t words[WORDS] = {0};
    struct squad squad;
    squad_open(&squad, 0);
    if (affine_missing(&squad))
        return;
    for (uint32_t i = 0; i < 4 * squad.count; i++) {
        struct trm_task upload = task_of(TRM_TASK_UPLOAD, 2 * i + 1, AFTER_NOTHING);
        uint32_t device        = i % squad.count;
        upload.destination     = trm_span_whole(shared(&squad, 0));
        upload.host_source     = words;
        add(&squad, &upload);
        add_affine_of(&squad, 2 * i + 2, 0, 3, 1, 1u << device, AFTER(2 * i + 1));
        finish(&squad);
        ck_assert_uint_eq(current(squad.buffers[0]), 1u << device);
    }
    ck_contents(squad.buffers[0], 1);
    ck_assert_uint_eq(stats_of(squad.pool).copies, 0);
    squad_close(&squad);
}
END_TEST

/* Chains share the pool's streams; with one of each device, tasks wait for streams. */
START_TEST(a_coordinator_over_a_group_chooses_devices_that_end_all_chains)
{
    for (uint32_t most = 0; most <= 1; most++) {
        uint32_t expected[BUFFERS] = {0}, seed = 5;
        uint64_t last[BUFFERS] = {0};
        struct squad squad;
        squad_open(&squad, most);
        if (affine_missing(&squad))
            return;
        for (uint32_t i = 0; i < TASKS; i++) {
            uint32_t which = next_random(&seed) % BUFFERS;
            add_affine_of(&squad, i + 1, which, 3, i, 0, &last[which], last[which] != 0);
            expected[which] = expected[which] * 3 + i;
            last[which]     = i + 1;
        }
        finish(&squad);
        for (uint32_t i = 0; i < BUFFERS; i++)
            ck_contents(squad.buffers[i], expected[i]);
        ck_assert_uint_eq(stats_of(squad.pool).tasks, TASKS);
        squad_close(&squad);
    }
}
END_TEST

START_TEST(copies_and_rows_of_a_coordinator_over_a_group_keep_the_bytes_around_them)
{
    uint32_t words[WORDS] = {0};
    struct squad squad;
    squad_open(&squad, 0);
    uint32_t last           = 1u << (squad.count - 1);
    struct trm_task filling = fill_task(1, shared(&squad, 0), 7, AFTER_NOTHING);
    struct trm_task other   = fill_task(2, shared(&squad, 1), 9, AFTER_NOTHING);
    struct trm_task copy    = task_of(TRM_TASK_COPY, 3, AFTER(1, 2));
    struct trm_task rows    = task_of(TRM_TASK_COPY_2D, 4, AFTER(3));
    filling.devices         = 1;
    other.devices           = last;
    /* The first quarter of the second buffer becomes 7, and then each second word behind it. */
    copy.destination   = trm_span_of(shared(&squad, 1), 0, WORDS_BYTES / 4);
    copy.source        = trm_span_of(shared(&squad, 0), 0, TRM_WHOLE);
    copy.source.length = WORDS_BYTES / 4;
    copy.devices       = 1;
    rows.destination_rows =
        (struct trm_rows){.buffer = shared(&squad, 1), .offset = WORDS_BYTES / 4, .pitch = 8};
    rows.source_rows = (struct trm_rows){.buffer = shared(&squad, 0), .pitch = 4};
    rows.width       = 4;
    rows.height      = 3 * WORDS / 8;
    rows.devices     = last;
    add(&squad, &filling);
    add(&squad, &other);
    add(&squad, &copy);
    add(&squad, &rows);
    finish(&squad);
    ck_ok(trm_group_buffer_read(squad.buffers[1], 0, words, sizeof(words)));
    for (uint32_t i = 0; i < WORDS; i++)
        ck_assert_uint_eq(words[i], i < WORDS / 4 || i % 2 == 0 ? 7 : 9);
    squad_close(&squad);
}
END_TEST

START_TEST(a_task_over_a_group_that_overwrites_a_buffer_needs_no_copy)
{
    struct squad squad;
    squad_open(&squad, 0);
    if (affine_missing(&squad))
        return;
    for (uint32_t i = 0; i < 2 * squad.count; i++) {
        const struct trm_group_use use  = {.buffer = squad.buffers[0], .access = TRM_ACCESS_WRITE};
        struct trm_argument arguments[] = {trm_arg_buffer(shared(&squad, 0)), trm_arg_u32(WORDS),
                                           trm_arg_u32(0), trm_arg_u32(i)};
        const uint64_t before           = i;
        struct trm_task task            = task_of(TRM_TASK_COMPUTE, i + 1, &before, i > 0);
        task.kernel                     = trm_group_stage_kernel(squad.affine);
        task.grid                       = trm_grid_1d(WORDS / 64, 64);
        task.arguments                  = arguments;
        task.argument_count             = 4;
        task.devices                    = 1u << i % squad.count;
        task.uses                       = &use;
        task.use_count                  = 1;
        add(&squad, &task);
    }
    finish(&squad);
    ck_contents(squad.buffers[0], 2 * squad.count - 1);
    ck_assert_uint_eq(stats_of(squad.pool).copies, 0);
    squad_close(&squad);
}
END_TEST

START_TEST(a_task_over_a_group_with_a_buffer_of_one_device_runs_there)
{
    uint32_t words[WORDS] = {0};
    struct squad squad;
    squad_open(&squad, 0);
    uint32_t last = squad.count - 1;
    struct trm_device *device;
    ck_ok(trm_group_device(squad.group, last, &device));
    struct trm_buffer *own  = make_buffer(device, TRM_MEMORY_DEVICE, WORDS_BYTES);
    struct trm_task filling = fill_task(1, own, 6, AFTER_NOTHING);
    struct trm_task copy    = task_of(TRM_TASK_COPY, 2, AFTER(1));
    struct trm_task back    = task_of(TRM_TASK_DOWNLOAD, 3, AFTER(1));
    copy.destination        = trm_span_whole(shared(&squad, 2));
    copy.source             = trm_span_whole(own);
    back.source             = trm_span_whole(own);
    back.host_destination   = words;
    add(&squad, &filling);
    add(&squad, &copy);
    add(&squad, &back);
    finish(&squad);
    ck_words(words, WORDS, 6);
    ck_assert_uint_eq(current(squad.buffers[2]), 1u << last);
    ck_contents(squad.buffers[2], 6);
    trm_buffer_destroy(own);
    trm_device_destroy(device);
    squad_close(&squad);
}
END_TEST

START_TEST(a_coordinator_over_a_group_says_what_it_does_not_take)
{
    struct squad squad;
    squad_open(&squad, 0);
    const struct trm_group_use use = {.buffer = squad.buffers[0], .access = TRM_ACCESS_WRITE};
    struct trm_task task           = fill_task(1, shared(&squad, 0), 7, AFTER_NOTHING);
    struct trm_coordinator *alone  = NULL;
    task.uses                      = &use;
    task.use_count                 = 1;
    ck_status(trm_coordinator_add(squad.coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    task.use_count          = 0;
    task.destination.length = 2 * WORDS_BYTES;
    add(&squad, &task);
    ck_status(trm_coordinator_submit(squad.coordinator), TRM_ERROR_OUT_OF_RANGE);
    task.destination.length = WORDS_BYTES;
    task.devices            = 1u << squad.count;
    add(&squad, &task);
    ck_status(trm_coordinator_submit(squad.coordinator), TRM_ERROR_WRONG_DEVICE);
    /* A coordinator of a single device has no buffers of groups, nor several devices. */
    ck_ok(trm_coordinator_create(squad.device, NULL, &alone));
    task.devices   = 0;
    task.use_count = 1;
    ck_status(trm_coordinator_add(alone, &task), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("uses buffers of a group");
    task.use_count = 0;
    task.devices   = 1;
    ck_status(trm_coordinator_add(alone, &task), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("names devices of a group");
    trm_coordinator_destroy(alone);
    trm_stream_pool_destroy(squad.pool);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_BUSY);
    squad_close(&squad);
}
END_TEST

START_TEST(a_pool_of_a_group_without_the_device_is_refused)
{
    struct squad squad, other;
    struct trm_coordinator *made = NULL;
    squad_open(&squad, 1);
    squad_open(&other, 1);
    const struct trm_coordinator_desc desc = {.struct_size = sizeof(desc), .pool = squad.pool};
    ck_status(trm_coordinator_create(other.device, &desc, &made), TRM_ERROR_WRONG_DEVICE);
    ck_sentence_has("not one of the stream pool's group: make it with a device of trm_group_device()");
    struct trm_buffer *foreign = make_buffer(other.device, TRM_MEMORY_DEVICE, WORDS_BYTES);
    struct trm_task task       = fill_task(1, foreign, 7, AFTER_NOTHING);
    add(&squad, &task);
    ck_status(trm_coordinator_submit(squad.coordinator), TRM_ERROR_WRONG_DEVICE);
    ck_sentence_has("not one of the pool's group: make it on a device of trm_group_device()");
    trm_buffer_destroy(foreign);
    squad_close(&other);
    squad_close(&squad);
}
END_TEST

/* The function of a task of the pool keeps the lock that tasks with data take. */
struct nesting {
    const struct squad *squad;
    int32_t waited, destroyed;
};

static int32_t submit_within(void *user, struct trm_stream *stream)
{
    struct nesting *nesting = user;
    struct trm_task task    = fill_task(1, shared(nesting->squad, 1), 4, AFTER_NOTHING);
    (void)stream;
    int32_t status = trm_coordinator_add(nesting->squad->coordinator, &task);
    if (status == TRM_OK)
        status = trm_coordinator_submit(nesting->squad->coordinator);
    nesting->waited = trm_coordinator_wait(nesting->squad->coordinator, 1, TRM_FOREVER);
    trm_coordinator_destroy(nesting->squad->coordinator);
    nesting->destroyed = trm_last_error().status;
    return status;
}

START_TEST(a_function_of_a_pool_of_a_group_submits_tasks_but_does_not_wait_for_them)
{
    struct squad squad;
    squad_open(&squad, 0);
    struct nesting nesting         = {.squad = &squad};
    const struct trm_group_use use = {.buffer = squad.buffers[0], .access = TRM_ACCESS_READ};
    struct trm_stream_task task    = function_task(submit_within, &nesting);
    task.uses                      = &use;
    task.use_count                 = 1;
    submit(squad.pool, &task);
    ck_assert_int_eq(nesting.waited, TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(nesting.destroyed, TRM_ERROR_DEADLOCK);
    ck_ok(trm_coordinator_wait(squad.coordinator, 1, TRM_FOREVER));
    ck_contents(squad.buffers[1], 4);
    squad_close(&squad);
}
END_TEST

START_TEST(a_failure_over_a_group_reaches_only_the_tasks_that_come_after_it)
{
    struct squad squad;
    if (functions_missing())
        return;
    squad_open(&squad, 0);
    if (squad.is_mixed || affine_missing(&squad))
        return squad_close(&squad);
    struct trm_module_desc code    = functions_desc();
    struct trm_argument arguments  = trm_arg_i32(5);
    struct trm_group_kernel *fails = NULL;
    ck_ok(trm_group_kernel_load(squad.group, &code, "fail", &fails));
    struct trm_task task = task_of(TRM_TASK_COMPUTE, 1, AFTER_NOTHING);
    task.kernel          = trm_group_stage_kernel(fails);
    task.grid            = trm_grid_1d(1, 1);
    task.arguments       = &arguments;
    task.argument_count  = 1;
    add(&squad, &task);
    add_affine_of(&squad, 2, 0, 3, 1, 0, AFTER(1));
    add_affine_of(&squad, 3, 1, 3, 1, 0, AFTER_NOTHING);
    ck_ok(trm_coordinator_submit(squad.coordinator));
    ck_status(trm_coordinator_wait(squad.coordinator, 1, TRM_FOREVER), TRM_ERROR_KERNEL);
    ck_status(trm_coordinator_wait(squad.coordinator, 2, TRM_FOREVER), TRM_ERROR_KERNEL);
    ck_ok(trm_coordinator_wait(squad.coordinator, 3, TRM_FOREVER));
    ck_contents(squad.buffers[1], 1);
    for (uint64_t id = 4; id < 4 + TASKS; id++)
        add_affine_of(&squad, id, 2, 1, 1, 0, AFTER(id == 4 ? 3 : id - 1));
    ck_ok(trm_coordinator_submit(squad.coordinator));
    ck_ok(trm_coordinator_wait(squad.coordinator, 3 + TASKS, TRM_FOREVER));
    ck_contents(squad.buffers[2], TASKS);
    trm_group_kernel_destroy(fails);
    squad_close(&squad);
}
END_TEST

/* Adds 1 to the first buffer again and again, by the pool itself, and reads it. */
static void *add_ones(void *user)
{
    const struct squad *squad             = user;
    const struct trm_argument arguments[] = {trm_arg_buffer(shared(squad, 0)), trm_arg_u32(WORDS),
                                             trm_arg_u32(1), trm_arg_u32(1)};
    const struct trm_stream_task task     = {.struct_size    = sizeof(task),
                                             .kernel         = trm_group_stage_kernel(squad->affine),
                                             .grid           = trm_grid_1d(WORDS / 64, 64),
                                             .arguments      = arguments,
                                             .argument_count = 4};
    for (uint32_t i = 1; i <= TASKS; i++) {
        uint32_t word;
        struct trm_point point;
        ck_ok(trm_stream_pool_submit(squad->pool, &task, &point));
        ck_ok(trm_group_buffer_read(squad->buffers[0], 0, &word, sizeof(word)));
        ck_assert_uint_eq(word, i);
    }
    return NULL;
}

START_TEST(a_coordinator_over_a_group_shares_the_pool_with_other_threads)
{
    struct squad squad;
    pthread_t thread;
    squad_open(&squad, 2);
    if (affine_missing(&squad))
        return;
    ck_assert_int_eq(pthread_create(&thread, NULL, add_ones, &squad), 0);
    for (uint64_t i = 0; i < TASKS; i++) {
        const uint64_t before = 2 * i;
        add_affine_of(&squad, 2 * i + 1, 1, 1, 1, 0, &before, i > 0);
        add_affine_of(&squad, 2 * i + 2, 2, 1, 1, 0, AFTER(2 * i + 1));
        ck_ok(trm_coordinator_submit(squad.coordinator));
    }
    ck_ok(trm_coordinator_wait_all(squad.coordinator, TRM_FOREVER));
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    for (uint32_t i = 0; i < BUFFERS; i++)
        ck_contents(squad.buffers[i], TASKS);
    squad_close(&squad);
}
END_TEST

void add_coordinator_group(Suite *suite)
{
    TCase *group = group_make(suite, "coordinators over groups");
    CASE(group, tasks_of_a_coordinator_over_a_group_take_their_data_along);
    CASE(group, a_chain_of_a_coordinator_over_a_group_is_seldom_copied);
    CASE(group, an_upload_over_a_group_goes_where_the_task_behind_it_may_run);
    CASE(group, a_coordinator_over_a_group_chooses_devices_that_end_all_chains);
    CASE(group, copies_and_rows_of_a_coordinator_over_a_group_keep_the_bytes_around_them);
    CASE(group, a_task_over_a_group_that_overwrites_a_buffer_needs_no_copy);
    CASE(group, a_task_over_a_group_with_a_buffer_of_one_device_runs_there);
    CASE(group, a_coordinator_over_a_group_says_what_it_does_not_take);
    CASE(group, a_pool_of_a_group_without_the_device_is_refused);
    CASE(group, a_function_of_a_pool_of_a_group_submits_tasks_but_does_not_wait_for_them);
    CASE(group, a_coordinator_over_a_group_shares_the_pool_with_other_threads);
    CASE(group, a_failure_over_a_group_reaches_only_the_tasks_that_come_after_it);
}
