/* What happens to handles at the ends of their numbers. Includes the sources, to set the numbers and to
 * refuse memory.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"

/* Chunks of slots come from here, since they outlive the program's allocator. */
static const struct trm_allocator chunk_memory;
#define base_system_allocator chunk_memory
#include "core/object/handle.c"
#include "core/object/handle_table.c"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/counting.h"
#include "tests/unit/runner.h"

static struct counting counting;
static atomic_bool has_no_memory;

static void *allocate_chunk(void *user, size_t size, size_t alignment)
{
    (void)user;
    return atomic_load(&has_no_memory) ? NULL : aligned_alloc(alignment, size);
}

static void release_chunk(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static const struct trm_allocator chunk_memory = {.allocate = allocate_chunk, .release = release_chunk};

static void keep(struct core_object *object)
{
    (void)object;
}

static const struct core_object_ops ops = {.type = CORE_EVENT, .name = "event", .release = keep};

static void make(struct core_object *object, struct core_context *context)
{
    ck_assert_int_eq(core_object_init(object, &ops, context), TRM_OK);
    core_object_publish(object);
}

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
    make(&object, context);
    struct core_handle_slot *slot = object.slot;
    core_object_kill(&object);

    atomic_store(&slot->word, (uint64_t)(CORE_GENERATION_MASK - 1) << 32 | CORE_SLOT_DEAD);
    make(&object, context);
    ck_assert_ptr_eq(object.slot, slot);
    ck_assert_uint_eq(core_handle_generation((uintptr_t)object.handle), CORE_GENERATION_MASK);
    ck_assert_ptr_eq(core_object_find(object.handle, CORE_EVENT), &object);
    core_object_kill(&object);
    for (int i = 0; i < 200; i++) {
        make(&next, context);
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
        make(&object, core_context_find(handle));
        core_object_kill(&object);
    }
    uint32_t highest = core_handle_generation((uintptr_t)object.handle);
    trm_context_destroy(handle);
    ck_assert_uint_eq(core_handle_directory.tables[number].floor, highest);

    handle = make_context();
    ck_assert_uint_gt(core_handle_generation((uintptr_t)handle), highest);
    trm_context_destroy(handle);
}
END_TEST

START_TEST(generations_of_a_context_number_begin_again_before_they_run_out)
{
    struct trm_context *handle = make_context();
    uint32_t number            = (uint32_t)((uintptr_t)handle >> 56);
    trm_context_destroy(handle);
    atomic_store(&core_handle_directory.tables[number].floor, CORE_GENERATION_MASK - 10);
    handle = make_context();
    trm_context_destroy(handle);
    ck_assert_uint_eq(core_handle_directory.tables[number].floor, 0);
    handle = make_context();
    ck_assert_ptr_nonnull(core_context_find(handle));
    trm_context_destroy(handle);
}
END_TEST

START_TEST(slots_of_every_chunk_have_a_place_of_their_own)
{
    static struct core_handle_table table;
    for (uint32_t chunk = 0; chunk + 1 < CORE_CHUNKS; chunk++) {
        static struct core_handle_slot base[1];
        atomic_store(&table.chunks[chunk], base);
        ck_assert_ptr_eq(core_slot_at(&table, core_chunk_first(chunk)), base);
        ck_assert_ptr_eq(core_slot_at(&table, core_chunk_first(chunk) + core_chunk_slots(chunk) - 1),
                         base + core_chunk_slots(chunk) - 1);
        ck_assert_ptr_null(core_slot_at(&table, core_chunk_first(chunk + 1)));
    }
    ck_assert_ptr_null(core_slot_at(&table, CORE_SLOT_MASK));
}
END_TEST

