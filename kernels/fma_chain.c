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

#define GROUP 256u
#define LINKS 32
#define LANES 16u /* floats of the widest vector; compilers split it on narrower targets */
#define IN_FLIGHT 8u
#define STEP (IN_FLIGHT * LANES) /* floats that are processed at once */

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

/* One function for each level of x86-64; the dynamic linker picks the best. clang 14 does not support
 * this. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
#define LEVELS __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define LEVELS
#endif

struct arguments {
    struct trm_cpu_buffer source, target;
    float a, b;
    uint32_t count;
};

LEVELS static void chain(const float *source, float *target, uint64_t count, float a, float b)
{
    const vector factor = (vector){0} + a, term = (vector){0} + b;
    uint64_t i = 0;

    for (; i + STEP <= count; i += STEP) {
        const vector *from = (const vector *)(source + i);
        vector *to         = (vector *)(target + i);
        vector v0 = from[0], v1 = from[1], v2 = from[2], v3 = from[3];
        vector v4 = from[4], v5 = from[5], v6 = from[6], v7 = from[7];

        for (int link = 0; link < LINKS; link++) {
            v0 = v0 * factor + term;
            v1 = v1 * factor + term;
            v2 = v2 * factor + term;
            v3 = v3 * factor + term;
            v4 = v4 * factor + term;
            v5 = v5 * factor + term;
            v6 = v6 * factor + term;
            v7 = v7 * factor + term;
        }
        to[0] = v0;
        to[1] = v1;
        to[2] = v2;
        to[3] = v3;
        to[4] = v4;
        to[5] = v5;
        to[6] = v6;
        to[7] = v7;
    }
    for (; i < count; i++) {
        float v = source[i];

        for (int link = 0; link < LINKS; link++)
            v = v * a + b;
        target[i] = v;
    }
}

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
            chain(source + begin, target + begin, end - begin, arguments->a, arguments->b);
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

static const struct trm_cpu_kernel kernels[] = {
    {
        .name            = "fma_chain",
        .function        = fma_chain,
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
