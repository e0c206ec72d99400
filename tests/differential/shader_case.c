/* SPDX-License-Identifier: MIT */
#include "tests/differential/shader_case.h"
#include "tests/differential/shader_case_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 64
#define FILTER_STEPS 256

/* ---- reading the comments ---- */

int shader_case_number(const char *text, uint32_t *value)
{
    char *end;
    unsigned long parsed = strtoul(text, &end, 0);
    *value               = (uint32_t)parsed;
    return end != text && *end == '\0' && parsed <= UINT32_MAX;
}

static int parse_double(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

/* "3f32,4pad,u32" */
static int parse_record(struct case_buffer *buffer, const char *text)
{
    while (*text) {
        char *name;
        unsigned long times = strtoul(text, &name, 10);
        if (name == text)
            times = 1;
        size_t length                   = strcspn(name, ",");
        const struct element_type *type = element_type(name, length);
        if (!type || times == 0 || times > CASE_FIELDS - buffer->field_count)
            return 0;
        for (; times; times--) {
            buffer->fields[buffer->field_count++] = type;
            buffer->record_size += type->size;
        }
        text = name + length;
        if (*text == ',')
            text++;
    }
    return buffer->field_count > 0;
}

int shader_case_place(const char *text, uint32_t *set, uint32_t *binding)
{
    char number[16];
    const char *point = strchr(text, '.');
    if (!point)
        return shader_case_number(text, binding);
    snprintf(number, sizeof(number), "%.*s", (int)(point - text), text);
    return shader_case_number(number, set) && shader_case_number(point + 1, binding);
}

/* The rule and tolerance behind a buffer's length. */
int shader_case_details(struct case_buffer *buffer, char **words, uint32_t count)
{
    static const struct {
        const char *name;
        enum value_rule rule;
    } rules[] = {{"range", VALUE_RANGE}, {"log", VALUE_LOG}, {"index", VALUE_INDEX}};

    double steps = 0;
    for (uint32_t i = 0; i < count;) {
        double *single = strcmp(words[i], "ulp") == 0   ? &buffer->tolerance.ulp
                         : strcmp(words[i], "abs") == 0 ? &buffer->tolerance.absolute
                         : strcmp(words[i], "rel") == 0 ? &buffer->tolerance.relative
                                                        : NULL;
        if (single) {
            if (i + 1 >= count || !parse_double(words[i + 1], single))
                return 0;
            i += 2;
            continue;
        }
        if (strcmp(words[i], "filter") == 0) {
            if (i + 1 >= count || !parse_double(words[i + 1], &steps))
                return 0;
            i += 2;
            continue;
        }
        if (strcmp(words[i], "special") == 0) {
            buffer->values.rule = VALUE_SPECIAL;
            i += 1;
            continue;
        }
        size_t rule = 0;
        while (rule < sizeof(rules) / sizeof(rules[0]) && strcmp(words[i], rules[rule].name) != 0)
            rule++;
        if (rule == sizeof(rules) / sizeof(rules[0]) || i + 2 >= count ||
            !parse_double(words[i + 1], &buffer->values.low) ||
            !parse_double(words[i + 2], &buffer->values.high))
            return 0;
        buffer->values.rule = rules[rule].rule;
        i += 3;
    }
    if (buffer->tolerance.absolute < steps / FILTER_STEPS)
        buffer->tolerance.absolute = steps / FILTER_STEPS;
    return 1;
}

struct case_buffer *shader_case_add(struct shader_case *shader, const char *use)
{
    if (shader->buffer_count == CASE_BUFFERS)
        return NULL;
    struct case_buffer *buffer = &shader->buffers[shader->buffer_count++];
    buffer->is_uniform         = strcmp(use, "uniform") == 0;
    buffer->is_read            = strcmp(use, "out") != 0;
    buffer->is_compared        = strcmp(use, "out") == 0 || strcmp(use, "inout") == 0;
    return buffer;
}

static int parse_buffer(struct shader_case *shader, char **words, uint32_t count)
{
    struct case_buffer *buffer = count >= 4 ? shader_case_add(shader, words[0]) : NULL;
    if (!buffer)
        return 0;
    return shader_case_place(words[1], &buffer->set, &buffer->binding) && parse_record(buffer, words[2]) &&
           shader_case_number(words[3], &buffer->records) && buffer->records > 0 &&
           shader_case_details(buffer, words + 4, count - 4);
}

static int parse_groups(struct shader_case *shader, char **words, uint32_t count)
{
    return count == 4 && shader_case_number(words[1], &shader->groups[0]) &&
           shader_case_number(words[2], &shader->groups[1]) &&
           shader_case_number(words[3], &shader->groups[2]);
}

static int parse_twin(struct shader_case *shader, char **words, uint32_t count)
{
    if (count != 2 || strchr(words[1], '/') || strlen(words[1]) >= sizeof(shader->twin))
        return 0;
    snprintf(shader->twin, sizeof(shader->twin), "%s", words[1]);
    return 1;
}

static int parse_push(struct shader_case *shader, char **words, uint32_t count)
{
    const struct element_type *type = NULL;
    for (uint32_t i = 1; i < count; i++) {
        const struct element_type *named = element_type(words[i], strlen(words[i]));
        if (named) {
            type = named;
            continue;
        }
        if (!type || shader->push_size + type->size > CASE_PUSH ||
            !element_parse(type, words[i], shader->push + shader->push_size))
            return 0;
        shader->push_size += type->size;
    }
    return shader->push_size > 0;
}

static int parse_constant(struct shader_case *shader, char **words, uint32_t count)
{
    if (shader->constant_count == CASE_CONSTANTS || count != 4)
        return 0;
    struct run_constant *constant   = &shader->constants[shader->constant_count++];
    const struct element_type *type = element_type(words[2], strlen(words[2]));
    if (!type || !shader_case_number(words[1], &constant->id))
        return 0;
    constant->type = type->type;
    constant->size = type->size;
    constant->bits = 0;
    return element_parse(type, words[3], &constant->bits);
}

static const struct {
    const char *name;
    int (*parse)(struct shader_case *shader, char **words, uint32_t count);
} directives[] = {
    {"in", parse_buffer},           {"out", parse_buffer},
    {"inout", parse_buffer},        {"uniform", parse_buffer},
    {"groups", parse_groups},       {"push", parse_push},
    {"constant", parse_constant},   {"image", shader_case_image},
    {"texels", shader_case_texels}, {"sampler", shader_case_sampler},
    {"twin", parse_twin},           {"address", shader_case_address},
};

static int parse_line(struct shader_case *shader, char *line)
{
    char *words[WORDS_MOST], *rest;
    uint32_t count = 0;
    for (char *word = strtok_r(line, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
        if (count == WORDS_MOST)
            return 0;
        words[count++] = word;
    }
    for (size_t i = 0; count && i < sizeof(directives) / sizeof(directives[0]); i++) {
        if (strcmp(directives[i].name, words[0]) == 0)
            return directives[i].parse(shader, words, count);
    }
    return 0;
}

int shader_case_parse(struct shader_case *shader, const char *name, const char *text, char *reason,
                      size_t capacity)
{
    memset(shader, 0, sizeof(*shader));
    snprintf(shader->name, sizeof(shader->name), "%s", name);
    shader->text      = strdup(text);
    shader->groups[0] = shader->groups[1] = shader->groups[2] = 1;
    uint32_t number                                           = 1;
    for (const char *at = text; at && *at; number++) {
        size_t length = strcspn(at, "\n");
        size_t mark   = strncmp(at, "//!", 3) == 0 ? 3 : strncmp(at, ";!", 2) == 0 ? 2 : 0;
        if (mark != 0) {
            char line[2048];
            snprintf(line, sizeof(line), "%.*s", (int)(length - mark), at + mark);
            if (length >= sizeof(line) || !parse_line(shader, line)) {
                snprintf(reason, capacity, "%s:%u: this comment is not understood: %.*s", name, number,
                         (int)length, at);
                shader_case_fini(shader);
                return 0;
            }
        }
        at += length + (at[length] == '\n');
    }
    if (!shader->text || shader->buffer_count == 0) {
        snprintf(reason, capacity, "%s: no buffers are said", name);
        shader_case_fini(shader);
        return 0;
    }
    return 1;
}

int shader_case_read(struct shader_case *shader, const char *path, char *reason, size_t capacity)
{
    char name[64];
    const char *base = strrchr(path, '/');
    base             = base ? base + 1 : path;
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(base, "."), base);

    FILE *file   = fopen(path, "rb");
    char *text   = NULL;
    size_t space = 0;
    /* text up to the first zero: all of it */
    ssize_t length = file ? getdelim(&text, &space, '\0', file) : -1;
    if (file)
        fclose(file);
    int worked = length > 0 && shader_case_parse(shader, name, text, reason, capacity);
    if (length <= 0)
        snprintf(reason, capacity, "%s cannot be read", path);
    free(text);
    return worked;
}

void shader_case_fini(struct shader_case *shader)
{
    free(shader->text);
    shader->text = NULL;
}

/* ---- data ---- */

static size_t buffer_size(const struct case_buffer *buffer)
{
    return (size_t)buffer->record_size * buffer->records;
}

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash;
}

