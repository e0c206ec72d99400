/* Collectives by NCCL: a library that is found, too old, incomplete or missing; calls of it that fail, work
 * that hangs, and devices that are lost. On the stand-ins for the driver and for NCCL.
 * SPDX-License-Identifier: MIT
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cuda/fixture.h"
#include "tests/standin/nccl.h"

#define DEVICES 3u
#define WORDS 40000u
#define BYTES (WORDS * 4u)
#define LONG_NS UINT64_C(60000000000)

enum {
    SYSTEM_ERROR = 2 /* ncclSystemError */
};

static const struct nccl_standin_control *nccl;

/* ---- a team ---------------------------------------------------------------------------------- */

static struct {
    struct trm_context *context;
    struct trm_group *group;
    struct trm_collective *collective;
    uint32_t count;
    struct trm_device *devices[DEVICES];
    struct trm_stream *streams[DEVICES];
    struct trm_buffer *in[DEVICES], *out[DEVICES];
    struct trm_span inputs[DEVICES], outputs[DEVICES];
} team;

static void streams_open(void)
{
    for (uint32_t d = 0; d < team.count; d++)
        team.streams[d] = stream_open(team.devices[d], TRM_STREAM_ANY);
}

static void streams_close(void)
{
    for (uint32_t d = 0; d < team.count; d++)
        trm_stream_destroy(team.streams[d]);
}

static void team_open(const char *library, const char *way, uint32_t flags)
{
    const struct trm_setting settings[] = {{"cuda.nccl", library}, {"collective.way", way}};
    ck_ok(context_make(settings, 2, &team.context));
    ck_ok(trm_group_create(team.context, "cuda:*", &team.group));
    ck_ok(trm_group_size(team.group, &team.count));
    ck_assert_uint_le(team.count, DEVICES);
    for (uint32_t d = 0; d < team.count; d++) {
        ck_ok(trm_group_device(team.group, d, &team.devices[d]));
        team.in[d]      = buffer_open(team.devices[d], TRM_MEMORY_DEVICE, BYTES);
        team.out[d]     = buffer_open(team.devices[d], TRM_MEMORY_DEVICE, BYTES);
        team.inputs[d]  = trm_span_whole(team.in[d]);
        team.outputs[d] = trm_span_whole(team.out[d]);
    }
    streams_open();
    ck_ok(trm_collective_create(team.group, flags, &team.collective));
}

static void team_close(void)
{
    streams_close();
    trm_collective_destroy(team.collective);
    trm_group_destroy(team.group);
    for (uint32_t d = 0; d < team.count; d++) {
        trm_buffer_destroy(team.in[d]);
        trm_buffer_destroy(team.out[d]);
        trm_device_destroy(team.devices[d]);
    }
    trm_context_destroy(team.context);
    ck_assert_uint_eq(nccl->living(), 0);
    check_nothing_left("the collective");
}

/* Each device adds its number and one. */
static void fill_inputs(void)
{
    for (uint32_t d = 0; d < team.count; d++)
        ck_ok(trm_fill(team.streams[d], team.inputs[d], d + 1, 4));
}

static int32_t add_up(void)
{
    return trm_all_reduce(team.collective, team.streams, team.outputs, team.inputs, 1, TRM_TYPE_I32,
                          TRM_REDUCE_SUM);
}

static void ck_sums(void)
{
    static uint32_t found[WORDS];
    for (uint32_t d = 0; d < team.count; d++) {
        ck_ok(trm_download(team.streams[d], found, team.outputs[d]));
        ck_ok(trm_stream_sync(team.streams[d]));
        for (uint32_t i = 0; i < WORDS; i++)
            ck_assert_uint_eq(found[i], team.count * (team.count + 1) / 2);
    }
}

static void add_up_rightly(void)
{
    fill_inputs();
    ck_ok(add_up());
    ck_sums();
}

/* ---- which way ------------------------------------------------------------------------------- */

