/* What other rooms use of shaders and portable code.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SHADER_SHADER_H
#define CORE_SHADER_SHADER_H

#include "core/shader/host_translate.h"
#include "core/shader/shader_code.h"
#include "core/shader/shader_object.h"

#endif
