/* Writes text in parts.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

#define LINE_COLUMNS 80

void pipeline_writer_begin(struct pipeline_writer *writer, trm_write_fn write, void *user)
{
    writer->write  = write;
    writer->user   = user;
    writer->status = TRM_OK;
    writer->used   = 0;
}

static void hand_over(struct pipeline_writer *writer, const char *bytes, size_t length)
{
    if (writer->status != TRM_OK || length == 0)
        return;
    base_error_clear(); /* an earlier sentence would be taken for the function's own */
    writer->status = writer->write(writer->user, bytes, length);
    if (writer->status != TRM_OK)
        writer->status = base_fail_program(writer->status);
}

static void flush(struct pipeline_writer *writer)
{
    hand_over(writer, writer->chunk, writer->used);
    writer->used = 0;
}

int32_t pipeline_writer_end(struct pipeline_writer *writer)
{
    flush(writer);
    return writer->status;
}

void pipeline_write_bytes(struct pipeline_writer *writer, const char *bytes, size_t length)
{
    if (length > sizeof(writer->chunk) - writer->used)
        flush(writer);
    if (length > sizeof(writer->chunk)) {
        hand_over(writer, bytes, length);
        return;
    }
    memcpy(writer->chunk + writer->used, bytes, length);
    writer->used += (uint32_t)length;
}

void pipeline_write(struct pipeline_writer *writer, const char *text)
{
    pipeline_write_bytes(writer, text, strlen(text));
}

void pipeline_writef(struct pipeline_writer *writer, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (length > 0)
        pipeline_write_bytes(writer, text, (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

static void scaled_text(char *text, size_t capacity, uint64_t value, uint32_t decimals)
{
    if (decimals == 0)
        snprintf(text, capacity, "%" PRIu64, value);
    else
        snprintf(text, capacity, "%" PRIu64 ".%0*" PRIu64, value / powers[decimals], (int)decimals,
                 value % powers[decimals]);
}

char *pipeline_number_text(char *text, size_t capacity, double value, uint32_t decimals)
{
    double scaled = (value < 0 ? -value : value) * (double)powers[decimals] + 0.5;
    size_t sign   = value < 0 && scaled >= 1;

    if (!(scaled < 1.8e19)) {
        snprintf(text, capacity, "0");
        return text;
    }
    if (sign)
        text[0] = '-';
    scaled_text(text + sign, capacity - sign, (uint64_t)scaled, decimals);
    return text;
}

void pipeline_write_number(struct pipeline_writer *writer, double value, uint32_t decimals)
{
    char text[48];

    pipeline_write(writer, pipeline_number_text(text, sizeof(text), value, decimals));
}

void pipeline_write_scaled(struct pipeline_writer *writer, uint64_t value, uint32_t decimals)
{
    char text[48];

    scaled_text(text, sizeof(text), value, decimals);
    pipeline_write(writer, text);
}

/* Three significant digits and the unit. */
static void three_digits(char *text, size_t capacity, double value, const char *unit)
{
    char number[48];

    pipeline_number_text(number, sizeof(number), value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
    snprintf(text, capacity, "%s %s", number, unit);
}

char *pipeline_time_text(char *text, size_t capacity, double nanoseconds)
{
    uint64_t seconds = (uint64_t)(nanoseconds / 1e9);

    if (nanoseconds < 999.5)
        snprintf(text, capacity, "%u ns", (unsigned)(nanoseconds + 0.5));
    else if (nanoseconds < 999.5e3)
        three_digits(text, capacity, nanoseconds / 1e3, "µs");
    else if (nanoseconds < 999.5e6)
        three_digits(text, capacity, nanoseconds / 1e6, "ms");
    else if (seconds < 100)
        three_digits(text, capacity, nanoseconds / 1e9, "s");
    else if (seconds < 6000)
        snprintf(text, capacity, "%" PRIu64 " min %02" PRIu64 " s", seconds / 60, seconds % 60);
    else
        snprintf(text, capacity, "%" PRIu64 " h %02" PRIu64 " min", seconds / 3600, seconds / 60 % 60);
    return text;
}

char *pipeline_bytes_text(char *text, size_t capacity, uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value                     = (double)bytes / 1024;
    uint32_t unit                    = 0;

    if (bytes < 1024) {
        snprintf(text, capacity, "%u bytes", (unsigned)bytes);
        return text;
    }
    for (; value >= 999.5 && unit < 5; unit++)
        value /= 1024;
    three_digits(text, capacity, value, units[unit]);
    return text;
}

/* ---- escapes -------------------------------------------------------------------------------- */

/* The length of the UTF-8 sequence that starts here, 0 for none (RFC 3629: no overlong forms, no surrogates,
 * nothing above U+10FFFF). */
static size_t utf8_length(const unsigned char *text)
{
    unsigned char first = text[0], low = 0x80, high = 0xbf;

    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
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

void pipeline_write_json(struct pipeline_writer *writer, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    pipeline_write(writer, "\"");
    while (*at != '\0') {
        size_t length = utf8_length(at);

        if (length == 0) {
            pipeline_write(writer, "\\ufffd");
            length = 1;
        } else if (*at == '"' || *at == '\\') {
            pipeline_writef(writer, "\\%c", *at);
        } else if (*at < 0x20 || *at == 0x7f || *at == '<' || *at == '>' || *at == '&') {
            pipeline_writef(writer, "\\u%04x", *at);
        } else {
            pipeline_write_bytes(writer, (const char *)at, length);
        }
        at += length;
    }
    pipeline_write(writer, "\"");
}

/* The HTML name of a byte that cannot stand for itself, else NULL. */
static const char *html_name(unsigned char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return byte < 0x20 || byte == 0x7f ? " " : NULL;
    }
}

void pipeline_write_html(struct pipeline_writer *writer, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at != '\0') {
        size_t length    = utf8_length(at);
        const char *name = length == 0 ? "\xef\xbf\xbd" : html_name(*at);

        if (name != NULL)
            pipeline_write(writer, name);
        else
            pipeline_write_bytes(writer, (const char *)at, length);
        at += length == 0 ? 1 : length;
    }
}

/* ---- lines ---------------------------------------------------------------------------------- */

size_t pipeline_columns(const char *text, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* A word and what must stay on its line: "2.2 x", "40 %". */
static size_t word_length(const char *text)
{
    size_t length = strcspn(text, " \n");

    if (length == 0 || text[length] != ' ' || text[length - 1] < '0' || text[length - 1] > '9')
        return length;
    const char *next = text + length + 1;
    if (next[0] != '%' && (next[0] != 'x' || (next[1] >= 'a' && next[1] <= 'z')))
        return length;
    return length + 1 + strcspn(next, " \n");
}

void pipeline_write_wrapped(struct pipeline_writer *writer, const char *text, size_t indent, size_t at)
{
    const char *word = text;

    while (*word != '\0') {
        size_t length = word_length(word);
        size_t wide   = pipeline_columns(word, length);

        if (at > indent && at + 1 + wide > LINE_COLUMNS) {
            pipeline_writef(writer, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            pipeline_write(writer, " ");
            at++;
        }
        pipeline_write_bytes(writer, word, length);
        at += wide;
        word += length;
        word += strspn(word, " \n");
    }
    pipeline_write(writer, "\n");
}
