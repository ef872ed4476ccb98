/* SPDX-License-Identifier: MIT */
#include "core/train/bands.h"

#include "core/base/digits.h"
#include "core/base/words.h"
#include "core/train/divergence.h"
#include "core/train/spike.h"

#include <math.h>
#include <string.h>

#define FEWEST_RECORDS 20
#define SPREADS 8.0
#define NORMAL 1.4826
#define SMALLEST_FACTOR 1.5
#define RECENT_RECORDS 10

/* ---- Records ---- */

void ns_bands_init(NsBands *bands, size_t tensors, size_t hidden)
{
    size_t width = 4 * tensors + 2 * hidden + 1;
    *bands = (NsBands){.tensors = tensors,
                       .hidden = hidden,
                       .width = width,
                       .ring = g_new0(float, NS_BANDS_RECORDS *width)};
}

void ns_bands_clear(NsBands *bands)
{
    g_clear_pointer(&bands->ring, g_free);
}

void ns_bands_copy(NsBands *to, const NsBands *from)
{
    g_free(to->ring);
    *to = *from;
    to->ring = g_memdup2(from->ring, NS_BANDS_RECORDS * from->width * sizeof *from->ring);
}

void ns_bands_add(NsBands *bands, const NsMeasure *seen, const NsTensorUpdate *updates)
{
    const size_t tensors = bands->tensors;
    float *at = bands->ring + bands->n++ % NS_BANDS_RECORDS * bands->width;
    for (size_t i = 0; i < tensors; i++) {
        at[i] = (float)updates[i].ratio_sum;
        at[tensors + i] = (float)updates[i].update_sq;
        at[2 * tensors + i] = (float)updates[i].weight_sq;
    }
    at += 3 * tensors;
    for (size_t i = 0; i < bands->hidden; i++) {
        *at++ = (float)seen->hidden[i].sq;
        *at++ = (float)(seen->hidden[i].max * seen->hidden[i].max);
    }
    *at++ = (float)(seen->loss * seen->loss);
    /* Backward computes the gradient of the last tensor first. */
    for (size_t i = tensors; i-- > 0;) *at++ = (float)seen->grad_sq[i];
}

/* ---- Ranges ---- */

typedef struct {
    const NsBands *bands;
    size_t records, newest; /* to compare with; to look at */
} Window;

/* The logarithm of the number that was recorded `before` records before the newest one; NaN for 0
 * and for what was not measured, which is -1, and infinite for what is not finite. */
static double number_at(const Window *window, size_t number, size_t before)
{
    const NsBands *b = window->bands;
    double square = (double)b->ring[(b->n - 1 - before) % NS_BANDS_RECORDS * b->width + number];
    if (!isfinite(square)) return (double)INFINITY;
    return square > 0 ? log(square) / 2 : (double)NAN;
}

/* For each of the newest records, how far the number is out of its range: its distance from the
 * median, on the logarithmic scale; 0 within the range. */
static void distances_of(const Window *window, size_t number, bool downward,
                         double distances[NS_BANDS_NEWEST])
{
    double values[NS_BANDS_BASELINE], low = (double)INFINITY, high = -low;
    size_t n = 0;
    memset(distances, 0, NS_BANDS_NEWEST * sizeof *distances);
    for (size_t i = 0; i < window->records; i++) {
        double value = number_at(window, number, window->newest + i);
        if (!isfinite(value)) continue;
        values[n++] = value;
        if (n > RECENT_RECORDS) continue;
        low = MIN(low, value);
        high = MAX(high, value);
    }
    if (n < FEWEST_RECORDS) return;
    double median = ns_median(values, n);
    for (size_t i = 0; i < n; i++) values[i] = fabs(values[i] - median);
    double most = SPREADS * NORMAL * ns_median(values, n);
    for (size_t before = 0; before < window->newest; before++) {
        double value = number_at(window, number, before), distance = value - median;
        if (fabs(distance) > most && (value > high + log(SMALLEST_FACTOR) ||
                                      (downward && value < low - log(SMALLEST_FACTOR))))
            distances[before] = distance;
    }
}

/* The first exit among `count` numbers of one kind, of which `each` belong to one tensor or state.
 */
static NsBandExit first_exit(const Window *window, NsBandKind kind, size_t from, size_t count,
                             size_t each)
{
    g_autofree double *out = g_new0(double, count *(size_t)NS_BANDS_NEWEST);
    double farthest[NS_BANDS_NEWEST] = {0};
    for (size_t i = 0; i < count; i++) {
        /* The largest value of a state, which has an odd number, may be that of a rare token. */
        bool downward = kind == NS_BAND_WEIGHT || (kind == NS_BAND_HIDDEN && i % 2 == 0);
        distances_of(window, from + i, downward, out + i * NS_BANDS_NEWEST);
        for (size_t b = 0; b < window->newest; b++)
            farthest[b] = MAX(farthest[b], fabs(out[i * NS_BANDS_NEWEST + b]));
    }
    size_t before = window->newest;
    while (before > 0 && farthest[before - 1] == 0) before--;
    if (before-- == 0) return (NsBandExit){.left = false};
    NsBandExit exit = {.before = (int64_t)before, .which = SIZE_MAX};
    for (size_t i = 0; i < count / each; i++) {
        double distance = 0;
        for (size_t k = 0; k < each; k++) {
            double other = out[(i * each + k) * NS_BANDS_NEWEST + before];
            if (fabs(other) > fabs(distance)) distance = other;
        }
        if (distance == 0) continue;
        exit.others += exit.left;
        exit.left = true;
        if (exit.which != SIZE_MAX || fabs(distance) < farthest[before] / 2) continue;
        exit.which = kind == NS_BAND_GRADIENT ? count - 1 - i : i;
        exit.times = exp(distance);
    }
    return exit;
}

