/* Graphs: replacing what a node of an instance does.
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"
#include "groups.h"
#include "hold.h"
#include "kernels.h"

enum {
    BYTES = 4000,
    N     = BYTES / 4
};

/* A graph of one node of each kind that can be replaced, and one that cannot. */
enum node {
    UP,
    COPY,
    FILL,
    DOWN,
    LAUNCH
};

struct small {
    struct trm_buffer *a, *b;
    struct trm_graph *graph;
    struct trm_graph_exec *exec;
    uint8_t up[BYTES], down[BYTES];
};

static struct small small;

static void small_make(void)
{
    struct trm_stream *recording;
    small.a     = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    small.b     = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    small.graph = make_graph(&recording);
    pattern_make(small.up, BYTES, 1);
    memset(small.down, 0, BYTES);
    ck_ok(trm_upload(recording, trm_span_whole(small.a), small.up));
    ck_ok(trm_copy(recording, trm_span_whole(small.b), trm_span_whole(small.a)));
    ck_ok(trm_fill(recording, trm_span_of(small.b, 0, 4), 0, 4));
    ck_ok(trm_download(recording, small.down, trm_span_whole(small.b)));
    if (kernels_there())
        ck_ok(launch_affine_with(recording, kernel("affine"), small.b, N, 1, 1));
    small.exec = instantiate(small.graph);
}

static void small_end(void)
{
    trm_graph_exec_destroy(small.exec);
    trm_graph_destroy(small.graph);
    trm_buffer_destroy(small.a);
    trm_buffer_destroy(small.b);
}

/* The download gives pattern `seed`, except for the four bytes that the fill has zeroed. */
static void expect(const uint8_t *down, uint32_t seed)
{
    static uint8_t wanted[BYTES];
    pattern_make(wanted, BYTES, seed);
    memset(wanted, 0, 4);
    ck_assert_int_eq(memcmp(down, wanted, BYTES), 0);
}

static int32_t update_affine(struct trm_buffer *data, uint32_t n, uint32_t factor, uint32_t addend)
{
    struct trm_argument arguments[] = {trm_arg_buffer(data), trm_arg_u32(n), trm_arg_u32(factor),
                                       trm_arg_u32(addend)};
    struct trm_grid grid            = trm_grid_1d((n + 63) / 64, 64);
    return trm_graph_update_launch(small.exec, LAUNCH, &grid, arguments, 4);
}

START_TEST(an_upload_is_given_another_source)
{
    static uint8_t second[BYTES], third[BYTES / 2];
    small_make();
    run_graph(small.exec, the.stream);
    expect(small.down, 1);
    pattern_make(second, BYTES, 2);
    ck_ok(trm_graph_update_upload(small.exec, UP, trm_span_whole(small.a), second));
    run_graph(small.exec, the.stream);
    expect(small.down, 2);
    /* A shorter one leaves the rest as it was. */
    memset(third, 9, sizeof(third));
    ck_ok(trm_graph_update_upload(small.exec, UP, trm_span_of(small.a, 4, 8), third));
    run_graph(small.exec, the.stream);
    for (int i = 4; i < 12; i++)
        ck_assert_uint_eq(small.down[i], 9);
    memcpy(small.down + 4, second + 4, 8);
    expect(small.down, 2);
    small_end();
}
END_TEST

START_TEST(a_download_is_given_another_destination)
{
    static uint8_t elsewhere[BYTES];
    small_make();
    ck_ok(trm_graph_update_download(small.exec, DOWN, elsewhere, trm_span_whole(small.b)));
    run_graph(small.exec, the.stream);
    expect(elsewhere, 1);
    ck_bytes(small.down, BYTES, 0);
    small_end();
}
END_TEST

START_TEST(a_copy_is_given_other_buffers)
{
    small_make();
    struct trm_buffer *other = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    put_pattern(the.stream, other, BYTES, 5);
    ck_ok(trm_graph_update_copy(small.exec, COPY, trm_span_whole(small.b), trm_span_whole(other)));
    trm_buffer_destroy(other); /* the instance has it now */
    run_graph(small.exec, the.stream);
    expect(small.down, 5);
    ck_ok(trm_graph_update_copy(small.exec, COPY, trm_span_whole(small.b), trm_span_whole(small.a)));
    run_graph(small.exec, the.stream);
    expect(small.down, 1);
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    ck_ok(trm_device_get_usage(the.device, &usage));
    ck_assert_uint_eq(usage.buffers, 2); /* and has let go of it */
    small_end();
}
END_TEST

