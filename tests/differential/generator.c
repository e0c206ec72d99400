/* Random statements, functions and the shader around them.
 * SPDX-License-Identifier: MIT
 */
#include "tests/differential/generator.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tests/differential/generator_inside.h"

#define NESTING_MOST 4u

static const struct kind one_uint = {BASE_UINT, 1};

__attribute__((format(printf, 2, 3))) static void line(struct generator *generator, const char *format, ...)
{
    va_list arguments;
    fprintf(generator->out, "%*s", (int)generator->indent * 4, "");
    va_start(arguments, format);
    vfprintf(generator->out, format, arguments);
    va_end(arguments);
}

static void open_block(struct generator *generator)
{
    fputs(" {\n", generator->out);
    generator->indent++;
}

static void close_block(struct generator *generator)
{
    generator->indent--;
    line(generator, "}\n");
}

static struct variable *add_variable(struct generator *generator, const char *letter, struct kind kind)
{
    if (generator->variable_count == VARIABLES_MOST)
        return NULL;
    struct variable *variable = &generator->variables[generator->variable_count++];
    *variable                 = (struct variable){.kind = kind};
    snprintf(variable->name, sizeof(variable->name), "%s%u", letter, generator->names++ % 10000);
    return variable;
}

static struct kind any_kind(struct generator *generator, uint32_t bases)
{
    struct kind kind = {random_below(&generator->random, bases), 1};
    if (chance(generator, 35))
        kind.components = 2 + random_below(&generator->random, 3);
    return kind;
}

/* ---- simple statements ---- */

static void write_declaration(struct generator *generator)
{
    struct kind kind          = any_kind(generator, 4);
    struct variable *variable = add_variable(generator, "v", kind);
    if (!variable)
        return;
    /* not in scope in what it is initialized with */
    generator->variable_count--;
    line(generator, "%s%s %s = ", kind.base == BASE_FLOAT ? "precise " : "", kind_name(kind), variable->name);
    write_expression(generator, kind, 3);
    fputs(";\n", generator->out);
    generator->variable_count++;
}

static void write_array(struct generator *generator)
{
    struct kind kind          = any_kind(generator, 2);
    struct variable *variable = add_variable(generator, "list", kind);
    if (!variable)
        return;
    generator->variable_count--;
    line(generator, "%s %s[%u];\n", kind_name(kind), variable->name, ARRAY_LENGTH);
    line(generator, "for (uint k = 0u; k < %uu; k++)\n", ARRAY_LENGTH);
    line(generator, "    %s[k] = %s(k * %uu) + ", variable->name, kind_name(kind),
         random_below(&generator->random, 100));
    write_expression(generator, kind, 1);
    fputs(";\n", generator->out);
    generator->variable_count++;
    variable->is_array = 1;
}

static void write_assignment(struct generator *generator)
{
    static const char *const operators[] = {"=", "+=", "-=", "*=", "^=", "|=", "&=", "="};
    struct kind kind                     = any_kind(generator, 4);
    const struct variable *variable      = find_variable(generator, kind, 1);
    uint32_t which                       = random_below(&generator->random, 8);
    if (!variable) {
        write_declaration(generator);
        return;
    }
    if (kind.base == BASE_BOOL || (kind.base == BASE_FLOAT && which > 2))
        which = 0;
    /* one component of a vector, known now or only then */
    if (kind.components > 1 && chance(generator, 40)) {
        struct kind scalar = {kind.base, 1};
        line(generator, "%s", variable->name);
        if (chance(generator, 50) || kind.components == 3) {
            fprintf(generator->out, ".%c", "xyzw"[random_below(&generator->random, kind.components)]);
        } else {
            fputs("[", generator->out);
            write_expression(generator, one_uint, 1);
            fprintf(generator->out, " & %uu]", kind.components - 1);
        }
        fprintf(generator->out, " %s ", operators[which]);
        write_expression(generator, scalar, 2);
    } else {
        line(generator, "%s %s ", variable->name, operators[which]);
        write_expression(generator, kind, 3);
    }
    fputs(";\n", generator->out);
}

