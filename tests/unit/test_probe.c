/* Every measured quantity against a plain computation of its definition.
 * SPDX-License-Identifier: MIT */
#include "core/base/share.h"
#include "core/base/squares.h"
#include "core/experiment/assignment.h"
#include "core/probe/probe_batches.h"
#include "core/probe/similarity.h"
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

/* ---- A run, and what its newest record says ---- */

static NsRun *run_new(const char *const *settings)
{
    return ns_test_run_new("layers=3 d-model=12 heads=3 seq=7 batch=5 threads=2 eval-every=0 "
                           "probe-every=1 probe-batches=3",
                           settings);
}

static size_t count(NsRun *run, NsQuantity quantity)
{
    return ns_history_layout(run->history)->count[quantity];
}

static void close_to(double a, double b, double tolerance)
{
    if (fabs(a - b) <= tolerance * (fabs(b) + 1e-3)) return;
    g_test_message("%.9g is not %.9g", a, b);
    g_test_fail();
}

/* The runs on which the definitions are checked: both masks, padding, two stacks. */
static const char *const runs[][8] = {
    {"placement=pre"},
    {"placement=post", "arch=encoder", "task=sort", "norm=rmsnorm"},
    {"placement=sandwich", "arch=encoder-decoder", "decoder-layers=2", "task=reverse",
     "source-seq=5"},
    {"placement=deepnorm", "optimizer=sgd", "activation=gelu", "init-scale=3"},
    {"placement=pre", "tie-layers=on", "layers=4"},
};

static NsRun *nth_run(size_t i)
{
    NsRun *run = run_new(runs[i]);
    for (int k = 0; k < 3; k++) g_assert_true(ns_run_step(run));
    return run;
}

static size_t first_stack(NsRun *run)
{
    int64_t N = ns_settings_encoder_layers(&run->settings);
    return N ? (size_t)N : ns_model_layers(run->model);
}

/* ---- Hidden states ---- */

/* All tokens of hidden state i that are not padding, as doubles; `sequence` says of which each is.
 */
typedef struct {
    double *x; /* [n, D] */
    size_t *sequence;
    size_t n, D;
} State;

static State state_of(NsRun *run, size_t i)
{
    NsModel *model = run->model;
    size_t N = first_stack(run), D = (size_t)run->settings.d_model;
    bool second = i > N, input = i == 0 || i == N + 1;
    size_t layer = input ? (second ? N : 0) : i - 1 - second;
    State state = {.D = D};
    state.x = g_new(double, 10000 * D);
    state.sequence = g_new(size_t, 10000);
    for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
        bool found = false;
        for (size_t s = 0; s < ns_model_sublayers(model) && !found; s++) {
            NsActivationView view = ns_model_activation_view(model, shard, s);
            if (view.layer != layer || !(input || view.last)) continue;
            found = true;
            const ns_real *x = input ? view.x : view.out;
            for (size_t b = 0; b < view.B; b++)
                for (size_t t = 0; t < (size_t)view.length[b]; t++) {
                    for (size_t k = 0; k < D; k++)
                        state.x[state.n * D + k] = (double)x[(b * view.T + t) * D + k];
                    state.sequence[state.n++] = view.first + b;
                }
        }
        g_assert_true(found);
    }
    return state;
}

