/* Images: whether they are the backend's, or plain memory.
 * SPDX-License-Identifier: MIT
 */
#include "core/image/image_object.h"

#include <trireme/image.h>

#include "tests/unit/log_lines.h"
#include "tests/unit/runner.h"
#include "tests/unit/store.h"

static struct store store;
static struct trm_context *context;

static void open_store(void)
{
    context = store_context(NULL);
    store_prepare(&store, "store");
    store_open(&store, context);
}

static void close_store(void)
{
    store_close(&store);
    trm_context_destroy(context);
}

/* ---- a backend with images, which it does not look into -------------------------------------- */

static int32_t create_image(struct trm_backend_device *device, const struct trm_image_desc *desc,
                            struct trm_backend_image **image)
{
    (void)device;
    (void)desc;
    *image = (struct trm_backend_image *)&store;
    return TRM_OK;
}

static int32_t supports_all(struct trm_backend_device *device, int32_t type, int32_t format, uint32_t usage)
{
    (void)device;
    (void)type;
    (void)format;
    (void)usage;
    return TRM_OK;
}

static void destroy_image(struct trm_backend_image *image)
{
    (void)image;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static struct trm_image *make_image(void)
{
    const struct trm_image_desc desc = {.struct_size = sizeof(desc),
                                        .type        = TRM_IMAGE_2D,
                                        .format      = TRM_FORMAT_RGBA8_UNORM,
                                        .width       = 4,
                                        .height      = 4};
    struct trm_image *image          = NULL;
    ck_assert_int_eq(trm_image_create(store.device, &desc, &image), TRM_OK);
    return image;
}

START_TEST(the_log_tells_that_an_image_is_kept_as_plain_memory)
{
    char words[128];
    log_lines_begin(core_context_find(context));
    struct trm_image *image = make_image();
    snprintf(words, sizeof(words), " on %s: kept as plain memory of", store.core->id);
    ck_assert_uint_eq(log_lines_count("info", "image", "image ", words), 1);
    trm_image_destroy(image);
}
END_TEST

START_TEST(an_image_of_the_backends_is_not_said_to_be_plain_memory)
{
    store.backend.image.supports = supports_all;
    store.backend.image.create   = create_image;
    store.backend.image.destroy  = destroy_image;
    log_lines_begin(core_context_find(context));
    struct trm_image *image = make_image();
    ck_assert_uint_eq(log_lines_count("info", "image", "image ", "plain memory"), 0);
    ck_assert_uint_eq(log_lines_count("debug", "image", "image ", "created"), 1);
    trm_image_destroy(image);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("image");
    TCase *tests = tcase_create("image");

    tcase_add_checked_fixture(tests, open_store, close_store);
    tcase_add_test(tests, the_log_tells_that_an_image_is_kept_as_plain_memory);
    tcase_add_test(tests, an_image_of_the_backends_is_not_said_to_be_plain_memory);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
