/* Overruns of every kind of variable, with TRM_TRANSLATE_BOUNDS: they fail the launch with the variable, its
 * place, the index and the size, and write nothing outside of it. The code is compiled with the compiler's
 * own checks of arrays, which trap; buffers and scratch memory lie between pages that cannot be accessed.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/compiler/translate/translated.h"
#include "tests/unit/runner.h"

#define PATTERN 0x5a
#define RESULTS 512
#define TRAPS "-fsanitize=bounds -fsanitize-undefined-trap-on-error"
#define TRAPS_OF_CLANG "-fsanitize=array-bounds -fsanitize-trap=all"

static struct translated kernel;

/* ---- memory between pages that cannot be accessed */

struct guarded {
    unsigned char *map, *data;
    size_t mapped, slack, size;
};

/* The memory ends at the upper guard page, as closely as `alignment` allows. */
static struct guarded guard(size_t size, size_t alignment)
{
    size_t page           = (size_t)sysconf(_SC_PAGESIZE);
    size_t pages          = (size + page - 1) / page * page + page;
    struct guarded memory = {.mapped = pages + 2 * page, .size = size};
    size_t whole          = (size + alignment - 1) / alignment * alignment;

    memory.map = mmap(NULL, memory.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory.map, MAP_FAILED);
    ck_assert_int_eq(mprotect(memory.map + page, pages, PROT_READ | PROT_WRITE), 0);
    memset(memory.map + page, PATTERN, pages);
    memory.slack = pages - whole;
    memory.data  = memory.map + page + memory.slack;
    return memory;
}

static bool is_untouched(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != PATTERN)
            return false;
    return true;
}

static void check(const struct guarded *memory)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    ck_assert_msg(is_untouched(memory->map + page, memory->slack), "memory before a variable was written");
    ck_assert_msg(
        is_untouched(memory->data + memory->size, memory->mapped - 2 * page - memory->slack - memory->size),
        "memory behind a variable was written");
}

static void drop(struct guarded *memory)
{
    munmap(memory->map, memory->mapped);
}

/* ---- calls */

/* What the kernel says about the last call. */
static const struct trm_cpu_fault *last(void)
{
    trm_cpu_fault_fn function = (trm_cpu_fault_fn)dlsym(kernel.object, "trm_cpu_fault_v1");

    ck_assert_msg(function != NULL, "the code has no trm_cpu_fault_v1()");
    return function();
}

static int32_t call(uint32_t groups_x, const void *block, struct trm_cpu_fault *fault)
{
    const struct trm_cpu_kernel *row = &kernel.table->kernels[0];
    size_t bytes                     = ((size_t)row->shared_bytes + 63) / 64 * 64 + row->scratch_bytes;
    struct guarded scratch           = guard(bytes == 0 ? 64 : bytes, 64);
    struct trm_cpu_groups groups     = {
            .struct_size   = sizeof(groups),
            .end           = groups_x,
            .groups        = {groups_x, 1, 1},
            .group_size    = {row->group_size[0], 1, 1},
            .scratch       = scratch.data,
            .scratch_bytes = bytes,
    };

    int32_t code = row->function(&groups, block);
    *fault       = code == 1 ? *last() : (struct trm_cpu_fault){0};
    check(&scratch);
    drop(&scratch);
    return code;
}

static void open_shader(const char *file, uint32_t local_size)
{
    struct trm_constant constant = {.id = 0, .type = TRM_TYPE_U32, .bits = local_size};
    int32_t status =
        translated_text(&kernel, translated_path(file), TRM_LANGUAGE_C, TRM_TRANSLATE_BOUNDS, &constant, 1);

    ck_assert_msg(status == TRM_OK, "%s: %s", file, trm_last_error().sentence);
    translated_compile(&kernel, translated_is_by_clang() ? TRAPS_OF_CLANG : TRAPS);
}

/* ---- every kind of variable */

