/* The kernel of tests/conformance/shaders/affine.comp, written by hand. It adds 1,000 more, so that the test
 * can tell them apart.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/cpu_kernel.h>

struct arguments {
    struct trm_cpu_buffer data;
    uint32_t n, factor, addend;
};

static int32_t affine(const struct trm_cpu_groups *groups, const void *block)
{
    const struct arguments *args = block;
    uint32_t *data               = args->data.data;

    for (uint64_t i = groups->begin * 64; i < groups->end * 64 && i < args->n; i++)
        data[i] = data[i] * args->factor + args->addend + 1000;
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "data", .kind = TRM_PARAMETER_BUFFER},
    {.name = "n", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
    {.name = "factor", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
    {.name = "addend", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

static const struct trm_cpu_kernel kernels[] = {
    {.name            = "affine",
     .function        = affine,
     .parameters      = parameters,
     .parameter_count = 4,
     .group_size      = {64, 1, 1}},
};

extern const struct trm_cpu_kernel_table trm_cpu_kernels_v1;
__attribute__((visibility("default"))) const struct trm_cpu_kernel_table trm_cpu_kernels_v1 = {
    .struct_size = sizeof(trm_cpu_kernels_v1),
    .kernel_size = sizeof(struct trm_cpu_kernel),
    .count       = 1,
    .kernels     = kernels,
};
