/* What the tests of reports as text and JSON share.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_REPORT_FORMAT_H
#define TESTS_UNIT_PIPELINE_REPORT_FORMAT_H

#include "tests/check.h"

#include "tests/unit/pipeline/report/fixture.h"

static const struct ideal usual = {.depth      = 3,
                                   .tokens     = 300,
                                   .time       = {1000000, 2000000, 4000000, 1500000, 500000},
                                   .bytes_up   = 1 << 20,
                                   .bytes_down = 1 << 19};

static char text[1 << 16];

static inline const char *format_report(const struct trm_report *report, int32_t format)
{
    size_t needed;

    ck_assert_int_eq(trm_report_format(report, format, text, sizeof(text), &needed), TRM_OK);
    ck_assert_uint_eq(needed, strlen(text) + 1);
    return text;
}

static inline void has(const char *wanted)
{
    ck_assert_msg(strstr(text, wanted) != NULL, "\"%s\" is not in:\n%s", wanted, text);
}

static inline void text_has(const struct trm_report *report, const char *words)
{
    format_report(report, TRM_REPORT_TEXT);
    has(words);
}

static inline void lacks(const char *unwanted)
{
    ck_assert_msg(strstr(text, unwanted) == NULL, "\"%s\" is in:\n%s", unwanted, text);
}

#endif
