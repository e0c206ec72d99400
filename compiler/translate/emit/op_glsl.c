/* GLSL.std.450, the extended instructions. Operand 0 is the set, 1 the instruction, the others its arguments.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

#include <stdio.h>

/* Instructions that work component by component, by number. */
static const char *const patterns[GLSLstd450Count] = {
    [GLSLstd450Round]       = "rint$m($0)",
    [GLSLstd450RoundEven]   = "rint$m($0)",
    [GLSLstd450Trunc]       = "trunc$m($0)",
    [GLSLstd450FAbs]        = "fabs$m($0)",
    [GLSLstd450SAbs]        = "$r@abs$w0($s0)",
    [GLSLstd450FSign]       = "@sign_$n($0)",
    [GLSLstd450SSign]       = "$S@sign_i$w0($s0)",
    [GLSLstd450Floor]       = "floor$m($0)",
    [GLSLstd450Ceil]        = "ceil$m($0)",
    [GLSLstd450Fract]       = "$r(@fract_$n($0))",
    [GLSLstd450Radians]     = "$r(@radians_$n($0))",
    [GLSLstd450Degrees]     = "$r(@degrees_$n($0))",
    [GLSLstd450Sin]         = "$r(@sin_$n($0))",
    [GLSLstd450Cos]         = "$r(@cos_$n($0))",
    [GLSLstd450Tan]         = "$r(@tan_$n($0))",
    [GLSLstd450Asin]        = "$r(@asin_$n($0))",
    [GLSLstd450Acos]        = "$r(@acos_$n($0))",
    [GLSLstd450Atan]        = "$r(@atan_$n($0))",
    [GLSLstd450Sinh]        = "$r(@sinh_$n($0))",
    [GLSLstd450Cosh]        = "$r(@cosh_$n($0))",
    [GLSLstd450Tanh]        = "$r(@tanh_$n($0))",
    [GLSLstd450Asinh]       = "$r(@asinh_$n($0))",
    [GLSLstd450Acosh]       = "$r(@acosh_$n($0))",
    [GLSLstd450Atanh]       = "$r(@atanh_$n($0))",
    [GLSLstd450Atan2]       = "$r(@atan2_$n($0, $1))",
    [GLSLstd450Pow]         = "$r(@pow_$n($0, $1))",
    [GLSLstd450Exp]         = "$r(@exp_$n($0))",
    [GLSLstd450Log]         = "$r(@log_$n($0))",
    [GLSLstd450Exp2]        = "$r(@exp2_$n($0))",
    [GLSLstd450Log2]        = "$r(@log2_$n($0))",
    [GLSLstd450Sqrt]        = "$r(sqrt$m($0))",
    [GLSLstd450InverseSqrt] = "$r(@rsqrt_$n($0))",
    [GLSLstd450FMin]        = "@min_$n($0, $1)",
    [GLSLstd450UMin]        = "$r@min_u$W($U0, $U1)",
    [GLSLstd450SMin]        = "$S@min_i$W($s0, $s1)",
    [GLSLstd450FMax]        = "@max_$n($0, $1)",
    [GLSLstd450UMax]        = "$r@max_u$W($U0, $U1)",
    [GLSLstd450SMax]        = "$S@max_i$W($s0, $s1)",
    [GLSLstd450FClamp]      = "@clamp_$n($0, $1, $2)",
    [GLSLstd450UClamp]      = "$r@clamp_u$W($U0, $U1, $U2)",
    [GLSLstd450SClamp]      = "$S@clamp_i$W($s0, $s1, $s2)",
    [GLSLstd450FMix]        = "$r(@mix_$n($0, $1, $2))",
    [GLSLstd450Step]        = "@step_$n($0, $1)",
    [GLSLstd450SmoothStep]  = "$r(@smoothstep_$n($0, $1, $2))",
    [GLSLstd450Ldexp]       = "$r(@ldexp_$n($0, $s1))",
    [GLSLstd450FindILsb]    = "($t)@lsb$w0($U0)",
    [GLSLstd450FindSMsb]    = "($t)@smsb$w0($s0)",
    [GLSLstd450FindUMsb]    = "($t)@umsb$w0($U0)",
    [GLSLstd450NMin]        = "@nmin_$n($0, $1)",
    [GLSLstd450NMax]        = "@nmax_$n($0, $1)",
    [GLSLstd450NClamp]      = "@nclamp_$n($0, $1, $2)",
};

