/* Waits for work of another process by an event of the program, whose handle is plain data. The other
 * process is a child that was forked before CUDA was initialized. Only on the machine's own driver: the
 * stand-in has no events of other processes.
 * SPDX-License-Identifier: MIT
 */
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <trireme/interop.h>
#include <unistd.h>

#include "tests/cuda/native.h"

enum {
    BYTES    = NATIVE_BYTES,
    PATIENCE = 20000 /* milliseconds that the work waits for the other process */
};

/* What the other process sends when its work is enqueued. */
struct message {
    struct trm_ipc_handle memory; /* of size 0: there are no handles */
    CUipcEventHandle event;
};

/* Driver functions that no other test needs. */
static __typeof__(cuIpcGetEventHandle) *get_event_handle;
static __typeof__(cuIpcOpenEventHandle) *open_event_handle;
static __typeof__(cuStreamWaitValue32_v2) *wait_value;

static void open_all(void)
{
    native_world_open();
    *(void **)&get_event_handle  = native_function("cuIpcGetEventHandle");
    *(void **)&open_event_handle = native_function("cuIpcOpenEventHandle");
    *(void **)&wait_value        = native_function("cuStreamWaitValue32_v2");
}

/* ---- the producer process ---- */

/* Work of the library that begins when *gate is 1. */
static void enqueue_behind(uint32_t *gate, CUstream gated, CUevent opened, struct trm_buffer *buffer,
                           CUevent done)
{
    ck_cuda(wait_value(gated, (CUdeviceptr)(uintptr_t)gate, 1, CU_STREAM_WAIT_VALUE_GEQ));
    ck_cuda(native.cuEventRecord(opened, gated));
    ck_ok(trm_stream_wait_native(the.stream, TRM_NATIVE_CUDA_EVENT, (uint64_t)(uintptr_t)opened));
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 72, 4));
    ck_ok(trm_stream_record_native(the.stream, TRM_NATIVE_CUDA_EVENT, (uint64_t)(uintptr_t)done));
    ck_ok(trm_stream_flush(the.stream));
}

static void tell(int socket, const struct message *message)
{
    ck_assert_int_eq((int)write(socket, message, sizeof(*message)), (int)sizeof(*message));
}

static void work(int socket)
{
    struct message message    = {.memory = {.size = 0}};
    struct trm_buffer *buffer = NULL;
    CUevent done, opened;
    CUstream gated;
    void *gate;
    char word;
    struct pollfd answer = {.fd = socket, .events = POLLIN};
    open_all();
    int32_t status = trm_buffer_create_ipc(the.device, BYTES, &buffer);
    if (status == TRM_ERROR_UNSUPPORTED) {
        tell(socket, &message);
        native_world_close();
        return;
    }
    ck_ok(status);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 71, 4));
    ck_ok(trm_buffer_get_ipc_handle(buffer, &message.memory));
    ck_cuda(native.cuEventCreate(&opened, CU_EVENT_DISABLE_TIMING));
    ck_cuda(native.cuEventCreate(&done, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    ck_cuda(get_event_handle(&message.event, done));
    ck_cuda(native.cuStreamCreate(&gated, CU_STREAM_NON_BLOCKING));
    ck_cuda(native.cuMemHostAlloc(&gate, sizeof(uint32_t), CU_MEMHOSTALLOC_DEVICEMAP));
    *(volatile uint32_t *)gate = 0;
    enqueue_behind(gate, gated, opened, buffer, done);
    tell(socket, &message);
    if (poll(&answer, 1, PATIENCE) == 1)
        (void)!read(socket, &word, 1);
    /* also where the other process has failed, since its streams wait for this */
    *(volatile uint32_t *)gate = 1;
    ck_ok(trm_stream_sync(the.stream));
    while (read(socket, &word, 1) == 1) /* until the other process has closed it, and the memory */
        ;
    ck_cuda(native.cuEventDestroy_v2(done));
    ck_cuda(native.cuEventDestroy_v2(opened));
    ck_cuda(native.cuStreamDestroy_v2(gated));
    ck_cuda(native.cuMemFreeHost(gate));
    trm_buffer_destroy(buffer);
    native_world_close();
}

/* ---- the consumer process ---- */

static void wait_for_it(int socket, const struct message *message)
{
    struct trm_buffer *theirs = NULL;
    CUevent done;
    open_all();
    struct trm_buffer *mine = buffer_open(the.device, TRM_MEMORY_DEVICE, BYTES);
    ck_ok(trm_buffer_open_ipc_handle(the.device, &message->memory, &theirs));
    ck_cuda(open_event_handle(&done, message->event));
    ck_ok(trm_stream_wait_native(the.stream, TRM_NATIVE_CUDA_EVENT, (uint64_t)(uintptr_t)done));
    ck_ok(trm_copy(the.stream, trm_span_whole(mine), trm_span_of(theirs, 0, BYTES)));
    ck_ok(trm_stream_flush(the.stream));
    usleep(20000);
    ck_fails(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq((int)write(socket, "!", 1), 1);
    ck_ok(trm_download(the.stream, native_numbers, trm_span_whole(mine)));
    ck_ok(trm_stream_sync(the.stream));
    native_check(72, 0);
    ck_cuda(native.cuEventDestroy_v2(done));
    trm_buffer_destroy(theirs);
    trm_buffer_destroy(mine);
    native_world_close();
}

START_TEST(work_of_another_process_is_waited_for_by_its_event)
{
    struct message message;
    int ends[2], ended = -1;
    if (standin) {
        skip("the stand-in has no events of other processes");
        return;
    }
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    fflush(NULL);
    pid_t other = fork();
    if (other == 0) {
        alarm(200);
        close(ends[0]);
        work(ends[1]);
        _exit(0);
    }
    ck_assert_int_gt(other, 0);
    close(ends[1]);
    ck_assert_msg(read(ends[0], &message, sizeof(message)) == (ssize_t)sizeof(message),
                  "the other process has ended");
    if (message.memory.size != 0)
        wait_for_it(ends[0], &message);
    else
        skip("the device has no memory with handles for other processes");
    close(ends[0]);
    ck_assert_int_eq(waitpid(other, &ended, 0), other);
    ck_assert_int_eq(ended, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda: events of other processes");
    TCase *tests = tcase_create("events");
    tcase_add_test(tests, work_of_another_process_is_waited_for_by_its_event);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
