/* A histogram over several devices: each device counts the bytes of its batches into a copy of the bins, and
 * a join adds the copies after every 16 batches, so that each device has the counts of all.
 *
 *     examples/32-joins                 two halves of the cpu
 *     examples/32-joins cuda:0,cuda:1   these devices
 *
 * New here: a shared port that kernels on several devices write, and how its copies are combined: in a run,
 * and by trm_pipeline_join() in a program that submits batches itself.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    BATCH   = 1 << 18, /* bytes of a token */
    BATCHES = 40,      /* two rounds of 16 and one of 8 */
    MORE    = 5,       /* submitted by the program after the run */
    BINS    = 256,
    ROUND   = 16
};

/* Byte i of each batch. */
static uint8_t byte(uint64_t batch, uint64_t i)
{
    return (uint8_t)(batch * 7 + i * i % 251);
}

static int32_t fill(void *user, struct trm_token *token)
{
    uint8_t *bytes = token->data[0];

    (void)user;
    for (uint64_t i = 0; i < BATCH; i++)
        bytes[i] = byte(token->index, i);
    return TRM_OK;
}

/* ---- the pipeline ----------------------------------------------------------------------------- */

static struct trm_pipeline *make_pipeline(struct trm_group *group, struct trm_group_kernel *histogram,
                                          struct trm_group_buffer *bins)
{
    const struct trm_port ports[] = {trm_port_input("bytes", BATCH),
                                     trm_port_shared("bins", trm_group_port_buffer(bins))};
    /* The kernel adds to the bins and does not look at what they hold, as a join that adds asks for. */
    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_port_elements(0, 1)};
    const struct trm_stage stage =
        trm_stage_launch(trm_group_stage_kernel(histogram), arguments, 3, 0, 64); /* bytes of a work-item */
    /* Sums of 32-bit integers are the same with and without a sign. */
    const struct trm_join join = {
        .port = 1, .type = TRM_TYPE_I32, .operation = TRM_REDUCE_SUM, .tokens = ROUND};
    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .name        = "histogram",
                                           .ports       = ports,
                                           .port_count  = 2,
                                           .stages      = &stage,
                                           .stage_count = 1,
                                           .depth       = 3,
                                           .joins       = &join,
                                           .join_count  = 1};
    struct trm_pipeline *pipeline;

    must(trm_group_pipeline_create(group, &desc, &pipeline));
    return pipeline;
}

/* ---- results ---------------------------------------------------------------------------------- */

static void download(struct trm_group *group, struct trm_group_buffer *bins, uint32_t index, uint32_t *counts)
{
    struct trm_span span = {.length = BINS * sizeof(uint32_t)};
    struct trm_device *device;
    struct trm_stream *stream;

    must(trm_group_buffer_get(bins, index, &span.buffer));
    must(trm_group_device(group, index, &device));
    must(trm_device_thread_stream(device, &stream));
    must(trm_download(stream, counts, span));
    must(trm_stream_sync(stream));
    trm_device_destroy(device);
}

/* Every device has the counts of all batches so far, whichever device counted them. */
static void check(struct trm_group *group, struct trm_group_buffer *bins, uint64_t batches)
{
    static uint32_t right[BINS];
    uint32_t counts[BINS], devices;

    memset(right, 0, sizeof(right));
    for (uint64_t batch = 0; batch < batches; batch++)
        for (uint64_t i = 0; i < BATCH; i++)
            right[byte(batch, i)]++;
    must(trm_group_size(group, &devices));
    for (uint32_t d = 0; d < devices; d++) {
        download(group, bins, d, counts);
        expect(memcmp(counts, right, sizeof(counts)) == 0, "each device has the counts of all batches");
    }
    printf("%2u batches counted; byte 0 came %u times\n", (unsigned)batches, counts[0]);
}

/* A whole run: it joins the last batches, too, though they are no full round. */
static void run(struct trm_pipeline *pipeline)
{
    struct trm_source source = trm_source_function(fill, NULL);
    struct trm_report report = {.struct_size = sizeof(report)};

    source.count = BATCHES;
    must(trm_pipeline_run(pipeline, &source, NULL));
    must(trm_pipeline_report(pipeline, &report));
    for (uint32_t i = 0; i < report.device_count; i++)
        printf("%-8s %3llu batches\n", report.devices[i].device,
               (unsigned long long)report.devices[i].tokens);
}

/* The same by hand. Nothing tells the pipeline that these batches are the last, so the program joins them. */
static void submit(struct trm_pipeline *pipeline)
{
    struct trm_token *token;

    for (int i = 0; i < MORE; i++) {
        must(trm_pipeline_acquire(pipeline, TRM_FOREVER, &token));
        must(fill(NULL, token));
        must(trm_pipeline_submit(pipeline, token));
        must(trm_pipeline_next(pipeline, TRM_FOREVER, &token));
        must(trm_pipeline_release(pipeline, token));
    }
    must(trm_pipeline_join(pipeline));
}

static void count(struct trm_group *group)
{
    const struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .size = BINS * sizeof(uint32_t), .flags = TRM_BUFFER_ZEROED};
    struct trm_group_kernel *histogram;
    struct trm_group_buffer *bins;

    int32_t status = trm_group_kernel_named(group, "histogram", NULL, 0, &histogram);
    if (status == TRM_ERROR_UNSUPPORTED) {
        puts(trm_last_error().sentence);
        exit(77);
    }
    must(status);
    must(trm_group_buffer_create(group, &desc, &bins));
    struct trm_pipeline *pipeline = make_pipeline(group, histogram, bins);
    run(pipeline);
    check(group, bins, BATCHES);
    submit(pipeline);
    check(group, bins, BATCHES + MORE);
    trm_pipeline_destroy(pipeline);
    trm_group_buffer_destroy(bins);
    trm_group_kernel_destroy(histogram);
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
    count(group);
    trm_group_destroy(group);
    trm_context_destroy(context);
    return 0;
}
