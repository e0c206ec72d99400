/* Trireme: does the user's kernel stay inside its buffers?
 *
 * A kernel does not say how long its buffers have to be. The search begins with one element for each
 * work-item. A kernel that is clean only with one for each work-item of whole groups does not compare its
 * index with the count: that fails. One that needs still longer buffers may be right, so this is a warning,
 * and the other jobs use that length.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_BUFFER ((uint64_t)4 << 20) /* elements */

enum {
    SENTENCE = 1024
};

/* One size, with buffers of ever more elements. */
struct search {
    struct kernel_run *run;
    const struct kernel_size *size;
    char first[SENTENCE]; /* what was wrong with the shortest buffers */
    bool is_too_large;    /* the buffers would take too much: it was not run */
    int32_t status;       /* of the last run */
};

/* Runs with this many elements. True if no access was outside; else search->status says what happened. */
static bool is_clean(struct search *search, uint64_t elements)
{
    struct kernel_size size = *search->size;
    struct kernel_inputs inputs;

    size.elements = elements;
    report_begin(search->run->report, "running it with every index checked, and buffers of %llu elements",
                 (unsigned long long)elements);
    kernel_inputs_make(&inputs, &search->run->info, search->run->check, &size);
    search->is_too_large = inputs.total_bytes > KERNEL_SIZE_BYTES;
    if (!search->is_too_large) {
        unsigned char *results = output_allocate(inputs.result_bytes, 1);

        search->status = kernel_run_once(search->run, &inputs, results);
        if (search->status == TRM_ERROR_KERNEL && !*search->first)
            snprintf(search->first, sizeof(search->first), "%.1000s", trm_last_error().sentence);
        free(results);
    }
    kernel_inputs_release(&inputs);
    return !search->is_too_large && search->status == TRM_OK;
}

/* The fewest elements, of some, with which the kernel stays inside; 0: there are none. */
static uint64_t find_length(struct search *search)
{
    uint64_t least           = search->size->elements;
    uint64_t launched        = kernel_inputs_launched(&search->run->info, search->size);
    const uint64_t lengths[] = {least,
                                launched,
                                2 * least + 64,
                                4 * launched + 64,
                                16 * launched + 256,
                                64 * launched,
                                least * (least < 4096 ? least : 4096)};
    uint64_t last            = 0;

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        if (i > 0 && (lengths[i] <= last || lengths[i] > LONGEST_BUFFER))
            continue;
        last = lengths[i];
        if (is_clean(search, last))
            return last;
        if (search->is_too_large || search->status != TRM_ERROR_KERNEL)
            return 0;
    }
    return 0;
}

/* Where the kernel stays inside with `most` elements, but not with `least`: the fewest that it needs. */
static uint64_t narrow(struct search *search, uint64_t least, uint64_t most)
{
    while (most - least > 1) {
        uint64_t middle = least + (most - least) / 2;

        if (is_clean(search, middle))
            most = middle;
        else
            least = middle;
    }
    return most;
}

/* The library's sentence from the access on, without its full stop. */
static void access_text(const char *sentence, char *text, size_t capacity)
{
    const char *access = strstr(sentence, "it used index");
    size_t length;

    snprintf(text, capacity, "%s", access ? access : sentence);
    length = strlen(text);
    if (length > 0 && text[length - 1] == '.')
        text[length - 1] = '\0';
}

/* ",items=37x23": a length alone does not say how many work-items needed it. */
static void items_text(const struct search *search, char *text, size_t capacity)
{
    const uint64_t *items = search->size->items;
    int sides             = items[2] > 1 ? 3 : items[1] > 1 ? 2 : 1;
    size_t length         = 0;

    text[0] = '\0';
    if (kernel_inputs_has_sides(&search->run->info, search->run->check->spec))
        return;
    for (int i = 0; i < sides && length < capacity; i++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%llu", i == 0 ? ",items=" : "x",
                                   (unsigned long long)items[i]);
}

/* "trireme check 'oob.comp:y=1002,n=5'": with more elements of the buffer that was too short. */
static void command_text(const struct search *search, uint64_t elements, char *text, size_t capacity)
{
    static const char before[] = "of buffer '";
    const struct spec *spec    = search->run->check->spec;
    const char *place          = strstr(search->first, before);
    char buffer[KERNEL_NAME]   = "BUFFER";
    char items[80];
    size_t length;

    if (place)
        snprintf(buffer, sizeof(buffer), "%.*s", (int)strcspn(place + strlen(before), "'"),
                 place + strlen(before));
    length = (size_t)snprintf(text, capacity, "trireme check '%.300s:%s=%llu", spec->kernel, buffer,
                              (unsigned long long)elements);
    for (uint32_t i = 0; i < spec->option_count && length < capacity; i++)
        if (strcmp(spec->options[i].name, buffer) != 0)
            length += (size_t)snprintf(text + length, capacity - length, ",%s=%s", spec->options[i].name,
                                       spec->options[i].value);
    items_text(search, items, sizeof(items));
    if (length < capacity)
        snprintf(text + length, capacity - length, "%s'", items);
}

