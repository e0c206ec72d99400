/* Graphs on a backend of the test's: what the core records, what it asks of a backend with graphs, and
 * what it does for one without.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <stdbool.h>
#include <string.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include "core/graph/graph.h"
#include "tests/unit/counting.h"
#include "tests/unit/runner.h"
#include "tests/unit/store.h"

#define SIZE 1000

static struct counting counting;
static struct store store;
static struct trm_context *context;
static struct trm_stream *stream, *recording;
static struct trm_buffer *a, *b;
static struct trm_graph *graph;
static struct trm_graph_exec *exec;
static uint8_t up[SIZE], down[SIZE];

/* ---- a backend's graphs -------------------------------------------------------------------- */

struct trm_backend_graph {
    uint32_t count;
};

static struct {
    uint32_t creates, destroys, launches, updates; /* calls */
    uint32_t count;                                /* nodes of the last one created */
    int32_t kinds[8];
    uint32_t updated; /* index */
    struct trm_copy_desc copy;
    int32_t create_status, update_status;
} native;

static int32_t native_create(struct trm_backend_device *device, const struct trm_graph_node *const *nodes,
                             uint32_t count, struct trm_backend_graph **made)
{
    (void)device;
    native.creates++;
    if (native.create_status != TRM_OK)
        return native.create_status;
    ck_assert_uint_gt(count, 0);
    native.count = count;
    for (uint32_t i = 0; i < count && i < 8; i++) {
        native.kinds[i] = nodes[i]->kind;
        ck_assert_uint_eq(nodes[i]->struct_size, sizeof(struct trm_graph_node));
        ck_assert_int_eq(nodes[i]->kind == TRM_GRAPH_COPY, nodes[i]->copy != NULL);
        ck_assert_int_eq(nodes[i]->kind == TRM_GRAPH_FILL, nodes[i]->fill != NULL);
        ck_assert_int_eq(nodes[i]->kind == TRM_GRAPH_COPY_2D, nodes[i]->copy_2d != NULL);
        ck_assert_int_eq(nodes[i]->kind == TRM_GRAPH_LAUNCH, nodes[i]->launch != NULL);
    }
    *made          = calloc(1, sizeof(**made));
    (*made)->count = count;
    return TRM_OK;
}

static void native_destroy(struct trm_backend_graph *made)
{
    native.destroys++;
    free(made);
}

/* An operation that does nothing but complete its number. */
static int32_t native_launch(struct trm_backend_stream *on, uint64_t value, struct trm_backend_graph *made)
{
    static uint8_t from, to;
    struct trm_copy_desc nothing = {.struct_size = sizeof(nothing), .size = 1};

    ck_assert_uint_gt(made->count, 0);
    native.launches++;
    nothing.source.host      = &from;
    nothing.destination.host = &to;
    return store.backend.stream.copy(on, value, &nothing);
}

static int32_t native_update(struct trm_backend_graph *made, uint32_t index,
                             const struct trm_graph_node *node)
{
    native.updates++;
    if (native.update_status != TRM_OK)
        return native.update_status;
    ck_assert_uint_lt(index, made->count);
    native.updated = index;
    native.copy    = *node->copy;
    return TRM_OK;
}

static const struct trm_graph_ops native_ops = {
    .struct_size = sizeof(native_ops),
    .create      = native_create,
    .destroy     = native_destroy,
    .launch      = native_launch,
    .update      = native_update,
};

/* ---- the fixture --------------------------------------------------------------------------- */

static void open_all(void)
{
    memset(&store, 0, sizeof(store));
    memset(&native, 0, sizeof(native));
    memset(&counting, 0, sizeof(counting));
    memset(down, 0, SIZE);
    exec                           = NULL;
    struct trm_allocator allocator = counting_allocator(&counting);
    context                        = store_context(&allocator);
    store_prepare(&store, "store");
}

/* Begins with the tables that the test has set. */
static void begin(void)
{
    store_open(&store, context);
    stream = store_stream(&store);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, SIZE, &a), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, SIZE, &b), TRM_OK);
    ck_assert_int_eq(trm_graph_create(store.device, &graph), TRM_OK);
    ck_assert_int_eq(trm_graph_record(graph, &recording), TRM_OK);
}

