/* A backend with images of its own: what the core gives it, and when the objects go. The hostile backend,
 * which is well-behaved here, stands for it.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/cpu_kernel.h>

#include "hostile/scene.h"
#include "nest.h"

static struct scene scene;

static void open_scene(void)
{
    nest_make();
    nest_add_module("tests/plugins/hostile");
    void *plugin = dlopen(nest_path("hostile.so"), RTLD_NOW);
    ck_assert_msg(plugin != NULL, "%s", dlerror());
    memset(&scene, 0, sizeof(scene));
    scene.control = dlsym(plugin, HOSTILE_CONTROL_SYMBOL);
    scene.folder  = nest_folder();
    ck_assert_ptr_nonnull(scene.control);
    scene.control->reset();
    unsetenv("TRIREME_BACKEND_PATH");
    setenv("TRIREME_BACKEND", nest_path("hostile.so"), 1);
    int32_t status = scene_open(&scene);
    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
}

static void close_scene(void)
{
    scene_close(&scene);
    ck_assert_int_eq(scene.control->image_objects, 0);
    nest_remove();
}

static void sentence_has(const char *words)
{
    const char *sentence = trm_last_error().sentence;
    ck_assert_msg(strstr(sentence, words) != NULL, "\"%s\" does not say \"%s\"", sentence, words);
}

/* ---- copies ---- */

START_TEST(an_image_of_the_backend_is_copied_and_goes_when_it_is_idle)
{
    unsigned char texels[64], found[64], expected[64];
    int32_t before = scene.control->image_objects;
    for (int i = 0; i < 64; i++)
        texels[i] = expected[i] = (unsigned char)(i * 3 + 1);
    memcpy(expected + 16 * 2 + 4, texels + 16, 8); /* the first two of row 1, to row 2 */
    struct trm_image *image      = NULL;
    struct trm_image_region to   = {.struct_size = sizeof(to), .x = 1, .y = 2, .width = 2, .height = 1};
    struct trm_image_region from = {.struct_size = sizeof(from), .y = 1, .width = 2, .height = 1};
    struct trm_stream *stream    = scene.streams[0];
    ck_assert_int_eq(trm_image_create(scene.devices[0], &scene_image_desc, &image), TRM_OK);
    ck_assert_int_eq(scene.control->image_objects, before + 1);
    ck_assert_int_eq(trm_image_upload(stream, image, NULL, texels, 0, 0), TRM_OK);
    ck_assert_int_eq(trm_image_copy(stream, image, &to, image, &from), TRM_OK);
    ck_assert_int_eq(trm_image_to_buffer(stream, trm_span_of(scene.buffers[0], 128, 64), image, NULL, 0, 0),
                     TRM_OK);
    ck_assert_int_eq(trm_download(stream, found, trm_span_of(scene.buffers[0], 128, 64)), TRM_OK);
    trm_image_destroy(image);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_mem_eq(found, expected, 64);
    ck_assert_int_eq(trm_device_sync(scene.devices[0]), TRM_OK);
    ck_assert_int_eq(scene.control->image_objects, before);
}
END_TEST

START_TEST(formats_and_usages_that_the_backend_lacks_are_named)
{
    struct trm_image_desc desc = scene_image_desc;
    struct trm_image *image    = NULL;
    desc.format                = TRM_FORMAT_R32_FLOAT;
    ck_assert_int_eq(trm_image_create(scene.devices[0], &desc, &image), TRM_ERROR_UNSUPPORTED);
    sentence_has("device hostile:0 has no 2D images of format r32f");
    desc.usage = TRM_IMAGE_STORAGE;
    ck_assert_int_eq(trm_image_create(scene.devices[0], &desc, &image), TRM_ERROR_UNSUPPORTED);
    sentence_has("has no storage 2D images of format r32f");
}
END_TEST

START_TEST(copies_of_images_of_the_backend_are_recorded)
{
    struct trm_graph *graph      = NULL;
    struct trm_stream *recording = NULL;
    uint32_t count               = 7;
    ck_assert_int_eq(trm_graph_create(scene.devices[0], &graph), TRM_OK);
    ck_assert_int_eq(trm_graph_record(graph, &recording), TRM_OK);
    ck_assert_int_eq(trm_image_upload(recording, scene.image, NULL, scene.bytes, 0, 0), TRM_OK);
    ck_assert_int_eq(trm_graph_node_count(graph, &count), TRM_OK);
    ck_assert_uint_eq(count, 1);
    trm_graph_destroy(graph);
}
END_TEST

/* ---- launches ---- */

static struct trm_launch_argument seen[3];
static struct trm_launch_image objects[3];

static void note(const struct trm_launch_desc *desc)
{
    for (uint32_t i = 0; i < 3; i++) {
        seen[i] = desc->arguments[i];
        memcpy(&objects[i], seen[i].block, sizeof(objects[i]));
    }
}

