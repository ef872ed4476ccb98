/* SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"
#include "ui/figures/theory.h"

#include <math.h>
#include <string.h>

/* The values of one quantity at one step. */
typedef struct {
    NsSource source;
    float *min, *max; /* [count] as read */
    size_t count;
    double *x, *y, *lo; /* [n] of the values that are not blank */
    size_t n;
    NsBucket bucket;
    bool thinned; /* the bucket holds several steps */
    bool band;    /* lo..y is a range: of the steps of a bucket, or of heads */
} Column;

enum { GHOST, FIRST, NOW, END, COLUMNS };
G_STATIC_ASSERT(COLUMNS + NS_THEORY_CURVES <= NS_FIGURE_SERIES);

/* What a profile shows. */
typedef struct {
    NsQuantity quantity;
    NsQuantity end; /* of domain STEP: a point of its own above the last layer, where `has_end` */
    bool has_end;
    const char *end_label;
    bool theory; /* shown, whether the input asks for it or not */
} Spec;

typedef struct {
    NsFigure figure;
    Column columns[COLUMNS];
    NsQuantity quantity;
    NsTheory theory;
} Profile;

static void column_resize(Column *column, size_t count)
{
    column->count = count;
    column->n = 0;
    column->min = g_renew(float, column->min, count);
    column->max = g_renew(float, column->max, count);
    column->x = g_renew(double, column->x, count);
    column->y = g_renew(double, column->y, count);
    column->lo = g_renew(double, column->lo, count);
}

static void column_clear(Column *column)
{
    ns_source_follow(&column->source, NULL);
    g_free(column->min);
    g_free(column->max);
    g_free(column->x);
    g_free(column->y);
    g_free(column->lo);
    *column = (Column){0};
}

/* The values of heads become one a layer: their range. */
static void join_heads(float *min, float *max, size_t layers, size_t heads)
{
    for (size_t l = 0; l < layers; l++) {
        float least = min[l * heads], most = max[l * heads];
        for (size_t h = 1; h < heads; h++) {
            float lo = min[l * heads + h], hi = max[l * heads + h];
            least = lo < least || isnan(lo) ? lo : least;
            most = hi > most || isnan(hi) ? hi : most;
        }
        min[l] = least;
        max[l] = most;
    }
}

/* Reads the values of the record in which the quantity was measured last; TRUE if they or the step
 * differ from what is there. */
static bool column_read(Column *column, NsHistory *history, NsQuantity quantity, size_t record,
                        unsigned first_layer)
{
    const NsRecordLayout *layout = ns_history_layout(history);
    bool changed = ns_source_follow(&column->source, history);
    size_t n = layout->count[quantity];
    if (changed || n != column->count) {
        column_resize(column, n);
        changed = true;
    }
    if (n == 0) return changed;

    g_autofree float *min = g_new(float, n), *max = g_new(float, n);
    record = ns_history_measured(history, quantity, record);
    NsBucket bucket = ns_history_read(history, quantity, record, min, max);
    changed |= bucket.first != column->bucket.first || bucket.last != column->bucket.last ||
               memcmp(min, column->min, n * sizeof *min) ||
               memcmp(max, column->max, n * sizeof *max);
    if (!changed) return false;

    bool heads = ns_quantity(quantity)->domain == NS_DOMAIN_HEAD;
    column->bucket = bucket;
    column->thinned = bucket.last > bucket.first;
    column->band = column->thinned || (heads && layout->heads > 1);
    memcpy(column->min, min, n * sizeof *min);
    memcpy(column->max, max, n * sizeof *max);
    if (heads) join_heads(min, max, layout->layers, layout->heads);
    size_t shown = heads ? layout->layers : n;
    column->n = 0;
    for (size_t i = 0; i < shown; i++) {
        if (ns_is_blank(max[i])) continue;
        column->x[column->n] = (double)(i + first_layer);
        column->y[column->n] = (double)max[i];
        column->lo[column->n++] = (double)min[i];
    }
    return true;
}

static bool column_empty(Column *column)
{
    if (!column->source.history && column->count == 0) return false;
    column_clear(column);
    return true;
}

static char *bucket_label(const char *before, const Column *column)
{
    if (!column->thinned)
        return g_strdup_printf("%sstep %" G_GINT64_FORMAT, before, column->bucket.first);
    return g_strdup_printf("%slargest of steps %" G_GINT64_FORMAT "–%" G_GINT64_FORMAT, before,
                           column->bucket.first, column->bucket.last);
}

