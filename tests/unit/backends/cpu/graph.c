/* Graphs of the cpu backend: launching, updating and destroying them.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cpu/fixture.h"

#define SIZE 256

static const struct trm_graph_ops *graphs;
static struct trm_backend_stream *stream;
static struct trm_backend_memory *list, *other;
static uint8_t *list_bytes, *other_bytes;

static void open_all(void)
{
    graphs = bench.backend->graph;
    stream = cpu_bench_stream(&bench, 0);
    list   = cpu_bench_memory(&bench, SIZE, &list_bytes);
    other  = cpu_bench_memory(&bench, SIZE, &other_bytes);
    memset(list_bytes, 0, SIZE);
    memset(other_bytes, 0, SIZE);
}

static void close_all(void)
{
    bench.stream->destroy(stream);
    bench.memory->free(list);
    bench.memory->free(other);
}

/* ---- nodes */

struct node {
    struct trm_graph_node node;
    struct trm_fill_desc fill;
    struct trm_copy_desc copy;
    struct trm_launch_desc launch;
    struct trm_launch_argument arguments[2];
};

static const struct trm_graph_node *fill_node(struct node *node, uint64_t offset, uint64_t size, uint8_t byte)
{
    memset(node, 0, sizeof(*node));
    node->fill = (struct trm_fill_desc){.struct_size  = sizeof(node->fill),
                                        .pattern_size = 1,
                                        .memory       = other,
                                        .offset       = offset,
                                        .size         = size,
                                        .pattern      = byte};
    node->node = (struct trm_graph_node){
        .struct_size = sizeof(node->node), .kind = TRM_GRAPH_FILL, .fill = &node->fill};
    return &node->node;
}

static const struct trm_graph_node *append_node(struct node *node, uint32_t number)
{
    memset(node, 0, sizeof(*node));
    node->launch = cpu_bench_launch(cpu_bench_kernel(&bench, module, "append"), 1);
    node->arguments[0] =
        (struct trm_launch_argument){.kind = TRM_PARAMETER_BUFFER, .memory = list, .size = SIZE};
    node->arguments[1] = (struct trm_launch_argument){
        .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32, .size = 4, .scalar = number};
    node->launch.arguments      = node->arguments;
    node->launch.argument_count = 2;
    node->node                  = (struct trm_graph_node){
                         .struct_size = sizeof(node->node),
                         .kind        = TRM_GRAPH_LAUNCH,
                         .launch      = &node->launch,
    };
    return &node->node;
}

static const struct trm_graph_node *plain_node(struct node *node, const char *name)
{
    memset(node, 0, sizeof(*node));
    node->launch = cpu_bench_launch(cpu_bench_kernel(&bench, module, name), 1);
    node->node   = (struct trm_graph_node){
          .struct_size = sizeof(node->node), .kind = TRM_GRAPH_LAUNCH, .launch = &node->launch};
    return &node->node;
}

static struct trm_backend_graph *make(const struct trm_graph_node *const *nodes, uint32_t number)
{
    struct trm_backend_graph *graph = NULL;
    ck_assert_int_eq(graphs->create(bench.device, nodes, number, &graph), TRM_OK);
    ck_assert_ptr_nonnull(graph);
    return graph;
}

static void wait_for(uint64_t value)
{
    ck_assert_int_eq(bench.stream->wait(stream, value, FOREVER), TRM_OK);
}

static uint32_t entry(uint32_t index)
{
    uint32_t number;
    memcpy(&number, list_bytes + 4 * index, 4);
    return number;
}

/* ---- cases */

START_TEST(a_launch_is_one_operation_that_is_done_when_its_last_is)
{
    open_all();
    struct node nodes[3];
    const struct trm_graph_node *all[] = {append_node(&nodes[0], 11), append_node(&nodes[1], 12),
                                          append_node(&nodes[2], 13)};
    struct trm_backend_graph *graph    = make(all, 3);
    memset(nodes, 0xff, sizeof(nodes)); /* the graph has copies */
    for (uint64_t value = 10; value <= 30; value += 10)
        ck_assert_int_eq(graphs->launch(stream, value, graph), TRM_OK);
    wait_for(30);
    ck_assert_uint_eq(completed(stream), 30);
    ck_assert_uint_eq(entry(0), 9);
    for (uint32_t i = 0; i < 9; i++)
        ck_assert_uint_eq(entry(i + 1), 11 + i % 3);
    graphs->destroy(graph);
    close_all();
}
END_TEST

