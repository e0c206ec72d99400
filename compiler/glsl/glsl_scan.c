/* Finds the #include directives of a GLSL text.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/glsl/glsl_scan.h"

#include <string.h>

#define END (-1)

/* ---- characters ----------------------------------------------------------------------------- */

static bool is_newline(int letter)
{
    return letter == '\n' || letter == '\r';
}

static bool is_blank(int letter)
{
    return letter == ' ' || letter == '\t' || letter == '\v' || letter == '\f';
}

/* The letter at `at`, which moves past backslashes that continue a line. */
static int peek(struct glsl_scan *scan)
{
    while (scan->size - scan->at >= 2 && scan->text[scan->at] == '\\' &&
           is_newline(scan->text[scan->at + 1])) {
        bool is_pair = scan->size - scan->at >= 3 && scan->text[scan->at + 1] == '\r' &&
                       scan->text[scan->at + 2] == '\n';
        scan->at += is_pair ? 3 : 2;
    }
    return scan->at < scan->size ? (unsigned char)scan->text[scan->at] : END;
}

static int next(struct glsl_scan *scan)
{
    int letter = peek(scan);
    scan->at += letter != END;
    return letter;
}

/* ---- comments and strings ------------------------------------------------------------------- */

/* Skips up to `last`, or in front of the end of the line. False at the end of the line. */
static bool skip_to(struct glsl_scan *scan, int last)
{
    for (int letter = peek(scan); letter != END && !is_newline(letter); letter = peek(scan)) {
        scan->at++;
        if (letter == last)
            return true;
    }
    return false;
}

static void skip_long_comment(struct glsl_scan *scan)
{
    for (int letter = next(scan); letter != END; letter = next(scan))
        if (letter == '*' && peek(scan) == '/') {
            scan->at++;
            return;
        }
}

/* Skips a comment whose first slash has been read. False if it is none. */
static bool skip_comment(struct glsl_scan *scan)
{
    int letter = peek(scan);
    if (letter != '/' && letter != '*')
        return false;
    scan->at++;
    if (letter == '*')
        skip_long_comment(scan);
    else
        (void)skip_to(scan, END);
    return true;
}

static void skip_blanks(struct glsl_scan *scan)
{
    for (;;) {
        int letter   = peek(scan);
        size_t start = scan->at;
        if (!is_blank(letter) && letter != '/')
            return;
        scan->at++;
        if (letter == '/' && !skip_comment(scan)) {
            scan->at = start;
            return;
        }
    }
}

/* ---- directives ----------------------------------------------------------------------------- */

/* Reads a directive whose '#' has been read. True if it is an #include with a name. */
static bool read_include(struct glsl_scan *scan, struct glsl_directive *directive)
{
    static const char word[] = "include";

    skip_blanks(scan);
    for (size_t i = 0; i < sizeof(word) - 1; i++) {
        if (peek(scan) != word[i])
            return false;
        scan->at++;
    }
    skip_blanks(scan);
    int quote = peek(scan);
    if (quote != '"' && quote != '<')
        return false;
    directive->is_relative = quote == '"';
    directive->begin       = scan->at++;
    if (!skip_to(scan, quote == '"' ? '"' : '>'))
        return false;
    directive->end = scan->at;
    return true;
}

bool glsl_scan_next(struct glsl_scan *scan, struct glsl_directive *directive)
{
    for (int letter = next(scan); letter != END; letter = next(scan)) {
        if (is_newline(letter)) {
            scan->is_within_a_line = false;
        } else if (letter == '#' && !scan->is_within_a_line) {
            scan->is_within_a_line = true;
            directive->hash        = scan->at - 1;
            if (read_include(scan, directive))
                return true;
        } else if (letter == '"') {
            scan->is_within_a_line = true;
            (void)skip_to(scan, '"');
        } else if (!is_blank(letter) && !(letter == '/' && skip_comment(scan))) {
            scan->is_within_a_line = true;
        }
    }
    return false;
}
