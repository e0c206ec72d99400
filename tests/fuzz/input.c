/* Values taken from a fuzz target's input.
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

void fuzz_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

bool fuzz_is_empty(const struct fuzz_input *input)
{
    return input->left == 0;
}

uint8_t fuzz_take_byte(struct fuzz_input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->bytes++;
}

uint32_t fuzz_take_u32(struct fuzz_input *input)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++)
        value |= (uint32_t)fuzz_take_byte(input) << 8 * i;
    return value;
}

uint64_t fuzz_take_u64(struct fuzz_input *input)
{
    uint64_t low = fuzz_take_u32(input);

    return low | (uint64_t)fuzz_take_u32(input) << 32;
}

uint32_t fuzz_take_below(struct fuzz_input *input, uint32_t count)
{
    uint32_t value = count <= 256 ? fuzz_take_byte(input) : fuzz_take_u32(input);

    return value % count;
}

size_t fuzz_take_line(struct fuzz_input *input, char *line, size_t size)
{
    size_t count = 0;

    while (input->left != 0) {
        uint8_t byte = fuzz_take_byte(input);
        if (byte == 0 || byte == '\n')
            break;
        if (count + 1 < size)
            line[count++] = (char)byte;
    }
    line[count] = '\0';
    return count;
}
