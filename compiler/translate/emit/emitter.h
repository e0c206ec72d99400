/* The state of a translation while it writes, and the functions that write the parts of a kernel.
 *
 * How values look. Each scalar component of a value is a C variable of its own: a scalar `%12` named "sum" is
 * s_sum (or v12 without a name), a vec3 is s_sum_x, s_sum_y, s_sum_z, so that compilers see only scalars.
 * Matrices, arrays and structs are one variable of a struct type (type.c), whose vectors are arrays. Memory
 * is accessed by scalars: a buffer that holds only elements of one scalar type, packed, is a typed pointer
 * and is indexed; any other buffer is bytes at computed offsets.
 *
 * An expression is complete: the code that writes one puts parentheses around it unless it is a name, a
 * literal or a call.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_EMIT_EMITTER_H
#define COMPILER_TRANSLATE_EMIT_EMITTER_H

#include "compiler/translate/prelude/prelude.h"
#include "compiler/translate/text/text.h"
#include "compiler/translate/tree/tree.h"

#define ELEMENT (UINT32_MAX - 1) /* as a component: element trm_i of a cooperative matrix */
#define WHOLE UINT32_MAX         /* as a component: a matrix, array or struct, or a scalar */

struct emit;

/* What differs between the languages. */
struct emit_target {
    int32_t language;
    /* Writes the beginning of the text to emit->head: headers, fixed-width types, the structs of kernels.
     * prelude_write(), emit_types() and the kernels follow. */
    void (*begin)(struct emit *emit);
    /* Writes a whole kernel around emit->body's tree. */
    int32_t (*kernel)(struct emit *emit);
    /* Writes the text after all kernels: tables of them. */
    void (*end)(struct emit *emit);
    /* Writes a component of a built-in input (SpvBuiltInGlobalInvocationId, component 1) as a 32-bit unsigned
     * expression. 0 when the target does not have the built-in. */
    bool (*builtin)(struct emit *emit, int32_t builtin, uint32_t component);
    /* Writes a NODE_ITEMS: the loops and the body. NULL in CUDA, which has none. */
    int32_t (*items)(struct emit *emit, const struct node *node);
    /* Writes a NODE_BARRIER. NULL in C, which has none left. */
    void (*barrier)(struct emit *emit);
    /* NODE_RETURN: writes what comes before the jump to the work-item's end. May be NULL. */
    void (*leave)(struct emit *emit);
    /* The prefix of a push constant's or block's name: "arguments." */
    const char *arguments;
};

/* CUDA: thread coarsening, how many neighbouring work-items a thread runs (targets/cuda_coarsen.c). */
struct emit_coarsen {
    uint32_t count;  /* 0: a thread is a work-item */
    bool is_along_y; /* the work-items are neighbours in y, not in x */
    /* The launch decides: a group for as many groups as a thread runs work-items, or a group for each, whose
     * threads run one work-item. */
    bool is_choice;
    const char *bound; /* work-items from this expression on do nothing; NULL: not known */
    uint32_t guard;    /* with a bound: index of the body's child through which those work-items leave */
};

/* Where an index is checked (TRM_TRANSLATE_BOUNDS). */
struct emit_site {
    const char *what;  /* "shared variable 'tile'" */
    const char *where; /* "file.comp:12"; "" when the shader has no lines */
};

