/* Sources and sinks of tokens: memory, files and functions behind one interface.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_QUEUE_SOURCE_H
#define PIPELINE_QUEUE_SOURCE_H

#include <stdbool.h>
#include <trireme/pipeline.h>

struct pipeline;

struct pipeline_source {
    struct pipeline *pipeline;
    struct trm_source desc; /* `path` is a copy, or NULL; `name` is NULL */
    char name[64];          /* for the report; "": none */
    int32_t (*fill)(struct pipeline_source *source, struct trm_token *token);
    uint32_t port;      /* the only input; memory and files */
    uint64_t port_size; /* bytes of a whole token */
    uint64_t size;      /* all bytes; memory and regular files */
    uint64_t position;  /* bytes read so far; pipes */
    int file;           /* −1: none */
    bool in_order;      /* only one thread may fill: the source is serial */
};

/* Checks a descriptor and opens the source. Errors: INVALID_ARGUMENT, IO, OUT_OF_HOST_MEMORY. */
int32_t pipeline_source_open(struct pipeline_source *source, struct pipeline *pipeline,
                             const struct trm_source *desc);
void pipeline_source_close(struct pipeline_source *source);

/* INVALID_ARGUMENT for unknown bits of enum trm_end_flags. end: "source", "sink". */
int32_t pipeline_end_flags_check(uint32_t flags, const char *end);

/* The name of a source or sink: as given, or its path. */
void pipeline_end_name(char name[64], const char *given, const char *path);

/* Whether the pipeline was cancelled, or is being destroyed. Takes the pipeline's lock. */
bool pipeline_end_is_stopped(struct pipeline *pipeline);

/* How many ports of this kind (enum trm_port_kind) the pipeline has; the last one and its size. */
uint32_t pipeline_end_ports(const struct pipeline *pipeline, int32_t kind, uint32_t *port, uint64_t *size);

/* Fills one token: TRM_OK, TRM_TOKEN_END, TRM_TOKEN_SKIP, or an error with its sentence. */
int32_t pipeline_source_fill(struct pipeline_source *source, struct trm_token *token);

struct pipeline_sink {
    struct pipeline *pipeline;
    struct trm_sink desc; /* `path` is a copy, or NULL; `name` is NULL */
    char name[64];        /* for the report; "": none */
    /* NULL: drops tokens */
    int32_t (*consume)(struct pipeline_sink *sink, const struct trm_token *token);
    uint32_t port; /* the only output */
    uint64_t port_size;
    uint64_t written; /* bytes in the file */
    int file;         /* −1: none */
    bool is_pipe;     /* a write may raise SIGPIPE, and blocks while the reader is slow */
};

int32_t pipeline_sink_open(struct pipeline_sink *sink, struct pipeline *pipeline,
                           const struct trm_sink *desc);

/* Errors: IO, when the end of the file could not be written. */
int32_t pipeline_sink_close(struct pipeline_sink *sink);

/* Where the output of token `index` should go; NULL: anywhere. */
void *pipeline_sink_address(const struct pipeline_sink *sink, uint64_t index);

int32_t pipeline_sink_consume(struct pipeline_sink *sink, const struct trm_token *token);

#endif
