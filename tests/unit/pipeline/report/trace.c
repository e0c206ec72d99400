/* Traces, read as the importer of Perfetto reads them: events that it would drop or misplace fail here.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <inttypes.h>

#include "tests/unit/pipeline/report/fixture.h"
#include "tests/unit/pipeline/report/trace_reader.h"
#include "tests/unit/runner.h"

enum {
    THREADS_MOST = 1024,
    STACK_MOST   = 4
};

static struct written write_trace(const struct pipeline_measure *measure, const struct trm_report *report,
                                  int32_t format)
{
    struct written written = {0};
    struct pipeline_writer writer;
    struct pipeline_trace trace;

    ck_assert_int_eq(pipeline_trace_init(fixture_context, measure, report, &trace), TRM_OK);
    pipeline_writer_begin(&writer, keep_written, &written);
    if (format == TRM_TRACE_EVENTS)
        ck_assert_int_eq(pipeline_trace_events(&trace, &writer), TRM_OK);
    else
        pipeline_trace_timeline(&trace, &writer);
    ck_assert_int_eq(pipeline_writer_end(&writer), TRM_OK);
    pipeline_trace_fini(&trace);
    return written;
}

/* ---- demands of the importer ---------------------------------------------------------------- */

struct open_slice {
    uint64_t end;
    char name[64];
};

struct thread {
    uint32_t depth;
    struct open_slice stack[STACK_MOST];
    int32_t has_name, has_order, has_slices;
};

static struct thread threads[THREADS_MOST];

static void check_metadata(const struct event *event)
{
    struct thread *thread = &threads[event->thread];

    if (strcmp(event->name, "thread_name") == 0) {
        ck_assert_int_eq(strncmp(event->arguments, "{\"name\": \"", 10), 0);
        ck_assert_int_eq(thread->has_name++, 0);
    } else if (strcmp(event->name, "thread_sort_index") == 0) {
        ck_assert_int_eq(strncmp(event->arguments, "{\"sort_index\": ", 15), 0);
        ck_assert_int_eq(thread->has_order++, 0);
    }
}

/* Like SliceTracker::Scoped(): closes ended slices; an open one must contain the new one. */
static void check_slice(const struct event *event)
{
    struct thread *thread = &threads[event->thread];

    ck_assert(thread->has_name && thread->has_order);
    while (thread->depth > 0 && thread->stack[thread->depth - 1].end <= event->time)
        thread->depth--;
    if (thread->depth > 0)
        ck_assert_uint_le(event->time + event->duration, thread->stack[thread->depth - 1].end);
    ck_assert_uint_lt(thread->depth, STACK_MOST);
    thread->stack[thread->depth].end = event->time + event->duration;
    strcpy(thread->stack[thread->depth++].name, event->name);
    thread->has_slices = 1;
}

/* Like FlowTracker: the flow belongs to the topmost slice, which must be this token's. */
static void check_flow(const struct event *event, uint8_t *begun)
{
    const struct thread *thread = &threads[event->thread];
    char name[64];

    ck_assert_str_eq(event->name, "token");
    ck_assert_str_eq(event->category, "flow");
    ck_assert_uint_gt(event->id, 0);
    ck_assert_uint_gt(thread->depth, 0);
    snprintf(name, sizeof(name), "token %" PRIu64, event->id - 1);
    ck_assert_str_eq(thread->stack[thread->depth - 1].name, name);
    ck_assert_uint_eq(begun[event->id], event->phase == 's' ? 0 : 1);
    begun[event->id] = event->phase == 'f' ? 2 : 1;
    if (event->phase == 'f')
        ck_assert(event->binds_enclosing);
}

static void check_counter(const struct event *event, uint32_t depth)
{
    uint64_t in_use;

    ck_assert_str_eq(event->name, "slots");
    ck_assert_int_eq(sscanf(event->arguments, "{\"in use\": %" SCNu64 "}", &in_use), 1);
    ck_assert_uint_le(in_use, depth);
}