struct emit {
    struct base_arena *arena;
    const struct emit_target *target;
    int32_t language;      /* enum trm_language */
    uint32_t flags;        /* enum trm_translate_flag */
    const uint8_t *digest; /* 32 bytes that the text carries along; NULL: none */
    struct spirv_module *module;
    struct spirv_reflection reflection;
    struct body *body;           /* of the kernel that is being written */
    struct names *names;         /* identifiers that are taken */
    struct emit_flow *flow;      /* flow.h: the position in the body */
    struct emit_rows *rows;      /* rows.h: the row of work-items that is being written */
    struct emit_coarsen coarsen; /* of the kernel that is being written */
    uint32_t *counts;            /* CUDA: coarsen.count of each kernel */
    bool *choices;               /* CUDA: coarsen.is_choice of each kernel */
    uint32_t kernel;             /* its index */
    const char *symbol;          /* its function's name */
    const char *const *symbols;  /* of all kernels */
    const char *const *fields;   /* names of the reflection's parameters as members of a struct */
    struct prelude prelude;      /* the parts of the prelude that the text needs */
    struct text_limit limit;     /* of the text */
    struct text head;            /* written last, because it depends on what the kernels use, and put first */
    struct text text;
    const struct spirv_instruction *at; /* the instruction that is being written, for errors */
    struct emit_site *sites;            /* of all kernels */
    uint32_t site_count, site_capacity;
    uint8_t *marks;                  /* [mark_count] by id: private to type.c */
    const struct spirv_type **units; /* [mark_count] by id of a buffer: see unit.c */
    uint32_t *buffers;               /* [mark_count] by id of a buffer: its parameter; see unit.c */
    bool *is_mixed;                  /* by parameter: a buffer with views of several scalar types */
    bool is_shared_mixed;            /* shared blocks of several scalar types */
    uint32_t element_count;          /* of images of arrays that instructions have named */
    uint32_t mark_count;
    uint8_t *matrices; /* by id of a type: private to op_cooperative.c */
};

/* ---- emit.c */

/* Fails with UNSUPPORTED: "OpFoo is not supported: reason (file.comp:12)". The reason may be "". */
int32_t emit_fail(struct emit *emit, const char *reason);

/* Is a parameter a member of the push constants, not a buffer, image or sampler? */
static inline bool emit_is_member(const struct trm_parameter *parameter)
{
    return parameter->kind == TRM_PARAMETER_SCALAR || parameter->kind == TRM_PARAMETER_BLOCK;
}

/* The name of a push constant's member, as it stands in the struct of arguments. */
const char *emit_parameter(struct emit *emit, uint32_t member);

/* ---- name.c */

/* The name of a value, variable or type: its OpName made an identifier (text/names.c), with its id when the
 * name alone is taken; text in the arena. It never ends with _x, _y, _z, _w or _size, so that those can be
 * put behind it. */
const char *emit_name(struct emit *emit, uint32_t id);

/* The shader's own name of an id; for a parameter, as reflected. "" when it has none. */
const char *emit_word(struct emit *emit, uint32_t id);

/* ---- control_flow.c */

int32_t emit_node(struct emit *emit, const struct node *node);

/* ---- declare.c */

/* The left side of an assignment to a component of a result: "const float s_sum_x" (PLACE_HERE) or
 * "s_sum_x". */
void emit_result(struct emit *emit, uint32_t id, uint32_t component);

/* Saves a spilled value after all its components were assigned. Does nothing for other values. */
void emit_assigned(struct emit *emit, uint32_t id);

/* A variable that is no buffer (function, private, shared; not members of the push constants) as an
 * expression that can be assigned: "s_sums", "shared->s_tile", "kept->s_history[item]". Buffers are pointers
 * called emit_name(), of type emit_buffer_type(), and views of them casts of that (emit_buffer()); their
 * sizes in bytes are emit_name() followed by "_size", a uint64_t. A member of the push constants is
 * target->arguments followed by emit_parameter(): a scalar, or for a block a pointer to const unsigned char
 * with the shader's layout. */
void emit_root(struct emit *emit, uint32_t variable);

/* Declares a PLACE_TOP or PLACE_GROUP value, initialised with zeros. */
void emit_declare(struct emit *emit, uint32_t id);

/* ---- row_index.c */

/* A 32-bit integer used as a buffer index, as an expression of type int64_t (unsigned types are
 * zero-extended). Every index that is not constant goes through this function: in a loop over work-items it
 * recognises the indices that advance with the loop counter, and writes them in a form in which a compiler
 * recognises them too. */
int32_t emit_index(struct emit *emit, uint32_t id);

/* The same for a component of a vector (WHOLE: a scalar). An unsigned number may come out negative where it
 * is 2^31 or more. */
int32_t emit_index_part(struct emit *emit, uint32_t id, uint32_t component);

/* ---- type.c */

/* "float", "uint32_t", "struct mat4x3_17 "; bool is "uint32_t" in memory, "int" as a value. */
const char *emit_type_name(struct emit *emit, uint32_t type);

