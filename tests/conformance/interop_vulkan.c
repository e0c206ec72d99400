/* A program that uses Vulkan itself: native handles in its own calls, and its own VkDevice under the
 * library's.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "raw_vulkan.h"

#include <pthread.h>
#include <trireme/interop.h>

#define SIZE 70000u

/* ---- handles out ---- */

/* The program copies out of the library's memory with a queue and a semaphore of the library's. */
START_TEST(native_handles_work_in_calls_of_vulkan)
{
    struct raw_vulkan raw;
    struct raw_buffer copy;
    struct trm_point point;
    uint64_t queue = 0, family = 0, semaphore = 0, memory = 0, offset = 0;
    if (!raw_of(the.device, &raw))
        return;
    struct trm_buffer *small[3];
    for (int i = 0; i < 3; i++)
        small[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    put_pattern(the.stream, buffer, SIZE, 1);
    ck_ok(trm_stream_native(the.stream, TRM_NATIVE_VULKAN_QUEUE, &queue));
    ck_ok(trm_stream_native(the.stream, TRM_NATIVE_VULKAN_QUEUE_FAMILY, &family));
    ck_ok(trm_stream_native(the.stream, TRM_NATIVE_VULKAN_SEMAPHORE, &semaphore));
    ck_ok(trm_buffer_native(buffer, TRM_NATIVE_VULKAN_BUFFER, &memory, &offset));

    raw_buffer_make(&raw, SIZE, &copy);
    ck_ok(trm_fill(the.stream, trm_span_of(buffer, 0, 1000), 0x5A, 1));
    ck_ok(trm_stream_mark(the.stream, &point));
    ck_ok(trm_stream_flush(the.stream));
    raw_copy_after(&raw, (VkQueue)(uintptr_t)queue, (uint32_t)family, (VkSemaphore)(uintptr_t)semaphore,
                   point.value, (VkBuffer)(uintptr_t)memory, offset, copy.buffer, SIZE);
    uint8_t *wanted = malloc(SIZE);
    pattern_make(wanted, SIZE, 1);
    memset(wanted, 0x5A, 1000);
    ck_assert_mem_eq(copy.mapped, wanted, SIZE);
    free(wanted);
    ck_ok(trm_stream_sync(the.stream));
    raw_buffer_end(&raw, &copy);
    for (int i = 0; i < 3; i++)
        trm_buffer_destroy(small[i]);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(the_semaphore_of_a_stream_shows_the_values_of_its_points)
{
    struct raw_vulkan raw;
    uint64_t semaphore = 0, counter = 0;
    if (!raw_of(the.device, &raw))
        return;
    RAW(&raw, vkGetSemaphoreCounterValue);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    ck_ok(trm_stream_native(the.stream, TRM_NATIVE_VULKAN_SEMAPHORE, &semaphore));
    for (int i = 0; i < 5; i++) {
        struct trm_point point;
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 1));
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_point_wait(point, TRM_FOREVER));
        ck_vulkan(vkGetSemaphoreCounterValue(raw.device, (VkSemaphore)(uintptr_t)semaphore, &counter));
        ck_assert_uint_ge(counter, point.value);
    }
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- a device in ---- */

/* How often the queues were locked and unlocked, and whether by two at once. */
struct queue_lock {
    pthread_mutex_t lock;
    _Atomic uint32_t taken, given, wrong;
    uint32_t family, count;
};

static void lock_queue(void *user, uint32_t family, uint32_t index)
{
    struct queue_lock *lock = user;
    pthread_mutex_lock(&lock->lock);
    lock->taken++;
    lock->wrong += family != lock->family || index >= lock->count;
}

static void unlock_queue(void *user, uint32_t family, uint32_t index)
{
    struct queue_lock *lock = user;
    lock->given++;
    lock->wrong += family != lock->family || index >= lock->count;
    pthread_mutex_unlock(&lock->lock);
}