/* Instructions that pack a vector into one number: the part of the prelude, by number. */
static const char *const packs[GLSLstd450Count] = {
    [GLSLstd450PackSnorm4x8] = "pack_snorm4x8",   [GLSLstd450PackUnorm4x8] = "pack_unorm4x8",
    [GLSLstd450PackSnorm2x16] = "pack_snorm2x16", [GLSLstd450PackUnorm2x16] = "pack_unorm2x16",
    [GLSLstd450PackHalf2x16] = "pack_half2x16",   [GLSLstd450PackDouble2x32] = "pack_double2x32",
};

static const char *const names[GLSLstd450Count] = {
    [GLSLstd450IMix]                  = "IMix",
    [GLSLstd450InterpolateAtCentroid] = "InterpolateAtCentroid",
    [GLSLstd450InterpolateAtSample]   = "InterpolateAtSample",
    [GLSLstd450InterpolateAtOffset]   = "InterpolateAtOffset",
};

static int32_t pack(struct emit *emit, const struct spirv_instruction *op)
{
    uint32_t id = op->operands[2], count = emit_components(emit, emit->module->ids[id].type);
    int32_t status = TRM_OK;

    emit_part(emit, "%s", packs[op->operands[1]]);
    text_add(&emit->text, "(");
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        text_add(&emit->text, i == 0 ? "" : ", ");
        status = emit_value(emit, id, i);
    }
    text_add(&emit->text, ")");
    return status;
}

/* Writes a component of a packed number. */
static int32_t unpack(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    uint32_t bits = 16;
    int32_t status;

    switch (op->operands[1]) {
    case GLSLstd450UnpackSnorm4x8:
        emit_part(emit, "unpack_snorm8");
        bits = 8;
        break;
    case GLSLstd450UnpackUnorm4x8:
        emit_part(emit, "unpack_unorm8");
        bits = 8;
        break;
    case GLSLstd450UnpackSnorm2x16:
        emit_part(emit, "unpack_snorm16");
        break;
    case GLSLstd450UnpackUnorm2x16:
        emit_part(emit, "unpack_unorm16");
        break;
    case GLSLstd450UnpackHalf2x16:
        emit_part(emit, "half_of");
        text_add(&emit->text, "((uint16_t)");
        break;
    default: /* UnpackDouble2x32 */
        text_add(&emit->text, "(uint32_t)(");
        emit_part(emit, "f64_bits");
        text_add(&emit->text, "(");
        status = emit_value(emit, op->operands[2], WHOLE);
        text_add(&emit->text, ") >> %u)", 32 * component);
        return status;
    }
    text_add(&emit->text, "(");
    status = emit_unsigned(emit, op->operands[2], WHOLE, false);
    text_add(&emit->text, " >> %u)%s", bits * component,
             op->operands[1] == GLSLstd450UnpackHalf2x16 ? ")" : "");
    return status;
}

/* ---- geometry */

static uint32_t argument(const struct spirv_instruction *op, uint32_t index)
{
    return op->operands[2 + index];
}

/* Writes "trm_length3_f32(v_x, v_y, v_z)" for `a`, or for a - b when `b` is not 0. */
static int32_t write_length(struct emit *emit, uint32_t a, uint32_t b)
{
    const struct spirv_type *scalar = emit_scalar_of(emit, a);
    uint32_t count                  = emit_components(emit, emit->module->ids[a].type);
    int32_t status                  = TRM_OK;

    if (count == 1)
        text_add(&emit->text, "fabs%s(", scalar->width == 64 ? "" : "f");
    else {
        emit_part(emit, "length%u_%s", count, emit_tag(scalar));
        text_add(&emit->text, "(");
    }
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        text_add(&emit->text, "%s%s", i == 0 ? "" : ", ", b != 0 ? "(" : "");
        status = emit_operand(emit, a, i);
        if (b != 0 && status == TRM_OK) {
            text_add(&emit->text, " - ");
            status = emit_operand(emit, b, i);
        }
        text_add(&emit->text, b != 0 ? ")" : "");
    }
    text_add(&emit->text, ")");
    return status;
}

