/* Deferred destruction.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/deferred.h"

#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>

#include "core/stream/stream_object.h"
#include "tests/unit/counting.h"
#include "tests/unit/fake_backend.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)
#define MANY 40

static struct fake fake;
static struct counting counting;
static struct trm_stream *streams[MANY];

/* Called once, when the library next releases memory. */
static void (*_Atomic at_release)(void);

static void release(void *user, void *memory, size_t size)
{
    void (*act)(void) = atomic_exchange(&at_release, NULL);
    counting_release(user, memory, size);
    if (act != NULL)
        act();
}

static void begin(void)
{
    struct trm_allocator allocator = {counting_allocate, release, &counting};
    struct trm_context_desc desc   = {
          .struct_size = sizeof(desc),
          .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
          .allocator   = &allocator,
    };
    memset(&counting, 0, sizeof(counting));
    fake_init(&fake, FAKE_ALL, &desc);
    fake_open(&fake);
    for (int i = 0; i < MANY; i++)
        OK(trm_stream_create(fake.device, TRM_STREAM_ANY, 0, &streams[i]));
}

static void end_streams(int first)
{
    for (int i = first; i < MANY; i++)
        trm_stream_destroy(streams[i]);
}

static void end(void)
{
    end_streams(0);
    fake_fini(&fake);
    counting_is_balanced(&counting);
}

struct thing {
    struct core_deferred deferred;
    struct core_in_flight in_flight;
    struct core_device *device; /* kept open; may be NULL */
    sem_t *destroyed;
    int gone;
};

static void thing_go(struct core_deferred *item)
{
    struct thing *thing = (struct thing *)item;
    core_in_flight_fini(fake.backend.context, &thing->in_flight);
    thing->gone++;
    if (thing->destroyed != NULL)
        sem_post(thing->destroyed);
    core_object_release(thing->device != NULL ? &thing->device->object : NULL);
}

static void thing_init(struct thing *thing)
{
    memset(thing, 0, sizeof(*thing));
    thing->deferred.in_flight = &thing->in_flight;
    thing->deferred.destroy   = thing_go;
}

/* Enqueues an operation that uses the thing. */
static void use(struct thing *thing, struct trm_stream *handle)
{
    struct core_stream *stream = core_stream_find(handle);
    OK(fake_enqueue(handle));
    core_in_flight_add(&thing->in_flight, stream, core_stream_next(stream) - 1);
}

static void defer(struct thing *thing, int index)
{
    thing_init(thing);
    if (index >= 0)
        use(thing, streams[index]);
    core_device_defer(core_device_find(fake.device), &thing->deferred);
}

/* A thing that keeps its device open, as the library's own objects do. */
static void thing_init_of(struct thing *thing, struct trm_device *device)
{
    thing_init(thing);
    thing->device = core_device_find(device);
    core_object_retain(&thing->device->object);
}

START_TEST(an_unused_object_is_destroyed_at_once)
{
    struct thing thing;
    begin();
    defer(&thing, -1);
    ck_assert_int_eq(thing.gone, 1);
    end();
}
END_TEST

START_TEST(a_deferred_object_is_destroyed_by_the_first_reap_after_its_work)
{
    struct thing things[3];
    begin();
    for (int i = 0; i < 3; i++)
        defer(&things[i], i);
    core_device_reap(core_device_find(fake.device));
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(things[i].gone, 0);
    fake_run(&fake, streams[1], 1);
    core_device_reap(core_device_find(fake.device));
    ck_assert_int_eq(things[0].gone, 0);
    ck_assert_int_eq(things[1].gone, 1);
    fake_let_run(&fake);
    core_device_reap(core_device_find(fake.device));
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(things[i].gone, 1);
    end();
}
END_TEST

START_TEST(a_deferred_object_is_destroyed_with_its_stream)
{
    struct thing thing;
    begin();
    defer(&thing, 0);
    fake_run(&fake, streams[0], UINT64_MAX);
    trm_stream_destroy(streams[0]);
    ck_assert_int_eq(thing.gone, 1);
    end();
}
END_TEST

