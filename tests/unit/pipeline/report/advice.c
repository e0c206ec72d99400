/* The advice: each sentence has a run that it is for.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/report/advice.h"

START_TEST(a_full_upload_can_only_be_made_smaller_or_its_link_faster)
{
    struct ideal ideal = {.depth = 3, .tokens = 60, .time = {MS, 4 * MS, 2 * MS, MS, MS}, .bytes_up = 1};

    advises(&ideal, "upload is the bound and the pipeline reaches 98.0 % of the possible rate: only smaller "
                    "data or a faster link would help.");
}
END_TEST

START_TEST(a_full_download_likewise)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {MS, MS, 2 * MS, 4 * MS, MS}, .bytes_up = 1};

    advises(&ideal,
            "download is the bound and the pipeline reaches 99.8 % of the possible rate: only smaller "
            "data or a faster link would help.");
}
END_TEST

START_TEST(a_full_compute_names_the_kernel_that_takes_the_most)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {MS, MS, 4 * MS, MS, MS}};

    advises(&ideal, "compute is the bound and the pipeline reaches 99.8 % of the possible rate: only faster "
                    "kernels (sobel takes 75 % "
                    "of it) or a faster device would help.");
}
END_TEST

START_TEST(a_full_load_gets_as_many_workers_as_help)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .workers = 1, .time = {9 * MS, MS, 4 * MS, MS, MS}};

    advises(&ideal, "load holds it back (100 % busy): use 3 loader workers instead of 1 and depth 5 "
                    "(predicted 2.2 x).");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_WORKERS);
    ck_assert_int_eq(report.advised.stage, TRM_STAGE_LOAD);
    ck_assert_uint_eq(report.advised.workers, 3);
    ck_assert_uint_eq(report.advised.depth, 5);
    ck_assert_double_eq_tol(report.advised.gain, 9.0 / 4, 0.02);
    ck_assert_double_eq(report.advised.size, 1);
    ck_assert_uint_eq(report.advised.stage_ns, 0);
    ideal.workers = 2;
    ideal.depth   = 5;
    advises(&ideal, "load holds it back (100 % busy): use 3 loader workers instead of 2 (predicted 1.12 x).");
}
END_TEST

START_TEST(more_workers_than_processors_are_only_for_a_load_that_waits)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .workers = 1, .time = {9 * MS, MS, MS, MS, MS}};

    processors = 2;
    advises(&ideal, "load holds it back (100 % busy): use 2 loader workers instead of 1 "
                    "(predicted 1.99 x).");
    report.load_waiting_ns = report.stages[TRM_STAGE_LOAD].busy_ns / 10 * 9;
    advises_again(
        "load holds it back (100 % busy, of which it waits 90 %): use 4 loader workers instead of 1 "
        "and depth 6 (predicted 4.0 x).");
    ideal.workers = 2;
    ideal.depth   = 4;
    advises(&ideal, "load holds it back (100 % busy): it takes 9.00 ms for a token, and with 2.25 ms (less "
                    "work in it) the run would be faster (predicted 2.9 x).");
    processors = 8;
}
END_TEST

START_TEST(a_serial_source_gets_one_worker_at_most)
{
    struct ideal ideal = {.depth = 4, .tokens = 500, .workers = 1, .time = {9 * MS, MS, 4 * MS, MS, 3 * MS}};

    facts.source_flags = TRM_END_SERIAL;
    advises(&ideal, "load holds it back (100 % busy): it takes 9.00 ms for a token, and with 4.00 ms (less "
                    "work in it) the run would be faster (predicted 2.2 x).");
    report.one_thread = 1;
    report.workers    = 0;
    report.elapsed_ns = 6 * UINT64_C(1000) * MS;
    advises_again("load and sink take turns in one thread (100 % busy), which holds it back: use 1 loader "
                  "worker, so that load and sink overlap (predicted 1.33 x).");
}
END_TEST

/* Other sides that set the pace. */
START_TEST(a_source_that_another_program_paces_is_named_with_its_rate)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .workers = 1, .time = {40 * MS, MS, 4 * MS, MS, MS}};

    facts.source_flags = TRM_END_SERIAL | TRM_END_PACED;
    snprintf(facts.source_name, sizeof(facts.source_name), "standard input");
    snprintf(facts.words.tokens, sizeof(facts.words.tokens), "frames");
    report                 = ideal_report(&ideal);
    report.load_waiting_ns = report.stages[TRM_STAGE_LOAD].busy_ns / 100 * 95;
    advises_again("standard input delivers 25.0 frames/s and is slower than the pipeline (load waits for it "
                  "for 95 % of the time): nothing here would make it faster.");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_BOUND);
    ck_assert_int_eq(report.advised.stage, TRM_STAGE_LOAD);
    ck_assert_double_eq(report.advised.gain, 1);
    /* It works instead of waiting. */
    report.load_waiting_ns = report.stages[TRM_STAGE_LOAD].busy_ns / 100 * 5;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "delivers"));
}
END_TEST

