/* A SPIR-V module in memory. The reader (read.c) creates it from the words and checks it; reflection
 * (reflect.c) and the translator use it. Everything is allocated in the arena of the module. Nothing here
 * takes a lock: a module belongs to one thread at a time, and different modules are independent.
 *
 *   words.c, strip.c               bytes to words, strings; what no kernel uses is removed
 *   read.c                         header and sections
 *   preamble.c, annotate.c         capabilities, entry points, modes; names and decorations
 *   read_types.c, layout.c         types and explicit layouts
 *   addresses.c                    physical pointers
 *   read_image.c, check_image.c    images and samplers: types, variables, instructions
 *   read_constants.c, constant_fold.c, half.c    constants and specialisation
 *   read_variable.c, read_function.c, calls.c    variables, functions, calls
 *   cooperative.c                  cooperative matrices: types, instructions
 *   views.c                        variables that are one buffer
 *   ids.c, debug.c, names.c        ids and errors, source lines, names of opcodes
 *   grammar.c, check*.c            operands and types of instructions
 *   validate_*.c                   control flow graph, dominators, structured control flow
 *   reflect*.c                     kernels, parameters, their members, and constants for the program
 *
 * After spirv_read() has succeeded, other code may rely on these invariants:
 *  - Every id that an instruction names is defined and has the kind that the instruction needs.
 *  - The types of results and operands fit the rule of the instruction (grammar.h).
 *  - Literal indices of composites, and constant indices of structs, vectors and matrices in access chains,
 *    are in range. Indices of arrays need not be.
 *  - Pointers come from OpVariable, access chains, OpImageTexelPointer, OpCopyObject or parameters. Variable
 *    pointers, to storage buffers and shared memory, also come from selects, phis, calls, null constants,
 *    OpPtrAccessChain and variables of functions and work-items, which hold a pointer and nothing else.
 *  - Physical pointers come from all these, from loads of any memory, from composites and from integers.
 *    Types of members, elements and constants are the integer type `address_type` in place of them.
 *  - Images, samplers and sampled images come from OpLoad of a variable, OpSampledImage, OpImage,
 *    OpCopyObject or parameters. None is stored in memory, returned or selected.
 *  - Types nest no deeper than SPIRV_DEPTH_MOST and do not contain themselves.
 *  - Functions are not recursive, directly or indirectly.
 *  - Each block has one terminator, at its end. Definitions dominate their uses in reachable blocks. The
 *    variables of a function are in its first block.
 *  - Control flow of reachable blocks is structured (validate_structure.c). A block with several predecessors
 *    is a merge, a continue target, a loop header or a case; at most one other case falls through to a case.
 *    A branch with two targets in its own construct has a selection merge or heads a loop. Merges and
 *    continue targets are blocks of the function but may be unreachable, and a loop may have no reachable
 *    back edge.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_SPIRV_H
#define COMPILER_SPIRV_SPIRV_H

#include <stdbool.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>
#include <trireme/shader.h>

#include "base/base.h"

#define SPIRV_DEPTH_MOST 32u         /* nesting of types and of calls */
#define SPIRV_BOUND_MOST 1000000u    /* ids of one module */
#define SPIRV_SIZE_MOST (1u << 30)   /* bytes of one type */
#define SPIRV_WEIGHT_MOST (1u << 20) /* scalars in one constant */
#define SPIRV_ITEMS_MOST 65536u      /* work-items of a group */
#define SPIRV_NESTING_MOST 200u      /* of constructs in one function */
#define SPIRV_ENTRIES_MOST 256u
#define SPIRV_CONSTANTS_MOST 1024u /* with a SpecId */
#define SPIRV_SUBGROUP 32u         /* invocations of a subgroup, in modules with cooperative matrices */

/* Numbers of SPIR-V that the headers of older systems lack, named as there. */
enum spirv_newer {
    /* Not the standard's. What compiler/lower makes of matrices of work-groups takes addresses of elements of
     * buffers, and has operations of subgroups of SPIRV_SUBGROUP work-items. */
    SPIRV_CapabilityBufferAddresses                  = 65500,
    SPIRV_CapabilityMatrixSubgroups                  = 65501,
    SPIRV_CapabilityCooperativeMatrixKHR             = 6022,
    SPIRV_CapabilityDotProductFloat16AccFloat32VALVE = 6912,
    SPIRV_CapabilityDotProductFloat16AccFloat16VALVE = 6913,

