/* reduce, scan and histogram, those of unsigned integers, and reduce_table, beside plain loops.
 *
 * How near: a sum of n floats in whatever order is off by at most (n - 1) half ULPs of the sum of their
 * magnitudes (N. Higham, "The accuracy of floating point summation", 1993); as a tree by about log2(n), which
 * is what is asked for here: a block's sum has 16 + log2(group) + 1 additions on the way to it, and each pass
 * adds as many.
 * SPDX-License-Identifier: MIT
 */
#include "tests/kernels/harness.h"

/* Beyond the sizes that all kernels are tested with: where there are two and three passes. */
static const size_t block_sizes[] = {1791, 1792, 1793, 4095, 4096, 4097, 8192, 40000, 500009};
#define SIZES (COUNT(sizes) + COUNT(block_sizes))

static size_t size_number(size_t s)
{
    return s < COUNT(sizes) ? sizes[s] : block_sizes[s - COUNT(sizes)];
}

/* ---- reduce ---- */

enum {
    SUM,
    MINIMUM,
    MAXIMUM,
    OPERATIONS,
};

/* One value of all, by as many launches as it takes. Elements have four bytes. */
static void reduce_all(struct kernel *reduce, const void *source, size_t n, size_t block, void *result)
{
    void *current = allocate(n * 4);

    memcpy(current, source, n * 4);
    do {
        uint32_t groups = groups_for(n, block);
        void *partial   = allocate(groups * 4u);
        RUN(reduce, groups, 1, 1, read_only("source", current, n * 4),
            write_only("partial", partial, groups * 4u), scalar_u32("count", (uint32_t)n));
        free(current);
        current = partial;
        n       = groups;
    } while (n > 1);
    memcpy(result, current, 4);
    free(current);
}

static void check_reduce(struct kernel *reduce, uint32_t operation, size_t n, size_t block)
{
    float *source = random_floats(n, -1000, 1000, n + operation), result;
    double sum = 0, magnitude = 0, least = INFINITY, most = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        sum += source[i];
        magnitude += fabs(source[i]);
        least = fmin(least, source[i]);
        most  = fmax(most, source[i]);
    }
    reduce_all(reduce, source, n, block, &result);
    if (operation == SUM)
        expect_near("sum", n, result, sum, 3 * (16 + 8 + 1) * 0.5 * ULP * magnitude);
    else
        expect_near("reduction", n, result, operation == MINIMUM ? least : most, 0);
    free(source);
}

START_TEST(reduce_finds_sum_minimum_or_maximum)
{
    struct constant constant = {"operation", (uint32_t)_i};
    struct kernel *reduce    = kernel_open("reduce", &constant, 1);

    for (size_t s = 0; s < SIZES; s++)
        check_reduce(reduce, (uint32_t)_i, size_number(s), 256 * 16);
    kernel_close(reduce);
}
END_TEST

START_TEST(reduce_works_with_groups_that_are_no_power_of_two)
{
    static const uint32_t groups[] = {1, 3, 64, 100};

    for (size_t g = 0; g < COUNT(groups); g++) {
        struct constant size  = {NULL, groups[g]};
        struct kernel *reduce = kernel_open("reduce", &size, 1);
        size_t block          = groups[g] * 16;
        check_reduce(reduce, SUM, 0, block);
        check_reduce(reduce, SUM, 1, block);
        check_reduce(reduce, SUM, 1000, block);
        kernel_close(reduce);
    }
}
END_TEST

START_TEST(reduce_u32_is_exact)
{
    struct constant constant = {"operation", (uint32_t)_i};
    struct kernel *reduce    = kernel_open("reduce_u32", &constant, 1);

    for (size_t s = 0; s < SIZES; s++) {
        size_t n                 = size_number(s);
        struct generator numbers = {n + 1};
        uint32_t *source = allocate(n * 4), expected[OPERATIONS] = {0, UINT32_MAX, 0}, result;
        for (size_t i = 0; i < n; i++) {
            source[i] = random_u32(&numbers);
            expected[SUM] += source[i];
            expected[MINIMUM] = source[i] < expected[MINIMUM] ? source[i] : expected[MINIMUM];
            expected[MAXIMUM] = source[i] > expected[MAXIMUM] ? source[i] : expected[MAXIMUM];
        }
        reduce_all(reduce, source, n, 256 * 16, &result);
        expect_equal("reduction", n, result, expected[_i]);
        free(source);
    }
    kernel_close(reduce);
}
END_TEST

/* ---- scan ---- */

struct scan_kernels {
    struct kernel *scan;      /* as it was asked for */
    struct kernel *exclusive; /* for the totals of blocks */
    struct kernel *add;
    size_t block;
};

