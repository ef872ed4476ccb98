/* SPDX-License-Identifier: MIT */
#include "ui/figures/profile.h"

#include <string.h>

static void column_resize(NsColumn *column, size_t n)
{
    column->n = n;
    column->min = g_renew(float, column->min, n);
    column->max = g_renew(float, column->max, n);
    column->x = g_renew(double, column->x, n);
    column->y = g_renew(double, column->y, n);
    column->lo = g_renew(double, column->lo, n);
}

static void column_clear(NsColumn *column)
{
    ns_source_follow(&column->source, NULL);
    g_free(column->min);
    g_free(column->max);
    g_free(column->x);
    g_free(column->y);
    g_free(column->lo);
    *column = (NsColumn){0};
}

/* Reads the values at a step; TRUE if they or the step differ from what is there. */
static bool column_read(NsColumn *column, NsHistory *history, NsQuantity quantity, size_t step,
                        unsigned first_layer)
{
    bool changed = ns_source_follow(&column->source, history);
    size_t n = ns_history_layout(history)->count[quantity];
    if (changed || n != column->n) {
        column_resize(column, n);
        changed = true;
    }
    if (n == 0) return changed;

    g_autofree float *min = g_new(float, n), *max = g_new(float, n);
    NsBucket bucket = ns_history_read(history, quantity, step, min, max);
    changed |= bucket.first != column->bucket.first || bucket.last != column->bucket.last ||
               memcmp(min, column->min, n * sizeof *min) ||
               memcmp(max, column->max, n * sizeof *max);
    if (!changed) return false;

    column->bucket = bucket;
    column->thinned = bucket.last > bucket.first;
    memcpy(column->min, min, n * sizeof *min);
    memcpy(column->max, max, n * sizeof *max);
    for (size_t i = 0; i < n; i++) {
        column->x[i] = (double)(i + first_layer);
        column->y[i] = (double)max[i];
        column->lo[i] = (double)min[i];
    }
    return true;
}

static bool column_empty(NsColumn *column)
{
    if (!column->source.history && column->n == 0) return false;
    column_clear(column);
    return true;
}

static char *bucket_label(const char *before, const NsColumn *column)
{
    if (!column->thinned)
        return g_strdup_printf("%sstep %" G_GINT64_FORMAT, before, column->bucket.first);
    return g_strdup_printf("%slargest of steps %" G_GINT64_FORMAT "–%" G_GINT64_FORMAT, before,
                           column->bucket.first, column->bucket.last);
}

static void show(NsFigure *figure, const NsColumn *column, NsSeries look)
{
    NsSeries *series = &figure->series[figure->plot.n_series++];
    *series = look;
    series->kind = NS_SERIES_POINTS;
    series->n = column->n;
    series->x = column->x;
    series->y = column->y;
    if (column->thinned) {
        series->lo = column->lo;
        series->hi = column->y;
    }
}

static bool make_labels(NsProfile *profile, const NsFigureInput *input)
{
    NsFigure *figure = &profile->figure;
    NsColumn *columns = profile->columns;
    bool changed =
        ns_figure_text(&figure->labels[NS_PROFILE_NOW], bucket_label("", &columns[NS_PROFILE_NOW]));
    changed |= ns_figure_text(&figure->labels[NS_PROFILE_FIRST],
                              bucket_label("", &columns[NS_PROFILE_FIRST]));
    if (!input->ghost) return changed;
    g_autofree char *run = ns_figure_ghost_label(input);
    g_autofree char *before = g_strconcat(run, ", ", NULL);
    return ns_figure_text(&figure->labels[NS_PROFILE_GHOST],
                          bucket_label(before, &columns[NS_PROFILE_GHOST])) ||
           changed;
}

/* The step that is shown; -1 where there is none. */
static int64_t shown_step(const NsFigureInput *input)
{
    int64_t newest = input->history ? (int64_t)ns_history_steps(input->history) - 1 : -1;
    return input->step < 0 ? newest : MIN(input->step, newest);
}

