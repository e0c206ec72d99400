/* What the parts of the reader share.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_READER_H
#define COMPILER_SPIRV_READER_H

#include <trireme/status.h>

#include "compiler/spirv/grammar.h"
#include "compiler/spirv/spirv.h"

/* Of one id, or of one of its members; a name of a member is among them. */
struct spirv_decoration {
    uint32_t next;   /* index of the next of the same id + 1; 0: none */
    uint32_t member; /* SPIRV_WHOLE: of the id itself */
    uint32_t kind;   /* SpvDecoration */
    uint32_t literal;
    uint32_t id;      /* what it is said of */
    uint32_t at;      /* word, for messages */
    const char *name; /* of a member; then kind is SPIRV_MEMBER_NAME */
};

#define SPIRV_WHOLE UINT32_MAX
#define SPIRV_MEMBER_NAME UINT32_MAX

struct spirv_mode {
    uint32_t function;
    uint32_t mode; /* SpvExecutionModeLocalSize, SpvExecutionModeLocalSizeId */
    uint32_t values[3];
    uint32_t at;
};

/* A use of a value in another block than the one that makes it. */
struct spirv_cross_use {
    uint32_t from, to; /* indices of blocks */
    uint32_t at;
};

struct spirv_call {
    struct spirv_function *caller;
    const uint32_t *operands;
    uint32_t operand_count;
    uint32_t type;
    uint32_t at;
};

/* Where a value is made. */
struct spirv_definition {
    uint32_t function; /* number + 1; 0: of the module */
    uint32_t block;    /* index */
    uint32_t root;     /* of a pointer: the variable or parameter that it comes from */
};

struct spirv_reader {
    struct spirv_module *module;
    struct base_arena *arena;
    const uint32_t *words;
    uint32_t *copy; /* of the words: where the operands of instructions live */
    uint32_t count;
    uint32_t bound;   /* of the ids that the module itself names; the tables by id here are of this size */
    uint32_t at;      /* the word where the instruction in work begins */
    uint32_t opcode;  /* of it */
    uint32_t section; /* the layout of a module goes one way */
    uint32_t version;
    bool has_memory_model;

    const struct trm_constant *specialisations;
    uint32_t specialisation_count;
    uint32_t *specialisation_ids; /* the SpecId that each of them means; NULL until they were looked up */

    uint32_t *capabilities;
    uint32_t capability_count, capability_capacity;
    uint32_t *first_decoration; /* [bound]: index + 1 */
    struct spirv_decoration *decorations;
    uint32_t decoration_count, decoration_capacity;
    struct spirv_mode *modes;
    uint32_t mode_count, mode_capacity;
    uint32_t type_capacity, variable_capacity, constant_capacity, entry_capacity, function_capacity;
    uint32_t workgroup_size; /* id of the constant decorated so; 0: none */
    uint32_t push_constants; /* id of the variable; 0: none */

    /* Of debug information. */
    uint32_t file, line;
    uint32_t *source_files; /* [bound] OpString of a DebugSource; NULL until there is one */

    /* Of the function in work. */
    struct spirv_definition *definitions; /* [bound] */
    uint32_t match_budget;                /* steps that comparing types logically may still take */
    struct spirv_function *function;
    struct spirv_block *block;
    struct spirv_instruction *instructions; /* of the block in work */
    uint32_t instruction_count, instruction_capacity;
    struct spirv_cross_use *cross_uses;
    uint32_t cross_use_count, cross_use_capacity;
    uint32_t parameters_read;
    uint32_t *parameters;     /* of the function in work */
    struct spirv_call *calls; /* of all functions, looked at when all are known; callers in order */
    uint32_t call_count, call_capacity;
};

/* One instruction of the module. */
struct spirv_words {
    const uint32_t *word; /* the first has opcode and length */
    uint32_t length;
};

