/* Counts calls and makes them fail.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define ANY UINT32_MAX

struct rule {
    bool armed;
    bool on;           /* all later calls fail too */
    uint32_t function; /* ANY: all that can fail with this result */
    uint64_t nth;
    VkResult result;
};

#define SHIM_TEXT(name) #name,
static const char *const names[] = {SHIM_FUNCTIONS(SHIM_TEXT)};
#undef SHIM_TEXT

#define SHIM_IS(name) [SHIM_##name] = true,
static const bool fallible[SHIM_FUNCTION_COUNT] = {SHIM_GLOBAL_FUNCTIONS(SHIM_IS)
                                                       SHIM_FALLIBLE_FUNCTIONS(SHIM_IS)};
#undef SHIM_IS

/* Functions of a device, which can report its loss. */
static const bool losable[SHIM_FUNCTION_COUNT] = {
    [SHIM_vkQueueSubmit]                 = true,
    [SHIM_vkQueueWaitIdle]               = true,
    [SHIM_vkDeviceWaitIdle]              = true,
    [SHIM_vkWaitSemaphores]              = true,
    [SHIM_vkWaitSemaphoresKHR]           = true,
    [SHIM_vkGetSemaphoreCounterValue]    = true,
    [SHIM_vkGetSemaphoreCounterValueKHR] = true,
    [SHIM_vkGetQueryPoolResults]         = true,
    [SHIM_vkWaitForFences]               = true,
};

/* Functions without which no work ends: left out of "any" with "on". */
static const bool ends_work[SHIM_FUNCTION_COUNT] = {
    [SHIM_vkQueueWaitIdle]               = true,
    [SHIM_vkDeviceWaitIdle]              = true,
    [SHIM_vkWaitSemaphores]              = true,
    [SHIM_vkWaitSemaphoresKHR]           = true,
    [SHIM_vkGetSemaphoreCounterValue]    = true,
    [SHIM_vkGetSemaphoreCounterValueKHR] = true,
    [SHIM_vkSignalSemaphore]             = true,
    [SHIM_vkSignalSemaphoreKHR]          = true,
    [SHIM_vkWaitForFences]               = true,
};

