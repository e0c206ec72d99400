/* The module that the tests of a file build. open_builder() begins a new one for each test.
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
    builder.next = 1000; /* tests choose their own ids below 1000 */
}

static void close_builder(void)
{
    builder_end(&builder);
}

/* Starts a second module in the same test. */
static void again(void)
{
    close_builder();
    open_builder();
}

#define INVALID TRM_ERROR_INVALID_ARGUMENT
#define UNSUPPORTED TRM_ERROR_UNSUPPORTED

#endif
