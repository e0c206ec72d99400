/* Trireme: `trireme check KERNEL`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include "tools/command/command.h"
#include "tools/output/output.h"

#include <stdio.h>
#include <string.h>

static bool is_of(const struct trm_device_summary *summary, const char *backend)
{
    return strcmp(summary->backend, backend) == 0;
}

/* Does the device get a share of the work? Shared objects are for the cpu alone. */
static bool takes_part(const struct kernel_check *it, const struct trm_device_summary *summary)
{
    return !it->shared->is_native || is_of(summary, "cpu");
}

/* The first device that reports accesses outside: the cpu, else any but vulkan, whose driver stops them
 * silently. */
static const struct trm_device_summary *device_for_bounds(const struct check_survey *survey)
{
    const struct trm_device_summary *found = NULL;

    for (uint32_t i = 0; i < survey->device_count; i++) {
        const struct trm_device_summary *summary = &survey->devices[i];

        if (is_of(summary, "cpu"))
            return summary;
        if (!found && !is_of(summary, "vulkan"))
            found = summary;
    }
    return found;
}

static void add_finding(struct check *check, const char *section, enum finding_state state,
                        const char *subject, const char *topic, const char *text)
{
    struct finding finding = {.state   = state,
                              .section = (char *)section,
                              .subject = (char *)subject,
                              .topic   = (char *)topic,
                              .text    = (char *)text,
                              .remedy  = (char *)""};

    findings_add(&check->findings, &finding);
}

/* A kernel in C may have written anywhere: what this process reads ends where it has to. */
static void end_texts(struct kernel_shared *shared)
{
    shared->misuse[sizeof(shared->misuse) - 1]       = '\0';
    shared->obstacle[sizeof(shared->obstacle) - 1]   = '\0';
    shared->skipped[sizeof(shared->skipped) - 1]     = '\0';
    shared->reference[sizeof(shared->reference) - 1] = '\0';
}

/* A kernel that crashes or hangs on one device would do so on others, and some drivers do not survive it. */
static void run_apart(struct check *check, struct kernel_check *it, apart_job_fn job)
{
    const char *id = it->summary->id;

    if (!apart_run(&check->apart, it->section, id, job, it) && !*it->shared->skipped)
        snprintf(it->shared->skipped, sizeof(it->shared->skipped), "it did not end well on %.60s", id);
    end_texts(it->shared);
}

static void check_bounds(struct check *check, struct kernel_check *it)
{
    it->summary = device_for_bounds(check->survey);
    if (*it->shared->obstacle)
        return;
    if (it->shared->is_native)
        add_finding(check, it->section, FINDING_ABSENT, "cpu", "bounds",
                    "the indices of a kernel in C are not checked");
    else if (!it->summary)
        add_finding(check, it->section, FINDING_ABSENT, "kernel", "bounds",
                    "no device here reports accesses outside; the cpu would");
    else
        run_apart(check, it, kernel_bounds_job);
}

/* What can be told on the cpu alone: whether all work-items come to each barrier; and memory that nothing was
 * written to, since groups run in order there. */
static void check_group(struct check *check, struct kernel_check *it)
{
    const uint32_t *words = (const uint32_t *)it->shared->data;
    struct kernel_variable any;

    if (*it->shared->obstacle || *it->shared->skipped || it->shared->is_native ||
        it->shared->size_count == 0 || !it->summary || !is_of(it->summary, "cpu"))
        return;
    if (kernel_words_has_barriers(words, it->shared->word_bytes))
        run_apart(check, it, kernel_barriers_job);
    if (!*it->shared->skipped && kernel_words_variables(words, it->shared->word_bytes, &any, 1) > 0)
        run_apart(check, it, kernel_memory_job);
}

static void check_groups(struct check *check, struct kernel_check *it)
{
    it->summary = device_for_bounds(check->survey);
    if (it->summary && it->shared->group.value != 0 && it->shared->size_count > 0 && !*it->shared->obstacle &&
        !*it->shared->skipped && !it->shared->is_random)
        run_apart(check, it, kernel_groups_job);
}

