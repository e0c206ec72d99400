/* Reading and writing of frames by `trireme run`: formats, refused headers, and corrupted files.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/folder.h"
#include "tests/unit/runner.h"
#include "tools/run/file/sequence.h"
#include "tools/run/media/reader.h"
#include "tools/run/media/writer.h"
#include "tools/run/media/y4m.h"

static struct fault fault;

static void set_up(void)
{
    fault_init(&fault);
    folder_make();
}

static void tear_down(void)
{
    folder_remove();
    fault_fini(&fault);
}

static void forget_fault(void)
{
    fault.text[0] = '\0';
}

/* What went wrong says this. */
static void assert_said(const char *part)
{
    ck_assert_msg(strstr(fault.text, part) != NULL, "\"%s\" is not in \"%s\"", part, fault.text);
}

/* ---- the first line of y4m ---- */

struct line {
    const char *text;
    int32_t type;
    uint32_t maximum;
    uint64_t bytes; /* of a frame */
};

static const struct line good_lines[] = {
    {"YUV4MPEG2 W4 H2", TRM_TYPE_U8, 255, 12},
    {"YUV4MPEG2 W4 H2 F30:1 Ip A1:1 C420jpeg", TRM_TYPE_U8, 255, 12},
    {"YUV4MPEG2 W4 H2 C420paldv XSOMETHING", TRM_TYPE_U8, 255, 12},
    {"YUV4MPEG2 H2 W4 C420mpeg2", TRM_TYPE_U8, 255, 12},
    {"YUV4MPEG2 W5 H3 C420", TRM_TYPE_U8, 255, 15 + 2 * 6},
    {"YUV4MPEG2 W5 H3 C422", TRM_TYPE_U8, 255, 15 + 2 * 9},
    {"YUV4MPEG2 W5 H3 C444", TRM_TYPE_U8, 255, 45},
    {"YUV4MPEG2 W5 H3 C411", TRM_TYPE_U8, 255, 15 + 2 * 6},
    {"YUV4MPEG2 W5 H3 Cmono", TRM_TYPE_U8, 255, 15},
    {"YUV4MPEG2 W5 H3 C444alpha", TRM_TYPE_U8, 255, 60},
    {"YUV4MPEG2 W4 H2 C420p10", TRM_TYPE_U16, 1023, 24},
    {"YUV4MPEG2 W4 H2 C422p10", TRM_TYPE_U16, 1023, 32},
    {"YUV4MPEG2 W4 H2 C444p12", TRM_TYPE_U16, 4095, 48},
    {"YUV4MPEG2 W4 H2 Cmono10", TRM_TYPE_U16, 1023, 16},
    {"YUV4MPEG2 W4 H2 C420p16", TRM_TYPE_U16, 65535, 24},
};

START_TEST(first_lines_say_how_large_frames_are)
{
    const struct line *line = &good_lines[_i];
    struct media_format format;

    ck_assert_msg(y4m_parse(line->text, &format, "x.y4m", &fault), "%s: %s", line->text, fault.text);
    ck_assert_int_eq(format.type, line->type);
    ck_assert_uint_eq(format.maximum, line->maximum);
    ck_assert_uint_eq(media_frame_bytes(&format), line->bytes);
}
END_TEST

START_TEST(first_lines_are_written_as_they_were_read)
{
    char text[MEDIA_HEADER + 64], wanted[MEDIA_HEADER];
    struct media_format format;

    ck_assert(y4m_parse(good_lines[_i].text, &format, "x.y4m", &fault));
    ck_assert(y4m_print(&format, text, sizeof(text)));
    snprintf(wanted, sizeof(wanted), "%s\n", good_lines[_i].text);
    /* Colours that were not named, and are not the ones that go without, are added. */
    ck_assert_str_eq(text, wanted);
}
END_TEST

START_TEST(another_size_replaces_the_old_one_alone)
{
    char text[MEDIA_HEADER + 64];
    struct media_format format;

    ck_assert(y4m_parse("YUV4MPEG2 W640 H480 F25:1 It A4:3 C422 XW9", &format, "x.y4m", &fault));
    format.width  = 32;
    format.height = 16;
    ck_assert(y4m_print(&format, text, sizeof(text)));
    ck_assert_str_eq(text, "YUV4MPEG2 W32 H16 F25:1 It A4:3 C422 XW9\n");
}
END_TEST

