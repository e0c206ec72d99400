/* SPDX-License-Identifier: MIT */
#include "tests/differential/local_size.h"

#include <spirv/unified1/spirv.h>

#define HEADER_WORDS 5

/* The next instruction with that opcode, from `from` on (0: from the first), whose word number `which` is
 * `value`; 0 when there is none. */
static size_t find(const struct run_request *request, size_t from, uint32_t opcode, uint32_t which,
                   uint32_t value)
{
    const uint32_t *words = request->words;
    size_t at             = from ? from : HEADER_WORDS;
    while (at < request->word_count) {
        uint32_t length = words[at] >> SpvWordCountShift;
        if (length == 0 || length > request->word_count - at)
            return 0;
        if ((words[at] & SpvOpCodeMask) == opcode && which < length && words[at + which] == value)
            return at;
        at += length;
    }
    return 0;
}

/* A scalar constant, specialized or not. */
static uint32_t value_of(const struct run_request *request, uint32_t id)
{
    size_t decoration = 0;
    while ((decoration = find(request, decoration, SpvOpDecorate, 1, id)) != 0) {
        if (request->words[decoration + 2] == SpvDecorationSpecId) {
            for (uint32_t i = 0; i < request->constant_count; i++) {
                if (request->constants[i].id == request->words[decoration + 3])
                    return (uint32_t)request->constants[i].bits;
            }
        }
        decoration += request->words[decoration] >> SpvWordCountShift;
    }
    size_t constant = find(request, 0, SpvOpConstant, 2, id);
    if (constant == 0)
        constant = find(request, 0, SpvOpSpecConstant, 2, id);
    return constant ? request->words[constant + 3] : 0;
}

/* The constant that is decorated as gl_WorkGroupSize goes before the execution mode. */
int local_size_of(const struct run_request *request, uint32_t size[3])
{
    size_t at = 0, composite = 0;
    while ((at = find(request, at, SpvOpDecorate, 2, SpvDecorationBuiltIn)) != 0) {
        uint32_t id = request->words[at + 1];
        if (request->words[at + 3] == SpvBuiltInWorkgroupSize) {
            composite = find(request, 0, SpvOpConstantComposite, 2, id);
            if (composite == 0)
                composite = find(request, 0, SpvOpSpecConstantComposite, 2, id);
        }
        at += request->words[at] >> SpvWordCountShift;
    }
    size_t mode = find(request, 0, SpvOpExecutionMode, 2, SpvExecutionModeLocalSize);
    for (uint32_t i = 0; i < 3; i++) {
        if (composite)
            size[i] = value_of(request, request->words[composite + 3 + i]);
        else
            size[i] = mode ? request->words[mode + 3 + i] : 0;
    }
    return size[0] && size[1] && size[2];
}
