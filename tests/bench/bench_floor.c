/* The matrix products of one step and nothing else: what a step could not go below if OpenBLAS did
 * all of them.  SPDX-License-Identifier: MIT
 *
 *     bench-floor STEPS [KEY=VALUE...]
 *
 * prints {"ms": median, "least_ms", "threads", "gflop"}.  The batch is shared over threads, each of
 * which calls single-threaded products; what one writes the next reads, as in a step.  All matrices
 * are full of ones and every product is divided by its length, so that nothing ever grows. */
#include "core/base/team.h"
#include "core/data/task.h"
#include "core/experiment/assignment.h"
#include "core/model/model.h"
#include "core/ops/gemm.h"

#include <stdio.h>
#include <stdlib.h>

#define WARM_UP 2

/* What one thread does, in order. */
typedef struct {
    GArray *products;  /* NsGemm */
    GPtrArray *memory; /* to be freed */
} Work;

static ns_real *ones(Work *work, size_t n)
{
    g_autoptr(GError) error = NULL;
    ns_real *elements = ns_real_new(n, "a matrix", &error);
    if (!elements) g_error("%s", error->message);
    for (size_t i = 0; i < n; i++) elements[i] = 1;
    g_ptr_array_add(work->memory, elements);
    return elements;
}

static void product(Work *work, NsGemm g)
{
    g.alpha = (ns_real)(1 / (double)g.K);
    g_array_append_val(work->products, g);
}

/* y = x w^T for R rows of x. */
typedef struct {
    size_t R, I, O;
    ns_real *x, *y, *w, *dw;
} Linear;

static ns_real *linear_forward(Work *work, Linear *l, size_t R, size_t I, size_t O, ns_real *x)
{
    *l = (Linear){.R = R, .I = I, .O = O, .x = x};
    l->y = ones(work, R * O);
    l->w = ones(work, O * I);
    l->dw = ones(work, O * I);
    NsGemm forward = {.M = R, .N = O, .K = I, .tb = true};
    forward.A = x, forward.lda = I, forward.B = l->w, forward.ldb = I;
    forward.C = l->y, forward.ldc = O;
    product(work, forward);
    return l->y;
}

static void linear_backward(Work *work, const Linear *l, ns_real *dx, const ns_real *dy)
{
    NsGemm weights = {.M = l->O, .N = l->I, .K = l->R, .ta = true};
    weights.A = dy, weights.lda = l->O, weights.B = l->x, weights.ldb = l->I;
    weights.C = l->dw, weights.ldc = l->I;
    product(work, weights);
    NsGemm input = {.M = l->R, .N = l->I, .K = l->O};
    input.A = dy, input.lda = l->O, input.B = l->w, input.ldb = l->I;
    input.C = dx, input.ldc = l->I;
    product(work, input);
}

/* T queries of d features that look at S keys, in one sequence and head; `q` and `k` are the
 * elements from one row to the next, `c` those of the context. */
typedef struct {
    size_t T, S, d, q, k, c;
    ns_real *Q, *K, *V, *P, *context;
} Head;

static void head_forward(Work *work, const Head *h)
{
    NsGemm scores = {.M = h->T, .N = h->S, .K = h->d, .tb = true};
    scores.A = h->Q, scores.lda = h->q, scores.B = h->K, scores.ldb = h->k;
    scores.C = h->P, scores.ldc = h->S;
    product(work, scores);
    NsGemm context = {.M = h->T, .N = h->d, .K = h->S};
    context.A = h->P, context.lda = h->S, context.B = h->V, context.ldb = h->k;
    context.C = h->context, context.ldc = h->c;
    product(work, context);
}

/* `g` holds the gradients of what `h` holds. */
static void head_backward(Work *work, const Head *h, const Head *g)
{
    NsGemm values = {.M = h->S, .N = h->d, .K = h->T, .ta = true};
    values.A = h->P, values.lda = h->S, values.B = g->context, values.ldb = h->c;
    values.C = g->V, values.ldc = h->k;
    product(work, values);
    NsGemm scores = {.M = h->T, .N = h->S, .K = h->d, .tb = true};
    scores.A = g->context, scores.lda = h->c, scores.B = h->V, scores.ldb = h->k;
    scores.C = g->P, scores.ldc = h->S;
    product(work, scores);
    NsGemm queries = {.M = h->T, .N = h->d, .K = h->S};
    queries.A = g->P, queries.lda = h->S, queries.B = h->K, queries.ldb = h->k;
    queries.C = g->Q, queries.ldc = h->q;
    product(work, queries);
    NsGemm keys = {.M = h->S, .N = h->d, .K = h->T, .ta = true};
    keys.A = g->P, keys.lda = h->S, keys.B = h->Q, keys.ldb = h->q;
    keys.C = g->K, keys.ldc = h->k;
    product(work, keys);
}