/* "v.zx = …": several components at once, in another order */
static void write_swizzled(struct generator *generator)
{
    struct kind kind = {random_below(&generator->random, 4), 3 + random_below(&generator->random, 2)};
    const struct variable *variable = find_variable(generator, kind, 1);
    static const char *const two[]  = {"xy", "yx", "zx", "yz"};
    if (!variable) {
        write_assignment(generator);
        return;
    }
    line(generator, "%s.%s = ", variable->name, two[random_below(&generator->random, 4)]);
    write_expression(generator, (struct kind){kind.base, 2}, 2);
    fputs(";\n", generator->out);
}

static void write_element_assignment(struct generator *generator)
{
    for (uint32_t i = 0; i < generator->variable_count; i++) {
        const struct variable *variable = &generator->variables[i];
        if (!variable->is_array || chance(generator, 50))
            continue;
        line(generator, "%s[", variable->name);
        write_expression(generator, one_uint, 1);
        fprintf(generator->out, " & %uu] %s ", ARRAY_LENGTH - 1, chance(generator, 50) ? "=" : "+=");
        write_expression(generator, variable->kind, 2);
        fputs(";\n", generator->out);
        return;
    }
    write_array(generator);
}

/* Numbers of one buffer that are only ever added to. */
static void write_atomic(struct generator *generator)
{
    static const char *const names[] = {"Add", "Xor", "Max", "Min"};
    uint32_t which                   = random_below(&generator->random, 4);
    line(generator, "atomic%s(sums[%uu + (", names[which], which * 4);
    write_expression(generator, one_uint, 1);
    fputs(" & 3u)], ", generator->out);
    write_expression(generator, one_uint, 2);
    fputs(");\n", generator->out);
}

/* A call whose arguments are written too: each needs a variable of its own, since the order in which they are
 * written back is left open. */
static void write_call_statement(struct generator *generator)
{
    if (generator->function_count == 0 || generator->calls_left == 0) {
        write_assignment(generator);
        return;
    }
    const struct function *function =
        &generator->functions[random_below(&generator->random, generator->function_count)];
    const struct variable *written[PARAMETERS_MOST] = {0};
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        if (function->directions[i] == DIRECTION_IN)
            continue;
        written[i] = find_variable(generator, function->parameters[i], 1);
        for (uint32_t k = 0; k < i; k++) {
            if (written[k] == written[i])
                written[i] = NULL;
        }
        if (!written[i]) {
            write_assignment(generator);
            return;
        }
    }
    generator->calls_left--;
    line(generator, "%s(", function->name);
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        fputs(i ? ", " : "", generator->out);
        if (written[i])
            fputs(written[i]->name, generator->out);
        else
            write_expression(generator, function->parameters[i], 2);
    }
    fputs(");\n", generator->out);
}

/* ---- control flow ---- */

static void write_statements(struct generator *generator, uint32_t count, uint32_t nesting);

static void write_body(struct generator *generator, uint32_t count, uint32_t nesting)
{
    uint32_t variable_count = generator->variable_count;
    open_block(generator);
    write_statements(generator, count, nesting);
    close_block(generator);
    generator->variable_count = variable_count;
}

static void write_if(struct generator *generator, uint32_t nesting)
{
    line(generator, "if ");
    write_test(generator, 2);
    write_body(generator, 1 + random_below(&generator->random, 3), nesting);
    if (chance(generator, 50)) {
        line(generator, "else");
        write_body(generator, 1 + random_below(&generator->random, 3), nesting);
    }
}

static void write_for(struct generator *generator, uint32_t nesting)
{
    uint32_t variable_count  = generator->variable_count;
    uint32_t has_counter     = generator->loop_has_counter;
    struct variable *counter = add_variable(generator, "n", one_uint);
    if (!counter)
        return;
    counter->is_fixed = 1;
    line(generator, "for (uint %s = 0u; %s < %uu", counter->name, counter->name,
         1 + random_below(&generator->random, 5));
    if (chance(generator, 30)) {
        fputs(" && ", generator->out);
        write_test(generator, 2);
    }
    fprintf(generator->out, "; %s++)", counter->name);
    generator->loop_depth++;
    generator->loop_has_counter = 1;
    write_body(generator, 1 + random_below(&generator->random, 4), nesting);
    generator->loop_depth--;
    generator->loop_has_counter = has_counter;
    generator->variable_count   = variable_count;
}

