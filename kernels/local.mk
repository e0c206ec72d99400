# Hand-tuned code for the cpu: kernels/NAME.c has the interface of shaders/NAME.comp, and is built as
# shaders/NAME.so instead of the translation. It is kept only while `make bench` shows that it is faster.
#
# To add one: its stem here (NAME, or NAME.CONSTANT=VALUE for the code of one variant, which is compiled with
# -DCONSTANT_<name>=<value>), and the rule with its sources below.

HAND_TUNED = copy_table fma_chain reduce reduce_table_bf16 reduce_table_f16 reduce_table_f32 reduce_table_f64 \
	reduce_table_i32 reduce_table_i64 sgemm

EXTRA_DIST += kernels/export.h kernels/levels.h kernels/fma_chain.c kernels/fma_chain_level.h kernels/reduce.c kernels/reduce_level.h \
	kernels/bits.h kernels/copy_table.c kernels/table_row.h kernels/reduce_table.h \
	kernels/reduce_table_bf16.c kernels/reduce_table_f16.c kernels/reduce_table_f32.c kernels/reduce_table_f64.c \
	kernels/reduce_table_i32.c kernels/reduce_table_i64.c kernels/sgemm.c kernels/sgemm_block.h

# The sources select instruction sets by function attributes, so the code runs on every processor of the
# architecture. -ffp-contract=fast allows fused multiply-adds, which -std=c11 alone forbids.
HAND_TUNED_CFLAGS = $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) \
	-O3 -ffp-contract=fast -fPIC $(AM_LDFLAGS) $(LDFLAGS) -shared

# Used in the rule for shaders/NAME.so, for each $$tuned of that kernel.
BUILD_HAND_TUNED = \
	constants=`echo "$$tuned" | sed -n 's/^[^.]*\./,/p' | sed 's/,/ -DCONSTANT_/g'`; \
	$(CC) $(HAND_TUNED_CFLAGS) $$constants -o "shaders/$$tuned.so.new" "$(srcdir)/kernels/$${tuned%%.*}.c" && \
	mv -f "shaders/$$tuned.so.new" "shaders/$$tuned.so" || { rm -f $@; exit 1; }

# The same for CUDA: kernels/NAME.cu has the interface of shaders/NAME.comp as
# compiler/translate/targets/cuda_target.c lays it out, and is built as shaders/NAME.fatbin. If that cannot be
# loaded, the translation is. The last line of the source, which describes the launch
# (backends/cuda/module/trailer.h), is appended to the code.

HAND_TUNED_CUDA = histogram reduce scan sgemm transpose

EXTRA_DIST += kernels/histogram.cu kernels/reduce.cu kernels/scan.cu kernels/sgemm.cu kernels/transpose.cu

BUILD_HAND_TUNED_CUDA = \
	line=`sed -n '$$s,^// trireme ,&,p' "$(srcdir)/kernels/$$tuned.cu"`; \
	$(NVCC) -fatbin $(KERNEL_NVCCFLAGS) -o "shaders/$$tuned.fatbin.new" "$(srcdir)/kernels/$$tuned.cu" && \
	{ test -z "$$line" || printf '\n%s\n' "$$line" >>"shaders/$$tuned.fatbin.new"; } && \
	mv -f "shaders/$$tuned.fatbin.new" "shaders/$$tuned.fatbin" || { rm -f $@; exit 1; }

# Code for compute capability 9.0 alone, in place of a kernel's form with matrices (shaders/matrix/NAME.comp). Other devices
# find no code for them in the file and compile that form.

HOPPER_FATBIN = shaders/gemm_f16.matrix.fatbin

EXTRA_DIST += kernels/gemm_f16.cu

if BUILD_HOPPER_CODE
nodist_kernel_DATA += $(HOPPER_FATBIN)
endif

$(HOPPER_FATBIN): shaders/%.matrix.fatbin: kernels/%.cu
	$(AM_V_KC)$(MKDIR_P) shaders; \
	{ $(NVCC) -fatbin -gencode=arch=compute_90a,code=sm_90a -o $@.new $< && \
	  printf '\n%s\n' "`sed -n '$$s,^// trireme ,&,p' $<`" >>$@.new && mv -f $@.new $@; }

shaders/histogram.fatbin: kernels/histogram.cu
shaders/reduce.fatbin: kernels/reduce.cu
shaders/scan.fatbin: kernels/scan.cu
shaders/sgemm.fatbin: kernels/sgemm.cu
shaders/transpose.fatbin: kernels/transpose.cu

shaders/copy_table.so: kernels/export.h kernels/copy_table.c kernels/table_row.h
shaders/fma_chain.so: kernels/export.h kernels/levels.h kernels/fma_chain.c kernels/fma_chain_level.h
shaders/reduce.so: kernels/export.h kernels/levels.h kernels/reduce.c kernels/reduce_level.h
shaders/reduce_table_bf16.so: kernels/export.h kernels/reduce_table_bf16.c kernels/reduce_table.h kernels/table_row.h kernels/bits.h
shaders/reduce_table_f16.so: kernels/export.h kernels/reduce_table_f16.c kernels/reduce_table.h kernels/table_row.h kernels/bits.h
shaders/reduce_table_f32.so: kernels/export.h kernels/reduce_table_f32.c kernels/reduce_table.h kernels/table_row.h
shaders/reduce_table_f64.so: kernels/export.h kernels/reduce_table_f64.c kernels/reduce_table.h kernels/table_row.h
shaders/reduce_table_i32.so: kernels/export.h kernels/reduce_table_i32.c kernels/reduce_table.h kernels/table_row.h
shaders/reduce_table_i64.so: kernels/export.h kernels/reduce_table_i64.c kernels/reduce_table.h kernels/table_row.h
shaders/sgemm.so: kernels/export.h kernels/levels.h kernels/sgemm.c kernels/sgemm_block.h
