/* struct trm_host: the functions of the core that backends call.
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>

#include "base/base.h"
#include "core/cache/cache.h"
#include "core/context/context.h"
#include "core/object/object.h"
#include "core/program/program.h"
#include "core/settings/settings.h"
#include "core/shader/shader.h"

/* Characters of a plugin's message; what follows may be no text. */
#define MESSAGE_MOST 1000

static void *host_allocate(void *context, uint64_t size, uint64_t alignment)
{
    bool is_power = alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (size == 0 || !is_power)
        return NULL;
    return core_allocate_aligned(context, size, alignment);
}

static void host_release(void *context, void *memory, uint64_t size)
{
    core_free(context, memory, size);
}

static void host_log(void *context, int32_t level, const char *message)
{
    const struct core_context *ours = context;
    if (base_log_is_on(&ours->log, level))
        base_log_write(&ours->log, level, "backend/", "%.*s", MESSAGE_MOST, message);
}

static int32_t host_fail(void *context, int32_t status, int64_t native_code, const char *sentence)
{
    int32_t known = base_status_is_known(status) && status != TRM_OK ? status : TRM_ERROR_BACKEND;
    (void)context;
    base_fail_native(known, native_code, sentence);
    return status; /* the check of the slot's answer names the slot */
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
    return base_file_permissions_check(path);
}

static int32_t host_cache_find(void *context, const char *key, const char *extension, char *path)
{
    return core_cache_find(context, key, extension, path);
}

static int32_t host_cache_begin(void *context, const char *key, const char *extension, char *path)
{
    return core_cache_begin(context, key, extension, path);
}

static int32_t host_cache_commit(void *context, const char *key, const char *extension, const char *begun,
                                 char *path)
{
    return core_cache_commit(context, key, extension, begun, path);
}

static void host_cache_discard(void *context, const char *begun)
{
    core_cache_discard(context, begun);
}

static int32_t host_cache_store(void *context, const char *key, const char *extension, const char *from,
                                char *path)
{
    return core_cache_store(context, key, extension, from, path);
}

static int32_t host_program_run(void *context, const struct trm_program_desc *desc,
                                struct trm_program_result *result)
{
    return core_program_run(context, desc, result);
}

static void host_program_release(void *context, struct trm_program_result *result)
{
    core_program_release(context, result);
}

void core_host_init(struct core_context *context)
{
    context->host = (struct trm_host){
        .struct_size         = sizeof(context->host),
        .abi_minor           = TRM_BACKEND_ABI_MINOR,
        .context             = context,
        .allocate            = host_allocate,
        .release             = host_release,
        .log                 = host_log,
        .fail                = host_fail,
        .get_setting         = host_get_setting,
        .trust_file          = host_trust_file,
        .translate           = core_host_translate,
        .release_translation = core_host_release_translation,
        .cache_find          = host_cache_find,
        .cache_begin         = host_cache_begin,
        .cache_commit        = host_cache_commit,
        .cache_discard       = host_cache_discard,
        .cache_store         = host_cache_store,
        .program_run         = host_program_run,
        .program_release     = host_program_release,
    };
}
