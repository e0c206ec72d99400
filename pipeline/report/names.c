/* The names of stages and strategies, which reports print.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/report.h>

const char *trm_stage_name(int32_t stage)
{
    static const char *const names[TRM_STAGES] = {
        [TRM_STAGE_LOAD] = "load",         [TRM_STAGE_UPLOAD] = "upload", [TRM_STAGE_COMPUTE] = "compute",
        [TRM_STAGE_DOWNLOAD] = "download", [TRM_STAGE_SINK] = "sink",
    };
    return stage >= 0 && stage < TRM_STAGES ? names[stage] : "unknown";
}

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
