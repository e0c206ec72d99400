/* The registry of a context: the plugins that were found, how far each got, and the instances of the
 * accepted ones.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_REGISTRY_H
#define CORE_PLUGIN_REGISTRY_H

#include <trireme/backend.h>
#include <trireme/context.h>
#include <trireme/device.h>

struct core_context;
struct core_registry;

/* An accepted backend: copies of its tables and its open instance. Lives as long as the context. */
struct core_backend {
    struct core_context *context;
    const char *name;
    struct trm_backend table; /* a copy, since the plugin may change its own; `name` replaces its name */
    struct trm_backend_instance *instance;
    uint32_t device_count;
    uint32_t preferred; /* the device number in the setting `backend`, else 0 */
    int32_t score;
    struct trm_device_ops device;
    struct trm_memory_ops memory;
    struct trm_stream_ops stream;
    struct trm_module_ops module;
    /* Optional tables: all functions are NULL when the plugin lacks the table. */
    struct trm_pool_ops pool;
    struct trm_peer_ops peer;
    struct trm_profile_ops profile;
    struct trm_graph_ops graph;
    struct trm_interop_ops interop;
    struct trm_image_ops image;
    struct trm_collective_ops collective;
    /* The two tables of trm_resident_ops, and its function. */
    struct trm_stream_ops resident_stream;
    struct trm_graph_ops resident_graph;
    /* Optional. */
    int32_t (*resident_times)(struct trm_backend_stream *stream, uint64_t value, uint64_t *begin,
                              uint64_t *end);
};

/* The registry of a context. The first call finds and loads the plugins; the failures of single plugins are
 * in its report. */
int32_t core_registry_get(struct core_context *context, struct core_registry **registry);
void core_registry_destroy(struct core_registry *registry);

uint32_t core_registry_candidate_count(const struct core_registry *registry);
void core_registry_candidate(const struct core_registry *registry, uint32_t index,
                             struct trm_candidate *candidate);

/* The accepted backends in the order of preference. */
uint32_t core_registry_backend_count(const struct core_registry *registry);
struct core_backend *core_registry_backend(const struct core_registry *registry, uint32_t index);

/* The backend and device number for an id ("cpu:1", "cpu", "cpu:name=*EPYC*"), or the default for NULL.
 * Errors: NOT_FOUND, with the reason of every candidate. */
int32_t core_registry_resolve(struct core_registry *registry, const char *id, struct core_backend **backend,
                              uint32_t *index);

/* NOT_FOUND, explained, when the setting names a single backend (TRIREME_BACKEND=name) that is not
 * available; else TRM_OK. */
int32_t core_registry_status(const struct core_registry *registry);

#endif
