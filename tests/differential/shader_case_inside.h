/* Shared by the files that read a shader's comments.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_SHADER_CASE_INSIDE_H
#define TESTS_DIFFERENTIAL_SHADER_CASE_INSIDE_H

#include "tests/differential/shader_case.h"

/* ---- shader_case.c: each answers 0 when the words are not understood */

int shader_case_number(const char *text, uint32_t *value);

/* "1.2": set and binding; "2": the binding. */
int shader_case_place(const char *text, uint32_t *set, uint32_t *binding);

/* The rule and tolerance of a buffer. */
int shader_case_details(struct case_buffer *buffer, char **words, uint32_t count);

/* A new buffer that is used as in, out, inout or uniform. NULL when there are too many. */
struct case_buffer *shader_case_add(struct shader_case *shader, const char *use);

/* ---- addresses.c */

int shader_case_address(struct shader_case *shader, char **words, uint32_t count);
void shader_case_request_addresses(const struct shader_case *shader, struct run_request *request);

/* ---- shader_case_image.c: the comments that begin with these words */

int shader_case_image(struct shader_case *shader, char **words, uint32_t count);
int shader_case_texels(struct shader_case *shader, char **words, uint32_t count);
int shader_case_sampler(struct shader_case *shader, char **words, uint32_t count);

#endif
