/* Resolved pointers: a variable and a path of indices into it (access.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TREE_ACCESS_H
#define COMPILER_TRANSLATE_TREE_ACCESS_H

#include <stdbool.h>

#include "compiler/spirv/spirv.h"

struct body;

/* The memory that a pointer points to. All OpAccessChain are folded into the instructions that use them.
 *
 * A variable pointer, which is chosen at run time, is a value: the address, a 64-bit integer. Its access has
 * a *memory variable* (is_memory), one for each type and storage class, as the root, and the address as the
 * first index: as if all memory were an array of the pointee, and the address the index of the element.
 *
 * A physical pointer (buffer reference) is a variable pointer too. In memory and in composites it is the
 * address already (compiler/spirv/addresses.c).
 *
 * The first indices into an array of buffers, images or samplers select the element
 * (spirv_descriptor_levels()). A value that is an image or sampler is the variable, or the element, that it
 * was loaded from. An access to a texel (OpImageTexelPointer) has the coordinate as its last index. A sampled
 * image made of an image and a sampler has the sampler's indices behind those of the image. */
struct access {
    uint32_t variable;       /* the root: a variable of the module or the function; 0: no pointer */
    uint32_t count;          /* of indices */
    const uint32_t *indices; /* ids of values, outermost first; constants for structs */
    uint32_t type;           /* the type behind the pointer */
    uint32_t sampler;        /* of a sampled image made of an image and a sampler: the sampler's variable */
    uint32_t sampler_count;  /* of indices: those of the sampler, which are the last ones */
};

/* The access of a pointer operand (OpLoad, OpStore, OpAtomic*, both operands of OpCopyMemory,
 * OpArrayLength). */
const struct access *body_access(const struct body *body, uint32_t pointer);

/* Sets the access of `pointer`, of a pointer type, to what the address `address` points to. False without
 * memory. */
bool access_address(struct body *body, uint32_t pointer, uint32_t type, uint32_t address);

/* The address when the pointer is a variable pointer and nothing else; 0 for paths. */
uint32_t access_only_address(const struct body *body, uint32_t pointer);

/* The variable of an id; NULL when the id is no variable. */
const struct spirv_variable *body_variable(const struct body *body, uint32_t id);

/* Resolves a variable's pointer to the variable itself. */
void access_variable(struct body *body, uint32_t variable);

/* Resolves an OpSampledImage with the new result `id`, and an OpImageTexelPointer with the new result
 * `pointer`. */
int32_t access_sampled(struct body *body, uint32_t id, uint32_t image, uint32_t sampler);
int32_t access_texel(struct body *body, uint32_t pointer, uint32_t image, uint32_t coordinate);

/* Resolves an OpAccessChain with the new result `pointer`. Errors: UNSUPPORTED when the base was not
 * resolved; INVALID_ARGUMENT when an index does not exist in the type. */
int32_t access_chain(struct body *body, const struct spirv_instruction *op, uint32_t pointer, uint32_t base,
                     const uint32_t *indices, uint32_t count);

/* A new pointer to the same variable with other indices. 0 without memory. */
uint32_t access_copy(struct body *body, uint32_t pointer, const uint32_t *indices);

/* Are all indices constants that lie inside the arrays they index? */
bool access_is_fixed(const struct body *body, const struct access *access);

/* Must the access not be made where the shader does not make it? With bounds checks it may fail the
 * launch. */
bool access_may_fail(const struct body *body, const struct access *access);

#endif
