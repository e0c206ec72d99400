/* Launches: results, shapes, shared memory, and what lives while they are under way.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

static struct trm_buffer *zeroed(uint64_t size)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .flags = TRM_BUFFER_ZEROED, .size = size};
    struct trm_buffer *buffer   = NULL;
    ck_ok(trm_buffer_create_from(the.device, &desc, &buffer));
    return buffer;
}

static int32_t launch_alone(struct trm_kernel *used, struct trm_grid grid, struct trm_buffer *buffer)
{
    struct trm_argument argument = trm_arg_buffer(buffer);
    return trm_launch(the.stream, used, &grid, &argument, 1);
}

/* Three numbers that the device tells at once. */
static void limits_of(uint32_t key, uint64_t limits[3])
{
    size_t needed = 0;
    ck_ok(trm_device_get_info(the.device, key, limits, 3 * sizeof(uint64_t), &needed));
    ck_assert_uint_eq(needed, 3 * sizeof(uint64_t));
}

/* ---- results ---- */

START_TEST(a_kernel_computes_what_its_code_says)
{
    enum {
        N = 10000
    };
    static float x[N], y[N];
    if (kernels_missing())
        return;
    struct trm_buffer *bx = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(x));
    struct trm_buffer *by = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(y));
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    put(the.stream, bx, 0, x, sizeof(x));
    put(the.stream, by, 0, y, sizeof(y));
    struct trm_argument arguments[] = {trm_arg_buffer(bx), trm_arg_buffer(by), trm_arg_f32(0.5f),
                                       trm_arg_u32(N - 1)};
    ck_ok(launch_1d(the.stream, kernel("saxpy"), N - 1, arguments, 4));
    get(the.stream, by, 0, y, sizeof(y));
    for (int i = 0; i < N - 1; i++)
        ck_assert_msg(y[i] == 1.0f + 0.5f * (float)i, "element %d is %g", i, (double)y[i]);
    ck_assert(y[N - 1] == 1.0f);
    trm_buffer_destroy(bx);
    trm_buffer_destroy(by);
}
END_TEST

START_TEST(launches_of_one_stream_happen_in_order)
{
    if (kernels_missing())
        return;
    uint32_t wanted = 1, found[1000];
    for (int i = 0; i < 1000; i++)
        found[i] = 1;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(found));
    put(the.stream, buffer, 0, found, sizeof(found));
    for (uint32_t i = 0; i < 500; i++) {
        ck_ok(launch_affine(the.stream, buffer, 1000, 2 * i + 3, i));
        wanted = wanted * (2 * i + 3) + i;
    }
    get(the.stream, buffer, 0, found, sizeof(found));
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(found[i], wanted);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- the grid ---- */

static void check_cover(uint32_t x, uint32_t y, uint32_t z)
{
    uint64_t all                    = (uint64_t)x * y * z;
    uint32_t *counts                = malloc((all + 1) * 4);
    struct trm_buffer *buffer       = zeroed((all + 1) * 4);
    struct trm_argument arguments[] = {trm_arg_buffer(buffer), trm_arg_u32(x), trm_arg_u32(y),
                                       trm_arg_u32(z)};
    struct trm_grid grid            = {{x, y, z}, {1, 1, 1}, 0, 0};
    ck_ok(trm_launch(the.stream, kernel("cover"), &grid, arguments, 4));
    get(the.stream, buffer, 0, counts, (all + 1) * 4);
    for (uint64_t i = 0; i < all; i++)
        if (counts[i] != 1)
            ck_abort_msg("group %u of %u x %u x %u ran %u times", (unsigned)i, x, y, z, counts[i]);
    ck_assert_msg(counts[all] == 0, "a group had another grid than %u x %u x %u", x, y, z);
    trm_buffer_destroy(buffer);
    free(counts);
}

START_TEST(every_group_of_one_dimension_runs_exactly_once)
{
    static const uint32_t counts[] = {1, 2, 3, 7, 8, 9, 63, 64, 65, 1000, 1023, 40000};
    if (kernels_missing())
        return;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        check_cover(counts[i], 1, 1);
}
END_TEST

START_TEST(every_group_of_two_dimensions_runs_exactly_once)
{
    if (kernels_missing())
        return;
    check_cover(1, 9, 1);
    check_cover(7, 13, 1);
    check_cover(128, 3, 1);
    check_cover(3, 128, 1);
    check_cover(200, 150, 1);
}
END_TEST

START_TEST(every_group_of_three_dimensions_runs_exactly_once)
{
    if (kernels_missing())
        return;
    check_cover(1, 1, 5);
    check_cover(2, 3, 4);
    check_cover(1, 17, 11);
    check_cover(31, 1, 29);
    check_cover(30, 20, 25);
}
END_TEST