static void report_outside(struct search *search, const char *remedy)
{
    struct kernel_inputs inputs;
    char text[512], access[SENTENCE];

    snprintf(search->run->check->shared->skipped, sizeof(search->run->check->shared->skipped),
             "it reaches outside of its buffers");
    kernel_inputs_make(&inputs, &search->run->info, search->run->check, search->size);
    kernel_inputs_text(&inputs, text, sizeof(text));
    kernel_inputs_release(&inputs);
    access_text(search->first, access, sizeof(access));
    report_add(search->run->report, FINDING_FAILED, "bounds", remedy, "out of bounds: %s; with %s", access,
               text);
}

static void report_longer(struct search *search, uint64_t length)
{
    char access[SENTENCE], command[SENTENCE], remedy[SENTENCE + 128];

    /* What built-in kernels need is in their descriptions. */
    if (search->run->check->shared->is_named)
        return;
    access_text(search->first, access, sizeof(access));
    command_text(search, length, command, sizeof(command));
    snprintf(remedy, sizeof(remedy), "If that is right, give the length: %s. If not, correct the index.",
             command);
    report_add(
        search->run->report, FINDING_WARNING, "bounds",
        kernel_inputs_has_count(&search->run->info)
            ? remedy
            : "Give its buffers one element for each work-item of whole groups, or the kernel a count to "
              "compare its index with.",
        "with buffers of %llu elements, one for each work-item, %s; with %llu it stays inside",
        (unsigned long long)search->size->elements, access, (unsigned long long)length);
}

/* Judges a kernel that needs `length` elements, no more than one for each work-item of whole groups. Returns
 * false after a failure. */
static bool judge_near(struct search *search, uint64_t length)
{
    uint64_t least    = search->size->elements;
    uint64_t launched = kernel_inputs_launched(&search->run->info, search->size);
    uint64_t needed   = narrow(search, least, length);
    char command[SENTENCE], remedy[SENTENCE + 128];

    if (needed == launched && !kernel_inputs_has_count(&search->run->info))
        return true; /* it cannot know the count: its buffers are to have whole groups */
    if (needed == launched)
        report_outside(search, "Compare the index with the count before the access (if (i < n)): a launch "
                               "covers whole groups, and its last work-items have nothing to do.");
    if (needed != launched && needed - least > least / 8)
        return true;
    if (needed != launched) {
        command_text(search, needed, command, sizeof(command));
        snprintf(remedy, sizeof(remedy),
                 "Correct the index, which goes just past the end; if the buffer is to be longer, give its "
                 "elements: %s.",
                 command);
        report_outside(search, remedy);
    }
    return false;
}

/* Returns false after a finding that ends the search. */
static bool search_size(struct kernel_run *run, struct kernel_size *size, bool *needs_more)
{
    struct search search = {.run = run, .size = size};
    uint64_t length      = find_length(&search);

    if (length == 0 && !*search.first && search.is_too_large) {
        report_add(run->report, FINDING_FAILED, "bounds",
                   "Give fewer items, or fewer elements of its buffers.",
                   "the buffers would take more than %u MiB", (unsigned)(KERNEL_SIZE_BYTES >> 20));
        snprintf(run->check->shared->skipped, sizeof(run->check->shared->skipped), "it is too large");
        return false;
    }
    if (length == 0 && !search.is_too_large && search.status != TRM_ERROR_KERNEL) {
        report_failure(run->report, "bounds", "the kernel cannot be run");
        snprintf(run->check->shared->skipped, sizeof(run->check->shared->skipped),
                 "it cannot be run with its indices checked");
        return false;
    }
    if (length == size->elements)
        return true;
    if (length == 0 && *needs_more) {
        /* What it needs grows faster than the size: this one needs too much. */
        size->items[0] = 0;
        return true;
    }
    if (length == 0) {
        report_outside(&search, "Correct the index; if the kernel needs other values or lengths, give them "
                                "behind its name, such as KERNEL:count=500,x=2000.");
        return false;
    }
    if (length <= kernel_inputs_launched(&run->info, size) && !judge_near(&search, length))
        return false;
    if (!*needs_more)
        report_longer(&search, length);
    *needs_more    = true;
    size->elements = length;
    return true;
}

/* Takes the sizes out that search_size() has emptied. */
static void keep_sizes(struct kernel_shared *shared)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < shared->size_count; i++)
        if (shared->sizes[i].items[0] > 0)
            shared->sizes[kept++] = shared->sizes[i];
    shared->size_count = kept;
}

void kernel_bounds_job(struct report *report, void *user)
{
    const struct kernel_check *it  = user;
    const struct trm_setting check = {.name = "kernel.bounds", .value = "yes"};
    struct kernel_run run          = {.check = it, .report = report};
    bool needs_more                = false;
    uint32_t done                  = 0;
    bool are_inside;

    report->ignores_log = true;
    if (!kernel_run_open(&run, &check, 1))
        return;
    while (done < it->shared->size_count && search_size(&run, &it->shared->sizes[done], &needs_more))
        done++;
    are_inside = done == it->shared->size_count;
    keep_sizes(it->shared);
    if (are_inside)
        report_add(report, FINDING_OK, "bounds", NULL, "no access outside%s, at %u size%s",
                   needs_more && !it->shared->is_named ? " of longer buffers" : "", it->shared->size_count,
                   it->shared->size_count == 1 ? "" : "s");
    kernel_run_close(&run);
}
