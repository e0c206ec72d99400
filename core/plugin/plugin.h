/* The plugin room: finds backends, loads and checks them, and resolves the ids of devices.
 *
 * folders       the folders to search, also for kernels
 * elf_file      is a file a complete shared object for this machine?
 * loader        one plugin: file, tables, probe, instance
 * tables        checks and copies a plugin's tables
 * answer        checks what a plugin's functions return
 * property      reads and checks a property of a device
 * registry      finds the plugins that the setting `backend` selects and sorts them
 * resolve       from the id of a device to a backend and a device number
 * device_match  devices by number, by UUID or by a pattern of their name
 * device_list   trm_device_count(), trm_device_describe()
 *
 * The first thread that needs the registry loads it without a lock, since backends and the program's log
 * callback run meanwhile; other threads wait on the context's condition. After that the registry is
 * constant and read without locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_PLUGIN_H
#define CORE_PLUGIN_PLUGIN_H

#include "core/plugin/answer.h"
#include "core/plugin/folders.h"
#include "core/plugin/property.h"
#include "core/plugin/registry.h"

#endif