START_TEST(a_reader_slower_than_the_pipeline_is_named_with_its_rate)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .workers = 1, .time = {MS, MS, 4 * MS, MS, 50 * MS}};

    facts.sink_flags = TRM_END_PACED;
    snprintf(facts.sink_name, sizeof(facts.sink_name), "standard output");
    report                 = ideal_report(&ideal);
    report.sink_waiting_ns = report.stages[TRM_STAGE_SINK].busy_ns / 100 * 97;
    advises_again("the reader of standard output takes 20.0 tokens/s and is slower than the pipeline (sink "
                  "waits for it for 97 % of the time): nothing here would make it faster.");
    /* A sink that waits for something else. */
    facts.sink_flags = 0;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "the reader"));
}
END_TEST

/* What a user types, and what has no option. */
START_TEST(advice_names_the_options_of_the_program)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .workers = 1, .time = {9 * MS, MS, 4 * MS, MS, MS}};
    struct trm_advice_words words = {.struct_size = sizeof(words),
                                     .token       = "frame",
                                     .tokens      = "frames",
                                     .workers     = "--workers",
                                     .depth       = "--depth"};

    ck_assert_int_eq(pipeline_report_words_copy(&words, &facts.words), TRM_OK);
    advises(&ideal, "load holds it back (100 % busy): use --workers 3 instead of 1 and --depth 5 (predicted "
                    "2.2 x).");
    ideal.workers              = 0;
    ideal.depth                = 1;
    ideal.time[TRM_STAGE_LOAD] = MS;
    advises(&ideal, "compute is idle for 50 % of the time, since frames wait for free slots: use --depth 2 "
                    "instead of 1 (predicted 2.00 x).");
    /* Neither depth nor size has an option. */
    words.depth = NULL;
    ck_assert_int_eq(pipeline_report_words_copy(&words, &facts.words), TRM_OK);
    ideal.depth  = 3;
    ideal.tokens = 1;
    advises(&ideal, "compute is busy for 50 % of the time, and filling and emptying the pipeline takes 50 %, "
                    "which more frames would hide (predicted up to 2.0 times as fast for each frame).");
    words.struct_size = 8;
    ck_assert_int_eq(pipeline_report_words_copy(&words, &facts.words), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(threads_for_the_sink_are_advised_where_the_program_has_them)
{
    struct ideal ideal = {.depth = 4, .tokens = 500, .workers = 1, .time = {MS, MS, 2 * MS, MS, 5 * MS}};
    struct trm_advice_words words = {.struct_size = sizeof(words),
                                     .workers     = "--workers",
                                     .depth       = "--depth",
                                     .sinks       = "--writers",
                                     .sink_count  = 1};

    ck_assert_int_eq(pipeline_report_words_copy(&words, &facts.words), TRM_OK);
    advises(&ideal, "sink holds it back (100 % busy): use --writers 3 instead of 1 and --depth 5 "
                    "(predicted 2.5 x).");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_SINKS);
    ck_assert_uint_eq(report.advised.sinks, 3);
    ck_assert_uint_eq(report.advised.workers, 1);
    /* Load and sink hold it back together: neither alone gains anything. */
    ideal.time[TRM_STAGE_LOAD] = 5 * MS;
    advises(&ideal,
            "load and sink hold it back (100 % and 100 % busy): use --workers 3 instead of 1, --writers "
            "3 instead of 1 and --depth 7 (predicted 2.5 x).");
    /* A sink that takes one after the other. */
    facts.sink_flags           = TRM_END_SERIAL;
    ideal.time[TRM_STAGE_LOAD] = MS;
    advises(&ideal, "sink is the bound and the pipeline reaches 99.8 % of the possible rate: only a quicker "
                    "sink would help.");
}
END_TEST

