/* Which descriptors are refused with which sentence, and a similar one that is accepted.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/engine/check_fixture.h"

#include "tests/unit/runner.h"

/* ---- accepted or refused -------------------------------------------------------------------- */

static void accepted_on(const struct store *on)
{
    struct trm_pipeline *pipeline = NULL;

    int32_t status = trm_pipeline_create(on->device, &desc, &pipeline);
    ck_assert_msg(status == TRM_OK, "refused: %s", trm_last_error().sentence);
    ck_assert_ptr_nonnull(pipeline);
    trm_pipeline_destroy(pipeline);
}

static void accepted(void)
{
    accepted_on(&store);
    describe();
}

static void refused(int32_t expected, const char *words)
{
    struct trm_pipeline *pipeline = NULL;

    int32_t status = trm_pipeline_create(store.device, &desc, &pipeline);
    ck_assert_ptr_null(pipeline);
    ck_assert_msg(status == expected, "%s instead of %s", trm_status_name(status), trm_status_name(expected));
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
    describe();
}

static void is_wrong(const char *words)
{
    refused(TRM_ERROR_INVALID_ARGUMENT, words);
}

/* ---- the whole descriptor ------------------------------------------------------------------- */

START_TEST(what_is_no_description_is_refused)
{
    struct trm_pipeline *pipeline = NULL;

    ck_assert_int_eq(trm_pipeline_create(NULL, &desc, &pipeline), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_pipeline_create(store.device, NULL, &pipeline), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_pipeline_create(store.device, &desc, NULL), TRM_ERROR_INVALID_ARGUMENT);
    desc.struct_size = 8;
    is_wrong("struct_size");
    accepted();
    trm_pipeline_destroy(NULL);
}
END_TEST

START_TEST(numbers_beyond_what_there_is_are_refused)
{
    desc.flags = 1u << 31;
    is_wrong("flags 0x80000000");
    desc.depth = PIPELINE_DEPTH_MOST + 1;
    is_wrong("at most 64 slots, not 65");
    desc.depth = PIPELINE_DEPTH_MOST;
    accepted();
    desc.strategy = TRM_STRATEGY_RESIDENT + 1;
    is_wrong("6 is not a strategy");
    desc.strategy = TRM_STRATEGY_SLOT_GRAPHS;
    accepted();
    desc.on_failure = TRM_FAILURE_SKIP + 1;
    is_wrong("3 is not a failure mode");
    desc.on_failure = TRM_FAILURE_SKIP;
    accepted();
    desc.on_full = TRM_FULL_LATEST + 1;
    is_wrong("3 is not a mode of full pipelines");
    desc.on_full = TRM_FULL_LATEST;
    desc.flags   = TRM_PIPELINE_UNORDERED;
    is_wrong("the pipeline is UNORDERED");
    desc.on_full = TRM_FULL_DROP_OLDEST;
    accepted();
    desc.flags   = 0;
    desc.measure = TRM_MEASURE_NONE + 1;
    is_wrong("3 is not a way to measure");
    desc.measure = TRM_MEASURE_NONE;
    accepted();
}
END_TEST

START_TEST(a_trace_needs_measured_tokens)
{
    desc.measure      = TRM_MEASURE_NONE;
    desc.trace_tokens = 1;
    is_wrong("nothing to trace");
    desc.measure      = TRM_MEASURE_SAMPLED;
    desc.trace_tokens = 1;
    accepted();
}
END_TEST

START_TEST(pieces_are_of_divisible_pipelines)
{
    desc.piece_bytes = 64;
    is_wrong("piece_bytes");
    desc.flags       = TRM_PIPELINE_DIVISIBLE;
    desc.piece_bytes = 64;
    stages[0].shape  = shape;
    accepted();
}
END_TEST

