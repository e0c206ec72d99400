/* Memory of other processes, by handles that are plain data. The other process is a child that was forked
 * before CUDA was initialized: it creates memory, and reports its contents when asked.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <trireme/interop.h>
#include <unistd.h>

#include "tests/cuda/native.h"

enum {
    WORDS      = NATIVE_WORDS,
    BYTES      = NATIVE_BYTES,
    BEFORE     = 4096 + 256, /* bytes of an allocation that are not in the buffer */
    WHOLE      = BYTES + 2 * BEFORE,
    MOST_CALLS = 400,
};

static bool is_each(uint32_t wanted)
{
    uint32_t i = 0;
    while (i < WORDS && native_numbers[i] == wanted)
        i++;
    return i == WORDS;
}

static void read_back(struct trm_stream *stream, struct trm_buffer *buffer)
{
    ck_ok(trm_download(stream, native_numbers, trm_span_of(buffer, 0, BYTES)));
    ck_ok(trm_stream_sync(stream));
}

static void check_buffer(struct trm_stream *stream, struct trm_buffer *buffer, uint32_t wanted)
{
    read_back(stream, buffer);
    ck_assert_msg(is_each(wanted), "not all numbers are %u, the first is %u", wanted, native_numbers[0]);
}

static void fill(struct trm_stream *stream, struct trm_buffer *buffer, uint32_t number)
{
    ck_ok(trm_fill(stream, trm_span_of(buffer, 0, BYTES), number, 4));
    ck_ok(trm_stream_sync(stream));
}

/* ---- the other process ---- */

enum giver {
    MADE,    /* memory that the library creates */
    ADOPTED, /* the program's own, part of which the library adopts */
    NATIVE,  /* the program's own, unknown to the library */
    GIVERS
};

enum request {
    READ = 1, /* the number that fills all of it; 0: it is not one number */
    FREE      /* at once, even if others have it open */
};

static struct {
    pid_t process;
    int socket;
} other;

struct gift {
    struct trm_buffer *buffer; /* NULL: only the program's */
    CUdeviceptr memory;        /* 0: the library's */
    struct trm_ipc_handle handle;
};

static void make_gift(enum giver giver, struct gift *gift)
{
    CUipcMemHandle native_handle;
    *gift = (struct gift){.handle = {.size = 0}};
    if (giver == MADE) {
        int32_t status = trm_buffer_create_ipc(the.device, BYTES, &gift->buffer);
        if (status == TRM_ERROR_UNSUPPORTED && !standin)
            return;
        ck_ok(status);
        fill(the.stream, gift->buffer, 71);
    } else {
        ck_cuda(native.cuMemAlloc_v2(&gift->memory, WHOLE));
        ck_cuda(native.cuMemsetD32Async(gift->memory, 71, WHOLE / 4, NULL));
        ck_cuda(native.cuCtxSynchronize());
    }
    if (giver == ADOPTED)
        ck_ok(trm_buffer_adopt(the.device, TRM_NATIVE_CUDA_POINTER, gift->memory, BEFORE, BYTES,
                               &gift->buffer));
    if (gift->buffer) {
        ck_ok(trm_buffer_get_ipc_handle(gift->buffer, &gift->handle));
    } else {
        ck_cuda(native.cuIpcGetMemHandle(&native_handle, gift->memory));
        memcpy(gift->handle.bytes, &native_handle, sizeof(native_handle));
        gift->handle.offset = BEFORE;
        gift->handle.size   = BYTES;
    }
    ck_assert_uint_eq(gift->handle.offset, giver == MADE ? 0 : BEFORE);
    ck_assert_uint_eq(gift->handle.size, BYTES);
}

