/* The grammar of the setting `backend`, and of device ids.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SETTINGS_SELECTION_H
#define CORE_SETTINGS_SELECTION_H

#include <stddef.h>
#include <stdint.h>

#define CORE_SELECTION_MOST 32
#define CORE_NO_DEVICE UINT32_MAX

enum core_selection_mode {
    CORE_SELECT_ALL    = 0, /* nothing was said: all that there are, best first */
    CORE_SELECT_LISTED = 1, /* those listed, in this order; one alone is strict */
    CORE_SELECT_OTHERS = 2, /* all but those listed, best first */
};

/* One name or path of the list: a part of the setting's text. */
struct core_selection_entry {
    const char *text;
    size_t length;
    uint32_t is_path; /* 1: has a '/' */
    uint32_t device;  /* the number behind the colon, or CORE_NO_DEVICE */
};

struct core_selection {
    enum core_selection_mode mode;
    uint32_t count;
    struct core_selection_entry entries[CORE_SELECTION_MOST];
};

/* Reads the setting; the entries point into `text`. 1, or 0 with what is wrong as the end of a
 * sentence that began with "it takes". */
int32_t core_selection_parse(const char *text, struct core_selection *selection, char *allowed,
                             size_t capacity);

/* The entry that names a backend, or NULL. */
const struct core_selection_entry *core_selection_find(const struct core_selection *selection,
                                                       const char *name);

/* Is this the name that a backend may have? Lower-case letters, digits, '-' and '_', 47 at most. */
int32_t core_backend_name_is_valid(const char *name, size_t length);

/* How an id says which of a backend's devices is meant. */
enum core_device_way {
    CORE_DEVICE_ANY       = 0, /* "cuda" */
    CORE_DEVICE_BY_NUMBER = 1, /* "cuda:1" */
    CORE_DEVICE_BY_UUID   = 2, /* "cuda:uuid=6e6f7420-…": 32 hexadecimal digits, '-' wherever it pleases */
    CORE_DEVICE_BY_NAME   = 3, /* "cuda:name=*H200*": a pattern as the shell's, in any case */
};

struct core_device_id {
    const char *backend; /* `length` bytes of the id */
    size_t length;
    enum core_device_way way;
    uint32_t number;
    uint8_t uuid[16];
    const char *pattern; /* a part of the id */
};

/* 1, or 0 when it is no such id. */
int32_t core_device_id_parse(const char *id, struct core_device_id *parsed);

/* As the checks of rows of the table of settings. */
int32_t core_selection_check(const char *value, char *allowed, size_t capacity);
int32_t core_device_id_check(const char *value, char *allowed, size_t capacity);

#endif
