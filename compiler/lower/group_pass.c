/* Reductions and transpositions of matrices of work-groups. They take CHUNK elements at a time through shared
 * memory, in their order, so that each work-item has a run of its array among them.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/group.h"

#define CHUNK 2048u

/* Bits of OpCooperativeMatrixReduceNV. */
enum {
    REDUCE_ROW     = 1,
    REDUCE_COLUMN  = 2,
    REDUCE_SQUARES = 4,
};

struct pass {
    const struct group_type *from, *to;
    uint32_t array, result; /* variables */
    uint32_t shared, lines; /* shared memory: elements, and what rows or columns have so far */
    uint32_t first, end;    /* elements of the chunk */
    uint32_t combine, mode; /* the function; 0: a transposition */
};

/* The elements of a chunk: a multiple of the work-items. */
static uint32_t runs(struct group *group)
{
    uint32_t count = group_fold(group, SpvOpUDiv, group_constant(group, CHUNK), group->threads);

    return group_larger(group, count, group_constant(group, 1));
}

static uint32_t shared_at(struct group *group, const struct pass *pass, uint32_t number)
{
    return group_read_scratch(group, pass->shared, pass->from->component,
                              group_uint(group, SpvOpISub, number, pass->first));
}

static uint32_t line_at(struct group *group, const struct pass *pass, uint32_t line)
{
    return group_read_scratch(group, pass->lines, pass->from->component, line);
}

/* Stores this work-item's elements of the chunk, which are a run of its array. */
static void share_chunk(struct group *group, const struct pass *pass)
{
    uint32_t begin = group_uint(group, SpvOpUDiv, pass->first, group->threads);
    uint32_t end   = group_uint(group, SpvOpIAdd, begin, runs(group));
    uint32_t small = group_test(group, SpvOpULessThan, end, pass->from->length);
    struct group_loop loop;

    end = group_op(group, SpvOpSelect, group->uint_type, small, end, pass->from->length);
    group_begin_loop(group, &loop, begin, end, group_constant(group, 1));
    uint32_t number = group_number(group, loop.index);
    uint32_t merge  = group_begin_if(group, group_test(group, SpvOpULessThan, number, pass->from->elements));
    uint32_t value  = group_read_element(group, pass->from, pass->array, loop.index);
    group_write_scratch(group, pass->shared, pass->from->component,
                        group_uint(group, SpvOpISub, number, pass->first), value);
    group_end_if(group, merge);
    group_end_loop(group, &loop);
}

/* Adds an element to its line, or begins the line with it. */
static void add_to_line(struct group *group, const struct pass *pass, uint32_t line, uint32_t number,
                        uint32_t is_first)
{
    uint32_t value = shared_at(group, pass, number), kept = group_local(group, pass->from->component);

    group_store(group, kept, value);
    uint32_t merge =
        group_begin_if(group, group_op(group, SpvOpLogicalNot, group->bool_type, is_first, 0, 0));
    uint32_t old = line_at(group, pass, line);
    group_store(group, kept,
                group_op(group, SpvOpFunctionCall, pass->from->component, pass->combine, old, value));
    group_end_if(group, merge);
    group_write_scratch(group, pass->lines, pass->from->component, line,
                        group_load(group, pass->from->component, kept));
}

/* Each work-item has rows, or columns. */
static void reduce_lines(struct group *group, const struct pass *pass)
{
    bool is_row      = (pass->mode & REDUCE_ROW) != 0;
    uint32_t columns = pass->from->columns, one = group_constant(group, 1);
    struct group_loop lines, loop;

    group_begin_loop(group, &lines, group_thread(group), is_row ? pass->from->rows : columns, group->threads);
    uint32_t begin    = is_row ? group_uint(group, SpvOpIMul, lines.index, columns) : lines.index;
    uint32_t end      = is_row ? group_uint(group, SpvOpIAdd, begin, columns) : pass->from->elements;
    uint32_t step     = is_row ? one : columns;
    uint32_t is_later = group_test(group, SpvOpULessThan, begin, pass->first);
    uint32_t gap      = group_uint(group, SpvOpISub, pass->first, begin);
    if (!is_row) { /* the first element of the column that is not before the chunk */
        gap = group_uint(group, SpvOpIAdd, gap, group_uint(group, SpvOpISub, columns, one));
        gap = group_uint(group, SpvOpUDiv, gap, columns);
        gap = group_uint(group, SpvOpIMul, gap, columns);
    }
    uint32_t first    = group_op(group, SpvOpSelect, group->uint_type, is_later,
                                 group_uint(group, SpvOpIAdd, begin, gap), begin);
    uint32_t is_short = group_test(group, SpvOpULessThan, end, pass->end);
    end               = group_op(group, SpvOpSelect, group->uint_type, is_short, end, pass->end);
    group_begin_loop(group, &loop, first, end, step);
    add_to_line(group, pass, lines.index, loop.index, group_test(group, SpvOpIEqual, loop.index, begin));
    group_end_loop(group, &loop);
    group_end_loop(group, &lines);
}

