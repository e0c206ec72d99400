/* Lives: destroying with work in flight, in any order; what keeps what alive; the leak report.
 * SPDX-License-Identifier: MIT
 */
#include "calls.h"
#include "groups.h"
#include "hold.h"
#include "kernels.h"

#include <pthread.h>
#include <stdatomic.h>

static struct trm_device_usage usage_of(struct trm_device *device)
{
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    ck_ok(trm_device_get_usage(device, &usage));
    return usage;
}

/* ---- work in flight ---- */

START_TEST(work_goes_on_when_everything_it_uses_has_been_destroyed)
{
    enum {
        BYTES = 100000
    };
    static uint8_t sent[BYTES], got[BYTES];
    for (struct rounds rounds = rounds_of(scaled(100, 10), 2); rounds_left(&rounds); rounds.number++) {
        uint32_t i                  = rounds.number;
        struct trm_context *context = open_context();
        struct trm_device *device   = open_device(context);
        struct trm_stream *stream = NULL, *second = NULL;
        struct trm_event *event = NULL;
        ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &second));
        ck_ok(trm_event_create(device, 0, &event));
        struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, BYTES);
        struct trm_buffer *copy   = make_buffer(device, TRM_MEMORY_DEVICE, BYTES);
        pattern_make(sent, BYTES, i);
        ck_ok(trm_upload(stream, trm_span_whole(buffer), sent));
        ck_ok(trm_copy(stream, trm_span_whole(copy), trm_span_whole(buffer)));
        ck_ok(trm_event_record(event, stream));
        ck_ok(trm_stream_wait_event(second, event));
        ck_ok(trm_download(second, got, trm_span_whole(copy)));
        trm_context_destroy(context);
        trm_device_destroy(device);
        trm_buffer_destroy(buffer);
        trm_event_destroy(event);
        trm_buffer_destroy(copy);
        if (i % 2)
            trm_stream_destroy(stream);
        trm_stream_destroy(second);
        if (i % 2 == 0)
            trm_stream_destroy(stream);
        ck_pattern(got, BYTES, i);
    }
}
END_TEST

START_TEST(launches_go_on_when_everything_they_use_has_been_destroyed)
{
    if (kernels_missing())
        return;
    enum {
        N        = 20000,
        LAUNCHES = 20
    };
    static uint32_t got[N];
    for (uint32_t i = 0; i < scaled(50, 5); i++) {
        struct trm_module *module = load_kernels(the.device);
        struct trm_kernel *used   = NULL;
        struct trm_stream *stream = NULL;
        struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(got));
        uint32_t expected         = i;
        ck_ok(trm_kernel_get(module, "affine", &used));
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        ck_ok(trm_fill(stream, trm_span_whole(buffer), i, 4));
        for (uint32_t n = 0; n < LAUNCHES; n++) {
            ck_ok(launch_affine_with(stream, used, buffer, N, 3, n));
            expected = expected * 3 + n;
        }
        ck_ok(trm_download(stream, got, trm_span_whole(buffer)));
        trm_buffer_destroy(buffer);
        trm_module_destroy(module);
        trm_kernel_destroy(used);
        trm_stream_destroy(stream);
        ck_words(got, N, expected);
    }
}
END_TEST

START_TEST(a_stream_that_others_wait_for_may_be_destroyed_first)
{
    struct trm_stream *waiting[4];
    for (unsigned round = 0; round < scaled(50, 5); round++) {
        struct trm_stream *first  = NULL;
        struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
        struct trm_point point;
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &first));
        struct hold *hold = hold_begin(first);
        ck_ok(trm_fill(first, trm_span_whole(buffer), round, 1));
        ck_ok(trm_stream_mark(first, &point));
        for (int i = 0; i < 4; i++) {
            ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &waiting[i]));
            ck_ok(trm_stream_wait(waiting[i], point));
        }
        hold_end_after(hold, 1);
        trm_stream_destroy(first);
        for (int i = 0; i < 4; i++) {
            uint8_t got = 0;
            get(waiting[i], buffer, 63, &got, 1);
            ck_assert_uint_eq(got, round & 255);
            trm_stream_destroy(waiting[i]);
        }
        trm_buffer_destroy(buffer);
        holds_open_all();
    }
}
END_TEST

/* ---- any order ---- */