START_TEST(a_program_that_serves_is_not_told_of_workers)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {9 * MS, MS, 4 * MS, MS, MS}};

    advises(&ideal, "load holds it back (100 % busy): it takes 9.00 ms for a token, and with 4.00 ms (less "
                    "work in it) the run would be faster (predicted 2.2 x).");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_STAGE);
    ck_assert_uint_eq(report.advised.stage_ns, 4 * MS);
}
END_TEST

START_TEST(load_and_sink_in_one_thread_are_told_to_part)
{
    struct ideal ideal = {.depth = 4, .tokens = 500, .time = {3 * MS, MS, 4 * MS, MS, 3 * MS}};

    /* A thread that does both takes 6 ms for a token. */
    report            = ideal_report(&ideal);
    report.one_thread = 1;
    report.elapsed_ns = 3 * UINT64_C(1000) * MS;
    report.efficiency = 0.66;
    advises_again("load and sink take turns in one thread (100 % busy), which holds it back: use 1 loader "
                  "worker, so that load and sink overlap (predicted 1.49 x).");
    ideal.time[TRM_STAGE_SINK] = MS / 10;
    ideal.time[TRM_STAGE_LOAD] = 5 * MS;
    report                     = ideal_report(&ideal);
    report.one_thread          = 1;
    advises_again("load holds it back (100 % busy): use 2 loader workers (predicted 1.27 x).");
}
END_TEST

START_TEST(a_full_sink_is_told_how_quick_it_should_be)
{
    struct ideal ideal = {.depth = 4, .tokens = 500, .time = {MS, MS, 2 * MS, MS, 5 * MS}};

    advises(&ideal, "sink holds it back (100 % busy): it takes 5.00 ms for a token, and with 2.00 ms (less "
                    "work, or threads of its own) the run would be faster (predicted 2.5 x).");
    ck_assert_int_eq(report.advised.stage, TRM_STAGE_SINK);
    ck_assert_uint_eq(report.advised.stage_ns, 2 * MS);
    /* The next stage takes as long. */
    ideal.time[TRM_STAGE_COMPUTE] = 5 * MS - 1;
    advises(
        &ideal,
        "sink is the bound and the pipeline reaches 99.7 % of the possible rate: only a quicker sink would "
        "help.");
}
END_TEST

START_TEST(too_few_slots_are_counted_and_more_are_predicted)
{
    struct ideal ideal = {.depth = 1, .tokens = 500, .time = {0, 2 * MS, 4 * MS, 2 * MS, 0}, .bytes_up = 1};

    advises(&ideal, "compute is idle for 50 % of the time, since tokens wait for free slots: raise the depth "
                    "from 1 to 2 (predicted 2.00 x).");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_DEPTH);
    ck_assert_uint_eq(report.advised.depth, 2);
    ideal.depth                    = 2;
    ideal.time[TRM_STAGE_UPLOAD]   = 4 * MS;
    ideal.time[TRM_STAGE_DOWNLOAD] = 4 * MS;
    advises(&ideal, "upload is idle for 33 % of the time, since tokens wait for free slots: raise the depth "
                    "from 2 to 3 (predicted 1.50 x).");
}
END_TEST

START_TEST(work_on_processors_limits_what_is_promised)
{
    struct ideal ideal = {.depth = 1, .tokens = 500, .time = {0, 2 * MS, 4 * MS, 2 * MS, 0}, .bytes_up = 1};

    report = ideal_report(&ideal);
    /* Eight processors are busy for 80 % of the time. */
    report.processor_ns = report.elapsed_ns / 10 * 8 * 8;
    advises_again("compute is idle for 50 % of the time, since tokens wait for free slots: raise the depth "
                  "from 1 to 2 (predicted 1.25 x).");
    report.processor_ns = report.elapsed_ns / 100 * 97 * 8;
    advises_again("The processors are busy for 97 % of the time, with all stages together: only less work or "
                  "more processors would help (compute takes the longest).");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_BOUND);
}
END_TEST

START_TEST(few_tokens_are_told_to_become_more)
{
    struct ideal ideal = {.depth = 3, .tokens = 3, .time = {MS, 2 * MS, 4 * MS, 2 * MS, MS}, .bytes_up = 1};

    advises(&ideal, "3 tokens: filling and emptying the pipeline is 33 % of the time; cut the data into 8 "
                    "times as many to overlap better (predicted 1.41 x).");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_SIZE);
    ck_assert_double_eq(report.advised.size, 1.0 / 8);
}
END_TEST

