/* Memory that other processes open by handles which are data, and what has none.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "process.h"

#include <sys/socket.h>
#include <trireme/interop.h>
#include <unistd.h>

#define SIZE 100000u

/* NULL where there is none. */
static struct trm_buffer *make_memory(void)
{
    struct trm_buffer *buffer = NULL;
    int32_t status            = trm_buffer_create_ipc(the.device, SIZE, &buffer);
    if (status == TRM_ERROR_UNSUPPORTED) {
        skip("the backend has no such thing");
        return NULL;
    }
    ck_ok(status);
    return buffer;
}

START_TEST(memory_with_a_handle_is_like_any_other_to_its_own_device)
{
    struct trm_ipc_handle handle, again;
    struct trm_buffer *buffer = make_memory();
    void *mapped              = NULL;
    int32_t kind              = -1;
    uint64_t size             = 0;
    if (!buffer)
        return;
    ck_ok(trm_buffer_kind(buffer, &kind));
    ck_ok(trm_buffer_size(buffer, &size));
    ck_assert_int_eq(kind, TRM_MEMORY_DEVICE);
    ck_assert_uint_eq(size, SIZE);
    put_pattern(the.stream, buffer, SIZE, 3);
    ck_ok(trm_buffer_get_ipc_handle(buffer, &handle));
    ck_assert_uint_eq(handle.size, SIZE);
    ck_buffer_pattern(the.stream, buffer, SIZE, 3);
    ck_ok(trm_buffer_map(buffer, TRM_MAP_READ, &mapped));
    ck_pattern(mapped, SIZE, 3);
    ck_ok(trm_buffer_unmap(buffer));
    ck_ok(trm_buffer_get_ipc_handle(buffer, &again));
    ck_assert_mem_eq(&handle, &again, sizeof(handle));
    ck_ok(trm_fill(the.stream, trm_span_of(buffer, 8, 16), 9, 1));
    ck_ok(trm_stream_free(the.stream, buffer));
    ck_ok(trm_stream_sync(the.stream));
}
END_TEST

START_TEST(only_memory_that_was_made_for_it_has_a_handle)
{
    struct trm_ipc_handle handle = {.size = 77};
    struct trm_buffer *plain     = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *empty     = make_buffer(the.device, TRM_MEMORY_DEVICE, 0);
    struct trm_buffer *ordered   = NULL;
    ck_ok(trm_stream_alloc(the.stream, SIZE, &ordered));
    ck_status(trm_buffer_get_ipc_handle(plain, &handle), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_buffer_get_ipc_handle(empty, &handle), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_buffer_get_ipc_handle(ordered, &handle), TRM_ERROR_UNSUPPORTED);
    ck_refused(trm_buffer_get_ipc_handle(plain, NULL));
    ck_assert_uint_eq(handle.size, 77);
    trm_buffer_destroy(plain);
    trm_buffer_destroy(empty);
    trm_buffer_destroy(ordered);
}
END_TEST

START_TEST(memory_for_other_processes_of_an_impossible_size_is_refused)
{
    struct trm_buffer *buffer = NULL;
    uint64_t largest          = device_number(the.device, TRM_DEVICE_MAX_BUFFER_BYTES);
    ck_refused(trm_buffer_create_ipc(the.device, 0, &buffer));
    ck_refused(trm_buffer_create_ipc(the.device, UINT64_MAX, &buffer));
    if (largest < UINT64_MAX)
        ck_refused(trm_buffer_create_ipc(the.device, largest + 1, &buffer));
    ck_refused(trm_buffer_create_ipc(the.device, SIZE, NULL));
    ck_assert_ptr_null(buffer);
}
END_TEST

START_TEST(what_is_no_handle_is_refused_and_the_device_goes_on)
{
    struct trm_ipc_handle handle = {.size = SIZE};
    struct trm_buffer *buffer = NULL, *plain = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    ck_refused(trm_buffer_open_ipc_handle(the.device, NULL, &buffer));
    ck_refused(trm_buffer_open_ipc_handle(the.device, &handle, NULL));
    for (int byte = 0; byte < 256; byte += 51) {
        memset(handle.bytes, byte, sizeof(handle.bytes));
        ck_refused(trm_buffer_open_ipc_handle(the.device, &handle, &buffer));
    }
    handle.offset = UINT64_MAX - SIZE + 1;
    ck_refused(trm_buffer_open_ipc_handle(the.device, &handle, &buffer));
    handle = (struct trm_ipc_handle){.size = 0};
    ck_refused(trm_buffer_open_ipc_handle(the.device, &handle, &buffer));
    ck_assert_ptr_null(buffer);
    put_pattern(the.stream, plain, SIZE, 4);
    ck_buffer_pattern(the.stream, plain, SIZE, 4);
    trm_buffer_destroy(plain);
}
END_TEST

