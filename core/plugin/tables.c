/* Copies a plugin's tables. Each must have at least its size in minor 0 of the ABI and all required
 * functions.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/plugin/loader.h"
#include "core/settings/settings.h"

/* A required function of a table. */
struct slot {
    const char *name;
    size_t offset;
};

#define SLOT(table, member)                           \
    {                                                 \
#member, offsetof(struct trm_##table, member) \
    }

static const struct slot backend_slots[] = {
    SLOT(backend, probe),
    SLOT(backend, open),
    SLOT(backend, close),
    {NULL, 0},
};

static const struct slot device_slots[] = {
    SLOT(device_ops, count),
    SLOT(device_ops, get_info),
    SLOT(device_ops, open),
    SLOT(device_ops, close),
    {NULL, 0},
};

static const struct slot memory_slots[] = {
    SLOT(memory_ops, allocate),
    SLOT(memory_ops, free),
    {NULL, 0},
};

static const struct slot stream_slots[] = {
    SLOT(stream_ops, create),
    SLOT(stream_ops, destroy),
    SLOT(stream_ops, copy),
    SLOT(stream_ops, launch),
    SLOT(stream_ops, query),
    SLOT(stream_ops, wait),
    {NULL, 0},
};

static const struct slot module_slots[] = {
    SLOT(module_ops, supports),
    SLOT(module_ops, load),
    SLOT(module_ops, unload),
    SLOT(module_ops, kernel),
    {NULL, 0},
};

static const struct slot pool_slots[] = {
    SLOT(pool_ops, trim),
    SLOT(pool_ops, set_threshold),
    SLOT(pool_ops, statistics),
    {NULL, 0},
};

static const struct slot peer_slots[] = {
    SLOT(peer_ops, can_access),
    SLOT(peer_ops, copy),
    {NULL, 0},
};

static const struct slot graph_slots[] = {
    SLOT(graph_ops, create),
    SLOT(graph_ops, destroy),
    SLOT(graph_ops, launch),
    {NULL, 0},
};

static const struct slot interop_slots[] = {
    {NULL, 0},
};

static const struct slot image_slots[] = {
    SLOT(image_ops, supports),        SLOT(image_ops, create),
    SLOT(image_ops, destroy),         SLOT(image_ops, copy),
    SLOT(image_ops, transfer),        SLOT(image_ops, sampler_create),
    SLOT(image_ops, sampler_destroy), {NULL, 0},
};

static const struct slot collective_slots[] = {
    SLOT(collective_ops, create),
    SLOT(collective_ops, destroy),
    SLOT(collective_ops, check),
    SLOT(collective_ops, enqueue),
    {NULL, 0},
};

static const struct slot resident_graph_slots[] = {
    SLOT(graph_ops, create),
    SLOT(graph_ops, destroy),
    SLOT(graph_ops, launch),
    SLOT(graph_ops, update),
    {NULL, 0},
};

static const struct slot profile_slots[] = {
    SLOT(profile_ops, stamp_create),
    SLOT(profile_ops, stamp_destroy),
    SLOT(profile_ops, stamp_record),
    SLOT(profile_ops, stamp_read),
    {NULL, 0},
};
#undef SLOT

/* One table of a plugin, and the place of its copy. */
struct table {
    const char *name;
    const void *theirs;
    void *ours;
    uint32_t our_size;
    uint32_t least; /* its size in minor 0 */
    bool is_required;
    const struct slot *slots;
};

static bool check_slots(struct core_candidate *candidate, const struct table *table)
{
    for (const struct slot *slot = table->slots; slot->name != NULL; slot++) {
        void (*function)(void);
        memcpy(&function, (const char *)table->ours + slot->offset, sizeof(function));
        if (function == NULL)
            return core_loader_refuse(candidate, "%s.%s is NULL, but it is required", table->name,
                                      slot->name);
    }
    return true;
}

static bool copy_table(struct core_candidate *candidate, const struct table *table)
{
    if (table->theirs == NULL && !table->is_required)
        return true;
    if (table->theirs == NULL)
        return core_loader_refuse(candidate, "its table %s is NULL, but it is required", table->name);
    if (!core_struct_copy_in(table->ours, table->our_size, table->theirs, table->least)) {
        uint32_t size;
        memcpy(&size, table->theirs, sizeof(size));
        return core_loader_refuse(candidate,
                                  "its table %s has %u bytes, fewer than the %u of the first version",
                                  table->name, size, table->least);
    }
    /* A part of a function's address would be another address. */
    uint32_t size;
    memcpy(&size, table->theirs, sizeof(size));
    if (size < table->our_size && size % sizeof(void (*)(void)) != 0)
        return core_loader_refuse(
            candidate, "its table %s has %u bytes, which is no whole number of functions", table->name, size);
    return check_slots(candidate, table);
}

