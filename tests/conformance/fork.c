/* Forks before and after a context is created. The child gets TRM_ERROR_FORKED, the parent continues.
 * SPDX-License-Identifier: MIT
 */
#include "calls.h"
#include "groups.h"
#include "kernels.h"
#include "process.h"
#include "tasks.h"
#include "tests/device/driver_fork.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Opens a context, a device and a stream, does some work and closes them. Works in any process. */
static const char *live(void *user)
{
    static uint8_t sent[100000], got[100000];
    struct trm_setting setting   = {"backend", backend_under_test()};
    struct trm_context_desc desc = {.struct_size   = sizeof(desc),
                                    .flags         = TRM_CONTEXT_NO_CONFIG,
                                    .settings      = &setting,
                                    .setting_count = 1};
    struct trm_context *context  = NULL;
    struct trm_device *device    = NULL;
    struct trm_stream *stream    = NULL;
    struct trm_buffer *buffer    = NULL;
    (void)user;
    CHILD_CHECK(trm_context_create(&desc, &context) == TRM_OK);
    CHILD_CHECK(trm_device_open(context, NULL, &device) == TRM_OK);
    CHILD_CHECK(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream) == TRM_OK);
    CHILD_CHECK(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(sent), &buffer) == TRM_OK);
    pattern_make(sent, sizeof(sent), 99);
    CHILD_CHECK(trm_upload(stream, trm_span_whole(buffer), sent) == TRM_OK);
    CHILD_CHECK(trm_download(stream, got, trm_span_whole(buffer)) == TRM_OK);
    CHILD_CHECK(trm_stream_sync(stream) == TRM_OK);
    CHILD_CHECK(trm_device_sync(device) == TRM_OK);
    CHILD_CHECK(pattern_length(got, sizeof(got), 99) == sizeof(got));
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return NULL;
}

/* Where the driver does not survive a fork, the call must fail with an explained status. */
static const char *live_or_be_refused(void *user)
{
    struct trm_setting setting   = {"backend", backend_under_test()};
    struct trm_context_desc desc = {.struct_size   = sizeof(desc),
                                    .flags         = TRM_CONTEXT_NO_CONFIG,
                                    .settings      = &setting,
                                    .setting_count = 1};
    struct trm_context *context  = NULL;
    struct trm_device *device    = NULL;
    CHILD_CHECK(trm_context_create(&desc, &context) == TRM_OK);
    int32_t status = trm_device_open(context, NULL, &device);
    CHILD_CHECK(status == TRM_OK || trm_last_error().sentence[0]);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return status == TRM_OK ? live(user) : NULL;
}

/* Whether a child of this process cannot open a device. The case then returns. */
static bool driver_missing(const struct driver *driver)
{
    const char *why = driver_refuses_child(driver);
    if (!why)
        return false;
    child_run(live_or_be_refused, NULL);
    skip(why);
    return true;
}

/* ---- before ---- */

START_TEST(parent_and_child_of_a_fork_before_any_context_both_work)
{
    struct child child = child_start(live, NULL);
    const char *wrong  = live(NULL);
    ck_assert_msg(!wrong, "%s", wrong);
    child_end(child, 0);
}
END_TEST

START_TEST(a_child_works_after_its_parent_made_and_destroyed_a_context)
{
    struct trm_context *context = open_context();
    struct trm_device *device   = open_device(context);
    struct driver driver        = driver_of(device);
    trm_device_destroy(device);
    trm_context_destroy(context);
    const char *wrong = live(NULL);
    ck_assert_msg(!wrong, "%s", wrong);
    if (driver_missing(&driver))
        return;
    child_run(live, NULL);
    wrong = live(NULL);
    ck_assert_msg(!wrong, "%s", wrong);
}
END_TEST

/* ---- after ---- */

static struct objects parents;

/* Returns false where no child can do what the case needs. */
static bool parents_make(void)
{
    if (!forking_works()) {
        skip("a sanitizer or an emulator does not support a fork beside other threads");
        return false;
    }
    objects_make(&parents);
    struct driver driver = driver_of(parents.handles[OF_DEVICE]);
    if (!driver_missing(&driver))
        return true;
    objects_destroy(&parents);
    return false;
}

