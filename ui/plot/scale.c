/* Axes: from data to drawing coordinates, and ticks.  SPDX-License-Identifier: MIT */
#include "ui/plot/scale.h"

#include "ui/plot/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Steps whose largest ratio is at most this are equal up to rounding. */
#define EVEN 1.1

#define MINUS "\u2212"

#define LEAST 2   /* labels on an axis that has space for none */
#define WANTED 3  /* labels of an axis that has space */
#define MOST 1000 /* candidate ticks on one axis */

/* Limits on the distance of the ends of an axis: beyond these it cannot be divided into steps. */
#define FURTHEST (DBL_MAX / 8)
#define NEAREST (DBL_MIN * 1e6)

/* Ticks at a smaller relative distance could not be distinguished in double precision. */
#define INDISTINCT 1e-9

/* Data with a smaller relative range are drawn as a flat line instead of filling the height of the
 * chart, because rounding errors would look like a result. */
#define FLAT 0.01

/* The smallest ratio of the ends of a padded logarithmic axis or color scale. */
#define LEAST_RATIO 2

/* The share of the label distance that suffices for the second of only two labels. */
#define CLOSEST 0.8

/* The least mean distance of ticks, in distances of labels. */
#define MINOR_APART 0.15

typedef struct {
    /* From values to positions on the axis, which are linear on the page, and back. */
    double (*forward)(double value, double threshold);
    double (*backward)(double position, double threshold);
    void (*widen)(double *lo, double *hi); /* widens the range of constant data */
    void (*ticks)(GArray *ticks, const NsScale *scale, unsigned most);
} Kind;

static double identity(double value, double threshold)
{
    (void)threshold;
    return value;
}

static double log_forward(double value, double threshold)
{
    (void)threshold;
    return log10(value);
}

static double log_backward(double position, double threshold)
{
    (void)threshold;
    return pow(10, position);
}

/* Continuous and invertible: 1 at the threshold, plus 1 for each decade beyond it. */
static double symlog_forward(double value, double threshold)
{
    double size = fabs(value) / threshold;
    return copysign(size <= 1 ? size : 1 + log10(size), value);
}

static double symlog_backward(double position, double threshold)
{
    double size = fabs(position);
    return copysign(threshold * (size <= 1 ? size : pow(10, size - 1)), position);
}

static void linear_widen(double *lo, double *hi)
{
    double by = fabs(*lo) < NEAREST ? 1 : fabs(*lo) * 0.1;
    *lo -= by;
    *hi += by;
}

static void log_widen(double *lo, double *hi)
{
    *lo = MAX(*lo / 2, DBL_MIN);
    *hi = MIN(*hi * 2, DBL_MAX);
}

/* Returns whether a number is an integer up to rounding. */
static bool is_whole(double value)
{
    return fabs(value - round(value)) < 1e-9 * MAX(1, fabs(value));
}

static void add(GArray *ticks, double value, char *label)
{
    NsTick tick = {.value = value, .label = label};
    g_array_append_val(ticks, tick);
}

/* "2.5×10^{−5}" with enough digits to distinguish values that differ by `step`. */
static char *scientific(double value, double step)
{
    if (value == 0) return g_strdup("0");
    int exponent = (int)floor(log10(fabs(value)) + 1e-9);
    int digits = (int)ceil(exponent - log10(step) - 1e-9) + 1;
    return ns_text_number(value, CLAMP(digits, 1, 15));
}

static double count_multiples(double lo, double hi, double step)
{
    return floor(hi / step + 1e-9) - ceil(lo / step - 1e-9) + 1;
}

/* The smallest step of 1, 2 or 5 times a power of ten that has at most `most` multiples on the
 * axis, or the next smaller step if there would be fewer than two. */