START_TEST(a_table_that_is_full_says_so)
{
    struct trm_context *handle      = make_context();
    struct core_handle_table *table = core_context_find(handle)->handles;
    struct core_object object;
    uint32_t chunks    = table->chunk_count;
    uint64_t head      = atomic_exchange(&table->free, NO_SLOT);
    table->chunk_count = CORE_CHUNKS - 1;
    ck_assert_int_eq(core_object_init(&object, &ops, core_context_find(handle)),
                     TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "16777152 objects"));
    atomic_store(&table->free, head);
    table->chunk_count = chunks;
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(without_memory_for_handles_an_object_is_not_made)
{
    static struct core_object objects[257];
    struct trm_context *handle   = make_context();
    struct core_context *context = core_context_find(handle);
    int made                     = 0;
    atomic_store(&has_no_memory, true);
    while (core_object_init(&objects[made], &ops, context) == TRM_OK) {
        core_object_publish(&objects[made++]);
        ck_assert_int_lt(made, 256);
    }
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_ptr_null(objects[made].handle);

    /* With memory it goes on. */
    atomic_store(&has_no_memory, false);
    make(&objects[made++], context);
    while (made > 0)
        core_object_kill(&objects[--made]);
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(slots_outlive_their_context_and_serve_the_next_one)
{
    enum {
        MANY = 9000 /* so many that chunks give their pages back */
    };
    static struct core_object objects[MANY];
    struct core_handle_slot *chunks[CORE_CHUNKS];
    void *stale = NULL;
    for (int round = 0; round < 3; round++) {
        struct trm_context *handle      = make_context();
        struct core_context *context    = core_context_find(handle);
        struct core_handle_table *table = context->handles;
        for (int i = 0; i < MANY; i++)
            make(&objects[i], context);
        for (int i = 0; i < MANY; i++)
            ck_assert_ptr_eq(core_object_find(objects[i].handle, CORE_EVENT), &objects[i]);
        for (int i = 0; i < CORE_CHUNKS; i++) {
            ck_assert(round == 0 || table->chunks[i] == chunks[i]);
            chunks[i] = table->chunks[i];
        }
        ck_assert(stale == NULL || !core_object_is_alive(stale, CORE_EVENT));
        stale = objects[MANY - 1].handle;
        for (int i = 0; i < MANY; i++)
            core_object_kill(&objects[i]);
        trm_context_destroy(handle);
        ck_assert_ptr_null(core_object_find(stale, CORE_EVENT));
        ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_HANDLE);
        ck_assert_uint_eq(core_slot_at(table, MANY - 1)->word, 0); /* its page is back at the kernel */
    }
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(where_the_kernel_wipes_no_pages_process_ids_are_compared)
{
    struct trm_context *handle      = make_context();
    struct core_context *context    = core_context_find(handle);
    struct core_handle_table *table = context->handles;
    atomic_store(&core_handle_directory.fork_words[core_table_number(table)], BASE_FORK_PLAIN);
    ck_assert_ptr_eq(core_context_find(handle), context);
    atomic_store(&table->process, getpid() + 1); /* as if this were a child */
    ck_assert_ptr_null(core_context_find(handle));
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_FORKED);
    atomic_store(&table->process, getpid());
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(a_child_of_a_child_of_a_fork_is_told_too)
{
    struct trm_context *handle = make_context();
    pid_t child                = fork();
    if (child == 0) {
        struct trm_context *own = make_context();
        bool is_fine            = core_context_find(own) != NULL && core_context_find(handle) == NULL;
        pid_t grandchild        = fork();
        if (grandchild == 0)
            _exit(core_context_find(own) == NULL && trm_last_error().status == TRM_ERROR_FORKED ? 0 : 1);
        int status = -1;
        waitpid(grandchild, &status, 0);
        trm_context_destroy(own);
        _exit(is_fine && status == 0 ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
}
END_TEST

START_TEST(there_are_255_contexts_and_no_more)
{
    static struct trm_context *contexts[CORE_HANDLE_TABLES];
    struct trm_context *one_more = NULL;
    for (int i = 1; i < CORE_HANDLE_TABLES; i++)
        contexts[i] = make_context();
    int64_t blocks = counting.blocks;
    ck_assert_int_eq(trm_context_create(NULL, &one_more), TRM_ERROR_BUSY);
    ck_assert_ptr_null(one_more);
    ck_assert_int_eq(counting.blocks, blocks);
    trm_context_destroy(contexts[100]);
    contexts[100] = make_context();
    for (int i = 1; i < CORE_HANDLE_TABLES; i++)
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
    tcase_add_test(inside, without_memory_for_handles_an_object_is_not_made);
    tcase_add_test(inside, slots_outlive_their_context_and_serve_the_next_one);
    tcase_add_test(inside, a_child_of_a_child_of_a_fork_is_told_too);
    tcase_add_test(inside, there_are_255_contexts_and_no_more);
    suite_add_tcase(suite, inside);
    return suite;
}

UNIT_SUITE(make_suite)
