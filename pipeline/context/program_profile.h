/* The profile of a program that knows nothing of it: the setting profile.file.
 *
 * It has all devices of a context and is written when the context is destroyed, or else when the program
 * exits. The file is opened when the context is created, as log.file opens its file. The first context of a
 * process writes the file of the setting, later ones put their number before the suffix: out.2.json.
 *
 * For exit() the library keeps a list of the contexts that are to be written, and registers a function with
 * atexit(). A program without the setting has neither.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_CONTEXT_PROGRAM_PROFILE_H
#define PIPELINE_CONTEXT_PROGRAM_PROFILE_H

#include <stdint.h>

struct core_context;

/* Begins the profile of a context that is not published, if the setting asks for it and the program does not
 * run with another user's rights. Errors: PERMISSION for the file; OUT_OF_HOST_MEMORY. */
int32_t pipeline_program_profile_begin(struct core_context *context);

#endif
