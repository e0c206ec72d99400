/* The collective room: operations over one span on each device of a group.
 *
 *     collective.c   a collective's life             call.c      the functions of <trireme/collective.h>
 *     check.c        a call's checks                 task.c      which device combines or copies which bytes
 *     choose.c       which way a call takes          reduce.c    launches of the kernels
 *     direct.c       the ways by kernels alone       relay.c     the ways copies and host
 *     table.c        launches for many small spans   bucket.c    many small spans as one, for relay.c
 *     message.c      send and receive                native.c    the way nccl
 *     meeting.c      streams that wait for each other
 *
 * A call becomes tasks: one device reads a range of n spans, combines it in the order of the devices, and
 * writes the result to m spans. The ways differ in who does a task, and in how data comes to it:
 *
 *     one-shot    each device combines everything that it needs itself; kernels read the peers' memory
 *     two-shot    each device combines one part; kernels read and write the peers' memory
 *     root        one device combines everything and writes it to all others: a reduction at a root and a
 *                 broadcast in one kernel
 *     copies      as two-shot, but copies in chunks bring the data to the device, and the results back
 *     host        as copies, through pinned host memory
 *     nccl        one operation of the backend, which has a library for it
 *
 * The first three run on the program's streams, between two meetings of all streams. Copies and host have
 * three streams on each device, which wait for the program's streams, and which these wait for. The last one
 * is an operation of the first device's stream.
 *
 * A call of many small spans is one launch on each device in the first three ways: of a kernel that finds the
 * spans in a table of addresses. For copies and host, each device puts its small spans side by side, and
 * takes the results out afterwards.
 *
 * Locks: collective->lock guards all members, and is held while a call enqueues.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_COLLECTIVE_COLLECTIVE_H
#define PIPELINE_COLLECTIVE_COLLECTIVE_H

#include <stdbool.h>
#include <trireme/collective.h>

#include "base/base.h"
#include "core/memory/memory.h"
#include "core/stream/stream.h"
#include "pipeline/group/group.h"

#define PIPELINE_DEVICES TRM_GROUP_DEVICES

enum pipeline_way {
    PIPELINE_WAY_ONE_SHOT = 0,
    PIPELINE_WAY_TWO_SHOT = 1,
    PIPELINE_WAY_ROOT     = 2, /* the last one by kernels alone */
    PIPELINE_WAY_COPIES   = 3,
    PIPELINE_WAY_HOST     = 4,
    PIPELINE_WAY_NATIVE   = 5,
    PIPELINE_WAYS,
};

enum pipeline_collective_kind {
    PIPELINE_ALL_REDUCE     = 0,
    PIPELINE_REDUCE         = 1,
    PIPELINE_REDUCE_SCATTER = 2,
    PIPELINE_BROADCAST      = 3, /* this one and those behind it only copy */
    PIPELINE_ALL_GATHER     = 4,
    PIPELINE_ALL_TO_ALL     = 5,
    PIPELINE_KINDS,
};

/* The types that reduce_spans and reduce_table kernels exist for. */
#define PIPELINE_REDUCE_TYPES 6
/* Forms of such a kernel: that for everything, and sums of two to four spans, to one or to as many, divided
 * or not. */
#define PIPELINE_REDUCE_FORMS (1 + 3 * 2 * 2)
/* Classes of sizes: powers of two; and of numbers of spans (choose.c). */
#define PIPELINE_SIZES 64
#define PIPELINE_COUNTS 4
/* Spans of a kernel, to read or to write. */
#define PIPELINE_KERNEL_SPANS 4

/* ---- a call --------------------------------------------------------------------------------- */

/* A call that has been checked. Spans have their lengths; those of number k stand from k * devices on, but
 * the outputs of PIPELINE_REDUCE at k. */
struct pipeline_call {
    enum pipeline_collective_kind kind;
    const char *name; /* of the public function */
    uint32_t devices, count;
    uint32_t root; /* of REDUCE and BROADCAST */
    int32_t type;  /* NONE where the call only copies */
    int32_t operation;
    uint32_t element; /* bytes; 1 where the call only copies */
    uint64_t bytes;   /* of the largest spans of each number, together */
    bool is_in_place; /* an output is an input */
    bool is_aligned;  /* kernels take all ranges of all spans as arguments */
    bool has_table;   /* kernels that combine can find them in a table; known once a way is chosen */
    bool is_device;   /* all spans are in memory of the kind DEVICE */
    bool has_met;     /* the streams need not meet before it; known once a way is chosen */
    struct trm_stream *const *streams;
    struct trm_span *inputs, *outputs;
    uint64_t space_bytes; /* of `inputs` and `outputs`, where they are allocated */
};