START_TEST(few_tokens_of_a_short_run_get_no_advice)
{
    struct ideal ideal = {
        .depth = 3, .tokens = 4, .time = {MS / 100, MS / 50, MS / 25, MS / 50, MS / 100}, .bytes_up = 1};

    report = ideal_report(&ideal);
    for (int i = 0; i < 3; i++) {
        report.preempted = (uint64_t)i * 100;
        report.elapsed_ns += (uint64_t)i * MS;
        pipeline_report_advise(&report, &facts, processors);
        ck_assert_ptr_eq(strstr(report.advice, "Too few tokens to advise: 4 in "), report.advice);
        ck_assert_int_eq(report.advised.kind, TRM_ADVICE_NONE);
    }
    facts.words = (struct pipeline_report_words){.are_given = true, .token = "batch", .tokens = "batches"};
    report      = ideal_report(&ideal);
    advises_again("Too few batches to advise: 4 in 220 µs tell little about a longer run.");
    /* More of them, or longer ones, do tell. */
    ideal.tokens = 16;
    report       = ideal_report(&ideal);
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "Too few"));
}
END_TEST

START_TEST(filling_and_emptying_is_named_where_it_is_what_is_left)
{
    struct ideal ideal = {.depth = 6, .tokens = 10, .time = {MS, 2 * MS, 4 * MS, 2 * MS, MS}, .bytes_up = 1};

    advises(&ideal, "compute is busy for 87 % of the time, and filling and emptying the pipeline takes 13 %, "
                    "which more tokens would hide (predicted up to 1.15 times as fast for each token).");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_MORE);
}
END_TEST

START_TEST(a_stage_that_is_always_busy_is_not_told_to_fill_and_empty)
{
    struct ideal ideal = {
        .depth = 17, .tokens = 500, .workers = 15, .time = {15 * MS, MS / 9, MS, MS / 9, 0}};

    /* Fifteen threads wait for one pipe: each takes fifteen times as long. */
    facts.source_flags = TRM_END_SERIAL;
    report             = ideal_report(&ideal);
    report.efficiency  = 0.89;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_msg(strstr(report.advice, "emptying") == NULL, "%s", report.advice);
    ck_assert_msg(strstr(report.advice, "use ") == NULL, "%s", report.advice);
}
END_TEST

START_TEST(tiny_tokens_are_told_to_grow)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {100, 200, 1000, 200, 100}};

    report            = ideal_report(&ideal);
    report.elapsed_ns = 500 * 3000;
    report.efficiency = 0.33;
    advises_again("Handing tokens over costs more than the work on them (3.00 µs each, of which 1.00 µs is "
                  "work): make them 8 times as large (predicted 2.4 x).");
    ck_assert_double_eq(report.advised.size, 8);
    facts.words.are_given = true;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "times as large"));
    snprintf(facts.words.size, sizeof(facts.words.size), "--batch");
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_msg(strstr(report.advice, "make them 8 times as large with --batch (") != NULL, "%s",
                  report.advice);
}
END_TEST

START_TEST(a_server_without_requests_is_told_so)
{
    struct ideal ideal = {.depth = 1, .tokens = 100, .time = {MS, 0, 2 * MS, 0, MS}, .gap = 4 * MS};

    advises(&ideal, "A slot was free and nothing came for 50 % of the time: the pipeline could take more "
                    "tokens (compute is busy for 25 %; predicted up to 1.99 x).");
}
END_TEST

START_TEST(a_run_is_not_told_that_it_could_take_more_tokens)
{
    struct ideal ideal = {.depth = 1, .tokens = 100, .time = {MS, 0, 2 * MS, 0, MS}, .gap = 4 * MS};

    report            = ideal_report(&ideal);
    report.one_thread = 1;
    pipeline_report_complete(&report, NULL);
    ck_assert_msg(strstr(report.advice, "could take more") == NULL, "%s", report.advice);
    report.one_thread = 0;
    report.workers    = 1;
    pipeline_report_complete(&report, NULL);
    ck_assert_msg(strstr(report.advice, "could take more") == NULL, "%s", report.advice);
}
END_TEST

START_TEST(nothing_gains_more_than_the_enqueueing_allows)
{
    struct ideal ideal = {.depth = 1, .tokens = 100, .time = {MS, 0, 2 * MS, 0, MS}, .gap = 4 * MS};

    facts.rates.enqueued    = 100;
    facts.rates.enqueue_sum = UINT64_C(100) * 5 * MS;
    advises(&ideal, "A slot was free and nothing came for 50 % of the time: the pipeline could take more "
                    "tokens (compute is busy for 25 %; predicted up to 1.59 x).");
}
END_TEST

