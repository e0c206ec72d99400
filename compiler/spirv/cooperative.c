/* Cooperative matrices, which a subgroup holds together: types, and checks of their instructions.
 *
 * SPV_NV_cooperative_matrix and SPV_KHR_cooperative_matrix differ in their operands; spirv_matrix_access()
 * and spirv_matrix_signs() read both alike. A subgroup has SPIRV_SUBGROUP invocations, each of which has as
 * many elements as the others.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/check.h"

#define SIDE_MOST 256u
#define ELEMENTS_MOST 16384u

/* ---- types --------------------------------------------------------------------------------- */

/* The words of an OpTypeCooperativeMatrixNV; that of KHR has the use behind them. */
enum {
    WORD_COMPONENT = 2,
    WORD_SCOPE,
    WORD_ROWS,
    WORD_COLUMNS,
    WORD_USE,
    WORDS,
};

static int32_t read_integer(struct spirv_reader *reader, uint32_t id, const char *what, uint64_t *value,
                            bool *is_spec)
{
    int32_t status = spirv_check_constant_id(reader, id);

    if (status != TRM_OK)
        return status;
    const struct spirv_constant *constant = spirv_constant(reader->module, id);
    if (spirv_type(reader->module, constant->type)->kind != SPIRV_INT)
        return spirv_invalid(reader, "the %s of a cooperative matrix is not an integer", what);
    *value   = constant->is_null ? 0 : constant->bits;
    *is_spec = constant->is_spec;
    return TRM_OK;
}

static int32_t read_side(struct spirv_reader *reader, uint32_t id, const char *what, uint32_t *side)
{
    uint64_t value = 0;
    bool is_spec   = false;
    int32_t status = read_integer(reader, id, what, &value, &is_spec);

    if (status != TRM_OK)
        return status;
    *side = 1;
    if (value == 0 || value > SIDE_MOST)
        return is_spec
                   ? spirv_unfit(reader, TRM_ERROR_UNSUPPORTED,
                                 "a cooperative matrix has %llu %s instead of 1 to %u",
                                 (unsigned long long)value, what, SIDE_MOST)
                   : spirv_unsupported(reader,
                                       "a cooperative matrix of %llu %s, not of 1 to %u, is not supported",
                                       (unsigned long long)value, what, SIDE_MOST);
    *side = (uint32_t)value;
    return TRM_OK;
}

static int32_t read_scope_and_use(struct spirv_reader *reader, struct spirv_words words,
                                  struct spirv_matrix *matrix)
{
    uint64_t value = 0;
    bool is_spec;
    int32_t status = read_integer(reader, words.word[WORD_SCOPE], "scope", &value, &is_spec);

    if (status == TRM_OK && value == SpvScopeWorkgroup && reader->opcode == SPIRV_OpTypeCooperativeMatrixKHR)
        return spirv_unsupported(reader,
                                 "cooperative matrices of a work-group are not supported beside those of "
                                 "subgroups, with sides above 1024, in modules with several entry points, "
                                 "and in instructions that they do not have here");
    if (status == TRM_OK && value != SpvScopeSubgroup)
        return spirv_unsupported(
            reader, "cooperative matrices of scope %llu are not supported: use that of the subgroup",
            (unsigned long long)value);
    matrix->use = SPIRV_MatrixAnyUse;
    if (status != TRM_OK || reader->opcode == SpvOpTypeCooperativeMatrixNV)
        return status;
    status = read_integer(reader, words.word[WORD_USE], "use", &value, &is_spec);
    if (status == TRM_OK && value > SPIRV_MatrixAccumulatorKHR)
        return spirv_invalid(reader, "the use of a cooperative matrix is %llu instead of 0, 1 or 2",
                             (unsigned long long)value);
    matrix->use = (uint32_t)value;
    return status;
}

