/* Dependencies: tasks that name their predecessors. Two results fork from one upload and join in a third.
 *
 *               +-> double (2) -+
 *     load (1) -|               |-> subtract (4) -> fetch (5)
 *               +-> square (3) -+
 *
 * New here: the coordinator, and its error for a cycle.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    COUNT = 1000,
    BYTES = COUNT * sizeof(float)
};

static struct trm_kernel *kernels[3]; /* a + b, a - b, a * b */
static struct trm_buffer *buffers[4]; /* x, x + x, x * x, their difference */

/* result = a OPERATION b, once those in `after` are done */
static struct trm_task compute(uint64_t id, const char *name, int operation,
                               const struct trm_argument *arguments, const uint64_t *after,
                               uint32_t after_count)
{
    struct trm_task task = {.struct_size    = sizeof(task),
                            .kind           = TRM_TASK_COMPUTE,
                            .id             = id,
                            .name           = name,
                            .after          = after,
                            .after_count    = after_count,
                            .kernel         = kernels[operation],
                            .arguments      = arguments,
                            .argument_count = 4};

    must(trm_kernel_grid(kernels[operation], COUNT, 1, 1, &task.grid));
    return task;
}

int main(void)
{
    static float x[COUNT], difference[COUNT];
    static const uint64_t after_load[] = {1}, after_both[] = {2, 3}, after_difference[] = {4},
                          circle[] = {6, 7};
    struct trm_context *context;
    struct trm_device *device;
    struct trm_coordinator *coordinator;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    for (uint32_t i = 0; i < 3; i++) {
        struct trm_constant operation = trm_constant_u32("operation", i);
        kernels[i]                    = named_kernel(device, "binary", &operation, 1);
    }
    for (int i = 0; i < 4; i++)
        must(trm_buffer_create(device, TRM_MEMORY_DEVICE, BYTES, &buffers[i]));
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i;

    const struct trm_argument twice[]    = {trm_arg_buffer(buffers[0]), trm_arg_buffer(buffers[0]),
                                            trm_arg_buffer(buffers[1]), trm_arg_u32(COUNT)};
    const struct trm_argument square[]   = {trm_arg_buffer(buffers[0]), trm_arg_buffer(buffers[0]),
                                            trm_arg_buffer(buffers[2]), trm_arg_u32(COUNT)};
    const struct trm_argument subtract[] = {trm_arg_buffer(buffers[2]), trm_arg_buffer(buffers[1]),
                                            trm_arg_buffer(buffers[3]), trm_arg_u32(COUNT)};
    /* In any order: a task may depend on one that is added later. */
    const struct trm_task tasks[] = {
        compute(4, "subtract", 1, subtract, after_both, 2),
        {.struct_size = sizeof(struct trm_task),
         .kind        = TRM_TASK_UPLOAD,
         .id          = 1,
         .name        = "load",
         .host_source = x,
         .destination = trm_span_whole(buffers[0])},
        compute(2, "double", 0, twice, after_load, 1),
        compute(3, "square", 2, square, after_load, 1),
        {.struct_size      = sizeof(struct trm_task),
         .kind             = TRM_TASK_DOWNLOAD,
         .id               = 5,
         .name             = "fetch",
         .after            = after_difference,
         .after_count      = 1,
         .source           = trm_span_whole(buffers[3]),
         .host_destination = difference},
    };

    must(trm_coordinator_create(device, NULL, &coordinator));
    for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
        must(trm_coordinator_add(coordinator, &tasks[i]));
    must(trm_coordinator_submit(coordinator)); /* checks and starts all tasks */
    must(trm_coordinator_wait(coordinator, 5, TRM_FOREVER));
    for (int i = 0; i < COUNT; i++)
        expect(difference[i] == (float)i * (float)i - 2.0f * (float)i, "x * x - (x + x)");
    puts("fork and join are done");

    /* Two tasks that depend on each other are refused before any task starts. */
    for (int i = 0; i < 2; i++) {
        struct trm_task waits = {.struct_size = sizeof(waits),
                                 .kind        = TRM_TASK_NOTHING,
                                 .id          = circle[i],
                                 .after       = &circle[1 - i],
                                 .after_count = 1};
        must(trm_coordinator_add(coordinator, &waits));
    }
    expect(trm_coordinator_submit(coordinator) == TRM_ERROR_DEADLOCK, "a circle is seen");
    printf("a circle: %s\n", trm_last_error().sentence);

    trm_coordinator_destroy(coordinator);
    for (int i = 0; i < 4; i++)
        trm_buffer_destroy(buffers[i]);
    for (int i = 0; i < 3; i++)
        trm_kernel_destroy(kernels[i]);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
