/* Names of the stages.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/report.h>

static const char *const names[TRM_STAGES] = {
    [TRM_STAGE_LOAD] = "load",         [TRM_STAGE_UPLOAD] = "upload", [TRM_STAGE_COMPUTE] = "compute",
    [TRM_STAGE_DOWNLOAD] = "download", [TRM_STAGE_SINK] = "sink",
};

const char *trm_stage_name(int32_t stage)
{
    return stage >= 0 && stage < TRM_STAGES ? names[stage] : "unknown";
}
