/* What a task of a pool over a group uses, and its form for one of the devices.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "core/memory/memory.h"
#include "core/module/module.h"
#include "core/object/object.h"
#include "pipeline/pool/team.h"

static int32_t fail_foreign(const char *what)
{
    return base_fail(TRM_ERROR_WRONG_DEVICE, "the %s belongs to another group than the pool", what);
}

/* ---- devices -------------------------------------------------------------------------------- */

/* An object of one device keeps the task on that device. */
static void keep_on(struct pipeline_pool_plan *plan, const struct core_device *device)
{
    for (uint32_t i = 0; i < plan->team->count; i++)
        if (plan->team->group->devices[i] == device)
            plan->devices &= 1u << i;
}

static int32_t check_devices(const struct pipeline_pool_plan *plan)
{
    if (plan->devices != 0)
        return TRM_OK;
    return base_fail_static(TRM_ERROR_WRONG_DEVICE,
                            "no device of the group may run the task: its kernel, its buffers and `devices` "
                            "leave none");
}

/* ---- uses ----------------------------------------------------------------------------------- */

/* What the program declares of a buffer replaces what the kernel's reflection says. */
static bool is_given(const struct pipeline_pool_plan *plan, const struct pipeline_replica *replica)
{
    for (uint32_t i = 0; i < plan->use_count; i++)
        if (plan->uses[i].replica == replica && plan->uses[i].is_given)
            return true;
    return false;
}

static struct pipeline_pool_use *find_use(struct pipeline_pool_plan *plan,
                                          const struct pipeline_pool_use *wanted)
{
    for (uint32_t i = 0; i < plan->use_count; i++)
        if (plan->uses[i].replica == wanted->replica && plan->uses[i].begin == wanted->begin &&
            plan->uses[i].end == wanted->end)
            return &plan->uses[i];
    return NULL;
}

static int32_t fail_many_uses(void)
{
    return base_fail(TRM_ERROR_OUT_OF_RANGE, "a task uses at most %u spans of buffers of a group",
                     PIPELINE_POOL_USES);
}

/* Takes over the replica of the use, which was entered. Spans that overlap are uses of their own. */
static int32_t add(struct pipeline_pool_plan *plan, const struct pipeline_pool_use *wanted)
{
    int32_t status                = TRM_OK;
    struct pipeline_pool_use *use = find_use(plan, wanted);
    bool is_told                  = !wanted->is_given && is_given(plan, wanted->replica);
    if (wanted->replica->group != plan->team->group)
        status = fail_foreign("buffer");
    else if (use == NULL && !is_told && plan->use_count == PIPELINE_POOL_USES)
        status = fail_many_uses();
    if (status == TRM_OK && use == NULL && !is_told) {
        plan->uses[plan->use_count++] = *wanted;
        return TRM_OK;
    }
    if (status == TRM_OK && !is_told)
        use->access |= wanted->access;
    core_object_leave(&wanted->replica->object);
    return status;
}

/* Checks a span of the use's buffer. length: TRM_WHOLE: to the end of the buffer. */
static int32_t set_span(struct pipeline_pool_use *use, uint64_t offset, uint64_t length)
{
    struct core_buffer *buffer;
    int32_t status = TRM_OK;
    if (offset == 0 && length == TRM_WHOLE)
        length = use->replica->data.size;
    else
        status = core_span_resolve(trm_span_of(use->replica->ones[0], offset, length), &buffer, &length);
    use->begin = offset;
    use->end   = offset + length;
    return status;
}

/* Enters the buffer. */
static int32_t add_use(struct pipeline_pool_plan *plan, const void *handle, uint64_t offset, uint64_t length,
                       struct pipeline_pool_use *use)
{
    use->replica = core_object_enter(handle, CORE_GROUP_BUFFER);
    if (use->replica == NULL)
        return base_last_status();
    int32_t status = set_span(use, offset, length);
    if (status == TRM_OK)
        return add(plan, use);
    core_object_leave(&use->replica->object);
    return status;
}

