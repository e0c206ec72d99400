/* Refuses what a plugin's function returned against the contract.
 * SPDX-License-Identifier: MIT
 */
#include "core/plugin/answer.h"

#include <inttypes.h>

int32_t core_answer_refuse(const struct core_backend *backend, const char *slot, int32_t answer)
{
    return base_fail(TRM_ERROR_BACKEND,
                     "%s() of the backend %s returned %" PRId32
                     ", which is no status of <trireme/status.h>: report this to the author of the backend",
                     slot, backend->name, answer);
}

int32_t core_answer_refuse_nothing(const struct core_backend *backend, const char *slot, const char *what)
{
    return base_fail(TRM_ERROR_ABI,
                     "%s() of the backend %s returned TRM_OK, but no %s: report this to the author of the "
                     "backend",
                     slot, backend->name, what);
}
