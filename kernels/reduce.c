/* reduce for the cpu: the sum of the floats of each block, with the interface of shaders/reduce.comp.
 *
 * Each block has enough partial sums to hide the latency of an addition, which stay in registers. The order
 * of the additions is the same each time, and on all processors of the architecture.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <trireme/cpu_kernel.h>

#include "kernels/export.h"

#define GROUP 256u
#define BLOCK (GROUP * 16u)
#define WIDEST 16u /* floats of the widest vector: partial sums are those of this one with all */
#define ROWS 4u    /* of partial sums, which hide the latency of an addition */

#define LEVEL "kernels/reduce_level.h"
#include "kernels/levels.h"

struct arguments {
    struct trm_cpu_buffer source, partial;
    uint32_t count;
};

static int32_t reduce(const struct trm_cpu_groups *groups, const void *block)
{
    const struct arguments *arguments = block;
    const float *source               = arguments->source.data;
    float *partial                    = arguments->partial.data;

    for (uint64_t group = groups->begin; group < groups->end; group++) {
        uint32_t number = (uint32_t)(group % groups->groups[0]); /* groups in y and z repeat the work */
        uint64_t begin  = (uint64_t)number * BLOCK;
        uint64_t left   = begin < arguments->count ? arguments->count - begin : 0;
        partial[number] = BEST(sum_of)(source + begin, left < BLOCK ? (uint32_t)left : BLOCK);
    }
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "source", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_READ},
    {.name = "partial", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_WRITE},
    {.name = "count", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

EXPORT_KERNEL(.name = "reduce", .function = reduce, .group_size = {GROUP, 1, 1});
