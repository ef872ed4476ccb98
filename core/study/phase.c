/* A sweep over two settings.  SPDX-License-Identifier: MIT
 *
 * What readers and workers share is guarded by one mutex that nobody holds for longer than a few
 * assignments; a run belongs to its worker alone. */
#include "core/study/phase.h"

#include "core/base/error.h"
#include "core/base/exit_barrier.h"
#include "core/base/processors.h"
#include "core/base/thread.h"
#include "core/store/json.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

struct NsPhase {
    atomic_int refs;
    NsStudyAxis x, y;
    NsSettings settings;
    int64_t steps;
    atomic_uint version;

    pthread_mutex_t mutex;
    pthread_cond_t idle; /* no worker is left */
    /* Guarded by the mutex. */
    NsStudyCell *cells;
    unsigned wanted, working; /* workers */
};

/* ---- A cell ---- */

size_t ns_phase_cells(const NsPhase *phase)
{
    return phase->x.n * phase->y.n;
}

void ns_phase_cell_settings(const NsPhase *phase, size_t i, NsSettings *settings)
{
    ns_settings_copy(settings, &phase->settings);
    ns_settings_set(settings, phase->x.param->key, phase->x.values[i % phase->x.n], NULL);
    ns_settings_set(settings, phase->y.param->key, phase->y.values[i / phase->x.n], NULL);
}

static void run_settings(const NsPhase *phase, size_t i, NsSettings *settings)
{
    ns_phase_cell_settings(phase, i, settings);
    settings->steps = phase->steps;
}

/* What a worker is at. */
typedef struct {
    NsPhase *phase;
    size_t i;
} Place;

/* Keeps what a worker has found out; FALSE where it should stop. */
static bool keep(void *data, const NsStudyCell *cell)
{
    const Place *place = data;
    NsPhase *phase = place->phase;
    pthread_mutex_lock(&phase->mutex);
    bool told = phase->cells[place->i].state != cell->state;
    phase->cells[place->i] = *cell;
    bool go = phase->wanted > 0;
    if (told) atomic_fetch_add(&phase->version, 1);
    pthread_mutex_unlock(&phase->mutex);
    return go;
}

/* If the workers are stopped meanwhile the cell waits again. */
static void train(NsPhase *phase, size_t i)
{
    Place place = {phase, i};
    const NsCellWork work = {
        .result = {.kind = NS_RESULT_LOSS, .at = NS_RESULT_LAST, .n = NS_CELL_LAST},
        .stop = {NAN, NAN},
        .progress = keep,
        .data = &place,
    };
    NsSettings settings;
    run_settings(phase, i, &settings);
    NsStudyCell cell = ns_cell_train(&settings, &work);
    ns_settings_clear(&settings);
    keep(&place, &cell);
}

/* ---- Workers ---- */

static void free_phase(NsPhase *phase)
{
    pthread_cond_destroy(&phase->idle);
    pthread_mutex_destroy(&phase->mutex);
    ns_study_axis_clear(&phase->x);
    ns_study_axis_clear(&phase->y);
    ns_settings_clear(&phase->settings);
    g_free(phase->cells);
    g_free(phase);
}

/* Whether the memory belongs to nobody any more: neither to readers nor to workers. */
static bool is_abandoned(NsPhase *phase)
{
    return atomic_load(&phase->refs) == 0 && phase->working == 0;
}

/* The next cell, with which the worker goes on; FALSE where it should end. */
static bool take_cell(NsPhase *phase, size_t *i)
{
    if (phase->working > phase->wanted) return false;
    for (*i = 0; *i < ns_phase_cells(phase); ++*i)
        if (phase->cells[*i].state == NS_CELL_WAITING) {
            phase->cells[*i].state = NS_CELL_RUNNING;
            atomic_fetch_add(&phase->version, 1);
            return true;
        }
    return false;
}

