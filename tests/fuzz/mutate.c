/* Makes inputs: takes a file of the corpus, or none, and changes it a few times.
 * SPDX-License-Identifier: MIT
 */
#include "tests/fuzz/mutate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANGES_MOST 16 /* of one input */

/* ---- random numbers ------------------------------------------------------------------------- */

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators"). */
static uint64_t random_next(struct mutator *mutator)
{
    mutator->state ^= mutator->state >> 12;
    mutator->state ^= mutator->state << 25;
    mutator->state ^= mutator->state >> 27;
    return mutator->state * 0x2545f4914f6cdd1du;
}

static size_t random_below(struct mutator *mutator, size_t count)
{
    return count == 0 ? 0 : (size_t)((random_next(mutator) >> 11) % count);
}

/* Small numbers are more frequent than large ones. */
static size_t random_length(struct mutator *mutator, size_t most)
{
    size_t limit = (size_t)1 << random_below(mutator, 12);

    return 1 + random_below(mutator, limit < most ? limit : most);
}

/* ---- corpus and dictionary ------------------------------------------------------------------ */

static bool append(struct mutator_piece **pieces, size_t *count, const uint8_t *bytes, size_t size)
{
    struct mutator_piece *grown = realloc(*pieces, (*count + 1) * sizeof(*grown));
    uint8_t *copy               = malloc(size + 1);

    if (grown != NULL)
        *pieces = grown;
    if (grown == NULL || copy == NULL) {
        free(copy);
        return false;
    }
    memcpy(copy, bytes, size);
    grown[(*count)++] = (struct mutator_piece){copy, size};
    return true;
}

bool mutator_add_file(struct mutator *mutator, const char *path)
{
    uint8_t part[4096], *bytes = NULL;
    size_t size = 0, count;
    FILE *file  = fopen(path, "rb");

    if (file == NULL)
        return false;
    while ((count = fread(part, 1, sizeof(part), file)) != 0) {
        uint8_t *grown = realloc(bytes, size + count);
        if (grown == NULL)
            break;
        bytes = grown;
        memcpy(bytes + size, part, count);
        size += count;
    }
    bool is_read = !ferror(file) && feof(file) &&
                   append(&mutator->corpus, &mutator->corpus_count, bytes != NULL ? bytes : part, size);
    fclose(file);
    free(bytes);
    return is_read;
}

/* The value between the quotes of a dictionary's line. */
static size_t read_word(const char *line, uint8_t *word, size_t most)
{
    const char *at = strchr(line, '"');
    size_t size    = 0;
    unsigned code;

    for (at = at != NULL ? at + 1 : ""; *at != '\0' && *at != '"' && size < most; at++) {
        word[size] = (uint8_t)*at;
        if (at[0] == '\\' && at[1] == 'x' && sscanf(at + 2, "%2x", &code) == 1) {
            word[size] = (uint8_t)code;
            at += 3;
        } else if (at[0] == '\\' && at[1] != '\0') {
            word[size] = (uint8_t) * ++at;
        }
        size++;
    }
    return size;
}

bool mutator_add_dictionary(struct mutator *mutator, const char *path)
{
    char line[1024];
    uint8_t word[1024];
    FILE *file  = fopen(path, "r");
    bool is_all = true;

    if (file == NULL)
        return false;
    while (is_all && fgets(line, sizeof(line), file) != NULL) {
        size_t size = line[0] == '#' ? 0 : read_word(line, word, sizeof(word));
        if (size != 0)
            is_all = append(&mutator->words, &mutator->word_count, word, size);
    }
    fclose(file);
    return is_all;
}

/* ---- changes -------------------------------------------------------------------------------- */

struct text {
    uint8_t *bytes;
    size_t size, most;
};

/* Opens a gap of `length` bytes, or less where there is no room for more. Returns its length. */
static size_t open_gap(struct text *text, size_t at, size_t length)
{
    if (length > text->most - text->size)
        length = text->most - text->size;
    memmove(text->bytes + at + length, text->bytes + at, text->size - at);
    text->size += length;
    return length;
}

static void put(struct text *text, size_t at, const uint8_t *bytes, size_t length, bool inserts)
{
    if (inserts)
        length = open_gap(text, at, length);
    else if (length > text->size - at)
        length = text->size - at;
    memcpy(text->bytes + at, bytes, length);
}

static void flip_bit(struct mutator *mutator, struct text *text)
{
    if (text->size != 0)
        text->bytes[random_below(mutator, text->size)] ^= (uint8_t)(1u << random_below(mutator, 8));
}

static void set_byte(struct mutator *mutator, struct text *text)
{
    if (text->size != 0)
        text->bytes[random_below(mutator, text->size)] = (uint8_t)random_next(mutator);
}

