/* json_check [--lines] [PATH:TYPE …] <TEXT: checks that the text is strict JSON (RFC 8259) and has the given
 * members.
 *
 * PATH is member names separated by dots; "[]" after a name stands for every element of an array, of which
 * there has to be at least one. TYPE is string, number, bool, null, array or object, or string=VALUE. With
 * --lines every line is a document, and has to have all paths.
 *
 *     json_check version:string 'devices[].id:string' <info.json
 *
 * Exit status: 0 when it has, 1 when not, 2 for a wrong command line.
 * SPDX-License-Identifier: MIT
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_TEXT  = 16 << 20,
    MOST_DEPTH = 64
};

/* Where the reader stands; `failure` says what was wrong first. */
struct reader {
    const char *at;
    const char *end;
    const char *failure;
    int depth;
};

static int fail(struct reader *reader, const char *failure)
{
    if (!reader->failure)
        reader->failure = failure;
    return -1;
}

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at)
        reader->at++;
}

static int accept(struct reader *reader, char wanted)
{
    if (reader->at == reader->end || *reader->at != wanted)
        return 0;
    reader->at++;
    return 1;
}

static int read_word(struct reader *reader, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return fail(reader, "an unknown word");
    reader->at += length;
    return 0;
}

static int read_digits(struct reader *reader)
{
    const char *begin = reader->at;

    while (reader->at < reader->end && isdigit((unsigned char)*reader->at))
        reader->at++;
    return reader->at > begin ? 0 : fail(reader, "a digit is missing");
}

static int read_number(struct reader *reader)
{
    accept(reader, '-');
    if (!accept(reader, '0') && read_digits(reader) != 0)
        return -1;
    if (accept(reader, '.') && read_digits(reader) != 0)
        return -1;
    if (accept(reader, 'e') || accept(reader, 'E')) {
        if (!accept(reader, '+'))
            accept(reader, '-');
        return read_digits(reader);
    }
    return 0;
}

static int read_escape(struct reader *reader)
{
    if (reader->at < reader->end && *reader->at && strchr("\"\\/bfnrt", *reader->at)) {
        reader->at++;
        return 0;
    }
    if (!accept(reader, 'u'))
        return fail(reader, "an unknown escape");
    for (int i = 0; i < 4; i++, reader->at++)
        if (reader->at == reader->end || !isxdigit((unsigned char)*reader->at))
            return fail(reader, "an escape that is too short");
    return 0;
}

static int read_string(struct reader *reader)
{
    if (!accept(reader, '"'))
        return fail(reader, "a string is missing");
    while (reader->at < reader->end) {
        unsigned char byte = (unsigned char)*reader->at++;

        if (byte == '"')
            return 0;
        if (byte < 0x20)
            return fail(reader, "a control character in a string");
        if (byte == '\\' && read_escape(reader) != 0)
            return -1;
    }
    return fail(reader, "a string without end");
}

static int read_value(struct reader *reader);

static int read_member(struct reader *reader)
{
    skip_blanks(reader);
    if (read_string(reader) != 0)
        return -1;
    skip_blanks(reader);
    return accept(reader, ':') ? read_value(reader) : fail(reader, "a colon is missing");
}

static int read_list(struct reader *reader, char close, int (*read_element)(struct reader *reader))
{
    if (++reader->depth > MOST_DEPTH)
        return fail(reader, "it is too deep");
    skip_blanks(reader);
    if (!accept(reader, close)) {
        do {
            if (read_element(reader) != 0)
                return -1;
            skip_blanks(reader);
        } while (accept(reader, ','));
        if (!accept(reader, close))
            return fail(reader, "a comma or a closing bracket is missing");
    }
    reader->depth--;
    return 0;
}

static int read_value(struct reader *reader)
{
    skip_blanks(reader);
    if (reader->at == reader->end)
        return fail(reader, "a value is missing");
    switch (*reader->at) {
    case '{':
        reader->at++;
        return read_list(reader, '}', read_member);
    case '[':
        reader->at++;
        return read_list(reader, ']', read_value);
    case '"':
        return read_string(reader);
    case 't':
        return read_word(reader, "true");
    case 'f':
        return read_word(reader, "false");
    case 'n':
        return read_word(reader, "null");
    default:
        return read_number(reader);
    }
}

