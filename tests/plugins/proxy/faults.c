/* The proxy: rules that make operations fail or slow, and the control that tests arm them through.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proxy.h"

enum proxy_rule_kind {
    PROXY_RULE_FAULT,
    PROXY_RULE_ASYNC_FAULT,
    PROXY_RULE_DELAY
};

struct proxy_rule {
    enum proxy_rule_kind kind;
    enum proxy_operation operation;
    uint64_t first; /* the call that it takes, counted from the first of all */
    int forever;    /* and all after it */
    int32_t status;
    uint64_t delay_us;
};

enum {
    PROXY_RULES = 32
};

static const char *const proxy_operation_names[PROXY_OPERATION_COUNT] = {
    [PROXY_PROBE]              = "probe",
    [PROXY_OPEN]               = "open",
    [PROXY_CLOSE]              = "close",
    [PROXY_DEVICE_COUNT]       = "device_count",
    [PROXY_GET_INFO]           = "get_info",
    [PROXY_DEVICE_OPEN]        = "device_open",
    [PROXY_DEVICE_CLOSE]       = "device_close",
    [PROXY_ALLOCATE]           = "allocate",
    [PROXY_FREE]               = "free",
    [PROXY_HOST_POINTER]       = "host_pointer",
    [PROXY_ADDRESS]            = "address",
    [PROXY_STREAM_CREATE]      = "stream_create",
    [PROXY_STREAM_DESTROY]     = "stream_destroy",
    [PROXY_COPY]               = "copy",
    [PROXY_LAUNCH]             = "launch",
    [PROXY_COPY_2D]            = "copy_2d",
    [PROXY_FILL]               = "fill",
    [PROXY_MARK]               = "mark",
    [PROXY_WAIT_STREAM]        = "wait_stream",
    [PROXY_GATE]               = "gate",
    [PROXY_OPEN_GATES]         = "open_gates",
    [PROXY_PREFETCH]           = "prefetch",
    [PROXY_FLUSH]              = "flush",
    [PROXY_QUERY]              = "query",
    [PROXY_WAIT]               = "wait",
    [PROXY_WAIT_ANY]           = "wait_any",
    [PROXY_NOTIFY]             = "notify",
    [PROXY_ABANDON]            = "abandon",
    [PROXY_SUPPORTS]           = "supports",
    [PROXY_LOAD]               = "load",
    [PROXY_UNLOAD]             = "unload",
    [PROXY_KERNEL]             = "kernel",
    [PROXY_KERNEL_NAME]        = "kernel_name",
    [PROXY_STAMP_CREATE]       = "stamp_create",
    [PROXY_STAMP_DESTROY]      = "stamp_destroy",
    [PROXY_STAMP_RECORD]       = "stamp_record",
    [PROXY_STAMP_READ]         = "stamp_read",
    [PROXY_POOL_ALLOCATE]      = "pool_allocate",
    [PROXY_POOL_FREE]          = "pool_free",
    [PROXY_POOL_TRIM]          = "pool_trim",
    [PROXY_POOL_SET_THRESHOLD] = "pool_set_threshold",
    [PROXY_POOL_STATISTICS]    = "pool_statistics",
    [PROXY_PEER_CAN_ACCESS]    = "peer_can_access",
    [PROXY_PEER_COPY]          = "peer_copy",
    [PROXY_GRAPH_CREATE]       = "graph_create",
    [PROXY_GRAPH_DESTROY]      = "graph_destroy",
    [PROXY_GRAPH_LAUNCH]       = "graph_launch",
    [PROXY_GRAPH_UPDATE]       = "graph_update",
    [PROXY_DEVICE_HANDLE]      = "device_handle",
    [PROXY_STREAM_HANDLE]      = "stream_handle",
    [PROXY_MEMORY_HANDLE]      = "memory_handle",
    [PROXY_ADOPT]              = "adopt",
    [PROXY_MEMORY_CREATE]      = "memory_create",
    [PROXY_MEMORY_EXPORT]      = "memory_export",
    [PROXY_MEMORY_IMPORT]      = "memory_import",
    [PROXY_SEMAPHORE_CREATE]   = "semaphore_create",
    [PROXY_SEMAPHORE_IMPORT]   = "semaphore_import",
    [PROXY_SEMAPHORE_EXPORT]   = "semaphore_export",
    [PROXY_SEMAPHORE_DESTROY]  = "semaphore_destroy",
    [PROXY_SEMAPHORE_VALUE]    = "semaphore_value",
    [PROXY_SEMAPHORE_WAIT]     = "semaphore_wait",
    [PROXY_SEMAPHORE_SIGNAL]   = "semaphore_signal",
    [PROXY_STREAM_ADOPT]       = "stream_adopt",
    [PROXY_MEMORY_ADOPT]       = "memory_adopt",
    [PROXY_HAND_OVER]          = "hand_over",
    [PROXY_EVENT_WAIT]         = "event_wait",
    [PROXY_EVENT_RECORD]       = "event_record",
    [PROXY_IPC_CREATE]         = "ipc_create",
    [PROXY_IPC_EXPORT]         = "ipc_export",
    [PROXY_IPC_OPEN]           = "ipc_open",
};

