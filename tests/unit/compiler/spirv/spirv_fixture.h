/* A module that is being built, for each test a new one. Included once by each test program.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_COMPILER_SPIRV_SPIRV_FIXTURE_H
#define TESTS_UNIT_COMPILER_SPIRV_SPIRV_FIXTURE_H

#include "tests/unit/compiler/spirv/spirv_builder.h"
#include "tests/unit/runner.h"

static struct builder builder;

static void open_builder(void)
{
    builder_begin(&builder);
    builder.next = 1000; /* ids below are the tests' own */
}

static void close_builder(void)
{
    builder_end(&builder);
}

/* A second module in the same test. */
static void again(void)
{
    close_builder();
    open_builder();
}

#define INVALID TRM_ERROR_INVALID_ARGUMENT
#define UNSUPPORTED TRM_ERROR_UNSUPPORTED

#endif
