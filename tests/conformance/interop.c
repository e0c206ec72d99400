/* Shared memory and semaphores: exporting, importing, and what is refused. The other user is the same device
 * opened a second time, which shares nothing with the first.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"

#include <trireme/interop.h>
#include <unistd.h>

#define SIZE 100000u

static bool unsupported(int32_t status)
{
    if (status == TRM_ERROR_UNSUPPORTED)
        skip("the backend has no such thing");
    return status == TRM_ERROR_UNSUPPORTED;
}

/* NULL where there are none. */
static struct trm_semaphore *make_semaphore(struct trm_device *device)
{
    struct trm_semaphore *semaphore = NULL;
    int32_t status                  = trm_semaphore_create(device, &semaphore);
    if (unsupported(status))
        return NULL;
    ck_ok(status);
    ck_assert_ptr_nonnull(semaphore);
    return semaphore;
}

static uint64_t shown(struct trm_semaphore *semaphore)
{
    uint64_t value = UINT64_MAX;
    ck_ok(trm_semaphore_value(semaphore, &value));
    return value;
}

/* ---- semaphores on streams ---- */

START_TEST(a_semaphore_begins_at_zero_and_shows_what_a_stream_raises_it_to)
{
    struct trm_semaphore *semaphore = make_semaphore(the.device);
    if (!semaphore)
        return;
    ck_assert_uint_eq(shown(semaphore), 0);
    for (uint64_t i = 1; i < 20; i++) {
        ck_ok(trm_stream_signal_semaphore(the.stream, semaphore, i * i));
        if (i % 3 == 0) {
            ck_ok(trm_stream_sync(the.stream));
            ck_assert_uint_eq(shown(semaphore), i * i);
        }
    }
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(shown(semaphore), 361);
    trm_semaphore_destroy(semaphore);
}
END_TEST

START_TEST(a_semaphore_is_raised_when_the_stream_gets_there_and_not_before)
{
    struct trm_semaphore *semaphore = make_semaphore(the.device);
    if (!semaphore)
        return;
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_stream_signal_semaphore(the.stream, semaphore, 5));
    ck_ok(trm_stream_flush(the.stream));
    if (hold_works())
        ck_assert_uint_eq(shown(semaphore), 0);
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(shown(semaphore), 5);
    trm_semaphore_destroy(semaphore);
}
END_TEST

