/* Invalid plugins: each is refused with the reason, and the plugin beside it still works.
 * SPDX-License-Identifier: MIT
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nest.h"

/* A context that finds the plugin in question beside the template backend, which must work whatever the other
 * does. */
static struct trm_context *with_a_neighbour(void)
{
    nest_add_module("backends/template/template");
    return nest_context(nest_folder(), NULL);
}

static void is_refused(const char *file, int32_t stage, const char *words)
{
    struct trm_context *context = with_a_neighbour();

    nest_refused(context, file, stage, words);
    nest_accepted(context, "template.so");
    nest_device_works(context, "template:0");
    trm_context_destroy(context);
}

static void module_is_refused(const char *name, int32_t stage, const char *words)
{
    char module[64], file[64];

    snprintf(module, sizeof(module), "tests/plugins/%s", name);
    snprintf(file, sizeof(file), "%s.so", name);
    nest_add_module(module);
    is_refused(file, stage, words);
}

static void module_is_accepted(const char *name)
{
    struct trm_context *context;
    char module[64], file[64], id[64];

    snprintf(module, sizeof(module), "tests/plugins/%s", name);
    snprintf(file, sizeof(file), "%s.so", name);
    snprintf(id, sizeof(id), "%s:0", name);
    nest_add_module(module);
    context = with_a_neighbour();
    nest_accepted(context, file);
    nest_device_works(context, id);
    nest_device_works(context, "template:0");
    trm_context_destroy(context);
}

/* All of the healthy plugin, to be spoiled by the caller. */
static unsigned char *healthy_bytes(size_t *size)
{
    FILE *file = fopen(nest_module("tests/plugins/healthy"), "rb");
    unsigned char *bytes;

    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*size);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* ---- files ------------------------------------------------------------------------------------------ */

START_TEST(a_healthy_plugin_is_accepted)
{
    module_is_accepted("healthy");
}
END_TEST

START_TEST(a_path_to_no_file_says_so_and_another_context_works)
{
    struct trm_context *context = nest_context(nest_folder(), nest_path("missing.so"));
    struct trm_device *device   = NULL;

    ck_assert_int_ne(trm_device_open(context, NULL, &device), TRM_OK);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "missing.so"));
    nest_refused(context, "missing.so", TRM_CANDIDATE_FOUND, "");
    trm_context_destroy(context);

    context = with_a_neighbour();
    nest_device_works(context, "template:0");
    trm_context_destroy(context);
}
END_TEST

START_TEST(a_link_that_leads_nowhere_is_refused)
{
    ck_assert_int_eq(symlink(nest_path("missing.so"), nest_path("dangling.so")), 0);
    is_refused("dangling.so", TRM_CANDIDATE_FOUND, "");
}
END_TEST

START_TEST(an_empty_file_is_refused)
{
    nest_write("empty.so", "", 0);
    is_refused("empty.so", TRM_CANDIDATE_FILE, "");
}
END_TEST

START_TEST(a_text_file_is_refused)
{
    static const char text[] = "This is not a shared object, however long one reads on in it.\n";

    nest_write("text.so", text, sizeof(text) - 1);
    is_refused("text.so", TRM_CANDIDATE_FILE, "");
}
END_TEST

START_TEST(a_file_cut_off_in_its_header_is_refused)
{
    size_t size;
    unsigned char *bytes = healthy_bytes(&size);

    nest_write("cut.so", bytes, 40);
    is_refused("cut.so", TRM_CANDIDATE_FILE, "");
    free(bytes);
}
END_TEST

START_TEST(a_file_cut_off_in_its_code_is_refused)
{
    size_t size;
    unsigned char *bytes = healthy_bytes(&size);

    nest_write("cut.so", bytes, 4096);
    is_refused("cut.so", TRM_CANDIDATE_FILE, "");
    free(bytes);
}
END_TEST

START_TEST(a_plugin_for_another_architecture_is_refused)
{
    size_t size;
    unsigned char *bytes = healthy_bytes(&size);
    Elf64_Half machine   = EM_S390;

    memcpy(bytes + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof(machine));
    nest_write("foreign.so", bytes, size);
    is_refused("foreign.so", TRM_CANDIDATE_FILE, "");
    free(bytes);
}
END_TEST

/* ---- the query -------------------------------------------------------------------------------------- */

START_TEST(a_shared_object_without_the_query_is_refused)
{
    module_is_refused("no-symbol", TRM_CANDIDATE_LOADED, "trm_backend_query_v1");
}
END_TEST

START_TEST(a_plugin_of_another_major_version_is_refused)
{
    module_is_refused("wrong-major", TRM_CANDIDATE_LOADED, "version 2 of the plugin ABI");
}
END_TEST