/* What a program gives. `outputs` of PIPELINE_REDUCE: one for each number. */
struct pipeline_request {
    enum pipeline_collective_kind kind;
    const char *name;
    struct trm_stream *const *streams;
    const struct trm_span *outputs, *inputs;
    uint32_t count, root;
    int32_t type, operation;
};

/* One device combines ranges of all sources, and writes the result to all targets. With one source it
 * copies. */
struct pipeline_task_range {
    uint32_t device; /* which does it */
    uint32_t source_count, target_count;
    uint64_t bytes;
    struct trm_span sources[PIPELINE_DEVICES], targets[PIPELINE_DEVICES];
    uint32_t source_devices[PIPELINE_DEVICES], target_devices[PIPELINE_DEVICES];
};

/* ---- the collective ------------------------------------------------------------------------- */

#define PIPELINE_RELAY_SLOTS 4

/* Memory of a device for one chunk in flight, and what it has to wait for before it is used again. A point
 * without a stream is reached. */
struct pipeline_relay_slot {
    struct trm_point in_done;                 /* the sources are in `scratch` */
    struct trm_point compute_done;            /* `scratch` is combined */
    struct trm_point out_done;                /* the result has left `scratch` */
    struct trm_point taken[PIPELINE_DEVICES]; /* by device: the result has left `staging` */
    bool is_open;                             /* the result is still to be sent */
};

/* What the ways copies and host have on a device. */
struct pipeline_relay {
    struct trm_stream *in, *compute, *out;
    /* PIPELINE_RELAY_SLOTS times a chunk for each source, and one for the result */
    struct trm_buffer *scratch;
    struct trm_buffer *staging; /* the same in pinned memory; only for the way host */
    uint64_t chunk;             /* bytes of a chunk in both */
    uint64_t staging_chunk;
    uint32_t next; /* slot */
    struct pipeline_relay_slot slots[PIPELINE_RELAY_SLOTS];
};

/* Memory of a device in which a call puts small spans side by side. It is used from `stream`, which waits for
 * all others that use it. */
struct pipeline_bucket_memory {
    struct trm_buffer *buffer; /* NULL: none yet */
    uint64_t bytes;
    const struct trm_stream *stream; /* of the last call; only compared */
};

/* A chunk of a task, whose result is still to be sent. */
struct pipeline_relay_item {
    struct pipeline_task_range task;
    struct pipeline_relay_slot *slot;
    struct trm_span result;
    uint32_t slot_index;
};

#define PIPELINE_RELAY_ITEMS (2 * PIPELINE_DEVICES)

/* The times of one kind and class of sizes. */
struct pipeline_choice {
    uint64_t best_ns[PIPELINE_WAYS];
    uint8_t tries[PIPELINE_WAYS];
    bool is_pending; /* a measurement is under way, of the way `pending` */
    uint32_t logged; /* bit i: the log has way i */
    enum pipeline_way pending;
    struct trm_event *begin, *end;
};

/* Memory for a table: the processor writes to `host`, and kernels read `device`, or `host` where it is
 * NULL. */
struct pipeline_table_memory {
    struct trm_buffer *host, *device;
};

#define PIPELINE_TABLES 4

/* What tables have on a device. */
struct pipeline_tables {
    struct pipeline_table_memory memories[PIPELINE_TABLES];
    struct trm_kernel *copier; /* NULL: not loaded, or cannot be had */
    bool is_copier_asked;
    bool has_no_memory;       /* there is no memory of a kind that tables need */
    struct trm_buffer **held; /* which the rows of the table name that is being made */
};

/* What trm_send() has sent. */
struct pipeline_message {
    struct pipeline_message *next;
    uint32_t source, target;
    uint64_t bytes;
    struct trm_buffer *buffer; /* on the source; NULL for 0 bytes */
    struct trm_event *sent;
};

