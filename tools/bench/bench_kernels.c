/* Trireme: the kernels that `trireme bench` launches.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench.h"

#include <trireme/cpu_kernel.h>

struct post_arguments {
    uint64_t semaphore;
};

static int32_t empty_kernel(const struct trm_cpu_groups *groups, const void *arguments)
{
    (void)groups;
    (void)arguments;
    return 0;
}

static int32_t post_kernel(const struct trm_cpu_groups *groups, const void *block)
{
    const struct post_arguments *arguments = block;

    (void)groups;
    return sem_post((sem_t *)(uintptr_t)arguments->semaphore);
}

static const struct trm_parameter post_parameters[] = {
    {.name = "semaphore", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U64},
};

static const struct trm_cpu_kernel kernels[] = {
    {.name = "empty", .function = empty_kernel},
    {.name = "post", .function = post_kernel, .parameters = post_parameters, .parameter_count = 1},
};

/* Loads a built-in kernel as `empty`. If the device cannot load it, the cases that need it are skipped. */
static int32_t load_portable(struct bench *bench)
{
    if (trm_kernel_named(bench->device, "fill", NULL, 0, &bench->empty) != TRM_OK) {
        bench->empty = NULL;
        return TRM_OK;
    }
    return trm_buffer_create(bench->device, TRM_MEMORY_DEVICE, 256, &bench->dummy);
}

int32_t bench_load_kernels(struct bench *bench)
{
    const struct trm_module_desc desc = {
        .struct_size = sizeof(desc),
        .format      = TRM_MODULE_FUNCTIONS,
        .data        = kernels,
        .size        = sizeof(kernels),
        .name        = "trireme bench",
    };
    int32_t status;

    if (trm_module_supported(bench->device, TRM_MODULE_FUNCTIONS) != TRM_OK) {
        status = load_portable(bench);
        if (status != TRM_OK)
            bench_unload_kernels(bench);
        return status;
    }
    status = trm_module_load(bench->device, &desc, &bench->module);
    if (status != TRM_OK)
        return status;
    status = trm_kernel_get(bench->module, "empty", &bench->empty);
    if (status == TRM_OK)
        status = trm_kernel_get(bench->module, "post", &bench->post);
    if (status != TRM_OK)
        bench_unload_kernels(bench);
    return status;
}

struct trm_module_desc bench_chain_desc(const struct trm_constant *links)
{
    return (struct trm_module_desc){
        .struct_size    = sizeof(struct trm_module_desc),
        .format         = TRM_MODULE_NAMED,
        .data           = "fma_chain",
        .size           = sizeof("fma_chain"),
        .constants      = links,
        .constant_count = 1,
    };
}

int32_t bench_built_in(struct bench *bench, int32_t status)
{
    if (status != TRM_ERROR_NOT_FOUND)
        return status;
    bench->complaint = "the built-in kernels are not installed";
    return TRM_ERROR_UNSUPPORTED;
}

void bench_unload_kernels(struct bench *bench)
{
    trm_kernel_destroy(bench->post);
    trm_kernel_destroy(bench->empty);
    trm_buffer_destroy(bench->dummy);
    trm_module_destroy(bench->module);
    bench->post = bench->empty = NULL;
    bench->dummy               = NULL;
    bench->module              = NULL;
}
