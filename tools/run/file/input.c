/* Trireme: reading a file, pipe or terminal.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/file/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/output/output.h"

enum {
    /* The size limit of one read(): some systems refuse more than 2 GiB. */
    MOST_AT_ONCE = 1 << 30
};

static bool read_failed(const struct input *input, uint64_t place, struct fault *fault)
{
    return fault_set(fault, "%s: cannot be read at byte %" PRIu64 ": %s", input->name, place,
                     strerror(errno));
}

bool input_open(struct input *input, const char *path, struct fault *fault)
{
    struct stat state;
    off_t here;

    memset(input, 0, sizeof(*input));
    input->name       = strcmp(path, "-") == 0 ? "standard input" : path;
    input->descriptor = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (input->descriptor < 0 || fstat(input->descriptor, &state) != 0) {
        fault_set(fault, "%s: cannot be opened: %s", input->name, strerror(errno));
        input_close(input);
        return false;
    }
    if (S_ISDIR(state.st_mode)) {
        fault_set(fault, "%s: is a folder", input->name);
        input_close(input);
        return false;
    }
    /* Standard input may be a file that has been partly read. */
    here            = lseek(input->descriptor, 0, SEEK_CUR);
    input->regular  = S_ISREG(state.st_mode) && here >= 0;
    input->position = input->regular ? (uint64_t)here : 0;
    input->buffer   = output_allocate(1, INPUT_BUFFER);
    return true;
}

void input_close(struct input *input)
{
    if (input->descriptor >= 0)
        close(input->descriptor);
    free(input->buffer);
    input->descriptor = -1;
    input->buffer     = NULL;
}

/* Wait until a pipe is readable. False: interrupted. */
static bool wait_for_bytes(const struct input *input)
{
    struct pollfd ways[2] = {{.fd = input->descriptor, .events = POLLIN},
                             {.fd = interrupt_descriptor(), .events = POLLIN}};

    while (!interrupt_came()) {
        if (poll(ways, 2, -1) < 0 && errno != EINTR)
            return true; /* read() will report the error */
        if (ways[0].revents)
            return !interrupt_came();
    }
    return false;
}

/* One read() of a pipe, or one pread() of a file at the position after the buffer. 0 bytes: the end. */
static bool read_some(struct input *input, void *data, size_t size, size_t *got, struct fault *fault)
{
    uint64_t place = input->position + (input->end - input->begin);
    ssize_t count  = 0;

    *got = 0;
    if (input->ended)
        return true;
    if (size > MOST_AT_ONCE)
        size = MOST_AT_ONCE;
    do {
        if (input->regular) {
            count = pread(input->descriptor, data, size, (off_t)place);
        } else if (wait_for_bytes(input)) {
            count = read(input->descriptor, data, size);
        } else {
            count = 0;
        }
    } while (count < 0 && (errno == EINTR || errno == EAGAIN));
    if (count < 0)
        return read_failed(input, place, fault);
    if (count == 0)
        input->ended = !input->regular;
    *got = (size_t)count;
    return true;
}

bool input_peek(struct input *input, size_t wanted, size_t *got, struct fault *fault)
{
    if (input->begin > 0 && input->begin + wanted > INPUT_BUFFER) {
        memmove(input->buffer, input->buffer + input->begin, input->end - input->begin);
        input->end -= input->begin;
        input->begin = 0;
    }
    while (input->end - input->begin < wanted) {
        size_t more;

        if (!read_some(input, input->buffer + input->end, INPUT_BUFFER - input->end, &more, fault))
            return false;
        if (more == 0)
            break;
        input->end += more;
    }
    *got = input->end - input->begin < wanted ? input->end - input->begin : wanted;
    return true;
}

void input_take(struct input *input, size_t size)
{
    input->begin += size;
    input->position += size;
    if (input->begin == input->end)
        input->begin = input->end = 0;
}

bool input_read(struct input *input, void *data, uint64_t size, uint64_t *got, struct fault *fault)
{
    size_t buffered   = input->end - input->begin;
    unsigned char *to = data;

    *got = buffered < size ? buffered : size;
    if (*got > 0) {
        memcpy(to, input->buffer + input->begin, *got);
        input_take(input, *got);
    }
    while (*got < size) {
        size_t more;

        if (!read_some(input, to + *got, size - *got, &more, fault))
            return false;
        if (more == 0)
            return true;
        *got += more;
        input->position += more;
    }
    return true;
}

bool input_read_at(const struct input *input, uint64_t place, void *data, uint64_t size, struct fault *fault)
{
    unsigned char *to = data;
    uint64_t done     = 0;

    while (done < size) {
        uint64_t want = size - done > MOST_AT_ONCE ? MOST_AT_ONCE : size - done;
        ssize_t count = pread(input->descriptor, to + done, want, (off_t)(place + done));

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return read_failed(input, place + done, fault);
        if (count == 0)
            return fault_set(fault, "%s: became shorter while it was read: nothing at byte %" PRIu64,
                             input->name, place + done);
        done += (uint64_t)count;
    }
    return true;
}

bool input_left(const struct input *input, uint64_t *left, struct fault *fault)
{
    struct stat state;

    if (fstat(input->descriptor, &state) != 0)
        return read_failed(input, input->position, fault);
    *left = (uint64_t)state.st_size > input->position ? (uint64_t)state.st_size - input->position : 0;
    return true;
}

void input_skip(struct input *input, uint64_t size)
{
    size_t buffered = input->end - input->begin;

    if (size < buffered) {
        input_take(input, (size_t)size);
    } else {
        input->begin = input->end = 0;
        input->position += size;
    }
}
