# Builds the conformance suite, in the current folder, from its installed sources, against the library that pkg-config finds:
#
#     make -j4 -f "$(pkg-config --variable=conformancedir trireme)/conformance.mk"
#     CONFORMANCE_BACKEND=/home/me/mine/mine.so ./conformance
#
# It needs GNU make, a C compiler and Check (Debian: check). doc/conformance.md has the options of the program.

TOP := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
PKG_CONFIG = pkg-config
CFLAGS = -g1 -O0
OBJECTS = conformance-objects

# Cases that use Vulkan themselves need headers of its version 1.3. In $(shell), not every make drops the backslash of \#.
HASH := \#
HAVE_VULKAN := $(shell printf '%s\n' '$(HASH)include <vulkan/vulkan.h>' '$(HASH)ifndef VK_API_VERSION_1_3' '$(HASH)error' '$(HASH)endif' | \
	$(CC) -E -x c - >/dev/null 2>&1 && echo yes)
VULKAN_SOURCES = %/driver_fork_vulkan.c %/interop_vulkan.c %/raw_vulkan.c

SOURCES := $(wildcard $(TOP)/tests/*/*.c)
ifeq ($(HAVE_VULKAN),)
SOURCES := $(filter-out $(VULKAN_SOURCES),$(SOURCES))
endif

SUITE_CPPFLAGS := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(if $(HAVE_VULKAN),-DCONFORMANCE_VULKAN) -I$(TOP) \
	$(shell $(PKG_CONFIG) --cflags trireme check)
SUITE_LIBS := $(shell $(PKG_CONFIG) --libs trireme check) -ldl
RUN_PATH := $(shell $(PKG_CONFIG) --variable=libdir trireme)

conformance: $(SOURCES:$(TOP)/tests/%.c=$(OBJECTS)/%.o)
	$(CC) -pthread $(CFLAGS) $(LDFLAGS) -Wl,-rpath,$(RUN_PATH) -o $@ $^ $(SUITE_LIBS)

$(OBJECTS)/%.o: $(TOP)/tests/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -pthread $(SUITE_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

clean:
	rm -rf conformance $(OBJECTS)

.PHONY: clean