START_TEST(a_semaphore_does_not_go_back)
{
    struct trm_semaphore *semaphore = make_semaphore(the.device);
    if (!semaphore)
        return;
    ck_ok(trm_stream_signal_semaphore(the.stream, semaphore, 7));
    ck_status(trm_stream_signal_semaphore(the.stream, semaphore, 7), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_signal_semaphore(the.stream, semaphore, 3), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_stream_sync(the.stream));
    ck_status(trm_stream_signal_semaphore(the.stream, semaphore, 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_stream_signal_semaphore(the.stream, semaphore, 8));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(shown(semaphore), 8);
    trm_semaphore_destroy(semaphore);
}
END_TEST

START_TEST(a_stream_that_waits_for_a_semaphore_sees_what_was_written_before_it_was_raised)
{
    struct trm_semaphore *semaphore = make_semaphore(the.device);
    if (!semaphore)
        return;
    struct trm_stream *writer = make_stream(the.device);
    struct trm_buffer *from   = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *to     = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    for (uint64_t i = 1; i <= 20; i++) {
        uint8_t found[16];
        struct hold *hold = i % 4 == 0 ? hold_begin(writer) : NULL;
        ck_ok(trm_fill(writer, trm_span_whole(from), i, 1));
        ck_ok(trm_stream_wait_semaphore(the.stream, semaphore, i));
        ck_ok(trm_copy(the.stream, trm_span_whole(to), trm_span_whole(from)));
        ck_ok(trm_stream_flush(the.stream));
        ck_ok(trm_stream_signal_semaphore(writer, semaphore, i));
        ck_ok(trm_stream_flush(writer));
        if (hold) {
            if (hold_works())
                ck_status(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
            hold_end(hold);
        }
        get(the.stream, to, SIZE - sizeof(found), found, sizeof(found));
        for (size_t k = 0; k < sizeof(found); k++)
            ck_assert_uint_eq(found[k], i);
    }
    trm_buffer_destroy(from);
    trm_buffer_destroy(to);
    trm_semaphore_destroy(semaphore);
}
END_TEST

START_TEST(waiting_for_a_value_already_reached_does_not_block)
{
    struct trm_semaphore *semaphore = make_semaphore(the.device);
    if (!semaphore)
        return;
    ck_ok(trm_stream_wait_semaphore(the.stream, semaphore, 0));
    ck_ok(trm_stream_signal_semaphore(the.stream, semaphore, 100));
    ck_ok(trm_stream_wait_semaphore(the.stream, semaphore, 100));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_stream_wait_semaphore(the.stream, semaphore, 7));
    ck_ok(trm_stream_sync(the.stream));
    trm_semaphore_destroy(semaphore);
}
END_TEST

START_TEST(streams_that_wait_in_vain_do_not_stop_others)
{
    struct trm_semaphore *semaphore = make_semaphore(the.device);
    if (!semaphore)
        return;
    struct trm_stream *waiting[12];
    for (size_t i = 0; i < 12; i++) {
        waiting[i] = make_stream(the.device);
        ck_ok(trm_stream_wait_semaphore(waiting[i], semaphore, 1));
        ck_ok(trm_stream_flush(waiting[i]));
    }
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    put_pattern(the.stream, buffer, SIZE, 6);
    ck_buffer_pattern(the.stream, buffer, SIZE, 6);
    for (size_t i = 0; i < 12; i++)
        ck_status(trm_stream_query(waiting[i]), TRM_ERROR_TIMEOUT);
    ck_ok(trm_stream_signal_semaphore(the.stream, semaphore, 1));
    ck_ok(trm_stream_flush(the.stream));
    for (size_t i = 0; i < 12; i++)
        ck_ok(trm_stream_sync(waiting[i]));
    trm_buffer_destroy(buffer);
    trm_semaphore_destroy(semaphore);
}
END_TEST

START_TEST(a_semaphore_may_be_destroyed_while_work_still_needs_it)
{
    struct trm_semaphore *semaphore = make_semaphore(the.device);
    if (!semaphore)
        return;
    struct trm_stream *other = make_stream(the.device);
    struct hold *hold        = hold_begin(other);
    ck_ok(trm_stream_signal_semaphore(other, semaphore, 1));
    ck_ok(trm_stream_wait_semaphore(the.stream, semaphore, 1));
    trm_semaphore_destroy(semaphore);
    ck_status(trm_stream_wait_semaphore(the.stream, semaphore, 1), TRM_ERROR_INVALID_HANDLE);
    hold_end(hold);
    ck_ok(trm_stream_flush(other));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_stream_sync(other));
    trm_semaphore_destroy(NULL);
}
END_TEST

START_TEST(a_stream_takes_no_semaphore_of_another_device_and_records_none)
{
    struct trm_semaphore *semaphore = make_semaphore(the.device);
    if (!semaphore)
        return;
    struct trm_stream *foreign = make_stream(second_device()), *recording = NULL;
    struct trm_graph *graph = NULL;
    ck_status(trm_stream_wait_semaphore(foreign, semaphore, 1), TRM_ERROR_WRONG_DEVICE);
    ck_status(trm_stream_signal_semaphore(foreign, semaphore, 1), TRM_ERROR_WRONG_DEVICE);
    ck_ok(trm_graph_create(the.device, &graph));
    ck_ok(trm_graph_record(graph, &recording));
    ck_status(trm_stream_wait_semaphore(recording, semaphore, 1), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_stream_signal_semaphore(recording, semaphore, 1), TRM_ERROR_UNSUPPORTED);
    trm_graph_destroy(graph);
    ck_assert_uint_eq(shown(semaphore), 0);
    trm_semaphore_destroy(semaphore);
}
END_TEST

