/* Pools over groups: a pool for each device, its member, and what they share.
 *
 *     team.c         life, statistics           team_plan.c   what a task uses, and its form for a device
 *     team_choose.c  which device gets a task   team_copy.c   copies of data, and how long they take
 *     team_submit.c  submitting and predicting  errand.c      tasks of coordinators
 *
 * The device is chosen as StarPU's dmda does (C. Augonnet and others, "StarPU: A Unified Platform for Task
 * Scheduling on Heterogeneous Multicore Architectures", 2011): the earliest end, with the work that the
 * device has and the copies that the task needs. Here a device is not one worker but has a load with a width
 * (pipeline/estimate/load.h), since it runs several tasks side by side.
 *
 * Locks: group->data_lock before all others, held while a task that uses data is enqueued, not while it waits
 * for a stream. team->lock is a leaf.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_POOL_TEAM_H
#define PIPELINE_POOL_TEAM_H

#include "pipeline/group/group.h"
#include "pipeline/pool/pool.h"

/* The most spans of buffers of the group that a task uses. */
#define PIPELINE_POOL_USES 64u

struct pipeline_pool_member {
    struct pipeline_stream_pool *pool; /* holds a reference */
    struct core_stream *copies; /* into the device; holds a reference; NULL: none yet; under data_lock */
    uint64_t copies_until;      /* base_now() when they will have ended, as predicted; under data_lock */
    bool are_copies_sure;       /* that is known well enough; under data_lock */
};

/* Waits for the end of a copy, to learn from it. */
struct pipeline_pool_copy {
    struct core_notification begun, ended;
    struct pipeline_pool_copy *next; /* of the spare ones */
    struct pipeline_pool_team *team;
    uint32_t from, to; /* devices */
    uint32_t pending;  /* notifications */
    uint64_t bytes;
    uint64_t enqueued_at; /* base_now() */
    uint64_t begun_at;    /* base_now() when it could begin; 0: it cannot yet */
};

struct pipeline_pool_team {
    struct pipeline_group *group; /* holds a reference */
    struct core_context *context;
    uint32_t count;          /* members */
    _Atomic bool is_closing; /* set under data_lock */
    struct pipeline_pool_member members[TRM_GROUP_DEVICES];
    struct base_lock lock; /* guards what follows */
    struct pipeline_pool_copy *spare;
    uint64_t copies, copied_bytes;
    struct pipeline_transfer transfers[]; /* [from * count + to] */
};

/* ---- team_plan.c ---------------------------------------------------------------------------- */

struct pipeline_pool_use {
    struct pipeline_replica *replica; /* entered */
    uint64_t begin, end;              /* the bytes that are used */
    uint32_t access;                  /* enum trm_access */
    bool is_given;                    /* by trm_stream_task.uses */
};

/* What a task uses. */
struct pipeline_pool_plan {
    const struct pipeline_pool_team *team;
    const struct trm_stream_task *task; /* as the program gave it */
    struct pipeline_replica *kernel;    /* entered; NULL: the task has none of the group */
    uint32_t devices;                   /* devices on which it may run: bit i is device i */
    uint32_t preferred;                 /* of these, the preferred ones, unless all are lost; 0: any */
    uint32_t use_count;
    struct pipeline_pool_use uses[PIPELINE_POOL_USES];
};

/* A task with the handles of one device. */
struct pipeline_pool_form {
    struct trm_stream_task task;
    struct trm_argument few[16];
    struct trm_argument *many; /* NULL: few has room for all */
};

/* Checks what the task uses. pipeline_pool_plan_close() in any case. Errors: WRONG_DEVICE, INVALID_HANDLE,
 * OUT_OF_RANGE. */
int32_t pipeline_pool_plan_open(const struct pipeline_pool_team *team, const struct trm_stream_task *task,
                                struct pipeline_pool_plan *plan);
void pipeline_pool_plan_close(struct pipeline_pool_plan *plan);

