/* SPDX-License-Identifier: MIT */
#include "core/train/check.h"

#include "core/base/rng.h"
#include "core/base/squares.h"
#include "core/train/run.h"

#include <math.h>
#include <string.h>

/* The step sizes: their number, the factor from one to the next, and the first one as a fraction of
 * the norm of the tensor's weights, whose root mean square is taken to be at least LEAST_RMS.  The
 * loss becomes nonlinear at smaller steps along a matrix than along a vector. */
#define SIZES 7
#define FACTOR 4.0
#define FIRST_OF_MATRIX (1.0 / 16)
#define FIRST_OF_VECTOR (1.0 / 4)
#define LEAST_RMS 0.1

/* The rounding error of the loss is measured by moving the embedding by this fraction of its norm,
 * with this many pairs of losses.  The true error may be LIKELY times the measured one. */
#define ROUNDING_SIZE 0x1p-17
#define ROUNDING_PAIRS 8
#define LIKELY 4.0

/* The smallest relative rounding error of a loss, times the square root of the number of targets
 * that it is a mean of.  It applies if moving the embedding does not change the loss at all. */
#define LEAST_ROUNDING (sizeof(ns_real) == sizeof(float) ? 0x1p-28 : 0x1p-57)

/* A gradient below this fraction of the gradient norm of the layer counts as zero. */
#define LEAST_SHARE 1e-3

/* The largest errors at which derivatives agree, and the uncertainty above which a derivative is
 * undecided. */
#define AGREES 1e-2
#define AGREES_RANDOM 1e-1
#define UNKNOWN 0.1

typedef struct {
    NsRun *run;
    NsCheckStop stop;
    void *data;
    int64_t until;      /* end of the available time, monotonic */
    double layer_norm;  /* norm of the gradient of the layer */
    double loss;        /* at the unchanged weights */
    double rounding;    /* standard deviation of the rounding error of a loss */
    ns_real *original;  /* [largest tensor] original weights of the tensor that is moved */
    ns_real *direction; /* [largest tensor] of unit length */
} Check;

static bool is_over(const Check *c)
{
    return g_get_monotonic_time() >= c->until || (c->stop && c->stop(c->data));
}

/* ---- One derivative ---- */

static double loss_at(const Check *c, const NsTensor *t, double h)
{
    ns_real *w = ns_model_weights(c->run->model) + t->offset;
    size_t n = ns_tensor_size(t);
    for (size_t i = 0; i < n; i++)
        w[i] = (ns_real)((double)c->original[i] + h * (double)c->direction[i]);
    double loss = ns_model_plain_loss(c->run->model, &c->run->batch);
    memcpy(w, c->original, n * sizeof *w);
    return loss;
}

/* The losses at all step sizes h: numeric slopes and second differences. */
typedef struct {
    double sizes[SIZES], slopes[SIZES];
    double bends[SIZES]; /* loss(w + h d) + loss(w - h d) - 2 loss(w) */
    double rounding;     /* standard deviation of the rounding error along this direction */
} Differences;

static bool take_differences(const Check *c, const NsTensor *t, double first, Differences *s)
{
    double h = first;
    for (size_t i = 0; i < SIZES; i++, h /= FACTOR) {
        if (is_over(c)) return false;
        double after = loss_at(c, t, h), before = loss_at(c, t, -h);
        s->sizes[i] = h;
        s->slopes[i] = (after - before) / (2 * h);
        s->bends[i] = after + before - 2 * c->loss;
    }
    /* In `bend` the quadratic part of the two smallest second differences cancels, so that only
     * rounding errors remain, with the variance of 6 losses in each second difference.  In `slope`
     * the two smallest steps have almost the same slope, so that their difference is rounding, too.
     * Along a direction that moves all tokens alike, rounding errors do not average out and may
     * exceed the measured one.  A much larger value is not rounding but a loss that is rough at
     * this scale, for instance where attention is about to flip. */
    size_t i = SIZES - 1;
    double square = FACTOR * FACTOR, spread = sqrt(6 * (1 + square * square));
    double bend = fabs(s->bends[i - 1] - square * s->bends[i]) / spread;
    double slope = fabs(s->slopes[i - 1] - s->slopes[i]) * G_SQRT2 * s->sizes[i];
    s->rounding = CLAMP(MAX(bend, slope), c->rounding, LIKELY * c->rounding);
    return true;
}

/* Standard deviation of the rounding error of a slope. */
static double rounding_at(const Differences *s, size_t i)
{
    return s->rounding / (G_SQRT2 * s->sizes[i]);
}

/* Returns the step size with the smallest estimated sum of rounding and truncation error.  The
 * rounding error is proportional to 1/h; the truncation error is estimated as the largest
 * difference to the slope of a smaller step that rounding does not explain.  Lepski's rule. */
