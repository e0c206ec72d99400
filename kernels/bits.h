/* Floats and their bits.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <string.h>

static inline __attribute__((always_inline)) float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline __attribute__((always_inline)) uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}
