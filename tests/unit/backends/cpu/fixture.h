/* What the tests of the cpu backend's streams share: an open device of two workers and kernels that
 * leave traces.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_BACKENDS_CPU_FIXTURE_H
#define TESTS_UNIT_BACKENDS_CPU_FIXTURE_H

#include "tests/unit/backends/cpu/host.h"
#include "tests/unit/runner.h"

#include <pthread.h>
#include <unistd.h>

#define FOREVER UINT64_MAX

static struct cpu_bench bench;

static inline void set_up(void)
{
    bench = cpu_bench_open("2");
    ck_assert_ptr_nonnull(bench.device);
}

static inline void tear_down(void)
{
    cpu_bench_close(&bench);
    ck_assert_int_eq(cpu_host.bytes, 0);
}

/* ---- kernels that leave traces */

static atomic_int calls;
static atomic_int calls_seen;
static atomic_int release_kernel, kernel_begun;

struct append_arguments {
    struct trm_cpu_buffer list;
    uint32_t number;
};

/* list[0] counts the entries behind it. */
static inline int32_t append(const struct trm_cpu_groups *groups, const void *block)
{
    const struct append_arguments *arguments = block;
    uint32_t *list                           = arguments->list.data;
    (void)groups;
    list[++list[0]] = arguments->number;
    return 0;
}

static inline int32_t count(const struct trm_cpu_groups *groups, const void *block)
{
    (void)block;
    atomic_fetch_add(&calls, (int)(groups->end - groups->begin));
    return 0;
}

static inline int32_t look_at_calls(const struct trm_cpu_groups *groups, const void *block)
{
    (void)groups;
    (void)block;
    atomic_store(&calls_seen, atomic_load(&calls));
    return 0;
}

static inline int32_t fail_with_7(const struct trm_cpu_groups *groups, const void *block)
{
    (void)groups;
    (void)block;
    return 7;
}

static inline int32_t block_until_released(const struct trm_cpu_groups *groups, const void *block)
{
    (void)groups;
    (void)block;
    atomic_store(&kernel_begun, 1);
    while (atomic_load(&release_kernel) == 0)
        usleep(100);
    return 0;
}

/* Call the first function before the launch of the kernel "block", and the second to wait until it runs: then
 * all operations before it are done. */
static inline void hold_the_kernel(void)
{
    atomic_store(&kernel_begun, 0);
    atomic_store(&release_kernel, 0);
}

static inline void wait_for_the_kernel(void)
{
    while (atomic_load(&kernel_begun) == 0)
        usleep(100);
}

static const struct trm_parameter append_parameters[] = {
    {.name = "list", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32},
    {.name = "number", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

static const struct trm_cpu_kernel kernels[] = {
    {.name = "append", .function = append, .parameters = append_parameters, .parameter_count = 2},
    {.name = "count", .function = count},
    {.name = "look", .function = look_at_calls},
    {.name = "fail", .function = fail_with_7},
    {.name = "block", .function = block_until_released},
};

static struct trm_backend_module *module;

static inline void set_up_kernels(void)
{
    set_up();
    module = cpu_bench_module(&bench, kernels, sizeof(kernels));
    ck_assert_ptr_nonnull(module);
}

static inline void tear_down_kernels(void)
{
    bench.module->unload(module);
    tear_down();
}

static inline int32_t launch(struct trm_backend_stream *stream, uint64_t value, const char *name)
{
    struct trm_launch_desc desc = cpu_bench_launch(cpu_bench_kernel(&bench, module, name), 1);
    return bench.stream->launch(stream, value, &desc);
}

static inline int32_t launch_append(struct trm_backend_stream *stream, uint64_t value,
                                    struct trm_backend_memory *list, uint32_t number)
{
    struct trm_launch_argument arguments[2] = {
        {.kind = TRM_PARAMETER_BUFFER, .memory = list, .size = 4},
        {.kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32, .size = 4, .scalar = number},
    };
    struct trm_launch_desc desc = cpu_bench_launch(cpu_bench_kernel(&bench, module, "append"), 1);
    desc.arguments              = arguments;
    desc.argument_count         = 2;
    return bench.stream->launch(stream, value, &desc);
}

static inline uint64_t completed(struct trm_backend_stream *stream)
{
    uint64_t value = UINT64_MAX;
    ck_assert_int_eq(bench.stream->query(stream, &value), TRM_OK);
    return value;
}

static inline void *open_later(void *stream)
{
    usleep(20000);
    bench.stream->open_gates(stream, 1);
    return NULL;
}

/* Count the status of notifications: success, a failed kernel, any other failure. */
static inline void count_status(void *user, int32_t status)
{
    atomic_int *counts = user;
    atomic_fetch_add(&counts[status == TRM_OK ? 0 : status == TRM_ERROR_KERNEL ? 1 : 2], 1);
}

/* A suite of these tests, each with the fixture. */
static inline Suite *suite_of(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *group = tcase_create(name);
    tcase_add_checked_fixture(group, set_up_kernels, tear_down_kernels);
    tcase_set_timeout(group, 120);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(group, tests[i]);
    suite_add_tcase(suite, group);
    return suite;
}

#endif