START_TEST(many_groups_run_exactly_once_each)
{
    if (kernels_missing())
        return;
    check_cover(scaled(1000000, 50000), 1, 1);
}
END_TEST

START_TEST(zeros_of_a_grid_count_as_one)
{
    static const uint32_t size[] = {1, 1, 4};
    if (kernels_missing())
        return;
    uint64_t out[8];
    struct trm_buffer *buffer = zeroed(sizeof(out));
    struct trm_grid grid      = {{0, 3, 0}, {0, 0, 4}, 0, 0};
    ck_ok(launch_alone(kernel_sized("shape", size), grid, buffer));
    get(the.stream, buffer, 0, out, sizeof(out));
    ck_assert(out[0] == 1 && out[1] == 3 && out[2] == 1);
    ck_assert(out[3] == 1 && out[4] == 1 && out[5] == 4);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_launch_of_no_groups_does_nothing)
{
    static const struct trm_grid none[] = {
        {{0, 0, 0}, {64, 1, 1}, 0, 0}, {{0, 0, 0}, {64, 0, 0}, 0, 0}, {{0, 0, 0}, {0, 0, 0}, 0, 0}};
    if (kernels_missing())
        return;
    uint32_t count                  = 0;
    struct trm_kernel *affine       = kernel("affine");
    struct trm_buffer *buffer       = zeroed(sizeof(count));
    struct trm_argument arguments[] = {trm_arg_buffer(buffer), trm_arg_u32(1), trm_arg_u32(1),
                                       trm_arg_u32(1)};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        ck_ok(trm_launch(the.stream, affine, &none[i], arguments, 4));
    get(the.stream, buffer, 0, &count, sizeof(count));
    ck_assert_uint_eq(count, 0);
    struct trm_grid grid = trm_grid_1d(0, 64);
    grid.groups[1]       = 1;
    ck_ok(trm_launch(the.stream, affine, &grid, arguments, 4));
    get(the.stream, buffer, 0, &count, sizeof(count));
    ck_assert_uint_eq(count, 1);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_kernel_has_its_own_group_size_when_none_is_given)
{
    if (kernels_missing())
        return;
    uint64_t out[8];
    struct trm_buffer *buffer = zeroed(sizeof(out));
    ck_ok(launch_alone(kernel("fixed_shape"), trm_grid_1d(5, 0), buffer));
    get(the.stream, buffer, 0, out, sizeof(out));
    ck_assert(out[0] == 5 && out[1] == 1 && out[2] == 1);
    ck_assert(out[3] == 8 && out[4] == 4 && out[5] == 2);
    ck_assert_uint_ge(out[6], 256);
    ck_ok(launch_alone(kernel("fixed_shape"), (struct trm_grid){{1, 1, 1}, {8, 4, 2}, 0, 0}, buffer));
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_group_size_must_come_from_somewhere)
{
    if (functions_missing())
        return;
    struct trm_grid grid = trm_grid_1d(1, 0);
    ck_refused(trm_launch(the.stream, kernel("count"), &grid, NULL, 0));
    ck_refused(trm_launch(the.stream, kernel("count"), NULL, NULL, 0));
}
END_TEST

/* Portable kernels have at most so many work-items in a group wherever they run. */
#define PORTABLE_ITEMS_MOST 65536u

static void check_size_is_refused(const uint32_t size[3], struct trm_buffer *buffer)
{
    struct trm_grid grid = {{1, 1, 1}, {size[0], size[1], size[2]}, 0, 0};
    if (!functions_there() && (uint64_t)size[0] * size[1] * size[2] > PORTABLE_ITEMS_MOST)
        return;
    ck_status(launch_alone(kernel_sized("shape", size), grid, buffer), TRM_ERROR_OUT_OF_RANGE);
}

