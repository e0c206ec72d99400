/* The service thread.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/service.h"

#include <dirent.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/futex.h"
#include "core/object/context.h"
#include "core/stream/stream_object.h"
#include "tests/unit/counting.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)
#define MANY 1000

static struct counting counting;
static struct trm_context *context;
static struct core_service *service;

static void begin(void)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {
          .struct_size = sizeof(desc),
          .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
          .allocator   = &allocator,
    };
    memset(&counting, 0, sizeof(counting));
    OK(trm_context_create(&desc, &context));
    OK(core_service_get(core_context_find(context), &service));
}

static void end(void)
{
    trm_context_destroy(context);
    counting_is_balanced(&counting);
}

struct work {
    struct core_job job;
    int number;
    pthread_t thread;
    sem_t *hold, *done;
    struct work *next;
};

static _Atomic int order;

static void run_work(struct core_job *job)
{
    struct work *work = (struct work *)job;
    work->number      = atomic_fetch_add(&order, 1);
    work->thread      = pthread_self();
    if (work->hold != NULL)
        sem_wait(work->hold);
    if (work->done != NULL)
        sem_post(work->done);
}

static void post(struct work *work)
{
    work->job.run = run_work;
    core_service_post(service, &work->job);
}

START_TEST(jobs_run_in_the_order_in_which_they_were_posted)
{
    static struct work works[MANY];
    begin();
    atomic_store(&order, 0);
    for (int i = 0; i < MANY; i++)
        post(&works[i]);
    end();
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_eq(works[i].number, i);
        ck_assert(pthread_equal(works[i].thread, works[0].thread));
        ck_assert(!pthread_equal(works[i].thread, pthread_self()));
    }
}
END_TEST

static void run_blocked(struct core_job *job)
{
    struct work *work = (struct work *)job;
    core_service_block();
    sem_wait(work->hold);
    core_service_unblock();
    sem_post(work->done);
}

START_TEST(while_a_job_blocks_another_thread_takes_the_next_one)
{
    sem_t hold, done;
    struct work blocked = {.job = {.run = run_blocked}, .hold = &hold, .done = &done};
    struct work next    = {.done = &done};
    struct work last    = {.done = &done};
    begin();
    sem_init(&hold, 0, 0);
    sem_init(&done, 0, 0);
    core_service_post(service, &blocked.job);
    post(&next);
    sem_wait(&done);
    sem_post(&hold);
    sem_wait(&done);
    /* There may be one thread too many now, but never too few. */
    post(&last);
    sem_wait(&done);
    end();
    sem_destroy(&hold);
    sem_destroy(&done);
}
END_TEST

START_TEST(outside_of_the_service_blocking_means_nothing)
{
    begin();
    core_service_block();
    core_service_unblock();
    end();
}
END_TEST

static void end_context(struct core_job *job)
{
    struct work *work = (struct work *)job;
    trm_context_destroy(context);
    sem_post(work->done);
}

START_TEST(the_context_may_end_on_its_own_service_thread)
{
    sem_t done;
    struct work work = {.job = {.run = end_context}, .done = &done};
    begin();
    sem_init(&done, 0, 0);
    core_service_post(service, &work.job);
    sem_wait(&done);
    while (atomic_load(&counting.blocks) != 0)
        usleep(1000);
    counting_is_balanced(&counting);
    sem_destroy(&done);
}
END_TEST

static sigset_t mask_seen;

static void look_at_mask(struct core_job *job)
{
    (void)job;
    pthread_sigmask(SIG_SETMASK, NULL, &mask_seen);
}

START_TEST(signals_are_for_the_programs_own_threads)
{
    struct work work = {.job = {.run = look_at_mask}};
    sigset_t own;
    begin();
    core_service_post(service, &work.job);
    end();
    ck_assert(sigismember(&mask_seen, SIGINT));
    ck_assert(sigismember(&mask_seen, SIGALRM));
    pthread_sigmask(SIG_SETMASK, NULL, &own);
    ck_assert(!sigismember(&own, SIGALRM));
}
END_TEST

/* The fields of two streams that callbacks read. */
static struct core_stream streams[2];

static void begin_streams(void)
{
    begin();
    for (int i = 0; i < 2; i++)
        streams[i].object.context = core_context_find(context);
}

START_TEST(a_thread_knows_which_callbacks_it_runs)
{
    struct core_callback_frame outer, inner;
    const struct core_stream *a = &streams[0], *b = &streams[1];
    uint64_t value;
    begin_streams();
    ck_assert_ptr_null(core_callback_current(&value));
    ck_assert(!core_callback_is_inside(a));
    core_callback_push(&outer, a, 5);
    ck_assert_ptr_eq(core_callback_current(&value), a);
    ck_assert_uint_eq(value, 5);
    core_callback_push(&inner, b, 9);
    ck_assert_ptr_eq(core_callback_current(NULL), b);
    ck_assert(core_callback_is_inside(a));
    ck_assert(core_callback_would_deadlock(a, 5));
    ck_assert(!core_callback_would_deadlock(a, 4));
    ck_assert(core_callback_would_deadlock(b, 10));
    core_callback_pop(&inner);
    ck_assert(!core_callback_would_deadlock(b, 10));
    core_callback_pop(&outer);
    ck_assert_ptr_null(core_callback_current(NULL));
    end();
}
END_TEST

