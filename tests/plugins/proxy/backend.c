/* The proxy: finding the target, and the table that stands before its.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proxy.h"

struct proxy_target proxy_target;

static pthread_mutex_t proxy_query_lock = PTHREAD_MUTEX_INITIALIZER;
static char proxy_wrapped[1024]; /* PROXY_TARGET and PROXY_WITHOUT as they were when the tables were made */

static int32_t proxy_probe(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    int32_t status = proxy_begin(NULL, PROXY_PROBE, NULL);

    if (status != TRM_OK) {
        snprintf(reason, capacity, "the proxy makes probe fail");
        return status;
    }
    if (proxy_target.backend == NULL) {
        snprintf(reason, capacity, "%s", proxy_target.reason);
        return TRM_ERROR_UNSUPPORTED;
    }
    return proxy_target.backend->probe(host, score, reason, capacity);
}

static int32_t proxy_open(const struct trm_host *host, struct trm_backend_instance **instance)
{
    struct trm_backend_instance *made;
    int32_t status = proxy_begin(host, PROXY_OPEN, NULL);

    if (status != TRM_OK)
        return status;
    made = proxy_new(host, sizeof(*made));
    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    made->host = host;
    status     = proxy_target.backend->open(host, &made->target);
    if (status != TRM_OK) {
        host->release(host->context, made, sizeof(*made));
        return status;
    }
    proxy_created(PROXY_INSTANCE);
    *instance = made;
    return TRM_OK;
}

static void proxy_close(struct trm_backend_instance *instance)
{
    const struct trm_host *host = instance->host;

    (void)proxy_begin(NULL, PROXY_CLOSE, NULL);
    if (atomic_load(&instance->devices) != 0)
        proxy_breach("An instance is closed before its devices.");
    proxy_target.backend->close(instance->target);
    proxy_destroyed(PROXY_INSTANCE);
    host->release(host->context, instance, sizeof(*instance));
}

static const void *proxy_get_extension(const char *name, uint32_t version)
{
    if (strcmp(name, PROXY_CONTROL_EXTENSION) == 0 && version == 1)
        return &proxy_control;
    if (strcmp(name, TRM_RANGE_EXTENSION) == 0)
        return version == 1 ? proxy_range_table() : NULL;
    if (proxy_target.backend == NULL || proxy_target.backend->get_extension == NULL)
        return NULL;
    return proxy_target.backend->get_extension(name, version);
}

static struct trm_backend proxy_backend = {
    .struct_size   = sizeof(proxy_backend),
    .abi_minor     = TRM_BACKEND_ABI_MINOR,
    .name          = "proxy",
    .version       = "1.0",
    .description   = "another backend, with faults",
    .probe         = proxy_probe,
    .open          = proxy_open,
    .close         = proxy_close,
    .get_extension = proxy_get_extension,
};

/* A zeroed copy of one of the target's tables, as long as both of us know it. */
static void proxy_take(void *ours, const void *theirs, size_t size)
{
    uint32_t their_size;

    memset(ours, 0, size);
    if (theirs == NULL)
        return;
    memcpy(&their_size, theirs, sizeof(their_size));
    memcpy(ours, theirs, their_size < size ? their_size : size);
}

static const struct trm_backend *proxy_target_query(const char *path, const struct trm_host *host,
                                                    uint32_t min_minor, uint32_t max_minor)
{
    trm_backend_query_fn query = NULL;
    void *plugin;

    if (path == NULL) {
        snprintf(proxy_target.reason, sizeof(proxy_target.reason), "PROXY_TARGET is not set");
        return NULL;
    }
    plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (plugin != NULL)
        query = (trm_backend_query_fn)(uintptr_t)dlsym(plugin, TRM_BACKEND_QUERY_SYMBOL);
    if (query == NULL) {
        snprintf(proxy_target.reason, sizeof(proxy_target.reason), "the target cannot be loaded: %s",
                 dlerror());
        return NULL;
    }
    snprintf(proxy_target.reason, sizeof(proxy_target.reason), "the target does not serve this core");
    return query(host, min_minor, max_minor);
}

/* The wrapped backend's own tables may lack whatever is optional; `without` takes more away. */
static void proxy_wrap(const struct trm_backend *backend, const char *without)
{
    proxy_target.backend = backend;
    proxy_take(&proxy_target.device, backend ? backend->device : NULL, sizeof(proxy_target.device));
    proxy_take(&proxy_target.memory, backend ? backend->memory : NULL, sizeof(proxy_target.memory));
    proxy_take(&proxy_target.stream, backend ? backend->stream : NULL, sizeof(proxy_target.stream));
    proxy_take(&proxy_target.module, backend ? backend->module : NULL, sizeof(proxy_target.module));
    proxy_take(&proxy_target.pool, backend ? backend->pool : NULL, sizeof(proxy_target.pool));
    proxy_take(&proxy_target.peer, backend ? backend->peer : NULL, sizeof(proxy_target.peer));
    proxy_take(&proxy_target.graph, backend ? backend->graph : NULL, sizeof(proxy_target.graph));
    proxy_take(&proxy_target.interop, backend ? backend->interop : NULL, sizeof(proxy_target.interop));
    proxy_take(&proxy_target.profile, backend ? backend->profile : NULL, sizeof(proxy_target.profile));

    proxy_backend.device  = proxy_device_table();
    proxy_backend.memory  = proxy_memory_table(without);
    proxy_backend.stream  = proxy_stream_table(without);
    proxy_backend.module  = proxy_module_table(without);
    proxy_backend.profile = backend && backend->profile ? proxy_profile_table(without) : NULL;
    proxy_backend.pool    = backend && backend->pool ? proxy_pool_table(without) : NULL;
    proxy_backend.peer    = backend && backend->peer ? proxy_peer_table(without) : NULL;
    proxy_backend.graph   = backend && backend->graph ? proxy_graph_table(without) : NULL;
    proxy_backend.interop = backend && backend->interop ? proxy_interop_table(without) : NULL;
}

/* Not as pure as a query should be: what the proxy can do depends on its target, so that is loaded here.
 * Where there is none the probe says why. */
const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    const char *path = getenv("PROXY_TARGET"), *without = getenv("PROXY_WITHOUT");
    char wrapped[sizeof(proxy_wrapped)];

    snprintf(wrapped, sizeof(wrapped), "%s %s", path ? path : "", without ? without : "");
    pthread_mutex_lock(&proxy_query_lock);
    proxy_faults_from_environment();
    if (proxy_backend.device == NULL || strcmp(wrapped, proxy_wrapped) != 0) {
        proxy_wrap(proxy_target_query(path, host, min_minor, max_minor), without);
        memcpy(proxy_wrapped, wrapped, sizeof(wrapped));
    }
    pthread_mutex_unlock(&proxy_query_lock);
    return &proxy_backend;
}