/* Writes "(a_x * b_x + a_y * b_y)". */
static int32_t write_dot(struct emit *emit, uint32_t a, uint32_t b)
{
    uint32_t count = emit_components(emit, emit->module->ids[a].type);
    int32_t status = TRM_OK;

    text_add(&emit->text, "(");
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        text_add(&emit->text, i == 0 ? "" : " + ");
        status = emit_operand(emit, a, i);
        text_add(&emit->text, " * ");
        if (status == TRM_OK)
            status = emit_operand(emit, b, i);
    }
    text_add(&emit->text, ")");
    return status;
}

static int32_t cross(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    uint32_t next = (component + 1) % 3, last = (component + 2) % 3;
    uint32_t factors[4][2] = {
        {argument(op, 0), next}, {argument(op, 1), last}, {argument(op, 0), last}, {argument(op, 1), next}};
    static const char *const between[4] = {"", " * ", " - ", " * "};
    int32_t status                      = TRM_OK;

    emit_round(emit, emit_scalar(emit, op->type));
    text_add(&emit->text, "(");
    for (uint32_t i = 0; i < 4 && status == TRM_OK; i++) {
        text_add(&emit->text, "%s", between[i]);
        status = emit_value(emit, factors[i][0], factors[i][1]);
    }
    text_add(&emit->text, ")");
    return status;
}

static int32_t normalize(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    int32_t status;

    emit_round(emit, emit_scalar(emit, op->type));
    text_add(&emit->text, "(");
    status = emit_operand(emit, argument(op, 0), component);
    text_add(&emit->text, " / ");
    if (status == TRM_OK)
        status = write_length(emit, argument(op, 0), 0);
    text_add(&emit->text, ")");
    return status;
}

static int32_t face_forward(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    int32_t status;

    text_add(&emit->text, "(");
    status = write_dot(emit, argument(op, 2), argument(op, 1));
    return status == TRM_OK ? emit_pattern(emit, op, 2, component, " < 0 ? $0 : -$0)") : status;
}

static int32_t reflect(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    int32_t status = emit_pattern(emit, op, 2, component, "$r($0 - 2 * ");

    if (status == TRM_OK)
        status = write_dot(emit, argument(op, 1), argument(op, 0));
    return status == TRM_OK ? emit_pattern(emit, op, 2, component, " * $1)") : status;
}

static int32_t refract(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    int32_t status = emit_pattern(emit, op, 2, component, "$r(@refract_$n($0, $1, ");

    if (status == TRM_OK)
        status = write_dot(emit, argument(op, 1), argument(op, 0));
    return status == TRM_OK ? emit_pattern(emit, op, 2, component, ", $2))") : status;
}

static int32_t determinant(struct emit *emit, const struct spirv_instruction *op)
{
    uint32_t id = argument(op, 0), count = spirv_type_of(emit->module, id)->count;
    const struct spirv_type *scalar = emit_scalar(emit, op->type);
    int32_t status                  = TRM_OK;

    emit_round(emit, scalar);
    text_add(&emit->text, "(");
    emit_part(emit, "det%u_%s", count, emit_tag(scalar));
    for (uint32_t i = 0; i < count * count && status == TRM_OK; i++) {
        text_add(&emit->text, i == 0 ? "(" : ", ");
        status = emit_value(emit, id, WHOLE);
        text_add(&emit->text, ".m[%u][%u]", i / count, i % count);
    }
    text_add(&emit->text, "))");
    return status;
}

/* ---- two results */

