/* SPDX-License-Identifier: MIT */
#include "core/train/spike.h"

#include <math.h>

#define MEAN_RECORDS 10
#define FIRST_LOSSES 2
#define SPREAD_RECORDS 20
#define DEVIATIONS 6.0
#define SHARE 0.15
#define TIMES_MEAN 10.0
#define TIMES_MOST 4.0

/* Mean of the newest records, at most so many. */
static double mean_of(const double *ring, size_t n, size_t most)
{
    size_t from = n > most ? n - most : 0;
    double sum = 0;
    for (size_t i = from; i < n; i++) sum += ring[i % NS_SPIKE_RECORDS];
    return sum / (double)(n - from);
}

static double deviation_of(const double *ring, size_t n)
{
    size_t from = n > NS_SPIKE_RECORDS ? n - NS_SPIKE_RECORDS : 0;
    double mean = mean_of(ring, n, NS_SPIKE_RECORDS), sum = 0;
    for (size_t i = from; i < n; i++) {
        double away = ring[i % NS_SPIKE_RECORDS] - mean;
        sum += away * away;
    }
    return sqrt(sum / (double)(n - from - 1));
}

static bool jumped(NsEvent *event, const NsStep *step, const char *what, double from, double to)
{
    char before[G_ASCII_DTOSTR_BUF_SIZE], after[G_ASCII_DTOSTR_BUF_SIZE];
    *event = (NsEvent){.step = step->step, .kind = NS_EVENT_SPIKE};
    g_strlcpy(event->what, what, sizeof event->what);
    g_snprintf(event->text, sizeof event->text,
               "The %s jumped from %s to %s at step %" G_GINT64_FORMAT ".", what,
               g_ascii_formatd(before, sizeof before, "%.3g", from),
               g_ascii_formatd(after, sizeof after, "%.3g", to), step->step);
    return true;
}

static bool loss_jumped(const NsSpikes *s, const NsStep *step, size_t targets, NsEvent *event)
{
    if (s->n < FIRST_LOSSES) return false;
    double mean = mean_of(s->loss, s->n, MEAN_RECORDS);
    double least = MAX(SHARE * mean, DEVIATIONS / sqrt((double)MAX(targets, 1)));
    if (s->n >= SPREAD_RECORDS) least = MAX(least, DEVIATIONS * deviation_of(s->loss, s->n));
    return step->loss - mean > least && jumped(event, step, "loss", mean, step->loss);
}

static bool norm_jumped(const NsSpikes *s, const NsStep *step, NsEvent *event)
{
    if (s->n < MEAN_RECORDS) return false;
    double mean = exp(mean_of(s->log_norm, s->n, NS_SPIKE_RECORDS));
    return step->grad_norm > TIMES_MEAN * mean && step->grad_norm > TIMES_MOST * s->most &&
           jumped(event, step, "gradient norm", mean, step->grad_norm);
}

bool ns_spikes_watch(NsSpikes *s, const NsStep *step, size_t targets, NsEvent *event)
{
    bool spike = loss_jumped(s, step, targets, event) || norm_jumped(s, step, event);
    if (spike) s->n = 0;
    s->loss[s->n % NS_SPIKE_RECORDS] = step->loss;
    /* A gradient may be exactly 0. */
    s->log_norm[s->n % NS_SPIKE_RECORDS] = log(MAX(step->grad_norm, G_MINDOUBLE));
    s->n++;
    s->most = MAX(s->most, step->grad_norm);
    return spike;
}