static void *work(void *data)
{
    NsPhase *phase = data;
    size_t i;
    ns_thread_lower(NS_NICER_BACKGROUND);
    pthread_mutex_lock(&phase->mutex);
    while (take_cell(phase, &i)) {
        pthread_mutex_unlock(&phase->mutex);
        train(phase, i);
        pthread_mutex_lock(&phase->mutex);
    }
    phase->working--;
    atomic_fetch_add(&phase->version, 1);
    if (phase->working == 0) pthread_cond_broadcast(&phase->idle);
    bool last = is_abandoned(phase);
    pthread_mutex_unlock(&phase->mutex);
    if (last) free_phase(phase);
    ns_exit_barrier_leave();
    return NULL;
}

/* 0, or why no thread could be started. */
static int start_worker(NsPhase *phase)
{
    pthread_t thread;
    ns_exit_barrier_enter();
    int failure = ns_thread_start(&thread, work, phase);
    if (failure)
        ns_exit_barrier_leave();
    else
        pthread_detach(thread);
    return failure;
}

bool ns_phase_start(NsPhase *phase, unsigned workers, GError **error)
{
    unsigned wanted = workers ? workers : MAX(ns_processors(), 2) - 1;
    int failure = 0;
    pthread_mutex_lock(&phase->mutex);
    phase->wanted = wanted;
    while (!failure && phase->working < MIN(wanted, ns_phase_cells(phase))) {
        phase->working++;
        failure = start_worker(phase);
        if (failure) phase->working--;
    }
    bool some = phase->working > 0;
    atomic_fetch_add(&phase->version, 1);
    pthread_mutex_unlock(&phase->mutex);
    if (!some)
        g_set_error(error, NS_ERROR, NS_ERROR_MEMORY,
                    "No thread could be started for the sweep: %s; close other programs and try "
                    "again.",
                    g_strerror(failure));
    return some;
}

void ns_phase_stop(NsPhase *phase)
{
    pthread_mutex_lock(&phase->mutex);
    phase->wanted = 0;
    pthread_mutex_unlock(&phase->mutex);
}

bool ns_phase_wait(NsPhase *phase, int timeout_ms)
{
    struct timespec until = ns_condition_time(g_get_monotonic_time() + timeout_ms * (int64_t)1000);
    int failure = 0;
    pthread_mutex_lock(&phase->mutex);
    while (phase->working > 0 && failure != ETIMEDOUT)
        failure = timeout_ms < 0 ? pthread_cond_wait(&phase->idle, &phase->mutex)
                                 : pthread_cond_timedwait(&phase->idle, &phase->mutex, &until);
    bool idle = phase->working == 0;
    pthread_mutex_unlock(&phase->mutex);
    return idle;
}

/* ---- Life ---- */

/* Every cell must be one that a run accepts, or the grid would have holes for no reason that shows.
 */
static bool check_cells(const NsPhase *phase, GError **error)
{
    for (size_t i = 0; i < ns_phase_cells(phase); i++) {
        NsSettings settings;
        g_autoptr(GError) wrong = NULL;
        run_settings(phase, i, &settings);
        bool good = ns_settings_check(&settings, &wrong);
        ns_settings_clear(&settings);
        if (good) continue;
        return ns_refuse(error, NS_ERROR_SETTING, "At %s=%s, %s=%s: %s", phase->x.param->key,
                         phase->x.values[i % phase->x.n], phase->y.param->key,
                         phase->y.values[i / phase->x.n], wrong->message);
    }
    return true;
}

static NsStudyAxis copy_axis(const NsStudyAxis *axis)
{
    return (NsStudyAxis){axis->param, g_strdupv(axis->values), axis->n};
}

