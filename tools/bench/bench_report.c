/* Trireme: writing what `trireme bench` has measured.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench.h"

#include "tools/output/output.h"

#include <stdio.h>

struct figure {
    double median;
    double min;
    double max;
};

static struct figure figure_of(const struct bench_result *result)
{
    struct figure figure;

    figure.median = bench_median(result->values, result->count);
    figure.min    = result->values[0];
    figure.max    = result->values[result->count - 1];
    return figure;
}

static const char *whose(const struct bench *bench, const struct bench_case *test)
{
    return test->reference ? test->reference : bench->summary.backend;
}

static bool is_measured(const struct bench_result *result)
{
    return !result->skipped && result->count > 0;
}

static void add_number(struct table *table, double value)
{
    char text[64];

    output_number(text, sizeof(text), value);
    table_add(table, text);
}

static void add_row(struct table *table, const struct bench *bench, const struct bench_result *result)
{
    struct figure figure = figure_of(result);

    table_add(table, result->suite->name);
    table_add(table, result->test->name);
    table_add(table, whose(bench, result->test));
    add_number(table, figure.median);
    add_number(table, figure.min);
    add_number(table, figure.max);
    table_add(table, result->test->unit);
}

/* Cases without a figure are reported on stderr, so that programs that read the figures can ignore them. */
static void print_skipped(const struct bench_results *results)
{
    for (uint32_t i = 0; i < results->count; i++) {
        const struct bench_result *result = &results->rows[i];

        if (!result->skipped)
            continue;
        fprintf(stderr, "%s %s %s: ", result->suite->name, result->test->name,
                result->failed ? "failed" : "skipped");
        output_text(stderr, result->skipped);
        fputc('\n', stderr);
    }
}

void bench_print_text(const struct bench *bench, const struct bench_results *results)
{
    static const char *const heading[] = {"suite", "case", "backend", "median", "min", "max", "unit"};
    struct table table;

    printf("trireme %s, ", trm_version());
    output_text(stdout, bench->summary.id);
    fputs(", ", stdout);
    output_text(stdout, bench->summary.name);
    fputs("\n\n", stdout);

    table_init(&table, 7, 1u << 3 | 1u << 4 | 1u << 5);
    for (int i = 0; i < 7; i++)
        table_add(&table, heading[i]);
    for (uint32_t i = 0; i < results->count; i++)
        if (is_measured(&results->rows[i]))
            add_row(&table, bench, &results->rows[i]);
    table_print(&table, stdout, 0, 1);
    table_fini(&table);
    fflush(stdout);
    print_skipped(results);
}

void bench_print_json(const struct bench *bench, const struct bench_results *results)
{
    for (uint32_t i = 0; i < results->count; i++) {
        const struct bench_result *result = &results->rows[i];
        struct figure figure;
        struct json json;

        if (!is_measured(result))
            continue;
        figure = figure_of(result);
        json_begin(&json, stdout, false);
        json_object_begin(&json, NULL);
        json_text(&json, "suite", result->suite->name);
        json_text(&json, "case", result->test->name);
        json_text(&json, "backend", whose(bench, result->test));
        json_text(&json, "unit", result->test->unit);
        json_number(&json, "median", figure.median);
        json_number(&json, "min", figure.min);
        json_number(&json, "max", figure.max);
        json_object_end(&json);
        json_end(&json);
    }
    fflush(stdout);
    print_skipped(results);
}