/* ---- semaphores of two devices ---- */

/* What `there` makes of a semaphore of `here`; NULL where that cannot be. */
static struct trm_semaphore *share(struct trm_semaphore *here, struct trm_device *there)
{
    struct trm_semaphore *semaphore = NULL;
    int32_t fd                      = -1;
    int32_t status                  = trm_semaphore_export(here, TRM_HANDLE_OPAQUE_FD, &fd);
    if (unsupported(status))
        return NULL;
    ck_ok(status);
    ck_assert_int_ge(fd, 0);
    ck_ok(trm_semaphore_import(there, TRM_HANDLE_OPAQUE_FD, fd, &semaphore));
    return semaphore;
}

START_TEST(a_semaphore_that_is_shared_shows_both_the_same)
{
    struct trm_semaphore *here = make_semaphore(the.device);
    struct trm_device *other   = second_device();
    struct trm_semaphore *there;
    if (!here || (there = share(here, other)) == NULL) {
        trm_semaphore_destroy(here);
        return;
    }
    struct trm_stream *stream = make_stream(other);
    for (uint64_t i = 1; i < 20; i += 2) {
        ck_ok(trm_stream_wait_semaphore(stream, there, i));
        ck_ok(trm_stream_signal_semaphore(stream, there, i + 1));
        ck_ok(trm_stream_flush(stream));
        ck_ok(trm_stream_signal_semaphore(the.stream, here, i));
        ck_ok(trm_stream_wait_semaphore(the.stream, here, i + 1));
        ck_ok(trm_stream_sync(the.stream));
        ck_assert_uint_eq(shown(here), i + 1);
        ck_assert_uint_eq(shown(there), i + 1);
    }
    trm_semaphore_destroy(here);
    ck_ok(trm_stream_signal_semaphore(stream, there, 100));
    ck_ok(trm_stream_sync(stream));
    ck_assert_uint_eq(shown(there), 100);
    trm_semaphore_destroy(there);
}
END_TEST

/* ---- memory ---- */

/* NULL where there is none. */
static struct trm_buffer *make_exportable(uint64_t size)
{
    struct trm_buffer *buffer = NULL;
    int32_t status            = trm_buffer_create_exportable(the.device, size, &buffer);
    if (unsupported(status))
        return NULL;
    ck_ok(status);
    return buffer;
}

static struct trm_buffer *import_into(struct trm_device *device, struct trm_buffer *buffer)
{
    struct trm_buffer *imported = NULL;
    int32_t fd                  = -1;
    uint64_t size               = 0;
    ck_ok(trm_buffer_export(buffer, TRM_HANDLE_OPAQUE_FD, &fd, &size));
    ck_assert_int_ge(fd, 0);
    ck_assert_uint_ge(size, SIZE);
    ck_ok(trm_buffer_import(device, TRM_HANDLE_OPAQUE_FD, fd, size, &imported));
    return imported;
}

START_TEST(memory_that_was_exported_is_the_same_where_it_is_imported)
{
    struct trm_buffer *here = make_exportable(SIZE);
    if (!here)
        return;
    struct trm_device *other  = second_device();
    struct trm_stream *stream = make_stream(other);
    struct trm_buffer *there = import_into(other, here), *again = import_into(other, here);
    put_pattern(the.stream, here, SIZE, 1);
    uint8_t *found = malloc(SIZE);
    get(stream, there, 0, found, SIZE);
    ck_pattern(found, SIZE, 1);
    put_pattern(stream, again, SIZE, 2);
    get(stream, there, 0, found, SIZE);
    ck_pattern(found, SIZE, 2);
    ck_buffer_pattern(the.stream, here, SIZE, 2);

    /* The memory lives until its last handle is destroyed. */
    trm_buffer_destroy(here);
    trm_buffer_destroy(again);
    get(stream, there, 0, found, SIZE);
    ck_pattern(found, SIZE, 2);
    trm_buffer_destroy(there);
    free(found);
}
END_TEST