START_TEST(a_pipeline_has_ports_but_not_any_number)
{
    static struct trm_port many[PIPELINE_PORTS_MOST + 1];

    for (uint32_t i = 0; i <= PIPELINE_PORTS_MOST; i++)
        many[i] = trm_port_scratch(NULL, 16);
    desc.port_count = 0;
    is_wrong("needs ports");
    desc.ports = NULL;
    is_wrong("needs ports");
    desc.ports       = many;
    desc.stage_count = 0;
    desc.port_count  = PIPELINE_PORTS_MOST + 1;
    is_wrong("at most 64 ports, not 65");
    desc.ports       = many;
    desc.stage_count = 0;
    desc.port_count  = PIPELINE_PORTS_MOST;
    accepted();
}
END_TEST

START_TEST(stages_may_be_none_but_not_any_number)
{
    desc.stage_count = 0;
    desc.stages      = NULL;
    accepted();
    desc.stages = NULL;
    is_wrong("stages are NULL");
    desc.stage_count = PIPELINE_STAGES_MOST + 1;
    is_wrong("at most 64 stages, not 65");
}
END_TEST

/* ---- ports ---------------------------------------------------------------------------------- */

START_TEST(a_port_is_of_a_kind_and_has_bytes)
{
    ports[X].kind = 0;
    is_wrong("port 0 \"x\" is neither an input");
    ports[X].kind = TRM_PORT_SHARED + 1;
    is_wrong("port 0 \"x\" is neither an input");
    ports[Y].name = NULL;
    ports[Y].size = 0;
    is_wrong("port 1 has no bytes");
    ports[X].flags = 1u << 7;
    is_wrong("port 0 \"x\" has unknown flags");
    ports[X].size = (1 << 20) + 1;
    refused(TRM_ERROR_OUT_OF_RANGE, "port 0 \"x\" has 1048577 bytes");
    ports[X].size = 1 << 20;
    accepted();
}
END_TEST

START_TEST(only_shared_ports_have_buffers_and_all_of_them_do)
{
    ports[X].buffer = weights;
    is_wrong("port 0 \"x\" has a buffer");
    ports[W].buffer = NULL;
    is_wrong("port 2 \"w\" is shared, but has no buffer");
    ports[W].buffer = (struct trm_buffer *)(uintptr_t)1;
    refused(TRM_ERROR_INVALID_HANDLE, "port 2 \"w\": ");
    ports[W].buffer = foreign_buffer;
    refused(TRM_ERROR_WRONG_DEVICE, "port 2 \"w\": the buffer belongs to another device");
    ports[W].buffer = foreign_buffer;
    refused(TRM_ERROR_WRONG_DEVICE, "than the pipeline (");
    ports[X].flags = TRM_PORT_READ_ONLY;
    is_wrong("port 0 \"x\" is not shared");
    ports[W].flags = TRM_PORT_READ_ONLY;
    accepted();
}
END_TEST

START_TEST(outputs_and_scratch_follow_inputs_and_nothing_else_does)
{
    ports[X].follows = 1 + X;
    is_wrong("port 0 \"x\" is an input");
    ports[W].follows = 1 + X;
    is_wrong("port 2 \"w\" is shared, so it cannot follow");
    ports[Y].follows = 1 + Y;
    is_wrong("port 1 \"y\" follows a port that is not an input");
    ports[Y].follows = 1 + PORTS;
    is_wrong("port 1 \"y\" follows a port that is not an input");
    ports[Y].kind = TRM_PORT_SCRATCH;
    accepted();
    ports[Y].follows = 0;
    accepted();
}
END_TEST

static void divide(void)
{
    desc.flags      = TRM_PIPELINE_DIVISIBLE;
    stages[0].shape = shape;
}

START_TEST(ports_of_divisible_pipelines_have_as_many_grains)
{
    divide();
    ports[Y].grain = 0;
    is_wrong("port 1 \"y\" has no grain");
    divide();
    ports[Y].grain = 3;
    is_wrong("port 1 \"y\" has 512 bytes, not a multiple of its grain of 3");
    divide();
    ports[Y].grain = 8;
    is_wrong("port 0 \"x\" has 128 grains and port 1 \"y\" has 64");
    divide();
    ports[Y].size  = 2 * BYTES;
    ports[Y].grain = 8;
    accepted();
    ports[Y].grain = 3;
    accepted();
}
END_TEST