/* The numbers of tests/unit/shaders/bounds/overrun.h. `what` is how the name of the variable ends. */
static const struct overrun {
    const char *what;
    uint64_t size;
} overruns[] = {
    {"shared variable 'tile'", 24},
    {"shared variable 'tile'", 24},
    {"shared variable 'tile'", 24},
    {"shared variable 'couples[].tail'", 3},
    {"shared variable 'couples'", 5},
    {"local variable 'local'", 9},
    {"local variable 'local'", 9},
    {"local variable 'grid[]'", 3},
    {"local variable 'parts'", 3},
    {"local variable 'history'", 6},
    {"vector", 4},
    {"vector", 4},
    {"vector", 4},
    {"local variable 'matrix'", 2},
    {"local variable 'matrix'", 2},
    {"local variable 'matrix[]'", 3},
    {"local variable 'indexable'", 7},
    {"push constant 'weights'", 4},
    {"buffer 'rows'", 4},
    {"buffer 'data'", 40},
    {"buffer 'data'", 40},
    {"buffer 'data'", 40},
    {"buffer 'Pairs.pairs[].tail'", 3},
    {"buffer 'Pairs.pairs'", 3},
    {"input 'gl_LocalInvocationID'", 3},
};

enum {
    KINDS = sizeof(overruns) / sizeof(overruns[0]),
};

static const int32_t far[] = {-1, 1 << 20, INT32_MAX, INT32_MIN, -(1 << 20)};

struct arguments {
    _Alignas(16) struct trm_cpu_buffer result, data, rows, pairs;
    int32_t kind, index;
    _Alignas(16) uint32_t weights[4];
};

struct memory {
    struct guarded result, data, rows, pairs;
    struct arguments *arguments; /* at the end of `block` */
    struct guarded block;
};

static struct trm_cpu_buffer span_of(const struct guarded *memory)
{
    return (struct trm_cpu_buffer){memory->data, memory->size};
}

static void make_memory(struct memory *memory)
{
    memory->result     = guard(RESULTS * sizeof(uint32_t), 16);
    memory->data       = guard(40 * sizeof(uint32_t), 16);
    memory->rows       = guard(4 * 16, 16);
    memory->pairs      = guard(4 + 3 * 16, 4);
    memory->block      = guard(sizeof(struct arguments), 16);
    memory->arguments  = (struct arguments *)memory->block.data;
    *memory->arguments = (struct arguments){.result = span_of(&memory->result),
                                            .data   = span_of(&memory->data),
                                            .rows   = span_of(&memory->rows),
                                            .pairs  = span_of(&memory->pairs)};
}

static void check_memory(const struct memory *memory)
{
    check(&memory->result);
    check(&memory->data);
    check(&memory->rows);
    check(&memory->pairs);
    check(&memory->block);
}

static void drop_memory(struct memory *memory)
{
    drop(&memory->result);
    drop(&memory->data);
    drop(&memory->rows);
    drop(&memory->pairs);
    drop(&memory->block);
}

static void expect_fault(const struct trm_cpu_fault *fault, int32_t kind, int32_t index)
{
    const struct overrun *overrun = &overruns[kind];

    ck_assert_msg(fault->what != NULL, "kind %d, index %d: no variable is named", kind, index);
    ck_assert_msg(strstr(fault->what, overrun->what) != NULL, "kind %d, index %d: %s instead of %s", kind,
                  index, fault->what, overrun->what);
    ck_assert_msg(strstr(fault->where, ".comp:") != NULL, "kind %d: the place is \"%s\"", kind, fault->where);
    ck_assert_int_eq(fault->index, index);
    ck_assert_uint_eq(fault->size, overrun->size);
}

static void overrun_all(uint32_t groups)
{
    struct memory memory;
    struct trm_cpu_fault fault;

    make_memory(&memory);
    for (int32_t kind = 0; kind < KINDS; kind++) {
        memory.arguments->kind  = kind;
        memory.arguments->index = (int32_t)overruns[kind].size - 1;
        ck_assert_msg(call(groups, memory.arguments, &fault) == 0,
                      "kind %d: index %d of %s is called outside", kind, memory.arguments->index, fault.what);
        ck_assert_ptr_null(fault.what);
        memory.arguments->index = (int32_t)overruns[kind].size;
        ck_assert_int_eq(call(groups, memory.arguments, &fault), 1);
        expect_fault(&fault, kind, memory.arguments->index);
        for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
            memory.arguments->index = far[i];
            ck_assert_int_eq(call(groups, memory.arguments, &fault), 1);
            expect_fault(&fault, kind, far[i]);
        }
        check_memory(&memory);
    }
    drop_memory(&memory);
}