/* While its middle operation is blocked, the operations before the graph are complete and the graph is
 * not. */
START_TEST(a_graph_is_not_complete_before_its_last_operation)
{
    open_all();
    struct node nodes[3];
    const struct trm_graph_node *all[] = {append_node(&nodes[0], 1), plain_node(&nodes[1], "block"),
                                          append_node(&nodes[2], 2)};
    hold_the_kernel();
    struct trm_backend_graph *graph = make(all, 3);
    ck_assert_int_eq(launch(stream, 4, "count"), TRM_OK);
    ck_assert_int_eq(graphs->launch(stream, 7, graph), TRM_OK);
    ck_assert_int_eq(launch(stream, 8, "count"), TRM_OK);
    ck_assert_int_eq(bench.stream->flush(stream), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(stream, 4, FOREVER), TRM_OK);
    wait_for_the_kernel();
    ck_assert_int_eq(bench.stream->wait(stream, 7, 20000000), TRM_ERROR_TIMEOUT);
    ck_assert_uint_eq(completed(stream), 4);
    ck_assert_uint_eq(entry(0), 1);
    atomic_store(&release_kernel, 1);
    wait_for(8);
    ck_assert_uint_eq(entry(0), 2);
    graphs->destroy(graph);
    close_all();
}
END_TEST