/* ---- stages --------------------------------------------------------------------------------- */

START_TEST(a_stage_is_a_launch_or_on_the_host)
{
    stages[0].kernel = NULL;
    is_wrong("stage 0 has neither a kernel nor a host function");
    stages[1].host = on_host;
    is_wrong("stage 1 \"twice\" is a host stage and has a kernel");
    stages[1].host_reads = 1;
    is_wrong("stage 1 \"twice\" is a launch, whose ports come from its arguments");
    stages[1] = trm_stage_host(on_host, NULL, PIPELINE_BIT(X), PIPELINE_BIT(Y));
    accepted();
}
END_TEST

START_TEST(a_host_stage_names_ports_that_have_host_memory)
{
    stages[1] = trm_stage_host(on_host, NULL, PIPELINE_BIT(PORTS), 0);
    is_wrong("stage 1 reads or writes port 3, but the pipeline has 3 ports");
    stages[1] = trm_stage_host(on_host, NULL, 0, PIPELINE_BIT(W));
    is_wrong("stage 1 is a host stage and names a shared port");
    divide();
    stages[1] = trm_stage_host(on_host, NULL, PIPELINE_BIT(X), 0);
    is_wrong("stage 1 is a host stage, which a divisible pipeline cannot have");
    stages[1] = trm_stage_host(on_host, NULL, 0, 0);
    accepted();
}
END_TEST

START_TEST(an_output_is_written_by_a_stage_where_there_are_any)
{
    arguments[1] = trm_arg_port(W);
    named[3]     = trm_arg_named("y", trm_arg_port(W));
    is_wrong("port 1 \"y\" is an output, but no stage writes it");
    arguments[1] = trm_arg_port(W);
    arguments[0] = trm_arg_port(Y); /* read, not written */
    named[3]     = trm_arg_named("y", trm_arg_port(W));
    is_wrong("port 1 \"y\" is an output, but no stage writes it");
    arguments[1] = trm_arg_port(W);
    accepted();
    arguments[1] = trm_arg_port(W);
    stages[1]    = trm_stage_host(on_host, NULL, PIPELINE_BIT(Y), 0);
    is_wrong("port 1 \"y\" is an output, but no stage writes it");
    arguments[1] = trm_arg_port(W);
    stages[1]    = trm_stage_host(on_host, NULL, 0, PIPELINE_BIT(Y));
    accepted();
    desc.stage_count = 0;
    accepted();
}
END_TEST

START_TEST(a_launch_has_a_grid)
{
    stages[0].grid = (struct trm_grid){.shared_bytes = 0};
    is_wrong("stage 0 has no grid");
    stages[0].items_bytes = 4;
    is_wrong("stage 0: kernel \"saxpy\" has no group size of its own");
    stages[0].items_bytes = 4;
    stages[0].items_port  = PORTS;
    is_wrong("stage 0 has its work-items from port 3, but the pipeline has 3 ports");
    desc.flags = TRM_PIPELINE_DIVISIBLE;
    is_wrong("stage 0 has a grid that does not go with the pieces");
    stages[0] = trm_stage_launch(empty, NULL, 0, X, 4);
    accepted();
}
END_TEST

START_TEST(kernels_are_alive_and_of_the_pipelines_device)
{
    stages[0].kernel = (struct trm_kernel *)(uintptr_t)1;
    refused(TRM_ERROR_INVALID_HANDLE, "stage 0: ");
    stages[1].kernel = foreign;
    refused(TRM_ERROR_WRONG_DEVICE, "stage 1 \"twice\": kernel \"saxpy\" belongs to another device");
    accepted();
}
END_TEST

/* ---- arguments ------------------------------------------------------------------------------ */