static const char *const bad_lines[][2] = {
    {"YUV4MPEG", "no YUV4MPEG2"},
    {"YUV4MPEG22 W4 H2", "no YUV4MPEG2"},
    {"YUV4MPEG2", "is missing"},
    {"YUV4MPEG2 W4", "is missing"},
    {"YUV4MPEG2 W0 H2", "the width"},
    {"YUV4MPEG2 W-4 H2", "the width"},
    {"YUV4MPEG2 W H2", "the width"},
    {"YUV4MPEG2 W4x H2", "the width"},
    {"YUV4MPEG2 W4 H99999999999", "the height"},
    {"YUV4MPEG2 W4 H4294967298", "the height"},
    {"YUV4MPEG2 W1073741824 H1073741824", "too large"},
    {"YUV4MPEG2 W65536 H65536", "too large"},
    {"YUV4MPEG2 W4 H2 C421", "unknown colours"},
    {"YUV4MPEG2 W4 H2 C420p11", "unknown colours"},
    {"YUV4MPEG2 W4 H2 C420p8x", "unknown colours"},
    {"YUV4MPEG2 W4 H2 C422jpeg", "unknown colours"},
    {"YUV4MPEG2 W4 H2 Cmonop10", "unknown colours"},
    {"YUV4MPEG2 W4 H2 C", "unknown colours"},
    {"YUV4MPEG2 W4 H2 C4444444444444444444444444444444444444444", "unknown"},
};

START_TEST(what_is_wrong_with_a_first_line_is_said)
{
    struct media_format format;

    ck_assert_msg(!y4m_parse(bad_lines[_i][0], &format, "x.y4m", &fault), "%s was accepted",
                  bad_lines[_i][0]);
    assert_said(bad_lines[_i][1]);
    assert_said("x.y4m");
}
END_TEST

/* ---- reading ---- */

struct frames {
    unsigned char bytes[4096];
    void *data[MEDIA_TRACKS];
    uint64_t size[MEDIA_TRACKS];
    char *note;
    struct frame frame;
};

/* Room for a frame of at most 4096 bytes. */
static bool make_room(struct frames *frames, const struct media_format *format)
{
    uint64_t used = 0;

    memset(frames, 0, sizeof(*frames));
    if (media_frame_bytes(format) > sizeof(frames->bytes))
        return false;
    for (uint32_t i = 0; i < format->track_count; i++) {
        frames->data[i] = frames->bytes + used;
        frames->size[i] = media_track_bytes(format, &format->tracks[i]);
        used += frames->size[i];
    }
    frames->frame = (struct frame){frames->data, frames->size, format->track_count, &frames->note};
    return true;
}

/* Read all frames of a file, or, with a pipe, of what it holds. How many there are; −1: it cannot be
 * opened. */
static int count_frames(const struct reader_request *request)
{
    struct reader reader;
    struct frames frames;
    int count = 0;

    if (!reader_open(&reader, request, &fault)) {
        ck_assert_msg(fault.text[0] != '\0', "it was refused without a word");
        return -1;
    }
    while (make_room(&frames, &reader.format)) {
        int answer = reader_read(&reader, (uint64_t)count, &frames.frame);

        free(frames.note);
        if (answer != READER_FRAME)
            break;
        count++;
        ck_assert_int_lt(count, 10000);
    }
    reader_close(&reader);
    return count;
}

static int count_frames_of(const char *name, const char *bytes, size_t size)
{
    struct reader_request request = {.path = folder_path(name)};

    folder_write_bytes(name, bytes, size);
    return count_frames(&request);
}

#define COUNT(name, text) count_frames_of(name, text, sizeof(text) - 1)

START_TEST(frames_with_and_without_parameters_are_read)
{
    ck_assert_int_eq(COUNT("a.y4m", "YUV4MPEG2 W2 H1 Cmono\nFRAME\nabFRAME Ixyz\ncdFRAME\nef"), 3);
    ck_assert_str_eq(fault.text, "");
    ck_assert_int_eq(COUNT("b.y4m", "YUV4MPEG2 W2 H1 Cmono\n"), 0);
    ck_assert_str_eq(fault.text, "");
}
END_TEST

