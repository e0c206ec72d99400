/* What the files of the stand-in for NVRTC share.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STANDIN_NVRTC_H
#define CUDA_STANDIN_NVRTC_H

#pragma GCC visibility push(default)
#include <nvrtc.h>
#pragma GCC visibility pop

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text that grows. */
struct words {
    char *bytes; /* with a zero behind them; NULL while it is empty */
    size_t length, capacity;
    bool failed; /* no memory */
};

void words_add(struct words *words, const char *bytes, size_t length);
void words_print(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_clear(struct words *words);
/* The whole of a file is added; false: it cannot be read. */
bool words_read(struct words *words, const char *path);
bool words_write(const struct words *words, const char *path);

/* Where in the preprocessed text the caller's own begins and ends. */
#define NVRTC_BEGIN "#pragma standin_text_begins"
#define NVRTC_END "#pragma standin_text_ends"

/* The text with all that is not C++ rewritten, and the table of its kernels behind it. */
void nvrtc_rewrite(const struct words *text, unsigned int capability, struct words *rewritten);
/* An asm statement from its name on; *end is where it ends. False: it cannot be read. */
bool nvrtc_rewrite_asm(const char *text, const char **end, struct words *rewritten);
/* The first place from `at` on that is neither space nor of a string, a character or a directive; and where a
 * token ends. */
const char *nvrtc_skip_space(const char *at);
const char *nvrtc_token_end(const char *at);
/* Behind the bracket that closes the one at `at`; NULL: none does. */
const char *nvrtc_skip_brackets(const char *at);

struct nvrtc_request {
    const char *text, *name;
    int header_count;
    char **headers, **header_names;
    char **options; /* for the C++ compiler: -D and -I */
    int option_count;
    unsigned int capability;
    bool is_ptx;
};

/* The image, and what the compiler said. */
nvrtcResult nvrtc_build(const struct nvrtc_request *request, struct words *image, struct words *log);

#endif
