/* Trireme: scalar values of a kernel's types (enum trm_type): as bits, as numbers and as text.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_KERNEL_VALUE_H
#define TRIREME_TOOLS_KERNEL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    VALUE_TEXT = 40
};

bool value_is_float(int32_t type);
bool value_is_signed(int32_t type);

/* The number of a float type. */
double value_as_float(int32_t type, uint64_t bits);

/* The number of a signed type. */
int64_t value_as_signed(int32_t type, uint64_t bits);

/* A value as text that value_parse() reads back as the same bits. */
void value_text(char text[VALUE_TEXT], int32_t type, uint64_t bits);

/* Parse a value of a type into bits. Returns false if the text is no value of the type. */
bool value_parse(int32_t type, const char *text, uint64_t *bits);

#endif
