/* Trireme: `trireme check` runs a built-in kernel, with and without its precompiled code.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/device.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t counts[] = {1, 255, 256, 257, 10007, 262145};

enum {
    COUNTS       = sizeof(counts) / sizeof(counts[0]),
    QUICK_COUNTS = 4,
};

/* Small integers, so that every device computes exactly the same floats. */
static float x_of(uint32_t i)
{
    return (float)(i % 1000);
}

static float y_of(uint32_t i)
{
    return (float)(i % 77);
}

static int32_t launch(struct device_check *it, struct trm_kernel *kernel, struct trm_buffer *const xy[2],
                      uint32_t count)
{
    const struct trm_argument arguments[] = {trm_arg_buffer(xy[0]), trm_arg_buffer(xy[1]), trm_arg_f32(3),
                                             trm_arg_u32(count)};
    struct trm_grid grid;
    int32_t status = trm_kernel_grid(kernel, count, 1, 1, &grid);

    return status == TRM_OK ? trm_launch(it->stream, kernel, &grid, arguments, 4) : status;
}

/* y = 3 x + y on the device; `y` has the operand first and the result afterwards. */
static int32_t compute(struct device_check *it, struct trm_kernel *kernel, const float *x, float *y,
                       uint32_t count)
{
    struct trm_buffer *xy[2]      = {NULL, NULL};
    struct trm_buffer_desc first  = {.struct_size = sizeof(first), .size = count * sizeof(*x), .data = x};
    struct trm_buffer_desc second = first;
    int32_t status;

    second.data = y;
    status      = trm_buffer_create_from(it->device, &first, &xy[0]);
    if (status == TRM_OK)
        status = trm_buffer_create_from(it->device, &second, &xy[1]);
    if (status == TRM_OK)
        status = launch(it, kernel, xy, count);
    if (status == TRM_OK)
        status = trm_download(it->stream, y, trm_span_whole(xy[1]));
    if (status == TRM_OK)
        status = trm_stream_sync(it->stream);
    trm_buffer_destroy(xy[0]);
    trm_buffer_destroy(xy[1]);
    return status;
}

static bool is_right(struct device_check *it, const char *topic, const float *y, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        float right = 3 * x_of(i) + y_of(i);

        if (y[i] == right)
            continue;
        report_add(it->report, FINDING_FAILED, topic,
                   "The device or its driver computes wrong: try another version of the driver.",
                   "axpy of %u elements: element %u is %g instead of %g", count, i, (double)y[i],
                   (double)right);
        return false;
    }
    return true;
}

/* Returns false after a finding. */
static bool run_count(struct device_check *it, struct trm_kernel *kernel, const char *topic, uint32_t count)
{
    float *x = output_allocate(count, sizeof(*x)), *y = output_allocate(count, sizeof(*y));
    bool is_fine = false;

    for (uint32_t i = 0; i < count; i++) {
        x[i] = x_of(i);
        y[i] = y_of(i);
    }
    if (compute(it, kernel, x, y, count) != TRM_OK)
        report_failure(it->report, topic, "axpy cannot be run");
    else
        is_fine = is_right(it, topic, y, count);
    free(x);
    free(y);
    return is_fine;
}

void device_check_kernel(struct device_check *it)
{
    int number = it->check->options.is_quick ? QUICK_COUNTS : COUNTS;
    struct trm_kernel *kernel;

    report_begin(it->report, "running a built-in kernel");
    if (!device_takes_kernels(it)) {
        report_add(it->report, FINDING_ABSENT, "kernel", NULL, "the backend takes no portable kernels");
        return;
    }
    if (trm_kernel_named(it->device, "axpy", NULL, 0, &kernel) != TRM_OK) {
        report_failure(it->report, "kernel", "axpy cannot be loaded");
        return;
    }
    int done = 0;
    while (done < number && run_count(it, kernel, "kernel", counts[done]))
        done++;
    if (done == number)
        report_add(it->report, FINDING_OK, "kernel", NULL,
                   "axpy of 1 to %u elements gives what the host computes", counts[number - 1]);
    trm_kernel_destroy(kernel);
}

/* ---- compiling ---- */

/* The SPIR-V of axpy as if it were the user's, so that no code of the library stands in for it. */
static int32_t compile(struct device_check *it, struct trm_kernel **kernel)
{
    struct trm_shader_desc named = {
        .struct_size = sizeof(named), .format = TRM_MODULE_NAMED, .data = "axpy", .size = sizeof("axpy")};
    struct trm_module_desc words = {.struct_size = sizeof(words), .format = TRM_MODULE_SPIRV, .name = "axpy"};
    struct trm_shader *shader    = NULL;
    struct trm_module *module    = NULL;
    int32_t status               = trm_shader_create(it->context, &named, &shader);

    if (status == TRM_OK)
        status = trm_shader_bytes(shader, &words.data, &words.size);
    if (status == TRM_OK)
        status = trm_module_load(it->device, &words, &module);
    if (status == TRM_OK)
        status = trm_kernel_get(module, NULL, kernel);
    trm_module_destroy(module);
    trm_shader_destroy(shader);
    return status;
}

static const char *compiler_remedy(const struct device_check *it)
{
    if (strcmp(it->summary->backend, "cpu") == 0)
        return "Install a C compiler (Debian: apt install gcc), or name one in TRIREME_CPU_COMPILER. Until "
               "then only built-in kernels, and those that trireme kc compiled, run on the cpu.";
    if (strcmp(it->summary->backend, "cuda") == 0)
        return "Install NVRTC of CUDA's toolkit (libnvrtc.so), or name it in TRIREME_CUDA_NVRTC. Until then "
               "only kernels that nvcc compiled run on cuda.";
    return "Look at the driver of the device.";
}

static void compile_and_run(struct device_check *it)
{
    struct trm_kernel *kernel;

    if (compile(it, &kernel) != TRM_OK) {
        report_add(it->report, FINDING_WARNING, "compiler", compiler_remedy(it), "%s",
                   trm_last_error().sentence);
        return;
    }
    if (trm_stream_create(it->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &it->stream) != TRM_OK) {
        report_failure(it->report, "compiler", "no stream can be made");
    } else {
        if (run_count(it, kernel, "compiler", 1000))
            report_add(it->report, FINDING_OK, "compiler", NULL,
                       "a kernel in SPIR-V was compiled for the device, and is right");
        trm_stream_destroy(it->stream);
    }
    trm_kernel_destroy(kernel);
}

void device_check_compiling(struct device_check *it)
{
    const struct trm_setting no_cache = {.name = "kernel.cache", .value = "none"};
    struct device_check own           = *it;

    if (!device_takes_kernels(it))
        return;
    report_begin(it->report, "compiling a kernel");
    if (check_context(it->check, it->report, &no_cache, 1, &own.context) != TRM_OK)
        return;
    if (trm_device_open(own.context, it->summary->id, &own.device) == TRM_OK) {
        compile_and_run(&own);
        trm_device_destroy(own.device);
    } else {
        report_failure(it->report, "compiler", "the device cannot be opened a second time");
    }
    trm_context_destroy(own.context);
}