static NsPhase *make(const NsSettings *settings, const NsStudyAxis *x, const NsStudyAxis *y,
                     int64_t steps)
{
    NsPhase *phase = g_new0(NsPhase, 1);
    atomic_init(&phase->refs, 1);
    atomic_init(&phase->version, 1);
    phase->x = copy_axis(x);
    phase->y = copy_axis(y);
    phase->steps = steps;
    ns_settings_copy(&phase->settings, settings);
    pthread_mutex_init(&phase->mutex, NULL);
    ns_condition_init(&phase->idle);
    phase->cells = g_new0(NsStudyCell, ns_phase_cells(phase));
    for (size_t i = 0; i < ns_phase_cells(phase); i++)
        phase->cells[i] = ns_cell_in(NS_CELL_WAITING);
    return phase;
}

NsPhase *ns_phase_new(const NsSettings *settings, const NsStudyAxis *x, const NsStudyAxis *y,
                      int64_t steps, GError **error)
{
    if (x->param == y->param) {
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "Both axes are %s; choose two different settings.", x->param->key);
        return NULL;
    }
    const NsParam *seeds = ns_param_find("seeds");
    if (settings->seeds > 1 || x->param == seeds || y->param == seeds) {
        g_set_error_literal(
            error, NS_ERROR, NS_ERROR_SETTING,
            "A cell is one run with one seed; set “seeds” to 1, or use “seed” as an axis.");
        return NULL;
    }
    if (steps < 1 || steps > (int64_t)ns_param_find("steps")->most) {
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "A cell has %" G_GINT64_FORMAT " steps; it must have 1 to %.0f.", steps,
                    ns_param_find("steps")->most);
        return NULL;
    }
    g_autoptr(NsPhase) phase = make(settings, x, y, steps);
    return check_cells(phase, error) ? g_steal_pointer(&phase) : NULL;
}

/* One configuration: the mean over its seeds. */
static NsStudyCell mean_of_seeds(const NsStudy *study, const NsStudyCell *cells, NsStudyPlace place)
{
    NsStudyCell mean = ns_cell_in(NS_CELL_DONE);
    mean.first = mean.loss = mean.validation = 0;
    for (place.seed = 0; place.seed < (size_t)study->seeds; place.seed++) {
        const NsStudyCell *cell = &cells[ns_study_cell(study, place)];
        if (cell->state <= NS_CELL_RUNNING) return ns_cell_in(NS_CELL_WAITING);
        if (cell->state != NS_CELL_DONE || isnan(cell->value)) return *cell;
        mean.step = cell->step;
        mean.first += cell->first / (double)study->seeds;
        mean.loss += cell->value / (double)study->seeds;
        mean.validation += cell->validation / (double)study->seeds;
    }
    return mean;
}

/* Results before what diverged, lower ones before higher ones; what is missing makes all wait. */
static bool is_shown_before(const NsStudyCell *a, const NsStudyCell *b)
{
    if (a->state != b->state) return a->state < b->state;
    return a->loss < b->loss;
}

NsPhase *ns_phase_new_of_study(const NsStudy *study, const NsStudyCell *cells, size_t lane,
                               GError **error)
{
    if (study->n_grid < 2 || study->result.kind != NS_RESULT_LOSS) {
        ns_refuse(error, NS_ERROR_SETTING,
                  "This figure shows training losses by two settings of the section [grid]; the "
                  "study has %s.",
                  study->n_grid < 2 ? "fewer there" : "another result");
        return NULL;
    }
    const NsSettings *settings = &study->experiment.lane[lane];
    const NsStudyAxis *x = &study->grid[0], *y = &study->grid[1];
    NsPhase *phase = make(settings, x, y, settings->steps);
    for (size_t i = 0; i < ns_study_configurations(study); i++) {
        NsStudyCell cell = mean_of_seeds(study, cells, (NsStudyPlace){i, lane, 0});
        size_t at = i % (x->n * y->n);
        if (i == at || is_shown_before(&cell, &phase->cells[at])) phase->cells[at] = cell;
    }
    return phase;
}

NsPhase *ns_phase_ref(NsPhase *phase)
{
    atomic_fetch_add(&phase->refs, 1);
    return phase;
}