/* Every eighth token loads eight times as long as the others, so that compute runs dry behind it. */
static void vary_load(struct pipeline_stage_times *recent, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        recent[i].time[TRM_STAGE_LOAD]    = i % 8 == 7 ? 8 * MS : MS;
        recent[i].time[TRM_STAGE_COMPUTE] = 2 * MS;
    }
}

START_TEST(uneven_stages_are_named_where_slots_even_them_out)
{
    static struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS];
    struct ideal ideal = {.depth = 3, .tokens = 500, .workers = 1, .time = {15 * MS / 8, 0, 2 * MS, 0, 0}};

    vary_load(recent, PIPELINE_RECENT_TOKENS);
    report                                 = ideal_report(&ideal);
    report.stages[TRM_STAGE_LOAD].least_ns = MS;
    report.stages[TRM_STAGE_LOAD].most_ns  = 8 * MS;
    report.elapsed_ns                      = 500 * UINT64_C(21) / 8 * MS;
    report.efficiency                      = 0.76;
    facts.recent                           = recent;
    facts.recent_count                     = PIPELINE_RECENT_TOKENS;
    advises_again("load takes from 1.00 ms to 8.00 ms for a token, so that other stages wait for it now and "
                  "then: raise the depth from 3 to 5, which evens that out (predicted 1.24 x).");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_DEPTH);
    /* Without the times of single tokens nothing is promised. */
    facts.recent_count = 0;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "evens"));
}
END_TEST

START_TEST(one_outlier_does_not_set_the_depth)
{
    static struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS];
    struct ideal ideal = {.depth = 3, .tokens = 500, .workers = 1, .time = {15 * MS / 8, 0, 2 * MS, 0, 0}};

    for (uint32_t i = 0; i < PIPELINE_RECENT_TOKENS; i++) {
        recent[i].time[TRM_STAGE_LOAD]    = i == PIPELINE_RECENT_TOKENS / 2 ? 176 * MS : MS;
        recent[i].time[TRM_STAGE_COMPUTE] = 2 * MS;
    }
    report                                 = ideal_report(&ideal);
    report.stages[TRM_STAGE_LOAD].least_ns = MS;
    report.stages[TRM_STAGE_LOAD].most_ns  = 176 * MS;
    report.elapsed_ns                      = 500 * UINT64_C(21) / 8 * MS;
    report.efficiency                      = 0.76;
    facts.recent                           = recent;
    facts.recent_count                     = PIPELINE_RECENT_TOKENS;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_msg(strstr(report.advice, "depth") == NULL, "%s", report.advice);
}
END_TEST

START_TEST(no_depth_is_advised_where_it_evens_nothing_out)
{
    static struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS];
    struct ideal ideal = {.depth = 3, .tokens = 500, .workers = 1, .time = {MS, 0, 15 * MS / 8, 0, 0}};

    /* The longest stage itself is uneven. */
    vary_load(recent, PIPELINE_RECENT_TOKENS);
    for (uint32_t i = 0; i < PIPELINE_RECENT_TOKENS; i++) {
        recent[i].time[TRM_STAGE_COMPUTE] = recent[i].time[TRM_STAGE_LOAD];
        recent[i].time[TRM_STAGE_LOAD]    = MS / 2;
    }
    report                                    = ideal_report(&ideal);
    report.stages[TRM_STAGE_COMPUTE].least_ns = MS;
    report.stages[TRM_STAGE_COMPUTE].most_ns  = 8 * MS;
    report.efficiency                         = 0.8;
    facts.recent                              = recent;
    facts.recent_count                        = PIPELINE_RECENT_TOKENS;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_msg(strstr(report.advice, "depth") == NULL, "%s", report.advice);
}
END_TEST

START_TEST(where_nothing_helps_the_report_says_so)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {MS / 5, MS, 4 * MS, MS, MS}};

    report            = ideal_report(&ideal);
    report.elapsed_ns = 500 * UINT64_C(5) * MS;
    report.efficiency = 0.8;
    advises_again(
        "No setting is known to help: compute is the longest stage (80 % busy), and 994 µs pass between "
        "the stages for each token, while it is handed on or waits for a processor.");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_BOUND);
    ck_assert_double_eq(report.advised.gain, 1);
    ck_assert_ptr_null(strstr(report.advice, "before it"));
}
END_TEST