static void linear_ticks(GArray *ticks, const NsScale *scale, unsigned most)
{
    static const double factors[] = {1, 2, 5};
    double lo = scale->lo, hi = scale->hi, step = 0, previous = 0, n = INFINITY;
    int exponent = (int)floor(log10((hi - lo) / most)) - 1;
    if (scale->integer) exponent = MAX(exponent, 0);
    for (int i = 0; !(n <= most); i++) {
        previous = step;
        step = factors[i % 3] * pow(10, exponent + i / 3);
        n = count_multiples(lo, hi, step);
    }
    if (n < LEAST && previous > 0) step = previous;
    n = count_multiples(lo, hi, step);
    double first = ceil(lo / step - 1e-9), largest = MAX(fabs(lo), fabs(hi));
    int decimals = (int)MAX(0, -floor(log10(step) + 1e-9));
    bool plain = !(largest >= 1e9 || decimals > 4 + (largest >= 0.1) * 8);
    g_array_set_size(ticks, 0);
    /* A label too many is accepted, since the layout removes overlaps. */
    double stride = n > most + 1 ? ceil(n / most) : 1;
    for (double i = 0; i < MIN(n, MOST); i++) {
        double value = (first + i) * step;
        bool major = fmod(i, stride) == 0;
        add(ticks, value,
            !major  ? NULL
            : plain ? ns_text_fixed(value, decimals)
                    : scientific(value, step));
    }
}

/* The label of a value between decades: a plain number if that is short. */
static char *log_label(double value, double lo, double hi)
{
    if (lo >= 1e-3 && hi < 1e5) {
        int decimals = (int)MAX(0, -floor(log10(value) + 1e-9));
        return ns_text_fixed(value, decimals);
    }
    double exponent = round(log10(value));
    bool power = fabs(value / pow(10, exponent) - 1) < 1e-9;
    return power ? ns_text_power((int)exponent) : ns_text_number(value, 1);
}

/* Small whole numbers are written as plain numbers, others as powers of ten. */
static char *decade_label(const NsScale *scale, int k)
{
    return scale->integer && k >= 0 && k < 5 ? ns_text_fixed(pow(10, k), 0) : ns_text_power(k);
}

static void log_ticks(GArray *ticks, const NsScale *scale, unsigned most)
{
    int first = (int)ceil(log10(scale->lo) - 1e-9), last = (int)floor(log10(scale->hi) + 1e-9);
    int n = last - first + 1, wanted = (int)MIN(most, WANTED);
    /* The bits of factors with labels. */
    static const unsigned factors[] = {
        1 << 1 | 1 << 2 | 1 << 5,
        1 << 1 | 1 << 3,
    };
    for (size_t i = 0; i < G_N_ELEMENTS(factors) && n < wanted; i++) {
        g_array_set_size(ticks, 0);
        int end = (int)ceil(log10(scale->hi));
        for (int k = (int)floor(log10(scale->lo)); k <= end; k++)
            for (int m = 1; m <= 9; m++) {
                double value = m * pow(10, k);
                if (value < scale->lo * (1 - 1e-9) || value > scale->hi * (1 + 1e-9)) continue;
                if (scale->integer && !is_whole(value)) continue;
                bool major = factors[i] >> m & 1;
                add(ticks, value, major ? log_label(value, scale->lo, scale->hi) : NULL);
            }
        int labeled = (int)ns_ticks_labeled(ticks);
        /* A label too many, or two on a decade, is better than linear ticks, which are crowded at
         * the upper end. */
        int least = i > 0 && scale->hi > 10 * scale->lo ? LEAST : wanted;
        if (labeled >= least && labeled <= (int)most + (i > 0)) return;
    }
    if (n < LEAST) {
        linear_ticks(ticks, scale, most);
        return;
    }
    int stride = 1;
    while ((n + stride - 1) / stride > (int)most) stride++;
    /* Ticks at multiples of the stride stay in place while the axis grows; used if at least two
     * fit. */
    int anchor = (int)ceil((double)first / stride) * stride;
    if (anchor + stride > last) anchor = first;
    g_array_set_size(ticks, 0);
    for (int k = first - 1; k <= last; k++) {
        bool major = k >= anchor && (k - anchor) % stride == 0;
        if (k >= first) add(ticks, pow(10, k), major ? decade_label(scale, k) : NULL);
        for (int m = 2; m <= 9 && stride == 1; m++) {
            double value = m * pow(10, k);
            if (value >= scale->lo && value <= scale->hi) add(ticks, value, NULL);
        }
    }
}

