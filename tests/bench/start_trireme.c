/* Trireme from nothing to its first kernel, and doing nothing afterwards. Without an argument it measures no
 * case: that is what `trireme bench` does.
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include <stdio.h>

static struct trm_context *context;
static struct trm_device *device;
static struct trm_stream *stream;
static struct trm_module *module;
static struct trm_kernel *kernel;

static int32_t nothing(const struct trm_cpu_groups *groups, const void *arguments)
{
    (void)groups;
    (void)arguments;
    return 0;
}

static const struct trm_cpu_kernel kernels[] = {{.name = "nothing", .function = nothing}};

static void must(int32_t status)
{
    if (status != TRM_OK)
        measure_fail(trm_last_error().sentence);
}

static int open_trireme(void)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_FUNCTIONS,
                                   .data        = kernels,
                                   .size        = sizeof(kernels),
                                   .name        = "start"};

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    must(trm_module_load(device, &desc, &module));
    must(trm_kernel_get(module, "nothing", &kernel));
    return 0;
}

static void first_kernel(void)
{
    struct trm_grid grid = trm_grid_1d(1, 1);

    must(trm_launch(stream, kernel, &grid, NULL, 0));
    must(trm_stream_sync(stream));
}

static void close_trireme(void)
{
    trm_kernel_destroy(kernel);
    trm_module_destroy(module);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
}

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = "trireme",
        .open         = open_trireme,
        .first_kernel = first_kernel,
        .close        = close_trireme,
    };

    return measure_main(argc, argv, &peer);
}
