/* A shader with what it takes to run it, said by comments in the shader itself, "//!" in GLSL and ";!" in
 * assembly:
 *
 *     //! in 0 f32 4096 range -10 10      a storage buffer: [set.]binding, elements, how many, their values
 *     //! in 1.2 3f32,4pad,u32 100        records: three floats, four bytes that are not looked at, a uint
 *     //! uniform 3 f32 16                a uniform buffer
 *     //! inout 4 u32 1 index 0 1         read, written and compared
 *     //! out 5 f32 4096 ulp 4 abs 1e-6   written and compared: floats may differ by any one of ulp, abs, rel
 *     //! out 5 f32 4096 filter 3         as abs 3/256: the precision of weights of hardware (see below)
 *     //! image inout 6 rgba8 2d 16 8 1 1 an image: format, type, width, height, depth or layers (6 of a
 *     cube), levels //! texels in 7 r32f 64 a texel buffer //! sampler 6 linear nearest repeat of a sampler
 *     or sampled image: filters within and between levels, //! sampler 8 nearest nearest border white how
 *     coordinates outside are read, the border, "texels",
 *                                     a comparison with a depth ("less-equal")
 *     //! in 9 f32 64                 several on one binding: the elements of an array, in their order
 *     //! in 9 f32 32
 *     //! groups 16 1 1
 *     //! push u32 7 f32 2.5 pad 0        push constants, one after the other as the shader lays them out
 *     //! constant 0 u32 3                a specialization constant: id, type, value
 *     //! twin plain.comp runs in its place on a device that lacks what it needs; in twins/ beside it //!
 *     address push 8 0 1 20 64 0 from byte 8 of the push constants, step 0, one address: of binding 20,
 *                                         from byte 64 on, step 0; binding 20 need not be one of the shader's
 *     //! address 20 8 32 15 20 32 32 in binding 20 from byte 8 on, every 32 bytes, 15 addresses: of binding
 *                                         20, from byte 32 on, every 32 bytes. Such bytes are "pad"
 *
 * A GPU rounds the weights of a linear filter to 8 bits of fraction (Vulkan: subTexelPrecisionBits and
 * mipmapPrecisionBits; CUDA: 1.8 fixed point). So each axis, and the step between two levels, may be wrong by
 * 1/256 of the difference of two texels. `filter` is the sum over a result's samples of axes x difference of
 * texels x factor. Another texel or no filter is wrong by much more.
 *
 * Values: `range LOW HIGH`, `log LOW HIGH` (powers of two), `index START STEP`, `special`; without: integers
 * of all bits and floats from -1 to 1. They come of a seed and the case's name.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_SHADER_CASE_H
#define TESTS_DIFFERENTIAL_SHADER_CASE_H

#include "tests/differential/element.h"
#include "tests/differential/runner.h"

#define CASE_BUFFERS 32u
#define CASE_FIELDS 64u
#define CASE_CONSTANTS 32u
#define CASE_SAMPLERS 16u
#define CASE_PUSH 256u
#define CASE_ADDRESSES RUN_ADDRESSES

struct case_buffer {
    uint32_t set, binding;
    uint8_t is_uniform, is_read, is_compared;
    const struct element_type *fields[CASE_FIELDS]; /* of one record */
    uint32_t field_count;
    uint32_t record_size; /* bytes */
    uint32_t records;
    struct value_source values;
    struct tolerance tolerance;
    struct run_image image; /* of an image or texel buffer: its type is not 0 */
};

/* Bindings are of set 0. */
struct case_address {
    int is_push;
    uint32_t binding, offset, stride, count;
    uint32_t target, target_offset, target_stride;
};

struct shader_case {
    char name[64];
    char entry[128]; /* of the module; "": main, which comments do not change */
    char *text;      /* GLSL */
    struct case_buffer buffers[CASE_BUFFERS];
    uint32_t buffer_count;
    struct run_sampler samplers[CASE_SAMPLERS];
    uint32_t sampler_count;
    unsigned char push[CASE_PUSH];
    uint32_t push_size;
    struct run_constant constants[CASE_CONSTANTS];
    uint32_t constant_count;
    struct case_address addresses[CASE_ADDRESSES];
    uint32_t address_count;
    uint32_t groups[3];
    char twin[64]; /* "": none */
};

/* Read what a shader's comments say. `text` is copied. 0 when they cannot be understood: `reason` has the
 * line. */
int shader_case_parse(struct shader_case *shader, const char *name, const char *text, char *reason,
                      size_t capacity);
/* The same of a file; its name without folder and ".comp" is the case's. */
int shader_case_read(struct shader_case *shader, const char *path, char *reason, size_t capacity);
void shader_case_fini(struct shader_case *shader);

/* The buffers of one run, filled as the shader says. To be ended with shader_case_release(). 0 without
 * memory. */
int shader_case_fill(const struct shader_case *shader, uint64_t seed, struct run_buffer *buffers);
void shader_case_release(const struct shader_case *shader, struct run_buffer *buffers);

/* Everything but the words of a request. */
void shader_case_request(const struct shader_case *shader, struct run_buffer *buffers,
                         struct run_request *request);

/* Whether two runs gave the same; else the first difference in words. */
int shader_case_same(const struct shader_case *shader, const struct run_buffer *one,
                     const struct run_buffer *other, char *difference, size_t capacity);

#endif
