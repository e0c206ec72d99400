/* Tasks of a coordinator over a pool of a group: what they use, and their form for the device that the pool
 * has chosen.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/coordinator/coordinator.h"

/* A task in the form that the pool takes. */
struct errand {
    struct pipeline_pool_errand errand;
    struct pipeline_coordinator *coordinator;
    const struct trm_task *desc;
    struct pipeline_task_work *work; /* NULL: it is only checked */
    struct trm_stream_task task;
    struct trm_group_use uses[2];
};

/* ---- kinds ---------------------------------------------------------------------------------- */

/* Each kind of task has a function of its own, by which the pool tells kinds apart and learns their times. */
static int32_t run_kind(const void *user, struct trm_stream *stream, int32_t kind)
{
    (void)user, (void)stream;
    return base_fail(TRM_ERROR_UNSUPPORTED, "a pool called a task of kind %d itself", (int)kind);
}

static int32_t run_upload(void *user, struct trm_stream *stream)
{
    return run_kind(user, stream, TRM_TASK_UPLOAD);
}

static int32_t run_download(void *user, struct trm_stream *stream)
{
    return run_kind(user, stream, TRM_TASK_DOWNLOAD);
}

static int32_t run_copy(void *user, struct trm_stream *stream)
{
    return run_kind(user, stream, TRM_TASK_COPY);
}

static int32_t run_fill(void *user, struct trm_stream *stream)
{
    return run_kind(user, stream, TRM_TASK_FILL);
}

static int32_t run_copy_2d(void *user, struct trm_stream *stream)
{
    return run_kind(user, stream, TRM_TASK_COPY_2D);
}

static trm_stream_task_fn function_of(int32_t kind)
{
    switch (kind) {
    case TRM_TASK_UPLOAD:
        return run_upload;
    case TRM_TASK_DOWNLOAD:
        return run_download;
    case TRM_TASK_FILL:
        return run_fill;
    case TRM_TASK_COPY_2D:
        return run_copy_2d;
    default:
        return run_copy;
    }
}

/* ---- what a task uses ----------------------------------------------------------------------- */

/* A task with a buffer of one device runs there. */
static int32_t locate(struct errand *errand, struct trm_buffer *buffer, bool *is_of_group)
{
    uint32_t devices;
    int32_t status = pipeline_pool_locate(errand->coordinator->pool, buffer, is_of_group, &devices);
    if (status != TRM_OK || *is_of_group)
        return status;
    uint32_t both = errand->task.devices & devices;
    /* Either device may enqueue a copy between two; the one that is named first gets it. */
    if (errand->task.devices == 0 || both != 0)
        errand->task.devices = devices;
    return TRM_OK;
}

static int32_t use(struct errand *errand, struct trm_span span, uint32_t access)
{
    bool is_of_group;
    if (span.buffer == NULL)
        return TRM_OK;
    int32_t status = locate(errand, span.buffer, &is_of_group);
    if (status != TRM_OK || !is_of_group || span.length == 0)
        return status;
    errand->uses[errand->task.use_count++] = (struct trm_group_use){
        .buffer = (struct trm_group_buffer *)(void *)span.buffer,
        .access = access,
        .offset = span.offset,
        .length = span.length == TRM_WHOLE ? 0 : span.length,
    };
    return TRM_OK;
}

/* The length of a span without one is that of the other side of the copy. */
static struct trm_span span_beside(struct trm_span span, struct trm_span other)
{
    if (span.length == TRM_WHOLE && other.buffer != NULL)
        span.length = other.length;
    return span;
}

static int32_t use_spans(struct errand *errand, const struct trm_task *desc)
{
    struct trm_span nothing = {.buffer = NULL};
    struct trm_span from =
        desc->kind == TRM_TASK_UPLOAD || desc->kind == TRM_TASK_FILL ? nothing : desc->source;
    struct trm_span to = desc->kind == TRM_TASK_DOWNLOAD ? nothing : desc->destination;
    int32_t status     = use(errand, span_beside(to, from), TRM_ACCESS_WRITE);
    return status == TRM_OK ? use(errand, span_beside(from, to), TRM_ACCESS_READ) : status;
}

