/* The state of the reader and the functions that its files share. spirv_read() in read.c drives it: it passes
 * each instruction to the file that reads its section.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_READER_H
#define COMPILER_SPIRV_READER_H

#include <trireme/status.h>

#include "compiler/spirv/grammar.h"
#include "compiler/spirv/spirv.h"

/* A decoration of an id or of a member of a struct. A member name is stored as one, too. */
struct spirv_decoration {
    uint32_t next;   /* 1 + index of the next decoration of this id; 0: none */
    uint32_t member; /* SPIRV_WHOLE: the id itself */
    uint32_t kind;   /* SpvDecoration, or SPIRV_MEMBER_NAME */
    uint32_t literal;
    uint32_t id;      /* the decorated id */
    uint32_t at;      /* word of the instruction, for messages */
    const char *name; /* for SPIRV_MEMBER_NAME */
};

/* OpExtInstWithForwardRefsKHR of non-semantic sets, which older headers lack. */
#define SPIRV_OP_FORWARD_EXTENDED 4433

#define SPIRV_WHOLE UINT32_MAX
#define SPIRV_MEMBER_NAME UINT32_MAX

struct spirv_mode {
    uint32_t function;
    uint32_t mode; /* SpvExecutionModeLocalSize, SpvExecutionModeLocalSizeId */
    uint32_t values[3];
    uint32_t at;
};

/* A use of a value in another block than its definition. */
struct spirv_cross_use {
    uint32_t from, to; /* indices of the defining and the using block */
    uint32_t at;
};

struct spirv_call {
    struct spirv_function *caller;
    const uint32_t *operands;
    uint32_t operand_count;
    uint32_t type;
    uint32_t at;
};

/* Where an id is defined. */
struct spirv_definition {
    uint32_t function; /* 1 + number of the function; 0: outside of functions */
    uint32_t block;    /* index */
    uint32_t root;     /* for a pointer or image: the variable or parameter that it is derived from */
};

struct spirv_reader {
    struct spirv_module *module;
    struct base_arena *arena;
    const uint32_t *words;
    uint32_t *copy; /* a copy of the words, which the operands of instructions point into */
    uint32_t count;
    uint32_t bound;   /* bound of the ids in the header, and the size of the tables by id below */
    uint32_t at;      /* the first word of the current instruction */
    uint32_t opcode;  /* of the current instruction */
    uint32_t section; /* enum section of read.c; never decreases */
    uint32_t version;
    bool has_memory_model;
    bool has_addresses;     /* the addressing model is PhysicalStorageBuffer64 */
    uint32_t forward_count; /* pointer types that are announced and not defined yet */

    const struct trm_constant *specialisations;
    uint32_t specialisation_count;
    uint32_t *specialisation_ids; /* the SpecId of each; NULL before spirv_match_specialisations() */

    uint32_t *capabilities;
    uint32_t capability_count, capability_capacity;
    uint32_t *first_decoration; /* [bound]: 1 + index; 0: none */
    struct spirv_decoration *decorations;
    uint32_t decoration_count, decoration_capacity;
    struct spirv_mode *modes;
    uint32_t mode_count, mode_capacity;
    uint32_t type_capacity, variable_capacity, constant_capacity, entry_capacity, function_capacity;
    uint32_t workgroup_size; /* id of the constant with BuiltIn WorkgroupSize; 0: none */
    uint32_t push_constants; /* id of the variable; 0: none */

    /* Debug information. */
    uint32_t file, line;
    uint32_t *source_files; /* [bound] the OpString of a DebugSource; NULL before the first */

    /* The current function. */
    struct spirv_definition *definitions; /* [bound] */
    uint32_t match_budget;                /* remaining steps for comparing types logically */
    struct spirv_function *function;
    struct spirv_block *block;
    struct spirv_instruction *instructions; /* of the current block */
    uint32_t instruction_count, instruction_capacity;
    struct spirv_cross_use *cross_uses;
    uint32_t cross_use_count, cross_use_capacity;
    uint32_t parameters_read;
    uint32_t *parameters;     /* of the current function */
    struct spirv_call *calls; /* of all functions, by caller; checked at the end of the module */
    uint32_t call_count, call_capacity;
};

/* The words of one instruction. */
struct spirv_words {
    const uint32_t *word; /* the first holds opcode and length */
    uint32_t length;
};

/* Sets the error "SPIR-V, word 12 (OpLoad at file.comp:3): ..." and returns `status`. If the arena has
 * failed, the error is OUT_OF_HOST_MEMORY instead. */
