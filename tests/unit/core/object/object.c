/* Handles, references and the ends of an object's life.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/handle.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/object/context.h"
#include "tests/unit/counting.h"
#include "tests/unit/runner.h"

#define THREADS 16
#define ROUNDS 2000

/* An object that tells what happens to it. */
struct thing {
    struct core_object object;
    _Atomic int *retired;
    _Atomic int *released;
};

static struct trm_context *handle;
static struct core_context *context;
static struct counting counting;
static _Atomic int retired, released;

static void thing_retire(struct core_object *object)
{
    atomic_fetch_add(((struct thing *)object)->retired, 1);
}

static void thing_release(struct core_object *object)
{
    struct thing *thing = (struct thing *)object;
    atomic_fetch_add(thing->released, 1);
    core_free(object->context, thing, sizeof(*thing));
}

static const struct core_object_ops stream_ops = {
    .type = CORE_STREAM, .name = "stream", .retire = thing_retire, .release = thing_release};
static const struct core_object_ops event_ops = {
    .type = CORE_EVENT, .name = "event", .release = thing_release};

static struct trm_context *make_context(void)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {.struct_size = sizeof(desc),
                                      .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                      .allocator   = &allocator};
    struct trm_context *made       = NULL;
    ck_assert_int_eq(trm_context_create(&desc, &made), TRM_OK);
    return made;
}

static void setup(void)
{
    handle  = make_context();
    context = core_context_find(handle);
    ck_assert_ptr_nonnull(context);
}

static void teardown(void)
{
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
}

static struct thing *make(struct core_context *of, const struct core_object_ops *ops)
{
    struct thing *thing = core_allocate(of, sizeof(*thing));
    ck_assert_ptr_nonnull(thing);
    thing->retired  = &retired;
    thing->released = &released;
    ck_assert_int_eq(core_object_init(&thing->object, ops, of), TRM_OK);
    core_object_publish(&thing->object);
    return thing;
}

static void is_refused(const void *name, enum core_type type, const char *words)
{
    ck_assert_ptr_null(core_object_find(name, type));
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_HANDLE);
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
    ck_assert_ptr_null(core_object_enter(name, type));
    ck_assert(!core_object_is_alive(name, type));
}

