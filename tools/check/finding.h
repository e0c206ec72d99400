/* Trireme: findings, the lines of `trireme check`.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_CHECK_FINDING_H
#define TRIREME_TOOLS_CHECK_FINDING_H

#include <stdbool.h>
#include <stdint.h>

enum finding_state {
    FINDING_OK,
    FINDING_WARNING, /* works, but not as well as it could, or not everything */
    FINDING_FAILED,
    FINDING_ABSENT, /* not here: no such device, driver or compiler, or a case that does not apply */
    FINDING_STATES
};

struct finding {
    enum finding_state state;
    char *section; /* the heading: "Devices" */
    char *subject; /* what was examined: "cpu:0" */
    char *topic;   /* in which respect: "copies" */
    char *text;
    char *remedy; /* what to do; "": nothing */
};

/* "ok", "warning", "failed", "not here" */
const char *finding_state_name(enum finding_state state);

/* All findings of a run. With `is_text` they are printed as they come. */
struct findings {
    struct finding *list;
    uint32_t count;
    uint32_t capacity;
    uint32_t totals[FINDING_STATES];
    bool is_text;
    const char *printed_section; /* the heading that was printed last */
};

/* Add a copy of a finding, unless the same one is there: every process that reads the settings finds what is
 * wrong with them. */
void findings_add(struct findings *findings, const struct finding *finding);
void findings_release(struct findings *findings);

/* The totals in a line, and where to go on. */
void findings_print_totals(const struct findings *findings);
void findings_print_json(const struct findings *findings);

/* print.c: one finding, with its heading if that is another one than the last. */
void finding_print(struct findings *findings, const struct finding *finding);

#endif