static int32_t add_given(struct pipeline_pool_plan *plan)
{
    const struct trm_stream_task *task = plan->task;
    int32_t status                     = TRM_OK;
    if (task->use_count > 0 && task->uses == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_stream_pool_submit: the %" PRIu32 " uses of the task are NULL",
                         task->use_count);
    if (task->use_count > PIPELINE_POOL_USES)
        return fail_many_uses();
    for (uint32_t i = 0; status == TRM_OK && i < task->use_count; i++) {
        const struct trm_group_use *given = &task->uses[i];
        uint32_t access                   = given->access;
        if (access == 0 || (access & ~(uint32_t)(TRM_ACCESS_READ | TRM_ACCESS_WRITE)) != 0)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "use %" PRIu32 " of the task has the access %#" PRIx32
                             ": it reads, writes, or both",
                             i, access);
        struct pipeline_pool_use use = {.access = access, .is_given = true};
        status =
            add_use(plan, given->buffer, given->offset, given->length != 0 ? given->length : TRM_WHOLE, &use);
    }
    return status;
}

/* ---- arguments ------------------------------------------------------------------------------ */

bool pipeline_pool_has_span(const struct trm_argument *argument)
{
    return argument->kind == TRM_PARAMETER_BUFFER || argument->kind == TRM_PARAMETER_TEXELS ||
           argument->kind == TRM_ARGUMENT_REACHED;
}

/* The parameter that an argument is for; the number of parameters: none. */
static uint32_t parameter_of(const struct core_kernel *kernel, uint32_t position,
                             const struct trm_argument *argument)
{
    if (argument->name == NULL)
        return position;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (kernel->parameters[i].name != NULL && strcmp(kernel->parameters[i].name, argument->name) == 0)
            return i;
    return kernel->parameter_count;
}

/* What the kernel does with an argument. A kernel that writes may write a part only, so it also needs the old
 * contents. */
static uint32_t access_of(const struct core_kernel *kernel, uint32_t position,
                          const struct trm_argument *argument)
{
    const uint32_t both = TRM_ACCESS_READ | TRM_ACCESS_WRITE;
    if (argument->kind == TRM_ARGUMENT_REACHED)
        return both;
    uint32_t index = parameter_of(kernel, position, argument);
    bool is_read   = index < kernel->parameter_count && kernel->parameters[index].access == TRM_ACCESS_READ;
    return is_read ? TRM_ACCESS_READ : both;
}

/* Another thread may destroy the buffer meanwhile. */
static int32_t keep_on_buffer(struct pipeline_pool_plan *plan, const void *handle)
{
    struct core_buffer *buffer = core_object_enter(handle, CORE_BUFFER);
    if (buffer == NULL)
        return base_last_status();
    keep_on(plan, buffer->device);
    core_object_leave(&buffer->object);
    return TRM_OK;
}

static int32_t add_arguments(struct pipeline_pool_plan *plan, const struct core_kernel *kernel)
{
    const struct trm_stream_task *task = plan->task;
    int32_t status                     = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < task->argument_count; i++) {
        const struct trm_argument *argument = &task->arguments[i];
        const struct trm_span *span         = &argument->value.span;
        const void *handle                  = span->buffer;
        if (!pipeline_pool_has_span(argument))
            continue;
        struct pipeline_pool_use use = {.access = access_of(kernel, i, argument)};
        if (core_object_is_alive(handle, CORE_GROUP_BUFFER))
            status = add_use(plan, handle, span->offset, span->length, &use);
        else if (core_object_is_alive(handle, CORE_BUFFER))
            status = keep_on_buffer(plan, handle);
    }
    return status;
}

static int32_t add_group_kernel(struct pipeline_pool_plan *plan)
{
    plan->kernel = core_object_enter(plan->task->kernel, CORE_GROUP_KERNEL);
    if (plan->kernel == NULL)
        return base_last_status();
    if (plan->kernel->group != plan->team->group)
        return fail_foreign("kernel");
    struct core_kernel *kernel = core_object_enter(plan->kernel->ones[0], CORE_KERNEL);
    if (kernel == NULL)
        return base_last_status();
    int32_t status = add_arguments(plan, kernel);
    core_object_leave(&kernel->object);
    return status;
}

