/* Memory and semaphores that are shared with other processes and other interfaces, by file descriptors.
 *
 * On the stand-in, memory that CUDA has not created is a file whose size is not a multiple of CUDA's
 * granularity.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <trireme/interop.h>
#include <unistd.h>

#include "tests/cuda/fixture.h"

enum {
    WORDS        = 50000,
    BYTES        = 4 * WORDS,
    FOREIGN_SIZE = 52 * 4096,
    MOST_CALLS   = 400,
};

static uint32_t numbers[WORDS];

static void check_numbers(uint32_t wanted)
{
    uint32_t i = 0;
    while (i < WORDS && numbers[i] == wanted)
        i++;
    ck_assert_msg(i == WORDS, "number %u is %u instead of %u", i, numbers[i], wanted);
}

/* NULL where the device has none. */
static struct trm_buffer *make_exportable(struct trm_device *device)
{
    struct trm_buffer *buffer = NULL;
    int32_t status            = trm_buffer_create_exportable(device, BYTES, &buffer);
    if (status == TRM_ERROR_UNSUPPORTED && !standin)
        skip(trm_last_error().sentence);
    else
        ck_ok(status);
    return buffer;
}

static void read_back(struct trm_stream *stream, struct trm_buffer *buffer)
{
    ck_ok(trm_download(stream, numbers, trm_span_of(buffer, 0, BYTES)));
    ck_ok(trm_stream_sync(stream));
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* ---- memory within the process ---- */

START_TEST(memory_that_was_exported_is_the_same_for_another_device_of_the_process)
{
    struct trm_buffer *here = make_exportable(the.device), *there = NULL;
    struct trm_context *context = NULL;
    uint64_t size               = 0;
    int32_t fd                  = -1;
    if (!here)
        return;
    context                   = context_open();
    struct trm_device *second = device_open(context, NULL);
    struct trm_stream *stream = stream_open(second, TRM_STREAM_ANY);
    ck_ok(trm_buffer_export(here, TRM_HANDLE_OPAQUE_FD, &fd, &size));
    ck_assert(is_open(fd));
    ck_assert_uint_ge(size, BYTES);
    ck_ok(trm_buffer_import(second, TRM_HANDLE_OPAQUE_FD, fd, size, &there));
    ck_assert(!is_open(fd));
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 41, 4));
    ck_ok(trm_stream_sync(the.stream));
    read_back(stream, there);
    check_numbers(41);
    ck_ok(trm_fill(stream, trm_span_whole(there), 42, 4));
    ck_ok(trm_stream_sync(stream));
    read_back(the.stream, here);
    check_numbers(42);
    trm_buffer_destroy(here); /* it lives as long as it is held anywhere */
    read_back(stream, there);
    check_numbers(42);
    trm_buffer_destroy(there);
    trm_stream_destroy(stream);
    trm_device_destroy(second);
    trm_context_destroy(context);
}
END_TEST

START_TEST(kernels_and_graphs_use_exportable_memory_like_any_other)
{
    struct trm_buffer *buffer = make_exportable(the.device);
    struct trm_stream *recording;
    struct trm_graph *graph     = NULL;
    struct trm_graph_exec *exec = NULL;
    if (!buffer)
        return;
    struct trm_kernel *kernel = affine_on(the.device);
    ck_ok(trm_graph_create(the.device, &graph));
    ck_ok(trm_graph_record(graph, &recording));
    ck_ok(trm_fill(recording, trm_span_whole(buffer), 5, 4));
    ck_ok(affine_launch(recording, kernel, buffer, WORDS, 2, 1));
    ck_ok(trm_graph_instantiate(graph, &exec));
    ck_ok(trm_graph_launch(exec, the.stream));
    ck_ok(affine_launch(the.stream, kernel, buffer, WORDS, 3, 0));
    read_back(the.stream, buffer);
    check_numbers(33);
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(only_memory_that_was_made_here_to_be_exported_is)
{
    struct trm_buffer *plain = buffer_open(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_buffer *made = make_exportable(the.device), *imported = NULL;
    uint64_t size = 0;
    int32_t fd    = -1;
    ck_fails(trm_buffer_export(plain, TRM_HANDLE_OPAQUE_FD, &fd, &size), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(fd, -1);
    trm_buffer_destroy(plain);
    if (!made)
        return;
    ck_ok(trm_buffer_export(made, TRM_HANDLE_OPAQUE_FD, &fd, &size));
    ck_ok(trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, fd, size, &imported));
    fd = -1;
    ck_fails(trm_buffer_export(imported, TRM_HANDLE_OPAQUE_FD, &fd, &size), TRM_ERROR_UNSUPPORTED);
    ck_assert_int_eq(fd, -1);
    trm_buffer_destroy(imported);
    trm_buffer_destroy(made);
}
END_TEST

/* ---- memory of other interfaces -------------------------------------------------------------- */

START_TEST(memory_of_another_interface_is_imported_too)
{
    struct trm_buffer *buffer = NULL;
    if (standin_missing())
        return;
    int fd = memfd_create("others", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(fd, FOREIGN_SIZE), 0);
    uint32_t *theirs = mmap(NULL, FOREIGN_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ck_assert(theirs != MAP_FAILED);
    for (uint32_t i = 0; i < WORDS; i++)
        theirs[i] = 61;
    ck_ok(trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, fd, FOREIGN_SIZE, &buffer));
    ck_assert(!is_open(fd));
    read_back(the.stream, buffer);
    check_numbers(61);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 62, 4));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(theirs[WORDS - 1], 62);
    trm_buffer_destroy(buffer);
    munmap(theirs, FOREIGN_SIZE);
}
END_TEST

