/* Checks the types of the instructions of GLSL.std.450.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/check.h"

enum form {
    FORM_NONE = 0,
    FORM_FLOAT, /* all operands have the type of the result */
    FORM_INT,   /* all operands are like the result; signedness may differ */
    FORM_LDEXP,
    FORM_FREXP,        /* a float and a pointer to an integer */
    FORM_FREXP_STRUCT, /* a struct of float and integer, from a float */
    FORM_MODF,
    FORM_MODF_STRUCT,
    FORM_DETERMINANT,
    FORM_INVERSE,
    FORM_PACK_2, /* two floats into 32 bits */
    FORM_PACK_4,
    FORM_UNPACK_2,
    FORM_UNPACK_4,
    FORM_PACK_DOUBLE,
    FORM_UNPACK_DOUBLE,
    FORM_LENGTH, /* vectors to a scalar of their component type */
    FORM_CROSS,
    FORM_REFRACT,
};

static const struct {
    uint8_t form;
    uint8_t operands;
} forms[] = {
    [GLSLstd450Round]            = {FORM_FLOAT, 1},
    [GLSLstd450RoundEven]        = {FORM_FLOAT, 1},
    [GLSLstd450Trunc]            = {FORM_FLOAT, 1},
    [GLSLstd450FAbs]             = {FORM_FLOAT, 1},
    [GLSLstd450SAbs]             = {FORM_INT, 1},
    [GLSLstd450FSign]            = {FORM_FLOAT, 1},
    [GLSLstd450SSign]            = {FORM_INT, 1},
    [GLSLstd450Floor]            = {FORM_FLOAT, 1},
    [GLSLstd450Ceil]             = {FORM_FLOAT, 1},
    [GLSLstd450Fract]            = {FORM_FLOAT, 1},
    [GLSLstd450Radians]          = {FORM_FLOAT, 1},
    [GLSLstd450Degrees]          = {FORM_FLOAT, 1},
    [GLSLstd450Sin]              = {FORM_FLOAT, 1},
    [GLSLstd450Cos]              = {FORM_FLOAT, 1},
    [GLSLstd450Tan]              = {FORM_FLOAT, 1},
    [GLSLstd450Asin]             = {FORM_FLOAT, 1},
    [GLSLstd450Acos]             = {FORM_FLOAT, 1},
    [GLSLstd450Atan]             = {FORM_FLOAT, 1},
    [GLSLstd450Sinh]             = {FORM_FLOAT, 1},
    [GLSLstd450Cosh]             = {FORM_FLOAT, 1},
    [GLSLstd450Tanh]             = {FORM_FLOAT, 1},
    [GLSLstd450Asinh]            = {FORM_FLOAT, 1},
    [GLSLstd450Acosh]            = {FORM_FLOAT, 1},
    [GLSLstd450Atanh]            = {FORM_FLOAT, 1},
    [GLSLstd450Atan2]            = {FORM_FLOAT, 2},
    [GLSLstd450Pow]              = {FORM_FLOAT, 2},
    [GLSLstd450Exp]              = {FORM_FLOAT, 1},
    [GLSLstd450Log]              = {FORM_FLOAT, 1},
    [GLSLstd450Exp2]             = {FORM_FLOAT, 1},
    [GLSLstd450Log2]             = {FORM_FLOAT, 1},
    [GLSLstd450Sqrt]             = {FORM_FLOAT, 1},
    [GLSLstd450InverseSqrt]      = {FORM_FLOAT, 1},
    [GLSLstd450Determinant]      = {FORM_DETERMINANT, 1},
    [GLSLstd450MatrixInverse]    = {FORM_INVERSE, 1},
    [GLSLstd450Modf]             = {FORM_MODF, 2},
    [GLSLstd450ModfStruct]       = {FORM_MODF_STRUCT, 1},
    [GLSLstd450FMin]             = {FORM_FLOAT, 2},
    [GLSLstd450UMin]             = {FORM_INT, 2},
    [GLSLstd450SMin]             = {FORM_INT, 2},
    [GLSLstd450FMax]             = {FORM_FLOAT, 2},
    [GLSLstd450UMax]             = {FORM_INT, 2},
    [GLSLstd450SMax]             = {FORM_INT, 2},
    [GLSLstd450FClamp]           = {FORM_FLOAT, 3},
    [GLSLstd450UClamp]           = {FORM_INT, 3},
    [GLSLstd450SClamp]           = {FORM_INT, 3},
    [GLSLstd450FMix]             = {FORM_FLOAT, 3},
    [GLSLstd450Step]             = {FORM_FLOAT, 2},
    [GLSLstd450SmoothStep]       = {FORM_FLOAT, 3},
    [GLSLstd450Fma]              = {FORM_FLOAT, 3},
    [GLSLstd450Frexp]            = {FORM_FREXP, 2},
    [GLSLstd450FrexpStruct]      = {FORM_FREXP_STRUCT, 1},
    [GLSLstd450Ldexp]            = {FORM_LDEXP, 2},
    [GLSLstd450PackSnorm4x8]     = {FORM_PACK_4, 1},
    [GLSLstd450PackUnorm4x8]     = {FORM_PACK_4, 1},
    [GLSLstd450PackSnorm2x16]    = {FORM_PACK_2, 1},
    [GLSLstd450PackUnorm2x16]    = {FORM_PACK_2, 1},
    [GLSLstd450PackHalf2x16]     = {FORM_PACK_2, 1},
    [GLSLstd450PackDouble2x32]   = {FORM_PACK_DOUBLE, 1},
    [GLSLstd450UnpackSnorm2x16]  = {FORM_UNPACK_2, 1},
    [GLSLstd450UnpackUnorm2x16]  = {FORM_UNPACK_2, 1},
    [GLSLstd450UnpackHalf2x16]   = {FORM_UNPACK_2, 1},
    [GLSLstd450UnpackSnorm4x8]   = {FORM_UNPACK_4, 1},
    [GLSLstd450UnpackUnorm4x8]   = {FORM_UNPACK_4, 1},
    [GLSLstd450UnpackDouble2x32] = {FORM_UNPACK_DOUBLE, 1},
    [GLSLstd450Length]           = {FORM_LENGTH, 1},
    [GLSLstd450Distance]         = {FORM_LENGTH, 2},
    [GLSLstd450Cross]            = {FORM_CROSS, 2},
    [GLSLstd450Normalize]        = {FORM_FLOAT, 1},
    [GLSLstd450FaceForward]      = {FORM_FLOAT, 3},
    [GLSLstd450Reflect]          = {FORM_FLOAT, 2},
    [GLSLstd450Refract]          = {FORM_REFRACT, 3},
    [GLSLstd450FindILsb]         = {FORM_INT, 1},
    [GLSLstd450FindSMsb]         = {FORM_INT, 1},
    [GLSLstd450FindUMsb]         = {FORM_INT, 1},
    [GLSLstd450NMin]             = {FORM_FLOAT, 2},
    [GLSLstd450NMax]             = {FORM_FLOAT, 2},
    [GLSLstd450NClamp]           = {FORM_FLOAT, 3},
};