struct pipeline_collective {
    struct core_object object;
    struct pipeline_group *group; /* `group_held` keeps it */
    void *group_held;
    uint32_t devices;
    uint32_t flags; /* enum trm_collective_flags */
    int32_t forced; /* enum pipeline_way; -1: none */
    bool can_reach; /* kernels of each device take buffers of all others */
    bool can_copy;  /* copies between any two devices are direct */
    /* The backend may have collectives of its own, as far as is known. Calls are checked without the lock. */
    _Atomic bool has_native;
    bool has_addresses; /* kernels of all devices reach memory through addresses */
    uint32_t cpus;      /* bit i: device i is a cpu, for which a launch takes little */
    uint64_t aligns;    /* offsets of which all devices' kernels take spans */

    struct base_lock lock;
    /* NULL: not loaded. Bit i of asked_forms: form i was asked for; NULL then says that it cannot be had. */
    struct trm_group_kernel *kernels[PIPELINE_REDUCE_TYPES][PIPELINE_REDUCE_FORMS];
    uint32_t asked_forms[PIPELINE_REDUCE_TYPES];
    /* The same for kernels that find their spans in a table; bit i: that for type i was asked for. */
    struct trm_group_kernel *table_kernels[PIPELINE_REDUCE_TYPES];
    uint32_t asked_table_kernels;
    struct pipeline_tables tables[PIPELINE_DEVICES];
    struct core_communicator *native;         /* NULL: not made */
    struct core_communicator *failed_natives; /* which still have operations */
    struct pipeline_relay relays[PIPELINE_DEVICES];
    struct pipeline_bucket_memory buckets[PIPELINE_DEVICES];
    struct trm_stream *relayed[PIPELINE_DEVICES]; /* the streams of the last call that used `relays` */
    /* Behind the last call in whose end they met nothing was enqueued on these streams as long as their next
     * operations have these numbers: each of them has waited for all others. */
    struct trm_stream *met[PIPELINE_DEVICES];
    uint64_t met_next[PIPELINE_DEVICES];
    struct pipeline_choice choices[PIPELINE_KINDS][PIPELINE_COUNTS][PIPELINE_SIZES];
    struct pipeline_relay_item items[PIPELINE_RELAY_ITEMS]; /* a ring: the oldest is `first_item` */
    uint32_t first_item, item_count;
    struct pipeline_message *messages, **last_message;
    _Atomic uint32_t sent; /* counts messages; a futex */
};

/* Is a call done by kernels that access the memory of all devices? */
static inline bool pipeline_way_is_direct(enum pipeline_way way)
{
    return way <= PIPELINE_WAY_ROOT;
}

static inline bool pipeline_kind_reduces(enum pipeline_collective_kind kind)
{
    return kind < PIPELINE_BROADCAST;
}

/* ---- check.c, task.c ------------------------------------------------------------------------ */

/* Checks a request and makes a call of it, which pipeline_call_fini() ends, also after a failure. `space` has
 * room for 2 * PIPELINE_DEVICES spans. */
int32_t pipeline_call_check(struct pipeline_collective *collective, const struct pipeline_request *request,
                            struct trm_span *space, struct pipeline_call *call);
void pipeline_call_fini(const struct pipeline_collective *collective, struct pipeline_call *call);

/* Fails with `status` and the last error, as that of the stream of device `index`. */
int32_t pipeline_collective_fail_stream(const struct pipeline_collective *collective, const char *name,
                                        uint32_t index, int32_t status);
/* Is `stream` one of device `index`, and live? */
int32_t pipeline_collective_check_stream(const struct pipeline_collective *collective, const char *name,
                                         struct trm_stream *stream, uint32_t index);
int32_t pipeline_collective_check_span(const struct pipeline_collective *collective, const char *what,
                                       uint32_t number, uint32_t index, struct trm_span given,
                                       struct trm_span *span);

/* The number of tasks for each number of spans. Tasks of a device have numbers that follow each other. */
uint32_t pipeline_call_tasks(const struct pipeline_call *call);

/* Task `part` of the spans `number`. False when there is nothing to do. The ways copies and host have the
 * tasks of two-shot. */
bool pipeline_call_task(const struct pipeline_call *call, enum pipeline_way way, uint32_t number,
                        uint32_t part, struct pipeline_task_range *task);

/* The device that has all tasks of a call; PIPELINE_DEVICES: several may have some. */
uint32_t pipeline_call_worker(const struct pipeline_call *call, enum pipeline_way way);

/* ---- choose.c ------------------------------------------------------------------------------- */

/* The value of the setting `collective.way`; -1 for "auto", which any other text counts as. */
int32_t pipeline_way_parse(const char *text);