/* The elements of the result that come from the chunk: squares of four, or transposed ones. */
static void gather(struct group *group, const struct pass *pass)
{
    uint32_t columns = pass->from->columns, count = group_constant(group, pass->combine != 0 ? 4 : 1);
    uint32_t one = group_constant(group, 1), two = group_constant(group, 2);
    struct group_loop each, loop;

    group_begin_each(group, &each, pass->to->length);
    struct group_element element = group_element(group, pass->to, each.index);
    uint32_t kept                = group_local(group, pass->from->component);
    group_begin_each(group, &loop, count);
    uint32_t row = element.column, column = element.row;
    if (pass->combine != 0) {
        row    = group_uint(group, SpvOpIAdd, group_uint(group, SpvOpIMul, element.row, two),
                            group_uint(group, SpvOpUDiv, loop.index, two));
        column = group_uint(group, SpvOpIAdd, group_uint(group, SpvOpIMul, element.column, two),
                            group_uint(group, SpvOpBitwiseAnd, loop.index, one));
    }
    uint32_t number = group_uint(group, SpvOpIAdd, group_uint(group, SpvOpIMul, row, columns), column);
    uint32_t merge  = group_begin_if(group, group_test(group, SpvOpULessThan,
                                                       group_uint(group, SpvOpISub, number, pass->first),
                                                       group_uint(group, SpvOpISub, pass->end, pass->first)));
    uint32_t value  = shared_at(group, pass, number);
    group_store(group, kept, value);
    if (pass->combine != 0) {
        uint32_t more =
            group_begin_if(group, group_test(group, SpvOpINotEqual, loop.index, group_constant(group, 0)));
        uint32_t old = group_read_element(group, pass->to, pass->result, each.index);
        group_store(group, kept,
                    group_op(group, SpvOpFunctionCall, pass->from->component, pass->combine, old, value));
        group_end_if(group, more);
    }
    group_write_element(group, pass->to, pass->result, each.index,
                        group_load(group, pass->from->component, kept));
    group_end_if(group, merge);
    group_end_loop(group, &loop);
    group_end_loop(group, &each);
}

/* The result of all: what the rows have, combined. */
static uint32_t combine_rows(struct group *group, const struct pass *pass)
{
    uint32_t component = pass->from->component, kept = group_local(group, component);
    struct group_loop loop;

    group_store(group, kept, line_at(group, pass, group_constant(group, 0)));
    group_begin_loop(group, &loop, group_constant(group, 1), pass->from->rows, group_constant(group, 1));
    uint32_t value = line_at(group, pass, loop.index);
    uint32_t old   = group_load(group, component, kept);
    group_store(group, kept, group_op(group, SpvOpFunctionCall, component, pass->combine, old, value));
    group_end_loop(group, &loop);
    return kept;
}

static void spread_lines(struct group *group, const struct pass *pass)
{
    uint32_t kept = pass->mode == (REDUCE_ROW | REDUCE_COLUMN) ? combine_rows(group, pass) : 0;
    struct group_loop loop;

    group_begin_each(group, &loop, pass->to->length);
    struct group_element element = group_element(group, pass->to, loop.index);
    uint32_t line                = pass->mode == REDUCE_ROW ? element.row : element.column;
    uint32_t value = kept != 0 ? group_load(group, pass->from->component, kept) : line_at(group, pass, line);
    group_write_element(group, pass->to, pass->result, loop.index, value);
    group_end_loop(group, &loop);
}

static uint32_t pass_function(struct group *group, struct pass *pass)
{
    const struct group_type *from = pass->from, *to = pass->to;
    const uint32_t key[] = {GROUP_OP_REDUCE, from->id, to->id, pass->mode, pass->combine};
    uint32_t id          = group_find(group, &group->made_known, key, 5);
    bool has_lines       = (pass->mode & (REDUCE_ROW | REDUCE_COLUMN)) != 0;
    struct group_function function;
    struct group_loop loop;

    if (id != 0)
        return id;
    uint32_t chunk = group_fold(group, SpvOpIMul, runs(group), group->threads);
    pass->shared   = group_scratch(group, from->component, GROUP_SHARED_A, chunk);
    if (has_lines)
        pass->lines = group_scratch(group, from->component, GROUP_SHARED_LINES,
                                    group_larger(group, group_larger(group, from->rows, from->columns),
                                                 group_larger(group, to->rows, to->columns)));
    group_begin(group, &function, to->id);
    pass->array  = group_array_parameter(group, &function, from);
    pass->result = group_local(group, to->id);
    group_begin_loop(group, &loop, group_constant(group, 0), from->elements, chunk);
    pass->first    = loop.index;
    pass->end      = group_uint(group, SpvOpIAdd, loop.index, chunk);
    uint32_t small = group_test(group, SpvOpULessThan, pass->end, from->elements);
    pass->end      = group_op(group, SpvOpSelect, group->uint_type, small, pass->end, from->elements);
    group_barrier(group);
    share_chunk(group, pass);
    group_barrier(group);
    if (has_lines)
        reduce_lines(group, pass);
    else
        gather(group, pass);
    group_end_loop(group, &loop);
    if (has_lines) {
        group_barrier(group);
        spread_lines(group, pass);
    }
    return group_finish(group, &function, group_load(group, to->id, pass->result), key, 5);
}

void group_write_pass(struct group *group, const uint32_t *at)
{
    bool is_reduction = lower_opcode(at) == GROUP_OP_REDUCE;
    struct pass pass  = {.to = group_type(group, at[1])};
    uint32_t count    = 0;

    if (lower_length(at) != (is_reduction ? 6u : 4u) || (pass.from = group_matrix_of(group, at[3])) == NULL ||
        pass.from->component != pass.to->component) {
        group->failed = true;
        return;
    }
    if (is_reduction) {
        pass.mode    = at[4];
        pass.combine = at[5];
        if (pass.mode == 0 || pass.mode > REDUCE_SQUARES || group_parameters(group, at[5], &count) == NULL ||
            count != 2) {
            group->failed = true;
            return;
        }
    }
    const uint32_t argument = group_value(group, at[3]);
    group_call(group, at[1], at[2], pass_function(group, &pass), &argument, 1);
}