void add_interop_ipc(Suite *suite)
{
    TCase *group = group_make(suite, "ipc");
    CASE(group, memory_with_a_handle_is_like_any_other_to_its_own_device);
    CASE(group, only_memory_that_was_made_for_it_has_a_handle);
    CASE(group, memory_for_other_processes_of_an_impossible_size_is_refused);
    CASE(group, what_is_no_handle_is_refused_and_the_device_goes_on);
}

/* ---- two processes ---- */

/* Gives memory with pattern 5, and expects 6 when it hears of it. */
static const char *give(void *user)
{
    static uint8_t bytes[SIZE];
    const int *ends              = user;
    const int socket             = ends[1];
    struct trm_setting setting   = {"backend", backend_under_test()};
    struct trm_context_desc desc = {.struct_size   = sizeof(desc),
                                    .flags         = TRM_CONTEXT_NO_CONFIG,
                                    .settings      = &setting,
                                    .setting_count = 1};
    struct trm_ipc_handle handle = {.size = 0};
    struct trm_context *context  = NULL;
    struct trm_device *device    = NULL;
    struct trm_stream *stream    = NULL;
    struct trm_buffer *buffer    = NULL;
    char heard                   = 0;
    close(ends[0]);
    CHILD_CHECK(trm_context_create(&desc, &context) == TRM_OK);
    CHILD_CHECK(trm_device_open(context, NULL, &device) == TRM_OK);
    CHILD_CHECK(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream) == TRM_OK);
    int32_t status = trm_buffer_create_ipc(device, SIZE, &buffer);
    CHILD_CHECK(status == TRM_OK || status == TRM_ERROR_UNSUPPORTED);
    if (buffer) {
        pattern_make(bytes, SIZE, 5);
        CHILD_CHECK(trm_upload(stream, trm_span_whole(buffer), bytes) == TRM_OK);
        CHILD_CHECK(trm_stream_sync(stream) == TRM_OK);
        CHILD_CHECK(trm_buffer_get_ipc_handle(buffer, &handle) == TRM_OK);
    }
    CHILD_CHECK(write(socket, &handle, sizeof(handle)) == (ssize_t)sizeof(handle));
    if (read(socket, &heard, 1) == 1) {
        CHILD_CHECK(trm_download(stream, bytes, trm_span_whole(buffer)) == TRM_OK);
        CHILD_CHECK(trm_stream_sync(stream) == TRM_OK);
        CHILD_CHECK(pattern_length(bytes, SIZE, 6) == SIZE);
    }
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return NULL;
}

/* Opens it twice, and closes it. */
static void take(const struct trm_ipc_handle *handle)
{
    struct trm_context *context = open_context();
    struct trm_device *device   = open_device(context);
    struct trm_stream *stream   = NULL;
    struct trm_buffer *buffer = NULL, *again = NULL;
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_buffer_open_ipc_handle(device, handle, &buffer));
    ck_buffer_pattern(stream, buffer, SIZE, 5);
    ck_ok(trm_buffer_open_ipc_handle(device, handle, &again));
    put_pattern(stream, again, SIZE, 6);
    trm_buffer_destroy(again);
    ck_buffer_pattern(stream, buffer, SIZE, 6);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
}

START_TEST(memory_of_another_process_is_the_same_where_its_handle_is_opened)
{
    struct trm_ipc_handle handle = {.size = 0};
    int ends[2];
    if (!forking_works()) {
        skip("processes do not fork here");
        return;
    }
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    struct child child = child_start(give, ends);
    close(ends[1]);
    if (read(ends[0], &handle, sizeof(handle)) == (ssize_t)sizeof(handle) && handle.size != 0) {
        take(&handle);
        ck_assert_int_eq((int)write(ends[0], "x", 1), 1);
    } else {
        skip("the backend has no such thing");
    }
    close(ends[0]);
    child_end(child, 0);
}
END_TEST

void add_interop_processes(Suite *suite)
{
    TCase *group = group_make_bare(suite, "ipc between processes");
    CASE(group, memory_of_another_process_is_the_same_where_its_handle_is_opened);
}
