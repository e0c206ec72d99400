/* Trireme: YUV4MPEG2: its first line.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/media/y4m.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- colours ---- */

struct sampling {
    const char *name; /* the beginning of the colours */
    uint32_t x, y;    /* pixels for each chroma sample; 0: no chroma */
};

static const struct sampling samplings[] = {
    {"420", 2, 2}, {"422", 2, 1}, {"444", 1, 1}, {"411", 4, 1}, {"440", 1, 2}, {"410", 4, 4}, {"mono", 0, 0},
};

/* Variants of 4:2:0, which differ in the position of chroma samples; the kernels do not depend on it. */
static const char *const variants_420[] = {"jpeg", "mpeg2", "paldv"};

static const struct sampling *find_sampling(const char *colour, const char **rest)
{
    for (size_t i = 0; i < sizeof(samplings) / sizeof(samplings[0]); i++) {
        size_t length = strlen(samplings[i].name);

        if (strncmp(colour, samplings[i].name, length) == 0) {
            *rest = colour + length;
            return &samplings[i];
        }
    }
    return NULL;
}

/* "" is 8, "p10" is 10; of mono without the p. 0: none. */
static uint32_t parse_bits(const char *text, bool mono)
{
    static const char *const depths[] = {"9", "10", "12", "14", "16"};
    static const uint32_t bits[]      = {9, 10, 12, 14, 16};

    if (*text == '\0')
        return 8;
    if (!mono && *text++ != 'p')
        return 0;
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
        if (strcmp(text, depths[i]) == 0)
            return bits[i];
    return 0;
}

static bool parse_colour(struct media_format *format)
{
    const char *rest                = NULL;
    const struct sampling *sampling = find_sampling(format->colour, &rest);
    bool alpha                      = false;
    uint32_t bits;

    if (!sampling)
        return false;
    if (strcmp(format->colour, "444alpha") == 0) {
        alpha = true;
        rest  = "";
    }
    for (size_t i = 0; strcmp(sampling->name, "420") == 0 && i < 3; i++)
        if (strcmp(rest, variants_420[i]) == 0)
            rest = "";
    bits = parse_bits(rest, sampling->x == 0);
    if (bits == 0)
        return false;
    format->type     = bits == 8 ? TRM_TYPE_U8 : TRM_TYPE_U16;
    format->maximum  = (UINT32_C(1) << bits) - 1;
    format->chroma_x = sampling->x;
    format->chroma_y = sampling->y;
    media_video_tracks(format, alpha);
    return true;
}

bool y4m_colour(const struct media_format *format, char colour[MEDIA_COLOUR])
{
    const struct media_track *track = &format->tracks[0];
    uint32_t bits                   = 0;

    while (bits < 16 && format->maximum >> bits != 0)
        bits++;
    if (format->track_count != 1 || track->channels != 1 || format->maximum != (UINT32_C(1) << bits) - 1)
        return false;
    if ((track->planes != 1 && track->planes != 3) ||
        (bits != 8 && bits != 9 && bits != 10 && bits != 12 && bits != 14 && bits != 16))
        return false;
    if (bits == 8)
        snprintf(colour, MEDIA_COLOUR, "%s", track->planes == 1 ? "mono" : "444");
    else
        snprintf(colour, MEDIA_COLOUR, "%s%u", track->planes == 1 ? "mono" : "444p", bits);
    return true;
}

/* ---- the line ---- */

/* 1 to 2^30. */
static bool parse_size(const char *text, size_t length, uint32_t *size)
{
    uint32_t value = 0;

    if (length == 0 || length > 10)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || value > (UINT32_C(1) << 30) / 10)
            return false;
        value = 10 * value + (uint32_t)(text[i] - '0');
    }
    *size = value;
    return value >= 1 && value <= UINT32_C(1) << 30;
}