START_TEST(a_failure_inside_skips_the_rest_of_the_graph_and_of_the_stream)
{
    open_all();
    struct node nodes[3];
    uint64_t value                     = 0;
    const struct trm_graph_node *all[] = {append_node(&nodes[0], 1), plain_node(&nodes[1], "fail"),
                                          append_node(&nodes[2], 2)};
    struct trm_backend_graph *graph    = make(all, 3);
    ck_assert_int_eq(graphs->launch(stream, 1, graph), TRM_OK);
    (void)graphs->launch(stream, 2, graph);
    ck_assert_int_eq(bench.stream->wait(stream, 2, FOREVER), TRM_ERROR_KERNEL);
    ck_assert_int_eq(cpu_host_code, 7);
    ck_assert_int_eq(bench.stream->query(stream, &value), TRM_ERROR_KERNEL);
    ck_assert_int_eq(graphs->launch(stream, 3, graph), TRM_ERROR_KERNEL);
    ck_assert_uint_eq(entry(0), 1);
    /* On another stream the graph still works. */
    struct trm_backend_stream *second = cpu_bench_stream(&bench, 0);
    ck_assert_int_eq(graphs->update(graph, 1, append_node(&nodes[1], 5)), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(graphs->update(graph, 1, plain_node(&nodes[1], "count")), TRM_OK);
    ck_assert_int_eq(graphs->launch(second, 1, graph), TRM_OK);
    ck_assert_int_eq(bench.stream->wait(second, 1, FOREVER), TRM_OK);
    ck_assert_uint_eq(entry(0), 3);
    bench.stream->destroy(second);
    graphs->destroy(graph);
    close_all();
}
END_TEST

START_TEST(an_abandoned_stream_leaves_the_graph_where_it_is)
{
    open_all();
    struct node nodes[3];
    const struct trm_graph_node *all[] = {append_node(&nodes[0], 1), plain_node(&nodes[1], "block"),
                                          append_node(&nodes[2], 2)};
    hold_the_kernel();
    struct trm_backend_graph *graph = make(all, 3);
    ck_assert_int_eq(graphs->launch(stream, 1, graph), TRM_OK);
    ck_assert_int_eq(bench.stream->flush(stream), TRM_OK);
    wait_for_the_kernel();
    bench.stream->abandon(stream, TRM_ERROR_CANCELLED);
    atomic_store(&release_kernel, 1);
    ck_assert_int_eq(bench.stream->wait(stream, 1, FOREVER), TRM_ERROR_CANCELLED);
    ck_assert_uint_eq(entry(0), 1);
    graphs->destroy(graph);
    close_all();
}
END_TEST

START_TEST(nodes_are_updated_in_place)
{
    open_all();
    struct node nodes[2], changed;
    const struct trm_graph_node *all[] = {fill_node(&nodes[0], 0, 8, 1), append_node(&nodes[1], 4)};
    struct trm_backend_graph *graph    = make(all, 2);
    ck_assert_int_eq(graphs->update(graph, 0, fill_node(&changed, 8, 8, 2)), TRM_OK);
    ck_assert_int_eq(graphs->update(graph, 1, append_node(&changed, 5)), TRM_OK);
    ck_assert_int_eq(graphs->launch(stream, 1, graph), TRM_OK);
    wait_for(1);
    ck_assert_uint_eq(other_bytes[7], 0);
    ck_assert_uint_eq(other_bytes[8], 2);
    ck_assert_uint_eq(entry(1), 5);
    graphs->destroy(graph);
    close_all();
}
END_TEST

START_TEST(large_operations_inside_are_split_over_the_workers)
{
    open_all();
    enum {
        LARGE = 16 << 20
    };
    struct node nodes[2];
    uint8_t *from, *to;
    struct trm_backend_memory *a = cpu_bench_memory(&bench, LARGE, &from);
    struct trm_backend_memory *b = cpu_bench_memory(&bench, LARGE, &to);
    memset(nodes, 0, sizeof(nodes));
    nodes[0].copy             = (struct trm_copy_desc){.struct_size = sizeof(nodes[0].copy), .size = LARGE};
    nodes[0].copy.source      = (struct trm_place){.memory = a};
    nodes[0].copy.destination = (struct trm_place){.memory = b};
    nodes[0].node             = (struct trm_graph_node){
                    .struct_size = sizeof(nodes[0].node), .kind = TRM_GRAPH_COPY, .copy = &nodes[0].copy};
    const struct trm_graph_node *all[] = {&nodes[0].node, append_node(&nodes[1], 1), &nodes[0].node};
    struct trm_backend_graph *graph    = make(all, 3);
    for (uint32_t round = 1; round <= 5; round++) {
        memset(from, (int)round, LARGE);
        ck_assert_int_eq(graphs->launch(stream, round, graph), TRM_OK);
        wait_for(round);
        ck_assert_mem_eq(from, to, LARGE);
        ck_assert_uint_eq(entry(0), round);
    }
    graphs->destroy(graph);
    bench.memory->free(a);
    bench.memory->free(b);
    close_all();
}
END_TEST

START_TEST(what_is_of_no_known_kind_is_left_to_the_core)
{
    open_all();
    struct node nodes[1];
    struct trm_backend_graph *graph    = NULL;
    const struct trm_graph_node *all[] = {fill_node(&nodes[0], 0, 8, 1)};
    nodes[0].node.kind                 = 6;
    ck_assert_int_eq(graphs->create(bench.device, all, 1, &graph), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(graph);
    close_all();
}
END_TEST

START_TEST(without_memory_no_graph_is_made)
{
    open_all();
    struct node nodes[1];
    struct trm_backend_graph *graph    = NULL;
    const struct trm_graph_node *all[] = {fill_node(&nodes[0], 0, 8, 1)};
    atomic_store(&cpu_host.refuse_at, atomic_load(&cpu_host.allocations) + 1);
    ck_assert_int_eq(graphs->create(bench.device, all, 1, &graph), TRM_ERROR_OUT_OF_HOST_MEMORY);
    atomic_store(&cpu_host.refuse_at, 0);
    ck_assert_ptr_null(graph);
    close_all();
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const tests[] = {
        a_launch_is_one_operation_that_is_done_when_its_last_is,
        a_graph_is_not_complete_before_its_last_operation,
        a_failure_inside_skips_the_rest_of_the_graph_and_of_the_stream,
        an_abandoned_stream_leaves_the_graph_where_it_is,
        nodes_are_updated_in_place,
        large_operations_inside_are_split_over_the_workers,
        what_is_of_no_known_kind_is_left_to_the_core,
        without_memory_no_graph_is_made,
    };
    return suite_of("graphs of the cpu backend", tests, sizeof(tests) / sizeof(*tests));
}

UNIT_SUITE(make_suite)