/* How many variables hold a value of the type: 1 for scalars, 2 to 4 for vectors, 0 for the others, which are
 * WHOLE. */
uint32_t emit_components(const struct emit *emit, uint32_t type);

/* Writes the structs for the matrices, arrays and structs of the module, and its composite constants. */
int32_t emit_types(struct emit *emit);

/* The C type that declares a variable of this type in shared, spill or the function's own memory, written
 * before an identifier (so arrays and vectors are structs): "float", "struct array_17". Without layout. */
const char *emit_storage_type(struct emit *emit, uint32_t type);

/* ---- value.c */

/* A component of a value or constant, as an expression; recurses into PLACE_INLINE. */
int32_t emit_value(struct emit *emit, uint32_t id, uint32_t component);

/* The statements for one instruction of NODE_OPS: declare or assign its result, or perform its effect. */
int32_t emit_instruction(struct emit *emit, const struct spirv_instruction *op);

/* The expression for a component of a pure instruction's result. */
int32_t emit_expression(struct emit *emit, const struct spirv_instruction *op, uint32_t component);

/* ---- op_image.c */

/* The C type of the constant that stands for an image, sampler or texel buffer, and its value, made of a
 * struct trm_image_words. */
const char *emit_opaque_type(struct emit *emit, uint32_t variable);
const char *emit_opaque_value(struct emit *emit, uint32_t variable, const char *words);

/* The expression of what such a constant, called `name`, leaves of trm_plain, the format that all textures of
 * the kernel have if they can be sampled without branches; NULL: it does not matter. */
const char *emit_plain_format(struct emit *emit, uint32_t variable, const char *name);

/* ---- address.c, memory.c */

/* The C type through which a buffer is indexed: that of its elements when it holds only those, packed; else
 * "unsigned char". */
const char *emit_buffer_type(struct emit *emit, uint32_t variable);

/* A buffer's variable as an expression: the pointer of the parameter, cast to emit_buffer_type() when the
 * parameter is named after another view. So all views are one pointer to a compiler. */
const char *emit_buffer(struct emit *emit, uint32_t variable);

/* The variable after which the parameter of a buffer is named. */
uint32_t emit_buffer_variable(const struct emit *emit, uint32_t variable);

/* ---- array.c
 *
 * Arrays of buffers, images and samplers. In C, the array's name is a pointer to as many struct
 * trm_cpu_buffer or trm_image_words; in CUDA C it is a struct of as many addresses or trm_image_words, and
 * the name with "_size" a struct of the buffers' sizes. */

/* The type of such a struct: "TRM_TABLE trm_table<void *, 4>". */
const char *emit_table_type(struct emit *emit, const char *type, uint32_t count);

/* How many indices select an element: 0 for a variable that is no array. */
uint32_t emit_levels(const struct emit *emit, uint32_t variable);

/* The elements of a parameter: a number, or the argument that has it. */
const char *emit_element_count(struct emit *emit, uint32_t parameter);

/* The number of the element that the first indices of an access select, as an expression. */
int32_t emit_element_number(struct emit *emit, const struct access *access, const char **number);

/* The entry of an array's table with this number: "s_parts[i]", "s_parts.at[i]". */
const char *emit_entry(struct emit *emit, uint32_t variable, const char *number);

/* The element of a buffer as a pointer of type emit_buffer_type(), and its bytes. */
const char *emit_element_buffer(struct emit *emit, uint32_t variable, const char *number);
const char *emit_element_size(struct emit *emit, uint32_t variable, const char *number);

/* The words of the image or sampler that an access selects. With checks, an index that is outside counts as
 * 0, and *check is the condition; else *check is NULL. */
int32_t emit_element_words(struct emit *emit, const struct access *access, const char **words,
                           const char **check);

/* Declares a variable of the function, the group or the work-item (storage type, name, initial value). A
 * PLACE_SPILLED variable is in memory already and gets only a statement that assigns its initial value, if it
 * has one. */
int32_t emit_variable(struct emit *emit, uint32_t variable);

/* bounds.c: adds a site for the instruction that is being written. Returns its number. */
uint32_t emit_add_site(struct emit *emit, const char *what);

#endif
