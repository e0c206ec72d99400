/* Trireme: where frames go: one file or pipe, or a sequence of files.
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
    const struct sequence
        *names; /* of the files that were read, whose names a folder takes over; may be empty */
    struct fault *fault;
    struct media_format format;
    struct outlet outlet; /* closed between the files of a sequence */
    bool folder;
    bool pattern;
    uint64_t frames; /* that were written whole */
    void *swapped;   /* a frame in the other order of bytes */
};

/* The kind that a path asks for by its ending, NONE when it does not. */
int writer_kind(const char *path);

/* Does it end as a compressed format does that is not written here (".mp4", ".png")? */
bool writer_is_compressed(const char *path);

/* Can frames of `from` be written as `kind`? Makes the format that they have then. */
bool writer_format(const struct media_format *from, int kind, struct media_format *format, const char *path,
                   struct fault *fault);

bool writer_open(struct writer *writer, const char *path, const struct media_format *format,
                 const struct sequence *names, struct fault *fault);
bool writer_write(struct writer *writer, uint64_t index, const struct frame *frame);

/* Close it; what was written stays. False: it could not be finished, the fault says why. */
bool writer_close(struct writer *writer);

extern const struct writer_ops y4m_writer;
extern const struct writer_ops pnm_writer;
extern const struct writer_ops pnm_sequence_writer;
extern const struct writer_ops raw_writer;

#endif
