/* Trireme: `trireme check` opens a device and does work of each kind on it.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/device.h"

#include "tools/output/output.h"

bool device_takes_kernels(const struct device_check *it)
{
    return trm_module_supported(it->device, TRM_MODULE_SPIRV) == TRM_OK;
}

/* The user who names a plugin by its path can correct it. */
const char *device_remedy(const struct device_check *it)
{
    return it->check->options.plugin
               ? "Correct the plugin; the conformance suite has a case for each of its functions."
               : "Try another version of the driver.";
}

static void report_opened(struct device_check *it)
{
    const struct trm_device_summary *summary = it->summary;
    char memory[32], driver[256] = "";

    output_bytes(memory, sizeof(memory), summary->memory_bytes);
    trm_device_get_info(it->device, TRM_DEVICE_DRIVER, driver, sizeof(driver), NULL);
    report_add(it->report, FINDING_OK, "opened", NULL, "%s, %s%s%s%s", summary->name, memory,
               summary->unified ? " that host and device share" : "", *driver ? ", " : "", driver);
}

static void (*const checks[])(struct device_check *it) = {
    device_check_copies, device_check_memory,    device_check_events,
    device_check_kernel, device_check_pipelines,
};

/* A lost device stays lost: each further line would say the same. */
static bool is_lost(void)
{
    return trm_last_error().status == TRM_ERROR_DEVICE_LOST;
}

/* Each kind of work has a stream of its own: one that has failed stays failed. */
static bool work_once(struct device_check *it, void (*check)(struct device_check *it))
{
    if (trm_stream_create(it->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &it->stream) != TRM_OK) {
        report_failure(it->report, "streams", "no stream can be made");
        return false;
    }
    check(it);
    trm_stream_destroy(it->stream);
    return !is_lost();
}

static void work(struct device_check *it)
{
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        if (!work_once(it, checks[i]))
            return;
    device_check_compiling(it);
}

void check_device_job(struct report *report, void *user)
{
    const struct check_device *wanted = user;
    struct device_check it = {.check = wanted->check, .report = report, .summary = wanted->summary};

    report_begin(report, "opening the device");
    if (check_context(it.check, report, NULL, 0, &it.context) != TRM_OK)
        return;
    if (trm_device_open(it.context, it.summary->id, &it.device) == TRM_OK) {
        report_opened(&it);
        work(&it);
        trm_device_destroy(it.device);
    } else {
        report_failure(report, "opened", "it cannot be opened");
    }
    trm_context_destroy(it.context);
}
