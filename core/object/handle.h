/* Handles, reference counts and generations.
 *
 * A handle is a 64-bit name that packs the context's number, a type, a generation and a slot; it is
 * passed as a pointer to an incomplete struct and never dereferenced. Slots live as long as their
 * context and hold one word that is both the generation and the number of calls inside the object,
 * so that a stale handle is always told and a destroy never pulls an object away from under a call
 * that has entered it.
 *
 * An object's life: init (handle made, one reference: the handle's own) -> kill (handle dead) ->
 * retire (no call is inside any more; ends what belongs to the backend) -> release (no references
 * left: the memory goes). Every object but the context itself also holds a reference on its
 * context, from init until after release: so a context outlives its objects, and `context` may be
 * used in release.
 *
 * The only mutable global of the library is in object.c: the directory that turns a context's
 * number into its table of handles.
 *
 * In the child of a fork nothing here touches an object: find, enter and init answer FORKED, kill
 * answers 0, and so destroying is harmless there.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_HANDLE_H
#define CORE_OBJECT_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <trireme/status.h>

enum core_type {
    CORE_CONTEXT     = 1,
    CORE_DEVICE      = 2,
    CORE_STREAM      = 3,
    CORE_EVENT       = 4,
    CORE_BUFFER      = 5,
    CORE_ARRAY       = 6,
    CORE_MODULE      = 7,
    CORE_KERNEL      = 8,
    CORE_SHADER      = 9,
    CORE_GRAPH       = 10,
    CORE_GRAPH_EXEC  = 11,
    CORE_PIPELINE    = 12,
    CORE_COORDINATOR = 13,
    CORE_SEMAPHORE   = 14,
    CORE_TYPES,
};

struct core_context;
struct core_object;
struct core_handle_slot;
struct core_handle_table;

/* What a type does at the ends of its life; one static table a type. */
struct core_object_ops {
    enum core_type type;
    const char *name; /* for sentences: "stream" */
    /* __FILE__, for the log: its folder is the room. */
    const char *source;
    /* For the log: the id of the device that the object is on ("cuda:0"). NULL: it is on none. */
    const char *(*device_id)(const struct core_object *object);
    void (*retire)(struct core_object *object);  /* may be NULL */
    void (*release)(struct core_object *object); /* frees the memory */
};

/* The first member of every object. */
struct core_object {
    const struct core_object_ops *ops;
    struct core_context *context;
    struct core_handle_slot *slot;
    void *handle;
    _Atomic uint32_t references;
};

/* Give an object its handle and its first reference. From then on others can find it, so all else
 * in it is ready. Fails with OUT_OF_HOST_MEMORY or FORKED; the object is then untouched. */
int32_t core_object_init(struct core_object *object, const struct core_object_ops *ops,
                         struct core_context *context);

/* The object behind a handle, or NULL after setting the last error (INVALID_HANDLE, FORKED). It
 * does not enter the object: for calls that do not block, where destroying the object at the
 * same time is the caller's mistake. */
void *core_object_find(const void *handle, enum core_type type);

/* The same, entering the object: it is not retired until core_object_leave(). For calls that
 * block. */
void *core_object_enter(const void *handle, enum core_type type);

/* The same for a handle whose whole context may end at this very moment, which is the caller's
 * mistake in all other calls. */
void *core_object_enter_late(const void *handle, enum core_type type);

/* Enter an object of which a reference is held. 0 when its handle is dead. */
bool core_object_try_enter(struct core_object *object);
void core_object_leave(struct core_object *object);

/* Kill the handle: nobody finds or enters the object from now on. Of several callers one gets 1 and
 * goes on with destroying; the rest get 0 and the last error. Retires the object when no call is
 * inside, else the last call to leave does; then drops the handle's own reference. The caller has
 * entered the object or holds a reference, if others may destroy it at the same time. */
bool core_object_kill(struct core_object *object);

/* The same by handle, for destroy functions that have nothing else to do: of several threads that
 * call it at once one gets 1. NULL is fine: 0 and no error. */
bool core_object_kill_handle(const void *handle, enum core_type type);

/* A number that no other live object of the context has: what the log calls the object. */
uint32_t core_object_number(const struct core_object *object);

void core_object_retain(struct core_object *object);
void core_object_release(struct core_object *object); /* NULL is fine */

/* Is a handle one that core_object_find() would find? Sets no error. */
bool core_object_is_alive(const void *handle, enum core_type type);

/* The table of one context's handles; made and ended by the context (core/context/context.c), which
 * gives its `fork_word` (base/fork.h). Errors: OUT_OF_HOST_MEMORY, BUSY with 255 contexts. */
int32_t core_handle_table_create(struct core_context *context, const _Atomic uint32_t *fork_word,
                                 struct core_handle_table **table);
void core_handle_table_destroy(struct core_handle_table *table);

/* Is this process the child of a fork that came after the context was made? */
bool core_is_forked(const struct core_context *context);

#endif
