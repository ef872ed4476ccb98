/* SPDX-License-Identifier: MIT */
#include "core/study/phase.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/store/json.h"
#include "core/study/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- A sweep ---- */

static NsStudyAxis copy_axis(const NsStudyAxis *axis)
{
    return (NsStudyAxis){axis->param, g_strdupv(axis->values), axis->n};
}

bool ns_phase_study(NsStudy *study, const NsSettings *const *lanes, size_t n, const NsStudyAxis *x,
                    const NsStudyAxis *y, int64_t steps, GError **error)
{
    const NsParam *param = ns_param_find("steps");
    if (x->param == y->param)
        return ns_refuse(error, NS_ERROR_SETTING,
                         N_("Both axes are %s; choose two different settings."), x->param->key);
    if (steps < 1 || steps > (int64_t)param->most)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "A cell has %" PRId64 " steps; it must have 1 to %.0f.", steps,
                         param->most);
    ns_experiment_set_lanes(&study->experiment, lanes, n);
    study->seeds = lanes[0]->seeds;
    for (size_t lane = 0; lane < n; lane++) {
        NsSettings *settings = &study->experiment.lane[lane];
        settings->steps = steps;
        settings->seeds = 1;
        ns_settings_set(settings, "threads", ns_param_find("threads")->default_text, NULL);
    }
    study->grid[study->n_grid++] = copy_axis(x);
    study->grid[study->n_grid++] = copy_axis(y);
    return ns_study_check_cells(study, error);
}

/* ---- Life cycle ---- */

NsPhase *ns_phase_new(NsStudyWork *work, size_t lane, size_t x, size_t y, GError **error)
{
    const NsStudy *study = ns_study_work_study(work);
    if (x >= study->n_grid || y >= study->n_grid || x == y)
        return ns_refuse_null(error, NS_ERROR_SETTING,
                              "This figure needs two settings in the section [grid]; add one.");
    NsPhase *phase = g_new0(NsPhase, 1);
    g_atomic_ref_count_init(&phase->refs);
    phase->work = ns_study_work_ref(work);
    phase->study = study;
    phase->settings = &study->experiment.lane[lane];
    phase->x = &study->grid[x];
    phase->y = &study->grid[y];
    phase->lane = lane;
    phase->cells = phase->x->n * phase->y->n;
    return phase;
}

NsPhase *ns_phase_ref(NsPhase *phase)
{
    g_atomic_ref_count_inc(&phase->refs);
    return phase;
}

void ns_phase_unref(NsPhase *phase)
{
    if (!phase || !g_atomic_ref_count_dec(&phase->refs)) return;
    ns_study_work_unref(phase->work);
    g_free(phase);
}

/* ---- Cells ---- */

/* The k-th configuration in cell i.  The first axis of the grid changes fastest, draws slowest. */
static size_t configuration_of(const NsPhase *phase, size_t i, size_t k)
{
    size_t stride = 1, configuration = 0;
    for (size_t axis = 0; axis < phase->study->n_grid; axis++) {
        const NsStudyAxis *of = &phase->study->grid[axis];
        size_t at = of == phase->x ? i % phase->x->n : of == phase->y ? i / phase->x->n : k % of->n;
        if (of != phase->x && of != phase->y) k /= of->n;
        configuration += at * stride;
        stride *= of->n;
    }
    return configuration + k * stride;
}

static NsStudyCell seed_cell(NsPhase *phase, size_t configuration, size_t seed)
{
    const NsStudyPlace place = {configuration, phase->lane, seed};
    return ns_study_work_cell(phase->work, ns_study_cell(phase->study, place));
}

/* The mean over the seeds of a configuration.  If a seed is running or waiting, its cell is
 * returned instead, otherwise that of a seed without a result, if there is one. */
static NsStudyCell mean_of_seeds(NsPhase *phase, size_t configuration)
{
    double n = (double)phase->study->seeds;
    NsStudyCell mean = ns_cell_in(NS_CELL_DONE), open = mean, odd = mean;
    mean.first = mean.value = mean.validation = 0;
    for (size_t seed = 0; seed < (size_t)phase->study->seeds; seed++) {
        NsStudyCell cell = seed_cell(phase, configuration, seed);
        if (cell.state <= NS_CELL_RUNNING) {
            if (open.state != NS_CELL_RUNNING) open = cell;
        } else if (cell.state != NS_CELL_DONE || isnan(cell.value))
            odd = cell;
        mean.step = cell.step;
        mean.first += cell.first / n;
        mean.value += cell.value / n;
        mean.validation += cell.validation / n;
        mean.seconds += cell.seconds;
        memcpy(mean.text, cell.text, sizeof mean.text);
    }
    mean.loss = mean.value;
    if (open.state <= NS_CELL_RUNNING) return open;
    return odd.state != NS_CELL_DONE || isnan(mean.value) ? odd : mean;
}

/* Whether `a` takes precedence in the diagram: unfinished cells before results, better results
 * before worse ones, and results before diverged runs. */
