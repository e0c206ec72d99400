/* reduce for the cpu: the sum of the floats of each block, with the interface of shaders/reduce.comp.
 *
 * Each block has enough partial sums to hide the latency of an addition, which stay in registers. The order
 * of the additions is the same each time.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <trireme/cpu_kernel.h>

#define GROUP 256u
#define BLOCK (GROUP * 16u)
#define LANES 16u        /* floats of the widest vector; compilers split it on narrower targets */
#define STEP (4 * LANES) /* floats that are read at once */

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

/* One function for each level of x86-64; the dynamic linker picks the best. clang 14 does not support
 * this. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
#define LEVELS __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define LEVELS
#endif

struct arguments {
    struct trm_cpu_buffer source, partial;
    uint32_t count;
};

LEVELS static float sum_of(const float *source, uint32_t count)
{
    vector a = {0}, b = {0}, c = {0}, d = {0};
    float sum  = 0;
    uint32_t i = 0;

    for (; i + STEP <= count; i += STEP) {
        const vector *from = (const vector *)(source + i);
        a += from[0];
        b += from[1];
        c += from[2];
        d += from[3];
    }
    a = (a + b) + (c + d);
    for (uint32_t k = 0; k < LANES; k++)
        sum += a[k];
    for (; i < count; i++)
        sum += source[i];
    return sum;
}

static int32_t reduce(const struct trm_cpu_groups *groups, const void *block)
{
    const struct arguments *arguments = block;
    const float *source               = arguments->source.data;
    float *partial                    = arguments->partial.data;

    for (uint64_t group = groups->begin; group < groups->end; group++) {
        uint32_t number = (uint32_t)(group % groups->groups[0]); /* groups in y and z repeat the work */
        uint64_t begin  = (uint64_t)number * BLOCK;
        uint64_t left   = begin < arguments->count ? arguments->count - begin : 0;
        partial[number] = sum_of(source + begin, left < BLOCK ? (uint32_t)left : BLOCK);
    }
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "source", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_READ},
    {.name = "partial", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_WRITE},
    {.name = "count", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

static const struct trm_cpu_kernel kernels[] = {
    {
        .name            = "reduce",
        .function        = reduce,
        .parameters      = parameters,
        .parameter_count = sizeof(parameters) / sizeof(parameters[0]),
        .group_size      = {GROUP, 1, 1},
    },
};

TRM_API extern const struct trm_cpu_kernel_table trm_cpu_kernels_v1;
const struct trm_cpu_kernel_table trm_cpu_kernels_v1 = {
    .struct_size = sizeof(trm_cpu_kernels_v1),
    .kernel_size = sizeof(struct trm_cpu_kernel),
    .count       = sizeof(kernels) / sizeof(kernels[0]),
    .kernels     = kernels,
};