static void end(void)
{
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    trm_stream_destroy(stream);
    store_close(&store);
    trm_context_destroy(context);
    counting_is_balanced(&counting);
    ck_assert_uint_eq(native.destroys, native.creates);
}

/* Upload, copy, fill, download. */
static void record(void)
{
    ck_assert_int_eq(trm_upload(recording, trm_span_whole(a), up), TRM_OK);
    ck_assert_int_eq(trm_copy(recording, trm_span_whole(b), trm_span_whole(a)), TRM_OK);
    ck_assert_int_eq(trm_fill(recording, trm_span_of(b, 0, 10), 5, 1), TRM_OK);
    ck_assert_int_eq(trm_download(recording, down, trm_span_whole(b)), TRM_OK);
    ck_assert_int_eq(trm_graph_instantiate(graph, &exec), TRM_OK);
}

static uint64_t enqueued(void)
{
    return core_stream_find(stream)->enqueued;
}

static bool is_native(void)
{
    int32_t answer = -1;

    ck_assert_int_eq(trm_graph_exec_is_native(exec, &answer), TRM_OK);
    return answer != 0;
}

/* ---- without graphs in the backend --------------------------------------------------------- */

START_TEST(operations_are_enqueued_one_by_one_where_the_backend_has_no_graphs)
{
    begin();
    record();
    ck_assert(!is_native());
    memset(up, 7, SIZE);
    for (uint64_t round = 1; round <= 3; round++) {
        ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
        ck_assert_uint_eq(enqueued(), 4 * round);
    }
    ck_assert_uint_eq(store.copies, 9);
    ck_assert_uint_eq(store.fills, 3);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_uint_eq(down[9], 5);
    ck_assert_uint_eq(down[10], 7);
    end();
}
END_TEST

START_TEST(rows_and_fills_are_emulated_as_ever)
{
    struct trm_rows from, to;

    store.backend.stream.fill    = NULL;
    store.backend.stream.copy_2d = NULL;
    begin();
    from = (struct trm_rows){.host = up, .pitch = 20};
    to   = (struct trm_rows){.buffer = a, .offset = 3, .pitch = 30};
    ck_assert_int_eq(trm_copy_2d(recording, &to, &from, 10, 5), TRM_OK);
    ck_assert_int_eq(trm_fill(recording, trm_span_of(a, 500, 100), 9, 1), TRM_OK);
    from = (struct trm_rows){.buffer = a, .offset = 3, .pitch = 30};
    to   = (struct trm_rows){.host = down, .pitch = 25};
    ck_assert_int_eq(trm_copy_2d(recording, &to, &from, 10, 5), TRM_OK);
    ck_assert_int_eq(trm_graph_instantiate(graph, &exec), TRM_OK);
    for (int i = 0; i < SIZE; i++)
        up[i] = (uint8_t)i;
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_uint_eq(store.copies, 11);
    for (int row = 0; row < 5; row++)
        ck_assert_mem_eq(down + 25 * row, up + 20 * row, 10);
    ck_assert_uint_eq(store_bytes(a)[599], 9);
    end();
}
END_TEST

static int32_t refuse_fill(struct trm_backend_stream *on, uint64_t value, const struct trm_fill_desc *desc)
{
    (void)on;
    (void)value;
    (void)desc;
    return TRM_ERROR_OUT_OF_HOST_MEMORY;
}

START_TEST(what_was_enqueued_before_a_failure_is_waited_for)
{
    store.backend.stream.fill = refuse_fill;
    begin();
    record();
    memset(up, 3, SIZE);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_uint_eq(enqueued(), 2);
    ck_assert_int_eq(trm_buffer_wait(b, 0), TRM_ERROR_TIMEOUT);
    trm_graph_exec_destroy(exec);
    exec = NULL;
    ck_assert_int_eq(trm_buffer_wait(b, TRM_FOREVER), TRM_OK);
    ck_assert_uint_eq(store_bytes(b)[0], 3);
    end();
}
END_TEST

