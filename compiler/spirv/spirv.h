/* A SPIR-V module in memory: what the reader (read.c) makes of the words, checked, and what reflection and
 * translation work on. Everything lies in the module's arena.
 *
 * Once spirv_read() has said yes, the rest of the code may rely on this: every id that an instruction names is
 * defined and is of the kind that the instruction needs (a type where a type belongs, a value that has a type, a
 * label of the same function); result types agree with the operands' as the rule of the instruction asks (grammar.h);
 * literal indices of composites, and constant ones of structs, vectors and matrices in access chains, are in range
 * (those of arrays need not be); pointers are results of OpVariable and access chains or parameters, and nothing in
 * memory is one; types are no deeper than SPIRV_DEPTH_MOST and do not contain themselves; functions do not call
 * themselves, not even by way of others; each block ends with its one terminator; definitions dominate their uses
 * (where they can be reached); variables of functions are in their first blocks.
 *
 * Of blocks that can be reached, control flow is structured as validate_structure.c says. A block with several ways in
 * is a merge, a continue target, a loop header or a case of a switch; a case is fallen into from one other case at
 * most. A branch of two ways that stay in its construct has a selection merge. Merges and continue targets are blocks of
 * the function, but it may be that they cannot be reached; a loop may have no way back that can be.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_SPIRV_H
#define COMPILER_SPIRV_SPIRV_H

#include <stdbool.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>
#include <trireme/shader.h>

#include "base/base.h"

#define SPIRV_DEPTH_MOST 32u         /* nesting of types, and of the calls of functions */
#define SPIRV_BOUND_MOST 1000000u    /* ids of one module */
#define SPIRV_SIZE_MOST (1u << 30)   /* bytes of one type */
#define SPIRV_WEIGHT_MOST (1u << 20) /* scalars that one constant is made of */
#define SPIRV_ITEMS_MOST 65536u      /* work-items of a group */
#define SPIRV_NESTING_MOST 200u      /* of control flow in one function */
#define SPIRV_ENTRIES_MOST 256u
#define SPIRV_CONSTANTS_MOST 1024u /* with a SpecId */

enum spirv_type_kind {
    SPIRV_VOID = 1,
    SPIRV_BOOL,
    SPIRV_INT,
    SPIRV_FLOAT,
    SPIRV_VECTOR,
    SPIRV_MATRIX,
    SPIRV_ARRAY,
    SPIRV_RUNTIME_ARRAY,
    SPIRV_STRUCT,
    SPIRV_POINTER,
    SPIRV_FUNCTION,
};

struct spirv_member {
    uint32_t type;
    const char *name; /* "" when there is none */
    uint32_t offset;  /* bytes; of explicit layouts */
    uint32_t matrix_stride;
    bool has_offset;
    bool row_major;
    bool non_writable;
    bool non_readable;
    bool is_volatile;
    bool is_coherent;
    int32_t builtin; /* SpvBuiltIn; -1: none */
};

struct spirv_type {
    uint32_t id;
    enum spirv_type_kind kind;
    uint32_t width; /* bits of INT and FLOAT */
    bool is_signed; /* of INT */
    uint32_t
        element; /* component of a VECTOR, column of a MATRIX, element of an array, pointee, result of FUNCTION */
    uint32_t
        count; /* components, columns, elements of ARRAY (specialised), members, parameters of FUNCTION */
    uint32_t length;              /* of ARRAY: the id of the constant that is its length */
    uint32_t stride;              /* bytes, ArrayStride; 0: none */
    uint32_t storage;             /* of POINTER: SpvStorageClass */
    struct spirv_member *members; /* [count], of STRUCT */
    const uint32_t *parameters;   /* [count], types, of FUNCTION */
    uint32_t size; /* bytes in an explicit layout, up to the last byte used; runtime arrays count 0 */
    uint32_t
        natural_size; /* bytes as C would lay it out, with vectors as arrays; bool 4; at most SPIRV_SIZE_MOST */
    uint8_t natural_alignment;
    uint8_t depth; /* of nesting; 1 for scalars */
    bool is_block; /* decorated Block */
    bool is_buffer_block;
    bool is_unsized;        /* a runtime array, or a struct that ends with one: never the type of a value */
    bool is_layout_checked; /* offsets and strides were looked at */
};

