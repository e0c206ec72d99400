/* Cooperative matrices.
 *
 * In C the first of every SPIRV_SUBGROUP work-items, the leader, holds all elements of its subgroup's
 * matrices, row by row; the others hold none. So everything that is done to a matrix stands behind `if
 * (trm_leader)`, and the length is 0 for the others.
 *
 * In CUDA a subgroup is a warp. A matrix consists of blocks of 8 by 8, of which a thread holds two neighbours
 * of one row: what the tensor cores expect of A and of the accumulator. B is held transposed where a type is
 * used for B alone (the prelude's matrix.inc).
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/flow.h"
#include "compiler/translate/emit/op_cooperative.h"

/* Bits of emit->matrices. */
enum {
    USED_AS_B    = 1,
    USED_AS_ELSE = 2, /* in a product, or converted to a type that is */
};

static bool is_c(const struct emit *emit)
{
    return emit->language == TRM_LANGUAGE_C;
}

static const struct spirv_type *type_of(const struct emit *emit, uint32_t id)
{
    return spirv_type_of(emit->module, id);
}

static bool is_matrix(const struct emit *emit, uint32_t id)
{
    return id < emit->module->bound && emit->module->ids[id].type != 0 &&
           type_of(emit, id)->kind == SPIRV_COOPERATIVE;
}

/* ---- types */

static void note_uses(struct emit *emit, const struct spirv_instruction *op)
{
    bool is_product =
        op->opcode == SpvOpCooperativeMatrixMulAddNV || op->opcode == SPIRV_OpCooperativeMatrixMulAddKHR;

    if (op->type == 0 || spirv_type(emit->module, op->type)->kind != SPIRV_COOPERATIVE)
        return;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!spirv_operand_is_id(op, i) || !is_matrix(emit, op->operands[i]))
            continue;
        uint32_t type = type_of(emit, op->operands[i])->id;
        if (is_product)
            emit->matrices[type] |= i == 1 ? USED_AS_B : USED_AS_ELSE;
        else if (type != op->type) /* a conversion: both have the same elements in the same places */
            emit->matrices[type] |= USED_AS_ELSE, emit->matrices[op->type] |= USED_AS_ELSE;
    }
}

int32_t emit_matrices(struct emit *emit)
{
    const struct spirv_module *module = emit->module;

    if (!module->has_matrices || is_c(emit))
        return TRM_OK;
    emit->matrices = base_arena_allocate(emit->arena, module->bound, 1);
    if (emit->matrices == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t b = 0; b < module->functions[f]->block_count; b++)
            for (uint32_t i = 0; i < module->functions[f]->blocks[b]->count; i++)
                note_uses(emit, &module->functions[f]->blocks[b]->instructions[i]);
    return TRM_OK;
}

static bool is_transposed(const struct emit *emit, const struct spirv_type *type)
{
    return type->matrix->use == SPIRV_MatrixBKHR ||
           (type->matrix->use == SPIRV_MatrixAnyUse && emit->matrices[type->id] == USED_AS_B);
}

/* Writes the struct of a type, and a function that makes all elements alike. */
void emit_matrix_struct(struct emit *emit, uint32_t id)
{
    const struct spirv_type *type      = spirv_type(emit->module, id);
    const struct spirv_type *component = spirv_type(emit->module, type->element);
    bool is_half                       = component->kind == SPIRV_FLOAT && component->width == 16;
    const char *name                   = emit_type_name(emit, id);
    const char *scalar                 = emit_type_name(emit, type->element);
    uint32_t rows = type->matrix->rows, columns = type->matrix->columns;

    if (is_c(emit)) {
        text_line(&emit->text, "%s {", name);
        text_line(&emit->text, "%s e[%u];", scalar, rows * columns);
        text_close(&emit->text, "};");
    } else {
        emit_need(emit, "matrix");
        text_line(&emit->text, "%s : trm_matrix<%s, %u, %u, %s> {};", name, is_half ? "trm_f16" : scalar,
                  rows, columns, is_transposed(emit, type) ? "true" : "false");
    }
    text_line(&emit->text, "TRM_INLINE %s %s_of(%s x)", name, name + sizeof("struct ") - 1, scalar);
    text_line(&emit->text, "{");
    text_line(&emit->text, "%s m;", name);
    text_line(&emit->text, "for (int i = 0; i < %u; i++)",
              is_c(emit) ? rows * columns : rows * columns / SPIRV_SUBGROUP);
    text_line(&emit->text, "    m.e[i] = x;");
    text_line(&emit->text, "return m;");
    text_close(&emit->text, "}");
    text_add(&emit->text, "\n");
}

