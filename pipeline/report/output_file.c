/* Output into a file.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The descriptor that a path such as /dev/stdout or /dev/fd/3 names; −1: it names none. */
static int named_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    char *end;

    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) != 0 || path[length] < '0' || path[length] > '9')
            continue;
        unsigned long number = strtoul(path + length, &end, 10);
        if (*end == '\0' && number <= INT_MAX)
            return (int)number;
    }
    return -1;
}

/* Opening the file of a descriptor anew would truncate it, so its present contents would be lost. */
int32_t pipeline_output_file(const char *path, pipeline_produce_fn produce, const void *subject)
{
    int descriptor = named_descriptor(path);
    if (descriptor >= 0)
        return pipeline_output_descriptor(descriptor, path, produce, subject);
    struct target target = {fopen(path, "we"), path};
    return target.file == NULL ? fail_file(path, "cannot be created") : fill(&target, produce, subject);
}
