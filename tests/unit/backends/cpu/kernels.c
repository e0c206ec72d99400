/* Modules, kernels, device and memory of the cpu backend.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cpu/host.h"
#include "tests/unit/runner.h"

#include <unistd.h>

#define FOREVER UINT64_MAX

static struct cpu_bench bench;
static struct trm_backend_stream *stream;
static uint64_t last;

static void set_up(void)
{
    bench  = cpu_bench_open("2");
    stream = cpu_bench_stream(&bench, 0);
    last   = 0;
    ck_assert_ptr_nonnull(stream);
}

static void tear_down(void)
{
    bench.stream->destroy(stream);
    cpu_bench_close(&bench);
    ck_assert_int_eq(cpu_host.bytes, 0);
}

/* ---- kernels */

#define MOST_GROUPS 100000

static atomic_uchar visits[MOST_GROUPS];
static atomic_int busy[2];
static atomic_int wrong;
static struct trm_cpu_groups seen;
static _Alignas(16) uint8_t seen_block[64];

/* Checks that every group runs once, and that no two threads have the same worker number at once. */
static int32_t visit(const struct trm_cpu_groups *groups, const void *block)
{
    (void)block;
    if (groups->worker >= 2 || atomic_exchange(&busy[groups->worker], 1) != 0)
        atomic_store(&wrong, 1);
    for (uint64_t i = groups->begin; i < groups->end; i++)
        atomic_fetch_add(&visits[i], 1);
    for (volatile uint64_t i = groups->begin * 20; i < groups->end * 20; i++)
        ;
    if (groups->worker < 2)
        atomic_store(&busy[groups->worker], 0);
    return 0;
}

static int32_t look(const struct trm_cpu_groups *groups, const void *block)
{
    seen = *groups;
    if (groups->scratch_bytes != 0)
        memset(groups->scratch, 0x5a, groups->scratch_bytes);
    if (block != NULL)
        memcpy(seen_block, block, sizeof(seen_block));
    return 0;
}

static int32_t fail_at_500(const struct trm_cpu_groups *groups, const void *block)
{
    (void)block;
    for (uint64_t i = groups->begin; i < groups->end; i++) {
        atomic_fetch_add(&visits[i], 1);
        if (i == 500)
            return -42;
    }
    return 0;
}

static int32_t sum_block(const struct trm_cpu_groups *groups, const void *block)
{
    const struct trm_cpu_buffer *buffers = block;
    uint64_t sum                         = 0;
    (void)groups;
    for (int i = 0; i < 20; i++)
        sum += buffers[i].size;
    *(uint64_t *)buffers[0].data = sum;
    return 0;
}

static const struct trm_parameter mixed[] = {
    {.name = "a", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U8},
    {.name = "b", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F16},
    {.name = "c", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F64},
    {.name = "d", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_I32},
    {.name = "e", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32},
    {.name = "f", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U16},
};

struct mixed_arguments {
    uint8_t a;
    uint16_t b;
    double c;
    int32_t d;
    struct trm_cpu_buffer e;
    uint16_t f;
};

static const struct trm_parameter twenty[20] = {
    [0 ... 19] = {.name = "buffer", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U64},
};

static const struct trm_cpu_kernel kernels[] = {
    {.name = "visit", .function = visit},
    {.name = "visit_in_tens", .function = visit, .grain = 10},
    {.name            = "look",
     .function        = look,
     .parameters      = mixed,
     .parameter_count = 6,
     .shared_bytes    = 100,
     .grain           = 1000}, /* few groups run in one call */
    {.name = "fail", .function = fail_at_500, .grain = 100},
    {.name            = "sum",
     .function        = sum_block,
     .parameters      = twenty,
     .parameter_count = 20,
     .group_size      = {8, 4, 2}},
};

static int32_t launch_and_wait(struct trm_backend_module *module, const char *name, uint32_t x, uint32_t y,
                               uint32_t z)
{
    struct trm_launch_desc desc = cpu_bench_launch(cpu_bench_kernel(&bench, module, name), x);
    desc.groups[1]              = y;
    desc.groups[2]              = z;
    ck_assert_int_eq(bench.stream->launch(stream, ++last, &desc), TRM_OK);
    return bench.stream->wait(stream, last, FOREVER);
}