START_TEST(a_descriptor_that_is_no_memory_stays_the_callers)
{
    struct trm_buffer *buffer       = NULL;
    struct trm_semaphore *semaphore = NULL;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_fails(trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, ends[0], BYTES, &buffer),
             TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("cannot import this memory");
    ck_fails(trm_semaphore_import(the.device, TRM_HANDLE_OPAQUE_FD, ends[0], &semaphore),
             TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("cannot import this semaphore");
    ck_assert(is_open(ends[0]));
    close(ends[0]);
    ck_fails(trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, ends[0], BYTES, &buffer),
             TRM_ERROR_INVALID_ARGUMENT);
    ck_fails(trm_semaphore_import(the.device, TRM_HANDLE_OPAQUE_FD, ends[0], &semaphore),
             TRM_ERROR_INVALID_ARGUMENT);
    close(ends[1]);
    ck_assert_ptr_null(buffer);
    ck_assert_ptr_null(semaphore);
}
END_TEST

START_TEST(a_driver_without_handles_says_so)
{
    struct trm_buffer *buffer       = NULL;
    struct trm_semaphore *semaphore = NULL;
    if (standin_missing())
        return;
    standin_shape("missing=cuMemCreate,cuImportExternalMemory,cuImportExternalSemaphore");
    world_open();
    ck_fails(trm_buffer_create_exportable(the.device, BYTES, &buffer), TRM_ERROR_UNSUPPORTED);
    ck_fails(trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, 0, BYTES, &buffer), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("file descriptors");
    ck_fails(trm_semaphore_import(the.device, TRM_HANDLE_OPAQUE_FD, 0, &semaphore), TRM_ERROR_UNSUPPORTED);
    ck_assert(is_open(0));
    ck_assert_ptr_null(buffer);
    ck_assert_ptr_null(semaphore);
    world_close();
}
END_TEST

/* ---- two processes ---- */

static void send_descriptor(int socket, int fd, uint64_t size)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control           = {.header = {.cmsg_len = 0}};
    struct iovec data   = {&size, sizeof(size)};
    struct msghdr note  = {.msg_iov        = &data,
                           .msg_iovlen     = 1,
                           .msg_control    = control.room,
                           .msg_controllen = sizeof(control.room)};
    struct cmsghdr *row = CMSG_FIRSTHDR(&note);
    row->cmsg_level     = SOL_SOCKET;
    row->cmsg_type      = SCM_RIGHTS;
    row->cmsg_len       = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(row), &fd, sizeof(fd));
    ck_assert_int_eq((int)sendmsg(socket, &note, 0), (int)sizeof(size));
}

/* -1: none arrived. */
static int receive_descriptor(int socket, uint64_t *size)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control          = {.header = {.cmsg_len = 0}};
    struct iovec data  = {size, sizeof(*size)};
    struct msghdr note = {.msg_iov        = &data,
                          .msg_iovlen     = 1,
                          .msg_control    = control.room,
                          .msg_controllen = sizeof(control.room)};
    int fd             = -1;
    if (recvmsg(socket, &note, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(*size))
        return -1;
    const struct cmsghdr *row = CMSG_FIRSTHDR(&note);
    if (row != NULL && row->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(row), sizeof(fd));
    return fd;
}

