/* Kernels as SPIR-V, for tests on any device.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/kernels.h"

#include "tests/device/checks.h"

static const uint32_t affine_words[] = {
#include "tests/conformance/shaders/kernels/affine.inc"
};

static const uint32_t spread_words[] = {
#include "tests/conformance/shaders/kernels/spread.inc"
};

static const uint32_t dawdle_words[] = {
#include "tests/conformance/shaders/kernels/dawdle.inc"
};

static const uint32_t hang_words[] = {
#include "tests/conformance/shaders/hang.inc"
};

static int32_t load(struct trm_device *device, const uint32_t *words, uint64_t size,
                    struct trm_kernel **kernel)
{
    struct trm_module_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_SPIRV, .data = words, .size = size};
    struct trm_module *module = NULL;
    int32_t status            = trm_module_load(device, &desc, &module);
    if (status == TRM_OK)
        status = trm_kernel_get(module, NULL, kernel);
    trm_module_destroy(module);
    return status;
}

int32_t affine_load(struct trm_device *device, struct trm_kernel **kernel)
{
    return load(device, affine_words, sizeof(affine_words), kernel);
}

int32_t spread_load(struct trm_device *device, struct trm_kernel **kernel)
{
    return load(device, spread_words, sizeof(spread_words), kernel);
}

int32_t spread_load_group(struct trm_group *group, struct trm_group_kernel **kernel)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_SPIRV,
                                   .data        = spread_words,
                                   .size        = sizeof(spread_words)};
    return trm_group_kernel_load(group, &desc, NULL, kernel);
}

int32_t dawdle_load(struct trm_device *device, struct trm_kernel **kernel)
{
    return load(device, dawdle_words, sizeof(dawdle_words), kernel);
}

int32_t hang_load(struct trm_device *device, struct trm_kernel **kernel)
{
    return load(device, hang_words, sizeof(hang_words), kernel);
}

struct trm_kernel *affine_on(struct trm_device *device)
{
    struct trm_kernel *kernel = NULL;
    ck_ok(affine_load(device, &kernel));
    return kernel;
}

int32_t affine_launch(struct trm_stream *stream, struct trm_kernel *kernel, struct trm_buffer *data,
                      uint32_t n, uint32_t factor, uint32_t addend)
{
    struct trm_argument arguments[] = {trm_arg_buffer(data), trm_arg_u32(n), trm_arg_u32(factor),
                                       trm_arg_u32(addend)};
    struct trm_grid grid            = trm_grid_1d((n + 63) / 64, 0);
    return trm_launch(stream, kernel, &grid, arguments, 4);
}
