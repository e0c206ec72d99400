/* The grammar of the instructions that functions may contain: the kinds of their operands, and the rule for
 * their types.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_GRAMMAR_H
#define COMPILER_SPIRV_GRAMMAR_H

#include "compiler/spirv/spirv.h"

/* The relation that check_*.c requires between the types of the result and the operands. "Like" means: the
 * same kind, width and number of components; signedness may differ. */
enum spirv_rule {
    RULE_NONE = 0,
    /* check_arithmetic.c */
    RULE_INT,         /* integers; operands are like the result */
    RULE_FLOAT,       /* floats; operands are like the result */
    RULE_BOOL,        /* bools; operands are like the result */
    RULE_SHIFT,       /* integers; the base is like the result; the shift has as many components */
    RULE_BIT_COUNT,   /* integers; the operand has as many components as the result */
    RULE_BIT_FIELD,   /* integers like the result; offset and count are scalars of any width */
    RULE_COMPARE_INT, /* bools from integers that are like each other */
    RULE_COMPARE_FLOAT,
    RULE_TEST_FLOAT, /* bools from floats */
    RULE_ANY,        /* one bool from a vector of bools */
    RULE_SELECT,
    RULE_FLOAT_TO_INT,
    RULE_INT_TO_FLOAT,
    RULE_INT_TO_INT,
    RULE_FLOAT_TO_FLOAT,
    RULE_BITCAST,
    RULE_TO_ADDRESS,   /* a physical pointer from an integer */
    RULE_FROM_ADDRESS, /* an integer from a physical pointer */
    RULE_QUANTIZE,
    RULE_WIDE_INT,  /* a struct of two integers from two integers: OpIAddCarry, OpUMulExtended, ... */
    RULE_DOT,       /* OpSDot, OpUDot, OpSUDot */
    RULE_MIXED_DOT, /* OpFDot2MixAcc32VALVE, OpFDot2MixAcc16VALVE */
    RULE_DOT_ADD,   /* RULE_DOT with an accumulator */
    RULE_EXPECT,    /* integers or bools of one type */
    RULE_ASSUME,    /* one bool; no result */
    /* check_composite.c */
    RULE_VECTOR_SCALAR,
    RULE_MATRIX_SCALAR,
    RULE_VECTOR_MATRIX,
    RULE_MATRIX_VECTOR,
    RULE_MATRIX_MATRIX,
    RULE_OUTER,
    RULE_FLOAT_DOT,
    RULE_TRANSPOSE,
    RULE_EXTRACT_DYNAMIC,
    RULE_INSERT_DYNAMIC,
    RULE_SHUFFLE,
    RULE_CONSTRUCT,
    RULE_EXTRACT,
    RULE_INSERT,
    RULE_COPY,
    RULE_COPY_LOGICAL,
    /* check_memory.c */
    RULE_VARIABLE,
    RULE_LOAD,
    RULE_STORE,
    RULE_COPY_MEMORY,
    RULE_CHAIN,
    RULE_POINTER_CHAIN,
    RULE_POINTER_COMPARE,
    RULE_LENGTH,
    RULE_ATOMIC_LOAD,
    RULE_ATOMIC_STORE,
    RULE_ATOMIC_INT, /* with one value operand or none */
    RULE_ATOMIC_EXCHANGE,
    RULE_ATOMIC_COMPARE,
    RULE_ATOMIC_FLOAT,
    RULE_BARRIER,
    /* check_group.c */
    RULE_GROUP_ELECT,
    RULE_GROUP_VOTE,
    RULE_GROUP_EQUAL,
    RULE_GROUP_BROADCAST,
    RULE_GROUP_FIRST,
    RULE_GROUP_BALLOT,
    RULE_GROUP_INVERSE,
    RULE_GROUP_EXTRACT_BIT,
    RULE_GROUP_COUNT,
    RULE_GROUP_FIND,
    RULE_GROUP_SHUFFLE,
    RULE_GROUP_INT,
    RULE_GROUP_FLOAT,
    RULE_GROUP_BOOL,
    /* check_image.c */
    RULE_SAMPLED_IMAGE,
    RULE_IMAGE, /* the image of a sampled image */
    RULE_SAMPLE,
    RULE_FETCH,
    RULE_GATHER,
    RULE_COMPARE_DEPTH,
    RULE_GATHER_DEPTH,
    RULE_READ_TEXEL,
    RULE_WRITE_TEXEL,
    RULE_IMAGE_SIZE,
    RULE_IMAGE_LEVELS,
    RULE_TEXEL_POINTER,
    /* cooperative.c */
    RULE_MATRIX_LOAD,
    RULE_MATRIX_STORE,
    RULE_MATRIX_MUL_ADD,
    RULE_MATRIX_LENGTH,
    /* check_extended.c */
    RULE_EXTENDED,
    /* calls.c, check.c, read_function.c, validate_flow.c */
    RULE_CALL,
    RULE_PHI,
    RULE_BRANCH,
    RULE_CONDITIONAL,
    RULE_SWITCH,
    RULE_RETURN,
    RULE_RETURN_VALUE,
};

/* One entry of the table. Letters of `operands`, where '*' repeats the previous letter zero or more times:
 *   v  value      c  constant      f  function     l  label       t  type      x  extended set
 *   n  literal    C, V, N  an optional constant, value, literal
 *   m  optional memory operands    s  literals and labels of a switch    p  values and labels of a phi
 *   i  optional image operands */
struct spirv_grammar {
    bool has_type;
    bool has_result;
    uint8_t rule; /* enum spirv_rule */
    bool is_terminator;
    const char *operands;
    uint32_t needs; /* the capability that the instruction needs besides Shader; 0: none */
};

/* The entry of an opcode, or NULL if functions may not contain it. */
const struct spirv_grammar *spirv_grammar(uint32_t opcode);

/* A walk over the operands of an instruction that gives the kind of each. */
struct spirv_operand_walk {
    const char *next;
    const uint32_t *operands;
    uint32_t count, index;
    uint32_t memory; /* bits of the memory mask whose parameters follow */
    uint32_t image;  /* ids of the image operands that follow */
};

void spirv_walk_begin(struct spirv_operand_walk *walk, const struct spirv_grammar *grammar,
                      const uint32_t *operands, uint32_t count);

/* The letter of the next operand in lower case; 0 at the end; '!' for too few or too many operands. Memory
 * operands give 'n' or 'c', image operands 'n' or 'v', those of phis 'v' (which may be defined later) or 'l',
 * and those of a switch after the default 's'. */
char spirv_walk_next(struct spirv_operand_walk *walk);

/* The index of the mask of an instruction's image operands; operand_count when it has none. */
uint32_t spirv_image_mask(const struct spirv_instruction *instruction);

#endif
