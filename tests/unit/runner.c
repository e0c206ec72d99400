/* The main() of a room's unit tests: runs the suites of all files that were linked.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/runner.h"

#define MOST_SUITES 64
#define SKIPPED 77 /* as Automake has it */

static Suite *(*makers[MOST_SUITES])(void);
static int count;

void unit_suite_add(Suite *(*make)(void))
{
    if (count == MOST_SUITES)
        abort();
    makers[count++] = make;
}

int main(void)
{
    SRunner *runner = NULL;
    for (int i = 0; i < count; i++) {
        Suite *suite = makers[i]();
        if (suite == NULL)
            continue;
        if (runner == NULL)
            runner = srunner_create(suite);
        else
            srunner_add_suite(runner, suite);
    }
    if (runner == NULL)
        return SKIPPED;

    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
