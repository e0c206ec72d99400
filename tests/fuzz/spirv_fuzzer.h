/* SPDX-License-Identifier: MIT
 */
#ifndef TESTS_FUZZ_SPIRV_FUZZER_H
#define TESTS_FUZZ_SPIRV_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/* Reads, reflects and (where asked to) translates; ends the program when a promise is broken. Answers 1 for a
 * module that was accepted. */
int spirv_fuzz_one(const uint8_t *bytes, size_t size, int translates);

#endif