/* What describes the device; it points to `queues` and `raw`. */
static struct trm_vulkan_device describe(const struct raw_vulkan *raw, struct trm_vulkan_queues *queues)
{
    *queues = (struct trm_vulkan_queues){.family = raw->family, .count = raw->queue_count};
    return (struct trm_vulkan_device){
        .struct_size            = sizeof(struct trm_vulkan_device),
        .queue_count            = 1,
        .get_instance_proc_addr = (void *)(uintptr_t)raw->get_proc,
        .instance               = raw->instance,
        .physical_device        = raw->physical_device,
        .device                 = raw->device,
        .queues                 = queues,
        .extensions             = raw->extensions,
        .extension_count        = raw->extension_count,
        .features               = &raw->features,
    };
}

/* The name under which the context knows the backend. */
static const char *backend_name(char *name, size_t capacity)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    ck_ok(trm_device_describe(the.context, 0, &summary));
    snprintf(name, capacity, "%.*s", (int)strcspn(summary.id, ":"), summary.id);
    return name;
}

static bool open_raw(struct raw_vulkan *raw)
{
    struct raw_vulkan theirs;
    if (!raw_of(the.device, &theirs))
        return false;
    raw_open(raw, the.device);
    return true;
}

static struct trm_device *adopt(const struct trm_vulkan_device *given)
{
    struct trm_device *device = NULL;
    char name[64];
    ck_ok(trm_device_adopt(the.context, backend_name(name, sizeof(name)), TRM_NATIVE_DEVICE_VULKAN, given,
                           &device));
    return device;
}

static void use(struct trm_device *device)
{
    struct trm_stream *stream = NULL, *other = NULL;
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_stream_create(device, TRM_STREAM_UPLOAD, TRM_PRIORITY_HIGH, &other));
    struct trm_buffer *a = make_buffer(device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *b = make_buffer(device, TRM_MEMORY_PINNED, SIZE);
    struct trm_point uploaded;
    put_pattern(other, a, SIZE, 4);
    ck_ok(trm_stream_mark(other, &uploaded));
    ck_ok(trm_stream_wait(stream, uploaded));
    ck_ok(trm_copy(stream, trm_span_whole(b ? b : a), trm_span_whole(a)));
    ck_buffer_pattern(stream, b ? b : a, SIZE, 4);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
}

START_TEST(a_device_of_the_programs_own_works_like_one_of_the_librarys)
{
    struct raw_vulkan raw;
    struct trm_vulkan_queues queues;
    struct queue_lock lock = {.lock = PTHREAD_MUTEX_INITIALIZER};
    uint64_t handle        = 0;
    if (!open_raw(&raw))
        return;
    lock.family                    = raw.family;
    lock.count                     = raw.queue_count;
    struct trm_vulkan_device given = describe(&raw, &queues);
    given.lock_queue               = lock_queue;
    given.unlock_queue             = unlock_queue;
    given.user                     = &lock;
    struct trm_device *device      = adopt(&given);
    ck_ok(trm_device_native(device, TRM_NATIVE_VULKAN_DEVICE, &handle));
    ck_assert_uint_eq(handle, (uintptr_t)raw.device);
    ck_ok(trm_device_native(device, TRM_NATIVE_VULKAN_INSTANCE, &handle));
    ck_assert_uint_eq(handle, (uintptr_t)raw.instance);
    ck_ok(trm_device_native(device, TRM_NATIVE_VULKAN_PHYSICAL_DEVICE, &handle));
    ck_assert_uint_eq(handle, (uintptr_t)raw.physical_device);
    use(device);
    trm_device_destroy(device);
    ck_assert_uint_gt(lock.taken, 0);
    ck_assert_uint_eq(lock.taken, lock.given);
    ck_assert_uint_eq(lock.wrong, 0);
    raw_close(&raw);
}
END_TEST

START_TEST(kernels_run_on_a_device_of_the_programs_own)
{
    struct raw_vulkan raw;
    struct trm_vulkan_queues queues;
    if (kernels_missing() || !open_raw(&raw))
        return;
    struct trm_vulkan_device given = describe(&raw, &queues);
    struct trm_device *device      = adopt(&given);
    struct trm_stream *stream      = NULL;
    uint32_t numbers[1000];
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    struct trm_module *module = load_kernels(device);
    struct trm_kernel *affine = NULL;
    ck_ok(trm_kernel_get(module, "affine", &affine));
    struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, sizeof(numbers));
    for (uint32_t i = 0; i < 1000; i++)
        numbers[i] = i;
    put(stream, buffer, 0, numbers, sizeof(numbers));
    ck_ok(launch_affine_with(stream, affine, buffer, 1000, 3, 7));
    get(stream, buffer, 0, numbers, sizeof(numbers));
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(numbers[i], i * 3 + 7);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(affine);
    trm_module_destroy(module);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    raw_close(&raw);
}
END_TEST

