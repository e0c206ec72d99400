/* Output into a file.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "pipeline/report/report.h"

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

static int32_t fill(struct target *target, pipeline_produce_fn produce, const void *subject)
{
    int32_t status = produce(subject, write_to_file, target);
    if (fclose(target->file) != 0 && status == TRM_OK)
        status = fail_file(target->path, "cannot be written");
    return status;
}

int32_t pipeline_output_file(const char *path, pipeline_produce_fn produce, const void *subject)
{
    struct target target = {fopen(path, "we"), path};

    return target.file == NULL ? fail_file(path, "cannot be created") : fill(&target, produce, subject);
}

int32_t pipeline_output_descriptor(int fd, const char *path, pipeline_produce_fn produce, const void *subject)
{
    int own              = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    struct target target = {own >= 0 ? fdopen(own, "w") : NULL, path};

    if (target.file != NULL)
        return fill(&target, produce, subject);
    int32_t status = fail_file(path, "cannot be written");
    if (own >= 0)
        close(own);
    return status;
}