static void fill_buffer(const struct case_buffer *buffer, struct random *random, unsigned char *bytes)
{
    uint64_t index = 0;
    for (uint32_t record = 0; record < buffer->records; record++) {
        for (uint32_t field = 0; field < buffer->field_count; field++) {
            element_make(buffer->fields[field], &buffer->values, index++, random, bytes);
            bytes += buffer->fields[field]->size;
        }
    }
}

int shader_case_fill(const struct shader_case *shader, uint64_t seed, struct run_buffer *buffers)
{
    struct random random = {hash_name(shader->name) ^ seed};
    memset(buffers, 0, CASE_BUFFERS * sizeof(*buffers));
    for (uint32_t i = 0; i < shader->buffer_count; i++) {
        const struct case_buffer *buffer = &shader->buffers[i];
        buffers[i].set                   = buffer->set;
        buffers[i].binding               = buffer->binding;
        buffers[i].uniform               = buffer->is_uniform;
        buffers[i].size                  = buffer_size(buffer);
        buffers[i].image                 = buffer->image.type != 0 ? &buffer->image : NULL;
        buffers[i].bytes                 = malloc(buffers[i].size);
        if (!buffers[i].bytes) {
            shader_case_release(shader, buffers);
            return 0;
        }
        /* what is not written shows in the comparison only if both begin alike */
        memset(buffers[i].bytes, 0xa5, buffers[i].size);
        if (buffer->is_read)
            fill_buffer(buffer, &random, buffers[i].bytes);
    }
    return 1;
}

