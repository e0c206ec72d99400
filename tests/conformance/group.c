/* Groups of devices: lists of ids, kernels and buffers on every device, and pipelines over all of them.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#define WORDS 256u

static const char *backend_name(void)
{
    static struct trm_device_summary summary;
    summary.struct_size = sizeof(summary);
    ck_ok(trm_device_describe(the.context, 0, &summary));
    return summary.backend;
}

/* A group of all devices of the backend under test. */
static struct trm_group *make_group(void)
{
    struct trm_group *group = NULL;
    char devices[80];
    snprintf(devices, sizeof(devices), "%s:*", backend_name());
    ck_ok(trm_group_create(the.context, devices, &group));
    return group;
}

/* ---- lists ---------------------------------------------------------------------------------- */

START_TEST(a_group_has_the_devices_of_its_list)
{
    struct trm_group *group, *all;
    struct trm_device *device;
    char devices[80];
    uint32_t count = 0, found = 0;
    snprintf(devices, sizeof(devices), "%s:0", backend_name());
    ck_ok(trm_group_create(the.context, devices, &group));
    ck_ok(trm_group_size(group, &count));
    ck_assert_uint_eq(count, 1);
    ck_ok(trm_group_device(group, 0, &device));
    ck_ok(trm_device_sync(device));
    ck_status(trm_group_device(group, 1, &device), TRM_ERROR_OUT_OF_RANGE);
    ck_sentence_has("the group has no device 1: it has 1 device");
    trm_device_destroy(device);
    ck_ok(trm_device_count(the.context, &found));
    ck_ok(trm_group_create(the.context, "*", &all));
    ck_ok(trm_group_size(all, &count));
    ck_assert_uint_eq(count, found);
    trm_group_destroy(all);
    trm_group_destroy(group);
    ck_status(trm_group_size(group, &count), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(a_list_that_names_no_device_is_refused)
{
    struct trm_group *group = NULL;
    char devices[160];
    const char *name = backend_name();
    ck_status(trm_group_create(the.context, ",", &group), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("empty name");
    ck_status(trm_group_create(the.context, "", &group), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("empty name");
    snprintf(devices, sizeof(devices), "%s:0,", name);
    ck_status(trm_group_create(the.context, devices, &group), TRM_ERROR_INVALID_ARGUMENT);
    snprintf(devices, sizeof(devices), "%s:0,%s:0", name, name);
    ck_status(trm_group_create(the.context, devices, &group), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("twice");
    snprintf(devices, sizeof(devices), "%s:999", name);
    ck_status(trm_group_create(the.context, devices, &group), TRM_ERROR_NOT_FOUND);
    ck_status(trm_group_create(the.context, "no-such-backend:*", &group), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("no device matches no-such-backend:*: there is no backend for the device");
    ck_status(trm_group_create(the.context, devices, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(group);
}
END_TEST

START_TEST(a_group_without_a_list_has_the_devices_of_the_setting)
{
    struct trm_context *context;
    struct trm_group *group;
    uint32_t count = 0;
    ck_ok(trm_group_create(the.context, NULL, &group)); /* the default device */
    ck_ok(trm_group_size(group, &count));
    ck_assert_uint_ge(count, 1);
    trm_group_destroy(group);
    struct trm_setting setting = {"devices", "*"};
    ck_ok(context_with(&setting, 1, &context));
    uint32_t all = 0;
    ck_ok(trm_device_count(context, &all));
    ck_ok(trm_group_create(context, NULL, &group));
    ck_ok(trm_group_size(group, &count));
    ck_assert_uint_eq(count, all);
    trm_group_destroy(group);
    trm_context_destroy(context);
}
END_TEST

/* ---- what exists on every device ------------------------------------------------------------ */

START_TEST(a_buffer_of_a_group_has_the_same_bytes_on_every_device)
{
    struct trm_group *group = make_group();
    uint32_t words[WORDS], found[WORDS], count = 0;
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = sizeof(words), .data = words};
    struct trm_group_buffer *buffer;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i * 3;
    ck_ok(trm_group_buffer_create(group, &desc, &buffer));
    words[7] = 99;
    ck_ok(trm_group_buffer_write(buffer, 7 * sizeof(uint32_t), &words[7], sizeof(uint32_t)));
    ck_status(trm_group_buffer_write(buffer, 4, words, sizeof(words)), TRM_ERROR_OUT_OF_RANGE);
    /* TRM_WHOLE is a length of spans: memory of the program has a size. */
    ck_status(trm_group_buffer_write(buffer, 0, words, TRM_WHOLE), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_group_buffer_read(buffer, 0, found, TRM_WHOLE), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_group_buffer_write(buffer, 0, NULL, 4), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_group_buffer_write(buffer, 0, NULL, 0));
    ck_ok(trm_group_size(group, &count));
    for (uint32_t i = 0; i < count; i++) {
        struct trm_device *device;
        struct trm_buffer *one;
        ck_ok(trm_group_device(group, i, &device));
        ck_ok(trm_group_buffer_get(buffer, i, &one));
        struct trm_stream *stream = make_stream(device);
        get(stream, one, 0, found, sizeof(found));
        ck_assert_int_eq(memcmp(found, words, sizeof(words)), 0);
        trm_stream_destroy(stream);
        trm_device_destroy(device);
        trm_buffer_destroy(one);
        ck_status(trm_last_error().status, TRM_ERROR_INVALID_ARGUMENT);
        ck_sentence_has("or a group and ends with it");
        ck_ok(trm_buffer_retain(one));
        trm_buffer_destroy(one);
    }
    struct trm_buffer *none;
    ck_status(trm_group_buffer_get(buffer, count, &none), TRM_ERROR_OUT_OF_RANGE);
    ck_ok(trm_group_buffer_read(buffer, 0, found, sizeof(found)));
    trm_group_destroy(group); /* the buffer keeps the devices */
    ck_ok(trm_group_buffer_write(buffer, 0, words, sizeof(words)));
    trm_group_buffer_destroy(buffer);
    ck_status(trm_group_buffer_write(buffer, 0, words, sizeof(words)), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(a_kernel_that_cannot_be_loaded_names_the_device)
{
    struct trm_group *group = make_group();
    struct trm_group_kernel *kernel;
    const uint32_t words[]      = {1, 2, 3};
    struct trm_module_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_SPIRV, .data = words, .size = sizeof(words)};
    ck_refused(trm_group_kernel_load(group, &desc, NULL, &kernel));
    ck_sentence_has(backend_name());
    ck_status(trm_group_kernel_load(group, NULL, NULL, &kernel), TRM_ERROR_INVALID_ARGUMENT);
    ck_refused(trm_group_kernel_named(group, "no-such-kernel", NULL, 0, &kernel));
    ck_refused(trm_group_kernel_named(group, NULL, NULL, 0, &kernel));
    trm_group_destroy(group);
}
END_TEST

START_TEST(a_kernel_of_a_group_ends_with_it_alone)
{
    struct trm_group *group = make_group();
    struct trm_group_kernel *kernel;
    struct trm_kernel_info info = {.struct_size = sizeof(info)};
    struct trm_kernel *one;
    int32_t status = trm_group_kernel_named(group, "axpy", NULL, 0, &kernel);
    if (status == TRM_ERROR_UNSUPPORTED) {
        trm_group_destroy(group);
        skip("the device takes no portable kernels");
        return;
    }
    ck_ok(status);
    ck_ok(trm_group_kernel_get(kernel, 0, &one));
    trm_kernel_destroy(one);
    ck_status(trm_last_error().status, TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("ends with it");
    ck_ok(trm_kernel_describe(one, &info));
    trm_group_kernel_destroy(kernel);
    ck_status(trm_kernel_describe(one, &info), TRM_ERROR_INVALID_HANDLE);
    trm_group_destroy(group);
}
END_TEST

/* ---- pipelines ------------------------------------------------------------------------------ */

struct tally {
    uint64_t next, count;
    const char *wrong;
};

static int32_t tally_load(void *user, struct trm_token *token)
{
    const struct tally *tally = user;
    uint32_t *words           = token->data[0];
    if (token->index >= tally->count)
        return TRM_TOKEN_END;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = (uint32_t)token->index * 1000 + i;
    return TRM_OK;
}

static int32_t tally_take(void *user, const struct trm_token *token)
{
    struct tally *tally   = user;
    const uint32_t *words = token->data[1];
    if (token->index != tally->next++)
        tally->wrong = "tokens came out of order";
    for (uint32_t i = 0; i < WORDS; i++)
        if (words[i] != ((uint32_t)token->index * 1000 + i) * 3 + 5)
            tally->wrong = "a token came out with wrong data";
    return TRM_OK;
}

struct spread {
    struct trm_port ports[2];
    struct trm_argument arguments[5];
    struct trm_stage stage;
    struct trm_pipeline_desc desc;
};

static void describe(struct spread *spread, struct trm_kernel *kernel)
{
    spread->ports[0]     = trm_port_input("in", WORDS * sizeof(uint32_t));
    spread->ports[1]     = trm_port_output("out", WORDS * sizeof(uint32_t));
    spread->arguments[0] = trm_arg_port(0);
    spread->arguments[1] = trm_arg_port(1);
    spread->arguments[2] = trm_arg_port_elements(0, sizeof(uint32_t));
    spread->arguments[3] = trm_arg_u32(3);
    spread->arguments[4] = trm_arg_u32(5);
    spread->stage        = trm_stage_launch(kernel, spread->arguments, 5, 0, sizeof(uint32_t));
    spread->desc         = (struct trm_pipeline_desc){.struct_size = sizeof(spread->desc),
                                                      .name        = "spread",
                                                      .ports       = spread->ports,
                                                      .port_count  = 2,
                                                      .stages      = &spread->stage,
                                                      .stage_count = 1,
                                                      .depth       = 2};
}

static void run_tally(struct trm_pipeline *pipeline, uint64_t count, uint32_t workers)
{
    struct tally tally       = {.count = count};
    struct trm_source source = trm_source_function(tally_load, &tally);
    struct trm_sink sink     = trm_sink_function(tally_take, &tally);
    source.workers           = workers;
    ck_ok(trm_pipeline_run(pipeline, &source, &sink));
    ck_assert_msg(tally.wrong == NULL, "%s", tally.wrong);
    ck_assert_uint_eq(tally.next, count);
}

START_TEST(tokens_of_a_group_come_in_order_and_are_counted_for_each_device)
{
    struct spread spread;
    struct trm_pipeline *pipeline;
    if (kernels_missing())
        return;
    struct trm_group *group         = make_group();
    struct trm_group_kernel *kernel = group_kernel(group, "spread");
    describe(&spread, trm_group_stage_kernel(kernel));
    for (uint32_t workers = 0; workers <= 3; workers += 3) {
        struct trm_report report = {.struct_size = sizeof(report)};
        uint64_t tokens = 0, slots = 0;
        uint32_t count = 0;
        ck_ok(trm_group_pipeline_create(group, &spread.desc, &pipeline));
        run_tally(pipeline, 200, workers);
        ck_ok(trm_pipeline_report(pipeline, &report));
        ck_ok(trm_group_size(group, &count));
        ck_assert_uint_eq(report.device_count, count > 1 ? count : 0);
        for (uint32_t i = 0; i < report.device_count; i++) {
            tokens += report.devices[i].tokens;
            slots += report.devices[i].depth;
            ck_assert_uint_ge(report.devices[i].tokens, 1); /* each is measured */
            ck_assert_uint_gt(report.devices[i].latency_ns, 0);
            ck_assert_uint_eq(report.devices[i].lost, 0);
            ck_assert_ptr_nonnull(strstr(report.device, report.devices[i].device));
        }
        ck_assert_uint_eq(tokens, count > 1 ? 200 : 0);
        ck_assert_uint_eq(report.depth, count > 1 ? slots : 2);
        ck_assert_uint_eq(report.tokens, 200);
        run_tally(pipeline, 7, workers);
        trm_pipeline_destroy(pipeline);
    }
    kernels_close();
    trm_group_destroy(group);
}
END_TEST

START_TEST(a_pipeline_keeps_what_it_uses_of_its_group)
{
    struct spread spread;
    struct trm_pipeline *pipeline;
    if (kernels_missing())
        return;
    struct trm_group *group = make_group();
    describe(&spread, trm_group_stage_kernel(group_kernel(group, "spread")));
    ck_ok(trm_group_pipeline_create(group, &spread.desc, &pipeline));
    kernels_close();
    trm_group_destroy(group);
    run_tally(pipeline, 50, 0);
    trm_pipeline_destroy(pipeline);
}
END_TEST

START_TEST(what_is_not_of_the_group_is_refused)
{
    struct spread spread;
    struct trm_pipeline *pipeline = NULL;
    uint32_t count                = 0;
    if (kernels_missing())
        return;
    struct trm_group *group = make_group(), *other = make_group();
    struct trm_group_kernel *foreign = group_kernel(other, "spread");
    describe(&spread, trm_group_stage_kernel(foreign));
    ck_status(trm_group_pipeline_create(group, &spread.desc, &pipeline), TRM_ERROR_WRONG_DEVICE);
    ck_refused(trm_pipeline_create(the.device, &spread.desc, &pipeline));
    describe(&spread, kernel("spread"));
    ck_refused(trm_group_pipeline_create(group, &spread.desc, &pipeline));
    describe(&spread, trm_group_stage_kernel(group_kernel(group, "spread")));
    spread.desc.depth = 64;
    ck_ok(trm_group_size(group, &count));
    if (count > 1) {
        ck_status(trm_group_pipeline_create(group, &spread.desc, &pipeline), TRM_ERROR_INVALID_ARGUMENT);
        ck_sentence_has("64 slots on all its devices");
    }
    ck_status(trm_group_pipeline_create(group, NULL, &pipeline), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_group_pipeline_create(group, &spread.desc, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(pipeline);
    kernels_close();
    trm_group_destroy(group);
    trm_group_destroy(other);
}
END_TEST

/* The counts of both stages together do not fit 32 bits. */
START_TEST(arguments_that_are_counted_and_not_there_are_refused)
{
    struct spread spread;
    struct trm_pipeline *pipeline = NULL;
    if (kernels_missing())
        return;
    struct trm_group *group = make_group();
    describe(&spread, trm_group_stage_kernel(group_kernel(group, "spread")));
    struct trm_stage stages[2] = {spread.stage, spread.stage};
    stages[0].arguments        = NULL;
    stages[0].argument_count   = UINT32_MAX - 4;
    spread.desc.stages         = stages;
    spread.desc.stage_count    = 2;
    ck_status(trm_group_pipeline_create(group, &spread.desc, &pipeline), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("has an argument count, but no arguments");
    ck_assert_ptr_null(pipeline);
    kernels_close();
    trm_group_destroy(group);
}
END_TEST

START_TEST(a_shared_port_that_kernels_write_is_refused_on_several_devices)
{
    struct spread spread;
    struct trm_pipeline *pipeline = NULL;
    struct trm_group_buffer *buffer;
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = WORDS * sizeof(uint32_t)};
    uint32_t count              = 0;
    if (kernels_missing())
        return;
    struct trm_group *group = make_group();
    ck_ok(trm_group_buffer_create(group, &desc, &buffer));
    describe(&spread, trm_group_stage_kernel(group_kernel(group, "spread")));
    struct trm_port ports[3]   = {spread.ports[0], spread.ports[1],
                                  trm_port_shared("state", trm_group_port_buffer(buffer))};
    struct trm_stage stages[2] = {spread.stage, spread.stage};
    struct trm_argument arguments[5];
    memcpy(arguments, spread.arguments, sizeof(arguments));
    arguments[1]            = trm_arg_port(2);
    stages[1].arguments     = arguments;
    spread.desc.ports       = ports;
    spread.desc.port_count  = 3;
    spread.desc.stages      = stages;
    spread.desc.stage_count = 2;
    ck_ok(trm_group_size(group, &count));
    int32_t status = trm_group_pipeline_create(group, &spread.desc, &pipeline);
    ck_assert_int_eq(status, count > 1 ? TRM_ERROR_UNSUPPORTED : TRM_OK);
    if (count > 1)
        ck_sentence_has("\"state\" is shared and a kernel writes it");
    trm_pipeline_destroy(pipeline);
    trm_group_buffer_destroy(buffer);
    kernels_close();
    trm_group_destroy(group);
}
END_TEST

void add_group(Suite *suite)
{
    TCase *lists = group_make(suite, "groups: devices");
    CASE(lists, a_group_has_the_devices_of_its_list);
    CASE(lists, a_list_that_names_no_device_is_refused);
    CASE(lists, a_group_without_a_list_has_the_devices_of_the_setting);
    CASE(lists, a_buffer_of_a_group_has_the_same_bytes_on_every_device);
    CASE(lists, a_kernel_that_cannot_be_loaded_names_the_device);
    CASE(lists, a_kernel_of_a_group_ends_with_it_alone);
    TCase *pipelines = group_make(suite, "groups: pipelines");
    CASE(pipelines, tokens_of_a_group_come_in_order_and_are_counted_for_each_device);
    CASE(pipelines, a_pipeline_keeps_what_it_uses_of_its_group);
    CASE(pipelines, what_is_not_of_the_group_is_refused);
    CASE(pipelines, arguments_that_are_counted_and_not_there_are_refused);
    CASE(pipelines, a_shared_port_that_kernels_write_is_refused_on_several_devices);
}