START_TEST(the_way_nccl_has_one_communicator_for_all_calls_of_a_collective)
{
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 1);
    ck_assert_uint_eq(nccl->calls("ncclAllReduce"), 2 * team.count);
    ck_assert_uint_eq(nccl->living(), team.count);
    team_close();
    ck_assert_uint_eq(nccl->aborted(), 0);
}
END_TEST

START_TEST(the_first_calls_of_a_size_try_nccl_too)
{
    team_open(NCCL_STANDIN_PATH, "auto", 0);
    for (uint32_t i = 0; i < 30; i++)
        add_up_rightly();
    ck_assert_uint_ge(nccl->calls("ncclAllReduce"), 3 * team.count);
    team_close();
}
END_TEST

START_TEST(nccl_is_not_tried_for_what_it_rounds_otherwise)
{
    static const struct {
        int32_t type, operation;
    } inexact[] = {{TRM_TYPE_F32, TRM_REDUCE_MAXIMUM}, {TRM_TYPE_F64, TRM_REDUCE_MINIMUM},
                   {TRM_TYPE_F16, TRM_REDUCE_SUM},     {TRM_TYPE_BF16, TRM_REDUCE_AVERAGE},
                   {TRM_TYPE_I32, TRM_REDUCE_AVERAGE}, {TRM_TYPE_I64, TRM_REDUCE_AVERAGE}};
    team_open(NCCL_STANDIN_PATH, "auto", 0);
    fill_inputs();
    for (uint32_t k = 0; k < sizeof(inexact) / sizeof(inexact[0]); k++)
        for (uint32_t i = 0; i < 12; i++) {
            ck_ok(trm_all_reduce(team.collective, team.streams, team.outputs, team.inputs, 1, inexact[k].type,
                                 inexact[k].operation));
            ck_ok(trm_stream_sync(team.streams[0]));
        }
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 0);
    team_close();
}
END_TEST

START_TEST(a_deterministic_collective_takes_nccl_for_copies_alone)
{
    team_open(NCCL_STANDIN_PATH, "auto", TRM_COLLECTIVE_DETERMINISTIC);
    for (uint32_t i = 0; i < 12; i++)
        add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 0);
    team_close();
    team_open(NCCL_STANDIN_PATH, "nccl", TRM_COLLECTIVE_DETERMINISTIC);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("TRM_COLLECTIVE_DETERMINISTIC");
    ck_ok(trm_broadcast(team.collective, team.streams, team.outputs, 1, 1));
    ck_assert_uint_eq(nccl->calls("ncclBroadcast"), team.count);
    team_close();
}
END_TEST

START_TEST(the_way_nccl_takes_device_memory_alone)
{
    struct trm_buffer *pinned;
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    pinned         = buffer_open(team.devices[1], TRM_MEMORY_PINNED, BYTES);
    team.inputs[1] = trm_span_whole(pinned);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("device memory");
    trm_buffer_destroy(pinned);
    team_close();
}
END_TEST

START_TEST(a_group_of_one_device_takes_the_way_nccl_where_it_can)
{
    standin_shape("devices=1");
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclAllReduce"), 1);
    team_close();
    team_open("none", "nccl", 0);
    add_up_rightly();
    team_close();
}
END_TEST

/* ---- the library ----------------------------------------------------------------------------- */

static const char *collectives_of(struct trm_device *device)
{
    static char text[128];
    if (trm_device_get_info(device, TRM_DEVICE_COLLECTIVES, text, sizeof(text), NULL) != TRM_OK)
        return "";
    return text;
}

START_TEST(a_device_tells_the_version_of_nccl)
{
    team_open(NCCL_STANDIN_PATH, "auto", 0);
    ck_assert_str_eq(collectives_of(team.devices[0]), NCCL_STANDIN_NAME);
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 0);
    team_close();
}
END_TEST