static int32_t do_nothing(const struct trm_cpu_groups *groups, const void *arguments)
{
    (void)groups;
    (void)arguments;
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "storage", .kind = TRM_PARAMETER_IMAGE, .type = TRM_TYPE_F32, .size = TRM_IMAGE_2D},
    {.name = "sampled", .kind = TRM_PARAMETER_SAMPLED_IMAGE, .type = TRM_TYPE_F32},
    {.name = "sampler", .kind = TRM_PARAMETER_SAMPLER},
};

static const struct trm_cpu_kernel kernel_table = {.name            = "images",
                                                   .function        = do_nothing,
                                                   .parameters      = parameters,
                                                   .parameter_count = 3,
                                                   .group_size      = {1, 1, 1}};

static struct trm_kernel *load(void)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_FUNCTIONS,
                                   .data        = &kernel_table,
                                   .size        = sizeof(kernel_table)};
    struct trm_module *module   = NULL;
    struct trm_kernel *kernel   = NULL;
    ck_assert_int_eq(trm_module_load(scene.devices[0], &desc, &module), TRM_OK);
    ck_assert_int_eq(trm_kernel_get(module, "images", &kernel), TRM_OK);
    trm_module_destroy(module);
    return kernel;
}

static void make_samplers(struct trm_sampler *samplers[2])
{
    struct trm_sampler_desc how = {.struct_size = sizeof(how)};
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(trm_sampler_create(scene.devices[0], &how, &samplers[i]), TRM_OK);
}

static void check_seen(void)
{
    ck_assert_int_eq(seen[0].kind, TRM_PARAMETER_IMAGE);
    ck_assert_int_eq(seen[1].kind, TRM_PARAMETER_SAMPLED_IMAGE);
    ck_assert_int_eq(seen[2].kind, TRM_PARAMETER_SAMPLER);
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_null(seen[i].memory);
        ck_assert_uint_eq(objects[i].struct_size, sizeof(objects[i]));
        ck_assert_uint_eq(objects[i].level, 0);
    }
    ck_assert_ptr_nonnull(objects[0].image);
    ck_assert_ptr_null(objects[0].sampler);
    ck_assert_ptr_eq(objects[1].image, objects[0].image);
    ck_assert_ptr_nonnull(objects[1].sampler);
    ck_assert_ptr_null(objects[2].image);
    ck_assert_ptr_nonnull(objects[2].sampler);
    ck_assert_ptr_ne(objects[2].sampler, objects[1].sampler);
}

START_TEST(a_launch_gets_the_objects_of_the_backend)
{
    struct trm_sampler *samplers[2];
    struct trm_kernel *kernel = load();
    struct trm_grid grid      = trm_grid_1d(1, 1);
    make_samplers(samplers);
    struct trm_argument arguments[] = {trm_arg_image(scene.image, 0),
                                       trm_arg_sampled(scene.image, samplers[0]),
                                       trm_arg_sampler(samplers[1])};
    scene.control->launched         = note;
    ck_assert_int_eq(trm_launch(scene.streams[0], kernel, &grid, arguments, 3), TRM_OK);
    check_seen();
    for (int i = 0; i < 2; i++)
        trm_sampler_destroy(samplers[i]);
    trm_kernel_destroy(kernel);
}
END_TEST

START_TEST(a_graph_keeps_the_objects_of_its_launches)
{
    struct trm_sampler *samplers[2];
    struct trm_graph *graph      = NULL;
    struct trm_graph_exec *exec  = NULL;
    struct trm_stream *recording = NULL;
    struct trm_image *image      = NULL;
    struct trm_kernel *kernel    = load();
    struct trm_grid grid         = trm_grid_1d(1, 1);
    int32_t before               = scene.control->image_objects;
    make_samplers(samplers);
    ck_assert_int_eq(trm_image_create(scene.devices[0], &scene_image_desc, &image), TRM_OK);
    struct trm_argument arguments[] = {trm_arg_image(image, 0), trm_arg_sampled(image, samplers[0]),
                                       trm_arg_sampler(samplers[1])};
    ck_assert_int_eq(trm_graph_create(scene.devices[0], &graph), TRM_OK);
    ck_assert_int_eq(trm_graph_record(graph, &recording), TRM_OK);
    ck_assert_int_eq(trm_launch(recording, kernel, &grid, arguments, 3), TRM_OK);
    trm_image_destroy(image);
    trm_sampler_destroy(samplers[0]);
    trm_sampler_destroy(samplers[1]);
    ck_assert_int_eq(scene.control->image_objects, before + 3);
    scene.control->set(HOSTILE_GRAPH_CREATE, (struct hostile_answer){.status = TRM_ERROR_UNSUPPORTED});
    ck_assert_int_eq(trm_graph_instantiate(graph, &exec), TRM_OK);
    scene.control->launched = note;
    ck_assert_int_eq(trm_graph_launch(exec, scene.streams[0]), TRM_OK);
    check_seen();
    trm_graph_exec_destroy(exec);
    trm_graph_destroy(graph);
    ck_assert_int_eq(trm_device_sync(scene.devices[0]), TRM_OK);
    ck_assert_int_eq(scene.control->image_objects, before);
    trm_kernel_destroy(kernel);
}
END_TEST

