/* What reports call things.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "core/object/object.h"
#include "pipeline/report/report_internal.h"

#define WORDS_LEAST (offsetof(struct trm_advice_words, reserved2) + sizeof(uint32_t))

static void copy(char *word, size_t capacity, const char *given)
{
    base_text_copy(word, capacity, given != NULL ? given : "");
}

int32_t pipeline_report_words_copy(const struct trm_advice_words *given, struct pipeline_report_words *words)
{
    struct trm_advice_words own;

    memset(words, 0, sizeof(*words));
    if (given == NULL)
        return TRM_OK;
    if (!core_struct_copy_in(&own, sizeof(own), given, WORDS_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_advice_words.struct_size is %u, but its size is %zu", given->struct_size,
                         sizeof(own));
    words->are_given = true;
    copy(words->token, sizeof(words->token), own.token);
    copy(words->tokens, sizeof(words->tokens), own.tokens);
    copy(words->workers, sizeof(words->workers), own.workers);
    copy(words->depth, sizeof(words->depth), own.depth);
    copy(words->size, sizeof(words->size), own.size);
    copy(words->sinks, sizeof(words->sinks), own.sinks);
    copy(words->devices, sizeof(words->devices), own.devices);
    words->sink_count = own.sink_count;
    return TRM_OK;
}

const char *pipeline_report_strategy(const struct trm_report *report)
{
    /* The only strategy that has both forms. */
    if (report->strategy == TRM_STRATEGY_ZERO_COPY && report->by_graphs != 0)
        return "zero-copy by graphs";
    return trm_strategy_name(report->strategy);
}

const char *pipeline_report_token(const struct trm_report *report)
{
    return report->token_word[0] != '\0' ? report->token_word : "token";
}

const char *pipeline_report_tokens(const struct trm_report *report)
{
    return report->tokens_word[0] != '\0' ? report->tokens_word : "tokens";
}

const char *pipeline_report_a_token(const struct trm_report *report, char text[PIPELINE_WORD_BYTES])
{
    const char *token = pipeline_report_token(report);

    snprintf(text, PIPELINE_WORD_BYTES, "%s %s", strchr("aeiou", token[0]) != NULL ? "an" : "a", token);
    return text;
}
