/* Graphs: recording and replaying, on any stream.
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"
#include "groups.h"
#include "hold.h"
#include "kernels.h"

#define MILLISECOND 1000000u

enum {
    BYTES = 4000,
    N     = BYTES / 4
};

static struct trm_stream_stats stats_of(struct trm_stream *stream)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    ck_ok(trm_stream_get_stats(stream, &stats));
    return stats;
}

/* ---- replaying ---- */

/* An upload, a copy to another buffer, a fill of some of its rows, and a download. */
static void enqueue_mixture(struct trm_stream *stream, struct trm_buffer *a, struct trm_buffer *b,
                            const uint8_t *up, uint8_t *down)
{
    struct trm_rows to = {.buffer = b, .offset = 100, .pitch = 50}, from = {.buffer = a, .pitch = 70};
    ck_ok(trm_upload(stream, trm_span_whole(a), up));
    ck_ok(trm_copy(stream, trm_span_of(b, 8, BYTES - 8), trm_span_of(a, 0, BYTES - 8)));
    ck_ok(trm_fill(stream, trm_span_of(b, 16, 24), 0x0102030405060708, 8));
    ck_ok(trm_copy_2d(stream, &to, &from, 40, 20));
    ck_ok(trm_download(stream, down, trm_span_whole(b)));
}

START_TEST(a_replay_does_what_the_operations_themselves_do)
{
    static uint8_t up[BYTES], direct[BYTES], replayed[BYTES];
    struct trm_stream *recording;
    struct trm_buffer *a    = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_buffer *b    = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_graph *graph = make_graph(&recording);
    enqueue_mixture(recording, a, b, up, replayed);
    ck_assert_uint_eq(nodes_of(graph), 5);
    struct trm_graph_exec *exec = instantiate(graph);
    ck_ok(trm_fill(the.stream, trm_span_whole(b), 0, 1));
    for (uint32_t i = 0; i < scaled(200, 20); i++) {
        pattern_make(up, BYTES, i); /* every replay reads the current contents */
        memset(replayed, 0, BYTES);
        enqueue_mixture(the.stream, a, b, up, direct);
        ck_ok(trm_fill(the.stream, trm_span_whole(b), 0, 1));
        ck_ok(trm_graph_launch(exec, the.stream));
        ck_ok(trm_stream_sync(the.stream));
        memset(direct, 0, 8); /* which the copy leaves out */
        memset(replayed, 0, 8);
        ck_assert_int_eq(memcmp(direct, replayed, BYTES), 0);
    }
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
}
END_TEST

START_TEST(rows_of_all_directions_are_replayed)
{
    static uint8_t up[BYTES], down[BYTES];
    struct trm_stream *recording;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_graph *graph   = make_graph(&recording);
    struct trm_rows device    = {.buffer = buffer, .offset = 4, .pitch = 40};
    struct trm_rows from = {.host = up, .pitch = 64}, to = {.host = down, .pitch = 32};
    ck_ok(trm_copy_2d(recording, &device, &from, 30, 50));
    ck_ok(trm_copy_2d(recording, &to, &device, 30, 50));
    struct trm_graph_exec *exec = instantiate(graph);
    pattern_make(up, BYTES, 3);
    ck_ok(trm_graph_launch(exec, the.stream));
    ck_ok(trm_stream_sync(the.stream));
    for (int row = 0; row < 50; row++)
        ck_assert_int_eq(memcmp(down + row * 32, up + row * 64, 30), 0);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(nothing_is_done_by_recording)
{
    static uint8_t down[BYTES], up[BYTES];
    struct trm_stream *recording;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_graph *graph   = make_graph(&recording);
    put_pattern(the.stream, buffer, BYTES, 1);
    ck_assert_uint_eq(nodes_of(graph), 0);
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 0, 1));
    ck_assert_uint_eq(nodes_of(graph), 1);
    ck_ok(trm_upload(recording, trm_span_whole(buffer), up));
    ck_ok(trm_download(recording, down, trm_span_whole(buffer)));
    ck_assert_uint_eq(nodes_of(graph), 3);
    ck_ok(trm_buffer_wait(buffer, TRM_FOREVER)); /* no work uses it */
    ck_ok(trm_device_sync(the.device));
    ck_buffer_pattern(the.stream, buffer, BYTES, 1);
    ck_bytes(down, BYTES, 0);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
}
END_TEST

