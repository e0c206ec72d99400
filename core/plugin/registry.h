/* The registry: which plugins there are, how each fared, and the instances of those that were
 * accepted.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_REGISTRY_H
#define CORE_PLUGIN_REGISTRY_H

#include <trireme/backend.h>
#include <trireme/context.h>
#include <trireme/device.h>

struct core_context;
struct core_registry;

/* An accepted backend: our own zeroed copies of its tables, and its open instance. Lives as long
 * as the context. */
struct core_backend {
    struct core_context *context;
    const char *name;
    const struct trm_backend *plugin;
    struct trm_backend_instance *instance;
    uint32_t device_count;
    uint32_t preferred; /* the device number that TRIREME_BACKEND asks for; else 0 */
    int32_t score;
    struct trm_device_ops device;
    struct trm_memory_ops memory;
    struct trm_stream_ops stream;
    struct trm_module_ops module;
    /* Optional tables: all slots NULL when the plugin has none. */
    struct trm_pool_ops pool;
    struct trm_peer_ops peer;
    struct trm_profile_ops profile;
    struct trm_graph_ops graph;
    struct trm_interop_ops interop;
};

/* The registry of a context. The first call finds and loads the plugins; the failures of single plugins are
 * in its report. */
int32_t core_registry_get(struct core_context *context, struct core_registry **registry);
void core_registry_destroy(struct core_registry *registry);

uint32_t core_registry_candidate_count(const struct core_registry *registry);
void core_registry_candidate(const struct core_registry *registry, uint32_t index,
                             struct trm_candidate *candidate);

/* Accepted backends in the order of preference. */
uint32_t core_registry_backend_count(const struct core_registry *registry);
struct core_backend *core_registry_backend(const struct core_registry *registry, uint32_t index);

/* The backend and device number for an id ("cpu:1", "cpu", "cpu:name=*EPYC*") or, for NULL, the default.
 * Errors: NOT_FOUND, with every candidate's reason. */
int32_t core_registry_resolve(struct core_registry *registry, const char *id, struct core_backend **backend,
                              uint32_t *index);

/* The status of a strict choice that could not be had (TRIREME_BACKEND=name), explained; else
 * TRM_OK. */
int32_t core_registry_status(const struct core_registry *registry);

#endif
