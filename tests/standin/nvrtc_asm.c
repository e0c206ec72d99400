/* asm statements with instructions of PTX, made into calls:
 *
 *     asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));      do { ptx_cvt_rn_f16_f32((half), (x)); } while
 *                                                               (0);
 *
 * Registers that a statement declares are variables; "@p" and "@!p" before an instruction are an if.
 * SPDX-License-Identifier: MIT
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/nvrtc.h"

#define OPERANDS_MOST 64

struct statement {
    struct words instructions; /* the string */
    const char *operands[OPERANDS_MOST];
    size_t lengths[OPERANDS_MOST];
    int count;
};

/* ---- reading */

/* A string without its escapes; they are those of ends of lines and tabulators. */
static const char *read_string(const char *at, struct words *to)
{
    const char *end = nvrtc_token_end(at);

    for (const char *c = at + 1; c < end - 1; c++) {
        if (*c == '\\') {
            c++;
            words_add(to, *c == 'n' ? "\n" : *c == 't' ? "\t" : c, 1);
        } else {
            words_add(to, c, 1);
        }
    }
    return nvrtc_skip_space(end);
}

/* Operands until a colon or the end: "constraint"(expression), … */
static const char *read_operands(const char *at, struct statement *statement)
{
    while (*at == '"' || *at == '[' || *at == ',') {
        if (*at == ',') {
            at = nvrtc_skip_space(at + 1);
            continue;
        }
        if (*at == '[')
            at = nvrtc_skip_space(nvrtc_skip_brackets(at));
        at = nvrtc_skip_space(nvrtc_token_end(at));
        if (*at != '(')
            continue; /* something that is overwritten */
        const char *close = nvrtc_skip_brackets(at);
        if (close == NULL || statement->count == OPERANDS_MOST)
            return NULL;
        statement->operands[statement->count]  = at;
        statement->lengths[statement->count++] = (size_t)(close - at);
        at                                     = nvrtc_skip_space(close);
    }
    return at;
}

static bool read_statement(const char *text, const char **end, struct statement *statement)
{
    const char *at = nvrtc_skip_space(nvrtc_token_end(text));

    while (isalpha((unsigned char)*at) || *at == '_') /* volatile */
        at = nvrtc_skip_space(nvrtc_token_end(at));
    *end = *at == '(' ? nvrtc_skip_brackets(at) : NULL;
    if (*end == NULL)
        return false;
    at = nvrtc_skip_space(at + 1);
    words_add(&statement->instructions, "", 0); /* there may be none */
    while (*at == '"')
        at = read_string(at, &statement->instructions);
    while (at != NULL && *at == ':')
        at = read_operands(nvrtc_skip_space(at + 1), statement);
    return at != NULL && at + 1 == *end && statement->instructions.bytes != NULL;
}

/* ---- writing */

static const char *type_of(const char *name, size_t length)
{
    static const struct {
        const char *name, *type;
    } types[] = {{".pred", "bool"},
                 {".b16", "unsigned short"},
                 {".u16", "unsigned short"},
                 {".f32", "float"},
                 {".f64", "double"},
                 {".s32", "int"},
                 {".s64", "long long"},
                 {".b64", "unsigned long long"},
                 {".u64", "unsigned long long"}};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strlen(types[i].name) == length && strncmp(types[i].name, name, length) == 0)
            return types[i].type;
    return "unsigned int";
}

/* ".reg .pred p" */
static void write_register(const char *at, const char *end, struct words *out)
{
    const char *type = nvrtc_skip_space(at + strlen(".reg"));
    const char *name = type;

    while (name < end && !isspace((unsigned char)*name))
        name++;
    words_print(out, "%s %.*s; ", type_of(type, (size_t)(name - type)), (int)(end - name), name);
}

/* A register that the device has: %laneid, %tid.x */
static const char *write_special(const char *at, struct words *out)
{
    words_print(out, "ptx_");
    for (; isalnum((unsigned char)*at) || *at == '_' || *at == '.'; at++)
        words_add(out, *at == '.' ? "_" : at, 1);
    words_print(out, "()");
    return at;
}

/* Operands as arguments: brackets of addresses and of vectors do not matter. */
static void write_arguments(const char *at, const char *end, const struct statement *statement,
                            struct words *out)
{
    while (at < end) {
        if (at[0] == '%' && at[1] == '%') {
            at = write_special(at + 2, out);
        } else if (at[0] == '%' && isdigit((unsigned char)at[1])) {
            char *behind;
            long number = strtol(at + 1, &behind, 10);
            if (number < statement->count)
                words_add(out, statement->operands[number], statement->lengths[number]);
            at = behind;
        } else {
            if (strchr("[]{}", *at) == NULL)
                words_add(out, at, 1);
            at++;
        }
    }
}

static void write_instruction(const char *at, const char *end, const struct statement *statement,
                              struct words *out)
{
    if (*at == '@') {
        const char *name = at[1] == '!' ? at + 2 : at + 1;
        at               = name;
        while (at < end && !isspace((unsigned char)*at))
            at++;
        words_print(out, "if (%s", name[-1] == '!' ? "!" : "");
        write_arguments(name, at, statement, out);
        words_print(out, ") ");
        at = nvrtc_skip_space(at);
    }
    words_print(out, "ptx_");
    while (at < end && !isspace((unsigned char)*at)) {
        words_add(out, isalnum((unsigned char)*at) ? at : "_", 1);
        at++;
    }
    words_print(out, "(");
    write_arguments(at, end, statement, out);
    words_print(out, "); ");
}

static void write_statement(const struct statement *statement, struct words *out)
{
    const char *at = statement->instructions.bytes;

    words_print(out, "do { ");
    while (*(at = nvrtc_skip_space(at)) != '\0') {
        if (*at == '{' || *at == '}') {
            words_add(out, at++, 1);
            continue;
        }
        const char *end = strchr(at, ';');
        if (end == NULL)
            end = at + strlen(at);
        if (strncmp(at, ".reg", 4) == 0)
            write_register(at, end, out);
        else if (at < end)
            write_instruction(at, end, statement, out);
        at = *end == ';' ? end + 1 : end;
    }
    words_print(out, "} while (0)");
}

bool nvrtc_rewrite_asm(const char *text, const char **end, struct words *rewritten)
{
    struct statement statement = {.count = 0};
    bool worked                = read_statement(text, end, &statement);

    if (worked)
        write_statement(&statement, rewritten);
    words_clear(&statement.instructions);
    return worked;
}