void ns_phase_unref(NsPhase *phase)
{
    if (!phase) return;
    pthread_mutex_lock(&phase->mutex);
    if (atomic_fetch_sub(&phase->refs, 1) == 1) phase->wanted = 0;
    bool last = is_abandoned(phase);
    pthread_mutex_unlock(&phase->mutex);
    if (last) free_phase(phase);
}

/* ---- Readers ---- */

const NsStudyAxis *ns_phase_x(const NsPhase *phase)
{
    return &phase->x;
}

const NsStudyAxis *ns_phase_y(const NsPhase *phase)
{
    return &phase->y;
}

const NsSettings *ns_phase_settings(const NsPhase *phase)
{
    return &phase->settings;
}

int64_t ns_phase_steps(const NsPhase *phase)
{
    return phase->steps;
}

void ns_phase_provenance(const NsPhase *phase, NsProvenance *provenance)
{
    ns_provenance_init(provenance);
    provenance->figure = g_strdup("phase");
    provenance->x = ns_study_axis_text(&phase->x);
    provenance->y = ns_study_axis_text(&phase->y);
    ns_experiment_set_lanes(&provenance->experiment, (const NsSettings *[]){&phase->settings}, 1);
    provenance->experiment.lane[0].steps = phase->steps;
}

unsigned ns_phase_version(const NsPhase *phase)
{
    return atomic_load(&phase->version);
}

NsStudyCell ns_phase_cell(NsPhase *phase, size_t i)
{
    pthread_mutex_lock(&phase->mutex);
    NsStudyCell cell = phase->cells[i];
    pthread_mutex_unlock(&phase->mutex);
    return cell;
}

NsPhaseProgress ns_phase_progress(NsPhase *phase)
{
    NsPhaseProgress progress = {.cells = ns_phase_cells(phase)};
    double seconds = 0, steps = 0, left = 0;
    pthread_mutex_lock(&phase->mutex);
    for (size_t i = 0; i < progress.cells; i++) {
        const NsStudyCell *cell = &phase->cells[i];
        progress.running += cell->state == NS_CELL_RUNNING;
        progress.finished += cell->state > NS_CELL_RUNNING;
        seconds += cell->seconds;
        steps += (double)cell->step;
        if (cell->state <= NS_CELL_RUNNING) left += (double)(phase->steps - cell->step);
    }
    unsigned workers = MIN(phase->working, phase->wanted);
    progress.going = workers > 0;
    pthread_mutex_unlock(&phase->mutex);
    progress.seconds_left = steps > 0 ? left * seconds / steps / MAX(workers, 1) : (double)NAN;
    return progress;
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

static void write_loss(NsJson *json, const char *key, const NsStudyCell *cell, double loss)
{
    if (cell->state == NS_CELL_DONE)
        ns_json_double(json, key, loss);
    else
        ns_json_null(json, key);
}

char *ns_phase_json(NsPhase *phase)
{
    NsJson json;
    ns_json_init(&json);
    ns_json_settings(&json, "settings", &phase->settings);
    ns_json_int(&json, "steps", phase->steps);
    write_axis(&json, "x", &phase->x);
    write_axis(&json, "y", &phase->y);
    ns_json_open(&json, "cells", '[');
    for (size_t i = 0; i < ns_phase_cells(phase); i++) {
        NsStudyCell cell = ns_phase_cell(phase, i);
        ns_json_open(&json, NULL, '{');
        ns_json_string(&json, "x", phase->x.values[i % phase->x.n]);
        ns_json_string(&json, "y", phase->y.values[i / phase->x.n]);
        ns_json_string(&json, "state", ns_cell_state_word(cell.state));
        ns_json_int(&json, "step", cell.step);
        write_loss(&json, "loss", &cell, cell.loss);
        write_loss(&json, "validation_loss", &cell, cell.validation);
        ns_json_double(&json, "seconds", cell.seconds);
        if (*cell.text) ns_json_string(&json, "message", cell.text);
        ns_json_close(&json, '}');
    }
    ns_json_close(&json, ']');
    ns_json_program(&json);
    return ns_json_finish(&json);
}