static const char *const split_patterns[2][2] = {
    {"@modf_$n0($0)", "trunc$m0($0)"},
    {"@frexp_$n0($0)", "@frexp_exponent_$n0($0)"},
};

/* Writes a struct of both results. */
static int32_t split(struct emit *emit, const struct spirv_instruction *op)
{
    const struct spirv_type *result = spirv_type(emit->module, op->type);
    uint32_t which                  = op->operands[1] == GLSLstd450FrexpStruct;
    struct spirv_instruction half   = *op;
    int32_t status                  = TRM_OK;

    emit_open(emit, op->type);
    for (uint32_t i = 0; i < 2 && status == TRM_OK; i++) {
        uint32_t count = emit_components(emit, result->members[i].type);
        half.type      = result->members[i].type;
        text_add(&emit->text, "%s%s", i == 0 ? "" : ", ", count > 1 ? "{" : "");
        for (uint32_t c = 0; c < count && status == TRM_OK; c++) {
            text_add(&emit->text, c == 0 ? "" : ", ");
            status = emit_pattern(emit, &half, 2, count > 1 ? c : WHOLE, split_patterns[which][i]);
        }
        text_add(&emit->text, count > 1 ? "}" : "");
    }
    emit_close(emit, op->type);
    return status;
}

int32_t emit_glsl(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    uint32_t number = op->operands[1];
    int32_t status;

    if (number < GLSLstd450Count && patterns[number] != NULL)
        return emit_pattern(emit, op, 2, component, patterns[number]);
    if (number < GLSLstd450Count && packs[number] != NULL)
        return pack(emit, op);
    switch (number) {
    case GLSLstd450Fma:
        return emit_pattern(emit, op, 2, component,
                            emit->module->ids[op->result].no_contraction ||
                                    emit->language == TRM_LANGUAGE_CUDA
                                ? "$r(fma$m($0, $1, $2))"
                                : "$r($0 * $1 + $2)");
    case GLSLstd450UnpackSnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
    case GLSLstd450UnpackHalf2x16:
    case GLSLstd450UnpackSnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
    case GLSLstd450UnpackDouble2x32:
        return unpack(emit, op, component);
    case GLSLstd450Length:
    case GLSLstd450Distance:
        emit_round(emit, emit_scalar(emit, op->type));
        text_add(&emit->text, "(");
        status = write_length(emit, argument(op, 0), number == GLSLstd450Distance ? argument(op, 1) : 0);
        text_add(&emit->text, ")");
        return status;
    case GLSLstd450Cross:
        return cross(emit, op, component);
    case GLSLstd450Normalize:
        return normalize(emit, op, component);
    case GLSLstd450FaceForward:
        return face_forward(emit, op, component);
    case GLSLstd450Reflect:
        return reflect(emit, op, component);
    case GLSLstd450Refract:
        return refract(emit, op, component);
    case GLSLstd450Determinant:
        return determinant(emit, op);
    case GLSLstd450ModfStruct:
    case GLSLstd450FrexpStruct:
        return split(emit, op);
    default:
        return emit_fail(emit, number < GLSLstd450Count && names[number] != NULL
                                   ? names[number]
                                   : base_arena_format(emit->arena, "number %u of GLSL.std.450", number));
    }
}

/* ---- statements */

