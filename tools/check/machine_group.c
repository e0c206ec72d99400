/* Trireme: what the control group of this process limits.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/machine_group.h"

#include "tools/output/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *group_find(const char *file)
{
    FILE *lines = fopen(file, "re");
    char *line = NULL, *group = NULL;
    size_t capacity = 0;

    while (lines && !group && getline(&line, &capacity, lines) > 0)
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = '\0';
            group                     = output_copy(line + 3);
        }
    free(line);
    if (lines)
        fclose(lines);
    return group;
}

/* The first line of a file of a group. Returns false if there is none. */
static bool read_line(const char *root, const char *group, const char *name, char *line, int capacity)
{
    size_t size = strlen(root) + strlen(group) + strlen(name) + 2;
    char *path  = output_allocate(size, 1);
    bool is_read;
    FILE *file;

    snprintf(path, size, "%s%s/%s", root, group, name);
    file    = fopen(path, "re");
    is_read = file && fgets(line, capacity, file);
    if (file)
        fclose(file);
    free(path);
    return is_read;
}

static void read_own(const char *root, const char *group, struct group_limits *limits)
{
    char line[128]; /* two numbers at most */
    double quota, period;
    uint64_t memory;

    if (read_line(root, group, "cpu.max", line, sizeof(line)) &&
        sscanf(line, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0 &&
        (limits->processors == 0 || quota / period < limits->processors))
        limits->processors = quota / period;
    if (read_line(root, group, "memory.max", line, sizeof(line)) && sscanf(line, "%" SCNu64, &memory) == 1 &&
        memory < limits->memory)
        limits->memory = memory;
}

void group_read(const char *root, const char *group, struct group_limits *limits)
{
    char *path = output_copy(group), *last;

    limits->processors = 0;
    limits->memory     = UINT64_MAX;
    for (;;) {
        read_own(root, path, limits);
        last = strrchr(path, '/');
        if (!last)
            break;
        *last = '\0'; /* the group above; "" is the highest */
    }
    free(path);
}