NsBandKind ns_bands_find(const NsBands *bands, NsBandExit exits[NS_BAND_KINDS])
{
    memset(exits, 0, NS_BAND_KINDS * sizeof *exits);
    const size_t stored = MIN(bands->n, NS_BANDS_RECORDS - 1);
    if (stored <= FEWEST_RECORDS) return NS_BAND_KINDS;
    Window window = {.bands = bands, .newest = MIN(NS_BANDS_NEWEST, stored - FEWEST_RECORDS)};
    window.records = stored - window.newest;
    size_t from = 0;
    NsBandKind first = NS_BAND_KINDS;
    for (unsigned kind = 0; kind < NS_BAND_KINDS; kind++) {
        size_t each = kind == NS_BAND_HIDDEN ? 2 : 1;
        size_t count = kind == NS_BAND_HIDDEN ? 2 * bands->hidden
                       : kind == NS_BAND_LOSS ? 1
                                              : bands->tensors;
        exits[kind] = first_exit(&window, (NsBandKind)kind, from, count, each);
        from += count;
        if (exits[kind].left &&
            (first == NS_BAND_KINDS || exits[kind].before > exits[first].before))
            first = (NsBandKind)kind;
    }
    return first;
}

/* ---- Words ---- */

/* "the update of W2 of layer 3 and 5 other tensors". */
static char *words_of(NsBandKind kind, const NsBandExit *exit, const NsTensorTable *table,
                      size_t first_stack, int *layer)
{
    static const char *const formats[] = {
        [NS_BAND_RATIO] = N_("the Adam RMS ratio of %s"),
        [NS_BAND_UPDATE] = N_("the update of %s"),
        [NS_BAND_WEIGHT] = N_("the weight norm of %s"),
        [NS_BAND_GRADIENT] = N_("the gradient of %s"),
    };
    *layer = 0;
    if (kind == NS_BAND_LOSS) return g_strdup(_("the loss"));
    if (kind != NS_BAND_HIDDEN) {
        *layer = table->tensors[exit->which].layer + 1;
        g_autofree char *tensor = ns_tensor_words(&table->tensors[exit->which]);
        g_autofree char *others = ns_group_digits((int64_t)exit->others);
        g_autofree char *all = g_strdup_printf(
            ns_plural("%s and %s other tensor", "%s and %s other tensors", exit->others), tensor,
            others);
        g_autoptr(GString) words = g_string_new(_(formats[kind]));
        g_string_replace(words, "%s", exit->others ? all : tensor, 1);
        return g_string_free(g_steal_pointer(&words), FALSE);
    }
    /* The states are x_0 .. x_N of the first stack, then x_0 .. x_M of the second. */
    if (!exit->which) return g_strdup(_("the embedding"));
    if (exit->which == first_stack + 1) return g_strdup(_("the embedding of the decoder"));
    *layer = (int)exit->which - (exit->which > first_stack);
    g_autofree char *number = ns_group_digits(*layer);
    return g_strdup_printf(_("the hidden state after layer %s"), number);
}

bool ns_bands_describe(const NsBands *bands, const NsTensorTable *table, size_t first_stack,
                       NsEvent *event)
{
    NsBandExit exits[NS_BAND_KINDS];
    NsBandKind first = ns_bands_find(bands, exits);
    if (first == NS_BAND_KINDS) return false;
    int layer;
    /* The others that left, in the order of the records and within a record of the computation. */
    g_autoptr(GString) then = g_string_new(NULL);
    for (int64_t before = exits[first].before; before >= 0; before--)
        for (unsigned kind = 0; kind < NS_BAND_KINDS; kind++) {
            if (!exits[kind].left || kind == first || exits[kind].before != before) continue;
            g_autofree char *name =
                words_of((NsBandKind)kind, &exits[kind], table, first_stack, &layer);
            g_autofree char *step = ns_group_digits(event->step - before);
            if (then->len) g_string_append(then, C_("between items of a list", ", "));
            g_string_append_printf(then, _("%s (step %s)"), name, step);
        }
    g_autofree char *was = g_strdup(event->text);
    g_autofree char *name = words_of(first, &exits[first], table, first_stack, &layer);
    if (event->kind == NS_EVENT_SPIKE) event->layer = layer;
    g_autofree char *at = ns_group_digits(event->step - exits[first].before);
    g_autofree char *times = ns_event_number(exits[first].times);
    if (!isfinite(exits[first].times))
        ns_event_describe(event, N_("%s The first to leave its usual range was %s at step %s."),
                          was, name, at);
    else if (!then->len)
        ns_event_describe(event,
                          N_("%s The first to leave its usual range was %s at step %s: %s times "
                             "its median."),
                          was, name, at, times);
    else
        ns_event_describe(event,
                          N_("%s The first to leave its usual range was %s at step %s: %s times "
                             "its median. Then came %s."),
                          was, name, at, times, then->str);
    return true;
}
