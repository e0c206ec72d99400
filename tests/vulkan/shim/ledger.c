/* Keeps account of live objects and of breaches.
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define BUCKETS 4096u
#define SENTENCE_BYTES 256

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct shim_record *buckets[BUCKETS];
static uint64_t breach_count;
static char first_breach[SENTENCE_BYTES];

void shim_ledger_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void shim_ledger_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

static struct shim_record **bucket_of(uint64_t handle)
{
    return &buckets[(handle * UINT64_C(0x9e3779b97f4a7c15)) >> 52 & (BUCKETS - 1)];
}

/* The link to the object; a link to NULL if it is not alive. The caller holds the mutex. */
static struct shim_record **find(const char *kind, uint64_t handle)
{
    struct shim_record **link = bucket_of(handle);
    while (*link && ((*link)->handle != handle || strcmp((*link)->kind, kind) != 0))
        link = &(*link)->next;
    return link;
}

/* The caller holds the mutex. */
static void breach(const char *sentence)
{
    if (breach_count++ == 0)
        snprintf(first_breach, sizeof(first_breach), "%s", sentence);
    if (shim_config.strict) {
        fprintf(stderr, "vulkan shim: %s\n", sentence);
        abort();
    }
}

void shim_breach(const char *format, ...)
{
    char sentence[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&mutex);
    breach(sentence);
    pthread_mutex_unlock(&mutex);
}

void shim_made(const char *kind, uint64_t handle, uint64_t parent, uint64_t first, uint64_t second)
{
    struct shim_record *record = calloc(1, sizeof(*record));
    if (!record) {
        shim_breach("there is no memory for the shim's own records");
        return;
    }
    *record = (struct shim_record){
        .kind = kind, .handle = handle, .parent = parent, .first = first, .second = second};
    pthread_mutex_lock(&mutex);
    struct shim_record **bucket = bucket_of(handle);
    record->next                = *bucket;
    *bucket                     = record;
    pthread_mutex_unlock(&mutex);
}

/* An object that was created from `parent`; NULL: none. The caller holds the mutex. */
static struct shim_record **child_of(uint64_t parent)
{
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (struct shim_record **link = &buckets[i]; *link; link = &(*link)->next)
            if ((*link)->parent == parent)
                return link;
    return NULL;
}

static void unlink_record(struct shim_record **link)
{
    struct shim_record *record = *link;
    *link                      = record->next;
    free(record);
}

static bool may_have_children(const char *kind)
{
    return strcmp(kind, "VkInstance") == 0 || strcmp(kind, "VkDevice") == 0 ||
           strcmp(kind, "VkCommandPool") == 0 || strcmp(kind, "VkDescriptorPool") == 0;
}

static void end_children(const char *kind, uint64_t handle, bool with_children)
{
    char sentence[SENTENCE_BYTES];
    struct shim_record **child;
    while ((child = child_of(handle)) != NULL) {
        if (!with_children || (*child)->pending > 0) {
            snprintf(sentence, sizeof(sentence), "a %s was destroyed while a %s of it %s", kind,
                     (*child)->kind, with_children ? "was in use by work that was submitted" : "lived");
            breach(sentence);
        }
        unlink_record(child);
    }
}

void shim_ended(const char *kind, uint64_t handle, bool with_children)
{
    char sentence[SENTENCE_BYTES];
    pthread_mutex_lock(&mutex);
    struct shim_record **link = find(kind, handle);
    if (!*link) {
        snprintf(sentence, sizeof(sentence), "a %s was destroyed that did not live", kind);
        breach(sentence);
    } else {
        if ((*link)->pending > 0) {
            snprintf(sentence, sizeof(sentence), "a %s was destroyed while submitted work used it", kind);
            breach(sentence);
        }
        unlink_record(link);
        if (may_have_children(kind))
            end_children(kind, handle, with_children);
    }
    pthread_mutex_unlock(&mutex);
}

bool shim_known(const char *kind, uint64_t handle, struct shim_record *record)
{
    pthread_mutex_lock(&mutex);
    struct shim_record *found = *find(kind, handle);
    if (found)
        *record = *found;
    pthread_mutex_unlock(&mutex);
    return found != NULL;
}

void shim_pending(const char *kind, uint64_t handle, int change)
{
    pthread_mutex_lock(&mutex);
    struct shim_record *found = *find(kind, handle);
    if (found)
        found->pending += (uint32_t)change;
    pthread_mutex_unlock(&mutex);
}

void shim_set_second(const char *kind, uint64_t handle, uint64_t second)
{
    pthread_mutex_lock(&mutex);
    struct shim_record *found = *find(kind, handle);
    if (found)
        found->second = second;
    pthread_mutex_unlock(&mutex);
}

static uint64_t sum(const char *kind, uint64_t type, bool bytes)
{
    uint64_t total = 0;
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (const struct shim_record *record = buckets[i]; record; record = record->next)
            if (strcmp(record->kind, kind) == 0 && (type == UINT64_MAX || record->second == type))
                total += bytes ? record->first : 1;
    pthread_mutex_unlock(&mutex);
    return total;
}

uint64_t shim_allocated(uint64_t type)
{
    return sum("VkDeviceMemory", type, true);
}

uint64_t shim_living_of(const char *kind)
{
    return sum(kind, UINT64_MAX, false);
}

uint64_t shim_living(char *first, uint64_t capacity)
{
    uint64_t total = 0;
    if (capacity)
        *first = '\0';
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (const struct shim_record *record = buckets[i]; record; record = record->next)
            if (total++ == 0 && capacity)
                snprintf(first, capacity, "%s", record->kind);
    pthread_mutex_unlock(&mutex);
    return total;
}

uint64_t shim_breaches(char *first, uint64_t capacity)
{
    pthread_mutex_lock(&mutex);
    uint64_t count = breach_count;
    if (capacity)
        snprintf(first, capacity, "%s", first_breach);
    pthread_mutex_unlock(&mutex);
    return count;
}

void shim_forget_breaches(void)
{
    pthread_mutex_lock(&mutex);
    breach_count    = 0;
    first_breach[0] = '\0';
    pthread_mutex_unlock(&mutex);
}
