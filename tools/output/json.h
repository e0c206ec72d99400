/* Trireme: writing JSON (RFC 8259).
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_OUTPUT_JSON_H
#define TRIREME_TOOLS_OUTPUT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A document that is being written. `key` in the functions below is the member's name inside an object, NULL
 * inside an array and at the top. */
struct json {
    FILE *file;
    bool indented;       /* one value a line; otherwise all on one line */
    uint32_t depth;      /* at most 31 */
    uint32_t has_values; /* bit d: something has been written at depth d */
};

void json_begin(struct json *json, FILE *file, bool indented);

/* Ends the document with a line end. */
void json_end(struct json *json);

void json_object_begin(struct json *json, const char *key);
void json_object_end(struct json *json);
void json_array_begin(struct json *json, const char *key);
void json_array_end(struct json *json);

/* `value` NULL becomes null. Invalid UTF-8 becomes U+FFFD. */
void json_text(struct json *json, const char *key, const char *value);
void json_count(struct json *json, const char *key, uint64_t value);
void json_integer(struct json *json, const char *key, int64_t value);

/* Six significant digits; infinity and NaN become null. */
void json_number(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);

#endif