/* Every object, some of them in use, destroyed in many random orders. */
START_TEST(objects_may_be_destroyed_in_any_order)
{
    static uint8_t host[64];
    uint32_t state = 1234;
    for (struct rounds rounds = rounds_of(scaled(300, 40), 3); rounds_left(&rounds); rounds.number++) {
        struct objects objects;
        int order[HANDLE_TYPES];
        objects_make(&objects);
        struct trm_stream *stream = objects.handles[OF_STREAM];
        struct trm_span span      = trm_span_whole(objects.handles[OF_BUFFER]);
        ck_ok(trm_upload(stream, span, host));
        ck_ok(trm_event_record(objects.handles[OF_EVENT], stream));
        ck_ok(trm_download(stream, host, span));
        if (objects.handles[OF_KERNEL]) {
            ck_ok(
                launch_affine_with(stream, objects.handles[OF_KERNEL], objects.handles[OF_BUFFER], 16, 3, 1));
        }
        for (int i = 0; i < HANDLE_TYPES; i++)
            order[i] = i;
        for (int i = HANDLE_TYPES - 1; i > 0; i--) {
            int other    = (int)(next_random(&state) % (uint32_t)(i + 1));
            int kept     = order[i];
            order[i]     = order[other];
            order[other] = kept;
        }
        for (int i = 0; i < HANDLE_TYPES; i++) {
            if (i == (int)(rounds.number % HANDLE_TYPES))
                trm_stream_pool_destroy(objects.group_pool);
            destroy_handle((enum handle_type)order[i], objects.handles[order[i]]);
        }
    }
}
END_TEST

START_TEST(children_keep_a_destroyed_device_and_context_alive)
{
    struct objects objects;
    uint64_t size = 0;
    objects_make(&objects);
    trm_context_destroy(objects.handles[OF_CONTEXT]);
    trm_device_destroy(objects.handles[OF_DEVICE]);
    struct trm_stream *stream = objects.handles[OF_STREAM];
    ck_ok(trm_buffer_size(objects.handles[OF_BUFFER], &size));
    put_pattern(stream, objects.handles[OF_BUFFER], 64, 5);
    ck_buffer_pattern(stream, objects.handles[OF_BUFFER], 64, 5);
    ck_ok(trm_event_record(objects.handles[OF_EVENT], stream));
    ck_ok(trm_event_wait(objects.handles[OF_EVENT], TRM_FOREVER));
    uint32_t numbers[16];
    ck_ok(trm_array_download(objects.handles[OF_ARRAY], TRM_TYPE_U32, 0, 16, numbers));
    ck_ok(trm_array_upload(objects.handles[OF_ARRAY], TRM_TYPE_U32, 0, 16, numbers));
    for (int type = OF_STREAM; type < HANDLE_TYPES; type++)
        destroy_handle((enum handle_type)type, objects.handles[type]);
    trm_stream_pool_destroy(objects.group_pool);
}
END_TEST

START_TEST(nothing_of_a_device_is_left_when_its_objects_are_destroyed)
{
    struct trm_device_usage before = usage_of(the.device);
    for (unsigned round = 0; round < scaled(200, 20); round++) {
        struct trm_stream *stream = NULL;
        struct trm_event *event   = NULL;
        struct trm_array *array   = NULL;
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        ck_ok(trm_event_create(the.device, TRM_EVENT_TIMING, &event));
        ck_ok(trm_array_create(the.device, TRM_TYPE_F32, 100, TRM_MEMORY_DEVICE, NULL, &array));
        struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 5000);
        ck_ok(trm_fill(stream, trm_span_whole(buffer), 1, 1));
        ck_ok(trm_event_record(event, stream));
        trm_buffer_destroy(buffer); /* used by work, still */
        trm_event_destroy(event);
        trm_array_destroy(array);
        trm_stream_destroy(stream);
    }
    struct trm_device_usage after = usage_of(the.device);
    ck_assert_uint_eq(after.streams, before.streams);
    ck_assert_uint_eq(after.events, before.events);
    ck_assert_uint_eq(after.buffers, before.buffers);
    ck_assert_uint_eq(after.buffer_bytes, before.buffer_bytes);
}
END_TEST

/* ---- destroyed by another thread ---- */

static void *destroy_stream(void *user)
{
    trm_stream_destroy(user);
    return NULL;
}

START_TEST(an_object_may_be_destroyed_by_another_thread)
{
    for (unsigned i = 0; i < scaled(200, 20); i++) {
        struct trm_stream *stream = NULL;
        struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100);
        pthread_t thread;
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        ck_ok(trm_fill(stream, trm_span_whole(buffer), i, 1));
        ck_assert_int_eq(pthread_create(&thread, NULL, destroy_stream, stream), 0);
        pthread_join(thread, NULL);
        ck_status(trm_stream_query(stream), TRM_ERROR_INVALID_HANDLE);
        uint8_t got = 0;
        get(the.stream, buffer, 50, &got, 1);
        ck_assert_uint_eq(got, i & 255);
        trm_buffer_destroy(buffer);
    }
}
END_TEST

struct late_wait {
    struct trm_point point;
    atomic_int begun;
    int32_t status;
};

static void *wait_for_point(void *user)
{
    struct late_wait *wait = user;
    atomic_store(&wait->begun, 1);
    wait->status = trm_point_wait(wait->point, TRM_FOREVER);
    return NULL;
}