void shader_case_release(const struct shader_case *shader, struct run_buffer *buffers)
{
    for (uint32_t i = 0; i < shader->buffer_count; i++)
        free(buffers[i].bytes);
}

void shader_case_request(const struct shader_case *shader, struct run_buffer *buffers,
                         struct run_request *request)
{
    memset(request, 0, sizeof(*request));
    request->entry          = shader->entry[0] != '\0' ? shader->entry : NULL;
    request->buffers        = buffers;
    request->buffer_count   = shader->buffer_count;
    request->samplers       = shader->samplers;
    request->sampler_count  = shader->sampler_count;
    request->push           = shader->push;
    request->push_size      = shader->push_size;
    request->constants      = shader->constants;
    request->constant_count = shader->constant_count;
    memcpy(request->groups, shader->groups, sizeof(request->groups));
    shader_case_request_addresses(shader, request);
}

/* ---- comparing ---- */

static int buffer_same(const struct case_buffer *buffer, const unsigned char *one, const unsigned char *other,
                       char *difference, size_t capacity)
{
    uint64_t wrong = 0, total = 0;
    for (uint32_t record = 0; record < buffer->records; record++) {
        for (uint32_t field = 0; field < buffer->field_count; field++) {
            const struct element_type *type = buffer->fields[field];
            total++;
            if (!element_same(type, &buffer->tolerance, one, other) && wrong++ == 0) {
                char left[64], right[64];
                element_print(type, one, left);
                element_print(type, other, right);
                snprintf(difference, capacity, "buffer %u.%u, record %u, field %u (%s): %s and %s",
                         buffer->set, buffer->binding, record, field, type->name, left, right);
            }
            one += type->size;
            other += type->size;
        }
    }
    size_t length = wrong ? strlen(difference) : 0;
    if (wrong)
        snprintf(difference + length, capacity - length, "; %llu of %llu differ", (unsigned long long)wrong,
                 (unsigned long long)total);
    return wrong == 0;
}

int shader_case_same(const struct shader_case *shader, const struct run_buffer *one,
                     const struct run_buffer *other, char *difference, size_t capacity)
{
    for (uint32_t i = 0; i < shader->buffer_count; i++) {
        const struct case_buffer *buffer = &shader->buffers[i];
        if (buffer->is_compared) {
            if (!buffer_same(buffer, one[i].bytes, other[i].bytes, difference, capacity))
                return 0;
        } else if (memcmp(one[i].bytes, other[i].bytes, one[i].size) != 0) {
            snprintf(difference, capacity, "buffer %u.%u, which is only read, was written", buffer->set,
                     buffer->binding);
            return 0;
        }
    }
    return 1;
}
