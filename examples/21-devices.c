/* One pipeline over several devices: a batch goes to the device that finishes it first, and the results come
 * in order all the same.
 *
 *     examples/21-devices                 two halves of the cpu; on one processor they take turns
 *     examples/21-devices cuda:0,cuda:1   these devices
 *     examples/21-devices '*'             all devices; one that is too slow to help gets next to nothing
 *
 * Then once more with the second stage of every batch on the last device, as if only that one had the memory,
 * or the cores, for it: whichever device has the batch sends it there and gets it back.
 *
 * New here: groups of devices, their kernels and buffers, the lines of the report for each device, and stages
 * that prefer a device.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    BATCH   = 1 << 16, /* floats of a token */
    BYTES   = BATCH * sizeof(float),
    BATCHES = 64,
    LINKS   = 64 /* multiply-adds for each element */
};

/* ---- batches ---------------------------------------------------------------------------------- */

static float weight(int i)
{
    return (float)(i % 5);
}

static int32_t make_batch(void *user, struct trm_token *token)
{
    float *x = token->data[0];

    (void)user;
    for (int i = 0; i < BATCH; i++)
        x[i] = (float)(token->index + (uint64_t)i % 7);
    return TRM_OK;
}

/* Sinks see the batches in order, whichever device they come from. */
static int32_t check_batch(void *user, const struct trm_token *token)
{
    const float *y = token->data[3];
    uint64_t *next = user;

    expect(token->index == (*next)++, "the order of batches");
    for (int i = 0; i < BATCH; i++)
        expect(y[i] == (float)(token->index + (uint64_t)i % 7) * weight(i) + LINKS,
               "x times weight, plus 64");
    return TRM_OK;
}

/* ---- what exists on each device --------------------------------------------------------------- */

static struct trm_group_kernel *kernel_of(struct trm_group *group, const char *name,
                                          struct trm_constant constant)
{
    struct trm_group_kernel *kernel;
    int32_t status = trm_group_kernel_named(group, name, &constant, 1, &kernel);

    if (status == TRM_ERROR_UNSUPPORTED) {
        puts(trm_last_error().sentence);
        exit(77);
    }
    must(status);
    return kernel;
}

/* The same numbers in the memory of each device. */
static struct trm_group_buffer *make_weights(struct trm_group *group)
{
    static float numbers[BATCH];
    const struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = BYTES, .data = numbers};
    struct trm_group_buffer *weights;

    for (int i = 0; i < BATCH; i++)
        numbers[i] = weight(i);
    must(trm_group_buffer_create(group, &desc, &weights));
    return weights;
}

/* ---- the pipeline ----------------------------------------------------------------------------- */

/* The descriptor is that of a pipeline on one device, with a kernel and a buffer of the group in place of a
 * kernel and a buffer, and perhaps the devices that the stages prefer. */
static struct trm_pipeline *make_pipeline(struct trm_group *group, struct trm_group_kernel *multiply,
                                          struct trm_group_kernel *chain, struct trm_group_buffer *weights,
                                          const struct trm_stage_device *preferred)
{
    struct trm_port ports[]            = {trm_port_input("x", BYTES),
                                          trm_port_shared("weights", trm_group_port_buffer(weights)),
                                          trm_port_scratch("between", BYTES), trm_port_output("y", BYTES)};
    const struct trm_argument first[]  = {trm_arg_port(0), trm_arg_port(1), trm_arg_port(2),
                                          trm_arg_port_elements(0, sizeof(float))};
    const struct trm_argument second[] = {trm_arg_port(2), trm_arg_port(3), trm_arg_f32(1.0f),
                                          trm_arg_f32(1.0f), trm_arg_port_elements(0, sizeof(float))};
    const struct trm_stage stages[]    = {
           trm_stage_launch(trm_group_stage_kernel(multiply), first, 4, 0, sizeof(float)),
           trm_stage_launch(trm_group_stage_kernel(chain), second, 5, 0, sizeof(float))};
    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .name        = "all together",
                                           .ports       = ports,
                                           .port_count  = 4,
                                           .stages      = stages,
                                           .stage_count = 2,
                                           .depth       = 3, /* slots on each device */
                                           .devices     = preferred};
    struct trm_pipeline *pipeline;

    ports[1].flags = TRM_PORT_READ_ONLY; /* each device has its own, so none may write it */
    must(trm_group_pipeline_create(group, &desc, &pipeline));
    return pipeline;
}

static void print_devices(const struct trm_report *report)
{
    printf("%-12s %8s %8s %12s\n", "device", "batches", "slots", "a batch");
    for (uint32_t i = 0; i < report->device_count; i++)
        printf("%-12s %8llu %8u %9.2f ms\n", report->devices[i].device,
               (unsigned long long)report->devices[i].tokens, report->devices[i].depth,
               (double)report->devices[i].latency_ns * 1e-6);
}

static void run(struct trm_pipeline *pipeline, const char *what)
{
    struct trm_source source = trm_source_function(make_batch, NULL);
    uint64_t next            = 0;
    struct trm_sink sink     = trm_sink_function(check_batch, &next);
    struct trm_report report = {.struct_size = sizeof(report)};
    uint64_t sum             = 0;

    source.count   = BATCHES;
    source.workers = 1;
    must(trm_pipeline_run(pipeline, &source, &sink));
    must(trm_pipeline_report(pipeline, &report));
    expect(report.tokens == BATCHES && next == BATCHES, "all batches came through");
    for (uint32_t i = 0; i < report.device_count; i++)
        sum += report.devices[i].tokens;
    expect(report.device_count == 0 || sum == BATCHES, "each batch came from one device");
    printf("%s%s: %d batches in %.1f ms\n", report.device, what, BATCHES, (double)report.elapsed_ns * 1e-6);
    print_devices(&report); /* nothing where the group has a single device */
    trm_pipeline_destroy(pipeline);
}

static void run_all(struct trm_group *group)
{
    struct trm_group_kernel *multiply    = kernel_of(group, "binary", trm_constant_u32("operation", 2));
    struct trm_group_kernel *chain       = kernel_of(group, "fma_chain", trm_constant_u32("links", LINKS));
    struct trm_group_buffer *weights     = make_weights(group);
    struct trm_stage_device preferred[2] = {trm_stage_device_any(), trm_stage_device_any()};
    uint32_t count;

    run(make_pipeline(group, multiply, chain, weights, NULL), "");
    must(trm_group_size(group, &count));
    preferred[1] = trm_stage_device_of_group(count - 1);
    run(make_pipeline(group, multiply, chain, weights, preferred), ", the chain on the last");

    trm_group_buffer_destroy(weights);
    trm_group_kernel_destroy(chain);
    trm_group_kernel_destroy(multiply);
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
    run_all(group);
    trm_group_destroy(group);
    trm_context_destroy(context);
    return 0;
}
