/* What the two halves of the generator share: expressions, and the statements around them.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_GENERATOR_INSIDE_H
#define TESTS_DIFFERENTIAL_GENERATOR_INSIDE_H

#include <stdio.h>

#include "tests/differential/random.h"

#define VARIABLES_MOST 128u
#define FUNCTIONS_MOST 6u
#define PARAMETERS_MOST 4u
#define ARRAY_LENGTH 8u
#define GROUP_SIZE 64u
#define ITEMS 256u

enum base {
    BASE_INT,
    BASE_UINT,
    BASE_FLOAT,
    BASE_BOOL,
};

struct kind {
    enum base base;
    uint32_t components; /* 1 to 4 */
};

struct variable {
    char name[12];
    struct kind kind;
    uint8_t is_array; /* of ARRAY_LENGTH elements */
    uint8_t is_fixed; /* a loop's counter, say: read only */
};

enum direction {
    DIRECTION_IN,
    DIRECTION_INOUT,
    DIRECTION_OUT,
};

struct function {
    char name[12];
    struct kind result;
    struct kind parameters[PARAMETERS_MOST];
    enum direction directions[PARAMETERS_MOST];
    uint32_t parameter_count;
};

struct generator {
    struct random random;
    FILE *out;
    uint32_t indent;
    uint32_t names; /* for new ones */
    struct variable variables[VARIABLES_MOST];
    uint32_t variable_count; /* in scope */
    struct function functions[FUNCTIONS_MOST];
    uint32_t function_count;
    uint32_t calls_left; /* in the function that is being written: all are inlined in the end */
    uint32_t loop_depth;
    uint32_t loop_has_counter; /* `continue` cannot make the innermost loop unending */
    uint8_t in_main;
    struct kind result; /* of the function being written */
};

static inline uint32_t chance(struct generator *generator, uint32_t percent)
{
    return random_below(&generator->random, 100) < percent;
}

/* "ivec3" */
const char *kind_name(struct kind kind);

/* Text for an expression of that kind. It is in parentheses or needs none. */
void write_expression(struct generator *generator, struct kind kind, uint32_t depth);

/* A condition that no optimizer can know: that of spirv-tools 2022.4 crashes over branches that it finds to
 * be dead. */
void write_test(struct generator *generator, uint32_t depth);

/* A variable of that kind that may be assigned; NULL when there is none in scope. */
const struct variable *find_variable(struct generator *generator, struct kind kind, int assigned);

#endif
