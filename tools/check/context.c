/* Trireme: the contexts of `trireme check`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/check.h"

int32_t check_context(const struct check *check, struct report *report, const struct trm_setting *more,
                      uint32_t count, struct trm_context **context)
{
    struct trm_setting settings[CHECK_SETTINGS];
    struct trm_context_desc desc = {
        .struct_size = sizeof(desc), .log = report_log, .log_user = report, .settings = settings};
    const char *backend = check->options.plugin ? check->options.plugin : check->options.backend;
    int32_t status;

    if (backend)
        settings[desc.setting_count++] = (struct trm_setting){.name = "backend", .value = backend};
    if (check->options.is_verbose)
        settings[desc.setting_count++] = (struct trm_setting){.name = "log.level", .value = "4"};
    for (uint32_t i = 0; i < count && desc.setting_count < CHECK_SETTINGS; i++)
        settings[desc.setting_count++] = more[i];
    status = trm_context_create(&desc, context);
    if (status != TRM_OK) {
        *context = NULL;
        report_add(report, FINDING_FAILED, "settings",
                   "Correct the value, or take it out; trireme(7) lists the settings and their values.", "%s",
                   trm_last_error().sentence);
    }
    return status;
}