static void show(NsFigure *figure, const Column *column, NsSeries look)
{
    NsSeries *series = &figure->series[figure->plot.n_series++];
    *series = look;
    series->kind = NS_SERIES_POINTS;
    series->n = column->n;
    series->x = column->x;
    series->y = column->y;
    if (column->band) {
        series->lo = column->lo;
        series->hi = column->y;
    }
}

static bool make_labels(Profile *profile, const NsFigureInput *input)
{
    NsFigure *figure = &profile->figure;
    Column *columns = profile->columns;
    bool changed = ns_figure_text(&figure->labels[NOW], bucket_label("", &columns[NOW]));
    changed |= ns_figure_text(&figure->labels[FIRST], bucket_label("", &columns[FIRST]));
    if (!input->ghost) return changed;
    g_autofree char *run = ns_figure_ghost_label(input);
    g_autofree char *before = g_strconcat(run, ", ", NULL);
    return ns_figure_text(&figure->labels[GHOST], bucket_label(before, &columns[GHOST])) || changed;
}

static bool read_columns(Profile *profile, const NsFigureInput *input, const Spec *spec,
                         int64_t record)
{
    Column *columns = profile->columns;
    unsigned first_layer = ns_quantity(spec->quantity)->domain == NS_DOMAIN_HIDDEN ? 0 : 1;
    size_t ghost_steps = input->ghost ? ns_history_steps(input->ghost) : 0;
    size_t now = (size_t)record;
    bool changed = false;

    changed |= record >= 0
                   ? column_read(&columns[NOW], input->history, spec->quantity, now, first_layer)
                   : column_empty(&columns[NOW]);

    /* No update led to step 0, so its update ratios are 0 by definition and say nothing. */
    bool first = record > 0 && spec->quantity != NS_QUANTITY_UPDATE_RATIO;
    changed |= first ? column_read(&columns[FIRST], input->history, spec->quantity, 0, first_layer)
                     : column_empty(&columns[FIRST]);

    changed |= ghost_steps > 0 ? column_read(&columns[GHOST], input->ghost, spec->quantity,
                                             ghost_steps - 1, first_layer)
                               : column_empty(&columns[GHOST]);

    changed |= record >= 0 && spec->has_end
                   ? column_read(&columns[END], input->history, spec->end, now,
                                 (unsigned)ns_history_layout(input->history)->hidden - 1)
                   : column_empty(&columns[END]);
    return changed;
}

static void show_columns(Profile *profile)
{
    static const NsSeries looks[COLUMNS] = {
        [GHOST] = {.style = 1, .ghost = true},
        [FIRST] = {.style = 0, .ghost = true},
        [NOW] = {.style = 0},
        [END] = {.style = 2},
    };
    NsFigure *figure = &profile->figure;
    for (size_t i = 0; i < COLUMNS; i++) {
        if (!profile->columns[i].n) continue;
        NsSeries look = looks[i];
        look.label = figure->labels[i];
        show(figure, &profile->columns[i], look);
    }
    const NsTheory *theory = &profile->theory;
    for (size_t i = 0; i < theory->n_curves; i++)
        figure->series[figure->plot.n_series++] = (NsSeries){.label = theory->label[i],
                                                             .theory = true,
                                                             .n = theory->n,
                                                             .x = theory->x,
                                                             .y = theory->y[i]};
}

/* Heads are joined, so that theirs is the axis of the layers. */
static char *layer_axis(NsQuantity quantity, const NsHistory *history)
{
    bool heads = ns_quantity(quantity)->domain == NS_DOMAIN_HEAD;
    return ns_figure_axis(heads ? NS_QUANTITY_GRAD_LAYER : quantity, history);
}

/* Where the layers of the second stack begin, so that the line across is not read as one. */
static bool mark_decoder(NsFigure *figure, const NsFigureInput *input)
{
    int64_t N = 0;
    if (input->settings && ns_settings_decoder_layers(input->settings) > 0)
        N = ns_settings_encoder_layers(input->settings);
    const NsMarker *old =
        figure->markers->len ? &g_array_index(figure->markers, NsMarker, 0) : NULL;
    NsMarker marker = {.x = (double)N + 0.5, .text = "decoder"};
    if (old ? N > 0 && old->x >= marker.x && old->x <= marker.x : N == 0) return false;
    g_array_set_size(figure->markers, 0);
    if (N > 0) g_array_append_val(figure->markers, marker);
    return true;
}

