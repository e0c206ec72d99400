# Built-in kernels: GLSL compute shaders, one operation a file. Each becomes files of one stem in the build tree, which
# are installed side by side: shaders/NAME.spv, the kernel itself; shaders/NAME.so, its code for the cpu backend, and
# shaders/NAME.fatbin for the cuda backend; and shaders/NAME.CONSTANT=VALUE.so and so on for each variant that
# shaders/variants.txt asks for.
#
# To add one: append it to SHADERS. What shaders include is in SHADER_INCLUDES.
#
# shaders/catalogue.awk makes shaders/NAME.help of the comment at the head of a shader: what `trireme info --kernels NAME`
# prints. It also makes the entries of trireme-kernels(7) (doc/local.mk).
#
# Nothing here depends on the age of the tool that compiles them. What does become of a kernel is kept as shaders/NAME.c and
# shaders/NAME.cu, so that a change of the translator compiles those again for which it makes a difference.

SHADERS = \
	shaders/alpha_blend.comp \
	shaders/alpha_blend_u8.comp \
	shaders/axpy.comp \
	shaders/binary.comp \
	shaders/box_blur.comp \
	shaders/box_blur3x3.comp \
	shaders/convert_f16_f16.comp \
	shaders/convert_f16_f32.comp \
	shaders/convert_f16_u16.comp \
	shaders/convert_f16_u8.comp \
	shaders/convert_f32_f16.comp \
	shaders/convert_f32_f32.comp \
	shaders/convert_f32_u16.comp \
	shaders/convert_f32_u8.comp \
	shaders/convert_u16_f16.comp \
	shaders/convert_u16_f32.comp \
	shaders/convert_u16_u16.comp \
	shaders/convert_u16_u8.comp \
	shaders/convert_u8_f16.comp \
	shaders/convert_u8_f32.comp \
	shaders/convert_u8_u16.comp \
	shaders/convert_u8_u8.comp \
	shaders/convolve3x3.comp \
	shaders/convolve_separable.comp \
	shaders/copy_table.comp \
	shaders/fill.comp \
	shaders/fma_chain.comp \
	shaders/gamma.comp \
	shaders/gamma_u8.comp \
	shaders/gaussian_blur.comp \
	shaders/gemm_f16.comp \
	shaders/gray.comp \
	shaders/gray_u8.comp \
	shaders/histogram.comp \
	shaders/mip_down_1d.comp \
	shaders/mip_down_1d_array.comp \
	shaders/mip_down_2d.comp \
	shaders/mip_down_2d_array.comp \
	shaders/mip_down_3d.comp \
	shaders/reduce.comp \
	shaders/reduce_spans_bf16.comp \
	shaders/reduce_spans_f16.comp \
	shaders/reduce_spans_f32.comp \
	shaders/reduce_spans_f64.comp \
	shaders/reduce_spans_i32.comp \
	shaders/reduce_spans_i64.comp \
	shaders/reduce_table_bf16.comp \
	shaders/reduce_table_f16.comp \
	shaders/reduce_table_f32.comp \
	shaders/reduce_table_f64.comp \
	shaders/reduce_table_i32.comp \
	shaders/reduce_table_i64.comp \
	shaders/reduce_u32.comp \
	shaders/resize_bilinear.comp \
	shaders/rgb_to_yuv.comp \
	shaders/rgb_to_yuv_u8.comp \
	shaders/scan.comp \
	shaders/scan_add.comp \
	shaders/scan_add_u32.comp \
	shaders/scan_u32.comp \
	shaders/sgd.comp \
	shaders/sgemm.comp \
	shaders/sobel.comp \
	shaders/softmax_cross_entropy.comp \
	shaders/threshold.comp \
	shaders/threshold_u8.comp \
	shaders/transpose.comp \
	shaders/unary.comp \
	shaders/yuv_to_rgb.comp \
	shaders/yuv_to_rgb_u8.comp

# Forms for devices with cooperative matrices, of kernels in SHADERS and with their interfaces: shaders/NAME.matrix.spv
# of shaders/matrix/NAME.comp, and nothing else.
MATRIX_SHADERS = shaders/matrix/gemm_f16.comp

SHADER_INCLUDES = \
	shaders/common/alpha_blend.glsl \
	shaders/common/axis.glsl \
	shaders/common/combine.glsl \
	shaders/common/convert.glsl \
	shaders/common/gamma.glsl \
	shaders/common/gray.glsl \
	shaders/common/mip_down.glsl \
	shaders/common/reduce.glsl \
	shaders/common/reduce_spans.glsl \
	shaders/common/reduce_table.glsl \
	shaders/common/rgb_to_yuv.glsl \
	shaders/common/samples_f32.glsl \
	shaders/common/samples_u8.glsl \
	shaders/common/scan.glsl \
	shaders/common/scan_add.glsl \
	shaders/common/separable.glsl \
	shaders/common/table_row.glsl \
	shaders/common/threshold.glsl \
	shaders/common/window.glsl \
	shaders/common/yuv.glsl \
	shaders/common/yuv_to_rgb.glsl

