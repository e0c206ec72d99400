/* The lines of a context's log.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_LOG_LINES_H
#define TESTS_UNIT_LOG_LINES_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "core/object/object.h"
#include "tests/check.h"

static char log_lines_path[64];

/* From now on the context logs into a new file without a name, which it closes. No other thread uses it. */
static inline void log_lines_begin(struct core_context *context)
{
    base_log_close(&context->log);
    context->log.fd = memfd_create("lines", MFD_CLOEXEC);
    ck_assert_int_ge(context->log.fd, 0);
    context->log.owns_fd = true;
    context->log.level   = TRM_LOG_DEBUG;
    snprintf(log_lines_path, sizeof(log_lines_path), "/proc/self/fd/%d", context->log.fd);
}

/* How many lines have this level and room, then `object`, and anywhere behind that `words`: the line
 * "… info [7] pool: stream pool 3 on cpu:0: auto moves" has "stream pool " and " on cpu:0: auto moves". */
static inline uint32_t log_lines_count(const char *level, const char *room, const char *object,
                                       const char *words)
{
    char line[1200], begin[128], found[16];
    uint32_t count = 0;
    long thread;
    FILE *file = fopen(log_lines_path, "r");

    ck_assert_ptr_nonnull(file);
    snprintf(begin, sizeof(begin), "%s: %s", room, object);
    while (fgets(line, sizeof(line), file) != NULL) {
        int at = 0;
        ck_assert_int_eq(sscanf(line, "%*d:%*d:%*d.%*d %15s [%ld] %n", found, &thread, &at), 2);
        ck_assert_int_gt(at, 0);
        if (strcmp(found, level) == 0 && strncmp(line + at, begin, strlen(begin)) == 0 &&
            strstr(line + at + strlen(begin), words) != NULL)
            count++;
    }
    fclose(file);
    return count;
}

#endif
