/* Which files are shared objects of this machine. This program itself is one, to be spoiled.
 * SPDX-License-Identifier: MIT
 */
#include "core/plugin/elf_file.h"

#include <elf.h>
#include <stddef.h>

#include "base/error.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

/* The program headers and the file header fit in here, and nothing else is looked at. */
static _Alignas(8) unsigned char head[4096];
static uint64_t whole;

/* A file of full length that begins with `head`; the rest is a hole. */
static int32_t check_length(uint64_t length)
{
    folder_write_bytes("it.so", head, sizeof(head) < length ? sizeof(head) : (size_t)length);
    ck_assert_int_eq(truncate(folder_path("it.so"), (off_t)length), 0);
    return core_elf_check(folder_path("it.so"));
}

static void is_fine(void)
{
    ck_assert_msg(check_length(whole) == TRM_OK, "%s", trm_last_error().sentence);
}

static void is_refused(uint64_t length, const char *words)
{
    ck_assert_int_eq(check_length(length), TRM_ERROR_ABI);
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not in: %s", words,
                  trm_last_error().sentence);
}

static Elf64_Ehdr *header(void)
{
    return (Elf64_Ehdr *)(void *)head;
}

static void setup(void)
{
    struct stat facts;
    FILE *self = fopen("/proc/self/exe", "rb");
    folder_make();
    ck_assert_ptr_nonnull(self);
    ck_assert_uint_eq(fread(head, 1, sizeof(head), self), sizeof(head));
    ck_assert_int_eq(fstat(fileno(self), &facts), 0);
    whole = (uint64_t)facts.st_size;
    fclose(self);
    /* Also where programs are not position-independent. */
    header()->e_type = ET_DYN;
}

START_TEST(a_shared_object_is_taken)
{
    is_fine();
}
END_TEST

START_TEST(a_file_that_is_no_elf_file_is_refused)
{
    is_refused(0, "the file is empty");
    is_refused(10, "not an ELF file");
    head[EI_MAG1] = 'X';
    is_refused(whole, "not an ELF file");
}
END_TEST

START_TEST(a_file_that_is_cut_off_is_refused)
{
    is_refused(40, "the file is truncated: it has 40 bytes of at least 64");
    is_refused(sizeof(Elf64_Ehdr), "the file is truncated");
    is_refused(sizeof(head), "the file is truncated: it has 4096 bytes");
}
END_TEST

START_TEST(a_file_of_another_kind_of_machine_is_refused_naming_it)
{
    static const struct {
        Elf64_Half machine;
        const char *name;
    } machines[]    = {{EM_386, "32-bit x86"},     {EM_X86_64, "x86-64"},        {EM_ARM, "32-bit ARM"},
                       {EM_AARCH64, "64-bit ARM"}, {EM_RISCV, "RISC-V"},         {EM_PPC64, "64-bit POWER"},
                       {EM_S390, "s390"},          {EM_SPARCV9, "ELF number 43"}};
    Elf64_Half ours = header()->e_machine;
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        header()->e_machine = machines[i].machine;
        if (machines[i].machine != ours)
            is_refused(whole, machines[i].name);
    }
    header()->e_machine         = ours;
    header()->e_ident[EI_CLASS] = ELFCLASS32;
    is_refused(whole, "32-bit");
    header()->e_ident[EI_CLASS] = ELFCLASS64;
    header()->e_ident[EI_DATA] ^= 3;
    is_refused(whole, "byte order");
}
END_TEST

START_TEST(an_elf_file_of_another_kind_is_refused)
{
    header()->e_type = ET_REL;
    is_refused(whole, "not a shared object");
    header()->e_type  = ET_DYN;
    header()->e_phnum = 0;
    is_refused(whole, "not a shared object");
}
END_TEST

START_TEST(headers_that_make_no_sense_are_refused)
{
    uint64_t at         = header()->e_phoff;
    Elf64_Phdr *segment = (Elf64_Phdr *)(void *)(head + at);
    Elf64_Phdr kept     = *segment;
    segment->p_offset   = UINT64_MAX - 1;
    segment->p_filesz   = 10;
    is_refused(whole, "are invalid");
    *segment          = kept;
    header()->e_phoff = whole;
    is_refused(whole, "the file is truncated");
}
END_TEST

START_TEST(a_file_that_cannot_be_opened_is_not_found)
{
    ck_assert_int_eq(core_elf_check(folder_path("none.so")), TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(core_elf_check(folder), TRM_ERROR_NOT_FOUND);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("ELF files");
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, setup, folder_remove);
    tcase_add_test(files, a_shared_object_is_taken);
    tcase_add_test(files, a_file_that_is_no_elf_file_is_refused);
    tcase_add_test(files, a_file_that_is_cut_off_is_refused);
    tcase_add_test(files, a_file_of_another_kind_of_machine_is_refused_naming_it);
    tcase_add_test(files, an_elf_file_of_another_kind_is_refused);
    tcase_add_test(files, headers_that_make_no_sense_are_refused);
    tcase_add_test(files, a_file_that_cannot_be_opened_is_not_found);
    suite_add_tcase(suite, files);
    return suite;
}

UNIT_SUITE(make_suite)
