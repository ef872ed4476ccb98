/* SPDX-License-Identifier: MIT */
#include "core/model/gradients.h"

#include "core/base/clock.h"
#include "core/ops/residual.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* A worker may be this many layers ahead of the one before it, or as many as fit into RING_REALS:
 * they should still be in its cache when they are added. */
#define SLOTS_MIN ((size_t)2)
#define SLOTS_MAX ((size_t)16)
#define RING_REALS ((size_t)1 << 18)

/* Looks at the clock of another worker before the core is offered to someone else: some
 * microseconds, in which a worker that runs does come along. */
#define LOOKS 4096

/* Reals of an arena that one thread sums at a time: small enough to stay in its cache. */
#define SUM_BLOCK ((size_t)1 << 14)

typedef struct {
    ns_real *ring;       /* NULL for a worker that only ever begins the sum */
    ns_real *outside;    /* NULL for who adds straight to the arena */
    size_t begun, added; /* layers */
    /* The same as `added`, for the next worker; on a cache line of its own, for the next one
     * looks at it all the time. */
    _Alignas(64) _Atomic size_t done;
} Share;

struct NsGradients {
    const NsStack *stack;
    size_t slots, slot; /* of a ring; reals in one */
    size_t layers, all; /* of the model; times the parts of the batch */
    size_t lead;        /* ns_gradients_lead */
    bool turns;         /* who begins the sum changes from layer to layer */
    ns_real *arena;
    Share *shares;   /* [stack->shards] */
    bool squaring;   /* squares are wanted */
    double *squares; /* [tensors] */
};

static size_t slot_reals(const NsStack *stack)
{
    size_t most = 0;
    for (size_t l = 0; l < stack->layers; l++)
        most = MAX(most, stack->layer_spans[l].end - stack->layer_spans[l].begin);
    return most;
}

static size_t slots_of(size_t slot)
{
    return CLAMP(RING_REALS / MAX(slot, 1), SLOTS_MIN, SLOTS_MAX);
}

static size_t ring_reals(const NsStack *stack)
{
    size_t slot = slot_reals(stack);
    return slot * slots_of(slot);
}

/* Adding is work, of which who begins the sum has none: so all take turns, unless a ring, which
 * then all need, is large for the little that there is to gain, once a step. */
static bool take_turns(const NsStack *stack)
{
    bool gains = stack->parts > 1 || slots_of(slot_reals(stack)) > SLOTS_MIN;
    return stack->shards > 1 && gains;
}

size_t ns_gradients_lead(const NsStack *stack)
{
    return stack->shards > 1 ? slots_of(slot_reals(stack)) : 1;
}

/* The arena has no room outside the layers while activations lie there. */
static bool is_apart(const NsStack *stack, size_t worker)
{
    return worker > 0 || stack->room.shared;
}

size_t ns_gradients_reals(const NsStack *stack)
{
    size_t rings = take_turns(stack) ? stack->shards : stack->shards - 1;
    size_t apart = stack->shards - !is_apart(stack, 0);
    return rings * ring_reals(stack) + apart * ns_stack_outside(stack);
}

NsGradients *ns_gradients_new(const NsStack *stack, ns_real *arena, GError **error)
{
    NsGradients *g = g_new0(NsGradients, 1);
    g->stack = stack;
    g->slot = slot_reals(stack);
    g->slots = slots_of(g->slot);
    g->layers = stack->layers;
    g->all = g->layers * stack->parts;
    g->turns = take_turns(stack);
    g->shares = g_aligned_alloc0(stack->shards, sizeof *g->shares, _Alignof(Share));
    g->squares = g_new0(double, stack->table.n);
    g->arena = arena;
    g->lead = ns_gradients_lead(stack);
    bool whole = true;
    for (size_t i = 0; i < stack->shards && whole; i++) {
        Share *share = &g->shares[i];
        if (i > 0 || g->turns)
            whole = (share->ring = ns_real_new(ring_reals(stack), "gradients", error)) != NULL;
        if (is_apart(stack, i) && whole)
            whole =
                (share->outside = ns_real_new(ns_stack_outside(stack), "gradients", error)) != NULL;
    }
    if (whole) return g;
    ns_gradients_free(g);
    return NULL;
}

void ns_gradients_free(NsGradients *g)
{
    if (!g) return;
    for (size_t i = 0; i < g->stack->shards; i++) {
        ns_real_free(g->shares[i].ring);
        ns_real_free(g->shares[i].outside);
    }
    g_aligned_free(g->shares);
    g_free(g->squares);
    g_free(g);
}

ns_real *ns_gradients_arena(NsGradients *g)
{
    return g->arena;
}

