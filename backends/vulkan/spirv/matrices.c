/* vulkan backend: checks the cooperative matrices of a module against those that the driver lists.
 *
 * A driver takes matrices of some sizes and components only, and products of some combinations of them. With
 * others its compiler may do anything. A size that the words do not tell is left to the driver.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/spirv/matrices.h"

#include <stdio.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/spirv/words.h"

/* SPV_KHR_cooperative_matrix, which older headers lack. */
enum {
    OP_TYPE_KHR    = 4456,
    OP_MUL_ADD_KHR = 4459,
    A_SIGNED       = 1,
    B_SIGNED       = 2,
    C_SIGNED       = 4,
    RESULT_SIGNED  = 8,
    SATURATES      = 16,
};

enum use {
    USE_A,
    USE_B,
    USE_SUM,
    USE_ANY
};

/* The component of an unknown type. */
#define NO_COMPONENT UINT32_MAX

struct matrix {
    enum use use;
    uint32_t component; /* VkComponentTypeNV, with the same numbers in KHR */
    uint32_t scope, rows, columns;
};

struct reader {
    const struct trm_module_source *source;
    const uint32_t *first, *end;
    const uint32_t **at; /* by id: the instruction with that result, if it matters here; else NULL */
    uint32_t bound;
    bool is_khr;
    struct vulkan_matrix_row *rows;
    uint32_t row_count;
};

static const uint32_t *definition(const struct reader *reader, uint32_t id)
{
    return id < reader->bound ? reader->at[id] : NULL;
}

/* ---- what the module says -------- */

/* The number of a specialization constant; UINT32_MAX: it has none. */
static uint32_t spec_id(const struct reader *reader, uint32_t id)
{
    for (const uint32_t *at = reader->first; at < reader->end; at += vulkan_length(at)) {
        if (vulkan_opcode(at) == SpvOpFunction)
            break;
        if (vulkan_opcode(at) == SpvOpDecorate && at[1] == id && at[2] == SpvDecorationSpecId)
            return at[3];
    }
    return UINT32_MAX;
}

static bool read_constant(const struct reader *reader, uint32_t id, uint32_t *value)
{
    const struct trm_module_source *source = reader->source;
    const uint32_t *at                     = definition(reader, id);
    if (at == NULL || (vulkan_opcode(at) != SpvOpConstant && vulkan_opcode(at) != SpvOpSpecConstant))
        return false;
    *value = at[3];
    if (vulkan_opcode(at) == SpvOpConstant)
        return true;
    uint32_t number = spec_id(reader, id);
    for (uint32_t i = 0; i < source->constant_count; i++)
        if (source->constants[i].id == number)
            *value = (uint32_t)source->constants[i].bits;
    return true;
}

static uint32_t component_of(const struct reader *reader, uint32_t type)
{
    const uint32_t *at = definition(reader, type);
    uint32_t log       = 0;
    if (at == NULL)
        return NO_COMPONENT;
    while (log < 4 && 8u << log != at[2])
        log++;
    if (vulkan_opcode(at) == SpvOpTypeInt && log < 4)
        return (at[3] != 0 ? VK_COMPONENT_TYPE_SINT8_NV : VK_COMPONENT_TYPE_UINT8_NV) + log;
    if (vulkan_opcode(at) == SpvOpTypeFloat && log > 0 && log < 4)
        return VK_COMPONENT_TYPE_FLOAT16_NV + log - 1;
    return NO_COMPONENT;
}

static const char *component_name(uint32_t component)
{
    static const char *const names[] = {"f16", "f32", "f64", "s8",  "s16", "s32",
                                        "s64", "u8",  "u16", "u32", "u64"};
    return component < sizeof(names) / sizeof(names[0]) ? names[component] : "another type";
}

static bool is_integer(uint32_t component)
{
    return component >= VK_COMPONENT_TYPE_SINT8_NV && component <= VK_COMPONENT_TYPE_UINT64_NV;
}

