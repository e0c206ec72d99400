/* Matrices: a struct with the array `m` of columns, each an array.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

static uint32_t rows_of(const struct emit *emit, const struct spirv_type *matrix)
{
    return spirv_type(emit->module, matrix->element)->count;
}

/* Writes one entry of the result. */
static int32_t write_entry(struct emit *emit, const struct spirv_instruction *op, uint32_t column,
                           uint32_t row)
{
    struct emit_factor a[4], b[4];
    uint32_t first = op->operands[0], second = op->operand_count > 1 ? op->operands[1] : 0;

    switch (op->opcode) {
    case SpvOpTranspose: {
        int32_t status = emit_value(emit, first, WHOLE);
        text_add(&emit->text, ".m[%u][%u]", row, column);
        return status;
    }
    case SpvOpMatrixTimesScalar:
        a[0] = (struct emit_factor){first, column, row};
        b[0] = (struct emit_factor){second, WHOLE, WHOLE};
        return emit_products(emit, op, a, b, 1);
    case SpvOpOuterProduct:
        a[0] = (struct emit_factor){first, WHOLE, row};
        b[0] = (struct emit_factor){second, WHOLE, column};
        return emit_products(emit, op, a, b, 1);
    default: {
        uint32_t count = spirv_type_of(emit->module, first)->count;
        for (uint32_t i = 0; i < count && i < 4; i++) {
            a[i] = (struct emit_factor){first, i, row};
            b[i] = (struct emit_factor){second, column, i};
        }
        return emit_products(emit, op, a, b, count > 4 ? 4 : count);
    }
    }
}

static int32_t write_whole(struct emit *emit, const struct spirv_instruction *op)
{
    const struct spirv_type *type = spirv_type(emit->module, op->type);
    uint32_t rows                 = rows_of(emit, type);
    int32_t status                = TRM_OK;

    emit_open(emit, op->type);
    for (uint32_t column = 0; column < type->count && status == TRM_OK; column++) {
        text_add(&emit->text, column == 0 ? "{" : ", {");
        for (uint32_t row = 0; row < rows && status == TRM_OK; row++) {
            text_add(&emit->text, row == 0 ? "" : ", ");
            status = write_entry(emit, op, column, row);
        }
        text_add(&emit->text, "}");
    }
    emit_close(emit, op->type);
    return status;
}

int32_t emit_matrix(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    struct emit_factor a[4], b[4];
    int32_t left   = op->opcode == SpvOpMatrixTimesVector;
    uint32_t count = 0;

    if (!left && op->opcode != SpvOpVectorTimesMatrix)
        return write_whole(emit, op);
    /* The sum runs over the vector. */
    count = spirv_type_of(emit->module, op->operands[left ? 1 : 0])->count;
    for (uint32_t i = 0; i < count && i < 4; i++) {
        a[i] = left ? (struct emit_factor){op->operands[0], i, component}
                    : (struct emit_factor){op->operands[0], WHOLE, i};
        b[i] = left ? (struct emit_factor){op->operands[1], WHOLE, i}
                    : (struct emit_factor){op->operands[1], component, i};
    }
    return emit_products(emit, op, a, b, count > 4 ? 4 : count);
}
