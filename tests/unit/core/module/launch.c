/* Modules, kernels and launches.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include "core/module/launch.h"
#include "tests/unit/runner.h"
#include "tests/unit/store.h"

static struct store store;
static struct trm_context *context;
static struct trm_stream *stream;
static struct trm_module *module;
static struct trm_kernel *saxpy, *empty, *many;
static struct trm_buffer *x, *y;

static int32_t function(const struct trm_cpu_groups *groups, const void *arguments)
{
    (void)groups;
    (void)arguments;
    return 0;
}

static const struct trm_cpu_kernel functions[] = {{.name = "f", .function = function}};

static const struct trm_module_desc good = {.struct_size = sizeof(good),
                                            .format      = TRM_MODULE_FUNCTIONS,
                                            .data        = functions,
                                            .size        = sizeof(functions),
                                            .name        = "mine"};

static void open_store(void)
{
    memset(&store, 0, sizeof(store));
    store.alignment = 16;
    store_prepare(&store, "store");
    context = store_context(NULL);
    store_open(&store, context);
    stream = store_stream(&store);
    ck_assert_int_eq(trm_module_load(store.device, &good, &module), TRM_OK);
    ck_assert_int_eq(trm_kernel_get(module, "saxpy", &saxpy), TRM_OK);
    ck_assert_int_eq(trm_kernel_get(module, "empty", &empty), TRM_OK);
    ck_assert_int_eq(trm_kernel_get(module, "many", &many), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 400, &x), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 400, &y), TRM_OK);
}

static void close_store(void)
{
    trm_kernel_destroy(saxpy);
    trm_kernel_destroy(empty);
    trm_kernel_destroy(many);
    trm_module_destroy(module);
    trm_buffer_destroy(x);
    trm_buffer_destroy(y);
    trm_stream_destroy(stream);
    store_close(&store);
    trm_context_destroy(context);
}

static int32_t launch_empty(const struct trm_grid *grid)
{
    return trm_launch(stream, empty, grid, NULL, 0);
}

static int32_t launch_saxpy(struct trm_argument a, struct trm_argument b, struct trm_argument c,
                            struct trm_argument d)
{
    const struct trm_argument arguments[] = {a, b, c, d};
    struct trm_grid grid                  = trm_grid_1d(4, 32);

    return trm_launch(stream, saxpy, &grid, arguments, 4);
}

/* ---- modules and kernels ------------------------------------------------------------------- */

START_TEST(modules_that_cannot_be_are_refused)
{
    const struct trm_cpu_kernel unnamed[] = {{.function = function}}, hollow[] = {{.name = "f"}};
    const struct trm_cpu_kernel bare[] = {{.name = "f", .function = function, .parameter_count = 1}};
    struct trm_module *other           = NULL;
    struct trm_module_desc desc        = good;
    const void *const wrong[]          = {unnamed, hollow, bare};

    ck_assert_int_eq(trm_module_load(store.device, NULL, &other), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_module_load(store.device, &good, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_module_load(NULL, &good, &other), TRM_ERROR_INVALID_HANDLE);
    for (size_t i = 0; i < 3; i++) {
        desc.data = wrong[i];
        ck_assert_int_eq(trm_module_load(store.device, &desc, &other), TRM_ERROR_INVALID_ARGUMENT);
    }
    desc.data = NULL;
    ck_assert_int_eq(trm_module_load(store.device, &desc, &other), TRM_ERROR_INVALID_ARGUMENT);
    desc      = good;
    desc.size = sizeof(functions) - 1;
    ck_assert_int_eq(trm_module_load(store.device, &desc, &other), TRM_ERROR_INVALID_ARGUMENT);
    desc.size = 0;
    ck_assert_int_eq(trm_module_load(store.device, &desc, &other), TRM_ERROR_INVALID_ARGUMENT);
    desc.struct_size = 8;
    ck_assert_int_eq(trm_module_load(store.device, &desc, &other), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(other);
}
END_TEST

START_TEST(paths_of_modules_are_absolute_and_end)
{
    struct trm_module_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_SHARED_OBJECT, .data = "/a/b.so", .size = 7};
    struct trm_module *other = NULL;

    ck_assert_int_eq(trm_module_load(store.device, &desc, &other), TRM_ERROR_INVALID_ARGUMENT);
    desc.size = 8;
    ck_assert_int_eq(trm_module_load(store.device, &desc, &other), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence,
                                 "takes no shared objects: the cpu backend does, and GLSL is for all"));
    desc.data = "a/b.so\0";
    ck_assert_int_eq(trm_module_load(store.device, &desc, &other), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_module_supported(store.device, TRM_MODULE_SHARED_OBJECT), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(trm_module_supported(store.device, TRM_MODULE_FUNCTIONS), TRM_OK);
    ck_assert_int_eq(trm_module_supported(NULL, TRM_MODULE_FUNCTIONS), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(a_kernel_that_is_not_there_is_answered_with_those_that_are)
{
    struct trm_kernel *kernel = NULL;

    ck_assert_int_eq(trm_kernel_get(module, "nothing", &kernel), TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "nothing"));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "mine"));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "saxpy, empty, many"));
    ck_assert_int_eq(trm_kernel_get(module, NULL, &kernel), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_kernel_get(module, "saxpy", NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_kernel_get(NULL, "saxpy", &kernel), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_kernel_get(module, "bad", &kernel), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_kernel_get(module, "hollow", &kernel), TRM_ERROR_ABI);
    ck_assert_ptr_null(kernel);
}
END_TEST

