/* A sum across all devices of the stand-in: a stream, an input and an output on each.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_SUM_TEAM_H
#define CUDA_SUM_TEAM_H

#include <trireme/trireme.h>

enum {
    SUM_TEAM_DEVICES = 4,       /* at most */
    SUM_TEAM_SPANS   = 100,     /* of a call, at most */
    SUM_TEAM_SPAN    = 1024,    /* bytes of each of so many */
    SUM_TEAM_BYTES   = 1 << 20, /* of an input or output */
};

struct sum_team {
    struct trm_context *context;
    struct trm_group *group;
    struct trm_collective *collective;
    uint32_t count;
    struct trm_device *devices[SUM_TEAM_DEVICES];
    struct trm_stream *streams[SUM_TEAM_DEVICES];
    struct trm_buffer *in[SUM_TEAM_DEVICES], *out[SUM_TEAM_DEVICES];
};

extern struct sum_team sum_team;

/* `way` is the setting collective.way. Fills the input of device d with d + 1, on its stream. */
void sum_team_open(const char *way);
/* Nothing may be left. */
void sum_team_close(void);
void sum_team_sync(void);

/* Enqueues the sum of `count` spans of so many bytes, side by side. */
int32_t sum_team_call(uint32_t count, uint64_t bytes);
/* The first bytes of all outputs are the sum of the inputs. */
void sum_team_check(uint64_t bytes);

#endif