/* A counter ends it, whatever the condition says. A do-while has no other condition: what its last turn loads
 * comes out wrong on Mesa's llvmpipe (22.3) where work-items leave it at different times. */
static void write_while(struct generator *generator, uint32_t nesting)
{
    uint32_t variable_count  = generator->variable_count;
    uint32_t has_counter     = generator->loop_has_counter;
    struct variable *counter = add_variable(generator, "n", one_uint);
    if (!counter)
        return;
    char name[sizeof(counter->name)];
    memcpy(name, counter->name, sizeof(name));
    counter->is_fixed = 1;
    int after         = chance(generator, 50);
    line(generator, "uint %s = 0u;\n", name);
    if (after) {
        line(generator, "do");
    } else {
        line(generator, "while (%s++ < %uu && ", name, 1 + random_below(&generator->random, 5));
        write_test(generator, 2);
        fputs(")", generator->out);
    }
    generator->loop_depth++;
    generator->loop_has_counter = 1;
    write_body(generator, 1 + random_below(&generator->random, 4), nesting);
    generator->loop_depth--;
    generator->loop_has_counter = has_counter;
    if (after)
        line(generator, "while (%s++ < %uu);\n", name, 1 + random_below(&generator->random, 4));
    generator->variable_count = variable_count;
}

static void write_switch(struct generator *generator, uint32_t nesting)
{
    uint32_t cases     = 1 + random_below(&generator->random, 4);
    uint32_t otherwise = random_below(&generator->random, cases + 2); /* cases + 1: no default */
    line(generator, "switch (");
    write_expression(generator, chance(generator, 50) ? one_uint : (struct kind){BASE_INT, 1}, 2);
    fprintf(generator->out, " & 3)");
    open_block(generator);
    for (uint32_t i = 0; i <= cases; i++) {
        uint32_t variable_count = generator->variable_count;
        if (i == otherwise)
            line(generator, "default: {\n");
        else if (i < cases)
            line(generator, "case %u: {\n", i);
        else
            break;
        generator->indent++;
        write_statements(generator, 1 + random_below(&generator->random, 2), nesting);
        generator->indent--;
        line(generator, chance(generator, 70) ? "} break;\n" : "}\n");
        generator->variable_count = variable_count;
    }
    close_block(generator);
}

static void write_jump(struct generator *generator)
{
    line(generator, "if ");
    write_test(generator, 2);
    fputs("\n", generator->out);
    if (!generator->in_main && (generator->loop_depth == 0 || chance(generator, 30))) {
        line(generator, "    return ");
        write_expression(generator, generator->result, 2);
        fputs(";\n", generator->out);
    } else {
        line(generator, chance(generator, 60) ? "    break;\n" : "    continue;\n");
    }
}

static void write_statement(struct generator *generator, uint32_t nesting)
{
    uint32_t which = random_below(&generator->random, nesting < NESTING_MOST ? 24 : 14);
    if (which < 3)
        write_declaration(generator);
    else if (which < 8)
        write_assignment(generator);
    else if (which < 9)
        write_swizzled(generator);
    else if (which < 11)
        write_element_assignment(generator);
    else if (which < 12)
        write_call_statement(generator);
    else if (which < 13 && generator->in_main)
        write_atomic(generator);
    else if (which < 14 && (generator->loop_depth || !generator->in_main))
        write_jump(generator);
    else if (which < 14)
        write_assignment(generator);
    else if (which < 18)
        write_if(generator, nesting + 1);
    else if (which < 20)
        write_for(generator, nesting + 1);
    else if (which < 22)
        write_while(generator, nesting + 1);
    else
        write_switch(generator, nesting + 1);
}

static void write_statements(struct generator *generator, uint32_t count, uint32_t nesting)
{
    for (uint32_t i = 0; i < count; i++)
        write_statement(generator, nesting);
}