static size_t bottom(const Differences *s)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < SIZES; i++) {
        double off = 0;
        for (size_t j = i + 1; j < SIZES; j++)
            off = MAX(off, fabs(s->slopes[i] - s->slopes[j]) - LIKELY * rounding_at(s, j));
        if (off + rounding_at(s, i) >= least) continue;
        least = off + rounding_at(s, i);
        best = i;
    }
    return best;
}

/* The uncertainty of slope i: for each j > i + 1, the largest distance to the slopes i + 1 .. j
 * plus the rounding error of slope j, and the smallest of these.  At least two smaller steps are
 * compared, since one may agree by chance.  If there are fewer than two, the distance to the next
 * larger step counts, too. */
static double unknown_at(const Differences *s, size_t i)
{
    double unknown = INFINITY, distance = 0;
    for (size_t j = i + 1; j < SIZES; j++) {
        distance = MAX(distance, fabs(s->slopes[i] - s->slopes[j]));
        if (j > i + 1) unknown = MIN(unknown, distance + rounding_at(s, j));
    }
    if (i + 2 < SIZES) return unknown;
    return MAX(distance, fabs(s->slopes[i - 1] - s->slopes[i])) + rounding_at(s, SIZES - 1);
}

/* Scales the direction to unit length; false if it is zero or not a number. */
static bool normalize(ns_real *direction, size_t n)
{
    double norm = ns_real_norm(direction, n);
    if (!(norm > 0)) return false;
    for (size_t i = 0; i < n; i++) direction[i] = (ns_real)((double)direction[i] / norm);
    return true;
}

/* Compares analytic and numeric derivative along c->direction.  `least`: the smallest denominator
 * of the relative error.  False if the check was interrupted or ran out of time. */
static bool derive(const Check *c, const NsTensor *t, double least, NsDerivative *d)
{
    const ns_real *g = ns_model_gradients(c->run->model) + t->offset;
    size_t n = ns_tensor_size(t);
    if (!normalize(c->direction, n)) return true;
    for (size_t i = 0; i < n; i++) d->analytic += (double)c->direction[i] * (double)g[i];

    double part = t->cols ? FIRST_OF_MATRIX : FIRST_OF_VECTOR;
    Differences s;
    if (!take_differences(
            c, t, part * MAX(ns_real_norm(c->original, n), LEAST_RMS * sqrt((double)n)), &s))
        return false;
    size_t i = bottom(&s);
    d->numeric = s.slopes[i];
    d->step_size = s.sizes[i];
    double larger = MAX(MAX(fabs(d->analytic), fabs(d->numeric)), MAX(least, G_MINDOUBLE));
    d->error = fabs(d->numeric - d->analytic) / larger;
    d->unknown = unknown_at(&s, i) / larger;
    return true;
}

/* ---- A layer ---- */

static bool check_tensor(const Check *c, const NsTensor *t, NsCheckRow *row)
{
    const ns_real *g = ns_model_gradients(c->run->model) + t->offset;
    size_t n = ns_tensor_size(t);
    double least = LEAST_SHARE * c->layer_norm;
    double share = MAX(ns_real_norm(g, n), least) / sqrt((double)n);
    *row = (NsCheckRow){0};
    g_strlcpy(row->tensor, t->name, sizeof row->tensor);
    memcpy(c->original, ns_model_weights(c->run->model) + t->offset, n * sizeof *c->original);
    memcpy(c->direction, g, n * sizeof *g);
    if (!derive(c, t, least, &row->along)) return false;
    ns_rng_fill_normal(c->direction, n, 0, 1, (uint64_t)c->run->steps, ns_rng_stream(t->name));
    return derive(c, t, share, &row->random);
}

static void judge(NsGradientCheck *check, const NsDerivative *d, double agrees, double *worst)
{
    if (d->unknown > UNKNOWN) {
        check->unknown++;
        return;
    }
    check->known++;
    *worst = MAX(*worst, d->error);
    check->agrees = check->agrees && d->error <= MAX(agrees, LIKELY * d->unknown);
}

static void check_layer(const Check *c, NsGradientCheck *check)
{
    const NsTensorTable *table = ns_model_tensors(c->run->model);
    bool over = false;
    check->agrees = true;
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        if (!ns_tensor_in_layer(t, check->layer - 1)) continue;
        NsCheckRow *row = &check->row[check->n];
        over = over || check->n == NS_CHECK_ROWS || !check_tensor(c, t, row);
        if (over) {
            check->skipped++;
            continue;
        }
        check->n++;
        judge(check, &row->along, AGREES, &check->worst);
        judge(check, &row->random, AGREES_RANDOM, &check->worst_random);
    }
    check->agrees = check->agrees && check->known > 0;
}

