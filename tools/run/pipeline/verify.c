/* Trireme: comparing the output with that of the cpu backend.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/pipeline/verify.h"

#include <inttypes.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tools/command/command.h"
#include "tools/kernel/kernel.h"

bool verify_open(struct verify *verify, const struct plan *plan, bool verbose, struct fault *fault)
{
    const struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc),
        .name        = "reference",
        .depth       = 1,
        .strategy    = TRM_STRATEGY_ROLE_STREAMS,
        .measure     = TRM_MEASURE_NONE,
    };

    memset(verify, 0, sizeof(*verify));
    verify->plan      = plan;
    verify->fault     = fault;
    verify->tolerance = plan->packed ? 0 : difference_tolerance(plan->tracks[0].now.type);
    if (command_context_for("cpu", verbose, &verify->context) != TRM_OK)
        return fault_library(fault, "--verify");
    if (trm_group_create(verify->context, NULL, &verify->group) != TRM_OK) {
        fault_library(fault, "--verify needs the cpu backend");
        goto close_context;
    }
    if (!work_open(&verify->work, plan, verify->group, &desc, fault))
        goto destroy_group;
    return true;

destroy_group:
    trm_group_destroy(verify->group);
close_context:
    trm_context_destroy(verify->context);
    return false;
}

void verify_close(struct verify *verify)
{
    work_close(&verify->work);
    trm_group_destroy(verify->group);
    trm_context_destroy(verify->context);
}

/* ---- comparing ---- */

static void compare(struct verify *verify, uint64_t frame, uint32_t track, const void *samples,
                    const void *reference, uint64_t bytes)
{
    int32_t type   = verify->plan->tracks[track].now.type;
    uint64_t count = bytes / trm_type_size(type);
    bool relative  = type == TRM_TYPE_F32 || type == TRM_TYPE_F16;

    verify->samples += count;
    if (memcmp(samples, reference, bytes) == 0)
        return;
    for (uint64_t i = 0; i < count; i++) {
        double apart = difference_of(difference_element(samples, type, i),
                                     difference_element(reference, type, i), relative);

        if (apart > verify->tolerance)
            verify->unlike++;
        if (apart > verify->largest) {
            verify->largest   = apart;
            verify->at_frame  = frame;
            verify->at_track  = track;
            verify->at_sample = i;
        }
    }
}

/* Submit the inputs of a token to the reference pipeline. */
static bool submit(struct verify *verify, const struct trm_token *token)
{
    struct trm_token *mine;

    if (trm_pipeline_acquire(verify->work.pipeline, UINT64_MAX, &mine) != TRM_OK)
        return false;
    for (uint32_t i = 0; i < verify->plan->track_count; i++) {
        memcpy(mine->data[i], token->data[i], token->size[i]);
        mine->size[i] = token->size[i];
    }
    return trm_pipeline_submit(verify->work.pipeline, mine) == TRM_OK;
}

bool verify_frame(struct verify *verify, const struct trm_token *token)
{
    uint32_t tracks = verify->plan->track_count;
    struct trm_token *mine;

    if (!submit(verify, token) || trm_pipeline_next(verify->work.pipeline, UINT64_MAX, &mine) != TRM_OK)
        return fault_library(verify->fault, "the reference for --verify");
    for (uint32_t i = 0; i < tracks; i++)
        compare(verify, token->index, i, token->data[tracks + i], mine->data[tracks + i],
                token->size[tracks + i]);
    verify->frames++;
    trm_pipeline_release(verify->work.pipeline, mine);
    return true;
}

/* ---- saying it ---- */

bool verify_print(const struct verify *verify, FILE *file)
{
    const struct surface *surface = &verify->plan->tracks[verify->at_track].now;
    uint32_t maximum              = verify->plan->format->maximum;
    char scale[32]                = "";

    if (maximum > 0 && !verify->plan->packed)
        snprintf(scale, sizeof(scale), " of %u", maximum);
    fprintf(file, "verify: %" PRIu64 " frame%s, %" PRIu64 " samples against the cpu: ", verify->frames,
            verify->frames == 1 ? "" : "s", verify->samples);
    if (verify->largest == 0) {
        fprintf(file, "no difference\n");
        return true;
    }
    fprintf(file, "largest difference %.3g%s, in frame %" PRIu64 ", %s, ", verify->largest, scale,
            verify->at_frame, verify->plan->tracks[verify->at_track].name);
    if (surface->height > 1)
        fprintf(file, "x %" PRIu64 ", y %" PRIu64, verify->at_sample / surface->channels % surface->width,
                verify->at_sample / surface->channels / surface->width % surface->height);
    else
        fprintf(file, "element %" PRIu64, verify->at_sample);
    fprintf(file, "; %" PRIu64 " samples beyond the tolerance of %g\n", verify->unlike, verify->tolerance);
    return verify->unlike == 0;
}