static void check_visits(uint32_t count)
{
    ck_assert_int_eq(atomic_load(&wrong), 0);
    for (uint32_t i = 0; i < MOST_GROUPS; i++) {
        int visited = atomic_exchange(&visits[i], 0);
        if (visited != (i < count ? 1 : 0)) /* an assertion of Check costs a write each time */
            ck_abort_msg("group %u of %u was visited %d times", i, count, visited);
    }
}

START_TEST(every_group_of_a_launch_runs_once)
{
    struct trm_backend_module *module = cpu_bench_module(&bench, kernels, sizeof(kernels));
    const char *name                  = _i == 0 ? "visit" : "visit_in_tens";
    static const uint32_t shapes[][3] = {{1, 1, 1},  {2, 1, 1},      {1, 3, 1},    {7, 11, 13},
                                         {19, 1, 1}, {100000, 1, 1}, {10, 10, 10}, {1, 1, 99999}};
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
            const uint32_t *shape = shapes[i];
            ck_assert_int_eq(launch_and_wait(module, name, shape[0], shape[1], shape[2]), TRM_OK);
            check_visits(shape[0] * shape[1] * shape[2]);
        }
    bench.module->unload(module);
}
END_TEST

START_TEST(arguments_lie_as_in_a_c_struct)
{
    struct mixed_arguments expected = {.a = 250, .b = 0x3c00, .c = 2.5, .d = -7, .f = 65000};
    uint8_t *data;
    struct trm_backend_module *module       = cpu_bench_module(&bench, kernels, sizeof(kernels));
    struct trm_backend_memory *memory       = cpu_bench_memory(&bench, 256, &data);
    struct trm_launch_argument arguments[6] = {
        {.kind = TRM_PARAMETER_SCALAR, .size = 1, .scalar = 250},
        {.kind = TRM_PARAMETER_SCALAR, .size = 2, .scalar = 0x3c00},
        {.kind = TRM_PARAMETER_SCALAR, .size = 8, .scalar = 0x4004000000000000},
        {.kind = TRM_PARAMETER_SCALAR, .size = 4, .scalar = (uint32_t)-7},
        {.kind = TRM_PARAMETER_BUFFER, .memory = memory, .offset = 16, .size = 100},
        {.kind = TRM_PARAMETER_SCALAR, .size = 2, .scalar = 65000},
    };
    struct trm_launch_desc desc = cpu_bench_launch(cpu_bench_kernel(&bench, module, "look"), 5);
    desc.groups[1]              = 2;
    desc.group_size[0]          = 4;
    desc.shared_bytes           = 28;
    desc.arguments              = arguments;
    desc.argument_count         = 6;
    ck_assert_int_eq(bench.stream->launch(stream, ++last, &desc), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(stream, last, FOREVER), TRM_OK);
    const struct mixed_arguments *got = (const void *)seen_block;
    ck_assert_uint_eq(got->a, expected.a);
    ck_assert_uint_eq(got->b, expected.b);
    ck_assert(got->c == expected.c);
    ck_assert_int_eq(got->d, expected.d);
    ck_assert_ptr_eq(got->e.data, data + 16);
    ck_assert_uint_eq(got->e.size, 100);
    ck_assert_uint_eq(got->f, expected.f);
    ck_assert_uint_eq(seen.struct_size, sizeof(seen));
    ck_assert_uint_eq(seen.groups[0], 5);
    ck_assert_uint_eq(seen.groups[1], 2);
    ck_assert_uint_eq(seen.group_size[0], 4);
    ck_assert_uint_eq(seen.end, 10);
    ck_assert_uint_eq(seen.scratch_bytes, 128);
    ck_assert_uint_eq((uintptr_t)seen.scratch % 64, 0);

    arguments[4].memory = NULL;
    arguments[4].size   = 0;
    ck_assert_int_eq(bench.stream->launch(stream, ++last, &desc), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(stream, last, FOREVER), TRM_OK);
    ck_assert_ptr_null(got->e.data);
    bench.memory->free(memory);
    bench.module->unload(module);
}
END_TEST

