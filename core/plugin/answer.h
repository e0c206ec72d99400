/* The check of what a plugin's functions return.
 *
 * Each call of a slot that returns a status passes through core_answer(), on streams through
 * core_stream_commit(); tests/plugins/unchecked.sh looks for calls that do not. So the core and the program
 * see statuses of <trireme/status.h> only, whatever a plugin returns.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_ANSWER_H
#define CORE_PLUGIN_ANSWER_H

#include <string.h>

#include "base/base.h"
#include "core/plugin/registry.h"

/* Sets the last error, which names the slot; BACKEND. */
int32_t core_answer_refuse(const struct core_backend *backend, const char *slot, int32_t answer)
    __attribute__((cold));

/* What `slot` ("memory.allocate") of the backend has returned: a status as it is, any other number as
 * BACKEND. */
static inline int32_t core_answer(const struct core_backend *backend, const char *slot, int32_t answer)
{
    if (LIKELY(answer == TRM_OK) || base_status_is_known(answer))
        return answer;
    return core_answer_refuse(backend, slot, answer);
}

/* ABI: the slot returned TRM_OK but wrote no `what` ("a stream"). */
int32_t core_answer_refuse_nothing(const struct core_backend *backend, const char *slot, const char *what)
    __attribute__((cold));

/* core_answer() for a slot that creates an object. `object` points to the pointer that the slot writes, which
 * was NULL before; after a failure it is NULL again. */
static inline int32_t core_answer_object(const struct core_backend *backend, const char *slot, int32_t answer,
                                         const char *what, void *object)
{
    void *made     = NULL;
    int32_t status = core_answer(backend, slot, answer);
    if (LIKELY(status == TRM_OK)) {
        memcpy(&made, object, sizeof(made));
        return LIKELY(made != NULL) ? TRM_OK : core_answer_refuse_nothing(backend, slot, what);
    }
    memcpy(object, &made, sizeof(made));
    return status;
}

#endif
