/* The cuda backend's graphs: chains of the driver's nodes; operations without a node are left to the core.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/graph/graph.h"
#include "backends/cuda/memory/memory.h"
#include "backends/cuda/profile/profile.h"
#include "tests/unit/backends/cuda/fixture.h"
#include "tests/unit/runner.h"

#define SIZE 40000u

static struct {
    struct trm_backend_stream *stream;
    struct trm_backend_memory *device, *pinned, *back;
    uint8_t *in, *out; /* of pinned and back */
    uint64_t value;
} use;

static void make_things(void)
{
    use.stream = on_stream();
    use.device = on_memory(TRM_MEMORY_DEVICE, SIZE);
    use.pinned = on_memory(TRM_MEMORY_PINNED, SIZE);
    use.back   = on_memory(TRM_MEMORY_PINNED, SIZE);
    use.in     = on_host(use.pinned);
    use.out    = on_host(use.back);
    use.value  = 0;
    for (uint32_t i = 0; i < SIZE; i++)
        use.in[i] = (uint8_t)(i * 7);
    memset(use.out, 0xEE, SIZE);
}

static void set_up(void)
{
    on_open("");
    make_things();
}

static void tear_down(void)
{
    cuda_stream_ops.destroy(use.stream);
    cuda_memory_ops.free(use.device);
    cuda_memory_ops.free(use.pinned);
    cuda_memory_ops.free(use.back);
    on_close();
}

/* ---- nodes ---- */

struct chain {
    struct trm_graph_node nodes[8];
    const struct trm_graph_node *pointers[8];
    struct trm_copy_desc copies[8];
    struct trm_copy_2d_desc rows[8];
    struct trm_fill_desc fills[8];
    uint32_t count;
};

static struct trm_place in_memory(struct trm_backend_memory *memory, uint64_t offset)
{
    return (struct trm_place){.memory = memory, .offset = offset};
}

static struct trm_place on_the_host(void *host)
{
    return (struct trm_place){.host = host};
}

static struct trm_graph_node *add(struct chain *chain, int32_t kind)
{
    struct trm_graph_node *node   = &chain->nodes[chain->count];
    chain->pointers[chain->count] = node;
    *node                         = (struct trm_graph_node){.struct_size = sizeof(*node), .kind = kind};
    chain->count++;
    return node;
}

static void add_copy(struct chain *chain, struct trm_place to, struct trm_place from, uint64_t size)
{
    struct trm_copy_desc *desc = &chain->copies[chain->count];
    *desc =
        (struct trm_copy_desc){.struct_size = sizeof(*desc), .destination = to, .source = from, .size = size};
    add(chain, TRM_GRAPH_COPY)->copy = desc;
}

static void add_rows(struct chain *chain, struct trm_place to, uint64_t to_pitch, struct trm_place from,
                     uint64_t from_pitch, uint64_t width, uint64_t height)
{
    struct trm_copy_2d_desc *desc          = &chain->rows[chain->count];
    *desc                                  = (struct trm_copy_2d_desc){.struct_size       = sizeof(*desc),
                                                                       .destination       = to,
                                                                       .source            = from,
                                                                       .destination_pitch = to_pitch,
                                                                       .source_pitch      = from_pitch,
                                                                       .width             = width,
                                                                       .height            = height};
    add(chain, TRM_GRAPH_COPY_2D)->copy_2d = desc;
}

static void add_fill(struct chain *chain, uint64_t offset, uint64_t size, uint64_t pattern,
                     uint32_t pattern_size)
{
    struct trm_fill_desc *desc       = &chain->fills[chain->count];
    *desc                            = (struct trm_fill_desc){.struct_size  = sizeof(*desc),
                                                              .pattern_size = pattern_size,
                                                              .memory       = use.device,
                                                              .offset       = offset,
                                                              .size         = size,
                                                              .pattern      = pattern};
    add(chain, TRM_GRAPH_FILL)->fill = desc;
}

static int32_t create(const struct chain *chain, struct trm_backend_graph **graph)
{
    return cuda_graph_ops.create(on.device, chain->pointers, chain->count, graph);
}

static struct trm_backend_graph *made(const struct chain *chain)
{
    struct trm_backend_graph *graph = NULL;
    ck_assert_msg(create(chain, &graph) == TRM_OK, "%s", fake.sentence);
    return graph;
}

