/* A process that exits with live objects ends quickly and with the program's own status.
 * SPDX-License-Identifier: MIT
 */
#include "calls.h"
#include "groups.h"
#include "kernels.h"
#include "process.h"

#include <pthread.h>
#include <unistd.h>

/* The objects that a child creates and never destroys. The child must not use Check's assertions. */
struct living {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;
    struct trm_buffer *buffer;
};

static const char *come_alive(struct living *living)
{
    struct trm_setting setting   = {"backend", backend_under_test()};
    struct trm_context_desc desc = {.struct_size   = sizeof(desc),
                                    .flags         = TRM_CONTEXT_NO_CONFIG,
                                    .settings      = &setting,
                                    .setting_count = 1};
    CHILD_CHECK(trm_context_create(&desc, &living->context) == TRM_OK);
    CHILD_CHECK(trm_device_open(living->context, NULL, &living->device) == TRM_OK);
    CHILD_CHECK(trm_stream_create(living->device, TRM_STREAM_ANY, 0, &living->stream) == TRM_OK);
    CHILD_CHECK(trm_buffer_create(living->device, TRM_MEMORY_DEVICE, 1 << 20, &living->buffer) == TRM_OK);
    CHILD_CHECK(trm_fill(living->stream, trm_span_whole(living->buffer), 1, 1) == TRM_OK);
    CHILD_CHECK(trm_stream_sync(living->stream) == TRM_OK);
    return NULL;
}

static struct living alive;

#define COME_ALIVE                              \
    do {                                        \
        const char *wrong = come_alive(&alive); \
        if (wrong)                              \
            return wrong;                       \
    } while (0)

/* ---- ways to exit ---- */

static const char *exit_idle(void *user)
{
    COME_ALIVE;
    (void)user;
    exit(41);
}

START_TEST(a_program_may_exit_with_live_objects)
{
    for (struct rounds rounds = rounds_of(scaled(20, 3), 2); rounds_left(&rounds); rounds.number++)
        child_end(child_start(exit_idle, NULL), 41);
}
END_TEST

static const char *exit_immediately(void *user)
{
    COME_ALIVE;
    (void)user;
    _exit(42);
}

START_TEST(a_program_may_leave_without_any_clean_up)
{
    child_end(child_start(exit_immediately, NULL), 42);
}
END_TEST

static const char *exit_busy(void *user)
{
    COME_ALIVE;
    (void)user;
    for (unsigned i = 0; i < scaled(20000, 500); i++)
        CHILD_CHECK(trm_fill(alive.stream, trm_span_whole(alive.buffer), i, 1) == TRM_OK);
    CHILD_CHECK(trm_stream_flush(alive.stream) == TRM_OK);
    exit(43);
}

START_TEST(a_program_may_exit_with_work_in_flight)
{
    child_end(child_start(exit_busy, NULL), 43);
}
END_TEST

static void do_nothing(void *user, int32_t status)
{
    (void)user;
    (void)status;
}

/* Asks in a child, because some drivers do not work in the children of a process that has used them. */
static bool callbacks_block(struct trm_stream *stream)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    if (trm_stream_callback(stream, do_nothing, NULL) != TRM_OK ||
        trm_stream_get_stats(stream, &stats) != TRM_OK || stats.host_waits == 0)
        return false;
    skip("its callbacks block the caller");
    return true;
}

static void sleep_long(void *user, int32_t status)
{
    (void)user;
    (void)status;
    sleep_ms(3600 * 1000);
}

static const char *exit_under_callback(void *user)
{
    COME_ALIVE;
    (void)user;
    if (callbacks_block(alive.stream))
        exit(44);
    CHILD_CHECK(trm_stream_callback(alive.stream, sleep_long, NULL) == TRM_OK);
    CHILD_CHECK(trm_fill(alive.stream, trm_span_whole(alive.buffer), 2, 1) == TRM_OK);
    CHILD_CHECK(trm_stream_flush(alive.stream) == TRM_OK);
    sleep_ms(5);
    exit(44);
}

START_TEST(a_program_may_exit_while_a_callback_sleeps)
{
    child_end(child_start(exit_under_callback, NULL), 44);
}
END_TEST

static void exit_now(void *user, int32_t status)
{
    (void)user;
    (void)status;
    exit(45);
}

static const char *exit_in_callback(void *user)
{
    COME_ALIVE;
    (void)user;
    CHILD_CHECK(trm_stream_callback(alive.stream, exit_now, NULL) == TRM_OK);
    (void)trm_stream_sync(alive.stream);
    sleep_ms(60 * 1000);
    return "the callback did not end the process";
}

START_TEST(a_callback_may_end_the_program)
{
    child_end(child_start(exit_in_callback, NULL), 45);
}
END_TEST

