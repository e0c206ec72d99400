/* Lists the devices that can be opened, without opening them.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "core/object/object.h"
#include "core/plugin/property.h"
#include "core/plugin/registry.h"

/* Of the first version of struct trm_device_summary. */
#define DEVICE_SUMMARY_LEAST 392

static int32_t count_devices(struct core_context *context, uint32_t *count)
{
    struct core_registry *registry;
    int32_t status = core_registry_get(context, &registry);
    if (status == TRM_OK)
        status = core_registry_status(registry);
    if (status != TRM_OK)
        return status;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < core_registry_backend_count(registry); i++)
        sum += core_registry_backend(registry, i)->device_count;
    *count = sum;
    return TRM_OK;
}

int32_t trm_device_count(struct trm_context *handle, uint32_t *count)
{
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = core_output_check(count, "trm_device_count", "count");
    if (status == TRM_OK)
        status = count_devices(context, count);
    core_object_leave(&context->object);
    return status;
}

/* The number of the device at a rank: the preferred device first, then the others in their order. */
static uint32_t device_number(const struct core_backend *backend, uint32_t rank)
{
    if (rank == 0)
        return backend->preferred;
    return rank <= backend->preferred ? rank - 1 : rank;
}

static int32_t find_device(struct core_context *context, uint32_t index, struct core_backend **backend,
                           uint32_t *number)
{
    struct core_registry *registry;
    uint32_t before = 0;
    int32_t status  = core_registry_get(context, &registry);
    if (status == TRM_OK)
        status = core_registry_status(registry);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < core_registry_backend_count(registry); i++) {
        *backend = core_registry_backend(registry, i);
        if (index - before < (*backend)->device_count) {
            *number = device_number(*backend, index - before);
            return TRM_OK;
        }
        before += (*backend)->device_count;
    }
    return base_fail(TRM_ERROR_OUT_OF_RANGE, "there is no device at index %u; the number of devices is %u",
                     index, before);
}

static int32_t get_u64(const struct core_backend *backend, uint32_t number, uint32_t key, uint64_t *value)
{
    int32_t status = core_property_read_u64(backend, number, key, value);
    return status == TRM_OK ? TRM_OK : base_fail_backend(status);
}

/* Cuts a name that is too long. */
static int32_t get_name(const struct core_backend *backend, uint32_t number, char *name, size_t capacity)
{
    char text[4096] = "";
    uint64_t needed;
    int32_t status = core_property_read(backend, number, TRM_DEVICE_NAME, text, sizeof(text), &needed);
    if (status != TRM_OK)
        return base_fail_backend(status);
    base_text_copy(name, capacity, text);
    return TRM_OK;
}

static int32_t summarize(const struct core_backend *backend, uint32_t number,
                         struct trm_device_summary *summary)
{
    uint64_t kind = 0, memory = 0, unified = 0;
    int32_t status = get_name(backend, number, summary->name, sizeof(summary->name));
    if (status == TRM_OK)
        status = get_u64(backend, number, TRM_DEVICE_KIND, &kind);
    if (status == TRM_OK)
        status = get_u64(backend, number, TRM_DEVICE_MEMORY_TOTAL, &memory);
    if (status == TRM_OK)
        status = get_u64(backend, number, TRM_DEVICE_UNIFIED, &unified);
    if (status != TRM_OK)
        return status;
    snprintf(summary->id, sizeof(summary->id), "%s:%u", backend->name, number);
    base_text_copy(summary->backend, sizeof(summary->backend), backend->name);
    summary->kind         = kind <= INT32_MAX ? (int32_t)kind : TRM_DEVICE_OTHER;
    summary->memory_bytes = memory;
    summary->unified      = unified != 0;
    summary->score        = backend->score;
    return TRM_OK;
}

static int32_t describe(struct core_context *context, uint32_t index, struct trm_device_summary *out)
{
    struct core_backend *backend   = NULL;
    uint32_t number                = 0;
    struct trm_device_summary ours = {.struct_size = sizeof(ours)};
    int32_t status                 = core_output_check(out, "trm_device_describe", "summary");
    if (status == TRM_OK)
        status = find_device(context, index, &backend, &number);
    if (status == TRM_OK)
        status = summarize(backend, number, &ours);
    if (status != TRM_OK)
        return status;
    if (!core_struct_copy_out(out, &ours, sizeof(ours), DEVICE_SUMMARY_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_device_summary.struct_size is %u, but its size is %zu", out->struct_size,
                         sizeof(ours));
    return TRM_OK;
}

int32_t trm_device_describe(struct trm_context *handle, uint32_t index, struct trm_device_summary *summary)
{
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = describe(context, index, summary);
    core_object_leave(&context->object);
    return status;
}
