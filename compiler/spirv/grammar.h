/* The instructions that functions may have: what their words are, and which rule says what types they take.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_GRAMMAR_H
#define COMPILER_SPIRV_GRAMMAR_H

#include "compiler/spirv/spirv.h"

/* What must hold between the types of an instruction's result and operands (check_*.c). "Like" is: of the same
 * number of components and the same width; signedness is nobody's business. */
enum spirv_rule {
    RULE_NONE = 0,
    /* check_arithmetic.c */
    RULE_INT,         /* integers; all operands are like the result */
    RULE_FLOAT,       /* floats, all of the result's type */
    RULE_BOOL,        /* bools, all of the result's type */
    RULE_SHIFT,       /* integers; the base is like the result, the shift has as many components */
    RULE_BIT_COUNT,   /* integers with as many components */
    RULE_BIT_FIELD,   /* integers like the result; the last two are scalars of any width */
    RULE_COMPARE_INT, /* bools of two integers that are like each other */
    RULE_COMPARE_FLOAT,
    RULE_TEST_FLOAT, /* bools of a float */
    RULE_ANY,        /* one bool of a vector of them */
    RULE_SELECT,
    RULE_FLOAT_TO_INT,
    RULE_INT_TO_FLOAT,
    RULE_INT_TO_INT,
    RULE_FLOAT_TO_FLOAT,
    RULE_BITCAST,
    RULE_QUANTIZE,
    RULE_WIDE_INT, /* struct of two integers, of two of them: OpIAddCarry, OpUMulExtended and their kin */
    RULE_DOT,      /* OpSDot, OpUDot, OpSUDot */
    RULE_DOT_ADD,  /* and with an accumulator */
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
    RULE_LENGTH,
    RULE_ATOMIC_LOAD,
    RULE_ATOMIC_STORE,
    RULE_ATOMIC_INT, /* one operand or none */
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
    /* check_extended.c */
    RULE_EXTENDED,
    /* read_flow.c */
    RULE_CALL,
    RULE_PHI,
    RULE_BRANCH,
    RULE_CONDITIONAL,
    RULE_SWITCH,
    RULE_RETURN,
    RULE_RETURN_VALUE,
};

/* Letters of `operands`; '*' repeats the letter before it, none or more times.
 *   v  value      c  constant      f  function     l  label       t  type      x  extended set
 *   n  literal    C  constant that may be missing  V, N  the same of value and literal
 *   m  memory operands, which may be missing       s  literals and labels of a switch   p  values and labels */
struct spirv_grammar {
    bool has_type;
    bool has_result;
    uint8_t rule; /* enum spirv_rule */
    bool is_terminator;
    const char *operands;
    uint32_t needs; /* a capability besides Shader; 0: none */
};

/* NULL for what functions may not have here. */
const struct spirv_grammar *spirv_grammar(uint32_t opcode);

/* One kind of operand after the other, as `operands` says. */
struct spirv_operand_walk {
    const char *next;
    const uint32_t *operands;
    uint32_t count, index;
    uint32_t memory; /* bits of memory operands that are still to come */
};

void spirv_walk_begin(struct spirv_operand_walk *walk, const struct spirv_grammar *grammar,
                      const uint32_t *operands, uint32_t count);

/* The letter of the next operand, in lower case; 0 at the end; '!' for too few or too many. Of a switch and for all
 * that follows, 's'. Memory operands are 'n' or 'c', of phis 'v' (a value or one that is still to come, told by
 * the rule) or 'l'. */
char spirv_walk_next(struct spirv_operand_walk *walk);

#endif
