/* Checks that a file is a complete shared object for this machine.
 * SPDX-License-Identifier: MIT
 */
#include "core/plugin/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#elif defined(__riscv)
#define OUR_MACHINE EM_RISCV
#elif defined(__powerpc64__)
#define OUR_MACHINE EM_PPC64
#elif defined(__s390x__)
#define OUR_MACHINE EM_S390
#else
#define OUR_MACHINE EM_NONE /* unknown: not checked */
#endif

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OUR_ORDER ELFDATA2MSB
#else
#define OUR_ORDER ELFDATA2LSB
#endif

static const char *machine_name(uint16_t machine)
{
    switch (machine) {
    case EM_386:
        return "32-bit x86";
    case EM_X86_64:
        return "x86-64";
    case EM_ARM:
        return "32-bit ARM";
    case EM_AARCH64:
        return "64-bit ARM";
    case EM_RISCV:
        return "RISC-V";
    case EM_PPC64:
        return "64-bit POWER";
    case EM_S390:
        return "s390";
    default:
        return NULL;
    }
}

static int32_t fail(const char *sentence)
{
    return base_fail_static(TRM_ERROR_ABI, sentence);
}

static int32_t fail_truncated(uint64_t has, uint64_t needs)
{
    return base_fail(TRM_ERROR_ABI, "the file is truncated: it has %" PRIu64 " bytes of at least %" PRIu64,
                     has, needs);
}

static int32_t fail_machine(uint16_t machine)
{
    const char *name = machine_name(machine);
    if (name == NULL)
        return base_fail(TRM_ERROR_ABI, "it was built for another kind of machine (ELF number %u)", machine);
    return base_fail(TRM_ERROR_ABI, "it was built for another kind of machine (%s)", name);
}

static bool read_at(int file, void *to, size_t size, uint64_t offset)
{
    return pread(file, to, size, (off_t)offset) == (ssize_t)size;
}

static int32_t check_identity(const unsigned char *identity, uint64_t size)
{
    if (size == 0)
        return fail("the file is empty");
    if (size < EI_NIDENT || memcmp(identity, ELFMAG, SELFMAG) != 0)
        return fail("it is not a shared object (not an ELF file)");
    if (identity[EI_CLASS] != ELFCLASS64 || identity[EI_DATA] != OUR_ORDER)
        return fail("it was built for another kind of machine (32-bit, or the other byte order)");
    return TRM_OK;
}

static int32_t check_header(const Elf64_Ehdr *header, uint64_t size)
{
    if (size < sizeof(*header))
        return fail_truncated(size, sizeof(*header));
    if (OUR_MACHINE != EM_NONE && header->e_machine != OUR_MACHINE)
        return fail_machine(header->e_machine);
    if (header->e_type != ET_DYN || header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0)
        return fail("it is an ELF file, but not a shared object");
    return TRM_OK;
}

/* Checks that the file contains the segments of its program headers. */
static int32_t check_segments(int file, const Elf64_Ehdr *header, uint64_t size)
{
    for (uint16_t i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        uint64_t at = header->e_phoff + (uint64_t)i * sizeof(segment);
        uint64_t end;
        if (!read_at(file, &segment, sizeof(segment), at))
            return fail_truncated(size, at + sizeof(segment));
        if (__builtin_add_overflow(segment.p_offset, segment.p_filesz, &end))
            return fail("its program headers are invalid");
        if (segment.p_type == PT_LOAD && end > size)
            return fail_truncated(size, end);
    }
    return TRM_OK;
}

static int32_t check_open(int file)
{
    struct stat facts;
    Elf64_Ehdr header;
    memset(&header, 0, sizeof(header));
    if (fstat(file, &facts) != 0)
        return base_fail(TRM_ERROR_NOT_FOUND, "the file cannot be read: %m");
    uint64_t size = (uint64_t)facts.st_size;
    size_t wanted = size < sizeof(header) ? (size_t)size : sizeof(header);
    if (!read_at(file, &header, wanted, 0))
        return base_fail(TRM_ERROR_NOT_FOUND, "the file cannot be read: %m");
    int32_t status = check_identity(header.e_ident, size);
    if (status == TRM_OK)
        status = check_header(&header, size);
    if (status == TRM_OK)
        status = check_segments(file, &header, size);
    return status;
}

int32_t core_elf_check(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return base_fail(TRM_ERROR_NOT_FOUND, "the file cannot be opened: %m");
    int32_t status = check_open(file);
    close(file);
    return status;
}
