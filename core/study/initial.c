/* Statistics of a model before any update, over several seeds.  SPDX-License-Identifier: MIT */
#include "core/study/initial.h"

#include "core/base/error.h"
#include "core/experiment/param.h"
#include "core/store/json.h"
#include "core/train/run.h"

#include <inttypes.h>
#include <math.h>

/* Updates the mean and the sum of squared deviations with one value (Welford 1962). */
static void add(double *mean, double *squares, double x, double count)
{
    double before = x - *mean;
    *mean += before / count;
    *squares += before * (x - *mean);
}

static double sample_sd(double squares, int64_t n)
{
    return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

/* Adds the record at step 0 of a run with these settings to `initial` as number `count`.  Until all
 * are added, the standard deviations are sums of squares. */
static bool add_record(NsInitial *initial, const NsSettings *settings, NsCheckpoint *origin,
                       int64_t count, GError **error)
{
    g_autoptr(NsRun) run =
        origin ? ns_run_fork(origin, settings, error) : ns_run_new(settings, error);
    if (!run || (origin && !ns_checkpoint_fits(origin, ns_model_tensors(run->model), error)))
        return false;

    const NsHistory *history = run->history;
    if (count == 1) {
        initial->layout = *ns_history_layout(history);
        initial->measured = g_new0(int64_t, initial->layout.width);
        initial->mean = g_new0(double, initial->layout.width);
        initial->sd = g_new0(double, initial->layout.width);
    }

    const NsRecordLayout *layout = &initial->layout;
    g_auto(NsValues) values = ns_values_new(layout->width);
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        if (layout->count[q] > 0)
            ns_history_read(history, (NsQuantity)q, 0, NULL, values.value + layout->offset[q],
                            values.has + layout->offset[q]);

    for (size_t i = 0; i < layout->width; i++) {
        if (!values.has[i]) continue;
        double n = (double)++initial->measured[i];
        add(&initial->mean[i], &initial->sd[i], (double)values.value[i], n);
    }
    const NsStep *step = ns_history_step(history, 0);
    add(&initial->loss_mean, &initial->loss_sd, step->loss, (double)count);
    add(&initial->grad_mean, &initial->grad_sd, step->grad_norm, (double)count);
    return true;
}

/* A copy of the running sums, with standard deviations instead of sums of squares. */
static NsInitial *settle(const NsInitial *sums)
{
    NsInitial *initial = g_memdup2(sums, sizeof *sums);
    size_t n = sums->layout.width;
    initial->measured = g_memdup2(sums->measured, n * sizeof *sums->measured);
    initial->mean = g_memdup2(sums->mean, n * sizeof *sums->mean);
    initial->sd = g_memdup2(sums->sd, n * sizeof *sums->sd);
    for (size_t i = 0; i < n; i++) initial->sd[i] = sample_sd(sums->sd[i], sums->measured[i]);
    initial->loss_sd = sample_sd(sums->loss_sd, sums->seeds);
    initial->grad_sd = sample_sd(sums->grad_sd, sums->seeds);
    return initial;
}

NsInitial *ns_initial_new(const NsSettings *settings, NsCheckpoint *origin, int64_t seeds,
                          NsInitialProgress progress, void *data, GError **error)
{
    const int64_t most = (int64_t)ns_param_find("seed")->most;
    if (seeds < 1 || seeds - 1 > most - settings->seed)
        return ns_refuse_null(error, NS_ERROR_SETTING,
                              "The number of seeds is %" PRId64 " and must lie between 1 and "
                              "%" PRId64 " (seed %" PRId64 " is the first).",
                              seeds, most - settings->seed + 1, settings->seed);

    g_auto(NsSettings) seeded;
    ns_settings_copy(&seeded, settings);
    /* A record has neither the loss on held-out text nor what the model writes. */
    seeded.eval_every = seeded.sample_every = 0;
    seeded.probe_every = 1;
    g_autoptr(NsInitial) sums = g_new0(NsInitial, 1);
    bool good = true, go = true;
    while (good && go && sums->seeds < seeds) {
        seeded.seed = settings->seed + sums->seeds;
        good = add_record(sums, &seeded, origin, ++sums->seeds, error);
        if (good && progress) go = progress(data, settle(sums), seeds);
    }
    return good ? settle(sums) : NULL;
}

void ns_initial_free(NsInitial *initial)
{
    g_free(initial->measured);
    g_free(initial->mean);
    g_free(initial->sd);
    g_free(initial);
}

static void write_scalar(NsJson *json, const char *key, double mean, double sd)
{
    ns_json_open(json, key, '{');
    ns_json_double(json, "mean", mean);
    ns_json_double(json, "sd", sd);
    ns_json_close(json, '}');
}

static void write_values(NsJson *json, const char *key, const double *values,
                         const int64_t *measured, size_t n)
{
    ns_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++) {
        if (measured[i] > 0)
            ns_json_double(json, NULL, values[i]);
        else
            ns_json_null(json, NULL);
    }
    ns_json_close(json, ']');
}

/* Writes one array, or one array per layer for quantities of heads. */
static void write_array(NsJson *json, const char *key, const NsInitial *initial,
                        const double *values, NsQuantity quantity)
{
    const NsRecordLayout *layout = &initial->layout;
    size_t first = layout->offset[quantity], n = layout->count[quantity];
    if (ns_quantity(quantity)->domain != NS_DOMAIN_HEAD) {
        write_values(json, key, values + first, initial->measured + first, n);
        return;
    }
    ns_json_open(json, key, '[');
    for (size_t i = first; i < first + n; i += layout->heads)
        write_values(json, NULL, values + i, initial->measured + i, layout->heads);
    ns_json_close(json, ']');
}

static void write_quantity(NsJson *json, const NsInitial *initial, NsQuantity quantity)
{
    bool was_measured = false;
    for (size_t i = 0; i < initial->layout.count[quantity]; i++)
        was_measured |= initial->measured[initial->layout.offset[quantity] + i] > 0;
    if (!was_measured) return;

    const char *key = ns_json_quantity_key(quantity);
    if (ns_quantity(quantity)->domain == NS_DOMAIN_STEP) {
        size_t at = initial->layout.offset[quantity];
        write_scalar(json, key, initial->mean[at], initial->sd[at]);
        return;
    }
    ns_json_open(json, key, '{');
    write_array(json, "mean", initial, initial->mean, quantity);
    write_array(json, "sd", initial, initial->sd, quantity);
    ns_json_close(json, '}');
}

char *ns_initial_json(const NsInitial *initial, const NsSettings *settings)
{
    NsJson json;
    ns_json_init(&json);
    ns_json_settings(&json, settings);
    ns_json_layers(&json, settings);
    ns_json_int(&json, "seeds", initial->seeds);
    write_scalar(&json, "loss", initial->loss_mean, initial->loss_sd);
    ns_json_open(&json, "grad_norm", '{');
    write_scalar(&json, "total", initial->grad_mean, initial->grad_sd);
    for (unsigned q = 0; q < NS_PARAMETER_COUNT; q++) write_quantity(&json, initial, (NsQuantity)q);
    ns_json_close(&json, '}');
    for (unsigned q = NS_PARAMETER_COUNT; q < NS_QUANTITY_COUNT; q++)
        write_quantity(&json, initial, (NsQuantity)q);
    ns_json_program(&json);
    return ns_json_finish(&json);
}