/* ---- paths; the text has been read once and is known to be JSON ------------------------------------- */

/* Move to the value of the member `name` of the object at which the reader stands. */
static int enter_member(struct reader *reader, const char *name, size_t length)
{
    skip_blanks(reader);
    if (!accept(reader, '{'))
        return -1;
    do {
        const char *key;
        size_t key_length;

        skip_blanks(reader);
        key = reader->at + 1;
        if (read_string(reader) != 0)
            return -1;
        key_length = (size_t)(reader->at - key - 1);
        skip_blanks(reader);
        accept(reader, ':');
        skip_blanks(reader);
        if (key_length == length && memcmp(key, name, length) == 0)
            return 0;
        read_value(reader);
        skip_blanks(reader);
    } while (accept(reader, ','));
    return -1;
}

static int has_type(struct reader *reader, const char *type)
{
    const char *begin = reader->at;

    if (strncmp(type, "string=", 7) == 0) {
        size_t length = strlen(type + 7);

        return read_string(reader) == 0 && (size_t)(reader->at - begin) == length + 2 &&
               memcmp(begin + 1, type + 7, length) == 0;
    }
    if (strcmp(type, "string") == 0)
        return *begin == '"';
    if (strcmp(type, "array") == 0)
        return *begin == '[';
    if (strcmp(type, "object") == 0)
        return *begin == '{';
    if (strcmp(type, "bool") == 0)
        return *begin == 't' || *begin == 'f';
    if (strcmp(type, "null") == 0)
        return *begin == 'n';
    return strcmp(type, "number") == 0 && (*begin == '-' || isdigit((unsigned char)*begin));
}

/* Whether the value at which the reader stands has what `path` (names, then ':' and the type) asks for. */
static int has_path(struct reader reader, const char *path)
{
    size_t length = strcspn(path, ".[:");

    skip_blanks(&reader);
    if (*path == ':')
        return has_type(&reader, path + 1);
    if (*path == '.')
        return has_path(reader, path + 1);
    if (length > 0)
        return enter_member(&reader, path, length) == 0 && has_path(reader, path + length);
    if (strncmp(path, "[]", 2) != 0 || !accept(&reader, '['))
        return 0;
    do {
        if (!has_path(reader, path + 2) || read_value(&reader) != 0)
            return 0;
        skip_blanks(&reader);
    } while (accept(&reader, ','));
    return 1;
}

static int check_document(const char *text, size_t length, char **paths, int path_count)
{
    struct reader reader = {.at = text, .end = text + length};
    int failures         = 0;

    read_value(&reader);
    skip_blanks(&reader);
    if (!reader.failure && reader.at != reader.end)
        fail(&reader, "something after the end");
    if (reader.failure) {
        fprintf(stderr, "no JSON: %s at byte %zu\n", reader.failure, (size_t)(reader.at - text));
        return 1;
    }
    for (int i = 0; i < path_count; i++) {
        if (has_path((struct reader){.at = text, .end = text + length}, paths[i]))
            continue;
        fprintf(stderr, "missing or of another type: %s\n", paths[i]);
        failures++;
    }
    return failures != 0;
}

static int check_lines(char *text, char **paths, int path_count)
{
    int failures = 0, lines = 0;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
        failures += check_document(line, strlen(line), paths, path_count);
    if (lines == 0)
        fputs("no line at all\n", stderr);
    return failures != 0 || lines == 0;
}

int main(int argc, char **argv)
{
    int by_lines   = argc > 1 && strcmp(argv[1], "--lines") == 0;
    char **paths   = argv + 1 + by_lines;
    int path_count = argc - 1 - by_lines;
    char *text     = calloc(1, MOST_TEXT);
    size_t length;
    int status;

    for (int i = 0; i < path_count; i++) {
        if (!strchr(paths[i], ':')) {
            fprintf(stderr, "%s: a type is missing\n", paths[i]);
            free(text);
            return 2;
        }
    }
    if (!text)
        return 1;
    length = fread(text, 1, MOST_TEXT - 1, stdin);
    if (memchr(text, '\0', length)) {
        fputs("no JSON: a zero byte\n", stderr);
        status = 1;
    } else if (by_lines) {
        status = check_lines(text, paths, path_count);
    } else {
        status = check_document(text, length, paths, path_count);
    }
    free(text);
    return status;
}
