/* Trireme: passing frames through the pipeline.
 *
 * Frames are loaded by the pipeline's loaders. They are written by the thread that runs the pipeline or,
 * where the output can take several frames at a time, by threads of their own: in turn each takes the next
 * result and gives its frame a place, and then writes it there beside the others.
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <trireme/trireme.h>
#include <unistd.h>

#include "tools/run/session.h"

/* ---- places for notes ---- */

/* There are as many places as slots. Frames that the pipeline drops keep theirs, since nothing is loaded
 * after them. */
static char **take_note(struct session *session)
{
    uint64_t in_use = atomic_load(&session->notes_in_use), free_place;

    do {
        free_place = ~in_use & (in_use + 1);
        if (free_place == 0)
            return NULL;
    } while (!atomic_compare_exchange_weak(&session->notes_in_use, &in_use, in_use | free_place));
    return &session->notes[__builtin_ctzll(free_place)];
}

static void return_note(struct session *session, char **note)
{
    if (note)
        atomic_fetch_and(&session->notes_in_use, ~(UINT64_C(1) << (note - session->notes)));
}

/* ---- frames ---- */

static int32_t fill(void *user, struct trm_token *token)
{
    struct session *session = user;
    char **note             = take_note(session);
    struct frame frame      = {token->data, token->size, session->plan.track_count, note};

    switch (reader_read(&session->reader, token->index, &frame)) {
    case READER_FRAME:
        token->user = note;
        return TRM_OK;
    case READER_END:
        return_note(session, note);
        return TRM_TOKEN_END;
    default:
        return TRM_ERROR_IO;
    }
}

/* The results in a token. */
static struct frame frame_of(struct session *session, const struct trm_token *token)
{
    uint32_t tracks = session->plan.track_count;

    return (struct frame){token->data + tracks, token->size + tracks, tracks, token->user};
}

static struct trm_source source_of(struct session *session)
{
    struct trm_source source = trm_source_function(fill, session);

    source.workers = session->options->workers;
    /* A pipe gives one frame after the other, when its writer has one. */
    if (session->reader.sequence.count == 0 && !session->reader.input.regular) {
        source.flags = TRM_END_SERIAL | TRM_END_PACED;
        source.name  = session->reader.input.name;
    }
    return source;
}

/* ---- one thread ---- */

static int32_t consume(void *user, const struct trm_token *token)
{
    struct session *session = user;
    struct frame frame      = frame_of(session, token);
    struct writer_place place;

    /* A frame after a missing one would take its place. */
    if (token->index != session->writer.frames)
        return TRM_OK;
    if (session->options->verify && !verify_frame(&session->verify, token))
        return TRM_ERROR_IO;
    if (!writer_reserve(&session->writer, &frame, &place) || !writer_write(&session->writer, &place, &frame))
        return TRM_ERROR_IO;
    return_note(session, token->user);
    progress_update(&session->progress, session->writer.frames, session->work.pipeline);
    return TRM_OK;
}

static void drive_alone(struct session *session)
{
    struct trm_source source = source_of(session);
    struct trm_sink sink     = trm_sink_function(consume, session);

    sink.name  = session->writer.outlet.name;
    sink.flags = session->writer.outlet.paced ? TRM_END_PACED : 0;
    if (trm_pipeline_run(session->work.pipeline, &source, &sink) != TRM_OK)
        fault_set(&session->fault, "%s", trm_last_error().sentence);
}

/* ---- several threads ---- */

struct crew {
    struct session *session;
    pthread_mutex_t turn; /* protects the members below, and the order of places */
    bool ended;           /* no further results */
    bool broken;          /* a frame is missing: those after it are not written */
};

/* The next result that is to be written, and its place. False: there is none. */
static bool take(struct crew *crew, struct trm_token **token, struct writer_place *place)
{
    struct session *session       = crew->session;
    struct trm_pipeline *pipeline = session->work.pipeline;

    while (!crew->ended) {
        int32_t status = trm_pipeline_next(pipeline, UINT64_MAX, token);

        if (status == TRM_TOKEN_END) {
            crew->ended = true;
        } else if (status != TRM_OK) {
            /* Frames in flight end before the end is returned. */
            fault_set(&session->fault, "%s", trm_last_error().sentence);
            crew->broken = true;
        } else {
            struct frame frame = frame_of(session, *token);

            crew->broken |= (*token)->index != session->writer.reserved;
            if (!crew->broken && writer_reserve(&session->writer, &frame, place))
                return true;
            crew->broken = true;
            trm_pipeline_release(pipeline, *token);
        }
    }
    return false;
}

/* With the turn: no further frame is loaded; those in flight are dropped. */
static void give_up(struct crew *crew)
{
    if (!crew->broken)
        trm_pipeline_cancel(crew->session->work.pipeline, 0);
    crew->broken = true;
}

static void *write_frames(void *argument)
{
    struct crew *crew       = argument;
    struct session *session = crew->session;
    struct trm_token *token;
    struct writer_place place;

    pthread_mutex_lock(&crew->turn);
    while (take(crew, &token, &place)) {
        struct frame frame = frame_of(session, token);
        bool well;

        pthread_mutex_unlock(&crew->turn);
        well = writer_write(&session->writer, &place, &frame);
        return_note(session, token->user);
        trm_pipeline_release(session->work.pipeline, token);
        pthread_mutex_lock(&crew->turn);
        if (!well)
            give_up(crew);
        progress_update(&session->progress, writer_frames(&session->writer), session->work.pipeline);
    }
    pthread_mutex_unlock(&crew->turn);
    return NULL;
}

static void drive_crew(struct session *session, uint32_t threads)
{
    struct crew crew         = {.session = session};
    struct trm_source source = source_of(session);
    pthread_t others[SESSION_SLOTS];
    uint32_t started = 0;

    if (trm_pipeline_start(session->work.pipeline, &source) != TRM_OK) {
        fault_set(&session->fault, "%s", trm_last_error().sentence);
        return;
    }
    pthread_mutex_init(&crew.turn, NULL);
    /* Fewer threads than wanted do the same work. */
    while (started + 1 < threads && pthread_create(&others[started], NULL, write_frames, &crew) == 0)
        started++;
    write_frames(&crew);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    pthread_mutex_destroy(&crew.turn);
}

/* ---- which of them ---- */

/* A second thread writes while the first one takes the next result. Where processors are few it takes one
 * from the kernels: on two of them a chain of filters took 6 % longer. */
enum {
    USUAL_WRITERS    = 2,
    PROCESSORS_LEAST = 4,
};

uint32_t drive_writers(const struct session *session)
{
    const struct run_options *options = session->options;

    if (!session->writer.parallel || options->verify)
        return 1;
    if (options->sink_workers >= 0)
        return (uint32_t)options->sink_workers;
    if (options->workers == 0 || options->depth == 1 || sysconf(_SC_NPROCESSORS_ONLN) < PROCESSORS_LEAST)
        return 1;
    return USUAL_WRITERS;
}

void drive(struct session *session)
{
    uint32_t writers = drive_writers(session);

    if (writers > 1)
        drive_crew(session, writers);
    else
        drive_alone(session);
    if (!fault_is_set(&session->fault))
        writer_finish(&session->writer);
}
