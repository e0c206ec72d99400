/* A program with a stream pool that learns how long the kernel "fill" takes, for models.sh.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <trireme/trireme.h>

#define COUNT (1u << 20)

static int fail(void)
{
    fprintf(stderr, "%s\n", trm_last_error().sentence);
    return 1;
}

/* Until the pool has seen one end that was still running when it was enqueued, and a second one. */
static int32_t learn(struct trm_stream_pool *pool, const struct trm_stream_task *task)
{
    struct trm_stream_prediction prediction = {.struct_size = sizeof(prediction)};
    struct trm_point point;
    int32_t status = TRM_OK;

    while (status == TRM_OK && prediction.samples < 2) {
        status = trm_stream_pool_submit(pool, task, &point);
        if (status == TRM_OK)
            status = trm_point_wait(point, TRM_FOREVER);
        if (status == TRM_OK && trm_stream_pool_predict(pool, task, &prediction) == TRM_ERROR_NOT_FOUND)
            prediction.samples = 0;
    }
    return status;
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream_pool *pool;
    struct trm_buffer *buffer;
    struct trm_kernel *kernel;

    if (trm_context_create(NULL, &context) != TRM_OK || trm_device_open(context, NULL, &device) != TRM_OK ||
        trm_stream_pool_create(device, NULL, &pool) != TRM_OK ||
        trm_buffer_create(device, TRM_MEMORY_DEVICE, COUNT * sizeof(float), &buffer) != TRM_OK ||
        trm_kernel_named(device, "fill", NULL, 0, &kernel) != TRM_OK)
        return fail();
    const struct trm_argument arguments[] = {trm_arg_buffer(buffer), trm_arg_f32(1), trm_arg_u32(COUNT)};
    struct trm_stream_task task           = {
                  .struct_size = sizeof(task), .kernel = kernel, .arguments = arguments, .argument_count = 3};
    if (trm_kernel_grid(kernel, COUNT, 1, 1, &task.grid) != TRM_OK || learn(pool, &task) != TRM_OK)
        return fail();
    trm_stream_pool_destroy(pool);
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(buffer);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