/* Modf, Frexp: the second result is stored through a pointer. */
static int32_t split_to_pointer(struct emit *emit, const struct spirv_instruction *op)
{
    const struct access *access     = body_access(emit->body, argument(op, 1));
    uint32_t which                  = op->operands[1] == GLSLstd450Frexp;
    const char *name                = base_arena_format(emit->arena, "%s_new", emit_name(emit, op->result));
    uint32_t count                  = emit_components(emit, op->type);
    struct spirv_instruction second = *op;
    int32_t status                  = TRM_OK;

    if (access == NULL || access->variable == 0)
        return emit_fail(emit, "the pointer is not a path into a variable");
    second.type = access->type;
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        text_begin_line(&emit->text);
        text_add(&emit->text, "const %s %s", emit_type_name(emit, second.type), name);
        text_add(&emit->text, count > 1 ? "_%c = " : " = ", "xyzw"[i & 3]);
        if (which)
            text_add(&emit->text, "(%s)", emit_type_name(emit, second.type));
        status = emit_pattern(emit, &second, 2, count > 1 ? i : WHOLE, split_patterns[which][1]);
        text_add(&emit->text, ";\n");
    }
    for (uint32_t i = 0; emit_is_used(emit, op->result) && i < count && status == TRM_OK; i++) {
        emit_begin(emit, op->result, count > 1 ? i : WHOLE);
        status = emit_pattern(emit, op, 2, count > 1 ? i : WHOLE, split_patterns[which][0]);
        text_add(&emit->text, ";\n");
    }
    if (emit_is_used(emit, op->result))
        emit_assigned(emit, op->result);
    return status == TRM_OK ? emit_store_names(emit, argument(op, 1), name) : status;
}

static int32_t inverse(struct emit *emit, const struct spirv_instruction *op)
{
    const struct spirv_type *scalar = emit_scalar(emit, op->type);
    const char *name                = base_arena_format(emit->arena, "%s_new", emit_name(emit, op->result));
    uint32_t count                  = spirv_type(emit->module, op->type)->count;
    int32_t status;

    text_begin_line(&emit->text);
    text_add(&emit->text, "%s %s = ", emit_type_name(emit, op->type), name);
    status = emit_value(emit, argument(op, 0), WHOLE);
    text_add(&emit->text, ";");
    text_begin_line(&emit->text);
    emit_part(emit, "inverse%u_%s", count, emit_tag(scalar));
    text_add(&emit->text, "(%s.m);\n", name);
    for (uint32_t i = 0; scalar->width == 16 && i < count * count; i++) {
        text_begin_line(&emit->text);
        text_add(&emit->text, "%s.m[%u][%u] = ", name, i / count, i % count);
        emit_part(emit, "half");
        text_add(&emit->text, "(%s.m[%u][%u]);\n", name, i / count, i % count);
    }
    emit_begin(emit, op->result, WHOLE);
    text_add(&emit->text, "%s;\n", name);
    emit_assigned(emit, op->result);
    return status;
}

/* Writes "const struct trm_sine_cosine trm_t12_0 = trm_sincos_f32(angle_x);". */
static int32_t write_both(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    text_begin_line(&emit->text);
    text_add(&emit->text, "const struct ");
    emit_part(emit, "sine_cosine");
    text_add(&emit->text, " trm_t%u_%u = ", op->result, component == WHOLE ? 0 : component);
    int32_t status = emit_pattern(emit, op, 2, component, "@sincos_f32($0)");
    text_add(&emit->text, ";\n");
    return status;
}

/* A sine and a cosine that are computed at once, by the first of them. */
static int32_t sine_or_cosine(struct emit *emit, const struct spirv_instruction *op)
{
    uint32_t first = emit->body->values[op->result].pair, count = emit_components(emit, op->type);
    int32_t status = TRM_OK;

    for (uint32_t i = 0; op->result == first && i < count && status == TRM_OK; i++)
        status = write_both(emit, op, count > 1 ? i : WHOLE);
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        emit_begin(emit, op->result, count > 1 ? i : WHOLE);
        text_add(&emit->text, "trm_t%u_%u.%s;\n", first, i,
                 op->operands[1] == GLSLstd450Sin ? "sine" : "cosine");
    }
    emit_assigned(emit, op->result);
    return status;
}

int32_t emit_glsl_statement(struct emit *emit, const struct spirv_instruction *op)
{
    switch (op->operands[1]) {
    case GLSLstd450Modf:
    case GLSLstd450Frexp:
        return split_to_pointer(emit, op);
    case GLSLstd450Sin:
    case GLSLstd450Cos:
        return sine_or_cosine(emit, op);
    default:
        return emit_is_used(emit, op->result) ? inverse(emit, op) : TRM_OK;
    }
}