/* ---- A stack ---- */

/* Rows of the longest stack, and what backward writes in turn. */
typedef struct {
    size_t B, D, H, F;
    ns_real *d, *wide, *memory, *scores;
} Scratch;

typedef struct {
    Linear in, memory, out; /* Q, K and V joined, or Q with K and V in `memory`; or W_1, W_2 */
    size_t T, S;            /* S: 0 in a feed-forward network */
    ns_real *P;
} Branch;

/* Head `i` of sequence `b`; Q, K, V, P and context are those of the whole branch. */
static Head head_of(const Branch *a, const Scratch *s, size_t b, size_t i, Head whole)
{
    size_t d = s->D / s->H;
    whole.T = a->T, whole.S = a->S, whole.d = d, whole.c = s->D;
    whole.q = a->in.O, whole.k = a->memory.w ? a->memory.O : a->in.O;
    whole.Q += b * a->T * whole.q + i * d;
    whole.K += b * a->S * whole.k + i * d;
    whole.V += b * a->S * whole.k + i * d;
    whole.P += (b * s->H + i) * a->T * a->S;
    whole.context += b * a->T * s->D + i * d;
    return whole;
}

static ns_real *attention_forward(Work *work, Branch *a, const Scratch *s, size_t T, size_t S,
                                  ns_real *x, ns_real *memory)
{
    size_t D = s->D, R = s->B * T;
    *a = (Branch){.T = T, .S = S};
    ns_real *Q = linear_forward(work, &a->in, R, D, memory ? D : 3 * D, x);
    ns_real *K = Q + D;
    if (memory) K = linear_forward(work, &a->memory, s->B * S, D, 2 * D, memory);
    a->P = ones(work, s->B * s->H * T * S);
    ns_real *context = ones(work, R * D);
    Head whole = {.Q = Q, .K = K, .V = K + D, .P = a->P, .context = context};
    for (size_t b = 0; b < s->B; b++)
        for (size_t i = 0; i < s->H; i++) {
            Head head = head_of(a, s, b, i, whole);
            head_forward(work, &head);
        }
    return linear_forward(work, &a->out, R, D, D, context);
}

static void attention_backward(Work *work, const Branch *a, const Scratch *s)
{
    bool cross = a->memory.w;
    size_t D = s->D;
    ns_real *d_context = s->memory + s->B * MAX(a->S, a->T) * 2 * D;
    linear_backward(work, &a->out, d_context, s->d);
    ns_real *K = cross ? a->memory.y : a->in.y + D, *dK = cross ? s->memory : s->wide + D;
    Head whole = {.Q = a->in.y, .K = K, .V = K + D, .P = a->P, .context = a->out.x};
    Head gradient = {.Q = s->wide, .K = dK, .V = dK + D, .P = s->scores, .context = d_context};
    for (size_t b = 0; b < s->B; b++)
        for (size_t i = 0; i < s->H; i++) {
            Head head = head_of(a, s, b, i, whole), g = head_of(a, s, b, i, gradient);
            g.P = s->scores;
            head_backward(work, &head, &g);
        }
    if (cross) linear_backward(work, &a->memory, s->d, s->memory);
    linear_backward(work, &a->in, s->d, s->wide);
}

static ns_real *network_forward(Work *work, Branch *a, const Scratch *s, size_t T, ns_real *x)
{
    *a = (Branch){.T = T};
    x = linear_forward(work, &a->in, s->B * T, s->D, s->F, x);
    return linear_forward(work, &a->out, s->B * T, s->F, s->D, x);
}

static void network_backward(Work *work, const Branch *a, const Scratch *s)
{
    linear_backward(work, &a->out, s->wide, s->d);
    linear_backward(work, &a->in, s->d, s->wide);
}