START_TEST(a_child_forked_in_a_callback_runs_none)
{
    struct core_callback_frame frame;
    int status;
    begin_streams();
    core_callback_push(&frame, &streams[0], 5);
    pid_t child = fork();
    if (child == 0)
        _exit(core_callback_current(NULL) == NULL && !core_callback_would_deadlock(&streams[0], 5) ? 0 : 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_ptr_eq(core_callback_current(NULL), &streams[0]);
    core_callback_pop(&frame);
    end();
}
END_TEST

static int count_threads(void)
{
    int count    = 0;
    DIR *threads = opendir("/proc/self/task");
    if (threads == NULL)
        return -1;
    for (const struct dirent *entry; (entry = readdir(threads)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(threads);
    return count;
}

/* A job without a callback, as the functions of tasks are, while another job waits behind it. */
static void run_fork(struct core_job *job)
{
    static struct core_job unused;
    struct work *work = (struct work *)job;
    sem_wait(work->hold);
    pid_t child = fork();
    if (child == 0) {
        /* In the parent another thread would take the next job now. An emulator may have a thread of its
         * own. */
        int before = count_threads();
        core_service_block();
        int threads = count_threads();
        core_service_unblock();
        _exit(threads == before && !core_service_post_own(&unused) ? 0 : 1);
    }
    waitpid(child, &work->number, 0);
    sem_post(work->done);
}

START_TEST(a_child_forked_in_a_job_is_no_thread_of_the_service)
{
    sem_t hold, done;
    struct work forks = {.job = {.run = run_fork}, .hold = &hold, .done = &done};
    struct work next  = {.done = &done};
    begin();
    sem_init(&hold, 0, 0);
    sem_init(&done, 0, 0);
    core_service_post(service, &forks.job);
    post(&next);
    sem_post(&hold);
    sem_wait(&done);
    sem_wait(&done);
    end();
    ck_assert_int_eq(forks.number, 0);
    sem_destroy(&hold);
    sem_destroy(&done);
}
END_TEST

static void run_post_own(struct core_job *job)
{
    struct work *work = (struct work *)job;
    work->number      = core_service_post_own(&work->next->job);
}

START_TEST(a_job_may_post_another_one_for_its_own_service)
{
    sem_t done;
    struct work next  = {.job = {.run = run_work}, .done = &done};
    struct work first = {.job = {.run = run_post_own}, .next = &next};
    begin();
    sem_init(&done, 0, 0);
    ck_assert(!core_service_post_own(&next.job));
    core_service_post(service, &first.job);
    sem_wait(&done);
    end();
    ck_assert_int_eq(first.number, 1);
    sem_destroy(&done);
}
END_TEST

START_TEST(without_memory_there_is_no_service_but_an_error)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {.struct_size = sizeof(desc), .allocator = &allocator};
    memset(&counting, 0, sizeof(counting));
    OK(trm_context_create(&desc, &context));
    counting.fail_from = 1;
    ck_assert_int_eq(core_service_get(core_context_find(context), &service), TRM_ERROR_OUT_OF_HOST_MEMORY);
    counting.fail_from = 0;
    OK(core_service_get(core_context_find(context), &service));
    end();
}
END_TEST

START_TEST(a_deadline_that_is_beyond_the_clock_never_comes)
{
    ck_assert_uint_eq(base_deadline(TRM_FOREVER), BASE_NEVER);
    ck_assert_uint_eq(base_deadline(TRM_FOREVER - 1), BASE_NEVER);
    ck_assert_uint_eq(base_remaining(BASE_NEVER), TRM_FOREVER);
    ck_assert_uint_eq(base_remaining(base_now()), 0);
    uint64_t left = base_remaining(base_deadline(1000000000));
    ck_assert(left > 0 && left <= 1000000000);
}
END_TEST

/* The thread may spin for more jobs, but not for long. */
START_TEST(without_jobs_the_thread_uses_no_processor_time)
{
    static struct work works[MANY];
    struct timespec before, after, pause = {0, 300000000};
    begin();
    for (int i = 0; i < MANY; i++) /* in quick succession */
        post(&works[i]);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    int64_t used = (int64_t)(after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
    ck_assert_int_lt(used, 100000000);
    end();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("service");
    TCase *all   = tcase_create("service");
    tcase_add_test(all, jobs_run_in_the_order_in_which_they_were_posted);
    tcase_add_test(all, without_jobs_the_thread_uses_no_processor_time);
    tcase_add_test(all, while_a_job_blocks_another_thread_takes_the_next_one);
    tcase_add_test(all, outside_of_the_service_blocking_means_nothing);
    tcase_add_test(all, the_context_may_end_on_its_own_service_thread);
    tcase_add_test(all, signals_are_for_the_programs_own_threads);
    tcase_add_test(all, a_thread_knows_which_callbacks_it_runs);
    tcase_add_test(all, a_child_forked_in_a_callback_runs_none);
    tcase_add_test(all, a_child_forked_in_a_job_is_no_thread_of_the_service);
    tcase_add_test(all, a_job_may_post_another_one_for_its_own_service);
    tcase_add_test(all, without_memory_there_is_no_service_but_an_error);
    tcase_add_test(all, a_deadline_that_is_beyond_the_clock_never_comes);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(suite)
