/* How much will overlap bring? From the times of the stages alone, before anything is built.
 *
 * New here: trm_predict(), for several depths and for a faster link. No device is touched.
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
    /* A batch of 16 MiB that is read in 200 us, goes up at 55 GB/s, is worked on for 293 us, and comes down. */
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

    /* The links, five times slower: then they hold it back. */
    desc.depth                 = 4;
    desc.up_speed              = 11e9;
    desc.down_speed            = 11e9;
    struct trm_prediction slow = predict(&desc);
    printf("with links of 11 GB/s: %.1f ms; %s is the longest stage\n", (double)slow.elapsed_ns * 1e-6,
           trm_stage_name(slow.critical));
    expect(slow.critical == TRM_STAGE_UPLOAD || slow.critical == TRM_STAGE_DOWNLOAD, "a link is the longest");
    return 0;
}
