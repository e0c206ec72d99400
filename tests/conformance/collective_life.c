/* Collectives: what is refused, the order on streams, failures, handles, send and receive, and kernels that
 * take the memory of other devices.
 * SPDX-License-Identifier: MIT
 */
#include "collectives.h"
#include "groups.h"
#include "kernels.h"

#include <pthread.h>

#define WORDS 4096u
#define BYTES (WORDS * 4u)

static void make_spans(const struct team *team, struct trm_buffer *const *buffers, struct trm_span *spans)
{
    for (uint32_t d = 0; d < team->count; d++)
        spans[d] = trm_span_whole(buffers[d]);
}

static int32_t sum(const struct team *team, const struct trm_span *outputs, const struct trm_span *inputs)
{
    return trm_all_reduce(team->collective, team->streams, outputs, inputs, 1, TRM_TYPE_I32, TRM_REDUCE_SUM);
}

/* The way is refused where kernels cannot access what it needs. */
static bool works(const struct team *team, const char *way)
{
    return !way_may_refuse(team, way);
}

static void ck_all_words(const struct team *team, struct trm_buffer *const *buffers, uint32_t expected)
{
    static uint32_t found[WORDS];
    for (uint32_t d = 0; d < team->count; d++) {
        get(team->streams[d], buffers[d], 0, found, BYTES);
        ck_words(found, WORDS, expected);
    }
}

/* ---- refused calls -------------------------------------------------------------------------- */

