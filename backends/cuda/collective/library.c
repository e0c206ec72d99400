/* cuda backend: opens NCCL at run time.
 * SPDX-License-Identifier: MIT
 */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define USUAL_NAME "libnccl.so.2"

struct entry {
    const char *name;
    size_t offset;
};

#define ENTRY(name, parameters) {#name, offsetof(struct cuda_nccl, name)},
static const struct entry entries[] = {
    CUDA_NCCL_FUNCTIONS(ENTRY){"ncclGetErrorString", offsetof(struct cuda_nccl, ncclGetErrorString)}};
#undef ENTRY

/* ---- the library ----------------------------------------------------------------------------- */

static void note(struct cuda_nccl *nccl, int32_t status, const char *path, const char *why)
{
    nccl->status = status;
    snprintf(nccl->reason, sizeof(nccl->reason), "%.200s %.400s.", path, why);
}

/* The name of the first function that is missing; NULL when all are there. */
static const char *fill(struct cuda_nccl *nccl)
{
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        void *symbol = dlsym(nccl->library, entries[i].name);
        if (symbol == NULL)
            return entries[i].name;
        memcpy((unsigned char *)nccl + entries[i].offset, &symbol, sizeof(symbol));
    }
    return NULL;
}

static void check_version(struct cuda_nccl *nccl, const char *path)
{
    char why[128];
    if (nccl->ncclGetVersion(&nccl->version) != CUDA_NCCL_SUCCESS) {
        note(nccl, TRM_ERROR_UNSUPPORTED, path, "does not tell the version of NCCL");
        return;
    }
    int major = nccl->version / 10000, minor = nccl->version / 100 % 100, patch = nccl->version % 100;
    snprintf(nccl->name, sizeof(nccl->name), "NCCL %d.%d.%d", major, minor, patch);
    if (nccl->version >= CUDA_NCCL_OLDEST && nccl->version < CUDA_NCCL_NEXT_MAJOR)
        return;
    snprintf(why, sizeof(why), "is %s, but a version from 2.18 to before 3 is needed", nccl->name);
    note(nccl, TRM_ERROR_UNSUPPORTED, path, why);
}

static void open_library(const struct trm_host *host, struct cuda_nccl *nccl, const char *path)
{
    char why[128];
    if (strchr(path, '/') != NULL) {
        nccl->status = host->trust_file(host->context, path);
        if (nccl->status != TRM_OK) {
            note(nccl, nccl->status, path, "is not opened: others may write it, or there is no such file");
            return;
        }
    }
    nccl->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (nccl->library == NULL) {
        const char *words = dlerror();
        snprintf(why, sizeof(why), "cannot be opened: %.100s", words != NULL ? words : "unknown reason");
        note(nccl, TRM_ERROR_UNSUPPORTED, path, why);
        return;
    }
    const char *missing = fill(nccl);
    if (missing != NULL) {
        snprintf(why, sizeof(why), "is not NCCL: it has no function %s", missing);
        note(nccl, TRM_ERROR_UNSUPPORTED, path, why);
        return;
    }
    check_version(nccl, path);
}

/* ---- the instance's -------------------------------------------------------------------------- */

static void nccl_close(struct trm_backend_instance *instance)
{
    struct cuda_nccl *nccl = instance->nccl;
    while (nccl->failures != NULL) {
        struct cuda_outcome *outcome = nccl->failures;
        nccl->failures               = outcome->next;
        trm_util_release(instance->host, outcome, sizeof(*outcome));
    }
    if (nccl->library != NULL)
        dlclose(nccl->library);
    pthread_mutex_destroy(&nccl->lock);
    trm_util_release(instance->host, nccl->lanes, instance->physical_count * sizeof(*nccl->lanes));
    trm_util_release(instance->host, nccl, sizeof(*nccl));
    instance->nccl = NULL;
}

static struct cuda_nccl *nccl_create(struct trm_backend_instance *instance)
{
    char path[TRM_PATH_MOST];
    const struct trm_host *host = instance->host;
    uint64_t needed             = 0;
    struct cuda_nccl *nccl      = trm_util_allocate(host, sizeof(*nccl));
    if (nccl == NULL)
        return NULL;
    nccl->lanes = trm_util_allocate(host, instance->physical_count * sizeof(*nccl->lanes));
    if (nccl->lanes == NULL) {
        trm_util_release(host, nccl, sizeof(*nccl));
        return NULL;
    }
    pthread_mutex_init(&nccl->lock, NULL);
    int32_t status = host->get_setting(host->context, "cuda.nccl", path, sizeof(path), &needed);
    if (status != TRM_OK || path[0] == '\0')
        snprintf(path, sizeof(path), USUAL_NAME);
    if (strcmp(path, "none") == 0)
        note(nccl, TRM_ERROR_UNSUPPORTED, "NCCL", "is not used: the setting cuda.nccl is none");
    else
        open_library(host, nccl, path);
    return nccl;
}

int32_t cuda_nccl_get(struct trm_backend_instance *instance, struct cuda_nccl **nccl)
{
    pthread_mutex_lock(&instance->nccl_lock);
    if (instance->nccl == NULL)
        instance->nccl = nccl_create(instance);
    instance->nccl_close    = nccl_close;
    struct cuda_nccl *found = instance->nccl;
    pthread_mutex_unlock(&instance->nccl_lock);
    if (found == NULL)
        return trm_util_fail_host_memory(instance->host, "NCCL");
    if (found->status != TRM_OK)
        return trm_util_fail(instance->host, found->status, 0, "%s", found->reason);
    *nccl = found;
    return TRM_OK;
}
