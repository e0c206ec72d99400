/* The functions of <trireme/stream_model.h>: what programs see of the files of models.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/stream_model.h>

#include "core/cache/cache.h"
#include "core/object/object.h"
#include "pipeline/model/stored.h"

#define NANOSECONDS UINT64_C(1000000000)

struct listing {
    struct core_context *context;
    trm_stream_model_visit_fn visit; /* one of the two */
    trm_stream_width_visit_fn visit_width;
    void *user;
};

static int32_t show(const struct listing *listing, const struct pipeline_stored_device *device,
                    const struct pipeline_stored_model *model)
{
    char digits[2 * BASE_SHA256_BYTES + 1];
    base_sha256_text(model->kernel, digits);
    const struct trm_stream_model shown = {
        .struct_size = sizeof(shown),
        .workload    = model->workload,
        .backend     = device->backend,
        .device      = device->name,
        .driver      = device->driver,
        .kernel      = model->name,
        .digest      = digits,
        .groups      = model->size == 0 ? 0 : UINT64_C(1) << (model->size - 1),
        .mean_ns     = (uint64_t)model->mean,
        .spread_ns   = (uint64_t)model->spread,
        .samples     = model->samples,
        .learned     = model->learned / NANOSECONDS,
    };
    return listing->visit(listing->user, &shown);
}

static int32_t show_width(const struct listing *listing, const struct pipeline_stored_head *head)
{
    const struct trm_stream_width shown = {
        .struct_size  = sizeof(shown),
        .side_by_side = head->width.streams,
        .backend      = head->device.backend,
        .device       = head->device.name,
        .driver       = head->device.driver,
        .measurements = head->width.made,
        .undisturbed  = head->width.steady,
        .measured     = head->width.measured / NANOSECONDS,
    };
    return head->width.streams != 0 ? listing->visit_width(listing->user, &shown) : TRM_OK;
}

static int32_t visit_file(void *user, const char *path)
{
    const struct listing *listing  = user;
    struct pipeline_stored *stored = pipeline_stored_read(listing->context, path, 0);
    int32_t status                 = TRM_OK;
    if (stored == NULL)
        return TRM_OK;
    if (listing->visit_width != NULL)
        status = show_width(listing, &stored->head);
    for (uint32_t i = 0; listing->visit != NULL && i < stored->head.count && status == TRM_OK; i++)
        status = show(listing, &stored->head.device, &stored->models[i]);
    pipeline_stored_destroy(listing->context, stored);
    return status;
}

static int32_t list(struct trm_context *handle, struct listing *listing, const char *call)
{
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    listing->context = context;
    int32_t status   = listing->visit == NULL && listing->visit_width == NULL
                           ? base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s: `visit` is NULL", call)
                           : core_cache_list(context, PIPELINE_STORED_EXTENSION, visit_file, listing);
    core_object_leave(&context->object);
    return status;
}

int32_t trm_stream_model_list(struct trm_context *context, trm_stream_model_visit_fn visit, void *user)
{
    struct listing listing = {.visit = visit, .user = user};
    return list(context, &listing, "trm_stream_model_list");
}

int32_t trm_stream_width_list(struct trm_context *context, trm_stream_width_visit_fn visit, void *user)
{
    struct listing listing = {.visit_width = visit, .user = user};
    return list(context, &listing, "trm_stream_width_list");
}

int32_t trm_stream_model_forget(struct trm_context *handle, uint32_t *count)
{
    uint32_t removed             = 0;
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = core_cache_forget(context, PIPELINE_STORED_EXTENSION, &removed);
    core_object_leave(&context->object);
    if (status == TRM_OK && count != NULL)
        *count = removed;
    return status;
}
