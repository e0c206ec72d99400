/* SHA-256 (FIPS 180-4), for files and shaders that are found by their contents.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define BASE_SHA256_BYTES 32

struct base_sha256 {
    uint32_t state[8];
    uint64_t length;   /* bytes hashed so far */
    uint8_t block[64]; /* the last length % 64 bytes */
};

void base_sha256_init(struct base_sha256 *hash);
void base_sha256_update(struct base_sha256 *hash, const void *bytes, size_t size);
void base_sha256_final(struct base_sha256 *hash, uint8_t digest[BASE_SHA256_BYTES]);

/* The digest in lower-case hexadecimal digits, with a terminating zero. */
void base_sha256_text(const uint8_t digest[BASE_SHA256_BYTES], char text[2 * BASE_SHA256_BYTES + 1]);

#endif
