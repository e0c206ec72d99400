/* Trireme: the pipelines of a run.
 *
 * work     a plan as a pipeline on the devices of a group
 * verify   the same plan on the cpu backend, and the comparison of both results
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_PIPELINE_PIPELINE_H
#define TRIREME_TOOLS_RUN_PIPELINE_PIPELINE_H

#include "tools/run/pipeline/verify.h"
#include "tools/run/pipeline/work.h"

#endif