START_TEST(many_arguments_are_kept_too)
{
    uint8_t *data;
    struct trm_backend_module *module        = cpu_bench_module(&bench, kernels, sizeof(kernels));
    struct trm_backend_memory *memory        = cpu_bench_memory(&bench, 256, &data);
    struct trm_launch_argument arguments[20] = {0};
    struct trm_launch_desc desc              = cpu_bench_launch(cpu_bench_kernel(&bench, module, "sum"), 1);
    for (uint32_t i = 0; i < 20; i++)
        arguments[i] =
            (struct trm_launch_argument){.kind = TRM_PARAMETER_BUFFER, .memory = memory, .size = i + 1};
    desc.arguments      = arguments;
    desc.argument_count = 20;
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(bench.stream->launch(stream, ++last, &desc), TRM_OK);
    memset(arguments, 0, sizeof(arguments)); /* they were copied */
    ck_assert_int_eq(bench.stream->wait(stream, last, FOREVER), TRM_OK);
    ck_assert_uint_eq(*(uint64_t *)data, 210);
    bench.memory->free(memory);
    bench.module->unload(module);
}
END_TEST

START_TEST(a_kernel_that_fails_skips_the_groups_not_yet_begun)
{
    struct trm_backend_module *module = cpu_bench_module(&bench, kernels, sizeof(kernels));
    int visited                       = 0;
    ck_assert_int_eq(launch_and_wait(module, "fail", MOST_GROUPS, 1, 1), TRM_ERROR_KERNEL);
    ck_assert_int_eq(cpu_host_code, -42);
    for (uint32_t i = 0; i < MOST_GROUPS; i++)
        visited += atomic_load(&visits[i]);
    ck_assert_int_lt(visited, MOST_GROUPS);
    ck_assert_int_eq(atomic_load(&visits[500]), 1);
    bench.module->unload(module);
}
END_TEST

START_TEST(a_launch_without_memory_for_its_scratch_fails_the_stream)
{
    struct trm_backend_module *module = cpu_bench_module(&bench, kernels, sizeof(kernels));
    struct trm_launch_desc desc       = cpu_bench_launch(cpu_bench_kernel(&bench, module, "visit"), 1);
    desc.shared_bytes                 = 4000;
    atomic_store(&cpu_host.refuse_at, 1); /* the operation itself fits the stream's first slots */
    ck_assert_int_eq(bench.stream->launch(stream, ++last, &desc), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(stream, last, FOREVER), TRM_ERROR_OUT_OF_HOST_MEMORY);
    atomic_store(&cpu_host.refuse_at, 0);
    bench.module->unload(module);
}
END_TEST

/* ---- modules */

static int32_t load(int32_t format, const void *data, uint64_t size)
{
    struct trm_module_source source = {
        .struct_size = sizeof(source), .format = format, .data = data, .size = size, .name = "the module"};
    struct trm_backend_module *module = NULL;
    int32_t status                    = bench.module->load(bench.device, &source, &module);
    if (status == TRM_OK)
        bench.module->unload(module);
    return status;
}

static int32_t load_one(struct trm_cpu_kernel kernel)
{
    return load(TRM_MODULE_FUNCTIONS, &kernel, sizeof(kernel));
}

