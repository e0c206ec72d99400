/* The coordinator: waiting for tasks, their callbacks, their ends, and many of them.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "tasks.h"

#include <pthread.h>
#include <sched.h>

/* ---- waiting -------------------------------------------------------------------------------- */

START_TEST(waiting_for_any_gives_the_first_that_is_done)
{
    atomic_int go = 0;
    uint32_t which;
    ck_ok(add_host(1, stand, &go, AFTER_NOTHING));
    ck_ok(add_nothing(2, NULL, AFTER(1)));
    ck_ok(trm_coordinator_submit(coordinator));
    which = 99;
    ck_status(trm_coordinator_wait_any(coordinator, (const uint64_t[]){2, 1}, 2, 0, &which),
              TRM_ERROR_TIMEOUT);
    uint64_t before = now_ns();
    ck_status(trm_coordinator_wait_any(coordinator, (const uint64_t[]){2, 1}, 2, 20000000, &which),
              TRM_ERROR_TIMEOUT);
    ck_assert(now_ns() - before >= 20000000);
    ck_assert_uint_eq(which, 99);
    ck_ok(add_nothing(3, NULL, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_any(coordinator, (const uint64_t[]){1, 3, 2, 3}, 4, LONG_NS, &which));
    ck_assert_uint_eq(which, 1);
    atomic_store(&go, 1);
    ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
    ck_ok(trm_coordinator_wait_any(coordinator, (const uint64_t[]){1, 3, 2}, 3, LONG_NS, &which));
    ck_assert_uint_eq(which, 0);
}
END_TEST

START_TEST(a_failed_task_counts_for_waiting_for_any_and_its_failure_is_told)
{
    atomic_int go = 0;
    uint32_t which;
    if (functions_missing())
        return;
    ck_ok(add_host(1, stand, &go, AFTER_NOTHING));
    ck_ok(add_nothing(2, NULL, AFTER(1)));
    ck_ok(add_failing(3, NULL, 81, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_status(trm_coordinator_wait_any(coordinator, (const uint64_t[]){2, 3}, 2, LONG_NS, &which),
              TRM_ERROR_KERNEL);
    ck_assert_uint_eq(which, 1);
    atomic_store(&go, 1);
    ck_status(trm_coordinator_wait_all(coordinator, LONG_NS), TRM_ERROR_KERNEL);
}
END_TEST

START_TEST(waiting_for_what_is_not_there_is_refused)
{
    uint32_t which = 99;
    ck_ok(add_nothing(1, NULL, AFTER_NOTHING));
    ck_status(trm_coordinator_wait(coordinator, 1, LONG_NS), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_coordinator_wait(coordinator, 2, LONG_NS), TRM_ERROR_NOT_FOUND);
    ck_status(trm_coordinator_poll(coordinator, 2), TRM_ERROR_NOT_FOUND);
    ck_status(trm_coordinator_wait_any(coordinator, (const uint64_t[]){2}, 1, 0, &which),
              TRM_ERROR_NOT_FOUND);
    ck_status(trm_coordinator_wait_any(coordinator, NULL, 0, 0, &which), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_coordinator_wait_any(coordinator, NULL, 1, 0, &which), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(which, 99);
}
END_TEST

START_TEST(forgetting_leaves_what_is_not_done)
{
    atomic_int go = 0;
    ck_ok(add_host(1, stand, &go, AFTER_NOTHING));
    ck_ok(add_nothing(2, NULL, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 2, LONG_NS));
    ck_ok(add_nothing(3, NULL, AFTER_NOTHING));
    ck_ok(trm_coordinator_forget(coordinator));
    ck_status(trm_coordinator_poll(coordinator, 1), TRM_ERROR_TIMEOUT);
    ck_status(trm_coordinator_poll(coordinator, 2), TRM_ERROR_NOT_FOUND);
    ck_status(trm_coordinator_poll(coordinator, 3), TRM_ERROR_TIMEOUT);
    atomic_store(&go, 1);
    ck_ok(trm_coordinator_wait(coordinator, 1, LONG_NS));
}
END_TEST

/* ---- callbacks ------------------------------------------------------------------------------ */

struct told {
    atomic_int count;
    int32_t status;
    pthread_t thread;
};

static void tell(void *user, int32_t status)
{
    struct told *told = user;
    told->status      = status;
    told->thread      = pthread_self();
    atomic_fetch_add(&told->count, 1);
}

START_TEST(each_task_is_told_once_how_it_ended_on_a_thread_of_the_library)
{
    struct told told[4] = {0};
    if (functions_missing())
        return;
    ck_ok(add_failing(10, NULL, 5, AFTER_NOTHING));
    for (uint64_t i = 0; i < 4; i++) {
        struct trm_task task = task_of(TRM_TASK_NOTHING, i + 1, AFTER(10));
        task.after_count     = i % 2;
        task.done            = tell;
        task.user            = &told[i];
        ck_ok(trm_coordinator_add(coordinator, &task));
    }
    ck_ok(trm_coordinator_submit(coordinator));
    ck_status(trm_coordinator_wait_all(coordinator, LONG_NS), TRM_ERROR_KERNEL);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(atomic_load(&told[i].count), 1);
        ck_assert_int_eq(told[i].status, i % 2 ? TRM_ERROR_KERNEL : TRM_OK);
        ck_assert(!pthread_equal(told[i].thread, pthread_self()));
    }
}
END_TEST

/* Each task's callback adds and submits the next. */
struct relay {
    atomic_int count;
    int32_t wrong;
    uint64_t id;
    int last;
};

static void pass_on(void *user, int32_t status)
{
    struct relay *relay = user;
    int count           = atomic_fetch_add(&relay->count, 1) + 1;
    if (status != TRM_OK)
        relay->wrong = status;
    if (count == relay->last)
        return;
    struct trm_task task = task_of(TRM_TASK_NOTHING, ++relay->id, AFTER_NOTHING);
    if (count % 2) {
        task.kind = TRM_TASK_HOST;
        task.host = pass_on;
    } else {
        task.done = pass_on;
    }
    task.user        = user;
    int32_t answered = trm_coordinator_add(coordinator, &task);
    if (answered == TRM_OK)
        answered = trm_coordinator_submit(coordinator);
    if (answered != TRM_OK)
        relay->wrong = answered;
}

START_TEST(a_callback_may_add_and_submit_further_tasks)
{
    struct relay relay = {.id = 1, .last = 200};
    ck_ok(add_host(1, pass_on, &relay, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    for (uint64_t end = now_ns() + LONG_NS; atomic_load(&relay.count) < relay.last && now_ns() < end;)
        ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
    ck_assert_int_eq(atomic_load(&relay.count), relay.last);
    ck_assert_int_eq(relay.wrong, TRM_OK);
    ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
}
END_TEST

struct waiting {
    atomic_int runs;
    int32_t own, later, all, destroyed, other, any, poll;
    uint32_t which;
};

static void wait_inside(void *user, int32_t status)
{
    struct waiting *waiting = user;
    (void)status;
    waiting->own   = trm_coordinator_wait(coordinator, 1, TRM_FOREVER);
    waiting->later = trm_coordinator_wait(coordinator, 3, LONG_NS);
    waiting->all   = trm_coordinator_wait_all(coordinator, TRM_FOREVER);
    waiting->poll  = trm_coordinator_poll(coordinator, 3);
    trm_coordinator_destroy(coordinator);
    waiting->destroyed = trm_last_error().status;
    waiting->other     = trm_coordinator_wait(coordinator, 5, TRM_FOREVER);
    waiting->any =
        trm_coordinator_wait_any(coordinator, (const uint64_t[]){1, 6}, 2, TRM_FOREVER, &waiting->which);
    atomic_fetch_add(&waiting->runs, 1);
}

START_TEST(a_task_that_waits_for_itself_or_what_comes_after_it_is_told_of_the_deadlock)
{
    struct waiting waiting = {0};
    atomic_int ran         = 0;
    ck_ok(add_host(1, wait_inside, &waiting, AFTER_NOTHING));
    ck_ok(add_nothing(2, NULL, AFTER(1)));
    ck_ok(add_nothing(3, NULL, AFTER(4, 2)));
    ck_ok(add_nothing(4, NULL, AFTER_NOTHING));
    ck_ok(add_host(5, count_up, &ran, AFTER(4)));
    ck_ok(add_host(6, count_up, &ran, AFTER(5)));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
    ck_assert_int_eq(atomic_load(&waiting.runs), 1);
    ck_assert_int_eq(waiting.own, TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(waiting.later, TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(waiting.all, TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(waiting.poll, TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(waiting.destroyed, TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(waiting.other, TRM_OK);
    ck_assert_int_eq(waiting.any, TRM_OK);
    ck_assert_uint_eq(waiting.which, 1);
    ck_assert_int_eq(atomic_load(&ran), 2);
}
END_TEST

static void wait_when_told(void *user, int32_t status)
{
    struct waiting *waiting = user;
    (void)status;
    waiting->own   = trm_coordinator_wait(coordinator, 1, TRM_FOREVER);
    waiting->later = trm_coordinator_wait(coordinator, 2, TRM_FOREVER);
    atomic_fetch_add(&waiting->runs, 1);
}

START_TEST(when_told_that_a_task_has_ended_one_may_wait_for_those_after_it)
{
    struct waiting waiting = {0};
    struct trm_task task   = task_of(TRM_TASK_NOTHING, 1, AFTER_NOTHING);
    atomic_int ran         = 0;
    task.done              = wait_when_told;
    task.user              = &waiting;
    ck_ok(trm_coordinator_add(coordinator, &task));
    ck_ok(add_host(2, count_up, &ran, AFTER(1)));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 1, LONG_NS));
    ck_assert_int_eq(atomic_load(&waiting.runs), 1);
    ck_assert_int_eq(waiting.own, TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(waiting.later, TRM_OK);
    ck_assert_int_eq(atomic_load(&ran), 1);
}
END_TEST

/* ---- ends ----------------------------------------------------------------------------------- */

START_TEST(destroying_drops_what_was_not_submitted_and_waits_for_the_rest)
{
    static uint32_t in[N], out[N];
    if (kernels_missing())
        return;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    for (unsigned round = 0; round < scaled(50, 10); round++) {
        atomic_int ran = 0;
        for (uint32_t i = 0; i < N; i++)
            in[i] = round;
        ck_ok(add_upload(1, buffer, in, AFTER_NOTHING));
        for (uint64_t id = 2; id < 20; id++)
            ck_ok(add_affine(id, buffer, 1, 1, AFTER(id - 1)));
        struct trm_task task  = task_of(TRM_TASK_DOWNLOAD, 20, AFTER(19));
        task.source           = trm_span_whole(buffer);
        task.host_destination = out;
        task.done             = count_up;
        task.user             = &ran;
        ck_ok(trm_coordinator_add(coordinator, &task));
        ck_ok(add_host(21, count_up, &ran, AFTER(20)));
        ck_ok(trm_coordinator_submit(coordinator));
        ck_ok(add_host(22, count_up, &ran, AFTER(20)));
        trm_coordinator_destroy(coordinator);
        ck_assert_int_eq(atomic_load(&ran), 2);
        ck_all(out, round + 18);
        ck_status(trm_coordinator_poll(coordinator, 1), TRM_ERROR_INVALID_HANDLE);
        open_coordinator();
    }
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(destroying_ends_callbacks_that_would_go_on_for_ever)
{
    struct relay relay = {.id = 1, .last = -1};
    ck_ok(add_host(1, pass_on, &relay, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    for (uint64_t end = now_ns() + LONG_NS; atomic_load(&relay.count) == 0 && now_ns() < end;)
        sched_yield();
    ck_assert_int_gt(atomic_load(&relay.count), 0);
    trm_coordinator_destroy(coordinator);
    coordinator = NULL;
    ck_assert_int_eq(relay.wrong, TRM_ERROR_CANCELLED);
}
END_TEST

START_TEST(a_coordinator_keeps_its_device)
{
    static uint32_t in[N];
    struct trm_device *device        = open_device(the.context);
    struct trm_buffer *buffer        = make_buffer(device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_coordinator *first    = coordinator;
    struct trm_coordinator_desc desc = {.struct_size = 4};
    ck_status(trm_coordinator_create(device, &desc, &coordinator), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_coordinator_create(device, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_coordinator_create(NULL, NULL, &coordinator), TRM_ERROR_INVALID_HANDLE);
    ck_ok(trm_coordinator_create(device, NULL, &coordinator));
    trm_device_destroy(device);
    ck_ok(add_upload(1, buffer, in, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 1, LONG_NS));
    trm_coordinator_destroy(coordinator);
    trm_buffer_destroy(buffer);
    coordinator = first;
}
END_TEST

/* ---- many ----------------------------------------------------------------------------------- */

/* What ran, in order. */
struct history {
    atomic_uint count;
    uint32_t *position; /* of each task; 0: it did not run */
};

struct writer {
    struct history *history;
    uint32_t number;
};

static void write_down(void *user, int32_t status)
{
    const struct writer *writer = user;
    (void)status;
    writer->history->position[writer->number] = 1 + atomic_fetch_add(&writer->history->count, 1);
}

START_TEST(a_random_graph_of_many_tasks_runs_in_order)
{
    uint32_t count = scaled(10000, 1000), state = 12345;
    struct history history   = {.position = calloc(count + 1, sizeof(uint32_t))};
    struct writer *writers   = calloc(count + 1, sizeof(*writers));
    uint64_t(*after)[4]      = calloc(count + 1, sizeof(*after));
    uint32_t *ids            = calloc(count, sizeof(*ids));
    struct trm_buffer *large = make_buffer(the.device, TRM_MEMORY_DEVICE, count + 1);
    uint8_t byte             = 0;
    for (uint32_t i = 0; i < count; i++)
        ids[i] = i + 1;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = next_random(&state) % i, kept = ids[i - 1];
        ids[i - 1] = ids[other];
        ids[other] = kept;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id          = ids[i];
        struct trm_task task = task_of(TRM_TASK_HOST, id, after[id], id > 4 ? 4 : 0);
        for (uint32_t k = 0; k < 4; k++)
            after[id][k] = 1 + next_random(&state) % (id > 1 ? id - 1 : 1);
        writers[id] = (struct writer){&history, id};
        task.user   = &writers[id];
        if (id % 5 == 0) {
            task.kind        = TRM_TASK_UPLOAD;
            task.destination = trm_span_of(large, id, 1);
            task.host_source = &byte;
            task.done        = write_down;
        } else if (id % 7 == 0) {
            task.kind = TRM_TASK_NOTHING;
            task.done = write_down;
        } else {
            task.host = write_down;
        }
        task.priority = (int32_t)(next_random(&state) % 3) - 1;
        ck_ok(trm_coordinator_add(coordinator, &task));
    }
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, 6 * LONG_NS));
    ck_assert_uint_eq(atomic_load(&history.count), count);
    /* The callback of a task may run after tasks that depend on the task. */
    for (uint32_t id = 5; id <= count; id++)
        for (uint32_t k = 0; k < 4; k++)
            if (after[id][k] % 5 != 0 && after[id][k] % 7 != 0)
                ck_assert_uint_gt(history.position[id], history.position[after[id][k]]);
    trm_buffer_destroy(large);
    free(ids);
    free(after);
    free(writers);
    free(history.position);
}
END_TEST

/* Tasks of all kinds that depend on each other: a task fails if and only if it fails itself or depends on a
 * task that fails. */
START_TEST(in_a_random_graph_exactly_those_fail_that_come_after_a_failure)
{
    enum {
        MOST = 1500
    };
    static bool fails[MOST + 1];
    static uint8_t bytes[MOST + 1];
    uint32_t count = scaled(MOST, 300), state = 99;
    atomic_int ran = 0;
    int expected   = 0;
    if (functions_missing())
        return;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, MOST + 1);
    for (uint32_t id = 1; id <= count; id++) {
        uint64_t after[3];
        uint32_t kind = next_random(&state) % 40, befores = id > 3 ? next_random(&state) % 4 : 0;
        fails[id] = kind == 0;
        for (uint32_t k = 0; k < befores; k++) {
            after[k]  = id - 1 - next_random(&state) % (id < 30 ? id - 1 : 30);
            fails[id] = fails[id] || fails[after[k]];
        }
        if (kind == 0) {
            ck_ok(add_failing(id, NULL, 7, after, befores));
        } else if (kind < 10) {
            ck_ok(add_nothing(id, NULL, after, befores));
        } else if (kind < 20) {
            ck_ok(add_host(id, count_up, &ran, after, befores));
            expected += !fails[id];
        } else {
            struct trm_task task =
                task_of(kind < 30 ? TRM_TASK_UPLOAD : TRM_TASK_DOWNLOAD, id, after, befores);
            task.destination      = trm_span_of(buffer, id, 1);
            task.source           = trm_span_of(buffer, id, 1);
            task.host_source      = &bytes[id];
            task.host_destination = &bytes[id];
            ck_ok(trm_coordinator_add(coordinator, &task));
        }
        if (id % 100 == 0)
            ck_ok(trm_coordinator_submit(coordinator));
    }
    ck_ok(trm_coordinator_submit(coordinator));
    ck_status(trm_coordinator_wait_all(coordinator, LONG_NS), TRM_ERROR_KERNEL);
    for (uint32_t id = 1; id <= count; id++)
        ck_status(trm_coordinator_poll(coordinator, id), fails[id] ? TRM_ERROR_KERNEL : TRM_OK);
    ck_assert_int_eq(atomic_load(&ran), expected);
    trm_buffer_destroy(buffer);
}
END_TEST

/* Each thread's tasks depend on one another, and on tasks of other threads that are known to be submitted. */
enum {
    THREADS = 4,
    EACH    = 500
};

struct adder {
    pthread_t thread;
    uint32_t number;
    struct history *history;
    struct writer writers[EACH];
    uint64_t after[EACH][2];
    int32_t status;
};

static atomic_uint submitted[THREADS];

static int32_t add_one(struct adder *adder, uint32_t i, uint32_t *state)
{
    uint64_t id    = 1 + adder->number * EACH + i;
    uint32_t other = next_random(state) % THREADS, known = atomic_load(&submitted[other]), count = 0;
    uint64_t after[2];
    if (i > 0)
        after[count++] = id - 1 - next_random(state) % i;
    if (known > 0)
        after[count++] = 1 + other * EACH + next_random(state) % known;
    for (uint32_t k = 0; k < count; k++)
        adder->after[i][k] = after[k];
    adder->writers[i] = (struct writer){adder->history, (uint32_t)id};
    return add_host(id, write_down, &adder->writers[i], after, count);
}

static void *add_many(void *user)
{
    struct adder *adder = user;
    uint32_t state = 77 + adder->number, rounds = scaled(EACH, EACH / 4);
    for (uint32_t i = 0; i < rounds && adder->status == TRM_OK; i++) {
        adder->status = add_one(adder, i, &state);
        if (adder->status == TRM_OK && (i % 10 == 9 || i + 1 == rounds)) {
            adder->status = trm_coordinator_submit(coordinator);
            atomic_store(&submitted[adder->number], i + 1);
        }
        if (i % 50 == 0)
            trm_coordinator_wait(coordinator, 1 + adder->number * EACH + i / 2, 1000000);
    }
    return NULL;
}

START_TEST(several_threads_may_add_and_submit_at_once)
{
    static struct adder adders[THREADS];
    struct history history = {.position = calloc(THREADS * EACH + 1, sizeof(uint32_t))};
    uint32_t rounds        = scaled(EACH, EACH / 4);
    for (uint32_t t = 0; t < THREADS; t++) {
        memset(&adders[t], 0, sizeof(adders[t]));
        adders[t].number  = t;
        adders[t].history = &history;
        atomic_store(&submitted[t], 0);
    }
    for (uint32_t t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&adders[t].thread, NULL, add_many, &adders[t]), 0);
    for (uint32_t t = 0; t < THREADS; t++)
        pthread_join(adders[t].thread, NULL);
    for (uint32_t t = 0; t < THREADS; t++)
        ck_assert_int_eq(adders[t].status, TRM_OK);
    ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
    ck_assert_uint_eq(atomic_load(&history.count), THREADS * rounds);
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t i = 0; i < rounds; i++)
            for (uint32_t k = 0; k < 2 && adders[t].after[i][k] != 0; k++)
                ck_assert_uint_gt(history.position[1 + t * EACH + i],
                                  history.position[adders[t].after[i][k]]);
    free(history.position);
}
END_TEST

void add_coordinator_wait(Suite *suite)
{
    TCase *group = group_with_coordinator(suite, "coordinator: waiting and callbacks");
    CASE(group, waiting_for_any_gives_the_first_that_is_done);
    CASE(group, a_failed_task_counts_for_waiting_for_any_and_its_failure_is_told);
    CASE(group, waiting_for_what_is_not_there_is_refused);
    CASE(group, forgetting_leaves_what_is_not_done);
    CASE(group, each_task_is_told_once_how_it_ended_on_a_thread_of_the_library);
    CASE(group, a_callback_may_add_and_submit_further_tasks);
    CASE(group, a_task_that_waits_for_itself_or_what_comes_after_it_is_told_of_the_deadlock);
    CASE(group, when_told_that_a_task_has_ended_one_may_wait_for_those_after_it);
    CASE(group, destroying_drops_what_was_not_submitted_and_waits_for_the_rest);
    CASE(group, destroying_ends_callbacks_that_would_go_on_for_ever);
    CASE(group, a_coordinator_keeps_its_device);

    group = group_with_coordinator(suite, "coordinator: many tasks");
    CASE(group, a_random_graph_of_many_tasks_runs_in_order);
    CASE(group, in_a_random_graph_exactly_those_fail_that_come_after_a_failure);
    CASE(group, several_threads_may_add_and_submit_at_once);
}
