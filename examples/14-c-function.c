/* A kernel that is a C function of the program, y = a x + y, launched over a thousand work-items. It runs on
 * the cpu only.
 *
 * New here: parameters that the program declares, a module of functions, an explicit grid.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <trireme/cpu_kernel.h>

enum {
    N     = 1000,
    GROUP = 64
};

/* The arguments as the kernel sees them: in the order of the parameters below. */
struct saxpy_arguments {
    struct trm_cpu_buffer x, y;
    float a;
    uint32_t n;
};

/* Called for a range of groups, on several threads at once for different ranges. */
static int32_t saxpy(const struct trm_cpu_groups *groups, const void *block)
{
    const struct saxpy_arguments *args = block;
    const float *x                     = args->x.data;
    float *y                           = args->y.data;
    uint64_t end                       = groups->end * groups->group_size[0];

    for (uint64_t i = groups->begin * groups->group_size[0]; i < end && i < args->n; i++)
        y[i] += args->a * x[i];
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "x", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_READ},
    {.name = "y", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32},
    {.name = "a", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32},
    {.name = "n", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};
static const struct trm_cpu_kernel kernels[] = {
    {.name = "saxpy", .function = saxpy, .parameters = parameters, .parameter_count = 4},
};

/* Launch the kernel on x and y in groups of GROUP work-items; the last one may be smaller. */
static void run(struct trm_device *device, struct trm_kernel *kernel, struct trm_array *x,
                struct trm_array *y)
{
    struct trm_grid grid = trm_grid_1d((N + GROUP - 1) / GROUP, GROUP);
    struct trm_buffer *x_buffer, *y_buffer;
    struct trm_stream *stream;

    must(trm_array_buffer(x, &x_buffer));
    must(trm_array_buffer(y, &y_buffer));
    must(
        trm_device_thread_stream(device, &stream)); /* belongs to this thread; not destroyed by the program */

    struct trm_argument arguments[] = {trm_arg_buffer(x_buffer), trm_arg_buffer(y_buffer), trm_arg_f32(2.0f),
                                       trm_arg_u32(N)};
    must(trm_launch(stream, kernel, &grid, arguments, 4)); /* checked against `parameters` */
    must(trm_stream_sync(stream));
}

int main(void)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_FUNCTIONS,
                                   .data        = kernels,
                                   .size        = sizeof(kernels),
                                   .name        = "saxpy"};
    struct trm_context *context;
    struct trm_device *device;
    struct trm_module *module;
    struct trm_kernel *kernel;
    struct trm_array *x, *y;
    float values[N];

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    need_c_functions(device);
    must(trm_module_load(device, &desc, &module));
    must(trm_kernel_get(module, "saxpy", &kernel));

    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    must(trm_array_create(device, TRM_TYPE_F32, N, TRM_MEMORY_DEVICE, values, &x));
    must(trm_array_create(device, TRM_TYPE_F32, N, TRM_MEMORY_DEVICE, values, &y));
    run(device, kernel, x, y);
    must(trm_array_download(y, TRM_TYPE_F32, 0, N, values));
    for (int i = 0; i < N; i++)
        expect(values[i] == 3.0f * (float)i, "2 x + x is 3 x");
    printf("%d elements of 2 x + x are 3 x\n", N);

    trm_array_destroy(x);
    trm_array_destroy(y);
    trm_kernel_destroy(kernel);
    trm_module_destroy(module);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