static void state_clear(State *state)
{
    g_free(state->x);
    g_free(state->sequence);
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static double cosine(const State *a, size_t i, const State *b, size_t j)
{
    const double *x = a->x + i * a->D, *y = b->x + j * b->D;
    return dot(x, y, a->D) / sqrt(dot(x, x, a->D) * dot(y, y, a->D));
}

static double pairwise_cosine(const State *state)
{
    double total = 0;
    size_t sequences = 0, end;
    for (size_t first = 0; first < state->n; first = end) {
        for (end = first; end < state->n && state->sequence[end] == state->sequence[first];) end++;
        double sum = 0, pairs = 0;
        for (size_t i = first; i < end; i++)
            for (size_t j = first; j < i; j++, pairs++) sum += cosine(state, i, state, j);
        if (pairs > 0) total += sum / pairs;
        sequences += pairs > 0;
    }
    return total / (double)sequences;
}

static void center(State *state)
{
    for (size_t k = 0; k < state->D; k++) {
        double mean = 0;
        for (size_t t = 0; t < state->n; t++) mean += state->x[t * state->D + k];
        for (size_t t = 0; t < state->n; t++) state->x[t * state->D + k] -= mean / (double)state->n;
    }
}

/* |Y^T X|_F^2 */
static double cross_square(const State *x, const State *y)
{
    double sum = 0;
    for (size_t i = 0; i < x->D; i++)
        for (size_t j = 0; j < y->D; j++) {
            double element = 0;
            for (size_t t = 0; t < x->n; t++) element += x->x[t * x->D + i] * y->x[t * y->D + j];
            sum += element * element;
        }
    return sum;
}

static void check_states(NsRun *run)
{
    for (size_t i = 0; i < count(run, NS_QUANTITY_HIDDEN_NORM); i++) {
        State state = state_of(run, i);
        double norm = 0, square = 0, most = 0;
        for (size_t t = 0; t < state.n; t++) {
            double sq = dot(state.x + t * state.D, state.x + t * state.D, state.D);
            norm += sqrt(sq) / (double)state.n;
            square += sq / (double)state.n;
        }
        for (size_t k = 0; k < state.n * state.D; k++) most = fmax(most, fabs(state.x[k]));
        double rms = sqrt(square / (double)state.D);
        close_to(ns_test_value(run, NS_QUANTITY_HIDDEN_NORM, i), norm, 1e-5);
        close_to(ns_test_value(run, NS_QUANTITY_HIDDEN_SQ, i), square, 1e-5);
        close_to(ns_test_value(run, NS_QUANTITY_HIDDEN_RMS, i), rms, 1e-5);
        close_to(ns_test_value(run, NS_QUANTITY_HIDDEN_MAX, i), most, 1e-6);
        close_to(ns_test_value(run, NS_QUANTITY_HIDDEN_PEAK, i), most / rms, 1e-5);
        close_to(ns_test_value(run, NS_QUANTITY_TOKEN_COSINE, i), pairwise_cosine(&state), 1e-4);
        center(&state);
        double variance = dot(state.x, state.x, state.n * state.D);
        /* Of evenly spread states in deep models. */
        double ratio = ns_test_value(run, NS_QUANTITY_PARTICIPATION, i);
        if (!(isinf(ratio) && count(run, NS_QUANTITY_HIDDEN_NORM) > NS_SIMILARITY_STATES))
            close_to(ratio, variance * variance / cross_square(&state, &state), 1e-4);
        state_clear(&state);
    }
}

/* ---- Similarity ---- */

static void check_pair(NsRun *run, const NsSimilarity *s, size_t i, size_t j)
{
    size_t N = first_stack(run), at = i * s->n + j;
    if ((i > N) != (j > N)) {
        for (size_t k = 0; k < NS_SIMILARITY_COUNT; k++) g_assert_false(s->has[k][at]);
        return;
    }
    for (size_t k = 0; k < NS_SIMILARITY_COUNT; k++) g_assert_true(s->has[k][at]);
    State x = state_of(run, i), y = state_of(run, j);
    double cosines = 0, angles = 0;
    for (size_t t = 0; t < x.n; t++) {
        double c = cosine(&x, t, &y, t);
        cosines += c / (double)x.n;
        angles += acos(fmin(c, 1)) / G_PI / (double)x.n;
    }
    close_to((double)s->value[NS_SIMILARITY_COSINE][at], cosines, 1e-5);
    close_to((double)s->value[NS_SIMILARITY_ANGLE][at], angles, 1e-4);
    center(&x);
    center(&y);
    double cka = cross_square(&x, &y) / sqrt(cross_square(&x, &x) * cross_square(&y, &y));
    close_to((double)s->value[NS_SIMILARITY_CKA][at], cka, 1e-4);
    state_clear(&x);
    state_clear(&y);
}

static void check_similarity(NsRun *run)
{
    g_autofree NsSimilarity *s = g_new(NsSimilarity, 1);
    g_assert_true(ns_history_similarity(run->history, s));
    g_assert_cmpint(s->step, ==, 3);
    g_assert_cmpuint(s->n, ==, count(run, NS_QUANTITY_HIDDEN_NORM));
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->n; j++) check_pair(run, s, i, j);
}

/* ---- Attention ---- */

typedef struct {
    double entropy, first, logit;
    double size; /* max |q| |k| / sqrt(d): of what a logit is the sum, where much of it cancels */
} Head;

static void logit_close(double a, const Head *head)
{
    if (fabs(a - head->logit) <= 1e-6 * head->size) return;
    g_test_message("logit %.9g is not %.9g", a, head->logit);
    g_test_fail();
}

static Head head_of(NsRun *run, size_t sublayer, size_t h)
{
    NsModel *model = run->model;
    double entropy = 0, first = 0, queries = 0, logit = 0, size = 0;
    for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
        NsActivationView view = ns_model_activation_view(model, shard, sublayer);
        size_t d = view.D / view.H;
        for (size_t b = 0; b < view.B; b++)
            for (size_t t = 0; t < (size_t)view.length[b]; t++) {
                double sum = 0, keys = 0, weights = 0;
                for (size_t j = 0; j < (size_t)view.key_length[b]; j++) {
                    if (view.causal && j > t) continue;
                    double p = (double)view.P[((b * view.H + h) * view.T + t) * view.S + j], qk = 0;
                    const ns_real *q = view.Q + (b * view.T + t) * view.q_stride + h * d;
                    const ns_real *key = view.K + (b * view.S + j) * view.k_stride + h * d;
                    for (size_t k = 0; k < d; k++) qk += (double)q[k] * (double)key[k];
                    size = fmax(size, ns_real_norm(q, d) * ns_real_norm(key, d) / sqrt((double)d));
                    if (p > 0) sum -= p * log(p);
                    logit = fmax(logit, fabs(qk) / sqrt((double)d));
                    weights += p;
                    keys++;
                }
                close_to(weights, 1, 1e-5);
                if (keys < 2) continue;
                entropy += sum / log(keys);
                first += (double)view.P[((b * view.H + h) * view.T + t) * view.S];
                queries++;
            }
    }
    return (Head){entropy / queries, first / queries, logit, size};
}