double *ns_gradients_squares(NsGradients *g)
{
    return g->squares;
}

void ns_gradients_begin(NsGradients *g, bool squaring)
{
    g->squaring = squaring;
    for (size_t i = 0; i < g->stack->shards; i++) {
        g->shares[i].begun = g->shares[i].added = 0;
        atomic_init(&g->shares[i].done, 0);
    }
}

/* ---- Outside the layers ---- */

void ns_gradients_begin_outside(NsGradients *g, unsigned worker)
{
    const NsStack *stack = g->stack;
    if (is_apart(stack, worker)) {
        memset(g->shares[worker].outside, 0, ns_stack_outside(stack) * sizeof(ns_real));
        return;
    }
    for (size_t i = 0; i < stack->n_outside; i++) {
        const NsSpan *span = &stack->outside[i];
        memset(g->arena + span->begin, 0, (span->end - span->begin) * sizeof(ns_real));
    }
}

ns_real *ns_gradients_outside(NsGradients *g, unsigned worker, size_t offset)
{
    if (!is_apart(g->stack, worker)) return g->arena + offset;
    ns_real *base = g->shares[worker].outside;
    const NsSpan *span = g->stack->outside;
    for (; offset >= span->end; span++) base += span->end - span->begin;
    return base + (offset - span->begin);
}

static void sum_span(NsGradients *g, const NsSpan *span)
{
#pragma omp for schedule(static)
    for (size_t start = span->begin; start < span->end; start += SUM_BLOCK) {
        size_t n = MIN(SUM_BLOCK, span->end - start);
        ns_real *sum = g->arena + start;
        if (is_apart(g->stack, 0)) memcpy(sum, ns_gradients_outside(g, 0, start), n * sizeof *sum);
        for (unsigned i = 1; i < g->stack->shards; i++)
            ns_add_scaled(sum, 1, ns_gradients_outside(g, i, start), n);
    }
}

static void square_tensor(NsGradients *g, size_t i)
{
    const NsTensor *t = &g->stack->table.tensors[i];
    g->squares[i] = ns_real_squares(g->arena + t->offset, ns_tensor_size(t));
}

void ns_gradients_sum_outside(NsGradients *g)
{
    NsClockMark mark = ns_clock_begin();
    for (size_t i = 0; i < g->stack->n_outside; i++) sum_span(g, &g->stack->outside[i]);
    ns_clock_end(mark, NS_OP_GRADIENT_SUM);
    mark = ns_clock_begin();
    for (size_t i = 0; i < g->stack->n_outside && g->squaring; i++) {
        const NsSpan *span = &g->stack->outside[i];
#pragma omp for schedule(static, 1)
        for (size_t k = 0; k < span->n; k++) square_tensor(g, span->first + k);
    }
    ns_clock_end(mark, NS_OP_MEASURE);
}

/* ---- Layers ---- */

/* The layer that comes n-th, from the top for every part. */
static size_t layer_of(const NsGradients *g, size_t n)
{
    return g->layers - 1 - n % g->layers;
}

static const NsSpan *span_of(const NsGradients *g, size_t n)
{
    return &g->stack->layer_spans[layer_of(g, n)];
}

static ns_real *slot_of(const NsGradients *g, const Share *share, size_t n)
{
    return share->ring + n % g->slots * g->slot;
}

/* Who begins the sum of the layer that comes n-th; the others follow in order, and after the last
 * the first. */
static unsigned beginner_of(const NsGradients *g, size_t n)
{
    return g->turns ? (unsigned)(layer_of(g, n) % g->stack->shards) : 0;
}

static const Share *share_before(const NsGradients *g, unsigned worker)
{
    return &g->shares[worker > 0 ? worker - 1 : g->stack->shards - 1];
}

/* Whether the worker before has put the layer that comes n-th into the sum. */
static bool is_in_before(const NsGradients *g, unsigned worker, size_t n)
{
    return atomic_load_explicit(&share_before(g, worker)->done, memory_order_acquire) > n;
}

/* Whether what this worker has put into the sum of the layer that comes n-th completes it. */
static bool completes(const NsGradients *g, unsigned worker, size_t n)
{
    return n + g->layers >= g->all && (worker + 1) % g->stack->shards == beginner_of(g, n);
}

/* Adds this worker's gradients of the layer that comes n-th to the sum, and takes the squares of
 * what it completes on the way. */
