/* Makes bfloat16 (SPV_KHR_bfloat16), which kernels only store and convert, the integer of its bits: the upper
 * half of a float. A conversion to float is a shift then, and one from float rounds to the nearest, ties to
 * even; NaN is 0x7fc0. No backend needs to know the type.
 *
 * The integer is signed or not, as the module does not have it yet, so that no type is there twice. Products
 * of vectors and cooperative matrices of bfloat16 stay, and the reader refuses them.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/module.h"

/* Of the extension, which older headers lack. */
#define CAPABILITY_BFLOAT 5116u
#define ENCODING_BFLOAT 0u

#define VERSION_1_3 0x00010300u
#define EXTRA_MOST 96u     /* words that are added for one conversion */
#define DECLARED_MOST 512u /* words of types, constants and capabilities */

/* Types and constants of vectors of some components; 1: scalars. 0: not there. */
struct shape {
    uint32_t uint, real, boolean;
    uint32_t sixteen, one, half, nan, magnitude, infinity;
    bool is_used, is_uint_fresh, is_real_fresh, is_boolean_fresh;
};

struct bfloats {
    struct lower_words module;
    uint32_t type; /* the OpTypeFloat */
    uint32_t is_signed;
    uint8_t *components;    /* by id of a type: of bfloat16; 0: another type */
    struct shape shapes[5]; /* by components */
    uint32_t conversion_count;
    bool has_int16, has_storage;
    struct lower_writer writer;
};

/* ---- what there is ------------------------------------------------------------------------- */

static bool is_bfloat(const uint32_t *at)
{
    return lower_opcode(at) == SpvOpTypeFloat && lower_length(at) == 4 && at[2] == 16 &&
           at[3] == ENCODING_BFLOAT;
}

static void find_vector(struct bfloats *bfloats, const uint32_t *at)
{
    if (lower_opcode(at) != SpvOpTypeVector || lower_length(at) != 4 || at[3] < 2 || at[3] > 4)
        return;
    struct shape *shape = &bfloats->shapes[at[3]], *scalar = &bfloats->shapes[1];
    if (at[2] == bfloats->type)
        bfloats->components[at[1]] = (uint8_t)at[3];
    if (at[2] == scalar->uint)
        shape->uint = at[1];
    if (at[2] == scalar->real)
        shape->real = at[1];
    if (at[2] == scalar->boolean)
        shape->boolean = at[1];
}

/* Finds the types and capabilities; false without a bfloat16, or with both integers of 16 bits. */
static bool find_types(struct bfloats *bfloats)
{
    const struct lower_words *module = &bfloats->module;
    struct shape *scalar             = &bfloats->shapes[1];
    bool has[2]                      = {false, false};

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        uint32_t opcode = lower_opcode(at), length = lower_length(at);
        if (opcode == SpvOpCapability && length == 2) {
            bfloats->has_int16 |= at[1] == SpvCapabilityInt16;
            bfloats->has_storage |= at[1] == SpvCapabilityStorageBuffer16BitAccess;
        }
        if (opcode == SpvOpTypeInt && length == 4 && at[2] == 16)
            has[at[3] != 0] = true;
        if (opcode == SpvOpTypeInt && length == 4 && at[2] == 32 && at[3] == 0)
            scalar->uint = at[1];
        if (opcode == SpvOpTypeFloat && length == 3 && at[2] == 32)
            scalar->real = at[1];
        if (opcode == SpvOpTypeBool && length == 2)
            scalar->boolean = at[1];
        if (is_bfloat(at)) {
            bfloats->type              = at[1];
            bfloats->components[at[1]] = 1;
        }
        find_vector(bfloats, at);
    }
    bfloats->is_signed = has[0];
    return bfloats->type != 0 && !(has[0] && has[1]) && module->words[1] >= VERSION_1_3;
}

static uint32_t components_of(const struct bfloats *bfloats, uint32_t type)
{
    return type < bfloats->module.bound ? bfloats->components[type] : 0;
}

static uint32_t components_of_value(const struct bfloats *bfloats, const uint32_t *at, uint32_t word)
{
    return lower_length(at) > word ? components_of(bfloats, lower_type_of(&bfloats->module, at[word])) : 0;
}