START_TEST(exportable_memory_is_like_any_other_to_its_own_device)
{
    struct trm_buffer *shared = make_exportable(SIZE);
    if (!shared)
        return;
    struct trm_buffer *plain = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    void *mapped             = NULL;
    int32_t kind             = -1;
    uint64_t size            = 0;
    ck_ok(trm_buffer_kind(shared, &kind));
    ck_ok(trm_buffer_size(shared, &size));
    ck_assert_int_eq(kind, TRM_MEMORY_DEVICE);
    ck_assert_uint_eq(size, SIZE);
    put_pattern(the.stream, plain, SIZE, 3);
    ck_ok(trm_copy(the.stream, trm_span_whole(shared), trm_span_whole(plain)));
    ck_buffer_pattern(the.stream, shared, SIZE, 3);
    ck_ok(trm_buffer_map(shared, TRM_MAP_READ, &mapped));
    ck_pattern(mapped, SIZE, 3);
    ck_ok(trm_buffer_unmap(shared));
    ck_ok(trm_fill(the.stream, trm_span_of(shared, 8, 16), 9, 1));
    ck_ok(trm_stream_free(the.stream, shared));
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(plain);
}
END_TEST

START_TEST(only_memory_that_was_made_for_it_is_exported)
{
    struct trm_buffer *plain = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    int32_t fd               = -1;
    uint64_t size            = 77;
    ck_status(trm_buffer_export(plain, TRM_HANDLE_OPAQUE_FD, &fd, &size), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(fd, -1);
    ck_assert_uint_eq(size, 77);
    trm_buffer_destroy(plain);
}
END_TEST

START_TEST(shared_memory_of_an_impossible_size_is_refused)
{
    struct trm_buffer *buffer = NULL;
    uint64_t largest          = device_number(the.device, TRM_DEVICE_MAX_BUFFER_BYTES);
    ck_refused(trm_buffer_create_exportable(the.device, 0, &buffer));
    ck_refused(trm_buffer_create_exportable(the.device, UINT64_MAX, &buffer));
    if (largest < UINT64_MAX)
        ck_refused(trm_buffer_create_exportable(the.device, largest + 1, &buffer));
    ck_refused(trm_buffer_create_exportable(the.device, SIZE, NULL));
    ck_assert_ptr_null(buffer);
}
END_TEST

/* A descriptor that was not taken is still the caller's. */
START_TEST(what_cannot_be_imported_stays_the_callers)
{
    struct trm_buffer *buffer       = NULL;
    struct trm_semaphore *semaphore = NULL;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_refused(trm_buffer_import(the.device, 0, ends[0], SIZE, &buffer));
    ck_refused(trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, -1, SIZE, &buffer));
    ck_refused(trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, ends[0], 0, &buffer));
    ck_refused(trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, ends[0], SIZE, NULL));
    ck_refused(trm_semaphore_import(the.device, 0, ends[0], &semaphore));
    ck_refused(trm_semaphore_import(the.device, TRM_HANDLE_OPAQUE_FD, -1, &semaphore));
    ck_refused(trm_semaphore_import(the.device, TRM_HANDLE_OPAQUE_FD, ends[0], NULL));
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    ck_assert_int_eq(close(ends[0]), 0);
    ck_assert_int_eq(close(ends[1]), 0);
    ck_assert_ptr_null(buffer);
    ck_assert_ptr_null(semaphore);
}
END_TEST

/* ---- native handles ---- */