/* Says "SPIR-V, word 12 (OpLoad at file.comp:3): ..." and answers `status`. */
int32_t spirv_fail(const struct spirv_reader *reader, int32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define spirv_invalid(reader, ...) spirv_fail((reader), TRM_ERROR_INVALID_ARGUMENT, __VA_ARGS__)
#define spirv_unsupported(reader, ...) spirv_fail((reader), TRM_ERROR_UNSUPPORTED, __VA_ARGS__)

/* ---- words.c ------------------------------------------------------------------------------- */

/* A string that begins at this word: what is no text in it is replaced. `used` is its number of words. NULL when it
 * does not end in the instruction (and nothing failed) or without memory (and the arena has failed). */
const char *spirv_text(struct spirv_reader *reader, struct spirv_words words, uint32_t index, uint32_t *used);

/* ---- ids.c --------------------------------------------------------------------------------- */

/* Each answers TRM_OK or says what is wrong with the id. */
int32_t spirv_check_id(const struct spirv_reader *reader, uint32_t id);
int32_t spirv_define(struct spirv_reader *reader, uint32_t id, enum spirv_id_kind kind, uint32_t type);
int32_t spirv_check_type_id(const struct spirv_reader *reader, uint32_t id);
int32_t spirv_check_constant_id(const struct spirv_reader *reader, uint32_t id);
int32_t spirv_check_value_id(const struct spirv_reader *reader,
                             uint32_t id); /* has a type, and is to be seen here */

bool spirv_has_capability(const struct spirv_reader *reader, uint32_t capability);

/* ---- annotate.c: names, decorations -------------------------------------------------------- */

int32_t spirv_read_annotation(struct spirv_reader *reader, struct spirv_words words);
const struct spirv_decoration *spirv_decoration_first(const struct spirv_reader *reader, uint32_t id);
const struct spirv_decoration *spirv_decoration_next(const struct spirv_reader *reader,
                                                     const struct spirv_decoration *decoration);

/* ---- preamble.c: capabilities, extensions, entry points, modes ----------------------------- */

int32_t spirv_read_preamble(struct spirv_reader *reader, struct spirv_words words);
int32_t spirv_finish_entries(struct spirv_reader *reader);

/* ---- read_types.c, layout.c ---------------------------------------------------------------- */

int32_t spirv_read_type(struct spirv_reader *reader, struct spirv_words words);

/* The bytes of a type in an explicit layout. A matrix in it is laid out as its member says. */
uint64_t spirv_layout_size(const struct spirv_module *module, const struct spirv_type *type,
                           uint32_t matrix_stride, bool row_major);

/* That a type has all that an explicit layout needs. */
int32_t spirv_check_layout(const struct spirv_reader *reader, const struct spirv_type *type);

/* ---- read_constants.c, constant_fold.c ----------------------------------------------------- */

/* Finds out which SpecIds the given constants mean. Before the first constant and behind the last decoration. */
int32_t spirv_match_specialisations(struct spirv_reader *reader);
int32_t spirv_read_constant(struct spirv_reader *reader, struct spirv_words words);

/* The value of an OpSpecConstantOp in a constant that has its type already. */
int32_t spirv_fold(struct spirv_reader *reader, uint32_t opcode, const uint32_t *operands, uint32_t count,
                   struct spirv_constant *constant);

/* Part number `index` of a composite constant: an id. Makes one for a part of a null constant. 0 without memory. */
uint32_t spirv_constant_part(struct spirv_reader *reader, const struct spirv_constant *constant,
                             uint32_t index);
uint32_t spirv_new_constant(struct spirv_reader *reader, uint32_t type, uint64_t bits, bool is_null);

/* Bits as a constant of that scalar type keeps them. */
uint64_t spirv_extend(const struct spirv_type *type, uint64_t bits);

/* enum trm_type of a bool or number. */
int32_t spirv_public_type(const struct spirv_type *type);

/* The type of part `index` of a composite. */
uint32_t spirv_part_type(const struct spirv_type *type, uint32_t index);
/* How many parts a composite has; 0 for what is none. */
uint32_t spirv_part_count(const struct spirv_type *type);

/* ---- read_variable.c ----------------------------------------------------------------------- */

int32_t spirv_read_variable(struct spirv_reader *reader, struct spirv_words words);

/* ---- debug.c ------------------------------------------------------------------------------- */

int32_t spirv_read_ignored(struct spirv_reader *reader, struct spirv_words words);

/* ---- read_function.c, calls.c -------------------------------------------------------------- */

int32_t spirv_read_function(struct spirv_reader *reader, struct spirv_words words);
int32_t spirv_finish_functions(struct spirv_reader *reader);

/* ---- check*.c ------------------------------------------------------------------------------ */

int32_t spirv_check_types(struct spirv_reader *reader, const struct spirv_grammar *grammar,
                          const struct spirv_instruction *instruction);
int32_t spirv_check_flow(struct spirv_reader *reader, struct spirv_function *function);

#endif