static void check_attention(NsRun *run, size_t sublayer, const NsActivationView *view)
{
    bool cross = view->kind == NS_CROSS_ATTENTION;
    double mean = 0, least = 1, first = 0;
    Head most = {0};
    for (size_t h = 0; h < view->H; h++) {
        Head head = head_of(run, sublayer, h);
        size_t at = view->layer * view->H + h;
        close_to(ns_test_value(run,
                               cross ? NS_QUANTITY_HEAD_ENTROPY_CROSS
                                     : NS_QUANTITY_HEAD_ENTROPY_ATTENTION,
                               at),
                 head.entropy, 1e-5);
        close_to(ns_test_value(run,
                               cross ? NS_QUANTITY_HEAD_FIRST_KEY_CROSS
                                     : NS_QUANTITY_HEAD_FIRST_KEY_ATTENTION,
                               at),
                 head.first, 1e-5);
        logit_close(
            ns_test_value(
                run, cross ? NS_QUANTITY_HEAD_LOGIT_CROSS : NS_QUANTITY_HEAD_LOGIT_ATTENTION, at),
            &head);
        mean += head.entropy / (double)view->H;
        first += head.first / (double)view->H;
        least = fmin(least, head.entropy);
        if (head.logit > most.logit) most = head;
    }
    size_t l = view->layer;
    close_to(
        ns_test_value(run, cross ? NS_QUANTITY_ENTROPY_CROSS : NS_QUANTITY_ENTROPY_ATTENTION, l),
        mean, 1e-5);
    close_to(ns_test_value(
                 run, cross ? NS_QUANTITY_ENTROPY_MIN_CROSS : NS_QUANTITY_ENTROPY_MIN_ATTENTION, l),
             least, 1e-5);
    close_to(ns_test_value(
                 run, cross ? NS_QUANTITY_FIRST_KEY_CROSS : NS_QUANTITY_FIRST_KEY_ATTENTION, l),
             first, 1e-5);
    logit_close(
        ns_test_value(run, cross ? NS_QUANTITY_LOGIT_CROSS : NS_QUANTITY_LOGIT_ATTENTION, l),
        &most);
}

