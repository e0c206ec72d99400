/* The size of a shader's work-groups, for runners that do not read it themselves.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_LOCAL_SIZE_H
#define TESTS_DIFFERENTIAL_LOCAL_SIZE_H

#include "tests/differential/runner.h"

/* With the request's constants in force. 0 when the module does not say. */
int local_size_of(const struct run_request *request, uint32_t size[3]);

#endif