static void symlog_ticks(GArray *ticks, const NsScale *scale, unsigned most)
{
    int least = (int)ceil(log10(scale->threshold) - 1e-9);
    int last = (int)floor(log10(MAX(fabs(scale->lo), fabs(scale->hi))) + 1e-9);
    for (int stride = 1; stride <= MAX(last - least, 0) + 1; stride++) {
        g_array_set_size(ticks, 0);
        /* Decades of both signs, and the multiples between them. */
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int i = least - 1; i <= last; i++) {
                /* Negative decades start from the far end, so that ticks ascend. */
                int k = sign < 0 ? last - (i - (least - 1)) : i;
                for (int j = 1; j <= 9; j++) {
                    int m = sign < 0 ? 10 - j : j;
                    double value = sign * m * pow(10, k);
                    bool major = m == 1 && k >= least && (k - least) % stride == 0;
                    if (value < scale->lo || value > scale->hi || (!major && stride > 1)) continue;
                    if (scale->integer && !is_whole(value)) continue;
                    g_autofree char *power = major ? ns_text_power(k) : NULL;
                    add(ticks, value,
                        power ? g_strconcat(sign < 0 ? MINUS : "", power, NULL) : NULL);
                }
            }
            if (sign < 0 && scale->lo <= 0 && scale->hi >= 0) add(ticks, 0, g_strdup("0"));
        }
        if (ns_ticks_labeled(ticks) <= most) break;
    }
    if (ns_ticks_labeled(ticks) < LEAST) linear_ticks(ticks, scale, most);
}

static const Kind kinds[] = {
    [NS_SCALE_LINEAR] = {identity, identity, linear_widen, linear_ticks},
    [NS_SCALE_LOG] = {log_forward, log_backward, log_widen, log_ticks},
    [NS_SCALE_SYMLOG] = {symlog_forward, symlog_backward, linear_widen, symlog_ticks},
};

bool ns_scale_separate(double *lo, double *hi)
{
    if (!(*lo > 0 && *lo <= *hi && *hi < LEAST_RATIO * *lo)) return false;
    double middle = sqrt(*lo) * sqrt(*hi);
    *lo = middle / sqrt(LEAST_RATIO);
    *hi = middle * sqrt(LEAST_RATIO);
    return true;
}

