/* Random expressions.
 * SPDX-License-Identifier: MIT
 */
#include "tests/differential/generator_inside.h"

static const struct kind one_uint = {BASE_UINT, 1};
static const struct kind one_bool = {BASE_BOOL, 1};

const char *kind_name(struct kind kind)
{
    static const char *const names[4][4] = {
        {"int", "ivec2", "ivec3", "ivec4"},
        {"uint", "uvec2", "uvec3", "uvec4"},
        {"float", "vec2", "vec3", "vec4"},
        {"bool", "bvec2", "bvec3", "bvec4"},
    };
    return names[kind.base][kind.components - 1];
}

static int kind_equal(struct kind one, struct kind other)
{
    return one.base == other.base && one.components == other.components;
}

const struct variable *find_variable(struct generator *generator, struct kind kind, int assigned)
{
    uint32_t fitting = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t chosen = fitting ? random_below(&generator->random, fitting) : 0;
        for (uint32_t i = 0; i < generator->variable_count; i++) {
            const struct variable *variable = &generator->variables[i];
            if (variable->is_array || !kind_equal(variable->kind, kind) || (assigned && variable->is_fixed))
                continue;
            if (pass == 0)
                fitting++;
            else if (chosen-- == 0)
                return variable;
        }
        if (fitting == 0)
            return NULL;
    }
    return NULL;
}

/* An array of that base, or a vector: something to index. */
static const struct variable *find_indexed(struct generator *generator, enum base base)
{
    uint32_t start = random_below(&generator->random, VARIABLES_MOST);
    for (uint32_t i = 0; i < generator->variable_count; i++) {
        const struct variable *variable = &generator->variables[(start + i) % generator->variable_count];
        if (variable->kind.base == base && (variable->is_array || variable->kind.components > 1))
            return variable;
    }
    return NULL;
}

static void write_literal(struct generator *generator, enum base base)
{
    static const char *const floats[] = {"0.5", "1.0", "1.5", "-2.0", "3.0", "-0.75", "0.0", "8.0"};
    static const char *const edges[]  = {"0", "1", "2", "31", "32", "255", "65535", "2147483647"};
    struct random *random             = &generator->random;
    switch (base) {
    case BASE_INT:
        if (chance(generator, 30))
            fputs(edges[random_below(random, 8)], generator->out);
        else
            fprintf(generator->out, chance(generator, 30) ? "(-%u)" : "%u", random_below(random, 200));
        break;
    case BASE_UINT:
        if (chance(generator, 30))
            fprintf(generator->out, "%su", edges[random_below(random, 8)]);
        else
            fprintf(generator->out, "%uu",
                    chance(generator, 70) ? random_below(random, 200) : (uint32_t)random_next(random));
        break;
    case BASE_FLOAT:
        fprintf(generator->out, "(%s)", floats[random_below(random, 8)]);
        break;
    case BASE_BOOL:
        fputs(chance(generator, 50) ? "true" : "false", generator->out);
        break;
    }
}

static void write_index(struct generator *generator, uint32_t mask, uint32_t depth)
{
    fputs("[", generator->out);
    write_expression(generator, one_uint, depth ? depth - 1 : 0);
    fprintf(generator->out, " & %uu]", mask);
}

static void write_element(struct generator *generator, const struct variable *variable, uint32_t depth)
{
    static const char names[] = "xyzw";
    fputs(variable->name, generator->out);
    if (variable->is_array)
        write_index(generator, ARRAY_LENGTH - 1, depth);
    if (variable->kind.components == 1)
        return;
    if (chance(generator, 60) || variable->kind.components == 3)
        fprintf(generator->out, ".%c", names[random_below(&generator->random, variable->kind.components)]);
    else
        write_index(generator, variable->kind.components - 1, depth);
}