static const struct {
    const char *name;
    VkResult result;
} results[] = {
    {"VK_ERROR_OUT_OF_HOST_MEMORY", VK_ERROR_OUT_OF_HOST_MEMORY},
    {"VK_ERROR_OUT_OF_DEVICE_MEMORY", VK_ERROR_OUT_OF_DEVICE_MEMORY},
    {"VK_ERROR_DEVICE_LOST", VK_ERROR_DEVICE_LOST},
    {"VK_ERROR_TOO_MANY_OBJECTS", VK_ERROR_TOO_MANY_OBJECTS},
    {"VK_ERROR_INITIALIZATION_FAILED", VK_ERROR_INITIALIZATION_FAILED},
    {"VK_ERROR_INCOMPATIBLE_DRIVER", VK_ERROR_INCOMPATIBLE_DRIVER},
    {"VK_ERROR_MEMORY_MAP_FAILED", VK_ERROR_MEMORY_MAP_FAILED},
    {"VK_ERROR_UNKNOWN", VK_ERROR_UNKNOWN},
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects the rule and its counts */
static struct rule rule;
static uint64_t met, failed;
static enum shim_function failed_first;
static atomic_uint_fast64_t calls[SHIM_FUNCTION_COUNT];
static atomic_uint_fast64_t all_fallible;

void shim_fault_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void shim_fault_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

static bool rule_met(enum shim_function function)
{
    if (!rule.armed || !fallible[function])
        return false;
    if (rule.function != ANY && rule.function != (uint32_t)function)
        return false;
    if (rule.result == VK_ERROR_DEVICE_LOST && !losable[function])
        return false;
    if (rule.function == ANY && rule.on && ends_work[function])
        return false;
    met++;
    return rule.on ? met >= rule.nth : met == rule.nth;
}

VkResult shim_call(enum shim_function function)
{
    VkResult result = VK_SUCCESS;
    atomic_fetch_add(&calls[function], 1);
    if (!fallible[function])
        return VK_SUCCESS;
    atomic_fetch_add(&all_fallible, 1);
    pthread_mutex_lock(&mutex);
    if (rule_met(function)) {
        result = rule.result;
        if (failed++ == 0)
            failed_first = function;
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

VkResult shim_call_device(enum shim_function function, struct shim_device *device)
{
    if (shim_device_is_lost(device)) {
        atomic_fetch_add(&calls[function], 1);
        return VK_ERROR_DEVICE_LOST;
    }
    VkResult result = shim_call(function);
    if (result == VK_ERROR_DEVICE_LOST)
        shim_device_lose(device);
    return result;
}

/* ---- rules ------------------------------------------------------------------------------------- */

/* SHIM_FUNCTION_COUNT: no such function. */
static uint32_t find_function(const char *name)
{
    uint32_t i = 0;
    while (i < SHIM_FUNCTION_COUNT && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static int function_of(const char *name, uint32_t *function)
{
    *function = strcmp(name, "any") == 0 ? ANY : find_function(name);
    if (*function == ANY)
        return 0;
    return *function < SHIM_FUNCTION_COUNT && fallible[*function] ? 0 : -1;
}

static int result_of(const char *name, VkResult *result)
{
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        if (strcmp(results[i].name, name) == 0) {
            *result = results[i].result;
            return 0;
        }
    }
    return -1;
}

static int rule_read(const char *text, struct rule *read)
{
    char function[64], how[8], result[48];
    unsigned long long nth;
    if (sscanf(text, "%63[A-Za-z0-9]:%llu:%7[a-z]:%47[A-Z_]", function, &nth, how, result) != 4 || nth == 0)
        return -1;
    *read = (struct rule){.armed = true, .on = strcmp(how, "on") == 0, .nth = nth};
    if (!read->on && strcmp(how, "once") != 0)
        return -1;
    return function_of(function, &read->function) || result_of(result, &read->result) ? -1 : 0;
}

static int arm(const char *text)
{
    struct rule read = {.armed = false};
    if (text && rule_read(text, &read) != 0)
        return -1;
    pthread_mutex_lock(&mutex);
    rule = read;
    met = failed = 0;
    pthread_mutex_unlock(&mutex);
    return 0;
}

void shim_fault_configure(void)
{
    const char *text = getenv("VULKAN_SHIM_FAIL");
    if (text && *text && arm(text) != 0)
        shim_breach("VULKAN_SHIM_FAIL cannot be read: %s", text);
}

/* ---- the control ------------------------------------------------------------------------------- */

static uint64_t failures(void)
{
    pthread_mutex_lock(&mutex);
    uint64_t count = failed;
    pthread_mutex_unlock(&mutex);
    return count;
}

static const char *failed_function(void)
{
    pthread_mutex_lock(&mutex);
    const char *name = failed ? names[failed_first] : "";
    pthread_mutex_unlock(&mutex);
    return name;
}

static uint64_t calls_of(const char *function)
{
    uint32_t i = find_function(function);
    return i < SHIM_FUNCTION_COUNT ? atomic_load(&calls[i]) : 0;
}

static uint64_t fallible_calls(void)
{
    return atomic_load(&all_fallible);
}

static uint64_t memory(void)
{
    return shim_allocated(UINT64_MAX);
}

extern __attribute__((visibility("default"))) const struct vulkan_shim_control vulkan_shim_control;

const struct vulkan_shim_control vulkan_shim_control = {
    .arm             = arm,
    .failures        = failures,
    .failed_function = failed_function,
    .calls           = calls_of,
    .fallible_calls  = fallible_calls,
    .living          = shim_living,
    .memory          = memory,
    .breaches        = shim_breaches,
    .forget_breaches = shim_forget_breaches,
    .strangers       = shim_strangers,
};
