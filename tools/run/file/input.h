/* Trireme: reading a pipe or terminal in order, or a file at any position.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_FILE_INPUT_H
#define TRIREME_TOOLS_RUN_FILE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/output/output.h"

enum {
    INPUT_BUFFER = 65536
};

struct input {
    const char *name;  /* for messages: the path, or "standard input" */
    int descriptor;    /* -1: closed */
    bool regular;      /* a file: several threads may read it at any position */
    bool ended;        /* a pipe: it has ended */
    uint64_t position; /* of the next byte to be returned */
    unsigned char *buffer;
    size_t begin, end; /* the range of the buffer that is not returned yet */
};

/* Open `path`; "-" is standard input. */
bool input_open(struct input *input, const char *path, struct fault *fault);
void input_close(struct input *input);

/* Look at up to `wanted` bytes (at most INPUT_BUFFER) without consuming them. `got` is smaller only at the
 * end. */
bool input_peek(struct input *input, size_t wanted, size_t *got, struct fault *fault);

/* Consume bytes that input_peek() returned. */
void input_take(struct input *input, size_t size);

/* Read bytes; fewer than `size` only at the end. An interrupt counts as the end. */
bool input_read(struct input *input, void *data, uint64_t size, uint64_t *got, struct fault *fault);

/* A file only: read bytes at a position, without consuming any. Any thread. */
bool input_read_at(const struct input *input, uint64_t place, void *data, uint64_t size, struct fault *fault);

/* A file only: the number of bytes from here to its present end. */
bool input_left(const struct input *input, uint64_t *left, struct fault *fault);

/* A file only: skip bytes. */
void input_skip(struct input *input, uint64_t size);

/* ---- interrupt.c: the first SIGINT or SIGTERM ends the input; the next of either ends the program */

void interrupt_arm(void);
void interrupt_disarm(void);
bool interrupt_came(void);

/* The signal that came first; 0: none. */
int interrupt_signal(void);

/* Readable once an interrupt has come. */
int interrupt_descriptor(void);

#endif
