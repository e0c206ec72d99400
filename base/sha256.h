/* SHA-256 (FIPS 180-4), for what is found by its contents: code in the cache, shaders and what was made of them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define CORE_SHA256_BYTES 32

struct core_sha256 {
    uint32_t state[8];
    uint64_t length;   /* bytes so far */
    uint8_t block[64]; /* the last length % 64 of them */
};

void core_sha256_begin(struct core_sha256 *hash);
void core_sha256_add(struct core_sha256 *hash, const void *bytes, size_t size);
void core_sha256_end(struct core_sha256 *hash, uint8_t digest[CORE_SHA256_BYTES]);

/* In small letters, with a zero. */
void core_sha256_text(const uint8_t digest[CORE_SHA256_BYTES], char text[2 * CORE_SHA256_BYTES + 1]);

#endif