static uint32_t with_sign(uint32_t component, bool is_signed)
{
    if (!is_integer(component))
        return component;
    uint32_t width = component >= VK_COMPONENT_TYPE_UINT8_NV ? component - VK_COMPONENT_TYPE_UINT8_NV
                                                             : component - VK_COMPONENT_TYPE_SINT8_NV;
    return (is_signed ? VK_COMPONENT_TYPE_SINT8_NV : VK_COMPONENT_TYPE_UINT8_NV) + width;
}

static bool is_matrix(const uint32_t *at)
{
    return vulkan_opcode(at) == SpvOpTypeCooperativeMatrixNV || vulkan_opcode(at) == OP_TYPE_KHR;
}

/* False where the words do not tell all of it. */
static bool read_matrix(const struct reader *reader, const uint32_t *at, struct matrix *matrix)
{
    uint32_t use      = USE_ANY;
    matrix->component = component_of(reader, at[2]);
    bool is_known     = matrix->component != NO_COMPONENT && read_constant(reader, at[3], &matrix->scope) &&
                    read_constant(reader, at[4], &matrix->rows) &&
                    read_constant(reader, at[5], &matrix->columns);
    if (is_known && vulkan_opcode(at) == OP_TYPE_KHR)
        is_known = read_constant(reader, at[6], &use) && use <= USE_SUM;
    matrix->use = (enum use)use;
    return is_known;
}

/* The matrix that a value is. */
static bool read_value(const struct reader *reader, uint32_t id, struct matrix *matrix)
{
    const uint32_t *at = definition(reader, id);
    at                 = at != NULL ? definition(reader, at[1]) : NULL;
    return at != NULL && is_matrix(at) && read_matrix(reader, at, matrix);
}

/* ---- against the driver's list --- */

/* KHR declares the sign with the product, not with the type. */
static bool same_component(const struct reader *reader, uint32_t one, uint32_t other)
{
    return reader->is_khr ? with_sign(one, true) == with_sign(other, true) : one == other;
}

static bool row_has(const struct reader *reader, const struct vulkan_matrix_row *row, enum use use,
                    const struct matrix *matrix)
{
    uint32_t rows    = use == USE_B ? row->k : row->m;
    uint32_t columns = use == USE_A ? row->k : row->n;
    if (rows != matrix->rows || columns != matrix->columns || row->scope != matrix->scope)
        return false;
    if (use == USE_SUM)
        return same_component(reader, row->c, matrix->component) ||
               same_component(reader, row->result, matrix->component);
    return same_component(reader, use == USE_A ? row->a : row->b, matrix->component);
}

static bool lists_matrix(const struct reader *reader, const struct matrix *matrix)
{
    for (uint32_t i = 0; i < reader->row_count; i++)
        for (uint32_t use = USE_A; use <= USE_SUM; use++)
            if ((matrix->use == USE_ANY || matrix->use == use) &&
                row_has(reader, &reader->rows[i], (enum use)use, matrix))
                return true;
    return false;
}

static bool lists_product(const struct reader *reader, const struct vulkan_matrix_row *wanted)
{
    for (uint32_t i = 0; i < reader->row_count; i++) {
        const struct vulkan_matrix_row *row = &reader->rows[i];
        if (row->m == wanted->m && row->n == wanted->n && row->k == wanted->k && row->a == wanted->a &&
            row->b == wanted->b && row->c == wanted->c && row->result == wanted->result &&
            row->scope == wanted->scope && row->saturates == wanted->saturates)
            return true;
    }
    return false;
}

static bool misses_matrix(const struct reader *reader, const uint32_t *at, char *missing, size_t capacity)
{
    struct matrix matrix;
    if (!read_matrix(reader, at, &matrix) || lists_matrix(reader, &matrix))
        return false;
    snprintf(missing, capacity, "cooperative matrices of %u by %u %s", matrix.rows, matrix.columns,
             component_name(matrix.component));
    return true;
}