/* ---- parts of statements */

/* Writes the condition under which this work-item holds the matrix. */
const char *emit_matrix_guard(const struct emit *emit)
{
    return is_c(emit) && emit->flow->items != NULL ? "if (trm_leader) " : "";
}

uint32_t emit_matrix_elements(const struct emit *emit, uint32_t id)
{
    const struct spirv_type *type = spirv_type(emit->module, id);

    return is_c(emit) ? type->matrix->rows * type->matrix->columns : type->count;
}

int32_t emit_matrix_constant(struct emit *emit, uint32_t id, uint32_t component)
{
    const struct spirv_constant *constant = spirv_constant(emit->module, id);
    const struct spirv_type *type         = spirv_type(emit->module, constant->type);

    if (component == WHOLE)
        text_add(&emit->text, "%s_of(", emit_type_name(emit, type->id) + sizeof("struct ") - 1);
    if (constant->part_count != 0)
        emit_literal(emit, spirv_type(emit->module, type->element),
                     spirv_constant(emit->module, constant->parts[0])->bits, false);
    else
        emit_literal(emit, spirv_type(emit->module, type->element), 0, false);
    text_add(&emit->text, component == WHOLE ? ")" : "");
    return TRM_OK;
}

/* Declares a result that lives where it is computed. */
void emit_matrix_declare(struct emit *emit, uint32_t id)
{
    if (id < emit->body->value_count && emit->body->values[id].place != PLACE_HERE)
        return;
    text_line(&emit->text, "%s %s;", emit_type_name(emit, emit->module->ids[id].type), emit_name(emit, id));
}

static void begin(struct emit *emit, const struct spirv_instruction *op)
{
    emit_matrix_declare(emit, op->result);
    text_line(&emit->text, "%s{", emit_matrix_guard(emit));
}

static void end(struct emit *emit, const struct spirv_instruction *op)
{
    text_close(&emit->text, "}");
    if (op->result != 0)
        emit_assigned(emit, op->result);
}

static void begin_loop(struct emit *emit, const char *name, uint32_t count)
{
    if (!is_c(emit))
        text_add(&emit->text, "#pragma unroll\n");
    text_line(&emit->text, "for (int64_t %s = 0; %s < %u; %s++) {", name, name, count, name);
}

/* Writes an element of a matrix, whose number is the text. */
static int32_t element(struct emit *emit, uint32_t id, const char *number)
{
    if (spirv_constant(emit->module, id) != NULL)
        return emit_matrix_constant(emit, id, ELEMENT);
    int32_t status = emit_value(emit, id, WHOLE);
    text_add(&emit->text, ".e[%s]", number);
    return status;
}

/* ---- element by element */

static int32_t each_element(struct emit *emit, const struct spirv_instruction *op)
{
    int32_t status;

    begin(emit, op);
    begin_loop(emit, "trm_i", emit_matrix_elements(emit, op->type));
    text_begin_line(&emit->text);
    text_add(&emit->text, "%s.e[trm_i] = ", emit_name(emit, op->result));
    if (op->opcode == SpvOpMatrixTimesScalar)
        status =
            emit_pattern(emit, op, 0, ELEMENT,
                         emit_scalar(emit, op->type)->kind == SPIRV_INT ? "$r($u0 * $u1)" : "$r($0 * $1)");
    else
        status = emit_expression(emit, op, ELEMENT);
    text_add(&emit->text, ";\n");
    text_close(&emit->text, "}");
    end(emit, op);
    return status;
}

/* All elements alike, or the value of another matrix. */
static int32_t whole(struct emit *emit, const struct spirv_instruction *op, uint32_t value, bool is_splat)
{
    int32_t status;

    emit_matrix_declare(emit, op->result);
    text_begin_line(&emit->text);
    text_add(&emit->text, "%s%s = ", emit_matrix_guard(emit), emit_name(emit, op->result));
    if (is_splat)
        text_add(&emit->text, "%s_of(", emit_type_name(emit, op->type) + sizeof("struct ") - 1);
    status = emit_value(emit, value, WHOLE);
    text_add(&emit->text, "%s;\n", is_splat ? ")" : "");
    emit_assigned(emit, op->result);
    return status;
}