START_TEST(a_launch_is_given_other_arguments_and_another_grid)
{
    if (kernels_missing())
        return;
    static uint32_t got[N];
    small_make();
    ck_ok(update_affine(small.b, N, 0, 7));
    run_graph(small.exec, the.stream);
    get(the.stream, small.b, 0, got, BYTES);
    ck_words(got, N, 7);
    ck_ok(update_affine(small.b, 64, 0, 8));
    run_graph(small.exec, the.stream);
    get(the.stream, small.b, 0, got, BYTES);
    ck_words(got, 64, 8);
    ck_assert_int_eq(memcmp(&got[64], small.up + 256, BYTES - 256), 0);
    /* By name, in any order. */
    struct trm_argument named[] = {
        trm_arg_named("addend", trm_arg_u32(3)), trm_arg_named("factor", trm_arg_u32(0)),
        trm_arg_named("n", trm_arg_u32(N)), trm_arg_named("data", trm_arg_buffer(small.b))};
    struct trm_grid grid = trm_grid_1d((N + 63) / 64, 64);
    ck_ok(trm_graph_update_launch(small.exec, LAUNCH, &grid, named, 4));
    run_graph(small.exec, the.stream);
    get(the.stream, small.b, 0, got, BYTES);
    ck_words(got, N, 3);
    small_end();
}
END_TEST

START_TEST(an_update_leaves_the_graph_and_other_instances_alone)
{
    static uint8_t second[BYTES];
    small_make();
    struct trm_graph_exec *other = instantiate(small.graph);
    pattern_make(second, BYTES, 2);
    ck_ok(trm_graph_update_upload(small.exec, UP, trm_span_whole(small.a), second));
    run_graph(other, the.stream);
    expect(small.down, 1);
    struct trm_graph_exec *third = instantiate(small.graph);
    run_graph(third, the.stream);
    expect(small.down, 1);
    run_graph(small.exec, the.stream);
    expect(small.down, 2);
    trm_graph_exec_destroy(other);
    trm_graph_exec_destroy(third);
    small_end();
}
END_TEST

START_TEST(an_update_waits_for_the_launches_before_it)
{
    static uint8_t second[BYTES];
    small_make();
    pattern_make(second, BYTES, 2);
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_graph_launch(small.exec, the.stream));
    hold_end_after(hold, 20);
    ck_ok(trm_graph_update_upload(small.exec, UP, trm_span_whole(small.a), second));
    expect(small.down, 1); /* it has run, with what it had */
    run_graph(small.exec, the.stream);
    expect(small.down, 2);
    small_end();
}
END_TEST

START_TEST(updates_and_launches_take_turns)
{
    if (kernels_missing())
        return;
    static uint32_t got[N];
    small_make();
    for (uint32_t i = 0; i < scaled(1000, 50); i++) {
        ck_ok(update_affine(small.b, N, 0, i));
        ck_ok(trm_graph_launch(small.exec, the.stream));
        if (i % 16 != 0)
            continue;
        get(the.stream, small.b, 0, got, BYTES);
        ck_assert_uint_eq(got[0], i);
        ck_assert_uint_eq(got[N - 1], i);
    }
    small_end();
}
END_TEST

START_TEST(a_node_may_be_made_to_do_nothing_and_something_again)
{
    static uint8_t second[BYTES];
    small_make();
    int32_t native = -1, after = -1;
    ck_ok(trm_graph_exec_is_native(small.exec, &native));
    run_graph(small.exec, the.stream);
    pattern_make(second, BYTES, 2);
    ck_ok(trm_graph_update_upload(small.exec, UP, trm_span_of(small.a, 0, 0), second));
    ck_ok(trm_graph_update_upload(small.exec, UP, trm_span_of(small.a, 8, 0), NULL));
    put_pattern(the.stream, small.a, BYTES, 4);
    run_graph(small.exec, the.stream);
    expect(small.down, 4);
    /* The numbers of the others are what they were. */
    ck_ok(trm_graph_update_copy(small.exec, COPY, trm_span_of(small.b, 0, 0), trm_span_of(small.a, 0, 0)));
    put_pattern(the.stream, small.b, BYTES, 5);
    run_graph(small.exec, the.stream);
    expect(small.down, 5);
    ck_ok(trm_graph_update_copy(small.exec, COPY, trm_span_whole(small.b), trm_span_whole(small.a)));
    ck_ok(trm_graph_update_upload(small.exec, UP, trm_span_whole(small.a), second));
    run_graph(small.exec, the.stream);
    expect(small.down, 2);
    ck_ok(trm_graph_exec_is_native(small.exec, &after));
    ck_assert_int_eq(native, after);
    small_end();
}
END_TEST

