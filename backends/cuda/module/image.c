/* cuda backend: loads code into the driver.
 * SPDX-License-Identifier: MIT
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "module.h"

#define LOG_BYTES 4096
#define FAT_MAGIC 0xba55ed50u

/* ---- is it whole? ---------------------------------------------------------------------------- */

/* The header of a fat binary, which `size` bytes follow. */
struct fat_header {
    uint32_t magic;
    uint16_t version, header_size;
    uint64_t size;
};

static bool is_inside(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

static bool is_whole_elf(const unsigned char *bytes, uint64_t size)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    if (size < sizeof(header))
        return false;
    memcpy(&header, bytes, sizeof(header));
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(section) ||
        !is_inside(header.e_shoff, (uint64_t)header.e_shnum * sizeof(section), size) ||
        !is_inside(header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr), size))
        return false;
    for (uint32_t i = 0; i < header.e_shnum; i++) {
        memcpy(&section, bytes + header.e_shoff + i * sizeof(section), sizeof(section));
        if (section.sh_type != SHT_NOBITS && !is_inside(section.sh_offset, section.sh_size, size))
            return false;
    }
    return true;
}

bool cuda_image_is_whole(const void *bytes, uint64_t size)
{
    struct fat_header fat;
    if (size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0)
        return is_whole_elf(bytes, size);
    if (size < sizeof(fat.magic))
        return true;
    memcpy(&fat.magic, bytes, sizeof(fat.magic));
    if (fat.magic != FAT_MAGIC)
        return true;
    if (size < sizeof(fat))
        return false;
    memcpy(&fat, bytes, sizeof(fat));
    return fat.header_size >= sizeof(fat) && is_inside(fat.header_size, fat.size, size);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Whether the error is about the image and not about the device. */
static bool is_refusal(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_INVALID_SOURCE:
        return true;
    default:
        return false;
    }
}

static int32_t fail_refused(const struct trm_backend_module *module, CUresult result, const char *log)
{
    const struct trm_backend_instance *instance = module->device->instance;
    const struct cuda_physical *physical        = module->device->physical;
    const char *code                            = cuda_result_name(instance, result);
    int length                                  = (int)strcspn(log, "\n");
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU)
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, result,
                             "Module '%.80s' has no code for device %.80s, which is sm_%d%d (%s).",
                             module->name, physical->name, physical->major, physical->minor, code);
    if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION || result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND ||
        result == CUDA_ERROR_JIT_COMPILATION_DISABLED)
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, result,
                             "The driver (CUDA %d.%d) does not compile the PTX of module '%.80s' (%s).",
                             instance->driver_version / 1000, instance->driver_version % 1000 / 10,
                             module->name, code);
    return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, result,
                         "Module '%.80s' is not valid: the driver does not load it (%s)%s%.*s", module->name,
                         code, length != 0 ? ": " : "", length < 400 ? length : 400, log);
}

int32_t cuda_image_load(struct trm_backend_module *module, const void *bytes, bool *is_refused)
{
    struct trm_backend_device *device = module->device;
    char log[LOG_BYTES]               = "";
    CUjit_option options[]            = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[]                    = {log, (void *)(uintptr_t)sizeof(log)};
    CUcontext previous;
    *is_refused    = false;
    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    CUmodule handle = NULL;
    cuda_quiet_begin(device);
    CUresult result = device->cuda->cuModuleLoadDataEx(&handle, bytes, 2, options, values);
    cuda_quiet_end(device);
    cuda_leave(device, previous);
    if (result == CUDA_SUCCESS) {
        module->handle = handle;
        return TRM_OK;
    }
    log[sizeof(log) - 1] = '\0';
    *is_refused          = is_refusal(result);
    return *is_refused ? fail_refused(module, result, log)
                       : cuda_device_fail(device, result, "cuModuleLoadDataEx");
}