static int32_t insert(struct emit *emit, const struct spirv_instruction *op)
{
    int32_t status = whole(emit, op, op->operands[1], false);

    text_begin_line(&emit->text);
    text_add(&emit->text, "%s%s.e[%u] = ", emit_matrix_guard(emit), emit_name(emit, op->result),
             op->operands[2]);
    if (status == TRM_OK)
        status = emit_value(emit, op->operands[0], WHOLE);
    text_add(&emit->text, ";\n");
    emit_assigned(emit, op->result);
    return status;
}

/* Writes a value that only the leader has: 0 for the others. */
static int32_t extract(struct emit *emit, const struct spirv_instruction *op)
{
    bool is_guarded = emit_matrix_guard(emit)[0] != '\0';
    int32_t status;

    emit_begin(emit, op->result, WHOLE);
    text_add(&emit->text, is_guarded ? "trm_leader ? " : "");
    status = element(emit, op->operands[0], base_arena_format(emit->arena, "%u", op->operands[1]));
    text_add(&emit->text, is_guarded ? " : 0;\n" : ";\n");
    emit_assigned(emit, op->result);
    return status;
}

static int32_t length(struct emit *emit, const struct spirv_instruction *op)
{
    bool is_guarded = emit_matrix_guard(emit)[0] != '\0';

    emit_begin(emit, op->result, WHOLE);
    text_add(&emit->text, is_guarded ? "trm_leader ? %u : 0;\n" : "%u;\n",
             emit_matrix_elements(emit, op->operands[0]));
    emit_assigned(emit, op->result);
    return TRM_OK;
}

/* ---- variables of the function */

static int32_t load_matrix(struct emit *emit, const struct spirv_instruction *op, const struct access *access,
                           const char *check)
{
    const char *name = emit_name(emit, op->result);
    int32_t status;

    begin(emit, op);
    text_begin_line(&emit->text);
    if (check != NULL)
        text_add(&emit->text, "if (!%s) %s = %s_of(0); else ", check, name,
                 emit_type_name(emit, op->type) + sizeof("struct ") - 1);
    text_add(&emit->text, "%s = ", name);
    status = emit_path(emit, access, WHOLE);
    text_add(&emit->text, ";\n");
    end(emit, op);
    return status;
}

static int32_t load_local(struct emit *emit, const struct spirv_instruction *op, const struct access *access)
{
    bool is_scalar    = emit_components(emit, op->type) == 1;
    const char *check = NULL;
    int32_t status    = emit_check_path(emit, access, &check);

    if (status == TRM_OK && is_matrix(emit, op->result))
        return load_matrix(emit, op, access, check);
    emit_begin(emit, op->result, WHOLE);
    text_add(&emit->text, is_scalar && emit_matrix_guard(emit)[0] != '\0' ? "!trm_leader ? 0 : " : "");
    emit_begin_checked(emit, check);
    if (is_scalar)
        text_add(&emit->text, "(%s)", emit_type_name(emit, op->type));
    if (status == TRM_OK)
        status = emit_path(emit, access, WHOLE);
    emit_end_checked(emit, check, op->type);
    text_add(&emit->text, ";\n");
    emit_assigned(emit, op->result);
    return status;
}

static int32_t store_local(struct emit *emit, const struct spirv_instruction *op, const struct access *access)
{
    const char *check = NULL;
    int32_t status    = emit_check_path(emit, access, &check);

    text_begin_line(&emit->text);
    text_add(&emit->text, "%s", emit_matrix_guard(emit));
    if (check != NULL)
        text_add(&emit->text, "if (%s) ", check);
    if (status == TRM_OK)
        status = emit_path(emit, access, WHOLE);
    text_add(&emit->text, " = ");
    if (status == TRM_OK)
        status = emit_value(emit, op->operands[1], WHOLE);
    text_add(&emit->text, ";\n");
    return status;
}

/* ---- products */

/* Writes an integer as one of `width` bits, extended by the sign that the product says. */
static int32_t factor(struct emit *emit, uint32_t id, const char *number, bool is_signed, bool is_wide)
{
    const struct spirv_type *component = spirv_type(emit->module, type_of(emit, id)->element);
    int32_t status;

    if (component->kind == SPIRV_INT)
        text_add(&emit->text, "(%s)(%sint%u_t)",
                 is_wide                  ? "int64_t"
                 : component->width == 64 ? "uint64_t"
                                          : "uint32_t",
                 is_signed ? "" : "u", component->width);
    status = element(emit, id, number);
    return status;
}

static const char *sum_type(const struct spirv_type *component, bool is_wide)
{
    if (component->kind == SPIRV_FLOAT)
        return component->width == 64 ? "double" : "float";
    return is_wide ? "int64_t" : component->width == 64 ? "uint64_t" : "uint32_t";
}

