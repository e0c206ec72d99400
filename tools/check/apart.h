/* Trireme: jobs in processes of their own.
 *
 * A driver, a plugin or a kernel that is examined may crash or never end. So each job that touches one runs
 * in a child process, and this process, which opens no driver itself, survives and says what happened.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_CHECK_APART_H
#define TRIREME_TOOLS_CHECK_APART_H

#include "tools/check/report.h"

#include <stddef.h>

typedef void (*apart_job_fn)(struct report *report, void *user);

struct apart {
    struct findings *findings;
    unsigned seconds; /* after which a job that reports nothing is ended */
    bool is_verbose;
};

/* Run a job and add its findings. What it writes to memory of apart_share() stays. Returns false if it did
 * not end by itself, which is a finding too. */
bool apart_run(const struct apart *apart, const char *section, const char *subject, apart_job_fn job,
               void *user);

/* Zeroed memory that this process and its jobs share; takes pages as they are touched. NULL: none is left. */
void *apart_share(size_t size);
void apart_unshare(void *memory, size_t size);

/* Make it read-only for the jobs that follow: none can change what this process relies on. */
void apart_freeze(void *memory, size_t size);

#endif
