/* Memory barriers of which one side pays for both.
 * SPDX-License-Identifier: MIT
 */
#include "base/barrier.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ThreadSanitizer starts a thread of its own, so under it no process counts as single-threaded; and it is to
 * check this code all the same. */
#if defined(__SANITIZE_THREAD__)
#define IS_SINGLE_THREADED true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_SINGLE_THREADED true
#endif
#endif
#if !defined(IS_SINGLE_THREADED) && defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define IS_SINGLE_THREADED (__libc_single_threaded != 0)
#endif
#endif
#ifndef IS_SINGLE_THREADED
#define IS_SINGLE_THREADED false
#endif

static bool call(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

/* The kernel refuses a barrier that the process has not registered for. */
bool base_barrier_is_supported(void)
{
    if (call(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        return true;
    return IS_SINGLE_THREADED && call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

/* A process that was told that barriers are supported may be told later, by a filter of system calls, to do
 * without, or be restored from a file without its registration. Where registering again does not help, the
 * time that processors need to write out their stores is waited for, many times over. */
void base_barrier_heavy(void)
{
    const struct timespec ms = {.tv_nsec = 1000000};
    if (call(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        return;
    if (call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && call(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        return;
    (void)nanosleep(&ms, NULL);
}