/* data = (data × 3 + 1) × 5 + 2 */
static void enqueue_steps(struct trm_stream *stream, struct trm_kernel *affine, struct trm_buffer *data)
{
    ck_ok(launch_affine_with(stream, affine, data, N, 3, 1));
    ck_ok(launch_affine_with(stream, affine, data, N, 5, 2));
}

START_TEST(launches_are_replayed_in_order)
{
    if (kernels_missing())
        return;
    static uint32_t got[N];
    struct trm_stream *recording;
    struct trm_buffer *data = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_graph *graph = make_graph(&recording);
    unsigned replays        = scaled(1000, 50);
    uint32_t expected       = 7;
    enqueue_steps(recording, kernel("affine"), data);
    struct trm_graph_exec *exec = instantiate(graph);
    ck_ok(trm_fill(the.stream, trm_span_whole(data), 7, 4));
    for (unsigned i = 0; i < replays; i++) {
        ck_ok(trm_graph_launch(exec, the.stream));
        expected = (expected * 3 + 1) * 5 + 2;
    }
    get(the.stream, data, 0, got, BYTES);
    ck_words(got, N, expected);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(data);
}
END_TEST

START_TEST(a_graph_remembers_arguments_of_every_type)
{
    if (kernels_missing())
        return;
    uint64_t got[15];
    struct trm_stream *recording;
    struct trm_buffer *out            = make_buffer(the.device, TRM_MEMORY_DEVICE, 128);
    struct trm_graph *graph           = make_graph(&recording);
    struct trm_grid grid              = trm_grid_1d(1, 1);
    struct trm_argument arguments[16] = {trm_arg_buffer(out)};
    for (uint64_t i = 0; i < 15; i++)
        arguments[i + 1] = trm_arg_u64(i * UINT64_C(0x123456789abcdef));
    ck_ok(trm_launch(recording, kernel("many"), &grid, arguments, 16));
    memset(arguments, 0, sizeof(arguments));
    struct trm_graph_exec *exec = instantiate(graph);
    ck_ok(trm_graph_launch(exec, the.stream));
    get(the.stream, out, 0, got, sizeof(got));
    for (uint64_t i = 0; i < 15; i++)
        ck_assert_uint_eq(got[i], i * UINT64_C(0x123456789abcdef));
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(out);
}
END_TEST

/* Counts the words, up to the first wrong one, that came back as they were sent plus `more`. */
static size_t words_as_sent(const uint32_t *up, const uint32_t *down, size_t count, uint32_t more)
{
    size_t good = 0;
    while (good < count && down[good] == up[good] + more)
        good++;
    return good;
}

START_TEST(large_operations_inside_a_graph_are_whole)
{
    enum {
        LARGE = 9 << 20
    };
    uint32_t *up = malloc(LARGE), *down = malloc(LARGE);
    struct trm_stream *recording;
    struct trm_buffer *a    = make_buffer(the.device, TRM_MEMORY_DEVICE, LARGE);
    struct trm_buffer *b    = make_buffer(the.device, TRM_MEMORY_DEVICE, LARGE);
    struct trm_graph *graph = make_graph(&recording);
    ck_ok(trm_upload(recording, trm_span_whole(a), up));
    ck_ok(trm_copy(recording, trm_span_whole(b), trm_span_whole(a)));
    if (kernels_there())
        ck_ok(launch_affine_with(recording, kernel("affine"), b, LARGE / 4, 1, 1));
    ck_ok(trm_download(recording, down, trm_span_whole(b)));
    struct trm_graph_exec *exec = instantiate(graph);
    for (uint32_t seed = 0; seed < scaled(10, 2); seed++) {
        pattern_make(up, LARGE, seed);
        ck_ok(trm_graph_launch(exec, the.stream));
        ck_ok(trm_stream_sync(the.stream));
        ck_assert_uint_eq(words_as_sent(up, down, LARGE / 4, kernels_there()), LARGE / 4);
    }
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    free(up);
    free(down);
}
END_TEST

