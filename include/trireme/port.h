/* Trireme: the ports of a pipeline, which are the buffers and images that its stages name.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_PORT_H
#define TRIREME_PORT_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/image.h>

TRM_API_BEGIN

enum trm_port_kind {
    TRM_PORT_INPUT  = 1, /* filled on the host for each token, and uploaded */
    TRM_PORT_OUTPUT = 2, /* downloaded for each token, and read on the host */
    /* on the device only, for each slot. Its contents are undefined before the first stage of a token that
     * names it and after the last one: ports whose stages do not overlap share memory */
    TRM_PORT_SCRATCH = 3,
    TRM_PORT_SHARED  = 4, /* one for all tokens: weights, tables, state */
};

enum trm_port_flags {
    /* SHARED: no stage writes it, whatever the parameters of a kernel say, so tokens do not wait for each
     * other */
    TRM_PORT_READ_ONLY = 1u << 0,
    /* the port is an image, which cannot follow an input nor be in a divisible pipeline */
    TRM_PORT_IMAGE = 1u << 1,
};

/* A buffer or an image of a token. Functions refer to a port by its index in the descriptor's array.
 *
 * An image is on the device only. On the host a token has the texels of its level 0 without gaps: row by row,
 * slice by slice, layer by layer. They are copied to an input and from an output, all of them or, where a
 * token has a size of 0, none; also in zero-copy pipelines, except where an image is plain memory that the
 * host shares. Further levels are for kernels to write, and undefined when a token begins. */
struct trm_port {
    const char *name; /* for messages and the trace; may be NULL */
    int32_t kind;     /* enum trm_port_kind */
    uint32_t flags;   /* enum trm_port_flags */
    /* the most bytes of a token; SHARED and IMAGE: ignored, since the buffer or the image has a size */
    uint64_t size;
    /* 0; or 1 + the index of an input: a token fills the same part of this port as of that input, rounded
     * down */
    uint32_t follows;
    uint32_t reserved;
    /* in a divisible pipeline: bytes of this port that cannot be divided (an element, a row) */
    uint64_t grain;
    union {
        /* SHARED only: the pipeline keeps it alive. When a kernel may write it, the compute stages of tokens
         * run one after the other, in order */
        struct trm_buffer *buffer;
        struct trm_image *image; /* the same, SHARED and IMAGE */
        /* IMAGE, not SHARED: of the image that each slot has; needed during the call only */
        const struct trm_image_desc *image_desc;
    };
};

static inline struct trm_port trm_port_make(const char *name, int32_t kind, uint64_t size)
{
    struct trm_port port = {name, kind, 0, size, 0, 0, 0, {NULL}};
    return port;
}

static inline struct trm_port trm_port_input(const char *name, uint64_t size)
{
    return trm_port_make(name, TRM_PORT_INPUT, size);
}

static inline struct trm_port trm_port_output(const char *name, uint64_t size)
{
    return trm_port_make(name, TRM_PORT_OUTPUT, size);
}

static inline struct trm_port trm_port_scratch(const char *name, uint64_t size)
{
    return trm_port_make(name, TRM_PORT_SCRATCH, size);
}

static inline struct trm_port trm_port_shared(const char *name, struct trm_buffer *buffer)
{
    struct trm_port port = trm_port_make(name, TRM_PORT_SHARED, 0);
    port.buffer          = buffer;
    return port;
}

/* An image for each slot. `kind` is INPUT, OUTPUT or SCRATCH. */
static inline struct trm_port trm_port_image(const char *name, int32_t kind,
                                             const struct trm_image_desc *desc)
{
    struct trm_port port = trm_port_make(name, kind, 0);
    port.flags           = TRM_PORT_IMAGE;
    port.image_desc      = desc;
    return port;
}

/* An image that all tokens share. */
static inline struct trm_port trm_port_shared_image(const char *name, struct trm_image *image)
{
    struct trm_port port = trm_port_make(name, TRM_PORT_SHARED, 0);
    port.flags           = TRM_PORT_IMAGE;
    port.image           = image;
    return port;
}

/* The same port, following the input with the index `input`: trm_port_follows(trm_port_output("y", n), 0). */
static inline struct trm_port trm_port_follows(struct trm_port port, uint32_t input)
{
    port.follows = 1 + input;
    return port;
}

TRM_API_END

#endif
