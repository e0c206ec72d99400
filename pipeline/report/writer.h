/* Writes text in parts, to a function of the program or into a buffer that may be too small. Numbers look
 * the same in every locale.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_WRITER_H
#define PIPELINE_REPORT_WRITER_H

#include <stdbool.h>
#include <trireme/report.h>
#include <trireme/status.h>

struct pipeline_writer {
    trm_write_fn write;
    void *user;
    int32_t status; /* the first error of `write`; nothing is written after it */
    uint32_t used;
    char chunk[4096];
};

void pipeline_writer_begin(struct pipeline_writer *writer, trm_write_fn write, void *user);

/* Passes on the rest; returns the first error. */
int32_t pipeline_writer_end(struct pipeline_writer *writer);

void pipeline_write(struct pipeline_writer *writer, const char *text);
void pipeline_write_bytes(struct pipeline_writer *writer, const char *bytes, size_t length);

/* Like printf(), at most 1023 bytes at a time. Not for floating-point numbers, whose point depends on the
 * locale. */
void pipeline_writef(struct pipeline_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A number with so many decimals (0 to 9), rounded; "0" for one that is not finite. */
void pipeline_write_number(struct pipeline_writer *writer, double value, uint32_t decimals);

/* value / 10^decimals, exactly: nanoseconds as microseconds (3) or seconds (9). */
void pipeline_write_scaled(struct pipeline_writer *writer, uint64_t value, uint32_t decimals);

/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. Characters that end a script in HTML
 * are escaped, so that the string may stand in one. */
void pipeline_write_json(struct pipeline_writer *writer, const char *text);

/* Text of an HTML element or of a quoted attribute. */
void pipeline_write_html(struct pipeline_writer *writer, const char *text);

/* The columns of `length` bytes of UTF-8. */
size_t pipeline_columns(const char *text, size_t length);

/* Words in lines of 80 columns that begin `indent` columns to the right. at: the column where the first line
 * goes on. */
void pipeline_write_wrapped(struct pipeline_writer *writer, const char *text, size_t indent, size_t at);

/* ---- the same into small buffers, for sentences --------------------------------------------- */

/* A value with so many decimals, as above. text: at least 32 bytes; returned. */
char *pipeline_number_text(char *text, size_t capacity, double value, uint32_t decimals);

/* A readable time: "412 ns", "4.02 ms", "1.234 s", "2 h 03 min". text: at least 32 bytes; returned. */
char *pipeline_time_text(char *text, size_t capacity, double nanoseconds);

/* "412 bytes", "64.0 KiB", "1.5 GiB" */
char *pipeline_bytes_text(char *text, size_t capacity, uint64_t bytes);

#endif
