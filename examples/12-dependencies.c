/* Dependencies: tasks that name their predecessors. Two results fork from one upload and join in a third.
 *
 *               +-> double (2) -+
 *     load (1) -|               |-> subtract (4) -+
 *               +-> square (3) -+                 |-> add (6) -+-> fetch (7)
 *                                    ones (5) ----+            +-> thin out (8)
 *
 * New here: the coordinator with tasks of most kinds, which of them start first, the graph of what ran, and
 * the error for a cycle.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    COUNT = 1000,
    BYTES = COUNT * sizeof(float),
    STEP  = 10,        /* every tenth number is fetched on its own */
    ONE   = 0x3f800000 /* the bits of 1.0f */
};

static struct trm_kernel *kernels[3]; /* a + b, a - b, a * b */
static struct trm_buffer *buffers[6]; /* x, x + x, x * x, their difference, ones, the sum of these two */

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

static int32_t print(void *user, const char *text, size_t length)
{
    (void)user;
    fwrite(text, 1, length, stdout);
    return TRM_OK;
}

int main(void)
{
    static float x[COUNT], result[COUNT], tenths[COUNT / STEP];
    static const uint64_t after_load[] = {1}, after_both[] = {2, 3}, after_ones[] = {4, 5}, after_add[] = {6},
                          circle[] = {9, 10};
    struct trm_context *context;
    struct trm_device *device;
    struct trm_coordinator *coordinator;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    for (uint32_t i = 0; i < 3; i++) {
        struct trm_constant operation = trm_constant_u32("operation", i);
        kernels[i]                    = named_kernel(device, "binary", &operation, 1);
    }
    for (int i = 0; i < 6; i++)
        must(trm_buffer_create(device, TRM_MEMORY_DEVICE, BYTES, &buffers[i]));
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i;

    const struct trm_argument twice[]    = {trm_arg_buffer(buffers[0]), trm_arg_buffer(buffers[0]),
                                            trm_arg_buffer(buffers[1]), trm_arg_u32(COUNT)};
    const struct trm_argument square[]   = {trm_arg_buffer(buffers[0]), trm_arg_buffer(buffers[0]),
                                            trm_arg_buffer(buffers[2]), trm_arg_u32(COUNT)};
    const struct trm_argument subtract[] = {trm_arg_buffer(buffers[2]), trm_arg_buffer(buffers[1]),
                                            trm_arg_buffer(buffers[3]), trm_arg_u32(COUNT)};
    const struct trm_argument add[]      = {trm_arg_buffer(buffers[3]), trm_arg_buffer(buffers[4]),
                                            trm_arg_buffer(buffers[5]), trm_arg_u32(COUNT)};
    /* In any order: a task may depend on one that is added later. */
    struct trm_task tasks[] = {
        compute(6, "add", 0, add, after_ones, 2),
        compute(4, "subtract", 1, subtract, after_both, 2),
        {.struct_size = sizeof(struct trm_task),
         .kind        = TRM_TASK_UPLOAD,
         .id          = 1,
         .name        = "load",
         .host_source = x,
         .destination = trm_span_whole(buffers[0])},
        compute(2, "double", 0, twice, after_load, 1),
        compute(3, "square", 2, square, after_load, 1),
        {.struct_size  = sizeof(struct trm_task),
         .kind         = TRM_TASK_FILL,
         .id           = 5,
         .name         = "ones",
         .destination  = trm_span_whole(buffers[4]),
         .pattern      = ONE,
         .pattern_size = sizeof(float)},
        {.struct_size      = sizeof(struct trm_task),
         .kind             = TRM_TASK_DOWNLOAD,
         .id               = 7,
         .name             = "fetch",
         .after            = after_add,
         .after_count      = 1,
         .source           = trm_span_whole(buffers[5]),
         .host_destination = result},
        /* Rows of one number, ten numbers apart: every tenth result, side by side. */
        {.struct_size      = sizeof(struct trm_task),
         .kind             = TRM_TASK_COPY_2D,
         .id               = 8,
         .name             = "thin out",
         .after            = after_add,
         .after_count      = 1,
         .source_rows      = {.buffer = buffers[5], .pitch = STEP * sizeof(float)},
         .destination_rows = {.host = tenths, .pitch = sizeof(float)},
         .width            = sizeof(float),
         .height           = COUNT / STEP},
    };
    /* Of the tasks that are ready, those of a higher priority start first. */
    tasks[0].priority = tasks[1].priority = TRM_PRIORITY_HIGH;

    must(trm_coordinator_create(device, NULL, &coordinator));
    for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
        must(trm_coordinator_add(coordinator, &tasks[i]));
    must(trm_coordinator_submit(coordinator)); /* checks and starts all tasks */
    must(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
    for (int i = 0; i < COUNT; i++)
        expect(result[i] == ((float)i - 1) * ((float)i - 1), "x * x - (x + x) + 1");
    for (int i = 0; i < COUNT / STEP; i++)
        expect(tenths[i] == result[STEP * i], "every tenth of them");
    puts("fork and join are done; for `dot -Tsvg`:");
    must(trm_coordinator_write_graph(coordinator, print, NULL));

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
    for (int i = 0; i < 6; i++)
        trm_buffer_destroy(buffers[i]);
    for (int i = 0; i < 3; i++)
        trm_kernel_destroy(kernels[i]);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
