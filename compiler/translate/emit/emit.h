/* Writing a tree as text. emit.c holds a translation together; emit_flow.c writes control flow and item loops; emit_type.c
 * types; emit_memory.c accesses; emit_value.c and emit_op*.c what instructions compute; target_c.c and target_cuda.c
 * what differs between the two languages.
 *
 * How values look. Each scalar component of a value is a C variable of its own: a scalar `%12` named "sum" is
 * sum_12 (or v12 without a name), a vec3 is sum_12_x, sum_12_y, sum_12_z, so that compilers see nothing but
 * scalars. Matrices, arrays and structs are one variable of a struct type (emit_type.c), whose vectors are arrays. Memory is
 * accessed by scalars: a buffer that holds nothing but elements of one scalar type, packed, is a typed pointer and is
 * indexed; any other is bytes at computed offsets.
 *
 * Expressions are complete in themselves: whoever writes one puts parentheses around it unless it is a name, a
 * literal or a call.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_EMIT_EMIT_H
#define COMPILER_TRANSLATE_EMIT_EMIT_H

#include "compiler/translate/tree/tree.h"

#define WHOLE UINT32_MAX /* as a component: a matrix, array or struct, or a scalar */

struct emit;

/* What differs between the languages. */
struct emit_target {
    int32_t language;
    /* What the text begins with (written to emit->prelude): headers, fixed-width types, the structs of kernels. Then comes
     * emit_prelude(), emit_types(), and the kernels. */
    void (*begin)(struct emit *emit);
    /* A whole kernel around emit->body's tree. */
    int32_t (*kernel)(struct emit *emit);
    /* The text after all kernels: tables of them. */
    void (*end)(struct emit *emit);
    /* A component of a built-in input (SpvBuiltInGlobalInvocationId, component 1), as a 32-bit unsigned expression. 0 when
     * the target does not have it. */
    int32_t (*builtin)(struct emit *emit, int32_t builtin, uint32_t component);
    /* NODE_ITEMS: the loops and what is in them. NULL where there are none (CUDA). */
    int32_t (*items)(struct emit *emit, const struct node *node);
    /* NODE_BARRIER. C has none left. */
    void (*barrier)(struct emit *emit);
    /* NODE_RETURN: what is to be done before this item's end is jumped to. May be NULL. */
    void (*leave)(struct emit *emit);
    /* Memory: what stands before a push constant's or block's name: "arguments." */
    const char *arguments;
};

/* CUDA: how many neighbouring items a thread does (target_cuda_several.c). */
struct emit_several {
    uint32_t count;    /* 0: a thread is an item */
    int32_t is_below;  /* they are neighbours in y, not in x */
    const char *bound; /* items from this expression on do nothing */
    uint32_t guard;    /* number of the body's child by which the others leave */
};

struct emit {
    struct base_arena *arena;
    const struct translate_request *request;
    const struct emit_target *target;
    struct spirv_module *module;
    struct spirv_reflection reflection;
    struct body *body;           /* of the kernel that is being written */
    struct emit_names *names;    /* names.c */
    struct emit_flow *flow;      /* emit_flow.c: where in the body the text is */
    struct emit_rows *rows;      /* stream.c: the row of work-items that is being written */
    struct emit_several several; /* of the kernel that is being written */
    uint32_t *counts;            /* CUDA: several.count of each kernel */
    uint32_t kernel;             /* its number */
    const char *symbol;          /* its function's name */
    const char *const *symbols;  /* of all */
    const char *const *fields;   /* of the reflection's parameters, as names that they have in a struct */
    struct text prelude;         /* written last, put first: see emit_prelude() */
    struct text text;
    uint64_t
        features[8]; /* which parts of the prelude are needed: bits of enum emit_feature in emit_prelude.h */
    const struct spirv_instruction *at; /* the instruction that is being written, for errors */
    uint8_t *marks;                     /* [mark_count] by id: emit_type.c's own */
    const struct spirv_type **units;    /* [mark_count] by id of a buffer: emit_unit.c's own */
    uint32_t mark_count;
};

/* ---- emit.c */

