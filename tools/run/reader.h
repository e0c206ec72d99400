/* Trireme: where frames come from: one file or pipe, or a sequence of files.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_READER_H
#define TRIREME_TOOLS_RUN_READER_H

#include "tools/run/input.h"
#include "tools/run/media.h"
#include "tools/run/sequence.h"

/* Where a frame goes, or comes from: pieces that follow each other in the file. */
struct frame {
    void *const *data;
    uint64_t *size; /* bytes of each piece; of flat data the reader makes the last frame's smaller */
    uint32_t count;
    char **note; /* of y4m: what stands behind FRAME, NULL for nothing; belongs to who made the frame */
};

enum reader_answer {
    READER_FRAME = 0,
    READER_END, /* there is no further one; the fault says so where the input is cut short or makes no sense */
    READER_FAILED, /* this one cannot be brought, others after it may have been; the fault says why */
};

/* A frame that was found and is still to be brought. */
struct reader_place {
    uint64_t index;  /* of the frame */
    uint64_t offset; /* of its first byte in a file */
    bool loaded;     /* it is there already */
};

struct reader;

/* One format. */
struct reader_ops {
    /* Find out what the frames are; the input stands at its beginning. */
    bool (*open)(struct reader *reader);
    /* Find the next frame, or bring it at once. One at a time, in order. Returns an enum reader_answer. */
    int (*locate)(struct reader *reader, struct frame *frame, struct reader_place *place);
    /* Bring it, if it is not there. Several at a time. */
    bool (*load)(struct reader *reader, struct frame *frame, const struct reader_place *place);
};

/* What the command line says of the input. */
struct reader_request {
    const char *path; /* "-", a file, a folder or a pattern */
    int kind;         /* enum media_kind; NONE: found out by looking */
    int32_t type;     /* of raw data */
    uint64_t batch;   /* of flat raw data: bytes of a frame */
    uint32_t width;   /* of raw images; 0: flat */
    uint32_t height;
    uint32_t channels;
    uint64_t limit; /* frames at most; 0: all */
};

struct reader {
    const struct reader_ops *ops;
    const struct reader_request *request;
    struct fault *fault;
    struct media_format format;
    struct input input;       /* closed where there is a sequence */
    struct sequence sequence; /* no files where there is an input */
    uint64_t known;           /* frames there are; 0: not known */

    pthread_mutex_t lock; /* of what follows, and of `input` but for reading at places */
    pthread_cond_t turn;
    uint64_t next; /* the frame that is looked for */
    bool ended;
};

bool reader_open(struct reader *reader, const struct reader_request *request, struct fault *fault);
void reader_close(struct reader *reader);

/* Bring frame number `index`. Any number of threads, each with another index; it waits until those before it were asked
 * for too, which must happen. Returns an enum reader_answer. */
int reader_read(struct reader *reader, uint64_t index, struct frame *frame);

/* ---- for the formats */

/* The frame's bytes are the next ones of the input: find them, or, from a pipe, bring them. */
int reader_locate_bytes(struct reader *reader, struct frame *frame, struct reader_place *place);

/* Bring what reader_locate_bytes() found in a file. */
bool reader_load_bytes(struct reader *reader, struct frame *frame, const struct reader_place *place);

extern const struct reader_ops y4m_reader;
extern const struct reader_ops pnm_reader;          /* images one after the other */
extern const struct reader_ops pnm_sequence_reader; /* images in files of their own */
extern const struct reader_ops raw_reader;

#endif