static void *wait_for_ever(void *user)
{
    struct trm_point point = *(struct trm_point *)user;
    (void)trm_point_wait(point, TRM_FOREVER);
    return NULL;
}

static const char *exit_while_waiting(void *user)
{
    struct trm_point point = {NULL, 0};
    pthread_t thread;
    COME_ALIVE;
    (void)user;
    if (callbacks_block(alive.stream))
        exit(46);
    CHILD_CHECK(trm_stream_callback(alive.stream, sleep_long, NULL) == TRM_OK);
    CHILD_CHECK(trm_stream_mark(alive.stream, &point) == TRM_OK);
    CHILD_CHECK(pthread_create(&thread, NULL, wait_for_ever, &point) == 0);
    sleep_ms(20);
    exit(46);
}

START_TEST(a_program_may_exit_while_a_thread_waits)
{
    child_end(child_start(exit_while_waiting, NULL), 46);
}
END_TEST

static const char *exit_with_thread_stream(void *user)
{
    struct trm_stream *stream = NULL;
    COME_ALIVE;
    (void)user;
    CHILD_CHECK(trm_device_thread_stream(alive.device, &stream) == TRM_OK);
    CHILD_CHECK(trm_fill(stream, trm_span_whole(alive.buffer), 3, 1) == TRM_OK);
    exit(47);
}

START_TEST(a_program_may_exit_with_a_stream_of_its_thread)
{
    child_end(child_start(exit_with_thread_stream, NULL), 47);
}
END_TEST

static void destroy_at_exit(void)
{
    trm_buffer_destroy(alive.buffer);
    trm_stream_destroy(alive.stream);
    trm_device_destroy(alive.device);
    trm_context_destroy(alive.context);
}

static const char *destroy_in_exit(void *user)
{
    COME_ALIVE;
    (void)user;
    CHILD_CHECK(atexit(destroy_at_exit) == 0);
    CHILD_CHECK(trm_fill(alive.stream, trm_span_whole(alive.buffer), 4, 1) == TRM_OK);
    exit(48);
}

START_TEST(a_program_may_destroy_its_objects_while_it_exits)
{
    child_end(child_start(destroy_in_exit, NULL), 48);
}
END_TEST

static void *end_program(void *user)
{
    (void)user;
    sleep_ms(20);
    exit(49);
}

static const char *end_main_thread(void *user)
{
    struct trm_stream *stream = NULL;
    pthread_t thread;
    COME_ALIVE;
    (void)user;
    CHILD_CHECK(trm_device_thread_stream(alive.device, &stream) == TRM_OK);
    CHILD_CHECK(trm_fill(stream, trm_span_whole(alive.buffer), 5, 1) == TRM_OK);
    CHILD_CHECK(pthread_create(&thread, NULL, end_program, NULL) == 0);
    pthread_exit(NULL);
}

START_TEST(the_main_thread_may_end_before_the_program)
{
    if (sanitized()) {
        skip("what the test runner keeps on the main thread's stack would count as leaked");
        return;
    }
    child_end(child_start(end_main_thread, NULL), 49);
}
END_TEST

/* ---- no thread starts before it is needed ---- */

/* Threads of this process; -1 if the kernel does not say. */
static int count_threads(void)
{
    char line[256];
    int threads = -1;
    FILE *file  = fopen("/proc/self/status", "r");
    if (!file)
        return -1;
    while (fgets(line, sizeof(line), file))
        if (sscanf(line, "Threads: %d", &threads) == 1)
            break;
    fclose(file);
    return threads;
}

/* An emulator (qemu-user) has a thread of its own in each process. */
static const char *create_and_count(void *user)
{
    struct trm_context *context = NULL;
    int before                  = count_threads();
    (void)user;
    CHILD_CHECK(before > 0);
    CHILD_CHECK(trm_context_create(NULL, &context) == TRM_OK);
    CHILD_CHECK(count_threads() == before);
    trm_context_destroy(context);
    return NULL;
}

START_TEST(a_context_alone_starts_no_thread)
{
    if (sanitized()) {
        skip("the sanitizer has a thread of its own");
        return;
    }
    child_run(create_and_count, NULL);
}
END_TEST

void add_process_exit(Suite *suite)
{
    TCase *group = group_make_bare(suite, "exit");
    CASE(group, a_program_may_exit_with_live_objects);
    CASE(group, a_program_may_leave_without_any_clean_up);
    CASE(group, a_program_may_exit_with_a_stream_of_its_thread);
    CASE(group, a_program_may_destroy_its_objects_while_it_exits);
    CASE(group, a_callback_may_end_the_program);
    CASE(group, the_main_thread_may_end_before_the_program);
    CASE(group, a_context_alone_starts_no_thread);
    CASE(group, a_program_may_exit_with_work_in_flight);
    CASE(group, a_program_may_exit_while_a_callback_sleeps);
    CASE(group, a_program_may_exit_while_a_thread_waits);
}