/* Constants with the specialisation in force. Composite ones have parts; scalar ones have bits (sign- or
 * zero-extended to 64 as their type says; a bool is 0 or 1; floats are their IEEE bits). */
struct spirv_constant {
    uint32_t type;
    uint64_t bits;
    const uint32_t *parts; /* ids, for composites */
    uint32_t part_count;
    bool is_null; /* OpConstantNull, OpUndef: all zero */
    bool is_spec; /* may be specialised, itself or something it is made of */
    bool has_spec_id;
    uint32_t spec_id;
    uint64_t default_bits; /* of those with a SpecId: without specialisation */
    uint32_t weight;       /* how many scalars and nulls it is written with; at most SPIRV_WEIGHT_MOST */
};

struct spirv_variable {
    uint32_t type;        /* of the pointer */
    uint32_t storage;     /* SpvStorageClass */
    uint32_t initializer; /* id of a constant; 0: none */
    uint32_t set, binding;
    bool has_binding;
    bool non_writable, non_readable, is_restrict, is_volatile, is_coherent;
    int32_t builtin; /* SpvBuiltIn; -1: none */
};

/* One instruction of a function. `operands` are the words after result type and result. */
struct spirv_instruction {
    uint16_t opcode;
    uint16_t operand_count;
    uint32_t type;   /* 0: none */
    uint32_t result; /* 0: none */
    uint32_t *operands;
    uint32_t file; /* id of an OpString; 0: not known */
    uint32_t line;
};

struct spirv_block {
    uint32_t label;
    uint32_t index; /* in its function */
    struct spirv_instruction
        *instructions; /* phis first, the terminator last; merge instructions are taken out */
    uint32_t count, capacity;
    uint32_t merge;       /* SpvOpSelectionMerge, SpvOpLoopMerge; 0: none */
    uint32_t merge_block; /* label */
    uint32_t continue_block;
    uint32_t unroll; /* loop control: SpvLoopControlUnrollMask and the like */
};

struct spirv_function {
    uint32_t id;
    uint32_t type;              /* of the function */
    uint32_t result;            /* type */
    const uint32_t *parameters; /* ids */
    uint32_t parameter_count;
    struct spirv_block **blocks; /* in the order of the module; the first is the entry */
    uint32_t block_count, block_capacity;
    bool has_barrier; /* itself or something it calls has OpControlBarrier */
};

enum spirv_id_kind {
    SPIRV_ID_NONE = 0,
    SPIRV_ID_STRING,
    SPIRV_ID_EXTENDED, /* OpExtInstImport; `set` */
    SPIRV_ID_TYPE,
    SPIRV_ID_CONSTANT, /* and OpUndef, wherever it stands */
    SPIRV_ID_VARIABLE, /* of a module or a function */
    SPIRV_ID_FUNCTION,
    SPIRV_ID_PARAMETER,
    SPIRV_ID_BLOCK,
    SPIRV_ID_VALUE, /* the result of an instruction */
};

enum spirv_extended_set {
    SPIRV_SET_GLSL = 1,
    SPIRV_SET_IGNORED, /* NonSemantic.*, debug information */
};

struct spirv_id {
    enum spirv_id_kind kind;
    uint32_t type;    /* of a value, constant, variable, parameter; else 0 */
    const char *name; /* OpName; "" when there is none */
    const char *text; /* of a STRING */
    uint32_t set;     /* enum spirv_extended_set */
    bool no_contraction;
    bool relaxed;
    union {
        struct spirv_type *type_info;
        struct spirv_constant *constant;
        struct spirv_variable *variable;
        struct spirv_function *function;
        struct spirv_block *block;
        struct spirv_instruction *instruction; /* of a VALUE, where it was read */
    } as;
};

struct spirv_entry {
    const char *name;
    uint32_t function;
    uint32_t local_size[3];
};