START_TEST(there_are_as_many_arguments_as_the_kernel_takes)
{
    stages[0].argument_count = 3;
    is_wrong("stage 0: kernel \"saxpy\" has 4 arguments (x, y, a, n), but 3 were given");
    stages[0].argument_count = 5;
    is_wrong("stage 0: kernel \"saxpy\" has 4 arguments (x, y, a, n), but 5 were given");
    stages[0].arguments = NULL;
    is_wrong("stage 0 has an argument count, but no arguments");
    stages[1].argument_count = 3;
    is_wrong("stage 1 \"twice\": argument 1 \"y\" of kernel \"saxpy\" is missing");
    named[3].name = "z";
    is_wrong("stage 1 \"twice\": kernel \"saxpy\" has no parameter \"z\"");
    named[3].name = "x";
    is_wrong("stage 1 \"twice\": argument 0 \"x\" of kernel \"saxpy\" is given twice");
    accepted();
}
END_TEST

START_TEST(a_port_is_there_and_goes_where_a_buffer_goes)
{
    arguments[1] = trm_arg_port(PORTS);
    refused(TRM_ERROR_OUT_OF_RANGE,
            "stage 0: argument 1 \"y\" of kernel \"saxpy\" is port 3, but the pipeline");
    arguments[2] = trm_arg_port(X);
    refused(TRM_ERROR_TYPE_MISMATCH, "is not a buffer, but port 0 \"x\" was given");
    named[0] = trm_arg_port(Y);
    accepted();
}
END_TEST

START_TEST(elements_of_a_port_are_an_integer_that_can_count_them)
{
    arguments[3] = trm_arg_port_elements(PORTS, 4);
    refused(TRM_ERROR_OUT_OF_RANGE, "argument 3 \"n\" of kernel \"saxpy\" is port 3");
    arguments[3] = trm_arg_port_elements(X, 0);
    is_wrong("counts elements of 0 bytes in port 0 \"x\"");
    arguments[2] = trm_arg_port_elements(X, 4);
    refused(TRM_ERROR_TYPE_MISMATCH, "is not an integer of 32 or 64 bits, but the elements of port 0 \"x\"");
    arguments[0] = trm_arg_port_elements(X, 4);
    refused(TRM_ERROR_TYPE_MISMATCH, "is not an integer of 32 or 64 bits");
    arguments[3] = trm_arg_port_elements(W, 16);
    accepted();
}
END_TEST

START_TEST(an_incomplete_element_of_a_port_is_refused)
{
    arguments[3] = trm_arg_port_elements(X, 3);
    is_wrong("bytes, which is no whole number of elements of 3 bytes");
}
END_TEST

/* A stage of the kernel with a u8, an i16, an i32, an f64 and an i64, before one that writes the output. */
static void count_bytes(uint64_t size)
{
    static struct trm_argument values[5];

    values[0]      = trm_arg_u32(0);
    values[0].type = TRM_TYPE_U8;
    values[1]      = trm_arg_u32(0);
    values[1].type = TRM_TYPE_I16;
    values[2]      = trm_arg_port_elements(X, 1);
    values[3]      = trm_arg_f64(0);
    values[4]      = trm_arg_port_elements(X, 1);
    ports[X].size  = size;
    stages[0]      = (struct trm_stage){
             .kernel = scalars, .arguments = values, .argument_count = 5, .grid = trm_grid_1d(1, 1)};
    stages[1] = trm_stage_host(on_host, NULL, 0, PIPELINE_BIT(Y));
}

START_TEST(elements_that_are_too_many_for_their_type_are_refused)
{
    store.core->limits.max_buffer_bytes = UINT64_MAX;
    store.memory_limit                  = 1 << 20;
    count_bytes(UINT64_C(1) << 31);
    refused(TRM_ERROR_OUT_OF_RANGE, "argument 2 \"c\" of kernel \"scalars\" is i32, which cannot count the "
                                    "2147483648 elements of port 0");
    count_bytes((UINT64_C(1) << 31) - 1);
    refused(TRM_ERROR_OUT_OF_DEVICE_MEMORY, "port 0 \"x\"");
    store.memory_limit = 0;
    count_bytes(BYTES);
    accepted();
}
END_TEST

