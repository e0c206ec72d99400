/* The scene and the hostile backend in a test.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../nest.h"

struct scene scene;

static void read_spirv(void)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/spirv/arithmetic.spv", getenv("top_srcdir"));
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s is not there", path);
    scene.spirv       = malloc(1 << 16);
    scene.spirv_bytes = fread(scene.spirv, 1, 1 << 16, file);
    fclose(file);
}

void load_hostile(void)
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
    read_spirv();
}

void unload_hostile(void)
{
    free(scene.spirv);
    nest_remove();
}

void open_scene(const struct use *use)
{
    scene.control->reset();
    if (use != NULL && use->prepare != NULL)
        use->prepare(&scene);
    int32_t status = scene_open(&scene);
    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    if (use != NULL && use->before != NULL)
        use->before(&scene);
}

void close_scene(void)
{
    struct hostile_control *control = scene.control;
    void *spirv                     = scene.spirv;
    size_t spirv_bytes              = scene.spirv_bytes;
    control->reset();
    scene_close(&scene);
    memset(&scene, 0, sizeof(scene));
    scene.control     = control;
    scene.folder      = nest_folder();
    scene.spirv       = spirv;
    scene.spirv_bytes = spirv_bytes;
}

void answer(enum hostile_slot slot, int32_t status)
{
    scene.control->set(slot, (struct hostile_answer){.status = status});
}

void write_nothing(enum hostile_slot slot)
{
    scene.control->set(slot, (struct hostile_answer){.writes_nothing = true});
}

void lie(enum hostile_slot slot, uint64_t number)
{
    scene.control->set(slot, (struct hostile_answer){.lies = true, .number = number});
}

bool is_loading(const struct use *use)
{
    return use->slot == HOSTILE_PROBE || use->slot == HOSTILE_OPEN || use->slot == HOSTILE_DEVICE_COUNT;
}

void sentence_has(const char *words)
{
    const char *sentence = trm_last_error().sentence;
    ck_assert_msg(strstr(sentence, words) != NULL, "\"%s\" does not say \"%s\"", sentence, words);
}
