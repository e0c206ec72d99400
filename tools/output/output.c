/* Trireme: output for people.
 * SPDX-License-Identifier: MIT
 */
#include "tools/output/output.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int stdout_takes_colour(void)
{
    static int answer = -1;

    if (answer < 0) {
        const char *refusal  = getenv("NO_COLOR");
        const char *terminal = getenv("TERM");

        answer =
            isatty(STDOUT_FILENO) && !(refusal && *refusal) && !(terminal && strcmp(terminal, "dumb") == 0);
    }
    return answer;
}

const char *output_style(enum output_style style)
{
    static const char *const sequences[] = {
        [OUTPUT_PLAIN] = "\033[0m", [OUTPUT_BOLD] = "\033[1m",  [OUTPUT_GOOD] = "\033[32m",
        [OUTPUT_BAD] = "\033[31m",  [OUTPUT_FAINT] = "\033[2m",
    };

    return stdout_takes_colour() ? sequences[style] : "";
}

/* The bytes of the character at the start of a text, if it is one of UTF-8 that a terminal only shows; else
 * 0. Controls have codes below 0x20, 0x7f, and from 0x80 to 0x9f. */
static size_t length_of_character(const char *text)
{
    static const unsigned least[] = {0, 0x20, 0xa0, 0x800, 0x10000}; /* of so many bytes */
    unsigned char first           = (unsigned char)*text;
    unsigned code = first, length = 1;

    if (first >= 0xf8 || (first & 0xc0) == 0x80)
        return 0;
    if (first >= 0xc0) {
        length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        code   = first & (0x7fu >> length);
    }
    for (unsigned i = 1; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xc0) != 0x80) /* also the end of the text */
            return 0;
        code = code << 6 | (byte & 0x3fu);
    }
    bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[length] && code != 0x7f && code < 0x110000 && !is_surrogate ? length : 0;
}

static void write_character(FILE *file, const char **text)
{
    size_t length = length_of_character(*text);

    if (length == 0)
        fputc('?', file);
    else
        fwrite(*text, 1, length, file);
    *text += length > 0 ? length : 1;
}

void output_text(FILE *file, const char *text)
{
    while (*text)
        write_character(file, &text);
}

void output_line(FILE *file, const char *text, size_t length)
{
    const char *end = text + length;

    while (text < end)
        if (*text == '\t')
            fputc(*text++, file);
        else
            write_character(file, &text);
    fputc('\n', file);
}

void output_paragraph(FILE *file, int indent, const char *text)
{
    int column = 0;

    while (*text) {
        int length = (int)strcspn(text, " ");

        if (column > 0 && column + 1 + length > 80) {
            fputc('\n', file);
            column = 0;
        }
        column += fprintf(file, "%*s%.*s", column > 0 ? 1 : indent, "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

void output_bytes(char *text, size_t capacity, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value                     = (double)bytes;
    size_t unit                      = 0;

    while (value >= 1024.0 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024.0;
        unit++;
    }
    snprintf(text, capacity, "%.*f %s", value == floor(value) ? 0 : 1, value, units[unit]);
}

/* Put a comma before every third digit of a whole number, in place. */
static void group_digits(char *digits, size_t capacity)
{
    size_t length = strlen(digits);

    for (size_t at = length; at > 3; at -= 3) {
        size_t comma = at - 3;

        if (length + 2 > capacity)
            return;
        memmove(digits + comma + 1, digits + comma, length - comma + 1);
        digits[comma] = ',';
        length++;
    }
}

void output_number(char *text, size_t capacity, double value)
{
    int decimals = 0;

    if (!isfinite(value)) {
        snprintf(text, capacity, "-");
        return;
    }
    for (double magnitude = fabs(value); magnitude > 0.0 && magnitude < 100.0 && decimals < 6;
         magnitude *= 10.0)
        decimals++;
    snprintf(text, capacity, "%.*f", decimals, value);
    if (decimals == 0 && value > 0.0)
        group_digits(text, capacity);
}

int output_finish(void)
{
    bool has_failed = ferror(stdout) != 0;

    if (fclose(stdout) == 0 && !has_failed)
        return 0;
    /* errno may have changed since an earlier failure. */
    fprintf(stderr, "trireme: standard output could not be written: %s\n",
            has_failed ? "write error" : strerror(errno));
    return -1;
}

static void no_memory(void)
{
    fputs("trireme: out of memory\n", stderr);
    exit(1);
}

void *output_allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);

    if (!memory)
        no_memory();
    return memory;
}

char *output_copy(const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        no_memory();
    return copy;
}
