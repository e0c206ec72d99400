#!/bin/sh
# Makes the .spv files of this folder: the tests say what the passes make of exactly these modules.
cd "$(dirname "$0")" || exit 1
for file in *.comp; do
    case $file in
    converge_*) set -- --target-env=vulkan1.1 ;; # subgroups
    *) set -- ;;
    esac
    glslc "$@" -O0 "$file" -o "${file%.comp}.spv" || exit 1
done
glslc -O early.comp -o early_optimized.spv && glslc -O loops.comp -o loops_optimized.spv
