/* Tasks: checking, copying, finding by id, forgetting.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "core/object/object.h"
#include "pipeline/coordinator/coordinator.h"

/* bytes of struct trm_task in the first version */
#define TASK_LEAST 184

#define FIRST_TABLE 64

/* ---- the table of ids ----------------------------------------------------------------------- */

static struct pipeline_task **bucket(struct pipeline_task **table, uint64_t size, uint64_t id)
{
    return &table[id * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (size - 1)];
}

struct pipeline_task *pipeline_task_find_locked(const struct pipeline_coordinator *coordinator, uint64_t id)
{
    if (coordinator->table == NULL)
        return NULL;
    struct pipeline_task *task = *bucket(coordinator->table, coordinator->table_size, id);
    while (task != NULL && task->id != id)
        task = task->in_table;
    return task;
}

static void insert(struct pipeline_task **table, uint64_t size, struct pipeline_task *task)
{
    struct pipeline_task **link = bucket(table, size, task->id);
    task->in_table              = *link;
    *link                       = task;
}

void pipeline_task_remove_locked(struct pipeline_coordinator *coordinator, const struct pipeline_task *task)
{
    struct pipeline_task **link = bucket(coordinator->table, coordinator->table_size, task->id);
    while (*link != task)
        link = &(*link)->in_table;
    *link = task->in_table;
    coordinator->tasks--;
}

static void move_all(struct pipeline_coordinator *coordinator, struct pipeline_task **table, uint64_t size)
{
    for (uint64_t i = 0; i < coordinator->table_size; i++)
        for (struct pipeline_task *task = coordinator->table[i], *next; task != NULL; task = next) {
            next = task->in_table;
            insert(table, size, task);
        }
}

/* Makes room for one more task. Releases the lock meanwhile, because it calls the program's allocator. */
static bool grow_table_locked(struct pipeline_coordinator *coordinator)
{
    struct core_context *context = coordinator->object.context;
    while (coordinator->tasks >= coordinator->table_size) {
        uint64_t old  = coordinator->table_size;
        uint64_t size = old == 0 ? FIRST_TABLE : 2 * old;
        base_lock_release(&coordinator->lock);
        struct pipeline_task **table = core_allocate(context, size * sizeof(struct pipeline_task *));
        base_lock_acquire(&coordinator->lock);
        if (table == NULL)
            return false;
        struct pipeline_task **spare = table;
        uint64_t spare_size          = size;
        if (coordinator->table_size == old) {
            move_all(coordinator, table, size);
            spare                   = coordinator->table;
            spare_size              = old;
            coordinator->table      = table;
            coordinator->table_size = size;
        }
        base_lock_release(&coordinator->lock);
        core_free(context, spare, spare_size * sizeof(struct pipeline_task *));
        base_lock_acquire(&coordinator->lock);
    }
    return true;
}

void pipeline_task_list_add(struct pipeline_task_list *list, struct pipeline_task *task)
{
    task->next = NULL;
    if (list->last != NULL)
        list->last->next = task;
    else
        list->first = task;
    list->last = task;
    list->count++;
}

#define ELEMENTS_MOST 1024u /* of an argument that is an array; no kernel has more */

/* ---- checks --------------------------------------------------------------------------------- */

static int32_t lacks(const struct trm_task *task, const char *what)
{
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "task %" PRIu64 " lacks %s", task->id, what);
}

static int32_t check_compute(const struct trm_task *task)
{
    if (task->kernel == NULL)
        return lacks(task, "its kernel");
    if (task->argument_count > 0 && task->arguments == NULL)
        return lacks(task, "its arguments");
    for (uint32_t i = 0; i < task->argument_count; i++) {
        const struct trm_argument *argument = &task->arguments[i];
        if (argument->kind == TRM_PARAMETER_BLOCK && argument->value.block.size > 0 &&
            argument->value.block.data == NULL)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "task %" PRIu64 ": the block of argument %" PRIu32 " is NULL", task->id, i);
        if (argument->kind == TRM_ARGUMENT_ARRAY &&
            (argument->value.array.elements == NULL || argument->value.array.count > ELEMENTS_MOST))
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "task %" PRIu64 ": the array of argument %" PRIu32
                             " is NULL, or has more than %u elements",
                             task->id, i, ELEMENTS_MOST);
    }
    return TRM_OK;
}