START_TEST(a_collective_refuses_wrong_types_lengths_offsets_and_numbers)
{
    struct trm_span in[TRM_GROUP_DEVICES], out[TRM_GROUP_DEVICES], bad[TRM_GROUP_DEVICES];
    struct trm_buffer *a[TRM_GROUP_DEVICES], *b[TRM_GROUP_DEVICES];
    struct trm_stream *streams[TRM_GROUP_DEVICES];
    struct team team;
    team_open(&team, "auto", 0);
    team_buffers(&team, BYTES, a);
    team_buffers(&team, BYTES, b);
    make_spans(&team, a, in);
    make_spans(&team, b, out);
    struct trm_collective *used = team.collective;
    ck_status(trm_all_reduce(used, team.streams, out, in, 1, TRM_TYPE_U8, 0), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("elements of type u8 are not combined");
    ck_status(trm_all_reduce(used, team.streams, out, in, 1, 99, 0), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("99 is no type of elements that are combined");
    ck_status(trm_all_reduce(used, team.streams, out, in, 1, TRM_TYPE_I32, 4), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_all_reduce(used, team.streams, out, in, 1, TRM_TYPE_I32, -1), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("-1 is not an operation of enum trm_reduction");
    ck_status(trm_all_reduce(used, NULL, out, in, 1, TRM_TYPE_I32, 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_all_reduce(used, team.streams, NULL, in, 1, TRM_TYPE_I32, 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_all_reduce(used, team.streams, out, NULL, 1, TRM_TYPE_I32, 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_all_reduce(used, team.streams, NULL, NULL, 0, TRM_TYPE_I32, 0));
    ck_status(trm_reduce(used, team.streams, out, in, 1, TRM_TYPE_I32, 0, team.count),
              TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_broadcast(used, team.streams, in, 1, team.count), TRM_ERROR_OUT_OF_RANGE);
    ck_status(sum(&team, out, (memcpy(bad, in, sizeof(in)), bad[0].length = BYTES - 4, bad)),
              team.count > 1 ? TRM_ERROR_INVALID_ARGUMENT : TRM_ERROR_INVALID_ARGUMENT);
    for (uint32_t d = 0; d < team.count; d++)
        bad[d] = trm_span_of(a[d], 0, BYTES - 1);
    ck_status(sum(&team, bad, bad), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("whole number of elements");
    for (uint32_t d = 0; d < team.count; d++)
        bad[d] = trm_span_of(a[d], 2, BYTES - 4);
    ck_status(sum(&team, bad, bad), TRM_ERROR_INVALID_ARGUMENT);
    for (uint32_t d = 0; d < team.count; d++)
        bad[d] = trm_span_of(a[d], 4, BYTES);
    ck_status(sum(&team, bad, in), TRM_ERROR_OUT_OF_RANGE);
    struct trm_span first[TRM_GROUP_DEVICES];
    for (uint32_t d = 0; d < team.count; d++) {
        first[d] = trm_span_of(a[d], 0, BYTES / 2);
        bad[d]   = trm_span_of(a[d], 4, BYTES / 2);
    }
    ck_status(sum(&team, bad, first), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("overlaps");
    ck_status(trm_all_to_all(used, team.streams, in, in, 1), TRM_ERROR_INVALID_ARGUMENT);
    memcpy(streams, team.streams, sizeof(streams));
    streams[0] = NULL;
    ck_status(trm_all_reduce(used, streams, out, in, 1, TRM_TYPE_I32, 0), TRM_ERROR_INVALID_HANDLE);
    struct trm_collective *none = NULL;
    ck_status(trm_collective_create(team.group, 2, &none), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_collective_create(team.group, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_collective_create(NULL, 0, &none), TRM_ERROR_INVALID_HANDLE);
    ck_assert_ptr_null(none);
    ck_ok(sum(&team, out, in)); /* nothing of it has failed a stream */
    team_sync(&team);
    team_free(&team, a);
    team_free(&team, b);
    team_close(&team);
    trm_collective_destroy(NULL);
}
END_TEST

START_TEST(a_collective_refuses_what_belongs_to_another_device)
{
    struct trm_span in[TRM_GROUP_DEVICES], bad[TRM_GROUP_DEVICES];
    struct trm_buffer *a[TRM_GROUP_DEVICES];
    struct trm_stream *streams[TRM_GROUP_DEVICES];
    struct team team;
    team_open(&team, "auto", 0);
    team_buffers(&team, BYTES, a);
    make_spans(&team, a, in);
    struct trm_device *other; /* the same device opened again is another one */
    struct trm_buffer *foreign;
    struct trm_stream *stream;
    ck_ok(trm_device_open(team.context, NULL, &other));
    ck_ok(trm_buffer_create(other, TRM_MEMORY_DEVICE, BYTES, &foreign));
    ck_ok(trm_stream_create(other, TRM_STREAM_ANY, 0, &stream));
    memcpy(bad, in, sizeof(in));
    bad[team.count - 1] = trm_span_whole(foreign);
    ck_status(sum(&team, in, bad), TRM_ERROR_WRONG_DEVICE);
    ck_status(sum(&team, bad, in), TRM_ERROR_WRONG_DEVICE);
    memcpy(streams, team.streams, sizeof(streams));
    streams[team.count - 1] = stream;
    ck_status(trm_all_reduce(team.collective, streams, in, in, 1, TRM_TYPE_I32, 0), TRM_ERROR_WRONG_DEVICE);
    trm_stream_destroy(stream);
    trm_buffer_destroy(foreign);
    trm_device_destroy(other);
    team_free(&team, a);
    team_close(&team);
}
END_TEST

START_TEST(a_collective_has_only_the_ways_of_the_setting)
{
    struct trm_context *context = NULL;
    struct trm_setting setting  = {"collective.way", "fastest"};
    ck_refused(context_with(&setting, 1, &context));
    ck_sentence_has("two-shot");
}
END_TEST

/* ---- order ---------------------------------------------------------------------------------- */

/* Each call reads what was enqueued before it on all streams, and what is enqueued after it does not change
 * it. */
static void keep_order(const struct team *team)
{
    struct trm_buffer *a[TRM_GROUP_DEVICES], *b[TRM_GROUP_DEVICES];
    struct trm_span in[TRM_GROUP_DEVICES], out[TRM_GROUP_DEVICES];
    uint32_t expected = 0;
    team_buffers(team, BYTES, a);
    team_buffers(team, BYTES, b);
    make_spans(team, a, in);
    make_spans(team, b, out);
    for (uint32_t round = 1; round <= 25; round++) {
        expected = 0;
        for (uint32_t d = 0; d < team->count; d++) {
            ck_ok(trm_fill(team->streams[d], in[d], round * (d + 1), 4));
            expected += round * (d + 1);
        }
        ck_ok(sum(team, out, in));
        ck_ok(sum(team, in, in)); /* follows without anything in between */
        for (uint32_t d = 0; d < team->count; d++)
            ck_ok(trm_fill(team->streams[d], in[d], 99, 4));
    }
    ck_all_words(team, b, expected);
    ck_all_words(team, a, 99);
    team_free(team, a);
    team_free(team, b);
}

START_TEST(a_collective_stands_in_the_order_of_its_streams)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        struct team team;
        team_open(&team, ways[w], 0);
        if (works(&team, ways[w]) && strcmp(ways[w], "one-shot") != 0)
            keep_order(&team);
        team_close(&team);
    }
}
END_TEST

/* Calls on other streams share the collective's memory. */
START_TEST(a_collective_serves_calls_on_several_sets_of_streams_at_once)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        struct trm_buffer *a[4][TRM_GROUP_DEVICES];
        struct trm_span spans[4][TRM_GROUP_DEVICES];
        struct trm_stream *streams[4][TRM_GROUP_DEVICES];
        struct team team;
        team_open(&team, ways[w], 0);
        for (uint32_t set = 0; set < 4; set++) {
            team_buffers(&team, BYTES, a[set]);
            make_spans(&team, a[set], spans[set]);
            for (uint32_t d = 0; d < team.count; d++) {
                ck_ok(trm_stream_create(team.devices[d], TRM_STREAM_ANY, 0, &streams[set][d]));
                ck_ok(trm_fill(streams[set][d], spans[set][d], set + 1, 4));
            }
        }
        bool is_legal = works(&team, ways[w]) && strcmp(ways[w], "one-shot") != 0;
        for (uint32_t set = 0; is_legal && set < 4; set++)
            ck_ok(trm_all_reduce(team.collective, streams[set], spans[set], spans[set], 1, TRM_TYPE_I32,
                                 TRM_REDUCE_SUM));
        for (uint32_t set = 0; set < 4; set++) {
            for (uint32_t d = 0; d < team.count; d++) {
                ck_ok(trm_stream_sync(streams[set][d]));
                trm_stream_destroy(streams[set][d]);
            }
            ck_all_words(&team, a[set], (set + 1) * (is_legal ? team.count : 1));
            team_free(&team, a[set]);
        }
        team_close(&team);
    }
}
END_TEST

/* ---- failures ------------------------------------------------------------------------------- */

static void fail_on(const struct team *team, uint32_t device, int32_t code)
{
    struct trm_argument argument = trm_arg_i32(code);
    struct trm_grid grid         = trm_grid_1d(1, 1);
    struct trm_kernel *fail      = kernel_on(team->devices[device], "fail");
    ck_ok(trm_launch(team->streams[device], fail, &grid, &argument, 1));
}

/* A kernel that fails is a C function. */
static bool can_fail(const struct team *team, const char *way, uint32_t device)
{
    return works(team, way) && takes_functions(team->devices[device]);
}

/* The stream of `failing` has failed, and all others have failed with it, or none of them. */
static void ck_all_or_one(const struct team *team, uint32_t failing, bool may_be_one)
{
    uint32_t failed = 0;
    for (uint32_t d = 0; d < team->count; d++) {
        int32_t status = trm_stream_sync(team->streams[d]);
        ck_assert(status == TRM_ERROR_KERNEL || (status == TRM_OK && d != failing));
        if (status == TRM_ERROR_KERNEL)
            ck_assert_int_eq(trm_last_error().native_code, 41);
        failed += status != TRM_OK;
    }
    ck_assert(failed == team->count || (may_be_one && failed == 1));
}

static void renew_stream(struct team *team, uint32_t device)
{
    trm_stream_destroy(team->streams[device]);
    ck_ok(trm_stream_create(team->devices[device], TRM_STREAM_ANY, 0, &team->streams[device]));
}

/* With outputs that are the inputs, or others. */
static void fail_a_member(struct team *team, uint32_t failing, bool is_in_place)
{
    struct trm_buffer *a[TRM_GROUP_DEVICES], *b[TRM_GROUP_DEVICES];
    struct trm_span in[TRM_GROUP_DEVICES], out[TRM_GROUP_DEVICES];
    team_buffers(team, BYTES, a);
    team_buffers(team, BYTES, b);
    make_spans(team, a, in);
    make_spans(team, is_in_place ? a : b, out);
    fail_on(team, failing, 41);
    int32_t status = sum(team, out, in);
    ck_assert(status == TRM_OK || status == TRM_ERROR_KERNEL); /* it may be known already */
    ck_all_or_one(team, failing, status != TRM_OK);
    for (uint32_t d = 0; d < team->count; d++) {
        renew_stream(team, d);
        ck_ok(trm_fill(team->streams[d], in[d], 3, 4));
    }
    ck_ok(sum(team, out, in)); /* the collective itself has not failed */
    ck_all_words(team, is_in_place ? a : b, 3 * team->count);
    team_free(team, a);
    team_free(team, b);
}

START_TEST(a_collective_whose_stream_fails_fails_all_its_streams_with_the_first_cause)
{
    if (functions_missing())
        return;
    for (uint32_t w = 0; w < WAYS; w++) {
        struct team team;
        team_open(&team, ways[w], 0);
        for (uint32_t d = 0; d < team.count; d++) {
            if (!can_fail(&team, ways[w], d))
                continue;
            fail_a_member(&team, d, false);
            if (strcmp(ways[w], "one-shot") != 0)
                fail_a_member(&team, d, true);
        }
        kernels_close();
        team_close(&team);
    }
}
END_TEST

/* One stream has failed before: the call names it, and the others go on. */
static void refuse_for_a_member(struct team *team, uint32_t failing)
{
    struct trm_buffer *a[TRM_GROUP_DEVICES], *b[TRM_GROUP_DEVICES];
    struct trm_span in[TRM_GROUP_DEVICES], out[TRM_GROUP_DEVICES];
    char words[40];
    team_buffers(team, BYTES, a);
    team_buffers(team, BYTES, b);
    make_spans(team, a, in);
    make_spans(team, b, out);
    for (uint32_t d = 0; d < team->count; d++) {
        ck_ok(trm_fill(team->streams[d], in[d], 3, 4));
        ck_ok(trm_fill(team->streams[d], out[d], 4, 4));
    }
    fail_on(team, failing, 41);
    ck_status(trm_stream_sync(team->streams[failing]), TRM_ERROR_KERNEL);
    ck_status(sum(team, out, in), TRM_ERROR_KERNEL);
    snprintf(words, sizeof(words), "trm_all_reduce: stream %u, of ", (unsigned)failing);
    ck_sentence_has(words);
    ck_assert_int_eq(trm_last_error().native_code, 41);
    renew_stream(team, failing);
    ck_all_words(team, b, 4); /* nothing was enqueued, and no other stream has failed */
    ck_ok(sum(team, out, in));
    ck_all_words(team, b, 3 * team->count);
    team_free(team, a);
    team_free(team, b);
}

START_TEST(a_collective_that_is_refused_for_a_failed_stream_leaves_the_others_as_they_are)
{
    if (functions_missing())
        return;
    for (uint32_t w = 0; w < WAYS; w++) {
        struct team team;
        team_open(&team, ways[w], 0);
        for (uint32_t d = 0; d < team.count; d++)
            if (can_fail(&team, ways[w], d))
                refuse_for_a_member(&team, d);
        kernels_close();
        team_close(&team);
    }
}
END_TEST

/* ---- handles -------------------------------------------------------------------------------- */

START_TEST(a_collective_keeps_what_its_work_needs_when_handles_are_destroyed)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        struct trm_buffer *a[TRM_GROUP_DEVICES], *b[TRM_GROUP_DEVICES];
        struct trm_span in[TRM_GROUP_DEVICES], out[TRM_GROUP_DEVICES];
        struct team team;
        team_open(&team, ways[w], 0);
        trm_group_destroy(team.group);
        if (works(&team, ways[w])) {
            team_buffers(&team, BYTES, a);
            team_buffers(&team, BYTES, b);
            make_spans(&team, a, in);
            make_spans(&team, b, out);
            for (uint32_t d = 0; d < team.count; d++)
                ck_ok(trm_fill(team.streams[d], in[d], 5, 4));
            ck_ok(sum(&team, out, in));
            team_free(&team, a);
            trm_collective_destroy(team.collective);
            ck_status(sum(&team, out, out), TRM_ERROR_INVALID_HANDLE);
            ck_all_words(&team, b, 5 * team.count);
            team_free(&team, b);
        }
        team.group = NULL;
        team_close(&team);
    }
}
END_TEST

/* ---- send and receive ----------------------------------------------------------------------- */

START_TEST(what_a_collective_sends_is_received_in_order_by_pairs_of_devices)
{
    struct trm_buffer *a[TRM_GROUP_DEVICES], *b[TRM_GROUP_DEVICES];
    struct team team;
    team_open(&team, "auto", 0);
    team_buffers(&team, BYTES, a);
    team_buffers(&team, BYTES, b);
    uint32_t last        = team.count - 1;
    struct trm_span from = trm_span_whole(a[0]), to = trm_span_whole(b[last]);
    for (uint32_t i = 1; i <= 3; i++) {
        ck_ok(trm_fill(team.streams[0], from, i, 4));
        ck_ok(trm_send(team.collective, 0, last, team.streams[0], from));
    }
    ck_ok(trm_fill(team.streams[0], from, 77, 4)); /* does not reach what was sent */
    for (uint32_t i = 1; i <= 3; i++) {
        uint32_t found[WORDS];
        ck_status(trm_recv(team.collective, 0, last, team.streams[last], trm_span_of(b[last], 0, 4), 0),
                  TRM_ERROR_INVALID_ARGUMENT);
        ck_ok(trm_recv(team.collective, 0, last, team.streams[last], to, 0));
        get(team.streams[last], b[last], 0, found, BYTES);
        ck_words(found, WORDS, i);
    }
    ck_status(trm_recv(team.collective, 0, last, team.streams[last], to, 0), TRM_ERROR_TIMEOUT);
    ck_status(trm_recv(team.collective, 0, last, team.streams[last], to, 1000000), TRM_ERROR_TIMEOUT);
    ck_status(trm_send(team.collective, team.count, 0, team.streams[0], from), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_recv(team.collective, 0, team.count, team.streams[0], from, 0), TRM_ERROR_OUT_OF_RANGE);
    ck_ok(trm_send(team.collective, 0, last, team.streams[0], trm_span_of(a[0], 0, 0)));
    ck_ok(trm_recv(team.collective, 0, last, team.streams[last], trm_span_of(b[last], 8, 0), 0));
    ck_ok(trm_send(team.collective, 0, last, team.streams[0], from)); /* dropped at the end */
    team_free(&team, a);
    team_free(&team, b);
    team_close(&team);
}
END_TEST

static void *send_later(void *user)
{
    const struct team *team = user;
    struct trm_buffer *buffer;
    ck_ok(trm_buffer_create(team->devices[0], TRM_MEMORY_DEVICE, BYTES, &buffer));
    ck_ok(trm_fill(team->streams[0], trm_span_whole(buffer), 8, 4));
    ck_ok(trm_send(team->collective, 0, team->count - 1, team->streams[0], trm_span_whole(buffer)));
    trm_buffer_destroy(buffer);
    return NULL;
}

START_TEST(a_receiver_of_a_collective_waits_for_a_sender_on_another_thread)
{
    struct trm_stream *stream;
    struct trm_buffer *buffer;
    uint32_t found[WORDS];
    pthread_t thread;
    struct team team;
    team_open(&team, "auto", 0);
    uint32_t last = team.count - 1;
    ck_ok(trm_stream_create(team.devices[last], TRM_STREAM_ANY, 0, &stream));
    ck_ok(trm_buffer_create(team.devices[last], TRM_MEMORY_DEVICE, BYTES, &buffer));
    ck_assert_int_eq(pthread_create(&thread, NULL, send_later, &team), 0);
    ck_ok(trm_recv(team.collective, 0, last, stream, trm_span_whole(buffer), LONG_NS));
    pthread_join(thread, NULL);
    get(stream, buffer, 0, found, BYTES);
    ck_words(found, WORDS, 8);
    trm_stream_destroy(stream);
    trm_buffer_destroy(buffer);
    team_close(&team);
}
END_TEST

/* ---- kernels on the memory of other devices -------------------------------------------------- */

START_TEST(a_kernel_takes_a_buffer_of_another_device_where_its_device_can_access_it)
{
    struct trm_buffer *a[TRM_GROUP_DEVICES];
    struct trm_kernel *affine;
    struct team team;
    if (kernels_missing())
        return;
    team_open(&team, "auto", 0);
    team_buffers(&team, BYTES, a);
    uint32_t last = team.count - 1, found[WORDS];
    ck_ok(trm_fill(team.streams[last], trm_span_whole(a[last]), 5, 4));
    ck_ok(trm_stream_sync(team.streams[last]));
    affine          = kernel_on(team.devices[0], "affine");
    bool can_access = trm_device_can_access(team.devices[0], team.devices[last]) == TRM_OK;
    int32_t status  = launch_affine_with(team.streams[0], affine, a[last], WORDS, 3, 1);
    ck_assert_int_eq(status, can_access ? TRM_OK : TRM_ERROR_WRONG_DEVICE);
    if (can_access) {
        ck_ok(trm_buffer_wait(a[last], LONG_NS)); /* knows the foreign stream's work */
        get(team.streams[last], a[last], 0, found, BYTES);
        ck_words(found, WORDS, 16);
        ck_ok(launch_affine_with(team.streams[0], affine, a[last], WORDS, 3, 1));
    }
    team_free(&team, a); /* the work keeps the memory */
    ck_ok(trm_stream_sync(team.streams[0]));
    ck_ok(trm_device_can_access(team.devices[0], team.devices[0]));
    ck_status(trm_device_can_access(team.devices[0], NULL), TRM_ERROR_INVALID_HANDLE);
    kernels_close();
    team_close(&team);
}
END_TEST

void add_collective_life(Suite *suite)
{
    TCase *life = group_make(suite, "collectives: calls and life");
    CASE(life, a_collective_refuses_wrong_types_lengths_offsets_and_numbers);
    CASE(life, a_collective_refuses_what_belongs_to_another_device);
    CASE(life, a_collective_has_only_the_ways_of_the_setting);
    CASE(life, a_collective_stands_in_the_order_of_its_streams);
    CASE(life, a_collective_serves_calls_on_several_sets_of_streams_at_once);
    CASE(life, a_collective_whose_stream_fails_fails_all_its_streams_with_the_first_cause);
    CASE(life, a_collective_that_is_refused_for_a_failed_stream_leaves_the_others_as_they_are);
    CASE(life, a_collective_keeps_what_its_work_needs_when_handles_are_destroyed);
    CASE(life, what_a_collective_sends_is_received_in_order_by_pairs_of_devices);
    CASE(life, a_receiver_of_a_collective_waits_for_a_sender_on_another_thread);
    CASE(life, a_kernel_takes_a_buffer_of_another_device_where_its_device_can_access_it);
}