/* Is it arithmetic, which the extension has for vectors' products alone? */
static bool is_arithmetic(uint32_t opcode)
{
    return (opcode >= SpvOpConvertFToU && opcode <= SpvOpQuantizeToF16) ||
           (opcode >= SpvOpSNegate && opcode <= SpvOpFUnordGreaterThanEqual && opcode != SpvOpSelect);
}

/* Can the instruction not be followed? */
static bool is_wrong(const struct bfloats *bfloats, const uint32_t *at)
{
    uint32_t opcode = lower_opcode(at);
    uint32_t first  = opcode == SpvOpExtInst ? 5 : opcode == SpvOpSpecConstantOp ? 4 : 3;

    return (is_arithmetic(opcode) || opcode == SpvOpExtInst || opcode == SpvOpSpecConstantOp) &&
           lower_length(at) > 3 &&
           (components_of(bfloats, at[1]) != 0 || components_of_value(bfloats, at, first) != 0);
}

/* The width of a scalar or vector of usual floats of so many components; 0: another type. */
static uint32_t width_of(const struct bfloats *bfloats, uint32_t type, uint32_t components)
{
    const struct lower_words *module = &bfloats->module;
    const uint32_t *vector           = lower_definition(module, type, SpvOpTypeVector, 4);

    if (components > 1 && (vector == NULL || vector[3] != components))
        return 0;
    const uint32_t *scalar = lower_definition(module, components > 1 ? vector[2] : type, SpvOpTypeFloat, 3);
    return scalar != NULL && lower_length(scalar) == 3 ? scalar[2] : 0;
}

/* The components of a conversion from or to bfloat16; 0: another instruction. */
static uint32_t components_converted(const struct bfloats *bfloats, const uint32_t *at)
{
    if (lower_opcode(at) != SpvOpFConvert || lower_length(at) != 4)
        return 0;
    uint32_t to = components_of(bfloats, at[1]);
    return to != 0 ? to : components_of_value(bfloats, at, 3);
}

/* A double is rounded once only, so it does not go through a float. */
static bool is_convertible(const struct bfloats *bfloats, const uint32_t *at, uint32_t components)
{
    uint32_t from = components_of_value(bfloats, at, 3);

    if (components_of(bfloats, at[1]) == 0)
        return width_of(bfloats, at[1], components) != 0;
    return from == components ||
           (from == 0 && width_of(bfloats, lower_type_of(&bfloats->module, at[3]), components) - 1 < 32);
}

static bool find_conversions(struct bfloats *bfloats)
{
    const struct lower_words *module = &bfloats->module;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->count; i += lower_length(module->words + i)) {
        const uint32_t *at  = module->words + i;
        uint32_t components = components_converted(bfloats, at);
        if (components == 0 && is_wrong(bfloats, at))
            return false;
        if (components == 0)
            continue;
        if (i < module->functions || !is_convertible(bfloats, at, components))
            return false;
        bfloats->shapes[components].is_used = true;
        bfloats->conversion_count++;
    }
    return true;
}

/* ---- what is declared ---------------------------------------------------------------------- */

static bool name(struct lower_writer *writer, uint32_t *id)
{
    bool is_fresh = *id == 0;

    if (is_fresh)
        *id = lower_fresh_id(writer);
    return is_fresh;
}

static void name_shape(struct bfloats *bfloats, struct shape *shape)
{
    shape->is_uint_fresh    = name(&bfloats->writer, &shape->uint);
    shape->is_real_fresh    = name(&bfloats->writer, &shape->real);
    shape->is_boolean_fresh = name(&bfloats->writer, &shape->boolean);
}

static void put_vector(struct bfloats *bfloats, uint32_t id, uint32_t component, uint32_t count)
{
    LOWER_PUT(&bfloats->writer, SpvOpTypeVector, id, component, count);
}

static uint32_t put_constant(struct bfloats *bfloats, uint32_t components, uint32_t value)
{
    struct lower_writer *writer = &bfloats->writer;
    uint32_t scalar             = lower_fresh_id(writer);

    LOWER_PUT(writer, SpvOpConstant, bfloats->shapes[1].uint, scalar, value);
    if (components == 1)
        return scalar;
    uint32_t words[6] = {
        bfloats->shapes[components].uint, lower_fresh_id(writer), scalar, scalar, scalar, scalar};
    lower_put(writer, SpvOpConstantComposite, words, 2 + components);
    return words[1];
}