static int32_t add_single_kernel(struct pipeline_pool_plan *plan)
{
    struct core_kernel *kernel = core_object_enter(plan->task->kernel, CORE_KERNEL);
    if (kernel == NULL)
        return base_last_status();
    keep_on(plan, kernel->module->device);
    int32_t status = add_arguments(plan, kernel);
    core_object_leave(&kernel->object);
    return status;
}

/* Enters a kernel of the group; one of a single device keeps the task there. */
static int32_t add_kernel(struct pipeline_pool_plan *plan)
{
    if (plan->task->kernel == NULL)
        return TRM_OK;
    return core_object_is_alive(plan->task->kernel, CORE_GROUP_KERNEL) ? add_group_kernel(plan)
                                                                       : add_single_kernel(plan);
}

int32_t pipeline_pool_plan_open(const struct pipeline_pool_team *team, const struct trm_stream_task *task,
                                struct pipeline_pool_plan *plan)
{
    uint32_t all    = (1u << team->count) - 1;
    plan->team      = team;
    plan->task      = task;
    plan->kernel    = NULL;
    plan->use_count = 0;
    plan->preferred = 0;
    plan->devices   = task->devices != 0 ? task->devices & all : all;
    int32_t status  = add_given(plan);
    if (status == TRM_OK)
        status = add_kernel(plan);
    return status == TRM_OK ? check_devices(plan) : status;
}

void pipeline_pool_plan_close(struct pipeline_pool_plan *plan)
{
    struct base_saved_error saved;
    if (plan->use_count == 0 && plan->kernel == NULL)
        return;
    base_error_save(&saved);
    for (uint32_t i = 0; i < plan->use_count; i++)
        core_object_leave(&plan->uses[i].replica->object);
    if (plan->kernel != NULL)
        core_object_leave(&plan->kernel->object);
    base_error_restore(&saved);
}

/* ---- the form for a device ------------------------------------------------------------------ */

uint64_t pipeline_pool_plan_what(const struct pipeline_pool_plan *plan, uint32_t device)
{
    if (plan->kernel != NULL)
        return (uintptr_t)plan->kernel->ones[device];
    return plan->task->kernel != NULL ? (uintptr_t)plan->task->kernel : (uintptr_t)plan->task->enqueue;
}

static struct trm_argument *room_for(const struct pipeline_pool_plan *plan, struct pipeline_pool_form *form)
{
    uint32_t count = plan->task->argument_count;
    form->many     = NULL;
    if (count <= sizeof(form->few) / sizeof(form->few[0]))
        return form->few;
    form->many = core_allocate(plan->team->context, count * sizeof(*form->many));
    return form->many;
}

int32_t pipeline_pool_form_init(const struct pipeline_pool_plan *plan, uint32_t device,
                                struct pipeline_pool_form *form)
{
    form->task                     = *plan->task;
    struct trm_argument *arguments = room_for(plan, form);
    void *one;
    int32_t status = TRM_OK;
    if (arguments == NULL)
        return base_fail_memory("submitting a task");
    if (plan->kernel != NULL)
        form->task.kernel = plan->kernel->ones[device];
    for (uint32_t i = 0; status == TRM_OK && i < form->task.argument_count; i++) {
        arguments[i] = plan->task->arguments[i];
        if (!pipeline_pool_has_span(&arguments[i]))
            continue;
        status = pipeline_replica_resolve(plan->team->group, device, CORE_GROUP_BUFFER,
                                          arguments[i].value.span.buffer, &one);
        if (status == TRM_OK)
            arguments[i].value.span.buffer = one;
    }
    form->task.arguments = arguments;
    if (status != TRM_OK)
        pipeline_pool_form_fini(plan, form);
    return status;
}

void pipeline_pool_form_fini(const struct pipeline_pool_plan *plan, struct pipeline_pool_form *form)
{
    core_free(plan->team->context, form->many, plan->task->argument_count * sizeof(*form->many));
}
