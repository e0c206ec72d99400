/* A pipeline's report, into a file.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "pipeline/report/report_internal.h"

struct target {
    FILE *file;
    const char *path;
};

static int32_t fail_file(const char *path, const char *what)
{
    int number = errno;
    char reason[128];

    return base_fail(TRM_ERROR_IO, "%s: %s: %s", path, what, strerror_r(number, reason, sizeof(reason)));
}

static int32_t write_to_file(void *user, const char *text, size_t length)
{
    struct target *target = user;

    if (fwrite(text, 1, length, target->file) == length)
        return TRM_OK;
    return fail_file(target->path, "cannot be written");
}

int32_t trm_pipeline_report_file(struct trm_pipeline *pipeline, int32_t format, const char *path)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct core_writer writer;

    if (path == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "there is nowhere to write the report: path is NULL");
    if (format != TRM_REPORT_TEXT && format != TRM_REPORT_JSON)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%d is no format of a report", format);
    int32_t status = trm_pipeline_report(pipeline, &report);
    if (status != TRM_OK)
        return status; /* a file that is there stays as it is */

    struct target target = {fopen(path, "we"), path};
    if (target.file == NULL)
        return fail_file(path, "cannot be made");
    core_writer_begin(&writer, write_to_file, &target);
    if (format == TRM_REPORT_TEXT)
        core_report_text(&report, &writer);
    else
        core_report_json(&report, &writer);
    status = core_writer_end(&writer);
    if (fclose(target.file) != 0 && status == TRM_OK)
        status = fail_file(path, "cannot be written");
    return status;
}