int32_t spirv_read_matrix(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type)
{
    bool is_khr                 = reader->opcode != SpvOpTypeCooperativeMatrixNV;
    struct spirv_matrix *matrix = base_arena_allocate(reader->arena, 1, sizeof(*matrix));

    if (matrix == NULL)
        return spirv_invalid(reader, "out of memory");
    if (words.length != (is_khr ? WORDS : WORD_USE))
        return spirv_invalid(reader, "%u words are a wrong length for this instruction", words.length);
    if (!spirv_has_capability(reader, is_khr ? (uint32_t)SPIRV_CapabilityCooperativeMatrixKHR
                                             : (uint32_t)SpvCapabilityCooperativeMatrixNV))
        return spirv_invalid(reader, "the capability CooperativeMatrix%s is not declared",
                             is_khr ? "KHR" : "NV");
    int32_t status = spirv_check_type_id(reader, words.word[WORD_COMPONENT]);
    if (status != TRM_OK)
        return status;
    const struct spirv_type *component = spirv_type(reader->module, words.word[WORD_COMPONENT]);
    if (component->kind != SPIRV_INT && component->kind != SPIRV_FLOAT)
        return spirv_invalid(reader, "type %u cannot be the component of a cooperative matrix",
                             component->id);
    status = read_scope_and_use(reader, words, matrix);
    if (status == TRM_OK)
        status = read_side(reader, words.word[WORD_ROWS], "rows", &matrix->rows);
    if (status == TRM_OK)
        status = read_side(reader, words.word[WORD_COLUMNS], "columns", &matrix->columns);
    if (status != TRM_OK)
        return status;
    if (matrix->rows * matrix->columns > ELEMENTS_MOST)
        return spirv_unsupported(reader, "a cooperative matrix of %u by %u elements is not supported",
                                 matrix->rows, matrix->columns);
    reader->module->has_matrices = true;
    type->kind                   = SPIRV_COOPERATIVE;
    type->element                = component->id;
    type->count                  = (matrix->rows * matrix->columns + SPIRV_SUBGROUP - 1) / SPIRV_SUBGROUP;
    type->matrix                 = matrix;
    type->depth                  = 2;
    type->natural_alignment      = component->natural_alignment;
    type->natural_size           = matrix->rows * matrix->columns * component->natural_size;
    type->size                   = type->natural_size;
    return TRM_OK;
}

bool spirv_holds_matrix(const struct spirv_module *module, const struct spirv_type *type)
{
    while (type->kind == SPIRV_ARRAY)
        type = spirv_type(module, type->element);
    return type->kind == SPIRV_COOPERATIVE;
}

/* ---- operands ------------------------------------------------------------------------------ */

struct spirv_matrix_access spirv_matrix_access(const struct spirv_module *module,
                                               const struct spirv_instruction *instruction)
{
    bool is_store = instruction->opcode == SpvOpCooperativeMatrixStoreNV ||
                    instruction->opcode == SPIRV_OpCooperativeMatrixStoreKHR;
    bool is_khr = instruction->opcode == SPIRV_OpCooperativeMatrixLoadKHR ||
                  instruction->opcode == SPIRV_OpCooperativeMatrixStoreKHR;
    const uint32_t *operands          = instruction->operands + is_store;
    struct spirv_matrix_access access = {
        .pointer = instruction->operands[0],
        .object  = is_store ? instruction->operands[1] : instruction->result,
        .memory  = is_store + 3u,
    };
    uint32_t count = instruction->operand_count - is_store;

    access.stride                       = is_khr ? (count > 2 ? operands[2] : 0) : operands[1];
    access.layout                       = operands[is_khr ? 1 : 2];
    const struct spirv_constant *layout = spirv_constant(module, access.layout);
    access.is_column_major              = layout != NULL && !layout->is_null && layout->bits == 1;
    if (access.memory < instruction->operand_count)
        access.is_volatile = (instruction->operands[access.memory] & SpvMemoryAccessVolatileMask) != 0;
    return access;
}

uint32_t spirv_matrix_signs(const struct spirv_module *module, const struct spirv_instruction *instruction)
{
    static const uint32_t bits[] = {SPIRV_MatrixASignedKHR, SPIRV_MatrixBSignedKHR, SPIRV_MatrixCSignedKHR};
    uint32_t signs               = 0;

    if (instruction->opcode == SPIRV_OpCooperativeMatrixMulAddKHR)
        return instruction->operand_count > 3 ? instruction->operands[3] : 0;
    for (uint32_t i = 0; i < SPIRV_COUNT(bits); i++)
        if (spirv_type(module, spirv_type_of(module, instruction->operands[i])->element)->is_signed)
            signs |= bits[i];
    return signs | ((signs & SPIRV_MatrixCSignedKHR) != 0 ? SPIRV_MatrixResultSignedKHR : 0);
}