/* Reads 71, writes 72. Returns the number of the step that went wrong; 0: none. */
static int be_the_other(int socket)
{
    struct trm_buffer *buffer   = NULL;
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    struct trm_stream *stream   = NULL;
    uint64_t size               = 0;
    int fd                      = receive_descriptor(socket, &size);
    char done                   = 1;
    if (fd < 0 || context_make(NULL, 0, &context) != TRM_OK ||
        trm_device_open(context, NULL, &device) != TRM_OK)
        return 1;
    if (trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream) != TRM_OK)
        return 2;
    if (trm_buffer_import(device, TRM_HANDLE_OPAQUE_FD, fd, size, &buffer) != TRM_OK)
        return 3;
    if (trm_download(stream, numbers, trm_span_of(buffer, 0, BYTES)) != TRM_OK ||
        trm_stream_sync(stream) != TRM_OK)
        return 4;
    for (uint32_t i = 0; i < WORDS; i++)
        if (numbers[i] != 71)
            return 5;
    if (trm_fill(stream, trm_span_of(buffer, 0, BYTES), 72, 4) != TRM_OK || trm_stream_sync(stream) != TRM_OK)
        return 6;
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return write(socket, &done, 1) == 1 ? 0 : 7;
}

START_TEST(memory_is_shared_with_another_process)
{
    int ends[2], ended = -1;
    int32_t fd    = -1;
    uint64_t size = 0;
    char done     = 0;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    pid_t child = fork(); /* before CUDA is initialized */
    if (child == 0) {
        alarm(200);
        close(ends[0]);
        _exit(be_the_other(ends[1]));
    }
    ck_assert_int_gt(child, 0);
    close(ends[1]);
    world_open();
    struct trm_buffer *buffer = make_exportable(the.device);
    if (buffer) {
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 71, 4));
        ck_ok(trm_stream_sync(the.stream));
        ck_ok(trm_buffer_export(buffer, TRM_HANDLE_OPAQUE_FD, &fd, &size));
        send_descriptor(ends[0], fd, size);
        close(fd);
        ck_assert_msg(read(ends[0], &done, 1) == 1, "the other process has ended");
        read_back(the.stream, buffer);
        check_numbers(72);
    }
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &ended, 0), child);
    if (buffer)
        ck_assert_int_eq(ended, 0);
    trm_buffer_destroy(buffer);
    world_close();
}
END_TEST

/* ---- semaphores ---- */

static struct trm_semaphore *import_semaphore(int fd)
{
    struct trm_semaphore *semaphore = NULL;
    int copy                        = dup(fd);
    ck_assert_int_ge(copy, 0);
    ck_ok(trm_semaphore_import(the.device, TRM_HANDLE_OPAQUE_FD, copy, &semaphore));
    ck_assert(!is_open(copy));
    return semaphore;
}

START_TEST(a_stream_waits_for_a_semaphore_that_others_raise)
{
    if (standin_missing())
        return;
    int fd                          = standin->semaphore(0);
    struct trm_semaphore *semaphore = import_semaphore(fd);
    struct trm_buffer *buffer       = buffer_open(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_stream *other        = stream_open(the.device, TRM_STREAM_ANY);
    for (uint64_t i = 1; i < 20; i++) {
        ck_ok(trm_fill(other, trm_span_whole(buffer), 1000, 4));
        ck_ok(trm_stream_sync(other));
        ck_ok(trm_stream_wait_semaphore(the.stream, semaphore, i));
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 4));
        ck_ok(trm_stream_flush(the.stream));
        read_back(other, buffer);
        check_numbers(1000);
        ck_fails(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
        ck_assert_int_eq(standin->signal_semaphore(fd, i), 0);
        ck_ok(trm_stream_sync(the.stream));
        read_back(other, buffer);
        check_numbers((uint32_t)i);
    }
    trm_stream_destroy(other);
    trm_buffer_destroy(buffer);
    trm_semaphore_destroy(semaphore);
    close(fd);
}
END_TEST

