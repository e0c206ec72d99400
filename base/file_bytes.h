/* Reading and writing bytes of an open file, whatever the kernel splits or interrupts.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_FILE_BYTES_H
#define BASE_FILE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* Reads `size` bytes at `offset`, fewer where the file ends; `count` receives how many. 0 or an errno. */
int32_t base_file_read(int file, void *to, uint64_t size, uint64_t offset, uint64_t *count);

/* Writes all `size` bytes at `offset`. 0 or an errno. */
int32_t base_file_write(int file, const void *from, uint64_t size, uint64_t offset);

#endif