START_TEST(a_device_of_the_programs_own_outlives_the_librarys_and_can_be_adopted_again)
{
    struct raw_vulkan raw;
    struct trm_vulkan_queues queues;
    if (!open_raw(&raw))
        return;
    for (int i = 0; i < 3; i++) {
        struct trm_vulkan_device given = describe(&raw, &queues);
        given.features                 = i == 1 ? NULL : given.features;
        given.extension_count          = i == 2 ? 0 : given.extension_count;
        struct trm_device *device      = adopt(&given);
        use(device);
        trm_device_destroy(device);
    }
    raw_close(&raw);
}
END_TEST

START_TEST(memory_of_an_adopted_device_can_be_used_by_the_program)
{
    struct raw_vulkan raw;
    struct raw_buffer copy;
    struct trm_vulkan_queues queues;
    struct trm_point point;
    uint64_t queue = 0, semaphore = 0, memory = 0, offset = 0;
    if (!open_raw(&raw))
        return;
    struct trm_vulkan_device given = describe(&raw, &queues);
    struct trm_device *device      = adopt(&given);
    struct trm_stream *stream      = NULL;
    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, SIZE);
    put_pattern(stream, buffer, SIZE, 8);
    ck_ok(trm_stream_mark(stream, &point));
    ck_ok(trm_stream_flush(stream));
    ck_ok(trm_stream_native(stream, TRM_NATIVE_VULKAN_QUEUE, &queue));
    ck_ok(trm_stream_native(stream, TRM_NATIVE_VULKAN_SEMAPHORE, &semaphore));
    ck_ok(trm_buffer_native(buffer, TRM_NATIVE_VULKAN_BUFFER, &memory, &offset));
    raw_buffer_make(&raw, SIZE, &copy);
    raw_copy_after(&raw, (VkQueue)(uintptr_t)queue, raw.family, (VkSemaphore)(uintptr_t)semaphore,
                   point.value, (VkBuffer)(uintptr_t)memory, offset, copy.buffer, SIZE);
    ck_pattern(copy.mapped, SIZE, 8);
    raw_buffer_end(&raw, &copy);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    raw_close(&raw);
}
END_TEST

/* ---- images of the program's own ---- */

enum {
    IMAGE_WIDTH  = 24,
    IMAGE_HEIGHT = 10,
    IMAGE_BYTES  = IMAGE_WIDTH * IMAGE_HEIGHT * 4
};

struct raw_image {
    VkImage image;
    VkDeviceMemory memory;
};

/* Of r32ui, with two levels, for every use that the library has. */
static void raw_image_make(const struct raw_vulkan *raw, struct raw_image *made)
{
    VkImageCreateInfo info = {
        .sType       = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType   = VK_IMAGE_TYPE_2D,
        .format      = VK_FORMAT_R32_UINT,
        .extent      = {IMAGE_WIDTH, IMAGE_HEIGHT, 1},
        .mipLevels   = 2,
        .arrayLayers = 1,
        .samples     = VK_SAMPLE_COUNT_1_BIT,
        .usage       = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
        .sharingMode = raw->family_count > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = raw->family_count,
        .pQueueFamilyIndices   = raw->families,
    };
    VkMemoryRequirements required;
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    RAW(raw, vkCreateImage);
    RAW(raw, vkGetImageMemoryRequirements);
    RAW(raw, vkAllocateMemory);
    RAW(raw, vkBindImageMemory);
    ck_vulkan(vkCreateImage(raw->device, &info, NULL, &made->image));
    vkGetImageMemoryRequirements(raw->device, made->image, &required);
    ck_assert_uint_ne(required.memoryTypeBits, 0);
    memory.allocationSize  = required.size;
    memory.memoryTypeIndex = (uint32_t)__builtin_ctz(required.memoryTypeBits);
    ck_vulkan(vkAllocateMemory(raw->device, &memory, NULL, &made->memory));
    ck_vulkan(vkBindImageMemory(raw->device, made->image, made->memory, 0));
}