START_TEST(a_table_of_kernels_is_checked)
{
    static const struct trm_parameter no_type[] = {{.name = "x", .kind = TRM_PARAMETER_SCALAR}};
    static const struct trm_parameter no_kind[] = {{.name = "x", .type = TRM_TYPE_U8}};
    static const struct trm_parameter no_name[] = {{.kind = TRM_PARAMETER_BUFFER}};
    struct trm_cpu_kernel good                  = {.name = "k", .function = visit};
    struct trm_cpu_kernel twice[2]              = {good, good};
    ck_assert_int_eq(load_one(good), TRM_OK);
    ck_assert_int_eq(load_one((struct trm_cpu_kernel){.function = visit}), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(load_one((struct trm_cpu_kernel){.name = "k"}), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(cpu_host_sentence, "Module 'the module': kernel 'k' has no function.");
    ck_assert_int_eq(load(TRM_MODULE_FUNCTIONS, twice, sizeof(twice)), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(load(TRM_MODULE_FUNCTIONS, &good, sizeof(good) - 1), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(load(TRM_MODULE_FUNCTIONS, &good, 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(load(77, &good, sizeof(good)), TRM_ERROR_UNSUPPORTED);
    good.parameter_count = 1;
    ck_assert_int_eq(load_one(good), TRM_ERROR_INVALID_ARGUMENT);
    good.parameters = no_type;
    ck_assert_int_eq(load_one(good), TRM_ERROR_INVALID_ARGUMENT);
    good.parameters = no_kind;
    ck_assert_int_eq(load_one(good), TRM_ERROR_INVALID_ARGUMENT);
    good.parameters = no_name;
    ck_assert_int_eq(load_one(good), TRM_ERROR_INVALID_ARGUMENT);
    good.parameters      = mixed;
    good.parameter_count = 257;
    ck_assert_int_eq(load_one(good), TRM_ERROR_INVALID_ARGUMENT);
    good.parameter_count = 6;
    ck_assert_int_eq(load_one(good), TRM_OK);
    good.group_size[0] = good.group_size[1] = good.group_size[2] = 1u << 20;
    ck_assert_int_eq(load_one(good), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(a_module_tells_its_kernels)
{
    struct trm_backend_module *module = cpu_bench_module(&bench, kernels, sizeof(kernels));
    struct trm_backend_kernel *kernel = NULL;
    struct trm_kernel_desc desc       = {.struct_size = sizeof(desc)};
    ck_assert_int_eq(bench.module->kernel(module, "sum", &kernel, &desc), TRM_OK);
    ck_assert_uint_eq(desc.parameter_count, 20);
    ck_assert_ptr_eq(desc.parameters, twenty);
    ck_assert_uint_eq(desc.group_size[1], 4);
    ck_assert_int_eq(bench.module->kernel(module, "product", &kernel, &desc), TRM_ERROR_NOT_FOUND);
    ck_assert_str_eq(bench.module->kernel_name(module, 2), "look");
    ck_assert_ptr_null(bench.module->kernel_name(module, 5));
    bench.module->unload(module);
}
END_TEST

START_TEST(a_shared_object_is_loaded_when_it_may_be)
{
    static const char path[] = CPU_OBJECT;
    uint8_t *data;
    struct trm_backend_memory *memory   = cpu_bench_memory(&bench, 400, &data);
    struct trm_module_source source     = {.struct_size = sizeof(source),
                                           .format      = TRM_MODULE_SHARED_OBJECT,
                                           .data        = path,
                                           .size        = sizeof(path),
                                           .name        = "object"};
    struct trm_launch_argument argument = {.kind = TRM_PARAMETER_BUFFER, .memory = memory, .size = 400};
    struct trm_backend_module *module   = NULL;
    memset(data, 0, 400);
    ck_assert_int_eq(bench.module->load(bench.device, &source, &module), TRM_OK);
    struct trm_launch_desc desc = cpu_bench_launch(cpu_bench_kernel(&bench, module, "add_one"), 100);
    desc.arguments              = &argument;
    desc.argument_count         = 1;
    ck_assert_int_eq(bench.stream->launch(stream, ++last, &desc), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(stream, last, FOREVER), TRM_OK);
    ck_assert_uint_eq(((uint32_t *)data)[0], 1);
    ck_assert_uint_eq(((uint32_t *)data)[99], 1);
    bench.module->unload(module);
    bench.memory->free(memory);
}
END_TEST

START_TEST(a_shared_object_that_is_none_is_refused)
{
    ck_assert_int_eq(load(TRM_MODULE_SHARED_OBJECT, "cpu_object.so", 14), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(load(TRM_MODULE_SHARED_OBJECT, "/no/zero", 8), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(load(TRM_MODULE_SHARED_OBJECT, "/untrusted.so", 14), TRM_ERROR_PERMISSION);
    ck_assert_int_eq(load(TRM_MODULE_SHARED_OBJECT, "/does/not/exist.so", 19), TRM_ERROR_BACKEND);
    ck_assert_int_eq(load(TRM_MODULE_SHARED_OBJECT, "/lib64/ld-linux-x86-64.so.2", 28) == TRM_OK, 0);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("cpu kernels");
    TCase *tests = tcase_create("kernels");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, every_group_of_a_launch_runs_once, 0, 2);
    tcase_add_test(tests, arguments_lie_as_in_a_c_struct);
    tcase_add_test(tests, many_arguments_are_kept_too);
    tcase_add_test(tests, a_kernel_that_fails_skips_the_groups_not_yet_begun);
    tcase_add_test(tests, a_launch_without_memory_for_its_scratch_fails_the_stream);
    tcase_add_test(tests, a_table_of_kernels_is_checked);
    tcase_add_test(tests, a_module_tells_its_kernels);
    tcase_add_test(tests, a_shared_object_is_loaded_when_it_may_be);
    tcase_add_test(tests, a_shared_object_that_is_none_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
