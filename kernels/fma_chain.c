/* fma_chain for the cpu, with the interface of shaders/fma_chain.comp and its default number of multiply-adds
 * for each element.
 *
 * Each step depends on the previous one and has a latency of four or more cycles, while a core can start two
 * steps in each cycle. So several vectors are processed side by side, more than out-of-order execution finds
 * by itself.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <trireme/cpu_kernel.h>

#include "kernels/export.h"

#define GROUP 256u
#define LINKS 32

#define LEVEL "kernels/fma_chain_level.h"
#include "kernels/levels.h"

struct arguments {
    struct trm_cpu_buffer source, target;
    float a, b;
    uint32_t count;
};

static int32_t fma_chain(const struct trm_cpu_groups *groups, const void *block)
{
    const struct arguments *arguments = block;
    const float *source               = arguments->source.data;
    float *target                     = arguments->target.data;

    for (uint64_t group = groups->begin; group < groups->end;) {
        uint64_t number = group % groups->groups[0]; /* groups in y and z repeat the work */
        uint64_t run    = groups->groups[0] - number;
        uint64_t begin  = number * GROUP, end;

        run = run < groups->end - group ? run : groups->end - group;
        end = begin + run * GROUP < arguments->count ? begin + run * GROUP : arguments->count;
        if (begin < end)
            BEST(chain)(source + begin, target + begin, end - begin, arguments->a, arguments->b);
        group += run;
    }
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "source", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_READ},
    {.name = "target", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_WRITE},
    {.name = "a", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32},
    {.name = "b", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32},
    {.name = "count", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

EXPORT_KERNEL(.name = "fma_chain", .function = fma_chain, .group_size = {GROUP, 1, 1});
