/* A scenario that uses every function of a backend, and stops at the first failure.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DEVICE_SCENARIO_H
#define TESTS_DEVICE_SCENARIO_H

#include <stdint.h>
#include <trireme/trireme.h>

struct scenario_end {
    int32_t status;   /* TRM_OK when it came through, its data being what they must be */
    const char *step; /* the one that failed */
    struct trm_error error;
    char sentence[1024]; /* of that failure */
};

/* It destroys all of its objects before it returns. `look`, where there is one, is called before the first
 * step and after each, and after everything has been destroyed ("destroying"). */
typedef void (*scenario_look_fn)(const char *step);
void scenario_run(struct scenario_end *end, scenario_look_fn look);

/* The test fails unless the scenario succeeds. `when` is printed with the failure. */
void scenario_succeed(const char *when, scenario_look_fn look);

#endif
