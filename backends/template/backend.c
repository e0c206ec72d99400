/* Trireme: the template backend: the exported query, the probe, opening and closing instances.
 * SPDX-License-Identifier: MIT
 */
#include "template.h"

/* On a real device: dlopen() the driver here, look its functions up, initialise it, count the devices.
 * Everything slow belongs here and not into the query. Say what is missing in words that help a user
 * ("libfoo.so.1 not found: no Foo driver on this machine"). Undo everything before returning: open()
 * does it again. */
static int32_t template_probe(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    (void)host;
    (void)reason;
    (void)capacity;
    *score = 1; /* below every real backend; <trireme/backend.h> has the scale */
    return TRM_OK;
}

/* Several contexts may each open an instance; instances share nothing.
 *
 * Memory for the backend itself comes from the host, so that the program's own allocator serves it. */
static int32_t template_open(const struct trm_host *host, struct trm_backend_instance **instance)
{
    struct trm_backend_instance *made = trm_util_allocate(host, sizeof(*made));

    if (made == NULL)
        return trm_util_fail_host_memory(host, "an instance");
    made->host = host;
    pthread_mutex_init(&made->unit, NULL);
    *instance = made;
    return TRM_OK;
}

static void template_close(struct trm_backend_instance *instance)
{
    pthread_mutex_destroy(&instance->unit);
    trm_util_release(instance->host, instance, sizeof(*instance));
}

/* Slots and tables that are not named here are NULL, and the core does without them. */
static const struct trm_backend template_backend = {
    .struct_size = sizeof(template_backend),
    .abi_minor   = TRM_BACKEND_ABI_MINOR,
    .name        = "template",
    .version     = "1.0",
    .description = "the smallest complete backend: runs everything in the calling thread",
    .probe       = template_probe,
    .open        = template_open,
    .close       = template_close,
    .device      = &template_device_ops,
    .memory      = &template_memory_ops,
    .stream      = &template_stream_ops,
    .module      = &template_module_ops,
};

/* A newer core works with this backend, and an older core ignores what it does not know. Only a core
 * that requires more than this header has is refused. */
const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)host;
    (void)max_minor;
    if (min_minor > TRM_BACKEND_ABI_MINOR)
        return NULL;
    return &template_backend;
}