START_TEST(a_stream_raises_a_semaphore_when_it_gets_there_and_never_lowers_it)
{
    struct barrier barrier = BARRIER_CLOSED;
    if (standin_missing())
        return;
    int fd                          = standin->semaphore(0);
    struct trm_semaphore *semaphore = import_semaphore(fd);
    ck_ok(barrier_enqueue(the.stream, &barrier));
    ck_ok(trm_stream_signal_semaphore(the.stream, semaphore, 5));
    ck_fails(trm_stream_signal_semaphore(the.stream, semaphore, 5), TRM_ERROR_INVALID_ARGUMENT);
    ck_fails(trm_stream_signal_semaphore(the.stream, semaphore, 4), TRM_ERROR_INVALID_ARGUMENT);
    barrier_await(&barrier);
    ck_assert_uint_eq(standin->semaphore_value(fd), 0);
    barrier_open(&barrier);
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(standin->semaphore_value(fd), 5);
    ck_ok(trm_stream_signal_semaphore(the.stream, semaphore, 6));
    trm_semaphore_destroy(semaphore); /* it stays because of what was enqueued */
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(standin->semaphore_value(fd), 6);
    close(fd);
}
END_TEST

START_TEST(what_cuda_cannot_do_with_semaphores_is_said)
{
    struct trm_semaphore *semaphore = NULL;
    uint64_t value                  = 7;
    int32_t fd                      = -1;
    ck_fails(trm_semaphore_create(the.device, &semaphore), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("Vulkan");
    ck_assert_ptr_null(semaphore);
    if (standin_missing())
        return;
    int theirs = standin->semaphore(3);
    semaphore  = import_semaphore(theirs);
    ck_fails(trm_semaphore_export(semaphore, TRM_HANDLE_OPAQUE_FD, &fd), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("cannot export");
    ck_fails(trm_semaphore_value(semaphore, &value), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("cannot read");
    ck_assert_int_eq(fd, -1);
    ck_assert_uint_eq(value, 7);
    trm_semaphore_destroy(semaphore);
    close(theirs);
}
END_TEST

/* ---- failures ---- */

/* Everything above, until something fails. */
static int32_t share_everything(int foreign, int semaphore_fd)
{
    struct trm_buffer *made = NULL, *imported = NULL, *others = NULL;
    struct trm_semaphore *semaphore = NULL;
    struct trm_stream *stream       = NULL;
    int32_t fd                      = -1;
    uint64_t size                   = 0;
    int copy = dup(foreign), copied = dup(semaphore_fd);
    int32_t status = trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream);
    if (status == TRM_OK)
        status = trm_buffer_create_exportable(the.device, BYTES, &made);
    if (status == TRM_OK)
        status = trm_buffer_export(made, TRM_HANDLE_OPAQUE_FD, &fd, &size);
    if (status == TRM_OK)
        status = trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, fd, size, &imported);
    if (status == TRM_OK)
        status = trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, copy, FOREIGN_SIZE, &others);
    if (status == TRM_OK)
        status = trm_semaphore_import(the.device, TRM_HANDLE_OPAQUE_FD, copied, &semaphore);
    if (status == TRM_OK)
        status = trm_stream_wait_semaphore(stream, semaphore, 1);
    if (status == TRM_OK)
        status = trm_fill(stream, trm_span_whole(made), 9, 4);
    if (status == TRM_OK)
        status = trm_copy(stream, trm_span_of(others, 0, BYTES), trm_span_of(imported, 0, BYTES));
    if (status == TRM_OK)
        status = trm_stream_sync(stream);
    /* A descriptor that was not imported is still the caller's. */
    if (fd >= 0 && !imported)
        close(fd);
    if (!others)
        close(copy);
    if (!semaphore)
        close(copied);
    trm_semaphore_destroy(semaphore);
    trm_buffer_destroy(made);
    trm_buffer_destroy(imported);
    trm_buffer_destroy(others);
    trm_stream_destroy(stream);
    return status;
}

/* Descriptors that are open now. */
static unsigned count_open(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += is_open(fd);
    return count;
}

START_TEST(any_call_of_sharing_may_fail_and_nothing_leaks)
{
    static const char *const errors[] = {"CUDA_ERROR_OUT_OF_MEMORY", "CUDA_ERROR_INVALID_VALUE"};
    char rule[64];
    if (standin_missing())
        return;
    int foreign = memfd_create("others", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(foreign, FOREIGN_SIZE), 0);
    int semaphore = standin->semaphore(1);
    world_open();
    ck_ok(share_everything(foreign, semaphore));
    unsigned before = count_open();
    for (unsigned n = 1;; n++) {
        ck_assert_uint_lt(n, MOST_CALLS);
        snprintf(rule, sizeof(rule), "any:%u:once:%s", n, errors[_i]);
        ck_assert_int_eq(standin->arm(rule), 0);
        int32_t status  = share_everything(foreign, semaphore);
        bool has_failed = standin->failures() > 0;
        standin->arm(NULL);
        ck_assert_msg(status == TRM_OK || (trm_last_error().status == status && trm_last_error().sentence[0]),
                      "%s was not explained", rule);
        ck_assert_msg(count_open() == before, "%s: %u descriptors are open instead of %u", rule, count_open(),
                      before);
        if (!has_failed)
            break;
    }
    close(foreign);
    close(semaphore);
    world_close();
}
END_TEST

