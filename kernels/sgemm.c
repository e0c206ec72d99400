/* sgemm for the cpu: C = alpha A B + beta C, with the interface of shaders/sgemm.comp, whose work-groups
 * compute tiles of 64 × 64.
 *
 * The algorithm is that of K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication",
 * ACM TOMS 34 (2008): slices of both operands are packed in the order in which they are read, and a small
 * block of the result stays in registers for a whole slice. The tiles of a call are processed in rectangles,
 * so that packed slices are reused.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <string.h>
#include <trireme/cpu_kernel.h>

#include "kernels/export.h"

#define TILE 64u       /* rows and columns of a group's tile */
#define DEPTH 256u     /* of the slices: one of B, twice as wide as a vector, fits in the L1 cache */
#define ROWS_MOST 512u /* of a rectangle: its slice of A fits in the L2 cache */
#define ROWS_SPACE (ROWS_MOST + 16)
#define WIDTH_MOST 32
#define SCRATCH_FLOATS (ROWS_SPACE * DEPTH + DEPTH * WIDTH_MOST)

/* The least number of tiles for a thread; with fewer, packing B costs too much. */
#define GRAIN 64

struct arguments {
    struct trm_cpu_buffer a, b, c;
    uint32_t m, n, k;
    float alpha, beta;
};

struct problem {
    const float *a, *b;
    float *c;
    uint32_t m, n, k;
    float alpha, beta;
};

/* Rows and columns of C, without the ends. */
struct rectangle {
    uint32_t row, row_end;
    uint32_t column, column_end;
};

typedef void (*multiply_fn)(const struct problem *p, const struct rectangle *part, float *space);

#define LEVEL "kernels/sgemm_block.h"
#include "kernels/levels.h"

static uint32_t least(uint64_t x, uint64_t y)
{
    return (uint32_t)(x < y ? x : y);
}

/* The largest rectangle of tiles that begins with tile `begin` and has none from `end` on. Returns how many
 * tiles it has. */
static uint64_t take(const struct problem *p, uint64_t begin, uint64_t end, uint32_t across,
                     struct rectangle *part)
{
    uint64_t x = begin % across, y = begin / across;
    uint64_t columns = across - x, rows = 1;

    if (end - begin < columns)
        columns = end - begin;
    if (columns == across)
        rows = least((end - begin) / across, ROWS_MOST / TILE);
    part->row        = least(y * TILE, p->m);
    part->row_end    = least((y + rows) * TILE, p->m);
    part->column     = least(x * TILE, p->n);
    part->column_end = least((x + columns) * TILE, p->n);
    return rows * columns;
}

static int32_t sgemm(const struct trm_cpu_groups *groups, const void *block)
{
    const struct arguments *arguments = block;
    struct problem p                  = {
                         .a     = arguments->a.data,
                         .b     = arguments->b.data,
                         .c     = arguments->c.data,
                         .m     = arguments->m,
                         .n     = arguments->n,
                         .k     = arguments->k,
                         .alpha = arguments->alpha,
                         .beta  = arguments->beta,
    };
    multiply_fn multiply = BEST(multiply);
    uint64_t plane       = (uint64_t)groups->groups[0] * groups->groups[1];
    uint64_t end         = groups->end < plane ? groups->end : plane; /* groups in z would repeat the work */
    struct rectangle part;

    for (uint64_t tile = groups->begin; tile < end;) {
        tile += take(&p, tile, end, groups->groups[0], &part);
        multiply(&p, &part, groups->scratch);
    }
    return 0;
}

#define BUFFER(name_, access_)                                                                   \
    {                                                                                            \
        .name = (name_), .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = (access_) \
    }
#define SCALAR(name_, type_)                                           \
    {                                                                  \
        .name = (name_), .kind = TRM_PARAMETER_SCALAR, .type = (type_) \
    }

static const struct trm_parameter parameters[] = {
    BUFFER("a", TRM_ACCESS_READ),
    BUFFER("b", TRM_ACCESS_READ),
    BUFFER("c", TRM_ACCESS_READ | TRM_ACCESS_WRITE),
    SCALAR("m", TRM_TYPE_U32),
    SCALAR("n", TRM_TYPE_U32),
    SCALAR("k", TRM_TYPE_U32),
    SCALAR("alpha", TRM_TYPE_F32),
    SCALAR("beta", TRM_TYPE_F32),
};

EXPORT_KERNEL(.name = "sgemm", .function = sgemm, .group_size = {16, 16, 1}, .grain = GRAIN,
              .scratch_bytes = SCRATCH_FLOATS * sizeof(float));
