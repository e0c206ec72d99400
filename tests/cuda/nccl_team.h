/* What the tests of collectives by NCCL share: a group of all devices with a stream and two buffers each, and
 * the stand-in for NCCL.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_NCCL_TEAM_H
#define CUDA_NCCL_TEAM_H

#include "tests/cuda/fixture.h"
#include "tests/standin/nccl.h"

#define DEVICES 3u
#define WORDS 40000u
#define BYTES (WORDS * 4u)

enum {
    SYSTEM_ERROR = 2 /* ncclSystemError */
};

extern const struct nccl_standin_control *nccl;

struct nccl_team {
    struct trm_context *context;
    struct trm_group *group;
    struct trm_collective *collective;
    uint32_t count;
    struct trm_device *devices[DEVICES];
    struct trm_stream *streams[DEVICES];
    struct trm_buffer *in[DEVICES], *out[DEVICES];
    struct trm_span inputs[DEVICES], outputs[DEVICES];
};
extern struct nccl_team team;

/* All functions of NCCL that the backend looks up. */
#define FUNCTIONS 15
extern const char *const nccl_functions[FUNCTIONS];

/* Adds a case, before each test of which the stand-ins are found. */
void team_add_case(Suite *suite, TCase *tcase);

/* With the settings cuda.nccl and collective.way; flags: of the collective. */
void team_open(const char *library, const char *way, uint32_t flags);
/* Checks that nothing is left. */
void team_close(void);
void streams_open(void);
void streams_close(void);

/* Each input is filled with the device's number and one; a sum of 32-bit integers; and what it must be. */
void fill_inputs(void);
int32_t add_up(void);
void ck_sums(void);
void add_up_rightly(void);

#endif
