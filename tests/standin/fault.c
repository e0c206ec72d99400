/* Calls are counted and made to fail; work is made to fail. The lock here is taken last of all.
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tests/standin/standin.h"

#define RULES_MOST 16

struct rule {
    char name[64]; /* of a function or a kind of work; "any" */
    bool on;       /* all that follow fail too */
    uint64_t nth, met;
    CUresult result;
};

struct rules {
    struct rule rules[RULES_MOST];
    uint32_t count;
};

#define STANDIN_NAME(symbol, name, version, fallible) {#symbol, #name, fallible},
static const struct {
    const char *symbol, *name;
    bool is_fallible;
} functions[STANDIN_FUNCTION_COUNT] = {STANDIN_FUNCTIONS(STANDIN_NAME)};
#undef STANDIN_NAME

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct rules call_rules, work_rules;
static uint64_t failed;
static const char *failed_first = "";
static atomic_uint_fast64_t calls[STANDIN_FUNCTION_COUNT];
static atomic_uint_fast64_t all_fallible;

const char *standin_function_name(enum standin_function function)
{
    return functions[function].symbol;
}

bool standin_is_sticky(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_EXTERNAL_DEVICE:
        return true;
    default:
        return false;
    }
}

static bool is_for_call(const struct rule *rule, enum standin_function function)
{
    if (strcmp(rule->name, "any") == 0)
        return functions[function].is_fallible;
    return strcmp(rule->name, functions[function].symbol) == 0 ||
           strcmp(rule->name, functions[function].name) == 0;
}

/* Counts what the rule is for. */
static bool is_met(struct rule *rule)
{
    rule->met++;
    return rule->on ? rule->met >= rule->nth : rule->met == rule->nth;
}

CUresult standin_count_call(enum standin_function function)
{
    CUresult result = CUDA_SUCCESS;

    atomic_fetch_add(&calls[function], 1);
    if (functions[function].is_fallible)
        atomic_fetch_add(&all_fallible, 1);
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < call_rules.count; i++) {
        struct rule *rule = &call_rules.rules[i];
        if (is_for_call(rule, function) && is_met(rule) && result == CUDA_SUCCESS)
            result = rule->result;
    }
    if (result != CUDA_SUCCESS && failed++ == 0)
        failed_first = functions[function].name;
    pthread_mutex_unlock(&mutex);
    return result;
}

CUresult standin_count_work(const char *kind)
{
    CUresult result = CUDA_SUCCESS;

    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < work_rules.count; i++) {
        struct rule *rule = &work_rules.rules[i];
        int is_for        = strcmp(rule->name, "any") == 0 || strcmp(rule->name, kind) == 0;
        if (is_for && is_met(rule) && result == CUDA_SUCCESS)
            result = rule->result;
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

/* ---- rules */

static bool error_of(const char *name, CUresult *result)
{
    for (int code = 0; code < 1000; code++) {
        const char *text = NULL;
        if (cuGetErrorName((CUresult)code, &text) == CUDA_SUCCESS && strcmp(text, name) == 0) {
            *result = (CUresult)code;
            return true;
        }
    }
    return false;
}

static bool is_function(const char *name)
{
    for (uint32_t i = 0; i < STANDIN_FUNCTION_COUNT; i++)
        if (strcmp(functions[i].symbol, name) == 0 || strcmp(functions[i].name, name) == 0)
            return true;
    return strcmp(name, "any") == 0;
}

static bool is_work(const char *name)
{
    static const char *const kinds[] = {"kernel", "copy", "fill", "host", "graph", "any"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i], name) == 0)
            return true;
    return false;
}

static int add(struct rules *rules, const struct rule *rule)
{
    int status = -1;

    pthread_mutex_lock(&mutex);
    if (rules->count < RULES_MOST) {
        rules->rules[rules->count++] = *rule;
        status                       = 0;
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

static void forget(struct rules *rules)
{
    pthread_mutex_lock(&mutex);
    rules->count = 0;
    if (rules == &call_rules) {
        failed       = 0;
        failed_first = "";
    }
    pthread_mutex_unlock(&mutex);
}

int standin_arm(const char *text)
{
    struct rule rule = {.met = 0};
    char how[8], error[64];
    unsigned long long nth;

    if (text == NULL) {
        forget(&call_rules);
        return 0;
    }
    if (sscanf(text, "%63[A-Za-z0-9_]:%llu:%7[a-z]:%63[A-Z_0-9]", rule.name, &nth, how, error) != 4 ||
        nth == 0)
        return -1;
    rule.nth = nth;
    rule.on  = strcmp(how, "on") == 0;
    if ((!rule.on && strcmp(how, "once") != 0) || !is_function(rule.name) || !error_of(error, &rule.result))
        return -1;
    return add(&call_rules, &rule);
}

int standin_fail_work(const char *text)
{
    struct rule rule = {.met = 0};
    char error[64];
    unsigned long long nth;

    if (text == NULL) {
        forget(&work_rules);
        return 0;
    }
    if (sscanf(text, "%63[a-z]:%llu:%63[A-Z_0-9]", rule.name, &nth, error) != 3 || nth == 0)
        return -1;
    rule.nth = nth;
    if (!is_work(rule.name) || !error_of(error, &rule.result))
        return -1;
    return add(&work_rules, &rule);
}

uint64_t standin_failures(void)
{
    pthread_mutex_lock(&mutex);
    uint64_t count = failed;
    pthread_mutex_unlock(&mutex);
    return count;
}

const char *standin_failed_function(void)
{
    pthread_mutex_lock(&mutex);
    const char *name = failed_first;
    pthread_mutex_unlock(&mutex);
    return name;
}

uint64_t standin_calls(const char *name)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < STANDIN_FUNCTION_COUNT; i++)
        if (strcmp(functions[i].symbol, name) == 0 || strcmp(functions[i].name, name) == 0)
            sum += atomic_load(&calls[i]);
    return sum;
}

uint64_t standin_fallible_calls(void)
{
    return atomic_load(&all_fallible);
}
