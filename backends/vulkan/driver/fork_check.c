/* vulkan backend: tries the drivers in a process of its own before a forked child uses them.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/driver/fork_check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <trireme/backend.h>

#include "backends/vulkan/driver/objects.h"

/* Some drivers take most of a second to load and to open their devices. */
#define TRIAL_MS 10000

#define DEVICES_MOST 16u

/* What the trial process reports. A process that reports nothing has died. */
struct verdict {
    int32_t result;   /* of the last vkCreateDevice; VK_SUCCESS if any device could be created */
    uint32_t devices; /* number of devices that the driver listed */
};

/* Process ids; 0: none. The first to create an instance; the one where the trial succeeded, or failed. */
static _Atomic pid_t driver_user, works_in, fails_in;
static _Atomic pid_t writer;  /* the one thread of each process that writes fail_reason stores the pid here */
static char fail_reason[160]; /* complete before `fails_in` is set */

void vulkan_fork_note(void)
{
    pid_t none = 0;
    atomic_compare_exchange_strong(&driver_user, &none, getpid());
}

/* ---- the trial process ----------------------------------------------------------------------------- */

static VkResult open_one(const struct vulkan_instance_functions *vk, VkPhysicalDevice physical)
{
    const float priority                = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType                = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos    = &queue};
    VkDevice device;
    return vk->vkCreateDevice(physical, &info, NULL, &device);
}

/* Succeeds if any device can be created. */
static VkResult open_any(const struct vulkan_loader *loader, uint32_t *devices)
{
    const VkApplicationInfo application = {.sType      = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info     = {.sType            = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
    struct vulkan_instance_functions vk;
    VkPhysicalDevice physicals[DEVICES_MOST];
    uint32_t count = DEVICES_MOST;
    VkInstance instance;
    VkResult result = loader->vk.vkCreateInstance(&info, NULL, &instance);
    if (result < 0)
        return result;
    if (vulkan_load_instance(loader->get_proc, instance, &vk) != NULL)
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    result = vk.vkEnumeratePhysicalDevices(instance, &count, physicals);
    if (result < 0)
        return result;
    *devices = count;
    for (uint32_t i = 0; i < count; i++) {
        result = open_one(&vk, physicals[i]);
        if (result >= 0)
            return VK_SUCCESS;
    }
    return result;
}

/* The program must not notice that the trial dies: default handlers, no core file, no output. */
static void be_quiet(void)
{
    static const int fatal[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGALRM};
    struct sigaction action  = {.sa_handler = SIG_DFL};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
        sigaction(fatal[i], &action, NULL);
        sigaddset(&set, fatal[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    prctl(PR_SET_DUMPABLE, 0);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
}

static void try(const struct vulkan_loader *loader, int output)
{
    be_quiet();
    alarm(TRIAL_MS / 1000 + 1); /* ends the trial even if the parent has died */
    struct verdict verdict = {.devices = 0};
    verdict.result         = open_any(loader, &verdict.devices);
    ssize_t written        = write(output, &verdict, sizeof(verdict));
    _exit(written == (ssize_t)sizeof(verdict) ? 0 : 1);
}

/* ---- the process that waits for the trial ------------------------------------------------------------ */

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

enum outcome {
    REPORTED,
    DIED,
    TIMED_OUT
};

/* Waits for the verdict of the trial process. */
static enum outcome wait_for_verdict(int input, struct verdict *verdict)
{
    int64_t end = now_ms() + TRIAL_MS;
    for (int64_t left = TRIAL_MS; left > 0; left = end - now_ms()) {
        struct pollfd look = {.fd = input, .events = POLLIN};
        if (poll(&look, 1, (int)left) <= 0)
            continue;
        ssize_t got = read(input, verdict, sizeof(*verdict));
        if (got < 0 && errno == EINTR)
            continue;
        return got == (ssize_t)sizeof(*verdict) ? REPORTED : DIED;
    }
    return TIMED_OUT;
}

#define OF_A_CHILD "this process was forked from one that had used Vulkan, and here the driver "

static bool say(char *reason, uint64_t capacity, const char *how)
{
    snprintf(reason, capacity, OF_A_CHILD "%s", how);
    return false;
}

/* A lack of memory passes: the caller's own call will report it. */
static bool judge(const struct verdict *verdict, char *reason, uint64_t capacity)
{
    char how[80];
    if (verdict->result == VK_ERROR_OUT_OF_HOST_MEMORY || verdict->result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
        return true;
    if (verdict->result >= 0)
        return verdict->devices != 0 || say(reason, capacity, "lists no device");
    snprintf(how, sizeof(how), "refuses: %s", vulkan_result_name(verdict->result));
    return say(reason, capacity, how);
}

/* If the trial itself cannot be started, the driver gets the benefit of the doubt. */
static bool trial(const struct vulkan_loader *loader, char *reason, uint64_t capacity)
{
    struct verdict verdict = {.result = VK_SUCCESS, .devices = 1};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return true;
    pid_t child = fork();
    if (child == 0)
        try(loader, ends[1]);
    close(ends[1]);
    enum outcome outcome = child > 0 ? wait_for_verdict(ends[0], &verdict) : REPORTED;
    close(ends[0]);
    if (child > 0) {
        if (outcome != REPORTED)
            kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) /* the program may have reaped the child */
            continue;
    }
    if (outcome == TIMED_OUT)
        return say(reason, capacity, "hangs");
    if (outcome == DIED)
        return say(reason, capacity, "ends the process");
    return judge(&verdict, reason, capacity);
}

static void note(pid_t self, bool works, const char *reason)
{
    if (works) {
        atomic_store(&works_in, self);
        return;
    }
    pid_t before = atomic_load(&writer);
    if (before == self || !atomic_compare_exchange_strong(&writer, &before, self))
        return;
    snprintf(fail_reason, sizeof(fail_reason), "%s", reason);
    atomic_store(&fails_in, self);
}

const char *vulkan_fork_hint(void)
{
    pid_t used = atomic_load(&driver_user);
    return used != 0 && used != getpid() ? "; " OF_A_CHILD "may not work" : "";
}

int32_t vulkan_fork_check(const struct vulkan_loader *loader, char *reason, uint64_t capacity)
{
    pid_t self = getpid(), used = atomic_load(&driver_user);
    if (used == 0 || used == self || atomic_load(&works_in) == self)
        return TRM_OK;
    if (atomic_load(&fails_in) == self) {
        snprintf(reason, capacity, "%s", fail_reason);
        return TRM_ERROR_UNSUPPORTED;
    }
    bool works = trial(loader, reason, capacity);
    note(self, works, reason);
    return works ? TRM_OK : TRM_ERROR_UNSUPPORTED;
}
