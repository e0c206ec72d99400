/* Trireme: writing JSON.
 * SPDX-License-Identifier: MIT
 */
#include "tools/output/json.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

void json_begin(struct json *json, FILE *file, bool indented)
{
    json->file       = file;
    json->indented   = indented;
    json->depth      = 0;
    json->has_values = 0;
}

void json_end(struct json *json)
{
    fputc('\n', json->file);
}

/* The length of the UTF-8 sequence that starts at `text`, 0 where none does (RFC 3629: no overlong forms, no
 * surrogates, nothing above U+10FFFF). */
static size_t utf8_length(const unsigned char *text)
{
    unsigned char first = text[0], low = 0x80, high = 0xbf;
    size_t length;

    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first == 0xe0)
        low = 0xa0;
    else if (first == 0xed)
        high = 0x9f;
    else if (first == 0xf0)
        low = 0x90;
    else if (first == 0xf4)
        high = 0x8f;
    if (text[1] < low || text[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (text[i] < 0x80 || text[i] > 0xbf)
            return 0;
    return length;
}

static void write_string(FILE *file, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    fputc('"', file);
    while (*at) {
        size_t length = utf8_length(at);

        if (length == 0) {
            fputs("\\ufffd", file);
            length = 1;
        } else if (*at == '"' || *at == '\\') {
            fprintf(file, "\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7f) {
            fprintf(file, "\\u%04x", *at);
        } else {
            fwrite(at, 1, length, file);
        }
        at += length;
    }
    fputc('"', file);
}

static void new_line(struct json *json)
{
    fputc('\n', json->file);
    for (uint32_t i = 0; i < json->depth; i++)
        fputs("  ", json->file);
}

/* Writes the comma, the line end and the key before a value. */
static void before_value(struct json *json, const char *key)
{
    uint32_t bit = UINT32_C(1) << json->depth;

    if (json->has_values & bit)
        fputs(json->indented ? "," : ", ", json->file);
    json->has_values |= bit;
    if (json->indented && json->depth > 0)
        new_line(json);
    if (key) {
        write_string(json->file, key);
        fputs(": ", json->file);
    }
}

static void open_bracket(struct json *json, const char *key, char bracket)
{
    before_value(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->has_values &= ~(UINT32_C(1) << json->depth);
}

static void close_bracket(struct json *json, char bracket)
{
    bool empty = !(json->has_values & (UINT32_C(1) << json->depth));

    json->depth--;
    if (json->indented && !empty)
        new_line(json);
    fputc(bracket, json->file);
}

void json_object_begin(struct json *json, const char *key)
{
    open_bracket(json, key, '{');
}

void json_object_end(struct json *json)
{
    close_bracket(json, '}');
}

void json_array_begin(struct json *json, const char *key)
{
    open_bracket(json, key, '[');
}

void json_array_end(struct json *json)
{
    close_bracket(json, ']');
}

void json_text(struct json *json, const char *key, const char *value)
{
    before_value(json, key);
    if (value)
        write_string(json->file, value);
    else
        fputs("null", json->file);
}

void json_count(struct json *json, const char *key, uint64_t value)
{
    before_value(json, key);
    fprintf(json->file, "%" PRIu64, value);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    before_value(json, key);
    fprintf(json->file, "%" PRId64, value);
}

void json_number(struct json *json, const char *key, double value)
{
    before_value(json, key);
    if (isfinite(value))
        fprintf(json->file, "%.6g", value);
    else
        fputs("null", json->file);
}

void json_bool(struct json *json, const char *key, bool value)
{
    before_value(json, key);
    fputs(value ? "true" : "false", json->file);
}