static void check_dead(NsRun *run, size_t sublayer, const NsActivationView *first)
{
    if (!count(run, NS_QUANTITY_DEAD_RELU)) return;
    NsModel *model = run->model;
    size_t dead = 0;
    for (size_t f = 0; f < first->F; f++) {
        bool alive = false;
        for (size_t shard = 0; shard < ns_model_shards(model); shard++) {
            NsActivationView view = ns_model_activation_view(model, shard, sublayer);
            for (size_t b = 0; b < view.B; b++)
                for (size_t t = 0; t < (size_t)view.length[b]; t++)
                    alive |= view.hidden[(b * view.T + t) * view.F + f] > 0;
        }
        dead += !alive;
    }
    close_to(ns_test_value(run, NS_QUANTITY_DEAD_RELU, first->layer),
             (double)dead / (double)first->F, 1e-6);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The input of a sub-layer (0), of its branch (1), or of its last matrix (2), sorted by size. */
static void check_sizes(NsRun *run, size_t sublayer, int place, NsQuantity quantities)
{
    g_autofree double *sizes = g_new(double, 100000);
    size_t n = 0, layer = 0;
    for (size_t shard = 0; shard < ns_model_shards(run->model); shard++) {
        NsActivationView view = ns_model_activation_view(run->model, shard, sublayer);
        const ns_real *x[] = {view.x, view.u, view.mid};
        size_t width = place == 2 && view.kind == NS_FFN ? view.F : view.D;
        for (size_t i = 0; i < view.B * view.T * width; i++)
            if (i / width % view.T < (size_t)view.length[i / width / view.T])
                sizes[n++] = fabs((double)x[place][i]);
        layer = view.layer;
    }
    qsort(sizes, n, sizeof *sizes, compare_numbers);
    const size_t at[] = {(size_t)ceil(0.5 * (double)n) - 1, n - n / 100 - 1, n - 1};
    for (unsigned k = 0; k < 3; k++)
        g_assert_cmpfloat(ns_test_value(run, quantities + k, layer), ==, sizes[at[k]]);
}

static void check_sublayers(NsRun *run)
{
    NsModel *model = run->model;
    for (size_t s = 0; s < ns_model_sublayers(model); s++) {
        NsActivationView view = ns_model_activation_view(model, 0, s);
        if (view.kind == NS_FFN) {
            check_dead(run, s, &view);
            check_sizes(run, s, 1, NS_QUANTITY_MEDIAN_W1);
            check_sizes(run, s, 2, NS_QUANTITY_MEDIAN_W2);
            continue;
        }
        check_attention(run, s, &view);
        if (view.kind == NS_CROSS_ATTENTION) continue;
        check_sizes(run, s, 0, NS_QUANTITY_MEDIAN_LAYER);
        check_sizes(run, s, 1, NS_QUANTITY_MEDIAN_QKV);
        check_sizes(run, s, 2, NS_QUANTITY_MEDIAN_O);
    }
}

/* ---- Gradients ---- */

static void check_gradients(NsRun *run)
{
    NsModel *model = run->model;
    const NsTensorTable *table = ns_model_tensors(model);
    const ns_real *g = ns_model_gradients(model);
    double all = 0;
    for (size_t i = 0; i < table->n; i++) {
        double norm =
            ns_real_norm(g + table->tensors[i].offset, ns_tensor_size(&table->tensors[i]));
        all += norm * norm;
    }
    for (size_t l = 0; l < ns_model_layers(model); l++) {
        double layer = 0, elements = 0, uses = 1;
        for (size_t i = 0; i < table->n; i++) {
            const NsTensor *t = &table->tensors[i];
            if (!ns_tensor_in_layer(t, l)) continue;
            uses = t->layers;
            double square = 0, n = (double)ns_tensor_size(t);
            for (size_t k = 0; k < ns_tensor_size(t); k++)
                square += (double)g[t->offset + k] * (double)g[t->offset + k];
            close_to(ns_test_value(run, (NsQuantity)t->parameter, l), sqrt(square), 1e-5);
            if (t->parameter == NS_PARAMETER_W1)
                close_to(ns_test_value(run, NS_QUANTITY_GRAD_RMS_W1, l), sqrt(square / n), 1e-5);
            if (t->parameter == NS_PARAMETER_W2)
                close_to(ns_test_value(run, NS_QUANTITY_GRAD_RMS_W2, l), sqrt(square / n), 1e-5);
            if (t->parameter == NS_PARAMETER_WV)
                close_to(ns_test_value(run, NS_QUANTITY_GRAD_RMS_WV, l), sqrt(square / n), 1e-5);
            layer += square;
            elements += n;
        }
        close_to(ns_test_value(run, NS_QUANTITY_GRAD_LAYER, l), sqrt(layer), 1e-5);
        close_to(ns_test_value(run, NS_QUANTITY_GRAD_RMS_LAYER, l), sqrt(layer / elements), 1e-5);
        close_to(ns_test_value(run, NS_QUANTITY_GRAD_SHARE, l), layer / all / uses, 1e-5);
        close_to(ns_test_value(run, NS_QUANTITY_UPDATE_NORM, l) /
                     ns_test_value(run, NS_QUANTITY_WEIGHT_NORM, l),
                 ns_test_value(run, NS_QUANTITY_UPDATE_RATIO, l), 1e-5);
    }
    /* Of what an encoder and a decoder both have there is one value. */
    double outside[NS_PARAMETER_COUNT] = {0};
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        double norm = ns_real_norm(g + t->offset, ns_tensor_size(t));
        if (t->layer < 0) outside[t->parameter] += norm * norm;
    }
    for (unsigned parameter = 0; parameter < NS_PARAMETER_COUNT; parameter++)
        if (outside[parameter] > 0)
            close_to(ns_test_value(run, (NsQuantity)parameter, 0), sqrt(outside[parameter]), 1e-5);
}

/* The gradient averaged over the probe batches, batch by batch. */
static void check_mean_gradient(NsRun *run)
{
    NsModel *model = run->model;
    const NsTensorTable *table = ns_model_tensors(model);
    const NsSettings *s = &run->settings;
    g_autofree double *mean = g_new0(double, table->size);
    double single = 0, whole = 0, K = (double)s->probe_batches;
    NsBatch batch;
    ns_batch_init(&batch, (size_t)s->batch, (size_t)s->seq, (size_t)ns_settings_source_seq(s));
    for (uint64_t k = 0; k < (uint64_t)s->probe_batches; k++) {
        uint64_t apart = ((uint64_t)1 << 40) + k;
        ns_corpus_train_batch(run->corpus, (uint64_t)s->data_seed, apart, &batch);
        NsNoise noise = {.training = true, .seed = (uint64_t)s->seed, .step = apart};
        ns_model_measure(model, &batch, &noise);
        const ns_real *g = ns_model_gradients(model);
        for (size_t i = 0; i < table->n; i++)
            for (size_t e = 0; e < ns_tensor_size(&table->tensors[i]); e++) {
                double x = (double)g[table->tensors[i].offset + e];
                mean[table->tensors[i].offset + e] += x / K;
                single += x * x / K;
            }
    }
    ns_batch_clear(&batch);
    g_autofree double *layers = g_new0(double, ns_model_layers(model));
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        double square = dot(mean + t->offset, mean + t->offset, ns_tensor_size(t));
        whole += square;
        if (t->layer < 0) continue;
        for (size_t l = 0; l < ns_model_layers(model); l++) {
            if (!ns_tensor_in_layer(t, l)) continue;
            layers[l] += square;
            if (t->parameter == NS_PARAMETER_WV)
                close_to(ns_test_value(run, NS_QUANTITY_MEAN_GRAD_WV, l), sqrt(square), 1e-4);
            if (t->parameter == NS_PARAMETER_W1)
                close_to(ns_test_value(run, NS_QUANTITY_MEAN_GRAD_W1, l), sqrt(square), 1e-4);
            if (t->parameter == NS_PARAMETER_W2)
                close_to(ns_test_value(run, NS_QUANTITY_MEAN_GRAD_W2, l), sqrt(square), 1e-4);
        }
    }
    for (size_t l = 0; l < ns_model_layers(model); l++)
        close_to(ns_test_value(run, NS_QUANTITY_MEAN_GRAD_LAYER, l), sqrt(layers[l]), 1e-4);

    /* McCandlish et al. 2018, appendix A, with batches of B and of K B. */
    double B = (double)s->batch, large = K * B;
    double signal = (large * whole - B * single) / (large - B);
    double noise = (single - whole) / (1 / B - 1 / large);
    double scale = ns_test_value(run, NS_QUANTITY_NOISE_SCALE, 0);
    if (signal > 0)
        close_to(scale, noise / signal, 1e-3);
    else
        g_assert_true(isinf(scale));
}

