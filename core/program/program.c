/* Runs programs for backends and for the program that uses the library.
 * SPDX-License-Identifier: MIT
 */
#include "core/program/program.h"

#include <string.h>
#include <unistd.h>

#include "core/object/object.h"
#include "core/settings/settings.h"
#include "installed_folders.h"

/* Of the first version of these structures. */
#define DESC_LEAST 48
#define RESULT_LEAST 40

/* A program that has ended, until its result is released. */
struct ended {
    struct core_context *context; /* entered by trm_program_run() */
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

static int32_t read_desc(struct trm_program_desc *desc, const struct trm_program_desc *given,
                         const struct trm_program_result *result)
{
    if (given == NULL || result == NULL || !core_struct_copy_in(desc, sizeof(*desc), given, DESC_LEAST) ||
        result->struct_size < RESULT_LEAST)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "running a program: `desc` or `result` is NULL, or its struct_size is too small");
    if (desc->arguments == NULL || desc->arguments[0] == NULL || desc->what == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "running a program: `arguments` or `what` is missing");
    if (desc->arguments[0][0] != '/')
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the path of the program %s is not absolute",
                         desc->arguments[0]);
    if (desc->file == NULL)
        return TRM_OK;
    if (desc->file[0] == '\0' || strchr(desc->file, '/') != NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "\"%.100s\" is no name of a file in a folder",
                         desc->file);
    if (desc->bytes == NULL && desc->size != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "running a program: `bytes` is NULL, but `size` is not 0");
    return TRM_OK;
}

int32_t core_program_run(const struct core_context *context, const struct trm_program_desc *given,
                         struct trm_program_result *result)
{
    struct trm_program_desc desc = {.struct_size = sizeof(desc)};
    struct core_program_rules rules;
    int32_t status = read_desc(&desc, given, result);
    if (status != TRM_OK)
        return status;
    struct ended *ended = core_allocate(context, sizeof(*ended));
    if (ended == NULL)
        return base_fail_memory("running a program");
    base_arena_init(&ended->arena, &context->allocator);
    core_program_rules_init(context, &rules);
    status = run(ended, &rules.base, &desc, result);
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

int32_t trm_program_run(struct trm_context *handle, const struct trm_program_desc *desc,
                        struct trm_program_result *result)
{
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = core_program_run(context, desc, result);
    if (status == TRM_OK)
        ((struct ended *)result->state)->context = context;
    else
        core_object_leave(&context->object);
    return status;
}

void trm_program_release(struct trm_program_result *result)
{
    if (result == NULL || result->state == NULL)
        return;
    struct core_context *context = ((struct ended *)result->state)->context;
    core_program_release(context, result);
    core_object_leave(&context->object);
}
