/* Why tasks failed.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "pipeline/coordinator/coordinator.h"

const char *pipeline_task_name(const struct pipeline_task *task, char *text, size_t capacity)
{
    if (task->name[0] != '\0')
        snprintf(text, capacity, "%" PRIu64 " \"%.60s\"", task->id, task->name);
    else
        snprintf(text, capacity, "%" PRIu64, task->id);
    return text;
}

struct pipeline_task_cause *pipeline_task_cause_create(const struct pipeline_coordinator *coordinator,
                                                       const struct pipeline_task *task, int32_t status)
{
    char name[96], sentence[232];
    struct base_failure failure;
    base_failure_save(&failure, status);
    struct pipeline_task_cause *cause = core_allocate(coordinator->object.context, sizeof(*cause));
    if (cause == NULL)
        return NULL;
    cause->references  = 1;
    cause->status      = status;
    cause->id          = task->id;
    cause->native_code = failure.native_code;
    base_text_copy(sentence, sizeof(sentence), failure.sentence);
    snprintf(cause->sentence, sizeof(cause->sentence), "task %s: %s",
             pipeline_task_name(task, name, sizeof(name)), sentence);
    return cause;
}

struct pipeline_task_cause *pipeline_task_cause_retain_locked(struct pipeline_task_cause *cause)
{
    if (cause != NULL)
        cause->references++;
    return cause;
}

void pipeline_task_cause_release_locked(struct pipeline_coordinator *coordinator,
                                        struct pipeline_task_cause *cause)
{
    if (cause == NULL || --cause->references > 0)
        return;
    cause->next               = coordinator->spent_causes;
    coordinator->spent_causes = cause;
}

void pipeline_task_causes_free(const struct pipeline_coordinator *coordinator,
                               struct pipeline_task_cause *list)
{
    while (list != NULL) {
        struct pipeline_task_cause *next = list->next;
        core_free(coordinator->object.context, list, sizeof(*list));
        list = next;
    }
}

int32_t pipeline_task_raise(uint64_t id, int32_t status, const struct pipeline_task_cause *cause)
{
    char text[480];
    if (cause == NULL) {
        snprintf(text, sizeof(text), "task %" PRIu64 " failed, and there was no memory to keep the reason",
                 id);
        return base_fail_native(status, 0, text);
    }
    if (cause->id == id)
        return base_fail_native(status, cause->native_code, cause->sentence);
    snprintf(text, sizeof(text), "task %" PRIu64 " did not run because it comes after one that failed: %s",
             id, cause->sentence);
    return base_fail_native(status, cause->native_code, text);
}