static struct scan_kernels open_scan(const char *scan, const char *add, uint32_t exclusive)
{
    struct constant as_asked = {"exclusive", exclusive}, one = {"exclusive", 1};

    return (struct scan_kernels){
        .scan      = kernel_open(scan, &as_asked, 1),
        .exclusive = kernel_open(scan, &one, 1),
        .add       = kernel_open(add, NULL, 0),
        .block     = 256 * 7,
    };
}

static void close_scan(struct scan_kernels *kernels)
{
    kernel_close(kernels->scan);
    kernel_close(kernels->exclusive);
    kernel_close(kernels->add);
}

/* Scan n elements of four bytes with `scan`; blocks' totals by way of this function itself. */
static void scan_all(const struct scan_kernels *kernels, struct kernel *scan, const void *source,
                     void *target, size_t n)
{
    uint32_t groups = groups_for(n, kernels->block);
    void *sums = allocate(groups * 4u), *offsets = allocate(groups * 4u);

    RUN(scan, groups, 1, 1, read_only("source", source, n * 4), write_only("target", target, n * 4),
        write_only("sums", sums, groups * 4u), scalar_u32("count", (uint32_t)n));
    if (groups > 1) {
        scan_all(kernels, kernels->exclusive, sums, offsets, groups);
        RUN(kernels->add, groups, 1, 1, read_only("offsets", offsets, groups * 4u),
            read_write("target", target, n * 4), scalar_u32("count", (uint32_t)n));
    }
    free(sums);
    free(offsets);
}

START_TEST(scan_adds_up_what_stands_before_each_element)
{
    uint32_t exclusive          = (uint32_t)_i;
    struct scan_kernels kernels = open_scan("scan", "scan_add", exclusive);

    for (size_t s = 0; s < SIZES; s++) {
        size_t n      = size_number(s);
        float *source = random_floats(n, -1, 1, n + 3), *target = allocate(n * 4);
        double sum = 0, magnitude = 0;
        scan_all(&kernels, kernels.scan, source, target, n);
        for (size_t i = 0; i < n; i++) {
            double before = sum;
            sum += source[i];
            magnitude += fabs(source[i]);
            /* Up to three passes, each of 7 + 8 + 7 additions and one of scan_add. */
            expect_near("target", i, target[i], exclusive ? before : sum, 3 * 23 * 0.5 * ULP * magnitude);
        }
        free(source);
        free(target);
    }
    close_scan(&kernels);
}
END_TEST

START_TEST(scan_u32_is_exact)
{
    uint32_t exclusive          = (uint32_t)_i;
    struct scan_kernels kernels = open_scan("scan_u32", "scan_add_u32", exclusive);

    for (size_t s = 0; s < SIZES; s++) {
        size_t n                 = size_number(s);
        struct generator numbers = {n + 2};
        uint32_t *source = allocate(n * 4), *target = allocate(n * 4), sum = 0;
        for (size_t i = 0; i < n; i++)
            source[i] = random_u32(&numbers);
        scan_all(&kernels, kernels.scan, source, target, n);
        for (size_t i = 0; i < n; i++) {
            uint32_t before = sum;
            sum += source[i];
            expect_equal("target", i, target[i], exclusive ? before : sum);
        }
        free(source);
        free(target);
    }
    close_scan(&kernels);
}
END_TEST

/* ---- histogram ---- */

static void check_histogram(struct kernel *histogram, const uint8_t *source, size_t n)
{
    uint32_t bins[256], expected[256];

    for (size_t bin = 0; bin < 256; bin++)
        bins[bin] = expected[bin] = (uint32_t)bin; /* it adds to what is there */
    for (size_t i = 0; i < n; i++)
        expected[source[i]]++;
    RUN(histogram, groups_for(n, 256 * 64), 1, 1, read_only("source", source, n),
        read_write("bins", bins, sizeof(bins)), scalar_u32("count", (uint32_t)n));
    for (size_t bin = 0; bin < 256; bin++)
        expect_equal("bins", bin, bins[bin], expected[bin]);
}

START_TEST(histogram_counts_each_value)
{
    struct kernel *histogram = kernel_open("histogram", NULL, 0);

    for (size_t s = 0; s < SIZES; s++) {
        uint8_t *source = random_bytes(size_number(s), s + 1);
        check_histogram(histogram, source, size_number(s));
        memset(source, 255, size_number(s));
        check_histogram(histogram, source, size_number(s));
        free(source);
    }
    kernel_close(histogram);
}
END_TEST

/* ---- tables of spans ---- */

#define ROWS 5u
#define SOURCES 6u
#define TARGETS 2u
#define ROW_WORDS (2u + 2u * (SOURCES + TARGETS))
#define LONGEST 1000u

