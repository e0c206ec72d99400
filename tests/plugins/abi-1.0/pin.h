/* How a layout and a number are pinned.
 * SPDX-License-Identifier: MIT
 */
#ifndef ABI_1_0_PIN_H
#define ABI_1_0_PIN_H

#include <stddef.h>
#include <trireme/backend.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

/* A member is where it was, as large as it was. */
#define PIN(type, member, offset, size)                                                        \
    _Static_assert(offsetof(struct type, member) == (offset), #type "." #member " has moved"); \
    _Static_assert(sizeof(((struct type *)0)->member) == (size), #type "." #member " has another size")

/* A struct without struct_size is as large as it was. */
#define PIN_FIXED(type, size)          \
    enum {                             \
        pinned_size_of_##type = (size) \
    };                                 \
    _Static_assert(sizeof(struct type) == (size), #type " has another size")

/* A struct with struct_size is at least as large as it was, and in minor 0 exactly as large. */
#define PIN_GROWING(type, size)                                                                             \
    enum {                                                                                                  \
        pinned_size_of_##type = (size)                                                                      \
    };                                                                                                      \
    _Static_assert(sizeof(struct type) >= (size), #type " has shrunk");                                     \
    _Static_assert(TRM_BACKEND_ABI_MINOR > 0 || sizeof(struct type) == (size), #type " has grown in minor " \
                                                                                     "0")

/* A struct with struct_size that no backend sees: it grows with the program's side, whatever the minor. */
#define PIN_PUBLIC(type, size)         \
    enum {                             \
        pinned_size_of_##type = (size) \
    };                                 \
    _Static_assert(sizeof(struct type) >= (size), #type " has shrunk")

#define PIN_VALUE(name, value) _Static_assert((name) == (value), #name " was renumbered")

_Static_assert(TRM_BACKEND_ABI_MAJOR == 1, "another major version needs pins of its own");
_Static_assert(sizeof(void *) == 8 && sizeof(long) == 8, "the pins are for LP64");

#endif
