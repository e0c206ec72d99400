/* The names of strategies, which reports print.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/pipeline.h>

const char *trm_strategy_name(int32_t strategy)
{
    static const char *const names[] = {
        [TRM_STRATEGY_AUTO]         = "auto",
        [TRM_STRATEGY_ROLE_STREAMS] = "role streams",
        [TRM_STRATEGY_SLOT_STREAMS] = "slot streams",
        [TRM_STRATEGY_SLOT_GRAPHS]  = "slot graphs",
        [TRM_STRATEGY_ZERO_COPY]    = "zero-copy",
        [TRM_STRATEGY_RESIDENT]     = "resident",
    };
    return strategy >= TRM_STRATEGY_AUTO && strategy <= TRM_STRATEGY_RESIDENT ? names[strategy] : "unknown";
}
