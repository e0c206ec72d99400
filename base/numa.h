/* NUMA nodes: memory and threads on the side of the machine where a device is.
 *
 * On a machine with one node, and where the kernel does not tell or refuses, nothing happens.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_NUMA_H
#define BASE_NUMA_H

#include <stdbool.h>
#include <stdint.h>

#define BASE_NUMA_NONE (-1)

/* The node to which a PCI device ("0000:65:00.0") is attached; NONE: unknown, or there is no other. */
int32_t base_numa_node_of(const char *pci);

/* Asks the kernel to take the memory that the calling thread gets next from the node, as far as it has some.
 * A program that has a policy of its own keeps it. True: base_numa_forget() ends it. */
bool base_numa_prefer(int32_t node);
void base_numa_forget(void);

/* Keeps the calling thread on those processors of the node that it might use when it first called this.
 * Where it might use none of them, nothing changes; nor for NONE. A thread that is on the node already is
 * left as it is, without a system call. */
void base_numa_run_on(int32_t node);

/* For tests: what to read in place of /sys. Lives on. */
void base_numa_look_in(const char *folder);

#endif