static void launch(struct trm_backend_graph *graph)
{
    ck_assert_msg(cuda_graph_ops.launch(use.stream, ++use.value, graph) == TRM_OK, "%s", fake.sentence);
}

static void run(struct trm_backend_graph *graph)
{
    launch(graph);
    on_wait(use.stream, use.value);
}

static int32_t update(struct trm_backend_graph *graph, uint32_t index, const struct chain *by)
{
    return cuda_graph_ops.update(graph, index, by->pointers[0]);
}

static void is_not_for_the_driver(const struct chain *chain)
{
    struct trm_backend_graph *graph = NULL;
    ck_assert_int_eq(create(chain, &graph), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(graph);
    ck_assert_str_eq(fake.sentence, ""); /* nothing has failed */
}

/* There and back again. */
static void add_round_trip(struct chain *chain)
{
    add_copy(chain, in_memory(use.device, 0), on_the_host(use.in), SIZE);
    add_copy(chain, on_the_host(use.out), in_memory(use.device, 0), SIZE);
}

/* ---- what runs ---- */

START_TEST(nodes_run_one_after_the_other_as_often_as_they_are_launched)
{
    struct chain chain = {.count = 0};
    add_copy(&chain, in_memory(use.device, 0), on_the_host(use.in), SIZE);
    add_fill(&chain, 1000, 500, 0x5A, 1);
    add_copy(&chain, on_the_host(use.out), in_memory(use.device, 0), SIZE);
    struct trm_backend_graph *graph = made(&chain);
    for (int i = 0; i < 5; i++) {
        use.in[3] = (uint8_t)i;
        memset(use.out, 0xEE, SIZE);
        run(graph);
        ck_assert_mem_eq(use.out, use.in, 1000);
        ck_assert_uint_eq(use.out[1000], 0x5A);
        ck_assert_uint_eq(use.out[1499], 0x5A);
        ck_assert_mem_eq(use.out + 1500, use.in + 1500, SIZE - 1500);
    }
    cuda_graph_ops.destroy(graph);
}
END_TEST

START_TEST(memory_that_is_not_the_devices_is_copied_by_its_buffer_too)
{
    struct chain chain = {.count = 0};
    add_copy(&chain, in_memory(use.device, 100), in_memory(use.pinned, 200), 3000);
    add_copy(&chain, in_memory(use.back, 300), in_memory(use.device, 100), 3000);
    struct trm_backend_graph *graph = made(&chain);
    run(graph);
    ck_assert_mem_eq(use.out + 300, use.in + 200, 3000);
    ck_assert_uint_eq(use.out[299], 0xEE);
    ck_assert_uint_eq(use.out[3300], 0xEE);
    cuda_graph_ops.destroy(graph);
}
END_TEST

START_TEST(rows_are_copied)
{
    struct chain chain = {.count = 0};
    add_rows(&chain, in_memory(use.device, 0), 128, on_the_host(use.in), 200, 100, 50);
    add_rows(&chain, on_the_host(use.out), 150, in_memory(use.device, 0), 128, 100, 50);
    struct trm_backend_graph *graph = made(&chain);
    run(graph);
    for (int row = 0; row < 50; row++) {
        ck_assert_mem_eq(use.out + row * 150, use.in + row * 200, 100);
        ck_assert_uint_eq(use.out[row * 150 + 100], 0xEE);
    }
    cuda_graph_ops.destroy(graph);
}
END_TEST

START_TEST(fills_of_every_width_are_nodes)
{
    struct chain chain = {.count = 0};
    add_fill(&chain, 0, 1000, 0x11, 1);
    add_fill(&chain, 1000, 1000, 0x2222, 2);
    add_fill(&chain, 2000, 1000, 0x33445566, 4);
    add_copy(&chain, on_the_host(use.out), in_memory(use.device, 0), 3000);
    struct trm_backend_graph *graph = made(&chain);
    uint32_t word                   = 0x33445566;
    run(graph);
    ck_assert_uint_eq(use.out[999], 0x11);
    ck_assert_uint_eq(use.out[1000], 0x22);
    ck_assert_mem_eq(use.out + 2996, &word, 4);
    cuda_graph_ops.destroy(graph);
}
END_TEST

START_TEST(stamps_are_recorded_at_every_launch)
{
    struct trm_backend_stamp *stamps[2] = {NULL, NULL};
    struct chain chain                  = {.count = 0};
    uint64_t first = 0, second = 0, last = 0;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(cuda_profile_ops.stamp_create(on.device, &stamps[i]), TRM_OK);
    add(&chain, TRM_GRAPH_STAMP)->stamp = stamps[0];
    add_copy(&chain, in_memory(use.device, 0), on_the_host(use.in), SIZE);
    add(&chain, TRM_GRAPH_STAMP)->stamp = stamps[1];
    struct trm_backend_graph *graph     = made(&chain);
    for (int i = 0; i < 5; i++) {
        run(graph);
        ck_assert_int_eq(cuda_profile_ops.stamp_read(stamps[0], &first), TRM_OK);
        ck_assert_int_eq(cuda_profile_ops.stamp_read(stamps[1], &second), TRM_OK);
        ck_assert_uint_ge(first, last);
        ck_assert_uint_ge(second, first);
        last = second;
    }
    cuda_graph_ops.destroy(graph);
    for (int i = 0; i < 2; i++)
        cuda_profile_ops.stamp_destroy(stamps[i]);
}
END_TEST

START_TEST(a_graph_behind_a_closed_gate_runs_when_it_opens)
{
    struct chain chain = {.count = 0};
    add_round_trip(&chain);
    struct trm_backend_graph *graph = made(&chain);
    ck_assert_int_eq(cuda_stream_ops.gate(use.stream, ++use.value), TRM_OK);
    uint64_t gate = use.value;
    launch(graph);
    on.control->settle();
    ck_assert_uint_eq(use.out[0], 0xEE);
    cuda_stream_ops.open_gates(use.stream, gate);
    on_wait(use.stream, use.value);
    ck_assert_mem_eq(use.out, use.in, SIZE);
    cuda_graph_ops.destroy(graph);
}
END_TEST

START_TEST(a_graph_is_brought_to_the_device_when_it_is_made)
{
    struct chain chain = {.count = 0};
    uint64_t before    = on.control->calls("cuGraphUpload");
    add_round_trip(&chain);
    struct trm_backend_graph *graph = made(&chain);
    ck_assert_uint_eq(on.control->calls("cuGraphUpload"), before + 1);
    run(graph);
    ck_assert_uint_eq(on.control->calls("cuGraphUpload"), before + 1);
    cuda_graph_ops.destroy(graph);
}
END_TEST

/* ---- what does not ---- */

START_TEST(memory_that_is_not_locked_is_left_to_the_core)
{
    static uint8_t plain[SIZE];
    for (int i = 0; i < 4; i++) {
        struct chain chain = {.count = 0};
        if (i == 0)
            add_copy(&chain, in_memory(use.device, 0), on_the_host(plain), SIZE);
        else if (i == 1)
            add_copy(&chain, on_the_host(plain), in_memory(use.device, 0), SIZE);
        else if (i == 2)
            add_rows(&chain, in_memory(use.device, 0), 100, on_the_host(plain), 100, 50, 20);
        else
            add_rows(&chain, on_the_host(plain), 100, in_memory(use.device, 0), 100, 50, 20);
        is_not_for_the_driver(&chain);
    }
}
END_TEST

START_TEST(what_later_versions_bring_is_left_to_the_core)
{
    struct chain chain = {.count = 0};
    add(&chain, 77);
    is_not_for_the_driver(&chain);
}
END_TEST

START_TEST(what_an_old_driver_lacks_is_left_to_the_core)
{
    struct chain chain = {.count = 0};
    add_round_trip(&chain);
    is_not_for_the_driver(&chain);
}
END_TEST

START_TEST(what_the_driver_refuses_is_left_to_the_core)
{
    static const char *const functions[] = {"cuGraphCreate", "cuGraphAddMemcpyNode",
                                            "cuGraphInstantiateWithFlags"};
    struct chain chain                   = {.count = 0};
    add_round_trip(&chain);
    for (int i = 0; i < 3; i++) {
        on_fault(functions[i], "CUDA_ERROR_NOT_SUPPORTED");
        is_not_for_the_driver(&chain);
        ck_assert_uint_eq(on.control->failures(), (uint64_t)i + 1);
    }
}
END_TEST

START_TEST(memory_that_has_run_out_is_a_failure)
{
    static const char *const functions[] = {"cuGraphCreate", "cuGraphAddMemcpyNode",
                                            "cuGraphInstantiateWithFlags"};
    struct chain chain                   = {.count = 0};
    add_round_trip(&chain);
    for (int i = 0; i < 3; i++) {
        struct trm_backend_graph *graph = NULL;
        on_fault(functions[i], "CUDA_ERROR_OUT_OF_MEMORY");
        ck_assert_int_eq(create(&chain, &graph), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
        ck_assert_ptr_null(graph);
    }
    struct trm_backend_graph *graph = NULL;
    fake.refuse_at                  = fake.calls + 1;
    ck_assert_int_eq(create(&chain, &graph), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_says("a graph");
}
END_TEST

START_TEST(a_graph_that_cannot_be_brought_to_the_device_yet_is_fine)
{
    struct chain chain = {.count = 0};
    add_round_trip(&chain);
    on_fault("cuGraphUpload", "CUDA_ERROR_OUT_OF_MEMORY");
    struct trm_backend_graph *graph = made(&chain);
    run(graph);
    ck_assert_mem_eq(use.out, use.in, SIZE);
    cuda_graph_ops.destroy(graph);
}
END_TEST

START_TEST(a_launch_that_fails_is_explained)
{
    struct chain chain = {.count = 0};
    add_round_trip(&chain);
    struct trm_backend_graph *graph = made(&chain);
    on_fault("cuGraphLaunch", "CUDA_ERROR_OUT_OF_MEMORY");
    ck_assert_int_eq(cuda_graph_ops.launch(use.stream, ++use.value, graph), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_says("cuGraphLaunch");
    cuda_graph_ops.destroy(graph);
}
END_TEST

/* ---- replacing ---- */

START_TEST(a_copy_is_replaced_in_place)
{
    struct chain chain = {.count = 0}, by = {.count = 0};
    add_round_trip(&chain);
    struct trm_backend_graph *graph = made(&chain);
    uint64_t before                 = on.control->calls("cuGraphInstantiateWithFlags");
    run(graph);
    add_copy(&by, in_memory(use.device, 0), on_the_host(use.in + 500), 2000);
    ck_assert_int_eq(update(graph, 0, &by), TRM_OK);
    run(graph);
    ck_assert_mem_eq(use.out, use.in + 500, 2000);
    ck_assert_mem_eq(use.out + 2000, use.in + 2000, SIZE - 2000);
    ck_assert_uint_eq(on.control->calls("cuGraphInstantiateWithFlags"), before);
    cuda_graph_ops.destroy(graph);
}
END_TEST

START_TEST(a_fill_is_replaced_in_place)
{
    struct chain chain = {.count = 0}, by = {.count = 0};
    add_fill(&chain, 0, SIZE, 1, 1);
    add_copy(&chain, on_the_host(use.out), in_memory(use.device, 0), SIZE);
    struct trm_backend_graph *graph = made(&chain);
    add_fill(&by, 0, SIZE, 9, 1);
    ck_assert_int_eq(update(graph, 0, &by), TRM_OK);
    run(graph);
    ck_assert_uint_eq(use.out[0], 9);
    ck_assert_uint_eq(use.out[SIZE - 1], 9);
    cuda_graph_ops.destroy(graph);
}
END_TEST

START_TEST(a_stamp_is_replaced_in_place)
{
    struct trm_backend_stamp *stamps[2] = {NULL, NULL};
    struct chain chain = {.count = 0}, by = {.count = 0};
    uint64_t time = 0;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(cuda_profile_ops.stamp_create(on.device, &stamps[i]), TRM_OK);
    add(&chain, TRM_GRAPH_STAMP)->stamp = stamps[0];
    add(&by, TRM_GRAPH_STAMP)->stamp    = stamps[1];
    struct trm_backend_graph *graph     = made(&chain);
    ck_assert_int_eq(update(graph, 0, &by), TRM_OK);
    run(graph);
    ck_assert_int_eq(cuda_profile_ops.stamp_read(stamps[1], &time), TRM_OK);
    ck_assert_uint_gt(time, 0);
    cuda_graph_ops.destroy(graph);
    for (int i = 0; i < 2; i++)
        cuda_profile_ops.stamp_destroy(stamps[i]);
}
END_TEST

START_TEST(what_the_driver_does_not_replace_is_made_anew_by_the_core)
{
    static uint8_t plain[SIZE];
    struct chain chain = {.count = 0}, by = {.count = 0}, rows = {.count = 0};
    add_round_trip(&chain);
    struct trm_backend_graph *graph = made(&chain);
    add_copy(&by, in_memory(use.device, 0), on_the_host(use.in), 100);
    on_fault("cuGraphExecMemcpyNodeSetParams", "CUDA_ERROR_INVALID_VALUE");
    ck_assert_int_eq(update(graph, 0, &by), TRM_ERROR_UNSUPPORTED);
    by.copies[0].source.host = plain;
    ck_assert_int_eq(update(graph, 0, &by), TRM_ERROR_UNSUPPORTED);
    add_rows(&rows, in_memory(use.device, 0), 100, on_the_host(plain), 100, 50, 20);
    ck_assert_int_eq(update(graph, 0, &rows), TRM_ERROR_UNSUPPORTED);
    ck_assert_str_eq(fake.sentence, "");
    run(graph); /* as it was */
    ck_assert_mem_eq(use.out, use.in, SIZE);
    cuda_graph_ops.destroy(graph);
}
END_TEST

START_TEST(an_old_driver_replaces_nothing)
{
    struct chain chain = {.count = 0}, by = {.count = 0};
    add_round_trip(&chain);
    struct trm_backend_graph *graph = made(&chain);
    add_copy(&by, in_memory(use.device, 0), on_the_host(use.in), 100);
    ck_assert_int_eq(update(graph, 0, &by), TRM_ERROR_UNSUPPORTED);
    cuda_graph_ops.destroy(graph);
}
END_TEST

static void set_up_without_nodes(void)
{
    on_open("missing=cuGraphAddKernelNode");
    make_things();
}

static void set_up_without_updates(void)
{
    on_open("missing=cuGraphExecMemcpyNodeSetParams,cuGraphUpload");
    make_things();
}

static void add_group(Suite *suite, const char *name, void (*open)(void), const TTest *const *tests)
{
    TCase *group = tcase_create(name);
    tcase_add_checked_fixture(group, open, tear_down);
    for (; *tests != NULL; tests++)
        tcase_add_test(group, *tests);
    suite_add_tcase(suite, group);
}

static Suite *make_suite(void)
{
    Suite *suite = suite_create("graph");
    add_group(suite, "what runs", set_up,
              (const TTest *const[]){nodes_run_one_after_the_other_as_often_as_they_are_launched,
                                     memory_that_is_not_the_devices_is_copied_by_its_buffer_too,
                                     rows_are_copied, fills_of_every_width_are_nodes,
                                     stamps_are_recorded_at_every_launch,
                                     a_graph_behind_a_closed_gate_runs_when_it_opens,
                                     a_graph_is_brought_to_the_device_when_it_is_made, NULL});
    add_group(suite, "what does not", set_up,
              (const TTest *const[]){memory_that_is_not_locked_is_left_to_the_core,
                                     what_later_versions_bring_is_left_to_the_core,
                                     what_the_driver_refuses_is_left_to_the_core,
                                     memory_that_has_run_out_is_a_failure,
                                     a_graph_that_cannot_be_brought_to_the_device_yet_is_fine,
                                     a_launch_that_fails_is_explained, NULL});
    add_group(suite, "replacing", set_up,
              (const TTest *const[]){a_copy_is_replaced_in_place, a_fill_is_replaced_in_place,
                                     a_stamp_is_replaced_in_place,
                                     what_the_driver_does_not_replace_is_made_anew_by_the_core, NULL});
    add_group(suite, "an old driver", set_up_without_nodes,
              (const TTest *const[]){what_an_old_driver_lacks_is_left_to_the_core, NULL});
    add_group(suite, "an older driver", set_up_without_updates,
              (const TTest *const[]){an_old_driver_replaces_nothing,
                                     nodes_run_one_after_the_other_as_often_as_they_are_launched, NULL});
    return suite;
}

UNIT_SUITE(make_suite)
