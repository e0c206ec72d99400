/* Runs programs for backends.
 * SPDX-License-Identifier: MIT
 */
#include "core/program/program.h"

#include <string.h>
#include <unistd.h>

#include "core/object/object.h"
#include "core/settings/settings.h"

/* Of the first version of these structures. */
#define DESC_LEAST 48
#define RESULT_LEAST 40

/* A program that has ended, until the backend releases it. */
struct ended {
    struct base_arena arena;
    struct base_program program;
};

void core_program_rules_init(const struct core_context *context, struct core_program_rules *rules)
{
    rules->base = (struct base_program_rules){
        .supervisor  = rules->supervisor,
        .first_place = core_setting_temporary_home(context),
        .seconds     = core_setting_number(context, "compiler.time"),
        .memory      = core_setting_number(context, "compiler.memory"),
        .output      = core_setting_number(context, "compiler.output"),
    };
    if (!base_beside_library("/trireme/supervise", rules->supervisor) || access(rules->supervisor, F_OK) != 0)
        memcpy(rules->supervisor, TRM_SUPERVISOR, sizeof(TRM_SUPERVISOR));
}

static int32_t run(struct ended *ended, const struct base_program_rules *rules,
                   const struct trm_program_desc *desc, struct trm_program_result *result)
{
    int32_t status = base_program_open(&ended->program, &ended->arena, rules, desc->arguments);
    if (status != TRM_OK)
        return status;
    if (desc->file != NULL)
        status = base_program_write(&ended->program, desc->file, desc->bytes, desc->size);
    if (status == TRM_OK)
        status = base_program_run(&ended->program, desc->what);
    if (status != TRM_OK) {
        base_program_close(&ended->program);
        return status;
    }
    result->exit_status = ended->program.exit_status;
    result->signal      = ended->program.signal;
    result->folder      = ended->program.folder;
    result->messages    = ended->program.messages;
    result->state       = ended;
    return TRM_OK;
}

static void destroy(const struct core_context *context, struct ended *ended)
{
    base_arena_fini(&ended->arena);
    core_free(context, ended, sizeof(*ended));
}

int32_t core_program_run(const struct core_context *context, const struct trm_program_desc *given,
                         struct trm_program_result *result)
{
    struct trm_program_desc desc = {.struct_size = sizeof(desc)};
    struct core_program_rules rules;
    if (!core_struct_copy_in(&desc, sizeof(desc), given, DESC_LEAST) || result->struct_size < RESULT_LEAST ||
        desc.arguments == NULL || desc.arguments[0] == NULL || desc.what == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "program_run(): a struct_size is too small, or `arguments` or `what` is missing");
    struct ended *ended = core_allocate(context, sizeof(*ended));
    if (ended == NULL)
        return base_fail_memory("running a program");
    base_arena_init(&ended->arena, &context->allocator);
    core_program_rules_init(context, &rules);
    int32_t status = run(ended, &rules.base, &desc, result);
    if (status != TRM_OK)
        destroy(context, ended);
    return status;
}

void core_program_release(const struct core_context *context, struct trm_program_result *result)
{
    struct ended *ended = result->state;
    if (ended == NULL)
        return;
    base_program_close(&ended->program);
    destroy(context, ended);
    result->state = NULL;
}