void ns_scale_fit(NsScale *scale, const NsAxis *axis, double lo, double hi, double padding)
{
    const Kind *kind = &kinds[axis->scale];
    bool fixed_lo = ns_scale_shows(axis->scale, axis->lo),
         fixed_hi = ns_scale_shows(axis->scale, axis->hi);
    scale->kind = axis->scale;
    scale->integer = axis->integer;
    scale->names = axis->names;
    scale->n_names = axis->n_names;
    scale->counted = axis->counted;
    scale->stride = 0;
    if (lo > hi) {
        scale->blank = !(fixed_lo && fixed_hi);
        lo = hi = axis->scale == NS_SCALE_LOG ? 1 : 0;
    }
    if (fixed_lo) lo = axis->lo;
    if (fixed_hi) hi = axis->hi;
    if (!ns_scale_shows(axis->scale, lo)) lo = ns_scale_shows(axis->scale, hi) ? hi : 1;
    if (!ns_scale_shows(axis->scale, hi)) hi = lo;
    lo = CLAMP(lo, -FURTHEST, FURTHEST);
    hi = CLAMP(hi, -FURTHEST, FURTHEST);
    bool fitted = !fixed_lo && !fixed_hi && !axis->integer, beyond = hi < lo;
    double least = MAX((fitted ? FLAT : INDISTINCT) * MAX(fabs(lo), fabs(hi)), NEAREST);
    if (!(hi - lo > least)) {
        double middle = fitted ? lo + (hi - lo) / 2 : fixed_hi && !fixed_lo ? hi : lo;
        lo = hi = middle;
        kind->widen(&lo, &hi);
        /* A limit beyond all data stays the end of the axis. */
        if (beyond && fixed_lo && !fixed_hi) lo = middle;
        if (beyond && fixed_hi && !fixed_lo) hi = middle;
        padding = 0;
    }
    if (axis->scale == NS_SCALE_LOG && fitted && padding > 0 && ns_scale_separate(&lo, &hi))
        padding = 0;
    /* Three decades below the largest magnitude. */
    double largest = CLAMP(MAX(fabs(lo), fabs(hi)), NEAREST, FURTHEST);
    double threshold = pow(10, floor(log10(largest)) - 3);
    if (axis->integer) threshold = MAX(threshold, 1); /* nothing is between 0 and 1 */
    double from = kind->forward(lo, threshold), to = kind->forward(hi, threshold);
    double margin = padding * (to - from);
    double padded_lo = kind->backward(from - margin, threshold);
    double padded_hi = kind->backward(to + margin, threshold);
    if (padding > 0 && !fixed_lo && ns_scale_shows(axis->scale, padded_lo))
        lo = lo >= 0 ? MAX(padded_lo, 0) : padded_lo;
    if (padding > 0 && !fixed_hi && ns_scale_shows(axis->scale, padded_hi))
        hi = hi <= 0 ? MIN(padded_hi, 0) : padded_hi;
    scale->lo = lo;
    scale->hi = hi;
    scale->threshold = threshold;
    scale->from = kind->forward(lo, threshold);
    scale->to = kind->forward(hi, threshold);
}

double ns_scale_position(const NsScale *scale, double value)
{
    return kinds[scale->kind].forward(value, scale->threshold);
}

double ns_scale_at(const NsScale *scale, double position)
{
    return kinds[scale->kind].backward(position, scale->threshold);
}

double ns_scale_to_pixel(const NsScale *scale, double value)
{
    const Kind *kind = &kinds[scale->kind];
    if (!ns_scale_shows(scale->kind, value)) return NAN;
    double t = (kind->forward(value, scale->threshold) - scale->from) / (scale->to - scale->from);
    return scale->p0 + t * (scale->p1 - scale->p0);
}

double ns_scale_to_value(const NsScale *scale, double pixel)
{
    double t = (pixel - scale->p0) / (scale->p1 - scale->p0);
    double position = scale->from + t * (scale->to - scale->from);
    return kinds[scale->kind].backward(position, scale->threshold);
}

static void clear_tick(void *tick)
{
    g_free(((NsTick *)tick)->label);
}

/* The mean length of every stride-th name. */
static double mean_length(const NsScale *scale, size_t stride)
{
    size_t sum = 0, n = 0;
    for (size_t i = 0; i < scale->n_names; i += stride, n++) sum += strlen(scale->names[i]);
    return (double)sum / (double)n;
}

GArray *ns_scale_ticks(const NsScale *scale, unsigned most)
{
    GArray *ticks = g_array_new(FALSE, FALSE, sizeof(NsTick));
    g_array_set_clear_func(ticks, clear_tick);
    if (scale->blank) return ticks;
    if (scale->names) {
        /* A tick is at every name, and labels at equal distances, as many as fit.  The names of
         * numbers may use a slightly larger stride if its labels are shorter on average, such as
         * powers of ten. */
        double first = MAX(ceil(scale->lo), 0);
        double last = MIN(floor(scale->hi), (double)scale->n_names - 1);
        size_t shown = (size_t)MAX(last - first + 1, 1), labels = MAX(most, 1);
        size_t least = (shown + labels - 1) / labels, stride = least;
        for (size_t other = least + 1; 2 * other <= 3 * least && !scale->counted; other++)
            if (mean_length(scale, other) < mean_length(scale, stride)) stride = other;
        if (scale->stride) stride = scale->stride;
        for (double x = first; x <= last; x++) {
            size_t i = (size_t)x;
            bool labeled = i % stride == 0 && *scale->names[i];
            bool number = scale->stride > 1;
            add(ticks, x,
                !labeled ? NULL
                : number ? g_strdup_printf("%zu", i)
                         : g_strdup(scale->names[i]));
        }
    } else {
        kinds[scale->kind].ticks(ticks, scale, CLAMP(most, LEAST, MOST));
    }
    return ticks;
}