static void write_leaf(struct generator *generator, struct kind kind)
{
    const struct variable *variable = NULL;
    if (chance(generator, 75))
        variable = find_variable(generator, kind, 0);
    if (variable) {
        fputs(variable->name, generator->out);
        return;
    }
    if (kind.components == 1) {
        variable = chance(generator, 50) ? find_indexed(generator, kind.base) : NULL;
        if (variable)
            write_element(generator, variable, 0);
        else
            write_literal(generator, kind.base);
        return;
    }
    fprintf(generator->out, "%s(", kind_name(kind));
    for (uint32_t i = 0; i < kind.components; i++) {
        fputs(i ? ", " : "", generator->out);
        write_leaf(generator, (struct kind){kind.base, 1});
    }
    fputs(")", generator->out);
}

static void write_binary(struct generator *generator, struct kind left, const char *operator_,
                         struct kind right, uint32_t depth)
{
    fputs("(", generator->out);
    write_expression(generator, left, depth);
    fprintf(generator->out, " %s ", operator_);
    write_expression(generator, right, depth);
    fputs(")", generator->out);
}

static void write_call(struct generator *generator, const char *name, struct kind kind, uint32_t arguments,
                       uint32_t depth)
{
    fprintf(generator->out, "%s(", name);
    for (uint32_t i = 0; i < arguments; i++) {
        fputs(i ? ", " : "", generator->out);
        write_expression(generator, kind, depth);
    }
    fputs(")", generator->out);
}

/* A function of our own with that result, none of whose parameters is written. 0 when there is none. */
static int write_own_call(struct generator *generator, struct kind kind, uint32_t depth)
{
    for (uint32_t i = 0; i < generator->function_count && generator->calls_left; i++) {
        const struct function *function = &generator->functions[i];
        int writes                      = 0;
        for (uint32_t k = 0; k < function->parameter_count; k++)
            writes |= function->directions[k] != DIRECTION_IN;
        if (writes || !kind_equal(function->result, kind))
            continue;
        generator->calls_left--;
        fprintf(generator->out, "%s(", function->name);
        for (uint32_t k = 0; k < function->parameter_count; k++) {
            fputs(k ? ", " : "", generator->out);
            write_expression(generator, function->parameters[k], depth);
        }
        fputs(")", generator->out);
        return 1;
    }
    return 0;
}

void write_test(struct generator *generator, uint32_t depth)
{
    fputs("(", generator->out);
    write_expression(generator, one_bool, depth);
    fputs(" ^^ never)", generator->out);
}

static void write_choice(struct generator *generator, struct kind kind, uint32_t depth)
{
    if (kind.components > 1 && chance(generator, 50)) {
        fputs("mix(", generator->out);
        write_expression(generator, kind, depth);
        fputs(", ", generator->out);
        write_expression(generator, kind, depth);
        fputs(", ", generator->out);
        write_expression(generator, (struct kind){BASE_BOOL, kind.components}, depth);
        fputs(")", generator->out);
        return;
    }
    fputs("(", generator->out);
    write_test(generator, depth);
    fputs(" ? ", generator->out);
    write_expression(generator, kind, depth);
    fputs(" : ", generator->out);
    write_expression(generator, kind, depth);
    fputs(")", generator->out);
}

/* "(v).zyx" of a vector that is long enough for what is picked */
static void write_swizzle(struct generator *generator, struct kind kind, uint32_t depth)
{
    static const char names[] = "xyzw";
    struct kind from          = {kind.base, 2 + random_below(&generator->random, 3)};
    fputs("(", generator->out);
    write_expression(generator, from, depth);
    fputs(").", generator->out);
    for (uint32_t i = 0; i < kind.components; i++)
        fputc(names[random_below(&generator->random, from.components)], generator->out);
}

/* Divisors are positive and small, so that nothing overflows; what a remainder is taken of is positive too:
 * GLSL leaves the others open, and drivers differ in what they make of SPIR-V's word on it. */