/* The way of a call. */
struct pipeline_decision {
    enum pipeline_way way;
    struct pipeline_choice *measured; /* gets the call's times; NULL: it is not measured */
    char why[48];                     /* for the log; "": the log has it, or the way is not settled */
};

int32_t pipeline_way_choose(struct pipeline_collective *collective, const struct pipeline_call *call,
                            struct pipeline_decision *decision);
/* Logs a way that calls of this kind and size take, once: when the call has what the way needs. */
void pipeline_way_log(struct pipeline_collective *collective, const struct pipeline_call *call,
                      const struct pipeline_decision *decision);
int32_t pipeline_choice_begin(struct pipeline_collective *collective, struct pipeline_choice *choice,
                              enum pipeline_way way, struct trm_stream *stream);
int32_t pipeline_choice_end(struct pipeline_choice *choice, struct trm_stream *stream);

/* ---- reduce.c ------------------------------------------------------------------------------- */

/* The place of a type in collective->kernels; -1: elements of the type cannot be combined. */
int32_t pipeline_reduce_index(int32_t type);

/* Loads the kernels of a call's type. */
int32_t pipeline_reduce_load(struct pipeline_collective *collective, const struct pipeline_call *call);

/* Enqueues the launches of a task whose spans kernels of its device take. `scratch`: as long as the task, for
 * more than PIPELINE_KERNEL_SPANS sources; it may be a target. */
int32_t pipeline_reduce_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call,
                                const struct pipeline_task_range *task, struct trm_stream *stream,
                                struct trm_span scratch);

/* ---- meeting.c ------------------------------------------------------------------------------ */

/* Has nothing been enqueued on the streams since they last met? */
bool pipeline_streams_have_met(const struct pipeline_collective *collective,
                               const struct pipeline_call *call);
/* They have met behind what is enqueued. */
void pipeline_streams_note_meeting(struct pipeline_collective *collective, const struct pipeline_call *call);

/* Enqueues nothing, and asks the streams for which others will wait whether they have failed. `worker` as
 * below. */
int32_t pipeline_streams_ask(const struct pipeline_collective *collective, const struct pipeline_call *call,
                             uint32_t worker);
/* Before a call: lets the stream of device `worker`, or of PIPELINE_DEVICES each, wait for all that the
 * others have. Does nothing where call->has_met. */
int32_t pipeline_streams_gather(const struct pipeline_call *call, uint32_t worker);
/* Device `device` has all its operations of a call. */
int32_t pipeline_streams_arrive(const struct pipeline_call *call, uint32_t device);
/* Behind a call whose operations are on the stream of device `worker`, or of PIPELINE_DEVICES on all: lets
 * all others wait for them. The streams then have met. */
int32_t pipeline_streams_scatter(const struct pipeline_call *call, uint32_t worker);

/* ---- direct.c, relay.c, bucket.c ---------------------------------------------------------------------- */

/* Enqueue a call between two meetings. After an error, some of it may be enqueued. */
int32_t pipeline_direct_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call,
                                enum pipeline_way way);
int32_t pipeline_relay_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call,
                               bool is_host);

/* The same as pipeline_relay_enqueue() for a call of several spans, the small ones as one. `is_met`: the
 * streams have met behind the call, which they have not where each takes results out in the end. */
int32_t pipeline_bucket_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call,
                                bool is_host, bool *is_met);
void pipeline_bucket_fini(struct pipeline_bucket_memory *memory);

/* Gets streams and memory for a call of the ways copies and host. */
int32_t pipeline_relay_prepare(struct pipeline_collective *collective, const struct pipeline_call *call,
                               bool is_host);
void pipeline_relay_fini(struct pipeline_relay *relay);

/* ---- native.c ------------------------------------------------------------------------------- */

/* Does the way give what <trireme/collective.h> says, also of NaNs and of how results are rounded? */
bool pipeline_native_is_exact(const struct pipeline_call *call);

/* Makes collective->native, or makes it anew after a failure. Errors: UNSUPPORTED, with the reason. */
int32_t pipeline_native_prepare(struct pipeline_collective *collective);
/* Waits for its operations. */
void pipeline_native_fini(struct pipeline_collective *collective);

int32_t pipeline_native_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call);

/* ---- message.c ------------------------------------------------------------------------------ */

void pipeline_message_destroy(struct pipeline_collective *collective, struct pipeline_message *message);

#endif
