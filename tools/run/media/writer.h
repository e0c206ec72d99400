/* Trireme: writing frames to one file or pipe, or to a sequence of files.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_MEDIA_WRITER_H
#define TRIREME_TOOLS_RUN_MEDIA_WRITER_H

#include "tools/run/file/file.h"
#include "tools/run/media/format.h"
#include "tools/run/media/reader.h"

struct writer;

/* Where a frame goes. */
struct writer_place {
    uint64_t index;  /* of the frame */
    uint64_t offset; /* of its first byte in a file */
};

/* An open file, and the place of the next byte in it. */
struct writer_target {
    struct outlet *outlet;
    uint64_t offset;
    bool at_offset; /* a regular file, whose bytes may be written in any order */
    struct fault *fault;
};

/* One format. */
struct writer_ops {
    /* Write what comes before the first frame. NULL: nothing. */
    bool (*begin)(struct writer *writer, struct writer_target *target);
    /* The bytes of a frame with its header. */
    uint64_t (*size)(const struct writer *writer, const struct frame *frame);
    /* Write a frame. Several calls may run at a time, each with its own target. */
    bool (*write)(const struct writer *writer, struct writer_target *target, const struct frame *frame);
};

enum {
    WRITER_PLACES = 64 /* frames that are being written at most */
};

struct writer {
    const struct writer_ops *ops;
    const char *path;
    const struct sequence *names; /* the input files, whose names an output folder reuses; may be empty */
    struct claims *claims;
    struct fault *fault;
    struct media_format format;
    struct outlet outlet; /* closed if every frame is a file of its own */
    bool folder;
    bool folder_made; /* by this run */
    bool pattern;
    bool images;       /* every frame is a file of its own: in a folder, or numbered */
    bool parallel;     /* several frames may be written at a time: to a regular file or to files */
    uint64_t reserved; /* frames that have a place */
    uint64_t end;      /* of the last place */

    pthread_mutex_t lock; /* protects the members below */
    uint64_t frames;      /* written completely, with all before them */
    struct {
        bool written, made; /* made: a file of its own, which was not there before */
        uint64_t end;
    } places[WRITER_PLACES]; /* by index % WRITER_PLACES, from `frames` to `reserved` */
};

/* The kind that the extension of a path selects, or NONE. */
int writer_kind(const char *path);

/* True for the extension of a compressed format, which is not supported (".mp4", ".png"). */
bool writer_is_compressed(const char *path);

/* Make the format of frames of `from` when written as `kind`. False: they cannot be. */
bool writer_format(const struct media_format *from, int kind, struct media_format *format, const char *path,
                   struct fault *fault);

/* Open the output without touching what it holds; see outlet.h. */
bool writer_open(struct writer *writer, const char *path, const struct media_format *format,
                 const struct sequence *names, struct claims *claims, struct fault *fault);

/* Give the next frame its place. One call at a time, in order; the first one discards what the output
 * held. At most WRITER_PLACES frames may have a place and not be written. */
bool writer_reserve(struct writer *writer, const struct frame *frame, struct writer_place *place);

/* Write a frame at its place. Several threads may call it where the writer is parallel; otherwise frames are
 * written in order. */
bool writer_write(struct writer *writer, const struct writer_place *place, const struct frame *frame);

/* The frames written so far, without those behind a missing one. Any thread. */
uint64_t writer_frames(struct writer *writer);

/* All frames are written: an output without frames becomes an empty one. */
bool writer_finish(struct writer *writer);

/* Close it; completed frames stay. False: it failed, the fault says why. May be called again. */
bool writer_close(struct writer *writer);

/* ---- for the formats */

/* Write the next bytes. */
bool writer_put(struct writer_target *target, const void *data, uint64_t size);

/* images.c: the path of a frame that is a file of its own; the caller frees it. */
char *images_path(const struct writer *writer, uint64_t index);

/* Check that the first `count` images go to different files that the run does not use otherwise. */
bool images_check(const struct writer *writer, uint64_t count);

extern const struct writer_ops y4m_writer;
extern const struct writer_ops pnm_writer;
extern const struct writer_ops raw_writer;

#endif
