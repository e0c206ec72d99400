/* Finds tasks that wait for themselves in linear time. A. B. Kahn, "Topological sorting of large networks",
 * 1962: tasks without dependencies are removed until none is left, or the rest is in a cycle or depends on
 * one.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "pipeline/coordinator/coordinator.h"

/* A longer cycle is shown without its middle. */
#define SHOWN 16

/* Removed tasks, linked by next_ended of their work, which is unused before they are submitted. */
struct collected {
    struct pipeline_task_work *first, **end;
};

static void collect(struct collected *collected, struct pipeline_task *task)
{
    task->work->next_ended = NULL;
    *collected->end        = task->work;
    collected->end         = &task->work->next_ended;
}

/* task->before counts dependencies that are left. Returns the number of removed tasks. */
static uint32_t remove_acyclic(const struct pipeline_task_list *list)
{
    struct collected collected = {.end = &collected.first};
    uint32_t count             = 0;
    for (struct pipeline_task *task = list->first; task != NULL; task = task->next)
        if (task->before == 0)
            collect(&collected, task);
    for (const struct pipeline_task_work *work = collected.first; work != NULL;
         work                                  = work->next_ended, count++)
        for (struct pipeline_task_edge *edge = work->task->dependents; edge != NULL; edge = edge->next)
            if (--edge->to->before == 0)
                collect(&collected, edge->to);
    return count;
}

/* A dependency of `task` that is left. A task that is left has one. */
static struct pipeline_task *left_before(const struct pipeline_task *task)
{
    const struct pipeline_task_work *work = task->work;
    for (uint32_t i = 0; i < work->desc.after_count; i++) {
        struct pipeline_task *from = work->edges[i].from;
        if (from != NULL && from->state == PIPELINE_TASK_SUBMITTING && from->before > 0)
            return from;
    }
    return NULL;
}

/* Following dependencies back from any task that is left leads into a cycle. Returns a task of it. */
static struct pipeline_task *find_in_cycle(const struct pipeline_task_list *list)
{
    struct pipeline_task *task = list->first;
    while (task->before == 0)
        task = task->next;
    while (task->visited == 0) {
        task->visited = 1;
        task          = left_before(task);
    }
    return task;
}

struct spelling {
    char text[1600];
    size_t length;
};

static void spell(struct spelling *spelling, const char *before, const struct pipeline_task *task)
{
    char name[96];
    size_t room = sizeof(spelling->text) - spelling->length;
    int length  = snprintf(spelling->text + spelling->length, room, "%s%s", before,
                           pipeline_task_name(task, name, sizeof(name)));
    spelling->length += (size_t)length < room ? (size_t)length : room - 1;
}

static uint32_t cycle_length(const struct pipeline_task *start)
{
    uint32_t length = 1;
    for (const struct pipeline_task *task = left_before(start); task != start; task = left_before(task))
        length++;
    return length;
}

/* "4 -> 7 -> 4": each comes after the next. */
static int32_t fail_cycle(const struct pipeline_task *start)
{
    struct spelling spelling = {0};
    uint32_t length = cycle_length(start), at = 1;
    const struct pipeline_task *task = left_before(start);
    spell(&spelling, "", start);
    for (; task != start; task = left_before(task), at++) {
        if (length > SHOWN && at == SHOWN / 2) {
            size_t room = sizeof(spelling.text) - spelling.length;
            spelling.length += (size_t)snprintf(spelling.text + spelling.length, room, " -> (%u more)",
                                                (unsigned)(length - SHOWN));
        }
        if (length <= SHOWN || at < SHOWN / 2 || at >= length - SHOWN / 2)
            spell(&spelling, " -> ", task);
    }
    spell(&spelling, " -> ", start);
    return base_fail(TRM_ERROR_DEADLOCK, "tasks come after themselves: %s", spelling.text);
}

int32_t pipeline_tasks_check_cycles(const struct pipeline_task_list *list)
{
    if (remove_acyclic(list) == list->count)
        return TRM_OK;
    return fail_cycle(find_in_cycle(list));
}