static pthread_mutex_t proxy_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the two below */
static struct proxy_rule proxy_rules[PROXY_RULES];
static uint32_t proxy_rule_count;

static _Atomic uint64_t proxy_calls[PROXY_OPERATION_COUNT];
static _Atomic uint32_t proxy_armed; /* proxy_rule_count, to be read without the lock */

/* ---- reading rules ---------------------------------------------------------------------------------- */

static int proxy_operation_find(const char *name, enum proxy_operation *operation)
{
    for (uint32_t i = 0; i < PROXY_OPERATION_COUNT; i++) {
        if (strcmp(proxy_operation_names[i], name) != 0)
            continue;
        *operation = (enum proxy_operation)i;
        return 1;
    }
    return 0;
}

/* One rule of a list, by the grammar of its kind. 0 when it is not one. */
static int proxy_rule_read(enum proxy_rule_kind kind, const char *text, struct proxy_rule *rule)
{
    char name[32] = "", often[8] = "once";
    unsigned long long number = 0;
    int status = 0, end = -1;

    if (kind == PROXY_RULE_FAULT)
        (void)sscanf(text, "%31[a-z_0-9]:%llu:%7[a-z]:%d%n", name, &number, often, &status, &end);
    else if (kind == PROXY_RULE_ASYNC_FAULT)
        (void)sscanf(text, "%31[a-z_0-9]:%llu:%d%n", name, &number, &status, &end);
    else
        (void)sscanf(text, "%31[a-z_0-9]:%llu%n", name, &number, &end);

    if (end < 0 || text[end] != '\0' || !proxy_operation_find(name, &rule->operation))
        return 0;
    if (kind != PROXY_RULE_DELAY && (number == 0 || status >= 0))
        return 0;
    if (strcmp(often, "once") != 0 && strcmp(often, "forever") != 0)
        return 0;
    rule->kind     = kind;
    rule->forever  = strcmp(often, "forever") == 0;
    rule->status   = status;
    rule->first    = atomic_load(&proxy_calls[rule->operation]) + number;
    rule->delay_us = number;
    return 1;
}

static int32_t proxy_rules_add(enum proxy_rule_kind kind, const char *list)
{
    char copy[1024], *rest = copy, *text;
    struct proxy_rule rule;
    int32_t status = TRM_OK;

    if (snprintf(copy, sizeof(copy), "%s", list) >= (int)sizeof(copy))
        return TRM_ERROR_INVALID_ARGUMENT;

    pthread_mutex_lock(&proxy_lock);
    while (status == TRM_OK && (text = strsep(&rest, ",")) != NULL) {
        if (proxy_rule_count < PROXY_RULES && proxy_rule_read(kind, text, &rule))
            proxy_rules[proxy_rule_count++] = rule;
        else
            status = TRM_ERROR_INVALID_ARGUMENT;
    }
    atomic_store(&proxy_armed, proxy_rule_count);
    pthread_mutex_unlock(&proxy_lock);
    return status;
}

static int32_t proxy_add_faults(const char *rules)
{
    return proxy_rules_add(PROXY_RULE_FAULT, rules);
}

static int32_t proxy_add_async_faults(const char *rules)
{
    return proxy_rules_add(PROXY_RULE_ASYNC_FAULT, rules);
}