START_TEST(a_kernel_is_described_as_its_module_has_it)
{
    struct trm_kernel_info info = {.struct_size = sizeof(info)};

    ck_assert_int_eq(trm_kernel_describe(saxpy, &info), TRM_OK);
    ck_assert_str_eq(info.name, "saxpy");
    ck_assert_uint_eq(info.parameter_count, 4);
    ck_assert_str_eq(info.parameters[2].name, "a");
    ck_assert_uint_eq(info.shared_bytes, 16);
    ck_assert_uint_eq(info.group_size[0], 0);
    ck_assert_int_eq(trm_kernel_describe(empty, &info), TRM_OK);
    ck_assert_uint_eq(info.group_size[0], 64);
    ck_assert_uint_eq(info.group_size[2], 1);
    ck_assert_int_eq(trm_kernel_describe(empty, NULL), TRM_ERROR_INVALID_ARGUMENT);
    info.struct_size = 4;
    ck_assert_int_eq(trm_kernel_describe(empty, &info), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_kernel_describe(NULL, &info), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(a_module_is_unloaded_when_handle_kernels_and_launches_are_gone)
{
    struct trm_grid grid = trm_grid_1d(1, 0);
    struct trm_module *other;
    struct trm_kernel *kernel;

    ck_assert_int_eq(trm_module_load(store.device, &good, &other), TRM_OK);
    ck_assert_int_eq(trm_kernel_get(other, "empty", &kernel), TRM_OK);
    trm_module_destroy(other);
    ck_assert_uint_eq(store.unloads, 0);
    ck_assert_int_eq(trm_kernel_get(other, "empty", &kernel), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_launch(stream, kernel, &grid, NULL, 0), TRM_OK);
    trm_kernel_destroy(kernel);
    ck_assert_uint_eq(store.unloads, 0);
    ck_assert_int_eq(trm_launch(stream, kernel, &grid, NULL, 0), TRM_ERROR_INVALID_HANDLE);
    store_run(stream, UINT64_MAX);
    core_device_reap(store.core);
    ck_assert_uint_eq(store.unloads, 1);
    trm_module_destroy(NULL);
    trm_kernel_destroy(NULL);
}
END_TEST

START_TEST(a_module_launched_from_many_streams_stays_until_the_last_is_done)
{
    enum {
        COUNT = 40
    };
    struct trm_grid grid = trm_grid_1d(1, 0);
    struct trm_stream *streams[COUNT];
    struct trm_module *other;
    struct trm_kernel *kernel;

    ck_assert_int_eq(trm_module_load(store.device, &good, &other), TRM_OK);
    ck_assert_int_eq(trm_kernel_get(other, "empty", &kernel), TRM_OK);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < COUNT; i++) {
            if (round == 0)
                streams[i] = store_stream(&store);
            ck_assert_int_eq(trm_launch(streams[i], kernel, &grid, NULL, 0), TRM_OK);
            ck_assert_int_eq(trm_launch(streams[i], empty, &grid, NULL, 0), TRM_OK);
        }
    trm_module_destroy(other);
    trm_kernel_destroy(kernel);
    for (uint32_t i = 0; i < COUNT; i++) {
        core_device_reap(store.core);
        ck_assert_uint_eq(store.unloads, 0);
        store_run(streams[i], UINT64_MAX);
    }
    core_device_reap(store.core);
    ck_assert_uint_eq(store.unloads, 1);
    for (uint32_t i = 0; i < COUNT; i++)
        trm_stream_destroy(streams[i]);
}
END_TEST

START_TEST(streams_that_have_ended_leave_their_place_to_others)
{
    struct trm_grid grid          = trm_grid_1d(1, 0);
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};

    for (uint32_t i = 0; i < 100; i++) {
        struct trm_stream *other = store_stream(&store);
        ck_assert_int_eq(trm_launch(other, empty, &grid, NULL, 0), TRM_OK);
        trm_stream_destroy(other);
    }
    ck_assert_int_eq(trm_device_get_usage(store.device, &usage), TRM_OK);
    ck_assert_uint_eq(usage.streams, 1);
    ck_assert_int_eq(launch_empty(&grid), TRM_OK);
}
END_TEST