    SPIRV_OpTypeCooperativeMatrixKHR   = 4456,
    SPIRV_OpCooperativeMatrixLoadKHR   = 4457,
    SPIRV_OpCooperativeMatrixStoreKHR  = 4458,
    SPIRV_OpCooperativeMatrixMulAddKHR = 4459,
    SPIRV_OpCooperativeMatrixLengthKHR = 4460,
    SPIRV_OpFDot2MixAcc32VALVE         = 6916,
    SPIRV_OpFDot2MixAcc16VALVE         = 6917,
};

/* What a matrix is in a multiplication: A times B, plus an accumulator. */
enum spirv_matrix_use {
    SPIRV_MatrixAKHR           = 0,
    SPIRV_MatrixBKHR           = 1,
    SPIRV_MatrixAccumulatorKHR = 2,
    SPIRV_MatrixAnyUse         = 3, /* SPV_NV_cooperative_matrix declares none */
};

/* Operands of OpCooperativeMatrixMulAddKHR. */
enum spirv_matrix_operands {
    SPIRV_MatrixASignedKHR          = 1,
    SPIRV_MatrixBSignedKHR          = 2,
    SPIRV_MatrixCSignedKHR          = 4,
    SPIRV_MatrixResultSignedKHR     = 8,
    SPIRV_SaturatingAccumulationKHR = 16,
};
#define SPIRV_ELEMENTS_MOST 1024u /* of an array of buffers, images or samplers */

/* The number of entries of an array. */
#define SPIRV_COUNT(table) (sizeof(table) / sizeof((table)[0]))

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
    SPIRV_COOPERATIVE, /* a cooperative matrix */
    /* Opaque: values that are only passed on to image instructions. */
    SPIRV_IMAGE,
    SPIRV_SAMPLER,
    SPIRV_SAMPLED_IMAGE,
};

/* What OpTypeImage says. */
struct spirv_image {
    int32_t type;         /* enum trm_image_type */
    int32_t format;       /* enum trm_format; NONE: any */
    uint32_t texel_bytes; /* of the format; 0: any */
    uint32_t dimensions;  /* 1 to 3, without layers; of a cube 3, those of a direction */
    bool is_array;
    bool is_cube;    /* or an array of cubes */
    bool is_depth;   /* the module says that it is compared with a depth */
    bool is_storage; /* read and written texel by texel; else sampled */
};

/* What OpTypeCooperativeMatrixNV and OpTypeCooperativeMatrixKHR say. */
struct spirv_matrix {
    uint32_t rows, columns;
    uint32_t use; /* enum spirv_matrix_use */
};

struct spirv_member {
    uint32_t type;
    const char *name; /* "" if it has none */
    uint32_t offset;  /* bytes, in an explicit layout */
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
    /* The type of a component, column, element, pointee, of the result of a FUNCTION, of a component of an
     * IMAGE's texel, or of a SAMPLED_IMAGE's image. */
    uint32_t element;
    /* The number of components, columns, elements (specialised), members, or parameters. */
    uint32_t count;
    uint32_t length;                   /* of ARRAY: id of the constant */
    uint32_t stride;                   /* bytes, ArrayStride; 0: none */
    uint32_t storage;                  /* of POINTER: SpvStorageClass */
    struct spirv_member *members;      /* [count], of STRUCT */
    const uint32_t *parameters;        /* [count], types, of FUNCTION */
    const struct spirv_image *image;   /* of IMAGE and SAMPLED_IMAGE */
    const struct spirv_matrix *matrix; /* of COOPERATIVE, whose `count` is the elements of an invocation */
    /* Bytes in an explicit layout, up to the last byte used; a runtime array has 0. */
    uint32_t size;
    /* Bytes in the layout of C, where vectors are arrays and a bool has 4; at most SPIRV_SIZE_MOST. */
    uint32_t natural_size;
    uint8_t natural_alignment;
    uint8_t depth; /* nesting; 1 for scalars */
    bool is_block; /* decorated Block */
    bool is_buffer_block;
    bool is_unsized; /* a runtime array or a struct that ends with one; no value has this type */
    bool is_layout_checked;
    bool is_forward; /* announced by OpTypeForwardPointer and not defined yet */
};

/* A constant after specialisation. Composites have parts. Scalars have bits: integers sign- or zero-extended
 * to 64 bits according to the type, bools 0 or 1, floats their IEEE encoding. */
