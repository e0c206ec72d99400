/* Trireme: `trireme check` looks at the cache of compiled kernels and at the compiler of GLSL.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/check.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- the cache ---- */

enum {
    PATH_MOST  = 4096,
    CACHE_ROOM = 16 << 20, /* bytes of the disk that a few kernels need */
};

static int32_t pass(void *user, const struct trm_stream_model *model)
{
    (void)user;
    (void)model;
    return TRM_OK;
}

/* The folder, as the setting kernel.cache describes it. Returns false if there is none. */
static bool cache_folder(struct trm_context *context, char folder[PATH_MOST])
{
    const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME");

    trm_context_setting(context, "kernel.cache", folder, PATH_MOST, NULL, NULL);
    if (*folder)
        return true;
    if (cache && *cache == '/')
        snprintf(folder, PATH_MOST, "%s/trireme", cache);
    else if (home && *home == '/')
        snprintf(folder, PATH_MOST, "%s/.cache/trireme", home);
    return *folder != '\0';
}

/* Cuts a path to the first folder above it that exists. */
static void cut_to_existing(char *path)
{
    char *slash;

    while (access(path, F_OK) != 0 && (slash = strrchr(path, '/')) != NULL && slash != path)
        *slash = '\0';
}

static void examine_folder(struct report *report, const char *folder)
{
    const char *remedy = "Make it writable for yourself, or set TRIREME_KERNEL_CACHE to a folder that is. "
                         "Until then kernels are compiled in every run.";
    char existing[PATH_MOST];
    struct statvfs disk;

    snprintf(existing, sizeof(existing), "%s", folder);
    cut_to_existing(existing);
    if (access(existing, W_OK | X_OK) != 0)
        report_add(report, FINDING_WARNING, "", remedy, "%s cannot be written", existing);
    else if (statvfs(existing, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < CACHE_ROOM)
        report_add(report, FINDING_WARNING, "", "Make room on the disk.", "the disk of %s is full", existing);
    else
        report_add(report, FINDING_OK, "", NULL, "%s can be written, and by no other user%s", folder,
                   strcmp(folder, existing) == 0 ? "" : "; it is made when it is needed");
}

static void check_cache(struct report *report, struct trm_context *context)
{
    char folder[PATH_MOST] = "";
    int32_t status;

    report->subject = "cache";
    report_begin(report, "looking at the cache");
    if (!cache_folder(context, folder)) {
        report_add(report, FINDING_WARNING, "", "Set HOME, XDG_CACHE_HOME or TRIREME_KERNEL_CACHE.",
                   "there is no folder for it, so kernels are compiled in every run");
        return;
    }
    if (strcmp(folder, "none") == 0) {
        report_add(report, FINDING_ABSENT, "", NULL, "the setting kernel.cache turns it off");
        return;
    }
    /* Only the library knows whether it trusts the folder; the listing itself does not matter. */
    report->ignores_log = true;
    status              = trm_stream_model_list(context, pass, NULL);
    report->ignores_log = false;
    if (status == TRM_ERROR_PERMISSION)
        report_add(report, FINDING_WARNING, "",
                   "Take the permission to write away from other users (chmod go-w), or set "
                   "TRIREME_KERNEL_CACHE to another folder. Until then kernels are compiled in every run.",
                   "not used: %s", trm_last_error().sentence);
    else if (status != TRM_OK)
        report_failure(report, "", folder);
    else
        examine_folder(report, folder);
}

/* ---- GLSL ---- */

static const char glsl_text[] = "#version 450\n"
                                "layout(local_size_x = 64) in;\n"
                                "layout(std430, binding = 0) buffer X { float x[]; };\n"
                                "layout(push_constant) uniform P { uint n; float a; };\n"
                                "void main()\n"
                                "{\n"
                                "    uint i = gl_GlobalInvocationID.x;\n"
                                "    if (i < n)\n"
                                "        x[i] *= a;\n"
                                "}\n";

static void judge_shader(struct report *report, struct trm_shader *shader)
{
    struct trm_kernel_info info = {.struct_size = sizeof(info)};

    if (trm_shader_kernel(shader, 0, &info) != TRM_OK)
        report_failure(report, "", "the compiled kernel cannot be reflected");
    else if (info.parameter_count != 3)
        report_add(report, FINDING_FAILED, "", "Install another version of glslc.",
                   "the compiled kernel has %u parameters instead of 3", info.parameter_count);
    else
        report_add(report, FINDING_OK, "", NULL, "a kernel in GLSL was compiled to SPIR-V");
}

static void check_glsl(struct report *report, struct trm_context *context)
{
    struct trm_shader_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_GLSL,
                                   .data        = glsl_text,
                                   .size        = sizeof(glsl_text) - 1,
                                   .name        = "scale"};
    struct trm_shader *shader;
    int32_t status;

    report->subject = "GLSL";
    report_begin(report, "compiling GLSL");
    status = trm_shader_create(context, &desc, &shader);
    if (status == TRM_OK) {
        judge_shader(report, shader);
        trm_shader_destroy(shader);
    } else if (status == TRM_ERROR_UNSUPPORTED) {
        report_add(report, FINDING_ABSENT, "",
                   "Install glslc (Debian: apt install glslc). Kernels in SPIR-V and built-in ones need no "
                   "compiler of GLSL.",
                   "%s", trm_last_error().sentence);
    } else {
        report_failure(report, "", "a simple kernel in GLSL cannot be compiled");
    }
}

void check_machine_job(struct report *report, void *user)
{
    const struct check *check = user;
    struct trm_context *context;

    if (check_context(check, report, NULL, 0, &context) != TRM_OK)
        return;
    check_cache(report, context);
    check_glsl(report, context);
    trm_context_destroy(context);
}
