/* A source that fills each token with its index, and a sink that notes what it gets.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <time.h>

#include "tests/unit/pipeline/queue/fake.h"

void record_init(struct record *record, uint64_t count)
{
    memset(record, 0, sizeof(*record));
    record->count = count;
    record->fails = NO_TOKEN;
    record->skips = NO_TOKEN;
}

int32_t record_fill(void *user, struct trm_token *token)
{
    struct record *record = user;
    atomic_fetch_add(&record->calls, 1);
    if (record->load_ns != 0) {
        struct timespec pause = {0, (long)(record->load_ns * (token->index * 7 % 5) / 4)};
        nanosleep(&pause, NULL);
    }
    if (token->index >= record->count)
        return TRM_TOKEN_END;
    if (token->index == record->fails)
        return TRM_ERROR_IO;
    if (token->index == record->skips)
        return TRM_TOKEN_SKIP;
    memset(token->data[0], (int)(token->index & 0x7f), token->size[0]);
    token->user = (void *)(uintptr_t)(token->index + 1);
    return TRM_OK;
}

void record_note(struct record *record, const struct trm_token *token)
{
    const unsigned char *data = token->data[1];
    for (uint64_t i = 0; i < token->size[1]; i++) {
        if (data[i] != (token->index & 0x7f) + 1) {
            record->wrong++;
            break;
        }
    }
    if (record->seen_count < sizeof(record->seen) / sizeof(record->seen[0]))
        record->seen[record->seen_count++] = token->index;
}

int32_t record_take(void *user, const struct trm_token *token)
{
    struct record *record = user;
    if (token->index == record->fails)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "no room");
    if ((uintptr_t)token->user != token->index + 1)
        record->wrong++;
    record_note(record, token);
    return TRM_OK;
}

bool record_is_complete(const struct record *record, uint64_t count, uint64_t missing)
{
    uint64_t expected = 0;
    if (record->wrong != 0)
        return 0;
    for (uint64_t i = 0; i < record->seen_count; i++) {
        if (expected == missing)
            expected++;
        if (record->seen[i] != expected++)
            return 0;
    }
    if (expected == missing)
        expected++;
    return expected == count;
}
