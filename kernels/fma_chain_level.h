/* fma_chain for one width of vectors (levels.h).
 * SPDX-License-Identifier: MIT
 */

#define VECTOR NAME(vector)
#define STEP (8 * LANES) /* floats that are processed at once */

typedef float VECTOR __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

TARGET static void NAME(chain)(const float *source, float *target, uint64_t count, float a, float b)
{
    const VECTOR factor = (VECTOR){0} + a, term = (VECTOR){0} + b;
    uint64_t i = 0;

    for (; i + STEP <= count; i += STEP) {
        const VECTOR *from = (const VECTOR *)(source + i);
        VECTOR *to         = (VECTOR *)(target + i);
        VECTOR v0 = from[0], v1 = from[1], v2 = from[2], v3 = from[3];
        VECTOR v4 = from[4], v5 = from[5], v6 = from[6], v7 = from[7];

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

#undef VECTOR
#undef STEP
