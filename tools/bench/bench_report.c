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

static double least_of(const struct bench_result *result)
{
    double least = result->values[0];

    for (uint32_t i = 1; i < result->count; i++)
        least = result->values[i] < least ? result->values[i] : least;
    return least;
}

static double most_of(const struct bench_result *result)
{
    double most = result->values[0];

    for (uint32_t i = 1; i < result->count; i++)
        most = result->values[i] > most ? result->values[i] : most;
    return most;
}

/* The round of the median, or of the lower one of two in the middle. */
static uint32_t median_round(const struct bench_result *result)
{
    for (uint32_t round = 0; round < result->count; round++) {
        uint32_t below = 0;

        for (uint32_t i = 0; i < result->count; i++)
            below += result->values[i] < result->values[round] ||
                     (i < round && result->values[i] == result->values[round]);
        if (below == (result->count - 1) / 2)
            return round;
    }
    return 0;
}

/* Of a contest: the round whose figures are shown. */
static uint32_t round_of(const struct bench_results *results, const struct bench_result *result)
{
    const struct bench_result *last = &results->rows[result->last];

    return median_round(last->count == result->count ? last : result);
}

static struct figure figure_of(const struct bench_results *results, const struct bench_result *result)
{
    struct figure figure = {.min = least_of(result), .max = most_of(result)};

    figure.median = result->suite->contests ? result->values[round_of(results, result)]
                                            : bench_median(result->values, result->count);
    return figure;
}

static const char *note_of(const struct bench_results *results, const struct bench_result *result)
{
    return result->notes ? result->notes[round_of(results, result)] : "";
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

/* ---- text ---------------------------------------------------------------------------------------------- */

enum {
    COLUMNS = 8, /* the last one only with contests */
};

static const char *const heading[COLUMNS] = {"suite", "case", "measured", "median",
                                             "min",   "max",  "unit",     "pipeline"};

/* Wide enough for nearly all figures, which are not known yet when the first line is printed. */
#define WIDE_NUMBER "999,999,999"

static bool has_notes(const struct bench_results *results)
{
    for (uint32_t i = 0; i < results->count; i++)
        if (results->rows[i].suite->contests)
            return true;
    return false;
}

/* A table for some of the lines, whose columns are as wide as those of the others. */
static void begin_table(struct table *table, const struct bench *bench, const struct bench_results *results)
{
    table_init(table, has_notes(results) ? COLUMNS : COLUMNS - 1, 1u << 3 | 1u << 4 | 1u << 5);
    for (uint32_t column = 0; column < table->columns; column++)
        table_fit(table, column, heading[column]);
    for (uint32_t i = 0; i < results->count; i++) {
        table_fit(table, 0, results->rows[i].suite->name);
        table_fit(table, 1, results->rows[i].test->name);
        table_fit(table, 2, whose(bench, results->rows[i].test));
        table_fit(table, 6, results->rows[i].test->unit);
    }
    for (uint32_t column = 3; column < 6; column++)
        table_fit(table, column, WIDE_NUMBER);
}

static void add_row(struct table *table, const struct bench *bench, const struct bench_results *results,
                    const struct bench_result *result)
{
    struct figure figure = figure_of(results, result);

    table_add(table, result->suite->name);
    table_add(table, result->test->name);
    table_add(table, whose(bench, result->test));
    add_number(table, figure.median);
    add_number(table, figure.min);
    add_number(table, figure.max);
    table_add(table, result->test->unit);
    if (table->columns == COLUMNS)
        table_add(table, note_of(results, result));
}

void bench_print_heading(const struct bench *bench, const struct bench_results *results)
{
    struct table table;

    printf("trireme %s, ", trm_version());
    output_text(stdout, bench->summary.id);
    fputs(", ", stdout);
    output_text(stdout, bench->summary.name);
    fputs("\n\n", stdout);
    begin_table(&table, bench, results);
    for (uint32_t i = 0; i < table.columns; i++)
        table_add(&table, heading[i]);
    table_print(&table, stdout, 0, true);
    table_fini(&table);
    fflush(stdout);
}

void bench_print_text(const struct bench *bench, const struct bench_results *results, uint32_t first,
                      uint32_t last)
{
    struct table table;

    begin_table(&table, bench, results);
    for (uint32_t i = first; i <= last; i++)
        if (is_measured(&results->rows[i]))
            add_row(&table, bench, results, &results->rows[i]);
    table_print(&table, stdout, 0, false);
    table_fini(&table);
    fflush(stdout);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

void bench_print_json(const struct bench *bench, const struct bench_results *results, uint32_t first,
                      uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        const struct bench_result *result = &results->rows[i];
        struct figure figure;
        struct json json;

        if (!is_measured(result))
            continue;
        figure = figure_of(results, result);
        json_begin(&json, stdout, false);
        json_object_begin(&json, NULL);
        json_text(&json, "suite", result->suite->name);
        json_text(&json, "case", result->test->name);
        json_text(&json, "backend", whose(bench, result->test));
        json_text(&json, "unit", result->test->unit);
        json_number(&json, "median", figure.median);
        json_number(&json, "min", figure.min);
        json_number(&json, "max", figure.max);
        if (result->notes)
            json_text(&json, "pipeline", note_of(results, result));
        json_object_end(&json);
        json_end(&json);
    }
    fflush(stdout);
}

/* ---- cases without a figure ---------------------------------------------------------------------------- */

void bench_print_skipped(const struct bench_results *results)
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