START_TEST(a_group_beyond_the_limits_of_the_device_is_out_of_range)
{
    uint64_t sizes[3], items = device_number(the.device, TRM_DEVICE_MAX_GROUP_ITEMS), out[8];
    if (kernels_missing())
        return;
    struct trm_buffer *buffer = zeroed(sizeof(out));
    limits_of(TRM_DEVICE_MAX_GROUP_SIZE, sizes);
    for (int i = 0; i < 3; i++) {
        uint32_t size[3] = {1, 1, 1};
        if (sizes[i] >= UINT32_MAX)
            continue;
        size[i] = (uint32_t)sizes[i] + 1;
        check_size_is_refused(size, buffer);
    }
    for (uint32_t half = 2; half <= sizes[0] && half <= sizes[1]; half *= 2) {
        const uint32_t size[3] = {half, half, 1};
        if ((uint64_t)half * half > items) {
            check_size_is_refused(size, buffer);
            break;
        }
    }
    get(the.stream, buffer, 0, out, sizeof(out));
    ck_assert_uint_eq(out[0], 0);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(the_largest_group_of_the_device_runs)
{
    uint64_t sizes[3], items = device_number(the.device, TRM_DEVICE_MAX_GROUP_ITEMS), out[8];
    if (kernels_missing())
        return;
    limits_of(TRM_DEVICE_MAX_GROUP_SIZE, sizes);
    uint64_t most             = items < sizes[0] ? items : sizes[0];
    struct trm_buffer *buffer = zeroed(sizeof(out));
    most                      = most < UINT32_MAX ? most : UINT32_MAX;
    if (!functions_there() && most > PORTABLE_ITEMS_MOST)
        most = PORTABLE_ITEMS_MOST;
    const uint32_t size[3] = {(uint32_t)most, 1, 1};
    ck_ok(launch_alone(kernel_sized("shape", size), trm_grid_1d(2, (uint32_t)most), buffer));
    get(the.stream, buffer, 0, out, sizeof(out));
    ck_assert_uint_eq(out[0], 2);
    ck_assert_uint_eq(out[3], most);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(more_groups_than_the_device_takes_are_out_of_range)
{
    static const uint32_t one[] = {1, 1, 1};
    uint64_t most[3], out[8];
    if (kernels_missing())
        return;
    struct trm_kernel *shape  = kernel_sized("shape", one);
    struct trm_buffer *buffer = zeroed(sizeof(out));
    limits_of(TRM_DEVICE_MAX_GROUPS, most);
    for (int i = 0; i < 3; i++) {
        struct trm_grid grid = {{1, 1, 1}, {1, 1, 1}, 0, 0};
        if (most[i] >= UINT32_MAX)
            continue;
        grid.groups[i] = (uint32_t)most[i] + 1;
        ck_status(launch_alone(shape, grid, buffer), TRM_ERROR_OUT_OF_RANGE);
    }
    struct trm_grid all = {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {1, 1, 1}, 0, 0};
    ck_status(launch_alone(shape, all, buffer), TRM_ERROR_OUT_OF_RANGE);
    get(the.stream, buffer, 0, out, sizeof(out));
    ck_assert_uint_eq(out[0], 0);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- shared memory, workers ---- */

START_TEST(a_group_has_the_shared_memory_asked_for_to_itself)
{
    if (functions_missing())
        return;
    uint64_t out[8];
    uint32_t errors           = 1;
    struct trm_buffer *buffer = zeroed(sizeof(out));
    struct trm_grid grid      = {{scaled(2000, 200), 1, 1}, {1, 1, 1}, 1000, 0};
    ck_ok(launch_alone(kernel("shape"), grid, buffer));
    get(the.stream, buffer, 0, out, sizeof(out));
    ck_assert_uint_ge(out[6], 1000);
    ck_assert_uint_eq(out[7], 0); /* aligned to 64 bytes */
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0, 1));
    ck_ok(launch_alone(kernel("scratch"), grid, buffer));
    get(the.stream, buffer, 0, &errors, 4);
    ck_assert_uint_eq(errors, 0);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(all_the_shared_memory_of_the_device_can_be_had_and_no_more)
{
    uint64_t out[8], most = device_number(the.device, TRM_DEVICE_MAX_SHARED_BYTES);
    if (functions_missing())
        return;
    struct trm_buffer *buffer = zeroed(sizeof(out));
    struct trm_grid grid      = {{3, 1, 1}, {1, 1, 1}, 0, 0};
    grid.shared_bytes         = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    ck_ok(launch_alone(kernel("shape"), grid, buffer));
    get(the.stream, buffer, 0, out, sizeof(out));
    ck_assert_uint_ge(out[6], grid.shared_bytes);
    if (most < UINT32_MAX) {
        ck_status(launch_alone(kernel("scratch"), grid, buffer),
                  TRM_ERROR_OUT_OF_RANGE); /* has its own too */
        grid.shared_bytes++;
        ck_status(launch_alone(kernel("shape"), grid, buffer), TRM_ERROR_OUT_OF_RANGE);
        grid.shared_bytes = UINT32_MAX;
        ck_status(launch_alone(kernel("shape"), grid, buffer), TRM_ERROR_OUT_OF_RANGE);
        memset(grid.group_size, 0, sizeof(grid.group_size));
        ck_status(launch_alone(kernel("fixed_shape"), grid, buffer), TRM_ERROR_OUT_OF_RANGE);
    }
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(no_two_calls_at_once_have_the_same_worker)
{
    if (functions_missing())
        return;
    uint32_t taken[256];
    struct trm_stream *streams[3] = {the.stream, make_stream(the.device), make_stream(the.device)};
    struct trm_buffer *buffer     = zeroed(sizeof(taken));
    struct trm_argument argument  = trm_arg_buffer(buffer);
    struct trm_grid grid          = trm_grid_1d(scaled(400, 100), 1);
    for (int i = 0; i < 9; i++)
        ck_ok(trm_launch(streams[i % 3], kernel("workers"), &grid, &argument, 1));
    for (int i = 0; i < 3; i++)
        ck_ok(trm_stream_sync(streams[i]));
    get(the.stream, buffer, 0, taken, sizeof(taken));
    ck_assert_uint_eq(taken[255], 0);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- lives, failures, statistics ---- */

/* The launch is the only work that uses what is let go of, and all that could take its memory is
 * overwritten. */
START_TEST(buffers_and_kernels_let_go_of_after_the_launch_live_until_it_is_done)
{
    enum {
        N = 1000
    };
    static float x[N], y[N];
    if (kernels_missing())
        return;
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    struct trm_stream *other = make_stream(the.device);
    struct trm_buffer *bx = zeroed(sizeof(x)), *by = zeroed(sizeof(y)), *thief[8];
    struct trm_argument arguments[] = {trm_arg_buffer(bx), trm_arg_buffer(by), trm_arg_f32(2.0f),
                                       trm_arg_u32(N)};
    put(the.stream, bx, 0, x, sizeof(x));
    struct hold *hold = hold_begin(the.stream);
    ck_ok(launch_1d(the.stream, kernel("saxpy"), N, arguments, 4));
    trm_buffer_destroy(bx);
    kernels_close();
    for (int i = 0; i < 8; i++) {
        thief[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(x));
        ck_ok(trm_fill(other, trm_span_whole(thief[i]), 0, 1));
    }
    ck_ok(trm_stream_sync(other));
    hold_end(hold);
    get(the.stream, by, 0, y, sizeof(y));
    for (int i = 0; i < N; i++)
        ck_assert_msg(y[i] == 2.0f * (float)i, "element %d is %g", i, (double)y[i]);
    for (int i = 0; i < 8; i++)
        trm_buffer_destroy(thief[i]);
    trm_buffer_destroy(by);
}
END_TEST

START_TEST(a_kernel_that_reports_failure_fails_its_stream_with_its_code)
{
    if (functions_missing())
        return;
    struct trm_stream *doomed = make_stream(the.device);
    fail_stream(the.stream, 0); /* no failure */
    ck_ok(trm_stream_sync(the.stream));
    fail_stream(doomed, 1234);
    ck_status(trm_stream_sync(doomed), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_last_error().native_code, 1234);
    ck_ok(trm_stream_sync(the.stream));
}
END_TEST

START_TEST(a_stream_counts_its_launches_and_not_the_refused)
{
    if (kernels_missing())
        return;
    struct trm_stream *stream     = make_stream(the.device);
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    struct trm_grid grid          = trm_grid_1d(3, 1);
    struct trm_argument value     = trm_arg_u32(1);
    for (int i = 0; i < 7; i++)
        ck_ok(trm_launch(stream, kernel("count"), &grid, NULL, 0));
    ck_refused(trm_launch(stream, kernel("count"), &grid, &value, 1));
    ck_ok(trm_stream_sync(stream));
    ck_ok(trm_stream_get_stats(stream, &stats));
    ck_assert_uint_eq(stats.launches, 7);
    ck_assert_uint_eq(stats.copies, 0);
    ck_assert_uint_eq(stats.fills, 0);
    ck_assert_uint_ge(stats.operations, 7);
}
END_TEST

void add_launch(Suite *suite)
{
    TCase *group = group_make(suite, "launch");
    CASE(group, a_kernel_computes_what_its_code_says);
    CASE(group, launches_of_one_stream_happen_in_order);
    CASE(group, every_group_of_one_dimension_runs_exactly_once);
    CASE(group, every_group_of_two_dimensions_runs_exactly_once);
    CASE(group, every_group_of_three_dimensions_runs_exactly_once);
    CASE(group, many_groups_run_exactly_once_each);
    CASE(group, zeros_of_a_grid_count_as_one);
    CASE(group, a_launch_of_no_groups_does_nothing);
    CASE(group, a_kernel_has_its_own_group_size_when_none_is_given);
    CASE(group, a_group_size_must_come_from_somewhere);
    CASE(group, a_group_beyond_the_limits_of_the_device_is_out_of_range);
    CASE(group, the_largest_group_of_the_device_runs);
    CASE(group, more_groups_than_the_device_takes_are_out_of_range);
    CASE(group, a_group_has_the_shared_memory_asked_for_to_itself);
    CASE(group, all_the_shared_memory_of_the_device_can_be_had_and_no_more);
    CASE(group, no_two_calls_at_once_have_the_same_worker);
    CASE(group, buffers_and_kernels_let_go_of_after_the_launch_live_until_it_is_done);
    CASE(group, a_kernel_that_reports_failure_fails_its_stream_with_its_code);
    CASE(group, a_stream_counts_its_launches_and_not_the_refused);
}
