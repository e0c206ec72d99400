#!/bin/sh
# Makes the .spv files beside this script, which tests read: optimized, and as the front end writes it.
# SPDX-License-Identifier: MIT
cd "$(dirname "$0")" || exit 1
for file in *.comp; do
    glslc --target-env=vulkan1.1 -g -O "$file" -o "${file%.comp}.spv" || exit 1
    glslc --target-env=vulkan1.1 -g "$file" -o "${file%.comp}_plain.spv" || exit 1
done
for file in *.spvasm; do
    spirv-as --target-env spv1.3 "$file" -o "${file%.spvasm}.spv" || exit 1
done
