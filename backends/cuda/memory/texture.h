/* cuda backend: texture objects over images, which are plain memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MEMORY_TEXTURE_H
#define CUDA_MEMORY_TEXTURE_H

#include "memory.h"

/* What a translated kernel finds in the state of a sampled image beside what <trireme/image_layout.h> says
 * (compiler/translate/prelude/sample.inc). */
#define CUDA_STATE_CHANNELS 20u /* 2 bits: 0 is four channels, else how many the format has */
#define CUDA_STATE_TEXTURE 32u  /* 32 bits: the texture object; 0: the kernel samples the memory itself */

/* These bits for an argument of a launch; 0: it is not sampled, or there is no texture object for it. Creates the object
 * when it is first needed. */
uint64_t cuda_texture_state(const struct trm_launch_desc *desc, uint32_t index);

/* Destroy the texture objects over memory that is about to be freed, which nothing uses any more. */
void cuda_textures_destroy(struct trm_backend_memory *memory);

#endif