START_TEST(nothing_measured_is_nothing_to_advise)
{
    memset(&report, 0, sizeof(report));
    report.critical = -1;
    advises_again("No token has come out yet, so there is nothing to advise.");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_NONE);
    report.tokens     = 5;
    report.elapsed_ns = 5;
    advises_again(
        "No times were taken: let the pipeline measure (TRM_MEASURE_SAMPLED) to be told what holds it back.");
}
END_TEST

/* Whatever a run looks like: no change is asked for that gains less than 5 %, no sentence is cut off, and
 * every sentence ends. */
START_TEST(no_advice_gains_less_than_a_twentieth)
{
    uint64_t state = 12345;

    for (int i = 0; i < 3000; i++) {
        struct ideal ideal = {.depth = 1, .tokens = 60};
        for (int s = 0; s < TRM_STAGES; s++) {
            state         = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            ideal.time[s] = (state >> 40) % 5000 * 1000 + 1000;
        }
        ideal.depth   = 1 + (uint32_t)(state >> 33) % 8;
        ideal.tokens  = 1 + (state >> 20) % 200;
        ideal.workers = (uint32_t)(state >> 50) % 4;
        if (ideal.workers > ideal.depth)
            ideal.workers = ideal.depth;
        facts.source_flags    = (uint32_t)(state >> 13) % 4;
        facts.words.are_given = state >> 11 & 1;
        report                = ideal_report(&ideal);
        pipeline_report_advise(&report, &facts, processors);
        ck_assert_uint_lt(strlen(report.advice), sizeof(report.advice) - 1);
        ck_assert_int_eq(report.advice[strlen(report.advice) - 1], '.');
        if (report.advised.kind == TRM_ADVICE_BOUND)
            ck_assert_double_eq(report.advised.gain, 1);
        else
            ck_assert_msg(report.advised.gain >= 1.05, "%s", report.advice);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("advice");
    TCase *tests = tcase_create("advice");

    tcase_add_checked_fixture(tests, advice_setup, fixture_end);
    tcase_add_test(tests, a_full_upload_can_only_be_made_smaller_or_its_link_faster);
    tcase_add_test(tests, a_full_download_likewise);
    tcase_add_test(tests, a_full_compute_names_the_kernel_that_takes_the_most);
    tcase_add_test(tests, a_full_load_gets_as_many_workers_as_help);
    tcase_add_test(tests, more_workers_than_processors_are_only_for_a_load_that_waits);
    tcase_add_test(tests, a_serial_source_gets_one_worker_at_most);
    tcase_add_test(tests, a_source_that_another_program_paces_is_named_with_its_rate);
    tcase_add_test(tests, a_reader_slower_than_the_pipeline_is_named_with_its_rate);
    tcase_add_test(tests, advice_names_the_options_of_the_program);
    tcase_add_test(tests, threads_for_the_sink_are_advised_where_the_program_has_them);
    tcase_add_test(tests, a_program_that_serves_is_not_told_of_workers);
    tcase_add_test(tests, load_and_sink_in_one_thread_are_told_to_part);
    tcase_add_test(tests, a_full_sink_is_told_how_quick_it_should_be);
    tcase_add_test(tests, too_few_slots_are_counted_and_more_are_predicted);
    tcase_add_test(tests, work_on_processors_limits_what_is_promised);
    tcase_add_test(tests, few_tokens_are_told_to_become_more);
    tcase_add_test(tests, few_tokens_of_a_short_run_get_no_advice);
    tcase_add_test(tests, filling_and_emptying_is_named_where_it_is_what_is_left);
    tcase_add_test(tests, a_stage_that_is_always_busy_is_not_told_to_fill_and_empty);
    tcase_add_test(tests, tiny_tokens_are_told_to_grow);
    tcase_add_test(tests, a_server_without_requests_is_told_so);
    tcase_add_test(tests, a_run_is_not_told_that_it_could_take_more_tokens);
    tcase_add_test(tests, nothing_gains_more_than_the_enqueueing_allows);
    tcase_add_test(tests, uneven_stages_are_named_where_slots_even_them_out);
    tcase_add_test(tests, one_outlier_does_not_set_the_depth);
    tcase_add_test(tests, no_depth_is_advised_where_it_evens_nothing_out);
    tcase_add_test(tests, where_nothing_helps_the_report_says_so);
    tcase_add_test(tests, nothing_measured_is_nothing_to_advise);
    tcase_add_test(tests, no_advice_gains_less_than_a_twentieth);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