static const struct flow {
    const char *file;
    uint32_t local_size;
} flows[] = {
    {"bounds/overrun_rows.spv", 64},     {"bounds/overrun_rows_plain.spv", 1},
    {"bounds/overrun_barriers.spv", 33}, {"bounds/overrun_barriers_plain.spv", 64},
    {"bounds/overrun_rounds.spv", 256},  {"bounds/overrun_rounds_plain.spv", 1},
};

START_TEST(an_overrun_of_any_variable_fails_the_launch_and_writes_nothing_outside)
{
    open_shader(flows[_i].file, flows[_i].local_size);
    overrun_all(RESULTS / flows[_i].local_size < 2 ? 1 : 2);
    translated_close(&kernel);
}
END_TEST

/* ---- the sentence's parts */

START_TEST(a_shader_without_line_numbers_has_no_place)
{
    struct memory memory;
    struct trm_cpu_fault fault;

    open_shader("bounds/overrun_rows_no_lines.spv", 8);
    make_memory(&memory);
    memory.arguments->index = 99;
    ck_assert_int_eq(call(1, memory.arguments, &fault), 1);
    ck_assert_msg(strncmp(fault.what, "shared variable '%", 18) == 0, "%s", fault.what);
    ck_assert_str_eq(fault.where, "");
    ck_assert_int_eq(fault.index, 99);
    drop_memory(&memory);
    translated_close(&kernel);
}
END_TEST

START_TEST(a_buffer_that_is_too_small_for_its_block_is_named_with_its_bytes)
{
    struct memory memory;
    struct trm_cpu_fault fault;

    open_shader("bounds/overrun_rows.spv", 8);
    make_memory(&memory);
    memory.arguments->rows.size = 32;
    memory.arguments->kind      = 18;
    memory.arguments->index     = 1;
    ck_assert_int_eq(call(1, memory.arguments, &fault), 0);
    memory.arguments->index = 2;
    ck_assert_int_eq(call(1, memory.arguments, &fault), 1);
    ck_assert_str_eq(fault.what, "the bytes of buffer 'rows'");
    ck_assert_int_eq(fault.index, 2 * 16 + 8);
    ck_assert_uint_eq(fault.size, 32);
    memory.arguments->pairs.size = 2; /* not even the member before the array */
    memory.arguments->kind       = 23;
    memory.arguments->index      = 0;
    ck_assert_int_eq(call(1, memory.arguments, &fault), 1);
    ck_assert_str_eq(fault.what, "buffer 'Pairs.pairs'");
    ck_assert_uint_eq(fault.size, 0);
    drop_memory(&memory);
    translated_close(&kernel);
}
END_TEST

/* ---- views */

struct view_arguments {
    _Alignas(16) struct trm_cpu_buffer x, result;
    int32_t kind, index;
};

/* A buffer of 44 bytes has 11 floats, 2 vectors of four, and behind 16 bytes 3 pairs. */
START_TEST(each_view_of_a_buffer_has_its_own_number_of_elements)
{
    static const struct overrun views[] = {{"buffer 'x'", 11}, {"buffer 'x4'", 2}, {"buffer 'tail.rest'", 3}};
    struct guarded x = guard(44, 4), result = guard(16 * sizeof(uint32_t), 4);
    struct view_arguments arguments = {{x.data, x.size}, {result.data, result.size}, 0, 0};
    struct trm_cpu_fault fault;

    open_shader(_i % 2 == 0 ? "bounds/overrun_views.spv" : "bounds/overrun_views_plain.spv", 16);
    for (arguments.kind = 0; arguments.kind < 3; arguments.kind++) {
        uint64_t size   = views[arguments.kind].size;
        arguments.index = (int32_t)size - 1;
        ck_assert_int_eq(call(1, &arguments, &fault), 0);
        arguments.index = (int32_t)size;
        ck_assert_int_eq(call(1, &arguments, &fault), 1);
        ck_assert_str_eq(fault.what, views[arguments.kind].what);
        ck_assert_int_eq(fault.index, (int64_t)size);
        ck_assert_uint_eq(fault.size, size);
    }
    ck_assert_int_eq(call(1, &arguments, &fault), 0);
    ck_assert_uint_eq(*(const uint32_t *)(const void *)result.data, 110203);
    drop(&x);
    drop(&result);
    translated_close(&kernel);
}
END_TEST

/* ---- lockstep */

struct lockstep_arguments {
    _Alignas(16) struct trm_cpu_buffer result;
    int32_t from, to, shift;
};