struct spirv_constant {
    uint32_t type;
    uint64_t bits;
    const uint32_t *parts; /* ids, for composites */
    uint32_t part_count;
    bool is_null; /* OpConstantNull, OpUndef: all zero */
    bool is_spec; /* specialisable, itself or one of its parts */
    bool has_spec_id;
    uint32_t spec_id;
    uint64_t default_bits; /* the value without specialisation, if it has a SpecId */
    uint32_t length_of;    /* the length of this type of cooperative matrices; 0: anything else */
    uint32_t weight;       /* number of scalars and nulls in it; at most SPIRV_WEIGHT_MOST */
};

struct spirv_variable {
    uint32_t type;        /* of the pointer */
    uint32_t storage;     /* SpvStorageClass */
    uint32_t initializer; /* id of a constant; 0: none */
    uint32_t set, binding;
    bool has_binding;
    bool non_writable, non_readable, is_restrict, is_aliased, is_volatile, is_coherent;
    int32_t builtin; /* SpvBuiltIn; -1: none */
    /* Buffers on one set and binding are views of one buffer: the same memory, perhaps with different types.
     * is_volatile and is_coherent hold for all views if they hold for one; is_restrict for none. So are all
     * shared blocks of a module (explicit layout): each begins where the shared memory begins. */
    uint32_t view_of; /* the first view of the memory, perhaps this variable; 0: no buffer or block */
    bool has_views;   /* the memory has other views */
    bool is_written;  /* the shader may write the memory, through any view */
    bool is_shared_block;
    bool is_memory;   /* made by the translator: what variable pointers point to */
    bool is_physical; /* of a memory variable: what physical pointers point to */
};

/* One instruction of a function. `operands` are the words after the result type and the result. */
struct spirv_instruction {
    uint16_t opcode;
    uint16_t operand_count;
    uint32_t type;   /* 0: none */
    uint32_t result; /* 0: none */
    uint32_t *operands;
    /* Where OpLine names none, those of the instruction before it, if need be of the closest block above. */
    uint32_t file; /* id of an OpString; 0: unknown */
    uint32_t line;
};

struct spirv_block {
    uint32_t label;
    uint32_t index; /* in its function */
    /* Phis first, the terminator last. Merge instructions are removed: see `merge`. */
    struct spirv_instruction *instructions;
    uint32_t count, capacity;
    uint32_t merge;       /* SpvOpSelectionMerge, SpvOpLoopMerge; 0: none */
    uint32_t merge_block; /* label */
    uint32_t continue_block;
    uint32_t unroll; /* loop control: SpvLoopControlUnrollMask, ... */
};

struct spirv_function {
    uint32_t id;
    uint32_t type;              /* of the function */
    uint32_t result;            /* type */
    const uint32_t *parameters; /* ids */
    uint32_t parameter_count;
    struct spirv_block **blocks; /* in the order of the module; the first is the entry */
    uint32_t block_count, block_capacity;
    uint32_t file, line; /* of its OpFunction, like those of an instruction */
    bool has_barrier;    /* the function or a callee has OpControlBarrier */
};

enum spirv_id_kind {
    SPIRV_ID_NONE = 0,
    SPIRV_ID_STRING,
    SPIRV_ID_DECORATIONS, /* OpDecorationGroup */
    SPIRV_ID_EXTENDED,    /* OpExtInstImport; `set` */
    SPIRV_ID_TYPE,
    SPIRV_ID_CONSTANT, /* and OpUndef, inside functions too */
    SPIRV_ID_VARIABLE, /* of the module or of a function */
    SPIRV_ID_FUNCTION,
    SPIRV_ID_PARAMETER,
    SPIRV_ID_BLOCK,
    SPIRV_ID_VALUE, /* the result of an instruction */
};

enum spirv_extended_set {
    SPIRV_SET_GLSL = 1,
    SPIRV_SET_IGNORED, /* NonSemantic.* and debug information */
};

struct spirv_id {
    enum spirv_id_kind kind;
    uint32_t type;    /* of a value, constant, variable or parameter; else 0 */
    const char *name; /* OpName; "" if it has none */
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
        struct spirv_instruction *instruction; /* of a VALUE */
    } as;
};

struct spirv_entry {
    const char *name;
    uint32_t function;
    uint32_t local_size[3];
    bool has_spec_size; /* specialisation constants give the size */
};

