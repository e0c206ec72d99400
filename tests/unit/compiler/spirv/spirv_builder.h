/* Builds small SPIR-V modules for tests. builder_begin() creates a valid module that does nothing, with the
 * types and values below; a test adds the instructions that it checks.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_COMPILER_SPIRV_SPIRV_BUILDER_H
#define TESTS_UNIT_COMPILER_SPIRV_SPIRV_BUILDER_H

#include "tests/check.h"
#include <trireme/trireme.h>

#include "base/arena.h"
#include "compiler/spirv/spirv.h"

#define BUILDER_WORDS 16384u

/* The sections of a module in their order. */
enum builder_part {
    PART_CAPABILITY,
    PART_EXTENSION,
    PART_IMPORT,
    PART_MODEL,
    PART_ENTRY,
    PART_MODE,
    PART_STRING,
    PART_NAME,
    PART_DECORATION,
    PART_TYPE,
    PART_CODE,
    PART_COUNT,
};

/* Ids that each module has. VALUE(type) is a null constant of the type, or for a pointer type a variable. */
enum builder_id {
    GLSL = 1,
    MAIN,
    MAIN_LABEL,
    VOID,
    FUNCTION, /* void () */
    BOOL,
    BOOL2,
    U32,
    U2,
    U3,
    U4,
    I32,
    I2,
    F32,
    V2,
    V3,
    V4,
    M2,   /* two columns of V2 */
    M2X3, /* two columns of V3 */
    M3X2,
    UU, /* struct of two U32 */
    FF,
    FI,
    FLOATS, /* F32[4] */
    NESTED, /* struct {FLOATS; V4} */
    RUNTIME,
    BLOCK,     /* struct {RUNTIME}, decorated Block */
    P_BLOCK,   /* StorageBuffer, set 0, binding 0 */
    P_ELEMENT, /* F32 in a StorageBuffer */
    BLOCK_U,   /* struct {U32} */
    P_BLOCK_U, /* StorageBuffer, set 0, binding 1 */
    P_WORD,    /* U32 in a StorageBuffer */
    P_F32,     /* this and the following are in Function */
    P_I32,
    P_U32,
    P_V4,
    P_NESTED,
    TYPES_END,
    U_1 = 200,
    U_2,
    U_3,
    U_4,
    I_MINUS_1,
    F_1,
    TRUE_BOOL,
    FIRST_FREE = 300,
};

#define VALUE(type) ((uint32_t)(type) + 100u)

struct builder {
    uint32_t words[PART_COUNT][BUILDER_WORDS];
    uint32_t count[PART_COUNT];
    uint32_t version;
    uint32_t next;
    bool is_raw; /* main() is closed, or the test adds all functions */
    struct base_arena arena;
};

/* Begins a module whose main() is open. */
void builder_begin(struct builder *builder);
/* Begins a module without main(): the test adds all functions, among them MAIN as the entry point. */
void builder_begin_raw(struct builder *builder);
void builder_end(struct builder *builder);

void builder_add(struct builder *builder, enum builder_part part, uint32_t opcode, const uint32_t *operands,
                 uint32_t count);
void builder_add_text(struct builder *builder, enum builder_part part, uint32_t opcode,
                      const uint32_t *operands, uint32_t count, const char *text);
uint32_t builder_id(struct builder *builder);

/* Adds one instruction: ADD(&builder, PART_CODE, SpvOpIAdd, U32, id, VALUE(U32), VALUE(U32)). */
#define ADD(builder, part, opcode, ...)                                       \
    builder_add((builder), (part), (opcode), (const uint32_t[]){__VA_ARGS__}, \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define CODE(builder, opcode, ...) ADD(builder, PART_CODE, opcode, __VA_ARGS__)
#define CODE0(builder, opcode) builder_add((builder), PART_CODE, (opcode), NULL, 0)
#define NAME(builder, id, text) \
    builder_add_text((builder), PART_NAME, SpvOpName, (const uint32_t[]){(id)}, 1, (text))
#define MEMBER_NAME(builder, id, member, text) \
    builder_add_text((builder), PART_NAME, SpvOpMemberName, (const uint32_t[]){(id), (member)}, 2, (text))

/* The words of the module, allocated in the arena. */
uint32_t *builder_words(struct builder *builder, uint32_t *count);

int32_t builder_read(struct builder *builder, const struct trm_constant *constants, uint32_t count,
                     struct spirv_module **module);

/* Assert that the reader accepts the module, or refuses it with this status and this text in the message. */
struct spirv_module *builder_accept(struct builder *builder);
void builder_refuse(struct builder *builder, int32_t expected, const char *part);

#endif