START_TEST(a_stream_may_be_destroyed_while_another_thread_waits_for_its_points)
{
    for (unsigned i = 0; i < scaled(100, 10); i++) {
        struct trm_stream *stream = NULL;
        struct late_wait wait     = {.status = 1};
        pthread_t thread;
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        struct hold *hold = hold_begin(stream);
        ck_ok(trm_stream_mark(stream, &wait.point));
        ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_point, &wait), 0);
        while (!atomic_load(&wait.begun))
            sched_yield();
        hold_end_after(hold, i % 3);
        trm_stream_destroy(stream);
        pthread_join(thread, NULL);
        /* It was reached, or the stream was gone before the thread came to wait. */
        ck_assert(wait.status == TRM_OK || wait.status == TRM_ERROR_INVALID_HANDLE);
        holds_open_all();
    }
}
END_TEST

struct race {
    void *handle;
    enum handle_type type;
    pthread_barrier_t *start;
};

static void *destroy_in_race(void *user)
{
    struct race *race = user;
    pthread_barrier_wait(race->start);
    destroy_handle(race->type, race->handle);
    return NULL;
}

START_TEST(many_threads_may_destroy_the_same_object)
{
    enum {
        THREADS = 4
    };
    for (struct rounds rounds = rounds_of(scaled(200, 20), HANDLE_TYPES); rounds_left(&rounds);
         rounds.number++) {
        struct objects objects;
        objects_make(&objects);
        trm_stream_pool_destroy(objects.group_pool);
        for (int type = HANDLE_TYPES - 1; type >= 0; type--) {
            struct race races[THREADS];
            pthread_t threads[THREADS];
            pthread_barrier_t start;
            if (type != (int)(rounds.number % HANDLE_TYPES)) {
                destroy_handle((enum handle_type)type, objects.handles[type]);
                continue;
            }
            pthread_barrier_init(&start, NULL, THREADS);
            for (int i = 0; i < THREADS; i++) {
                races[i] = (struct race){objects.handles[type], (enum handle_type)type, &start};
                ck_assert_int_eq(pthread_create(&threads[i], NULL, destroy_in_race, &races[i]), 0);
            }
            for (int i = 0; i < THREADS; i++)
                pthread_join(threads[i], NULL);
            pthread_barrier_destroy(&start);
        }
    }
    ck_ok(trm_device_sync(the.device));
}
END_TEST

/* ---- the leak report ---- */

START_TEST(what_is_left_on_a_destroyed_device_is_logged)
{
    struct trm_device *device   = open_device(the.context);
    struct trm_stream *stream   = NULL;
    struct trm_event *events[3] = {NULL, NULL, NULL};
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    for (int i = 0; i < 3; i++)
        ck_ok(trm_event_create(device, 0, &events[i]));
    struct trm_buffer *first  = make_buffer(device, TRM_MEMORY_DEVICE, 1000);
    struct trm_buffer *second = make_buffer(device, TRM_MEMORY_DEVICE, 1000);
    log_forget();
    trm_device_destroy(device);
    ck_assert(log_has(TRM_LOG_WARNING, "1 stream"));
    ck_assert(log_has(TRM_LOG_WARNING, "3 events"));
    ck_assert(log_has(TRM_LOG_WARNING, "2 buffers"));
    trm_buffer_destroy(first);
    trm_buffer_destroy(second);
    for (int i = 0; i < 3; i++)
        trm_event_destroy(events[i]);
    trm_stream_destroy(stream);
}
END_TEST

START_TEST(a_device_that_is_destroyed_with_nothing_on_it_logs_nothing)
{
    struct trm_device *device = open_device(the.context);
    struct trm_stream *stream = NULL;
    struct trm_event *event   = NULL;
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_event_create(device, 0, &event));
    struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, 1000);
    ck_ok(trm_fill(stream, trm_span_whole(buffer), 1, 1));
    ck_ok(trm_event_record(event, stream));
    trm_buffer_destroy(buffer);
    trm_event_destroy(event);
    trm_stream_destroy(stream);
    log_forget();
    trm_device_destroy(device);
    ck_assert(!log_has(TRM_LOG_WARNING, "stream"));
    ck_assert(!log_has(TRM_LOG_WARNING, "event"));
    ck_assert(!log_has(TRM_LOG_WARNING, "buffer"));
}
END_TEST

void add_lifetime(Suite *suite)
{
    TCase *group = group_make(suite, "lives");
    CASE(group, work_goes_on_when_everything_it_uses_has_been_destroyed);
    CASE(group, launches_go_on_when_everything_they_use_has_been_destroyed);
    CASE(group, a_stream_that_others_wait_for_may_be_destroyed_first);
    CASE(group, objects_may_be_destroyed_in_any_order);
    CASE(group, children_keep_a_destroyed_device_and_context_alive);
    CASE(group, nothing_of_a_device_is_left_when_its_objects_are_destroyed);
    CASE(group, an_object_may_be_destroyed_by_another_thread);
    CASE(group, a_stream_may_be_destroyed_while_another_thread_waits_for_its_points);
    CASE(group, many_threads_may_destroy_the_same_object);

    group = group_make(suite, "leak report");
    CASE(group, what_is_left_on_a_destroyed_device_is_logged);
    CASE(group, a_device_that_is_destroyed_with_nothing_on_it_logs_nothing);
}