/* The other ways do all. */
static void ck_no_nccl(const char *library, const char *why)
{
    team_open(library, "auto", 0);
    ck_assert_str_eq(collectives_of(team.devices[0]), "");
    for (uint32_t i = 0; i < 12; i++)
        add_up_rightly();
    team_close();
    team_open(library, "nccl", 0);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has(why);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has(why);
    ck_ok(trm_stream_sync(team.streams[0])); /* a refused call enqueues nothing */
    team_close();
}

START_TEST(without_nccl_the_other_ways_are_taken)
{
    ck_no_nccl("libnccl-that-does-not-exist.so.2", "libnccl-that-does-not-exist.so.2");
}
END_TEST

START_TEST(nccl_is_not_used_where_the_setting_says_none)
{
    ck_no_nccl("none", "cuda.nccl is none");
}
END_TEST

START_TEST(a_version_of_nccl_that_is_too_old_or_too_new_is_refused)
{
    nccl->set_version(21799);
    ck_no_nccl(NCCL_STANDIN_PATH, "2.17.99");
    nccl->set_version(30000);
    ck_no_nccl(NCCL_STANDIN_PATH, "before 3");
    nccl->set_version(21800);
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    team_close();
}
END_TEST

START_TEST(a_library_that_does_not_tell_its_version_is_refused)
{
    nccl->fail_next("ncclGetVersion", SYSTEM_ERROR);
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("version");
    team_close();
}
END_TEST

static const char *const functions[] = {
    "ncclGetVersion", "ncclCommInitAll", "ncclCommDestroy",    "ncclCommAbort", "ncclCommGetAsyncError",
    "ncclGroupStart", "ncclGroupEnd",    "ncclGetErrorString", "ncclAllReduce", "ncclReduce",
    "ncclBroadcast",  "ncclAllGather",   "ncclReduceScatter",  "ncclSend",      "ncclRecv",
};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* Writes a copy of the library in which the function has another name. */
static void write_without(const char *function, const char *path)
{
    static char bytes[4u << 20];
    size_t length = strlen(function);
    FILE *file    = fopen(NCCL_STANDIN_PATH, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    ck_assert(size > 0 && size < sizeof(bytes));
    for (size_t i = 0; i + length + 1 < size; i++)
        if (memcmp(&bytes[i], function, length + 1) == 0)
            bytes[i] = 'x';
    unlink(path);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
    ck_assert_int_eq(chmod(path, 0755), 0);
}

START_TEST(a_library_without_one_of_the_functions_is_refused_by_its_name)
{
    const char *function = functions[_i];
    char path[4096];
    snprintf(path, sizeof(path), "%s-without-%s", NCCL_STANDIN_PATH, function);
    write_without(function, path);
    team_open(path, "nccl", 0);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has(function);
    team_close();
    unlink(path);
}
END_TEST

/* ---- calls that fail ------------------------------------------------------------------------- */

/* Every kind of call, of which the first error is returned. */
static int32_t call_all(void)
{
    struct trm_span parts[DEVICES];
    for (uint32_t d = 0; d < team.count; d++)
        parts[d] = trm_span_of(team.out[d], 0, BYTES / team.count / 4 * 4);
    struct trm_span whole[DEVICES];
    for (uint32_t d = 0; d < team.count; d++)
        whole[d] = trm_span_of(team.in[d], 0, parts[d].length * team.count);
    int32_t status = add_up();
    if (status == TRM_OK)
        status = trm_reduce(team.collective, team.streams, &team.outputs[1], team.inputs, 1, TRM_TYPE_I32,
                            TRM_REDUCE_MAXIMUM, 1);
    if (status == TRM_OK)
        status = trm_broadcast(team.collective, team.streams, team.outputs, 1, 2);
    if (status == TRM_OK)
        status = trm_all_gather(team.collective, team.streams, whole, parts, 1);
    if (status == TRM_OK)
        status =
            trm_reduce_scatter(team.collective, team.streams, parts, whole, 1, TRM_TYPE_I32, TRM_REDUCE_SUM);
    for (uint32_t d = 0; d < team.count; d++)
        parts[d] = trm_span_of(team.out[d], 0, whole[d].length);
    return status == TRM_OK ? trm_all_to_all(team.collective, team.streams, parts, whole, 1) : status;
}

static bool is_enqueued(const char *function)
{
    return strcmp(function, "ncclGetVersion") != 0 && strcmp(function, "ncclCommInitAll") != 0 &&
           strcmp(function, "ncclCommDestroy") != 0 && strcmp(function, "ncclCommAbort") != 0 &&
           strcmp(function, "ncclCommGetAsyncError") != 0 && strcmp(function, "ncclGetErrorString") != 0;
}

START_TEST(a_call_of_nccl_that_fails_fails_all_streams_and_no_later_calls)
{
    const char *function = functions[_i];
    if (!is_enqueued(function))
        return;
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    fill_inputs();
    ck_ok(call_all());
    nccl->fail_next(function, SYSTEM_ERROR);
    ck_fails(call_all(), TRM_ERROR_BACKEND);
    ck_sentence_has(function);
    ck_sentence_has("unhandled system error");
    ck_assert_uint_eq(nccl->living(), 0);
    ck_assert_uint_eq(nccl->aborted(), team.count);
    for (uint32_t d = 0; d < team.count; d++) {
        ck_fails(trm_stream_sync(team.streams[d]), TRM_ERROR_BACKEND);
        ck_sentence_has(function);
    }
    streams_close();
    streams_open();
    add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 2);
    team_close();
}
END_TEST