static char *note(const Profile *profile)
{
    const Column *now = &profile->columns[NOW];
    if (profile->theory.note) return g_strdup(profile->theory.note);
    if (now->thinned) return g_strdup("This step is kept in a group: the band is its range.");
    return now->band ? g_strdup("The line is the largest head, the band the range of the heads.")
                     : NULL;
}

static bool update(Profile *profile, const NsFigureInput *input, const Spec *spec)
{
    NsFigure *figure = &profile->figure;
    const Column *now = &profile->columns[NOW];
    const NsQuantityInfo *info = ns_quantity(spec->quantity);
    NsScaleKind scale = ns_figure_scale(spec->quantity, input);
    int64_t record = ns_figure_record(input);
    bool changed = figure->plot.left.scale != scale || profile->quantity != spec->quantity;
    profile->quantity = spec->quantity;
    changed |= read_columns(profile, input, spec, record);
    changed |=
        ns_theory_follow(&profile->theory, spec->quantity, input, spec->theory || input->theory);

    bool over_layers = info->domain != NS_DOMAIN_STEP;
    bool missing = record >= 0 && now->count == 0;
    g_autofree char *empty =
        !over_layers
            ? g_strdup_printf("%s is one value a step, not one a layer.", info->choice.label)
        : missing ? ns_figure_absent(spec->quantity, input->history)
                  : g_strdup("No step has been measured yet.");
    changed |= make_labels(profile, input);
    changed |= ns_figure_text(&figure->labels[END], g_strdup(spec->end_label));
    changed |= ns_figure_text(&figure->left_label, g_strdup(info->symbol));
    changed |= mark_decoder(figure, input);
    changed |= ns_figure_text(&figure->x_label, layer_axis(spec->quantity, input->history));
    changed |=
        ns_figure_words(figure, input,
                        (NsFigureWords){
                            .title = info->choice.label,
                            .empty = empty,
                            .step = !now->count    ? -1
                                    : now->thinned ? ns_history_first_step(input->history) + record
                                                   : now->bucket.last,
                            .note = note(profile),
                        });
    if (!changed) return false;

    figure->plot.left.scale = scale;
    figure->plot.left.label = figure->left_label;
    figure->plot.x.label = figure->x_label;
    figure->plot.n_series = 0;
    if (over_layers) show_columns(profile);
    return true;
}

static void clear(NsFigure *figure)
{
    Profile *profile = (Profile *)figure;
    for (size_t i = 0; i < COLUMNS; i++) column_clear(&profile->columns[i]);
    ns_theory_clear(&profile->theory);
}

/* ---- The figures ---- */

static bool update_gradient(NsFigure *figure, const NsFigureInput *input)
{
    const Spec spec = {.quantity = input->gradient};
    return update((Profile *)figure, input, &spec);
}

/* Norms of hidden states have one more, of the state after the final norm. */
static bool update_state(NsFigure *figure, const NsFigureInput *input, NsQuantity quantity,
                         bool theory)
{
    bool squared = quantity == NS_QUANTITY_HIDDEN_SQ;
    const Spec spec = {
        .quantity = quantity,
        .end = squared ? NS_QUANTITY_FINAL_SQ : NS_QUANTITY_FINAL_NORM,
        .has_end = squared || quantity == NS_QUANTITY_HIDDEN_NORM,
        .end_label = "after the final norm",
        .theory = theory,
    };
    return update((Profile *)figure, input, &spec);
}

static bool update_hidden(NsFigure *figure, const NsFigureInput *input)
{
    return update_state(figure, input, input->hidden, false);
}

static bool update_any(NsFigure *figure, const NsFigureInput *input)
{
    return update_state(figure, input, input->quantity, false);
}

static bool update_theory(NsFigure *figure, const NsFigureInput *input)
{
    return update_state(figure, input, input->quantity, true);
}

NsFigure *ns_gradient_norm_new(void)
{
    static const NsFigureClass class = {sizeof(Profile), update_gradient, clear};
    return ns_figure_alloc(&class);
}

NsFigure *ns_hidden_norm_new(void)
{
    static const NsFigureClass class = {sizeof(Profile), update_hidden, clear};
    return ns_figure_alloc(&class);
}

NsFigure *ns_profile_new(void)
{
    static const NsFigureClass class = {sizeof(Profile), update_any, clear};
    return ns_figure_alloc(&class);
}

NsFigure *ns_theory_new(void)
{
    static const NsFigureClass class = {sizeof(Profile), update_theory, clear};
    return ns_figure_alloc(&class);
}
