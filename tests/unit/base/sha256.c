/* SHA-256 against the examples of FIPS 180-4.
 * SPDX-License-Identifier: MIT
 */
#include "base/sha256.h"

#include <string.h>

#include "tests/unit/runner.h"

static const char *text_of(const void *bytes, size_t size)
{
    static char text[2 * BASE_SHA256_BYTES + 1];
    uint8_t digest[BASE_SHA256_BYTES];
    struct base_sha256 hash;

    base_sha256_init(&hash);
    base_sha256_update(&hash, bytes, size);
    base_sha256_final(&hash, digest);
    base_sha256_text(digest, text);
    return text;
}

START_TEST(the_examples_of_the_standard_come_out)
{
    ck_assert_str_eq(text_of("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    ck_assert_str_eq(text_of("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ck_assert_str_eq(text_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
                     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    ck_assert_str_eq(
        text_of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
                "lmnopqrsmnopqrstnopqrstu",
                112),
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}
END_TEST

START_TEST(a_million_letters_come_out)
{
    static char letters[1000000];

    memset(letters, 'a', sizeof(letters));
    ck_assert_str_eq(text_of(letters, sizeof(letters)),
                     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

START_TEST(it_does_not_matter_in_which_pieces_bytes_come)
{
    uint8_t bytes[200], whole[BASE_SHA256_BYTES], pieces[BASE_SHA256_BYTES];
    struct base_sha256 hash;

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 7);
    for (size_t size = 0; size <= sizeof(bytes); size++) {
        base_sha256_init(&hash);
        base_sha256_update(&hash, bytes, size);
        base_sha256_final(&hash, whole);
        for (size_t cut = 0; cut <= size; cut++) {
            base_sha256_init(&hash);
            base_sha256_update(&hash, bytes, cut);
            base_sha256_update(&hash, bytes + cut, size - cut);
            base_sha256_final(&hash, pieces);
            ck_assert_mem_eq(whole, pieces, sizeof(whole));
        }
    }
}
END_TEST

START_TEST(a_single_bit_changes_the_digest)
{
    char one[65];
    uint8_t byte = 0x40;

    memcpy(one, text_of(&byte, 1), sizeof(one));
    byte = 0x41;
    ck_assert_str_ne(one, text_of(&byte, 1));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("sha256");
    TCase *cases = tcase_create("sha256");

    tcase_add_test(cases, the_examples_of_the_standard_come_out);
    tcase_add_test(cases, a_million_letters_come_out);
    tcase_add_test(cases, it_does_not_matter_in_which_pieces_bytes_come);
    tcase_add_test(cases, a_single_bit_changes_the_digest);
    suite_add_tcase(suite, cases);
    return suite;
}

UNIT_SUITE(make_suite)
