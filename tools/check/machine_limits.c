/* Trireme: `trireme check` looks at limits of this process and machine that hurt.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/check.h"
#include "tools/check/machine_group.h"

#include "tools/output/output.h"

#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)

/* ---- the control group ---- */

static struct group_limits group_limits(void)
{
    struct group_limits limits = {0, UINT64_MAX};
    char *group                = group_find("/proc/self/cgroup");

    if (group)
        group_read("/sys/fs/cgroup", group, &limits);
    free(group);
    return limits;
}

/* ---- limits ---- */

static void check_processors(struct report *report)
{
    long online   = sysconf(_SC_NPROCESSORS_ONLN);
    double quota  = group_limits().processors;
    int available = (int)online;
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        available = CPU_COUNT(&set);
    if (quota > 0 && quota + 0.5 < available)
        report_add(report, FINDING_WARNING, "processors",
                   "Set TRIREME_CPU_WORKERS to what the group gives, or raise its cpu.max.",
                   "this process may run on %d, but its control group gives it the time of %.1f", available,
                   quota);
    else
        report_add(report, FINDING_OK, "processors", NULL, "this process may use %d of %ld", available,
                   online);
}

static void check_memory(struct report *report)
{
    uint64_t most = group_limits().memory;
    char text[32];
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        output_bytes(text, sizeof(text), limit.rlim_cur);
        report_add(report, FINDING_WARNING, "memory",
                   "Remove the limit (ulimit -v unlimited): drivers of GPUs reserve far more addresses than "
                   "they use.",
                   "the address space of this process is limited to %s", text);
        return;
    }
    if (most == UINT64_MAX) {
        report_add(report, FINDING_OK, "memory", NULL, "no limit for this process");
        return;
    }
    output_bytes(text, sizeof(text), most);
    report_add(report, most < 256 * MIB ? FINDING_WARNING : FINDING_OK, "memory",
               most < 256 * MIB ? "Raise memory.max of the control group." : NULL,
               "its control group limits this process to %s, which includes pinned memory", text);
}

static void check_locked(struct report *report)
{
    struct rlimit limit;
    char text[32] = "unlimited";

    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return;
    if (limit.rlim_cur != RLIM_INFINITY)
        output_bytes(text, sizeof(text), limit.rlim_cur);
    if (limit.rlim_cur < MIB / 16)
        report_add(report, FINDING_WARNING, "locked memory", "Raise it (ulimit -l).",
                   "%s, which is little for pinned buffers where the driver counts them", text);
    else
        report_add(report, FINDING_OK, "locked memory", NULL, "%s", text);
}

static void check_files(struct report *report)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    if (limit.rlim_cur < 256)
        report_add(report, FINDING_WARNING, "open files", "Raise the limit (ulimit -n 1024).",
                   "%llu, and a driver alone may need a hundred", (unsigned long long)limit.rlim_cur);
    else
        report_add(report, FINDING_OK, "open files", NULL, "%llu", (unsigned long long)limit.rlim_cur);
}

static void check_shared(struct report *report)
{
    const char *folder = "/dev/shm";
    struct statvfs disk;
    uint64_t room;
    char text[32];

    if (statvfs(folder, &disk) != 0 || access(folder, W_OK | X_OK) != 0) {
        report_add(report, FINDING_WARNING, "shared memory",
                   "Mount it; in a container, give it one (docker run --shm-size 1g).",
                   "%s cannot be written: processes that share memory, and NCCL, need it", folder);
        return;
    }
    room = (uint64_t)disk.f_bavail * disk.f_frsize;
    output_bytes(text, sizeof(text), room);
    report_add(report, room < 16 * MIB ? FINDING_WARNING : FINDING_OK, "shared memory",
               room < 16 * MIB ? "Make room in it; in a container, make it larger (docker run --shm-size 1g)."
                               : NULL,
               "%s free in %s", text, folder);
}

/* ---- what drivers need ---- */

/* A GPU may be here and its device file closed to this user, which drivers answer with "no device". */
static void check_nodes(struct report *report)
{
    glob_t nodes = {0};
    int closed   = 0;

    (void)glob("/dev/dri/renderD*", 0, NULL, &nodes);
    (void)glob("/dev/nvidia[0-9]*", GLOB_APPEND, NULL, &nodes);
    (void)glob("/dev/kfd", GLOB_APPEND, NULL, &nodes);
    for (size_t i = 0; i < nodes.gl_pathc; i++) {
        if (access(nodes.gl_pathv[i], R_OK | W_OK) == 0)
            continue;
        closed++;
        report_add(report, FINDING_WARNING, "device files",
                   "Join the group of the file, mostly `render` or `video` (usermod -aG GROUP USER), and log "
                   "in again.",
                   "%s may not be opened by this user, so its GPU is not found", nodes.gl_pathv[i]);
    }
    if (nodes.gl_pathc == 0)
        report_add(report, FINDING_ABSENT, "device files", NULL, "no GPU has one here");
    else if (closed == 0)
        report_add(report, FINDING_OK, "device files", NULL, "all %zu may be opened", nodes.gl_pathc);
    globfree(&nodes);
}

static void check_persistence(struct report *report)
{
    if (access("/proc/driver/nvidia/version", F_OK) != 0)
        return;
    if (access("/run/nvidia-persistenced/socket", F_OK) == 0)
        report_add(report, FINDING_OK, "persistence", NULL, "NVIDIA's persistence daemon runs");
    else
        report_add(report, FINDING_ABSENT, "persistence",
                   "If opening a device takes seconds, start nvidia-persistenced, or run nvidia-smi -pm 1.",
                   "NVIDIA's persistence daemon is not seen here");
}

void check_limits_job(struct report *report, void *user)
{
    (void)user;
    report_begin(report, "looking at limits");
    check_processors(report);
    check_memory(report);
    check_locked(report);
    check_files(report);
    check_shared(report);
    check_nodes(report);
    check_persistence(report);
}