SHADER_VARIANTS = shaders/variants.txt
SHADER_CATALOGUE = shaders/catalogue.awk

EXTRA_DIST += $(SHADERS) $(MATRIX_SHADERS) $(SHADER_INCLUDES) $(SHADER_VARIANTS) $(SHADER_CATALOGUE) shaders/README.md

kerneldir = $(pkglibdir)/kernels
nodist_kernel_DATA =

KERNEL_SPV = $(SHADERS:.comp=.spv)
MATRIX_SPV = $(MATRIX_SHADERS:shaders/matrix/%.comp=shaders/%.matrix.spv)
KERNEL_HELP = $(SHADERS:.comp=.help)
KERNEL_C = $(SHADERS:.comp=.c)
KERNEL_SO = $(SHADERS:.comp=.so)
KERNEL_CU = $(SHADERS:.comp=.cu)
KERNEL_FATBIN = $(SHADERS:.comp=.fatbin)

if BUILD_KERNELS
nodist_kernel_DATA += $(KERNEL_SPV) $(MATRIX_SPV) $(KERNEL_HELP)
endif
if BUILD_KERNEL_CODE
nodist_kernel_DATA += $(KERNEL_SO)
endif
if BUILD_KERNEL_FATBIN
nodist_kernel_DATA += $(KERNEL_FATBIN)
endif

# The tool as the build runs it: no setting of the user's own reaches it. Libtool's wrapper script, tools/trireme, would start five
# programs before ours.
KC = for variable in `env | sed -n 's/^\(TRIREME_[A-Z_]*\)=.*/\1/p'`; do unset $$variable; done; \
	XDG_CONFIG_HOME='$(abs_builddir)/tests/no-config'; export XDG_CONFIG_HOME; \
	TRIREME_CPU_COMPILER='$(KERNEL_CC)'; export TRIREME_CPU_COMPILER; \
	TRIREME_COMPILER_TIME=0; export TRIREME_COMPILER_TIME; \
	LD_LIBRARY_PATH="$(abs_builddir)/.libs$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}"; export LD_LIBRARY_PATH; \
	kc='$(abs_builddir)/tools/.libs/trireme$(EXEEXT)'; test -x "$$kc" || kc='$(abs_builddir)/tools/trireme$(EXEEXT)'; \
	"$$kc" kc --quiet -o '$(abs_builddir)/shaders'

# The same where it needs a compiler of GLSL; `make KC_GLSL=false` holds a build to doing without.
KC_GLSL = $(KC)

AM_V_KC = $(am__v_KC_@AM_V@)
am__v_KC_ = $(am__v_KC_@AM_DEFAULT_V@)
am__v_KC_0 = @echo "  KC      " $@;
am__v_KC_1 =

# These rules name their targets, so that make leaves files of the same kinds in other folders alone: tests/ holds .spv files
# that were compiled with other flags than these (tests/fixtures.sh).

# A release carries the .spv files, so that building from it needs no compiler of GLSL. What the shader is called in the
# messages that they carry does not tell where the source was.
$(KERNEL_SPV): shaders/%.spv: shaders/%.comp
	$(AM_V_KC)$(MKDIR_P) shaders; \
	prebuilt='$(srcdir)/shaders/prebuilt/$*.spv'; \
	if test -f "$$prebuilt" && test -z "`find $^ -newer "$$prebuilt"`"; then \
	  cat "$$prebuilt" >$@.new && mv -f $@.new $@; \
	else \
	  cd $(srcdir) && { $(KC_GLSL) shaders/$*.comp; }; \
	fi

$(MATRIX_SPV): shaders/%.matrix.spv: shaders/matrix/%.comp
	$(AM_V_KC)$(MKDIR_P) shaders/matrix; \
	prebuilt='$(srcdir)/shaders/prebuilt/$*.matrix.spv'; \
	if test -f "$$prebuilt" && test -z "`find $^ -newer "$$prebuilt"`"; then \
	  cat "$$prebuilt" >$@.new && mv -f $@.new $@; \
	else \
	  ( cd $(srcdir) && { $(KC_GLSL) -o '$(abs_builddir)/shaders/matrix' shaders/matrix/$*.comp; } ) && \
	  mv -f shaders/matrix/$*.spv $@; \
	fi

