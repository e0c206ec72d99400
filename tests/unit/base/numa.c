/* NUMA nodes, in a made-up machine with two of them.
 * SPDX-License-Identifier: MIT
 */
#include "base/numa.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/runner.h"

static char folder[] = "/tmp/trireme-numa-XXXXXX";

/* A file of the machine, with the folders that it is in. */
static void write_file(const char *path, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof(whole), "%s/%s", folder, path);
    for (char *slash = strchr(whole + strlen(folder) + 1, '/'); slash != NULL;
         slash       = strchr(slash + 1, '/')) {
        *slash = '\0';
        ck_assert(mkdir(whole, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void make_machine(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    write_file("devices/system/node/online", "0-1\n");
    write_file("bus/pci/devices/0000:17:00.0/numa_node", "0\n");
    write_file("bus/pci/devices/0000:65:00.0/numa_node", "1\n");
    write_file("bus/pci/devices/0000:66:00.0/numa_node", "-1\n");
    write_file("bus/pci/devices/0000:67:00.0/numa_node", "much\n");
    base_numa_look_in(folder);
}

static void remove_machine(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
    base_numa_look_in("/sys");
}

START_TEST(a_device_has_the_node_that_the_kernel_tells)
{
    ck_assert_int_eq(base_numa_node_of("0000:17:00.0"), 0);
    ck_assert_int_eq(base_numa_node_of("0000:65:00.0"), 1);
    ck_assert_int_eq(base_numa_node_of("0000:66:00.0"), BASE_NUMA_NONE);
    ck_assert_int_eq(base_numa_node_of("0000:67:00.0"), BASE_NUMA_NONE);
    ck_assert_int_eq(base_numa_node_of("0000:99:00.0"), BASE_NUMA_NONE);
}
END_TEST

START_TEST(a_text_that_is_no_pci_address_has_no_node)
{
    static const char *const texts[] = {"",
                                        "..",
                                        "../0000:65:00.0",
                                        "0000:65:00.0/.",
                                        "GPU 1",
                                        "00000000000000000000000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_int_eq(base_numa_node_of(texts[i]), BASE_NUMA_NONE);
}
END_TEST

START_TEST(the_only_node_is_none)
{
    static const char *const lists[] = {"0\n", "1\n", "\n", "x\n", "-1\n"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        write_file("devices/system/node/online", lists[i]);
        ck_assert_int_eq(base_numa_node_of("0000:65:00.0"), BASE_NUMA_NONE);
    }
    write_file("devices/system/node/online", "0,2\n");
    ck_assert_int_eq(base_numa_node_of("0000:65:00.0"), 1);
    write_file("devices/system/node/has_memory", "0\n");
    ck_assert_int_eq(base_numa_node_of("0000:65:00.0"), BASE_NUMA_NONE);
}
END_TEST

/* ---- threads -------------------------------------------------------------------------------- */

static int first_allowed(void)
{
    cpu_set_t allowed;
    ck_assert_int_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &allowed))
            return i;
    return -1;
}

static void *run_on_node_1(void *set)
{
    base_numa_run_on(1);
    sched_getaffinity(0, sizeof(cpu_set_t), set);
    return NULL;
}

/* Where a thread may run after it was asked to run on node 1. */
static cpu_set_t set_of_thread(const char *list)
{
    pthread_t thread;
    cpu_set_t set;
    CPU_ZERO(&set);
    write_file("devices/system/node/node1/cpulist", list);
    ck_assert_int_eq(pthread_create(&thread, NULL, run_on_node_1, &set), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    return set;
}

START_TEST(a_thread_runs_on_the_processors_of_a_node_that_it_may_use)
{
    char list[64];
    int first = first_allowed();
    snprintf(list, sizeof(list), "%d,4000-5000\n", first);
    cpu_set_t set = set_of_thread(list);
    ck_assert_int_eq(CPU_COUNT(&set), 1);
    ck_assert(CPU_ISSET((size_t)first, &set));
}
END_TEST

START_TEST(a_thread_that_may_use_none_of_them_stays_as_it_was)
{
    static const char *const lists[] = {"4000-5000\n", "\n", "x\n", "3-1\n"};
    cpu_set_t usual;
    ck_assert_int_eq(sched_getaffinity(0, sizeof(usual), &usual), 0);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        cpu_set_t set = set_of_thread(lists[i]);
        ck_assert(CPU_EQUAL(&set, &usual));
    }
}
END_TEST

static int last_allowed(void)
{
    cpu_set_t allowed;
    int last = -1;
    ck_assert_int_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &allowed))
            last = i;
    return last;
}

static void *go_there_and_back(void *sets)
{
    static const int32_t nodes[] = {0, 1, 1, BASE_NUMA_NONE, 2, 0};
    cpu_set_t *set               = sets;
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
        base_numa_run_on(nodes[i]);
        sched_getaffinity(0, sizeof(set[i]), &set[i]);
    }
    return NULL;
}

/* Where there is one processor, both nodes have it. */
START_TEST(a_thread_goes_from_one_node_to_another_and_back)
{
    const int there[] = {first_allowed(), last_allowed()};
    const int where[] = {0, 1, 1, 1, 1, 0}; /* the third node has no processors that it may use */
    pthread_t thread;
    cpu_set_t sets[6];
    char list[64];
    for (int i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof(path), "devices/system/node/node%d/cpulist", i);
        snprintf(list, sizeof(list), "%d\n", there[i]);
        write_file(path, list);
    }
    write_file("devices/system/node/node2/cpulist", "4000\n");
    ck_assert_int_eq(pthread_create(&thread, NULL, go_there_and_back, sets), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(CPU_COUNT(&sets[i]), 1);
        ck_assert(CPU_ISSET((size_t)there[where[i]], &sets[i]));
    }
}
END_TEST

/* ---- memory --------------------------------------------------------------------------------- */

static int policy(void)
{
    int mode = -1;
    return syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0) == 0 ? mode : -1;
}

/* Containers may forbid the calls. Node 0 is there on each machine. */
START_TEST(memory_is_preferred_for_as_long_as_it_is_asked_for)
{
    if (policy() != MPOL_DEFAULT || !base_numa_prefer(0))
        return;
    ck_assert_int_eq(policy(), MPOL_PREFERRED);
    ck_assert(!base_numa_prefer(0)); /* there is a policy, which stays */
    base_numa_forget();
    ck_assert_int_eq(policy(), MPOL_DEFAULT);
}
END_TEST

START_TEST(no_node_and_one_that_is_not_there_change_no_policy)
{
    int before = policy();
    ck_assert(!base_numa_prefer(BASE_NUMA_NONE));
    ck_assert(!base_numa_prefer(1000));
    ck_assert_int_eq(policy(), before);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("numa");
    TCase *cases = tcase_create("numa");
    tcase_add_checked_fixture(cases, make_machine, remove_machine);
    tcase_add_test(cases, a_device_has_the_node_that_the_kernel_tells);
    tcase_add_test(cases, a_text_that_is_no_pci_address_has_no_node);
    tcase_add_test(cases, the_only_node_is_none);
    tcase_add_test(cases, a_thread_runs_on_the_processors_of_a_node_that_it_may_use);
    tcase_add_test(cases, a_thread_that_may_use_none_of_them_stays_as_it_was);
    tcase_add_test(cases, a_thread_goes_from_one_node_to_another_and_back);
    tcase_add_test(cases, memory_is_preferred_for_as_long_as_it_is_asked_for);
    tcase_add_test(cases, no_node_and_one_that_is_not_there_change_no_policy);
    suite_add_tcase(suite, cases);
    return suite;
}

UNIT_SUITE(make_suite)
