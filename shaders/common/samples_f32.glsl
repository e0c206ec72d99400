/* Samples of images as floats: 0 is black, 1 is white.
 * SPDX-License-Identifier: MIT
 */
#define SAMPLE float
#define LOAD(element) (element)
#define STORE(value) (value)
