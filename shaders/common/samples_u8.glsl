/* Samples of images as bytes: 0 is black, 255 is white, which is 1 to the kernels. Results are rounded to
 * the nearest byte, of two the even one; what is beyond the ends becomes the end.
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_8bit_storage : require
#define SAMPLE uint8_t
#define LOAD(element) (float(uint(element)) * (1.0 / 255.0))
#define STORE(value) uint8_t(uint(roundEven(clamp(value, 0.0, 1.0) * 255.0)))
