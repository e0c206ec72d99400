/* Trireme: the user's kernel on one device.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include <string.h>

/* ---- loading ---- */

static void describe_module(struct kernel_run *run, struct trm_module_desc *desc)
{
    const struct kernel_shared *shared = run->check->shared;

    memcpy(run->constants, shared->constants, sizeof(shared->constants));
    desc->name           = shared->name;
    desc->constants      = run->constants;
    desc->constant_count = shared->constant_count;
    if (run->more)
        run->constants[desc->constant_count++] = *run->more;
    if (run->words) {
        desc->format = TRM_MODULE_SPIRV;
        desc->data   = run->words;
        desc->size   = run->word_bytes;
        return;
    }
    if (shared->is_native || shared->is_named) {
        desc->format = shared->is_native ? TRM_MODULE_SHARED_OBJECT : TRM_MODULE_NAMED;
        desc->data   = shared->is_native ? shared->path : shared->name;
        desc->size   = strlen(desc->data) + 1;
        return;
    }
    desc->format = TRM_MODULE_SPIRV;
    desc->data   = shared->data;
    desc->size   = shared->word_bytes;
}

/* A device that cannot run the kernel is a warning: the others may. One that takes no kernel of this kind is
 * none. */
static void report_refused(struct kernel_run *run, int32_t status)
{
    bool is_unsupported    = status == TRM_ERROR_UNSUPPORTED;
    struct trm_error error = trm_last_error();

    if (run->is_trial)
        return;
    bool takes_none = is_unsupported && !run->check->shared->is_native &&
                      trm_module_supported(run->device, TRM_MODULE_SPIRV) == TRM_ERROR_UNSUPPORTED;
    if (takes_none) {
        report_add(run->report, FINDING_ABSENT, "loaded", NULL,
                   "the backend takes no SPIR-V, so it runs no such kernel");
        return;
    }
    report_add(run->report, is_unsupported ? FINDING_WARNING : FINDING_FAILED, "loaded",
               is_unsupported ? "Use another device, or write the kernel without this feature." : NULL,
               "refused: %s", error.sentence);
}

static bool load(struct kernel_run *run)
{
    const struct kernel_shared *shared = run->check->shared;
    struct trm_module_desc desc        = {.struct_size = sizeof(desc)};
    const char *name                   = shared->is_native ? spec_value(run->check->spec, "kernel") : NULL;
    int32_t status;

    describe_module(run, &desc);
    status = trm_module_load(run->device, &desc, &run->module);
    if (status != TRM_OK)
        run->module = NULL;
    else
        status = trm_kernel_get(run->module, name, &run->kernel);
    if (status == TRM_OK) {
        run->info.struct_size = sizeof(run->info);
        status                = trm_kernel_describe(run->kernel, &run->info);
        if (status == TRM_OK)
            return true;
        trm_kernel_destroy(run->kernel);
    }
    report_refused(run, status);
    trm_module_destroy(run->module);
    return false;
}

bool kernel_run_open(struct kernel_run *run, const struct trm_setting *more, uint32_t count)
{
    const char *id = run->check->summary->id;

    report_begin(run->report, "compiling the kernel");
    if (check_context(run->check->check, run->report, more, count, &run->context) != TRM_OK)
        return false;
    if (trm_device_open(run->context, id, &run->device) != TRM_OK) {
        report_failure(run->report, "opened", "the device cannot be opened");
    } else {
        if (load(run))
            return true;
        trm_device_destroy(run->device);
    }
    trm_context_destroy(run->context);
    return false;
}

void kernel_run_close(struct kernel_run *run)
{
    trm_kernel_destroy(run->kernel);
    trm_module_destroy(run->module);
    trm_device_destroy(run->device);
    trm_context_destroy(run->context);
}

/* ---- running ---- */

static struct trm_argument argument_of(const struct kernel_argument *argument, struct trm_buffer *buffer)
{
    struct trm_argument made;

    if (argument->parameter->kind == TRM_PARAMETER_BUFFER)
        return trm_arg_buffer(buffer);
    if (argument->parameter->kind == TRM_PARAMETER_BLOCK)
        return trm_arg_block(argument->start, argument->parameter->size);
    memset(&made, 0, sizeof(made));
    made.kind      = TRM_PARAMETER_SCALAR;
    made.type      = argument->parameter->type;
    made.value.u64 = argument->bits; /* little-endian: the low bytes are the value */
    return made;
}

static int32_t create_buffers(struct kernel_run *run, const struct kernel_inputs *inputs,
                              struct trm_buffer *buffers[KERNEL_PARAMETERS])
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct kernel_argument *argument = &inputs->arguments[i];
        struct trm_buffer_desc desc            = {
                       .struct_size = sizeof(desc), .size = argument->bytes, .data = argument->start};
        int32_t status;

        if (argument->parameter->kind != TRM_PARAMETER_BUFFER)
            continue;
        status = trm_buffer_create_from(run->device, &desc, &buffers[i]);
        if (status != TRM_OK)
            return status;
    }
    return TRM_OK;
}

static int32_t launch(struct kernel_run *run, struct trm_stream *stream, const struct kernel_inputs *inputs,
                      struct trm_buffer *const buffers[KERNEL_PARAMETERS])
{
    struct trm_argument arguments[KERNEL_PARAMETERS];
    struct trm_grid grid = {{0, 0, 0}, {64, 1, 1}, 0, 0};
    int32_t status       = TRM_OK;

    for (uint32_t i = 0; i < inputs->count; i++)
        arguments[i] = argument_of(&inputs->arguments[i], buffers[i]);
    if (run->info.group_size[0] == 0 && run->info.group_size[1] == 0) {
        grid.groups[0] = (uint32_t)((inputs->items[0] + 63) / 64);
        grid.groups[1] = (uint32_t)inputs->items[1];
        grid.groups[2] = (uint32_t)inputs->items[2];
    } else {
        status = trm_kernel_grid(run->kernel, inputs->items[0], inputs->items[1], inputs->items[2], &grid);
    }
    return status == TRM_OK ? trm_launch(stream, run->kernel, &grid, arguments, inputs->count) : status;
}

static int32_t download(struct trm_stream *stream, const struct kernel_inputs *inputs,
                        struct trm_buffer *const buffers[KERNEL_PARAMETERS], unsigned char *results)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < inputs->count && status == TRM_OK; i++) {
        if (!inputs->arguments[i].is_written)
            continue;
        status = trm_download(stream, results, trm_span_whole(buffers[i]));
        results += inputs->arguments[i].bytes;
    }
    return status == TRM_OK ? trm_stream_sync(stream) : status;
}

int32_t kernel_run_once(struct kernel_run *run, const struct kernel_inputs *inputs, unsigned char *results)
{
    struct trm_buffer *buffers[KERNEL_PARAMETERS] = {NULL};
    struct trm_stream *stream; /* one for each run: a kernel that fails takes its stream along */
    int32_t status = trm_stream_create(run->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);

    if (status != TRM_OK)
        return status;
    status = create_buffers(run, inputs, buffers);
    if (status == TRM_OK)
        status = launch(run, stream, inputs, buffers);
    if (status == TRM_OK)
        status = download(stream, inputs, buffers, results);
    for (uint32_t i = 0; i < inputs->count; i++)
        trm_buffer_destroy(buffers[i]);
    trm_stream_destroy(stream);
    return status;
}