START_TEST(a_plugin_that_needs_a_newer_core_is_refused)
{
    module_is_refused("future-minor", TRM_CANDIDATE_SYMBOL, "minor");
}
END_TEST

START_TEST(a_newer_plugin_that_is_content_with_this_core_is_accepted)
{
    module_is_accepted("newer-minor");
}
END_TEST

/* ---- the tables ------------------------------------------------------------------------------------- */

START_TEST(a_plugin_whose_first_table_is_too_short_is_refused)
{
    module_is_refused("short-backend", TRM_CANDIDATE_SYMBOL, "");
}
END_TEST

START_TEST(a_plugin_with_a_table_that_is_too_short_is_refused_naming_it)
{
    module_is_refused("short-table", TRM_CANDIDATE_SYMBOL, "stream");
}
END_TEST

START_TEST(a_plugin_without_a_required_function_is_refused_naming_it)
{
    module_is_refused("null-slot", TRM_CANDIDATE_SYMBOL, "copy");
}
END_TEST

START_TEST(a_plugin_that_cannot_be_probed_is_refused)
{
    module_is_refused("null-probe", TRM_CANDIDATE_SYMBOL, "probe");
}
END_TEST

START_TEST(a_plugin_without_a_required_table_is_refused_naming_it)
{
    module_is_refused("null-table", TRM_CANDIDATE_SYMBOL, "memory");
}
END_TEST

START_TEST(a_plugin_with_a_name_that_cannot_be_written_is_refused)
{
    module_is_refused("bad-name", TRM_CANDIDATE_SYMBOL, "name");
}
END_TEST

START_TEST(a_plugin_without_a_name_is_refused)
{
    module_is_refused("no-name", TRM_CANDIDATE_SYMBOL, "name");
}
END_TEST

START_TEST(a_plugin_with_half_of_the_gates_is_refused)
{
    module_is_refused("half-a-gate", TRM_CANDIDATE_SYMBOL, "gate");
}
END_TEST

START_TEST(a_plugin_whose_pool_gives_and_does_not_take_is_refused)
{
    module_is_refused("half-a-pool", TRM_CANDIDATE_SYMBOL, "pool.free");
}
END_TEST

START_TEST(a_plugin_with_an_incomplete_optional_table_is_refused)
{
    module_is_refused("half-a-profile", TRM_CANDIDATE_SYMBOL, "stamp_destroy");
}
END_TEST

START_TEST(a_plugin_whose_graphs_cannot_be_launched_is_refused)
{
    module_is_refused("half-a-graph", TRM_CANDIDATE_SYMBOL, "graph.launch");
}
END_TEST

START_TEST(a_plugin_whose_kernels_stay_without_graphs_is_refused)
{
    module_is_refused("half-a-resident", TRM_CANDIDATE_SYMBOL, "its table resident.graph is NULL");
}
END_TEST

START_TEST(a_plugin_whose_collectives_cannot_be_enqueued_is_refused)
{
    module_is_refused("half-a-collective", TRM_CANDIDATE_SYMBOL, "collective.enqueue");
}
END_TEST

/* ---- what it says of this machine ------------------------------------------------------------------- */

START_TEST(a_plugin_that_cannot_work_here_is_refused_in_its_own_words)
{
    module_is_refused("probe-no", TRM_CANDIDATE_TABLES,
                      "libfoo.so.1 not found: no Foo driver on this machine");
}
END_TEST

START_TEST(a_plugin_that_gives_no_reason_is_refused_with_one)
{
    module_is_refused("probe-silent", TRM_CANDIDATE_TABLES, "");
}
END_TEST

START_TEST(a_reason_without_an_end_is_cut_off)
{
    module_is_refused("probe-unending", TRM_CANDIDATE_TABLES, "xxxx");
}
END_TEST

START_TEST(a_plugin_with_an_absurd_score_is_refused)
{
    module_is_refused("absurd-score", TRM_CANDIDATE_TABLES, "score");
}
END_TEST

START_TEST(a_plugin_whose_probe_is_slow_is_accepted)
{
    module_is_accepted("slow-probe");
}
END_TEST

START_TEST(a_plugin_that_cannot_be_opened_is_refused_in_its_own_words)
{
    module_is_refused("open-fails", TRM_CANDIDATE_PROBED, "The driver is out of order");
}
END_TEST

START_TEST(a_plugin_without_devices_is_refused)
{
    module_is_refused("no-devices", TRM_CANDIDATE_PROBED, "device");
}
END_TEST

START_TEST(a_plugin_with_an_absurd_number_of_devices_is_refused)
{
    module_is_refused("too-many-devices", TRM_CANDIDATE_PROBED, "device");
}
END_TEST