START_TEST(values_are_of_the_parameters_type)
{
    static const uint32_t block[4] = {0};

    arguments[2] = trm_arg_i32(2);
    refused(TRM_ERROR_TYPE_MISMATCH,
            "stage 0: argument 2 \"a\" of kernel \"saxpy\" is f32, but an i32 was given");
    arguments[3] = trm_arg_block(block, sizeof(block));
    refused(TRM_ERROR_TYPE_MISMATCH, "argument 3 \"n\" of kernel \"saxpy\" is u32, but a block of 16 bytes");
    arguments[0] = trm_arg_f32(1);
    refused(TRM_ERROR_TYPE_MISMATCH, "argument 0 \"x\" of kernel \"saxpy\" is");
    accepted();
}
END_TEST

START_TEST(buffers_of_arguments_are_alive_large_enough_and_of_the_device)
{
    arguments[0] = trm_arg_buffer(foreign_buffer);
    refused(TRM_ERROR_WRONG_DEVICE, "stage 0: ");
    arguments[0] = trm_arg_span(trm_span_of(weights, 60, 8));
    refused(TRM_ERROR_OUT_OF_RANGE, "stage 0: ");
    arguments[0] = trm_arg_buffer(NULL);
    refused(TRM_ERROR_INVALID_HANDLE, "stage 0: ");
    arguments[0] = trm_arg_buffer(weights);
    accepted();
}
END_TEST

/* ---- strategies ----------------------------------------------------------------------------- */

START_TEST(without_copies_only_where_memory_is_one)
{
    desc.strategy = TRM_STRATEGY_ZERO_COPY;
    refused(TRM_ERROR_UNSUPPORTED, "has its own");
    desc.strategy    = TRM_STRATEGY_ZERO_COPY;
    desc.port_count  = 2;
    desc.stage_count = 0;
    accepted_on(&other);
}
END_TEST

START_TEST(kernels_stay_only_where_the_backend_has_such_kernels)
{
    desc.strategy = TRM_STRATEGY_RESIDENT;
    refused(TRM_ERROR_UNSUPPORTED, "kernels that stay on the device");
    desc.strategy = TRM_STRATEGY_SLOT_STREAMS;
    accepted();
}
END_TEST

START_TEST(host_stages_cannot_be_recorded)
{
    stages[1]     = trm_stage_host(on_host, NULL, PIPELINE_BIT(Y), PIPELINE_BIT(Y));
    desc.strategy = TRM_STRATEGY_SLOT_GRAPHS;
    refused(TRM_ERROR_UNSUPPORTED, "cannot have host stages");
    stages[1]     = trm_stage_host(on_host, NULL, PIPELINE_BIT(Y), PIPELINE_BIT(Y));
    desc.strategy = TRM_STRATEGY_SLOT_STREAMS;
    accepted();
}
END_TEST

START_TEST(memory_that_is_not_there_names_slot_and_port)
{
    ports[X].size      = 1 << 20;
    store.memory_limit = 3 << 20;
    desc.depth         = 8;
    refused(TRM_ERROR_OUT_OF_DEVICE_MEMORY, "port 0 \"x\": ");
    store.memory_limit = 0;
    ports[X].size      = 1 << 20;
    accepted();
}
END_TEST

/* ---- launches outside of pipelines take no ports -------------------------------------------- */