/* Index of the first operand: the set and the number of the instruction precede it. */
#define FIRST 2u

static struct shape operand(const struct spirv_module *module, const struct spirv_instruction *instruction,
                            uint32_t index)
{
    return spirv_operand_shape(module, instruction, FIRST + index);
}

static bool is_words(struct shape shape, enum spirv_type_kind kind, uint32_t width, uint32_t count)
{
    return shape.kind == kind && shape.width == width && shape.count == count;
}

/* The type that Modf and Frexp write through their second operand. */
static struct shape pointee(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_type *type = spirv_type_of(reader->module, instruction->operands[FIRST + 1]);

    return type->kind == SPIRV_POINTER ? spirv_shape(reader->module, type->element) : (struct shape){0};
}

static struct shape member(const struct spirv_module *module, uint32_t type_id, uint32_t index)
{
    const struct spirv_type *type = spirv_type(module, type_id);

    if (type->kind != SPIRV_STRUCT || type->count != 2)
        return (struct shape){0};
    return spirv_shape(module, type->members[index].type);
}

static bool is_square(const struct spirv_module *module, const struct spirv_type *type)
{
    return type->kind == SPIRV_MATRIX && spirv_type(module, type->element)->count == type->count;
}

static bool fits_memory(const struct spirv_reader *reader, enum form form,
                        const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;
    struct shape value                = operand(module, instruction, 0);
    struct shape result               = spirv_shape(module, instruction->type);
    struct shape first                = member(module, instruction->type, 0);
    struct shape second               = member(module, instruction->type, 1);

    if (value.kind != SPIRV_FLOAT)
        return false;
    switch (form) {
    case FORM_MODF:
        return result.type == value.type && pointee(reader, instruction).type == value.type;
    case FORM_MODF_STRUCT:
        return first.type == value.type && second.type == value.type;
    case FORM_FREXP:
        second = pointee(reader, instruction);
        return result.type == value.type && second.kind == SPIRV_INT && second.count == value.count;
    default: /* FORM_FREXP_STRUCT */
        return first.type == value.type && second.kind == SPIRV_INT && second.count == value.count;
    }
}

