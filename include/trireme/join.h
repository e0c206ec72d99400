/* Trireme: joins of shared ports, of pipelines over a group of devices.
 *
 * Each device of a group has a copy of the buffer of a SHARED port. Where kernels write it
 * (trm_group_pipeline_create()), the copies of all devices are combined each time that so many tokens have
 * been submitted, and tokens that are submitted later find the result on every device. The tokens between
 * two joins are a round.
 *
 *     struct trm_join join = {.port = 2, .type = TRM_TYPE_F32, .operation = TRM_REDUCE_SUM, .tokens = 64};
 *     desc.joins           = &join;
 *     desc.join_count      = 1;
 *
 * trm_pipeline_run(), and trm_pipeline_next() before its END, join the tokens of the last round too; a
 * program that submits tokens calls trm_pipeline_join(), and does so before it reads or writes the buffer
 * (trm_group_buffer_read(), trm_group_buffer_write()).
 *
 * Once a failed token is known, copies are not joined; a join that was enqueued before may contain what other
 * tokens of its round have added. A cancel ends the round as well. Then the program writes the buffer anew:
 * between two runs, or, where it submits tokens, after trm_pipeline_cancel() with a timeout has returned OK,
 * since before that other tokens may still be on the devices. A lost device ends the pipeline, since what it
 * added is lost.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_JOIN_H
#define TRIREME_JOIN_H

#include <trireme/api.h>

TRM_API_BEGIN

struct trm_pipeline;

/* A join. What its operation gives each device:
 *
 *     SUM      what the port held on the first device, and what the kernels of all devices have added to
 *              it in the round. In a round the copies of all devices but the first begin at zero: kernels
 *              may add to the port, but not rely on what it holds. Where one device has changed the buffer
 *              (trm_group_buffer_changed()), trm_group_buffer_update() comes first
 *     AVERAGE  the average of the copies, also of devices that had no tokens in the round
 *     MINIMUM, MAXIMUM  the least or the greatest of the copies, element by element
 *
 * On one device, which has one copy, ports and types are checked, and there is nothing to combine. On several
 * devices joins go with neither TRM_FAILURE_SKIP nor TRM_STRATEGY_RESIDENT. */
struct trm_join {
    uint32_t port; /* the index of a SHARED port with a buffer, which kernels write */
    /* enum trm_type, of its elements: F16, BF16, F32, F64, I32 or I64. I32 and I64 also give the sums of
     * unsigned integers */
    int32_t type;
    int32_t operation; /* enum trm_reduction (<trireme/collective.h>) */
    uint32_t tokens;   /* of a round; at least 1 */
};

/* Join the copies of all shared ports of a pipeline as the submitted tokens leave them, and wait until all
 * devices have the result. On one device it only waits; in a pipeline without joins there is nothing to wait
 * for.
 *
 * pipeline    the pipeline
 * Blocks      until the submitted tokens have been processed and their copies are joined
 * Threads     any
 * Ownership   the pipeline and its buffers stay the program's
 * Errors      BUSY while the pipeline runs or is started; CANCELLED when a token has failed since the last
 *             join, or the failure of that token once it is known, and within 50 ms of a cancel; DEADLOCK
 *             inside its own callbacks; the first failure of the joins
 */
TRM_API int32_t trm_pipeline_join(struct trm_pipeline *pipeline);

TRM_API_END

#endif
