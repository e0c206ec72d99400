/* Tasks that use spans of a group's buffer.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "hold.h"
#include "kernels.h"
#include "stream_pools.h"

#define WORDS 1024u
#define BYTES (WORDS * sizeof(uint32_t))
#define HALF (WORDS / 2)
#define ROUNDS 400u

/* ---- a group, its pool and a buffer --------------------------------------------------------- */

struct crew {
    struct trm_context *context;
    struct trm_group *group;
    struct trm_stream_pool *pool;
    struct trm_group_buffer *buffer;
    uint32_t count; /* devices */
    bool is_mixed;
};

static void crew_open(struct crew *crew)
{
    const struct trm_setting settings[] = {{"stream.models", "no"}, {"backend", "vulkan,cpu"}};
    const struct trm_buffer_desc desc   = {
          .struct_size = sizeof(desc), .size = BYTES, .flags = TRM_BUFFER_ZEROED};
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    const char *mixed                 = getenv("CONFORMANCE_TEAM");
    char devices[80];
    crew->is_mixed = mixed != NULL;
    ck_ok(context_with(settings, crew->is_mixed ? 2 : 1, &crew->context));
    ck_ok(trm_device_describe(crew->context, 0, &summary));
    snprintf(devices, sizeof(devices), "%s:*", summary.backend);
    ck_ok(trm_group_create(crew->context, crew->is_mixed ? mixed : devices, &crew->group));
    ck_ok(trm_group_size(crew->group, &crew->count));
    ck_ok(trm_group_buffer_create(crew->group, &desc, &crew->buffer));
    ck_ok(trm_group_pool_create(crew->group, NULL, &crew->pool));
}

static void crew_close(struct crew *crew)
{
    trm_stream_pool_destroy(crew->pool);
    trm_group_buffer_destroy(crew->buffer);
    trm_group_destroy(crew->group);
    trm_context_destroy(crew->context);
}

/* Counts words that differ, since a check of each takes longer than all else. */
static void ck_all(struct crew *crew, const uint32_t *expected)
{
    uint32_t words[WORDS], wrong = 0;
    ck_ok(trm_group_buffer_read(crew->buffer, 0, words, sizeof(words)));
    for (uint32_t i = 0; i < WORDS; i++)
        wrong += words[i] != expected[i];
    ck_assert_uint_eq(wrong, 0);
}

/* ---- tasks ---------------------------------------------------------------------------------- */

/* Fills a span of the buffer of the device on which it runs; without `writes` it does nothing there. */
struct span_task {
    struct crew *crew;
    uint32_t first, count, value; /* words */
    bool writes, is_held;
    struct hold *hold;
};

static int32_t run_there(void *user, struct trm_stream *stream)
{
    struct span_task *what = user;
    struct trm_buffer *one = NULL;
    uint32_t device        = 0;
    if (what->is_held)
        what->hold = hold_begin(stream);
    int32_t status = trm_group_pool_find(what->crew->pool, stream, &device);
    if (status == TRM_OK)
        status = trm_group_buffer_get(what->crew->buffer, device, &one);
    if (status != TRM_OK || !what->writes)
        return status;
    return trm_fill(stream, trm_span_of(one, 4 * (uint64_t)what->first, 4 * (uint64_t)what->count),
                    what->value, 4);
}

static struct trm_point submit_span(struct span_task *what, uint32_t access, uint32_t devices)
{
    const struct trm_group_use use = {.buffer = what->crew->buffer,
                                      .access = access,
                                      .offset = 4 * (uint64_t)what->first,
                                      .length = 4 * (uint64_t)what->count};
    struct trm_stream_task task    = function_task(run_there, what);
    task.uses                      = &use;
    task.use_count                 = 1;
    task.devices                   = devices;
    return submit(what->crew->pool, &task);
}

static void write_span(struct crew *crew, uint32_t first, uint32_t count, uint32_t value, uint32_t device)
{
    struct span_task what = {.crew = crew, .first = first, .count = count, .value = value, .writes = true};
    submit_span(&what, TRM_ACCESS_WRITE, 1u << device);
}

static void read_span(struct crew *crew, uint32_t first, uint32_t count, uint32_t device)
{
    struct span_task what = {.crew = crew, .first = first, .count = count};
    submit_span(&what, TRM_ACCESS_READ, 1u << device);
}