START_TEST(native_handles_are_asked_for_by_types_of_their_object)
{
    static const int32_t of_device[] = {TRM_NATIVE_VULKAN_DEVICE, TRM_NATIVE_CUDA_CONTEXT};
    static const int32_t of_stream[] = {TRM_NATIVE_VULKAN_QUEUE, TRM_NATIVE_CUDA_STREAM};
    static const int32_t of_buffer[] = {TRM_NATIVE_VULKAN_BUFFER, TRM_NATIVE_CUDA_POINTER};
    struct trm_buffer *buffer        = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    uint64_t handle = 99, offset = 99;
    for (size_t i = 0; i < 2; i++) {
        ck_status(trm_device_native(the.device, of_stream[i], &handle), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_device_native(the.device, of_buffer[i], &handle), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_stream_native(the.stream, of_device[i], &handle), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_stream_native(the.stream, of_buffer[i], &handle), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_buffer_native(buffer, of_device[i], &handle, &offset), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_buffer_native(buffer, of_stream[i], &handle, &offset), TRM_ERROR_INVALID_ARGUMENT);
        ck_refused(trm_device_native(the.device, of_device[i], NULL));
        ck_refused(trm_stream_native(the.stream, of_stream[i], NULL));
        ck_refused(trm_buffer_native(buffer, of_buffer[i], &handle, NULL));
    }
    ck_status(trm_device_native(the.device, 0, &handle), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_device_native(the.device, -1, &handle), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(handle, 99);
    ck_assert_uint_eq(offset, 99);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_device_has_handles_of_one_native_interface_at_most)
{
    uint64_t vulkan = 0, cuda = 0;
    int32_t first  = trm_device_native(the.device, TRM_NATIVE_VULKAN_DEVICE, &vulkan);
    int32_t second = trm_device_native(the.device, TRM_NATIVE_CUDA_CONTEXT, &cuda);
    ck_assert(first == TRM_OK || first == TRM_ERROR_UNSUPPORTED);
    ck_assert(second == TRM_OK || second == TRM_ERROR_UNSUPPORTED);
    ck_assert(first != TRM_OK || second != TRM_OK);
    ck_assert_int_eq(first == TRM_OK, vulkan != 0);
    ck_assert_int_eq(second == TRM_OK, cuda != 0);
}
END_TEST

/* ---- what is the program's own ---- */

START_TEST(what_is_taken_in_is_named_by_types_of_its_object)
{
    static const int32_t of_device[] = {TRM_NATIVE_VULKAN_DEVICE, TRM_NATIVE_CUDA_CONTEXT};
    static const int32_t of_stream[] = {TRM_NATIVE_VULKAN_QUEUE, TRM_NATIVE_CUDA_STREAM};
    static const int32_t of_buffer[] = {TRM_NATIVE_VULKAN_BUFFER, TRM_NATIVE_CUDA_POINTER};
    struct trm_stream *stream        = NULL;
    struct trm_buffer *buffer        = NULL;
    for (size_t i = 0; i < 2; i++) {
        ck_status(trm_stream_adopt(the.device, of_device[i], 64, &stream), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_stream_adopt(the.device, of_buffer[i], 64, &stream), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_buffer_adopt(the.device, of_stream[i], 64, 0, 64, &buffer), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_stream_wait_native(the.stream, of_stream[i], 64), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_stream_record_native(the.stream, of_buffer[i], 64), TRM_ERROR_INVALID_ARGUMENT);
        ck_refused(trm_stream_adopt(the.device, of_stream[i], 64, NULL));
        ck_refused(trm_buffer_adopt(the.device, of_buffer[i], 64, 0, 64, NULL));
        ck_refused(trm_buffer_adopt(the.device, of_buffer[i], 64, 0, 0, &buffer));
        ck_refused(trm_buffer_adopt(the.device, of_buffer[i], 64, UINT64_MAX, 2, &buffer));
    }
    ck_refused(trm_stream_wait_native(the.stream, TRM_NATIVE_CUDA_EVENT, 0));
    ck_refused(trm_stream_record_native(the.stream, TRM_NATIVE_CUDA_EVENT, 0));
    ck_assert_ptr_null(stream);
    ck_assert_ptr_null(buffer);
    ck_ok(trm_stream_sync(the.stream)); /* a call that was refused is no failure of the stream */
}
END_TEST

START_TEST(a_stream_that_was_handed_over_goes_on)
{
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_stream *recording = NULL;
    struct trm_graph *graph      = NULL;
    uint8_t *found               = malloc(SIZE);
    ck_ok(trm_graph_create(the.device, &graph));
    ck_ok(trm_graph_record(graph, &recording));
    ck_status(trm_stream_hand_over(recording), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_stream_wait_native(recording, TRM_NATIVE_CUDA_EVENT, 1), TRM_ERROR_UNSUPPORTED);
    ck_status(trm_stream_record_native(recording, TRM_NATIVE_CUDA_EVENT, 1), TRM_ERROR_UNSUPPORTED);
    trm_graph_destroy(graph);
    for (uint8_t i = 0; i < 20; i++) {
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 1));
        int32_t status = trm_stream_hand_over(the.stream);
        if (i == 0 && unsupported(status))
            break;
        ck_ok(status);
        ck_ok(trm_download(the.stream, found, trm_span_whole(buffer)));
        ck_ok(trm_stream_hand_over(the.stream));
        ck_ok(trm_stream_sync(the.stream));
        ck_assert_uint_eq(found[0], i);
        ck_assert_uint_eq(found[SIZE - 1], i);
    }
    trm_buffer_destroy(buffer);
    free(found);
}
END_TEST