struct spirv_module {
    struct base_arena *arena;
    /* Why no code can be made of the module with the values of its specialisation constants, for example
     * because an array gets length 0; see spirv_check_fit(). NULL: code can be made. */
    const char *unfit;
    int32_t unfit_status;
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
    uint32_t *constants; /* ids with a SpecId, sorted by it; several may share one */
    uint32_t constant_count;
    uint32_t *types; /* ids of all types, in order */
    uint32_t type_count;
    uint32_t address_type;        /* of physical pointers in memory; 0: the module has none */
    const uint32_t *capabilities; /* SpvCapability */
    uint32_t capability_count;
    bool takes_addresses; /* of elements of its buffers */
    bool has_matrices;    /* there are types of cooperative matrices */
    /* Set by the translator to C: a barrier of the subgroup is one of the group, and the first of every
     * SPIRV_SUBGROUP work-items holds the cooperative matrices. */
    bool has_leaders;
};

/* ---- reading ------------------------------------------------------------------------------- */

/* Converts the bytes of a module to words in host byte order. The bytes may have either byte order and any
 * alignment.
 * Errors: INVALID_ARGUMENT for bytes that are not SPIR-V; UNSUPPORTED for more than 256 MiB;
 * OUT_OF_HOST_MEMORY. */
int32_t spirv_words(struct base_arena *arena, const void *bytes, uint64_t size, uint32_t **words,
                    uint32_t *count);

/* Removes from a module what its kernels do not use, in two cases: beside kernels it has entry points of
 * other stages, which go with their functions and variables; or it has types that spirv_read() refuses and
 * nothing uses, such as pointers to outputs. Leaves any other words alone. The new words are in the arena.
 * Errors: OUT_OF_HOST_MEMORY. */
int32_t spirv_strip(struct base_arena *arena, const uint32_t **words, uint32_t *count);

/* Reads and checks a module and specialises it with these constants, which are given by id or name;
 * `constants` may be NULL if `constant_count` is 0.
 * Errors: INVALID_ARGUMENT with the word where the module is invalid, or with a constant that it does not
 * have; TYPE_MISMATCH for a constant; UNSUPPORTED for a capability, extension, memory or addressing model, or
 * an instruction that is not in the grammar, with its source line; OUT_OF_HOST_MEMORY. */
int32_t spirv_read(struct base_arena *arena, const uint32_t *words, uint32_t count,
                   const struct trm_constant *constants, uint32_t constant_count,
                   struct spirv_module **module);

/* Checks that code can be made of the module with the values of its specialisation constants. spirv_read()
 * accepts a module whose sizes are wrong with some values, for example with the defaults, because the program
 * may give others. An array of a wrong length has one element then; the size of a work-group is what the
 * constants say.
 * Errors: INVALID_ARGUMENT or UNSUPPORTED with the constants. */
int32_t spirv_check_fit(const struct spirv_module *module);

/* ---- lookups ------------------------------------------------------------------------------- */

/* The type with this id, which must be the id of a type. */
static inline const struct spirv_type *spirv_type(const struct spirv_module *module, uint32_t id)
{
    return module->ids[id].as.type_info;
}

/* The stride of the elements that a pointer to a buffer steps over: that of the pointer's type, else of the
 * arrays of such elements in the module. 0 when there is none, or several differ. */
uint64_t spirv_element_stride(const struct spirv_module *module, const struct spirv_type *pointer);

/* The type of a value, constant, variable or parameter. */
static inline const struct spirv_type *spirv_type_of(const struct spirv_module *module, uint32_t id)
{
    return spirv_type(module, module->ids[id].type);
}

/* The constant with this id, or NULL if the id is not a constant. */
static inline const struct spirv_constant *spirv_constant(const struct spirv_module *module, uint32_t id)
{
    return module->ids[id].kind == SPIRV_ID_CONSTANT ? module->ids[id].as.constant : NULL;
}

/* Is it the type of a physical pointer? */
bool spirv_is_address(const struct spirv_type *type);

/* Is it the type of an image, sampler or sampled image? */
static inline bool spirv_is_opaque(const struct spirv_type *type)
{
    return type->kind >= SPIRV_IMAGE;
}

/* The buffer's block, image or sampler that a variable of this type is, or that the elements of an array of
 * them are. */
const struct spirv_type *spirv_descriptor(const struct spirv_module *module, const struct spirv_type *type);

/* The type of the buffer's block, image or sampler behind a variable: spirv_descriptor() of what it points
 * to. */
const struct spirv_type *spirv_descriptor_of(const struct spirv_module *module, uint32_t variable);

/* How many arrays such a type consists of: 2 for "parts[2][3]". */
uint32_t spirv_descriptor_levels(const struct spirv_module *module, const struct spirv_type *type);

