#!/bin/sh
# Every shader of tests/differential/shaders, unoptimised and optimised, leaves the same on Vulkan as on the cpu.

if test -n "$(find /usr/share/vulkan /etc/vulkan /usr/local/share/vulkan -name 'VkLayer_khronos_validation.json' 2>/dev/null)"; then
    VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
    export VK_INSTANCE_LAYERS
fi
exec "$top_builddir/tests/differential/differential" "$top_srcdir"/tests/differential/shaders/*.comp