/* Allocates buffers for the tensors of the layer.  False, with check->problem set, if the layer
 * cannot be checked. */
static bool prepare(Check *c, NsGradientCheck *check)
{
    const NsTensorTable *table = ns_model_tensors(c->run->model);
    size_t layers = ns_model_layers(c->run->model), largest = ns_tensor_size(table->tensors);
    if (check->layer < 1 || check->layer > layers) {
        g_snprintf(check->problem, sizeof check->problem,
                   "There is no layer %u to check; choose one from 1 to %zu.", check->layer,
                   layers);
        return false;
    }
    if (c->run->diverged) {
        g_strlcpy(
            check->problem,
            "A diverged run has no gradients to check; go back to a step before the divergence.",
            sizeof check->problem);
        return false;
    }
    for (size_t i = 0; i < table->n; i++)
        if (ns_tensor_in_layer(&table->tensors[i], check->layer - 1))
            largest = MAX(largest, ns_tensor_size(&table->tensors[i]));
    c->original = ns_real_new(largest, "the check", NULL);
    c->direction = ns_real_new(largest, "the check", NULL);
    if (c->original && c->direction) return true;
    g_strlcpy(check->problem, "There is not enough memory for the check; close other programs.",
              sizeof check->problem);
    return false;
}

void ns_gradient_check(NsRun *run, unsigned layer, NsCheckStop stop, void *data,
                       NsGradientCheck *check)
{
    int64_t started = g_get_monotonic_time();
    *check = (NsGradientCheck){.step = run->steps, .layer = layer};
    Check c = {.run = run,
               .stop = stop,
               .data = data,
               .until = started + NS_CHECK_SECONDS * G_USEC_PER_SEC};
    if (prepare(&c, check)) {
        NsMeasure seen = ns_model_measure(run->model, &run->batch, NULL);
        const NsTensorTable *table = ns_model_tensors(run->model);
        for (size_t i = 0; i < table->n; i++)
            if (ns_tensor_in_layer(&table->tensors[i], layer - 1)) c.layer_norm += seen.grad_sq[i];
        c.layer_norm = sqrt(c.layer_norm);
        /* Measure the rounding error of the loss: L(w + h d) + L(w - h d) - 2 L(w) with h so small
         * that only rounding errors remain.  w is the embedding, so that all further numbers
         * change. */
        const NsTensor *t = ns_model_tensors(c.run->model)->tensors;
        size_t n = ns_tensor_size(t);
        memcpy(c.original, ns_model_weights(c.run->model) + t->offset, n * sizeof *c.original);
        double h = ROUNDING_SIZE * ns_real_norm(c.original, n), sum = 0;
        c.loss = ns_model_plain_loss(c.run->model, &c.run->batch);
        for (uint64_t i = 0; i < ROUNDING_PAIRS && !is_over(&c); i++) {
            ns_rng_fill_normal(c.direction, n, 0, 1, i, ns_rng_stream("rounding"));
            normalize(c.direction, n);
            double second = loss_at(&c, t, h) + loss_at(&c, t, -h) - 2 * c.loss;
            sum += second * second;
        }
        /* The sum of two losses and minus twice a third has six times the variance of one. */
        double least =
            LEAST_ROUNDING * c.loss / sqrt((double)MAX(ns_batch_targets(&c.run->batch), 1));
        c.rounding = MAX(sqrt(sum / ROUNDING_PAIRS / 6), least);

        check_layer(&c, check);
        /* Repeats the pass of the newest record, which restores the gradients for the next update
         * and all other results of a pass. */
        ns_real *state = ns_model_state(run->model, &run->n_state);
        if (run->n_state) memcpy(state, run->state, run->n_state * sizeof *state);
        NsNoise noise = ns_run_noise(run);
        ns_model_measure(run->model, &run->batch, &noise);
        if (stop && stop(data))
            g_strlcpy(check->problem, "The check was interrupted by another command.",
                      sizeof check->problem);
        else if (check->n == 0)
            g_snprintf(check->problem, sizeof check->problem,
                       "No tensor could be checked within %d seconds; choose a smaller model.",
                       NS_CHECK_SECONDS);
        else if (check->known == 0)
            g_snprintf(
                check->problem, sizeof check->problem,
                "The check of layer %u is undecided: all gradients are too small for this "
                "precision, or the loss is not smooth there; check another layer or another step.",
                layer);
    }
    ns_real_free(c.original);
    ns_real_free(c.direction);
    check->seconds = (double)(g_get_monotonic_time() - started) / 1e6;
}