static void raw_image_end(const struct raw_vulkan *raw, const struct raw_image *made)
{
    RAW(raw, vkDestroyImage);
    RAW(raw, vkFreeMemory);
    vkDestroyImage(raw->device, made->image, NULL);
    vkFreeMemory(raw->device, made->memory, NULL);
}

static const struct trm_image_desc raw_image_desc = {
    .struct_size = sizeof(raw_image_desc),
    .type        = TRM_IMAGE_2D,
    .format      = TRM_FORMAT_R32_UINT,
    .usage       = (uint32_t)TRM_IMAGE_STORAGE | (uint32_t)TRM_IMAGE_SAMPLED,
    .width       = IMAGE_WIDTH,
    .height      = IMAGE_HEIGHT,
    .levels      = 2,
};

static struct trm_image *adopt_image(const struct raw_image *made, VkImageLayout layout)
{
    struct trm_image *image = NULL;
    uint64_t native         = 0;
    ck_ok(trm_image_adopt(the.device, &raw_image_desc, TRM_NATIVE_VULKAN_IMAGE,
                          (uint64_t)(uintptr_t)made->image, (int32_t)layout, &image));
    ck_ok(trm_image_native(image, TRM_NATIVE_VULKAN_IMAGE, &native));
    ck_assert_uint_eq(native, (uint64_t)(uintptr_t)made->image);
    return image;
}