/* ---- instructions -------------------------------------------------------------------------- */

static const struct spirv_matrix *matrix_of(const struct spirv_module *module, uint32_t id)
{
    return spirv_type_of(module, id)->matrix;
}

static bool has_use(const struct spirv_matrix *matrix, uint32_t use, bool is_khr)
{
    return matrix->use == (is_khr ? use : (uint32_t)SPIRV_MatrixAnyUse);
}

static int32_t check_mul_add(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;
    const uint32_t *o                 = instruction->operands;
    bool is_khr                       = instruction->opcode == SPIRV_OpCooperativeMatrixMulAddKHR;
    const struct spirv_matrix *a = matrix_of(module, o[0]), *b = matrix_of(module, o[1]),
                              *c = matrix_of(module, o[2]);

    if (a == NULL || b == NULL || c == NULL || module->ids[o[2]].type != instruction->type)
        return spirv_type_mismatch(reader);
    if (a->columns != b->rows || a->rows != c->rows || b->columns != c->columns)
        return spirv_invalid(reader,
                             "a cooperative matrix of %u by %u times one of %u by %u is not one of %u by %u",
                             a->rows, a->columns, b->rows, b->columns, c->rows, c->columns);
    if (!has_use(a, SPIRV_MatrixAKHR, is_khr) || !has_use(b, SPIRV_MatrixBKHR, is_khr) ||
        !has_use(c, SPIRV_MatrixAccumulatorKHR, is_khr))
        return spirv_invalid(reader, "the cooperative matrices are not declared as A, B and accumulator");
    const struct spirv_type *of_a = spirv_type(module, spirv_type_of(module, o[0])->element);
    const struct spirv_type *of_b = spirv_type(module, spirv_type_of(module, o[1])->element);
    const struct spirv_type *of_c = spirv_type(module, spirv_type_of(module, o[2])->element);
    if (of_a->kind != of_b->kind || of_a->kind != of_c->kind || of_a->width != of_b->width ||
        of_c->width < of_a->width)
        return spirv_unsupported(reader, "products of these components are not supported");
    uint32_t mask = is_khr && instruction->operand_count > 3 ? o[3] : 0;
    if (mask >= 2 * SPIRV_SaturatingAccumulationKHR || (mask != 0 && of_a->kind == SPIRV_FLOAT))
        return spirv_invalid(reader, "the operands of the product are %u", mask);
    return TRM_OK;
}

static bool is_number(const struct spirv_module *module, const struct spirv_type *type)
{
    if (type->kind == SPIRV_VECTOR)
        type = spirv_type(module, type->element);
    return type->kind == SPIRV_INT || type->kind == SPIRV_FLOAT;
}

static int32_t check_layout_operand(struct spirv_reader *reader, const struct spirv_matrix_access *access,
                                    bool is_khr)
{
    const struct spirv_constant *layout = spirv_constant(reader->module, access->layout);

    if (layout == NULL)
        return spirv_invalid(reader, "the layout of a cooperative matrix is not a constant");
    const struct spirv_type *type = spirv_type(reader->module, layout->type);
    if (type->kind != (is_khr ? SPIRV_INT : SPIRV_BOOL))
        return spirv_type_mismatch(reader);
    if (is_khr && !layout->is_null && layout->bits > 1)
        return spirv_unsupported(reader, "layout %llu of a cooperative matrix is not supported",
                                 (unsigned long long)layout->bits);
    return access->stride != 0
               ? TRM_OK
               : spirv_unsupported(reader, "a cooperative matrix in memory without a stride is "
                                           "not supported");
}