START_TEST(a_deferred_object_does_not_keep_a_device_open)
{
    struct thing thing;
    begin();
    defer(&thing, 0);
    for (int i = 1; i < MANY; i++)
        trm_stream_destroy(streams[i]);
    trm_device_destroy(fake.device);
    ck_assert_uint_eq(atomic_load(&fake.devices), 1);
    fake_let_run(&fake);
    trm_stream_destroy(streams[0]);
    ck_assert_int_eq(thing.gone, 1);
    ck_assert_uint_eq(atomic_load(&fake.devices), 0);
    fake_fini(&fake);
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(many_deferred_objects_are_all_destroyed_in_the_end)
{
    static struct thing things[200];
    begin();
    for (int i = 0; i < 200; i++)
        defer(&things[i], i % MANY);
    fake_let_run(&fake);
    while (atomic_load(&core_device_find(fake.device)->deferred_count) != 0)
        core_device_reap(core_device_find(fake.device));
    for (int i = 0; i < 200; i++)
        ck_assert_int_eq(things[i].gone, 1);
    end();
}
END_TEST

/* ---- a stream that ends at the worst moment --------------------------------------------------------- */

static void end_first_stream(void)
{
    fake_run(&fake, streams[0], UINT64_MAX);
    trm_stream_destroy(streams[0]);
}

static void go_and_end_first_stream(struct core_deferred *item)
{
    thing_go(item);
    end_first_stream();
}

/* The last stream ends while a reap has the list. So the reap of that end finds nothing. */
START_TEST(what_a_reap_keeps_while_the_last_stream_ends_is_destroyed)
{
    struct thing kept, gone;
    begin();
    end_streams(2);
    thing_init_of(&kept, fake.device);
    thing_init_of(&gone, fake.device);
    gone.deferred.destroy = go_and_end_first_stream;
    use(&kept, streams[0]);
    use(&gone, streams[1]);
    core_device_defer(kept.device, &kept.deferred);
    core_device_defer(gone.device, &gone.deferred);
    trm_device_destroy(fake.device);
    fake_run(&fake, streams[1], UINT64_MAX);
    trm_stream_destroy(streams[1]);
    ck_assert_int_eq(gone.gone, 1);
    ck_assert_int_eq(kept.gone, 1);
    ck_assert_uint_eq(atomic_load(&fake.devices), 0);
    fake_fini(&fake);
    counting_is_balanced(&counting);
}
END_TEST

/* The last stream ends after core_device_defer() has seen that it is busy, and before the thing is in the
 * list. Looking frees another stream, which is the moment. */
START_TEST(what_is_deferred_while_the_last_stream_ends_is_destroyed)
{
    struct thing thing;
    begin();
    end_streams(2);
    thing_init_of(&thing, fake.device);
    use(&thing, streams[1]);
    use(&thing, streams[0]);
    fake_run(&fake, streams[1], UINT64_MAX);
    trm_stream_destroy(streams[1]);
    trm_device_destroy(fake.device);
    atomic_store(&at_release, end_first_stream);
    core_device_defer(thing.device, &thing.deferred);
    ck_assert(atomic_load(&at_release) == NULL);
    ck_assert_int_eq(thing.gone, 1);
    ck_assert_uint_eq(atomic_load(&fake.devices), 0);
    fake_fini(&fake);
    counting_is_balanced(&counting);
}
END_TEST

/* ---- work on another device ------------------------------------------------------------------------- */

/* A thing of a device without streams, in flight on a stream of another device. */
static struct {
    struct thing thing;
    struct trm_device *device;
    struct trm_stream *busy, *calling; /* of the other device */
    sem_t destroyed;
} two;

static void begin_two(void)
{
    begin();
    end_streams(1);
    two.device = fake.device;
    fake_open(&fake);
    sem_init(&two.destroyed, 0, 0);
    OK(trm_stream_create(fake.device, TRM_STREAM_ANY, 0, &two.busy));
    OK(trm_stream_create(fake.device, TRM_STREAM_ANY, 0, &two.calling));
    thing_init_of(&two.thing, two.device);
    two.thing.destroyed = &two.destroyed;
    use(&two.thing, two.busy);
}

static void end_two(void)
{
    ck_assert_int_eq(two.thing.gone, 1);
    trm_stream_destroy(two.busy);
    trm_stream_destroy(two.calling);
    fake.ends_late = 1;
    fake_fini(&fake);
    sem_destroy(&two.destroyed);
}

static void defer_in_callback(void *user, int32_t status)
{
    (void)user;
    OK(status);
    core_device_defer(two.thing.device, &two.thing.deferred);
}

static void destroy_device_in_callback(void *user, int32_t status)
{
    (void)user;
    OK(status);
    trm_device_destroy(two.device);
}

/* The callback does not wait, and the thing does not stay for ever. */
static void goes_after(trm_callback_fn callback)
{
    OK(trm_stream_callback(two.calling, callback, NULL));
    fake_run(&fake, two.calling, UINT64_MAX);
    OK(trm_stream_sync(two.calling));
    ck_assert_int_eq(two.thing.gone, 0);
    fake_run(&fake, two.busy, UINT64_MAX);
    sem_wait(&two.destroyed);
}

START_TEST(what_a_callback_destroys_while_another_device_uses_it_goes_after_that_use)
{
    begin_two();
    trm_stream_destroy(streams[0]);
    trm_device_destroy(two.device);
    goes_after(defer_in_callback);
    end_two();
}
END_TEST

START_TEST(what_another_device_uses_when_a_callback_destroys_its_device_goes_after_that_use)
{
    begin_two();
    trm_stream_destroy(streams[0]);
    core_device_defer(two.thing.device, &two.thing.deferred);
    goes_after(destroy_device_in_callback);
    end_two();
}
END_TEST

static void *destroy_first_stream(void *argument)
{
    _Atomic bool *has_ended = argument;
    trm_stream_destroy(streams[0]);
    atomic_store(has_ended, true);
    return NULL;
}

START_TEST(what_another_device_uses_longer_than_the_last_stream_of_its_own_goes_after_that_use)
{
    _Atomic bool has_ended = false;
    pthread_t thread;
    begin_two();
    use(&two.thing, streams[0]);
    trm_device_destroy(two.device);
    core_device_defer(two.thing.device, &two.thing.deferred);
    ck_assert_int_eq(two.thing.gone, 0);
    fake_run(&fake, streams[0], UINT64_MAX);
    OK(trm_stream_sync(streams[0]));
    uint32_t waits = atomic_load(&fake.calls[FAKE_CALL_WAIT]);
    pthread_create(&thread, NULL, destroy_first_stream, &has_ended);
    while (atomic_load(&fake.calls[FAKE_CALL_WAIT]) == waits && !atomic_load(&has_ended))
        sched_yield();
    fake_run(&fake, two.busy, UINT64_MAX);
    pthread_join(thread, NULL);
    end_two();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("deferred");
    TCase *reaps = tcase_create("reaps");
    tcase_add_test(reaps, an_unused_object_is_destroyed_at_once);
    tcase_add_test(reaps, a_deferred_object_is_destroyed_by_the_first_reap_after_its_work);
    tcase_add_test(reaps, a_deferred_object_is_destroyed_with_its_stream);
    tcase_add_test(reaps, a_deferred_object_does_not_keep_a_device_open);
    tcase_add_test(reaps, many_deferred_objects_are_all_destroyed_in_the_end);
    suite_add_tcase(suite, reaps);

    TCase *ends = tcase_create("ends");
    tcase_add_test(ends, what_a_reap_keeps_while_the_last_stream_ends_is_destroyed);
    tcase_add_test(ends, what_is_deferred_while_the_last_stream_ends_is_destroyed);
    tcase_add_test(ends, what_a_callback_destroys_while_another_device_uses_it_goes_after_that_use);
    tcase_add_test(ends, what_another_device_uses_when_a_callback_destroys_its_device_goes_after_that_use);
    tcase_add_test(ends, what_another_device_uses_longer_than_the_last_stream_of_its_own_goes_after_that_use);
    suite_add_tcase(suite, ends);
    return suite;
}

UNIT_SUITE(suite)
