/* Loading threads go where the memory of a token is, in a made-up machine with two NUMA nodes.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "core/device/device.h"
#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define TOKENS 6

static char folder[] = "/tmp/trireme-nodes-XXXXXX";
static int processors[2]; /* of the nodes; one processor where there is no other */
static struct core_device device;
static cpu_set_t seen[TOKENS];

static void write_list(uint32_t node)
{
    static const char *const parents[] = {"devices", "devices/system", "devices/system/node"};
    char path[256];
    for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, parents[i]);
        ck_assert(mkdir(path, 0700) == 0 || errno == EEXIST);
    }
    snprintf(path, sizeof(path), "%s/devices/system/node/node%u", folder, (unsigned)node);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    strcat(path, "/cpulist");
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%d\n", processors[node]);
    ck_assert_int_eq(fclose(file), 0);
}

static void make_machine(void)
{
    cpu_set_t allowed;
    ck_assert_int_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    processors[0] = processors[1] = -1;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &allowed)) {
            processors[0] = processors[0] < 0 ? i : processors[0];
            processors[1] = i;
        }
    ck_assert_ptr_nonnull(mkdtemp(folder));
    write_list(0);
    write_list(1);
    base_numa_look_in(folder);
}

static void remove_machine(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
    base_numa_look_in("/sys");
}

/* Takes so long that going elsewhere pays. The next token's memory is on the other node. */
static int32_t fill(void *user, struct trm_token *token)
{
    uint64_t begin = base_now();
    (void)user;
    ck_assert_int_eq(sched_getaffinity(0, sizeof(seen[token->index]), &seen[token->index]), 0);
    while (base_now() <= begin + PIPELINE_LONG_END_NS)
        continue;
    device.numa_node = 1 - device.numa_node;
    return TRM_OK;
}

START_TEST(a_loading_thread_follows_the_tokens_to_the_nodes_of_their_memory)
{
    struct trm_source source = trm_source_function(fill, NULL);
    struct trm_sink sink     = {.struct_size = sizeof(sink)};
    fake_create_plain(2, TRM_FAILURE_STOP);
    device.numa_node      = 0;
    fake.pipeline->device = &device;
    source.count          = TOKENS;
    source.workers        = 1;
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &sink), TRM_OK);
    for (uint32_t i = 0; i < TOKENS; i++) {
        ck_assert_int_eq(CPU_COUNT(&seen[i]), 1);
        ck_assert(CPU_ISSET((size_t)processors[i % 2], &seen[i]));
    }
    fake.pipeline->device = NULL;
    fake_destroy();
}
END_TEST

static uint32_t slots[TOKENS]; /* of the tokens */

static int32_t fill_for_long(void *user, struct trm_token *token)
{
    uint64_t begin = base_now();
    (void)user;
    ck_assert_int_eq(sched_getaffinity(0, sizeof(seen[token->index]), &seen[token->index]), 0);
    slots[token->index] = token->slot;
    while (base_now() <= begin + PIPELINE_LONG_END_NS)
        continue;
    return TRM_OK;
}

/* The second slot is one of another device, which is on the other node. */
START_TEST(a_loading_thread_of_two_devices_goes_to_the_node_of_the_one_that_has_the_token)
{
    struct trm_source source             = trm_source_function(fill_for_long, NULL);
    struct trm_sink sink                 = {.struct_size = sizeof(sink)};
    struct core_device other             = {.numa_node = 1};
    struct pipeline_measure_desc measure = {.depth = PIPELINE_DEPTH_MOST};
    struct pipeline second               = {.device = &other};
    uint32_t used                        = 0;
    fake_create_plain(2, TRM_FAILURE_STOP);
    device.numa_node      = 0;
    fake.pipeline->device = &device;
    second.desc           = fake.pipeline->desc;
    second.front          = fake.pipeline;
    ck_assert_int_eq(pipeline_measure_create(fake.pipeline->object.context, &measure, &second.measure),
                     TRM_OK);
    fake.pipeline->slots[1]->pipeline = &second;
    source.count                      = TOKENS;
    source.workers                    = 1;
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &sink), TRM_OK);
    for (uint32_t i = 1; i < TOKENS; i++) { /* how long loading takes is known from the first */
        ck_assert_int_eq(CPU_COUNT(&seen[i]), 1);
        ck_assert(CPU_ISSET((size_t)processors[slots[i]], &seen[i]));
        used |= 1u << slots[i];
    }
    ck_assert_uint_eq(used, 3);
    fake.pipeline->slots[1]->pipeline = fake.pipeline;
    pipeline_measure_destroy(second.measure);
    fake.pipeline->device = NULL;
    fake_destroy();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("nodes");
    TCase *group = tcase_create("NUMA nodes");
    tcase_add_checked_fixture(group, make_machine, remove_machine);
    tcase_add_test(group, a_loading_thread_follows_the_tokens_to_the_nodes_of_their_memory);
    tcase_add_test(group, a_loading_thread_of_two_devices_goes_to_the_node_of_the_one_that_has_the_token);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(suite)
