/* The tasks of coordinators in a trace: on tracks of their own, as many as run at once, beside the streams
 * that they run on. A task lasts from the beginning of its first operation to the end of its last, without
 * its waits for other tasks; one on the host from the call of its function to its return.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>

#include "pipeline/profile/profile.h"

/* Tasks that run at once beyond this are left out. */
#define MOST_TRACKS 64u

struct task {
    uint64_t begin, end;
    const char *name;
};

static bool is_task(const struct core_profile_range *range)
{
    return range->subject == NULL && range->end != 0;
}

/* Counts the tasks of a part; fills them in where there is room for them. */
static size_t collect(const struct core_profile_part *part, struct task *tasks)
{
    size_t count = 0;
    for (const struct core_profile_result *each = part->results; each != NULL; each = each->next)
        for (const struct core_profile_range *range = each->ranges; range != NULL; range = range->next)
            if (is_task(range)) {
                if (tasks != NULL)
                    tasks[count] = (struct task){range->begin, range->end, range->name};
                count++;
            }
    for (const struct core_profile_task *each = part->tasks; each != NULL; each = each->next) {
        if (tasks != NULL)
            tasks[count] = (struct task){each->begin, each->end, each->name};
        count++;
    }
    return count;
}

static int compare(const void *left, const void *right)
{
    const struct task *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

static void write_task(struct pipeline_writer *writer, uint32_t process, uint32_t thread,
                       const struct task *task)
{
    pipeline_writef(writer,
                    ",\n{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"cat\":\"task\",\"name\":",
                    process, thread);
    pipeline_write_json(writer, task->name);
    pipeline_write(writer, ",\"ts\":");
    pipeline_write_scaled(writer, task->begin, 3);
    pipeline_write(writer, ",\"dur\":");
    pipeline_write_scaled(writer, task->end - task->begin, 3);
    pipeline_write(writer, "}");
}

/* Puts each task on the first track that is free when the task begins. */
static uint32_t write_tasks(struct pipeline_writer *writer, uint32_t process, uint32_t thread,
                            const struct task *tasks, size_t count)
{
    uint64_t free_at[MOST_TRACKS];
    uint32_t tracks = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t track = 0;
        while (track < tracks && free_at[track] > tasks[i].begin)
            track++;
        if (track == MOST_TRACKS)
            continue;
        if (track == tracks) {
            tracks++;
            pipeline_writef(writer,
                            ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
                            ",\"name\":\"thread_name\",\"args\":{\"name\":\"tasks %" PRIu32 "\"}}",
                            process, thread + track, tracks);
        }
        write_task(writer, process, thread + track, &tasks[i]);
        free_at[track] = tasks[i].end;
    }
    return tracks;
}

int32_t pipeline_profile_write_tasks(const struct pipeline_profile_view *view, struct pipeline_writer *writer,
                                     uint32_t thread)
{
    uint32_t process = 0;
    for (const struct core_profile_part *part = view->profile->parts; part != NULL; part = part->next) {
        size_t count = collect(part, NULL);
        process++;
        if (count == 0)
            continue;
        struct task *tasks = core_allocate(view->context, count * sizeof(*tasks));
        if (tasks == NULL)
            return base_fail_memory("writing a profile");
        collect(part, tasks);
        qsort(tasks, count, sizeof(*tasks), compare);
        thread += write_tasks(writer, process, thread, tasks, count);
        core_free(view->context, tasks, count * sizeof(*tasks));
    }
    return TRM_OK;
}