static const uint32_t row_elements[ROWS] = {1, 256, 257, 255, LONGEST};

/* Spans of all rows in one buffer: the sources of a row, then its targets. */
static uint64_t span_at(uint32_t row, uint32_t place)
{
    return (row * (uint64_t)(SOURCES + TARGETS) + place) * LONGEST;
}

static void fill_table(uint32_t *table, uint64_t address)
{
    for (uint32_t r = 0, group = 0; r < ROWS; r++) {
        uint32_t *row = table + (size_t)r * ROW_WORDS;
        row[0]        = group;
        row[1]        = row_elements[r];
        for (uint32_t k = 0; k < SOURCES + TARGETS; k++) {
            uint64_t at    = address + span_at(r, k) * 4;
            row[2 + 2 * k] = (uint32_t)at;
            row[3 + 2 * k] = (uint32_t)(at >> 32);
        }
        group += groups_for(row_elements[r], 256);
    }
}

static double combined(const float *values, uint32_t row, uint32_t i, uint32_t operation, double *magnitude)
{
    double value = values[span_at(row, 0) + i];

    *magnitude = fabs(value);
    for (uint32_t k = 1; k < SOURCES; k++) {
        double next = values[span_at(row, k) + i];
        value       = operation == SUM       ? value + next
                      : operation == MINIMUM ? fmin(value, next)
                                             : fmax(value, next);
        *magnitude += fabs(next);
    }
    return operation == SUM ? value / SOURCES : value;
}

static void check_table(uint32_t operation, const float *before, const float *after)
{
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t i = 0; i < LONGEST; i++) {
            double magnitude, expected = combined(before, r, i, operation, &magnitude);
            for (uint32_t k = 0; k < TARGETS; k++) {
                uint64_t at = span_at(r, SOURCES + k) + i;
                if (i < row_elements[r])
                    expect_near("target", at, after[at], expected, SOURCES * 0.5 * ULP * magnitude);
                else
                    expect_near("what no row names", at, after[at], before[at], 0);
            }
        }
}

START_TEST(reduce_table_f32_combines_the_spans_of_each_row)
{
    uint64_t address = 0, bytes = span_at(ROWS, 0) * 4;
    uint32_t groups = 0, words[ROWS * ROW_WORDS], operation = (uint32_t)_i;
    float *before = random_floats(bytes / 4, -1000, 1000, 3), *after = allocate(bytes);
    struct trm_buffer *values, *table;
    struct trm_kernel *kernel;

    must(trm_buffer_create(fixture_device(), TRM_MEMORY_DEVICE, bytes, &values));
    must(trm_buffer_create(fixture_device(), TRM_MEMORY_DEVICE, sizeof(words), &table));
    if (trm_buffer_address(values, &address) == TRM_OK) {
        must(trm_kernel_named(fixture_device(), "reduce_table_f32", NULL, 0, &kernel));
        fill_table(words, address);
        for (uint32_t r = 0; r < ROWS; r++)
            groups += groups_for(row_elements[r], 256);
        must(trm_upload(fixture_stream(), trm_span_whole(values), before));
        must(trm_upload(fixture_stream(), trm_span_whole(table), words));
        struct trm_grid grid                  = trm_grid_1d(groups, 0);
        const struct trm_argument arguments[] = {
            trm_arg_buffer(table),  trm_arg_u32(ROWS),      trm_arg_u32(SOURCES),
            trm_arg_u32(TARGETS),   trm_arg_u32(operation), trm_arg_u32(operation == SUM ? SOURCES : 1),
            trm_arg_reached(values)};
        must(trm_launch(fixture_stream(), kernel, &grid, arguments, 7));
        must(trm_download(fixture_stream(), after, trm_span_whole(values)));
        must(trm_stream_sync(fixture_stream()));
        check_table(operation, before, after);
        trm_kernel_destroy(kernel);
    }
    trm_buffer_destroy(table);
    trm_buffer_destroy(values);
    free(before);
    free(after);
}
END_TEST

int main(void)
{
    TCase *group = suite_group("collective");

    tcase_add_loop_test(group, reduce_finds_sum_minimum_or_maximum, 0, OPERATIONS);
    tcase_add_test(group, reduce_works_with_groups_that_are_no_power_of_two);
    tcase_add_loop_test(group, reduce_u32_is_exact, 0, OPERATIONS);
    tcase_add_loop_test(group, scan_adds_up_what_stands_before_each_element, 0, 2);
    tcase_add_loop_test(group, scan_u32_is_exact, 0, 2);
    tcase_add_test(group, histogram_counts_each_value);
    tcase_add_loop_test(group, reduce_table_f32_combines_the_spans_of_each_row, 0, OPERATIONS);
    return suite_run(group);
}