static bool is_shown_before(const NsStudyCell *a, const NsStudyCell *b, int better)
{
    if (a->state != b->state) return a->state < b->state;
    return better < 0 ? a->value < b->value : better > 0 && a->value > b->value;
}

/* *best (unless NULL) is set to the configuration whose cell is shown. */
static NsStudyCell cell_of(NsPhase *phase, size_t i, size_t *best)
{
    int better = ns_study_better(phase->study);
    size_t n = ns_study_configurations(phase->study) / phase->cells; /* of the cell */
    size_t at = configuration_of(phase, i, 0), done = 0;
    NsStudyCell shown = mean_of_seeds(phase, at);
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        size_t configuration = configuration_of(phase, i, k);
        NsStudyCell cell = k ? mean_of_seeds(phase, configuration) : shown;
        if (cell.state == NS_CELL_DONE && !isnan(cell.value)) {
            sum += cell.value;
            done++;
        }
        if (!k || !is_shown_before(&cell, &shown, better)) continue;
        shown = cell;
        at = configuration;
    }
    if (!better && done && shown.state == NS_CELL_DONE)
        shown.loss = shown.value = sum / (double)done;
    if (best) *best = at;
    return shown;
}

NsStudyCell ns_phase_cell(NsPhase *phase, size_t i)
{
    return cell_of(phase, i, NULL);
}

void ns_phase_seeds(NsPhase *phase, size_t i, double *values)
{
    size_t best;
    cell_of(phase, i, &best);
    for (size_t seed = 0; seed < (size_t)phase->study->seeds; seed++)
        values[seed] = seed_cell(phase, best, seed).value;
}

/* ---- Provenance and JSON ---- */

void ns_phase_provenance(const NsPhase *phase, NsProvenance *provenance)
{
    /* The command “sweep” makes only such cells. */
    const NsResult *result = &phase->study->results.of[0];
    if (phase->study->n_grid != 2 || phase->study->n_random != 0 ||
        !isnan(phase->study->stop.loss_below) || !isnan(phase->study->stop.loss_above) ||
        result->kind != NS_RESULT_LOSS || result->at != NS_RESULT_LAST ||
        result->n != NS_CELL_LAST) {
        ns_study_provenance(phase->study, "phase", provenance);
        return;
    }
    const NsSettings *settings = phase->settings;
    ns_provenance_init(provenance);
    provenance->figure = g_strdup("phase");
    provenance->x = ns_study_axis_text(phase->x);
    provenance->y = ns_study_axis_text(phase->y);
    ns_experiment_set_lanes(&provenance->experiment, (const NsSettings *[]){settings}, 1);
    provenance->experiment.lane[0].seeds = phase->study->seeds;
}

static void write_axis(NsJson *json, const char *name, const NsStudyAxis *axis)
{
    ns_json_open(json, name, '{');
    ns_json_string(json, "key", axis->param->key);
    ns_json_open(json, "values", '[');
    for (size_t i = 0; i < axis->n; i++) ns_json_string(json, NULL, axis->values[i]);
    ns_json_close(json, ']');
    ns_json_close(json, '}');
}

char *ns_phase_json(NsPhase *phase)
{
    NsJson json;
    ns_json_init(&json);
    ns_json_settings(&json, phase->settings);
    ns_json_int(&json, "steps", phase->settings->steps);
    ns_json_int(&json, "seeds", phase->study->seeds);
    write_axis(&json, "x", phase->x);
    write_axis(&json, "y", phase->y);
    ns_json_open(&json, "cells", '[');
    for (size_t i = 0; i < phase->cells; i++) {
        const NsStudyAxis *x = phase->x, *y = phase->y;
        size_t seeds = (size_t)phase->study->seeds;
        NsStudyCell cell = ns_phase_cell(phase, i);
        bool done = cell.state == NS_CELL_DONE;
        g_autofree double *values = g_new(double, seeds);
        ns_phase_seeds(phase, i, values);
        ns_json_open(&json, NULL, '{');
        ns_json_string(&json, "x", x->values[i % x->n]);
        ns_json_string(&json, "y", y->values[i / x->n]);
        ns_json_string(&json, "state", ns_cell_state_word(cell.state));
        ns_json_int(&json, "step", cell.step);
        ns_json_known(&json, "loss", done ? cell.loss : (double)NAN);
        ns_json_known(&json, "validation_loss", done ? cell.validation : (double)NAN);
        ns_json_open(&json, "seeds", '[');
        for (size_t seed = 0; seed < seeds; seed++) ns_json_known(&json, NULL, values[seed]);
        ns_json_close(&json, ']');
        ns_json_double(&json, "seconds", cell.seconds);
        if (*cell.text) ns_json_string(&json, "message", cell.text);
        ns_json_close(&json, '}');
    }
    ns_json_close(&json, ']');
    ns_json_program(&json);
    return ns_json_finish(&json);
}
