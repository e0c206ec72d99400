# What the tests of backends for devices share (tests/vulkan, tests/cuda): each gives the fixture that tests/device/world.h asks for.

DEVICE_TEST = \
	tests/scale.h \
	tests/device/barrier.c \
	tests/device/barrier.h \
	tests/device/checks.h \
	tests/device/kernels.c \
	tests/device/kernels.h \
	tests/device/world.c \
	tests/device/world.h
