/* What lives, under handles that are never used again; and which rules were broken.
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/standin/standin.h"

#define BUCKETS 4096u
#define FIRST_HANDLE (UINT64_C(1) << 44) /* no address of anything */
#define SENTENCE_BYTES 256

static const char *const names[OBJECT_KIND_COUNT] = {
    [OBJECT_CONTEXT]            = "CUcontext",
    [OBJECT_STREAM]             = "CUstream",
    [OBJECT_EVENT]              = "CUevent",
    [OBJECT_MODULE]             = "CUmodule",
    [OBJECT_FUNCTION]           = "CUfunction",
    [OBJECT_GRAPH]              = "CUgraph",
    [OBJECT_NODE]               = "CUgraphNode",
    [OBJECT_GRAPH_EXECUTABLE]   = "CUgraphExec",
    [OBJECT_POOL]               = "CUmemoryPool",
    [OBJECT_MEMORY_HANDLE]      = "CUmemGenericAllocationHandle",
    [OBJECT_EXTERNAL_MEMORY]    = "CUexternalMemory",
    [OBJECT_EXTERNAL_SEMAPHORE] = "CUexternalSemaphore",
    [OBJECT_TEXTURE]            = "CUtexObject",
};

static struct object *buckets[BUCKETS];
static uint64_t handle_count;
static uint64_t counts[OBJECT_KIND_COUNT];

static struct object **bucket_of(uint64_t handle)
{
    return &buckets[handle / 64 % BUCKETS];
}

void object_begin(struct object *object, enum object_kind kind, struct context *context)
{
    uint64_t handle       = FIRST_HANDLE + 64 * ++handle_count;
    struct object **first = bucket_of(handle);

    *object = (struct object){.kind = kind, .handle = handle, .context = context, .next = *first};
    *first  = object;
    counts[kind]++;
}

void object_end(struct object *object)
{
    struct object **link = bucket_of(object->handle);

    while (*link != NULL && *link != object)
        link = &(*link)->next;
    if (*link == NULL)
        return;
    *link = object->next;
    counts[object->kind]--;
}

void *object_find_quietly(enum object_kind kind, const void *handle)
{
    uint64_t number       = (uint64_t)(uintptr_t)handle;
    struct object *object = *bucket_of(number);

    while (object != NULL && (object->handle != number || object->kind != kind))
        object = object->next;
    return object;
}

void *object_find(enum object_kind kind, const void *handle)
{
    void *object = object_find_quietly(kind, handle);

    if (object == NULL)
        standin_breach("a call was given a %s that does not live", names[kind]);
    return object;
}

struct object *object_of_context(enum object_kind kind, const struct context *context)
{
    if (counts[kind] == 0)
        return NULL;
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (struct object *object = buckets[i]; object != NULL; object = object->next)
            if (object->kind == kind && object->context == context)
                return object;
    return NULL;
}

uint64_t object_count(enum object_kind kind)
{
    return counts[kind];
}

/* ---- breaches; their own lock, as they are found with and without the other one */

static pthread_mutex_t breach_mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t breach_count;
static char first_breach[SENTENCE_BYTES];

void standin_breach(const char *format, ...)
{
    char sentence[SENTENCE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&breach_mutex);
    if (breach_count++ == 0)
        snprintf(first_breach, sizeof(first_breach), "%s", sentence);
    pthread_mutex_unlock(&breach_mutex);
    if (standin_config.strict) {
        fprintf(stderr, "the stand-in for CUDA: %s\n", sentence);
        abort();
    }
}

uint64_t standin_breaches(char *first, uint64_t capacity)
{
    pthread_mutex_lock(&breach_mutex);
    uint64_t count = breach_count;
    if (capacity != 0)
        snprintf(first, capacity, "%s", first_breach);
    pthread_mutex_unlock(&breach_mutex);
    return count;
}

void standin_forget_breaches(void)
{
    pthread_mutex_lock(&breach_mutex);
    breach_count    = 0;
    first_breach[0] = '\0';
    pthread_mutex_unlock(&breach_mutex);
}