/* The library writes it, gives it back in one layout, takes it again from there, and finds its texels. */
START_TEST(an_image_of_the_programs_comes_and_goes_with_its_texels)
{
    static const VkImageLayout layouts[] = {VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                            VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    struct raw_vulkan raw;
    struct raw_image made;
    uint8_t found[IMAGE_BYTES], wanted[IMAGE_BYTES];
    if (!raw_of(the.device, &raw))
        return;
    raw_image_make(&raw, &made);
    struct trm_image *image = adopt_image(&made, VK_IMAGE_LAYOUT_UNDEFINED);
    for (uint32_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        pattern_make(wanted, sizeof(wanted), i);
        ck_ok(trm_image_upload(the.stream, image, NULL, wanted, 0, 0));
        ck_ok(trm_image_hand_back(image, (int32_t)layouts[i]));
        ck_status(trm_image_hand_back(image, (int32_t)layouts[i]), TRM_ERROR_INVALID_HANDLE);
        image = adopt_image(&made, layouts[i]);
        ck_ok(trm_image_download(the.stream, found, image, NULL, 0, 0));
        ck_ok(trm_stream_sync(the.stream));
        ck_pattern(found, sizeof(found), i);
    }
    trm_image_destroy(image);
    image = adopt_image(&made, VK_IMAGE_LAYOUT_GENERAL);
    ck_ok(trm_image_hand_back(image, VK_IMAGE_LAYOUT_GENERAL));
    raw_image_end(&raw, &made);
}
END_TEST

START_TEST(an_image_that_cannot_be_adopted_or_handed_back_is_refused)
{
    struct raw_vulkan raw;
    struct raw_image made;
    struct trm_image_desc desc = raw_image_desc;
    struct trm_image *image    = NULL;
    if (!raw_of(the.device, &raw))
        return;
    raw_image_make(&raw, &made);
    uint64_t native = (uint64_t)(uintptr_t)made.image;
    ck_status(trm_image_adopt(the.device, &desc, TRM_NATIVE_VULKAN_BUFFER, native, 0, &image),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_image_adopt(the.device, &desc, TRM_NATIVE_VULKAN_IMAGE, 0, 0, &image),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_image_adopt(the.device, &desc, TRM_NATIVE_VULKAN_IMAGE, native, 77, &image),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("77");
    ck_status(trm_image_adopt(the.device, NULL, TRM_NATIVE_VULKAN_IMAGE, native, 0, &image),
              TRM_ERROR_INVALID_ARGUMENT);
    desc.usage = 0;
    ck_status(trm_image_adopt(the.device, &desc, TRM_NATIVE_VULKAN_IMAGE, native, 0, &image),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("usage");
    ck_assert_ptr_null(image);
    image = adopt_image(&made, VK_IMAGE_LAYOUT_UNDEFINED);
    ck_status(trm_image_hand_back(image, VK_IMAGE_LAYOUT_UNDEFINED), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_image_hand_back(image, VK_IMAGE_LAYOUT_GENERAL));
    ck_ok(trm_image_create(the.device, &raw_image_desc, &image));
    ck_status(trm_image_hand_back(image, VK_IMAGE_LAYOUT_GENERAL), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("trm_image_adopt()");
    trm_image_destroy(image);
    raw_image_end(&raw, &made);
}
END_TEST

/* ---- descriptions that cannot be right ---- */

static void spoil_size(struct trm_vulkan_device *given, struct trm_vulkan_queues *queues)
{
    (void)queues;
    given->struct_size = 8;
}

static void spoil_device(struct trm_vulkan_device *given, struct trm_vulkan_queues *queues)
{
    (void)queues;
    given->device = NULL;
}

static void spoil_no_queues(struct trm_vulkan_device *given, struct trm_vulkan_queues *queues)
{
    (void)queues;
    given->queue_count = 0;
}

static void spoil_family(struct trm_vulkan_device *given, struct trm_vulkan_queues *queues)
{
    (void)given;
    queues->family = 1000;
}

static void spoil_first(struct trm_vulkan_device *given, struct trm_vulkan_queues *queues)
{
    (void)given;
    queues->first = 100000;
}

static void spoil_count(struct trm_vulkan_device *given, struct trm_vulkan_queues *queues)
{
    (void)given;
    queues->count = UINT32_MAX;
}

static void spoil_list(struct trm_vulkan_device *given, struct trm_vulkan_queues *queues)
{
    (void)queues;
    given->extensions      = NULL;
    given->extension_count = 3;
}

static void spoil_locks(struct trm_vulkan_device *given, struct trm_vulkan_queues *queues)
{
    (void)queues;
    given->lock_queue = lock_queue;
}

static void spoil_features(struct trm_vulkan_device *given, struct trm_vulkan_queues *queues)
{
    static const VkPhysicalDeviceFeatures2 nothing = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    (void)queues;
    given->features = &nothing;
}

START_TEST(a_description_that_cannot_be_right_is_refused)
{
    static void (*const spoils[])(struct trm_vulkan_device *, struct trm_vulkan_queues *) = {
        spoil_size,  spoil_device, spoil_no_queues, spoil_family,   spoil_first,
        spoil_count, spoil_list,   spoil_locks,     spoil_features,
    };
    struct raw_vulkan raw;
    struct trm_vulkan_queues queues;
    char name[64];
    if (!open_raw(&raw))
        return;
    backend_name(name, sizeof(name));
    for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
        struct trm_vulkan_device given = describe(&raw, &queues);
        struct trm_device *device      = NULL;
        spoils[i](&given, &queues);
        ck_status(trm_device_adopt(the.context, name, TRM_NATIVE_DEVICE_VULKAN, &given, &device),
                  TRM_ERROR_INVALID_ARGUMENT);
        ck_assert_ptr_null(device);
    }
    struct trm_vulkan_device given = describe(&raw, &queues);
    trm_device_destroy(adopt(&given));
    raw_close(&raw);
}
END_TEST

void add_interop_vulkan(Suite *suite)
{
    TCase *group = group_make(suite, "interop_vulkan");
    CASE(group, native_handles_work_in_calls_of_vulkan);
    CASE(group, the_semaphore_of_a_stream_shows_the_values_of_its_points);
    CASE(group, a_device_of_the_programs_own_works_like_one_of_the_librarys);
    CASE(group, kernels_run_on_a_device_of_the_programs_own);
    CASE(group, a_device_of_the_programs_own_outlives_the_librarys_and_can_be_adopted_again);
    CASE(group, memory_of_an_adopted_device_can_be_used_by_the_program);
    CASE(group, an_image_of_the_programs_comes_and_goes_with_its_texels);
    CASE(group, an_image_that_cannot_be_adopted_or_handed_back_is_refused);
    CASE(group, a_description_that_cannot_be_right_is_refused);
}
