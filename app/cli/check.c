/* SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/experiment/param.h"
#include "core/store/json.h"
#include "core/train/check.h"
#include "ui/figures/settings_caption.h"

#include <stdio.h>

#define NUMBER 13

/* Trains up to the step of the check; false after a signal, or with an error if the run
 * diverged. */
static bool train(NsLockstep *lockstep, gint64 steps, GError **error)
{
    ns_lanes_train(lockstep, steps, NULL, NULL);
    if (!ns_run_diverged(ns_lockstep_run(lockstep, 0, 0))) return !ns_interrupt_signal();
    int64_t step = ns_lanes_steps(lockstep);
    return ns_refuse(error, NS_ERROR_SETTING, "The run diverged at step %" G_GINT64_FORMAT "; %s.",
                     step, step > 0 ? "check it at an earlier --step" : "choose other settings");
}

/* ---- JSON ---- */

static void write_derivative(NsJson *json, const char *key, const NsDerivative *d)
{
    ns_json_open(json, key, '{');
    ns_json_double(json, "analytic", d->analytic);
    ns_json_double(json, "numeric", d->numeric);
    ns_json_double(json, "error", d->error);
    ns_json_double(json, "unknown", d->unknown);
    ns_json_double(json, "step_size", d->step_size);
    ns_json_close(json, '}');
}

static char *json_of(const NsGradientCheck *check, const NsSettings *settings)
{
    NsJson json;
    ns_json_init(&json);
    ns_json_int(&json, "step", check->step);
    ns_json_int(&json, "layer", check->layer);
    ns_json_open(&json, "tensors", '[');
    for (size_t i = 0; i < check->n; i++) {
        ns_json_open(&json, NULL, '{');
        ns_json_string(&json, "tensor", check->row[i].tensor);
        write_derivative(&json, "along", &check->row[i].along);
        write_derivative(&json, "random", &check->row[i].random);
        ns_json_close(&json, '}');
    }
    ns_json_close(&json, ']');
    ns_json_int(&json, "known", (int64_t)check->known);
    ns_json_int(&json, "unknown", (int64_t)check->unknown);
    ns_json_int(&json, "skipped", (int64_t)check->skipped);
    ns_json_double(&json, "worst", check->worst);
    ns_json_double(&json, "worst_random", check->worst_random);
    ns_json_bool(&json, "agrees", check->agrees);
    ns_json_double(&json, "seconds", check->seconds);
    ns_json_settings(&json, settings);
    ns_json_program(&json);
    return ns_json_finish(&json);
}

/* ---- Table ---- */

static void pad_number(GString *line, const char *format, double value)
{
    g_autofree char *text = ns_output_number(format, value);
    ns_output_pad(line, text, NUMBER);
}

static void show_row(const NsCheckRow *row)
{
    g_autoptr(GString) line = g_string_new(NULL);
    ns_output_pad(line, row->tensor, -18);
    const NsDerivative *const both[] = {&row->along, &row->random};
    for (size_t i = 0; i < G_N_ELEMENTS(both); i++) {
        pad_number(line, "%.4e", both[i]->analytic);
        pad_number(line, "%.4e", both[i]->numeric);
        pad_number(line, "%.1e", both[i]->error);
    }
    puts(line->str);
}

static void show(const NsGradientCheck *check, const NsSettings *settings)
{
    static const char *const heads[] = {"gradient", "difference", "error",
                                        "random",   "difference", "error"};
    g_autofree char *words = ns_settings_words(settings);
    g_autofree char *step = ns_group_digits(check->step);
    printf("%s: layer %u at step %s\n\n", words, check->layer, step);
    g_autoptr(GString) line = g_string_new(NULL);
    ns_output_pad(line, "tensor", -18);
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) ns_output_pad(line, heads[i], NUMBER);
    puts(line->str);
    for (size_t i = 0; i < check->n; i++) show_row(&check->row[i]);
    putchar('\n');
    if (check->unknown)
        printf("%zu of %zu derivatives are unknown: they are too small for single precision, or "
               "the loss is not smooth there.\n",
               check->unknown, 2 * check->n);
    if (check->skipped)
        printf("Time ran out before %zu more tensors could be checked.\n", check->skipped);
    char worst[G_ASCII_DTOSTR_BUF_SIZE], random[G_ASCII_DTOSTR_BUF_SIZE];
    printf("The gradients %s; the largest error is %s along them and %s along random "
           "directions.\n",
           check->agrees ? "agree with finite differences" : "do not agree with finite differences",
           g_ascii_formatd(worst, sizeof worst, "%.1e", check->worst),
           g_ascii_formatd(random, sizeof random, "%.1e", check->worst_random));
}