static void put_shape(struct bfloats *bfloats, uint32_t components)
{
    struct shape *shape = &bfloats->shapes[components], *scalar = &bfloats->shapes[1];

    if (components > 1 && shape->is_uint_fresh)
        put_vector(bfloats, shape->uint, scalar->uint, components);
    if (components > 1 && shape->is_real_fresh)
        put_vector(bfloats, shape->real, scalar->real, components);
    if (components > 1 && shape->is_boolean_fresh)
        put_vector(bfloats, shape->boolean, scalar->boolean, components);
    shape->sixteen   = put_constant(bfloats, components, 16);
    shape->one       = put_constant(bfloats, components, 1);
    shape->half      = put_constant(bfloats, components, 0x7fff);
    shape->nan       = put_constant(bfloats, components, 0x7fc0);
    shape->magnitude = put_constant(bfloats, components, 0x7fffffff);
    shape->infinity  = put_constant(bfloats, components, 0x7f800000);
}

static void put_declarations(struct bfloats *bfloats)
{
    struct shape *scalar = &bfloats->shapes[1];

    if (scalar->is_uint_fresh)
        LOWER_PUT(&bfloats->writer, SpvOpTypeInt, scalar->uint, 32, 0);
    if (scalar->is_real_fresh)
        LOWER_PUT(&bfloats->writer, SpvOpTypeFloat, scalar->real, 32);
    if (scalar->is_boolean_fresh)
        LOWER_PUT(&bfloats->writer, SpvOpTypeBool, scalar->boolean);
    for (uint32_t i = 1; i <= 4; i++)
        if (bfloats->shapes[i].is_used)
            put_shape(bfloats, i);
}

/* ---- writing ------------------------------------------------------------------------------- */

/* Writes an operation of one or two operands; returns the id of the result. */
static uint32_t put_value(struct bfloats *bfloats, uint32_t opcode, uint32_t type, uint32_t a, uint32_t b)
{
    const uint32_t words[] = {type, lower_fresh_id(&bfloats->writer), a, b};

    lower_put(&bfloats->writer, opcode, words, b != 0 ? 4 : 3);
    return words[1];
}

static void put_widened(struct bfloats *bfloats, const uint32_t *at, const struct shape *shape,
                        uint32_t width)
{
    uint32_t wide = put_value(bfloats, SpvOpUConvert, shape->uint, at[3], 0);
    uint32_t bits = put_value(bfloats, SpvOpShiftLeftLogical, shape->uint, wide, shape->sixteen);

    if (width == 32) {
        LOWER_PUT(&bfloats->writer, SpvOpBitcast, at[1], at[2], bits);
        return;
    }
    uint32_t real = put_value(bfloats, SpvOpBitcast, shape->real, bits, 0);
    LOWER_PUT(&bfloats->writer, SpvOpFConvert, at[1], at[2], real);
}

/* Adds half of the last bit that stays, less one where that bit is 0. */
static void put_rounded(struct bfloats *bfloats, const uint32_t *at, const struct shape *shape, uint32_t real)
{
    uint32_t bits    = put_value(bfloats, SpvOpBitcast, shape->uint, real, 0);
    uint32_t high    = put_value(bfloats, SpvOpShiftRightLogical, shape->uint, bits, shape->sixteen);
    uint32_t odd     = put_value(bfloats, SpvOpBitwiseAnd, shape->uint, high, shape->one);
    uint32_t half    = put_value(bfloats, SpvOpIAdd, shape->uint, odd, shape->half);
    uint32_t sum     = put_value(bfloats, SpvOpIAdd, shape->uint, bits, half);
    uint32_t rounded = put_value(bfloats, SpvOpShiftRightLogical, shape->uint, sum, shape->sixteen);
    uint32_t size    = put_value(bfloats, SpvOpBitwiseAnd, shape->uint, bits, shape->magnitude);
    uint32_t is_nan  = put_value(bfloats, SpvOpUGreaterThan, shape->boolean, size, shape->infinity);
    uint32_t all     = lower_fresh_id(&bfloats->writer);

    LOWER_PUT(&bfloats->writer, SpvOpSelect, shape->uint, all, is_nan, shape->nan, rounded);
    LOWER_PUT(&bfloats->writer, bfloats->is_signed ? SpvOpSConvert : SpvOpUConvert, at[1], at[2], all);
}

