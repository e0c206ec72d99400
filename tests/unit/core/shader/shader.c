/* Shaders: what they say of themselves, and their translations.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/unit/counting.h"
#include "tests/unit/runner.h"

static const uint32_t mixed[] = {
#include "tests/conformance/shaders/mixed.inc"
};
static const uint32_t constants[] = {
#include "tests/conformance/shaders/constants.inc"
};
static const uint32_t two[] = {
#include "tests/conformance/shaders/two.inc"
};
static const uint32_t views[] = {
#include "tests/conformance/shaders/views.inc"
};

static struct trm_context *context;
static struct counting counting;

static void setup(void)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {.struct_size = sizeof(desc),
                                      .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                      .allocator   = &allocator};
    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
}

static void teardown(void)
{
    trm_context_destroy(context);
    counting_is_balanced(&counting);
}

static struct trm_shader_desc desc_of(const uint32_t *words, uint64_t size, const char *name)
{
    return (struct trm_shader_desc){.struct_size = sizeof(struct trm_shader_desc),
                                    .format      = TRM_MODULE_SPIRV,
                                    .data        = words,
                                    .size        = size,
                                    .name        = name};
}

static struct trm_shader *make(const uint32_t *words, uint64_t size, const char *name)
{
    struct trm_shader_desc desc = desc_of(words, size, name);
    struct trm_shader *shader   = NULL;
    ck_assert_msg(trm_shader_create(context, &desc, &shader) == TRM_OK, "%s", trm_last_error().sentence);
    return shader;
}

static void says(const char *words)
{
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
}

/* ---- making ---- */

START_TEST(descriptions_that_cannot_be_are_refused)
{
    struct trm_shader_desc desc = desc_of(mixed, sizeof(mixed), "mixed");
    struct trm_shader *shader   = NULL;
    ck_assert_int_eq(trm_shader_create(NULL, &desc, &shader), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_shader_create(context, NULL, &shader), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_shader_create(context, &desc, NULL), TRM_ERROR_INVALID_ARGUMENT);
    desc.struct_size = 8;
    ck_assert_int_eq(trm_shader_create(context, &desc, &shader), TRM_ERROR_INVALID_ARGUMENT);
    desc = desc_of(NULL, 4, "mixed");
    ck_assert_int_eq(trm_shader_create(context, &desc, &shader), TRM_ERROR_INVALID_ARGUMENT);
    desc = desc_of(mixed, sizeof(mixed), "");
    ck_assert_int_eq(trm_shader_create(context, &desc, &shader), TRM_ERROR_INVALID_ARGUMENT);
    for (int32_t format = -1; format < 8; format++) {
        desc        = desc_of(mixed, sizeof(mixed), "mixed");
        desc.format = format;
        if (format == TRM_MODULE_SPIRV || format == TRM_MODULE_GLSL || format == TRM_MODULE_NAMED)
            continue;
        ck_assert_int_eq(trm_shader_create(context, &desc, &shader), TRM_ERROR_INVALID_ARGUMENT);
    }
    ck_assert_ptr_null(shader);
}
END_TEST

START_TEST(a_module_that_is_not_valid_is_refused_under_its_name)
{
    struct trm_shader_desc desc = desc_of(mixed, sizeof(mixed) - 4, "half a shader");
    struct trm_shader *shader   = NULL;
    ck_assert_int_eq(trm_shader_create(context, &desc, &shader), TRM_ERROR_INVALID_ARGUMENT);
    says("half a shader");
    ck_assert_ptr_null(shader);
    uint32_t own[sizeof(mixed) / sizeof(mixed[0])];
    memcpy(own, mixed, sizeof(mixed));
    own[6] = 65500; /* a capability that the library gives to modules itself, for that of a shader */
    desc   = desc_of(own, sizeof(own), "its own");
    ck_assert_int_eq(trm_shader_create(context, &desc, &shader), TRM_ERROR_UNSUPPORTED);
    says("shader \"its own\": SPIR-V, word 5 (OpCapability)");
    ck_assert_ptr_null(shader);
}
END_TEST

