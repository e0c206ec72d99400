/* What every fuzz target shares: the entry that it defines, and values taken from its input.
 *
 * A target NAME is the file tests/fuzz/NAME_fuzzer.c, which defines LLVMFuzzerTestOneInput(). It calls the
 * code under test with the input, checks what must hold for any input, and calls fuzz_fail() if it does not.
 * Nothing may survive a call: the next input finds the same state. tests/fuzz/local.mk says how to add one.
 *
 * tests/fuzz/driver.c runs a target, and so does libFuzzer: both take the same options.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The target defines these; the second is optional and runs once before the first input. Both answer 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Prints the message and ends the program with abort(), so that the input is kept. */
void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* An input that is read from its front. Behind the end, everything is 0. */
struct fuzz_input {
    const uint8_t *bytes;
    size_t left;
};

bool fuzz_is_empty(const struct fuzz_input *input);
uint8_t fuzz_take_byte(struct fuzz_input *input);
uint32_t fuzz_take_u32(struct fuzz_input *input);
uint64_t fuzz_take_u64(struct fuzz_input *input);

/* A number from 0 to count - 1; `count` is not 0. */
uint32_t fuzz_take_below(struct fuzz_input *input, uint32_t count);

/* Copies at most size - 1 bytes up to the next 0 or line feed, which is skipped, and ends them with 0.
 * Returns how many it copied. */
size_t fuzz_take_line(struct fuzz_input *input, char *line, size_t size);

#endif
