/* The grammar of the setting `backend`:
 *
 *     selection = entry {"," entry} | "^" name {"," name}
 *     entry     = (name | path) [":" number]
 *
 * A path is what has a '/' in it; that it must be absolute is the loader's to say.
 * SPDX-License-Identifier: MIT
 */
#include "core/selection.h"

#include <stdio.h>
#include <string.h>

#define NAME_MOST 47

#define TAKES                                                                                         \
    "a backend such as cuda or cuda:1, a list such as cuda,cpu, all but some such as ^vulkan, or an " \
    "absolute path"

int32_t core_backend_name_valid(const char *name, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    if (length == 0 || length > NAME_MOST)
        return 0;
    for (size_t i = 0; i < length; i++) {
        if (memchr(letters, name[i], sizeof(letters) - 1) == NULL)
            return 0;
    }
    return 1;
}

/* Takes ":12" off the end of an entry. What is no number stays where it is. */
static void split_device(struct core_selection_entry *entry)
{
    size_t digits = 0;
    while (digits < entry->length && digits < 9) {
        char letter = entry->text[entry->length - digits - 1];
        if (letter < '0' || letter > '9')
            break;
        digits++;
    }
    if (digits == 0 || digits == entry->length || entry->text[entry->length - digits - 1] != ':')
        return;
    uint32_t device = 0;
    for (size_t i = entry->length - digits; i < entry->length; i++)
        device = device * 10 + (uint32_t)(entry->text[i] - '0');
    entry->device = device;
    entry->length -= digits + 1;
}

static int32_t parse_entry(struct core_selection_entry *entry)
{
    entry->is_path = memchr(entry->text, '/', entry->length) != NULL;
    entry->device  = CORE_NO_DEVICE;
    split_device(entry);
    return entry->is_path || core_backend_name_valid(entry->text, entry->length);
}

int32_t core_device_id_parse(const char *id, struct core_selection_entry *entry)
{
    entry->text   = id;
    entry->length = strlen(id);
    return parse_entry(entry) && !entry->is_path;
}

int32_t core_selection_parse(const char *text, struct core_selection *selection, char *allowed,
                             size_t capacity)
{
    snprintf(allowed, capacity, "%s", TAKES);
    memset(selection, 0, sizeof(*selection));
    if (*text == '\0')
        return 1;
    selection->mode = *text == '^' ? CORE_SELECT_OTHERS : CORE_SELECT_LISTED;
    if (*text == '^')
        text++;
    for (;;) {
        if (selection->count == CORE_SELECTION_MOST) {
            snprintf(allowed, capacity, "a list of %d backends at most", CORE_SELECTION_MOST);
            return 0;
        }
        struct core_selection_entry *entry = &selection->entries[selection->count++];
        entry->text                        = text;
        entry->length                      = strcspn(text, ",");
        text += entry->length;
        if (!parse_entry(entry))
            return 0;
        if (selection->mode == CORE_SELECT_OTHERS && (entry->is_path || entry->device != CORE_NO_DEVICE)) {
            snprintf(allowed, capacity, "only names of backends behind ^, without paths and device numbers");
            return 0;
        }
        if (*text == '\0')
            return 1;
        text++;
    }
}

const struct core_selection_entry *core_selection_find(const struct core_selection *selection,
                                                       const char *name)
{
    for (uint32_t i = 0; i < selection->count; i++) {
        const struct core_selection_entry *entry = &selection->entries[i];
        if (!entry->is_path && strlen(name) == entry->length && memcmp(name, entry->text, entry->length) == 0)
            return entry;
    }
    return NULL;
}

int32_t core_selection_check(const char *value, char *allowed, size_t capacity)
{
    struct core_selection selection;
    return core_selection_parse(value, &selection, allowed, capacity);
}

int32_t core_device_id_check(const char *value, char *allowed, size_t capacity)
{
    struct core_selection_entry entry;
    snprintf(allowed, capacity, "a device such as cpu or cuda:1");
    return core_device_id_parse(value, &entry);
}