static uint32_t look_at_gift(const struct gift *gift)
{
    uint32_t around[2] = {71, 71};
    if (gift->memory) {
        ck_cuda(native.cuMemcpyDtoH_v2(native_numbers, gift->memory + BEFORE, BYTES));
        ck_cuda(native.cuMemcpyDtoH_v2(&around[0], gift->memory + BEFORE - 4, 4));
        ck_cuda(native.cuMemcpyDtoH_v2(&around[1], gift->memory + BEFORE + BYTES, 4));
    } else {
        read_back(the.stream, gift->buffer);
    }
    return is_each(native_numbers[0]) && around[0] == 71 && around[1] == 71 ? native_numbers[0] : 0;
}

static void free_gift(struct gift *gift)
{
    trm_buffer_destroy(gift->buffer);
    if (gift->memory)
        ck_cuda(native.cuMemFree_v2(gift->memory));
    gift->buffer = NULL;
    gift->memory = 0;
}

static void be_the_giver(int socket, enum giver giver)
{
    struct gift gift;
    uint32_t request;
    native_world_open();
    make_gift(giver, &gift);
    ck_assert_int_eq((int)write(socket, &gift.handle, sizeof(gift.handle)), (int)sizeof(gift.handle));
    while (read(socket, &request, sizeof(request)) == (ssize_t)sizeof(request)) {
        if (request == FREE)
            free_gift(&gift);
        else
            request = look_at_gift(&gift);
        ck_assert_int_eq((int)write(socket, &request, sizeof(request)), (int)sizeof(request));
    }
    free_gift(&gift);
    native_world_close();
}

/* False where the driver has no handles. */
static bool other_begin(enum giver giver, struct trm_ipc_handle *handle)
{
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    fflush(NULL);
    other.process = fork(); /* before CUDA is initialized */
    if (other.process == 0) {
        alarm(200);
        close(ends[0]);
        be_the_giver(ends[1], giver);
        _exit(0);
    }
    ck_assert_int_gt(other.process, 0);
    close(ends[1]);
    other.socket = ends[0];
    ck_assert_msg(read(other.socket, handle, sizeof(*handle)) == (ssize_t)sizeof(*handle),
                  "the other process has ended");
    if (handle->size == 0)
        skip("the device has no memory with handles for other processes");
    return handle->size != 0;
}

static uint32_t other_ask(enum request request)
{
    uint32_t answer = request;
    ck_assert_int_eq((int)write(other.socket, &answer, sizeof(answer)), (int)sizeof(answer));
    ck_assert_msg(read(other.socket, &answer, sizeof(answer)) == (ssize_t)sizeof(answer),
                  "the other process has ended");
    return answer;
}

static void other_end(void)
{
    int ended = -1;
    close(other.socket);
    ck_assert_int_eq(waitpid(other.process, &ended, 0), other.process);
    ck_assert_int_eq(ended, 0);
}

static struct trm_buffer *open_handle(struct trm_device *device, const struct trm_ipc_handle *handle)
{
    struct trm_buffer *buffer = NULL;
    ck_ok(trm_buffer_open_ipc_handle(device, handle, &buffer));
    return buffer;
}

/* ---- two processes ---- */

START_TEST(memory_of_another_process_is_read_and_written)
{
    struct trm_ipc_handle handle;
    if (other_begin((enum giver)_i, &handle)) {
        world_open();
        struct trm_kernel *kernel = affine_on(the.device);
        struct trm_buffer *first  = open_handle(the.device, &handle);
        struct trm_buffer *second = open_handle(the.device, &handle);
        ck_assert_uint_eq(native_address(first), native_address(second));
        check_buffer(the.stream, first, 71);
        ck_ok(affine_launch(the.stream, kernel, second, WORDS, 2, 1));
        ck_ok(trm_stream_sync(the.stream));
        ck_assert_uint_eq(other_ask(READ), 143);
        trm_buffer_destroy(first); /* the other process still has it open */
        fill(the.stream, second, 72);
        ck_assert_uint_eq(other_ask(READ), 72);
        trm_buffer_destroy(second);
        first = open_handle(the.device, &handle); /* anew */
        check_buffer(the.stream, first, 72);
        trm_buffer_destroy(first);
        trm_kernel_destroy(kernel);
        world_close();
    }
    other_end();
}
END_TEST