struct spirv_module {
    struct base_arena *arena;
    uint32_t version; /* 0x00010000 … 0x00010600 */
    uint32_t bound;
    uint32_t id_capacity;
    struct spirv_id *ids;        /* [bound] */
    struct spirv_entry *entries; /* GLCompute only */
    uint32_t entry_count;
    struct spirv_function **functions; /* callees before callers */
    uint32_t function_count;
    uint32_t *variables; /* ids of the module's variables, in order */
    uint32_t variable_count;
    uint32_t *constants; /* ids with a SpecId, in the order of these, of which several may have the same */
    uint32_t constant_count;
    uint32_t *types; /* ids of all types, in order */
    uint32_t type_count;
    const uint32_t *capabilities; /* SpvCapability */
    uint32_t capability_count;
};

/* ---- reading ------------------------------------------------------------------------------- */

/* The words of a module in this machine's order, from bytes of either order and any alignment.
 * Errors: INVALID_ARGUMENT for what is no SPIR-V. */
int32_t spirv_words(struct base_arena *arena, const void *bytes, uint64_t size, uint32_t **words,
                    uint32_t *count);

/* Read and check a module, with these constants in force (by id or name; `constants` may be NULL).
 * Errors: INVALID_ARGUMENT with the word where the module is wrong, or naming a constant that it has not;
 * TYPE_MISMATCH for a constant; UNSUPPORTED for a capability, extension, memory or addressing model, with its name, or
 * an instruction that the table (grammar.h) does not have, with its source line. */
int32_t spirv_read(struct base_arena *arena, const uint32_t *words, uint32_t count,
                   const struct trm_constant *constants, uint32_t constant_count,
                   struct spirv_module **module);

/* ---- looking things up --------------------------------------------------------------------- */

/* The type with this id, which is one. */
static inline const struct spirv_type *spirv_type(const struct spirv_module *module, uint32_t id)
{
    return module->ids[id].as.type_info;
}

/* The type of a value, constant, variable or parameter. */
static inline const struct spirv_type *spirv_type_of(const struct spirv_module *module, uint32_t id)
{
    return spirv_type(module, module->ids[id].type);
}

/* The constant of that id, or NULL when it is no constant. */
static inline const struct spirv_constant *spirv_constant(const struct spirv_module *module, uint32_t id)
{
    return module->ids[id].kind == SPIRV_ID_CONSTANT ? module->ids[id].as.constant : NULL;
}

/* A new id for a value of that type, for passes that add instructions. 0 without memory. */
uint32_t spirv_new_id(struct spirv_module *module, uint32_t type);

/* ---- the grammar --------------------------------------------------------------------------- */

/* "OpIAdd"; "OpUnknown(1234)"-like text for a number that SPIR-V does not have. Static, or in `space`. */
const char *spirv_opcode_name(uint32_t opcode, char space[32]);
const char *spirv_capability_name(uint32_t capability, char space[32]);

/* Whether operand `index` of an instruction (of a function) is the id of something, rather than a literal. Of OpSwitch
 * only the first two are told: how many words a literal has is a matter of the selector's type. */
bool spirv_operand_is_id(const struct spirv_instruction *instruction, uint32_t index);

/* "file.comp:12" of an instruction, or "" without debug information. In `space`. */
const char *spirv_source_location(const struct spirv_module *module,
                                  const struct spirv_instruction *instruction, char space[256]);

/* ---- reflection ---------------------------------------------------------------------------- */

/* What a program is told of a module: its kernels and constants, in storage of the arena. `name` is what an entry
 * called "main" is called. The parameters are all buffers (StorageBuffer, Uniform) and push constants that the module
 * declares, in the order that struct trm_parameter documents; they are the same for all its kernels. */
struct spirv_reflection {
    struct trm_kernel_info *kernels;
    uint32_t kernel_count;
    struct trm_constant_info *constants;
    uint32_t constant_count;
    /* Which variable each parameter is: its id, and for members of the push constants their number. */
    const uint32_t *parameter_variables;
    const uint32_t *parameter_members;
};

int32_t spirv_reflect(const struct spirv_module *module, const char *name,
                      struct spirv_reflection *reflection);

#endif