static uint32_t current(struct crew *crew)
{
    uint32_t devices = 99;
    ck_ok(trm_group_buffer_current(crew->buffer, &devices));
    return devices;
}

/* ---- what is moved -------------------------------------------------------------------------- */

START_TEST(tasks_of_a_group_that_use_spans_of_a_buffer_move_no_other_bytes)
{
    struct crew crew;
    uint32_t expected[WORDS];
    crew_open(&crew);
    uint32_t last = crew.count - 1;
    bool is_one   = crew.count == 1;
    write_span(&crew, 0, HALF, 7, 0);
    write_span(&crew, HALF, HALF, 8, last);
    ck_assert_uint_eq(current(&crew), is_one ? 1 : 0);
    read_span(&crew, 0, HALF, 0);
    read_span(&crew, HALF, HALF, last);
    ck_assert_uint_eq(stats_of(crew.pool).copied_bytes, 0);
    read_span(&crew, HALF + 100, 50, 0); /* 200 bytes of the other half */
    ck_assert_uint_eq(stats_of(crew.pool).copied_bytes, is_one ? 0 : 200);
    read_span(&crew, 0, 0, 0); /* all */
    ck_assert_uint_eq(stats_of(crew.pool).copied_bytes, is_one ? 0 : BYTES / 2);
    ck_assert_uint_eq(current(&crew), 1);
    for (uint32_t i = 0; i < WORDS; i++)
        expected[i] = i < HALF ? 7 : 8;
    ck_all(&crew, expected);
    crew_close(&crew);
}
END_TEST

START_TEST(spans_of_a_buffer_of_a_group_are_brought_together_on_one_device)
{
    struct crew crew;
    uint32_t expected[WORDS] = {0};
    const uint32_t word      = 9;
    crew_open(&crew);
    uint32_t last = crew.count - 1;
    for (uint32_t i = 0; i < 8; i++) {
        write_span(&crew, 100 * i, 100, i + 1, i % crew.count);
        for (uint32_t k = 0; k < 100; k++)
            expected[100 * i + k] = i + 1;
    }
    ck_all(&crew, expected);
    ck_ok(trm_group_buffer_update(crew.buffer, last));
    ck_assert_uint_eq(current(&crew) >> last & 1, 1);
    ck_all(&crew, expected);
    ck_ok(trm_group_buffer_write(crew.buffer, 4 * 150, &word, 4)); /* within a span that a task wrote */
    expected[150] = 9;
    ck_all(&crew, expected);
    ck_ok(trm_group_buffer_changed(crew.buffer, last));
    ck_assert_uint_eq(current(&crew), 1u << last);
    ck_all(&crew, expected);
    crew_close(&crew);
}
END_TEST

/* More spans than a buffer has parts for, so that some are used with their neighbours. */
START_TEST(tasks_of_a_group_on_any_spans_leave_what_they_would_one_after_another)
{
    struct crew crew;
    uint32_t expected[WORDS] = {0}, seed = 3, copied = 0;
    crew_open(&crew);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t first = next_random(&seed) % WORDS, count = 1 + next_random(&seed) % 40;
        if (count > WORDS - first)
            count = WORDS - first;
        write_span(&crew, first, count, i + 1, i % crew.count);
        for (uint32_t k = 0; k < count; k++)
            expected[first + k] = i + 1;
        if (i % 7 == 0)
            read_span(&crew, next_random(&seed) % WORDS, 0, next_random(&seed) % crew.count);
        if (i % 97 == 0)
            ck_all(&crew, expected);
    }
    ck_all(&crew, expected);
    for (uint32_t device = 0; device < crew.count; device++) {
        read_span(&crew, 0, 0, device);
        copied |= current(&crew);
    }
    ck_assert_uint_eq(copied, (1u << crew.count) - 1);
    ck_all(&crew, expected);
    crew_close(&crew);
}
END_TEST