/* A check in progress. */
typedef struct {
    NsRun *run;
    bool json;
    NsGradientCheck now, seen; /* `seen`: a copy of `now` from the last callback */
} Going;

static void show_result(const Going *going, const NsGradientCheck *result)
{
    if (going->json) {
        g_autofree char *text = json_of(result, ns_run_settings(going->run));
        puts(text);
    } else
        show(result, ns_run_settings(going->run));
}

/* Shows the tensors that were checked before the interrupt. */
static void tell_end(const Going *going, const NsGradientCheck *result)
{
    if (result->n) show_result(going, result);
    fprintf(stderr, NS_CLI ": Interrupted; the result covers %zu %s.\n", result->n,
            result->n == 1 ? "tensor" : "tensors");
}

static void finish_early(void *data)
{
    const Going *going = data;
    tell_end(going, &going->seen);
}

static bool look(void *data)
{
    Going *going = data;
    ns_interrupt_end();
    going->seen = going->now;
    ns_interrupt_begin(finish_early, going);
    return ns_interrupt_signal() != 0;
}

static int check(NsRun *run, unsigned layer, bool json, GError **error)
{
    g_autofree Going *going = g_new0(Going, 1);
    *going = (Going){.run = run, .json = json};
    ns_interrupt_begin(finish_early, going);
    ns_gradient_check(run, layer, look, going, &going->now);
    ns_interrupt_end();
    const NsGradientCheck *result = &going->now;
    if (ns_interrupt_signal()) {
        tell_end(going, result);
        return ns_interrupt_status();
    }
    if (*result->problem) {
        ns_refuse(error, NS_ERROR_SETTING, "%s", result->problem);
        return NS_EXIT_ERROR;
    }
    show_result(going, result);
    return result->agrees ? NS_EXIT_OK : NS_EXIT_ERROR;
}

int ns_cli_check(int argc, char **argv, GError **error)
{
    gint64 layer = 1, step = 0;
    gboolean json = FALSE;
    const GOptionEntry entries[] = {
        {"layer", 'l', 0, G_OPTION_ARG_INT64, &layer, "Layer to check, from 1 (default: 1)", "N"},
        {"step", 'k', 0, G_OPTION_ARG_INT64, &step, "Steps to train before the check (default: 0)",
         "K"},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &json, "One JSON object", NULL},
        {0},
    };
    g_auto(NsExperiment) experiment;
    ns_experiment_init(&experiment);
    const NsSettings *settings = &experiment.lane[0];
    const NsOptions options = {
        .command = "check",
        .summary =
            "Checks the gradients of a layer against finite differences of the loss, on the batch\n"
            "of a step, without dropout or stochastic depth, in the single precision of training.\n"
            "For every tensor it compares the derivatives along its gradient and along a random\n"
            "direction.  Errors of 1e-5 to 1e-2 along the gradient come from rounding and the\n"
            "kinks of the ReLU.\n\n"
            "The exit status is 1 if a gradient does not agree.  Ctrl-C shows the tensors checked\n"
            "up to then.\n\n"
            "JSON: step, layer, tensors, each with along and random, which have analytic, "
            "numeric,\n"
            "error and unknown (both relative; unknown is what rounding leaves open) and "
            "step_size;\n"
            "known, unknown and skipped derivatives; worst and worst_random error, agrees,\n"
            "seconds, settings, program, instructions.",
        .examples = NS_CLI " check --layer 3\n" NS_CLI
                           " check --set placement=pre --layer 6 --step 100 --json",
        .entries = entries,
        .experiment = &experiment,
        .one_seed = "checks one seed",
        .trains = "--step",
    };
    bool go = ns_options_read(&options, &argc, &argv, error);
    int64_t layers = ns_settings_encoder_layers(settings) + ns_settings_decoder_layers(settings);
    if (go && layer > layers)
        go = ns_refuse(error, NS_ERROR_USAGE,
                       "There is no layer %" G_GINT64_FORMAT
                       " to check; choose one from 1 to %" G_GINT64_FORMAT ".",
                       layer, layers);
    if (go && (layer < 1 || step < 0))
        go = ns_refuse(error, NS_ERROR_USAGE,
                       layer < 1 ? "Layers count from 1; give --layer one of them."
                                 : "Steps count from 0; give --step one of them.");
    g_autoptr(NsLockstep) lockstep = go ? ns_lanes_start(&experiment, NULL, NULL, error) : NULL;
    if (!lockstep) return NS_EXIT_OK;
    if (train(lockstep, step, error))
        return check(ns_lockstep_run(lockstep, 0, 0), (unsigned)layer, json, error);
    return ns_interrupt_status();
}