static void write_division(struct generator *generator, struct kind kind, uint32_t depth)
{
    const char *suffix = kind.base == BASE_UINT ? "u" : "";
    int remainder      = chance(generator, 50);
    fputs("((", generator->out);
    write_expression(generator, kind, depth);
    fprintf(generator->out, remainder ? " & 2147483647%s) %% ((" : ")%s / ((", remainder ? suffix : "");
    write_expression(generator, kind, depth);
    fprintf(generator->out, " & 63%s) + 1%s))", suffix, suffix);
}

static void write_shift(struct generator *generator, struct kind kind, uint32_t depth)
{
    fputs("(", generator->out);
    write_expression(generator, kind, depth);
    fprintf(generator->out, " %s (", chance(generator, 50) ? "<<" : ">>");
    write_expression(generator, (struct kind){BASE_UINT, kind.components}, depth);
    fputs(" & 31u))", generator->out);
}

static void write_bit_field(struct generator *generator, struct kind kind, uint32_t depth)
{
    uint32_t offset = random_below(&generator->random, 32);
    uint32_t bits   = random_below(&generator->random, 33 - offset);
    int insert      = chance(generator, 40);
    fputs(insert ? "bitfieldInsert(" : "bitfieldExtract(", generator->out);
    write_expression(generator, kind, depth);
    if (insert) {
        fputs(", ", generator->out);
        write_expression(generator, kind, depth);
    }
    fprintf(generator->out, ", %u, %u)", offset, bits);
}

/* Functions whose result is an int vector, whatever they are asked about. */
static void write_bit_search(struct generator *generator, struct kind kind, uint32_t depth)
{
    static const char *const names[] = {"bitCount", "findLSB", "findMSB"};
    fprintf(generator->out, "%s(", kind_name(kind));
    write_call(generator, names[random_below(&generator->random, 3)], kind, 1, depth);
    fputs(")", generator->out);
}

static void write_clamp(struct generator *generator, struct kind kind, uint32_t depth)
{
    fputs("clamp(", generator->out);
    write_expression(generator, kind, depth);
    fprintf(generator->out, kind.base == BASE_UINT ? ", %uu, %uu)" : ", %u, %u)",
            random_below(&generator->random, 50), 50 + random_below(&generator->random, 5000));
}

static void write_whole(struct generator *generator, struct kind kind, uint32_t depth)
{
    static const char *const operators[] = {"+", "-", "*", "&", "|", "^", "+"};
    struct kind scalar                   = {kind.base, 1};
    enum base opposite                   = kind.base == BASE_INT ? BASE_UINT : BASE_INT;
    switch (random_below(&generator->random, 16)) {
    case 0:
        write_division(generator, kind, depth);
        return;
    case 1:
        write_shift(generator, kind, depth);
        return;
    case 2:
        fputs(chance(generator, 50) ? "(~" : "(-", generator->out);
        write_expression(generator, kind, depth);
        fputs(")", generator->out);
        return;
    case 3:
        write_bit_search(generator, kind, depth);
        return;
    case 4:
        write_bit_field(generator, kind, depth);
        return;
    case 5:
        write_call(generator, chance(generator, 50) ? "min" : "max", kind, 2, depth);
        return;
    case 6:
        write_clamp(generator, kind, depth);
        return;
    case 7:
        fprintf(generator->out, "%s(", kind_name(kind));
        write_expression(generator, (struct kind){opposite, kind.components}, depth);
        fputs(")", generator->out);
        return;
    case 8:
        fprintf(generator->out, "%s(", kind_name(kind));
        write_expression(generator, (struct kind){BASE_BOOL, kind.components}, depth);
        fputs(")", generator->out);
        return;
    case 9:
        if (kind.base == BASE_UINT && kind.components == 1) {
            fputs("a", generator->out);
            write_index(generator, ITEMS - 1, depth);
            return;
        }
        if (kind.base == BASE_INT) {
            write_call(generator, chance(generator, 50) ? "abs" : "sign", kind, 1, depth);
            return;
        }
        break;
    case 10:
        write_binary(generator, kind, operators[random_below(&generator->random, 7)], scalar, depth);
        return;
    }
    write_binary(generator, kind, operators[random_below(&generator->random, 7)], kind, depth);
}

