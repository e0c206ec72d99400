/* Modules and the functions in them.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/standin/object.h"
#include "tests/standin/standin.h"

#define STATIC_SHARED_BYTES (48 * 1024)

/* ---- images */

/* What keeps an image from being loaded. Nothing says how long it is but itself. */
static CUresult check_image(const unsigned char *image)
{
    Elf64_Ehdr header;

    if (image[0] != ELFMAG0)
        return image[0] == '.' || image[0] == '/' ? CUDA_ERROR_NO_BINARY_FOR_GPU /* PTX */
                                                  : CUDA_ERROR_INVALID_IMAGE;
    if (strncmp((const char *)image, ELFMAG, SELFMAG) != 0)
        return CUDA_ERROR_INVALID_IMAGE;
    memcpy(&header, image, sizeof(header));
    if (memcmp(&header.e_ident[EI_PAD], STANDIN_MARK, sizeof(STANDIN_MARK)) != 0)
        return header.e_machine == STANDIN_MACHINE_CUDA ? CUDA_ERROR_NO_BINARY_FOR_GPU
                                                        : CUDA_ERROR_INVALID_IMAGE;
    /* A cubin is for the same major version, and not for a younger minor one; PTX for all that are not
     * younger. */
    int major = (int)(header.e_flags & 255) / 10, minor = (int)(header.e_flags & 255) % 10;
    if (header.e_flags & STANDIN_IS_PTX)
        return 10 * major + minor <= 10 * standin_config.major + standin_config.minor
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_PTX;
    return major == standin_config.major && minor <= standin_config.minor ? CUDA_SUCCESS
                                                                          : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static bool write_all(int file, const unsigned char *bytes, size_t size)
{
    while (size != 0) {
        ssize_t written = write(file, bytes, size);
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* The dynamic linker opens a path only once, but descriptors are reused. So each image gets another path to
 * its descriptor, which spells a counter in "/" and "./". */
static void spell_path(char *path, size_t capacity, int file)
{
    static uint32_t count;
    size_t length = (size_t)snprintf(path, capacity, "/proc/self/fd/");

    for (uint32_t bits = ++count; bits != 0; bits >>= 1)
        length += (size_t)snprintf(path + length, capacity - length, "%s", bits & 1 ? "./" : "/");
    snprintf(path + length, capacity - length, "%d", file);
}

static size_t image_bytes(const unsigned char *image)
{
    Elf64_Ehdr header;

    memcpy(&header, image, sizeof(header));
    return header.e_shoff + (size_t)header.e_shentsize * header.e_shnum;
}

/* Opens the image as a shared object for the CPU; NULL if that fails. */
static void *open_image(const unsigned char *image)
{
    size_t size = image_bytes(image);
    Elf64_Ehdr header;
    char path[128];
    void *library = NULL;
    int file      = memfd_create("cuda-stand-in", MFD_CLOEXEC);

    if (file < 0)
        return NULL;
    memcpy(&header, image, sizeof(header));
    memset(&header.e_ident[EI_PAD], 0, EI_NIDENT - EI_PAD);
    header.e_machine = STANDIN_MACHINE_CPU;
    header.e_flags   = 0;
    if (write_all(file, (const unsigned char *)&header, sizeof(header)) &&
        write_all(file, image + sizeof(header), size - sizeof(header))) {
        spell_path(path, sizeof(path), file);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    close(file);
    return library;
}

/* The bytes of the variables in a function that are not constants: its shared memory. */
static uint32_t shared_bytes_of(const unsigned char *image, const char *function)
{
    char prefix[512];
    const Elf64_Ehdr *header   = (const Elf64_Ehdr *)image;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + header->e_shoff);
    uint64_t sum               = 0;
    int length                 = snprintf(prefix, sizeof(prefix), "_ZZ%zu%sE", strlen(function), function);

    for (int i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(image + sections[i].sh_offset);
        const char *names        = (const char *)image + sections[sections[i].sh_link].sh_offset;
        for (uint64_t j = 0; j < sections[i].sh_size / sizeof(*symbols); j++)
            if (strncmp(names + symbols[j].st_name, prefix, (size_t)length) == 0 &&
                symbols[j].st_shndx < header->e_shnum && sections[symbols[j].st_shndx].sh_type == SHT_NOBITS)
                sum += symbols[j].st_size;
    }
    return (uint32_t)sum;
}

/* ---- copies */

static bool open_copy(const struct module *module, struct module_copy *copy)
{
    copy->library = open_image(module->image);
    copy->code    = copy->library != NULL ? dlsym(copy->library, STANDIN_OBJECT_SYMBOL) : NULL;
    if (copy->code != NULL)
        *copy->code->runtime = fiber_runtime();
    return copy->code != NULL;
}

bool module_copy(struct module *module, uint32_t count)
{
    if (count <= module->copy_count)
        return true;
    struct module_copy *copies = realloc(module->copies, count * sizeof(*copies));
    if (copies == NULL)
        return false;
    module->copies = copies;
    while (module->copy_count < count && open_copy(module, &copies[module->copy_count]))
        module->copy_count++;
    return module->copy_count == count;
}

/* ---- modules */

void module_drop(struct module *module)
{
    if (--module->references != 0)
        return;
    dlclose(module->library);
    for (uint32_t i = 0; i < module->copy_count; i++)
        dlclose(module->copies[i].library);
    free(module->copies);
    free(module->image);
    pthread_mutex_destroy(&module->mutex);
    free(module->functions);
    free(module);
}

CUresult module_destroy(struct module *module)
{
    CUresult sticky = module->object.context->sticky;

    for (unsigned int i = 0; i < module->code->kernel_count; i++)
        object_end(&module->functions[i].object);
    object_end(&module->object);
    module_drop(module);
    return sticky;
}

static struct module *module_create(struct context *context, void *library, const unsigned char *image)
{
    const struct standin_object *code = dlsym(library, STANDIN_OBJECT_SYMBOL);

    if (code == NULL || code->size != sizeof(*code))
        return NULL;
    struct module *module      = calloc(1, sizeof(*module));
    struct function *functions = calloc(code->kernel_count + 1, sizeof(*functions));
    unsigned char *copy        = malloc(image_bytes(image));
    if (module == NULL || functions == NULL || copy == NULL) {
        free(module);
        free(functions);
        free(copy);
        return NULL;
    }
    module->image      = memcpy(copy, image, image_bytes(image));
    module->library    = library;
    module->code       = code;
    module->functions  = functions;
    module->references = 1;
    *code->runtime     = fiber_runtime();
    pthread_mutex_init(&module->mutex, NULL);
    object_begin(&module->object, OBJECT_MODULE, context);
    for (unsigned int i = 0; i < code->kernel_count; i++) {
        functions[i].module       = module;
        functions[i].kernel       = &code->kernels[i];
        functions[i].shared_bytes = shared_bytes_of(image, code->kernels[i].name);
        functions[i].dynamic_most = STATIC_SHARED_BYTES;
        object_begin(&functions[i].object, OBJECT_FUNCTION, context);
    }
    return module;
}

static CUresult load(enum standin_function function, CUmodule *module, const void *image)
{
    struct context *context;
    CUresult result = enter_working(function, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (module == NULL || image == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    result = check_image(image);
    if (result != CUDA_SUCCESS)
        return leave(result);
    void *library = open_image(image);
    if (library == NULL)
        return leave(CUDA_ERROR_INVALID_IMAGE);
    struct module *made = module_create(context, library, image);
    if (made == NULL) {
        dlclose(library);
        return leave(CUDA_ERROR_INVALID_IMAGE);
    }
    *module = object_handle(&made->object);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuModuleLoadData(CUmodule *module, const void *image)
{
    return load(STANDIN_cuModuleLoadData, module, image);
}

/* Logs of the compiler are empty: there is nothing that it compiles. */
static void empty_logs(unsigned int count, const CUjit_option *options, void **values)
{
    char *logs[2]  = {NULL, NULL};
    size_t size[2] = {0, 0};

    for (unsigned int i = 0; i < count; i++) {
        int number =
            options[i] == CU_JIT_ERROR_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER || options[i] == CU_JIT_INFO_LOG_BUFFER)
            logs[number] = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES ||
            options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) {
            size[number] = (size_t)(uintptr_t)values[i];
            values[i]    = NULL; /* so many bytes were written */
        }
    }
    for (int i = 0; i < 2; i++)
        if (logs[i] != NULL && size[i] != 0)
            logs[i][0] = '\0';
}

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                                    CUjit_option *options, void **optionValues)
{
    if (numOptions != 0 && options != NULL && optionValues != NULL)
        empty_logs(numOptions, options, optionValues);
    return load(STANDIN_cuModuleLoadDataEx, module, image);
}

/* Begins a call about a module. */
static CUresult enter_module(enum standin_function function, CUmodule handle, struct module **module)
{
    struct context *context;
    CUresult result = enter_working(function, &context);

    if (result != CUDA_SUCCESS)
        return result;
    *module = object_find(OBJECT_MODULE, handle);
    return *module == NULL ? leave(CUDA_ERROR_INVALID_HANDLE) : CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleUnload(CUmodule hmod)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuModuleUnload, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct module *module = object_find(OBJECT_MODULE, hmod);
    if (module == NULL)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    context_drain(module->object.context);
    return leave(module_destroy(module));
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    struct module *module;
    CUresult result = enter_module(STANDIN_cuModuleGetFunction, hmod, &module);

    if (result != CUDA_SUCCESS)
        return result;
    if (hfunc == NULL || name == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    for (unsigned int i = 0; i < module->code->kernel_count; i++) {
        if (strcmp(module->code->kernels[i].name, name) != 0)
            continue;
        *hfunc = object_handle(&module->functions[i].object);
        return leave(CUDA_SUCCESS);
    }
    return leave(CUDA_ERROR_NOT_FOUND);
}

CUresult CUDAAPI cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
    struct module *module;
    CUresult result = enter_module(STANDIN_cuModuleGetFunctionCount, mod, &module);

    if (result != CUDA_SUCCESS)
        return result;
    if (count == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *count = module->code->kernel_count;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod)
{
    struct module *module;
    CUresult result = enter_module(STANDIN_cuModuleEnumerateFunctions, mod, &module);

    if (result != CUDA_SUCCESS)
        return result;
    if (functions == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    for (unsigned int i = 0; i < numFunctions && i < module->code->kernel_count; i++)
        functions[i] = object_handle(&module->functions[i].object);
    return leave(CUDA_SUCCESS);
}