/* The optional operands of an image instruction: ids, 0 where there is none. */
struct spirv_image_operands {
    uint32_t mask; /* SpvImageOperandsMask */
    uint32_t lod, grad_x, grad_y;
    uint32_t offset;  /* ConstOffset or Offset */
    uint32_t offsets; /* ConstOffsets */
};

/* Takes the optional operands apart. */
struct spirv_image_operands spirv_image_operands(const struct spirv_instruction *instruction);

/* The operands of an instruction that loads or stores a cooperative matrix. */
struct spirv_matrix_access {
    uint32_t pointer, object; /* ids */
    uint32_t stride; /* id: elements of the pointer's type from one row or column to the next; 0: none */
    uint32_t layout; /* id */
    uint32_t memory; /* index of the memory operands */
    bool is_column_major, is_volatile;
};

struct spirv_matrix_access spirv_matrix_access(const struct spirv_module *module,
                                               const struct spirv_instruction *instruction);

/* The operands of a product of cooperative matrices: enum spirv_matrix_operands. */
uint32_t spirv_matrix_signs(const struct spirv_module *module, const struct spirv_instruction *instruction);

/* Is it a cooperative matrix or an array of them? */
bool spirv_holds_matrix(const struct spirv_module *module, const struct spirv_type *type);

/* A new id for a value of this type, for passes that add instructions. 0 without memory. */
uint32_t spirv_new_id(struct spirv_module *module, uint32_t type);

/* The bytes that all shared blocks take together, a multiple of 16; 0: there are none. */
uint32_t spirv_shared_block_size(const struct spirv_module *module);

/* ---- the grammar --------------------------------------------------------------------------- */

/* "OpIAdd", or for an unknown number "OpUnknown(1234)". The text is static or in `space`. */
const char *spirv_opcode_name(uint32_t opcode, char space[32]);
const char *spirv_capability_name(uint32_t capability, char space[32]);

/* Do instructions of functions with this opcode have a type and a result? Those are their first two words. */
bool spirv_has_type(uint32_t opcode);

/* Whether operand `index` of an instruction in a function is an id rather than a literal. For OpSwitch it is
 * true only for selector and default: the width of the literals that follow depends on the type of the
 * selector. */
bool spirv_operand_is_id(const struct spirv_instruction *instruction, uint32_t index);

/* Writes "file.comp:12" for an instruction, or "" without debug information, to `space`, and returns that. */
const char *spirv_source_location(const struct spirv_module *module,
                                  const struct spirv_instruction *instruction, char space[256]);

/* ---- reflection ---------------------------------------------------------------------------- */

/* A variable that is not the one after which its buffer's parameter is described. */
struct spirv_view {
    uint32_t variable;
    struct trm_view_info info;
};

/* The kernels and constants of a module, allocated in its arena. The parameters are all buffers
 * (StorageBuffer, Uniform), images and samplers (UniformConstant) and push constants that the module
 * declares, in the order that struct trm_parameter documents; all kernels of a module have the same
 * parameters. */
struct spirv_reflection {
    struct trm_kernel_info *kernels;
    uint32_t kernel_count;
    struct trm_constant_info *constants;
    uint32_t constant_count;
    /* For each parameter: the id of its variable, and the index of the member for push constants. */
    const uint32_t *parameter_variables;
    const uint32_t *parameter_members;
    const struct spirv_view *views; /* in the order of the parameters */
    uint32_t view_count;
    const struct trm_member_info *members; /* as trm_shader_member() has them */
    uint32_t member_count;
};

/* The parameters of a kernel as backends get them, in the arena: an array of n buffers, images or samplers is
 * n parameters with one set and place. An array whose number of elements a launch gives is TRM_ARRAY_MOST of
 * them, and the number itself a u64 with the set SPIRV_COUNT_SET: these scalars come before the members of
 * the push constants, in the order of their arrays. Without arrays the list is the kernel's own. Errors:
 * OUT_OF_HOST_MEMORY. */
#define SPIRV_COUNT_SET UINT32_MAX
int32_t spirv_flatten(struct base_arena *arena, struct trm_kernel_info *kernel);

/* Describes a module. An entry point "main" gets the name `name`, unless that is NULL.
 * Errors: UNSUPPORTED for too much shared memory; OUT_OF_HOST_MEMORY. */
int32_t spirv_reflect(const struct spirv_module *module, const char *name,
                      struct spirv_reflection *reflection);

#endif
