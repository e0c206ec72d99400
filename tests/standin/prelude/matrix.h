/* The instructions of tensor cores. Which thread of a warp holds which elements is as PTX's manual has it:
 * group is the lane / 4 and t the lane % 4.
 * SPDX-License-Identifier: MIT
 */

/* The words that the four threads of a group hold in a register: those of group `group`. */
STANDIN_INLINE void standin_of_group(unsigned int (&words)[4], unsigned int word, unsigned int group)
{
    for (unsigned int t = 0; t < 4; t++)
        words[t] = __shfl_sync(0xffffffffu, word, (int)(group * 4 + t));
}

STANDIN_INLINE float standin_half_of_word(unsigned int word, unsigned int half)
{
    return standin_half_to_float((unsigned short)(word >> 16 * half));
}

template <bool Signed> STANDIN_INLINE int standin_byte_of_word(unsigned int word, unsigned int byte)
{
    return Signed ? (int)(signed char)(word >> 8 * byte) : (int)(unsigned char)(word >> 8 * byte);
}

/* A is 16 by 16: a0 has row `group` and columns 2t and 2t + 1, a1 row group + 8, a2 and a3 columns 8 higher.
 * B is 16 by 8: b0 has column `group` and rows 2t and 2t + 1, b1 rows 8 higher. Of the sums s0 and s1 are in
 * row `group` and columns 2t and 2t + 1, s2 and s3 in row group + 8. */
template <typename... Accumulators>
STANDIN_INLINE void ptx_mma_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32(
    float &s0, float &s1, float &s2, float &s3, unsigned int a0, unsigned int a1, unsigned int a2,
    unsigned int a3, unsigned int b0, unsigned int b1, Accumulators... accumulators)
{
    const unsigned int a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1}, lane = standin_lane();
    const float c[4] = {accumulators...};
    float s[4]       = {c[0], c[1], c[2], c[3]};
    for (unsigned int k = 0; k < 2; k++) {
        unsigned int upper[4], lower[4], left[4], right[4];
        standin_of_group(upper, a[2 * k], lane / 4);
        standin_of_group(lower, a[2 * k + 1], lane / 4);
        /* the columns differ from thread to thread, and so do the groups that have them */
        standin_of_group(left, b[k], lane % 4 * 2);
        standin_of_group(right, b[k], lane % 4 * 2 + 1);
        for (unsigned int i = 0; i < 8; i++) {
            const float x = standin_half_of_word(upper[i / 2], i % 2),
                        y = standin_half_of_word(lower[i / 2], i % 2);
            const float p = standin_half_of_word(left[i / 2], i % 2),
                        q = standin_half_of_word(right[i / 2], i % 2);
            s[0] += x * p;
            s[1] += x * q;
            s[2] += y * p;
            s[3] += y * q;
        }
    }
    s0 = s[0];
    s1 = s[1];
    s2 = s[2];
    s3 = s[3];
}

/* The same with bytes: a register has four, A is 16 by 32 and B 32 by 8, and 8 is 16. */
template <bool SignedA, bool SignedB, typename Sum>
STANDIN_INLINE void standin_mma_bytes(Sum &s0, Sum &s1, Sum &s2, Sum &s3, const unsigned int (&a)[4],
                                      const unsigned int (&b)[2])
{
    const unsigned int lane = standin_lane();
    unsigned int s[4]       = {(unsigned int)s0, (unsigned int)s1, (unsigned int)s2, (unsigned int)s3};
    for (unsigned int k = 0; k < 2; k++) {
        unsigned int upper[4], lower[4], left[4], right[4];
        standin_of_group(upper, a[2 * k], lane / 4);
        standin_of_group(lower, a[2 * k + 1], lane / 4);
        standin_of_group(left, b[k], lane % 4 * 2);
        standin_of_group(right, b[k], lane % 4 * 2 + 1);
        for (unsigned int i = 0; i < 16; i++) {
            const int x = standin_byte_of_word<SignedA>(upper[i / 4], i % 4);
            const int y = standin_byte_of_word<SignedA>(lower[i / 4], i % 4);
            const int p = standin_byte_of_word<SignedB>(left[i / 4], i % 4);
            const int q = standin_byte_of_word<SignedB>(right[i / 4], i % 4);
            s[0] += (unsigned int)(x * p);
            s[1] += (unsigned int)(x * q);
            s[2] += (unsigned int)(y * p);
            s[3] += (unsigned int)(y * q);
        }
    }
    s0 = (Sum)s[0];
    s1 = (Sum)s[1];
    s2 = (Sum)s[2];
    s3 = (Sum)s[3];
}
#define STANDIN_MMA(name, signed_a, signed_b)                                                  \
    template <typename... Accumulators>                                                        \
    STANDIN_INLINE void ptx_mma_sync_aligned_m16n8k32_row_col_s32_##name##_s32(                \
        int &s0, int &s1, int &s2, int &s3, unsigned int a0, unsigned int a1, unsigned int a2, \
        unsigned int a3, unsigned int b0, unsigned int b1, Accumulators...)                    \
    {                                                                                          \
        standin_mma_bytes<signed_a, signed_b>(s0, s1, s2, s3, {a0, a1, a2, a3}, {b0, b1});     \
    }
STANDIN_MMA(s8_s8, true, true)
STANDIN_MMA(s8_u8, true, false)
STANDIN_MMA(u8_s8, false, true)
STANDIN_MMA(u8_u8, false, false)

/* A block of 8 by 8 halves: a thread has columns 2t and 2t + 1 of row `group`, afterwards of the
 * transpose's. */
STANDIN_INLINE void ptx_movmatrix_sync_aligned_m8n8_trans_b16(unsigned int &to, unsigned int from)
{
    const unsigned int group = standin_lane() / 4, t = standin_lane() % 4;
    const unsigned int low  = __shfl_sync(0xffffffffu, from, (int)(2 * t * 4 + group / 2));
    const unsigned int high = __shfl_sync(0xffffffffu, from, (int)((2 * t + 1) * 4 + group / 2));
    to = (low >> 16 * (group % 2) & 0xffffu) | (high >> 16 * (group % 2) & 0xffffu) << 16;
}