static const char *every_call_is_refused(void *user)
{
    (void)user;
    const struct call *call;
    for (size_t i = 0; (call = call_at(i)) != NULL; i++) {
        static char sentence[500];
        if (!parents.handles[call->type] ||
            (strcmp(call->name, "launch_on_stream") == 0 && !parents.handles[OF_KERNEL]))
            continue;
        int32_t status = call->make(parents.handles[call->type], &parents);
        if (status == TRM_ERROR_FORKED && trm_last_error().status == status && trm_last_error().sentence[0])
            continue;
        snprintf(sentence, sizeof(sentence), "in the child, %s gave %s and the last error is %s", call->name,
                 trm_status_name(status), trm_status_name(trm_last_error().status));
        return sentence;
    }
    return NULL;
}

START_TEST(every_call_with_a_handle_of_the_parent_is_refused_in_the_child)
{
    objects_make(&parents);
    child_run(every_call_is_refused, NULL);
    ck_ok(trm_stream_sync(parents.handles[OF_STREAM]));
    objects_destroy(&parents);
}
END_TEST

static const char *destroys_are_harmless(void *user)
{
    (void)user;
    for (int round = 0; round < 2; round++)
        for (int type = 0; type < HANDLE_TYPES; type++)
            destroy_handle((enum handle_type)type, parents.handles[type]);
    return NULL;
}

START_TEST(destroying_the_parents_objects_in_the_child_is_harmless)
{
    objects_make(&parents);
    struct trm_stream *stream = parents.handles[OF_STREAM];
    put_pattern(stream, parents.handles[OF_BUFFER], 64, 7);
    child_run(destroys_are_harmless, NULL);
    ck_buffer_pattern(stream, parents.handles[OF_BUFFER], 64, 7);
    ck_ok(trm_event_record(parents.handles[OF_EVENT], stream));
    ck_ok(trm_event_wait(parents.handles[OF_EVENT], TRM_FOREVER));
    ck_ok(trm_device_sync(parents.handles[OF_DEVICE]));
    objects_destroy(&parents);
}
END_TEST

START_TEST(a_context_made_in_the_child_works)
{
    if (!parents_make())
        return;
    ck_ok(trm_stream_sync(parents.handles[OF_STREAM]));
    for (int i = 0; i < 3; i++)
        child_run(live, NULL);
    ck_ok(trm_stream_sync(parents.handles[OF_STREAM]));
    objects_destroy(&parents);
}
END_TEST

static void start_child(void *child, int32_t status)
{
    (void)status;
    *(struct child *)child = child_start(live, NULL);
}

START_TEST(a_child_forked_in_a_callback_is_inside_of_no_callback)
{
    struct child child;
    if (!parents_make())
        return;
    ck_ok(trm_stream_callback(parents.handles[OF_STREAM], start_child, &child));
    ck_ok(trm_stream_sync(parents.handles[OF_STREAM]));
    child_end(child, 0);
    objects_destroy(&parents);
}
END_TEST

/* What a callback that forks shares with its child, and with the callback behind it. */
struct fork_and_return {
    pid_t child;
    int said[2]; /* a pipe: the child's stderr */
    atomic_int *runs;
};

static void fork_and_return(void *user, int32_t status)
{
    struct fork_and_return *it = user;
    (void)status;
    it->child = fork();
    if (it->child == 0)
        dup2(it->said[1], STDERR_FILENO);
}

static void count_run(void *user, int32_t status)
{
    const struct fork_and_return *it = user;
    (void)status;
    atomic_fetch_add(it->runs, 1);
}

