/* A pool over a group of devices: each task goes to the device that is predicted to end it first, with the
 * copies of data that it would need there. The program names no device, copies nothing and orders nothing:
 * tasks that use the same buffers come after one another as they were submitted.
 *
 *     examples/30-group-pool              two halves of the cpu
 *     examples/30-group-pool cuda:0,cpu   these devices
 *
 * New here: trm_group_pool_create, what a task uses, and reading a buffer where it is current.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    COUNT  = 1 << 14, /* floats of a block */
    BLOCKS = 8,
    ROUNDS = 12,
    LINKS  = 64 /* multiply-adds for each element */
};

/* x is read, y is computed from it, and added to sum. Buffers of the group: one on each device. */
struct block {
    struct trm_group_buffer *x, *y, *sum;
};

struct work {
    struct trm_group *group;
    struct trm_stream_pool *pool;
    struct trm_group_kernel *chain, *axpy;
    struct trm_grid grid;
    struct block blocks[BLOCKS];
};

/* ---- what exists on each device --------------------------------------------------------------- */

static struct trm_group_kernel *kernel_of(struct trm_group *group, const char *name,
                                          const struct trm_constant *constant, uint32_t count)
{
    struct trm_group_kernel *kernel;
    int32_t status = trm_group_kernel_named(group, name, constant, count, &kernel);

    if (status == TRM_ERROR_UNSUPPORTED) {
        puts(trm_last_error().sentence);
        exit(77);
    }
    must(status);
    return kernel;
}

static struct trm_group_buffer *make_buffer(struct trm_group *group, float value)
{
    static float numbers[COUNT];
    const struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .size = sizeof(numbers), .data = numbers};
    struct trm_group_buffer *buffer;

    for (int i = 0; i < COUNT; i++)
        numbers[i] = value;
    must(trm_group_buffer_create(group, &desc, &buffer));
    return buffer;
}

static void make_work(struct work *work)
{
    const struct trm_constant links = trm_constant_u32("links", LINKS);
    struct trm_kernel *one;

    work->chain = kernel_of(work->group, "fma_chain", &links, 1);
    work->axpy  = kernel_of(work->group, "axpy", NULL, 0);
    must(trm_group_kernel_get(work->axpy, 0, &one));
    must(trm_kernel_grid(one, COUNT, 1, 1, &work->grid));
    for (int i = 0; i < BLOCKS; i++)
        work->blocks[i] = (struct block){.x   = make_buffer(work->group, (float)i),
                                         .y   = make_buffer(work->group, 0),
                                         .sum = make_buffer(work->group, 0)};
    must(trm_group_pool_create(work->group, NULL, &work->pool));
}

static void end_work(struct work *work)
{
    trm_stream_pool_destroy(work->pool);
    for (int i = 0; i < BLOCKS; i++) {
        trm_group_buffer_destroy(work->blocks[i].x);
        trm_group_buffer_destroy(work->blocks[i].y);
        trm_group_buffer_destroy(work->blocks[i].sum);
    }
    trm_group_kernel_destroy(work->chain);
    trm_group_kernel_destroy(work->axpy);
}

/* ---- tasks ------------------------------------------------------------------------------------ */

static void submit(struct work *work, struct trm_stream_task *task)
{
    struct trm_point end;

    task->struct_size = sizeof(*task);
    task->grid        = work->grid;
    must(trm_stream_pool_submit(work->pool, task,
                                &end)); /* the buffers give the order: nothing waits for `end` */
}

/* y = x + LINKS. All of y is overwritten, so what was in it need not be brought to the device; without `uses`
 * the pool would assume that a kernel that writes a buffer keeps a part of it. */
static void submit_chain(struct work *work, const struct block *block)
{
    const struct trm_argument arguments[] = {trm_arg_buffer(trm_group_port_buffer(block->x)),
                                             trm_arg_buffer(trm_group_port_buffer(block->y)), trm_arg_f32(1),
                                             trm_arg_f32(1), trm_arg_u32(COUNT)};
    const struct trm_group_use use        = {.buffer = block->y, .access = TRM_ACCESS_WRITE};
    struct trm_stream_task task           = {.kernel         = trm_group_stage_kernel(work->chain),
                                             .arguments      = arguments,
                                             .argument_count = 5,
                                             .uses           = &use,
                                             .use_count      = 1};

    submit(work, &task);
}

/* sum = y + sum. The kernel's parameters tell that it reads y, and reads and writes sum. */
static void submit_axpy(struct work *work, const struct block *block)
{
    const struct trm_argument arguments[] = {trm_arg_buffer(trm_group_port_buffer(block->y)),
                                             trm_arg_buffer(trm_group_port_buffer(block->sum)),
                                             trm_arg_f32(1), trm_arg_u32(COUNT)};
    struct trm_stream_task task           = {
                  .kernel = trm_group_stage_kernel(work->axpy), .arguments = arguments, .argument_count = 4};

    submit(work, &task);
}

/* ---- results ---------------------------------------------------------------------------------- */

/* Reads wait for the tasks that write the buffer. */
static void check(const struct work *work)
{
    static float sum[COUNT];

    for (int i = 0; i < BLOCKS; i++) {
        must(trm_group_buffer_read(work->blocks[i].sum, 0, sum, sizeof(sum)));
        for (int k = 0; k < COUNT; k++)
            expect(sum[k] == (float)(ROUNDS * (i + LINKS)), "the sum of the rounds");
    }
}

static void print_devices(const struct work *work)
{
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};
    struct trm_stream_pool *one;
    uint32_t count;
    uint64_t tasks = 0;

    must(trm_group_size(work->group, &count));
    for (uint32_t i = 0; i < count; i++) {
        must(trm_group_pool_get(work->pool, i, &one));
        must(trm_stream_pool_get_stats(one, &stats));
        printf("device %u: %llu tasks on %u streams\n", i, (unsigned long long)stats.tasks, stats.streams);
        tasks += stats.tasks;
    }
    must(trm_stream_pool_get_stats(work->pool, &stats));
    printf("%llu copies between devices, %llu KiB\n", (unsigned long long)stats.copies,
           (unsigned long long)stats.copied_bytes / 1024);
    expect(tasks == 2 * BLOCKS * ROUNDS, "each task ran once");
}

static void run(struct trm_group *group)
{
    struct work work = {.group = group};

    make_work(&work);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < BLOCKS; i++) {
            submit_chain(&work, &work.blocks[i]);
            submit_axpy(&work, &work.blocks[i]);
        }
    check(&work);
    print_devices(&work);
    end_work(&work);
}

int main(int argc, char **argv)
{
    /* The workers of the cpu backend as two devices, so that the example has two on every machine. */
    const struct trm_setting halves    = {.name = "cpu.devices", .value = "2"};
    const struct trm_context_desc desc = {
        .struct_size = sizeof(desc), .settings = &halves, .setting_count = argc > 1 ? 0 : 1};
    struct trm_context *context;
    struct trm_group *group;

    must(trm_context_create(&desc, &context));
    int32_t status = trm_group_create(context, argc > 1 ? argv[1] : "cpu:0,cpu:1", &group);
    if (status == TRM_ERROR_NOT_FOUND && argc == 1) {
        puts(trm_last_error().sentence); /* the settings exclude the cpu backend */
        exit(77);
    }
    must(status);
    run(group);
    trm_group_destroy(group);
    trm_context_destroy(context);
    return 0;
}
