/* CUDA's run-time compiler, without a driver.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_NVRTC_H
#define TESTS_DIFFERENTIAL_NVRTC_H

/* Compiles files of CUDA C to PTX and prints what the compiler says. The status for main(): 77, with the
 * reason, where there is no NVRTC. */
int nvrtc_compile_files(char **files, int count);

#endif
