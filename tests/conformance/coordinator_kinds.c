/* Tasks of the coordinator that fill and that copy rows, and the graph of tasks.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "tasks.h"

#include <string.h>

/* Rows of 8 bytes at a pitch of 16. */
enum {
    WIDTH  = 8,
    HEIGHT = 4,
    PITCH  = 16
};

static int32_t add_filling(uint64_t id, struct trm_buffer *buffer, uint64_t pattern, uint32_t pattern_size,
                           const uint64_t *after, uint32_t count)
{
    struct trm_task task = task_of(TRM_TASK_FILL, id, after, count);
    task.destination     = trm_span_whole(buffer);
    task.pattern         = pattern;
    task.pattern_size    = pattern_size;
    return trm_coordinator_add(coordinator, &task);
}

static int32_t add_rows(uint64_t id, struct trm_rows to, struct trm_rows from, const uint64_t *after,
                        uint32_t count)
{
    struct trm_task task  = task_of(TRM_TASK_COPY_2D, id, after, count);
    task.destination_rows = to;
    task.source_rows      = from;
    task.width            = WIDTH;
    task.height           = HEIGHT;
    return trm_coordinator_add(coordinator, &task);
}

START_TEST(a_task_fills_a_span_in_its_turn)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    uint32_t first[N], second[N];
    ck_ok(add_filling(1, buffer, 7, 4, AFTER_NOTHING));
    ck_ok(add_download(2, first, buffer, AFTER(1)));
    ck_ok(add_filling(3, buffer, 9, 4, AFTER(2)));
    ck_ok(add_download(4, second, buffer, AFTER(3)));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
    ck_all(first, 7);
    ck_all(second, 9);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(tasks_copy_rows_up_on_the_device_and_down)
{
    struct trm_buffer *wide   = make_buffer(the.device, TRM_MEMORY_DEVICE, PITCH * HEIGHT);
    struct trm_buffer *narrow = make_buffer(the.device, TRM_MEMORY_DEVICE, WIDTH * HEIGHT);
    uint8_t from[PITCH * HEIGHT], to[WIDTH * HEIGHT + 1] = {0};
    for (size_t i = 0; i < sizeof(from); i++)
        from[i] = (uint8_t)i;
    to[WIDTH * HEIGHT] = 200;
    ck_ok(add_rows(1, (struct trm_rows){.buffer = wide, .pitch = PITCH},
                   (struct trm_rows){.host = from, .pitch = PITCH}, AFTER_NOTHING));
    ck_ok(add_rows(2, (struct trm_rows){.buffer = narrow, .pitch = WIDTH},
                   (struct trm_rows){.buffer = wide, .pitch = PITCH}, AFTER(1)));
    ck_ok(add_rows(3, (struct trm_rows){.host = to, .pitch = WIDTH},
                   (struct trm_rows){.buffer = narrow, .pitch = WIDTH}, AFTER(2)));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 3, TRM_FOREVER));
    for (int row = 0; row < HEIGHT; row++)
        ck_assert_int_eq(memcmp(to + row * WIDTH, from + row * PITCH, WIDTH), 0);
    ck_assert_uint_eq(to[WIDTH * HEIGHT], 200);
    trm_buffer_destroy(wide);
    trm_buffer_destroy(narrow);
}
END_TEST