static void test_definitions(gconstpointer which)
{
    g_autoptr(NsRun) run = nth_run(GPOINTER_TO_SIZE(which));
    check_states(run);
    check_similarity(run);
    check_sublayers(run);
    check_gradients(run);
    check_mean_gradient(run); /* last: it passes over other batches */
}

/* So many tensors that all threads fill in the record. */
static void test_deep(void)
{
    static const char *const settings[] = {"layers=64", NULL};
    g_autoptr(NsRun) run = run_new(settings);
    g_assert_cmpuint(ns_model_tensors(run->model)->n, >, 1000);
    for (int k = 0; k < 3; k++) g_assert_true(ns_run_step(run));
    check_states(run);
    check_sublayers(run);
    check_gradients(run);
}

/* ---- Moments ---- */

/* With and without clipping; two stacks, whose tensors differ in epsilon; after the first step
 * tensors that differ in the age of their moments. */
static const char *const moment_runs[][8] = {
    {"placement=pre", "beta2=0.9", "eps=1e-6", "clip=0.5"},
    {"placement=completep", "base-layers=1", "arch=encoder-decoder", "decoder-layers=1",
     "task=reverse", "beta2=0.9", "eps=0.05"},
};

static void test_moments(gconstpointer which)
{
    g_autoptr(NsRun) run = run_new(moment_runs[GPOINTER_TO_SIZE(which)]);
    const NsSettings *s = &run->settings;
    NsModel *model = run->model;
    const NsTensorTable *table = ns_model_tensors(model);
    size_t L = ns_model_layers(model);
    g_autofree double *v = g_new0(double, table->size);
    for (size_t l = 0; l < L; l++) {
        g_assert_true(isinf(ns_test_value(run, NS_QUANTITY_ADAM_RMS, l)));
        g_assert_true(isinf(ns_test_value(run, NS_QUANTITY_SPIKE_SCORE, l)));
    }
    for (int k = 1; k <= 5; k++) {
        g_autofree ns_real *g = g_memdup2(ns_model_gradients(model), table->size * sizeof(ns_real));
        double norm = ns_history_step(run->history, (size_t)k - 1)->grad_norm;
        double clip = s->clip > 0 && norm > s->clip ? s->clip / (norm + 1e-6) : 1;
        g_assert_true(ns_run_step(run));
        for (size_t l = 0; l < L; l++) {
            double sum = 0, n = 0, spike = -1;
            for (size_t i = 0; i < table->n; i++) {
                const NsTensor *t = &table->tensors[i];
                double age = (double)(k - run->moments_since[i]), least = pow(s->eps * t->eps, 2);
                for (size_t e = 0; t->layer == (int)l && e < ns_tensor_size(t); e++, n++) {
                    double x = clip * (double)g[t->offset + e], old = v[t->offset + e];
                    double after = (0.9 * old + 0.1 * x * x) / (1 - pow(0.9, age));
                    double before = old / (1 - pow(0.9, age - 1));
                    sum += x * x / fmax(after, least);
                    if (age > 1) spike = fmax(spike, x * x / fmax(before, least));
                }
            }
            close_to(ns_test_value(run, NS_QUANTITY_ADAM_RMS, l), sqrt(sum / n), 1e-4);
            if (spike < 0)
                g_assert_true(isinf(ns_test_value(run, NS_QUANTITY_SPIKE_SCORE, l)));
            else
                close_to(ns_test_value(run, NS_QUANTITY_SPIKE_SCORE, l), spike, 1e-3);
        }
        for (size_t e = 0; e < table->size; e++) {
            double x = clip * (double)g[e];
            v[e] = 0.9 * v[e] + 0.1 * x * x;
        }
        for (size_t i = 0; i < table->n; i++) run->moments_since[i] = -(int64_t)(i % 5);
    }
    static const char *const sgd[] = {"optimizer=sgd", NULL};
    g_autoptr(NsRun) without = run_new(sgd);
    g_assert_cmpuint(count(without, NS_QUANTITY_ADAM_RMS), ==, 0);

    /* What a fork goes on with from there has met no moments yet. */
    g_assert_true(ns_run_step(without));
    g_autoptr(NsCheckpoint) checkpoint = ns_run_checkpoint(without, NULL);
    NsSettings changed;
    ns_settings_copy(&changed, &without->settings);
    ns_settings_assign(&changed, "optimizer=adam", NULL);
    g_autoptr(NsRun) fork = ns_run_fork(checkpoint, &changed, NULL);
    ns_settings_clear(&changed);
    for (int k = 0; k < 2; k++) {
        g_assert_true(isinf(ns_test_value(fork, NS_QUANTITY_ADAM_RMS, 0)) == (k == 0));
        g_assert_true(isinf(ns_test_value(fork, NS_QUANTITY_SPIKE_SCORE, 0)));
        g_assert_true(ns_run_step(fork));
    }
}

