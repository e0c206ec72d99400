/* Makes inputs for the driver: a corpus, a dictionary, and random changes of one by the other.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mutator {
    uint64_t state; /* of the random numbers; not 0 */
    struct mutator_piece {
        uint8_t *bytes;
        size_t size;
    } * corpus, *words;
    size_t corpus_count, word_count;
};

/* The same seed and the same corpus give the same inputs. */
void mutator_init(struct mutator *mutator, uint64_t seed);
void mutator_fini(struct mutator *mutator);

/* Both answer false, with errno, if the file cannot be read. A dictionary is libFuzzer's: a line
 * `name="value"` each, in which \xNN, \" and \\ stand for bytes. */
bool mutator_add_file(struct mutator *mutator, const char *path);
bool mutator_add_dictionary(struct mutator *mutator, const char *path);

/* Writes an input of at most `most` bytes and returns its size. */
size_t mutator_make(struct mutator *mutator, uint8_t *bytes, size_t most);

#endif
