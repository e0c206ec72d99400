/* Images for the tests of a module: a type, the pointer to it and a variable for each kind.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_COMPILER_SPIRV_IMAGE_FIXTURE_H
#define TESTS_UNIT_COMPILER_SPIRV_IMAGE_FIXTURE_H

#include "tests/unit/compiler/spirv/spirv_fixture.h"

#define TYPE(opcode, ...) ADD(&builder, PART_TYPE, opcode, __VA_ARGS__)
#define DECORATE(...) ADD(&builder, PART_DECORATION, SpvOpDecorate, __VA_ARGS__)
#define CAPABILITY(name) ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapability##name)

/* Ids of the tests: a type, the pointer to it and a variable for each kind. */
enum {
    STORAGE = 701, /* 2D, rgba8 */
    P_STORAGE,
    STORED,
    TEXTURE, /* 2D */
    P_TEXTURE,
    LOOKED_UP,
    SAMPLER,
    P_SAMPLER,
    TAKEN,
    SAMPLED, /* of TEXTURE */
    P_SAMPLED,
    BOTH,
    COUNTERS, /* 2D, r32ui */
    P_COUNTERS,
    COUNTED,
    P_TEXEL,
    IMAGE, /* loaded values, and results */
    OTHER,
    RESULT,
    EXTRA,
    P_EXTRA,
    EXTRA_ONE,
    EXTRA_TYPE,
    P_TEXEL_F,
};

static inline void bind(uint32_t variable, uint32_t binding)
{
    DECORATE(variable, SpvDecorationDescriptorSet, 1);
    DECORATE(variable, SpvDecorationBinding, binding);
}

static inline void add_variable(uint32_t type, uint32_t pointer, uint32_t variable, uint32_t binding)
{
    TYPE(SpvOpTypePointer, pointer, SpvStorageClassUniformConstant, type);
    TYPE(SpvOpVariable, pointer, variable, SpvStorageClassUniformConstant);
    bind(variable, binding);
}

static inline void add_image(uint32_t id, uint32_t texel, uint32_t dimension, uint32_t layers,
                             uint32_t sampled, uint32_t format)
{
    TYPE(SpvOpTypeImage, id, texel, dimension, 0, layers, 0, sampled, format);
}

/* One variable of each kind. */
static inline void add_all(void)
{
    add_image(STORAGE, F32, SpvDim2D, 0, 2, SpvImageFormatRgba8);
    add_image(TEXTURE, F32, SpvDim2D, 0, 1, SpvImageFormatUnknown);
    add_image(COUNTERS, U32, SpvDim2D, 0, 2, SpvImageFormatR32ui);
    TYPE(SpvOpTypeSampler, SAMPLER);
    TYPE(SpvOpTypeSampledImage, SAMPLED, TEXTURE);
    TYPE(SpvOpTypePointer, P_TEXEL, SpvStorageClassImage, U32);
    add_variable(STORAGE, P_STORAGE, STORED, 0);
    add_variable(TEXTURE, P_TEXTURE, LOOKED_UP, 1);
    add_variable(SAMPLER, P_SAMPLER, TAKEN, 2);
    add_variable(SAMPLED, P_SAMPLED, BOTH, 3);
    add_variable(COUNTERS, P_COUNTERS, COUNTED, 4);
}

static inline void open_images(void)
{
    open_builder();
    add_all();
}

static inline void afresh(void)
{
    again();
    add_all();
}

static inline void load(uint32_t type, uint32_t id, uint32_t variable)
{
    CODE(&builder, SpvOpLoad, type, id, variable);
}

#endif