static int32_t function(const struct trm_cpu_groups *groups, const void *arguments)
{
    (void)groups;
    (void)arguments;
    return 0;
}

static struct trm_kernel *get_kernel(const char *name)
{
    const struct trm_cpu_kernel functions[] = {{.name = "f", .function = function}};
    struct trm_module_desc desc             = {.struct_size = sizeof(desc),
                                               .format      = TRM_MODULE_FUNCTIONS,
                                               .data        = functions,
                                               .size        = sizeof(functions)};
    struct trm_module *module               = NULL;
    struct trm_kernel *kernel               = NULL;

    ck_assert_int_eq(trm_module_load(store.device, &desc, &module), TRM_OK);
    ck_assert_int_eq(trm_kernel_get(module, name, &kernel), TRM_OK);
    trm_module_destroy(module);
    return kernel;
}

START_TEST(arguments_and_code_are_the_graphs_own)
{
    struct trm_grid grid            = trm_grid_1d(3, 32);
    struct trm_argument arguments[] = {trm_arg_buffer(a), trm_arg_buffer(b), trm_arg_f32(2), trm_arg_u32(9)};

    begin();
    struct trm_kernel *kernel = get_kernel("saxpy");
    arguments[0]              = trm_arg_buffer(a);
    arguments[1]              = trm_arg_span(trm_span_of(b, 4, 100));
    ck_assert_int_eq(trm_launch(recording, kernel, &grid, arguments, 4), TRM_OK);
    memset(arguments, 0, sizeof(arguments));
    trm_kernel_destroy(kernel);
    ck_assert_int_eq(trm_graph_instantiate(graph, &exec), TRM_OK);
    ck_assert_uint_eq(store.launches, 0);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_uint_eq(store.launches, 1);
    ck_assert_uint_eq(store.last_launch.groups[0], 3);
    ck_assert_uint_eq(store.last_launch.group_size[0], 32);
    ck_assert_uint_eq(store.last_arguments[1].size, 100);
    ck_assert_uint_eq(store.last_arguments[3].scalar, 9);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    trm_graph_destroy(graph);
    ck_assert_uint_eq(store.unloads, 0);
    trm_graph_exec_destroy(exec);
    ck_assert_uint_eq(store.unloads, 1);
    graph = NULL;
    exec  = NULL;
    end();
}
END_TEST

/* ---- with them ----------------------------------------------------------------------------- */

START_TEST(a_launch_of_the_backends_own_graph_takes_one_number)
{
    static const int32_t kinds[] = {TRM_GRAPH_COPY, TRM_GRAPH_COPY, TRM_GRAPH_FILL, TRM_GRAPH_COPY};

    store.backend.graph = native_ops;
    begin();
    record();
    ck_assert(is_native());
    ck_assert_uint_eq(native.count, 4);
    ck_assert_mem_eq(native.kinds, kinds, sizeof(kinds));
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_uint_eq(enqueued(), 2);
    ck_assert_uint_eq(native.launches, 2);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    end();
}
END_TEST

START_TEST(nothing_goes_before_the_last_launch_has_ended)
{
    store.backend.graph = native_ops;
    begin();
    record();
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    uint64_t frees = store.frees;
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    trm_graph_destroy(graph);
    trm_graph_exec_destroy(exec);
    a = b = NULL;
    graph = NULL;
    exec  = NULL;
    ck_assert_int_eq(trm_pool_trim(store.device, 0), TRM_OK);
    ck_assert_uint_eq(native.destroys, 0);
    ck_assert_uint_eq(store.frees, frees);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_int_eq(trm_pool_trim(store.device, 0), TRM_OK);
    ck_assert_uint_eq(native.destroys, 1);
    ck_assert_uint_gt(store.frees, frees);
    end();
}
END_TEST

