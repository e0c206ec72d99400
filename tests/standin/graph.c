/* Graphs as they are built.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "tests/standin/standin.h"

/* ---- what nodes do */

bool action_copy(struct action *copy, const struct action *action)
{
    *copy = *action;
    return action->kind != NODE_KERNEL || launch_copy(&copy->launch, &action->launch);
}

void action_clear(struct action *action)
{
    if (action->kind == NODE_KERNEL)
        launch_clear(&action->launch);
    action->kind = NODE_EMPTY;
}

CUresult action_of_kernel(struct action *action, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    if (parameters == NULL || parameters->func == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const unsigned int sizes[6] = {parameters->gridDimX,  parameters->gridDimY,  parameters->gridDimZ,
                                   parameters->blockDimX, parameters->blockDimY, parameters->blockDimZ};
    struct function *function   = object_find(OBJECT_FUNCTION, parameters->func);
    if (function == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (parameters->ctx != NULL && parameters->ctx != object_handle(&function->object.context->object))
        return CUDA_ERROR_INVALID_VALUE;
    action->kind = NODE_KERNEL;
    return launch_make(&action->launch, function->object.context, parameters->func, sizes,
                       parameters->sharedMemBytes, parameters->kernelParams, parameters->extra);
}

CUresult action_of_copy(struct action *action, const CUDA_MEMCPY3D *parameters)
{
    if (parameters == NULL || !transfer_of_3d(parameters, &action->transfer))
        return CUDA_ERROR_INVALID_VALUE;
    action->kind = NODE_TRANSFER;
    return transfer_check(&action->transfer, true);
}

CUresult action_of_fill(struct action *action, const CUDA_MEMSET_NODE_PARAMS *parameters)
{
    if (parameters == NULL ||
        (parameters->elementSize != 1 && parameters->elementSize != 2 && parameters->elementSize != 4))
        return CUDA_ERROR_INVALID_VALUE;
    action->kind     = NODE_TRANSFER;
    action->transfer = (struct transfer){.is_fill           = true,
                                         .destination       = parameters->dst,
                                         .destination_pitch = parameters->pitch,
                                         .width             = parameters->width * parameters->elementSize,
                                         .height            = parameters->height,
                                         .value             = parameters->value,
                                         .element           = parameters->elementSize};
    return transfer_check(&action->transfer, true);
}

/* ---- graphs */

CUresult CUDAAPI cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
    CUresult result = enter(STANDIN_cuGraphCreate);

    if (result != CUDA_SUCCESS)
        return result;
    if (phGraph == NULL || flags != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct graph *graph = calloc(1, sizeof(*graph));
    if (graph == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    object_begin(&graph->object, OBJECT_GRAPH, NULL);
    *phGraph = object_handle(&graph->object);
    return leave(CUDA_SUCCESS);
}

static void node_free(struct node *node)
{
    action_clear(&node->action);
    free(node->dependencies);
    free(node);
}

CUresult CUDAAPI cuGraphDestroy(CUgraph hGraph)
{
    CUresult result = enter(STANDIN_cuGraphDestroy);

    if (result != CUDA_SUCCESS)
        return result;
    struct graph *graph = object_find(OBJECT_GRAPH, hGraph);
    if (graph == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    for (struct node *node = graph->first, *next; node != NULL; node = next) {
        next = node->next;
        object_end(&node->object);
        node_free(node);
    }
    object_end(&graph->object);
    free(graph);
    return leave(CUDA_SUCCESS);
}

/* ---- nodes */

static bool find_dependencies(struct node *node, const CUgraphNode *dependencies, size_t count)
{
    node->dependencies = calloc(count + 1, sizeof(*node->dependencies));
    if (node->dependencies == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct node *found = object_find(OBJECT_NODE, dependencies[i]);
        if (found == NULL || found->graph != node->graph)
            return false;
        node->dependencies[node->dependency_count++] = found;
    }
    return true;
}

/* Takes what `action` owns, also where it fails. */
static CUresult add(CUgraph handle, struct action *action, const CUgraphNode *dependencies, size_t count,
                    CUgraphNode *made)
{
    struct graph *graph = object_find(OBJECT_GRAPH, handle);
    struct node *node   = graph == NULL || made == NULL ? NULL : calloc(1, sizeof(*node));

    if (node == NULL) {
        action_clear(action);
        return CUDA_ERROR_INVALID_VALUE;
    }
    node->graph  = graph;
    node->action = *action;
    if ((count != 0 && dependencies == NULL) || !find_dependencies(node, dependencies, count)) {
        node_free(node);
        return CUDA_ERROR_INVALID_VALUE;
    }
    node->number = graph->count++;
    if (graph->first == NULL)
        graph->first = node;
    else
        graph->last->next = node;
    graph->last = node;
    object_begin(&node->object, OBJECT_NODE, NULL);
    *made = object_handle(&node->object);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                         const CUgraphNode *dependencies, size_t numDependencies,
                                         const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    struct action action = {.kind = NODE_EMPTY};
    CUresult result      = enter(STANDIN_cuGraphAddKernelNode_v2);

    if (result != CUDA_SUCCESS)
        return result;
    result = action_of_kernel(&action, nodeParams);
    if (result != CUDA_SUCCESS)
        return leave(result);
    return leave(add(hGraph, &action, dependencies, numDependencies, phGraphNode));
}

CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                      const CUgraphNode *dependencies, size_t numDependencies,
                                      const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    struct action action = {.kind = NODE_EMPTY};
    CUresult result      = enter(STANDIN_cuGraphAddMemcpyNode);

    if (result != CUDA_SUCCESS)
        return result;
    if (object_find(OBJECT_CONTEXT, ctx) == NULL)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    result = action_of_copy(&action, copyParams);
    if (result != CUDA_SUCCESS)
        return leave(result);
    return leave(add(hGraph, &action, dependencies, numDependencies, phGraphNode));
}

CUresult CUDAAPI cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                      const CUgraphNode *dependencies, size_t numDependencies,
                                      const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    struct action action = {.kind = NODE_EMPTY};
    CUresult result      = enter(STANDIN_cuGraphAddMemsetNode);

    if (result != CUDA_SUCCESS)
        return result;
    if (object_find(OBJECT_CONTEXT, ctx) == NULL)
        return leave(CUDA_ERROR_INVALID_CONTEXT);
    result = action_of_fill(&action, memsetParams);
    if (result != CUDA_SUCCESS)
        return leave(result);
    return leave(add(hGraph, &action, dependencies, numDependencies, phGraphNode));
}

static CUresult add_event(enum standin_function function, enum node_kind kind, CUgraphNode *made,
                          CUgraph graph, const CUgraphNode *dependencies, size_t count, CUevent handle)
{
    CUresult result = enter(function);

    if (result != CUDA_SUCCESS)
        return result;
    struct event *event = object_find(OBJECT_EVENT, handle);
    if (event == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct action action = {.kind = kind, .event = event->object.handle};
    return leave(add(graph, &action, dependencies, count, made));
}

CUresult CUDAAPI cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                           const CUgraphNode *dependencies, size_t numDependencies,
                                           CUevent event)
{
    return add_event(STANDIN_cuGraphAddEventRecordNode, NODE_RECORD, phGraphNode, hGraph, dependencies,
                     numDependencies, event);
}

CUresult CUDAAPI cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                         const CUgraphNode *dependencies, size_t numDependencies,
                                         CUevent event)
{
    return add_event(STANDIN_cuGraphAddEventWaitNode, NODE_WAIT, phGraphNode, hGraph, dependencies,
                     numDependencies, event);
}

CUresult CUDAAPI cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                     const CUgraphNode *dependencies, size_t numDependencies)
{
    struct action action = {.kind = NODE_EMPTY};
    CUresult result      = enter(STANDIN_cuGraphAddEmptyNode);

    if (result != CUDA_SUCCESS)
        return result;
    return leave(add(hGraph, &action, dependencies, numDependencies, phGraphNode));
}