static bool fits_matrix(const struct spirv_module *module, enum form form,
                        const struct spirv_instruction *instruction)
{
    const struct spirv_type *matrix = spirv_type_of(module, instruction->operands[FIRST]);

    if (!is_square(module, matrix))
        return false;
    if (form == FORM_INVERSE)
        return matrix->id == instruction->type;
    return spirv_type(module, matrix->element)->element == instruction->type;
}

static bool fits(const struct spirv_reader *reader, enum form form,
                 const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;
    struct shape result               = spirv_shape(module, instruction->type);
    struct shape first                = operand(module, instruction, 0);

    switch (form) {
    case FORM_FLOAT:
        return result.kind == SPIRV_FLOAT && spirv_operands_are_like(module, instruction, result, FIRST);
    case FORM_INT:
        return result.kind == SPIRV_INT && spirv_operands_are_like(module, instruction, result, FIRST);
    case FORM_LDEXP:
        return result.kind == SPIRV_FLOAT && first.type == result.type &&
               operand(module, instruction, 1).kind == SPIRV_INT &&
               operand(module, instruction, 1).count == result.count;
    case FORM_DETERMINANT:
    case FORM_INVERSE:
        return fits_matrix(module, form, instruction);
    case FORM_PACK_2:
    case FORM_PACK_4:
        return is_words(result, SPIRV_INT, 32, 1) &&
               is_words(first, SPIRV_FLOAT, 32, form == FORM_PACK_2 ? 2 : 4);
    case FORM_UNPACK_2:
    case FORM_UNPACK_4:
        return is_words(first, SPIRV_INT, 32, 1) &&
               is_words(result, SPIRV_FLOAT, 32, form == FORM_UNPACK_2 ? 2 : 4);
    case FORM_PACK_DOUBLE:
        return is_words(result, SPIRV_FLOAT, 64, 1) && is_words(first, SPIRV_INT, 32, 2);
    case FORM_UNPACK_DOUBLE:
        return is_words(result, SPIRV_INT, 32, 2) && is_words(first, SPIRV_FLOAT, 64, 1);
    case FORM_LENGTH:
        return spirv_is_scalar(result, SPIRV_FLOAT) && first.kind == SPIRV_FLOAT &&
               first.width == result.width && spirv_operands_are_like(module, instruction, first, FIRST);
    case FORM_CROSS:
        return result.kind == SPIRV_FLOAT && result.count == 3 &&
               spirv_operands_are_like(module, instruction, result, FIRST);
    case FORM_REFRACT:
        return result.kind == SPIRV_FLOAT && spirv_is_like(first, result) &&
               spirv_is_like(operand(module, instruction, 1), result) &&
               spirv_is_scalar(operand(module, instruction, 2), SPIRV_FLOAT);
    default:
        return fits_memory(reader, form, instruction);
    }
}

int32_t spirv_check_extended(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    uint32_t number = instruction->operands[1];

    if (number >= SPIRV_COUNT(forms) || forms[number].form == FORM_NONE)
        return spirv_unsupported(reader, "instruction %u of GLSL.std.450 is not supported", number);
    if (instruction->operand_count != FIRST + forms[number].operands)
        return spirv_invalid(reader, "instruction %u of GLSL.std.450 has the wrong number of %u operands",
                             number, instruction->operand_count - FIRST);
    enum form form = (enum form)forms[number].form;
    if (!fits(reader, form, instruction))
        return spirv_type_mismatch(reader);
    if (form == FORM_MODF || form == FORM_FREXP)
        return spirv_check_writable(reader, instruction->operands[FIRST + 1]);
    return TRM_OK;
}