START_TEST(a_frame_that_is_cut_short_is_told_with_its_place)
{
    ck_assert_int_eq(COUNT("a.y4m", "YUV4MPEG2 W2 H1 Cmono\nFRAME\nabFRAME\nc"), 1);
    assert_said("a.y4m: cut short: frame 1");
    assert_said("byte 36, has 1 of 2 bytes");
    forget_fault();
    ck_assert_int_eq(COUNT("b.y4m", "YUV4MPEG2 W2 H1 Cmono\nFRAME\nabFRA"), 1);
    assert_said("the line of frame 1 is cut short");
    forget_fault();
    ck_assert_int_eq(COUNT("c.y4m", "YUV4MPEG2 W2 H1 Cmono\nFRAME\nabFRAMED\ncd"), 1);
    assert_said("byte 30: frame 1 does not begin with");
    forget_fault();
    ck_assert_int_eq(COUNT("d.y4m", "YUV4MPEG2 W2 H1"), -1);
    assert_said("cut short");
}
END_TEST

START_TEST(images_are_read_with_comments_and_one_after_the_other)
{
    ck_assert_int_eq(COUNT("a.pgm", "P5 2 1 255\nab"), 1);
    ck_assert_int_eq(COUNT("b.pgm", "P5\n# made by hand\n2 1 # two\n255\nabP5 2 1 255\ncd\nP5 2 1 255 ef"),
                     3);
    ck_assert_int_eq(COUNT("c.ppm", "P6 1 1 255\nabcP6 1 1 255\ndef"), 2);
    ck_assert_int_eq(COUNT("d.pgm", "P5 2 1 65535\nabcd"), 1);
    ck_assert_str_eq(fault.text, "");
}
END_TEST

static const char *const bad_images[][2] = {
    {"P5", "cut short"},
    {"P5 2", "cut short"},
    {"P5 2 1", "cut short"},
    {"P5 2 1 255", "cut short"},
    {"P5 0 1 255\n", "the width"},
    {"P5 2 x 255\n", "the height"},
    {"P5 2 1 0\nab", "the maximum"},
    {"P5 2 1 65536\nab", "the maximum"},
    {"P5 4294967297 1 255\nab", "the width"},
    {"P5 99999 99999 255\nab", "too large"},
    {"P4 2 1\na", "only P5"},
    {"P3 2 1 255\n1 2", "only P5"},
    {"hello, world", "neither"},
    {"", "is empty"},
};

START_TEST(what_is_wrong_with_an_image_is_said)
{
    struct reader_request request = {.path = folder_path("a.pgm")};

    folder_write("a.pgm", bad_images[_i][0]);
    ck_assert_int_le(count_frames(&request), 0);
    assert_said(bad_images[_i][1]);
}
END_TEST

START_TEST(images_of_different_sizes_do_not_follow_each_other)
{
    ck_assert_int_eq(COUNT("a.pgm", "P5 2 1 255\nabP5 1 2 255\ncd"), 1);
    assert_said("frame 1 is 1x2");
}
END_TEST

START_TEST(samples_of_two_bytes_are_turned_around)
{
    struct reader_request request = {.path = folder_path("a.pgm")};
    struct reader reader;
    struct frames frames;

    folder_write_bytes("a.pgm", "P5 1 1 1023\n\x01\x02", 14);
    ck_assert(reader_open(&reader, &request, &fault));
    ck_assert(make_room(&frames, &reader.format));
    ck_assert_int_eq(reader_read(&reader, 0, &frames.frame), READER_FRAME);
    ck_assert_uint_eq(*(uint16_t *)frames.data[0], 0x0102);
    reader_close(&reader);
}
END_TEST

