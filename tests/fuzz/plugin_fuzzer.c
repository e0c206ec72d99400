/* The tables and the answers of a plugin. The input damages the tables of the hostile backend
 * (tests/plugins), then selects calls of the library, and what each slot that they need returns and writes.
 * Whatever that is, a call returns a status of the table, explains a failure, and ends.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/plugins/hostile/scene.h"

static struct scene scene;
static struct hostile_control *control;
static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards `answers`: the library's threads draw too */
static struct fuzz_input answers;

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    if (value == NULL)
        fuzz_fail("%s is not set: run by `make fuzz`", name);
    return value;
}

static void read_spirv(void)
{
    static uint8_t bytes[1 << 16];
    char path[4096];
    snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/spirv/arithmetic.spv", variable("top_srcdir"));
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fuzz_fail("%s cannot be read", path);
    scene.spirv       = bytes;
    scene.spirv_bytes = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char path[4096];
    (void)argc;
    (void)argv;
    snprintf(path, sizeof(path), "%s/tests/plugins/.libs/hostile.so", variable("top_builddir"));
    void *plugin = dlopen(path, RTLD_NOW);
    if (plugin == NULL)
        fuzz_fail("%s", dlerror());
    control = dlsym(plugin, HOSTILE_CONTROL_SYMBOL);
    setenv("TRIREME_BACKEND", path, 1);
    setenv("TRIREME_CACHE_DIR", "cache", 1);
    read_spirv();
    scene.control = control;
    scene.folder  = ".";
    return 0;
}

/* ---- what the input decides ------------------------------------------------------------------------ */

/* Mostly a status of the table, else any number. */
static int32_t draw_status(void)
{
    uint8_t kind = fuzz_take_byte(&answers);
    if (kind < 128)
        return -(int32_t)(kind % 22);
    return kind < 192 ? (int32_t)kind - 160 : (int32_t)fuzz_take_u32(&answers);
}

/* Behind the end of the input every slot does its work. Memory that pool.free() keeps would be lost. */
static void draw(enum hostile_slot slot, struct hostile_answer *answer)
{
    pthread_mutex_lock(&lock);
    uint8_t kind = slot != HOSTILE_POOL_FREE ? fuzz_take_byte(&answers) : 0;
    if (kind >= 192 && kind < 216)
        answer->status = draw_status();
    answer->writes_nothing = kind >= 216 && kind < 232;
    answer->lies           = kind >= 224;
    if (kind >= 232 && kind < 244)
        answer->number = fuzz_take_byte(&answers);
    else if (kind >= 244)
        answer->number = fuzz_take_u64(&answers);
    pthread_mutex_unlock(&lock);
}

/* One function of one table is missing, or the table says another size. */
static void damage_table(struct fuzz_input *input)
{
    void *const tables[] = {control->backend, control->device,  control->memory, control->stream,
                            control->module,  control->profile, control->pool,   control->peer,
                            control->graph,   control->interop, control->range,  control->image};
    unsigned char *table = tables[fuzz_take_below(input, sizeof(tables) / sizeof(tables[0]))];
    uint32_t size, other;
    memcpy(&size, table, sizeof(size));
    if (fuzz_take_byte(input) % 4 != 0) {
        if (size < 16)
            return;
        memset(table + 8 * (1 + fuzz_take_below(input, size / 8 - 1)), 0, 8);
        return;
    }
    other = fuzz_take_below(input, 256);
    memcpy(table, &other, sizeof(other)); /* the tables have fewer bytes than the largest of these */
    if (other > size)
        memcpy(table, &size, sizeof(size));
}

/* A name or version without an end, or of any letters. */
static void damage_text(struct fuzz_input *input)
{
    static char text[4096];
    memset(text, 'x', sizeof(text));
    uint32_t length = fuzz_take_below(input, 64);
    for (uint32_t i = 0; i < length; i++)
        text[i] = (char)fuzz_take_byte(input);
    if (fuzz_take_byte(input) % 2 == 0)
        control->backend->name = text;
    else
        control->backend->version = text;
}

static void damage(struct fuzz_input *input)
{
    for (uint8_t left = fuzz_take_byte(input) % 8; left > 4; left--)
        damage_table(input);
    if (fuzz_take_byte(input) % 16 == 15)
        damage_text(input);
    while (fuzz_take_byte(input) % 8 == 7)
        control->set_property(fuzz_take_below(input, 32), fuzz_take_u64(input) >> fuzz_take_below(input, 64));
}

/* ---- what must hold -------------------------------------------------------------------------------- */

static void check(const char *what, int32_t status)
{
    if (status > TRM_OK || strcmp(trm_status_name(status), "TRM_ERROR_UNKNOWN") == 0)
        fuzz_fail("%s: the program sees %d, which is no status", what, (int)status);
    if (status == TRM_OK)
        return;
    struct trm_error error = trm_last_error();
    if (error.status > TRM_OK || strcmp(trm_status_name(error.status), "TRM_ERROR_UNKNOWN") == 0)
        fuzz_fail("%s: the last error is %d, which is no status", what, (int)error.status);
    if (error.sentence[0] == '\0' || strlen(error.sentence) > 4096)
        fuzz_fail("%s: %s has no sentence", what, trm_status_name(status));
}

/* The input is halved: calls, and the answers to them. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input calls = {bytes, size / 2};
    control->reset();
    damage(&calls);
    answers        = (struct fuzz_input){bytes + size / 2, size - size / 2};
    control->draw  = draw;
    int32_t status = scene_open(&scene);
    check("opening", status);
    for (int left = 64; left > 0 && status == TRM_OK && !fuzz_is_empty(&calls); left--) {
        const struct use *use = &scene_uses[fuzz_take_below(&calls, (uint32_t)scene_use_count)];
        check(use->name, use->run(&scene));
    }
    scene_close(&scene);
    control->draw = NULL;

    struct scene fresh = {
        .control = control, .spirv = scene.spirv, .spirv_bytes = scene.spirv_bytes, .folder = "."};
    scene = fresh;
    return 0;
}