/* The kernel's handle on a device, or the function's address. */
uint64_t pipeline_pool_plan_what(const struct pipeline_pool_plan *plan, uint32_t device);

int32_t pipeline_pool_form_init(const struct pipeline_pool_plan *plan, uint32_t device,
                                struct pipeline_pool_form *form);
void pipeline_pool_form_fini(const struct pipeline_pool_plan *plan, struct pipeline_pool_form *form);

/* ---- team_choose.c -------------------------------------------------------------------------- */

/* What is predicted for a task on a device. Times are of base_now(). */
struct pipeline_pool_forecast {
    uint32_t device;
    bool is_known;      /* how long the task takes there */
    bool is_data_sure;  /* it is known well enough when its data is there */
    bool is_sure;       /* the time of its data, and how long it takes; of a task that uses data */
    bool is_measuring;  /* such tasks of the device have not ended */
    uint32_t pieces;    /* that the device has */
    uint64_t submitted; /* such tasks that it has had */
    uint64_t copied;    /* bytes of its data that are to be copied */
    uint64_t now;       /* when this was foreseen */
    uint64_t ready_at;  /* its data is there */
    uint64_t copy_ns;   /* of that, copies */
    uint64_t end;       /* of the task */
    uint64_t last_end;  /* of the last such task; 0: there was none */
    double work;        /* nanoseconds alone; 0: not known */
};

/* The device that gets the task now. Errors: DEVICE_LOST. */
int32_t pipeline_pool_team_choose(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                                  struct pipeline_pool_forecast *chosen);
/* What a device knows of a task: its time and its workload. */
void pipeline_pool_team_tell(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                             uint32_t device, struct trm_stream_prediction *found);

/* ---- team_copy.c: with data_lock ------------------------------------------------------------ */

/* When the data that a task uses would be on the device of a forecast, and what has to be copied for that:
 * raises ready_at, copied and copy_ns, and clears is_data_sure where that is not known well enough. False
 * where no sound device has it. */
bool pipeline_pool_team_foresee(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                                struct pipeline_pool_forecast *forecast);

/* Enqueues these copies, and makes room to note the task. */
int32_t pipeline_pool_team_bring(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                                 uint32_t device);

/* Lets the stream of a task wait for its data. */
int32_t pipeline_pool_team_wait(const struct pipeline_pool_plan *plan, uint32_t device,
                                struct core_stream *stream);
/* The task uses its data until `value` of the stream, as predicted. */
void pipeline_pool_team_note(const struct pipeline_pool_plan *plan,
                             const struct pipeline_pool_forecast *chosen, struct core_stream *stream,
                             uint64_t value);

/* Learns from the end of a copy that is told at `now`. With team->lock. */
void pipeline_pool_team_learn_locked(struct pipeline_pool_team *team, const struct pipeline_pool_copy *copy,
                                     uint64_t now);
void pipeline_pool_team_free_copies(struct pipeline_pool_team *team);

/* ---- team_submit.c, team.c: the calls of a pool that is over a group -------------------------- */

int32_t pipeline_pool_team_submit(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                                  struct trm_point *point);
int32_t pipeline_pool_team_predict(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                                   struct trm_stream_prediction *prediction);
void pipeline_pool_team_stats(struct pipeline_stream_pool *pool, struct trm_stream_pool_stats *stats);
void pipeline_pool_team_reset_stats(struct pipeline_pool_team *team);

/* Ends members and copies. May be called again where it failed. Errors: BUSY, DEADLOCK. */
int32_t pipeline_pool_team_close(struct pipeline_pool_team *team);
/* Ends and frees a team that no other call knows yet, and keeps the last error. */
void pipeline_pool_team_abandon(struct pipeline_pool_team *team);
void pipeline_pool_team_free(struct pipeline_pool_team *team);

/* UNSUPPORTED: what a pool over a group does not do. */
int32_t pipeline_pool_team_refuse(const char *call);

#endif