START_TEST(fills_and_rows_that_lack_something_are_refused)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_rows rows = {.buffer = buffer, .pitch = WIDTH}, nothing = {.pitch = WIDTH};
    uint8_t host[WIDTH * HEIGHT];
    struct trm_rows in_host = {.host = host, .pitch = WIDTH};
    struct trm_task task    = task_of(TRM_TASK_FILL, 1, AFTER_NOTHING);
    ck_status(trm_coordinator_add(coordinator, &task), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("destination");
    ck_status(add_rows(1, rows, nothing, AFTER_NOTHING), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("source_rows");
    ck_status(add_rows(1, nothing, rows, AFTER_NOTHING), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(add_rows(1, in_host, in_host, AFTER_NOTHING), TRM_ERROR_INVALID_ARGUMENT);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(fills_and_rows_that_cannot_be_are_refused_by_submit_which_names_the_task)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    uint8_t host[WIDTH * HEIGHT];
    ck_ok(add_filling(77, buffer, 7, 3, AFTER_NOTHING));
    ck_status(trm_coordinator_submit(coordinator), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("77");
    ck_ok(add_rows(78, (struct trm_rows){.buffer = buffer, .offset = BYTES, .pitch = WIDTH},
                   (struct trm_rows){.host = host, .pitch = WIDTH}, AFTER_NOTHING));
    ck_status(trm_coordinator_submit(coordinator), TRM_ERROR_OUT_OF_RANGE);
    ck_sentence_has("78");
    ck_ok(add_rows(79, (struct trm_rows){.buffer = buffer, .pitch = WIDTH - 1},
                   (struct trm_rows){.host = host, .pitch = WIDTH}, AFTER_NOTHING));
    ck_status(trm_coordinator_submit(coordinator), TRM_ERROR_INVALID_ARGUMENT);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- the graph ------------------------------------------------------------------------------ */

struct text {
    char bytes[4096];
    size_t length;
    int32_t answer;
};

static int32_t keep_text(void *user, const char *part, size_t length)
{
    struct text *text = user;
    ck_assert_uint_lt(text->length + length, sizeof(text->bytes));
    memcpy(text->bytes + text->length, part, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    return text->answer;
}

static void graph_of(struct text *text)
{
    *text = (struct text){.length = 0};
    ck_ok(trm_coordinator_write_graph(coordinator, keep_text, text));
}

START_TEST(tasks_are_written_as_a_graph)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct text text;
    graph_of(&text);
    ck_assert_str_eq(text.bytes, "digraph tasks {\n  node [shape=box];\n}\n");
    ck_ok(add_nothing(3, "all of \"them\"", AFTER(1, 2)));
    ck_ok(add_filling(1, buffer, 7, 4, AFTER_NOTHING));
    struct trm_task task = task_of(TRM_TASK_FILL, 2, AFTER(1));
    task.destination     = trm_span_whole(buffer);
    task.pattern_size    = 4;
    task.priority        = TRM_PRIORITY_HIGH;
    ck_ok(trm_coordinator_add(coordinator, &task));
    graph_of(&text);
    ck_assert_str_eq(text.bytes, "digraph tasks {\n"
                                 "  node [shape=box];\n"
                                 "  1 [label=\"1\\nfill, added\", style=dashed];\n"
                                 "  2 [label=\"2\\nfill, high priority, added\", style=dashed];\n"
                                 "  3 [label=\"3 all of \\\"them\\\"\\njoin, added\", style=dashed];\n"
                                 "  1 -> 2;\n"
                                 "  1 -> 3;\n"
                                 "  2 -> 3;\n"
                                 "}\n");
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
    graph_of(&text);
    ck_assert_str_eq(text.bytes, "digraph tasks {\n"
                                 "  node [shape=box];\n"
                                 "  1 [label=\"1\\nfill, done\", style=filled];\n"
                                 "  2 [label=\"2\\nfill, high priority, done\", style=filled];\n"
                                 "  3 [label=\"3 all of \\\"them\\\"\\njoin, done\", style=filled];\n"
                                 "  1 -> 2;\n"
                                 "  1 -> 3;\n"
                                 "  2 -> 3;\n"
                                 "}\n");
    ck_ok(trm_coordinator_forget(coordinator));
    graph_of(&text);
    ck_assert_str_eq(text.bytes, "digraph tasks {\n  node [shape=box];\n}\n");
    trm_buffer_destroy(buffer);
}
END_TEST

static void forget_and_write(void *user, int32_t status)
{
    (void)status;
    ck_ok(trm_coordinator_forget(coordinator));
    graph_of(user);
}

/* Of a task that runs while what it came after is forgotten. */
START_TEST(no_arrow_of_the_graph_comes_from_a_task_that_is_forgotten)
{
    struct text text;
    ck_ok(add_nothing(1, NULL, AFTER_NOTHING));
    struct trm_task task = task_of(TRM_TASK_HOST, 2, AFTER(1));
    task.host            = forget_and_write;
    task.user            = &text;
    ck_ok(trm_coordinator_add(coordinator, &task));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
    ck_assert_str_eq(text.bytes, "digraph tasks {\n"
                                 "  node [shape=box];\n"
                                 "  2 [label=\"2\\nhost, started\", style=bold];\n"
                                 "}\n");
}
END_TEST

START_TEST(what_takes_the_graph_may_refuse_it)
{
    struct text text = {.answer = TRM_ERROR_CANCELLED};
    ck_ok(add_nothing(1, NULL, AFTER_NOTHING));
    ck_assert_int_eq(trm_coordinator_write_graph(coordinator, keep_text, &text), TRM_ERROR_CANCELLED);
    ck_sentence_has("the program's function returned TRM_ERROR_CANCELLED");
    ck_status(trm_coordinator_write_graph(coordinator, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

void add_coordinator_kinds(Suite *suite)
{
    TCase *group = group_with_coordinator(suite, "kinds of tasks");
    CASE(group, a_task_fills_a_span_in_its_turn);
    CASE(group, tasks_copy_rows_up_on_the_device_and_down);
    CASE(group, fills_and_rows_that_lack_something_are_refused);
    CASE(group, fills_and_rows_that_cannot_be_are_refused_by_submit_which_names_the_task);
    CASE(group, tasks_are_written_as_a_graph);
    CASE(group, no_arrow_of_the_graph_comes_from_a_task_that_is_forgotten);
    CASE(group, what_takes_the_graph_may_refuse_it);
}
