/* Trireme: findings as text.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/finding.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <string.h>

enum {
    WIDTH         = 80,
    SUBJECT_WIDTH = 10,
    TEXT_COLUMN   = 24,
};

/* Prints text from TEXT_COLUMN on, where `column` is the present one; its further lines begin there, too. */
static void print_wrapped(const char *text, int column)
{
    bool is_first = true;

    while (*text) {
        int length = (int)strcspn(text, " \n");
        char word[1024];

        if (!is_first && column + 1 + length > WIDTH) {
            printf("\n%*s", TEXT_COLUMN, "");
            column   = TEXT_COLUMN;
            is_first = true;
        }
        if (!is_first)
            fputc(' ', stdout), column++;
        snprintf(word, sizeof(word), "%.*s", length, text);
        output_text(stdout, word);
        column += length;
        is_first = false;
        text += length;
        text += strspn(text, " \n");
    }
    fputc('\n', stdout);
}

static const char *style_of(enum finding_state state)
{
    switch (state) {
    case FINDING_OK:
        return output_style(OUTPUT_GOOD);
    case FINDING_WARNING:
        return output_style(OUTPUT_BOLD);
    case FINDING_FAILED:
        return output_style(OUTPUT_BAD);
    default:
        return output_style(OUTPUT_FAINT);
    }
}

static void print_section(struct findings *findings, const struct finding *finding)
{
    if (findings->printed_section && strcmp(findings->printed_section, finding->section) == 0)
        return;
    printf("\n%s", output_style(OUTPUT_BOLD));
    output_text(stdout, finding->section);
    printf("%s\n", output_style(OUTPUT_PLAIN));
    findings->printed_section = finding->section;
}

void finding_print(struct findings *findings, const struct finding *finding)
{
    int subject = (int)strlen(finding->subject);
    char text[4096];

    print_section(findings, finding);
    printf("  %s%-8s%s  ", style_of(finding->state), finding_state_name(finding->state),
           output_style(OUTPUT_PLAIN));
    output_text(stdout, finding->subject);
    printf("%*s  ", subject < SUBJECT_WIDTH ? SUBJECT_WIDTH - subject : 0, "");
    snprintf(text, sizeof(text), "%s%s%s", finding->topic, *finding->topic ? ": " : "", finding->text);
    print_wrapped(text, TEXT_COLUMN + (subject > SUBJECT_WIDTH ? subject - SUBJECT_WIDTH : 0));
    if (*finding->remedy) {
        printf("%*s%s→ ", TEXT_COLUMN - 2, "", output_style(OUTPUT_BOLD));
        print_wrapped(finding->remedy, TEXT_COLUMN);
        fputs(output_style(OUTPUT_PLAIN), stdout);
    }
    fflush(stdout);
}

static void print_total(const struct findings *findings, enum finding_state state, const char *name,
                        const char **separator)
{
    if (findings->totals[state] == 0)
        return;
    printf("%s%u %s", *separator, findings->totals[state], name);
    *separator = ", ";
}

void findings_print_totals(const struct findings *findings)
{
    const char *separator = "\n";
    uint32_t warnings     = findings->totals[FINDING_WARNING];

    print_total(findings, FINDING_OK, "ok", &separator);
    print_total(findings, FINDING_WARNING, warnings == 1 ? "warning" : "warnings", &separator);
    print_total(findings, FINDING_FAILED, "failed", &separator);
    print_total(findings, FINDING_ABSENT, "not here", &separator);
    if (findings->totals[FINDING_FAILED] == 0)
        puts(": everything that is here works");
    else
        puts(": the lines that begin with \"failed\" say what to do");
}
