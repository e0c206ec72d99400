/* Handles and objects.
 *
 * A handle is a 64-bit value of a context number, a type, a generation and a slot number. It is passed as a
 * pointer to an incomplete structure and never dereferenced. Slots are never freed; they outlive their
 * context and serve the next one of its number. Each holds one word with the current generation and the
 * number of calls inside the object. So a stale or invented handle is always detected, also while another
 * thread ends the context, and an object is never destroyed under a call that has entered it.
 *
 * The life of an object:
 *
 *   init     the object has its handle, which is not valid yet, and one reference
 *   publish  the handle is valid
 *   kill     the handle is dead
 *   retire   no call is inside any more; the object ends what belongs to the backend
 *   release  no reference is left; the object frees its memory
 *
 * Every object but the context holds a reference on its context, until after release. So a context outlives
 * its objects, and release may use `context`.
 *
 * An object that keeps using another one by handle, as a pipeline does with its kernels, holds it: that
 * makes a second handle, which no program knows. The program's handle then dies when the program destroys it,
 * and neither a second destroy nor anything else of the program ends the hold.
 *
 * The only mutable global of the library that holds objects is the directory in core/object/handle_table.h.
 *
 * In the child of a fork, nothing here touches an object: find, enter and init fail with FORKED, and kill
 * returns false, so that destroying is harmless.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_HANDLE_H
#define CORE_OBJECT_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <trireme/status.h>

enum core_type {
    CORE_CONTEXT      = 1,
    CORE_DEVICE       = 2,
    CORE_STREAM       = 3,
    CORE_EVENT        = 4,
    CORE_BUFFER       = 5,
    CORE_ARRAY        = 6,
    CORE_MODULE       = 7,
    CORE_KERNEL       = 8,
    CORE_SHADER       = 9,
    CORE_GRAPH        = 10,
    CORE_GRAPH_EXEC   = 11,
    CORE_PIPELINE     = 12,
    CORE_COORDINATOR  = 13,
    CORE_SEMAPHORE    = 14,
    CORE_IMAGE        = 15,
    CORE_SAMPLER      = 16,
    CORE_GROUP        = 17,
    CORE_GROUP_KERNEL = 18,
    CORE_GROUP_BUFFER = 19,
    CORE_COLLECTIVE   = 20,
    CORE_PROFILE      = 21,
    CORE_STREAM_POOL  = 22,
    CORE_TYPES,
};

struct core_context;
struct core_object;
struct core_handle_slot;
struct core_handle_table;

/* The life cycle of a type; one static table for each. */
struct core_object_ops {
    enum core_type type;
    const char *name; /* for messages: "stream" */
    /* __FILE__, for the log: its folder is the room. */
    const char *source;
    /* For the log: the id of the device that the object is on ("cuda:0"). NULL: it is on none. */
    const char *(*device_id)(const struct core_object *object);
    /* Ends what belongs to the backend; may be NULL. */
    void (*retire)(struct core_object *object);
    /* Frees the memory. */
    void (*release)(struct core_object *object);
};

/* The first member of every object. */
struct core_object {
    const struct core_object_ops *ops;
    struct core_context *context;
    struct core_handle_slot *slot;
    void *handle;
    _Atomic uint32_t references;
    _Atomic bool is_part; /* of another object, which alone ends it */
};

/* Gives an object its handle and its first reference. No call finds it yet. Errors: OUT_OF_HOST_MEMORY,
 * FORKED; the object is then unchanged. */
int32_t core_object_init(struct core_object *object, const struct core_object_ops *ops,
                         struct core_context *context);

/* Makes the handle valid and returns it. From then on other threads can find and destroy the object, by a
 * handle that they guess: all of it must be ready, and a public function does not touch it afterwards. */
void *core_object_publish(struct core_object *object);

/* Ends an object that is not published: retires it and releases its first reference. */
void core_object_abandon(struct core_object *object);

/* The object of a handle, or NULL with the last error set (INVALID_HANDLE, FORKED). For calls that do not
 * block: the program must not destroy the object during the call. */
void *core_object_find(const void *handle, enum core_type type);

/* The same, and enters the object, which is then not retired until core_object_leave(). For calls that
 * block. */
void *core_object_enter(const void *handle, enum core_type type);

/* Enters an object to which the caller has a reference. False when its handle is dead. */
bool core_object_try_enter(struct core_object *object);
/* The same for an object whose handle may be dead while a hold or another call is inside. False when the
 * object is retired. */
bool core_object_try_enter_held(struct core_object *object);
void core_object_leave(struct core_object *object);

/* Holds the object of a handle: makes a second handle of its type, which the functions of this file take like
 * the first, and enters the object until core_object_end_hold(). Errors: INVALID_HANDLE, FORKED,
 * OUT_OF_HOST_MEMORY. */
int32_t core_object_hold(const void *handle, enum core_type type, void **held);
void core_object_end_hold(void *held); /* NULL is fine */

/* Kills the handle: no call finds or enters the object from now on. True for one caller, which goes on
 * destroying; the others get false and the last error. Retires the object and releases the handle's
 * reference: now, or in the last call that leaves. The caller must have entered the object or hold a
 * reference if other threads may destroy it too. */
bool core_object_kill(struct core_object *object);

/* The same by handle, for destroy functions that do nothing else. NULL is fine: false without an error.
 * Errors: INVALID_HANDLE, FORKED; INVALID_ARGUMENT for a part of another object. */
bool core_object_kill_handle(const void *handle, enum core_type type);

/* Makes a live object a part of another one, or ends that: the program that gets its handle cannot destroy a
 * part. */
void core_object_set_part(const void *handle, enum core_type type, bool is_part);

/* A number that no other live object of the context has; the log names the object by it. */
uint32_t core_object_number(const struct core_object *object);

void core_object_retain(struct core_object *object);
/* False when no reference is left: the object is being released. A lock keeps its memory meanwhile. */
bool core_object_try_retain(struct core_object *object);
void core_object_release(struct core_object *object); /* NULL is fine */

/* Would core_object_find() find the handle? Sets no error. */
bool core_object_is_alive(const void *handle, enum core_type type);

/* The handles of one context: takes a free table (core/object/handle_table.h). Errors: OUT_OF_HOST_MEMORY,
 * BUSY when there are 255 contexts. */
int32_t core_handle_table_open(struct core_handle_table **table);

/* No object of the context is left. */
void core_handle_table_close(struct core_handle_table *table);

/* Is this process the child of a fork after the creation of the context? */
bool core_is_forked(const struct core_context *context);

#endif
