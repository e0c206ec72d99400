/* What the core lends to backends: struct trm_host.
 * SPDX-License-Identifier: MIT
 */
#include "core/context.h"
#include "core/settings.h"
#include "core/trust.h"

static void *host_allocate(void *context, uint64_t size, uint64_t alignment)
{
    int is_power = alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (size == 0 || !is_power)
        return NULL;
    return core_allocate_aligned(context, size, alignment);
}

static void host_release(void *context, void *memory, uint64_t size)
{
    core_release(context, memory, size);
}

static void host_log(void *context, int32_t level, const char *message)
{
    core_log(context, level, "%s", message);
}

static int32_t host_fail(void *context, int32_t status, int64_t native_code, const char *sentence)
{
    (void)context;
    return core_fail_native(status, native_code, sentence);
}

static int32_t host_get_setting(void *context, const char *name, char *value, uint64_t capacity,
                                uint64_t *needed)
{
    size_t bytes   = 0;
    int32_t status = core_setting_get(context, name, value, capacity, &bytes, NULL);
    if (needed != NULL && bytes != 0)
        *needed = bytes;
    return status;
}

static int32_t host_trust_file(void *context, const char *path)
{
    (void)context;
    return core_trust_file(path);
}

void core_host_init(struct core_context *context)
{
    context->host = (struct trm_host){
        .struct_size = sizeof(context->host),
        .abi_minor   = TRM_BACKEND_ABI_MINOR,
        .context     = context,
        .allocate    = host_allocate,
        .release     = host_release,
        .log         = host_log,
        .fail        = host_fail,
        .get_setting = host_get_setting,
        .trust_file  = host_trust_file,
    };
}
