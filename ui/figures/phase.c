/* A sweep: the final loss by two settings.  SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"
#include "ui/figures/settings_caption.h"

#include "core/base/digits.h"
#include "core/base/words.h"
#include "core/experiment/assignment.h"
#include "core/experiment/param.h"
#include "core/study/compare.h"
#include "ui/plot/scale.h"
#include "ui/plot/text.h"

#include <math.h>

#define DIGITS 4

/* Significant digits of the values of an axis. */
#define VALUE_DIGITS 6

/* An axis with smaller values, or values from BEYOND_PLAIN on, has powers of ten. */
#define LEAST_PLAIN 1e-4
#define BEYOND_PLAIN 1e6

typedef struct {
    NsFigure figure;
    NsPhase *phase;              /* owned reference; the source of all other fields */
    unsigned version, alongside; /* versions of the sweep and of the one beside it */
    bool log;
    int at[2];  /* column and row of the current settings; -1: not in the grid */
    bool exact; /* the cell has exactly the current settings */
    NsHeatmap map;
    float *z; /* [rows, columns] */
    float *
        single_z; /* [seeds, rows, columns] results of each seed for tables, if there are several */
    char **notes; /* [rows, columns] notes of cells */
    size_t done, worse; /* number of finished cells, and of those with a loss above that of the
                         * untrained model */
    size_t diverged, failed;
    size_t first_diverged, first_failed;
} Phase;

/* ---- Axes ---- */

static void set_axis(NsFigure *figure, NsAxis *axis, const NsStudyAxis *values)
{
    const char **names = ns_figure_own(figure, g_new(const char *, values->n));
    const char **numbers = ns_figure_own(figure, g_new(const char *, values->n));
    /* All values of an axis are written alike: 0.0001 and 0.001, or 1e-5 and 1e-3. */
    bool plain = true;
    for (size_t i = 0; i < values->n; i++) {
        double size = fabs(g_ascii_strtod(values->values[i], NULL));
        plain &= !(size > 0 && size < LEAST_PLAIN) && !(size >= BEYOND_PLAIN);
    }
    for (size_t i = 0; i < values->n; i++) {
        const char *value = values->values[i];
        if (values->param->type == NS_PARAM_CHOICE) {
            int row = ns_choices_find(values->param->choices, value);
            names[i] = numbers[i] = _(values->param->choices((size_t)row)->label);
            continue;
        }
        const char *word = ns_param_word(values->param, value);
        numbers[i] = ns_figure_own(
            figure, ns_text_input_as(g_ascii_strtod(value, NULL), VALUE_DIGITS, plain));
        names[i] = word ? word : numbers[i];
    }
    axis->label = _(values->param->label);
    axis->unit = values->param->unit ? _(values->param->unit) : NULL;
    axis->integer = true;
    axis->names = names;
    axis->in_tables = numbers; /* a program reads 1, not “off” */
    axis->n_names = values->n;
    double value[NS_STUDY_VALUES];
    for (size_t i = 0; i < values->n; i++) value[i] = g_ascii_strtod(values->values[i], NULL);
    axis->even = values->param->type != NS_PARAM_CHOICE && ns_scale_is_even(value, values->n);
}

/* Whether the result is the training loss, which can be compared with that of the untrained
 * model. */
static bool is_training_loss(const NsStudy *study)
{
    return study->results.of[0].kind == NS_RESULT_LOSS;
}

static bool is_usual(const NsStudy *study)
{
    return is_training_loss(study) && study->results.of[0].at == NS_RESULT_LAST &&
           study->results.of[0].n == NS_CELL_LAST;
}

static void follow(Phase *p, NsPhase *phase)
{
    g_clear_pointer(&p->notes, g_strfreev);
    ns_figure_forget(&p->figure);
    ns_phase_unref(p->phase);
    p->phase = phase ? ns_phase_ref(phase) : NULL;
    p->version = 0;
    if (!phase) return;

    const NsStudyAxis *x = phase->x, *y = phase->y;
    p->z = ns_figure_own(&p->figure, g_new(float, phase->cells));
    p->notes = g_new0(char *, phase->cells + 1);
    set_axis(&p->figure, &p->figure.plot.x, x);
    set_axis(&p->figure, &p->figure.plot.left, y);
    p->map = ns_figure_cells(p->z, y->n, x->n, 0);
    p->map.label =
        ns_figure_own(&p->figure, is_usual(phase->study) ? g_strdup(_("final training loss (nats)"))
                                                         : ns_study_result_words(phase->study));
    p->map.values = true;
    p->map.hatch = true;
    /* Creates a plot for every seed, for tables. */
    size_t seeds = (size_t)phase->study->seeds;
    NsFigure *figure = &p->figure;
    size_t cells = p->phase->cells;
    if (seeds < 2) return;
    p->single_z = ns_figure_own(figure, g_new(float, seeds *cells));
    NsHeatmap *maps = ns_figure_own(figure, g_new(NsHeatmap, seeds));
    NsPlot *single = ns_figure_singles(figure, seeds);
    for (size_t seed = 0; seed < seeds; seed++) {
        maps[seed] = p->map;
        maps[seed].z = p->single_z + seed * cells;
        single[seed] =
            (NsPlot){.x = figure->plot.x, .left = figure->plot.left, .heatmap = &maps[seed]};
    }
}

