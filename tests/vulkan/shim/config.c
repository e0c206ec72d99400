/* The configuration, read from the environment.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

struct shim_config shim_config = {.api = UINT32_MAX};

/* The next item of a comma-separated list; false at the end. */
static bool next_item(const char **list, char *item, size_t capacity)
{
    size_t length = strcspn(*list, ",");
    if (!**list)
        return false;
    if (length >= capacity) {
        shim_breach("an item of a list is too long: %s", *list);
        return false;
    }
    memcpy(item, *list, length);
    item[length] = '\0';
    *list += length + ((*list)[length] == ',');
    return true;
}

static const char *given(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static void read_hidden(void)
{
    const char *list = given("VULKAN_SHIM_HIDE");
    while (shim_config.hidden_count < SHIM_HIDDEN_MOST &&
           next_item(&list, shim_config.hidden[shim_config.hidden_count], SHIM_NAME_BYTES))
        shim_config.hidden_count++;
}

static void read_api(void)
{
    const char *text = given("VULKAN_SHIM_API");
    unsigned major, minor;
    shim_config.api = UINT32_MAX;
    if (sscanf(text, "%u.%u", &major, &minor) == 2)
        shim_config.api = VK_MAKE_API_VERSION(0, major, minor, 0);
    else if (*text)
        shim_breach("VULKAN_SHIM_API is no version: %s", text);
}

static void read_limits(void)
{
    struct shim_limits *limits = &shim_config.limits;
    const struct {
        const char *name;
        uint64_t *value;
    } all[] = {
        {"maxStorageBufferRange", &limits->maxStorageBufferRange},
        {"maxPushConstantsSize", &limits->maxPushConstantsSize},
        {"maxMemoryAllocationCount", &limits->maxMemoryAllocationCount},
        {"maxComputeSharedMemorySize", &limits->maxComputeSharedMemorySize},
        {"maxPushDescriptors", &limits->maxPushDescriptors},
        {"maxMemoryAllocationSize", &limits->maxMemoryAllocationSize},
        {"heap", &limits->heap},
    };
    const char *list = given("VULKAN_SHIM_LIMITS");
    char item[128];
    while (next_item(&list, item, sizeof(item))) {
        char *value = strchr(item, '=');
        size_t i = 0, count = sizeof(all) / sizeof(all[0]);
        if (value)
            *value++ = '\0';
        while (i < count && strcmp(all[i].name, item) != 0)
            i++;
        if (value && i < count)
            *all[i].value = strtoull(value, NULL, 10);
        else
            shim_breach("VULKAN_SHIM_LIMITS has no %s", item);
    }
}

static VkQueueFlags flags_of(const char *kind)
{
    if (strcmp(kind, "graphics") == 0)
        return VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
    if (strcmp(kind, "compute") == 0)
        return VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
    return strcmp(kind, "transfer") == 0 ? VK_QUEUE_TRANSFER_BIT : 0;
}

static void read_families(void)
{
    const char *list = given("VULKAN_SHIM_FAMILIES");
    char item[64];
    while (shim_config.family_count < SHIM_FAMILIES_MOST && next_item(&list, item, sizeof(item))) {
        char kind[32]  = "";
        unsigned count = 1, bits = 64;
        int read                   = sscanf(item, "%31[a-z]:%u:%u", kind, &count, &bits);
        struct shim_family *family = &shim_config.families[shim_config.family_count];
        *family                    = (struct shim_family){flags_of(kind), count, bits};
        if (read < 1 || !family->flags || count == 0 || count > SHIM_QUEUES_MOST || bits > 64) {
            shim_breach("VULKAN_SHIM_FAMILIES cannot be read: %s", item);
            return;
        }
        shim_config.family_count++;
    }
}

static void read_memory(void)
{
    const char *text = given("VULKAN_SHIM_MEMORY");
    if (strcmp(text, "discrete") == 0)
        shim_config.memory = SHIM_MEMORY_DISCRETE;
    else if (strcmp(text, "bar") == 0)
        shim_config.memory = SHIM_MEMORY_BAR;
    else if (strcmp(text, "apart") == 0)
        shim_config.memory = SHIM_MEMORY_APART;
    else if (*text)
        shim_breach("VULKAN_SHIM_MEMORY is neither discrete nor bar nor apart: %s", text);
}

static void read_forked(void)
{
    static const char *const words[] = {"", "refuse", "abort", "hang", "hide"}; /* in the order of the enum */
    const char *text                 = given("VULKAN_SHIM_FORKED");
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i], text) == 0) {
            shim_config.forked = (enum shim_forked)i;
            return;
        }
    }
    shim_breach("VULKAN_SHIM_FORKED is none of refuse, abort, hang, hide: %s", text);
}

void shim_configure(void)
{
    memset(&shim_config, 0, sizeof(shim_config));
    shim_config.strict   = *given("VULKAN_SHIM_STRICT") == '1';
    shim_config.compares = *given("VULKAN_SHIM_COMPARES") == '1';
    shim_config.delay_us = (uint32_t)strtoul(given("VULKAN_SHIM_DELAY"), NULL, 10);
    shim_config.loads    = (uint32_t)strtoul(given("VULKAN_SHIM_LOADS"), NULL, 10);
    shim_config.driver   = (uint32_t)strtoul(given("VULKAN_SHIM_DRIVER"), NULL, 10);
    read_hidden();
    read_api();
    read_forked();
    read_limits();
    read_families();
    read_memory();
    shim_fault_configure();
}

bool shim_hides(const char *extension)
{
    for (uint32_t i = 0; i < shim_config.hidden_count; i++)
        if (strcmp(shim_config.hidden[i], extension) == 0)
            return true;
    return false;
}