START_TEST(the_last_batch_of_numbers_may_be_shorter_but_not_cut_through)
{
    struct reader_request request = {
        .path = folder_path("a.raw"), .kind = MEDIA_RAW, .type = TRM_TYPE_F32, .batch = 8};

    folder_write("a.raw", "aaaabbbbcccc");
    ck_assert_int_eq(count_frames(&request), 2);
    ck_assert_str_eq(fault.text, "");
    folder_write("a.raw", "aaaabbbbcccccc");
    ck_assert_int_eq(count_frames(&request), 1);
    assert_said("byte 12");
}
END_TEST

/* ---- sequences ---- */

START_TEST(patterns_have_one_place_for_a_number)
{
    char *path;

    ck_assert(sequence_is_pattern("frame%d.ppm"));
    ck_assert(sequence_is_pattern("100%% of %04d.ppm"));
    ck_assert(!sequence_is_pattern("frame.ppm"));
    ck_assert(!sequence_is_pattern("%d/%d.ppm"));
    ck_assert(!sequence_is_pattern("%s.ppm"));
    ck_assert(!sequence_is_pattern("%n%d"));
    ck_assert(!sequence_is_pattern("%0999999999999d"));
    ck_assert(!sequence_is_pattern("%"));
    path = sequence_path("a%%%04d.ppm", 7);
    ck_assert_str_eq(path, "a%0007.ppm");
    free(path);
}
END_TEST

START_TEST(a_folder_is_read_in_the_order_of_its_numbers)
{
    struct sequence sequence;

    folder_sub("images");
    folder_write("images/f10.ppm", "");
    folder_write("images/f9.ppm", "");
    folder_write("images/notes.txt", "");
    ck_assert(sequence_find(&sequence, folder_path("images"), &fault));
    ck_assert_uint_eq(sequence.count, 2);
    ck_assert_ptr_nonnull(strstr(sequence.paths[0], "f9.ppm"));
    sequence_release(&sequence);
    folder_sub("empty");
    ck_assert(!sequence_find(&sequence, folder_path("empty"), &fault));
    assert_said("has no file");
}
END_TEST

START_TEST(a_pattern_begins_with_the_first_number_there_is)
{
    struct sequence sequence;

    folder_write("f2.ppm", "");
    folder_write("f3.ppm", "");
    folder_write("f5.ppm", "");
    ck_assert(sequence_find(&sequence, folder_path("f%d.ppm"), &fault));
    ck_assert_uint_eq(sequence.count, 2);
    ck_assert_uint_eq(sequence.first, 2);
    sequence_release(&sequence);
    ck_assert(!sequence_find(&sequence, folder_path("g%d.ppm"), &fault));
    assert_said("no file of such a name");
}
END_TEST

/* ---- writing ---- */

START_TEST(frames_can_be_written_where_the_format_holds_them)
{
    struct media_format from, to;

    ck_assert(y4m_parse("YUV4MPEG2 W4 H2 Cmono10", &from, "x", &fault));
    ck_assert(writer_format(&from, MEDIA_PNM, &to, "y.pgm", &fault));
    ck_assert_uint_eq(to.maximum, 1023);
    ck_assert(writer_format(&from, MEDIA_RAW, &to, "y.raw", &fault));
    ck_assert(y4m_parse("YUV4MPEG2 W4 H2 C420", &from, "x", &fault));
    ck_assert(!writer_format(&from, MEDIA_PNM, &to, "y.ppm", &fault));
    assert_said("cannot be written as pnm");
}
END_TEST

START_TEST(the_ending_says_the_format)
{
    ck_assert_int_eq(writer_kind("a.y4m"), MEDIA_Y4M);
    ck_assert_int_eq(writer_kind("a.PPM"), MEDIA_PNM);
    ck_assert_int_eq(writer_kind("folder/"), MEDIA_PNM);
    ck_assert_int_eq(writer_kind("a.f32"), MEDIA_RAW);
    ck_assert_int_eq(writer_kind("-"), MEDIA_NONE);
    ck_assert_int_eq(writer_kind("a.txt"), MEDIA_NONE);
}
END_TEST

/* ---- corrupted files ---- */

static uint32_t random_state;

static uint32_t random_below(uint32_t end)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % end;
}

