/* A shared object of kernels, as a user would build one, for the test that loads it.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/cpu_kernel.h>

static int32_t add_one(const struct trm_cpu_groups *groups, const void *block)
{
    const struct trm_cpu_buffer *data = block;
    uint32_t *numbers                 = data->data;
    for (uint64_t i = groups->begin; i < groups->end; i++)
        numbers[i] += 1;
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "data", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32},
};

static const struct trm_cpu_kernel kernels[] = {
    {.name = "add_one", .function = add_one, .parameters = parameters, .parameter_count = 1},
};

TRM_API const struct trm_cpu_kernel_table trm_cpu_kernels_v1 = {
    .struct_size = sizeof(struct trm_cpu_kernel_table),
    .kernel_size = sizeof(struct trm_cpu_kernel),
    .count       = 1,
    .kernels     = kernels,
};