START_TEST(a_communicator_that_cannot_be_made_is_refused_or_done_without)
{
    nccl->fail_next("ncclCommInitAll", SYSTEM_ERROR);
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("ncclCommInitAll");
    add_up_rightly(); /* it is asked for again */
    team_close();
    nccl->fail_next("ncclCommInitAll", SYSTEM_ERROR);
    team_open(NCCL_STANDIN_PATH, "auto", 0);
    for (uint32_t i = 0; i < 12; i++)
        add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 3); /* and here it is not */
    team_close();
}
END_TEST

/* Each call of the driver in turn, while the communicator is made, used and destroyed. */
START_TEST(the_driver_fails_under_nccl_and_nothing_is_left)
{
    unsigned stride = thorough(1, 7);
    uint64_t calls  = 0;
    for (uint64_t n = 0; n <= calls; n += n == 0 ? 1 : stride) { /* the first time none fails */
        char rule[64];
        team_open(NCCL_STANDIN_PATH, "nccl", 0);
        fill_inputs();
        for (uint32_t d = 0; d < team.count; d++)
            ck_ok(trm_stream_sync(team.streams[d]));
        uint64_t before = standin->fallible_calls();
        snprintf(rule, sizeof(rule), "any:%u:once:CUDA_ERROR_OUT_OF_MEMORY", (unsigned)n);
        if (n > 0)
            ck_assert_int_eq(standin->arm(rule), 0);
        int32_t status = add_up();
        for (uint32_t d = 0; d < team.count; d++) {
            int32_t end = trm_stream_sync(team.streams[d]);
            ck_assert(status == TRM_OK || end == TRM_OK || trm_last_error().sentence[0]);
        }
        if (standin->failures() == 0)
            ck_ok(status);
        if (n == 0)
            calls = standin->fallible_calls() - before;
        standin->arm(NULL);
        streams_close();
        streams_open();
        add_up_rightly();
        team_close();
    }
    ck_assert_uint_gt(calls, 20);
}
END_TEST

/* ---- order ----------------------------------------------------------------------------------- */

START_TEST(a_call_behind_a_callback_is_given_to_nccl_when_the_callback_is_done)
{
    struct barrier barrier = BARRIER_CLOSED;
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    uint64_t before = nccl->calls("ncclAllReduce");
    ck_ok(barrier_enqueue(team.streams[_i], &barrier));
    fill_inputs();
    ck_ok(add_up());
    for (uint32_t d = 0; d < team.count; d++)
        ck_ok(trm_fill(team.streams[d], team.inputs[d], 99, 4));
    barrier_await(&barrier);
    ck_assert_uint_eq(nccl->calls("ncclAllReduce"), before);
    barrier_open(&barrier);
    ck_sums();
    ck_assert_uint_eq(nccl->calls("ncclAllReduce"), before + team.count);
    team_close();
}
END_TEST