START_TEST(a_plugin_that_cannot_count_its_devices_is_refused)
{
    module_is_refused("count-fails", TRM_CANDIDATE_PROBED, "");
}
END_TEST

/* ---- all at once ------------------------------------------------------------------------------------ */

START_TEST(a_folder_of_bad_plugins_does_not_keep_the_good_one_from_working)
{
    static const char *const bad[] = {
        "tests/plugins/no-symbol",  "tests/plugins/wrong-major", "tests/plugins/short-table",
        "tests/plugins/null-slot",  "tests/plugins/null-table",  "tests/plugins/bad-name",
        "tests/plugins/open-fails", "tests/plugins/no-devices",  "tests/plugins/probe-no"};
    struct trm_context *context;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        nest_add_module(bad[i]);
    nest_write("empty.so", "", 0);
    nest_write("README", "no plugin", 9);
    context = with_a_neighbour();
    nest_refused(context, "empty.so", TRM_CANDIDATE_FILE, "");
    nest_refused(context, "null-slot.so", TRM_CANDIDATE_SYMBOL, "copy");
    ck_assert_ptr_null(nest_candidate(context, "README"));
    nest_device_works(context, "template:0");
    trm_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite    = suite_create("plugins that are refused");
    TCase *plugins  = tcase_create("plugins");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(plugins, nest_make, nest_remove);
    tcase_set_timeout(plugins, 60);
    tcase_add_test(plugins, a_healthy_plugin_is_accepted);
    tcase_add_test(plugins, a_path_to_no_file_says_so_and_another_context_works);
    tcase_add_test(plugins, a_link_that_leads_nowhere_is_refused);
    tcase_add_test(plugins, an_empty_file_is_refused);
    tcase_add_test(plugins, a_text_file_is_refused);
    tcase_add_test(plugins, a_file_cut_off_in_its_header_is_refused);
    tcase_add_test(plugins, a_file_cut_off_in_its_code_is_refused);
    tcase_add_test(plugins, a_plugin_for_another_architecture_is_refused);
    tcase_add_test(plugins, a_shared_object_without_the_query_is_refused);
    tcase_add_test(plugins, a_plugin_of_another_major_version_is_refused);
    tcase_add_test(plugins, a_plugin_that_needs_a_newer_core_is_refused);
    tcase_add_test(plugins, a_newer_plugin_that_is_content_with_this_core_is_accepted);
    tcase_add_test(plugins, a_plugin_whose_first_table_is_too_short_is_refused);
    tcase_add_test(plugins, a_plugin_with_a_table_that_is_too_short_is_refused_naming_it);
    tcase_add_test(plugins, a_plugin_without_a_required_function_is_refused_naming_it);
    tcase_add_test(plugins, a_plugin_that_cannot_be_probed_is_refused);
    tcase_add_test(plugins, a_plugin_without_a_required_table_is_refused_naming_it);
    tcase_add_test(plugins, a_plugin_with_a_name_that_cannot_be_written_is_refused);
    tcase_add_test(plugins, a_plugin_without_a_name_is_refused);
    tcase_add_test(plugins, a_plugin_with_half_of_the_gates_is_refused);
    tcase_add_test(plugins, a_plugin_whose_pool_gives_and_does_not_take_is_refused);
    tcase_add_test(plugins, a_plugin_with_an_incomplete_optional_table_is_refused);
    tcase_add_test(plugins, a_plugin_whose_graphs_cannot_be_launched_is_refused);
    tcase_add_test(plugins, a_plugin_whose_kernels_stay_without_graphs_is_refused);
    tcase_add_test(plugins, a_plugin_whose_collectives_cannot_be_enqueued_is_refused);
    tcase_add_test(plugins, a_plugin_that_cannot_work_here_is_refused_in_its_own_words);
    tcase_add_test(plugins, a_plugin_that_gives_no_reason_is_refused_with_one);
    tcase_add_test(plugins, a_reason_without_an_end_is_cut_off);
    tcase_add_test(plugins, a_plugin_with_an_absurd_score_is_refused);
    tcase_add_test(plugins, a_plugin_whose_probe_is_slow_is_accepted);
    tcase_add_test(plugins, a_plugin_that_cannot_be_opened_is_refused_in_its_own_words);
    tcase_add_test(plugins, a_plugin_without_devices_is_refused);
    tcase_add_test(plugins, a_plugin_with_an_absurd_number_of_devices_is_refused);
    tcase_add_test(plugins, a_plugin_that_cannot_count_its_devices_is_refused);
    tcase_add_test(plugins, a_folder_of_bad_plugins_does_not_keep_the_good_one_from_working);
    suite_add_tcase(suite, plugins);

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
