/* How programs of unit tests run.
 *
 * Each room has one program, made of all its files of tests. A file ends with UNIT_SUITE instead of main().
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_RUNNER_H
#define TESTS_UNIT_RUNNER_H

#include "tests/check.h"
#include <stdlib.h>

/* Adds the suite that `make` returns to the program; where it returns NULL, the tests of this file are
 * skipped. */
#define UNIT_SUITE(make)                                         \
    __attribute__((constructor)) static void add_the_suite(void) \
    {                                                            \
        unit_suite_add(make);                                    \
    }

void unit_suite_add(Suite *(*make)(void));

/* For a program with a main() of its own and one suite. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