unsigned ns_ticks_labeled(const GArray *ticks)
{
    unsigned n = 0;
    for (unsigned i = 0; i < ticks->len; i++) n += g_array_index(ticks, NsTick, i).label != NULL;
    return n;
}

/* Labels a second tick, the furthest from the only one with a label. */
static void label_second(const NsScale *scale, GArray *ticks, NsTick *only, double furthest)
{
    double before = ns_scale_to_pixel(scale, only->value);
    NsTick *other = NULL;
    /* If possible a power of ten, so that an axis of ratios has its 1; a tick that is not brief,
     * such as 1.1, only where there is no other. */
    for (int pass = 0; pass < 3 && !other; pass++)
        for (unsigned i = 0; i < ticks->len; i++) {
            NsTick *tick = &g_array_index(ticks, NsTick, i);
            double away = fabs(ns_scale_to_pixel(scale, tick->value) - before);
            double factor = tick->value / pow(10, floor(log10(tick->value) + 1e-9));
            if (away < furthest || (pass < 2 && !is_whole(factor)) || (!pass && factor > 1.5))
                continue;
            furthest = away;
            other = tick;
        }
    if (!other) return;
    /* Both are written alike: not 10⁰ beside 90. */
    g_free(only->label);
    only->label = log_label(only->value, scale->lo, scale->hi);
    other->label = log_label(other->value, scale->lo, scale->hi);
}

/* Whether a label is nearer than `apart` to that of tick i: of a tick before it, or of a power of
 * ten, which stays on a logarithmic scale, so that an axis of ratios has its 1. */
static bool is_crowded(const NsScale *scale, const GArray *ticks, unsigned i, double apart)
{
    double p = ns_scale_to_pixel(scale, g_array_index(ticks, NsTick, i).value);
    for (unsigned k = 0; k < ticks->len; k++) {
        const NsTick *tick = &g_array_index(ticks, NsTick, k);
        if (!tick->label || k == i) continue;
        bool stays = k < i || (scale->kind == NS_SCALE_LOG && is_whole(log10(tick->value)));
        if (stays && fabs(ns_scale_to_pixel(scale, tick->value) - p) < apart) return true;
    }
    return false;
}

void ns_scale_part_labels(const NsScale *scale, GArray *ticks, double apart)
{
    unsigned left = 0;
    NsTick *only = NULL;
    for (unsigned i = 0; i < ticks->len; i++) {
        NsTick *tick = &g_array_index(ticks, NsTick, i);
        if (tick->label && is_crowded(scale, ticks, i, apart))
            g_clear_pointer(&tick->label, g_free);
        if (!tick->label) continue;
        only = tick;
        left++;
    }
    if (scale->kind == NS_SCALE_LINEAR || scale->names) return;
    if (left == 1 && scale->kind == NS_SCALE_LOG) label_second(scale, ticks, only, CLOSEST * apart);
    /* Minor ticks that would merge into a bar. */
    bool merge = fabs(scale->p1 - scale->p0) < MINOR_APART * apart * ticks->len;
    for (unsigned i = ticks->len; i-- > 0 && merge;)
        if (!g_array_index(ticks, NsTick, i).label) g_array_remove_index(ticks, i);
}

