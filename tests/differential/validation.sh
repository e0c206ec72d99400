# Sourced by the tests: turns on Vulkan's validation layer where it is installed. Its messages fail the test.

if test -n "$(find /usr/share/vulkan /usr/local/share/vulkan /etc/vulkan -name VkLayer_khronos_validation.json 2>/dev/null)"; then
    VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
    export VK_INSTANCE_LAYERS
fi
