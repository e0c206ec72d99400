/* NUMA nodes, as the kernel lists them in /sys. Three files and four system calls: hwloc knows no more of
 * what is needed here, and would have to be there at run time.
 * SPDX-License-Identifier: MIT
 */
#include "base/numa.h"

#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NODES_MOST 1024
#define WORD_BITS (8 * sizeof(unsigned long))
#define TEXT_BYTES 4096

static const char *root = "/sys";

void base_numa_look_in(const char *folder)
{
    root = folder;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The file below the root; false: there is none. */
static bool read_text(const char *path, char text[TEXT_BYTES])
{
    char whole[512];
    if ((size_t)snprintf(whole, sizeof(whole), "%s/%s", root, path) >= sizeof(whole))
        return false;
    int file = open(whole, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, TEXT_BYTES - 1);
    close(file);
    if (length <= 0)
        return false;
    text[length] = '\0';
    return true;
}

/* Reads a part of a list, "3" or "0-7"; returns where the next one begins, NULL where there is none. */
static const char *read_range(const char *at, long *first, long *last)
{
    char *end;
    *first = strtol(at, &end, 10);
    if (end == at || *first < 0)
        return NULL;
    *last = *first;
    if (*end == '-') {
        at    = end + 1;
        *last = strtol(at, &end, 10);
        if (end == at || *last < *first)
            return NULL;
    }
    return *end == ',' ? end + 1 : end;
}

/* More than one node of memory? */
static bool has_several_nodes(void)
{
    char text[TEXT_BYTES];
    long first, last;
    if (!read_text("devices/system/node/has_memory", text) && !read_text("devices/system/node/online", text))
        return false;
    const char *rest = read_range(text, &first, &last);
    return rest != NULL && (last > first || (*rest >= '0' && *rest <= '9'));
}

/* Plugins give the text. */
static bool is_pci(const char *text)
{
    return *text != '\0' && strlen(text) < 32 && strspn(text, "0123456789abcdef:.") == strlen(text) &&
           strstr(text, "..") == NULL;
}

int32_t base_numa_node_of(const char *pci)
{
    char path[128], text[TEXT_BYTES];
    if (!is_pci(pci) || !has_several_nodes())
        return BASE_NUMA_NONE;
    snprintf(path, sizeof(path), "bus/pci/devices/%s/numa_node", pci);
    if (!read_text(path, text))
        return BASE_NUMA_NONE;
    char *end;
    long node = strtol(text, &end, 10);
    return end != text && node >= 0 && node < NODES_MOST ? (int32_t)node : BASE_NUMA_NONE;
}

/* ---- memory --------------------------------------------------------------------------------- */

bool base_numa_prefer(int32_t node)
{
    unsigned long nodes[NODES_MOST / WORD_BITS] = {0};
    int mode                                    = MPOL_DEFAULT;
    if (node == BASE_NUMA_NONE || syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0) != 0 ||
        mode != MPOL_DEFAULT)
        return false;
    nodes[(uint32_t)node / WORD_BITS] = 1ul << (uint32_t)node % WORD_BITS;
    return syscall(SYS_set_mempolicy, MPOL_PREFERRED, nodes, NODES_MOST) == 0;
}

void base_numa_forget(void)
{
    (void)syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Where the calling thread might run when it first asked for a node, and the node where it is now. */
static _Thread_local struct {
    cpu_set_t allowed;
    bool is_known;
    int32_t node;
} place;

static bool find_allowed(void)
{
    if (!place.is_known)
        place.is_known = sched_getaffinity(0, sizeof(place.allowed), &place.allowed) == 0;
    return place.is_known;
}

void base_numa_run_on(int32_t node)
{
    char path[128], text[TEXT_BYTES];
    cpu_set_t wanted;
    long first, last;
    if (node == BASE_NUMA_NONE || (place.is_known && node == place.node))
        return;
    snprintf(path, sizeof(path), "devices/system/node/node%d/cpulist", node);
    if (!read_text(path, text) || !find_allowed())
        return;
    place.node = node;
    CPU_ZERO(&wanted);
    for (const char *at = text; at != NULL && *at >= '0' && *at <= '9';) {
        at = read_range(at, &first, &last);
        for (long i = first; at != NULL && i <= last && i < CPU_SETSIZE; i++)
            if (CPU_ISSET((size_t)i, &place.allowed))
                CPU_SET((size_t)i, &wanted);
    }
    if (CPU_COUNT(&wanted) > 0)
        (void)sched_setaffinity(0, sizeof(wanted), &wanted);
}
