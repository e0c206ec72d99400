/* Trireme: functions that the commands share.
 * SPDX-License-Identifier: MIT
 */
#include "tools/command/command.h"

#include "tools/output/output.h"

#include <stdio.h>

static const char *log_level_name(int32_t level)
{
    switch (level) {
    case TRM_LOG_ERROR:
        return "error";
    case TRM_LOG_WARNING:
        return "warning";
    case TRM_LOG_INFO:
        return "info";
    default:
        return "debug";
    }
}

static void log_to_stderr(void *user, int32_t level, const char *message)
{
    (void)user;
    fprintf(stderr, "%s: %s\n", log_level_name(level), message);
}

/* Errors also come back as statuses, whose sentences the commands print. */
static void warnings_to_stderr(void *user, int32_t level, const char *message)
{
    if (level == TRM_LOG_WARNING)
        log_to_stderr(user, level, message);
}

int command_usage_error(const struct command *command, const char *complaint)
{
    if (complaint)
        fprintf(stderr, "trireme %s: %s\n", command->name, complaint);
    fprintf(stderr, "Try 'trireme help %s'.\n", command->name);
    return COMMAND_USAGE;
}

int command_failed(const char *what)
{
    struct trm_error error = trm_last_error();

    fprintf(stderr, "trireme: %s: ", what);
    output_text(stderr, error.sentence);
    if (error.native_code != 0)
        fprintf(stderr, " (code %lld)", (long long)error.native_code);
    fputc('\n', stderr);
    return COMMAND_FAILED;
}

int32_t command_context_for(const char *backend, bool verbose, struct trm_context **context)
{
    struct trm_setting settings[3];
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .settings = settings};

    desc.log = verbose ? log_to_stderr : warnings_to_stderr;
    if (verbose)
        settings[desc.setting_count++] = (struct trm_setting){.name = "log.level", .value = "4"};
    if (backend) {
        settings[desc.setting_count++] = (struct trm_setting){.name = "backend", .value = backend};
        settings[desc.setting_count++] = (struct trm_setting){.name = "devices", .value = ""};
    }

    return trm_context_create(&desc, context);
}

int32_t command_context(bool verbose, struct trm_context **context)
{
    return command_context_for(NULL, verbose, context);
}
