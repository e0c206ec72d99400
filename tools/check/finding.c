/* Trireme: the findings of a run.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/finding.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

const char *finding_state_name(enum finding_state state)
{
    static const char *const names[FINDING_STATES] = {
        [FINDING_OK]      = "ok",
        [FINDING_WARNING] = "warning",
        [FINDING_FAILED]  = "failed",
        [FINDING_ABSENT]  = "not here",
    };

    return names[state];
}

static bool is_same(const struct finding *one, const struct finding *other)
{
    return one->state == other->state && strcmp(one->topic, other->topic) == 0 &&
           strcmp(one->text, other->text) == 0;
}

static bool is_of_same(const struct finding *one, const struct finding *other)
{
    return strcmp(one->section, other->section) == 0 && strcmp(one->subject, other->subject) == 0;
}

/* A warning of the log has the text alone in common with its first appearance: devices see it too. */
static bool is_known(const struct findings *findings, const struct finding *finding)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (is_same(&findings->list[i], finding) &&
            (strcmp(finding->topic, "log") == 0 || is_of_same(&findings->list[i], finding)))
            return true;
    return false;
}

static struct finding *append(struct findings *findings)
{
    if (findings->count == findings->capacity) {
        uint32_t capacity    = findings->capacity * 2 + 32;
        struct finding *list = output_allocate(capacity, sizeof(*list));

        if (findings->count > 0)
            memcpy(list, findings->list, findings->count * sizeof(*list));
        free(findings->list);
        findings->list     = list;
        findings->capacity = capacity;
    }
    return &findings->list[findings->count++];
}

void findings_add(struct findings *findings, const struct finding *finding)
{
    struct finding *copy;

    if (is_known(findings, finding))
        return;
    copy          = append(findings);
    copy->state   = finding->state;
    copy->section = output_copy(finding->section);
    copy->subject = output_copy(finding->subject);
    copy->topic   = output_copy(finding->topic);
    copy->text    = output_copy(finding->text);
    copy->remedy  = output_copy(finding->remedy);
    findings->totals[copy->state]++;
    if (findings->is_text)
        finding_print(findings, copy);
}

void findings_release(struct findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        struct finding *finding = &findings->list[i];

        free(finding->section);
        free(finding->subject);
        free(finding->topic);
        free(finding->text);
        free(finding->remedy);
    }
    free(findings->list);
}

/* ---- JSON ---- */

static void write_finding(struct json *json, const struct finding *finding)
{
    json_object_begin(json, NULL);
    json_text(json, "section", finding->section);
    json_text(json, "subject", finding->subject);
    json_text(json, "topic", finding->topic);
    json_text(json, "state", finding_state_name(finding->state));
    json_text(json, "text", finding->text);
    json_text(json, "remedy", *finding->remedy ? finding->remedy : NULL);
    json_object_end(json);
}

void findings_print_json(const struct findings *findings)
{
    struct json json;

    json_begin(&json, stdout, true);
    json_object_begin(&json, NULL);
    json_text(&json, "version", trm_version());
    json_array_begin(&json, "findings");
    for (uint32_t i = 0; i < findings->count; i++)
        write_finding(&json, &findings->list[i]);
    json_array_end(&json);
    json_count(&json, "ok", findings->totals[FINDING_OK]);
    json_count(&json, "warnings", findings->totals[FINDING_WARNING]);
    json_count(&json, "failed", findings->totals[FINDING_FAILED]);
    json_count(&json, "not_here", findings->totals[FINDING_ABSENT]);
    json_object_end(&json);
    json_end(&json);
}
