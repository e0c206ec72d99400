/* Checks of statuses and error sentences.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DEVICE_CHECKS_H
#define TESTS_DEVICE_CHECKS_H

#include "tests/check.h"
#include <string.h>
#include <trireme/trireme.h>

#define ck_ok(call)                                                                                   \
    do {                                                                                              \
        int32_t status_given = (call);                                                                \
        ck_assert_msg(status_given == TRM_OK, "%s gave %s: %s", #call, trm_status_name(status_given), \
                      trm_last_error().sentence);                                                     \
    } while (0)

/* The call fails so, and says why. */
#define ck_fails(call, wanted)                                                                            \
    do {                                                                                                  \
        int32_t status_given = (call);                                                                    \
        ck_assert_msg(status_given == (wanted), "%s gave %s (%s) instead of %s", #call,                   \
                      trm_status_name(status_given), trm_last_error().sentence, trm_status_name(wanted)); \
        ck_assert_int_eq(trm_last_error().status, status_given);                                          \
        ck_assert(trm_last_error().sentence[0]);                                                          \
    } while (0)

#define ck_sentence_has(words)                                                                          \
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not said in: %s", words, \
                  trm_last_error().sentence)

#endif