START_TEST(a_program_opens_a_handle_of_the_librarys_by_itself)
{
    struct trm_ipc_handle handle;
    CUipcMemHandle theirs;
    CUdeviceptr memory = 0;
    if (other_begin(MADE, &handle)) {
        native_world_open();
        memcpy(&theirs, handle.bytes, sizeof(theirs));
        ck_cuda(native.cuIpcOpenMemHandle_v2(&memory, theirs, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
        ck_cuda(native.cuMemcpyDtoH_v2(native_numbers, memory + handle.offset, BYTES));
        ck_assert(is_each(71));
        ck_cuda(native.cuMemsetD32Async(memory + handle.offset, 72, WORDS, NULL));
        ck_cuda(native.cuCtxSynchronize());
        ck_cuda(native.cuIpcCloseMemHandle(memory));
        ck_assert_uint_eq(other_ask(READ), 72);
        native_world_close();
    }
    other_end();
}
END_TEST

START_TEST(a_handle_that_cannot_be_opened_opens_nothing_and_the_device_goes_on)
{
    struct trm_ipc_handle good, bad;
    struct trm_buffer *buffer = NULL;
    if (other_begin(NATIVE, &good)) {
        world_open();
        bad        = good;
        bad.offset = WHOLE - BYTES + 16;
        ck_fails(trm_buffer_open_ipc_handle(the.device, &bad, &buffer), TRM_ERROR_OUT_OF_RANGE);
        bad.offset = UINT64_C(1) << 40;
        ck_fails(trm_buffer_open_ipc_handle(the.device, &bad, &buffer), TRM_ERROR_OUT_OF_RANGE);
        ck_sentence_has("1099511627776");
        bad.offset = 8;
        ck_fails(trm_buffer_open_ipc_handle(the.device, &bad, &buffer), TRM_ERROR_INVALID_ARGUMENT);
        ck_sentence_has("multiple of 16");
        bad      = good;
        bad.size = WHOLE;
        ck_fails(trm_buffer_open_ipc_handle(the.device, &bad, &buffer), TRM_ERROR_OUT_OF_RANGE);
        bad.size = 0;
        ck_fails(trm_buffer_open_ipc_handle(the.device, &bad, &buffer), TRM_ERROR_INVALID_ARGUMENT);
        for (int byte = 0; byte < 256; byte += 85) {
            bad = good;
            memset(bad.bytes, byte, sizeof(bad.bytes));
            ck_fails(trm_buffer_open_ipc_handle(the.device, &bad, &buffer), TRM_ERROR_INVALID_ARGUMENT);
            ck_sentence_has("cannot be opened");
        }
        ck_assert_ptr_null(buffer);
        buffer = open_handle(the.device, &good);
        check_buffer(the.stream, buffer, 71);
        trm_buffer_destroy(buffer);
        world_close();
    }
    other_end();
}
END_TEST

/* The result is not defined by the driver. */
START_TEST(memory_that_is_gone_is_not_opened)
{
    struct trm_ipc_handle handle;
    struct trm_buffer *buffer = NULL;
    if (standin_missing())
        return;
    ck_assert(other_begin(MADE, &handle));
    world_open();
    ck_assert_uint_eq(other_ask(FREE), FREE);
    ck_fails(trm_buffer_open_ipc_handle(the.device, &handle, &buffer), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("gone");
    other_end();
    ck_fails(trm_buffer_open_ipc_handle(the.device, &handle, &buffer), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(buffer);
    world_close();
}
END_TEST

START_TEST(memory_of_another_device_is_opened_where_it_is_reached)
{
    static const char *const shapes[] = {"devices=2", "devices=2 peers=no"};
    struct trm_ipc_handle handle;
    struct trm_buffer *buffer = NULL;
    if (standin_missing())
        return;
    ck_assert(other_begin(MADE, &handle));
    standin_shape(shapes[_i]);
    struct trm_context *context = context_open();
    struct trm_device *device   = device_open(context, "cuda:1");
    struct trm_stream *stream   = stream_open(device, TRM_STREAM_ANY);
    if (_i == 0) {
        buffer = open_handle(device, &handle);
        check_buffer(stream, buffer, 71);
        fill(stream, buffer, 72);
        ck_assert_uint_eq(other_ask(READ), 72);
        trm_buffer_destroy(buffer);
    } else {
        ck_fails(trm_buffer_open_ipc_handle(device, &handle, &buffer), TRM_ERROR_UNSUPPORTED);
        ck_assert_ptr_null(buffer);
    }
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    check_nothing_left("the test");
    other_end();
}
END_TEST

/* ---- one process ---- */

/* NULL: there is none. */
static struct trm_buffer *make_memory(void)
{
    struct trm_buffer *buffer = NULL;
    int32_t status            = trm_buffer_create_ipc(the.device, BYTES, &buffer);
    if (status == TRM_ERROR_UNSUPPORTED && !standin)
        skip(trm_last_error().sentence);
    else
        ck_ok(status);
    return buffer;
}

START_TEST(a_handle_may_be_asked_for_at_any_time_and_changes_nothing)
{
    struct trm_ipc_handle first, second;
    struct trm_buffer *buffer = make_memory();
    if (!buffer)
        return;
    struct trm_kernel *kernel = affine_on(the.device);
    fill(the.stream, buffer, 5);
    ck_ok(trm_buffer_get_ipc_handle(buffer, &first));
    check_buffer(the.stream, buffer, 5);
    ck_ok(affine_launch(the.stream, kernel, buffer, WORDS, 2, 1));
    ck_ok(trm_buffer_get_ipc_handle(buffer, &second));
    ck_assert_int_eq(memcmp(&first, &second, sizeof(first)), 0);
    check_buffer(the.stream, buffer, 11);
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_process_does_not_open_its_own_handles)
{
    struct trm_ipc_handle handle;
    struct trm_buffer *buffer = make_memory(), *opened = NULL;
    if (!buffer)
        return;
    ck_ok(trm_buffer_get_ipc_handle(buffer, &handle));
    ck_fails(trm_buffer_open_ipc_handle(the.device, &handle, &opened), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("this process itself");
    ck_assert_ptr_null(opened);
    fill(the.stream, buffer, 6); /* no failure of the device */
    trm_buffer_destroy(buffer);
}
END_TEST

/* The handle is not changed. */
static void has_no_handle(struct trm_buffer *buffer)
{
    struct trm_ipc_handle handle = {.size = 7};
    ck_fails(trm_buffer_get_ipc_handle(buffer, &handle), TRM_ERROR_UNSUPPORTED);
    ck_assert_uint_eq(handle.size, 7);
    trm_buffer_destroy(buffer);
}

static void check_adopted(CUdeviceptr memory)
{
    has_no_handle(native_adopt_memory(memory));
    ck_cuda(native.cuMemFree_v2(memory));
}

START_TEST(other_memory_has_no_handle)
{
    static uint8_t host[BYTES] __attribute__((aligned(4096)));
    const struct trm_buffer_desc imported = {
        .struct_size = sizeof(imported), .kind = TRM_MEMORY_IMPORTED, .size = BYTES, .host_pointer = host};
    struct trm_buffer *buffer = NULL;
    CUdeviceptr managed       = 0;
    has_no_handle(buffer_open(the.device, TRM_MEMORY_DEVICE, BYTES));
    has_no_handle(buffer_open(the.device, TRM_MEMORY_PINNED, BYTES));
    if (trm_buffer_create_exportable(the.device, BYTES, &buffer) == TRM_OK)
        has_no_handle(buffer);
    if (trm_buffer_create_from(the.device, &imported, &buffer) == TRM_OK)
        has_no_handle(buffer);
    ck_ok(trm_stream_alloc(the.stream, BYTES, &buffer));
    has_no_handle(buffer);
    if (native.cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS)
        check_adopted(managed);
}
END_TEST

START_TEST(a_driver_without_a_function_of_handles_says_so)
{
    static const char *const shapes[]  = {"missing=cuIpcGetMemHandle", "missing=cuIpcOpenMemHandle",
                                          "missing=cuIpcCloseMemHandle", "missing=cuMemGetAddressRange"};
    const struct trm_ipc_handle handle = {.size = BYTES};
    struct trm_buffer *buffer          = NULL;
    if (standin_missing())
        return;
    standin_shape(shapes[_i]);
    native_open();
    world_open();
    native_enter(the.device);
    ck_fails(trm_buffer_create_ipc(the.device, BYTES, &buffer), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("IPC handles");
    ck_fails(trm_buffer_open_ipc_handle(the.device, &handle, &buffer), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(buffer);
    check_adopted(native_memory());
    native_world_close();
}
END_TEST

/* ---- failures ---- */

static int32_t use_handle(const struct trm_ipc_handle *handle)
{
    struct trm_buffer *made = NULL, *opened[2] = {NULL, NULL};
    struct trm_stream *stream = NULL;
    struct trm_ipc_handle mine;
    int32_t status = trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
    if (status == TRM_OK)
        status = trm_buffer_create_ipc(the.device, BYTES, &made);
    if (status == TRM_OK)
        status = trm_buffer_get_ipc_handle(made, &mine);
    for (int i = 0; i < 2 && status == TRM_OK; i++)
        status = trm_buffer_open_ipc_handle(the.device, handle, &opened[i]);
    if (status == TRM_OK)
        status = trm_copy(stream, trm_span_of(made, 0, BYTES), trm_span_of(opened[1], 0, BYTES));
    if (status == TRM_OK)
        status = trm_stream_sync(stream);
    trm_buffer_destroy(opened[0]);
    trm_buffer_destroy(opened[1]);
    trm_buffer_destroy(made);
    trm_stream_destroy(stream);
    return status;
}

static uint64_t count_shared(void)
{
    struct cuda_standin_account account;
    uint64_t descriptors = 0;
    standin->account(&account);
    for (int fd = 0; fd < 1024; fd++)
        descriptors += fcntl(fd, F_GETFD) >= 0;
    return account.mappings + account.allocations + descriptors;
}

START_TEST(any_call_may_fail_and_nothing_leaks)
{
    static const char *const errors[] = {"CUDA_ERROR_OUT_OF_MEMORY", "CUDA_ERROR_INVALID_VALUE",
                                         "CUDA_ERROR_NOT_SUPPORTED"};
    struct trm_ipc_handle handle;
    char rule[64];
    if (standin_missing())
        return;
    ck_assert(other_begin(MADE, &handle));
    world_open();
    ck_ok(use_handle(&handle));
    uint64_t before = count_shared();
    for (unsigned n = 1;; n++) {
        ck_assert_uint_lt(n, MOST_CALLS);
        snprintf(rule, sizeof(rule), "any:%u:once:%s", n, errors[_i]);
        ck_assert_int_eq(standin->arm(rule), 0);
        int32_t status  = use_handle(&handle);
        bool has_failed = standin->failures() > 0;
        standin->arm(NULL);
        ck_assert_msg(status == TRM_OK || (trm_last_error().status == status && trm_last_error().sentence[0]),
                      "%s was not explained", rule);
        ck_ok(trm_stream_sync(the.stream));
        ck_assert_msg(count_shared() == before, "%s: %u is left", rule, (unsigned)(count_shared() - before));
        if (!has_failed)
            break;
    }
    ck_assert_uint_eq(other_ask(READ), 71);
    world_close();
    other_end();
}
END_TEST

START_TEST(an_unknown_error_about_a_handle_does_not_lose_the_device)
{
    struct trm_ipc_handle handle;
    struct trm_buffer *made, *opened = NULL;
    if (standin_missing())
        return;
    ck_assert(other_begin(MADE, &handle));
    world_open();
    made = make_memory();
    standin->arm("cuIpcOpenMemHandle:1:once:CUDA_ERROR_UNKNOWN");
    standin->arm("cuIpcGetMemHandle:1:once:CUDA_ERROR_UNKNOWN");
    ck_fails(trm_buffer_open_ipc_handle(the.device, &handle, &opened), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("CUDA_ERROR_UNKNOWN");
    ck_fails(trm_buffer_get_ipc_handle(made, &handle), TRM_ERROR_UNSUPPORTED);
    ck_ok(trm_stream_sync(the.stream));
    standin->arm(NULL);
    standin->arm("cuIpcOpenMemHandle:1:once:CUDA_ERROR_ECC_UNCORRECTABLE");
    ck_fails(trm_buffer_open_ipc_handle(the.device, &handle, &opened), TRM_ERROR_DEVICE_LOST);
    ck_assert_ptr_null(opened);
    trm_buffer_destroy(made);
    world_close();
    other_end();
}
END_TEST

START_TEST(on_a_lost_device_nothing_is_opened_and_what_was_is_closed)
{
    struct trm_ipc_handle handle;
    struct trm_buffer *made, *opened, *more = NULL;
    if (standin_missing())
        return;
    ck_assert(other_begin(MADE, &handle));
    world_open();
    made   = make_memory();
    opened = open_handle(the.device, &handle);
    standin->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_ok(trm_fill(the.stream, trm_span_whole(opened), 9, 4));
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    ck_fails(trm_buffer_create_ipc(the.device, BYTES, &more), TRM_ERROR_DEVICE_LOST);
    ck_fails(trm_buffer_get_ipc_handle(made, &handle), TRM_ERROR_DEVICE_LOST);
    ck_fails(trm_buffer_open_ipc_handle(the.device, &handle, &more), TRM_ERROR_DEVICE_LOST);
    ck_assert_ptr_null(more);
    trm_buffer_destroy(made);
    trm_buffer_destroy(opened);
    world_close();
    other_end();
}
END_TEST

int main(void)
{
    Suite *suite   = suite_create("cuda: memory of other processes by handles");
    TCase *by_self = tcase_create("processes"), *tests = tcase_create("handles");
    tcase_add_loop_test(by_self, memory_of_another_process_is_read_and_written, 0, GIVERS);
    tcase_add_test(by_self, a_program_opens_a_handle_of_the_librarys_by_itself);
    tcase_add_test(by_self, a_handle_that_cannot_be_opened_opens_nothing_and_the_device_goes_on);
    tcase_add_test(by_self, memory_that_is_gone_is_not_opened);
    tcase_add_loop_test(by_self, memory_of_another_device_is_opened_where_it_is_reached, 0, 2);
    tcase_add_loop_test(by_self, a_driver_without_a_function_of_handles_says_so, 0, 4);
    tcase_add_loop_test(by_self, any_call_may_fail_and_nothing_leaks, 0, 3);
    tcase_add_test(by_self, an_unknown_error_about_a_handle_does_not_lose_the_device);
    tcase_add_test(by_self, on_a_lost_device_nothing_is_opened_and_what_was_is_closed);
    suite_add_tcase(suite, by_self);
    tcase_add_checked_fixture(tests, native_world_open, native_world_close);
    tcase_add_test(tests, a_handle_may_be_asked_for_at_any_time_and_changes_nothing);
    tcase_add_test(tests, a_process_does_not_open_its_own_handles);
    tcase_add_test(tests, other_memory_has_no_handle);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
