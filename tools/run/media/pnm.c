/* Trireme: PGM and PPM: the header.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/media/pnm.h"

#include <ctype.h>
#include <endian.h>
#include <inttypes.h>
#include <string.h>

enum {
    END_OF_INPUT = -1,
    FAILED       = -2,
};

/* The next byte, or END_OF_INPUT or FAILED. */
static int see(struct input *input, struct fault *fault)
{
    size_t got;

    if (!input_peek(input, 1, &got, fault))
        return FAILED;
    return got == 1 ? input->buffer[input->begin] : END_OF_INPUT;
}

/* White space and comments. */
static void skip_blanks(struct input *input, struct fault *fault)
{
    bool comment = false;

    for (int byte = see(input, fault); byte >= 0; byte = see(input, fault)) {
        if (comment)
            comment = byte != '\n';
        else if (byte == '#')
            comment = true;
        else if (!isspace(byte))
            return;
        input_take(input, 1);
    }
}

/* A number from 1 to `most`. */
static bool take_number(struct input *input, uint32_t most, const char *what, uint32_t *number,
                        struct fault *fault)
{
    uint64_t value = 0;
    int byte;

    skip_blanks(input, fault);
    for (byte = see(input, fault); byte >= '0' && byte <= '9' && value <= most; byte = see(input, fault)) {
        value = 10 * value + (uint64_t)(byte - '0');
        input_take(input, 1);
    }
    if (byte == FAILED)
        return false;
    if (byte == END_OF_INPUT)
        return fault_set(fault, "%s: cut short at byte %" PRIu64 ", in the header of an image", input->name,
                         input->position);
    if (value < 1 || value > most || !(isspace(byte) || byte == '#'))
        return fault_set(fault, "%s: byte %" PRIu64 ": the %s of an image is not a number from 1 to %" PRIu32,
                         input->name, input->position, what, most);
    *number = (uint32_t)value;
    return true;
}

static int take_magic(struct input *input, uint32_t *channels, struct fault *fault)
{
    const unsigned char *magic;
    size_t got;

    skip_blanks(input, fault); /* some programs write a line end after an image */
    if (!input_peek(input, 2, &got, fault))
        return PNM_BAD;
    if (got == 0)
        return PNM_END;
    magic = input->buffer + input->begin;
    if (got < 2 || magic[0] != 'P' || (magic[1] != '5' && magic[1] != '6')) {
        fault_set(fault,
                  got == 2 && magic[0] == 'P' && magic[1] >= '1' && magic[1] <= '7'
                      ? "%s: byte %" PRIu64 ": of PNM only P5 (gray) and P6 (RGB) are read"
                      : "%s: byte %" PRIu64 ": no image begins here",
                  input->name, input->position);
        return PNM_BAD;
    }
    *channels = magic[1] == '5' ? 1 : 3;
    input_take(input, 2);
    return PNM_READ;
}

int pnm_take_header(struct input *input, struct media_format *format, struct fault *fault)
{
    uint32_t channels = 0;
    int answer        = take_magic(input, &channels, fault);

    if (answer != PNM_READ)
        return answer;
    memset(format, 0, sizeof(*format));
    format->kind = MEDIA_PNM;
    if (!take_number(input, UINT32_C(1) << 30, "width", &format->width, fault) ||
        !take_number(input, UINT32_C(1) << 30, "height", &format->height, fault) ||
        !take_number(input, 65535, "maximum", &format->maximum, fault))
        return PNM_BAD;
    input_take(input, 1); /* the one white space that ends the header */
    format->type         = format->maximum < 256 ? TRM_TYPE_U8 : TRM_TYPE_U16;
    format->rate         = 25;
    format->rate_divisor = 1;
    media_pixel_track(format, channels);
    return media_check_size(format, input->name, fault) ? PNM_READ : PNM_BAD;
}

bool pnm_take_end(struct input *input, struct fault *fault)
{
    uint32_t channels;

    switch (take_magic(input, &channels, fault)) {
    case PNM_END:
        return true;
    case PNM_READ:
        return fault_set(fault,
                         "%s: byte %" PRIu64 ": a second image begins here, but a file of a folder or a "
                         "numbered file holds one image; a file with several is read by itself",
                         input->name, input->position - 2);
    default:
        return false;
    }
}

void pnm_swap(void *to, const void *from, uint64_t bytes)
{
    const unsigned char *source = from;
    unsigned char *target       = to;

    for (uint64_t i = 0; i + 1 < bytes; i += 2) {
        uint16_t sample;

        memcpy(&sample, source + i, sizeof(sample));
        sample = be16toh(sample);
        memcpy(target + i, &sample, sizeof(sample));
    }
}
