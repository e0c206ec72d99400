/* The coordinator: tasks that name their dependencies by id; refusals and failures.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "tasks.h"

/* ---- order ---------------------------------------------------------------------------------- */

START_TEST(tasks_run_after_what_they_name)
{
    static uint32_t in[N], out[N];
    if (kernels_missing())
        return;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    for (uint32_t i = 0; i < N; i++)
        in[i] = 7;
    ck_ok(add_upload(1, buffer, in, AFTER_NOTHING));
    ck_ok(add_affine(2, buffer, 3, 1, AFTER(1)));
    ck_ok(add_affine(3, buffer, 5, 2, AFTER(2)));
    ck_ok(add_affine(4, buffer, 2, 9, AFTER(3)));
    ck_ok(add_download(5, out, buffer, AFTER(4)));
    ck_status(trm_coordinator_poll(coordinator, 5), TRM_ERROR_TIMEOUT);
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 5, LONG_NS));
    ck_all(out, ((7 * 3 + 1) * 5 + 2) * 2 + 9);
    for (uint64_t id = 1; id <= 5; id++)
        ck_ok(trm_coordinator_poll(coordinator, id));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(tasks_may_be_added_before_what_they_come_after)
{
    static uint32_t in[N], out[N];
    if (kernels_missing())
        return;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    for (uint32_t i = 0; i < N; i++)
        in[i] = i;
    ck_ok(add_download(30, out, buffer, AFTER(20)));
    ck_ok(add_affine(20, buffer, 2, 1, AFTER(10)));
    ck_ok(add_upload(10, buffer, in, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(out[i], 2 * i + 1);
    trm_buffer_destroy(buffer);
}
END_TEST

/* Two branches of one upload, joined by a copy of each behind the other. */
START_TEST(tasks_fork_and_join)
{
    static uint32_t in[N], left[N], right[N];
    if (kernels_missing())
        return;
    struct trm_buffer *a = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_buffer *b = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_task copy = task_of(TRM_TASK_COPY, 2, AFTER(1));
    copy.destination     = trm_span_whole(b);
    copy.source          = trm_span_whole(a);
    for (unsigned round = 0; round < scaled(50, 10); round++) {
        for (uint32_t i = 0; i < N; i++)
            in[i] = round;
        ck_ok(add_upload(1, a, in, AFTER_NOTHING));
        ck_ok(trm_coordinator_add(coordinator, &copy));
        ck_ok(add_affine(3, a, 2, 0, AFTER(2)));
        ck_ok(add_affine(4, b, 3, 0, AFTER(2, 2)));
        ck_ok(add_nothing(5, "join", AFTER(3, 4, 1)));
        ck_ok(add_download(6, left, a, AFTER(5)));
        ck_ok(add_download(7, right, b, AFTER(5)));
        ck_ok(trm_coordinator_submit(coordinator));
        ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
        ck_all(left, 2 * round);
        ck_all(right, 3 * round);
        ck_ok(trm_coordinator_forget(coordinator));
    }
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
}
END_TEST

START_TEST(nothing_to_submit_and_nothing_to_wait_for_is_fine)
{
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, 0));
    ck_ok(trm_coordinator_forget(coordinator));
    trm_coordinator_destroy(NULL);
}
END_TEST

START_TEST(empty_operations_are_done_at_once)
{
    if (kernels_missing())
        return;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_task task      = task_of(TRM_TASK_UPLOAD, 1, AFTER_NOTHING);
    task.destination          = trm_span_of(buffer, 0, 0);
    task.host_source          = &task;
    ck_ok(trm_coordinator_add(coordinator, &task));
    struct trm_argument arguments[] = {trm_arg_buffer(buffer), trm_arg_u32(1), trm_arg_u32(2),
                                       trm_arg_u32(3)};
    /* no groups */
    task                = task_of(TRM_TASK_COMPUTE, 2, AFTER(1));
    task.kernel         = kernel("affine");
    task.arguments      = arguments;
    task.argument_count = 4;
    ck_ok(trm_coordinator_add(coordinator, &task));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 2, LONG_NS));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(one_stream_of_each_kind_is_enough)
{
    static uint32_t in[N], out[8][N];
    struct trm_buffer *buffers[8];
    struct trm_coordinator_desc desc = {.struct_size = sizeof(desc), .compute_streams = 1, .copy_streams = 1};
    if (kernels_missing())
        return;
    trm_coordinator_destroy(coordinator);
    ck_ok(trm_coordinator_create(the.device, &desc, &coordinator));
    for (uint32_t i = 0; i < N; i++)
        in[i] = 1;
    for (uint64_t chain = 0; chain < 8; chain++) {
        uint64_t id    = 1 + 100 * chain;
        buffers[chain] = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
        ck_ok(add_upload(id, buffers[chain], in, AFTER_NOTHING));
        for (uint64_t k = 0; k < 10; k++)
            ck_ok(add_affine(id + k + 1, buffers[chain], 2, (uint32_t)chain, AFTER(id + k)));
        ck_ok(add_download(id + 11, out[chain], buffers[chain], AFTER(id + 10)));
    }
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
    for (uint32_t chain = 0; chain < 8; chain++) {
        ck_all(out[chain], 1024 + 1023 * chain);
        trm_buffer_destroy(buffers[chain]);
    }
}
END_TEST

