/* Does the driver under the backend work in the child of a process that has used it?
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/driver_fork.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <trireme/interop.h>
#include <unistd.h>

#include "tests/device/checks.h"

#define CHILD_SECONDS 20

/* ---- CUDA ---- */

/* A little of cuda.h, which is not there to build tests with. */
typedef int (*cu_init_fn)(unsigned flags);
typedef int (*cu_device_get_fn)(int *device, int ordinal);
typedef int (*cu_retain_fn)(void **context, int device);

static int cuda_try(const char *name)
{
    void *context = NULL;
    int device    = 0;
    (void)name;
    const char *path = getenv("TRIREME_CUDA_DRIVER");
    void *library    = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return DRIVER_REFUSES;
    cu_init_fn init       = (cu_init_fn)dlsym(library, "cuInit");
    cu_device_get_fn find = (cu_device_get_fn)dlsym(library, "cuDeviceGet");
    cu_retain_fn retain   = (cu_retain_fn)dlsym(library, "cuDevicePrimaryCtxRetain");
    if (!init || !find || !retain)
        return DRIVER_WORKS;
    return init(0) == 0 && find(&device, 0) == 0 && retain(&context, device) == 0 ? DRIVER_WORKS
                                                                                  : DRIVER_REFUSES;
}

/* ---- in a child ---- */

static void be_quiet(void)
{
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    prctl(PR_SET_DUMPABLE, 0);
    signal(SIGALRM, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    alarm(CHILD_SECONDS);
}

static const char *ask_child(int (*attempt)(const char *name), const char *name)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        be_quiet();
        _exit(attempt(name));
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? "in the child of a process that has used it the driver hangs"
                                           : "in the child of a process that has used it the driver crashes";
    return WEXITSTATUS(status) == DRIVER_WORKS
               ? NULL
               : "in the child of a process that has used it the driver refuses";
}

struct driver driver_of(struct trm_device *device)
{
    struct driver driver = {.attempt = NULL};
    uint64_t handle      = 0;
    size_t needed        = 0;
    ck_ok(trm_device_get_info(device, TRM_DEVICE_NAME, driver.name, sizeof(driver.name), &needed));
#ifdef CONFORMANCE_VULKAN
    if (trm_device_native(device, TRM_NATIVE_VULKAN_DEVICE, &handle) == TRM_OK)
        driver.attempt = driver_try_vulkan;
#endif
    if (trm_device_native(device, TRM_NATIVE_CUDA_DEVICE, &handle) == TRM_OK)
        driver.attempt = cuda_try;
    return driver;
}

const char *driver_refuses_child(const struct driver *driver)
{
    return driver->attempt ? ask_child(driver->attempt, driver->name) : NULL;
}