/* Words that a kernel's span leaves out are not moved. */
START_TEST(the_span_of_an_argument_is_what_a_kernel_of_a_group_uses)
{
    struct crew crew;
    struct trm_group_kernel *affine = NULL;
    uint32_t expected[WORDS]        = {0};
    crew_open(&crew);
    struct trm_module_desc desc = !crew.is_mixed && functions_there() ? functions_desc() : portable_desc();
    if (!crew.is_mixed && !kernels_there()) {
        skip("the device takes none of the kernels");
        crew_close(&crew);
        return;
    }
    ck_ok(trm_group_kernel_load(crew.group, &desc, "affine", &affine));
    write_span(&crew, 0, WORDS, 3, crew.count - 1);
    for (uint32_t i = 0; i < 4; i++) {
        struct trm_argument arguments[] = {
            trm_arg_span(trm_span_of(trm_group_port_buffer(crew.buffer), BYTES / 4 * i, BYTES / 4)),
            trm_arg_u32(WORDS / 4), trm_arg_u32(2), trm_arg_u32(i)};
        struct trm_stream_task task = {.struct_size    = sizeof(task),
                                       .kernel         = trm_group_stage_kernel(affine),
                                       .grid           = trm_grid_1d(WORDS / 4 / 64, 64),
                                       .arguments      = arguments,
                                       .argument_count = 4,
                                       .devices        = 1u << i % crew.count};
        submit(crew.pool, &task);
    }
    for (uint32_t i = 0; i < WORDS; i++)
        expected[i] = 3 * 2 + i / (WORDS / 4);
    ck_assert_uint_le(stats_of(crew.pool).copied_bytes, BYTES);
    ck_all(&crew, expected);
    trm_group_kernel_destroy(affine);
    crew_close(&crew);
}
END_TEST

/* ---- what is waited for --------------------------------------------------------------------- */

START_TEST(a_task_of_a_group_does_not_wait_for_one_that_uses_another_span)
{
    struct crew crew;
    uint32_t word = 0;
    if (!hold_works()) {
        skip("streams cannot be held");
        return;
    }
    crew_open(&crew);
    struct span_task held   = {.crew = &crew, .count = HALF, .value = 5, .writes = true, .is_held = true};
    struct span_task beside = {.crew = &crew, .first = HALF, .count = HALF, .value = 6, .writes = true};
    struct trm_point behind = submit_span(&held, TRM_ACCESS_WRITE, 1);
    struct trm_point done   = submit_span(&beside, TRM_ACCESS_READ | TRM_ACCESS_WRITE, 1);
    ck_ok(trm_point_wait(done, TRM_FOREVER));
    ck_ok(trm_group_buffer_read(crew.buffer, 4 * HALF, &word, 4));
    ck_assert_uint_eq(word, 6);
    ck_status(trm_point_done(behind), TRM_ERROR_TIMEOUT);
    hold_end(held.hold);
    ck_ok(trm_group_buffer_read(crew.buffer, 4 * (HALF - 1), &word, 4));
    ck_assert_uint_eq(word, 5);
    crew_close(&crew);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------ */

START_TEST(a_group_pool_refuses_spans_beyond_a_buffer)
{
    struct crew crew;
    struct trm_point point;
    crew_open(&crew);
    struct span_task what       = {.crew = &crew};
    struct trm_group_use use    = {.buffer = crew.buffer, .access = TRM_ACCESS_READ, .length = BYTES + 4};
    struct trm_stream_task task = function_task(run_there, &what);
    task.uses                   = &use;
    task.use_count              = 1;
    ck_status(trm_stream_pool_submit(crew.pool, &task, &point), TRM_ERROR_OUT_OF_RANGE);
    use.offset = UINT64_MAX - 4;
    ck_status(trm_stream_pool_submit(crew.pool, &task, &point), TRM_ERROR_OUT_OF_RANGE);
    use.offset = 4;
    use.length = BYTES - 4;
    ck_ok(trm_stream_pool_submit(crew.pool, &task, &point));
    crew_close(&crew);
}
END_TEST

void add_group_span(Suite *suite)
{
    TCase *group = group_make(suite, "group_pool: spans");
    CASE(group, tasks_of_a_group_that_use_spans_of_a_buffer_move_no_other_bytes);
    CASE(group, spans_of_a_buffer_of_a_group_are_brought_together_on_one_device);
    CASE(group, tasks_of_a_group_on_any_spans_leave_what_they_would_one_after_another);
    CASE(group, the_span_of_an_argument_is_what_a_kernel_of_a_group_uses);
    CASE(group, a_task_of_a_group_does_not_wait_for_one_that_uses_another_span);
    CASE(group, a_group_pool_refuses_spans_beyond_a_buffer);
}