/* A model large enough that two threads share the tensors, some of them in blocks. */
static void test_shared(void)
{
    static const char *const settings[] = {"layers=3", "d-model=200",   "heads=4", "seq=2",
                                           "batch=2",  "probe-every=0", NULL};
    g_autoptr(NsRun) run = run_new(settings);
    NsModel *model = run->model;
    const NsTensorTable *table = ns_model_tensors(model);
    g_assert_cmpuint(ns_share_most(table), >=, 2);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        if (t->layer < 0) continue;
        double norm = ns_real_norm(ns_model_gradients(model) + t->offset, ns_tensor_size(t));
        close_to(ns_test_value(run, (NsQuantity)t->parameter, (size_t)t->layer), norm, 1e-6);
    }
}

/* ---- Sub-layers of known effect ---- */

/* Pre-LN: what the branch adds is out - x, and nothing stands between a state and its gradient. */
static void test_branches(void)
{
    static const char *const settings[] = {"placement=pre", "batch=1", "threads=1", NULL};
    g_autoptr(NsRun) run = run_new(settings);
    g_assert_true(ns_run_step(run));
    NsModel *model = run->model;
    for (size_t s = 0; s < ns_model_sublayers(model); s++) {
        NsActivationView view = ns_model_activation_view(model, 0, s);
        bool ffn = view.kind == NS_FFN;
        double branch = 0, stream = 0, sigma = 0;
        for (size_t t = 0; t < view.T; t++) {
            const ns_real *x = view.x + t * view.D, *out = view.out + t * view.D;
            double mean = 0, square = 0, D = (double)view.D;
            for (size_t k = 0; k < view.D; k++) {
                mean += (double)x[k] / D;
                square += (double)x[k] * (double)x[k];
                branch += ((double)out[k] - (double)x[k]) * ((double)out[k] - (double)x[k]);
            }
            stream += square;
            sigma += sqrt(square / D - mean * mean) / (double)view.T;
        }
        close_to(ns_test_value(
                     run, ffn ? NS_QUANTITY_BRANCH_RATIO_FFN : NS_QUANTITY_BRANCH_RATIO_ATTENTION,
                     view.layer),
                 sqrt(branch / stream), 1e-4);
        close_to(ns_test_value(
                     run, ffn ? NS_QUANTITY_BRANCH_SIGNAL_FFN : NS_QUANTITY_BRANCH_SIGNAL_ATTENTION,
                     view.layer),
                 sqrt(branch / (double)view.T), 1e-4);
        close_to(ns_test_value(
                     run, ffn ? NS_QUANTITY_SKIP_SIGNAL_FFN : NS_QUANTITY_SKIP_SIGNAL_ATTENTION,
                     view.layer),
                 sqrt(stream / (double)view.T), 1e-5);
        close_to(ns_test_value(run,
                               ffn ? NS_QUANTITY_NORM_SIGMA_FFN : NS_QUANTITY_NORM_SIGMA_ATTENTION,
                               view.layer),
                 sigma, 1e-4);
    }
    /* One sequence: a position's embedding has the gradient of the one state that it is in. */
    close_to(ns_test_value(run, NS_QUANTITY_HIDDEN_GRAD, 0),
             ns_test_value(run, NS_QUANTITY_GRAD_POS_EMB, 0), 1e-5);
    for (size_t l = 0; l < 3; l++) {
        double skip = ns_test_value(run, NS_QUANTITY_SKIP_SHARE_FFN, l);
        close_to(skip + ns_test_value(run, NS_QUANTITY_BRANCH_SHARE_FFN, l), 1, 1e-6);
        g_assert_cmpfloat(skip, >, 0);
        g_assert_cmpfloat(skip, <, 1);
        /* The gradient after the layer goes past its last branch as it is. */
        double past = ns_test_value(run, NS_QUANTITY_SKIP_GRAD_FFN, l);
        double through = ns_test_value(run, NS_QUANTITY_BRANCH_GRAD_FFN, l);
        close_to(past, ns_test_value(run, NS_QUANTITY_HIDDEN_GRAD, l + 1), 1e-5);
        close_to(past * past / (past * past + through * through), skip, 1e-5);
    }
}