START_TEST(a_graph_holds_a_thousand_operations)
{
    enum {
        OPERATIONS = 1000
    };
    static uint8_t got[OPERATIONS];
    struct trm_stream *recording;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, OPERATIONS);
    struct trm_graph *graph   = make_graph(&recording);
    for (unsigned i = 0; i < OPERATIONS; i++)
        ck_ok(trm_fill(recording, trm_span_of(buffer, i, OPERATIONS - i), i % 251, 1));
    ck_assert_uint_eq(nodes_of(graph), OPERATIONS);
    struct trm_graph_exec *exec = instantiate(graph);
    for (int round = 0; round < 3; round++) {
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 255, 1));
        ck_ok(trm_graph_launch(exec, the.stream));
        get(the.stream, buffer, 0, got, OPERATIONS);
        unsigned wrong = 0;
        for (unsigned i = 0; i < OPERATIONS; i++)
            wrong += got[i] != i % 251;
        ck_assert_uint_eq(wrong, 0);
    }
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(an_empty_graph_does_nothing)
{
    struct trm_stream *recording;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_graph *graph   = make_graph(&recording);
    struct trm_graph_exec *exec[2];
    exec[0] = instantiate(graph);
    /* Nothing in, nothing to record. */
    ck_ok(trm_upload(recording, trm_span_of(buffer, 8, 0), NULL));
    ck_ok(trm_fill(recording, trm_span_of(buffer, 8, 0), 1, 1));
    ck_assert_uint_eq(nodes_of(graph), 0);
    exec[1] = instantiate(graph);
    for (int i = 0; i < 2; i++) {
        ck_ok(trm_graph_launch(exec[i], the.stream));
        ck_ok(trm_graph_launch(exec[i], the.stream));
        ck_ok(trm_stream_sync(the.stream));
        trm_graph_exec_destroy(exec[i]);
    }
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(an_instance_has_what_was_recorded_when_it_was_made)
{
    uint8_t got[2];
    struct trm_stream *recording, *again = NULL;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 2);
    struct trm_graph *graph   = make_graph(&recording);
    ck_ok(trm_fill(recording, trm_span_of(buffer, 0, 1), 1, 1));
    struct trm_graph_exec *first = instantiate(graph);
    ck_ok(trm_graph_record(graph, &again));
    ck_assert_ptr_eq(again, recording);
    ck_ok(trm_fill(recording, trm_span_of(buffer, 1, 1), 2, 1));
    struct trm_graph_exec *second = instantiate(graph);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0, 1));
    ck_ok(trm_graph_launch(first, the.stream));
    get(the.stream, buffer, 0, got, 2);
    ck_assert_uint_eq(got[0] * 10 + got[1], 10);
    ck_ok(trm_graph_launch(second, the.stream));
    get(the.stream, buffer, 0, got, 2);
    ck_assert_uint_eq(got[0] * 10 + got[1], 12);
    trm_graph_exec_destroy(first);
    trm_graph_exec_destroy(second);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_replay_counts_in_the_statistics_like_its_operations)
{
    static uint8_t up[BYTES], down[BYTES];
    struct trm_stream *recording, *one = make_stream(the.device), *other = make_stream(the.device);
    struct trm_buffer *a    = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_buffer *b    = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_graph *graph = make_graph(&recording);
    enqueue_mixture(recording, a, b, up, down);
    if (kernels_there())
        enqueue_steps(recording, kernel("affine"), b);
    struct trm_graph_exec *exec = instantiate(graph);
    for (int i = 0; i < 3; i++) {
        enqueue_mixture(one, a, b, up, down);
        if (kernels_there())
            enqueue_steps(one, kernel("affine"), b);
        ck_ok(trm_stream_sync(one));
        ck_ok(trm_graph_launch(exec, other));
        ck_ok(trm_stream_sync(other));
    }
    struct trm_stream_stats direct = stats_of(one), replayed = stats_of(other);
    ck_assert_uint_eq(direct.operations, replayed.operations);
    ck_assert_uint_eq(direct.launches, replayed.launches);
    ck_assert_uint_eq(direct.copies, replayed.copies);
    ck_assert_uint_eq(direct.fills, replayed.fills);
    ck_assert_uint_eq(direct.bytes_uploaded, replayed.bytes_uploaded);
    ck_assert_uint_eq(direct.bytes_downloaded, replayed.bytes_downloaded);
    ck_assert_uint_eq(direct.bytes_copied, replayed.bytes_copied);
    ck_assert_uint_eq(direct.pageable_copies, replayed.pageable_copies);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
}
END_TEST

/* ---- streams ---- */

