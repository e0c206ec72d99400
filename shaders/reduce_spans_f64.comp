#version 450
/* reduce_spans_f64: the sum, the least or the greatest element of up to four spans, to up to four spans
 *
 *     s[i] = t[i] = u[i] = v[i] = (a[i] + b[i] + c[i] + d[i]) / divisor
 *
 * Collectives (<trireme/collective.h>) are made of it. A span may be a source and a target.
 *
 * Arguments
 *     a               count doubles
 *     b               the same, read where `sources` is 2 or more; else any span
 *     c               the same, read where `sources` is 3 or more; else any span
 *     d               the same, read where `sources` is 4 or more; else any span
 *     s               count doubles, which the results replace
 *     t               the same, written where `targets` is 2 or more; else any span
 *     u               the same, written where `targets` is 3 or more; else any span
 *     v               the same, written where `targets` is 4 or more; else any span
 *     count           the number of elements
 *     sources         how many spans are read, 1 to 4
 *     targets         how many spans are written, 1 to 4
 *     operation       0: the sum; 1: the minimum; 2: the maximum
 *     divisor         divides the result; 0 and 1 leave it as it is
 * Launch
 *     count items in x
 * Constants
 *     0               items of a group (256)
 *     reads           2 to 4: for sums of so many spans; `sources`, `targets` and `operation` are not used then,
 *                     and `divisor` only with `averages` (0)
 *     writes          with `reads`, how many spans the sum is written to (1)
 *     averages        1: with `reads`, divides the sum by `divisor` (0)
 * Notes
 *     A minimum or a maximum with a NaN is a NaN.
 * Example
 *     struct trm_argument arguments[] = {
 *         trm_arg_buffer(a),  trm_arg_buffer(b), trm_arg_buffer(a), trm_arg_buffer(a), trm_arg_buffer(c),
 *         trm_arg_buffer(c),  trm_arg_buffer(c), trm_arg_buffer(c), trm_arg_u32(count), trm_arg_u32(2),
 *         trm_arg_u32(1),     trm_arg_u32(0),    trm_arg_u32(1)};
 *     trm_kernel_named(device, "reduce_spans_f64", NULL, 0, &kernel);
 *     trm_kernel_grid(kernel, count, 1, 1, &grid);
 *     trm_launch(stream, kernel, &grid, arguments, 13);
 * SPDX-License-Identifier: MIT
 */
#extension GL_GOOGLE_include_directive : require

#define ELEMENT double
#define VALUE double
#define LOAD(element) (element)
#define STORE(value) (value)
#define IS_NAN(value) ((value) != (value))
#include "common/reduce_spans.glsl"