/* Change some bytes, mostly of the header; cut or lengthen now and then. */
static size_t mutate(char *bytes, size_t size, size_t capacity)
{
    static const char likely[] = "0123456789 \nWHCFP#-xp%";

    for (uint32_t i = random_below(4) + 1; i > 0; i--) {
        size_t at = random_below(random_below(4) ? 40 : (uint32_t)size);

        if (at >= size)
            continue;
        switch (random_below(5)) {
        case 0:
            bytes[at] = (char)random_below(256);
            break;
        case 1:
            bytes[at] = likely[random_below(sizeof(likely) - 1)];
            break;
        case 2:
            memmove(bytes + at, bytes + at + 1, size - at - 1);
            size--;
            break;
        case 3:
            if (size < capacity) {
                memmove(bytes + at + 1, bytes + at, size - at);
                bytes[at] = likely[random_below(sizeof(likely) - 1)];
                size++;
            }
            break;
        default:
            if (random_below(8) == 0)
                size = at + 1;
        }
    }
    return size;
}

static const char *const seeds[] = {
    "YUV4MPEG2 W4 H2 F30:1 Ip A1:1 C420jpeg XYSCSS=420JPEG\nFRAME\nabcdefghijklFRAME Ix\nabcdefghijkl",
    "YUV4MPEG2 W2 H2 C422p10\nFRAME\nabcdefghijklmnop",
    "P5\n# c\n4 2\n255\nabcdefghP5 4 2 255\nabcdefgh",
    "P6 2 2 1023\nabcdefghijklabcdefghijkl",
};

/* Reads the bytes through a pipe. */
static void read_from_pipe(const char *bytes, size_t size)
{
    struct reader_request request = {.path = "-"};
    int ends[2], before = dup(STDIN_FILENO);

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], bytes, size), (ssize_t)size);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    count_frames(&request);
    close(ends[0]);
    dup2(before, STDIN_FILENO);
    close(before);
}

START_TEST(broken_files_are_read_or_refused_and_nothing_else)
{
    const char *seed = seeds[_i];
    char bytes[512];

    for (uint32_t round = 0; round < 1500; round++) {
        size_t size  = strlen(seed);
        random_state = round + 1;
        memcpy(bytes, seed, size);
        size = mutate(bytes, size, sizeof(bytes));
        forget_fault();
        if (round % 2 == 0) {
            read_from_pipe(bytes, size);
        } else {
            struct reader_request request = {.path = folder_path("broken")};

            folder_write_bytes("broken", bytes, size);
            count_frames(&request);
        }
    }
}
END_TEST

#define LENGTH(array) (int)(sizeof(array) / sizeof((array)[0]))

int main(void)
{
    Suite *suite = suite_create("frames of trireme run");
    TCase *tests = tcase_create("files");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, first_lines_say_how_large_frames_are, 0, LENGTH(good_lines));
    tcase_add_loop_test(tests, first_lines_are_written_as_they_were_read, 0, LENGTH(good_lines));
    tcase_add_test(tests, another_size_replaces_the_old_one_alone);
    tcase_add_loop_test(tests, what_is_wrong_with_a_first_line_is_said, 0, LENGTH(bad_lines));
    tcase_add_test(tests, frames_with_and_without_parameters_are_read);
    tcase_add_test(tests, a_frame_that_is_cut_short_is_told_with_its_place);
    tcase_add_test(tests, images_are_read_with_comments_and_one_after_the_other);
    tcase_add_loop_test(tests, what_is_wrong_with_an_image_is_said, 0, LENGTH(bad_images));
    tcase_add_test(tests, images_of_different_sizes_do_not_follow_each_other);
    tcase_add_test(tests, samples_of_two_bytes_are_turned_around);
    tcase_add_test(tests, the_last_batch_of_numbers_may_be_shorter_but_not_cut_through);
    tcase_add_test(tests, patterns_have_one_place_for_a_number);
    tcase_add_test(tests, a_folder_is_read_in_the_order_of_its_numbers);
    tcase_add_test(tests, a_pattern_begins_with_the_first_number_there_is);
    tcase_add_test(tests, frames_can_be_written_where_the_format_holds_them);
    tcase_add_test(tests, the_ending_says_the_format);
    tcase_add_loop_test(tests, broken_files_are_read_or_refused_and_nothing_else, 0, LENGTH(seeds));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
