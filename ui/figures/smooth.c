/* SPDX-License-Identifier: MIT */
#include "ui/figures/smooth.h"

#include "core/base/words.h"
#include "ui/plot/text.h"

#include <glib.h>
#include <math.h>

#define LARGEST_WINDOW 100000

bool ns_smoothing_equal(NsSmoothing a, NsSmoothing b)
{
    bool amount = a.kind == NS_SMOOTH_EMA || a.kind == NS_SMOOTH_MEAN;
    return a.kind == b.kind && (!amount || fabs(a.amount - b.amount) < 1e-12);
}

char *ns_smoothing_words(NsSmoothing how)
{
    g_autofree char *digits = ns_text_input(how.amount, 4);
    switch (how.kind) {
    case NS_SMOOTH_EMA:
        return g_strconcat("EMA ", digits, NULL);
    case NS_SMOOTH_MEAN:
        return g_strdup_printf(_("mean of %s"), digits);
    case NS_SMOOTH_AUTO:
        return g_strdup(_("auto"));
    case NS_SMOOTH_NONE:
        break;
    }
    return NULL;
}

void ns_smoother_init(NsSmoother *smoother, NsSmoothing how)
{
    *smoother = (NsSmoother){.how = how};
    if (how.kind != NS_SMOOTH_MEAN) return;
    smoother->window = (size_t)CLAMP(how.amount, 1, LARGEST_WINDOW);
    smoother->now = g_new(double, smoother->window);
    smoother->before = g_new0(double, smoother->window + 1);
    smoother->before_count = g_new0(size_t, smoother->window + 1);
}

void ns_smoother_clear(NsSmoother *smoother)
{
    g_free(smoother->now);
    g_free(smoother->before);
    g_free(smoother->before_count);
    *smoother = (NsSmoother){0};
}

static double next_average(NsSmoother *s, double value)
{
    if (!isfinite(value)) return NAN;
    s->mean = s->how.amount * s->mean + (1 - s->how.amount) * value;
    s->weight = s->how.amount * s->weight + (1 - s->how.amount);
    return s->mean / s->weight;
}

/* The window consists of the end of the previous block and the start of the current one.  Both sums
 * are only ever added to, so that a spike that has left the window leaves no rounding error. */
static double next_mean(NsSmoother *s, double value)
{
    bool finite = isfinite(value);
    if (s->n == s->window) {
        double sum = 0;
        size_t count = 0;
        for (size_t i = s->window; i-- > 0;) {
            bool there = isfinite(s->now[i]);
            sum += there ? s->now[i] : 0;
            count += there;
            s->before[i] = sum;
            s->before_count[i] = count;
        }
        s->n = s->count = 0;
        s->sum = 0;
    }
    s->now[s->n++] = value;
    s->sum += finite ? value : 0;
    s->count += finite;
    if (!finite) return NAN;
    return (s->before[s->n] + s->sum) / (double)(s->before_count[s->n] + s->count);
}

double ns_smoother_next(NsSmoother *smoother, double value)
{
    switch (smoother->how.kind) {
    case NS_SMOOTH_EMA:
        return next_average(smoother, value);
    case NS_SMOOTH_MEAN:
        return next_mean(smoother, value);
    case NS_SMOOTH_NONE:
    case NS_SMOOTH_AUTO:
        break;
    }
    return value;
}
