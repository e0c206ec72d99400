/* Creates contexts, and lists the candidates for backends.
 * SPDX-License-Identifier: MIT
 */
#include "core/context/context.h"

#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/plugin/plugin.h"
#include "core/settings/settings.h"
#include "core/stream/stream.h"

/* Sizes of the first version of these structures. */
#define CONTEXT_DESC_LEAST 48
#define CANDIDATE_LEAST 48

static void create_locks(struct core_context *context)
{
    pthread_mutex_init(&context->lock, NULL);
    pthread_cond_init(&context->registry_loaded, NULL);
    pthread_mutex_init(&context->devices_lock, NULL);
    pthread_cond_init(&context->devices_changed, NULL);
}

static void destroy_locks(struct core_context *context)
{
    pthread_cond_destroy(&context->devices_changed);
    pthread_mutex_destroy(&context->devices_lock);
    pthread_cond_destroy(&context->registry_loaded);
    pthread_mutex_destroy(&context->lock);
}

/* Runs after the last object is freed. The backends close before the parts that they may use. */
static void context_release(struct core_object *object)
{
    struct core_context *context   = base_container_of(object, struct core_context, object);
    struct trm_allocator allocator = context->allocator;
    if (context->service != NULL)
        core_service_destroy(context->service);
    if (context->registry != NULL)
        core_registry_destroy(context->registry);
    base_log_close(&context->log);
    core_settings_destroy(context, context->settings);
    core_handle_table_close(context->handles);
    destroy_locks(context);
    allocator.release(allocator.user, context, sizeof(*context));
}

static void context_retire(struct core_object *object)
{
    struct core_context *context = base_container_of(object, struct core_context, object);
    if (context->hooks != NULL)
        context->hooks->retire(context);
}

static const struct core_object_ops context_ops = {
    .type    = CORE_CONTEXT,
    .name    = "context",
    .source  = __FILE__,
    .retire  = context_retire,
    .release = context_release,
};

static int32_t check_desc(const struct trm_context_desc *given, struct trm_context_desc *desc)
{
    *desc = (struct trm_context_desc){.struct_size = sizeof(*desc)};
    if (given == NULL)
        return TRM_OK;
    if (!core_struct_copy_in(desc, sizeof(*desc), given, CONTEXT_DESC_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_context_desc.struct_size is %u, but its size is %zu", given->struct_size,
                         sizeof(*desc));
    if (desc->flags & ~(uint32_t)(TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_context_desc.flags 0x%x has unknown bits",
                         desc->flags);
    if (desc->allocator != NULL && (desc->allocator->allocate == NULL || desc->allocator->release == NULL))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_context_desc.allocator lacks `allocate` or `release`");
    if (desc->setting_count != 0 && desc->settings == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_context_desc.settings is NULL, but setting_count is %u", desc->setting_count);
    return TRM_OK;
}

/* A zeroed context with allocator and log. Undone by freeing its memory. */
static struct core_context *context_allocate(const struct trm_context_desc *desc)
{
    struct trm_allocator allocator = desc->allocator ? *desc->allocator : base_system_allocator;
    struct core_context *context =
        allocator.allocate(allocator.user, sizeof(*context), _Alignof(struct core_context));
    if (context == NULL)
        return NULL;
    memset(context, 0, sizeof(*context));
    context->allocator = allocator;
    /* The level until the settings are known. */
    int32_t level = desc->log != NULL ? TRM_LOG_WARNING : 0;
    context->log  = (struct base_log){.write = desc->log, .user = desc->log_user, .fd = -1, .level = level};
    return context;
}

/* Was log.level set by TRIREME_LOG? A program that runs with another user's rights prints nothing for it. */
static bool is_asked_for(const struct core_context *context)
{
    int32_t origin = TRM_ORIGIN_DEFAULT;
    core_setting_get(context, "log.level", NULL, 0, NULL, &origin);
    return origin == TRM_ORIGIN_ENVIRONMENT && getauxval(AT_SECURE) == 0;
}

/* Lines go to the program's function and to log.file; where there is neither, to standard error if
 * TRIREME_LOG asks for them. */
static int32_t open_log(struct core_context *context)
{
    const char *path = core_setting_text(context, "log.file");
    int error        = *path != '\0' ? base_log_open(&context->log, path) : 0;
    if (error != 0)
        return core_setting_fail_open(context, "log.file", path, error);
    if (context->log.write == NULL && context->log.fd < 0 && is_asked_for(context))
        context->log.fd = STDERR_FILENO;
    bool is_open       = context->log.write != NULL || context->log.fd >= 0;
    context->log.level = is_open ? base_log_level(core_setting_text(context, "log.level")) : 0;
    return TRM_OK;
}

int32_t core_context_create(const struct trm_context_desc *given, struct core_context **out)
{
    struct trm_context_desc desc;
    int32_t status = check_desc(given, &desc);
    if (status != TRM_OK)
        return status;

    struct core_context *context = context_allocate(&desc);
    if (context == NULL)
        return base_fail_memory("making a context");
    status = core_settings_create(context, &desc, &context->settings);
    if (status != TRM_OK)
        goto free_context;
    status = open_log(context);
    if (status != TRM_OK)
        goto destroy_settings;
    if (!(desc.flags & TRM_CONTEXT_NO_ENVIRONMENT))
        core_settings_warn(context);
    core_settings_warn_foreign(context);
    status = core_handle_table_open(&context->handles);
    if (status != TRM_OK)
        goto close_log;
    core_host_init(context);
    context->device_hooks = &core_device_hooks;
    create_locks(context);
    /* Now, since a process that makes a context mostly has no other thread yet. */
    context->has_barriers = base_barrier_is_supported();
    status                = core_object_init(&context->object, &context_ops, context);
    if (status != TRM_OK)
        goto close_handles;
    *out = context;
    return TRM_OK;

close_handles:
    destroy_locks(context);
    core_handle_table_close(context->handles);
close_log:
    base_log_close(&context->log);
destroy_settings:
    core_settings_destroy(context, context->settings);
free_context:
    core_free(context, context, sizeof(*context));
    return status;
}

/* ---- the report of candidates ---- */

int32_t trm_context_candidate_count(struct trm_context *handle, uint32_t *count)
{
    struct core_registry *registry;
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = core_output_check(count, "trm_context_candidate_count", "count");
    if (status == TRM_OK)
        status = core_registry_get(context, &registry);
    if (status == TRM_OK)
        *count = core_registry_candidate_count(registry);
    core_object_leave(&context->object);
    return status;
}

static int32_t describe_candidate(struct core_context *context, uint32_t index,
                                  struct trm_candidate *candidate)
{
    struct core_registry *registry;
    struct trm_candidate ours = {.struct_size = sizeof(ours)};
    int32_t status            = core_output_check(candidate, "trm_context_candidate", "candidate");
    if (status == TRM_OK)
        status = core_registry_get(context, &registry);
    if (status != TRM_OK)
        return status;
    uint32_t count = core_registry_candidate_count(registry);
    if (index >= count)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "there is no candidate at index %u; the number of candidates is %u", index, count);
    core_registry_candidate(registry, index, &ours);
    if (!core_struct_copy_out(candidate, &ours, sizeof(ours), CANDIDATE_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_candidate.struct_size is %u, but its size is %zu",
                         candidate->struct_size, sizeof(ours));
    return TRM_OK;
}

int32_t trm_context_candidate(struct trm_context *handle, uint32_t index, struct trm_candidate *candidate)
{
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = describe_candidate(context, index, candidate);
    core_object_leave(&context->object);
    return status;
}