/* ---- Cells ---- */

/* "loss of each seed: 2.31, 2.29" if there are several, after the validation loss if any. */
static char *done_note(NsPhase *phase, size_t i, const NsStudyCell *cell)
{
    size_t n = (size_t)phase->study->seeds;
    g_autofree double *values = g_new(double, n);
    g_autoptr(GString) words = g_string_new(NULL);
    if (n > 1) ns_phase_seeds(phase, i, values);
    for (size_t seed = 0; seed < n && n > 1; seed++) {
        g_autofree char *value = ns_text_number(values[seed], DIGITS);
        g_string_append_printf(words, "%s%s", seed ? ", " : "", value);
    }
    g_autofree char *seeds = n > 1 ? g_strdup_printf(_("loss of each seed: %s"), words->str) : NULL;
    if (isnan(cell->validation)) return g_steal_pointer(&seeds);
    g_autofree char *value = ns_text_number(cell->validation, DIGITS);
    g_autofree char *loss = g_strdup_printf(_("validation loss: %s"), value);
    return seeds ? g_strdup_printf("%s; %s", loss, seeds) : g_steal_pointer(&loss);
}

static char *cell_note(NsPhase *phase, size_t i, const NsStudyCell *cell)
{
    g_autofree char *step = ns_group_digits(cell->step);
    switch (cell->state) {
    case NS_CELL_WAITING:
        return g_strdup(_("queued"));
    case NS_CELL_RUNNING:
        return g_strdup_printf(_("at step %s"), step);
    case NS_CELL_DONE:
        return done_note(phase, i, cell);
    case NS_CELL_DIVERGED:
        return g_strdup_printf(_("diverged at step %s"), step);
    case NS_CELL_FAILED:
        return g_strdup(cell->text);
    }
    return NULL;
}

/* The range of results for the color scale, and the largest initial loss. */
typedef struct {
    double lo, hi, first;
} Losses;

static void take_loss(Losses *losses, const NsStudyCell *cell)
{
    if (cell->state != NS_CELL_DONE) return;
    losses->first = MAX(losses->first, cell->first);
    losses->lo = MIN(losses->lo, cell->loss);
    losses->hi = MAX(losses->hi, cell->loss);
}

static void read_cells(Phase *p, NsPhase *alongside)
{
    Losses losses = {INFINITY, -INFINITY, 0};
    bool losses_only = is_training_loss(p->phase->study);
    p->done = p->worse = p->diverged = p->failed = 0;
    for (size_t i = 0; i < p->phase->cells; i++) {
        NsStudyCell cell = ns_phase_cell(p->phase, i);
        p->z[i] = cell.state == NS_CELL_DONE       ? (float)cell.loss
                  : cell.state == NS_CELL_DIVERGED ? NAN
                                                   : -INFINITY;
        if (cell.state == NS_CELL_DIVERGED && !p->diverged++) p->first_diverged = i;
        if (cell.state == NS_CELL_FAILED && !p->failed++) p->first_failed = i;
        g_free(p->notes[i]);
        p->notes[i] = cell_note(p->phase, i, &cell);
        size_t cells = p->phase->cells, n = p->figure.plot.n_singles;
        g_autofree double *values = g_new(double, n + 1);
        if (n) ns_phase_seeds(p->phase, i, values);
        for (size_t seed = 0; seed < n; seed++) {
            bool open = isnan(values[seed]) && cell.state != NS_CELL_DIVERGED;
            p->single_z[seed * cells + i] = open ? -INFINITY : (float)values[seed];
        }
        take_loss(&losses, &cell);
        if (cell.state != NS_CELL_DONE) continue;
        p->done++;
        p->worse += losses_only && cell.loss > cell.first;
    }
    for (size_t i = 0; alongside && i < alongside->cells; i++) {
        NsStudyCell cell = ns_phase_cell(alongside, i);
        take_loss(&losses, &cell);
    }
    /* Losses that exploded would use up the color scale, so it ends at the largest initial loss. */
    p->map.lo = losses.lo;
    p->map.hi = losses_only ? MIN(losses.hi, losses.first) : losses.hi;
    if (!(p->map.lo < p->map.hi)) p->map.lo = p->map.hi = 0;
    p->map.notes = (const char *const *)(void *)p->notes;
}