/* The number of flows that begin and end. */
static uint32_t check_trace(uint32_t depth)
{
    uint8_t *begun = calloc(EVENTS_MOST, 1);
    uint64_t time  = 0;
    uint32_t flows = 0;

    memset(threads, 0, sizeof(threads));
    for (uint32_t i = 0; i < event_count; i++) {
        const struct event *event = &events[i];

        ck_assert_uint_eq(event->process, 1);
        ck_assert(event->thread > 0 && event->thread < THREADS_MOST);
        if (event->phase == 'M') {
            ck_assert_uint_eq(time, 0);
            check_metadata(event);
            continue;
        }
        ck_assert_uint_ge(event->time, time);
        time = event->time;
        ck_assert_ptr_nonnull(strchr("XstfC", event->phase));
        if (event->phase == 'X')
            check_slice(event);
        else if (event->phase == 'C')
            check_counter(event, depth);
        else
            check_flow(event, begun);
    }
    for (uint32_t i = 0; i < EVENTS_MOST; i++) {
        ck_assert_int_ne(begun[i], 1);
        flows += begun[i] == 2;
    }
    for (uint32_t i = 0; i < THREADS_MOST; i++)
        ck_assert_int_eq(threads[i].has_name, threads[i].has_slices);
    free(begun);
    return flows;
}

static void check_ideal(const struct ideal *ideal, uint32_t flows)
{
    struct pipeline_measure *measure = run_ideal(ideal);
    struct trm_report report         = measure_report(measure, ideal->depth);
    struct written written           = write_trace(measure, &report, TRM_TRACE_EVENTS);

    read_trace(written.text);
    ck_assert_uint_eq(check_trace(ideal->depth), flows);
    if (ideal->trace_tokens >= ideal->tokens)
        check_sums(&report);
    free(written.text);
    pipeline_measure_destroy(measure);
}

static void begin(void)
{
    fixture_begin();
    events = malloc(EVENTS_MOST * sizeof(*events));
    ck_assert_ptr_nonnull(events);
}

static void end(void)
{
    free(events);
    fixture_end();
}

START_TEST(the_report_says_what_the_trace_says)
{
    struct ideal ideal = {.depth        = 3,
                          .tokens       = 200,
                          .time         = {1001, 2003, 4007, 1511, 523},
                          .bytes_up     = 1000,
                          .bytes_down   = 77,
                          .trace_tokens = 200};

    check_ideal(&ideal, 200);
    ideal.depth   = 8;
    ideal.workers = 4;
    check_ideal(&ideal, 200);
    ideal.failed = 18;
    check_ideal(&ideal, 200);
}
END_TEST

START_TEST(a_stage_that_overlaps_with_itself_gets_more_tracks)
{
    struct ideal ideal = {
        .depth = 6, .tokens = 50, .time = {8000, 0, 2000, 0, 100}, .workers = 4, .trace_tokens = 50};

    check_ideal(&ideal, 50);
    ck_assert(threads[101].has_slices && threads[102].has_slices && threads[104].has_slices);
    ck_assert(!threads[105].has_slices);
    /* No copies, so no tracks of them. */
    ck_assert(!threads[201].has_name && !threads[401].has_name);
    ck_assert(threads[301].has_name && !threads[302].has_name);
}
END_TEST

START_TEST(only_the_last_tokens_are_in_a_trace_that_keeps_fewer)
{
    struct ideal ideal = {
        .depth = 3, .tokens = 1000, .time = {1001, 2003, 4007, 1511, 523}, .trace_tokens = 16};

    check_ideal(&ideal, 16);
    for (uint32_t i = 0; i < event_count; i++)
        if (events[i].phase == 's')
            ck_assert_uint_ge(events[i].id, 985);
}
END_TEST

START_TEST(a_token_in_one_stage_only_has_no_flow)
{
    struct ideal ideal = {.depth = 3, .tokens = 10, .time = {0, 0, 4007, 0, 0}, .trace_tokens = 16};

    check_ideal(&ideal, 0);
}
END_TEST