int32_t spirv_fail(const struct spirv_reader *reader, int32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes for spirv_check_fit() that values of specialisation constants are not possible. Returns TRM_OK, or
 * OUT_OF_HOST_MEMORY. */
int32_t spirv_unfit(struct spirv_reader *reader, int32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define spirv_invalid(reader, ...) spirv_fail((reader), TRM_ERROR_INVALID_ARGUMENT, __VA_ARGS__)
#define spirv_unsupported(reader, ...) spirv_fail((reader), TRM_ERROR_UNSUPPORTED, __VA_ARGS__)

/* ---- words.c ------------------------------------------------------------------------------- */

/* The string that begins at word `index`, with control characters replaced by '?'. Sets `used` to its number
 * of words. Returns NULL if the string does not end within the instruction, or without memory; then the arena
 * has failed. */
const char *spirv_text(struct spirv_reader *reader, struct spirv_words words, uint32_t index, uint32_t *used);

/* ---- ids.c --------------------------------------------------------------------------------- */

/* Each returns TRM_OK, or INVALID_ARGUMENT with the reason. */
int32_t spirv_check_id(const struct spirv_reader *reader, uint32_t id);
int32_t spirv_define(struct spirv_reader *reader, uint32_t id, enum spirv_id_kind kind, uint32_t type);
int32_t spirv_check_type_id(const struct spirv_reader *reader, uint32_t id);
int32_t spirv_check_constant_id(const struct spirv_reader *reader, uint32_t id);
/* The id has a type and is visible in the current function. */
int32_t spirv_check_value_id(const struct spirv_reader *reader, uint32_t id);

bool spirv_has_capability(const struct spirv_reader *reader, uint32_t capability);

/* The type of a variable pointer: it may be chosen at run time, stored in variables and returned by functions
 * if the module declares VariablePointersStorageBuffer (storage buffers) or VariablePointers (also shared
 * memory). Errors: `refusal` for another pointer: INVALID_ARGUMENT where it is used as a value, UNSUPPORTED
 * where it is only mentioned. */
int32_t spirv_check_variable_pointer(const struct spirv_reader *reader, const struct spirv_type *type,
                                     int32_t refusal);

/* ---- annotate.c: names, decorations -------------------------------------------------------- */

int32_t spirv_read_annotation(struct spirv_reader *reader, struct spirv_words words);
const struct spirv_decoration *spirv_decoration_first(const struct spirv_reader *reader, uint32_t id);
const struct spirv_decoration *spirv_decoration_next(const struct spirv_reader *reader,
                                                     const struct spirv_decoration *decoration);

/* ---- preamble.c: capabilities, extensions, entry points, modes ----------------------------- */

int32_t spirv_read_preamble(struct spirv_reader *reader, struct spirv_words words);

/* Whether the capability or extension of an OpCapability or OpExtension of so many words is accepted. */
bool spirv_is_supported(const uint32_t *words, uint32_t length);

/* Whether an OpExtInstImport of so many words names a set that only describes the module: NonSemantic.… or
 * debug information. */
bool spirv_is_ignored_set(const uint32_t *words, uint32_t length);
int32_t spirv_finish_entries(struct spirv_reader *reader);

/* ---- read_types.c, layout.c ---------------------------------------------------------------- */

int32_t spirv_read_type(struct spirv_reader *reader, struct spirv_words words);

/* Whether pointers may have this SpvStorageClass. */
bool spirv_is_storage_supported(uint32_t storage);

/* The size in bytes of a type in an explicit layout. Stride and majority are those of the member that holds a
 * matrix. */
uint64_t spirv_layout_size(const struct spirv_module *module, const struct spirv_type *type,
                           uint32_t matrix_stride, bool row_major);

/* Checks that a type has the offsets and strides that an explicit layout needs, and that they fit. */
int32_t spirv_check_layout(const struct spirv_reader *reader, const struct spirv_type *type);

/* Checks what a physical pointer points to. */
int32_t spirv_check_pointee(const struct spirv_reader *reader, const struct spirv_type *type);

/* ---- addresses.c: physical pointers ---------------------------------------------------------- */

int32_t spirv_read_forward(struct spirv_reader *reader, struct spirv_words words);

/* Is the id a pointer type that is announced and not defined yet? */
bool spirv_is_forward(const struct spirv_reader *reader, uint32_t id);

/* Checks that all announced types are defined. */
int32_t spirv_check_forwards(const struct spirv_reader *reader);

/* Makes integers of addresses in memory, once the module is checked. */
int32_t spirv_lower_addresses(struct spirv_reader *reader);

/* ---- read_image.c -------------------------------------------------------------------------- */

/* Whether the reader accepts the type of an OpTypeImage of so many words. */
bool spirv_is_image_supported(const uint32_t *words, uint32_t length);
int32_t spirv_read_opaque(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type);

/* Checks a variable of storage class UniformConstant. */
int32_t spirv_check_opaque(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type,
                           const struct spirv_variable *variable);

/* ---- read_constants.c, constant_fold.c ----------------------------------------------------- */

/* Finds the SpecIds of the specialisation constants that the program gave. Call it after the last decoration
 * and before the first constant. */
int32_t spirv_match_specialisations(struct spirv_reader *reader);

/* Writes "; there are: operation, 3", with as many constants as fit. */
void spirv_list_constants(const struct spirv_reader *reader, char *list, size_t capacity);
int32_t spirv_read_constant(struct spirv_reader *reader, struct spirv_words words);

/* Evaluates an OpSpecConstantOp into a constant whose type is set. */
int32_t spirv_fold(struct spirv_reader *reader, uint32_t opcode, const uint32_t *operands, uint32_t count,
                   struct spirv_constant *constant);

/* The id of part `index` of a composite constant. Creates one for a part of a null constant. 0 without
 * memory. */
uint32_t spirv_constant_part(struct spirv_reader *reader, const struct spirv_constant *constant,
                             uint32_t index);
uint32_t spirv_new_constant(struct spirv_reader *reader, uint32_t type, uint64_t bits, bool is_null);

/* Sign- or zero-extends bits to the form that struct spirv_constant stores. */
uint64_t spirv_extend(const struct spirv_type *type, uint64_t bits);

/* The enum trm_type of a bool or number. */
int32_t spirv_public_type(const struct spirv_type *type);

/* The type of part `index` of a composite. */
uint32_t spirv_part_type(const struct spirv_type *type, uint32_t index);
/* The number of parts of a composite; 0 for other types. */
uint32_t spirv_part_count(const struct spirv_type *type);

/* ---- read_variable.c ----------------------------------------------------------------------- */

int32_t spirv_read_variable(struct spirv_reader *reader, struct spirv_words words);

/* ---- views.c ------------------------------------------------------------------------------- */

/* Links the variables that are views of one buffer, after the last variable of the module was read. */
int32_t spirv_link_views(struct spirv_reader *reader);

/* ---- debug.c ------------------------------------------------------------------------------- */

int32_t spirv_read_ignored(struct spirv_reader *reader, struct spirv_words words);

/* ---- read_function.c, calls.c -------------------------------------------------------------- */

int32_t spirv_read_function(struct spirv_reader *reader, struct spirv_words words);
int32_t spirv_finish_functions(struct spirv_reader *reader);

/* ---- reflect_image.c ----------------------------------------------------------------------- */

/* The kind of the parameter that a variable is: `kind`, or an array of that. */
int32_t spirv_reflect_kind(const struct spirv_module *module, uint32_t id, int32_t kind);

/* Describes a variable of storage class UniformConstant as a parameter. */
struct trm_parameter spirv_reflect_opaque(const struct spirv_module *module, uint32_t id);

/* ---- reflect_members.c --------------------------------------------------------------------- */

/* Lists the members of a kernel's parameters, which `reflection` says the variables of. */
int32_t spirv_reflect_members(const struct spirv_module *module, struct spirv_reflection *reflection,
                              const struct trm_kernel_info *kernel);

/* ---- check*.c ------------------------------------------------------------------------------ */

int32_t spirv_check_types(struct spirv_reader *reader, const struct spirv_grammar *grammar,
                          const struct spirv_instruction *instruction);
int32_t spirv_check_flow(struct spirv_reader *reader, struct spirv_function *function);

/* ---- cooperative.c: cooperative matrices ---- */

int32_t spirv_read_matrix(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type);
int32_t spirv_check_matrix(struct spirv_reader *reader, enum spirv_rule rule,
                           const struct spirv_instruction *instruction);

/* Refuses cooperative matrices in instructions that do not take them. */
int32_t spirv_check_matrices(struct spirv_reader *reader, enum spirv_rule rule,
                             const struct spirv_instruction *instruction);

/* OpCooperativeMatrixLength as an OpSpecConstantOp. */
int32_t spirv_fold_length(struct spirv_reader *reader, const uint32_t *operands, uint32_t count,
                          struct spirv_constant *constant);

#endif