static void add_layer(NsGradients *g, unsigned worker, size_t n)
{
    NsClockMark mark = ns_clock_begin();
    const NsSpan *span = span_of(g, n);
    const ns_real *from = slot_of(g, &g->shares[worker], n);
    if (g->squaring && completes(g, worker, n)) {
        for (size_t i = span->first; i < span->first + span->n; i++) {
            const NsTensor *t = &g->stack->table.tensors[i];
            g->squares[i] = ns_add_squares(g->arena + t->offset, from + (t->offset - span->begin),
                                           ns_tensor_size(t));
        }
    } else {
        ns_add_scaled(g->arena + span->begin, 1, from, span->end - span->begin);
    }
    ns_clock_end(mark, NS_OP_GRADIENT_SUM);
}

/* The same for who has nothing to add. */
static void square_layer(NsGradients *g, unsigned worker, size_t n)
{
    if (!g->squaring || !completes(g, worker, n)) return;
    NsClockMark mark = ns_clock_begin();
    const NsSpan *span = span_of(g, n);
    for (size_t k = 0; k < span->n; k++) square_tensor(g, span->first + k);
    ns_clock_end(mark, NS_OP_MEASURE);
}

/* Puts layers that are complete here into the sum, as far as the worker before has done so. */
static void add_layers(NsGradients *g, unsigned worker, size_t complete)
{
    Share *share = &g->shares[worker];
    for (; share->added < complete; share->added++) {
        size_t n = share->added;
        bool begins = worker == beginner_of(g, n);
        if (!begins && !is_in_before(g, worker, n)) return;
        (begins ? square_layer : add_layer)(g, worker, n);
        atomic_store_explicit(&share->done, n + 1, memory_order_release);
    }
}

/* Whether the layer that comes n-th can be begun: who adds to the sum of the parts before waits for
 * it to be complete. */
static bool is_free(const NsGradients *g, unsigned worker, size_t n)
{
    bool adds = n >= g->layers && n < g->all && worker == beginner_of(g, n);
    return !adds || is_in_before(g, worker, n - g->layers);
}

/* Whether no other worker is so far behind that it needs activations in whose place the gradients
 * of the layer that comes n-th go. */
static bool is_near(const NsGradients *g, unsigned worker, size_t n)
{
    bool puts = n < g->all && worker == beginner_of(g, n);
    if (!g->stack->room.shared || !puts) return true;
    for (unsigned i = 0; i < g->stack->shards; i++) {
        const _Atomic size_t *done = &g->shares[i].done;
        if (i != worker && atomic_load_explicit(done, memory_order_acquire) + g->lead <= n)
            return false;
    }
    return true;
}

/* Until all but `left` of the complete layers are in the sum, and the next one can be begun. */
static void wait_for_room(NsGradients *g, unsigned worker, size_t complete, size_t left)
{
    const Share *share = &g->shares[worker];
    for (unsigned looks = 0;; looks++) {
        add_layers(g, worker, complete);
        bool room = complete - share->added <= left;
        if (room && is_free(g, worker, complete) && is_near(g, worker, complete)) return;
        if (looks >= LOOKS) sched_yield();
    }
}

/* All of a layer but its matrices becomes 0, the gaps between tensors too. */
static void clear_vectors(const NsGradients *g, const NsSpan *span, ns_real *base)
{
    const NsTensor *t = g->stack->table.tensors + span->first;
    for (size_t i = 0; i < span->n; i++, t++) {
        size_t from = t->cols ? t->offset + ns_tensor_size(t) : t->offset;
        size_t to = i + 1 < span->n ? t[1].offset : span->end;
        if (to > from) memset(base + (from - span->begin), 0, (to - from) * sizeof *base);
    }
}

/* Where the layer that comes n-th goes. */
static ns_real *place_of(const NsGradients *g, unsigned worker, size_t n)
{
    if (worker == beginner_of(g, n)) return g->arena + span_of(g, n)->begin;
    return slot_of(g, &g->shares[worker], n);
}

const ns_real *ns_gradients_next(const NsGradients *g, unsigned worker)
{
    return place_of(g, worker, g->shares[worker].begun);
}

NsLayerGradients ns_gradients_begin_layer(NsGradients *g, unsigned worker, size_t layer)
{
    size_t n = g->shares[worker].begun++;
    g_assert(layer == layer_of(g, n));
    wait_for_room(g, worker, n, g->slots - 1);
    const NsSpan *span = span_of(g, n);
    NsLayerGradients at = {.base = place_of(g, worker, n),
                           .origin = span->begin,
                           .adds = n >= g->layers && worker == beginner_of(g, n)};
    if (!at.adds) clear_vectors(g, span, at.base);
    return at;
}

void ns_gradients_end_layer(NsGradients *g, unsigned worker)
{
    add_layers(g, worker, g->shares[worker].begun);
}

void ns_gradients_end(NsGradients *g, unsigned worker)
{
    wait_for_room(g, worker, g->shares[worker].begun, 0);
}
