/* SPDX-License-Identifier: MIT */
#include "core/train/spike.h"

#include "core/base/copy.h"
#include "core/base/digits.h"
#include "core/base/words.h"

#include <math.h>

#define LEVEL_RECORDS 10
#define FIRST_LOSSES 2
#define FIRST_NORMS 10
#define SPREAD_RECORDS 20
#define SPREADS 6.0
#define NORMAL 1.4826
#define SHARE 0.15
#define TIMES_MEDIAN 10.0
#define TIMES_MOST 4.0
#define PLATEAU_NEAR 0.03
#define PLATEAU_LEVEL 0.01

/* ---- Medians ---- */

/* The values are sorted by insertion because there are few. */
double ns_median(double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double value = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > value; k--) values[k] = values[k - 1];
        values[k] = value;
    }
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* Copies at most `most` of the newest values of a ring to which n were added; returns how many. */
static size_t newest(const double *ring, size_t n, size_t most, double *values)
{
    size_t count = MIN(n, most);
    for (size_t i = 0; i < count; i++) values[i] = ring[(n - count + i) % NS_SPIKE_RECORDS];
    return count;
}

static double level_of(const double *ring, size_t n, size_t most)
{
    double values[NS_SPIKE_RECORDS];
    return ns_median(values, newest(ring, n, most, values));
}

/* ---- Bounds ---- */

/* The level of a quantity in the baseline, the value above which a record is high, and the value
 * below which an excursion ends; infinite while there are too few records. */
typedef struct {
    double level, high, back;
} Bounds;

static const Bounds unknown = {.level = 0, .high = (double)INFINITY, .back = (double)INFINITY};

static Bounds loss_bounds(const NsSpikes *s, size_t targets)
{
    if (s->n < FIRST_LOSSES) return unknown;
    double level = level_of(s->loss, s->n, LEVEL_RECORDS);
    double above = MAX(SHARE * level, SPREADS / sqrt((double)MAX(targets, 1)));
    if (s->n >= SPREAD_RECORDS) {
        double values[NS_SPIKE_RECORDS];
        size_t count = newest(s->loss, s->n, NS_SPIKE_RECORDS, values);
        double median = ns_median(values, count);
        for (size_t i = 0; i < count; i++) values[i] = fabs(values[i] - median);
        above = MAX(above, SPREADS * (NORMAL * ns_median(values, count)));
    }
    return (Bounds){level, level + above, level + above / 2};
}

static Bounds norm_bounds(const NsSpikes *s)
{
    if (s->n < FIRST_NORMS) return unknown;
    double level = level_of(s->norm, s->n, NS_SPIKE_RECORDS);
    return (Bounds){level, MAX(TIMES_MEDIAN * level, TIMES_MOST * s->most),
                    MAX(sqrt(TIMES_MEDIAN) * level, sqrt(TIMES_MOST) * s->most)};
}

/* ---- Records ---- */

static void enter(NsSpikes *s, double loss, double norm)
{
    s->loss[s->n % NS_SPIKE_RECORDS] = loss;
    s->norm[s->n % NS_SPIKE_RECORDS] = norm;
    s->n++;
    s->most = MAX(s->most, norm);
}

bool ns_spikes_watch(NsSpikes *s, const NsStep *step, size_t targets, NsEvent *event)
{
    Bounds loss = loss_bounds(s, targets), norm = norm_bounds(s);
    bool high_loss = step->loss > loss.high, high_norm = step->grad_norm > norm.high;
    bool spike = !s->high && (high_loss || high_norm);
    if (spike) {
        /* Of the record before, not the level: the median of two is a value that never occurred. */
        size_t last = (s->n - 1) % NS_SPIKE_RECORDS;
        g_autofree char *before = ns_event_number(high_loss ? s->loss[last] : s->norm[last]);
        g_autofree char *after = ns_event_number(high_loss ? step->loss : step->grad_norm);
        g_autofree char *at = ns_group_digits(step->step);
        *event = (NsEvent){.step = step->step, .kind = NS_EVENT_SPIKE};
        ns_copy_text(event->what, sizeof event->what, high_loss ? "loss" : "gradient norm");
        ns_event_describe(event,
                          high_loss ? N_("The loss jumped from %s to %s at step %s.")
                                    : N_("The gradient norm jumped from %s to %s at step %s."),
                          before, after, at);
    }
    bool back = step->loss <= loss.back && step->grad_norm <= norm.back;
    if (spike || (s->high && !back)) {
        s->high_loss[s->high] = step->loss;
        s->high_norm[s->high] = step->grad_norm;
        /* The records of an excursion that does not end become the new baseline. */
        if (++s->high == NS_SPIKE_EXCURSION) {
            s->n = 0;
            for (size_t i = 0; i < s->high; i++) enter(s, s->high_loss[i], s->high_norm[i]);
            s->high = 0;
        }
    } else {
        s->high = 0;
        enter(s, step->loss, step->grad_norm);
    }
    return spike;
}

/* ---- Plateau ---- */

bool ns_plateau_watch(NsSpikes *s, const NsStep *step, NsBaselines baselines, NsEvent *event)
{
    const double level = baselines.frequencies;
    double half[2] = {0, 0};
    s->newest[s->records++ % NS_PLATEAU_RECORDS] = step->loss;
    if (s->stuck || isnan(level) || s->records <= NS_PLATEAU_RECORDS) return false;
    for (size_t i = 0; i < NS_PLATEAU_RECORDS; i++)
        half[2 * i / NS_PLATEAU_RECORDS] += s->newest[(s->records + i) % NS_PLATEAU_RECORDS];
    for (int i = 0; i < 2; i++) {
        half[i] /= NS_PLATEAU_RECORDS / 2.0;
        if (!(fabs(half[i] - level) <= PLATEAU_NEAR * level)) return false;
    }
    if (fabs(half[1] - half[0]) > PLATEAU_LEVEL * level) return false;
    s->stuck = true;
    *event = (NsEvent){.step = step->step, .kind = NS_EVENT_STUCK, .what = "loss"};
    ns_event_describe(
        event,
        baselines.letters
            ? N_("The loss has stayed at %.2f for %d steps: character frequencies alone give %.2f.")
            : N_("The loss has stayed at %.2f for %d steps: token frequencies alone give %.2f."),
        half[1], NS_PLATEAU_RECORDS, level);
    return true;
}

/* ---- The first loss ---- */

bool ns_first_loss_watch(const NsStep *step, NsBaselines baselines, NsEvent *event)
{
    if (step->step != 0 || !(step->loss > NS_FAR_FROM_UNIFORM * baselines.uniform)) return false;
    g_autofree char *loss = ns_event_number(step->loss);
    g_autofree char *tokens = ns_group_digits(llround(exp(baselines.uniform)));
    *event = (NsEvent){.step = 0, .kind = NS_EVENT_FIRST_LOSS, .what = "loss"};
    ns_event_describe(
        event,
        N_("The first loss is %s; a uniform guess has ln %s = %.2f. The forward pass is at "
           "fault, not the learning rate."),
        loss, tokens, baselines.uniform);
    return true;
}
