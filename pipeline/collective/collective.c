/* Collectives: the object.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/settings/settings.h"
#include "pipeline/collective/collective.h"
#include "pipeline/collective/table.h"

/* ---- the end -------------------------------------------------------------------------------- */

static void destroy_choices(struct pipeline_collective *collective)
{
    struct pipeline_choice *choices = &collective->choices[0][0][0];

    for (uint32_t i = 0; i < PIPELINE_KINDS * PIPELINE_COUNTS * PIPELINE_SIZES; i++) {
        trm_event_destroy(choices[i].begin);
        trm_event_destroy(choices[i].end);
    }
}

static void destroy_kernels(struct pipeline_collective *collective)
{
    for (uint32_t i = 0; i < PIPELINE_REDUCE_TYPES; i++) {
        for (uint32_t form = 0; form < PIPELINE_REDUCE_FORMS; form++)
            trm_group_kernel_destroy(collective->kernels[i][form]);
        trm_group_kernel_destroy(collective->table_kernels[i]);
    }
}

static void collective_retire(struct core_object *object)
{
    struct pipeline_collective *collective = (struct pipeline_collective *)object;
    struct base_saved_error saved;

    base_error_save(&saved);
    pipeline_native_fini(collective);
    for (uint32_t d = 0; d < collective->devices; d++) {
        pipeline_relay_fini(&collective->relays[d]);
        pipeline_bucket_fini(&collective->buckets[d]);
    }
    destroy_kernels(collective);
    for (uint32_t d = 0; d < collective->devices; d++)
        pipeline_tables_fini(collective, &collective->tables[d]);
    destroy_choices(collective);
    while (collective->messages != NULL) {
        struct pipeline_message *message = collective->messages;
        collective->messages             = message->next;
        pipeline_message_destroy(collective, message);
    }
    core_object_end_hold(collective->group_held);
    base_error_restore(&saved);
}

static void collective_release(struct core_object *object)
{
    core_free(object->context, object, sizeof(struct pipeline_collective));
}

static const struct core_object_ops collective_ops = {
    .type    = CORE_COLLECTIVE,
    .name    = "collective",
    .source  = __FILE__,
    .retire  = collective_retire,
    .release = collective_release,
};

/* ---- making --------------------------------------------------------------------------------- */

/* Do copies between the two go without a detour? */
static bool can_copy(struct core_device *a, struct core_device *b)
{
    if (a->limits.unified != 0 || b->limits.unified != 0)
        return true;
    return core_peer_can_launch(a, b) == TRM_OK && core_peer_can_launch(b, a) == TRM_OK;
}

static bool has_addresses(struct trm_device *device)
{
    uint64_t has = 0;

    return trm_device_get_info(device, TRM_DEVICE_ADDRESSES, &has, sizeof(has), NULL) == TRM_OK && has != 0;
}

static bool is_cpu(struct trm_device *device)
{
    uint64_t kind = 0;

    return trm_device_get_info(device, TRM_DEVICE_KIND, &kind, sizeof(kind), NULL) == TRM_OK &&
           kind == TRM_DEVICE_CPU;
}

/* Finds out what the devices can do with each other's memory. */
static void explore(struct pipeline_collective *collective)
{
    struct core_device **devices = collective->group->devices;

    collective->can_reach     = true;
    collective->can_copy      = true;
    collective->aligns        = 1;
    collective->has_addresses = true;
    collective->has_native    = core_communicator_is_possible(devices, collective->devices);
    for (uint32_t i = 0; i < collective->devices; i++) {
        uint64_t aligns = devices[i]->limits.buffer_alignment;
        if (aligns > collective->aligns)
            collective->aligns = aligns;
        if (!has_addresses(collective->group->held[i]))
            collective->has_addresses = false;
        if (is_cpu(collective->group->held[i]))
            collective->cpus |= 1u << i;
        for (uint32_t k = 0; k < collective->devices; k++) {
            if (i != k && core_peer_can_launch(devices[i], devices[k]) != TRM_OK)
                collective->can_reach = false;
            if (i < k && !can_copy(devices[i], devices[k]))
                collective->can_copy = false;
        }
    }
    base_error_clear();
}

static int32_t create(struct trm_group *handle, struct pipeline_group *group, uint32_t flags,
                      struct pipeline_collective **collective)
{
    struct core_context *context = group->object.context;

    if ((flags & ~(uint32_t)TRM_COLLECTIVE_DETERMINISTIC) != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_collective_create: unknown flags %#" PRIx32, flags);
    struct pipeline_collective *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("making a collective");
    int32_t status = core_object_init(&made->object, &collective_ops, context);
    if (status != TRM_OK) {
        core_free(context, made, sizeof(*made));
        return status;
    }
    made->group        = group;
    made->flags        = flags;
    made->forced       = pipeline_way_parse(core_setting_text(context, "collective.way"));
    made->last_message = &made->messages;
    status             = core_object_hold(handle, CORE_GROUP, &made->group_held);
    if (status != TRM_OK) {
        struct base_saved_error saved;
        base_error_save(&saved);
        core_object_abandon(&made->object);
        base_error_restore(&saved);
        return status;
    }
    made->devices = group->count;
    explore(made);
    *collective = made;
    return TRM_OK;
}

int32_t trm_collective_create(struct trm_group *handle, uint32_t flags, struct trm_collective **collective)
{
    struct pipeline_collective *made;
    struct pipeline_group *group = core_object_enter(handle, CORE_GROUP);
    if (group == NULL)
        return base_last_status();
    int32_t status = core_output_check(collective, "trm_collective_create", "collective");
    if (status == TRM_OK)
        status = create(handle, group, flags, &made);
    if (status == TRM_OK)
        *collective = core_object_publish(&made->object);
    core_object_leave(&group->object);
    return status;
}

void trm_collective_destroy(struct trm_collective *collective)
{
    core_object_kill_handle(collective, CORE_COLLECTIVE);
}
