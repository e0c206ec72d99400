/* A fuzz target: the text of a trireme.conf, and the values in it.
 *
 * For any bytes the reader gives TRM_OK or an error that names file and line. Keys and values that it gives
 * are given again by a file that is written of them. Each value, for each setting of the table, is accepted
 * or refused with a description of valid values, and so are selections of backends and ids of devices.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/object/context.h"
#include "core/settings/config_file.h"
#include "core/settings/settings.h"
#include "tests/fuzz/fuzz.h"

#define PATH "the.conf"
#define KEY_LETTERS "abcdefghijklmnopqrstuvwxyz0123456789._-"

/* The settings of a text, as a text of their own, "KEY = 'VALUE'" in each line. */
struct copy {
    char *text;
    size_t length, capacity;
    unsigned last; /* line */
    unsigned count;
    bool is_whole; /* every value could be quoted */
};

static void add(struct copy *copy, const char *text, size_t length)
{
    if (copy->length + length > copy->capacity)
        fuzz_fail("the settings are longer than the text");
    memcpy(copy->text + copy->length, text, length);
    copy->length += length;
}

static void check_value(const struct core_setting_row *row, const char *value)
{
    char allowed[256] = "";
    uint64_t number   = 0;

    if (core_setting_parse(row, value, &number, allowed, sizeof(allowed))) {
        if (row->info.type == TRM_SETTING_COUNT && number > row->maximum)
            fuzz_fail("%s takes %s", row->info.name, value);
    } else if (allowed[0] == '\0') {
        fuzz_fail("%s refuses \"%s\" without a word", row->info.name, value);
    }
}

static void check_selection(const char *value)
{
    struct core_selection selection;
    struct core_device_id id;
    char allowed[256] = "";
    const char *end   = value + strlen(value);

    if (core_selection_parse(value, &selection, allowed, sizeof(allowed))) {
        if (selection.count > CORE_SELECTION_MAX)
            fuzz_fail("%u entries", selection.count);
        for (uint32_t i = 0; i < selection.count; i++)
            if (selection.entries[i].text < value ||
                selection.entries[i].text + selection.entries[i].length > end)
                fuzz_fail("an entry is no part of \"%s\"", value);
    } else if (allowed[0] == '\0') {
        fuzz_fail("\"%s\" is refused without a word", value);
    }
    if (core_device_id_parse(value, &id) && (id.backend != value || id.length > strlen(value) ||
                                             !core_backend_name_is_valid(id.backend, id.length)))
        fuzz_fail("the id \"%s\" has another backend", value);
}

static int32_t note(void *user, const char *key, const char *value, unsigned line)
{
    struct copy *copy = user;
    const char *quote = strchr(value, '"') == NULL ? "\"" : "'";
    const struct core_setting_row *row;

    if (line <= copy->last || key[0] == '\0' || key[strspn(key, KEY_LETTERS)] != '\0' ||
        strchr(value, '\n') != NULL)
        fuzz_fail("line %u after %u: \"%s\" = \"%s\"", line, copy->last, key, value);
    copy->last = line;
    copy->count++;
    if (strchr(value, *quote) != NULL)
        copy->is_whole = false;
    add(copy, key, strlen(key));
    add(copy, " = ", 3);
    add(copy, quote, 1);
    add(copy, value, strlen(value));
    add(copy, quote, 1);
    add(copy, "\n", 1);

    for (uint32_t i = 0; (row = core_setting_row_at(i)) != NULL; i++)
        check_value(row, value);
    check_selection(value);
    return TRM_OK;
}

static int32_t parse(const char *text, size_t size, struct copy *copy)
{
    char *own = malloc(size + 1);

    /* A line "a=b" becomes six bytes longer. */
    copy->capacity = 8 * size + 16;
    copy->text     = malloc(copy->capacity);
    if (own == NULL || copy->text == NULL)
        fuzz_fail("no memory");
    if (size > 0)
        memcpy(own, text, size);
    int32_t status = core_config_parse(own, size, PATH, note, copy);
    free(own);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct copy first  = {.is_whole = true};
    struct copy second = {.is_whole = true};
    int32_t status     = parse((const char *)bytes, size, &first);

    if (status != TRM_OK && (status != TRM_ERROR_INVALID_ARGUMENT || trm_last_error().status != status ||
                             strncmp(trm_last_error().sentence, PATH ":", sizeof(PATH)) != 0))
        fuzz_fail("status %d: %s", status, trm_last_error().sentence);
    if (first.is_whole) {
        if (parse(first.text, first.length, &second) != TRM_OK)
            fuzz_fail("what was given is refused: %s", trm_last_error().sentence);
        if (second.count != first.count || second.length != first.length ||
            memcmp(second.text, first.text, first.length) != 0)
            fuzz_fail("%u settings became %u", first.count, second.count);
        free(second.text);
    }
    free(first.text);
    return 0;
}