GArray *ns_scale_ticks_apart(const NsScale *scale, unsigned most, double apart)
{
    GArray *best = NULL;
    double widest = 0, limit = 2 * fabs(scale->p1 - scale->p0) / apart;
    /* Of two labels, those furthest apart define the scale best. */
    for (bool enough = false; !best || (!enough && most <= limit); most++) {
        GArray *ticks = ns_scale_ticks(scale, most);
        ns_scale_part_labels(scale, ticks, apart);
        double first = NAN, last = NAN;
        for (unsigned i = 0; i < ticks->len; i++) {
            const NsTick *tick = &g_array_index(ticks, NsTick, i);
            if (tick->label) last = ns_scale_to_pixel(scale, tick->value);
            if (isnan(first)) first = last;
        }
        enough = ns_ticks_labeled(ticks) >= WANTED || scale->names || scale->blank;
        bool better = !best || enough || fabs(last - first) > widest + 1;
        if (better) widest = fmax(0, fabs(last - first));
        g_clear_pointer(better ? &best : &ticks, g_array_unref);
        if (better) best = ticks;
    }
    return best;
}

bool ns_scale_is_even(const double *values, size_t n)
{
    double step[2] = {INFINITY, -INFINITY}, factor[2] = {INFINITY, -INFINITY};
    for (size_t i = 1; i < n; i++) {
        double a = values[i - 1], b = values[i];
        if (!(a < b)) return false;
        step[0] = MIN(step[0], b - a);
        step[1] = MAX(step[1], b - a);
        factor[0] = MIN(factor[0], a > 0 ? b / a : 0);
        factor[1] = MAX(factor[1], a > 0 ? b / a : (double)INFINITY);
    }
    return step[1] <= EVEN * step[0] || factor[1] <= EVEN * factor[0];
}

/* ---- zooming and panning ---- */

/* At a smaller relative distance the ends of an axis have no ticks between them. */
#define NARROWEST 1e-7

/* Minimum number of whole numbers in a zoomed range. */
#define LEAST_INTEGER 2

/* Beyond this, computations with the difference of the ends overflow. */
#define WIDEST (DBL_MAX / 16)

NsRange ns_zoom_between(const NsScale *scale, double from, double to, NsRange whole)
{
    const NsRange present = {scale->lo, scale->hi};
    if (scale->blank || !isfinite(from) || !isfinite(to)) return present;
    bool upwards = scale->p1 > scale->p0; /* drawing coordinates grow with the values */
    if ((from > to) == upwards) {
        double swap = from;
        from = to;
        to = swap;
    }
    double least = ns_scale_to_pixel(scale, whole.lo), most = ns_scale_to_pixel(scale, whole.hi);
    if (isfinite(least) && isfinite(most)) {
        /* In the direction of the axis. */
        double sign = upwards ? 1 : -1, slack = 1e-6 * fabs(most - least);
        if (sign * (to - from) >= sign * (most - least) - slack) return NS_RANGE_FREE;
        double over = MAX(0, sign * (least - from)) - MAX(0, sign * (to - most));
        from += sign * over;
        to += sign * over;
    }
    NsRange range = {ns_scale_to_value(scale, from), ns_scale_to_value(scale, to)};
    double size = MAX(fabs(range.lo), fabs(range.hi)), width = range.hi - range.lo;
    bool usable = ns_scale_shows(scale->kind, range.lo) && ns_scale_shows(scale->kind, range.hi) &&
                  size <= WIDEST && !(scale->integer && width < LEAST_INTEGER) &&
                  width > MAX(NARROWEST * size, DBL_MIN * 1e9);
    return usable ? range : present;
}

NsRange ns_zoom_about(const NsScale *scale, double point, double factor, NsRange whole)
{
    return ns_zoom_between(scale, point + (scale->p0 - point) * factor,
                           point + (scale->p1 - point) * factor, whole);
}

NsRange ns_zoom_pan(const NsScale *scale, double by, NsRange whole)
{
    return ns_zoom_between(scale, scale->p0 - by, scale->p1 - by, whole);
}
