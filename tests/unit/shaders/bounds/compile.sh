#!/bin/sh
# Makes the .spv files beside this script, which tests read: optimized, as the front end writes it, and
# without line numbers.
# SPDX-License-Identifier: MIT
cd "$(dirname "$0")" || exit 1
for file in *.comp; do
    glslc --target-env=vulkan1.1 -g -O "$file" -o "${file%.comp}.spv" || exit 1
    glslc --target-env=vulkan1.1 -g "$file" -o "${file%.comp}_plain.spv" || exit 1
done
glslc --target-env=vulkan1.1 -O overrun_rows.comp -o overrun_rows_no_lines.spv