/* ReZero's branches are shut at the start: everything goes past them.  Without a residual nothing
 * does. */
static void test_shares(void)
{
    static const char *const rezero[] = {"placement=rezero", NULL};
    g_autoptr(NsRun) run = run_new(rezero);
    for (size_t l = 0; l < 3; l++) {
        g_assert_cmpfloat(ns_test_value(run, NS_QUANTITY_SKIP_SHARE_ATTENTION, l), ==, 1);
        g_assert_cmpfloat(ns_test_value(run, NS_QUANTITY_SKIP_SHARE_FFN, l), ==, 1);
        g_assert_cmpfloat(ns_test_value(run, NS_QUANTITY_BRANCH_SHARE_FFN, l), ==, 0);
        g_assert_cmpfloat(ns_test_value(run, NS_QUANTITY_BRANCH_RATIO_ATTENTION, l), ==, 0);
        g_assert_cmpfloat(ns_test_value(run, NS_QUANTITY_BRANCH_RATIO_FFN, l), ==, 0);
        close_to(ns_test_value(run, NS_QUANTITY_HIDDEN_GRAD, l),
                 ns_test_value(run, NS_QUANTITY_HIDDEN_GRAD, 3), 1e-6);
    }
    g_assert_cmpuint(count(run, NS_QUANTITY_NORM_SIGMA_FFN), ==, 0);

    static const char *const bare[] = {"placement=no-residual", NULL};
    g_autoptr(NsRun) without = run_new(bare);
    for (size_t l = 0; l < 3; l++) {
        g_assert_cmpfloat(ns_test_value(without, NS_QUANTITY_SKIP_SHARE_FFN, l), ==, 0);
        g_assert_cmpfloat(ns_test_value(without, NS_QUANTITY_BRANCH_SHARE_FFN, l), ==, 1);
        g_assert_true(
            isinf(ns_test_value(without, NS_QUANTITY_BRANCH_RATIO_FFN, l))); /* no stream */
    }
}

/* A mixture has quantities that some of its layers lack. */
static void test_lacking_layers(void)
{
    static const char *const settings[] = {"mixture=post*1,none*2", NULL};
    g_autoptr(NsRun) run = run_new(settings);
    g_assert_cmpuint(count(run, NS_QUANTITY_NORM_SIGMA_FFN), ==, 3);
    g_assert_true(isfinite(ns_test_value(run, NS_QUANTITY_NORM_SIGMA_FFN, 0)));
    g_assert_true(isinf(ns_test_value(run, NS_QUANTITY_NORM_SIGMA_FFN, 1)));
    g_assert_true(isinf(ns_test_value(run, NS_QUANTITY_GRAD_NORM2_GAIN, 2)));
}

/* ---- Limits ---- */

static void test_uniform(void)
{
    static const char *const settings[] = {"attention=uniform",     "heads=1",
                                           "task=gaussian",         "arch=encoder",
                                           "placement=no-residual", NULL};
    g_autoptr(NsRun) run = run_new(settings);
    g_assert_cmpuint(count(run, NS_QUANTITY_LOGIT_ATTENTION), ==, 0);
    for (size_t l = 0; l < 3; l++) {
        close_to(ns_test_value(run, NS_QUANTITY_ENTROPY_ATTENTION, l), 1, 1e-6);
        close_to(ns_test_value(run, NS_QUANTITY_ENTROPY_MIN_ATTENTION, l), 1, 1e-6);
        close_to(ns_test_value(run, NS_QUANTITY_FIRST_KEY_ATTENTION, l), 1.0 / 7, 1e-6);
        g_assert_true(isinf(ns_test_value(run, NS_QUANTITY_MEDIAN_O, l))); /* there is no W_O */
    }
    /* Without a residual every token becomes the mean of all. */
    g_assert_cmpfloat(ns_test_value(run, NS_QUANTITY_TOKEN_COSINE, 0), <, 0.5);
    for (size_t l = 1; l <= 3; l++)
        close_to(ns_test_value(run, NS_QUANTITY_TOKEN_COSINE, l), 1, 1e-4);
}

/* Gradients g = G + noise: squared norms of means over B and K B sequences are |G|^2 + tr S / B
 * and |G|^2 + tr S / (K B). */
static void test_noise_scale(void)
{
    const double G2 = 0.25, trace = 12, K = 6, B = 4;
    NsProbeBatches probes = {.batches = (size_t)K, .sequences = (size_t)B};
    probes.single_sq = G2 + trace / B;
    probes.whole_sq = G2 + trace / (K * B);
    double scale;
    g_assert_true(ns_probe_batches_noise_scale(&probes, &scale));
    close_to(scale, trace / G2, 1e-6);
    probes.whole_sq = probes.single_sq / K; /* as if there were no gradient at all */
    g_assert_true(!ns_probe_batches_noise_scale(&probes, &scale) || scale > 1e6);
}

