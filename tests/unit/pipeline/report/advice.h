/* What the tests of the advice share.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_REPORT_ADVICE_H
#define TESTS_UNIT_PIPELINE_REPORT_ADVICE_H

#include "tests/check.h"

#include "tests/unit/pipeline/report/fixture.h"
#include "tests/unit/runner.h"

#define MS 1000000

static struct trm_report report;

/* For a host of so many processors, so that the advice does not depend on the machine of the test. */
static uint32_t processors = 8;

/* What is known besides the report. */
static struct pipeline_report_facts facts;

static inline void advises_again(const char *expected)
{
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_str_eq(report.advice, expected);
}

static inline void advises(const struct ideal *ideal, const char *expected)
{
    report = ideal_report(ideal);
    advises_again(expected);
}

static inline void advice_setup(void)
{
    fixture_begin();
    memset(&facts, 0, sizeof(facts));
    processors = 8;
}

#endif