/* The bytes from the first row to the last one. The bytes between rows keep their contents. */
static int32_t use_rows(struct errand *errand, const struct trm_rows *rows, uint32_t access)
{
    const struct trm_task *desc = errand->desc;
    struct trm_span span        = {.buffer = rows->buffer, .offset = rows->offset};
    if (rows->pitch != desc->width && desc->height > 1)
        access |= TRM_ACCESS_READ;
    if (desc->width > 0 && desc->height > 0 &&
        (__builtin_mul_overflow(desc->height - 1, rows->pitch, &span.length) ||
         __builtin_add_overflow(span.length, desc->width, &span.length)))
        return base_fail_static(TRM_ERROR_OUT_OF_RANGE, "the rows of a copy reach beyond their buffer");
    return use(errand, span, access);
}

static uint64_t bytes_of(const struct trm_task *desc)
{
    if (desc->kind == TRM_TASK_COPY_2D)
        return desc->width * desc->height;
    uint64_t length = desc->kind == TRM_TASK_DOWNLOAD ? desc->source.length : desc->destination.length;
    return length == TRM_WHOLE ? 0 : length;
}

static int32_t describe(struct errand *errand)
{
    const struct trm_task *desc = errand->desc;
    struct trm_stream_task *to  = &errand->task;
    *to                         = (struct trm_stream_task){
                                .struct_size = sizeof(*to), .priority = desc->priority, .devices = desc->devices};
    if (desc->kind == TRM_TASK_COMPUTE) {
        to->kernel         = desc->kernel;
        to->grid           = desc->grid;
        to->arguments      = desc->arguments;
        to->argument_count = desc->argument_count;
        to->uses           = desc->uses;
        to->use_count      = desc->use_count;
        return TRM_OK;
    }
    to->enqueue    = function_of(desc->kind);
    to->bytes      = bytes_of(desc);
    to->uses       = errand->uses;
    int32_t status = TRM_OK;
    if (desc->kind != TRM_TASK_COPY_2D)
        return use_spans(errand, desc);
    if (desc->destination_rows.buffer != NULL)
        status = use_rows(errand, &desc->destination_rows, TRM_ACCESS_WRITE);
    if (status == TRM_OK && desc->source_rows.buffer != NULL)
        status = use_rows(errand, &desc->source_rows, TRM_ACCESS_READ);
    return status;
}

/* ---- the form for a device ------------------------------------------------------------------ */

static int32_t resolve(const struct errand *errand, uint32_t device, struct trm_buffer **buffer)
{
    return pipeline_pool_resolve(errand->coordinator->pool, device, *buffer, buffer);
}

static int32_t form_of(const struct errand *errand, const struct trm_stream_task *form, uint32_t device,
                       struct trm_task *desc)
{
    *desc = *errand->desc;
    if (desc->kind == TRM_TASK_COMPUTE) {
        desc->kernel    = form->kernel;
        desc->arguments = form->arguments;
        return TRM_OK;
    }
    int32_t status = TRM_OK;
    if (desc->kind == TRM_TASK_COPY_2D) {
        status = resolve(errand, device, &desc->destination_rows.buffer);
        return status == TRM_OK ? resolve(errand, device, &desc->source_rows.buffer) : status;
    }
    if (desc->kind != TRM_TASK_DOWNLOAD)
        status = resolve(errand, device, &desc->destination.buffer);
    if (status == TRM_OK && (desc->kind == TRM_TASK_DOWNLOAD || desc->kind == TRM_TASK_COPY))
        status = resolve(errand, device, &desc->source.buffer);
    return status;
}

/* ---- checking ------------------------------------------------------------------------------- */

static int32_t check_form(void *user, const struct trm_stream_task *form, uint32_t device)
{
    const struct errand *errand = user;
    struct trm_task desc;
    int32_t status = form_of(errand, form, device, &desc);
    return status == TRM_OK ? pipeline_task_check(errand->coordinator->checkers[device], &desc) : status;
}