static int32_t check_2d(const struct trm_task *task)
{
    const struct trm_rows *to = &task->destination_rows, *from = &task->source_rows;
    if (to->buffer == NULL && from->buffer == NULL)
        return lacks(task, "a buffer in its destination_rows or source_rows");
    if (to->buffer == NULL && to->host == NULL)
        return lacks(task, "its destination_rows");
    return from->buffer == NULL && from->host == NULL ? lacks(task, "its source_rows") : TRM_OK;
}

static int32_t check_kind(const struct trm_task *task)
{
    switch (task->kind) {
    case TRM_TASK_UPLOAD:
        if (task->destination.buffer == NULL)
            return lacks(task, "its destination");
        return task->host_source == NULL ? lacks(task, "its host_source") : TRM_OK;
    case TRM_TASK_COMPUTE:
        return check_compute(task);
    case TRM_TASK_DOWNLOAD:
        if (task->source.buffer == NULL)
            return lacks(task, "its source");
        return task->host_destination == NULL ? lacks(task, "its host_destination") : TRM_OK;
    case TRM_TASK_COPY:
        if (task->destination.buffer == NULL)
            return lacks(task, "its destination");
        return task->source.buffer == NULL ? lacks(task, "its source") : TRM_OK;
    case TRM_TASK_FILL:
        return task->destination.buffer == NULL ? lacks(task, "its destination") : TRM_OK;
    case TRM_TASK_COPY_2D:
        return check_2d(task);
    case TRM_TASK_HOST:
        return task->host == NULL ? lacks(task, "its host function") : TRM_OK;
    case TRM_TASK_NOTHING:
        return TRM_OK;
    default:
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "task %" PRIu64 ": %d is not a kind of task", task->id,
                         (int)task->kind);
    }
}

static int32_t check_uses(const struct pipeline_coordinator *coordinator, const struct trm_task *task)
{
    if (!coordinator->is_over_group && (task->use_count > 0 || task->devices != 0))
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "task %" PRIu64 " %s of a group, but the coordinator is not over a group's pool",
                         task->id, task->use_count > 0 ? "uses buffers" : "names devices");
    if (task->use_count == 0)
        return TRM_OK;
    if (task->kind != TRM_TASK_COMPUTE)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "task %" PRIu64 " has uses, which only COMPUTE has: others use their spans",
                         task->id);
    return task->uses == NULL ? lacks(task, "its uses") : TRM_OK;
}