/* Only what rounds to one number everywhere, and stays far from what would be flushed to zero: products are
 * exact. */
static void write_float(struct generator *generator, struct kind kind, uint32_t depth)
{
    static const char *const factors[] = {"0.5", "2.0", "-2.0", "4.0", "-0.5"};
    switch (random_below(&generator->random, 8)) {
    case 0:
        fputs("(", generator->out);
        write_expression(generator, kind, depth);
        fprintf(generator->out, " * %s)", factors[random_below(&generator->random, 5)]);
        return;
    case 1:
        write_call(generator, chance(generator, 50) ? "abs" : "floor", kind, 1, depth);
        return;
    case 2:
        fputs("(-", generator->out);
        write_expression(generator, kind, depth);
        fputs(")", generator->out);
        return;
    case 3:
    case 4:
        fprintf(generator->out, "%s(", kind_name(kind));
        write_expression(generator, (struct kind){BASE_INT, kind.components}, depth);
        fputs(" & 4095)", generator->out);
        return;
    }
    write_binary(generator, kind, chance(generator, 50) ? "+" : "-", kind, depth);
}

static void write_condition(struct generator *generator, struct kind kind, uint32_t depth)
{
    static const char *const operators[] = {"<", "<=", ">", ">=", "==", "!="};
    static const char *const functions[] = {"lessThan",         "lessThanEqual", "greaterThan",
                                            "greaterThanEqual", "equal",         "notEqual"};
    static const enum base bases[]       = {BASE_INT, BASE_UINT, BASE_FLOAT};
    static const char *const logic[]     = {"&&", "||", "^^"};
    struct kind compared                 = {bases[random_below(&generator->random, 3)], kind.components};
    uint32_t which                       = random_below(&generator->random, 6);
    /* What is not assigned to a precise variable may be computed in another order. */
    uint32_t compared_depth = compared.base == BASE_FLOAT ? 0 : depth;
    if (kind.components > 1) {
        write_call(generator, functions[which], compared, 2, compared_depth);
        return;
    }
    switch (random_below(&generator->random, 6)) {
    case 0:
        fputs("(", generator->out);
        write_test(generator, depth);
        fprintf(generator->out, " %s ", logic[random_below(&generator->random, 3)]);
        write_expression(generator, one_bool, depth);
        fputs(")", generator->out);
        return;
    case 1:
        fputs("(!", generator->out);
        write_expression(generator, one_bool, depth);
        fputs(")", generator->out);
        return;
    case 2:
        fputs(chance(generator, 50) ? "any(" : "all(", generator->out);
        write_expression(generator, (struct kind){BASE_BOOL, 2 + random_below(&generator->random, 3)}, depth);
        fputs(")", generator->out);
        return;
    }
    write_binary(generator, compared, operators[which], compared, compared_depth);
}

void write_expression(struct generator *generator, struct kind kind, uint32_t depth)
{
    if (depth == 0 || chance(generator, 15)) {
        write_leaf(generator, kind);
        return;
    }
    depth--;
    uint32_t which = random_below(&generator->random, 20);
    if (which == 0 || (which == 1 && kind.base != BASE_BOOL)) {
        write_choice(generator, kind, depth);
        return;
    }
    if (which == 2) {
        write_swizzle(generator, kind, depth);
        return;
    }
    if (which < 5 && write_own_call(generator, kind, depth))
        return;
    if (kind.base == BASE_BOOL)
        write_condition(generator, kind, depth);
    else if (kind.base == BASE_FLOAT)
        write_float(generator, kind, depth);
    else
        write_whole(generator, kind, depth);
}
