/* Tests of what the vulkan backend says to cooperative matrices that a driver does not list.
 * SPDX-License-Identifier: MIT
 */
#include <spirv/unified1/spirv.h>

#include "backends/vulkan/spirv/shader.h"
#include "tests/unit/backends/vulkan/fake.h"
#include "tests/unit/runner.h"

#define OP(number, length) ((uint32_t)(length) << 16 | (uint32_t)(number))
#define WORDS_MOST 128u
#define SPEC_ROWS 3u /* the SpecId of the rows of A */

enum {
    TYPE_KHR       = 4456,
    MUL_ADD_KHR    = 4459,
    CAPABILITY_KHR = 6022
};
enum {
    A_SIGNED    = 1,
    B_SIGNED    = 2,
    SUMS_SIGNED = 4 + 8,
    SATURATES   = 16
};

enum {
    UINT = 1,
    INPUT,
    SUM,
    SCOPE,
    ROWS,
    COLUMNS,
    DEPTH,
    USE_A,
    USE_B,
    USE_SUM,
    A,
    B,
    C,
    X,
    Y,
    Z,
    PRODUCT,
    BOUND
};

/* ---- a driver ---- */

static uint32_t listed; /* number of rows that the driver has, of both lists */

static VKAPI_ATTR VkResult VKAPI_CALL list_nv(VkPhysicalDevice physical, uint32_t *count,
                                              VkCooperativeMatrixPropertiesNV *rows)
{
    static const uint32_t shapes[][7] = {
        {16, 16, 16, VK_COMPONENT_TYPE_FLOAT16_NV, VK_COMPONENT_TYPE_FLOAT32_NV},
        {16, 16, 32, VK_COMPONENT_TYPE_SINT8_NV, VK_COMPONENT_TYPE_SINT32_NV},
        {16, 8, 16, VK_COMPONENT_TYPE_FLOAT16_NV, VK_COMPONENT_TYPE_FLOAT16_NV},
    };
    (void)physical;
    *count = listed;
    for (uint32_t i = 0; rows != NULL && i < listed; i++) {
        ck_assert_int_eq(rows[i].sType, VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV);
        rows[i].MSize = shapes[i][0];
        rows[i].NSize = shapes[i][1];
        rows[i].KSize = shapes[i][2];
        rows[i].AType = rows[i].BType = (VkComponentTypeNV)shapes[i][3];
        rows[i].CType = rows[i].DType = (VkComponentTypeNV)shapes[i][4];
        rows[i].scope                 = VK_SCOPE_SUBGROUP_NV;
    }
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL list_khr(VkPhysicalDevice physical, uint32_t *count,
                                               struct vulkan_cooperative_matrix_properties *rows)
{
    (void)physical;
    *count = listed;
    for (uint32_t i = 0; rows != NULL && i < listed; i++) {
        ck_assert_int_eq(rows[i].sType, VULKAN_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
        rows[i] = (struct vulkan_cooperative_matrix_properties){
            .MSize                  = 16,
            .NSize                  = 8,
            .KSize                  = 32,
            .AType                  = i == 1 ? VK_COMPONENT_TYPE_UINT8_NV : VK_COMPONENT_TYPE_SINT8_NV,
            .BType                  = i == 1 ? VK_COMPONENT_TYPE_UINT8_NV : VK_COMPONENT_TYPE_SINT8_NV,
            .CType                  = VK_COMPONENT_TYPE_SINT32_NV,
            .ResultType             = VK_COMPONENT_TYPE_SINT32_NV,
            .saturatingAccumulation = i == 2,
            .scope                  = VK_SCOPE_SUBGROUP_NV,
        };
    }
    return VK_SUCCESS;
}

static void setup(void)
{
    fake_setup();
    listed                                                            = 3;
    fake.instance.vk.vkGetPhysicalDeviceCooperativeMatrixPropertiesNV = list_nv;
    fake.instance.vk.get_cooperative_matrix_properties                = (PFN_vkVoidFunction)list_khr;
    fake.physical.features.cooperative_nv.cooperativeMatrix           = VK_TRUE;
    fake.physical.features.cooperative.cooperativeMatrix              = VK_TRUE;
}

/* ---- a module that multiplies m by k times k by n ---- */

static uint32_t words[WORDS_MOST], length;

static void put(const uint32_t *instruction, uint32_t count)
{
    ck_assert_uint_le(length + count, WORDS_MOST);
    memcpy(words + length, instruction, count * sizeof(*words));
    length += count;
}

#define PUT(...) \
    put((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void put_type(bool is_khr, uint32_t id, uint32_t component, uint32_t rows, uint32_t columns,
                     uint32_t use)
{
    if (is_khr)
        PUT(OP(TYPE_KHR, 7), id, component, SCOPE, rows, columns, use);
    else
        PUT(OP(SpvOpTypeCooperativeMatrixNV, 6), id, component, SCOPE, rows, columns);
}

/* Integers of 8 bits where `is_bytes`, else halves; sums have 32 bits. */
static void put_module(bool is_khr, bool is_bytes, uint32_t m, uint32_t n, uint32_t k)
{
    length = 0;
    PUT(SpvMagicNumber, 0x00010300, 0, BOUND, 0);
    PUT(OP(SpvOpCapability, 2), is_khr ? CAPABILITY_KHR : SpvCapabilityCooperativeMatrixNV);
    PUT(OP(SpvOpDecorate, 4), ROWS, SpvDecorationSpecId, SPEC_ROWS);
    PUT(OP(SpvOpTypeInt, 4), UINT, 32, 0);
    if (is_bytes) {
        PUT(OP(SpvOpTypeInt, 4), INPUT, 8, 1);
        PUT(OP(SpvOpTypeInt, 4), SUM, 32, 1);
    } else {
        PUT(OP(SpvOpTypeFloat, 3), INPUT, 16);
        PUT(OP(SpvOpTypeFloat, 3), SUM, 32);
    }
    PUT(OP(SpvOpConstant, 4), UINT, SCOPE, SpvScopeSubgroup);
    PUT(OP(SpvOpSpecConstant, 4), UINT, ROWS, m);
    PUT(OP(SpvOpConstant, 4), UINT, COLUMNS, n);
    PUT(OP(SpvOpConstant, 4), UINT, DEPTH, k);
    PUT(OP(SpvOpConstant, 4), UINT, USE_A, 0);
    PUT(OP(SpvOpConstant, 4), UINT, USE_B, 1);
    PUT(OP(SpvOpConstant, 4), UINT, USE_SUM, 2);
    put_type(is_khr, A, INPUT, ROWS, DEPTH, USE_A);
    put_type(is_khr, B, INPUT, DEPTH, COLUMNS, USE_B);
    put_type(is_khr, C, SUM, ROWS, COLUMNS, USE_SUM);
    PUT(OP(SpvOpUndef, 3), A, X);
    PUT(OP(SpvOpUndef, 3), B, Y);
    PUT(OP(SpvOpUndef, 3), C, Z);
}

static int32_t check_with(const struct trm_constant *constants, uint32_t count)
{
    struct trm_module_source source = {.data           = words,
                                       .size           = length * sizeof(*words),
                                       .name           = "product",
                                       .constants      = constants,
                                       .constant_count = count};
    return vulkan_capabilities_check(&fake.device, &source);
}

static int32_t check_nv(bool is_bytes, uint32_t m, uint32_t n, uint32_t k)
{
    put_module(false, is_bytes, m, n, k);
    PUT(OP(SpvOpCooperativeMatrixMulAddNV, 6), C, PRODUCT, X, Y, Z);
    return check_with(NULL, 0);
}

static int32_t check_khr(uint32_t k, uint32_t operands)
{
    put_module(true, true, 16, 8, k);
    PUT(OP(MUL_ADD_KHR, 7), C, PRODUCT, X, Y, Z, operands);
    return check_with(NULL, 0);
}

static void refuses(int32_t status, const char *sentence)
{
    ck_assert_int_eq(status, TRM_ERROR_UNSUPPORTED);
    ck_assert_msg(strstr(fake.sentence, sentence) != NULL, "%s", fake.sentence);
}

START_TEST(products_that_the_driver_lists_are_taken)
{
    ck_assert_int_eq(check_nv(false, 16, 16, 16), TRM_OK);
    ck_assert_int_eq(check_nv(true, 16, 16, 32), TRM_OK);
    ck_assert_int_eq(check_khr(32, A_SIGNED | B_SIGNED | SUMS_SIGNED), TRM_OK);
    ck_assert_int_eq(check_khr(32, SUMS_SIGNED), TRM_OK);
    ck_assert_int_eq(check_khr(32, A_SIGNED | B_SIGNED | SUMS_SIGNED | SATURATES), TRM_OK);
}
END_TEST

START_TEST(a_matrix_of_a_size_that_the_driver_does_not_list_is_named)
{
    refuses(check_nv(false, 8, 32, 16),
            "needs cooperative matrices of 8 by 16 f16, which device Fake does not have");
    refuses(check_khr(16, 0), "cooperative matrices of 16 by 16 s8");
}
END_TEST

/* Each of its matrices is part of another product. */
START_TEST(a_product_that_the_driver_does_not_list_is_named)
{
    refuses(check_nv(false, 16, 8, 16), "cooperative matrices of 16 by 8 f32");
    refuses(check_nv(true, 16, 16, 16), "cooperative matrices of 16 by 16 s8");
    refuses(check_khr(32, B_SIGNED | SUMS_SIGNED),
            "products of cooperative matrices of 16 x 8 x 32 (u8 times s8 plus s32)");
    refuses(check_khr(32, SUMS_SIGNED | SATURATES), "(u8 times u8 plus s32, saturating)");
    listed = 2;
    refuses(check_khr(32, A_SIGNED | B_SIGNED | SUMS_SIGNED | SATURATES),
            "(s8 times s8 plus s32, saturating)");
}
END_TEST

START_TEST(a_size_is_that_of_the_specialization_constant)
{
    const struct trm_constant eight = {.id = SPEC_ROWS, .type = TRM_TYPE_U32, .bits = 8};
    const struct trm_constant other = {.id = SPEC_ROWS + 1, .type = TRM_TYPE_U32, .bits = 8};
    put_module(false, false, 16, 16, 16);
    ck_assert_int_eq(check_with(&other, 1), TRM_OK);
    refuses(check_with(&eight, 1), "cooperative matrices of 8 by 16 f16");
}
END_TEST

START_TEST(a_driver_without_a_list_decides_itself)
{
    listed = 0;
    ck_assert_int_eq(check_nv(false, 8, 32, 16), TRM_OK);
    fake.instance.vk.vkGetPhysicalDeviceCooperativeMatrixPropertiesNV = NULL;
    fake.instance.vk.get_cooperative_matrix_properties                = NULL;
    ck_assert_int_eq(check_nv(false, 8, 32, 16), TRM_OK);
    ck_assert_int_eq(check_khr(16, 0), TRM_OK);
}
END_TEST

START_TEST(a_check_without_memory_fails_and_leaves_nothing_behind)
{
    for (uint64_t refused = 1; refused <= 3; refused++) {
        fake.refuse_at = atomic_load(&fake.calls) + refused;
        ck_assert_int_eq(check_nv(false, 16, 16, 16), TRM_ERROR_OUT_OF_HOST_MEMORY);
        ck_assert_int_eq(fake.bytes, 0);
    }
    fake.refuse_at = 0;
    ck_assert_int_eq(check_nv(false, 16, 16, 16), TRM_OK);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("vulkan matrices");
    TCase *group = tcase_create("matrices");
    suite_add_tcase(suite, group);
    tcase_add_checked_fixture(group, setup, fake_teardown);
    tcase_add_test(group, products_that_the_driver_lists_are_taken);
    tcase_add_test(group, a_matrix_of_a_size_that_the_driver_does_not_list_is_named);
    tcase_add_test(group, a_product_that_the_driver_does_not_list_is_named);
    tcase_add_test(group, a_size_is_that_of_the_specialization_constant);
    tcase_add_test(group, a_driver_without_a_list_decides_itself);
    tcase_add_test(group, a_check_without_memory_fails_and_leaves_nothing_behind);
    return suite;
}

UNIT_SUITE(make_suite)