/* A deep model is compared at states that are evenly spread, ends included, and a long batch at
 * tokens of all its sequences. */
static void test_spread(void)
{
    static const char *const settings[] = {"layers=70", "d-model=4", "heads=1",         "seq=60",
                                           "batch=20",  "d-ff=4",    "probe-batches=1", NULL};
    g_autoptr(NsRun) run = run_new(settings);
    g_autofree NsSimilarity *s = g_new(NsSimilarity, 1);
    g_assert_true(ns_history_similarity(run->history, s));
    g_assert_cmpuint(s->n, ==, NS_SIMILARITY_STATES);
    g_assert_cmpuint(s->tokens, ==, NS_SIMILARITY_TOKENS);
    g_assert_cmpuint(s->state[0], ==, 0);
    g_assert_cmpuint(s->state[s->n - 1], ==, 70);
    for (size_t i = 1; i < s->n; i++) {
        unsigned step = s->state[i] - s->state[i - 1];
        g_assert_true(step == 1 || step == 2);
    }
    g_assert_cmpuint(count(run, NS_QUANTITY_NOISE_SCALE), ==, 0);
}

/* ---- Probes leave no trace ---- */

static void test_no_trace(gconstpointer option)
{
    const char *every[] = {option, "dropout=0.1", "drop-path=0.2", "probe-every=1", NULL};
    const char *never[] = {option, "dropout=0.1", "drop-path=0.2", "probe-every=0", NULL};
    g_autoptr(NsRun) a = run_new(every);
    g_autoptr(NsRun) b = run_new(never);
    for (int k = 0; k < 4; k++) {
        g_assert_true(ns_run_step(a));
        g_assert_true(ns_run_step(b));
    }
    size_t bytes = ns_model_tensors(a->model)->size * sizeof(ns_real), n, m;
    NsModel *p = a->model, *q = b->model;
    g_assert_cmpint(memcmp(ns_model_weights(p), ns_model_weights(q), bytes), ==, 0);
    g_assert_cmpint(memcmp(ns_model_gradients(p), ns_model_gradients(q), bytes), ==, 0);
    const ns_real *x = ns_model_state(p, &n), *y = ns_model_state(q, &m);
    g_assert_cmpuint(n, ==, m);
    if (n) g_assert_cmpint(memcmp(x, y, n * sizeof *x), ==, 0);
    g_assert_cmpuint(count(b, NS_QUANTITY_TOKEN_COSINE), ==, 0);
    g_assert_cmpfloat(ns_history_step(a->history, 4)->probe_seconds, >, 0);
    g_assert_cmpfloat(ns_history_step(b->history, 4)->probe_seconds, ==, 0);
}

/* In between, expensive quantities are not measured and cheap ones are. */
static void test_rhythm(void)
{
    static const char *const settings[] = {"probe-every=3", NULL};
    g_autoptr(NsRun) run = run_new(settings);
    for (int step = 0; step < 7; step++) {
        bool due = step % 3 == 0;
        g_assert_true(due == isfinite(ns_test_value(run, NS_QUANTITY_TOKEN_COSINE, 1)));
        g_assert_true(due == isfinite(ns_test_value(run, NS_QUANTITY_MEAN_GRAD_W1, 1)));
        g_assert_true(isfinite(ns_test_value(run, NS_QUANTITY_HIDDEN_GRAD, 1)));
        g_assert_true(due == (ns_history_step(run->history, (size_t)step)->probe_seconds > 0));
        g_assert_true(ns_run_step(run));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    static const char *const names[] = {"decoder", "encoder", "encoder-decoder", "sgd", "tied"};
    for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
        g_autofree char *path = g_strconcat("/probe/definitions/", names[i], NULL);
        g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_definitions);
    }
    g_test_add_func("/probe/deep", test_deep);
    g_test_add_func("/probe/shared", test_shared);
    for (size_t i = 0; i < G_N_ELEMENTS(moment_runs); i++) {
        g_autofree char *path = g_strdup_printf("/probe/moments/%s", moment_runs[i][0]);
        g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_moments);
    }
    g_test_add_func("/probe/branches", test_branches);
    g_test_add_func("/probe/shares", test_shares);
    g_test_add_func("/probe/lacking-layers", test_lacking_layers);
    g_test_add_func("/probe/uniform", test_uniform);
    g_test_add_func("/probe/noise-scale", test_noise_scale);
    g_test_add_func("/probe/spread", test_spread);
    g_test_add_data_func("/probe/no-trace/layernorm", "norm=layernorm", test_no_trace);
    g_test_add_data_func("/probe/no-trace/batchnorm", "norm=batchnorm", test_no_trace);
    g_test_add_func("/probe/rhythm", test_rhythm);
    return g_test_run();
}