/* ---- the table ---- */

static void refused(const char *words)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    ck_assert_int_eq(trm_context_create(NULL, &context), TRM_OK);
    ck_assert_int_eq(trm_device_open(context, NULL, &device), TRM_ERROR_NOT_FOUND);
    sentence_has(words);
    trm_context_destroy(context);
}

START_TEST(a_table_without_one_of_its_functions_is_refused)
{
    struct trm_image_ops *table = scene.control->image;
    struct trm_image_ops whole  = *table;
    table->copy                 = NULL;
    refused("image.copy is NULL, but it is required");
    *table                 = whole;
    table->sampler_destroy = NULL;
    refused("image.sampler_destroy is NULL, but it is required");
    *table             = whole;
    table->struct_size = 56;
    refused("its table image has 56 bytes, fewer than the 64");
    *table = whole;
}
END_TEST

/* As a plugin of minor 1 is: its images are plain memory. */
START_TEST(without_a_table_images_are_plain_memory)
{
    struct scene plain                  = {.control = scene.control, .folder = scene.folder};
    struct trm_image *image             = NULL;
    struct trm_image_desc desc          = scene_image_desc;
    unsigned char texels[64 * 4]        = {1, 2, 3}, found[64 * 4];
    int32_t before                      = scene.control->image_objects;
    scene.control->backend->struct_size = 144;
    ck_assert_int_eq(scene_open(&plain), TRM_OK);
    desc.format = TRM_FORMAT_RGBA32_FLOAT;
    ck_assert_int_eq(trm_image_create(plain.devices[0], &desc, &image), TRM_OK);
    ck_assert_int_eq(trm_image_upload(plain.streams[0], image, NULL, texels, 0, 0), TRM_OK);
    ck_assert_int_eq(trm_image_download(plain.streams[0], found, image, NULL, 0, 0), TRM_OK);
    ck_assert_int_eq(trm_stream_sync(plain.streams[0]), TRM_OK);
    ck_assert_mem_eq(found, texels, sizeof(texels));
    ck_assert_int_eq(scene.control->image_objects, before);
    trm_image_destroy(image);
    scene_close(&plain);
}
END_TEST

/* Images and samplers of a plugin for this minor of the ABI, and of one for the minor before. */
static void check_minor(uint32_t minor, int32_t image_status, int32_t sampler_status)
{
    struct scene other                = {.control = scene.control, .folder = scene.folder};
    struct trm_image_desc cube        = scene_image_desc;
    struct trm_sampler_desc how       = {.struct_size = sizeof(how), .compare = TRM_COMPARE_LESS};
    struct trm_image *image           = NULL;
    struct trm_sampler *sampler       = NULL;
    scene.control->backend->abi_minor = minor;
    cube.type                         = TRM_IMAGE_CUBE;
    ck_assert_int_eq(scene_open(&other), TRM_OK);
    ck_assert_int_eq(trm_image_create(other.devices[0], &cube, &image), image_status);
    if (image_status != TRM_OK)
        sentence_has("cube map");
    ck_assert_int_eq(trm_sampler_create(other.devices[0], &how, &sampler), sampler_status);
    if (sampler_status != TRM_OK)
        sentence_has("made for minor 4 of the plugin ABI, and they need 5");
    trm_image_destroy(image);
    trm_sampler_destroy(sampler);
    scene_close(&other);
}

START_TEST(cube_maps_and_comparisons_are_asked_of_backends_since_minor_5)
{
    check_minor(TRM_BACKEND_ABI_MINOR, TRM_OK, TRM_OK);
    check_minor(4, TRM_ERROR_UNSUPPORTED, TRM_ERROR_UNSUPPORTED);
}
END_TEST

int main(void)
{
    Suite *suite    = suite_create("images of a backend");
    TCase *images   = tcase_create("images");
    SRunner *runner = srunner_create(suite);

    tcase_add_checked_fixture(images, open_scene, close_scene);
    tcase_add_test(images, an_image_of_the_backend_is_copied_and_goes_when_it_is_idle);
    tcase_add_test(images, formats_and_usages_that_the_backend_lacks_are_named);
    tcase_add_test(images, copies_of_images_of_the_backend_are_recorded);
    tcase_add_test(images, a_launch_gets_the_objects_of_the_backend);
    tcase_add_test(images, a_graph_keeps_the_objects_of_its_launches);
    tcase_add_test(images, a_table_without_one_of_its_functions_is_refused);
    tcase_add_test(images, without_a_table_images_are_plain_memory);
    tcase_add_test(images, cube_maps_and_comparisons_are_asked_of_backends_since_minor_5);
    suite_add_tcase(suite, images);

    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