START_TEST(an_unknown_error_about_a_descriptor_does_not_lose_the_device)
{
    struct trm_buffer *buffer       = NULL;
    struct trm_semaphore *semaphore = NULL;
    if (standin_missing())
        return;
    int fd = memfd_create("others", MFD_CLOEXEC);
    standin->arm("cuMemImportFromShareableHandle:1:once:CUDA_ERROR_UNKNOWN");
    standin->arm("cuImportExternalMemory:1:once:CUDA_ERROR_UNKNOWN");
    standin->arm("cuImportExternalSemaphore:1:once:CUDA_ERROR_UNKNOWN");
    ck_fails(trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, fd, BYTES, &buffer), TRM_ERROR_UNSUPPORTED);
    ck_fails(trm_semaphore_import(the.device, TRM_HANDLE_OPAQUE_FD, fd, &semaphore), TRM_ERROR_UNSUPPORTED);
    ck_ok(trm_stream_sync(the.stream));
    standin->arm(NULL);
    standin->arm("cuMemImportFromShareableHandle:1:once:CUDA_ERROR_ECC_UNCORRECTABLE");
    ck_fails(trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, fd, BYTES, &buffer), TRM_ERROR_DEVICE_LOST);
    ck_assert(is_open(fd));
    close(fd);
}
END_TEST

START_TEST(on_a_lost_device_nothing_is_shared_and_all_of_it_ends)
{
    struct trm_buffer *more         = NULL;
    struct trm_semaphore *semaphore = NULL;
    int32_t fd                      = -1;
    uint64_t size                   = 0;
    if (standin_missing())
        return;
    struct trm_buffer *made = make_exportable(the.device);
    standin->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_ok(trm_fill(the.stream, trm_span_whole(made), 9, 4));
    ck_fails(trm_stream_sync(the.stream), TRM_ERROR_DEVICE_LOST);
    ck_fails(trm_buffer_export(made, TRM_HANDLE_OPAQUE_FD, &fd, &size), TRM_ERROR_DEVICE_LOST);
    ck_fails(trm_buffer_create_exportable(the.device, BYTES, &more), TRM_ERROR_DEVICE_LOST);
    ck_fails(trm_buffer_import(the.device, TRM_HANDLE_OPAQUE_FD, 0, BYTES, &more), TRM_ERROR_DEVICE_LOST);
    ck_fails(trm_semaphore_import(the.device, TRM_HANDLE_OPAQUE_FD, 0, &semaphore), TRM_ERROR_DEVICE_LOST);
    ck_assert(is_open(0));
    ck_assert_int_eq(fd, -1);
    trm_buffer_destroy(made);
}
END_TEST

int main(void)
{
    Suite *suite   = suite_create("cuda: memory and semaphores that others have too");
    TCase *by_self = tcase_create("processes"), *tests = tcase_create("sharing");
    tcase_add_test(by_self, memory_is_shared_with_another_process);
    tcase_add_test(by_self, a_driver_without_handles_says_so);
    tcase_add_loop_test(by_self, any_call_of_sharing_may_fail_and_nothing_leaks, 0, 2);
    suite_add_tcase(suite, by_self);
    tcase_add_checked_fixture(tests, world_open, world_close);
    tcase_add_test(tests, memory_that_was_exported_is_the_same_for_another_device_of_the_process);
    tcase_add_test(tests, kernels_and_graphs_use_exportable_memory_like_any_other);
    tcase_add_test(tests, only_memory_that_was_made_here_to_be_exported_is);
    tcase_add_test(tests, memory_of_another_interface_is_imported_too);
    tcase_add_test(tests, a_descriptor_that_is_no_memory_stays_the_callers);
    tcase_add_test(tests, a_stream_waits_for_a_semaphore_that_others_raise);
    tcase_add_test(tests, a_stream_raises_a_semaphore_when_it_gets_there_and_never_lowers_it);
    tcase_add_test(tests, what_cuda_cannot_do_with_semaphores_is_said);
    tcase_add_test(tests, an_unknown_error_about_a_descriptor_does_not_lose_the_device);
    tcase_add_test(tests, on_a_lost_device_nothing_is_shared_and_all_of_it_ends);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