/* "Peak learning rate 0.1, Warm-up off", as labeled on the axes. */
static char *place_words(const Phase *p, size_t i)
{
    const NsAxis *x = &p->figure.plot.x, *y = &p->figure.plot.left;
    return g_strdup_printf("%s %s, %s %s", x->label, x->names[i % x->n_names], y->label,
                           y->names[i / x->n_names]);
}

static bool is_axis(const Phase *p, const NsParam *param)
{
    return param == p->phase->x->param || param == p->phase->y->param;
}

static char *note(const Phase *p)
{
    GString *words = g_string_new(NULL);
    size_t cells = p->phase->cells, finished = p->done + p->diverged + p->failed;
    g_autofree char *of = ns_group_digits((int64_t)cells),
                    *some = ns_group_digits((int64_t)finished);
    if (finished < cells) ns_figure_add_sentence(words, _("%s of %s cells so far."), some, of);
    /* Explains how cells combine the settings that are on neither axis. */
    const NsStudy *study = p->phase->study;
    g_autoptr(GString) names = g_string_new(NULL);
    for (size_t axis = 0; axis < ns_study_axes(study); axis++) {
        const NsParam *param = ns_study_axis_param(study, axis);
        if (!is_axis(p, param))
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", _(param->label));
    }
    if (names->len)
        ns_figure_add_sentence(words,
                               ns_study_better(study) ? _("Each cell has the best result over %s.")
                                                      : _("Each cell has the mean over %s."),
                               names->str);
    if (p->diverged) {
        g_autofree char *place = place_words(p, p->first_diverged);
        g_autofree char *step = ns_group_digits(ns_phase_cell(p->phase, p->first_diverged).step);
        if (p->diverged == 1)
            ns_figure_add_sentence(words, _("Hatched: at %s the run diverged, at step %s."), place,
                                   step);
        else
            ns_figure_add_sentence(words, _("Hatched: %zu runs diverged; at %s at step %s."),
                                   p->diverged, place, step);
    }
    if (p->at[0] >= 0)
        ns_figure_add_sentence(words, "%s",
                               p->exact ? _("Outlined: the current settings.")
                                        : _("Outlined: the cell nearest to the current settings."));
    if (p->worse)
        ns_figure_add_sentence(
            words, _("Losses above that of the untrained model (%zu) share the last color."),
            p->worse);
    if (p->failed) {
        g_autofree char *place = place_words(p, p->first_failed);
        NsStudyCell cell = ns_phase_cell(p->phase, p->first_failed);
        ns_figure_add_sentence(words, _("%zu empty: at %s, %s"), p->failed, place, cell.text);
    }
    return g_string_free(words, words->len == 0);
}

/* The distance of a value from the current one: the logarithm of their ratio, or the difference if
 * one is not positive. */
static double distance(const char *value, const char *present)
{
    double a = g_ascii_strtod(value, NULL), b = g_ascii_strtod(present, NULL);
    if (g_str_equal(value, present)) return 0;
    return a > 0 && b > 0 ? fabs(log(a / b)) : fabs(a - b);
}

/* The index of the current value of a lane on an axis, or of the nearest number if it lies between
 * two; -1 if there is none. */
static int present(const NsStudyAxis *axis, const NsSettings *settings, bool *exact)
{
    g_autofree char *value = settings ? ns_settings_get(settings, axis->param) : NULL;
    bool numbers = axis->param->type == NS_PARAM_INT || axis->param->type == NS_PARAM_REAL;
    double now = value && numbers ? g_ascii_strtod(value, NULL) : 0, least = INFINITY;
    bool above = false, below = false;
    int nearest = -1;
    for (size_t i = 0; value && i < axis->n; i++) {
        bool same = g_str_equal(axis->values[i], value);
        if (!numbers && !same) continue;
        above |= same || g_ascii_strtod(axis->values[i], NULL) > now;
        below |= same || g_ascii_strtod(axis->values[i], NULL) < now;
        double far = distance(axis->values[i], value);
        if (far >= least) continue;
        least = far;
        nearest = (int)i;
    }
    *exact &= least == 0;
    return above && below ? nearest : -1;
}