/* Parse one parameter of the line. Returns NULL, or what is wrong. */
static const char *parse_parameter(const char *word, size_t length, struct media_format *format)
{
    switch (word[0]) {
    case 'W':
        return parse_size(word + 1, length - 1, &format->width) ? NULL
                                                                : "the width (W) is not a number from 1 on";
    case 'H':
        return parse_size(word + 1, length - 1, &format->height) ? NULL
                                                                 : "the height (H) is not a number from 1 on";
    case 'C':
        if (length - 1 >= MEDIA_COLOUR)
            return "the colours (C) are unknown";
        memcpy(format->colour, word + 1, length - 1);
        format->colour[length - 1] = '\0';
        return NULL;
    default:
        return NULL; /* rate, aspect, interlacing and unknown parameters are kept unchanged */
    }
}

static const char *parse_words(const char *line, struct media_format *format)
{
    const char *word = line;

    while (*word) {
        size_t length = strcspn(word, " ");
        const char *complaint;

        complaint = length > 0 ? parse_parameter(word, length, format) : NULL;
        if (complaint)
            return complaint;
        word += length + (word[length] == ' ');
    }
    if (format->width == 0 || format->height == 0)
        return "width (W) or height (H) is missing";
    return NULL;
}

bool y4m_parse(const char *line, struct media_format *format, const char *name, struct fault *fault)
{
    static const char magic[] = "YUV4MPEG2";
    const char *complaint;

    memset(format, 0, sizeof(*format));
    format->kind = MEDIA_Y4M;
    snprintf(format->colour, sizeof(format->colour), "420jpeg");
    if (strncmp(line, magic, sizeof(magic) - 1) != 0 ||
        (line[sizeof(magic) - 1] != ' ' && line[sizeof(magic) - 1]))
        return fault_set(fault, "%s: byte 0: no YUV4MPEG2 video", name);
    snprintf(format->header, sizeof(format->header), "%s", line);
    complaint = parse_words(line + sizeof(magic) - 1, format);
    if (complaint)
        return fault_set(fault, "%s: the first line: %s", name, complaint);
    if (!parse_colour(format))
        return fault_set(
            fault,
            "%s: the first line: unknown colours \"%s\"; there are 420, 420jpeg, 420mpeg2, 420paldv, 422, "
            "444, 411, 440, 410 and mono, with p10 and the like behind for more bits, and 444alpha",
            name, format->colour);
    return media_check_size(format, name, fault);
}

/* Adds to a line that may be full. */
static void add(char *line, size_t capacity, size_t *length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void add(char *line, size_t capacity, size_t *length, const char *format, ...)
{
    va_list arguments;
    int added;

    va_start(arguments, format);
    added = vsnprintf(line + (*length < capacity ? *length : capacity),
                      *length < capacity ? capacity - *length : 0, format, arguments);
    va_end(arguments);
    *length += (size_t)added;
}

/* Append the words of the input line, with the new size of the frames. */
static void add_words(const struct media_format *format, char *line, size_t capacity, size_t *length)
{
    const char *word = format->header;
    bool colour      = false;

    while (*word) {
        size_t size       = strcspn(word, " ");
        const char *blank = word == format->header ? "" : " ";

        if (word == format->header || size == 0 || !strchr("WHC", word[0]))
            add(line, capacity, length, "%s%.*s", blank, (int)size, word);
        else if (word[0] == 'W')
            add(line, capacity, length, " W%u", format->width);
        else if (word[0] == 'H')
            add(line, capacity, length, " H%u", format->height);
        else
            add(line, capacity, length, " C%s", format->colour);
        colour |= word != format->header && word[0] == 'C';
        word += size + (word[size] == ' ');
    }
    /* 420jpeg is the default, so it can be left out. */
    if (!colour && strcmp(format->colour, "420jpeg") != 0)
        add(line, capacity, length, " C%s", format->colour);
}

bool y4m_print(const struct media_format *format, char *line, size_t capacity)
{
    size_t length = 0;

    if (format->header[0])
        add_words(format, line, capacity, &length);
    else
        add(line, capacity, &length, "YUV4MPEG2 W%u H%u F%u:%u Ip A1:1 C%s", format->width, format->height,
            format->rate, format->rate_divisor, format->colour);
    add(line, capacity, &length, "\n");
    return length < capacity;
}
