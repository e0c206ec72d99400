/* Errors: every call returns a status, and the last error of the thread has a sentence that explains it.
 *
 * New here: last error, stale handles, a kernel that fails, a failure that stays on its stream.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <trireme/cpu_kernel.h>

static int32_t give_up(const struct trm_cpu_groups *groups, const void *arguments)
{
    (void)groups;
    (void)arguments;
    return 42; /* anything but 0 fails the launch */
}

static const struct trm_cpu_kernel kernels[] = {{.name = "give_up", .function = give_up}};

static void show(const char *what, int32_t status, int32_t expected)
{
    printf("%s\n    %s: %s\n", what, trm_status_name(status), trm_last_error().sentence);
    expect(status == expected, what);
}

static void mistakes_are_refused(struct trm_device *device, struct trm_stream *stream)
{
    struct trm_buffer *buffer;
    char bytes[32] = "";

    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, 16, &buffer));
    show("32 bytes into a buffer of 16", trm_upload(stream, trm_span_of(buffer, 0, 32), bytes),
         TRM_ERROR_OUT_OF_RANGE);
    trm_buffer_destroy(buffer);
    show("a buffer that is gone", trm_upload(stream, trm_span_whole(buffer), bytes),
         TRM_ERROR_INVALID_HANDLE);
    must(trm_stream_sync(stream)); /* refused calls have no effect on the stream */
}

/* The launch succeeds, and the kernel fails later: the failure stays on its stream and affects no other. */
static void a_kernel_fails(struct trm_device *device, struct trm_stream *stream)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_FUNCTIONS,
                                   .data        = kernels,
                                   .size        = sizeof(kernels),
                                   .name        = "errors"};
    struct trm_grid grid        = trm_grid_1d(1, 1);
    struct trm_module *module;
    struct trm_kernel *kernel;

    must(trm_module_load(device, &desc, &module));
    must(trm_kernel_get(module, "give_up", &kernel));
    must(trm_launch(stream, kernel, &grid, NULL, 0));
    show("waiting for a kernel that fails", trm_stream_sync(stream), TRM_ERROR_KERNEL);
    expect(trm_last_error().native_code == 42, "the kernel's own number");
    show("the same stream, later", trm_stream_sync(stream), TRM_ERROR_KERNEL);
    trm_kernel_destroy(kernel);
    trm_module_destroy(module);
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    mistakes_are_refused(device, stream);
    /* Only a C function can report a failure; a shader cannot. */
    if (trm_module_supported(device, TRM_MODULE_FUNCTIONS) == TRM_OK)
        a_kernel_fails(device, stream);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