START_TEST(adopting_needs_a_backend_and_a_description)
{
    struct trm_vulkan_device given = {.struct_size = sizeof(given)};
    struct trm_device *device      = NULL;
    ck_status(trm_device_adopt(the.context, "there-is-none", TRM_NATIVE_DEVICE_VULKAN, &given, &device),
              TRM_ERROR_NOT_FOUND);
    ck_status(trm_device_adopt(the.context, NULL, TRM_NATIVE_DEVICE_VULKAN, &given, &device),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_device_adopt(the.context, "vulkan", TRM_NATIVE_DEVICE_VULKAN, NULL, &device),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_device_adopt(the.context, "vulkan", 0, &given, &device), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_device_adopt(the.context, "vulkan", TRM_NATIVE_DEVICE_VULKAN, &given, NULL),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(device);
}
END_TEST

void add_interop(Suite *suite)
{
    TCase *group = group_make(suite, "interop");
    CASE(group, a_semaphore_begins_at_zero_and_shows_what_a_stream_raises_it_to);
    CASE(group, a_semaphore_is_raised_when_the_stream_gets_there_and_not_before);
    CASE(group, a_semaphore_does_not_go_back);
    CASE(group, a_stream_that_waits_for_a_semaphore_sees_what_was_written_before_it_was_raised);
    CASE(group, waiting_for_a_value_already_reached_does_not_block);
    CASE(group, streams_that_wait_in_vain_do_not_stop_others);
    CASE(group, a_semaphore_may_be_destroyed_while_work_still_needs_it);
    CASE(group, a_stream_takes_no_semaphore_of_another_device_and_records_none);
    CASE(group, a_semaphore_that_is_shared_shows_both_the_same);
    CASE(group, memory_that_was_exported_is_the_same_where_it_is_imported);
    CASE(group, exportable_memory_is_like_any_other_to_its_own_device);
    CASE(group, only_memory_that_was_made_for_it_is_exported);
    CASE(group, shared_memory_of_an_impossible_size_is_refused);
    CASE(group, what_cannot_be_imported_stays_the_callers);
    CASE(group, native_handles_are_asked_for_by_types_of_their_object);
    CASE(group, a_device_has_handles_of_one_native_interface_at_most);
    CASE(group, what_is_taken_in_is_named_by_types_of_its_object);
    CASE(group, a_stream_that_was_handed_over_goes_on);
    CASE(group, adopting_needs_a_backend_and_a_description);
}
