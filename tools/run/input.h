/* Trireme: a file, pipe or terminal that is read from its beginning to its end, or, where it is a file, at any place.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_INPUT_H
#define TRIREME_TOOLS_RUN_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/fault.h"

enum {
    INPUT_BUFFER = 65536
};

struct input {
    const char *name;  /* for messages: the path, or "standard input" */
    int descriptor;    /* -1: closed */
    bool regular;      /* a file: read at places, by several threads if need be */
    bool ended;        /* a pipe: nothing more will come */
    uint64_t position; /* of the next byte that is handed out */
    unsigned char *buffer;
    size_t begin, end; /* what of it is filled and not handed out */
};

/* Open `path`; "-" is standard input. */
bool input_open(struct input *input, const char *path, struct fault *fault);
void input_close(struct input *input);

/* See up to `wanted` bytes (at most INPUT_BUFFER) without taking them. How many there are is written to `got`: fewer only
 * at the end. */
bool input_peek(struct input *input, size_t wanted, size_t *got, struct fault *fault);

/* Take what was seen. */
void input_take(struct input *input, size_t size);

/* Take bytes; fewer than `size` only at the end. Interrupted by interrupt_arm()'s signal: as if it were the end. */
bool input_read(struct input *input, void *data, uint64_t size, uint64_t *got, struct fault *fault);

/* A file only: read bytes at a place, whatever has been taken. Any thread. */
bool input_read_at(const struct input *input, uint64_t place, void *data, uint64_t size, struct fault *fault);

/* A file only: bytes from here to its end at this moment. */
bool input_left(const struct input *input, uint64_t *left, struct fault *fault);

/* Go forward without looking; a file only. */
void input_skip(struct input *input, uint64_t size);

/* ---- interrupt.c: the first SIGINT or SIGTERM ends the input; the second one ends the program */

void interrupt_arm(void);
void interrupt_disarm(void);
bool interrupt_came(void);

/* Readable once it has come. */
int interrupt_descriptor(void);

#endif
