/* Where tokens come from and where they go: memory, files and functions behind one face each.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_QUEUE_SOURCE_H
#define PIPELINE_QUEUE_SOURCE_H

#include <trireme/pipeline.h>

struct core_pipeline;

struct core_source {
    struct core_pipeline *pipeline;
    struct trm_source given; /* `path` is a copy of the source's own, or NULL */
    int32_t (*fill)(struct core_source *source, struct trm_token *token);
    uint32_t port;      /* the only input: memory and files */
    uint64_t port_size; /* its bytes, of a whole token */
    uint64_t size;      /* bytes in all: memory and regular files */
    uint64_t position;  /* bytes read so far: what is no regular file */
    int file;           /* −1: none */
    int32_t in_order;   /* 1: only one thread may fill, since the bytes come one after the other */
};

/* Check what was given, and open it. Errors: INVALID_ARGUMENT, IO, OUT_OF_HOST_MEMORY. */
int32_t core_source_open(struct core_source *source, struct core_pipeline *pipeline,
                         const struct trm_source *given);
void core_source_close(struct core_source *source);

/* Fill one token. TRM_OK, TRM_TOKEN_END, TRM_TOKEN_SKIP or an error, the last error saying why. */
int32_t core_source_fill(struct core_source *source, struct trm_token *token);

struct core_sink {
    struct core_pipeline *pipeline;
    struct trm_sink given;
    int32_t (*consume)(struct core_sink *sink, const struct trm_token *token); /* NULL: drops */
    uint32_t port;                                                             /* the only output */
    uint64_t port_size;
    uint64_t written; /* bytes in the file */
    int file;         /* −1: none */
    int32_t is_pipe;  /* 1: writing may raise SIGPIPE, and may block for as long as nobody reads */
};

int32_t core_sink_open(struct core_sink *sink, struct core_pipeline *pipeline, const struct trm_sink *given);

/* Errors: IO, when the end of the file could not be written. */
int32_t core_sink_close(struct core_sink *sink);

/* Where token number `index` is wanted in the end; NULL: anywhere. */
void *core_sink_place(const struct core_sink *sink, uint64_t index);

int32_t core_sink_consume(struct core_sink *sink, const struct trm_token *token);

#endif