START_TEST(a_launch_of_ports_is_refused)
{
    const struct trm_grid grid = trm_grid_1d(1, 1);
    struct trm_stream *stream  = store_stream(&store);

    ck_assert_int_eq(trm_launch(stream, saxpy, &grid, arguments, 4), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "a port, which only stages of pipelines have"));
    arguments[0] = arguments[1] = trm_arg_buffer(weights);
    ck_assert_int_eq(trm_launch(stream, saxpy, &grid, arguments, 4), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "the elements of a port"));
    arguments[3] = trm_arg_u32(1);
    ck_assert_int_eq(trm_launch(stream, saxpy, &grid, arguments, 4), TRM_OK);
    trm_stream_destroy(stream);
}
END_TEST

/* ---- references of a pipeline --------------------------------------------------------------- */

START_TEST(a_pipeline_keeps_what_it_needs)
{
    struct trm_pipeline *pipeline = NULL;
    struct trm_token *token       = NULL;

    ck_assert_int_eq(trm_pipeline_create(store.device, &desc, &pipeline), TRM_OK);
    trm_kernel_destroy(saxpy);
    trm_module_destroy(module);
    trm_buffer_destroy(weights);
    memset(ports, 0xff, sizeof(ports));
    memset(stages, 0xff, sizeof(stages));
    memset(arguments, 0xff, sizeof(arguments));
    memset(named, 0xff, sizeof(named));
    ck_assert_int_eq(trm_pipeline_acquire(pipeline, TRM_FOREVER, &token), TRM_OK);
    memset(token->data[X], 1, BYTES);
    ck_assert_int_eq(trm_pipeline_submit(pipeline, token), TRM_OK);
    ck_assert_int_eq(trm_pipeline_next(pipeline, TRM_FOREVER, &token), TRM_OK);
    ck_assert_uint_eq(store.launches, 2);
    ck_assert_int_eq(trm_pipeline_release(pipeline, token), TRM_OK);
    trm_pipeline_destroy(pipeline);
    ck_assert_int_eq(trm_pipeline_acquire(pipeline, 0, &token), TRM_ERROR_INVALID_HANDLE);

    ck_assert_uint_eq(store.unloads, 0); /* by the other kernels */
    load(&store, &module);
    ck_assert_int_eq(trm_kernel_get(module, "saxpy", &saxpy), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, 64, &weights), TRM_OK);
}
END_TEST

static Suite *pipeline_check_suite(void)
{
    const TTest *const tests[] = {
        what_is_no_description_is_refused,
        numbers_beyond_what_there_is_are_refused,
        a_trace_needs_measured_tokens,
        pieces_are_of_divisible_pipelines,
        a_pipeline_has_ports_but_not_any_number,
        stages_may_be_none_but_not_any_number,
        a_port_is_of_a_kind_and_has_bytes,
        only_shared_ports_have_buffers_and_all_of_them_do,
        outputs_and_scratch_follow_inputs_and_nothing_else_does,
        ports_of_divisible_pipelines_have_as_many_grains,
        a_stage_is_a_launch_or_on_the_host,
        a_host_stage_names_ports_that_have_host_memory,
        an_output_is_written_by_a_stage_where_there_are_any,
        a_launch_has_a_grid,
        kernels_are_alive_and_of_the_pipelines_device,
        there_are_as_many_arguments_as_the_kernel_takes,
        a_port_is_there_and_goes_where_a_buffer_goes,
        elements_of_a_port_are_an_integer_that_can_count_them,
        an_incomplete_element_of_a_port_is_refused,
        elements_that_are_too_many_for_their_type_are_refused,
        values_are_of_the_parameters_type,
        buffers_of_arguments_are_alive_large_enough_and_of_the_device,
        without_copies_only_where_memory_is_one,
        kernels_stay_only_where_the_backend_has_such_kernels,
        host_stages_cannot_be_recorded,
        memory_that_is_not_there_names_slot_and_port,
        a_launch_of_ports_is_refused,
        a_pipeline_keeps_what_it_needs,
    };
    Suite *suite = suite_create("pipeline_check");
    TCase *tcase = tcase_create("create");
    tcase_add_checked_fixture(tcase, open_stores, close_stores);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite;
}

UNIT_SUITE(pipeline_check_suite)
