/* Memory that other processes open by handles. The first request for a handle replaces the allocation's pages
 * by a file in memory at the same address. The handle names the process and the file; a process that opens it
 * maps the file through /proc.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/standin/standin.h"

#define MAGIC UINT64_C(0x706974656e69682d)

/* What is in a handle. */
struct content {
    uint64_t magic, inode, size, mapped;
    int32_t process, file, device, reserved; /* no padding: it is compared */
};

_Static_assert(sizeof(struct content) <= sizeof(CUipcMemHandle), "a handle has room for it");

/* What a process has opened, as often as `references` says. */
struct opening {
    struct content content;
    struct context *context;
    uint64_t address;
    uint32_t references;
    struct opening *next;
};

static struct opening *openings;

static void *pointer_of(uint64_t address)
{
    return (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

/* ---- handles out */

/* The same memory as a file; nothing uses it. -1: that cannot be. */
static int move_to_file(const struct span *span)
{
    int file = memfd_create("cuda-stand-in-ipc", MFD_CLOEXEC);

    if (file < 0)
        return -1;
    if (ftruncate(file, (off_t)span->mapped) != 0)
        goto close_file;
    void *copy = mmap(NULL, span->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (copy == MAP_FAILED)
        goto close_file;
    memcpy(copy, pointer_of(span->address), span->mapped);
    munmap(copy, span->mapped);
    if (mmap(pointer_of(span->address), span->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             0) != MAP_FAILED)
        return file;

close_file:
    close(file);
    return -1;
}

/* Anywhere in an allocation: the handle is that of all of it. */
CUresult CUDAAPI cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
    struct context *context;
    struct stat about;
    CUresult result = enter_working(STANDIN_cuIpcGetMemHandle, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct span *span = span_find(dptr, 1);
    if (pHandle == NULL || span == NULL || span->kind != SPAN_DEVICE)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (!span->is_file) {
        context_drain(span->context);
        if (span_find(dptr, 1) != span)
            return leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (!span->is_file) {
        span->file    = move_to_file(span);
        span->is_file = span->file >= 0;
    }
    if (!span->is_file || fstat(span->file, &about) != 0)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    const struct content content = {.magic   = MAGIC,
                                    .inode   = about.st_ino,
                                    .size    = span->size,
                                    .mapped  = span->mapped,
                                    .process = getpid(),
                                    .file    = span->file,
                                    .device  = span->device->ordinal};
    memset(pHandle, 0, sizeof(*pHandle));
    memcpy(pHandle, &content, sizeof(content));
    return leave(CUDA_SUCCESS);
}

/* ---- handles in */

/* The mapped file of another process; MAP_FAILED: it is not there any more. */
static void *map_file(const struct content *content)
{
    char path[64];
    struct stat about;
    void *place = MAP_FAILED;

    snprintf(path, sizeof(path), "/proc/%d/fd/%d", content->process, content->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return MAP_FAILED;
    if (fstat(file, &about) == 0 && about.st_ino == content->inode &&
        (uint64_t)about.st_size == content->mapped)
        place = mmap(NULL, content->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return place;
}

static CUresult open_file(const struct content *content, struct context *context, CUdeviceptr *address)
{
    struct opening *opening = calloc(1, sizeof(*opening));

    if (opening == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    void *place = map_file(content);
    if (place == MAP_FAILED) {
        free(opening);
        return CUDA_ERROR_MAP_FAILED;
    }
    struct span span = {.address = (uint64_t)(uintptr_t)place,
                        .size    = content->size,
                        .kind    = SPAN_OPENED,
                        .context = context,
                        .device  = context->device,
                        .mapped  = content->mapped};
    if (!span_add(&span, NULL)) {
        munmap(place, content->mapped);
        free(opening);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *opening = (struct opening){
        .content = *content, .context = context, .address = span.address, .references = 1, .next = openings};
    openings = opening;
    *address = span.address;
    return CUDA_SUCCESS;
}

/* One context of each device may open what a device of another process has. */
static bool is_of_another(const struct opening *opening, const struct content *content,
                          const struct context *context)
{
    return opening->content.process == content->process && opening->content.device == content->device &&
           opening->context != context && opening->context->device == context->device;
}

CUresult CUDAAPI cuIpcOpenMemHandle(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    struct context *context;
    struct content content;
    CUresult result = enter_working(STANDIN_cuIpcOpenMemHandle_v2, &context);

    if (result != CUDA_SUCCESS)
        return result;
    memcpy(&content, &handle, sizeof(content));
    if (pdptr == NULL || Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS || content.magic != MAGIC ||
        device_of(content.device) == NULL || content.size == 0 || content.size > content.mapped)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (content.process == getpid())
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    if (content.device != context->device->ordinal && !standin_config.peers)
        return leave(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    for (struct opening *opening = openings; opening != NULL; opening = opening->next) {
        if (is_of_another(opening, &content, context))
            return leave(CUDA_ERROR_INVALID_CONTEXT);
        if (opening->context == context && memcmp(&opening->content, &content, sizeof(content)) == 0) {
            opening->references++;
            *pdptr = opening->address;
            return leave(CUDA_SUCCESS);
        }
    }
    return leave(open_file(&content, context, pdptr));
}

static struct opening **find_opening(uint64_t address)
{
    struct opening **link = &openings;

    while (*link != NULL && (*link)->address != address)
        link = &(*link)->next;
    return link;
}

CUresult CUDAAPI cuIpcCloseMemHandle(CUdeviceptr dptr)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuIpcCloseMemHandle, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct opening *opening = *find_opening(dptr);
    if (opening == NULL) {
        standin_breach("cuIpcCloseMemHandle of what no handle has opened");
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    context = opening->context;
    if (--opening->references == 0) {
        context_drain(context);
        memory_end_span(span_at(dptr));
    }
    return leave(context->sticky);
}

/* ---- the end of spans */

void ipc_end(struct span *span)
{
    struct opening **link   = find_opening(span->address);
    struct opening *opening = *link;

    munmap(pointer_of(span->address), span->mapped);
    *link = opening->next;
    free(opening);
}
