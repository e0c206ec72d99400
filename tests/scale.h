/* How much of a test there is time for.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_SCALE_H
#define TESTS_SCALE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Is this a build with a sanitizer? It takes many times as long, and bears no threads in the child of a fork. */
static inline bool sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
    return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
    return false;
#endif
}

/* Is a variable of the environment set, and not to 0? */
static inline bool is_asked_for(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && strcmp(value, "0") != 0;
}

/* `quick` under CONFORMANCE_QUICK=1 and with a sanitizer: fewer rounds do. */
static inline unsigned scaled(unsigned full, unsigned quick)
{
    return is_asked_for("CONFORMANCE_QUICK") || sanitized() ? quick : full;
}

#endif