/* ---- arguments ----------------------------------------------------------------------------- */

START_TEST(arguments_reach_the_backend_as_they_were_given)
{
    const struct trm_launch_argument *arguments = store.last_arguments;

    ck_assert_int_eq(launch_saxpy(trm_arg_buffer(x), trm_arg_span(trm_span_of(y, 16, 40)), trm_arg_f32(2.5f),
                                  trm_arg_u32(7)),
                     TRM_OK);
    ck_assert_uint_eq(store.last_launch.argument_count, 4);
    ck_assert_uint_eq(store.last_launch.groups[0], 4);
    ck_assert_uint_eq(store.last_launch.group_size[0], 32);
    ck_assert_ptr_eq(arguments[0].memory, core_buffer_find(x)->memory);
    ck_assert_uint_eq(arguments[0].size, 400);
    ck_assert_uint_eq(arguments[1].offset, core_buffer_find(y)->base + 16);
    ck_assert_uint_eq(arguments[1].size, 40);
    float a;
    memcpy(&a, &arguments[2].scalar, sizeof(a));
    ck_assert_float_eq(a, 2.5f);
    ck_assert_uint_eq(arguments[2].size, 4);
    ck_assert_uint_eq(arguments[3].scalar, 7);
    ck_assert_int_eq(trm_buffer_wait(x, 0), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_int_eq(trm_buffer_wait(x, 0), TRM_OK);
}
END_TEST

START_TEST(an_argument_of_another_type_is_refused_by_name)
{
    struct trm_argument of_x = trm_arg_buffer(x), a = trm_arg_f32(1), n = trm_arg_u32(1);

    ck_assert_int_eq(launch_saxpy(of_x, of_x, trm_arg_i32(1), n), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_str_eq(trm_last_error().sentence,
                     "argument 2 \"a\" of kernel \"saxpy\" is f32, but an i32 was given");
    ck_assert_int_eq(launch_saxpy(of_x, of_x, of_x, n), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_str_eq(trm_last_error().sentence,
                     "argument 2 \"a\" of kernel \"saxpy\" is f32, but a buffer was given");
    ck_assert_int_eq(launch_saxpy(of_x, a, a, n), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_str_eq(trm_last_error().sentence,
                     "argument 1 \"y\" of kernel \"saxpy\" is a buffer of f32, but an f32 was given");
    ck_assert_int_eq(launch_saxpy(of_x, of_x, a, trm_arg_u64(1)), TRM_ERROR_TYPE_MISMATCH);
    a.kind = 99;
    ck_assert_int_eq(launch_saxpy(of_x, of_x, a, n), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_uint_eq(store.launches, 0);
}
END_TEST

START_TEST(the_number_of_arguments_must_be_right)
{
    struct trm_argument arguments[5] = {trm_arg_buffer(x), trm_arg_buffer(y), trm_arg_f32(1), trm_arg_u32(1)};
    struct trm_grid grid             = trm_grid_1d(1, 32);

    ck_assert_int_eq(trm_launch(stream, saxpy, &grid, arguments, 3), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_launch(stream, saxpy, &grid, arguments, 5), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_launch(stream, saxpy, &grid, NULL, 4), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_launch(stream, saxpy, &grid, arguments, 4), TRM_OK);
}
END_TEST

START_TEST(more_arguments_than_fit_on_the_stack_arrive_too)
{
    struct trm_argument arguments[24];
    struct trm_grid grid = trm_grid_1d(1, 32);

    for (uint32_t i = 0; i < 24; i++)
        arguments[i] = trm_arg_u32(i * i);
    ck_assert_int_eq(trm_launch(stream, many, &grid, arguments, 24), TRM_OK);
    for (uint32_t i = 0; i < 24; i++)
        ck_assert_uint_eq(store.last_arguments[i].scalar, i * i);
}
END_TEST

START_TEST(scalars_of_every_size_arrive_in_the_low_bytes)
{
    struct trm_argument arguments[5] = {
        {.kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U8, .value = {.u8 = 0xfe}},
        {.kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_I16, .value = {.i16 = -2}},
        trm_arg_i32(-2),
        trm_arg_f64(2.5),
        trm_arg_i64(-2),
    };
    struct trm_grid grid = trm_grid_1d(1, 32);
    struct trm_kernel *kernel;
    double fourth;

    ck_assert_int_eq(trm_kernel_get(module, "scalars", &kernel), TRM_OK);
    ck_assert_int_eq(trm_launch(stream, kernel, &grid, arguments, 5), TRM_OK);
    ck_assert_uint_eq(store.last_arguments[0].scalar, 0xfe);
    ck_assert_uint_eq(store.last_arguments[1].scalar, 0xfffe);
    ck_assert_uint_eq(store.last_arguments[2].scalar, 0xfffffffe);
    memcpy(&fourth, &store.last_arguments[3].scalar, sizeof(fourth));
    ck_assert_double_eq(fourth, 2.5);
    ck_assert_uint_eq(store.last_arguments[4].scalar, (uint64_t)-2);
    trm_kernel_destroy(kernel);
}
END_TEST

static int32_t launch_bytes(struct trm_kernel *bytes, struct trm_argument first, struct trm_argument second,
                            struct trm_argument third)
{
    const struct trm_argument arguments[] = {first, second, third};
    const struct trm_grid grid            = trm_grid_1d(1, 32);

    return trm_launch(stream, bytes, &grid, arguments, 3);
}

START_TEST(bytes_take_whatever_has_their_size)
{
    static const float vector[3] = {1, 2, 3};
    struct trm_argument block = trm_arg_block(vector, 12), of_x = trm_arg_buffer(x), four = trm_arg_u32(4);
    struct trm_kernel *bytes;

    ck_assert_int_eq(trm_kernel_get(module, "bytes", &bytes), TRM_OK);
    ck_assert_int_eq(launch_bytes(bytes, of_x, four, block), TRM_OK);
    ck_assert_int_eq(store.last_arguments[0].kind, TRM_PARAMETER_BUFFER);
    ck_assert_ptr_eq(store.last_arguments[0].memory, core_buffer_find(x)->memory);
    ck_assert_int_eq(store.last_arguments[1].kind, TRM_PARAMETER_SCALAR);
    ck_assert_uint_eq(store.last_arguments[1].scalar, 4);
    ck_assert_int_eq(store.last_arguments[2].kind, TRM_PARAMETER_BLOCK);
    ck_assert_ptr_eq(store.last_arguments[2].block, vector);
    ck_assert_int_eq(launch_bytes(bytes, trm_arg_f64(1), trm_arg_f32(1), block), TRM_OK);
    ck_assert_int_eq(launch_bytes(bytes, trm_arg_block(vector, 8), trm_arg_block(vector, 4), block), TRM_OK);
    /* Even a buffer that is shorter than its address. */
    ck_assert_int_eq(launch_bytes(bytes, trm_arg_span(trm_span_of(x, 0, 4)), four, block), TRM_OK);
    uint64_t launches = store.launches;
    ck_assert_int_eq(launch_bytes(bytes, four, four, block), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_str_eq(trm_last_error().sentence,
                     "argument 0 \"\" of kernel \"bytes\" is 8 bytes, but a u32 was given");
    ck_assert_int_eq(launch_bytes(bytes, of_x, of_x, block), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_int_eq(launch_bytes(bytes, of_x, trm_arg_u64(1), block), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_int_eq(launch_bytes(bytes, of_x, four, trm_arg_block(vector, 8)), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_int_eq(launch_bytes(bytes, of_x, four, trm_arg_port(0)), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_uint_eq(store.launches, launches);
    trm_kernel_destroy(bytes);
}
END_TEST

START_TEST(spans_of_arguments_are_checked)
{
    struct trm_argument a = trm_arg_f32(1), n = trm_arg_u32(1), of_y = trm_arg_buffer(y);
    struct trm_buffer *dead;

    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 10, &dead), TRM_OK);
    trm_buffer_destroy(dead);
    ck_assert_int_eq(launch_saxpy(trm_arg_span(trm_span_of(x, 16, 400)), of_y, a, n), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "argument 0 \"x\" of kernel \"saxpy\""));
    ck_assert_int_eq(launch_saxpy(trm_arg_span(trm_span_of(x, 8, 8)), of_y, a, n),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(launch_saxpy(trm_arg_buffer(dead), of_y, a, n), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(launch_saxpy(trm_arg_buffer(NULL), of_y, a, n), TRM_ERROR_INVALID_HANDLE);
    ck_assert_uint_eq(store.launches, 0);
    ck_assert_int_eq(launch_saxpy(trm_arg_span(trm_span_of(x, 16, 0)), of_y, a, n), TRM_OK);
    ck_assert_ptr_null(store.last_arguments[0].memory);
    ck_assert_uint_eq(store.last_arguments[0].size, 0);
}
END_TEST

START_TEST(a_launch_stays_on_one_device)
{
    struct store other   = {0};
    struct trm_grid grid = trm_grid_1d(1, 0);
    struct trm_buffer *theirs;

    store_prepare(&other, "other");
    store_open(&other, context);
    struct trm_stream *their_stream = store_stream(&other);
    ck_assert_int_eq(trm_buffer_create(other.device, TRM_MEMORY_DEVICE, 400, &theirs), TRM_OK);
    ck_assert_int_eq(trm_launch(their_stream, empty, &grid, NULL, 0), TRM_ERROR_WRONG_DEVICE);
    ck_assert_int_eq(launch_saxpy(trm_arg_buffer(theirs), trm_arg_buffer(y), trm_arg_f32(1), trm_arg_u32(1)),
                     TRM_ERROR_WRONG_DEVICE);
    trm_buffer_destroy(theirs);
    trm_stream_destroy(their_stream);
    store_close(&other);
}
END_TEST

START_TEST(buffers_destroyed_under_a_launch_stay_until_it_is_done)
{
    struct trm_buffer *doomed;
    struct trm_pool_stats stats = {.struct_size = sizeof(stats)};

    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 4000, &doomed), TRM_OK);
    ck_assert_int_eq(launch_saxpy(trm_arg_buffer(doomed), trm_arg_buffer(y), trm_arg_f32(1), trm_arg_u32(1)),
                     TRM_OK);
    trm_buffer_destroy(doomed);
    ck_assert_int_eq(trm_pool_get_stats(store.device, &stats), TRM_OK);
    ck_assert_uint_eq(stats.used_bytes, 2 * 512 + 4096);
    store_run(stream, UINT64_MAX);
    ck_assert_int_eq(trm_pool_get_stats(store.device, &stats), TRM_OK);
    ck_assert_uint_eq(stats.used_bytes, 2 * 512);
}
END_TEST

/* ---- grids --------------------------------------------------------------------------------- */

START_TEST(grids_beyond_the_device_are_refused)
{
    const struct trm_grid wrong[] = {
        {{1, 1, 65536}, {64, 1, 1}, 0, 0},
        {{UINT32_MAX, UINT32_MAX, 65535}, {64, 1, 1}, 0, 0},
        {{1, 1, 1}, {64, 1, 1}, 4097, 0},
        {{1, 1, 1}, {64, 1, 1}, UINT32_MAX, 0},
    };
    const struct trm_grid wrong_groups[] = {
        {{1, 1, 1}, {1025, 1, 1}, 0, 0},  {{1, 1, 1}, {1, 1, 65}, 0, 0},
        {{1, 1, 1}, {33, 32, 1}, 0, 0},   {{1, 1, 1}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}, 0, 0},
        {{1, 1, 1}, {32, 1, 1}, 4081, 0},
    };
    const struct trm_argument arguments[] = {trm_arg_buffer(x), trm_arg_buffer(y), trm_arg_f32(1),
                                             trm_arg_u32(1)};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert_int_eq(launch_empty(&wrong[i]), TRM_ERROR_OUT_OF_RANGE);
    for (size_t i = 0; i < sizeof(wrong_groups) / sizeof(wrong_groups[0]); i++)
        ck_assert_int_eq(trm_launch(stream, saxpy, &wrong_groups[i], arguments, 4), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(launch_empty(NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(store.launches, 0);
    struct trm_grid most = {{UINT32_MAX, 1, 65535}, {64, 1, 1}, 4096, 0};
    ck_assert_int_eq(launch_empty(&most), TRM_OK);
    struct trm_grid largest = {{1, 1, 1}, {16, 16, 4}, 4080, 0};
    ck_assert_int_eq(trm_launch(stream, saxpy, &largest, arguments, 4), TRM_OK);
}
END_TEST

START_TEST(zeros_in_a_grid_count_as_one_unless_all_are_zero)
{
    struct trm_grid grid = {{0, 3, 0}, {0, 0, 0}, 0, 0};

    ck_assert_int_eq(launch_empty(&grid), TRM_OK);
    ck_assert_uint_eq(store.last_launch.groups[0], 1);
    ck_assert_uint_eq(store.last_launch.groups[1], 3);
    ck_assert_uint_eq(store.last_launch.groups[2], 1);
    ck_assert_uint_eq(store.last_launch.group_size[0], 64);
    ck_assert_uint_eq(store.last_launch.group_size[1], 1);
    grid.groups[1] = 0;
    ck_assert_int_eq(launch_empty(&grid), TRM_OK);
    ck_assert_uint_eq(store.launches, 1);
}
END_TEST

START_TEST(group_sizes_are_the_kernels_or_the_launchs)
{
    const struct trm_argument arguments[] = {trm_arg_buffer(x), trm_arg_buffer(y), trm_arg_f32(1),
                                             trm_arg_u32(1)};
    struct trm_grid grid                  = trm_grid_1d(1, 0);

    ck_assert_int_eq(trm_launch(stream, saxpy, &grid, arguments, 4), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(launch_empty(&grid), TRM_OK);
    grid = trm_grid_1d(1, 32);
    ck_assert_int_eq(trm_launch(stream, saxpy, &grid, arguments, 4), TRM_OK);
    ck_assert_int_eq(launch_empty(&grid), TRM_ERROR_INVALID_ARGUMENT);
    grid = trm_grid_1d(1, 64);
    ck_assert_int_eq(launch_empty(&grid), TRM_OK);
}
END_TEST

START_TEST(a_launch_that_the_backend_refuses_uses_nothing)
{
    store.fail_next = TRM_ERROR_BACKEND;
    ck_assert_int_eq(launch_saxpy(trm_arg_buffer(x), trm_arg_buffer(y), trm_arg_f32(1), trm_arg_u32(1)),
                     TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_buffer_wait(x, 0), TRM_OK);
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    ck_assert_int_eq(launch_saxpy(trm_arg_buffer(x), trm_arg_buffer(y), trm_arg_f32(1), trm_arg_u32(1)),
                     TRM_OK);
    ck_assert_int_eq(trm_stream_get_stats(stream, &stats), TRM_OK);
    ck_assert_uint_eq(stats.launches, 1);
    ck_assert_uint_eq(stats.operations, 1);
}
END_TEST

/* ---- overlaps ------------------------------------------------------------------------------ */

static uint32_t warnings;

static void count_warning(void *user, int32_t level, const char *message)
{
    (void)user;
    warnings += level == TRM_LOG_WARNING && strstr(message, "overlap in 8 bytes") != NULL;
}

/* So does another thread that has looked at the kernel's number of pairs before the warning. */
START_TEST(an_overlap_is_warned_of_once_a_kernel)
{
    struct core_kernel *kernel          = core_kernel_find(saxpy);
    const struct trm_parameter writes[] = {{.name = "x"}, {.name = "y", .access = TRM_ACCESS_WRITE}};
    struct trm_launch_argument spans[]  = {{.kind = TRM_PARAMETER_BUFFER, .offset = 0, .size = 16},
                                           {.kind = TRM_PARAMETER_BUFFER, .offset = 8, .size = 16}};
    struct base_log *log                = &kernel->object.context->log;
    const struct base_log usual         = *log;

    spans[0].memory = spans[1].memory = (struct trm_backend_memory *)&store;
    log->write                        = count_warning;
    log->level                        = TRM_LOG_WARNING;
    warnings                          = 0;
    atomic_store(&kernel->overlap_pairs, CORE_OVERLAP_PAIRS);
    core_launch_warn_of_overlap(kernel, writes, spans, 2);
    ck_assert_uint_eq(warnings, 1);
    ck_assert_int_le(atomic_load(&kernel->overlap_pairs), 0);
    core_launch_warn_of_overlap(kernel, writes, spans, 2);
    ck_assert_uint_eq(warnings, 1);
    *log = usual;
}
END_TEST

START_TEST(overlaps_are_looked_for_in_so_many_pairs)
{
    struct core_kernel *kernel         = core_kernel_find(saxpy);
    const struct trm_parameter reads[] = {{.name = "x"}, {.name = "y"}, {.name = "z"}, {.name = "w"}};
    struct trm_launch_argument spans[4];
    uint32_t looks = 0;

    memset(spans, 0, sizeof(spans));
    for (int i = 0; i < 4; i++)
        spans[i] = (struct trm_launch_argument){.kind = TRM_PARAMETER_BUFFER, .offset = i * 8u, .size = 8};
    ck_assert_int_eq(atomic_load(&kernel->overlap_pairs), 0); /* without kernel.bounds */
    atomic_store(&kernel->overlap_pairs, 30);
    while (atomic_load(&kernel->overlap_pairs) > 0 && looks < 30) {
        core_launch_warn_of_overlap(kernel, reads, spans, 4);
        looks++;
    }
    ck_assert_uint_eq(looks, 3);
    atomic_store(&kernel->overlap_pairs, 30);
    core_launch_warn_of_overlap(kernel, reads, spans, 0); /* nothing to look at */
    ck_assert_int_eq(atomic_load(&kernel->overlap_pairs), 30);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        modules_that_cannot_be_are_refused,
        paths_of_modules_are_absolute_and_end,
        a_kernel_that_is_not_there_is_answered_with_those_that_are,
        a_kernel_is_described_as_its_module_has_it,
        a_module_is_unloaded_when_handle_kernels_and_launches_are_gone,
        a_module_launched_from_many_streams_stays_until_the_last_is_done,
        streams_that_have_ended_leave_their_place_to_others,
        arguments_reach_the_backend_as_they_were_given,
        an_argument_of_another_type_is_refused_by_name,
        the_number_of_arguments_must_be_right,
        more_arguments_than_fit_on_the_stack_arrive_too,
        scalars_of_every_size_arrive_in_the_low_bytes,
        bytes_take_whatever_has_their_size,
        spans_of_arguments_are_checked,
        a_launch_stays_on_one_device,
        buffers_destroyed_under_a_launch_stay_until_it_is_done,
        grids_beyond_the_device_are_refused,
        zeros_in_a_grid_count_as_one_unless_all_are_zero,
        group_sizes_are_the_kernels_or_the_launchs,
        a_launch_that_the_backend_refuses_uses_nothing,
        an_overlap_is_warned_of_once_a_kernel,
        overlaps_are_looked_for_in_so_many_pairs,
    };
    Suite *suite = suite_create("launch");
    TCase *tests = tcase_create("launch");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
