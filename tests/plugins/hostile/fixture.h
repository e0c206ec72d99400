/* The scene and the hostile backend in a test: a fixture, and what the backend is told to answer.
 * SPDX-License-Identifier: MIT
 */
#ifndef HOSTILE_FIXTURE_H
#define HOSTILE_FIXTURE_H

#include "tests/check.h"
#include <stdbool.h>

#include "scene.h"

extern struct scene scene;

/* A checked fixture: puts the backend where contexts find it. */
void load_hostile(void);
void unload_hostile(void);

/* Make and end the scene's objects. The call (may be NULL) that will be tested prepares what it needs. */
void open_scene(const struct use *use);
void close_scene(void);

/* Tell a slot what to do from now on: to return a status; to succeed and leave its outputs alone; to write
 * this number. */
void answer(enum hostile_slot slot, int32_t status);
void write_nothing(enum hostile_slot slot);
void lie(enum hostile_slot slot, uint64_t number);

/* A backend that cannot be loaded is one of several: the program sees that there is none. */
bool is_loading(const struct use *use);

/* Checks the last error. */
void sentence_has(const char *words);

#endif
