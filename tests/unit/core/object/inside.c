/* What happens to handles at the ends of their numbers. Includes the source, to set the numbers.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/handle.c"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/counting.h"
#include "tests/unit/runner.h"

static struct counting counting;

static void keep(struct core_object *object)
{
    (void)object;
}

static const struct core_object_ops ops = {.type = CORE_EVENT, .name = "event", .release = keep};

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

START_TEST(a_slot_that_has_used_up_its_generations_is_not_used_again)
{
    struct trm_context *handle   = make_context();
    struct core_context *context = core_context_find(handle);
    struct core_object object, next;
    ck_assert_int_eq(core_object_init(&object, &ops, context), TRM_OK);
    struct core_handle_slot *slot = object.slot;
    core_object_kill(&object);

    atomic_store(&slot->word, (uint64_t)(GENERATION_MASK - 1) << 32 | DEAD);
    ck_assert_int_eq(core_object_init(&object, &ops, context), TRM_OK);
    ck_assert_ptr_eq(object.slot, slot);
    ck_assert_uint_eq(generation_of((uintptr_t)object.handle), GENERATION_MASK);
    ck_assert_ptr_eq(core_object_find(object.handle, CORE_EVENT), &object);
    core_object_kill(&object);
    for (int i = 0; i < 200; i++) {
        ck_assert_int_eq(core_object_init(&next, &ops, context), TRM_OK);
        ck_assert_ptr_ne(next.slot, slot);
        core_object_kill(&next);
    }
    ck_assert_ptr_null(core_object_find(object.handle, CORE_EVENT));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "has been destroyed"));
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(the_next_context_begins_above_the_generations_of_the_last)
{
    struct core_object object;
    struct trm_context *handle = make_context();
    uint32_t number            = (uint32_t)((uintptr_t)handle >> 56);
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(core_object_init(&object, &ops, core_context_find(handle)), TRM_OK);
        core_object_kill(&object);
    }
    uint32_t highest = generation_of((uintptr_t)object.handle);
    trm_context_destroy(handle);
    ck_assert_uint_eq(directory.floors[number], highest);

    handle = make_context();
    ck_assert_uint_gt(generation_of((uintptr_t)handle), highest);
    trm_context_destroy(handle);
}
END_TEST

START_TEST(generations_of_a_context_number_begin_again_before_they_run_out)
{
    struct trm_context *handle = make_context();
    uint32_t number            = (uint32_t)((uintptr_t)handle >> 56);
    trm_context_destroy(handle);
    atomic_store(&directory.floors[number], GENERATION_MASK - 10);
    handle = make_context();
    trm_context_destroy(handle);
    ck_assert_uint_eq(directory.floors[number], 0);
    handle = make_context();
    ck_assert_ptr_nonnull(core_context_find(handle));
    trm_context_destroy(handle);
}
END_TEST

START_TEST(slots_of_every_chunk_have_a_place_of_their_own)
{
    struct core_handle_table table = {0};
    for (uint32_t chunk = 0; chunk + 1 < CHUNKS; chunk++) {
        static struct core_handle_slot base[1];
        atomic_store(&table.chunks[chunk], base);
        ck_assert_ptr_eq(slot_at(&table, chunk_first(chunk)), base);
        ck_assert_ptr_eq(slot_at(&table, chunk_first(chunk) + chunk_slots(chunk) - 1),
                         base + chunk_slots(chunk) - 1);
        ck_assert_ptr_null(slot_at(&table, chunk_first(chunk + 1)));
    }
    ck_assert_ptr_null(slot_at(&table, SLOT_MASK));
}
END_TEST

START_TEST(a_table_that_is_full_says_so)
{
    static struct core_handle_slot none;
    struct trm_context *handle      = make_context();
    struct core_handle_table *table = core_context_find(handle)->handles;
    struct core_handle_slot *chunks[CHUNKS];
    struct core_object object;
    for (uint32_t i = 1; i + 1 < CHUNKS; i++)
        chunks[i] = atomic_exchange(&table->chunks[i], &none);
    uint64_t head = atomic_exchange(&table->free, NO_SLOT);
    ck_assert_int_eq(core_object_init(&object, &ops, core_context_find(handle)),
                     TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "16777152 objects"));
    atomic_store(&table->free, head);
    for (uint32_t i = 1; i + 1 < CHUNKS; i++)
        atomic_store(&table->chunks[i], chunks[i]);
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(where_the_kernel_wipes_no_pages_process_ids_are_compared)
{
    struct trm_context *handle   = make_context();
    struct core_context *context = core_context_find(handle);
    atomic_store(context->fork_word, BASE_FORK_PLAIN);
    ck_assert_ptr_eq(core_context_find(handle), context);
    context->handles->process = getpid() + 1; /* as if this were a child */
    ck_assert_ptr_null(core_context_find(handle));
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_FORKED);
    context->handles->process = getpid();
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(a_child_of_a_fork_waits_for_no_visitor_of_its_parent)
{
    struct trm_context *handle = make_context();
    visit_begin(); /* as if another thread were inside */
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        trm_context_destroy(make_context());
        uint64_t after = atomic_load(&directory.visitors);
        _exit(after == no_visitors() ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(atomic_load(&directory.visitors), no_visitors() + 1);
    visit_end();
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
}
END_TEST

static void *destroy(void *handle)
{
    trm_context_destroy(handle);
    return NULL;
}

START_TEST(a_context_waits_for_visitors_of_its_own_process)
{
    pthread_t thread;
    struct trm_context *handle = make_context();
    visit_begin();
    ck_assert_int_eq(pthread_create(&thread, NULL, destroy, handle), 0);
    while (atomic_load(&directory.tables[(uintptr_t)handle >> 56]) != NULL)
        sched_yield();
    usleep(50000);
    ck_assert_int_gt(counting.blocks, 0); /* the table is still there */
    visit_end();
    pthread_join(thread, NULL);
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(there_are_255_contexts_and_no_more)
{
    static struct trm_context *contexts[CONTEXTS];
    struct trm_context *one_more = NULL;
    for (int i = 1; i < CONTEXTS; i++)
        contexts[i] = make_context();
    int64_t blocks = counting.blocks;
    ck_assert_int_eq(trm_context_create(NULL, &one_more), TRM_ERROR_BUSY);
    ck_assert_ptr_null(one_more);
    ck_assert_int_eq(counting.blocks, blocks);
    trm_context_destroy(contexts[100]);
    contexts[100] = make_context();
    for (int i = 1; i < CONTEXTS; i++)
        trm_context_destroy(contexts[i]);
    counting_is_balanced(&counting);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite  = suite_create("objects, inside");
    TCase *inside = tcase_create("inside");
    tcase_add_test(inside, a_slot_that_has_used_up_its_generations_is_not_used_again);
    tcase_add_test(inside, the_next_context_begins_above_the_generations_of_the_last);
    tcase_add_test(inside, generations_of_a_context_number_begin_again_before_they_run_out);
    tcase_add_test(inside, slots_of_every_chunk_have_a_place_of_their_own);
    tcase_add_test(inside, a_table_that_is_full_says_so);
    tcase_add_test(inside, where_the_kernel_wipes_no_pages_process_ids_are_compared);
    tcase_add_test(inside, a_child_of_a_fork_waits_for_no_visitor_of_its_parent);
    tcase_add_test(inside, a_context_waits_for_visitors_of_its_own_process);
    tcase_add_test(inside, there_are_255_contexts_and_no_more);
    suite_add_tcase(suite, inside);
    return suite;
}

UNIT_SUITE(make_suite)
