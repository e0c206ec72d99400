/* CUDA C, preprocessed, made into C++: which functions are kernels, what is shared, instructions of PTX.
 * SPDX-License-Identifier: MIT
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/nvrtc.h"

#define KERNELS_MOST 256

struct kernel {
    const char *name, *bound; /* in the text; bound: of __launch_bounds__, NULL: none */
    size_t name_length, bound_length;
};

struct rewriting {
    const char *at, *end;
    struct words *out;
    struct kernel kernels[KERNELS_MOST];
    int kernel_count;
    bool is_collective;
    const char *before; /* the token before */
};

/* ---- tokens */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *nvrtc_skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static const char *skip_quoted(const char *at)
{
    char quote = *at++;

    while (*at != '\0' && *at != quote)
        at += *at == '\\' && at[1] != '\0' ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

const char *nvrtc_token_end(const char *at)
{
    if (*at == '"' || *at == '\'')
        return skip_quoted(at);
    if (!is_word(*at))
        return *at == '\0' ? at : at + 1;
    /* 1'000 is one number. */
    bool is_number = isdigit((unsigned char)*at);
    while (is_word(*at) || (is_number && *at == '\'' && is_word(at[1])))
        at++;
    return at;
}

const char *nvrtc_skip_brackets(const char *at)
{
    int depth = 0;

    for (; *at != '\0'; at = nvrtc_token_end(at)) {
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        if (depth == 0)
            return at + 1;
    }
    return NULL;
}

static bool is(const char *at, const char *end, const char *word)
{
    return (size_t)(end - at) == strlen(word) && memcmp(at, word, (size_t)(end - at)) == 0;
}

/* ---- kernels */

static bool is_known(const struct rewriting *rewriting, const struct kernel *kernel)
{
    for (int i = 0; i < rewriting->kernel_count; i++)
        if (rewriting->kernels[i].name_length == kernel->name_length &&
            memcmp(rewriting->kernels[i].name, kernel->name, kernel->name_length) == 0)
            return true;
    return false;
}

static void note_bound(struct kernel *kernel, const char *open, const char *close)
{
    const char *end = open + 1;

    while (end < close - 1 && *end != ',')
        end = *end == '(' ? nvrtc_skip_brackets(end) : end + 1;
    kernel->bound        = open + 1;
    kernel->bound_length = (size_t)(end - kernel->bound);
}

/* From behind __global__ on: the function's name is the word before the first bracket that is of no
 * attribute. */
static void note_kernel(struct rewriting *rewriting, const char *at)
{
    struct kernel kernel = {.name = NULL};

    for (; *at != '\0' && *at != ';' && *at != '{'; at = nvrtc_skip_space(at)) {
        const char *end  = nvrtc_token_end(at);
        const char *next = nvrtc_skip_space(end);
        if (*next == '(' && is_word(*at)) {
            const char *close = nvrtc_skip_brackets(next);
            if (close == NULL)
                return;
            if (is(at, end, "__launch_bounds__")) {
                note_bound(&kernel, next, close);
            } else if (!is(at, end, "__attribute__") && !is(at, end, "alignas")) {
                kernel.name        = at;
                kernel.name_length = (size_t)(end - at);
                break;
            }
            end = close;
        }
        at = end;
    }
    if (kernel.name != NULL && rewriting->kernel_count < KERNELS_MOST && !is_known(rewriting, &kernel))
        rewriting->kernels[rewriting->kernel_count++] = kernel;
}

/* ---- shared memory */

/* "extern __shared__ T name[];" becomes a pointer to what a launch asks for. Returns where the declaration
 * ends. */
static const char *write_dynamic(struct rewriting *rewriting, const char *at)
{
    const char *name = NULL, *name_end = NULL, *type = nvrtc_skip_space(at), *bracket = type;

    while (*bracket != '\0' && *bracket != '[' && *bracket != ';') {
        const char *end = nvrtc_token_end(bracket);
        if (is(bracket, end, "__attribute__") || is(bracket, end, "alignas")) {
            const char *close = nvrtc_skip_brackets(nvrtc_skip_space(end));
            if (close == NULL)
                return at;
            if (bracket == type)
                type = nvrtc_skip_space(close);
            bracket = nvrtc_skip_space(close);
            continue;
        }
        if (is_word(*bracket)) {
            name     = bracket;
            name_end = end;
        }
        bracket = nvrtc_skip_space(end);
    }
    const char *end = strchr(bracket, ';');
    if (*bracket != '[' || name == NULL || end == NULL)
        return at;
    int type_length = (int)(name - type), name_length = (int)(name_end - name);
    words_print(rewriting->out, "static %.*s *const %.*s = (%.*s *)standin_dynamic", type_length, type,
                name_length, name, type_length, type);
    return end;
}

/* ---- all of it */

static bool begins(const char *at, const char *end, const char *prefix)
{
    return (size_t)(end - at) >= strlen(prefix) && strncmp(at, prefix, strlen(prefix)) == 0;
}

/* Does the text ask something of other work-items? */
static bool is_collective(const char *at, const char *end)
{
    static const char *const prefixes[] = {"__shfl",       "__ballot_sync",   "__any_sync",
                                           "__all_sync",   "__syncwarp",      "__syncthreads",
                                           "__match_",     "__reduce_",       "standin_active_mask",
                                           "standin_lane", "standin_runtime", "ptx_laneid"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (begins(at, end, prefixes[i]))
            return true;
    return false;
}

static const char *rewrite_word(struct rewriting *rewriting, const char *at)
{
    const char *end = nvrtc_token_end(at), *after;

    if (is_collective(at, end))
        rewriting->is_collective = true;
    if (is(at, end, "__global__")) {
        /* Templates have no name that a program could ask for. */
        if (rewriting->before == NULL || *rewriting->before != '>')
            note_kernel(rewriting, nvrtc_skip_space(end));
        return end;
    }
    if (is(at, end, "__launch_bounds__")) {
        after = nvrtc_skip_brackets(nvrtc_skip_space(end));
        return after == NULL ? end : after;
    }
    if (is(at, end, "extern")) {
        const char *next = nvrtc_skip_space(end), *next_end = nvrtc_token_end(next);
        if (is(next, next_end, "__shared__")) {
            after = write_dynamic(rewriting, next_end);
            if (after != next_end)
                return after;
        }
    }
    if (is(at, end, "__shared__")) {
        bool is_static = rewriting->before != NULL && strncmp(rewriting->before, "static ", 7) == 0;
        words_add(rewriting->out, "static", is_static ? 0 : 6);
        return end;
    }
    if (is(at, end, "asm") || is(at, end, "__asm__") || is(at, end, "__asm")) {
        size_t length = rewriting->out->length;
        if (nvrtc_rewrite_asm(at, &after, rewriting->out)) {
            if (rewriting->out->bytes != NULL && strstr(rewriting->out->bytes + length, "ptx_laneid") != NULL)
                rewriting->is_collective = true;
            return after;
        }
    }
    words_add(rewriting->out, at, (size_t)(end - at));
    return end;
}

static void rewrite(struct rewriting *rewriting)
{
    bool begins_line = true;

    while (rewriting->at < rewriting->end) {
        const char *at = rewriting->at, *end;
        if (*at == '#' && begins_line) {
            end = strchr(at, '\n');
            end = end == NULL ? rewriting->end : end;
            words_add(rewriting->out, at, (size_t)(end - at));
        } else if (isalpha((unsigned char)*at) || *at == '_') {
            end               = rewrite_word(rewriting, at);
            rewriting->before = at;
        } else {
            end = nvrtc_token_end(at);
            words_add(rewriting->out, at, (size_t)(end - at));
            if (!isspace((unsigned char)*at))
                rewriting->before = at;
        }
        begins_line   = *at == '\n' || (begins_line && isspace((unsigned char)*at));
        rewriting->at = end;
    }
}

static void write_table(const struct rewriting *rewriting, unsigned int capability)
{
    struct words *out = rewriting->out;

    words_print(out, "\nstatic constexpr struct standin_kernel standin_kernels[] = {\n");
    for (int i = 0; i < rewriting->kernel_count; i++) {
        const struct kernel *kernel = &rewriting->kernels[i];
        int length = (int)kernel->name_length, bound_length = (int)kernel->bound_length;
        words_print(out, "    standin_entry<%.*s>(\"%.*s\", (unsigned int)(%.*s)),\n", length, kernel->name,
                    length, kernel->name, bound_length == 0 ? 1 : bound_length,
                    bound_length == 0 ? "0" : kernel->bound);
    }
    words_print(
        out,
        "    {}};\n"
        "extern \"C\" __attribute__((visibility(\"default\"))) const struct standin_object standin_object;\n"
        "const struct standin_object standin_object = {sizeof(struct standin_object), %d, standin_kernels, "
        "%d, %u, "
        "&standin_item, &standin_runtime, standin_dynamic};\n",
        rewriting->is_collective, rewriting->kernel_count, capability);
}

void nvrtc_rewrite(const struct words *text, unsigned int capability, struct words *rewritten)
{
    const char *first = strstr(text->bytes, NVRTC_BEGIN);
    const char *last  = first == NULL ? NULL : strstr(first, NVRTC_END);

    if (last == NULL) {
        rewritten->failed = true;
        return;
    }
    struct rewriting *rewriting = calloc(1, sizeof(*rewriting));
    if (rewriting == NULL) {
        rewritten->failed = true;
        return;
    }
    rewriting->at  = first;
    rewriting->end = last;
    rewriting->out = rewritten;
    words_add(rewritten, text->bytes, (size_t)(first - text->bytes));
    rewrite(rewriting);
    words_add(rewritten, last, text->length - (size_t)(last - text->bytes));
    write_table(rewriting, capability);
    free(rewriting);
}