START_TEST(a_destroyed_shader_is_gone_and_destroying_it_again_is_harmless)
{
    struct trm_shader *shader   = make(mixed, sizeof(mixed), "mixed");
    struct trm_kernel_info info = {.struct_size = sizeof(info)};
    const void *bytes;
    uint64_t size;
    trm_shader_destroy(shader);
    trm_shader_destroy(shader);
    trm_shader_destroy(NULL);
    ck_assert_int_eq(trm_shader_kernel(shader, 0, &info), TRM_ERROR_INVALID_HANDLE);
    says("shader");
    ck_assert_int_eq(trm_shader_bytes(shader, &bytes, &size), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

/* ---- what it says ---- */

START_TEST(the_bytes_are_those_of_this_machines_order)
{
    uint32_t turned[sizeof(mixed) / 4];
    const void *bytes = NULL;
    uint64_t size     = 0;
    for (size_t i = 0; i < sizeof(mixed) / 4; i++)
        turned[i] = __builtin_bswap32(mixed[i]);
    struct trm_shader *shader = make(turned, sizeof(turned), NULL);
    memset(turned, 0, sizeof(turned));
    ck_assert_int_eq(trm_shader_bytes(shader, &bytes, &size), TRM_OK);
    ck_assert_uint_eq(size, sizeof(mixed));
    ck_assert_mem_eq(bytes, mixed, sizeof(mixed));
    ck_assert_int_eq(trm_shader_bytes(shader, NULL, &size), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_shader_bytes(shader, &bytes, NULL), TRM_ERROR_INVALID_ARGUMENT);
    trm_shader_destroy(shader);
}
END_TEST

START_TEST(kernels_are_numbered_and_main_has_the_shaders_name)
{
    struct trm_kernel_info info = {.struct_size = sizeof(info)};
    struct trm_shader *shader   = make(mixed, sizeof(mixed), "mine");
    ck_assert_int_eq(trm_shader_kernel(shader, 0, &info), TRM_OK);
    ck_assert_str_eq(info.name, "mine");
    ck_assert_uint_eq(info.parameter_count, 7);
    ck_assert_uint_eq(info.group_size[0], 32);
    ck_assert_int_eq(trm_shader_kernel(shader, 1, &info), TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(trm_shader_kernel(shader, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    info.struct_size = 4;
    ck_assert_int_eq(trm_shader_kernel(shader, 0, &info), TRM_ERROR_INVALID_ARGUMENT);
    trm_shader_destroy(shader);
    shader           = make(two, sizeof(two), NULL);
    info.struct_size = sizeof(info);
    ck_assert_int_eq(trm_shader_kernel(shader, 1, &info), TRM_OK);
    ck_assert_str_eq(info.name, "once_more");
    trm_shader_destroy(shader);
    shader = make(mixed, sizeof(mixed), NULL);
    ck_assert_int_eq(trm_shader_kernel(shader, 0, &info), TRM_OK);
    ck_assert_str_eq(info.name, "main");
    trm_shader_destroy(shader);
}
END_TEST

START_TEST(constants_are_numbered_by_their_ids)
{
    static const struct {
        const char *name;
        int32_t type;
        uint32_t bits;
    } expected[]                  = {{"", TRM_TYPE_U32, 1},
                                     {"width", TRM_TYPE_U32, 4},
                                     {"offset", TRM_TYPE_I32, (uint32_t)-3},
                                     {"factor", TRM_TYPE_F32, 0x3f000000},
                                     {"doubled", TRM_TYPE_U32, 0}};
    struct trm_shader *shader     = make(constants, sizeof(constants), "constants");
    struct trm_constant_info info = {.struct_size = sizeof(info)};
    for (uint32_t i = 0; i < 5; i++) {
        ck_assert_int_eq(trm_shader_constant(shader, i, &info), TRM_OK);
        ck_assert_uint_eq(info.id, i);
        ck_assert_str_eq(info.name, expected[i].name);
        ck_assert_int_eq(info.type, expected[i].type);
        ck_assert_uint_eq((uint32_t)info.default_bits, expected[i].bits);
    }
    ck_assert_int_eq(trm_shader_constant(shader, 5, &info), TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(trm_shader_constant(shader, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    trm_shader_destroy(shader);
}
END_TEST

START_TEST(a_shader_lists_the_views_of_its_buffers)
{
    struct trm_shader *shader     = make(views, sizeof(views), "views");
    struct trm_view_info info     = {.struct_size = sizeof(info)};
    struct trm_kernel_info kernel = {.struct_size = sizeof(kernel)};
    ck_assert_int_eq(trm_shader_kernel(shader, 0, &kernel), TRM_OK);
    ck_assert_uint_eq(kernel.parameter_count, 2);
    ck_assert_str_eq(kernel.parameters[0].name, "x4");
    ck_assert_int_eq(trm_shader_view(shader, 0, &info), TRM_OK);
    ck_assert_str_eq(info.view.name, "x");
    ck_assert_uint_eq(info.view.stride, 4);
    ck_assert_uint_eq(info.parameter, 0);
    ck_assert_int_eq(trm_shader_view(shader, 1, &info), TRM_ERROR_NOT_FOUND);
    says("only 1");
    ck_assert_int_eq(trm_shader_view(shader, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    info.struct_size = 8;
    ck_assert_int_eq(trm_shader_view(shader, 0, &info), TRM_ERROR_INVALID_ARGUMENT);
    trm_shader_destroy(shader);
}
END_TEST

START_TEST(a_shader_lists_what_its_parameters_and_views_consist_of)
{
    struct trm_shader *shader   = make(views, sizeof(views), "views");
    struct trm_member_info info = {.struct_size = sizeof(info)};
    uint32_t count              = 0;
    ck_assert_int_eq(trm_shader_member(shader, 0, &info), TRM_OK);
    ck_assert_str_eq(info.name, "x4");
    ck_assert_uint_eq(info.member_count, 1);
    ck_assert_int_eq(trm_shader_member(shader, info.first_member, &info), TRM_OK);
    ck_assert_int_eq(info.type, TRM_TYPE_F32);
    ck_assert_uint_eq(info.components, 4);
    ck_assert_uint_eq(info.array_stride, 16);
    ck_assert_uint_eq(info.count, 0);
    ck_assert_int_eq(trm_shader_member(shader, 2, &info), TRM_OK); /* behind both parameters */
    ck_assert_str_eq(info.name, "x");
    while (trm_shader_member(shader, count, &info) == TRM_OK)
        count++;
    says("only");
    ck_assert_int_eq(trm_shader_member(shader, count, &info), TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(trm_shader_member(shader, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    info.struct_size = 8;
    ck_assert_int_eq(trm_shader_member(shader, 0, &info), TRM_ERROR_INVALID_ARGUMENT);
    trm_shader_destroy(shader);
}
END_TEST

/* ---- translations ---- */

static const char *translation(struct trm_shader *shader, int32_t language, const struct trm_constant *given,
                               uint32_t count)
{
    struct trm_translate_desc desc = {
        .struct_size = sizeof(desc), .language = language, .constants = given, .constant_count = count};
    const char *text = NULL;
    uint64_t length  = 0;
    ck_assert_msg(trm_shader_translate(shader, &desc, &text, &length) == TRM_OK, "%s",
                  trm_last_error().sentence);
    ck_assert_uint_eq(strlen(text), length);
    return text;
}

START_TEST(a_translation_is_made_once_for_each_language_and_constants)
{
    struct trm_shader *shader    = make(constants, sizeof(constants), "constants");
    struct trm_constant constant = trm_constant_u32("width", 77);
    const char *plain            = translation(shader, TRM_LANGUAGE_C, NULL, 0);
    const char *cuda             = translation(shader, TRM_LANGUAGE_CUDA, NULL, 0);
    const char *wide             = translation(shader, TRM_LANGUAGE_C, &constant, 1);
    ck_assert_ptr_nonnull(strstr(plain, "trm_cpu_kernels_v1"));
    ck_assert_ptr_nonnull(strstr(cuda, "__global__"));
    ck_assert_ptr_nonnull(strstr(wide, "77"));
    ck_assert_ptr_eq(translation(shader, TRM_LANGUAGE_C, NULL, 0), plain);
    ck_assert_ptr_eq(translation(shader, TRM_LANGUAGE_C, &constant, 1), wide);
    constant.bits = 4; /* the default */
    ck_assert_ptr_eq(translation(shader, TRM_LANGUAGE_C, &constant, 1), plain);
    trm_shader_destroy(shader);
}
END_TEST

START_TEST(translations_that_cannot_be_are_refused)
{
    struct trm_shader *shader      = make(constants, sizeof(constants), "constants");
    struct trm_constant constant   = trm_constant_u32("height", 77);
    struct trm_translate_desc desc = {.struct_size = sizeof(desc), .language = 99};
    const char *text               = "untouched";
    uint64_t length;
    ck_assert_int_eq(trm_shader_translate(shader, &desc, &text, &length), TRM_ERROR_INVALID_ARGUMENT);
    desc.language = TRM_LANGUAGE_C;
    desc.flags    = 0x80;
    ck_assert_int_eq(trm_shader_translate(shader, &desc, &text, &length), TRM_ERROR_INVALID_ARGUMENT);
    desc.flags = TRM_TRANSLATE_BARRIERS; /* without BOUNDS; and not for CUDA C */
    ck_assert_int_eq(trm_shader_translate(shader, &desc, &text, &length), TRM_ERROR_INVALID_ARGUMENT);
    says("BARRIERS is for C, together with BOUNDS");
    desc.flags    = TRM_TRANSLATE_BARRIERS | TRM_TRANSLATE_BOUNDS;
    desc.language = TRM_LANGUAGE_CUDA;
    ck_assert_int_eq(trm_shader_translate(shader, &desc, &text, &length), TRM_ERROR_INVALID_ARGUMENT);
    desc.language       = TRM_LANGUAGE_C;
    desc.flags          = 0;
    desc.constants      = &constant;
    desc.constant_count = 1;
    ck_assert_int_eq(trm_shader_translate(shader, &desc, &text, &length), TRM_ERROR_INVALID_ARGUMENT);
    says("height");
    ck_assert_int_eq(trm_shader_translate(shader, NULL, &text, &length), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_shader_translate(shader, &desc, NULL, &length), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(text, "untouched");
    trm_shader_destroy(shader);
    ck_assert_int_eq(trm_shader_translate(shader, &desc, &text, &length), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

static void *translate_often(void *shader)
{
    const char *text = NULL;
    for (int i = 0; i < 20; i++)
        text = translation(shader, TRM_LANGUAGE_C, NULL, 0);
    return (void *)text;
}

START_TEST(threads_that_translate_at_once_get_one_text)
{
    struct trm_shader *shader = make(mixed, sizeof(mixed), "mixed");
    pthread_t threads[8];
    void *texts[8];
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, translate_often, shader), 0);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(pthread_join(threads[i], &texts[i]), 0);
    for (int i = 1; i < 8; i++)
        ck_assert_ptr_eq(texts[i], texts[0]);
    trm_shader_destroy(shader);
}
END_TEST

START_TEST(settings_limit_what_a_shader_becomes)
{
    const struct trm_setting settings[]  = {{"kernel.instructions", "4"}, {"kernel.text", "1000"}};
    static const char *const sentences[] = {"more than 4 instructions", "more than 1000 bytes of C"};
    for (int i = 0; i < 2; i++) {
        struct trm_allocator allocator = counting_allocator(&counting);
        struct trm_context_desc desc   = {.struct_size   = sizeof(desc),
                                          .flags         = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                          .allocator     = &allocator,
                                          .settings      = &settings[i],
                                          .setting_count = 1};
        struct trm_translate_desc c    = {.struct_size = sizeof(c), .language = TRM_LANGUAGE_C};
        const char *text               = NULL;
        uint64_t length;
        trm_context_destroy(context);
        ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
        struct trm_shader *shader = make(mixed, sizeof(mixed), NULL);
        ck_assert_int_eq(trm_shader_translate(shader, &c, &text, &length), TRM_ERROR_UNSUPPORTED);
        says(sentences[i]);
        says(settings[i].name);
        trm_shader_destroy(shader);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("shaders");
    TCase *cases = tcase_create("shaders");

    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, descriptions_that_cannot_be_are_refused);
    tcase_add_test(cases, a_module_that_is_not_valid_is_refused_under_its_name);
    tcase_add_test(cases, a_destroyed_shader_is_gone_and_destroying_it_again_is_harmless);
    tcase_add_test(cases, the_bytes_are_those_of_this_machines_order);
    tcase_add_test(cases, kernels_are_numbered_and_main_has_the_shaders_name);
    tcase_add_test(cases, constants_are_numbered_by_their_ids);
    tcase_add_test(cases, a_shader_lists_the_views_of_its_buffers);
    tcase_add_test(cases, a_shader_lists_what_its_parameters_and_views_consist_of);
    tcase_add_test(cases, a_translation_is_made_once_for_each_language_and_constants);
    tcase_add_test(cases, translations_that_cannot_be_are_refused);
    tcase_add_test(cases, settings_limit_what_a_shader_becomes);
    tcase_add_test(cases, threads_that_translate_at_once_get_one_text);
    suite_add_tcase(suite, cases);
    return suite;
}

UNIT_SUITE(make_suite)
