/* Trireme: the first failure of a run.
 * SPDX-License-Identifier: MIT
 */
#include "tools/output/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <trireme/status.h>

void fault_init(struct fault *fault)
{
    pthread_mutex_init(&fault->lock, NULL);
    fault->text[0] = '\0';
    fault->misuse  = false;
}

void fault_fini(struct fault *fault)
{
    pthread_mutex_destroy(&fault->lock);
}

static void set(struct fault *fault, bool misuse, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
static void set(struct fault *fault, bool misuse, const char *format, va_list arguments)
{
    pthread_mutex_lock(&fault->lock);
    if (fault->text[0] == '\0') {
        vsnprintf(fault->text, sizeof(fault->text), format, arguments);
        fault->misuse = misuse;
    }
    pthread_mutex_unlock(&fault->lock);
}

bool fault_set(struct fault *fault, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set(fault, false, format, arguments);
    va_end(arguments);
    return false;
}

bool fault_misuse(struct fault *fault, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set(fault, true, format, arguments);
    va_end(arguments);
    return false;
}

bool fault_library(struct fault *fault, const char *what)
{
    return fault_set(fault, "%s: %s", what, trm_last_error().sentence);
}

bool fault_is_set(struct fault *fault)
{
    bool set;

    pthread_mutex_lock(&fault->lock);
    set = fault->text[0] != '\0';
    pthread_mutex_unlock(&fault->lock);
    return set;
}
