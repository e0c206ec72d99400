/* Trireme: writing frames to one file or pipe, or to a sequence of files.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_WRITER_H
#define TRIREME_TOOLS_RUN_WRITER_H

#include "tools/run/media.h"
#include "tools/run/outlet.h"
#include "tools/run/reader.h"

struct writer;

/* One format. */
struct writer_ops {
    bool (*open)(struct writer *writer);
    bool (*write)(struct writer *writer, uint64_t index, const struct frame *frame);
};

struct writer {
    const struct writer_ops *ops;
    const char *path;
    const struct sequence *names; /* the input files, whose names an output folder reuses; may be empty */
    struct fault *fault;
    struct media_format format;
    struct outlet outlet; /* closed between the files of a sequence */
    bool folder;
    bool pattern;
    uint64_t frames; /* completely written */
    void *swapped;   /* a frame with swapped bytes */
};

/* The kind that the extension of a path selects, or NONE. */
int writer_kind(const char *path);

/* True for the extension of a compressed format, which is not supported (".mp4", ".png"). */
bool writer_is_compressed(const char *path);

/* Make the format of frames of `from` when written as `kind`. False: they cannot be. */
bool writer_format(const struct media_format *from, int kind, struct media_format *format, const char *path,
                   struct fault *fault);

bool writer_open(struct writer *writer, const char *path, const struct media_format *format,
                 const struct sequence *names, struct fault *fault);
bool writer_write(struct writer *writer, uint64_t index, const struct frame *frame);

/* Close it; completed frames stay. False: it failed, the fault says why. */
bool writer_close(struct writer *writer);

extern const struct writer_ops y4m_writer;
extern const struct writer_ops pnm_writer;
extern const struct writer_ops pnm_sequence_writer;
extern const struct writer_ops raw_writer;

#endif