int32_t pipeline_errand_check(struct pipeline_coordinator *coordinator, const struct trm_task *task)
{
    struct errand errand = {.coordinator = coordinator, .desc = task};
    if (task->kind == TRM_TASK_HOST || task->kind == TRM_TASK_NOTHING)
        return TRM_OK;
    int32_t status = describe(&errand);
    return status == TRM_OK ? pipeline_pool_check_errand(coordinator->pool, &errand.task, check_form, &errand)
                            : status;
}

/* ---- running -------------------------------------------------------------------------------- */

static void take_stream(struct errand *errand)
{
    struct pipeline_task_lane *lane = errand->work->lane;
    lane->slot                      = errand->errand.slot;
    lane->owner                     = errand->errand.member;
    lane->stream                    = lane->slot != NULL ? lane->slot->stream : NULL;
}

static int32_t wait_for_others(struct pipeline_pool_errand *given)
{
    struct errand *errand = base_container_of(given, struct errand, errand);
    take_stream(errand);
    given->is_after_vague = !pipeline_schedule_presume(errand->work, &given->after_end);
    return pipeline_schedule_wait(errand->work);
}

static int32_t run(struct pipeline_pool_errand *given, const struct trm_stream_task *form)
{
    struct errand *errand           = base_container_of(given, struct errand, errand);
    struct pipeline_task_work *work = errand->work;
    struct trm_task desc;
    int32_t status = form_of(errand, form, given->device, &desc);
    if (status == TRM_OK)
        status = pipeline_schedule_enqueue(work, &desc);
    return status == TRM_OK ? core_stream_mark(work->lane->stream, &work->value) : status;
}

/* ---- what comes next ------------------------------------------------------------------------ */

static bool has_kernel_for(const struct trm_task *task, const struct trm_buffer *buffer)
{
    if (task->kind != TRM_TASK_COMPUTE)
        return false;
    for (uint32_t i = 0; i < task->argument_count; i++)
        if (pipeline_pool_has_span(&task->arguments[i]) && task->arguments[i].value.span.buffer == buffer)
            return true;
    for (uint32_t i = 0; i < task->use_count; i++)
        if ((const void *)task->uses[i].buffer == (const void *)buffer)
            return true;
    return false;
}

/* Finds the first task with a kernel that comes after this one and uses the buffer that this one writes.
 * NULL: there is none. It stays, since it cannot end before this one does. The list of dependents is newest
 * first, so the search reads all of it. */
static const struct trm_task *find_next(struct pipeline_coordinator *coordinator,
                                        const struct pipeline_task_work *work)
{
    const struct trm_task *next = NULL;
    if (work->desc.kind == TRM_TASK_COMPUTE || work->desc.kind == TRM_TASK_DOWNLOAD)
        return NULL;
    const struct trm_buffer *made = work->desc.kind == TRM_TASK_COPY_2D ? work->desc.destination_rows.buffer
                                                                        : work->desc.destination.buffer;
    if (made == NULL)
        return NULL;
    base_lock_acquire(&coordinator->lock);
    for (const struct pipeline_task_edge *edge = work->task->dependents; edge != NULL; edge = edge->next)
        if (has_kernel_for(&edge->to->work->desc, made))
            next = &edge->to->work->desc;
    base_lock_release(&coordinator->lock);
    return next;
}

int32_t pipeline_errand_run(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work,
                            bool wants_end)
{
    struct errand errand = {.coordinator = coordinator, .desc = &work->desc, .work = work};
    struct errand next   = {.coordinator = coordinator, .desc = find_next(coordinator, work)};
    errand.errand        = (struct pipeline_pool_errand){.task      = &errand.task,
                                                         .listeners = coordinator->listeners,
                                                         .wants_end = wants_end,
                                                         .wait      = wait_for_others,
                                                         .run       = run};
    base_error_clear();
    int32_t status = describe(&errand);
    if (status == TRM_OK && next.desc != NULL && describe(&next) == TRM_OK)
        errand.errand.next = &next.task;
    if (status == TRM_OK)
        status = pipeline_pool_run_errand(coordinator->pool, &errand.errand);
    take_stream(&errand);
    work->end     = errand.errand.end;
    work->ends_at = errand.errand.ends_at;
    return status;
}