/* The device whose results count comes first, so that the sentences about others name it. */
static void check_on_devices(struct check *check, struct kernel_check *it)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < check->survey->device_count; i++) {
            it->summary = &check->survey->devices[i];
            if (!takes_part(it, it->summary) || is_of(it->summary, "cpu") != (pass == 0))
                continue;
            run_apart(check, it, kernel_device_job);
            if (pass > 0 || *it->shared->obstacle || it->shared->is_random ||
                strcmp(it->shared->reference, it->summary->id) != 0)
                continue;
            it->has_one_worker = true;
            run_apart(check, it, kernel_device_job);
            it->has_one_worker = false;
        }
}

/* What is wrong with the command line is also part of the JSON. */
static int report_misuse(struct check *check, const char *section, const char *text)
{
    struct finding finding = {.state   = FINDING_FAILED,
                              .section = (char *)section,
                              .subject = (char *)"kernel",
                              .topic   = (char *)"command line",
                              .text    = (char *)text,
                              .remedy  = (char *)"trireme help check"};

    fputs("trireme check: ", stderr);
    output_text(stderr, text);
    fputc('\n', stderr);
    if (check->options.is_json)
        findings_add(&check->findings, &finding);
    return COMMAND_USAGE;
}

static int check_spec(struct check *check, const char *section, struct spec *spec)
{
    struct kernel_check it = {.check = check, .section = section, .spec = spec};
    int status             = COMMAND_OK;

    it.shared = apart_share(sizeof(*it.shared) + KERNEL_SHARED_BYTES);
    if (!it.shared) {
        add_finding(check, section, FINDING_FAILED, "kernel", "results", "there is no memory for them");
        return COMMAND_FAILED;
    }
    apart_run(&check->apart, section, "kernel", kernel_survey_job, &it);
    end_texts(it.shared);
    if (it.shared->is_misuse) {
        status = report_misuse(check, section, it.shared->misuse);
    } else if (it.shared->is_found) {
        check_bounds(check, &it);
        check_group(check, &it);
        check_on_devices(check, &it);
        check_groups(check, &it);
    }
    apart_unshare(it.shared, sizeof(*it.shared) + KERNEL_SHARED_BYTES);
    return status;
}

/* is_run: else the text alone is examined. */
static int check_kernel(struct check *check, const char *section, const char *text, bool is_run)
{
    struct fault fault;
    struct spec spec;
    int status = COMMAND_OK;

    fault_init(&fault);
    if (!spec_parse(&spec, text, &fault))
        status = report_misuse(check, section, fault.text);
    else if (is_run)
        status = check_spec(check, section, &spec);
    spec_release(&spec);
    fault_fini(&fault);
    return status;
}

/* Each kernel has a section of its own, with its name where there are several. */
static int check_each(struct check *check, const struct check_targets *targets, bool is_run)
{
    int worst = COMMAND_OK;

    for (int i = 0; i < targets->count; i++) {
        char section[256];
        int status;

        snprintf(section, sizeof(section), targets->count > 1 ? "Kernel %.240s" : "Kernel",
                 targets->texts[i]);
        status = check_kernel(check, section, targets->texts[i], is_run);
        worst  = status > worst ? status : worst;
    }
    return worst;
}

/* What is wrong with the command line is said before anything is run. */
static int check_targets(struct check *check, const struct check_targets *targets)
{
    int status = check_each(check, targets, false);

    if (status != COMMAND_OK)
        return status;
    return check_survey(check) ? check_each(check, targets, true) : COMMAND_FAILED;
}

int check_kernels(struct check *check)
{
    struct check_targets targets;
    struct fault fault;
    int status;

    fault_init(&fault);
    if (check_targets_find(&targets, &check->options, &fault))
        status = check_targets(check, &targets);
    else
        status = report_misuse(check, "Kernel", fault.text);
    check_targets_release(&targets);
    fault_fini(&fault);
    return status;
}