START_TEST(what_was_said_may_change_once_it_is_added)
{
    static uint32_t in[N], out[N];
    if (kernels_missing())
        return;
    struct trm_buffer *buffer       = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_argument arguments[] = {
        trm_arg_named("factor", trm_arg_u32(3)),
        trm_arg_named("addend", trm_arg_u32(4)),
        trm_arg_named("data", trm_arg_buffer(buffer)),
        trm_arg_named("n", trm_arg_u32(N)),
    };
    char name[]      = "affine";
    uint64_t after[] = {1};
    for (uint32_t i = 0; i < N; i++)
        in[i] = 10;
    struct trm_task task = task_of(TRM_TASK_COMPUTE, 2, after, 1);
    task.name            = name;
    task.kernel          = kernel("affine");
    task.grid            = trm_grid_1d((N + 63) / 64, 64);
    task.arguments       = arguments;
    task.argument_count  = 4;
    ck_ok(trm_coordinator_add(coordinator, &task));
    memset(arguments, 0, sizeof(arguments));
    memset(name, '?', sizeof(name));
    memset(after, 0, sizeof(after));
    memset(&task, 0, sizeof(task));
    ck_ok(add_upload(1, buffer, in, AFTER_NOTHING));
    ck_ok(add_download(3, out, buffer, AFTER(2)));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
    ck_all(out, 34);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------- */

START_TEST(a_task_that_lacks_what_its_kind_needs_is_refused)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_task task      = task_of(TRM_TASK_UPLOAD, 1, AFTER_NOTHING);
    ck_status(trm_coordinator_add(coordinator, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_coordinator_add(coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    task.destination = trm_span_whole(buffer);
    ck_status(trm_coordinator_add(coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("host_source");
    task = task_of(TRM_TASK_DOWNLOAD, 1, AFTER_NOTHING);
    ck_status(trm_coordinator_add(coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    task.source = trm_span_whole(buffer);
    ck_status(trm_coordinator_add(coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    task.kind = TRM_TASK_COPY;
    ck_status(trm_coordinator_add(coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    task.kind = TRM_TASK_HOST;
    ck_status(trm_coordinator_add(coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    task.kind = TRM_TASK_COMPUTE;
    ck_status(trm_coordinator_add(coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("kernel");
    task.kind = 99;
    ck_status(trm_coordinator_add(coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    task = task_of(TRM_TASK_NOTHING, 1, NULL, 1);
    ck_status(trm_coordinator_add(coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    task.struct_size = 8;
    ck_status(trm_coordinator_add(coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(add_nothing(0, NULL, AFTER_NOTHING), TRM_ERROR_INVALID_ARGUMENT);
    /* None of that left anything behind. */
    ck_ok(add_nothing(1, NULL, AFTER_NOTHING));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(an_id_that_is_in_use_is_refused)
{
    ck_ok(add_nothing(4, NULL, AFTER_NOTHING));
    ck_status(add_nothing(4, NULL, AFTER_NOTHING), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("4");
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 4, LONG_NS));
    ck_status(add_nothing(4, NULL, AFTER_NOTHING), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_coordinator_forget(coordinator));
    ck_status(trm_coordinator_poll(coordinator, 4), TRM_ERROR_NOT_FOUND);
    ck_ok(add_nothing(4, NULL, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 4, LONG_NS));
}
END_TEST

START_TEST(an_unknown_id_is_named_and_nothing_of_the_submit_runs)
{
    atomic_int ran = 0;
    ck_ok(add_nothing(1, NULL, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(add_host(2, count_up, &ran, AFTER(1)));
    ck_ok(add_nothing(3, "last", AFTER(2, 77)));
    ck_status(trm_coordinator_submit(coordinator), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("3 \"last\"");
    ck_sentence_has("77");
    ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
    ck_assert_int_eq(atomic_load(&ran), 0);
    ck_status(trm_coordinator_poll(coordinator, 2), TRM_ERROR_NOT_FOUND);
    ck_ok(trm_coordinator_poll(coordinator, 1));
    /* Their ids are free again, and nothing is left to submit. */
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(add_nothing(2, NULL, AFTER(1)));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 2, LONG_NS));
}
END_TEST

START_TEST(a_cycle_is_spelled_out)
{
    ck_ok(add_nothing(1, NULL, AFTER_NOTHING));
    ck_ok(add_nothing(4, "blur", AFTER(7, 1)));
    ck_ok(add_nothing(7, NULL, AFTER(1, 4)));
    ck_ok(add_nothing(8, "after it", AFTER(4)));
    ck_status(trm_coordinator_submit(coordinator), TRM_ERROR_DEADLOCK);
    if (strstr(trm_last_error().sentence, "4 \"blur\" -> 7 -> 4 \"blur\"") == NULL)
        ck_sentence_has("7 -> 4 \"blur\" -> 7");
    ck_assert_ptr_null(strstr(trm_last_error().sentence, "after it"));
    ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
    ck_status(trm_coordinator_poll(coordinator, 1), TRM_ERROR_NOT_FOUND);
}
END_TEST

START_TEST(a_task_that_comes_after_itself_is_a_cycle)
{
    ck_ok(add_nothing(5, "snake", AFTER(5)));
    ck_status(trm_coordinator_submit(coordinator), TRM_ERROR_DEADLOCK);
    ck_sentence_has("5 \"snake\" -> 5 \"snake\"");
}
END_TEST

START_TEST(an_operation_that_cannot_be_is_refused_by_submit_which_names_the_task)
{
    static uint32_t memory[N];
    atomic_int ran            = 0;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_task task      = task_of(TRM_TASK_UPLOAD, 9, AFTER(8));
    task.name                 = "too long";
    task.destination          = trm_span_of(buffer, 8, BYTES);
    task.host_source          = memory;
    ck_ok(add_host(8, count_up, &ran, AFTER_NOTHING));
    ck_ok(trm_coordinator_add(coordinator, &task));
    ck_status(trm_coordinator_submit(coordinator), TRM_ERROR_OUT_OF_RANGE);
    ck_sentence_has("9 \"too long\"");
    ck_status(trm_coordinator_poll(coordinator, 8), TRM_ERROR_NOT_FOUND);
    if (functions_there()) {
        struct trm_argument argument = trm_arg_u64(3);
        task                         = task_of(TRM_TASK_COMPUTE, 9, AFTER_NOTHING);
        task.kernel                  = kernel("fail");
        task.grid                    = trm_grid_1d(1, 1);
        task.arguments               = &argument;
        task.argument_count          = 1;
        ck_ok(trm_coordinator_add(coordinator, &task));
        ck_refused(trm_coordinator_submit(coordinator));
        ck_sentence_has("task 9");
    }
    ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
    ck_assert_int_eq(atomic_load(&ran), 0);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- failures ------------------------------------------------------------------------------- */

START_TEST(a_task_that_fails_fails_those_that_come_after_it_and_no_others)
{
    enum {
        CHAINS = 12,
        LENGTH = 6
    };
    static uint32_t in[N], out[CHAINS][N];
    struct trm_buffer *buffers[CHAINS];
    atomic_int ran = 0;
    if (functions_missing())
        return;
    for (uint32_t i = 0; i < N; i++)
        in[i] = 1;
    /* Every third chain fails in its middle. */
    for (uint64_t chain = 0; chain < CHAINS; chain++) {
        uint64_t id    = 1 + 100 * chain;
        buffers[chain] = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
        ck_ok(add_upload(id, buffers[chain], in, AFTER_NOTHING));
        for (uint64_t k = 0; k < LENGTH; k++)
            if (k == LENGTH / 2 && chain % 3 == 0)
                ck_ok(add_failing(id + k + 1, "broken", 60 + (int32_t)chain, AFTER(id + k)));
            else
                ck_ok(add_affine(id + k + 1, buffers[chain], 2, 0, AFTER(id + k)));
        ck_ok(add_download(id + LENGTH + 1, out[chain], buffers[chain], AFTER(id + LENGTH)));
        ck_ok(add_host(id + LENGTH + 2, count_up, &ran, AFTER(id + LENGTH + 1)));
    }
    ck_ok(trm_coordinator_submit(coordinator));
    ck_status(trm_coordinator_wait_all(coordinator, LONG_NS), TRM_ERROR_KERNEL);
    ck_sentence_has("\"broken\"");
    for (uint64_t chain = 0; chain < CHAINS; chain++) {
        uint64_t id = 1 + 100 * chain;
        for (uint64_t k = 0; k <= LENGTH + 2; k++) {
            bool fails = chain % 3 == 0 && k > LENGTH / 2;
            ck_status(trm_coordinator_poll(coordinator, id + k), fails ? TRM_ERROR_KERNEL : TRM_OK);
            if (!fails)
                continue;
            char name[64];
            snprintf(name, sizeof(name), "task %u \"broken\"", (unsigned)(id + LENGTH / 2 + 1));
            ck_sentence_has(name);
        }
        if (chain % 3 == 0)
            ck_all(out[chain], 0);
        else
            ck_all(out[chain], 1 << LENGTH);
        trm_buffer_destroy(buffers[chain]);
    }
    ck_assert_int_eq(atomic_load(&ran), CHAINS - CHAINS / 3);
    /* And the coordinator goes on. */
    ck_ok(trm_coordinator_forget(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, 0));
}
END_TEST

START_TEST(a_task_may_come_after_one_that_is_done_or_has_failed)
{
    static uint32_t in[N], out[N];
    atomic_int ran = 0;
    if (functions_missing())
        return;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    for (uint32_t i = 0; i < N; i++)
        in[i] = 3;
    ck_ok(add_upload(1, buffer, in, AFTER_NOTHING));
    ck_ok(add_failing(2, "bad", 71, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 1, LONG_NS));
    ck_status(trm_coordinator_wait(coordinator, 2, LONG_NS), TRM_ERROR_KERNEL);
    ck_ok(add_download(3, out, buffer, AFTER(1)));
    ck_ok(add_host(4, count_up, &ran, AFTER(2, 1)));
    ck_ok(add_nothing(5, NULL, AFTER(4)));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 3, LONG_NS));
    ck_all(out, 3);
    ck_status(trm_coordinator_wait(coordinator, 5, LONG_NS), TRM_ERROR_KERNEL);
    ck_sentence_has("task 2 \"bad\"");
    ck_assert_int_eq(trm_last_error().native_code, 71);
    ck_assert_int_eq(atomic_load(&ran), 0);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(tasks_of_a_later_submit_come_after_what_still_runs)
{
    static uint32_t in[N], out[N];
    atomic_int go = 0;
    if (kernels_missing())
        return;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    for (uint32_t i = 0; i < N; i++)
        in[i] = 5;
    ck_ok(add_host(1, stand, &go, AFTER_NOTHING));
    ck_ok(add_upload(2, buffer, in, AFTER(1)));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(add_affine(3, buffer, 2, 1, AFTER(2, 1)));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(add_download(4, out, buffer, AFTER(3)));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_status(trm_coordinator_wait(coordinator, 4, 20000000), TRM_ERROR_TIMEOUT);
    ck_status(trm_coordinator_wait_all(coordinator, 1000), TRM_ERROR_TIMEOUT);
    ck_status(trm_coordinator_poll(coordinator, 2), TRM_ERROR_TIMEOUT);
    atomic_store(&go, 1);
    ck_ok(trm_coordinator_wait_all(coordinator, LONG_NS));
    ck_all(out, 11);
    trm_buffer_destroy(buffer);
}
END_TEST

void add_coordinator(Suite *suite)
{
    TCase *group = group_with_coordinator(suite, "coordinator: order");
    CASE(group, tasks_run_after_what_they_name);
    CASE(group, tasks_may_be_added_before_what_they_come_after);
    CASE(group, tasks_fork_and_join);
    CASE(group, nothing_to_submit_and_nothing_to_wait_for_is_fine);
    CASE(group, empty_operations_are_done_at_once);
    CASE(group, one_stream_of_each_kind_is_enough);
    CASE(group, what_was_said_may_change_once_it_is_added);
    CASE(group, tasks_of_a_later_submit_come_after_what_still_runs);

    group = group_with_coordinator(suite, "coordinator: refusals and failures");
    CASE(group, a_task_that_lacks_what_its_kind_needs_is_refused);
    CASE(group, an_id_that_is_in_use_is_refused);
    CASE(group, an_unknown_id_is_named_and_nothing_of_the_submit_runs);
    CASE(group, a_cycle_is_spelled_out);
    CASE(group, a_task_that_comes_after_itself_is_a_cycle);
    CASE(group, an_operation_that_cannot_be_is_refused_by_submit_which_names_the_task);
    CASE(group, a_task_that_fails_fails_those_that_come_after_it_and_no_others);
    CASE(group, a_task_may_come_after_one_that_is_done_or_has_failed);
}