static void put_conversion(struct bfloats *bfloats, const uint32_t *at, uint32_t components)
{
    const struct shape *shape = &bfloats->shapes[components];
    uint32_t from = components_of_value(bfloats, at, 3), real = at[3];

    if (components_of(bfloats, at[1]) == 0) {
        put_widened(bfloats, at, shape, width_of(bfloats, at[1], components));
        return;
    }
    if (from != 0) {
        LOWER_PUT(&bfloats->writer, SpvOpCopyObject, at[1], at[2], at[3]);
        return;
    }
    if (width_of(bfloats, lower_type_of(&bfloats->module, real), components) != 32)
        real = put_value(bfloats, SpvOpFConvert, shape->real, real, 0);
    put_rounded(bfloats, at, shape, real);
}

static void put_capabilities(struct bfloats *bfloats)
{
    if (!bfloats->has_int16)
        LOWER_PUT(&bfloats->writer, SpvOpCapability, SpvCapabilityInt16);
    if (!bfloats->has_storage)
        LOWER_PUT(&bfloats->writer, SpvOpCapability, SpvCapabilityStorageBuffer16BitAccess);
    bfloats->has_int16 = bfloats->has_storage = true; /* the module may name the one of bfloat16 again */
}

/* Writes an instruction before the functions. A literal of 16 bits is extended as its type says. */
static void put_global(struct bfloats *bfloats, const uint32_t *at)
{
    static const char extension[] = "SPV_KHR_bfloat16";
    uint32_t opcode = lower_opcode(at), length = lower_length(at);
    bool is_constant = (opcode == SpvOpConstant || opcode == SpvOpSpecConstant) && length == 4;

    if (opcode == SpvOpCapability && length == 2 && at[1] == CAPABILITY_BFLOAT)
        put_capabilities(bfloats);
    else if (is_bfloat(at))
        LOWER_PUT(&bfloats->writer, SpvOpTypeInt, at[1], 16, bfloats->is_signed);
    else if (is_constant && at[1] == bfloats->type)
        LOWER_PUT(&bfloats->writer, opcode, at[1], at[2],
                  bfloats->is_signed ? (uint32_t)(int32_t)(int16_t)(uint16_t)at[3] : at[3] & 0xffff);
    else if (opcode != SpvOpExtension || length != 1 + sizeof(extension) / 4 + 1 ||
             memcmp(at + 1, extension, sizeof(extension)) != 0)
        lower_put_words(&bfloats->writer, at, length);
}

static void write(struct bfloats *bfloats)
{
    const struct lower_words *module = &bfloats->module;

    lower_put_words(&bfloats->writer, module->words, LOWER_HEADER_WORDS);
    for (uint32_t i = LOWER_HEADER_WORDS; i < module->count; i += lower_length(module->words + i)) {
        const uint32_t *at  = module->words + i;
        uint32_t components = components_converted(bfloats, at);
        if (i == module->functions)
            put_declarations(bfloats);
        if (i < module->functions)
            put_global(bfloats, at);
        else if (components != 0)
            put_conversion(bfloats, at, components);
        else
            lower_put_words(&bfloats->writer, at, lower_length(at));
    }
    bfloats->writer.words[3] = bfloats->writer.bound;
}

void lower_bfloats(struct base_arena *arena, const uint32_t **words, uint32_t *count)
{
    struct bfloats bfloats = {.type = 0};

    if (!lower_scan(&bfloats.module, arena, *words, *count))
        return;
    bfloats.writer.bound = bfloats.module.bound;
    bfloats.components   = base_arena_allocate(arena, bfloats.module.bound, 1);
    if (bfloats.components == NULL || !find_types(&bfloats) || !find_conversions(&bfloats))
        return;
    for (uint32_t i = 1; i <= 4; i++)
        if (i == 1 || bfloats.shapes[i].is_used)
            name_shape(&bfloats, &bfloats.shapes[i]);
    uint64_t most        = (uint64_t)*count + DECLARED_MOST + (uint64_t)EXTRA_MOST * bfloats.conversion_count;
    bfloats.writer.words = most <= UINT32_MAX ? base_arena_allocate(arena, most, sizeof(uint32_t)) : NULL;
    if (bfloats.writer.words == NULL)
        return;
    write(&bfloats);
    *words = bfloats.writer.words;
    *count = bfloats.writer.count;
}
