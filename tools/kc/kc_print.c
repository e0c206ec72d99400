/* Trireme: the output of `trireme kc`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kc/kc.h"

#include "tools/kernel/kernel.h"
#include "tools/output/output.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void kc_print_text(const struct kc_job *job)
{
    struct trm_kernel_info kernel = {.struct_size = sizeof(kernel)};

    for (uint32_t i = 0; trm_shader_kernel(job->shader, i, &kernel) == TRM_OK; i++) {
        signature_print(stdout, &kernel, job->shader);
        fputs("  ", stdout);
        signature_print_facts(stdout, &kernel, job->shader);
        fputc('\n', stdout);
    }
}

void kc_print_json(const struct kc_job *job, struct json *json)
{
    json_object_begin(json, NULL);
    json_text(json, "file", job->file);
    json_text(json, "failure", job->failure);
    json_array_begin(json, "outputs");
    for (uint32_t i = 0; i < job->output_count; i++)
        json_text(json, NULL, job->outputs[i]);
    json_array_end(json);
    if (job->shader)
        signature_json(json, job->shader);
    json_object_end(json);
}

/* Compilers print one line for each error, beginning with the file name, which editors parse. */
void kc_print_failure(const struct kc_job *job)
{
    const char *line = job->failure;

    if (strncmp(line, job->file, strlen(job->file)) != 0)
        fprintf(stderr, "trireme: %s: ", job->file);
    while (*line) {
        size_t length = strcspn(line, "\n");

        output_line(stderr, line, length);
        line += length;
        line += *line == '\n';
    }
}

static bool has_progress(const struct kc *kc)
{
    return kc->options->file_count > 1 && !kc->options->verbose && isatty(STDERR_FILENO);
}

void kc_progress(const struct kc *kc, const struct kc_job *job, const char *what)
{
    if (!has_progress(kc) || job->failure)
        return;
    fprintf(stderr, "\r\033[K[%u/%u] ", kc->begun, kc->options->file_count);
    output_text(stderr, what);
    fflush(stderr);
}

void kc_progress_end(const struct kc *kc)
{
    if (!has_progress(kc))
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}