/* A number at an edge, of one to eight bytes, at a multiple of its size. */
static void set_number(struct mutator *mutator, struct text *text)
{
    static const uint64_t edges[] = {0,          1,
                                     2,          3,
                                     16,         64,
                                     127,        128,
                                     255,        256,
                                     0x7fff,     0x8000,
                                     0xffff,     0x10000,
                                     INT32_MAX,  (uint64_t)INT32_MAX + 1,
                                     UINT32_MAX, (uint64_t)UINT32_MAX + 1,
                                     INT64_MAX,  (uint64_t)1 << 63,
                                     UINT64_MAX};
    uint64_t value                = edges[random_below(mutator, sizeof(edges) / sizeof(edges[0]))];
    size_t size                   = (size_t)1 << random_below(mutator, 4);
    size_t at                     = random_below(mutator, text->size / size + 1) * size;

    if (at < text->size)
        put(text, at, (const uint8_t *)&value, size, false);
}

/* A decimal number in a text becomes another one. */
static void set_digits(struct mutator *mutator, struct text *text)
{
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "1",
                                          "255",
                                          "256",
                                          "65536",
                                          "2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "9223372036854775808",
                                          "18446744073709551616",
                                          "1e999",
                                          "nan",
                                          "0x",
                                          "0.5",
                                          "1,5"};
    const char *number                 = numbers[random_below(mutator, sizeof(numbers) / sizeof(numbers[0]))];
    size_t at                          = random_below(mutator, text->size + 1), end;

    while (at < text->size && (text->bytes[at] < '0' || text->bytes[at] > '9'))
        at++;
    for (end = at; end < text->size && text->bytes[end] >= '0' && text->bytes[end] <= '9';)
        end++;
    if (at == end)
        return;
    memmove(text->bytes + at, text->bytes + end, text->size - end);
    text->size -= end - at;
    put(text, at, (const uint8_t *)number, strlen(number), true);
}

static void insert_random(struct mutator *mutator, struct text *text)
{
    size_t at     = random_below(mutator, text->size + 1);
    size_t length = open_gap(text, at, random_length(mutator, 64));

    for (size_t i = 0; i < length; i++)
        text->bytes[at + i] = (uint8_t)random_next(mutator);
}

static void erase(struct mutator *mutator, struct text *text)
{
    size_t at = random_below(mutator, text->size), length;

    if (text->size == 0)
        return;
    length = random_length(mutator, text->size - at);
    if (length > text->size - at)
        length = text->size - at;
    memmove(text->bytes + at, text->bytes + at + length, text->size - at - length);
    text->size -= length;
}

/* A part of this input or of a file of the corpus goes to another place. */
static void copy_part(struct mutator *mutator, struct text *text)
{
    struct mutator_piece from = {text->bytes, text->size};

    if (mutator->corpus_count != 0 && random_below(mutator, 2) == 0)
        from = mutator->corpus[random_below(mutator, mutator->corpus_count)];
    if (from.size == 0)
        return;
    size_t begin  = random_below(mutator, from.size);
    size_t length = random_length(mutator, from.size - begin);
    if (length > from.size - begin)
        length = from.size - begin;
    uint8_t *part = malloc(length);
    if (part == NULL)
        return;
    memcpy(part, from.bytes + begin, length);
    put(text, random_below(mutator, text->size + 1), part, length, random_below(mutator, 2) == 0);
    free(part);
}

static void put_word(struct mutator *mutator, struct text *text)
{
    if (mutator->word_count == 0) {
        set_number(mutator, text);
        return;
    }
    const struct mutator_piece *word = &mutator->words[random_below(mutator, mutator->word_count)];
    put(text, random_below(mutator, text->size + 1), word->bytes, word->size, random_below(mutator, 4) != 0);
}

/* ---- all of it ------------------------------------------------------------------------------ */

void mutator_init(struct mutator *mutator, uint64_t seed)
{
    memset(mutator, 0, sizeof(*mutator));
    mutator->state = seed * 0x9e3779b97f4a7c15u ^ 0xd1b54a32d192ed03u;
    if (mutator->state == 0)
        mutator->state = 1;
}

void mutator_fini(struct mutator *mutator)
{
    for (size_t i = 0; i < mutator->corpus_count; i++)
        free(mutator->corpus[i].bytes);
    for (size_t i = 0; i < mutator->word_count; i++)
        free(mutator->words[i].bytes);
    free(mutator->corpus);
    free(mutator->words);
}

size_t mutator_make(struct mutator *mutator, uint8_t *bytes, size_t most)
{
    static void (*const changes[])(struct mutator *, struct text *) = {
        flip_bit, set_byte, set_number, set_digits, insert_random, erase, copy_part, put_word};
    struct text text = {bytes, 0, most};

    if (mutator->corpus_count != 0 && random_below(mutator, 16) != 0) {
        const struct mutator_piece *file = &mutator->corpus[random_below(mutator, mutator->corpus_count)];
        text.size                        = file->size < most ? file->size : most;
        memcpy(bytes, file->bytes, text.size);
    } else {
        text.size = random_length(mutator, most);
        for (size_t i = 0; i < text.size; i++)
            bytes[i] = (uint8_t)random_next(mutator);
    }
    for (size_t left = random_below(mutator, CHANGES_MOST); left != 0; left--)
        changes[random_below(mutator, sizeof(changes) / sizeof(changes[0]))](mutator, &text);
    return text.size;
}
