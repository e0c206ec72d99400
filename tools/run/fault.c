/* Trireme: what went wrong first in a run.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <trireme/status.h>

void fault_init(struct fault *fault)
{
    pthread_mutex_init(&fault->lock, NULL);
    fault->text[0] = '\0';
}

void fault_fini(struct fault *fault)
{
    pthread_mutex_destroy(&fault->lock);
}

bool fault_set(struct fault *fault, const char *format, ...)
{
    va_list arguments;

    pthread_mutex_lock(&fault->lock);
    if (fault->text[0] == '\0') {
        va_start(arguments, format);
        vsnprintf(fault->text, sizeof(fault->text), format, arguments);
        va_end(arguments);
    }
    pthread_mutex_unlock(&fault->lock);
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