static bool misses_product(const struct reader *reader, const uint32_t *at, char *missing, size_t capacity)
{
    struct matrix a, b, c;
    if (!read_value(reader, at[3], &a) || !read_value(reader, at[4], &b) || !read_value(reader, at[5], &c))
        return false;
    struct vulkan_matrix_row wanted = {.m      = a.rows,
                                       .n      = b.columns,
                                       .k      = a.columns,
                                       .a      = a.component,
                                       .b      = b.component,
                                       .c      = c.component,
                                       .result = c.component,
                                       .scope  = a.scope};
    if (reader->is_khr) {
        uint32_t operands = vulkan_length(at) > 6 ? at[6] : 0;
        wanted.a          = with_sign(wanted.a, (operands & A_SIGNED) != 0);
        wanted.b          = with_sign(wanted.b, (operands & B_SIGNED) != 0);
        wanted.c          = with_sign(wanted.c, (operands & C_SIGNED) != 0);
        wanted.result     = with_sign(wanted.result, (operands & RESULT_SIGNED) != 0);
        wanted.saturates  = (operands & SATURATES) != 0;
    }
    if (lists_product(reader, &wanted))
        return false;
    snprintf(missing, capacity, "products of cooperative matrices of %u x %u x %u (%s times %s plus %s%s)",
             wanted.m, wanted.n, wanted.k, component_name(wanted.a), component_name(wanted.b),
             component_name(wanted.c), wanted.saturates ? ", saturating" : "");
    return true;
}

static void note_as(const struct reader *reader, uint32_t id, const uint32_t *at)
{
    if (id < reader->bound)
        reader->at[id] = at;
}

/* Notes the results that matter: types, constants, and values whose type is a matrix. Names and decorations
 * of such a type have no result. */
static void note(const struct reader *reader, const uint32_t *at)
{
    const uint32_t *type;
    switch (vulkan_opcode(at)) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeCooperativeMatrixNV:
    case OP_TYPE_KHR:
        note_as(reader, at[1], at);
        break;
    case SpvOpConstant:
    case SpvOpSpecConstant:
        note_as(reader, at[2], at);
        break;
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpDecorate:
        break;
    default:
        type = vulkan_length(at) > 2 ? definition(reader, at[1]) : NULL;
        if (type != NULL && is_matrix(type))
            note_as(reader, at[2], at);
    }
}

static bool misses_any(const struct reader *reader, char *missing, size_t capacity)
{
    bool is_missing = false;
    for (const uint32_t *at = reader->first; at < reader->end && !is_missing; at += vulkan_length(at)) {
        note(reader, at);
        if (is_matrix(at))
            is_missing = misses_matrix(reader, at, missing, capacity);
    }
    /* A product may stand before what it multiplies. */
    for (const uint32_t *at = reader->first; at < reader->end && !is_missing; at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpCooperativeMatrixMulAddNV || vulkan_opcode(at) == OP_MUL_ADD_KHR)
            is_missing = misses_product(reader, at, missing, capacity);
    return is_missing;
}

int32_t vulkan_matrices_check(const struct trm_backend_device *device, const struct trm_module_source *source,
                              char *missing, size_t capacity)
{
    const struct trm_host *host = device->instance->host;
    const uint32_t *words       = source->data;
    struct reader reader        = {.source = source,
                                   .first  = words + VULKAN_HEADER_WORDS,
                                   .end    = words + source->size / sizeof(uint32_t),
                                   .bound  = words[VULKAN_HEADER_BOUND]};
    uint64_t size               = (uint64_t)reader.bound * sizeof(*reader.at);
    const uint32_t *type        = reader.first;
    while (type < reader.end && !is_matrix(type))
        type += vulkan_length(type);
    missing[0] = '\0';
    if (type >= reader.end)
        return TRM_OK;
    reader.is_khr  = vulkan_opcode(type) == OP_TYPE_KHR;
    int32_t status = vulkan_matrix_rows(device, reader.is_khr, &reader.rows, &reader.row_count);
    if (status != TRM_OK || reader.row_count == 0)
        return status;
    reader.at = trm_util_allocate(host, size);
    if (reader.at != NULL)
        misses_any(&reader, missing, capacity);
    else
        status = trm_util_fail_host_memory(host, "the check of a module");
    trm_util_release(host, reader.at, size);
    trm_util_release(host, reader.rows, (uint64_t)reader.row_count * sizeof(*reader.rows));
    return status;
}