/* ---- functions ---- */

static void write_function(struct generator *generator)
{
    static const char *const directions[] = {"", "inout ", "out "};
    struct function function              = {.result = any_kind(generator, 2)};
    snprintf(function.name, sizeof(function.name), "f%u", generator->function_count);
    function.parameter_count  = 1 + random_below(&generator->random, PARAMETERS_MOST);
    generator->variable_count = 0;
    generator->calls_left     = 2;
    generator->loop_depth     = 0;
    generator->in_main        = 0;
    generator->result         = function.result;
    fprintf(generator->out, "\n%s %s(", kind_name(function.result), function.name);
    int pure = chance(generator, 50);
    for (uint32_t i = 0; i < function.parameter_count; i++) {
        struct kind kind                = any_kind(generator, 2);
        const struct variable *variable = add_variable(generator, "p", kind);
        function.parameters[i]          = kind;
        function.directions[i] = pure ? DIRECTION_IN : (enum direction)random_below(&generator->random, 3);
        fprintf(generator->out, "%s%s%s %s", i ? ", " : "", directions[function.directions[i]],
                kind_name(kind), variable->name);
    }
    fputs(")\n{\n", generator->out);
    generator->indent++;
    for (uint32_t i = 0; i < function.parameter_count; i++) {
        if (function.directions[i] == DIRECTION_OUT)
            line(generator, "%s = %s(%u);\n", generator->variables[i].name, kind_name(function.parameters[i]),
                 i);
    }
    write_statements(generator, 2 + random_below(&generator->random, 4), 1);
    line(generator, "return ");
    write_expression(generator, function.result, 3);
    fputs(";\n", generator->out);
    close_block(generator);
    generator->functions[generator->function_count++] = function;
}

/* ---- main ---- */

/* Something goes to another work-item and back, all together. */
static void write_exchange(struct generator *generator)
{
    struct variable *variable = add_variable(generator, "x", one_uint);
    if (!variable)
        return;
    generator->variable_count--;
    line(generator, "tile[local] = ");
    write_expression(generator, one_uint, 2);
    fputs(";\n", generator->out);
    line(generator, "barrier();\n");
    line(generator, "uint %s = tile[(local %s %uu) & %uu];\n", variable->name,
         chance(generator, 50) ? "+" : "^", random_below(&generator->random, GROUP_SIZE), GROUP_SIZE - 1);
    line(generator, "barrier();\n");
    generator->variable_count++;
}

/* The same in a loop that all go through alike, or where a whole group goes together. */
static void write_uniform_block(struct generator *generator)
{
    uint32_t variable_count = generator->variable_count;
    if (chance(generator, 50)) {
        struct variable *counter = add_variable(generator, "n", one_uint);
        if (!counter)
            return;
        counter->is_fixed = 1;
        line(generator, "for (uint %s = 0u; %s < 1u + group %% %uu; %s++)", counter->name, counter->name,
             2 + random_below(&generator->random, 3), counter->name);
    } else {
        line(generator, "if ((group & %uu) != 0u)", 1 + random_below(&generator->random, 3));
    }
    open_block(generator);
    write_statements(generator, 1 + random_below(&generator->random, 2), 2);
    write_exchange(generator);
    write_statements(generator, 1 + random_below(&generator->random, 2), 2);
    close_block(generator);
    generator->variable_count = variable_count;
}

static void write_result(struct generator *generator)
{
    line(generator, "uint hash = 0u;\n");
    line(generator, "precise float real = 0.0;\n");
    for (uint32_t i = 0; i < generator->variable_count; i++) {
        const struct variable *variable = &generator->variables[i];
        const char *name                = variable->name;
        if (variable->is_array) {
            line(generator, "for (uint k = 0u; k < %uu; k++)\n", ARRAY_LENGTH);
            line(generator, "    hash = hash * 31u + uint(%s[k]%s);\n", name,
                 variable->kind.components > 1 ? ".y" : "");
            continue;
        }
        for (uint32_t k = 0; k < variable->kind.components; k++) {
            char component[4] = "";
            if (variable->kind.components > 1)
                snprintf(component, sizeof(component), ".%c", "xyzw"[k]);
            if (variable->kind.base == BASE_FLOAT)
                line(generator, "real = real * 0.5 + %s%s;\n", name, component);
            else
                line(generator, "hash = hash * 31u + uint(%s%s);\n", name, component);
        }
    }
    line(generator, "c[i] = hash;\n");
    line(generator, "d[i] = real;\n");
}

