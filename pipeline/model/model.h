/* The model room: how long tasks take, and which hinder each other.
 *
 *     learn.c     models of tasks: by what they run, their size and workload
 *     workload.c  which workload a task is, and which workloads hinder each other
 *     stored.c    models in files, which outlive a pool    stored_list.c  what programs see of them
 *
 * Locks: none; the owner of models locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_MODEL_MODEL_H
#define PIPELINE_MODEL_MODEL_H

#include "pipeline/model/learn.h"
#include "pipeline/model/stored.h"
#include "pipeline/model/workload.h"

#endif
