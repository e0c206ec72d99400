/* Graphs as they are run. Each launch runs what the executable was at the call.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "tests/standin/standin.h"

struct step {
    uint64_t node; /* handle of what it was made of */
    struct action action;
    uint32_t *dependencies; /* numbers of steps */
    uint32_t dependency_count;
};

struct steps {
    struct step *steps;
    uint32_t count;
};

struct executable {
    struct object object;
    struct steps steps;
    struct place last; /* launches of one executable follow each other */
};

static void steps_clear(struct steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        action_clear(&steps->steps[i].action);
        free(steps->steps[i].dependencies);
    }
    free(steps->steps);
}

/* `count` steps are copied by `copy`, which makes one complete or nothing of it. */
static bool step_set(struct step *step, uint64_t node, const struct action *action,
                     const uint32_t *dependencies, uint32_t count)
{
    step->node         = node;
    step->dependencies = calloc(count + 1, sizeof(*step->dependencies));
    if (step->dependencies == NULL)
        return false;
    if (!action_copy(&step->action, action)) {
        free(step->dependencies);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        step->dependencies[i] = dependencies[i];
    step->dependency_count = count;
    return true;
}

static bool steps_copy(struct steps *copy, const struct steps *steps)
{
    *copy = (struct steps){.steps = calloc(steps->count + 1, sizeof(*copy->steps))};
    if (copy->steps == NULL)
        return false;
    for (; copy->count < steps->count; copy->count++) {
        const struct step *step = &steps->steps[copy->count];
        if (step_set(&copy->steps[copy->count], step->node, &step->action, step->dependencies,
                     step->dependency_count))
            continue;
        steps_clear(copy);
        return false;
    }
    return true;
}

static bool steps_of_graph(struct steps *steps, const struct graph *graph)
{
    uint32_t *numbers = calloc(graph->count + 1, sizeof(*numbers));

    *steps = (struct steps){.steps = calloc(graph->count + 1, sizeof(*steps->steps))};
    if (steps->steps == NULL || numbers == NULL) {
        free(numbers);
        free(steps->steps);
        return false;
    }
    bool worked = true;
    for (const struct node *node = graph->first; node != NULL && worked; node = node->next) {
        for (uint32_t i = 0; i < node->dependency_count; i++)
            numbers[i] = node->dependencies[i]->number;
        worked = step_set(&steps->steps[steps->count], node->object.handle, &node->action, numbers,
                          node->dependency_count);
        steps->count += worked;
    }
    free(numbers);
    if (!worked)
        steps_clear(steps);
    return worked;
}

/* ---- running */

struct graph_operation {
    struct operation operation;
    struct steps steps;
    struct place place; /* for events */
    bool *are_done;
};

static bool is_ready(const struct graph_operation *run, uint32_t number)
{
    const struct step *step = &run->steps.steps[number];

    if (run->are_done[number])
        return false;
    for (uint32_t i = 0; i < step->dependency_count; i++)
        if (!run->are_done[step->dependencies[i]])
            return false;
    return true;
}

static CUresult run_action(const struct graph_operation *run, const struct action *action)
{
    CUresult result = CUDA_SUCCESS;

    switch (action->kind) {
    case NODE_KERNEL:
        result = standin_count_work("kernel");
        return result == CUDA_SUCCESS ? launch_run(&action->launch) : result;
    case NODE_TRANSFER:
        result = standin_count_work(action->transfer.is_fill ? "fill" : "copy");
        return result == CUDA_SUCCESS ? transfer_run(&action->transfer) : result;
    case NODE_RECORD:
        standin_lock();
        event_reached((struct event_reference){.handle = action->event, .place = run->place}, standin_now());
        standin_unlock();
        return CUDA_SUCCESS;
    default:
        return CUDA_SUCCESS;
    }
}

/* Of the steps that may run next, takes the one added last, so that programs that rely on an order which the
 * graph does not state fail. */
static CUresult graph_run(struct operation *operation)
{
    struct graph_operation *run = (struct graph_operation *)operation;
    CUresult result             = CUDA_SUCCESS;

    for (uint32_t left = run->steps.count; left != 0 && result == CUDA_SUCCESS; left--) {
        uint32_t number = run->steps.count - 1;
        while (!is_ready(run, number))
            number--;
        result                = run_action(run, &run->steps.steps[number].action);
        run->are_done[number] = true;
    }
    return result;
}

static void graph_end(struct operation *operation, bool was_run)
{
    struct graph_operation *run = (struct graph_operation *)operation;

    (void)was_run;
    steps_clear(&run->steps);
    free(run->are_done);
}

static const struct operation_kind graph_kind = {.name = "graph", .run = graph_run, .end = graph_end};

/* ---- calls */

void graph_executable_destroy(struct object *object)
{
    struct executable *executable = (struct executable *)object;

    object_end(object);
    timeline_drop(executable->last.timeline);
    steps_clear(&executable->steps);
    free(executable);
}

CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                                             unsigned long long flags)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuGraphInstantiateWithFlags, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct graph *graph = object_find(OBJECT_GRAPH, hGraph);
    if (graph == NULL || phGraphExec == NULL || flags > 15)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct executable *executable = calloc(1, sizeof(*executable));
    if (executable == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    if (!steps_of_graph(&executable->steps, graph)) {
        free(executable);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    object_begin(&executable->object, OBJECT_GRAPH_EXECUTABLE, context);
    *phGraphExec = object_handle(&executable->object);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec hGraphExec)
{
    CUresult result = enter(STANDIN_cuGraphExecDestroy);

    if (result != CUDA_SUCCESS)
        return result;
    struct object *object = object_find(OBJECT_GRAPH_EXECUTABLE, hGraphExec);
    if (object == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    CUresult sticky = object->context->sticky;
    graph_executable_destroy(object);
    return leave(sticky);
}

/* Begins a call that puts an executable into a stream. */
static CUresult enter_executable(enum standin_function function, CUgraphExec handle, CUstream stream_handle,
                                 struct executable **executable, struct stream **stream)
{
    struct context *context;
    CUresult result = enter_stream(function, stream_handle, &context, stream);

    if (result != CUDA_SUCCESS)
        return result;
    *executable = object_find(OBJECT_GRAPH_EXECUTABLE, handle);
    return *executable == NULL ? leave(CUDA_ERROR_INVALID_VALUE) : CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream)
{
    struct executable *executable;
    struct stream *stream;
    CUresult result = enter_executable(STANDIN_cuGraphUpload, hGraphExec, hStream, &executable, &stream);

    return result == CUDA_SUCCESS ? leave(CUDA_SUCCESS) : result;
}

/* Events are as if they were recorded by the call. */
static bool take_events(struct graph_operation *run, bool records, struct place place)
{
    for (uint32_t i = 0; i < run->steps.count; i++) {
        const struct action *action = &run->steps.steps[i].action;
        if (action->kind != (records ? NODE_RECORD : NODE_WAIT))
            continue;
        struct event *event =
            object_find(OBJECT_EVENT, (void *)(uintptr_t)action->event); // NOLINT(performance-no-int-to-ptr)
        if (event == NULL)
            return false;
        if (records)
            event_set(event, place);
        else if (!operation_wait_for(&run->operation, event->place))
            return false;
    }
    return true;
}

/* The module of a kernel may be unloaded when no executable that has it is launched any more. */
static bool are_loaded(const struct steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct action *action = &steps->steps[i].action;
        if (action->kind == NODE_KERNEL &&
            object_find(OBJECT_FUNCTION,
                        (void *)(uintptr_t)action->launch.function) == // NOLINT(performance-no-int-to-ptr)
                NULL)
            return false;
    }
    return true;
}

static void discard(struct graph_operation *run)
{
    for (uint32_t i = 0; i < run->operation.place_count; i++)
        timeline_drop(run->operation.places[i].timeline);
    free(run->operation.places);
    steps_clear(&run->steps);
    free(run->are_done);
    free(run);
}

CUresult CUDAAPI cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
    struct executable *executable;
    struct stream *stream;
    CUresult result = enter_executable(STANDIN_cuGraphLaunch, hGraphExec, hStream, &executable, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (!are_loaded(&executable->steps))
        return leave(CUDA_ERROR_INVALID_HANDLE);
    struct graph_operation *run = calloc(1, sizeof(*run));
    if (run == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    run->operation.kind = &graph_kind;
    run->are_done       = calloc(executable->steps.count + 1, sizeof(*run->are_done));
    if (run->are_done == NULL || !steps_copy(&run->steps, &executable->steps)) {
        free(run->are_done);
        free(run);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    if (!take_events(run, false, run->place) || !operation_wait_for(&run->operation, executable->last)) {
        discard(run);
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    stream_enqueue(stream, &run->operation);
    run->place = stream_place(stream);
    if (!take_events(run, true, run->place))
        standin_breach("a graph was launched that records an event that does not live");
    timeline_hold(run->place.timeline);
    timeline_drop(executable->last.timeline);
    executable->last = run->place;
    return leave(CUDA_SUCCESS);
}

/* ---- other parameters */

static struct action *action_of(CUgraphExec handle, CUgraphNode node, enum node_kind kind)
{
    struct executable *executable = object_find(OBJECT_GRAPH_EXECUTABLE, handle);

    for (uint32_t i = 0; executable != NULL && i < executable->steps.count; i++)
        if (executable->steps.steps[i].node == (uint64_t)(uintptr_t)node)
            return executable->steps.steps[i].action.kind == kind ? &executable->steps.steps[i].action : NULL;
    return NULL;
}

/* Begins a call that sets something. Without a current context the real driver crashes. */
static CUresult enter_setting(enum standin_function function)
{
    struct context *context;
    CUresult result = enter(function);

    if (result != CUDA_SUCCESS)
        return result;
    result = context_current(&context);
    if (result == CUDA_SUCCESS && context != NULL)
        return CUDA_SUCCESS;
    standin_breach("%s was called without a current context", standin_function_name(function));
    return leave(CUDA_ERROR_INVALID_CONTEXT);
}

CUresult CUDAAPI cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                   const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    struct action fresh = {.kind = NODE_EMPTY};
    CUresult result     = enter_setting(STANDIN_cuGraphExecKernelNodeSetParams_v2);

    if (result != CUDA_SUCCESS)
        return result;
    struct action *action = action_of(hGraphExec, hNode, NODE_KERNEL);
    if (action == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    result = action_of_kernel(&fresh, nodeParams);
    if (result != CUDA_SUCCESS)
        return leave(result);
    action_clear(action);
    *action = fresh;
    return leave(CUDA_SUCCESS);
}

static bool is_on_device(uint64_t address)
{
    const struct span *span = span_find(address, 1);

    return span != NULL && span->kind != SPAN_PINNED && span->kind != SPAN_REGISTERED;
}

/* The driver takes only what is one row and lies where the old one lay: on the device or the host. */
static bool may_replace(const struct transfer *old, const struct transfer *fresh)
{
    if (old->is_fill != fresh->is_fill || old->height != 1 || fresh->height != 1)
        return false;
    if (is_on_device(old->destination) != is_on_device(fresh->destination))
        return false;
    return old->is_fill || is_on_device(old->source) == is_on_device(fresh->source);
}

static CUresult replace(CUgraphExec executable, CUgraphNode node, const struct action *fresh)
{
    struct action *action = action_of(executable, node, NODE_TRANSFER);

    if (action == NULL || !may_replace(&action->transfer, &fresh->transfer))
        return CUDA_ERROR_INVALID_VALUE;
    action->transfer = fresh->transfer;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    struct action fresh = {.kind = NODE_EMPTY};
    CUresult result     = enter_setting(STANDIN_cuGraphExecMemcpyNodeSetParams);

    if (result != CUDA_SUCCESS)
        return result;
    if (object_find(OBJECT_CONTEXT, ctx) == NULL)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    result = action_of_copy(&fresh, copyParams);
    return leave(result == CUDA_SUCCESS ? replace(hGraphExec, hNode, &fresh) : result);
}

CUresult CUDAAPI cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    struct action fresh = {.kind = NODE_EMPTY};
    CUresult result     = enter_setting(STANDIN_cuGraphExecMemsetNodeSetParams);

    if (result != CUDA_SUCCESS)
        return result;
    if (object_find(OBJECT_CONTEXT, ctx) == NULL)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    result = action_of_fill(&fresh, memsetParams);
    return leave(result == CUDA_SUCCESS ? replace(hGraphExec, hNode, &fresh) : result);
}

static CUresult set_event(enum standin_function function, enum node_kind kind, CUgraphExec executable,
                          CUgraphNode node, CUevent handle)
{
    CUresult result = enter_setting(function);

    if (result != CUDA_SUCCESS)
        return result;
    struct event *event   = object_find(OBJECT_EVENT, handle);
    struct action *action = action_of(executable, node, kind);
    if (event == NULL || action == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    action->event = event->object.handle;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    return set_event(STANDIN_cuGraphExecEventRecordNodeSetEvent, NODE_RECORD, hGraphExec, hNode, event);
}

CUresult CUDAAPI cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    return set_event(STANDIN_cuGraphExecEventWaitNodeSetEvent, NODE_WAIT, hGraphExec, hNode, event);
}