START_TEST(stages_without_duration_are_still_bound_to_their_own_token)
{
    struct pipeline_measure *measure = make_measure(2, 8);
    struct written written;
    struct trm_report report;

    for (uint64_t i = 0; i < 4; i++) {
        uint64_t at                   = 100 + i / 2 * 50;
        uint64_t times[TRM_STAGES][2] = {
            {at, at}, {at, at}, {at, at + 20}, {at + 20, at + 20}, {at + 20, at + 21}};
        struct pipeline_token_times token = make_token(i, (uint32_t)(i % 2), times);
        pipeline_measure_token(measure, &token);
    }
    report  = measure_report(measure, 2);
    written = write_trace(measure, &report, TRM_TRACE_EVENTS);
    read_trace(written.text);
    ck_assert_uint_eq(check_trace(4), 4);
    check_sums(&report);
    free(written.text);
    pipeline_measure_destroy(measure);
}
END_TEST

/* How many slices of stages the thread of this name has. */
static uint32_t slices_of(const char *track)
{
    uint64_t thread = 0;
    uint32_t count  = 0;
    char wanted[96];

    snprintf(wanted, sizeof(wanted), "{\"name\": \"%s\"}", track);
    for (uint32_t i = 0; i < event_count; i++) {
        if (events[i].phase == 'M' && strcmp(events[i].name, "thread_name") == 0 &&
            strncmp(events[i].arguments, wanted, strlen(wanted)) == 0)
            thread = events[i].thread;
        count +=
            events[i].phase == 'X' && events[i].thread == thread && strncmp(events[i].name, "token", 5) == 0;
    }
    return count;
}