static int32_t check_task(const struct trm_task *task)
{
    if (task->id == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a task's id must not be 0");
    if (task->after_count > 0 && task->after == NULL)
        return lacks(task, "the ids that it comes after");
    return check_kind(task);
}

/* ---- copies --------------------------------------------------------------------------------- */

/* Lays out one allocation: counts bytes while `base` is NULL, else returns its parts. */
struct layout {
    char *base;
    uint64_t used;
    bool has_overflowed;
};

static void *layout_part(struct layout *layout, uint64_t size)
{
    uint64_t at = layout->used, end;
    if (__builtin_add_overflow(layout->used, size, &end) || end > UINT64_MAX / 4)
        layout->has_overflowed = true;
    else
        layout->used = (end + 15) & ~UINT64_C(15);
    return layout->base != NULL ? layout->base + at : NULL;
}

static void *layout_copy(struct layout *layout, const void *from, uint64_t size)
{
    void *to = layout_part(layout, size);
    if (to != NULL && size > 0)
        memcpy(to, from, size);
    return to;
}

static const char *layout_text(struct layout *layout, const char *text)
{
    return text == NULL ? NULL : layout_copy(layout, text, strlen(text) + 1);
}

static void copy_arguments(struct layout *layout, struct trm_task *desc, const struct trm_task *task)
{
    if (task->kind != TRM_TASK_COMPUTE || task->argument_count == 0)
        return;
    struct trm_argument *arguments =
        layout_copy(layout, task->arguments, task->argument_count * sizeof(struct trm_argument));
    desc->arguments = arguments;
    for (uint32_t i = 0; i < task->argument_count; i++) {
        const struct trm_argument *argument = &task->arguments[i];
        const char *name                    = layout_text(layout, argument->name);
        const void *block                   = NULL;
        if (argument->kind == TRM_PARAMETER_BLOCK)
            block = layout_copy(layout, argument->value.block.data, argument->value.block.size);
        else if (argument->kind == TRM_ARGUMENT_ARRAY)
            block = layout_copy(layout, argument->value.array.elements,
                                argument->value.array.count * sizeof(struct trm_argument));
        if (arguments == NULL)
            continue;
        arguments[i].name = name;
        if (argument->kind == TRM_PARAMETER_BLOCK)
            arguments[i].value.block.data = block;
        else if (argument->kind == TRM_ARGUMENT_ARRAY)
            arguments[i].value.array.elements = block;
    }
}

static void copy_uses(struct layout *layout, struct trm_task *desc, const struct trm_task *task)
{
    desc->uses = task->use_count > 0
                     ? layout_copy(layout, task->uses, task->use_count * sizeof(struct trm_group_use))
                     : NULL;
}

static void copy_edges(struct pipeline_task_work *work, const struct trm_task *task)
{
    for (uint32_t i = 0; i < task->after_count; i++) {
        work->edges[i].id = task->after[i];
        work->edges[i].to = work->task;
    }
}

/* Counts (work NULL) or copies. */
static void copy_parts(struct layout *layout, struct pipeline_task_work *work, const struct trm_task *task)
{
    struct trm_task desc = *task;
    layout_part(layout, sizeof(struct pipeline_task_work));
    struct pipeline_task_edge *edges =
        layout_part(layout, task->after_count * sizeof(struct pipeline_task_edge));
    desc.name  = NULL; /* the task has it */
    desc.after = NULL;
    copy_arguments(layout, &desc, task);
    copy_uses(layout, &desc, task);
    if (work == NULL)
        return;
    work->desc  = desc;
    work->edges = edges;
    copy_edges(work, task);
}

/* What is known of a task for as long as its id is in use; of a long name only the beginning. */
static struct pipeline_task *allocate_task(const struct core_context *context, const struct trm_task *desc)
{
    size_t length              = desc->name != NULL ? strnlen(desc->name, PIPELINE_TASK_NAME_BYTES - 1) : 0;
    uint64_t ids               = desc->after_count * sizeof(desc->after[0]);
    uint64_t bytes             = sizeof(struct pipeline_task) + ids + length + 1;
    struct pipeline_task *task = core_allocate(context, bytes);
    if (task == NULL)
        return NULL;
    task->id          = desc->id;
    task->kind        = desc->kind;
    task->priority    = desc->priority;
    task->bytes       = bytes;
    task->after_count = desc->after_count;
    task->name        = (char *)&task->after[desc->after_count];
    if (ids > 0)
        memcpy(task->after, desc->after, ids);
    base_text_copy(task->name, length + 1, desc->name != NULL ? desc->name : "");
    return task;
}

static struct pipeline_task *task_create(struct pipeline_coordinator *coordinator,
                                         const struct trm_task *desc)
{
    struct core_context *context = coordinator->object.context;
    struct layout measured       = {0};
    copy_parts(&measured, NULL, desc);
    if (measured.has_overflowed)
        return NULL;
    struct pipeline_task *task = allocate_task(context, desc);
    if (task == NULL)
        return NULL;
    struct pipeline_task_work *work = core_allocate(context, measured.used);
    if (work == NULL) {
        core_free(context, task, task->bytes);
        return NULL;
    }
    struct layout layout = {.base = (char *)work};
    task->work           = work;
    work->task           = task;
    work->coordinator    = coordinator;
    copy_parts(&layout, work, desc);
    work->bytes = measured.used;
    work->class = pipeline_schedule_class(coordinator, &work->desc);
    return task;
}

void pipeline_task_work_free(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work)
{
    if (work != NULL)
        core_free(coordinator->object.context, work, work->bytes);
}

void pipeline_task_free(struct pipeline_coordinator *coordinator, struct pipeline_task *task)
{
    pipeline_task_work_free(coordinator, task->work);
    core_free(coordinator->object.context, task, task->bytes);
}

void pipeline_tasks_drop(struct pipeline_coordinator *coordinator, struct pipeline_task *list)
{
    base_lock_acquire(&coordinator->lock);
    for (struct pipeline_task *task = list; task != NULL; task = task->next)
        pipeline_task_remove_locked(coordinator, task);
    base_lock_release(&coordinator->lock);
    while (list != NULL) {
        struct pipeline_task *next = list->next;
        pipeline_task_free(coordinator, list);
        list = next;
    }
}

/* ---- entry points --------------------------------------------------------------------------- */

/* TRM_OK: the task is in the table and the list. Otherwise the caller still owns it. */
static int32_t add_locked(struct pipeline_coordinator *coordinator, struct pipeline_task *task)
{
    if (!grow_table_locked(coordinator))
        return base_fail_memory("adding a task");
    if (coordinator->is_closing)
        return base_fail(TRM_ERROR_CANCELLED, "the coordinator is being destroyed");
    if (pipeline_task_find_locked(coordinator, task->id) != NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the id %" PRIu64 " is in use", task->id);
    insert(coordinator->table, coordinator->table_size, task);
    coordinator->tasks++;
    pipeline_task_list_add(&coordinator->added, task);
    return TRM_OK;
}

static int32_t add_task(struct pipeline_coordinator *coordinator, const struct trm_task *given)
{
    struct trm_task desc;
    if (given == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_coordinator_add: `task` is NULL");
    if (!core_struct_copy_in(&desc, sizeof(desc), given, TASK_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_task.struct_size is %" PRIu32 ", but its size is %zu", given->struct_size,
                         sizeof(desc));
    int32_t status = check_task(&desc);
    if (status == TRM_OK)
        status = check_uses(coordinator, &desc);
    if (status == TRM_OK)
        status = pipeline_task_prepare_functions(coordinator, &desc);
    if (status != TRM_OK)
        return status;
    struct pipeline_task *task = task_create(coordinator, &desc);
    if (task == NULL)
        return base_fail_memory("adding a task");
    base_lock_acquire(&coordinator->lock);
    status = add_locked(coordinator, task);
    base_lock_release(&coordinator->lock);
    if (status != TRM_OK)
        pipeline_task_free(coordinator, task);
    return status;
}

int32_t trm_coordinator_add(struct trm_coordinator *handle, const struct trm_task *given)
{
    struct pipeline_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    if (coordinator == NULL)
        return base_last_status();
    int32_t status = add_task(coordinator, given);
    core_object_leave(&coordinator->object);
    return status;
}

/* Removes done tasks that no call waits for from the list and the table. */
static struct pipeline_task *remove_done_locked(struct pipeline_coordinator *coordinator)
{
    struct pipeline_task_list all = coordinator->done;
    struct pipeline_task *removed = NULL, *next;
    coordinator->done             = (struct pipeline_task_list){0};
    for (struct pipeline_task *task = all.first; task != NULL; task = next) {
        next = task->next;
        if (task->watched > 0) {
            pipeline_task_list_add(&coordinator->done, task);
            continue;
        }
        pipeline_task_remove_locked(coordinator, task);
        pipeline_task_cause_release_locked(coordinator, task->cause);
        task->next = removed;
        removed    = task;
    }
    pipeline_task_cause_release_locked(coordinator, coordinator->first_cause);
    coordinator->first_cause  = NULL;
    coordinator->first_status = TRM_OK;
    return removed;
}

static int32_t forget_done(struct pipeline_coordinator *coordinator)
{
    base_lock_acquire(&coordinator->submit_lock);
    base_lock_acquire(&coordinator->lock);
    struct pipeline_task *task         = remove_done_locked(coordinator);
    struct pipeline_task_cause *causes = coordinator->spent_causes;
    coordinator->spent_causes          = NULL;
    base_lock_release(&coordinator->lock);
    base_lock_release(&coordinator->submit_lock);
    while (task != NULL) {
        struct pipeline_task *next = task->next;
        pipeline_task_free(coordinator, task);
        task = next;
    }
    pipeline_task_causes_free(coordinator, causes);
    return TRM_OK;
}

/* Excludes submits, which read tasks that are done. */
int32_t trm_coordinator_forget(struct trm_coordinator *handle)
{
    struct pipeline_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    if (coordinator == NULL)
        return base_last_status();
    pipeline_flight_look(coordinator);
    int32_t status = forget_done(coordinator);
    core_object_leave(&coordinator->object);
    return status;
}
