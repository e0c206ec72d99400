/* What a bad plugin is made of: the template backend, in tables that can be spoiled.
 * SPDX-License-Identifier: MIT
 */
#ifndef BAD_BORROWED_H
#define BAD_BORROWED_H

#include <trireme/backend.h>

/* The template's query, renamed when its sources are compiled for us. */
const struct trm_backend *template_query(const struct trm_host *host, uint32_t min_minor, uint32_t max_minor);

/* Like trm_backend_query_v1, of a major version that does not exist. */
TRM_API const struct trm_backend *trm_backend_query_v2(const struct trm_host *host, uint32_t min_minor,
                                                       uint32_t max_minor);

struct borrowed {
    struct trm_backend backend;
    struct trm_device_ops device;
    struct trm_memory_ops memory;
    struct trm_stream_ops stream;
    struct trm_module_ops module;
};

/* A whole and healthy backend called `name`. */
static inline struct borrowed *borrow(const struct trm_host *host, const char *name)
{
    static struct borrowed borrowed;

    borrowed.backend        = *template_query(host, 0, 0);
    borrowed.device         = *borrowed.backend.device;
    borrowed.memory         = *borrowed.backend.memory;
    borrowed.stream         = *borrowed.backend.stream;
    borrowed.module         = *borrowed.backend.module;
    borrowed.backend.device = &borrowed.device;
    borrowed.backend.memory = &borrowed.memory;
    borrowed.backend.stream = &borrowed.stream;
    borrowed.backend.module = &borrowed.module;
    borrowed.backend.name   = name;
    return &borrowed;
}

#endif