static int32_t check_access(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;
    bool is_khr                       = instruction->opcode == SPIRV_OpCooperativeMatrixLoadKHR ||
                  instruction->opcode == SPIRV_OpCooperativeMatrixStoreKHR;
    bool is_store                     = instruction->result == 0;
    struct spirv_matrix_access access = spirv_matrix_access(module, instruction);
    const struct spirv_type *pointer  = spirv_type_of(module, access.pointer);
    uint32_t type                     = is_store ? module->ids[access.object].type : instruction->type;

    if (spirv_type(module, type)->kind != SPIRV_COOPERATIVE || pointer->kind != SPIRV_POINTER)
        return spirv_type_mismatch(reader);
    if (pointer->storage == SpvStorageClassPhysicalStorageBuffer)
        return spirv_unsupported(reader, "cooperative matrices at addresses of buffers are not supported");
    if (pointer->storage != SpvStorageClassStorageBuffer && pointer->storage != SpvStorageClassWorkgroup &&
        pointer->storage != SpvStorageClassUniform)
        return spirv_invalid(reader, "a cooperative matrix is neither in a buffer nor in shared memory");
    if (!is_number(module, spirv_type(module, pointer->element)))
        return spirv_invalid(reader, "a pointer to a cooperative matrix is not one to numbers or vectors");
    int32_t status = check_layout_operand(reader, &access, is_khr);
    if (status != TRM_OK)
        return status;
    if (!spirv_is_scalar(spirv_shape(module, module->ids[access.stride].type), SPIRV_INT))
        return spirv_type_mismatch(reader);
    return is_store ? spirv_check_writable(reader, access.pointer) : TRM_OK;
}

static int32_t check_length(struct spirv_reader *reader, uint32_t result, uint32_t type)
{
    struct shape shape = spirv_shape(reader->module, result);
    int32_t status     = spirv_check_type_id(reader, type);

    if (status != TRM_OK)
        return status;
    if (spirv_type(reader->module, type)->kind != SPIRV_COOPERATIVE || !spirv_is_scalar(shape, SPIRV_INT) ||
        shape.width != 32)
        return spirv_type_mismatch(reader);
    return TRM_OK;
}

int32_t spirv_check_matrix(struct spirv_reader *reader, enum spirv_rule rule,
                           const struct spirv_instruction *instruction)
{
    switch (rule) {
    case RULE_MATRIX_MUL_ADD:
        return check_mul_add(reader, instruction);
    case RULE_MATRIX_LENGTH:
        return check_length(reader, instruction->type, instruction->operands[0]);
    default:
        return check_access(reader, instruction);
    }
}

int32_t spirv_fold_length(struct spirv_reader *reader, const uint32_t *operands, uint32_t count,
                          struct spirv_constant *constant)
{
    int32_t status = count == 1 ? check_length(reader, constant->type, operands[0])
                                : spirv_invalid(reader, "the constant has the wrong number of operands");

    if (status != TRM_OK)
        return status;
    constant->bits      = spirv_type(reader->module, operands[0])->count;
    constant->length_of = operands[0];
    return TRM_OK;
}

/* Which rules take cooperative matrices, element by element or as a whole. */
static bool takes_matrices(enum spirv_rule rule)
{
    switch (rule) {
    case RULE_INT:
    case RULE_FLOAT:
    case RULE_SELECT:
    case RULE_FLOAT_TO_INT:
    case RULE_INT_TO_FLOAT:
    case RULE_INT_TO_INT:
    case RULE_FLOAT_TO_FLOAT:
    case RULE_MATRIX_SCALAR:
    case RULE_CONSTRUCT:
    case RULE_EXTRACT:
    case RULE_INSERT:
    case RULE_COPY:
    case RULE_LOAD:
    case RULE_STORE:
    case RULE_COPY_MEMORY:
    case RULE_CHAIN:
    case RULE_MATRIX_LOAD:
    case RULE_MATRIX_STORE:
    case RULE_MATRIX_MUL_ADD:
    case RULE_MATRIX_LENGTH:
    case RULE_CALL:
    case RULE_PHI:
    case RULE_RETURN_VALUE:
        return true;
    default:
        return false;
    }
}

int32_t spirv_check_matrices(struct spirv_reader *reader, enum spirv_rule rule,
                             const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;
    bool has_matrix =
        instruction->type != 0 && spirv_type(module, instruction->type)->kind == SPIRV_COOPERATIVE;

    if (takes_matrices(rule))
        return TRM_OK;
    for (uint32_t i = 0; i < instruction->operand_count && !has_matrix; i++) {
        uint32_t id = instruction->operands[i];
        if (spirv_operand_is_id(instruction, i) && id < module->bound && module->ids[id].type != 0)
            has_matrix = spirv_type_of(module, id)->kind == SPIRV_COOPERATIVE;
    }
    return has_matrix
               ? spirv_unsupported(reader, "cooperative matrices in this instruction are not supported")
               : TRM_OK;
}