START_TEST(an_object_is_found_by_its_handle)
{
    struct thing *thing = make(context, &stream_ops);
    ck_assert_ptr_eq(core_object_find(thing->object.handle, CORE_STREAM), thing);
    ck_assert(core_object_is_alive(thing->object.handle, CORE_STREAM));
    ck_assert_int_eq(core_object_kill(&thing->object), 1);
    ck_assert_int_eq(retired, 1);
    ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(null_is_no_handle)
{
    is_refused(NULL, CORE_STREAM, "expected a stream, got NULL");
    is_refused(NULL, CORE_EVENT, "expected an event, got NULL");
}
END_TEST

START_TEST(a_handle_of_another_type_is_refused_naming_both)
{
    struct thing *thing = make(context, &event_ops);
    is_refused(thing->object.handle, CORE_STREAM, "expected a stream, got an event");
    is_refused(handle, CORE_DEVICE, "expected a device, got a context");
    const void *event = thing->object.handle;
    core_object_kill(&thing->object);
    is_refused(event, CORE_STREAM, "expected a stream, got an event, which has been destroyed");
}
END_TEST

START_TEST(a_handle_of_a_destroyed_object_is_refused)
{
    struct thing *thing = make(context, &stream_ops);
    void *stale         = thing->object.handle;
    core_object_kill(&thing->object);
    is_refused(stale, CORE_STREAM, "this stream has been destroyed");

    /* Also when its place is taken again. */
    struct thing *next = make(context, &stream_ops);
    ck_assert_ptr_ne(next->object.handle, stale);
    is_refused(stale, CORE_STREAM, "this stream has been destroyed");
    core_object_kill(&next->object);
}
END_TEST

START_TEST(a_handle_that_was_tampered_with_was_never_one)
{
    struct thing *thing = make(context, &event_ops);
    uint64_t bits       = (uintptr_t)thing->object.handle;
    uint64_t as_stream  = (bits & ~(UINT64_C(31) << 51)) | (uint64_t)CORE_STREAM << 51;
    is_refused((void *)(uintptr_t)as_stream, CORE_STREAM, "never");
    is_refused((void *)(uintptr_t)(bits + (UINT64_C(1) << 24)), CORE_EVENT, "never");
    is_refused((void *)(uintptr_t)(bits | 0xffffff), CORE_EVENT, "never");
    core_object_kill(&thing->object);
}
END_TEST

START_TEST(any_64_bit_number_is_refused_safely)
{
    struct thing *thing = make(context, &stream_ops);
    uint64_t random     = UINT64_C(0x9e3779b97f4a7c15);
    int accepted        = 0; /* what Check asserts it writes down each time */
    for (int i = 0; i < 200000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        /* Half of them with the number of the context that is there. */
        uint64_t bits = i & 1 ? random : (random >> 8) | ((uintptr_t)handle & (UINT64_C(255) << 56));
        for (int type = CORE_CONTEXT; type <= CORE_KERNEL; type++) {
            if (bits == (uintptr_t)handle || bits == (uintptr_t)thing->object.handle)
                continue;
            accepted += core_object_is_alive((void *)(uintptr_t)bits, (enum core_type)type) != 0;
        }
        accepted += core_object_find((void *)(uintptr_t)bits, CORE_STREAM) != NULL;
        accepted += trm_last_error().status != TRM_ERROR_INVALID_HANDLE;
    }
    ck_assert_int_eq(accepted, 0);
    core_object_kill(&thing->object);
}
END_TEST

START_TEST(of_two_that_destroy_an_object_one_is_told_that_it_is_dead)
{
    struct thing *thing = make(context, &stream_ops);
    core_object_retain(&thing->object);
    ck_assert_int_eq(core_object_kill(&thing->object), 1);
    ck_assert_int_eq(core_object_kill(&thing->object), 0);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(retired, 1);
    ck_assert_int_eq(released, 0);
    core_object_release(&thing->object);
    ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(killing_by_handle_is_fine_with_null_and_refuses_the_dead)
{
    struct thing *thing = make(context, &stream_ops);
    void *name          = thing->object.handle;
    base_error_clear();
    ck_assert_int_eq(core_object_kill_handle(NULL, CORE_STREAM), 0);
    ck_assert_int_eq(trm_last_error().status, TRM_OK);
    ck_assert_int_eq(core_object_kill_handle(name, CORE_EVENT), 0);
    ck_assert_int_eq(core_object_kill_handle(name, CORE_STREAM), 1);
    ck_assert_int_eq(core_object_kill_handle(name, CORE_STREAM), 0);
    ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(an_object_is_retired_when_the_last_call_has_left_it)
{
    struct thing *thing = make(context, &stream_ops);
    void *name          = thing->object.handle;
    ck_assert_ptr_eq(core_object_enter(name, CORE_STREAM), thing);
    ck_assert(core_object_try_enter(&thing->object));
    ck_assert_int_eq(core_object_kill(&thing->object), 1);
    ck_assert_int_eq(retired, 0);
    ck_assert_ptr_null(core_object_enter(name, CORE_STREAM));
    ck_assert(!core_object_try_enter(&thing->object));
    core_object_leave(&thing->object);
    ck_assert_int_eq(retired, 0);
    core_object_leave(&thing->object);
    ck_assert_int_eq(retired, 1);
    ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(a_reference_keeps_the_memory_but_not_the_handle)
{
    struct thing *thing = make(context, &stream_ops);
    core_object_retain(&thing->object);
    core_object_kill(&thing->object);
    ck_assert_int_eq(retired, 1);
    ck_assert_int_eq(released, 0);

    /* The slot now belongs to another object, which entering the first one must not enter. */
    struct thing *next = make(context, &stream_ops);
    ck_assert_ptr_eq(next->object.slot, thing->object.slot);
    ck_assert(!core_object_try_enter(&thing->object));
    core_object_release(&thing->object);
    ck_assert_int_eq(released, 1);
    core_object_kill(&next->object);
}
END_TEST

START_TEST(an_object_is_not_found_before_it_is_published)
{
    struct thing *thing = core_allocate(context, sizeof(*thing));
    thing->retired      = &retired;
    thing->released     = &released;
    ck_assert_int_eq(core_object_init(&thing->object, &stream_ops, context), TRM_OK);
    void *name = thing->object.handle;
    is_refused(name, CORE_STREAM, "never");
    ck_assert(!core_object_kill_handle(name, CORE_STREAM));
    ck_assert_ptr_eq(core_object_publish(&thing->object), name);
    ck_assert_ptr_eq(core_object_find(name, CORE_STREAM), thing);
    core_object_kill(&thing->object);
}
END_TEST

START_TEST(an_object_that_is_abandoned_was_never_there)
{
    struct thing *thing = core_allocate(context, sizeof(*thing));
    thing->retired      = &retired;
    thing->released     = &released;
    ck_assert_int_eq(core_object_init(&thing->object, &stream_ops, context), TRM_OK);
    void *name = thing->object.handle;
    core_object_abandon(&thing->object);
    is_refused(name, CORE_STREAM, "never");
    ck_assert_int_eq(retired, 1);
    ck_assert_int_eq(released, 1);
}
END_TEST

/* ---- holds ---- */

START_TEST(a_held_object_is_found_by_its_second_handle_when_the_first_is_dead)
{
    struct thing *thing = make(context, &stream_ops);
    void *first         = thing->object.handle;
    void *second        = NULL;
    ck_assert_int_eq(core_object_hold(first, CORE_STREAM, &second), TRM_OK);
    ck_assert_ptr_ne(first, second);
    ck_assert(core_object_kill_handle(first, CORE_STREAM));
    is_refused(first, CORE_STREAM, "this stream has been destroyed");
    ck_assert(!core_object_kill_handle(first, CORE_STREAM)); /* again: the hold is not taken */
    ck_assert_ptr_eq(core_object_find(second, CORE_STREAM), thing);
    ck_assert_ptr_eq(core_object_enter(second, CORE_STREAM), thing);
    ck_assert(!core_object_try_enter(&thing->object));
    ck_assert(core_object_try_enter_held(&thing->object));
    core_object_leave(&thing->object);
    core_object_leave(&thing->object);
    ck_assert_int_eq(retired, 0);
    core_object_end_hold(second);
    ck_assert_int_eq(retired, 1);
    ck_assert_int_eq(released, 1);
    is_refused(second, CORE_STREAM, "this stream has been destroyed");
}
END_TEST

START_TEST(an_object_outlives_its_holds)
{
    struct thing *thing = make(context, &stream_ops);
    void *holds[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(core_object_hold(thing->object.handle, CORE_STREAM, &holds[i]), TRM_OK);
    for (int i = 0; i < 2; i++)
        core_object_end_hold(holds[i]);
    core_object_end_hold(NULL);
    ck_assert_int_eq(retired, 0);
    ck_assert_ptr_eq(core_object_find(thing->object.handle, CORE_STREAM), thing);
    core_object_kill(&thing->object);
    ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(a_hold_that_ends_under_a_call_ends_with_the_call)
{
    struct thing *thing = make(context, &stream_ops);
    void *second        = NULL;
    ck_assert_int_eq(core_object_hold(thing->object.handle, CORE_STREAM, &second), TRM_OK);
    ck_assert_ptr_eq(core_object_enter(second, CORE_STREAM), thing);
    core_object_kill(&thing->object);
    core_object_end_hold(second);
    ck_assert_int_eq(retired, 0);
    core_object_leave(&thing->object);
    ck_assert_int_eq(retired, 1);
    ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(only_what_is_alive_can_be_held)
{
    struct thing *thing = make(context, &stream_ops);
    void *name          = thing->object.handle;
    void *second        = NULL;
    core_object_kill(&thing->object);
    ck_assert_int_eq(core_object_hold(name, CORE_STREAM, &second), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(core_object_hold(NULL, CORE_STREAM, &second), TRM_ERROR_INVALID_HANDLE);
    ck_assert_ptr_null(second);
}
END_TEST

START_TEST(letting_go_of_null_is_fine)
{
    core_object_release(NULL);
    ck_assert_int_eq(released, 0);
}
END_TEST

START_TEST(children_keep_their_context_alive_behind_its_dead_handle)
{
    struct thing *thing = make(context, &stream_ops);
    trm_context_destroy(handle);
    is_refused(handle, CORE_CONTEXT, "this context has been destroyed");
    ck_assert_ptr_eq(core_object_find(thing->object.handle, CORE_STREAM), thing);
    ck_assert_int_gt(counting.blocks, 0);
    core_object_kill(&thing->object);
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(a_handle_of_an_ended_context_is_refused_by_those_that_follow)
{
    struct thing *thing        = make(context, &stream_ops);
    void *stale                = thing->object.handle;
    struct trm_context *before = handle;
    core_object_kill(&thing->object);
    trm_context_destroy(handle);
    is_refused(stale, CORE_STREAM, "the context of this stream has been destroyed");

    /* The next one gets the same number, and its first objects the same slots. */
    handle  = make_context();
    context = core_context_find(handle);
    ck_assert_uint_eq((uintptr_t)handle >> 56, (uintptr_t)before >> 56);
    thing = make(context, &stream_ops);
    is_refused(stale, CORE_STREAM, "this stream has been destroyed");
    is_refused(before, CORE_CONTEXT, "this context has been destroyed");
    trm_context_destroy(before);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_HANDLE);
    core_object_kill(&thing->object);
}
END_TEST

START_TEST(contexts_do_not_share_handles)
{
    struct trm_context *other_handle = make_context();
    struct core_context *other       = core_context_find(other_handle);
    struct thing *one = make(context, &stream_ops), *two = make(other, &stream_ops);
    ck_assert_ptr_ne(one->object.handle, two->object.handle);
    ck_assert_ptr_eq(core_object_find(one->object.handle, CORE_STREAM), one);
    ck_assert_ptr_eq(core_object_find(two->object.handle, CORE_STREAM), two);
    core_object_kill(&two->object);
    trm_context_destroy(other_handle);
    ck_assert_ptr_eq(core_object_find(one->object.handle, CORE_STREAM), one);
    core_object_kill(&one->object);
}
END_TEST

START_TEST(many_objects_get_different_handles)
{
    enum {
        MANY = 5000
    };
    static struct thing *things[MANY];
    for (int i = 0; i < MANY; i++)
        things[i] = make(context, i & 1 ? &stream_ops : &event_ops);
    for (int i = 0; i < MANY; i++)
        ck_assert_ptr_eq(core_object_find(things[i]->object.handle, i & 1 ? CORE_STREAM : CORE_EVENT),
                         things[i]);
    for (int i = 0; i < MANY; i++)
        core_object_kill(&things[i]->object);
    ck_assert_int_eq(released, MANY);
}
END_TEST

/* ---- threads ---- */

static void *create_and_kill(void *unused)
{
    (void)unused;
    void *last = NULL;
    for (int i = 0; i < ROUNDS; i++) {
        struct thing *thing = make(context, i & 1 ? &stream_ops : &event_ops);
        void *name          = thing->object.handle;
        enum core_type type = i & 1 ? CORE_STREAM : CORE_EVENT;
        ck_assert_ptr_eq(core_object_enter(name, type), thing);
        core_object_leave(&thing->object);
        ck_assert(last == NULL || !core_object_is_alive(last, i & 1 ? CORE_EVENT : CORE_STREAM));
        ck_assert_int_eq(core_object_kill(&thing->object), 1);
        last = name;
    }
    return NULL;
}

START_TEST(many_threads_create_and_destroy_at_once)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, create_and_kill, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(released, THREADS * ROUNDS);
}
END_TEST

static void *volatile contested;
static _Atomic int winners, started;

static void *kill_contested(void *unused)
{
    (void)unused;
    atomic_fetch_add(&started, 1);
    while (atomic_load(&started) < 4)
        continue;
    if (core_object_kill_handle(contested, CORE_STREAM))
        atomic_fetch_add(&winners, 1);
    return NULL;
}

START_TEST(of_threads_that_destroy_one_object_at_once_one_wins)
{
    for (int round = 0; round < 100; round++) {
        pthread_t threads[4];
        contested = make(context, &stream_ops)->object.handle;
        winners = started = 0;
        for (int i = 0; i < 4; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, kill_contested, NULL), 0);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        ck_assert_int_eq(winners, 1);
        ck_assert_int_eq(released, round + 1);
    }
}
END_TEST

/* ---- fork ---- */

START_TEST(the_child_of_a_fork_is_refused_and_harms_nothing)
{
    struct thing *thing = make(context, &stream_ops);
    pid_t child         = fork();
    if (child == 0) {
        int fine = core_is_forked(context) && core_object_find(thing->object.handle, CORE_STREAM) == NULL &&
                   trm_last_error().status == TRM_ERROR_FORKED &&
                   core_object_enter(thing->object.handle, CORE_STREAM) == NULL &&
                   !core_object_is_alive(thing->object.handle, CORE_STREAM) &&
                   !core_object_try_enter(&thing->object) && core_object_kill(&thing->object) == 0 &&
                   retired == 0 && released == 0 &&
                   core_object_init(&(struct core_object){0}, &event_ops, context) == TRM_ERROR_FORKED;
        trm_context_destroy(handle);
        fine = fine && trm_last_error().status == TRM_ERROR_FORKED && counting.blocks > 0;

        struct trm_context *own = make_context();
        fine                    = fine && core_context_find(own) != NULL;
        trm_context_destroy(own);
        _exit(fine ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_ptr_eq(core_object_find(thing->object.handle, CORE_STREAM), thing);
    core_object_kill(&thing->object);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite   = suite_create("objects");
    TCase *objects = tcase_create("objects");
    tcase_add_checked_fixture(objects, setup, teardown);
    tcase_set_timeout(objects, 60);
    tcase_add_test(objects, an_object_is_found_by_its_handle);
    tcase_add_test(objects, null_is_no_handle);
    tcase_add_test(objects, a_handle_of_another_type_is_refused_naming_both);
    tcase_add_test(objects, a_handle_of_a_destroyed_object_is_refused);
    tcase_add_test(objects, a_handle_that_was_tampered_with_was_never_one);
    tcase_add_test(objects, any_64_bit_number_is_refused_safely);
    tcase_add_test(objects, of_two_that_destroy_an_object_one_is_told_that_it_is_dead);
    tcase_add_test(objects, killing_by_handle_is_fine_with_null_and_refuses_the_dead);
    tcase_add_test(objects, an_object_is_retired_when_the_last_call_has_left_it);
    tcase_add_test(objects, a_reference_keeps_the_memory_but_not_the_handle);
    tcase_add_test(objects, an_object_is_not_found_before_it_is_published);
    tcase_add_test(objects, an_object_that_is_abandoned_was_never_there);
    tcase_add_test(objects, a_held_object_is_found_by_its_second_handle_when_the_first_is_dead);
    tcase_add_test(objects, an_object_outlives_its_holds);
    tcase_add_test(objects, a_hold_that_ends_under_a_call_ends_with_the_call);
    tcase_add_test(objects, only_what_is_alive_can_be_held);
    tcase_add_test(objects, letting_go_of_null_is_fine);
    tcase_add_test(objects, children_keep_their_context_alive_behind_its_dead_handle);
    tcase_add_test(objects, a_handle_of_an_ended_context_is_refused_by_those_that_follow);
    tcase_add_test(objects, contexts_do_not_share_handles);
    tcase_add_test(objects, many_objects_get_different_handles);
    tcase_add_test(objects, many_threads_create_and_destroy_at_once);
    tcase_add_test(objects, of_threads_that_destroy_one_object_at_once_one_wins);
    tcase_add_test(objects, the_child_of_a_fork_is_refused_and_harms_nothing);
    suite_add_tcase(suite, objects);
    return suite;
}

UNIT_SUITE(make_suite)
