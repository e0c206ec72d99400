/* sgemm for one width of vectors (levels.h).
 * SPDX-License-Identifier: MIT
 */

#define ROWS (REGISTERS == 32 ? 12 : 6) /* that are computed at once: two vectors each stay in registers */
#define WIDTH (2 * LANES)               /* columns that are computed at once */
#define VECTOR NAME(vector)

typedef float VECTOR __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

/* One block of the result, ROWS × WIDTH, for a slice of the common dimension: panels are packed so that both
 * are read from front to back. */
TARGET static inline void NAME(block)(uint32_t depth, const float *a, const float *b,
                                      float sums[ROWS * WIDTH])
{
    VECTOR sum[ROWS][2] = {{{0}}};

    for (uint32_t k = 0; k < depth; k++, a += ROWS, b += WIDTH) {
        VECTOR left = *(const VECTOR *)b, right = *(const VECTOR *)(b + LANES);
#pragma GCC unroll 16
        for (uint32_t row = 0; row < ROWS; row++) {
            sum[row][0] += a[row] * left;
            sum[row][1] += a[row] * right;
        }
    }
#pragma GCC unroll 16
    for (uint32_t row = 0; row < ROWS; row++) {
        *(VECTOR *)(sums + row * WIDTH)         = sum[row][0];
        *(VECTOR *)(sums + row * WIDTH + LANES) = sum[row][1];
    }
}

/* c = alpha × sums + scale × c, where it lies within the rectangle. */
TARGET static inline void NAME(store)(const struct problem *p, const struct rectangle *part, uint32_t row,
                                      uint32_t column, const float *sums, float scale)
{
    uint32_t rows    = part->row_end - row < ROWS ? part->row_end - row : ROWS;
    uint32_t columns = part->column_end - column < WIDTH ? part->column_end - column : WIDTH;

    for (uint32_t i = 0; i < rows; i++) {
        float *c         = p->c + (uint64_t)(row + i) * p->n + column;
        const float *sum = sums + (uint64_t)i * WIDTH;
        if (scale == 0) /* the old contents may be NaN */
            for (uint32_t j = 0; j < columns; j++)
                c[j] = p->alpha * sum[j];
        else
            for (uint32_t j = 0; j < columns; j++)
                c[j] = p->alpha * sum[j] + scale * c[j];
    }
}

/* A slice of ROWS rows, column after column; beyond the matrix zeros. */
TARGET static void NAME(pack_a)(const struct problem *p, uint32_t row, uint64_t k, uint32_t depth,
                                float *packed)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        if (row + i >= p->m) {
            for (uint32_t j = 0; j < depth; j++)
                packed[j * ROWS + i] = 0;
            continue;
        }
        const float *a = p->a + (uint64_t)(row + i) * p->k + k;
        for (uint32_t j = 0; j < depth; j++)
            packed[j * ROWS + i] = a[j];
    }
}

/* A slice of WIDTH columns, row after row; beyond the matrix zeros. */
TARGET static void NAME(pack_b)(const struct problem *p, uint32_t column, uint64_t k, uint32_t depth,
                                float *packed)
{
    uint32_t columns = p->n - column < WIDTH ? p->n - column : WIDTH;

    for (uint32_t j = 0; j < depth; j++, packed += WIDTH) {
        const float *b = p->b + (uint64_t)(k + j) * p->n + column;
        if (columns == WIDTH) {
            memcpy(packed, b, sizeof(float) * WIDTH);
            continue;
        }
        for (uint32_t i = 0; i < WIDTH; i++)
            packed[i] = i < columns ? b[i] : 0;
    }
}

TARGET static void NAME(multiply)(const struct problem *p, const struct rectangle *part, float *space)
{
    float *packed_a = space, *packed_b = space + ROWS_SPACE * DEPTH;
    float sums[ROWS * WIDTH] __attribute__((aligned(64)));

    for (uint64_t k = 0; k < p->k || k == 0; k += DEPTH) {
        uint32_t depth = p->k - k < DEPTH ? (uint32_t)(p->k - k) : DEPTH;
        for (uint32_t i = part->row; i < part->row_end; i += ROWS)
            NAME(pack_a)(p, i, k, depth, packed_a + (uint64_t)(i - part->row) * depth);
        for (uint32_t j = part->column; j < part->column_end; j += WIDTH) {
            NAME(pack_b)(p, j, k, depth, packed_b);
            for (uint32_t i = part->row; i < part->row_end; i += ROWS) {
                NAME(block)(depth, packed_a + (uint64_t)(i - part->row) * depth, packed_b, sums);
                NAME(store)(p, part, i, j, sums, k == 0 ? p->beta : 1);
            }
        }
    }
}

#undef VECTOR
#undef WIDTH
#undef ROWS
