#version 450
/* reduce_table_f32: the sum, the least or the greatest element of several spans, for each row of a table of spans
 *
 *     t[i] = … = (a[i] + b[i] + …) / divisor
 *
 * Collectives (<trireme/collective.h>) of many small spans are made of it: one launch does what reduce_spans_f32 does
 * in one for each row, with the same results. A span may be a source and a target.
 *
 * Arguments
 *     table           2 + 2 * (sources + targets) words for each row: the first group of the row, counted over all
 *                     rows; how many floats its spans have; the addresses of its sources, and those of its
 *                     targets, each with the lower half first. An address is a multiple of 4
 *     rows            how many rows the table has, at least 1
 *     sources         how many spans a row reads, 1 to 16
 *     targets         how many spans a row writes, 1 to 16
 *     operation       0: the sum; 1: the minimum; 2: the maximum
 *     divisor         divides the result; 0 and 1 leave it as it is
 * Launch
 *     for each row as many groups in x as take its elements, one element an item
 * Constants
 *     0               items of a group (256)
 * Notes
 *     A minimum or a maximum with a NaN is a NaN. The device reaches all spans by their addresses
 *     (trm_buffer_address()), and the launch does not keep them: see trm_arg_reached().
 * Example
 *     struct trm_argument arguments[] = {
 *         trm_arg_buffer(table), trm_arg_u32(rows), trm_arg_u32(2), trm_arg_u32(1), trm_arg_u32(0), trm_arg_u32(1)};
 *     trm_kernel_named(device, "reduce_table_f32", NULL, 0, &kernel);
 *     struct trm_grid grid = trm_grid_1d(groups, 0);
 *     trm_launch(stream, kernel, &grid, arguments, 6);
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_GOOGLE_include_directive : require

#define ELEMENT float
#define ALIGNMENT 4
#define VALUE float
#define LOAD(element) (element)
#define STORE(value) (value)
#define IS_NAN(value) ((value) != (value))
#include "common/reduce_table.glsl"