START_TEST(a_child_that_returns_from_the_callback_that_forked_it_is_ended_in_words)
{
    struct fork_and_return it = {.child = -1};
    char said[512]            = "";
    int status                = 0;
    if (!parents_make())
        return;
    it.runs = mmap(NULL, sizeof(*it.runs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(it.runs, MAP_FAILED);
    ck_assert_int_eq(pipe(it.said), 0);
    ck_ok(trm_stream_callback(parents.handles[OF_STREAM], fork_and_return, &it));
    ck_ok(trm_stream_callback(parents.handles[OF_STREAM], count_run, &it));
    ck_ok(trm_stream_sync(parents.handles[OF_STREAM]));
    close(it.said[1]);
    ck_assert_int_gt(it.child, 0);
    ck_assert_int_eq(waitpid(it.child, &status, 0), it.child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE);
    ck_assert_int_gt(read(it.said[0], said, sizeof(said) - 1), 0);
    ck_assert_msg(strstr(said, "returned in the child of a fork") != NULL, "%s", said);
    ck_assert_int_eq(atomic_load(it.runs), 1);
    close(it.said[0]);
    munmap(it.runs, sizeof(*it.runs));
    objects_destroy(&parents);
}
END_TEST

/* Functions of two tasks. `forking` waits until the other one is queued behind it. */
struct functions {
    atomic_int *runs; /* of the second function, in all processes */
    atomic_int is_submitted;
    struct child child;
};

static void forking(void *user, int32_t status)
{
    struct functions *functions = user;
    (void)status;
    while (!atomic_load(&functions->is_submitted))
        sched_yield();
    functions->child = child_start(live, NULL);
}

static void behind(void *user, int32_t status)
{
    const struct functions *functions = user;
    (void)status;
    atomic_fetch_add(functions->runs, 1);
}

/* Waiting in the function of a task lets another thread take the next function. In the child of a fork that
 * thread would run the parent's. */
START_TEST(a_child_forked_in_a_task_runs_no_task_of_its_parent)
{
    struct trm_task first = task_of(TRM_TASK_HOST, 1, AFTER_NOTHING);
    struct trm_task next  = task_of(TRM_TASK_HOST, 2, AFTER_NOTHING);
    struct functions functions;
    if (!parents_make())
        return;
    memset(&functions, 0, sizeof(functions));
    functions.runs =
        mmap(NULL, sizeof(*functions.runs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(functions.runs, MAP_FAILED);
    ck_ok(trm_coordinator_create(parents.handles[OF_DEVICE], NULL, &coordinator));
    first.host = forking;
    next.host  = behind;
    first.user = next.user = &functions;
    ck_ok(trm_coordinator_add(coordinator, &first));
    ck_ok(trm_coordinator_add(coordinator, &next));
    ck_ok(trm_coordinator_submit(coordinator));
    atomic_store(&functions.is_submitted, 1);
    ck_ok(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
    child_end(functions.child, 0);
    ck_assert_int_eq(atomic_load(functions.runs), 1);
    trm_coordinator_destroy(coordinator);
    munmap(functions.runs, sizeof(*functions.runs));
    objects_destroy(&parents);
}
END_TEST

static const char *own_and_parents(void *user)
{
    const char *wrong = every_call_is_refused(user);
    if (!wrong)
        wrong = live(user);
    if (!wrong)
        wrong = destroys_are_harmless(user);
    if (!wrong)
        wrong = live(user);
    if (!wrong)
        wrong = every_call_is_refused(user);
    return wrong;
}

START_TEST(a_child_may_have_contexts_of_its_own_beside_the_parents)
{
    if (!parents_make())
        return;
    child_run(own_and_parents, NULL);
    objects_destroy(&parents);
}
END_TEST

static const char *fork_again(void *user)
{
    pid_t pid  = fork();
    int status = 0;
    if (pid == 0) {
        const char *wrong = own_and_parents(user);
        if (wrong)
            fprintf(stderr, "in the grandchild: %s\n", wrong);
        _exit(wrong ? 5 : 0);
    }
    CHILD_CHECK(pid > 0);
    CHILD_CHECK(waitpid(pid, &status, 0) == pid);
    CHILD_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return own_and_parents(user);
}

START_TEST(a_grandchild_is_a_child)
{
    if (!parents_make())
        return;
    child_run(fork_again, NULL);
    objects_destroy(&parents);
}
END_TEST

/* ---- with work in flight ---- */

START_TEST(a_fork_does_not_disturb_the_work_of_the_parent)
{
    enum {
        MUCH = 200000
    };
    static uint8_t sent[MUCH], got[MUCH];
    struct trm_context *context = open_context();
    struct trm_device *device   = open_device(context);
    struct trm_stream *stream   = NULL;
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, MUCH);
    objects_make(&parents);
    for (uint32_t i = 0; i < scaled(20, 5); i++) {
        pattern_make(sent, MUCH, i);
        for (int n = 0; n < 10; n++) {
            ck_ok(trm_upload(stream, trm_span_whole(buffer), sent));
            ck_ok(trm_download(stream, got, trm_span_whole(buffer)));
        }
        ck_ok(trm_stream_flush(stream));
        struct child child = child_start(every_call_is_refused, NULL);
        ck_ok(trm_stream_sync(stream));
        ck_pattern(got, MUCH, i);
        child_end(child, 0);
    }
    objects_destroy(&parents);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
}
END_TEST

static atomic_int stop;

/* Keeps every lock of the library busy. */
static void *be_busy(void *user)
{
    struct trm_device *device = user;
    while (!atomic_load(&stop)) {
        struct trm_stream *stream = NULL;
        struct trm_event *event   = NULL;
        struct trm_buffer *buffer = NULL;
        if (trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream) != TRM_OK ||
            trm_event_create(device, 0, &event) != TRM_OK ||
            trm_buffer_create(device, TRM_MEMORY_DEVICE, 10000, &buffer) != TRM_OK ||
            trm_fill(stream, trm_span_whole(buffer), 1, 1) != TRM_OK ||
            trm_event_record(event, stream) != TRM_OK || trm_event_wait(event, TRM_FOREVER) != TRM_OK)
            return (void *)1;
        trm_buffer_destroy(buffer);
        trm_event_destroy(event);
        trm_stream_destroy(stream);
    }
    return NULL;
}

START_TEST(a_fork_while_other_threads_are_inside_the_library_gives_a_child_that_works)
{
    if (sanitized()) {
        skip("a sanitizer's allocator may stay locked in the child");
        return;
    }
    /* A thread of the parent may be inside vkCreateBuffer and hold the layer's reader-writer lock, which
     * nothing unlocks in the child: there vkCreateDebugUtilsMessengerEXT waits for ever, about once in 3000
     * forks. */
    if (is_asked_for("TRIREME_VULKAN_VALIDATION")) {
        skip("a lock of Vulkan's validation layer may stay locked in the child");
        return;
    }
    pthread_t threads[3];
    if (!parents_make())
        return;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, be_busy, parents.handles[OF_DEVICE]), 0);
    for (unsigned i = 0; i < scaled(50, 5); i++)
        child_run(own_and_parents, NULL);
    atomic_store(&stop, 1);
    for (int i = 0; i < 3; i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
    atomic_store(&stop, 0);
    objects_destroy(&parents);
}
END_TEST

void add_fork(Suite *suite)
{
    TCase *group = group_make_bare(suite, "forks");
    CASE(group, parent_and_child_of_a_fork_before_any_context_both_work);
    CASE(group, a_child_works_after_its_parent_made_and_destroyed_a_context);
    CASE(group, every_call_with_a_handle_of_the_parent_is_refused_in_the_child);
    CASE(group, destroying_the_parents_objects_in_the_child_is_harmless);
    CASE(group, a_context_made_in_the_child_works);
    CASE(group, a_child_forked_in_a_callback_is_inside_of_no_callback);
    CASE(group, a_child_that_returns_from_the_callback_that_forked_it_is_ended_in_words);
    CASE(group, a_child_forked_in_a_task_runs_no_task_of_its_parent);
    CASE(group, a_child_may_have_contexts_of_its_own_beside_the_parents);
    CASE(group, a_grandchild_is_a_child);
    CASE(group, a_fork_does_not_disturb_the_work_of_the_parent);
    CASE(group, a_fork_while_other_threads_are_inside_the_library_gives_a_child_that_works);
}
