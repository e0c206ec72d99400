/* Values, and instructions as statements.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op_cooperative.h"

static const struct value_info *info_of(const struct emit *emit, uint32_t id)
{
    return id < emit->body->value_count ? &emit->body->values[id] : NULL;
}

bool emit_is_used(const struct emit *emit, uint32_t id)
{
    const struct value_info *info = info_of(emit, id);

    return id != 0 && (info == NULL || info->place != PLACE_NONE);
}

int32_t emit_value(struct emit *emit, uint32_t id, uint32_t component)
{
    const struct spirv_id *what   = &emit->module->ids[id];
    const struct value_info *info = info_of(emit, id);

    if (what->kind == SPIRV_ID_CONSTANT)
        return emit_constant(emit, id, component);
    if (info != NULL && info->place == PLACE_INLINE && what->kind == SPIRV_ID_VALUE &&
        what->as.instruction != NULL)
        return emit_expression(emit, what->as.instruction, WHOLE);
    if (info != NULL && info->place == PLACE_NONE)
        return emit_fail(emit, "an operand is never computed");
    text_add(&emit->text, "%s", emit_name(emit, id));
    if (component == ELEMENT)
        text_add(&emit->text, ".e[trm_i]");
    else if (component != WHOLE)
        text_add(&emit->text, "_%c", "xyzw"[component & 3]);
    return TRM_OK;
}

void emit_begin(struct emit *emit, uint32_t id, uint32_t component)
{
    text_begin_line(&emit->text);
    emit_result(emit, id, component);
    text_add(&emit->text, " = ");
}

/* Instructions that have no effect on the text. */
static bool is_silent(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpNop:
    case SpvOpUndef:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpVariable:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpAssumeTrueKHR:
        return true;
    default:
        return false;
    }
}

int32_t emit_instruction(struct emit *emit, const struct spirv_instruction *op)
{
    const struct spirv_instruction *before = emit->at;
    emit_statement_fn statement;
    int32_t status = TRM_OK;

    if (is_silent(op->opcode))
        return TRM_OK;
    if (op->opcode == SpvOpExtInst && emit->module->ids[op->operands[0]].set == SPIRV_SET_IGNORED)
        return TRM_OK;
    emit->at  = op;
    statement = emit_statement(emit, op);
    if (emit_is_of_matrices(emit, op)) {
        status = emit_cooperative(emit, op);
    } else if (statement != NULL) {
        status = statement(emit, op);
    } else if (op->result == 0) {
        status = emit_fail(emit, "");
    } else if (emit_is_used(emit, op->result) &&
               (info_of(emit, op->result) == NULL || info_of(emit, op->result)->place != PLACE_INLINE)) {
        uint32_t count = emit_components(emit, op->type);
        for (uint32_t i = 0; i < (count < 2 ? 1 : count) && status == TRM_OK; i++) {
            emit_begin(emit, op->result, count < 2 ? WHOLE : i);
            status = emit_expression(emit, op, count < 2 ? WHOLE : i);
            text_add(&emit->text, ";\n");
        }
        emit_assigned(emit, op->result);
    }
    emit->at = before;
    return emit->arena->failed ? TRM_ERROR_OUT_OF_HOST_MEMORY : status;
}