START_TEST(an_instance_may_come_to_do_nothing_at_all)
{
    struct trm_stream *recording;
    uint8_t up[8]             = {1, 2, 3}, got[8];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 8);
    struct trm_graph *graph   = make_graph(&recording);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 7, 1));
    ck_ok(trm_upload(recording, trm_span_whole(buffer), up));
    struct trm_graph_exec *exec = instantiate(graph);
    ck_ok(trm_graph_update_upload(exec, 0, trm_span_of(buffer, 0, 0), NULL));
    run_graph(exec, the.stream);
    get(the.stream, buffer, 0, got, 8);
    ck_assert_uint_eq(got[1], 7);
    ck_ok(trm_graph_update_upload(exec, 0, trm_span_whole(buffer), up));
    run_graph(exec, the.stream);
    get(the.stream, buffer, 0, got, 8);
    ck_assert_uint_eq(got[1], 2);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(an_update_that_is_refused_changes_nothing)
{
    static uint8_t host[BYTES];
    small_make();
    struct trm_device *device  = second_device();
    struct trm_buffer *far     = make_buffer(device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_span whole      = trm_span_whole(small.a);
    struct trm_graph_exec *run = small.exec;
    /* No such node. */
    ck_status(trm_graph_update_upload(run, 5, whole, host), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_graph_update_upload(run, UINT32_MAX, whole, host), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_graph_update_launch(run, 99, NULL, NULL, 0), TRM_ERROR_OUT_OF_RANGE);
    /* Of another kind. */
    ck_status(trm_graph_update_upload(run, DOWN, whole, host), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("a download");
    ck_status(trm_graph_update_upload(run, FILL, whole, host), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_update_download(run, UP, host, whole), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_update_copy(run, UP, whole, trm_span_whole(small.b)), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_update_launch(run, COPY, NULL, NULL, 0), TRM_ERROR_INVALID_ARGUMENT);
    /* As the operation itself is refused. */
    ck_status(trm_graph_update_upload(run, UP, trm_span_of(small.a, 1, BYTES), host), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_graph_update_upload(run, UP, whole, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_update_upload(run, UP, trm_span_whole(NULL), host), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_graph_update_upload(run, UP, trm_span_whole(far), host), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_graph_update_download(run, DOWN, host, trm_span_whole(far)), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_graph_update_copy(run, COPY, whole, whole), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_update_copy(run, COPY, whole, trm_span_whole(far)), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_graph_update_copy(run, COPY, trm_span_of(small.b, 0, 16), trm_span_of(small.a, 0, 8)),
              TRM_ERROR_INVALID_ARGUMENT);
    run_graph(run, the.stream);
    expect(small.down, 1);
    trm_buffer_destroy(far);
    small_end();
}
END_TEST

START_TEST(an_update_of_a_launch_is_checked_like_a_launch)
{
    if (kernels_missing())
        return;
    static uint32_t got[N];
    small_make();
    struct trm_grid grid = trm_grid_1d((N + 63) / 64, 64), none = trm_grid_1d(1, 0);
    struct trm_argument arguments[] = {trm_arg_buffer(small.b), trm_arg_u32(N), trm_arg_f32(1),
                                       trm_arg_u32(1)};
    ck_status(trm_graph_update_launch(small.exec, LAUNCH, &grid, arguments, 4), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("factor");
    arguments[2] = trm_arg_u32(2);
    ck_status(trm_graph_update_launch(small.exec, LAUNCH, &grid, arguments, 3), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_update_launch(small.exec, LAUNCH, &grid, NULL, 4), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_graph_update_launch(small.exec, LAUNCH, NULL, arguments, 4), TRM_ERROR_INVALID_ARGUMENT);
    if (functions_there()) /* portable kernels have a size of their own */
        ck_status(trm_graph_update_launch(small.exec, LAUNCH, &none, arguments, 4),
                  TRM_ERROR_INVALID_ARGUMENT);
    run_graph(small.exec, the.stream);
    get(the.stream, small.b, 0, got, BYTES);
    uint32_t sent;
    memcpy(&sent, small.up + 4, 4);
    ck_assert_uint_eq(got[1], sent + 1);
    small_end();
}
END_TEST

void add_graph_update(Suite *suite)
{
    TCase *group = group_make(suite, "graph_update");
    CASE(group, an_upload_is_given_another_source);
    CASE(group, a_download_is_given_another_destination);
    CASE(group, a_copy_is_given_other_buffers);
    CASE(group, a_launch_is_given_other_arguments_and_another_grid);
    CASE(group, an_update_leaves_the_graph_and_other_instances_alone);
    CASE(group, an_update_waits_for_the_launches_before_it);
    CASE(group, updates_and_launches_take_turns);
    CASE(group, a_node_may_be_made_to_do_nothing_and_something_again);
    CASE(group, an_instance_may_come_to_do_nothing_at_all);
    CASE(group, an_update_that_is_refused_changes_nothing);
    CASE(group, an_update_of_a_launch_is_checked_like_a_launch);
}
