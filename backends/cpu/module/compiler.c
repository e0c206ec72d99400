/* cpu backend: finding the C compiler.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/module/compiler.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Not the PATH of the environment, which the program's caller controls. */
static const char *const folders[] = {"/usr/local/bin", "/usr/bin", "/bin"};

static int32_t fail_missing(struct trm_backend_instance *instance, const char *what, const char *name)
{
    return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "%s needs a C compiler (%s), which is not there: install gcc or clang, or build it "
                         "beforehand with \"trireme kc --target cpu\".",
                         what, name);
}

static bool is_program(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

static bool look_up(const char *name, char path[TRM_PATH_MOST])
{
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        int written = snprintf(path, TRM_PATH_MOST, "%s/%s", folders[i], name);
        if (written > 0 && (size_t)written < TRM_PATH_MOST && is_program(path))
            return true;
    }
    return false;
}

static void identify(struct cpu_compiler *compiler)
{
    struct stat facts = {.st_size = 0};
    (void)stat(compiler->path, &facts);
    snprintf(compiler->identity, sizeof(compiler->identity), "%lld bytes, %lld.%09ld, %llu:%llu",
             (long long)facts.st_size, (long long)facts.st_mtim.tv_sec, (long)facts.st_mtim.tv_nsec,
             (unsigned long long)facts.st_dev, (unsigned long long)facts.st_ino);
}

int32_t cpu_compiler_find(struct trm_backend_instance *instance, const char *what,
                          struct cpu_compiler *compiler)
{
    const struct trm_host *host = instance->host;
    char name[TRM_PATH_MOST]    = "cc";
    uint64_t needed             = 0;
    (void)host->get_setting(host->context, "cpu.compiler", name, sizeof(name), &needed);
    if (name[0] == '\0')
        memcpy(name, "cc", 3);
    if (strcmp(name, "none") == 0)
        return trm_util_fail(
            instance->host, TRM_ERROR_UNSUPPORTED, 0,
            "%s needs a C compiler, but the setting cpu.compiler is \"none\": build it beforehand "
            "with \"trireme kc --target cpu\".",
            what);
    if (name[0] != '/') {
        if (!look_up(name, compiler->path))
            return fail_missing(instance, what, name);
    } else {
        if (!is_program(name))
            return fail_missing(instance, what, name);
        memcpy(compiler->path, name, sizeof(compiler->path));
    }
    int32_t status = host->trust_file(host->context, compiler->path);
    if (status == TRM_OK)
        identify(compiler);
    return status;
}
