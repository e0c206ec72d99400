#!/bin/sh
# Makes the .spv files of this folder: the tests say what the passes make of exactly these modules.
cd "$(dirname "$0")" || exit 1
for file in *.comp; do
    glslc -O0 "$file" -o "${file%.comp}.spv" || exit 1
done
glslc -O early.comp -o early_optimized.spv && glslc -O loops.comp -o loops_optimized.spv
