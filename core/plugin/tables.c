/* Taking over a plugin's tables: each is checked against its size in minor 0 of the ABI, copied into
 * storage of our own, and looked through for what must not be missing.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/plugin/loader.h"
#include "core/settings/settings.h"

/* A function that a table must have. */
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

static const struct slot profile_slots[] = {
    SLOT(profile_ops, stamp_create),
    SLOT(profile_ops, stamp_destroy),
    SLOT(profile_ops, stamp_record),
    SLOT(profile_ops, stamp_read),
    {NULL, 0},
};
#undef SLOT

/* One table of a plugin, and where its copy goes. */
struct table {
    const char *name;
    const void *theirs;
    void *ours;
    uint32_t our_size;
    uint32_t least; /* its size in minor 0 */
    int32_t required;
    const struct slot *slots;
};

static int32_t check_slots(struct core_candidate *candidate, const struct table *table)
{
    for (const struct slot *slot = table->slots; slot->name != NULL; slot++) {
        void (*function)(void);
        memcpy(&function, (const char *)table->ours + slot->offset, sizeof(function));
        if (function == NULL)
            return core_loader_refuse(candidate, "%s.%s is NULL, but every backend must have it", table->name,
                                      slot->name);
    }
    return 1;
}

static int32_t take_table(struct core_candidate *candidate, const struct table *table)
{
    if (table->theirs == NULL && !table->required)
        return 1;
    if (table->theirs == NULL)
        return core_loader_refuse(candidate, "its table %s is NULL, but every backend must have it",
                                  table->name);
    if (!core_struct_copy_in(table->ours, table->our_size, table->theirs, table->least)) {
        uint32_t size;
        memcpy(&size, table->theirs, sizeof(size));
        return core_loader_refuse(candidate,
                                  "its table %s has %u bytes, too few: it has had %u from the start",
                                  table->name, size, table->least);
    }
    return check_slots(candidate, table);
}

static int32_t take_name(struct core_candidate *candidate, const struct trm_backend *plugin)
{
    if (plugin->name == NULL)
        return core_loader_refuse(candidate, "backend.name is NULL");
    if (!core_backend_name_valid(plugin->name, strlen(plugin->name)))
        return core_loader_refuse(
            candidate,
            "its name \"%.60s\" is not made of lower-case letters, digits, '-' and '_', "
            "47 at most",
            plugin->name);
    base_text_copy(candidate->name, sizeof(candidate->name), plugin->name);
    candidate->version = plugin->version ? plugin->version : "";
    return 1;
}

static int32_t check_pairs(struct core_candidate *candidate)
{
    const struct trm_stream_ops *stream = &candidate->backend.stream;
    if ((stream->gate == NULL) != (stream->open_gates == NULL))
        return core_loader_refuse(candidate,
                                  "stream.gate and stream.open_gates go together, but only %s is there",
                                  stream->gate ? "the first" : "the second");
    const struct trm_pool_ops *pool = &candidate->backend.pool;
    if ((pool->allocate == NULL) != (pool->free == NULL))
        return core_loader_refuse(candidate, "pool.allocate and pool.free go together, but only %s is there",
                                  pool->allocate ? "the first" : "the second");
    return 1;
}

#define TABLE(name_, is_required, least_)                                                                 \
    {                                                                                                     \
        .name = #name_, .theirs = own.name_, .ours = &backend->name_, .our_size = sizeof(backend->name_), \
        .least = (least_), .required = (is_required), .slots = name_##_slots,                             \
    }

int32_t core_loader_take_tables(struct core_candidate *candidate, const struct trm_backend *plugin)
{
    struct trm_backend own       = {0};
    struct core_backend *backend = &candidate->backend;
    const struct table whole     = {
            .name     = "backend",
            .theirs   = plugin,
            .ours     = &own,
            .our_size = sizeof(own),
            .least    = CORE_ABI_BACKEND,
            .required = 1,
            .slots    = backend_slots,
    };
    if (!take_table(candidate, &whole) || !take_name(candidate, &own))
        return 0;
    const struct table tables[] = {
        TABLE(device, 1, CORE_ABI_DEVICE_OPS),   TABLE(memory, 1, CORE_ABI_MEMORY_OPS),
        TABLE(stream, 1, CORE_ABI_STREAM_OPS),   TABLE(module, 1, CORE_ABI_MODULE_OPS),
        TABLE(pool, 0, CORE_ABI_POOL_OPS),       TABLE(peer, 0, CORE_ABI_PEER_OPS),
        TABLE(profile, 0, CORE_ABI_PROFILE_OPS), TABLE(graph, 0, CORE_ABI_GRAPH_OPS),
        TABLE(interop, 0, CORE_ABI_INTEROP_OPS),
    };
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        if (!take_table(candidate, &tables[i]))
            return 0;
    }
    backend->plugin = plugin;
    backend->name   = candidate->name;
    return check_pairs(candidate);
}
#undef TABLE