static bool read_columns(NsProfile *profile, const NsFigureInput *input, const NsProfileSpec *spec,
                         int64_t step)
{
    NsColumn *columns = profile->columns;
    unsigned first_layer = ns_quantity(spec->quantity)->domain == NS_DOMAIN_HIDDEN ? 0 : 1;
    size_t ghost_steps = input->ghost ? ns_history_steps(input->ghost) : 0;
    size_t now = (size_t)step;
    bool changed = false;

    changed |= step >= 0 ? column_read(&columns[NS_PROFILE_NOW], input->history, spec->quantity,
                                       now, first_layer)
                         : column_empty(&columns[NS_PROFILE_NOW]);

    /* No update led to step 0, so its update ratios are 0 by definition and say nothing. */
    bool first = step > 0 && spec->quantity != NS_QUANTITY_UPDATE_RATIO;
    changed |= first ? column_read(&columns[NS_PROFILE_FIRST], input->history, spec->quantity, 0,
                                   first_layer)
                     : column_empty(&columns[NS_PROFILE_FIRST]);

    changed |= ghost_steps > 0 ? column_read(&columns[NS_PROFILE_GHOST], input->ghost,
                                             spec->quantity, ghost_steps - 1, first_layer)
                               : column_empty(&columns[NS_PROFILE_GHOST]);

    changed |= step >= 0 && spec->has_end
                   ? column_read(&columns[NS_PROFILE_END], input->history, spec->end, now,
                                 (unsigned)ns_history_layout(input->history)->layers)
                   : column_empty(&columns[NS_PROFILE_END]);
    return changed;
}

static void show_columns(NsProfile *profile)
{
    static const NsSeries looks[NS_PROFILE_COLUMNS] = {
        [NS_PROFILE_GHOST] = {.style = 1, .ghost = true},
        [NS_PROFILE_FIRST] = {.style = 0, .ghost = true},
        [NS_PROFILE_NOW] = {.style = 0},
        [NS_PROFILE_END] = {.style = 2},
    };
    NsFigure *figure = &profile->figure;
    figure->plot.n_series = 0;
    for (size_t i = 0; i < NS_PROFILE_COLUMNS; i++) {
        if (!profile->columns[i].n) continue;
        NsSeries look = looks[i];
        look.label = figure->labels[i];
        show(figure, &profile->columns[i], look);
    }
}

bool ns_profile_update(NsProfile *profile, const NsFigureInput *input, const NsProfileSpec *spec)
{
    NsFigure *figure = &profile->figure;
    const NsColumn *now = &profile->columns[NS_PROFILE_NOW];
    const NsQuantityInfo *info = ns_quantity(spec->quantity);
    NsScaleKind scale = input->log ? NS_SCALE_LOG : NS_SCALE_LINEAR;
    int64_t step = shown_step(input);
    bool changed = figure->plot.left.scale != scale || profile->quantity != spec->quantity;
    profile->quantity = spec->quantity;
    changed |= read_columns(profile, input, spec, step);

    g_autofree char *absent = g_strdup_printf("This model has no %s.", info->symbol);
    bool missing = step >= 0 && now->n == 0;
    changed |= make_labels(profile, input);
    changed |= ns_figure_text(&figure->labels[NS_PROFILE_END], g_strdup(spec->end_label));
    changed |= ns_figure_text(&figure->left_label, g_strdup(info->symbol));
    changed |= ns_figure_words(
        figure, input,
        (NsFigureWords){
            .title = info->choice.label,
            .empty = missing ? absent : "No step has been measured yet.",
            .step = step,
            .note = now->thinned ? g_strdup("This step is kept in a group: the band is its range.")
                                 : NULL,
        });
    if (!changed) return false;

    figure->plot.left.scale = scale;
    figure->plot.left.label = figure->left_label;
    show_columns(profile);
    return true;
}

void ns_profile_clear(NsFigure *figure)
{
    NsProfile *profile = (NsProfile *)figure;
    for (size_t i = 0; i < NS_PROFILE_COLUMNS; i++) column_clear(&profile->columns[i]);
}