$(KERNEL_HELP): shaders/%.help: shaders/%.comp
	$(AM_V_GEN)$(MKDIR_P) shaders && $(AWK) -f $(srcdir)/$(SHADER_CATALOGUE) -v format=text $< >$@.new && mv -f $@.new $@

# All translations in one go; those that are what they were keep their age.
shaders/translated.stamp: $(KERNEL_SPV) $(KC_TOOL)
	$(AM_V_GEN)rm -rf shaders/translated && $(MKDIR_P) shaders/translated && \
	{ $(KC) --emit=c -o shaders/translated $(KERNEL_SPV); } && \
	{ $(KC) --emit=cuda -o shaders/translated $(KERNEL_SPV); } && \
	for text in shaders/translated/*.c shaders/translated/*.cu; do \
	  cmp -s "$$text" "shaders/$${text##*/}" || mv -f "$$text" shaders || exit 1; \
	done && \
	rm -rf shaders/translated && touch $@

$(KERNEL_C) $(KERNEL_CU): shaders/translated.stamp
	@:

# All variants of a kernel are made together, the plain one last. Code that was written by hand (kernels/local.mk) then
# takes the place of the translated.
$(KERNEL_SO): shaders/%.so: shaders/%.c
	$(AM_V_KC)name='$*'; \
	{ $(KC) --target cpu --portable --variants='$(abs_srcdir)/$(SHADER_VARIANTS)' shaders/$$name.spv; } && \
	for tuned in $(HAND_TUNED); do \
	  case $$tuned in $$name | $$name.*) $(BUILD_HAND_TUNED) ;; esac; \
	done

# The same for CUDA.
$(KERNEL_FATBIN): shaders/%.fatbin: shaders/%.cu
	$(AM_V_KC)name='$*'; \
	{ $(KC) --target cuda --cuda-arch='$(KERNEL_CUDA_ARCH)' --nvcc='$(NVCC)' \
	  --variants='$(abs_srcdir)/$(SHADER_VARIANTS)' shaders/$$name.spv; } && \
	for tuned in $(HAND_TUNED_CUDA); do \
	  case $$tuned in $$name) $(BUILD_HAND_TUNED_CUDA) ;; esac; \
	done

# A tool for another machine does not run here: then the .spv files of the release have to do.
if CROSS_COMPILING
KC_TOOL =
else
KC_TOOL = tools/trireme$(EXEEXT)
endif

$(KERNEL_HELP): $(SHADER_CATALOGUE)
$(KERNEL_SPV) $(MATRIX_SPV): $(SHADER_INCLUDES) | $(KC_TOOL) .libs/trireme/supervise
$(KERNEL_SO): $(SHADER_VARIANTS) | $(KC_TOOL) backends/cpu.la .libs/trireme/backends .libs/trireme/supervise
$(KERNEL_FATBIN): $(SHADER_VARIANTS) | $(KC_TOOL) .libs/trireme/supervise

# ------------------------------------------------ installing, distributing

# What a variant's file is called is up to the tool, which puts the constants in order; what stands between a kernel's name
# and the end is one.
install-variants: $(nodist_kernel_DATA)
if BUILD_KERNEL_CODE
	@$(MKDIR_P) '$(DESTDIR)$(kerneldir)'; \
	for code in $(KERNEL_SO); do \
	  for file in "$${code%.so}".*.so; do \
	    test ! -f "$$file" || $(INSTALL_DATA) "$$file" '$(DESTDIR)$(kerneldir)' || exit 1; \
	  done; \
	done
endif
if BUILD_KERNEL_FATBIN
	@$(MKDIR_P) '$(DESTDIR)$(kerneldir)'; \
	for code in $(KERNEL_FATBIN); do \
	  for file in "$${code%.fatbin}".*.fatbin; do \
	    test ! -f "$$file" || $(INSTALL_DATA) "$$file" '$(DESTDIR)$(kerneldir)' || exit 1; \
	  done; \
	done
endif

uninstall-variants:
	@cd '$(DESTDIR)$(kerneldir)' 2>/dev/null || exit 0; \
	for code in $(KERNEL_SO); do \
	  code=$${code#shaders/}; \
	  rm -f "$${code%.so}".*.so "$${code%.so}".*.fatbin; \
	done

dist-prebuilt: $(KERNEL_SPV) $(MATRIX_SPV)
	@$(MKDIR_P) '$(distdir)/shaders/prebuilt'
	@cp -p $(KERNEL_SPV) $(MATRIX_SPV) '$(distdir)/shaders/prebuilt'

clean-kernels:
	-rm -f shaders/*.help shaders/*.spv shaders/*.c shaders/*.so shaders/*.cu shaders/*.fatbin shaders/*.stamp

.PHONY: clean-kernels dist-prebuilt install-variants uninstall-variants