static void write_sum(struct emit *emit, const struct spirv_type *component, uint32_t signs)
{
    bool is_signed = (signs & SPIRV_MatrixResultSignedKHR) != 0;

    if ((signs & SPIRV_SaturatingAccumulationKHR) == 0) {
        emit_round(emit, component);
        text_add(&emit->text, "(trm_sum[trm_c])");
        return;
    }
    text_add(&emit->text, "(%s)", emit_type_name(emit, component->id));
    emit_part(emit, "clamp_i64");
    if (is_signed)
        text_add(&emit->text, "(trm_sum[trm_c], %lldll, %lldll)", -(1ll << (component->width - 1)),
                 (1ll << (component->width - 1)) - 1);
    else
        text_add(&emit->text, "(trm_sum[trm_c], 0ll, %lldll)", (1ll << component->width) - 1);
}

/* Row by row: the innermost loop runs along the rows of B and of the result. */
static int32_t product_c(struct emit *emit, const struct spirv_instruction *op, uint32_t signs)
{
    const struct spirv_matrix *a       = type_of(emit, op->operands[0])->matrix,
                              *b       = type_of(emit, op->operands[1])->matrix;
    const struct spirv_type *component = emit_scalar(emit, op->type);
    bool is_wide                       = (signs & SPIRV_SaturatingAccumulationKHR) != 0;
    const char *type                   = sum_type(component, is_wide);
    const char *at_c                   = base_arena_format(emit->arena, "trm_r * %u + trm_c", b->columns);
    int32_t status;

    if (is_wide && component->width > 32)
        return emit_fail(emit, "the sums are too wide");
    begin(emit, op);
    begin_loop(emit, "trm_r", a->rows);
    text_line(&emit->text, "%s trm_sum[%u];", type, b->columns);
    begin_loop(emit, "trm_c", b->columns);
    text_begin_line(&emit->text);
    text_add(&emit->text, "trm_sum[trm_c] = ");
    status = factor(emit, op->operands[2], at_c, (signs & SPIRV_MatrixCSignedKHR) != 0, is_wide);
    text_add(&emit->text, ";\n");
    text_close(&emit->text, "}");
    begin_loop(emit, "trm_k", a->columns);
    text_begin_line(&emit->text);
    text_add(&emit->text, "const %s trm_a = ", type);
    if (status == TRM_OK)
        status =
            factor(emit, op->operands[0], base_arena_format(emit->arena, "trm_r * %u + trm_k", a->columns),
                   (signs & SPIRV_MatrixASignedKHR) != 0, is_wide);
    text_add(&emit->text, ";\n");
    begin_loop(emit, "trm_c", b->columns);
    text_begin_line(&emit->text);
    text_add(&emit->text, "trm_sum[trm_c] += trm_a * ");
    if (status == TRM_OK)
        status =
            factor(emit, op->operands[1], base_arena_format(emit->arena, "trm_k * %u + trm_c", b->columns),
                   (signs & SPIRV_MatrixBSignedKHR) != 0, is_wide);
    text_add(&emit->text, ";\n");
    text_close(&emit->text, "}");
    text_close(&emit->text, "}");
    begin_loop(emit, "trm_c", b->columns);
    text_begin_line(&emit->text);
    text_add(&emit->text, "%s.e[%s] = ", emit_name(emit, op->result), at_c);
    write_sum(emit, component, signs);
    text_add(&emit->text, ";\n");
    text_close(&emit->text, "}");
    text_close(&emit->text, "}");
    end(emit, op);
    return status;
}

static int32_t product_cuda(struct emit *emit, const struct spirv_instruction *op, uint32_t signs)
{
    const struct spirv_type *a = spirv_type(emit->module, type_of(emit, op->operands[0])->element);
    const struct spirv_type *c = spirv_type(emit->module, type_of(emit, op->operands[2])->element);
    bool is_float              = c->kind == SPIRV_FLOAT;
    const char *function       = is_float && a->width == 16 && c->width <= 32 ? "matrix_product_f16"
                                 : is_float                                   ? "matrix_product_any"
                                 : a->width == 8 && c->width == 32            ? "matrix_product_i8"
                                                                              : "matrix_product_int";
    int32_t status             = TRM_OK;

    emit_matrix_declare(emit, op->result);
    text_begin_line(&emit->text);
    emit_part(emit, "%s", function);
    if (!is_float)
        text_add(&emit->text, "<%u>", signs);
    text_add(&emit->text, "(%s", emit_name(emit, op->result));
    for (uint32_t i = 0; i < 3 && status == TRM_OK; i++) {
        text_add(&emit->text, ", ");
        status = emit_value(emit, op->operands[i], WHOLE);
    }
    text_add(&emit->text, ");\n");
    emit_assigned(emit, op->result);
    return status;
}

