/* Prediction: the gain from overlap, from the times of the stages alone, before a pipeline is built.
 *
 * New here: trm_predict(), for several depths and for a faster link. No device is used.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    TOKENS = 1000
};

static struct trm_prediction predict(const struct trm_prediction_desc *desc)
{
    struct trm_prediction prediction = {.struct_size = sizeof(prediction)};

    must(trm_predict(desc, &prediction));
    return prediction;
}

int main(void)
{
    /* A batch of 16 MiB: 200 us to read, uploaded and downloaded at 55 GB/s, 293 us to compute. */
    struct trm_prediction_desc desc = {
        .struct_size = sizeof(desc),
        .tokens      = TOKENS,
        .bytes_up    = 16 << 20,
        .bytes_down  = 16 << 20,
        .up_speed    = 55e9,
        .down_speed  = 55e9,
    };
    desc.stage_ns[TRM_STAGE_LOAD]    = 200000;
    desc.stage_ns[TRM_STAGE_COMPUTE] = 293000;

    for (desc.depth = 1; desc.depth <= 4; desc.depth++) {
        struct trm_prediction prediction = predict(&desc);
        printf("depth %u: %6.1f ms, %.2f times as fast as one after the other; %s is the longest stage\n",
               desc.depth, (double)prediction.elapsed_ns * 1e-6, prediction.speedup,
               trm_stage_name(prediction.critical));
        expect(prediction.elapsed_ns >= prediction.bound_ns, "nothing beats the longest stage");
    }

    /* With links five times slower, the copies are the bottleneck. */
    desc.depth                 = 4;
    desc.up_speed              = 11e9;
    desc.down_speed            = 11e9;
    struct trm_prediction slow = predict(&desc);
    printf("with links of 11 GB/s: %.1f ms; %s is the longest stage\n", (double)slow.elapsed_ns * 1e-6,
           trm_stage_name(slow.critical));
    expect(slow.critical == TRM_STAGE_UPLOAD || slow.critical == TRM_STAGE_DOWNLOAD, "a link is the longest");
    return 0;
}
