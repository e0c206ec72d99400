/* Trireme: the template backend: the one exported function, and the way from there to an instance.
 * SPDX-License-Identifier: MIT
 */
#include "template.h"

/* On a real device: dlopen() the driver here, look its functions up, initialise it, count the
 * devices. All that may be slow belongs here and not into the query. Whatever is missing is said
 * in words that help a user ("libfoo.so.1 not found: no Foo driver on this machine"). Undo it
 * all before returning: open() does it again. */
static int32_t template_probe(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    (void)host;
    (void)reason;
    (void)capacity;
    *score = 1; /* so that any real backend is preferred; <trireme/backend.h> has the scale */
    return TRM_OK;
}

/* Several contexts may each open an instance; they share nothing. */
static int32_t template_open(const struct trm_host *host, struct trm_backend_instance **instance)
{
    struct trm_backend_instance *made;

    /* What a backend needs for itself comes from the host, so that the program's own allocator
     * is used. */
    made = host->allocate(host->context, sizeof(*made), _Alignof(struct trm_backend_instance));
    if (made == NULL)
        return host->fail(host->context, TRM_ERROR_OUT_OF_HOST_MEMORY, 0,
                          "There is no memory for an instance.");

    made->host = host;
    pthread_mutex_init(&made->unit, NULL);
    *instance = made;
    return TRM_OK;
}

static void template_close(struct trm_backend_instance *instance)
{
    const struct trm_host *host = instance->host;

    pthread_mutex_destroy(&instance->unit);
    host->release(host->context, instance, sizeof(*instance));
}

/* Designated, so that slots and tables that are not named are NULL: the core then does without
 * them. */
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

/* A core that is newer than this backend goes on taking it, and an older one overlooks what it
 * does not know; only one that insists on more than this header had is refused. */
const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)host;
    (void)max_minor;
    if (min_minor > TRM_BACKEND_ABI_MINOR)
        return NULL;
    return &template_backend;
}
