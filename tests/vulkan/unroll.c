/* Tests of which loops are unrolled (backends/vulkan/spirv/unroll.h). tests/differential/coarsen.sh
 * compares what unrolled kernels compute.
 *
 * Each loop of shaders/unroll.comp has an operation that no other loop has.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>

#include "backends/vulkan/spirv/unroll.h"
#include "backends/vulkan/spirv/words.h"

static uint32_t allocations, failing; /* `failing`: the allocation that fails, counted from 1; 0: none */
static uint64_t held;                 /* bytes */

static void *allocate(void *context, uint64_t size, uint64_t alignment)
{
    (void)context;
    (void)alignment;
    if (++allocations == failing)
        return NULL;
    held += size;
    return malloc(size);
}

static void release(void *context, void *memory, uint64_t size)
{
    (void)context;
    held -= memory == NULL ? 0 : size;
    free(memory);
}

static int32_t refuse(void *context, int32_t status, int64_t native_code, const char *sentence)
{
    (void)context;
    (void)native_code;
    (void)sentence;
    return status;
}

static const struct trm_host host           = {.allocate = allocate, .release = release, .fail = refuse};
static struct trm_backend_instance instance = {.host = &host};
static struct vulkan_shader shader;

static void open_shader(void)
{
    FILE *file = fopen(UNROLL_SHADERS "/unroll.spv", "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    shader.count = shader.capacity = (uint64_t)ftell(file) / sizeof(uint32_t);
    rewind(file);
    allocations = failing = 0;
    shader.words          = allocate(NULL, shader.capacity * sizeof(uint32_t), 4);
    ck_assert_uint_eq(fread(shader.words, sizeof(uint32_t), shader.count, file), shader.count);
    fclose(file);
    allocations = 0;
}

static void close_shader(void)
{
    vulkan_shader_release(&instance, &shader);
    ck_assert_uint_eq(held, 0);
}

static uint32_t count(SpvOp opcode)
{
    uint32_t found = 0;
    for (uint64_t i = VULKAN_HEADER_WORDS; i < shader.count; i += vulkan_length(&shader.words[i]))
        found += vulkan_opcode(&shader.words[i]) == opcode;
    return found;
}

static void unroll(uint32_t factor)
{
    ck_assert_int_eq(vulkan_unroll(&instance, &shader, factor), TRM_OK);
    ck_assert_uint_le(shader.count, shader.capacity);
}

START_TEST(loops_of_unknown_length_do_as_many_rounds_in_a_turn_as_is_asked)
{
    open_shader();
    uint32_t loops = count(SpvOpLoopMerge);
    unroll(5);
    ck_assert_uint_eq(count(SpvOpBitReverse), 1 + 5);
    ck_assert_uint_eq(count(SpvOpBitCount), 1 + 5);
    ck_assert_uint_eq(count(SpvOpFMul), 1 + 5);
    ck_assert_uint_eq(count(SpvOpLoopMerge), loops + 3);
    close_shader();
}
END_TEST

START_TEST(the_length_of_a_body_decides_and_one_that_loads_gets_few_rounds)
{
    open_shader();
    unroll(VULKAN_UNROLL_AUTO);
    ck_assert_uint_eq(count(SpvOpBitReverse), 1 + 4 + 16);
    ck_assert_uint_eq(count(SpvOpBitCount), 1 + 4);
    ck_assert_uint_eq(count(SpvOpFMul), 1 + 4 + 16);
    close_shader();
}
END_TEST

START_TEST(other_loops_stay)
{
    open_shader();
    unroll(5);
    ck_assert_uint_eq(count(SpvOpBitFieldUExtract), 1);     /* between two constants */
    ck_assert_uint_eq(count(SpvOpShiftRightArithmetic), 1); /* with another way out */
    ck_assert_uint_eq(count(SpvOpUDiv), 1);                 /* [[dont_unroll]] */
    ck_assert_uint_eq(count(SpvOpNot), 1);                  /* whose counter does not grow by a constant */
    close_shader();
}
END_TEST

/* The main loop has a chain of sums, and the rest says that it is not to be unrolled. */
START_TEST(the_rest_of_an_unrolled_loop_stays)
{
    open_shader();
    unroll(4);
    unroll(4);
    ck_assert_uint_eq(count(SpvOpBitReverse), 1 + 4);
    close_shader();
}
END_TEST

/* Appends a decoration of each phi to the module's, as compilers do with those of variables. */
static void decorate_phis(void)
{
    uint64_t first = VULKAN_HEADER_WORDS, added = 3 * (uint64_t)count(SpvOpPhi), length = shader.count;
    uint32_t *words = allocate(NULL, (length + added) * sizeof(uint32_t), 4);
    while (vulkan_opcode(&shader.words[first]) != SpvOpDecorate)
        first += vulkan_length(&shader.words[first]);
    memcpy(words, shader.words, first * sizeof(uint32_t));
    uint32_t *at = words + first;
    for (uint64_t i = first; i < length; i += vulkan_length(&shader.words[i])) {
        if (vulkan_opcode(&shader.words[i]) != SpvOpPhi)
            continue;
        *at++ = 3u << SpvWordCountShift | SpvOpDecorate;
        *at++ = shader.words[i + 2];
        *at++ = SpvDecorationRelaxedPrecision;
    }
    memcpy(at, shader.words + first, (length - first) * sizeof(uint32_t));
    vulkan_shader_release(&instance, &shader);
    shader = (struct vulkan_shader){.words = words, .count = length + added, .capacity = length + added};
}

/* Whether an instruction that is no decoration or name has the id as its first or second operand. */
static bool is_made(uint32_t id)
{
    for (uint64_t i = VULKAN_HEADER_WORDS; i < shader.count; i += vulkan_length(&shader.words[i])) {
        const uint32_t *at = &shader.words[i];
        uint32_t opcode    = vulkan_opcode(at);
        if (opcode != SpvOpDecorate && opcode != SpvOpMemberDecorate && opcode != SpvOpName &&
            opcode != SpvOpMemberName && vulkan_length(at) > 1 &&
            (at[1] == id || (vulkan_length(at) > 2 && at[2] == id)))
            return true;
    }
    return false;
}

START_TEST(what_is_decorated_is_there)
{
    open_shader();
    decorate_phis();
    uint32_t loops = count(SpvOpLoopMerge), decorations = count(SpvOpDecorate);
    unroll(5);
    ck_assert_uint_eq(count(SpvOpLoopMerge), loops + 3);
    ck_assert_uint_gt(count(SpvOpDecorate), decorations);
    for (uint64_t i = VULKAN_HEADER_WORDS; i < shader.count; i += vulkan_length(&shader.words[i]))
        if (vulkan_opcode(&shader.words[i]) == SpvOpDecorate)
            ck_assert(is_made(shader.words[i + 1]));
    close_shader();
}
END_TEST

START_TEST(without_memory_the_shader_stays)
{
    for (uint32_t i = 1; i <= 3; i++) {
        open_shader();
        uint64_t words = shader.count;
        failing        = i;
        ck_assert_int_eq(vulkan_unroll(&instance, &shader, 4), TRM_ERROR_OUT_OF_HOST_MEMORY);
        ck_assert_uint_eq(shader.count, words);
        close_shader();
    }
}
END_TEST

int main(void)
{
    Suite *suite    = suite_create("unroll");
    TCase *tests    = tcase_create("unroll");
    SRunner *runner = srunner_create(suite);
    tcase_add_test(tests, loops_of_unknown_length_do_as_many_rounds_in_a_turn_as_is_asked);
    tcase_add_test(tests, the_length_of_a_body_decides_and_one_that_loads_gets_few_rounds);
    tcase_add_test(tests, other_loops_stay);
    tcase_add_test(tests, the_rest_of_an_unrolled_loop_stays);
    tcase_add_test(tests, what_is_decorated_is_there);
    tcase_add_test(tests, without_memory_the_shader_stays);
    suite_add_tcase(suite, tests);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
