/* Check, with assertions that cost little in loops.
 *
 * Check tells the process that waits for a test of each assertion that holds, by three writes: after a crash,
 * it can say where the test was. Loops over arrays would write millions of times, so a line is told of only
 * when it is none of the last few.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

/* Check's header includes <math.h>, a fifth of all that a compiler reads for a test, for assertions about
 * floating point. They need fabsl(), and the rest only for infinities. While the name below is defined, glibc
 * and musl skip <math.h>; afterwards a file can include it itself. */
#ifdef _MATH_H
#include <check.h>
#else
#define _MATH_H
#include <check.h>
#undef _MATH_H
#endif
long double fabsl(long double number);

#define MARKS 4 /* lines of a loop */

static inline void mark_point_once(const char *file, int line)
{
    static _Thread_local struct {
        const char *file;
        int line;
    } marks[MARKS];
    static _Thread_local unsigned next;
    for (unsigned i = 0; i < MARKS; i++)
        if (marks[i].line == line && marks[i].file == file)
            return;
    marks[next].file = file;
    marks[next].line = line;
    next             = (next + 1) % MARKS;
    _mark_point(file, line);
}

/* The macros of <check.h> expand to calls of _mark_point(). */
#define _mark_point(file, line) mark_point_once(file, line)

#endif