static bool copy_name(struct core_candidate *candidate, const struct trm_backend *plugin)
{
    if (plugin->name == NULL)
        return core_loader_refuse(candidate, "backend.name is NULL");
    char name[sizeof(candidate->name) + 1] = {0};
    memcpy(name, plugin->name, strnlen(plugin->name, sizeof(name) - 1));
    if (!core_backend_name_is_valid(name, strlen(name)))
        return core_loader_refuse(
            candidate, "its name \"%s\" is invalid; use 1 to 47 lower-case letters, digits, '-' and '_'",
            name);
    memcpy(candidate->name, name, sizeof(candidate->name));
    if (plugin->version != NULL)
        core_loader_copy_text(candidate->version, sizeof(candidate->version), plugin->version);
    return true;
}

static bool check_pairs(struct core_candidate *candidate)
{
    const struct trm_stream_ops *stream = &candidate->backend.stream;
    if ((stream->gate == NULL) != (stream->open_gates == NULL))
        return core_loader_refuse(candidate,
                                  "stream.gate and stream.open_gates go together, but it has only %s",
                                  stream->gate ? "the first" : "the second");
    const struct trm_pool_ops *pool = &candidate->backend.pool;
    if ((pool->allocate == NULL) != (pool->free == NULL))
        return core_loader_refuse(candidate, "pool.allocate and pool.free go together, but it has only %s",
                                  pool->allocate ? "the first" : "the second");
    const struct trm_interop_ops *interop = &candidate->backend.interop;
    if ((interop->semaphore_create != NULL || interop->semaphore_import != NULL) &&
        interop->semaphore_destroy == NULL)
        return core_loader_refuse(
            candidate, "interop.semaphore_destroy is NULL, but it can create or import semaphores");
    return true;
}

/* The tables of resident kernels: both or none. */
static bool copy_resident(struct core_candidate *candidate)
{
    struct core_backend *backend = &candidate->backend;
    struct trm_resident_ops resident;

    if (backend->table.resident == NULL)
        return true;
    if (!core_struct_copy_in(&resident, sizeof(resident), backend->table.resident, CORE_ABI_RESIDENT_OPS))
        return core_loader_refuse(candidate,
                                  "its table resident has fewer bytes than the %u of the first version",
                                  CORE_ABI_RESIDENT_OPS);
    const struct table stream = {
        .name        = "resident.stream",
        .theirs      = resident.stream,
        .ours        = &backend->resident_stream,
        .our_size    = sizeof(backend->resident_stream),
        .least       = CORE_ABI_STREAM_OPS,
        .is_required = true,
        .slots       = stream_slots,
    };
    const struct table graph = {
        .name        = "resident.graph",
        .theirs      = resident.graph,
        .ours        = &backend->resident_graph,
        .our_size    = sizeof(backend->resident_graph),
        .least       = CORE_ABI_GRAPH_OPS,
        .is_required = true,
        .slots       = resident_graph_slots,
    };
    backend->resident_times = resident.times;
    return copy_table(candidate, &stream) && copy_table(candidate, &graph);
}

#define TABLE(name_, is_required_, least_)                                                    \
    {                                                                                         \
        .name = #name_, .theirs = backend->table.name_, .ours = &backend->name_,              \
        .our_size = sizeof(backend->name_), .least = (least_), .is_required = (is_required_), \
        .slots = name_##_slots,                                                               \
    }

bool core_loader_copy_tables(struct core_candidate *candidate, const struct trm_backend *plugin)
{
    struct core_backend *backend = &candidate->backend;
    const struct table whole     = {
            .name        = "backend",
            .theirs      = plugin,
            .ours        = &backend->table,
            .our_size    = sizeof(backend->table),
            .least       = CORE_ABI_BACKEND,
            .is_required = true,
            .slots       = backend_slots,
    };
    if (!copy_table(candidate, &whole) || !copy_name(candidate, &backend->table))
        return false;
    const struct table tables[] = {
        TABLE(device, true, CORE_ABI_DEVICE_OPS),
        TABLE(memory, true, CORE_ABI_MEMORY_OPS),
        TABLE(stream, true, CORE_ABI_STREAM_OPS),
        TABLE(module, true, CORE_ABI_MODULE_OPS),
        TABLE(pool, false, CORE_ABI_POOL_OPS),
        TABLE(peer, false, CORE_ABI_PEER_OPS),
        TABLE(profile, false, CORE_ABI_PROFILE_OPS),
        TABLE(graph, false, CORE_ABI_GRAPH_OPS),
        TABLE(interop, false, CORE_ABI_INTEROP_OPS),
        TABLE(image, false, CORE_ABI_IMAGE_OPS),
        TABLE(collective, false, CORE_ABI_COLLECTIVE_OPS),
    };
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        if (!copy_table(candidate, &tables[i]))
            return false;
    }
    if (!copy_resident(candidate))
        return false;
    backend->name              = candidate->name;
    backend->table.name        = candidate->name;
    backend->table.version     = candidate->version;
    backend->table.description = NULL; /* the core has no use for it */
    return check_pairs(candidate);
}
#undef TABLE