START_TEST(a_launch_on_another_stream_follows_the_last_where_that_has_not_ended)
{
    store.backend.graph = native_ops;
    begin();
    record();
    struct trm_stream *other = store_stream(&store);
    ck_assert_int_eq(trm_graph_launch(exec, other), TRM_OK);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_uint_eq(enqueued(), 2); /* the wait, and the launch */
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_int_eq(trm_stream_query(other), TRM_OK);
    ck_assert_int_eq(trm_graph_launch(exec, other), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(other), TRM_OK);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_uint_eq(enqueued(), 3);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    trm_stream_destroy(other);
    end();
}
END_TEST

START_TEST(a_stream_that_failed_holds_up_no_other)
{
    store.backend.graph = native_ops;
    begin();
    record();
    struct trm_stream *other = store_stream(&store);
    ck_assert_int_eq(trm_graph_launch(exec, other), TRM_OK);
    store_fail(other, TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    trm_stream_destroy(other);
    end();
}
END_TEST

START_TEST(a_sequence_that_the_backend_does_not_take_is_emulated)
{
    store.backend.graph  = native_ops;
    native.create_status = TRM_ERROR_UNSUPPORTED;
    begin();
    record();
    ck_assert_uint_eq(native.creates, 1);
    ck_assert(!is_native());
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_uint_eq(enqueued(), 4);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    native.creates = 0;
    end();
}
END_TEST

START_TEST(a_backend_is_not_asked_for_kinds_that_its_streams_lack)
{
    store.backend.graph       = native_ops;
    store.backend.stream.fill = NULL;
    begin();
    record();
    ck_assert_uint_eq(native.creates, 0);
    ck_assert(!is_native());
    end();
}
END_TEST

START_TEST(a_graph_that_the_backend_cannot_make_is_an_error)
{
    struct trm_graph_exec *none = NULL;

    store.backend.graph = native_ops;
    begin();
    record();
    native.create_status = TRM_ERROR_OUT_OF_DEVICE_MEMORY;
    ck_assert_int_eq(trm_graph_instantiate(graph, &none), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_ptr_null(none);
    native.creates--;
    end();
}
END_TEST

START_TEST(a_node_is_updated_in_place_by_its_number_among_those_that_do_something)
{
    static uint8_t elsewhere[SIZE];

    store.backend.graph = native_ops;
    begin();
    record();
    ck_assert_int_eq(trm_graph_update_download(exec, 3, elsewhere, trm_span_of(b, 8, 80)), TRM_OK);
    ck_assert_uint_eq(native.updates, 1);
    ck_assert_uint_eq(native.updated, 3);
    ck_assert_ptr_eq(native.copy.destination.host, elsewhere);
    ck_assert_uint_eq(native.copy.size, 80);
    ck_assert_uint_eq(native.creates, 1);
    /* Without the first node a new graph is created, in which the last one has another index. */
    ck_assert_int_eq(trm_graph_update_upload(exec, 0, trm_span_of(a, 0, 0), up), TRM_OK);
    ck_assert_uint_eq(native.creates, 2);
    ck_assert_uint_eq(native.destroys, 1);
    ck_assert_uint_eq(native.count, 3);
    ck_assert_int_eq(trm_graph_update_download(exec, 3, down, trm_span_whole(b)), TRM_OK);
    ck_assert_uint_eq(native.updated, 2);
    end();
}
END_TEST

START_TEST(a_backend_that_cannot_update_has_its_graph_made_anew)
{
    store.backend.graph        = native_ops;
    store.backend.graph.update = NULL;
    begin();
    record();
    ck_assert_int_eq(trm_graph_update_upload(exec, 0, trm_span_of(a, 0, 8), up), TRM_OK);
    ck_assert_uint_eq(native.creates, 2);
    ck_assert_uint_eq(native.destroys, 1);
    ck_assert(is_native());
    end();
}
END_TEST

START_TEST(a_backend_that_will_not_update_has_its_graph_made_anew_or_emulated)
{
    store.backend.graph  = native_ops;
    native.update_status = TRM_ERROR_UNSUPPORTED;
    begin();
    record();
    ck_assert_int_eq(trm_graph_update_upload(exec, 0, trm_span_of(a, 0, 8), up), TRM_OK);
    ck_assert_uint_eq(native.creates, 2);
    ck_assert(is_native());
    native.create_status = TRM_ERROR_UNSUPPORTED;
    ck_assert_int_eq(trm_graph_update_upload(exec, 0, trm_span_of(a, 0, 16), up), TRM_OK);
    ck_assert(!is_native());
    ck_assert_uint_eq(native.destroys, 2);
    ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
    ck_assert_uint_eq(enqueued(), 4);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    native.creates--;
    end();
}
END_TEST

START_TEST(an_update_that_fails_below_leaves_the_node_as_it_was)
{
    store.backend.graph  = native_ops;
    native.update_status = TRM_ERROR_OUT_OF_DEVICE_MEMORY;
    begin();
    record();
    ck_assert_int_eq(trm_graph_update_upload(exec, 0, trm_span_of(a, 0, 8), up),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    const struct core_graph_exec *inside = core_graph_exec_find(exec);
    ck_assert_uint_eq(inside->nodes[0]->copy.size, SIZE);
    ck_assert_uint_eq(inside->use_count, 2);
    end();
}
END_TEST

START_TEST(a_buffer_is_noted_once_however_many_operations_use_it)
{
    begin();
    record();
    const struct core_graph_exec *inside = core_graph_exec_find(exec);
    ck_assert_uint_eq(inside->use_count, 2);
    ck_assert_uint_eq(inside->nodes[1]->use_count, 2);
    ck_assert_uint_eq(inside->nodes[2]->use_count, 1);
    ck_assert_int_eq(trm_graph_update_copy(exec, 1, trm_span_of(a, 0, 8), trm_span_of(a, 8, 8)), TRM_OK);
    ck_assert_uint_eq(inside->nodes[1]->use_count, 1);
    ck_assert_uint_eq(inside->use_count, 2);
    end();
}
END_TEST

START_TEST(neither_launches_nor_updates_allocate_after_the_first)
{
    for (int table = 0; table < 2; table++) {
        if (table) {
            open_all();
            store.backend.graph = native_ops;
        }
        begin();
        record();
        int64_t before = 0;
        for (uint32_t round = 0; round < 10; round++) {
            if (round == 2)
                before = counting.allocations;
            ck_assert_int_eq(trm_graph_update_upload(exec, 0, trm_span_of(a, 0, 8 + round), up), TRM_OK);
            ck_assert_int_eq(trm_graph_update_copy(exec, 1, trm_span_of(b, round, 8), trm_span_of(a, 0, 8)),
                             TRM_OK);
            ck_assert_int_eq(trm_graph_update_download(exec, 3, down, trm_span_of(b, 0, 9 + round)), TRM_OK);
            ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
            ck_assert_int_eq(trm_graph_launch(exec, stream), TRM_OK);
        }
        ck_assert_int_eq(counting.allocations, before);
        ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
        end();
    }
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        operations_are_enqueued_one_by_one_where_the_backend_has_no_graphs,
        rows_and_fills_are_emulated_as_ever,
        what_was_enqueued_before_a_failure_is_waited_for,
        arguments_and_code_are_the_graphs_own,
        a_launch_of_the_backends_own_graph_takes_one_number,
        nothing_goes_before_the_last_launch_has_ended,
        a_launch_on_another_stream_follows_the_last_where_that_has_not_ended,
        a_stream_that_failed_holds_up_no_other,
        a_sequence_that_the_backend_does_not_take_is_emulated,
        a_backend_is_not_asked_for_kinds_that_its_streams_lack,
        a_graph_that_the_backend_cannot_make_is_an_error,
        a_node_is_updated_in_place_by_its_number_among_those_that_do_something,
        a_backend_that_cannot_update_has_its_graph_made_anew,
        a_backend_that_will_not_update_has_its_graph_made_anew_or_emulated,
        an_update_that_fails_below_leaves_the_node_as_it_was,
        a_buffer_is_noted_once_however_many_operations_use_it,
        neither_launches_nor_updates_allocate_after_the_first,
    };
    Suite *suite = suite_create("graphs");
    TCase *tests = tcase_create("graphs");

    tcase_add_checked_fixture(tests, open_all, NULL);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