/* ---- the instructions */

/* What CUDA's form of matrices requires. */
static int32_t check_cuda(struct emit *emit, const struct spirv_instruction *op)
{
    const uint32_t *size = emit->body->entry->local_size;

    if (size[0] * size[1] * size[2] % SPIRV_SUBGROUP != 0)
        return emit_fail(emit, "the work-group does not consist of whole subgroups of 32");
    for (uint32_t i = 0; i <= op->operand_count; i++) {
        uint32_t id = i < op->operand_count && spirv_operand_is_id(op, i) ? op->operands[i] : op->result;
        if (id == 0 || !is_matrix(emit, id))
            continue;
        const struct spirv_matrix *matrix = type_of(emit, id)->matrix;
        if (matrix->rows % 8 != 0 || matrix->columns % 8 != 0)
            return emit_fail(emit,
                             base_arena_format(emit->arena,
                                               "a matrix of %u by %u has sides that are no multiples of 8",
                                               matrix->rows, matrix->columns));
    }
    return TRM_OK;
}

static const struct access *local_access(const struct emit *emit, const struct spirv_instruction *op)
{
    const struct access *access =
        op->opcode == SpvOpLoad || op->opcode == SpvOpStore ? body_access(emit->body, op->operands[0]) : NULL;

    if (access == NULL || access->variable == 0 || emit_has_layout(emit, access->variable))
        return NULL;
    const struct spirv_variable *variable = emit->module->ids[access->variable].as.variable;
    return !variable->is_memory &&
                   spirv_holds_matrix(
                       emit->module,
                       spirv_type(emit->module, spirv_type(emit->module, variable->type)->element))
               ? access
               : NULL;
}

bool emit_is_of_matrices(const struct emit *emit, const struct spirv_instruction *op)
{
    if (!emit->module->has_matrices)
        return false;
    switch (op->opcode) {
    case SpvOpCooperativeMatrixStoreNV:
    case SPIRV_OpCooperativeMatrixStoreKHR:
    case SpvOpCooperativeMatrixLengthNV:
    case SPIRV_OpCooperativeMatrixLengthKHR:
        return true;
    case SpvOpLoad:
    case SpvOpStore:
        return local_access(emit, op) != NULL;
    case SpvOpCompositeExtract:
        return is_matrix(emit, op->operands[0]) && op->operand_count == 2;
    default:
        return op->type != 0 && spirv_type(emit->module, op->type)->kind == SPIRV_COOPERATIVE;
    }
}

int32_t emit_cooperative(struct emit *emit, const struct spirv_instruction *op)
{
    int32_t status = is_c(emit) ? TRM_OK : check_cuda(emit, op);

    if (status != TRM_OK || (op->result != 0 && !emit_is_used(emit, op->result)))
        return status;
    switch (op->opcode) {
    case SpvOpLoad:
        return load_local(emit, op, local_access(emit, op));
    case SpvOpStore:
        return store_local(emit, op, local_access(emit, op));
    case SpvOpCooperativeMatrixLoadNV:
    case SPIRV_OpCooperativeMatrixLoadKHR:
        begin(emit, op);
        status = emit_matrix_load(emit, op);
        end(emit, op);
        return status;
    case SpvOpCooperativeMatrixStoreNV:
    case SPIRV_OpCooperativeMatrixStoreKHR:
        text_line(&emit->text, "%s{", emit_matrix_guard(emit));
        status = emit_matrix_store(emit, op);
        end(emit, op);
        return status;
    case SpvOpCooperativeMatrixMulAddNV:
    case SPIRV_OpCooperativeMatrixMulAddKHR: {
        uint32_t signs = spirv_matrix_signs(emit->module, op);
        return is_c(emit) ? product_c(emit, op, signs) : product_cuda(emit, op, signs);
    }
    case SpvOpCooperativeMatrixLengthNV:
    case SPIRV_OpCooperativeMatrixLengthKHR:
        return length(emit, op);
    case SpvOpCompositeExtract:
        return extract(emit, op);
    case SpvOpCompositeInsert:
        return insert(emit, op);
    case SpvOpCompositeConstruct:
        return whole(emit, op, op->operands[0], true);
    case SpvOpCopyObject:
        return whole(emit, op, op->operands[0], false);
    default:
        return each_element(emit, op);
    }
}