START_TEST(a_deferred_call_that_fails_fails_all_streams)
{
    struct barrier barrier = BARRIER_CLOSED;
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    ck_ok(barrier_enqueue(team.streams[1], &barrier));
    ck_ok(add_up());
    barrier_await(&barrier);
    nccl->fail_next("ncclGroupEnd", SYSTEM_ERROR);
    barrier_open(&barrier);
    for (uint32_t d = 0; d < team.count; d++) {
        if (d == 1)
            continue; /* its own work before the call has ended well, and it waits for the rest as the others do */
        ck_fails(trm_stream_sync(team.streams[d]), TRM_ERROR_BACKEND);
        ck_sentence_has("ncclGroupEnd");
    }
    ck_fails(trm_stream_sync(team.streams[1]), TRM_ERROR_BACKEND);
    streams_close();
    streams_open();
    add_up_rightly();
    team_close();
}
END_TEST

/* The call on the other streams cannot end before this thread opens the barrier. */
START_TEST(a_failed_communicator_that_has_deferred_calls_is_replaced_without_waiting)
{
    struct barrier barrier = BARRIER_CLOSED;
    struct trm_stream *before[DEVICES];
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    ck_ok(barrier_enqueue(team.streams[0], &barrier));
    ck_ok(add_up());
    barrier_await(&barrier);
    memcpy(before, team.streams, sizeof(before));
    streams_open();
    nccl->fail_next("ncclGroupEnd", SYSTEM_ERROR);
    ck_fails(add_up(), TRM_ERROR_BACKEND);
    streams_close();
    streams_open();
    add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 2);
    barrier_open(&barrier);
    for (uint32_t d = 0; d < team.count; d++) {
        ck_fails(trm_stream_sync(before[d]), TRM_ERROR_BACKEND);
        trm_stream_destroy(before[d]);
    }
    team_close();
}
END_TEST

START_TEST(the_current_context_of_the_program_stays)
{
    CUcontext before = NULL, after = NULL;
    void *driver = dlopen(CUDA_STANDIN_PATH, RTLD_NOW | RTLD_LOCAL);
    CUresult (*get)(CUcontext *);
    void *symbol = dlsym(driver, "cuCtxGetCurrent");
    memcpy(&get, &symbol, sizeof(get));
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    ck_assert_int_eq(get(&before), CUDA_SUCCESS);
    add_up_rightly();
    ck_assert_int_eq(get(&after), CUDA_SUCCESS);
    ck_assert_ptr_eq(before, after);
    team_close();
}
END_TEST

/* ---- work that does not end ------------------------------------------------------------------ */

static void ck_all_fail(int32_t status, const char *words)
{
    for (uint32_t d = 0; d < team.count; d++) {
        struct trm_point point;
        int32_t found = trm_stream_mark(team.streams[d], &point);
        if (found == TRM_OK)
            found = trm_point_wait(point, LONG_NS);
        ck_assert_msg(found == status, "stream %u: %s, %s", d, trm_status_name(found),
                      trm_last_error().sentence);
        ck_sentence_has(words);
    }
}

START_TEST(an_error_that_nccl_tells_later_fails_all_streams)
{
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    fill_inputs();
    nccl->hang(1);
    ck_ok(add_up());
    nccl->set_error(SYSTEM_ERROR);
    ck_all_fail(TRM_ERROR_BACKEND, "unhandled system error");
    ck_assert_uint_eq(nccl->aborted(), team.count);
    nccl->hang(0);
    nccl->set_error(0);
    streams_close();
    streams_open();
    add_up_rightly();
    team_close();
}
END_TEST