/* "OpFoo is not supported (file.comp:12)"; the reason may add something. Answers UNSUPPORTED. */
int32_t emit_fail(struct emit *emit, const char *reason);

/* The name of a value, variable, type: its OpName made an identifier, with its id where that alone would be taken; text in
 * the arena. It never ends with _x, _y, _z, _w or _size, so that those can be put behind it. */
const char *emit_name(struct emit *emit, uint32_t id);

/* ---- emit_flow.c */

int32_t emit_node(struct emit *emit, const struct node *node);

/* The left side of an assignment to a component of a result: "const float sum_12_x" (PLACE_HERE) or "sum_12_x". */
void emit_result(struct emit *emit, uint32_t id, uint32_t component);

/* After all components were assigned: saves a kept value. Does nothing for the others. */
void emit_assigned(struct emit *emit, uint32_t id);

/* A variable that is no buffer (function, private, shared, push constants' members aside) as an expression that can be
 * assigned: "sums_12", "shared->tile_7", "kept->history_9[item]". Buffers are pointers called emit_name() (of
 * emit_buffer_type()), with their sizes in bytes as emit_name() followed by "_size", a uint64_t. A member of the push constants
 * is target->arguments followed by its parameter's name made an identifier (emit_parameter()): a scalar, or for a block a
 * pointer to const unsigned char with the layout that the shader gives. */
void emit_root(struct emit *emit, uint32_t variable);
const char *emit_parameter(struct emit *emit, uint32_t member);

/* Declares what is PLACE_TOP or PLACE_GROUP here, with zeros. */
void emit_declare(struct emit *emit, uint32_t id);

/* What is written, as a statement or (in parentheses) an expression, where an access is outside of its buffer
 * (TRM_TRANSLATE_BOUNDS); the access itself is left out, and a load gives zero. */
#define EMIT_BOUNDS_FAILED "failed = 1"

/* ---- stream.c */

/* A 32-bit integer used as an index of a buffer, as an expression of type int64_t (of unsigned types zero-extended). To be used
 * for every index that is not constant: in a loop over work-items it knows which indices run along with them, and says so in
 * a way that a compiler sees too. */
int32_t emit_index(struct emit *emit, uint32_t id);

/* ---- emit_type.c */

/* "float", "uint32_t", "struct mat4x3_17 "; bool is "uint32_t" in memory, "int" as a value. */
const char *emit_type_name(struct emit *emit, uint32_t type);

/* Components that a value of the type has as variables of their own: 1 for scalars, 2 to 4 for vectors, 0 for the others,
 * which are WHOLE. */
uint32_t emit_components(const struct emit *emit, uint32_t type);

/* The structs for the matrices, arrays and structs of the module. */
int32_t emit_types(struct emit *emit);

/* ---- emit_value.c */

/* A component of a value or constant, as an expression; recurses into PLACE_INLINE. */
int32_t emit_value(struct emit *emit, uint32_t id, uint32_t component);

/* A statement, or several, for one instruction of NODE_OPS: its result is declared or assigned, or its effect happens. */
int32_t emit_instruction(struct emit *emit, const struct spirv_instruction *op);

/* The expression for a component of what a pure instruction computes. */
int32_t emit_expression(struct emit *emit, const struct spirv_instruction *op, uint32_t component);

/* ---- emit_memory.c */

/* The C type through which a buffer is indexed: that of its elements where it holds nothing else, packed; "unsigned char"
 * for any other. */
const char *emit_buffer_type(struct emit *emit, uint32_t variable);

/* The C type that a variable of this type in shared, kept or the function's own memory is declared with, to stand before
 * an identifier (so arrays and vectors are structs): "float", "struct array_17". Without layout. */
const char *emit_storage_type(struct emit *emit, uint32_t type);

/* Declares a variable of the function, of the group or of the item (storage type, name, initial value). Of a PLACE_KEPT one, which
 * is in memory already: only a statement that gives it its initial value, if it has one. */
int32_t emit_variable(struct emit *emit, uint32_t variable);

/* ---- emit_prelude.c */

/* Says that a part of the prelude is needed, and those that it needs. */
void emit_need(struct emit *emit, uint32_t feature);
void emit_prelude(struct emit *emit);

#endif
