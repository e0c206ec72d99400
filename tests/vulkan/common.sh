# Sourced by tests that run on the vulkan backend. They are skipped if the backend was not built or finds no
# device. The validation layer is on if it is installed.

case " $BACKENDS " in
*" backends/vulkan.la "*) ;;
*)
    echo "the vulkan backend was not built"
    exit 77
    ;;
esac

TRIREME_BACKEND=vulkan
export TRIREME_BACKEND
if ! "$top_builddir/tools/trireme" info >/dev/null 2>&1; then
    echo "there is no Vulkan device here"
    exit 77
fi

# Leaks and races of drivers are not reported.
ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}suppressions=$(cd "$top_srcdir" && pwd)/tests/vulkan/tsan.suppressions
export ASAN_OPTIONS TSAN_OPTIONS

# Programs that check their log get the layer's messages there (the setting vulkan.validation); for others the
# layer prints them.
validation_in_the_log()
{
    TRIREME_VULKAN_VALIDATION=yes
    export TRIREME_VULKAN_VALIDATION
}

validation_printed()
{
    . "$top_srcdir/tests/differential/validation.sh"
    VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
    export VK_LAYER_ENABLES
}

# printed_in FILE: whether the layer has printed anything there
printed_in()
{
    grep -E 'Validation (Error|Warning)' "$1"
}