/* The streams of the other devices would wait for ever. */
START_TEST(a_lost_device_fails_the_streams_of_all_and_ends_what_hangs)
{
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    struct trm_stream *doomed = stream_open(team.devices[_i], TRM_STREAM_ANY);
    fill_inputs();
    for (uint32_t d = 0; d < team.count; d++)
        ck_ok(trm_stream_sync(team.streams[d]));
    nccl->hang(1);
    ck_ok(add_up());
    ck_assert_int_eq(standin->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(trm_fill(doomed, trm_span_of(team.out[_i], 0, 4), 1, 4));
    ck_all_fail(TRM_ERROR_DEVICE_LOST, "CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_fails(add_up(), TRM_ERROR_DEVICE_LOST);
    standin->fail_work(NULL);
    nccl->hang(0);
    trm_stream_destroy(doomed);
    streams_close();
    trm_collective_destroy(team.collective);
    team.collective = NULL;
    team_close();
}
END_TEST

/* ---- the suite ------------------------------------------------------------------------------- */

static void setup(void)
{
    void *library = dlopen(NCCL_STANDIN_PATH, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    nccl = dlsym(library, NCCL_STANDIN_CONTROL_SYMBOL);
    ck_assert_ptr_nonnull(nccl);
    standin_shape("devices=3");
}

int main(void)
{
    Suite *suite   = suite_create("cuda: NCCL");
    TCase *ways    = tcase_create("ways");
    TCase *library = tcase_create("the library");
    TCase *fails   = tcase_create("failures");
    TCase *order   = tcase_create("order");
    TCase *hangs   = tcase_create("work that does not end");
    TCase *all[]   = {ways, library, fails, order, hangs};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        tcase_add_checked_fixture(all[i], setup, NULL);
        tcase_set_timeout(all[i], 600);
        suite_add_tcase(suite, all[i]);
    }
    tcase_add_test(ways, the_way_nccl_has_one_communicator_for_all_calls_of_a_collective);
    tcase_add_test(ways, the_first_calls_of_a_size_try_nccl_too);
    tcase_add_test(ways, nccl_is_not_tried_for_what_it_rounds_otherwise);
    tcase_add_test(ways, a_deterministic_collective_takes_nccl_for_copies_alone);
    tcase_add_test(ways, the_way_nccl_takes_device_memory_alone);
    tcase_add_test(ways, a_group_of_one_device_takes_the_way_nccl_where_it_can);
    tcase_add_test(library, a_device_tells_the_version_of_nccl);
    tcase_add_test(library, without_nccl_the_other_ways_are_taken);
    tcase_add_test(library, nccl_is_not_used_where_the_setting_says_none);
    tcase_add_test(library, a_version_of_nccl_that_is_too_old_or_too_new_is_refused);
    tcase_add_test(library, a_library_that_does_not_tell_its_version_is_refused);
    tcase_add_loop_test(library, a_library_without_one_of_the_functions_is_refused_by_its_name, 0,
                        (int)FUNCTIONS);
    tcase_add_loop_test(fails, a_call_of_nccl_that_fails_fails_all_streams_and_no_later_calls, 0,
                        (int)FUNCTIONS);
    tcase_add_test(fails, a_communicator_that_cannot_be_made_is_refused_or_done_without);
    tcase_add_test(fails, the_driver_fails_under_nccl_and_nothing_is_left);
    tcase_add_loop_test(order, a_call_behind_a_callback_is_given_to_nccl_when_the_callback_is_done, 0,
                        (int)DEVICES);
    tcase_add_test(order, a_deferred_call_that_fails_fails_all_streams);
    tcase_add_test(order, a_failed_communicator_that_has_deferred_calls_is_replaced_without_waiting);
    tcase_add_test(order, the_current_context_of_the_program_stays);
    tcase_add_test(hangs, an_error_that_nccl_tells_later_fails_all_streams);
    tcase_add_loop_test(hangs, a_lost_device_fails_the_streams_of_all_and_ends_what_hangs, 0, (int)DEVICES);
    return run_on_standin(suite);
}
