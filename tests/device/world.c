/* A context, a device and a stream for each test, and an allocator that counts.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/world.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/device/checks.h"

struct world the;

/* ---- memory ---- */

static atomic_long taken;

struct label {
    void *start;
    size_t size;
};

static void *count_allocate(void *user, size_t size, size_t alignment)
{
    size_t room = alignment < sizeof(struct label) ? sizeof(struct label) : alignment;
    void *start = NULL;
    (void)user;
    if (posix_memalign(&start, room, room + size) != 0)
        return NULL;
    struct label *label = (struct label *)((char *)start + room) - 1;
    *label              = (struct label){start, size};
    atomic_fetch_add(&taken, (long)size);
    return label + 1;
}

static void count_release(void *user, void *memory, size_t size)
{
    struct label *label = (struct label *)memory - 1;
    (void)user;
    (void)size;
    atomic_fetch_sub(&taken, (long)label->size);
    free(label->start);
}

const struct trm_allocator counting_allocator = {count_allocate, count_release, NULL};

long bytes_taken(void)
{
    return atomic_load(&taken);
}

/* Threads of the core may still be on their way out. */
static void wait_for_memory(void)
{
    struct timespec moment = {0, 10000000};
    for (int i = 0; i < 10000 && bytes_taken() != 0; i++)
        nanosleep(&moment, NULL);
}

void check_memory_left(const char *after)
{
    wait_for_memory();
    ck_assert_msg(bytes_taken() == 0, "after %s %ld bytes of the host's memory are not given back", after,
                  bytes_taken());
}

/* ---- the world ---- */

struct trm_context *context_open(void)
{
    struct trm_context *context = NULL;
    ck_ok(context_make(NULL, 0, &context));
    return context;
}

struct trm_device *device_open(struct trm_context *context, const char *id)
{
    struct trm_device *device = NULL;
    ck_ok(trm_device_open(context, id, &device));
    return device;
}

struct trm_stream *stream_open(struct trm_device *device, int32_t role)
{
    struct trm_stream *stream = NULL;
    ck_ok(trm_stream_create(device, role, TRM_PRIORITY_NORMAL, &stream));
    return stream;
}

struct trm_buffer *buffer_open(struct trm_device *device, int32_t kind, uint64_t size)
{
    struct trm_buffer *buffer = NULL;
    ck_ok(trm_buffer_create(device, kind, size, &buffer));
    return buffer;
}

void world_open(void)
{
    the.context = context_open();
    the.device  = device_open(the.context, NULL);
    the.stream  = stream_open(the.device, TRM_STREAM_ANY);
}

void world_close(void)
{
    driver_let_go();
    trm_stream_destroy(the.stream);
    trm_device_destroy(the.device);
    trm_context_destroy(the.context);
    memset(&the, 0, sizeof(the));
    check_nothing_left("the test");
}

/* ---- running ---- */

/* 0: there is one. Asked in a child, since a driver that has been initialized is of no use in the children
 * that the tests are. */
static int try_device(void)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    int32_t status              = context_make(NULL, 0, &context);
    if (status == TRM_OK)
        status = trm_device_open(context, NULL, &device);
    if (status != TRM_OK)
        printf("there is no device here: %s\n", trm_last_error().sentence);
    fflush(stdout);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return status == TRM_OK ? 0 : 1;
}

static bool device_missing(void)
{
    int ended   = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(try_device());
    return child < 0 || waitpid(child, &ended, 0) != child || ended != 0;
}

int run_on_device(Suite *suite, int without)
{
    SRunner *runner = srunner_create(suite);
    if (device_missing()) {
        srunner_free(runner);
        return without;
    }
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
