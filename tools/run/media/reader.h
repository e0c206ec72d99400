/* Trireme: reading frames from one file or pipe, or from a sequence of files.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_MEDIA_READER_H
#define TRIREME_TOOLS_RUN_MEDIA_READER_H

#include "tools/run/file/file.h"
#include "tools/run/media/format.h"

/* The memory of a frame: pieces that are consecutive in the file. */
struct frame {
    void *const *data;
    uint64_t *size; /* bytes of each piece; the reader shortens the last frame of flat data */
    uint32_t count;
    char **note; /* y4m: the text after FRAME, NULL for none; owned by the caller */
};

/* The bytes of all pieces. */
uint64_t frame_bytes(const struct frame *frame);

enum reader_answer {
    READER_FRAME = 0,
    READER_END,    /* no more frames; if the input is truncated or invalid, the fault says so */
    READER_FAILED, /* this frame failed, later ones may succeed; the fault says why */
};

/* A frame that was located and may have to be loaded. */
struct reader_place {
    uint64_t index;  /* of the frame */
    uint64_t offset; /* of its first byte in a file */
    bool loaded;     /* already loaded */
};

struct reader;

/* One format. */
struct reader_ops {
    /* Determine the format of the frames at the beginning of the input. */
    bool (*open)(struct reader *reader);
    /* Locate the next frame, or load it at once. One call at a time, in order. Returns an enum
     * reader_answer. */
    int (*locate)(struct reader *reader, struct frame *frame, struct reader_place *place);
    /* Load it unless it is loaded. Several calls may run at a time. */
    bool (*load)(struct reader *reader, struct frame *frame, const struct reader_place *place);
};

/* The options of the input. */
struct reader_request {
    const char *path; /* "-", a file, a folder or a pattern */
    int kind;         /* enum media_kind; NONE: detected from the contents */
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
    struct input input;       /* closed if there is a sequence */
    struct sequence sequence; /* empty if there is an input */
    uint64_t known;           /* number of frames; 0: not known */

    pthread_mutex_t lock; /* protects the members below, and `input` except for input_read_at() */
    pthread_cond_t turn;
    uint64_t next; /* the next frame to locate */
    bool ended;
};

bool reader_open(struct reader *reader, const struct reader_request *request, struct fault *fault);
void reader_close(struct reader *reader);

/* Load frame number `index`. Any number of threads may call it, each with a different index; it waits until
 * all lower indices have been requested too. Returns an enum reader_answer. */
int reader_read(struct reader *reader, uint64_t index, struct frame *frame);

/* ---- for the formats */

/* Locate a frame that is the next bytes of the input; load it from a pipe. */
int reader_locate_bytes(struct reader *reader, struct frame *frame, struct reader_place *place);

/* Load the frame that reader_locate_bytes() located in a file. */
bool reader_load_bytes(struct reader *reader, struct frame *frame, const struct reader_place *place);

/* pnm_file.c: check that an image has the format of the first one. */
bool pnm_is_alike(struct reader *reader, const struct media_format *image, const char *name, uint64_t index);

/* Swap the bytes of the samples of a frame if they have two. */
void pnm_swap_frame(const struct reader *reader, struct frame *frame);

extern const struct reader_ops y4m_reader;
extern const struct reader_ops pnm_reader;    /* images in one file or pipe */
extern const struct reader_ops images_reader; /* one image a file */
extern const struct reader_ops raw_reader;

#endif