/* Both devices work at the same time, and neither works on two tokens at once. */
START_TEST(each_device_has_tracks_of_its_own)
{
    struct pipeline_measure *measure = make_measure(4, 16);
    struct written written;
    struct trm_report report;

    for (uint64_t i = 0; i < 10; i++) {
        uint64_t at                   = i / 2 * 50 + i % 2 * 5 + 1;
        uint64_t times[TRM_STAGES][2] = {
            {at, at + 1}, {at + 5, at + 9}, {at + 9, at + 40}, {at + 40, at + 44}, {at + 44, at + 45}};
        struct pipeline_token_times token = make_token(i, (uint32_t)(i % 4), times);
        token.device                      = i % 2 == 1;
        pipeline_measure_token(measure, &token);
    }
    report              = measure_report(measure, 4);
    report.device_count = 2;
    snprintf(report.devices[0].device, sizeof(report.devices[0].device), "cuda:0");
    snprintf(report.devices[1].device, sizeof(report.devices[1].device), "cuda:1");
    written = write_trace(measure, &report, TRM_TRACE_EVENTS);
    read_trace(written.text);
    ck_assert_uint_eq(check_trace(4), 10);
    ck_assert_uint_eq(slices_of("cuda:0 upload"), 5);
    ck_assert_uint_eq(slices_of("cuda:0 compute"), 5);
    ck_assert_uint_eq(slices_of("cuda:1 compute"), 5);
    ck_assert_uint_eq(slices_of("cuda:1 download"), 5);
    ck_assert_uint_eq(slices_of("load"), 10);
    ck_assert_uint_eq(slices_of("compute"), 0);
    ck_assert_ptr_null(strstr(written.text, "compute (2)"));
    free(written.text);
    written = write_trace(measure, &report, TRM_TRACE_TIMELINE);
    ck_assert_ptr_nonnull(
        strstr(written.text, "{\"name\": \"cuda:1 compute\", \"critical\": true, \"lanes\": 1,"));
    ck_assert_ptr_nonnull(strstr(written.text, "<td>cuda:1</td>"));
    free(written.text);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(launches_whose_end_is_not_known_are_left_out)
{
    struct pipeline_measure *measure  = make_measure(2, 8);
    uint64_t times[TRM_STAGES][2]     = {{1, 5}, {0, 0}, {5, 9}, {0, 0}, {9, 10}};
    uint64_t ends[2]                  = {0, EPOCH + 20};
    struct pipeline_token_times token = make_token(0, 0, times);
    struct written written;
    struct trm_report report;

    token.launch_count = 2;
    token.launch_end   = ends;
    pipeline_measure_token(measure, &token);
    report  = measure_report(measure, 2);
    written = write_trace(measure, &report, TRM_TRACE_EVENTS);
    read_trace(written.text);
    check_trace(2);
    ck_assert_ptr_null(strstr(written.text, "\"blur\""));
    /* Never longer than the whole. */
    ck_assert_uint_eq(sum_launches("sobel"), 4);
    free(written.text);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(tokens_that_did_not_come_out_say_why)
{
    struct pipeline_measure *measure   = make_measure(2, 8);
    uint64_t times[TRM_STAGES][2]      = {{1, 5}, {0, 0}, {5, 9}, {0, 0}, {0, 0}};
    uint64_t only_load[TRM_STAGES][2]  = {{10, 15}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
    struct pipeline_token_times failed = make_token(0, 0, times), skipped = make_token(1, 1, only_load);
    struct pipeline_token_times dropped = make_token(2, 0, only_load);
    struct written written;
    struct trm_report report;

    failed.status  = TRM_ERROR_KERNEL;
    skipped.status = TRM_TOKEN_SKIP;
    dropped.status = TRM_ERROR_CANCELLED;
    pipeline_measure_token(measure, &failed);
    pipeline_measure_token(measure, &skipped);
    pipeline_measure_token(measure, &dropped);
    for (int32_t i = 0; i < 2; i++) {
        dropped        = make_token(3 + (uint64_t)i, 0, only_load);
        dropped.status = PIPELINE_TOKEN_DROPPED + i;
        pipeline_measure_token(measure, &dropped);
    }
    report  = measure_report(measure, 2);
    written = write_trace(measure, &report, TRM_TRACE_EVENTS);
    read_trace(written.text);
    check_trace(5);
    ck_assert_ptr_nonnull(strstr(written.text, "\"status\": \"TRM_ERROR_KERNEL\""));
    ck_assert_ptr_nonnull(strstr(written.text, "\"token\": 2, \"slot\": 0, \"status\": \"cancelled\""));
    ck_assert_ptr_nonnull(strstr(written.text, "\"token\": 1, \"slot\": 1, \"status\": \"skipped\""));
    free(written.text);
    written = write_trace(measure, &report, TRM_TRACE_TIMELINE);
    ck_assert_ptr_nonnull(
        strstr(written.text, "\"tokens\": [[0,0,\"TRM_ERROR_KERNEL\"],[1,1,\"skipped\"],[2,0,\"cancelled\"],"
                             "[3,0,\"dropped\"],[4,0,\"expired\"]]"));
    ck_assert_ptr_nonnull(strstr(
        written.text, "<small>1 skipped, 1 failed, 1 cancelled, 2 dropped, 1 of them expired</small>"));
    free(written.text);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(no_tokens_are_a_good_trace_too)
{
    struct pipeline_measure *measure = make_measure(2, 8);
    struct trm_report report         = measure_report(measure, 2);
    struct written written           = write_trace(measure, &report, TRM_TRACE_EVENTS);

    read_trace(written.text);
    ck_assert_uint_eq(check_trace(2), 0);
    free(written.text);
    written = write_trace(measure, &report, TRM_TRACE_TIMELINE);
    ck_assert_ptr_nonnull(strstr(written.text, "</html>"));
    free(written.text);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(a_timeline_is_one_page_that_loads_nothing_and_escapes_names)
{
    struct ideal ideal = {.depth = 3, .tokens = 5, .time = {1001, 2003, 4007, 1511, 523}, .trace_tokens = 5};
    struct pipeline_measure *measure = run_ideal(&ideal);
    struct trm_report report         = measure_report(measure, 3);
    struct written written;

    snprintf(report.name, sizeof(report.name), "<b>&\"x\"</b>\xff");
    snprintf(report.reason, sizeof(report.reason), "</script><script>alert(1)</script>");
    pipeline_report_complete(&report, NULL);
    written = write_trace(measure, &report, TRM_TRACE_TIMELINE);
    ck_assert_ptr_nonnull(strstr(written.text, "<h1>&lt;b&gt;&amp;&quot;x&quot;&lt;/b&gt;\xef\xbf\xbd</h1>"));
    ck_assert_ptr_null(strstr(written.text, "alert(1)</script>"));
    ck_assert_ptr_null(strstr(written.text, "src="));
    ck_assert_ptr_null(strstr(written.text, "href="));
    ck_assert_ptr_null(strstr(written.text, "url("));
    ck_assert_ptr_null(strstr(written.text, "@import"));
    /* The only address is the name of SVG's elements. */
    ck_assert_ptr_nonnull(strstr(written.text, "'http://www.w3.org/2000/svg'"));
    ck_assert_ptr_null(strstr(strstr(written.text, "http") + 1, "http"));
    ck_assert_ptr_nonnull(strstr(written.text, "<noscript>"));
    free(written.text);
    pipeline_measure_destroy(measure);
}
END_TEST

START_TEST(a_timeline_of_many_tokens_has_the_last_and_says_so)
{
    struct ideal ideal = {
        .depth = 3, .tokens = 20000, .time = {1001, 2003, 4007, 1511, 523}, .trace_tokens = 20000};
    struct pipeline_measure *measure = run_ideal(&ideal);
    struct trm_report report         = measure_report(measure, 3);
    struct written written           = write_trace(measure, &report, TRM_TRACE_TIMELINE);

    ck_assert_ptr_nonnull(strstr(written.text, "The last 8192 of 20000 kept tokens."));
    ck_assert_ptr_nonnull(strstr(written.text, "\"tokens\": [[11808,"));
    ck_assert_uint_lt(written.length, 2 << 20);
    free(written.text);
    pipeline_measure_destroy(measure);
}
END_TEST

static int32_t refuse(void *user, const char *text, size_t length)
{
    (void)user;
    (void)text;
    (void)length;
    return TRM_ERROR_IO;
}

START_TEST(an_error_of_the_writer_is_handed_on)
{
    struct ideal ideal = {.depth = 3, .tokens = 100, .time = {0, 0, 4007, 0, 0}, .trace_tokens = 100};
    struct pipeline_measure *measure = run_ideal(&ideal);
    struct trm_report report         = measure_report(measure, 3);
    struct pipeline_writer writer;
    struct pipeline_trace trace;

    ck_assert_int_eq(pipeline_trace_init(fixture_context, measure, &report, &trace), TRM_OK);
    pipeline_writer_begin(&writer, refuse, NULL);
    ck_assert_int_eq(pipeline_trace_events(&trace, &writer), TRM_OK);
    ck_assert_int_eq(pipeline_writer_end(&writer), TRM_ERROR_IO);
    pipeline_trace_fini(&trace);
    pipeline_measure_destroy(measure);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("trace");
    TCase *tests = tcase_create("trace");

    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, the_report_says_what_the_trace_says);
    tcase_add_test(tests, a_stage_that_overlaps_with_itself_gets_more_tracks);
    tcase_add_test(tests, only_the_last_tokens_are_in_a_trace_that_keeps_fewer);
    tcase_add_test(tests, a_token_in_one_stage_only_has_no_flow);
    tcase_add_test(tests, stages_without_duration_are_still_bound_to_their_own_token);
    tcase_add_test(tests, each_device_has_tracks_of_its_own);
    tcase_add_test(tests, launches_whose_end_is_not_known_are_left_out);
    tcase_add_test(tests, tokens_that_did_not_come_out_say_why);
    tcase_add_test(tests, no_tokens_are_a_good_trace_too);
    tcase_add_test(tests, a_timeline_is_one_page_that_loads_nothing_and_escapes_names);
    tcase_add_test(tests, a_timeline_of_many_tokens_has_the_last_and_says_so);
    tcase_add_test(tests, an_error_of_the_writer_is_handed_on);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
