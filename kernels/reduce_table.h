/* A reduce_table kernel for the cpu, with the interface of shaders/common/reduce_table.glsl.
 *
 * Before it: KERNEL, the name; ELEMENT, VALUE, LOAD, STORE and IS_NAN as for the shader; ADD(x, y), a sum
 * that wraps around where it is one of integers. The sums of few sources are made in one loop; else the
 * elements of a row are combined in blocks that stay in the nearest cache, source by source, so that each
 * loop is vectorised.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/cpu_kernel.h>

#include "kernels/export.h"
#include "kernels/table_row.h"

#define BLOCK 1024u
#define TEXT(x) #x
#define NAME_OF(x) TEXT(x)

/* The code is compiled for several levels of the architecture; the best one runs. Not for x86-64-v4: gcc
 * makes vectors of 64 bytes there, as it does not for the reduce_spans kernels, and 20 spans of 64 KiB took
 * 1.05 times as long. Memory is the limit. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12
#define CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define CLONES
#endif

struct arguments {
    struct trm_cpu_buffer table;
    uint32_t rows, sources, targets, operation, divisor;
};

/* Elements of a buffer, which the shader takes as they stand in memory. */
typedef ELEMENT element __attribute__((may_alias));

/* Span k of a row, the sources first. */
#define SPAN(k) ((element *)(void *)pointer_at(row + 2 + 2 * (uint64_t)(k)) + begin)

/* A span that is read and written is the same span, so no iteration needs what another one writes. (Clang
 * says so where a sanitizer's checks leave it no vectors.) */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Sums of 2 to 4 sources to 1 to 4 targets; these are constants where the function is called. */
static inline __attribute__((always_inline)) void sum(const struct arguments *arguments, const uint32_t *row,
                                                      uint64_t begin, uint64_t count, uint32_t sources,
                                                      uint32_t targets)
{
    const element *a = SPAN(0), *b = SPAN(1), *c = SPAN(sources > 2 ? 2 : 0), *d = SPAN(sources > 3 ? 3 : 0);
    element *s = SPAN(sources), *t = SPAN(sources + (targets > 1));
    element *u      = SPAN(sources + (targets > 2 ? 2 : 0));
    element *v      = SPAN(sources + (targets > 3 ? 3 : 0));
    VALUE divisor   = (VALUE)arguments->divisor;
    bool is_divided = arguments->divisor > 1;

    INDEPENDENT
    for (uint64_t i = 0; i < count; i++) {
        VALUE value = ADD(LOAD(a[i]), LOAD(b[i]));
        if (sources > 2)
            value = ADD(value, LOAD(c[i]));
        if (sources > 3)
            value = ADD(value, LOAD(d[i]));
        if (is_divided)
            value = value / divisor;
        s[i] = STORE(value);
        if (targets > 1)
            t[i] = STORE(value);
        if (targets > 2)
            u[i] = STORE(value);
        if (targets > 3)
            v[i] = STORE(value);
    }
}

/* Combines values with those of a source. */
static inline __attribute__((always_inline)) void combine(VALUE *values, const element *source,
                                                          uint64_t count, uint32_t operation)
{
    if (operation == 0) {
        for (uint64_t i = 0; i < count; i++)
            values[i] = ADD(values[i], LOAD(source[i]));
    } else if (operation == 1) {
        for (uint64_t i = 0; i < count; i++) {
            VALUE x = values[i], y = LOAD(source[i]);
            values[i] = IS_NAN(x) || x < y ? x : y;
        }
    } else {
        for (uint64_t i = 0; i < count; i++) {
            VALUE x = values[i], y = LOAD(source[i]);
            values[i] = IS_NAN(x) || x > y ? x : y;
        }
    }
}

/* Anything else. Reads all sources of a block before it writes a target. */
static inline __attribute__((always_inline)) void run_any(const struct arguments *arguments,
                                                          const uint32_t *row, uint64_t begin, uint64_t count)
{
    VALUE values[BLOCK];
    uint32_t sources     = arguments->sources;
    const element *first = SPAN(0);

    for (uint64_t i = 0; i < count; i++)
        values[i] = LOAD(first[i]);
    for (uint32_t k = 1; k < sources; k++) {
        if (k >= 4 && (k - 4) % 3 == 0)
            for (uint64_t i = 0; i < count; i++) {
                element rounded = STORE(values[i]);
                values[i]       = LOAD(rounded);
            }
        combine(values, SPAN(k), count, arguments->operation);
    }
    if (arguments->divisor > 1)
        for (uint64_t i = 0; i < count; i++)
            values[i] = values[i] / (VALUE)arguments->divisor;
    for (uint32_t k = 0; k < arguments->targets; k++) {
        element *target = SPAN(sources + k);
        for (uint64_t i = 0; i < count; i++)
            target[i] = STORE(values[i]);
    }
}

CLONES static void run_block(const struct arguments *arguments, const uint32_t *row, uint64_t begin,
                             uint64_t count)
{
    uint32_t shape = arguments->operation == 0 ? 10 * arguments->sources + arguments->targets : 0;

    switch (shape) {
    case 21:
        sum(arguments, row, begin, count, 2, 1);
        break;
    case 22:
        sum(arguments, row, begin, count, 2, 2);
        break;
    case 31:
        sum(arguments, row, begin, count, 3, 1);
        break;
    case 33:
        sum(arguments, row, begin, count, 3, 3);
        break;
    case 41:
        sum(arguments, row, begin, count, 4, 1);
        break;
    case 44:
        sum(arguments, row, begin, count, 4, 4);
        break;
    default:
        run_any(arguments, row, begin, count);
        break;
    }
}

static int32_t run(const struct trm_cpu_groups *groups, const void *block)
{
    const struct arguments *arguments = block;
    const uint32_t *table             = arguments->table.data;
    uint32_t words                    = 2 + 2 * (arguments->sources + arguments->targets);
    struct piece piece;

    for (struct walk walk = walk_from(groups, table, arguments->rows, words); next_piece(&walk, &piece);)
        for (uint64_t at = piece.begin; at < piece.end; at += BLOCK)
            run_block(arguments, piece.row, at, piece.end - at < BLOCK ? piece.end - at : BLOCK);
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "table", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32, .access = TRM_ACCESS_READ},
    {.name = "rows", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
    {.name = "sources", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
    {.name = "targets", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
    {.name = "operation", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
    {.name = "divisor", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

EXPORT_KERNEL(.name = NAME_OF(KERNEL), .function = run, .group_size = {GROUP, 1, 1});