START_TEST(an_instance_on_another_stream_waits_for_its_last_launch)
{
    if (kernels_missing())
        return;
    static uint32_t got[N];
    struct trm_stream *recording, *streams[3];
    struct trm_buffer *data = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_graph *graph = make_graph(&recording);
    uint32_t expected       = 0;
    unsigned replays        = scaled(600, 30);
    for (int i = 0; i < 3; i++)
        streams[i] = make_stream(the.device);
    enqueue_steps(recording, kernel("affine"), data);
    struct trm_graph_exec *exec = instantiate(graph);
    ck_ok(trm_fill(the.stream, trm_span_whole(data), 0, 4));
    ck_ok(trm_stream_sync(the.stream));
    for (unsigned i = 0; i < replays; i++) {
        ck_ok(trm_graph_launch(exec, streams[i * 7 / 3 % 3]));
        expected = (expected * 3 + 1) * 5 + 2;
    }
    ck_ok(trm_device_sync(the.device));
    get(the.stream, data, 0, got, BYTES);
    ck_words(got, N, expected);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(data);
}
END_TEST

START_TEST(two_instances_of_a_graph_run_on_two_streams)
{
    struct trm_stream *recording, *second = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_graph *graph   = make_graph(&recording);
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 9, 1));
    struct trm_graph_exec *one = instantiate(graph), *other = instantiate(graph);
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_graph_launch(one, the.stream));
    ck_ok(trm_graph_launch(other, second));
    ck_ok(trm_stream_sync(second)); /* does not wait for the first */
    if (hold)
        ck_status(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    trm_graph_exec_destroy(one);
    trm_graph_exec_destroy(other);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_buffer_waits_for_the_replays_that_use_it)
{
    static uint8_t got[BYTES];
    struct trm_stream *recording;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_graph *graph   = make_graph(&recording);
    void *mapped              = NULL;
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 1));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 77, 1));
    struct trm_graph_exec *exec = instantiate(graph);
    struct hold *hold           = hold_begin(the.stream);
    ck_ok(trm_graph_launch(exec, the.stream));
    if (hold)
        ck_status(trm_buffer_wait(buffer, MILLISECOND), TRM_ERROR_TIMEOUT);
    hold_end_after(hold, 20);
    ck_ok(trm_buffer_map(buffer, TRM_MAP_READ, &mapped));
    memcpy(got, mapped, BYTES);
    ck_ok(trm_buffer_unmap(buffer));
    ck_bytes(got, BYTES, 77);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(memory_of_a_stream_may_be_freed_after_a_replay_that_uses_it)
{
    static uint8_t got[BYTES];
    struct trm_stream *recording;
    struct trm_buffer *ordered = NULL, *result = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_graph *graph = make_graph(&recording);
    ck_ok(trm_stream_alloc(the.stream, BYTES, &ordered));
    ck_ok(trm_fill(recording, trm_span_whole(ordered), 5, 1));
    ck_ok(trm_copy(recording, trm_span_whole(result), trm_span_whole(ordered)));
    struct trm_graph_exec *exec = instantiate(graph);
    ck_ok(trm_graph_launch(exec, the.stream));
    ck_ok(trm_stream_free(the.stream, ordered));
    ck_ok(trm_graph_launch(exec, the.stream)); /* the graph has it still */
    get(the.stream, result, 0, got, BYTES);
    ck_bytes(got, BYTES, 5);
    trm_graph_destroy(graph);
    trm_graph_exec_destroy(exec);
    trm_buffer_destroy(result);
}
END_TEST

void add_graph(Suite *suite)
{
    TCase *group = group_make(suite, "graph");
    CASE(group, a_replay_does_what_the_operations_themselves_do);
    CASE(group, rows_of_all_directions_are_replayed);
    CASE(group, nothing_is_done_by_recording);
    CASE(group, launches_are_replayed_in_order);
    CASE(group, a_graph_remembers_arguments_of_every_type);
    CASE(group, large_operations_inside_a_graph_are_whole);
    CASE(group, a_graph_holds_a_thousand_operations);
    CASE(group, an_empty_graph_does_nothing);
    CASE(group, an_instance_has_what_was_recorded_when_it_was_made);
    CASE(group, a_replay_counts_in_the_statistics_like_its_operations);
    CASE(group, an_instance_on_another_stream_waits_for_its_last_launch);
    CASE(group, two_instances_of_a_graph_run_on_two_streams);
    CASE(group, a_buffer_waits_for_the_replays_that_use_it);
    CASE(group, memory_of_a_stream_may_be_freed_after_a_replay_that_uses_it);
}