static void write_main(struct generator *generator)
{
    fputs("\nvoid main()\n{\n", generator->out);
    generator->indent         = 1;
    generator->variable_count = 0;
    generator->calls_left     = 6;
    generator->loop_depth     = 0;
    generator->in_main        = 1;
    line(generator,
         "uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x, group = gl_WorkGroupID.x;\n");
    line(generator, "uint x = a[i];\n");
    line(generator, "int y = b[i];\n");
    line(generator, "never = x == 3735928559u;\n");
    static const struct {
        const char *name;
        enum base base;
        uint8_t is_fixed;
    } first[] = {{"i", BASE_UINT, 1}, {"local", BASE_UINT, 1}, {"x", BASE_UINT, 0}, {"y", BASE_INT, 0}};
    for (uint32_t i = 0; i < 4; i++) {
        struct variable *variable = add_variable(generator, "", (struct kind){first[i].base, 1});
        variable->is_fixed        = first[i].is_fixed;
        snprintf(variable->name, sizeof(variable->name), "%s", first[i].name);
    }
    uint32_t rounds = 2 + random_below(&generator->random, 3);
    int barriers    = chance(generator, 60);
    for (uint32_t i = 0; i < rounds; i++) {
        write_statements(generator, 3 + random_below(&generator->random, 4), 1);
        if (barriers && chance(generator, 60))
            write_exchange(generator);
        if (barriers && chance(generator, 40))
            write_uniform_block(generator);
    }
    write_result(generator);
    close_block(generator);
}

static void write_shader(struct generator *generator, uint64_t seed)
{
    fprintf(generator->out,
            "// Made from the seed %llu.\n"
            "//! in 0 u32 %u special\n"
            "//! in 1 i32 %u range -20 20\n"
            "//! out 2 u32 %u\n"
            "//! out 3 f32 %u abs 1e-30\n"
            "//! inout 4 u32 16\n"
            "//! groups %u 1 1\n"
            "#version 450\n"
            "layout(local_size_x = %u) in;\n"
            "layout(std430, binding = 0) readonly buffer A { uint a[]; };\n"
            "layout(std430, binding = 1) readonly buffer B { int b[]; };\n"
            "layout(std430, binding = 2) writeonly buffer C { uint c[]; };\n"
            "layout(std430, binding = 3) writeonly buffer D { float d[]; };\n"
            "layout(std430, binding = 4) buffer Sums { uint sums[]; };\n"
            "shared uint tile[%u];\n"
            "bool never;\n",
            (unsigned long long)seed, ITEMS, ITEMS, ITEMS, ITEMS, ITEMS / GROUP_SIZE, GROUP_SIZE, GROUP_SIZE);
    uint32_t functions = random_below(&generator->random, FUNCTIONS_MOST + 1);
    for (uint32_t i = 0; i < functions; i++)
        write_function(generator);
    write_main(generator);
}

int generate_case(struct shader_case *shader, uint64_t seed, char *reason, size_t capacity)
{
    char *text    = NULL;
    size_t length = 0;
    char name[64];
    struct generator *generator = calloc(1, sizeof(*generator));
    FILE *out                   = open_memstream(&text, &length);
    int worked                  = 0;
    snprintf(reason, capacity, "no memory");
    if (generator && out) {
        generator->random.state = seed * 0x9e3779b97f4a7c15u;
        generator->out          = out;
        write_shader(generator, seed);
    }
    if (out && fclose(out) == 0 && generator) {
        snprintf(name, sizeof(name), "generated-%llu", (unsigned long long)seed);
        worked = shader_case_parse(shader, name, text, reason, capacity);
    }
    free(text);
    free(generator);
    return worked;
}
