/* reduce for one width of vectors (levels.h).
 * SPDX-License-Identifier: MIT
 */

#define VECTOR NAME(vector)
#define PARTS (WIDEST / LANES) /* vectors of a row of partial sums */

typedef float VECTOR __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

TARGET static float NAME(sum_of)(const float *source, uint32_t count)
{
    VECTOR sums[ROWS][PARTS] = {{{0}}};
    float sum                = 0;
    uint32_t i               = 0;

    for (; i + ROWS * WIDEST <= count; i += ROWS * WIDEST) {
        const VECTOR *from = (const VECTOR *)(source + i);
#pragma GCC unroll 16
        for (uint32_t part = 0; part < ROWS * PARTS; part++)
            sums[part / PARTS][part % PARTS] += from[part];
    }
#pragma GCC unroll 16
    for (uint32_t part = 0; part < PARTS; part++)
        sums[0][part] = (sums[0][part] + sums[1][part]) + (sums[2][part] + sums[3][part]);
    for (uint32_t k = 0; k < WIDEST; k++)
        sum += sums[0][k / LANES][k % LANES];
    for (; i < count; i++)
        sum += source[i];
    return sum;
}

#undef VECTOR
#undef PARTS