/* The products of `B` sequences. */
static void plan_work(Work *work, const NsSettings *settings, size_t B, size_t V)
{
    size_t T = (size_t)settings->seq, S = (size_t)ns_settings_source_seq(settings), L = MAX(T, S);
    size_t N = (size_t)ns_settings_encoder_layers(settings);
    size_t M = (size_t)ns_settings_decoder_layers(settings);
    Scratch s = {.B = B, .D = (size_t)settings->d_model, .H = (size_t)settings->heads};
    s.F = (size_t)ns_settings_d_ff(settings);
    s.d = ones(work, B * L * s.D);
    s.wide = ones(work, B * L * MAX(3 * s.D, s.F));
    s.memory = ones(work, B * L * 3 * s.D);
    s.scores = ones(work, L * L);

    work->products = g_array_new(FALSE, FALSE, sizeof(NsGemm));
    g_autofree Branch *branches = g_new0(Branch, 2 * N + 3 * M);
    size_t n = 0;
    bool both = N && M;
    ns_real *memory = NULL, *x = ones(work, B * L * s.D);
    for (size_t l = 0; l < N + M; l++) {
        if (both && l == N) memory = x, x = ones(work, B * T * s.D);
        size_t length = both && l < N ? S : T;
        x = attention_forward(work, &branches[n++], &s, length, length, x, NULL);
        if (memory) x = attention_forward(work, &branches[n++], &s, length, S, x, memory);
        x = network_forward(work, &branches[n++], &s, length, x);
    }
    Linear head;
    linear_forward(work, &head, B * T, s.D, V, x);
    linear_backward(work, &head, s.d, head.y);
    while (n-- > 0) (branches[n].S ? attention_backward : network_backward)(work, &branches[n], &s);
}

/* ---- Timing ---- */

static void multiply(void *data, size_t i, unsigned member)
{
    (void)member;
    const GArray *products = ((const Work *)data)[i].products;
    for (guint k = 0; k < products->len; k++) ns_gemm_openblas(&g_array_index(products, NsGemm, k));
}

static double run_once(NsTeam *team, Work *works)
{
    gint64 started = g_get_monotonic_time();
    ns_team_each(team, ns_team_threads(team), multiply, works);
    return (double)(g_get_monotonic_time() - started) / 1e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double gflop_of(const Work *work)
{
    double flop = 0;
    for (guint k = 0; k < work->products->len; k++) {
        const NsGemm *g = &g_array_index(work->products, NsGemm, k);
        flop += 2.0 * (double)g->M * (double)g->N * (double)g->K;
    }
    return flop / 1e9;
}

static void time_work(const NsSettings *settings, NsVocab vocab, size_t steps)
{
    int threads = (int)ns_model_plan(settings, vocab).threads;
    size_t B = (size_t)settings->batch, first = 0;
    g_autofree Work *works = g_new0(Work, (size_t)threads);
    double gflop = 0;
    for (size_t i = 0; i < (size_t)threads; i++) {
        size_t end = B * (i + 1) / (size_t)threads;
        works[i].memory = g_ptr_array_new_with_free_func((GDestroyNotify)ns_real_free);
        plan_work(&works[i], settings, end - first, vocab.out);
        gflop += gflop_of(&works[i]);
        first = end;
    }
    NsTeam *team = ns_team_new((unsigned)threads);
    for (size_t k = 0; k < WARM_UP; k++) run_once(team, works);
    g_autofree double *ms = g_new(double, steps);
    for (size_t k = 0; k < steps; k++) ms[k] = run_once(team, works);
    ns_team_free(team);
    qsort(ms, steps, sizeof *ms, compare);
    printf("{\"ms\": %.4f, \"least_ms\": %.4f, \"threads\": %d, \"gflop\": %.6f}\n",
           (ms[(steps - 1) / 2] + ms[steps / 2]) / 2, ms[0], threads, gflop);
    for (size_t i = 0; i < (size_t)threads; i++) {
        g_array_unref(works[i].products);
        g_ptr_array_unref(works[i].memory);
    }
}

int main(int argc, char **argv)
{
    ns_gemm_init(NULL);
    NsSettings settings;
    ns_settings_init(&settings);
    settings.task = (unsigned)ns_choices_find(ns_task_choice, "random");
    size_t steps = argc > 1 ? (size_t)g_ascii_strtoull(argv[1], NULL, 10) : 0;
    g_autoptr(GError) error = NULL;
    for (int i = 2; i < argc; i++)
        if (!ns_settings_assign(&settings, argv[i], &error)) break;
    g_autoptr(NsCorpus) corpus = error ? NULL : ns_corpus_open(&settings, &error);
    if (error || steps < 1) {
        fprintf(stderr, "bench-floor: %s\n",
                error ? error->message : "the number of steps is missing.");
        return 2;
    }
    time_work(&settings, ns_corpus_vocab(corpus, &settings), steps);
    ns_settings_clear(&settings);
    return 0;
}