static void expect_lockstep(struct lockstep_arguments *arguments, const char *what, int64_t index,
                            uint64_t size, const char *where)
{
    struct trm_cpu_fault fault;

    ck_assert_int_eq(call(2, arguments, &fault), what == NULL ? 0 : 1);
    if (what == NULL)
        return;
    ck_assert_str_eq(fault.what, what);
    ck_assert_int_eq(fault.index, index);
    ck_assert_uint_eq(fault.size, size);
    ck_assert_msg(strstr(fault.where, where) != NULL, "the place is %s", fault.where);
}

START_TEST(an_overrun_in_a_loop_that_runs_in_lockstep_is_found)
{
    static const uint32_t sizes[]       = {1, 16, 48};
    struct guarded result               = guard(96 * sizeof(float), 16);
    struct lockstep_arguments arguments = {.result = {result.data, result.size}, .to = 64};

    open_shader(_i % 2 == 0 ? "bounds/overrun_lockstep.spv" : "bounds/overrun_lockstep_plain.spv",
                sizes[_i / 2]);
    expect_lockstep(&arguments, NULL, 0, 0, NULL);
    for (int32_t shift = -3; shift <= 3; shift += 2) {
        arguments.shift = shift;
        expect_lockstep(&arguments, "local variable 'sums'", shift < 0 ? shift : 4, 4,
                        "overrun_lockstep.comp:21");
    }
    arguments.shift = INT32_MAX;
    expect_lockstep(&arguments, "local variable 'sums'", INT32_MAX, 4, "overrun_lockstep.comp:21");
    arguments.shift = 0;
    arguments.to    = 65;
    expect_lockstep(&arguments, "shared variable 'tile'", 64, 64, "overrun_lockstep.comp:19");
    arguments.from = -1;
    arguments.to   = 64;
    expect_lockstep(&arguments, "shared variable 'tile'", -1, 64, "overrun_lockstep.comp:19");
    arguments.from = INT32_MAX - 3;
    arguments.to   = INT32_MAX;
    expect_lockstep(&arguments, "shared variable 'tile'", INT32_MAX - 3, 64, "overrun_lockstep.comp:19");
    check(&result);
    drop(&result);
    translated_close(&kernel);
}
END_TEST

/* ---- CUDA C */

START_TEST(cuda_checks_every_index_and_notes_the_first_outside)
{
    /* a store, a load and an atomic operation, then other variables */
    static const char *const checks[] = {
        ", 24)) s_tile",
        ", 24) ? s_tile",
        ", 24) ? (uint32_t)trm_atomic_add32(",
        ", 9)) s_local",
        ", 3)) s_grid",
        ", 2)) s_matrix",
        ", 7) ? s_indexable",
        ", 4) ? (*(const uint32_t *)(arguments.s_weights",
        ", s_data_size)) s_data",
        "trm_within(&trm_fault, ",
        "struct trm_fault_record *trm_record",
        "{\"shared variable 'tile'\", \"overrun_barriers.comp:",
    };
    struct trm_constant constant = {.id = 0, .type = TRM_TYPE_U32, .bits = 64};
    const char *text;

    ck_assert_int_eq(translated_text(&kernel, translated_path("bounds/overrun_barriers.spv"),
                                     TRM_LANGUAGE_CUDA, TRM_TRANSLATE_BOUNDS, &constant, 1),
                     TRM_OK);
    text = kernel.text.text;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        ck_assert_msg(strstr(text, checks[i]) != NULL, "%s is missing in:\n%s", checks[i], text);
    translated_close(&kernel);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated bounds");
    TCase *tests = tcase_create("bounds");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, an_overrun_of_any_variable_fails_the_launch_and_writes_nothing_outside, 0,
                        sizeof(flows) / sizeof(flows[0]));
    tcase_add_test(tests, a_shader_without_line_numbers_has_no_place);
    tcase_add_test(tests, a_buffer_that_is_too_small_for_its_block_is_named_with_its_bytes);
    tcase_add_loop_test(tests, each_view_of_a_buffer_has_its_own_number_of_elements, 0, 2);
    tcase_add_loop_test(tests, an_overrun_in_a_loop_that_runs_in_lockstep_is_found, 0, 6);
    tcase_add_test(tests, cuda_checks_every_index_and_notes_the_first_outside);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
