/* Parses the setting `backend` and the ids of devices.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SETTINGS_SELECTION_H
#define CORE_SETTINGS_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CORE_SELECTION_MAX 32
#define CORE_NO_DEVICE UINT32_MAX

enum core_selection_mode {
    CORE_SELECT_ALL    = 0, /* unset: all backends, best first */
    CORE_SELECT_LISTED = 1, /* the listed ones, in this order; a single one is strict */
    CORE_SELECT_OTHERS = 2, /* all but the listed ones, best first */
};

/* One name or path of the list; points into the text of the setting. */
struct core_selection_entry {
    const char *text;
    size_t length;
    bool is_path;
    uint32_t device; /* the number behind the colon, or CORE_NO_DEVICE */
};

struct core_selection {
    enum core_selection_mode mode;
    uint32_t count;
    struct core_selection_entry entries[CORE_SELECTION_MAX];
};

/* Parses the setting; the entries point into `text`. False when it is invalid; `allowed` is then the end of
 * a sentence that starts with "it takes". */
bool core_selection_parse(const char *text, struct core_selection *selection, char *allowed, size_t capacity);

/* The entry that names a backend, or NULL. */
const struct core_selection_entry *core_selection_find(const struct core_selection *selection,
                                                       const char *name);

/* May a backend have this name? 1 to 47 lower-case letters, digits, '-' and '_'. */
bool core_backend_name_is_valid(const char *name, size_t length);

/* How an id selects a device of the backend. */
enum core_device_way {
    CORE_DEVICE_ANY       = 0, /* "cuda" */
    CORE_DEVICE_BY_NUMBER = 1, /* "cuda:1" */
    CORE_DEVICE_BY_UUID   = 2, /* "cuda:uuid=6e6f7420-…": 32 hexadecimal digits, '-' anywhere */
    CORE_DEVICE_BY_NAME   = 3, /* "cuda:name=*H200*": a shell pattern, case-insensitive */
};

struct core_device_id {
    const char *backend; /* `length` bytes of the id */
    size_t length;
    enum core_device_way way;
    uint32_t number;
    uint8_t uuid[16];
    const char *pattern; /* a part of the id */
};

/* False when the text is no such id. */
bool core_device_id_parse(const char *id, struct core_device_id *parsed);

/* Checks of the settings `backend` and `device`; see struct core_setting_row. */
bool core_selection_check(const char *value, char *allowed, size_t capacity);
bool core_device_id_check(const char *value, char *allowed, size_t capacity);

#endif
