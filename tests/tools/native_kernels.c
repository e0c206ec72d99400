/* Kernels of the cpu in C, for the tests of `trireme check`: each fails in its own way.
 *
 *     right       y[i] = i
 *     counting    numbers its calls, so that no two runs are the same
 *     pairs       the same in structs of two integers
 *     huge        the same as doubles, of which the first is 1e300
 *     crashing    writes to address 0
 *     exiting     ends the process with status 0
 *     endless     never returns
 *     printing    writes to standard output
 *     refusing    fails with a native code
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdio.h>
#include <trireme/cpu_kernel.h>
#include <unistd.h>

struct arguments {
    struct trm_cpu_buffer y;
    uint32_t n;
};

static uint32_t itself(uint64_t i)
{
    return (uint32_t)i;
}

static uint32_t next_call(uint64_t i)
{
    static _Atomic uint32_t calls;

    (void)i;
    return atomic_fetch_add(&calls, 1);
}

static int32_t fill(const struct trm_cpu_groups *groups, const void *block, uint32_t (*value)(uint64_t i))
{
    const struct arguments *arguments = block;
    uint32_t *y                       = arguments->y.data;
    uint64_t items                    = groups->group_size[0];

    for (uint64_t i = groups->begin * items; i < groups->end * items && i < arguments->n; i++)
        y[i] = value(i);
    return 0;
}

static int32_t right(const struct trm_cpu_groups *groups, const void *block)
{
    return fill(groups, block, itself);
}

static int32_t counting(const struct trm_cpu_groups *groups, const void *block)
{
    return fill(groups, block, next_call);
}

static int32_t pairs(const struct trm_cpu_groups *groups, const void *block)
{
    const struct arguments *arguments = block;
    uint32_t(*y)[2]                   = arguments->y.data;
    uint64_t items                    = groups->group_size[0];

    for (uint64_t i = groups->begin * items; i < groups->end * items && i < arguments->n; i++) {
        y[i][0] = (uint32_t)i;
        y[i][1] = next_call(i);
    }
    return 0;
}

static int32_t huge(const struct trm_cpu_groups *groups, const void *block)
{
    const struct arguments *arguments = block;
    double *y                         = arguments->y.data;
    uint64_t items                    = groups->group_size[0];

    for (uint64_t i = groups->begin * items; i < groups->end * items && i < arguments->n; i++)
        y[i] = i == 0 ? 1e300 : next_call(i);
    return 0;
}

static int32_t crashing(const struct trm_cpu_groups *groups, const void *block)
{
    int *volatile nowhere = NULL;

    (void)groups;
    (void)block;
    *nowhere = 1;
    return 0;
}

static int32_t exiting(const struct trm_cpu_groups *groups, const void *block)
{
    (void)groups;
    (void)block;
    _exit(0);
}

static int32_t endless(const struct trm_cpu_groups *groups, const void *block)
{
    volatile int is_waiting = 1;

    (void)groups;
    (void)block;
    while (is_waiting)
        pause();
    return 0;
}

static int32_t printing(const struct trm_cpu_groups *groups, const void *block)
{
    puts("printed by a kernel");
    return right(groups, block);
}

static int32_t refusing(const struct trm_cpu_groups *groups, const void *block)
{
    (void)groups;
    (void)block;
    return 42;
}

static const struct trm_parameter parameters[] = {
    {.name   = "y",
     .kind   = TRM_PARAMETER_BUFFER,
     .type   = TRM_TYPE_U32,
     .access = TRM_ACCESS_WRITE,
     .stride = 4},
    {.name = "n", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32, .size = 4},
};

static const struct trm_parameter pair_parameters[] = {
    {.name = "y", .kind = TRM_PARAMETER_BUFFER, .access = TRM_ACCESS_WRITE, .stride = 8},
    {.name = "n", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32, .size = 4},
};

static const struct trm_parameter huge_parameters[] = {
    {.name   = "y",
     .kind   = TRM_PARAMETER_BUFFER,
     .type   = TRM_TYPE_F64,
     .access = TRM_ACCESS_WRITE,
     .stride = 8},
    {.name = "n", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32, .size = 4},
};

#define KERNEL_WITH(function_, parameters_)                                                          \
    {                                                                                                \
        .name = #function_, .function = (function_), .parameters = (parameters_),                    \
        .parameter_count = sizeof(parameters_) / sizeof((parameters_)[0]), .group_size = {64, 1, 1}, \
    }
#define KERNEL(function_) KERNEL_WITH(function_, parameters)

static const struct trm_cpu_kernel kernels[] = {
    KERNEL(right),
    KERNEL(counting),
    KERNEL_WITH(pairs, pair_parameters),
    KERNEL_WITH(huge, huge_parameters),
    KERNEL(crashing),
    KERNEL(exiting),
    KERNEL(printing),
    KERNEL(endless),
    KERNEL(refusing),
};

TRM_API extern const struct trm_cpu_kernel_table trm_cpu_kernels_v1;
const struct trm_cpu_kernel_table trm_cpu_kernels_v1 = {
    .struct_size = sizeof(trm_cpu_kernels_v1),
    .kernel_size = sizeof(kernels[0]),
    .count       = sizeof(kernels) / sizeof(kernels[0]),
    .kernels     = kernels,
};