static int32_t proxy_add_delays(const char *rules)
{
    return proxy_rules_add(PROXY_RULE_DELAY, rules);
}

static void proxy_disarm(void)
{
    pthread_mutex_lock(&proxy_lock);
    proxy_rule_count = 0;
    atomic_store(&proxy_armed, 0);
    pthread_mutex_unlock(&proxy_lock);
}

void proxy_faults_from_environment(void)
{
    const char *faults = getenv("PROXY_FAULT"), *async = getenv("PROXY_ASYNC_FAULT");
    const char *delays = getenv("PROXY_DELAY_US");

    proxy_disarm();
    if (faults != NULL && proxy_add_faults(faults) != TRM_OK)
        proxy_breach("PROXY_FAULT cannot be read.");
    if (async != NULL && proxy_add_async_faults(async) != TRM_OK)
        proxy_breach("PROXY_ASYNC_FAULT cannot be read.");
    if (delays != NULL && proxy_add_delays(delays) != TRM_OK)
        proxy_breach("PROXY_DELAY_US cannot be read.");
}

int proxy_list_has(const char *list, const char *word)
{
    size_t length = strlen(word);

    while (list != NULL && *list != '\0') {
        size_t here = strcspn(list, ",");

        if ((here == length && strncmp(list, word, length) == 0) ||
            (here == 3 && strncmp(list, "all", 3) == 0))
            return 1;
        list += here;
        list += *list == ',';
    }
    return 0;
}

/* ---- applying them ---------------------------------------------------------------------------------- */

static void proxy_sleep(uint64_t microseconds)
{
    struct timespec time = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};

    while (nanosleep(&time, &time) != 0)
        continue;
}

/* What the rules say about call number `call` of an operation, all kinds at once. */
static struct proxy_rule proxy_rules_apply(enum proxy_operation operation, uint64_t call, int32_t *async)
{
    struct proxy_rule verdict = {.status = TRM_OK};

    pthread_mutex_lock(&proxy_lock);
    for (uint32_t i = 0; i < proxy_rule_count; i++) {
        const struct proxy_rule *rule = &proxy_rules[i];
        int due                       = rule->forever ? call >= rule->first : call == rule->first;

        if (rule->operation != operation)
            continue;
        if (rule->kind == PROXY_RULE_DELAY)
            verdict.delay_us = rule->delay_us;
        else if (rule->kind == PROXY_RULE_FAULT && due)
            verdict.status = rule->status;
        else if (rule->kind == PROXY_RULE_ASYNC_FAULT && due && async != NULL)
            *async = rule->status;
    }
    pthread_mutex_unlock(&proxy_lock);
    return verdict;
}

int32_t proxy_begin(const struct trm_host *host, enum proxy_operation operation, int32_t *async)
{
    uint64_t call = atomic_fetch_add(&proxy_calls[operation], 1) + 1;
    struct proxy_rule verdict;
    char sentence[96];

    if (async != NULL)
        *async = TRM_OK;
    if (atomic_load(&proxy_armed) == 0)
        return TRM_OK;

    verdict = proxy_rules_apply(operation, call, async);
    if (verdict.delay_us != 0)
        proxy_sleep(verdict.delay_us);
    if (verdict.status == TRM_OK || host == NULL)
        return verdict.status;
    snprintf(sentence, sizeof(sentence), "The proxy makes call %llu of %s fail.", (unsigned long long)call,
             proxy_operation_names[operation]);
    return host->fail(host->context, verdict.status, (int64_t)call, sentence);
}

/* ---- the control ------------------------------------------------------------------------------------ */

static uint64_t proxy_count_calls(const char *name)
{
    enum proxy_operation operation;

    return proxy_operation_find(name, &operation) ? atomic_load(&proxy_calls[operation]) : UINT64_MAX;
}

const struct proxy_control proxy_control = {
    .struct_size = sizeof(proxy_control),
    .fault       = proxy_add_faults,
    .async_fault = proxy_add_async_faults,
    .delay       = proxy_add_delays,
    .disarm      = proxy_disarm,
    .calls       = proxy_count_calls,
    .created     = proxy_count_created,
    .destroyed   = proxy_count_destroyed,
    .breaches    = proxy_count_breaches,
};
