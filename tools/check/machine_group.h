/* Trireme: what the control group of this process limits.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_CHECK_MACHINE_GROUP_H
#define TRIREME_TOOLS_CHECK_MACHINE_GROUP_H

#include <stdbool.h>
#include <stdint.h>

struct group_limits {
    double processors; /* that the quota pays for; 0: there is no quota */
    uint64_t memory;   /* bytes; UINT64_MAX: as many as there are */
};

/* Find the path of this process's control group (version 2), to be freed, from a file such as
 * /proc/self/cgroup. NULL: there is none. */
char *group_find(const char *file);

/* Read the least limits of a group and of all those above it, whose files are below `root`. */
void group_read(const char *root, const char *group, struct group_limits *limits);

#endif