/* "Post-LN, 6 layers, no warm-up, batch 16": the settings that all runs share, except their length
 * and how often something is measured.  The most important ones come first, even if they have
 * default values. */
static char *common_words(const Phase *p)
{
    static const char *const keys[] = {"placement", "layers", "lr", "warmup"};
    const NsStudy *study = p->phase->study;
    const NsSettings *settings = p->phase->settings;
    GString *words = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        if (!is_axis(p, ns_param_find(keys[i])))
            ns_settings_append_words(words, ns_param_find(keys[i]), settings);
    NsSettings others;
    ns_settings_copy(&others, settings);
    others.seeds = study->seeds;
    const NsParam *param;
    for (size_t i = 0; (param = ns_param(i)); i++) {
        bool listed = is_axis(p, param) || g_str_equal(param->key, "steps") ||
                      g_str_has_suffix(param->key, "-every");
        for (size_t k = 0; k < G_N_ELEMENTS(keys); k++) listed |= g_str_equal(param->key, keys[k]);
        if (!listed && !ns_settings_is_default(&others, param))
            ns_settings_append_words(words, param, &others);
    }
    ns_settings_clear(&others);
    return g_string_free(words, FALSE);
}

static char *subtitle(const Phase *p, const char *lane)
{
    g_autofree char *common = common_words(p);
    g_autofree char *head = g_strdup_printf("%s%s%s", lane ? lane : "", lane ? ": " : "", common);
    if (!is_usual(p->phase->study)) return g_steal_pointer(&head);
    int64_t end = p->phase->settings->steps;
    g_autofree char *last = ns_group_digits(end);
    g_autofree char *first = ns_group_digits(MAX(0, end - NS_CELL_LAST + 1));
    return g_strdup_printf(_("%s; mean of steps %s to %s"), head, first, last);
}

static char *title(const Phase *p)
{
    if (!p->phase) return g_strdup(_("Final loss"));
    if (!is_usual(p->phase->study)) return g_strdup(_("Results of a study"));
    return g_strdup_printf(_("Final loss by %s and %s"), _(p->phase->x->param->label),
                           _(p->phase->y->param->label));
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Phase *p = (Phase *)figure;
    bool other = p->phase != input->phase;
    if (other) follow(p, input->phase);
    figure->changed |= other;
    /* The version is read before the cells, so that a concurrent change is noticed in the next
     * update. */
    unsigned version = p->phase ? ns_study_work_version(p->phase->work) : 0;
    unsigned alongside = input->alongside ? ns_study_work_version(input->alongside->work) : 0;
    NS_FIGURE_SET(figure, p->version, version);
    NS_FIGURE_SET(figure, p->alongside, alongside);
    NS_FIGURE_SET(figure, p->log, input->log);
    /* Draws a frame around the cell of the current settings. */
    int at[2] = {-1, -1};
    bool exact = true;
    if (p->phase) at[0] = present(p->phase->x, input->settings, &exact);
    if (p->phase) at[1] = present(p->phase->y, input->settings, &exact);
    if (at[0] < 0 || at[1] < 0) at[0] = at[1] = -1;
    NS_FIGURE_SET(&p->figure, p->exact, exact);
    for (int i = 0; i < 2; i++) {
        NS_FIGURE_SET(&p->figure, p->at[i], at[i]);
        p->figure.spans[i] = (NsSpan){.from = at[i] - 0.5, .to = at[i] + 0.5, .rows = i == 1};
    }
    p->figure.plot.spans = p->figure.spans;
    p->figure.plot.n_spans = at[0] < 0 ? 0 : 2;
    if (!figure->changed) return;
    if (p->phase) read_cells(p, input->alongside);
    p->map.log = input->log;
    figure->plot.heatmap = p->phase ? &p->map : NULL;
    ns_figure_text(figure, &figure->plot.title, title(p));
    ns_figure_text(figure, &figure->plot.subtitle,
                   p->phase ? subtitle(p, input->n_lanes ? input->lanes[0].name : NULL) : NULL);
    ns_figure_text(figure, &figure->plot.run,
                   input->n_lanes ? g_strdup(input->lanes[0].name) : NULL);
    ns_figure_text(figure, &figure->plot.note, p->phase ? note(p) : NULL);
}

static void clear(NsFigure *figure)
{
    follow((Phase *)figure, NULL);
}

static const NsFigureClass class = {sizeof(Phase), NULL, update, clear, NS_SEEDS_ALIKE};

const NsFigureKind ns_phase_kind = {
    .choice = {"phase", N_("Loss by two settings"), NULL, NULL,
               N_("Final loss of many short runs that differ in two settings.")},
    .class = &class,
};
