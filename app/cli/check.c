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
    if (!ns_lockstep_run(lockstep, 0, 0)->diverged) return !ns_interrupt_signal();
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

static void show(const NsGradientCheck *check, const NsSettings *settings)
{
    static const char *const heads[] = {"gradient", "difference", "error",
                                        "random",   "difference", "error"};
    g_autofree char *words = ns_settings_words(settings);
    g_autofree char *step = ns_group_digits(check->step);
    printf("%s: layer %u at step %s\n\n", words, check->layer, step);
    g_autoptr(GString) row = g_string_new(NULL);
    ns_row_add(row, -18, "tensor");
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) ns_row_add(row, NUMBER, "%s", heads[i]);
    ns_row_print(row);
    for (size_t i = 0; i < check->n; i++) {
        const NsDerivative *const both[] = {&check->row[i].along, &check->row[i].random};
        ns_row_add(row, -18, "%s", check->row[i].tensor);
        for (size_t k = 0; k < G_N_ELEMENTS(both); k++) {
            ns_row_number(row, NUMBER, "%.4e", both[k]->analytic);
            ns_row_number(row, NUMBER, "%.4e", both[k]->numeric);
            ns_row_number(row, NUMBER, "%.1e", both[k]->error);
        }
        ns_row_print(row);
    }
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
        g_autofree char *text = json_of(result, &going->run->settings);
        puts(text);
    } else
        show(result, &going->run->settings);
}

/* Shows the tensors that were checked before the interrupt. */
static void report_end(const Going *going, const NsGradientCheck *result)
{
    if (result->n) show_result(going, result);
    fprintf(stderr, NS_CLI ": Interrupted; the result covers %zu %s.\n", result->n,
            result->n == 1 ? "tensor" : "tensors");
}

static void finish_early(void *data)
{
    const Going *going = data;
    report_end(going, &going->seen);
}

static bool look(void *data)
{
    Going *going = data;
    ns_interrupt_end();
    going->seen = going->now;
    ns_interrupt_begin(finish_early, going);
    return ns_interrupt_signal() != 0;
}

static int run(NsArguments *a, GError **error)
{
    const NsSettings *settings = &a->experiment.lane[0];
    int64_t layers = ns_settings_encoder_layers(settings) + ns_settings_decoder_layers(settings);
    if (a->layer > layers)
        return ns_usage(error,
                        "There is no layer %" G_GINT64_FORMAT
                        " to check; choose one from 1 to %" G_GINT64_FORMAT ".",
                        a->layer, layers);
    g_autoptr(NsLockstep) lockstep = ns_lanes_start(&a->experiment, NULL, error);
    if (!lockstep) return NS_EXIT_OK;
    if (!train(lockstep, a->step, error)) return ns_interrupt_status();

    g_autofree Going *going = g_new0(Going, 1);
    *going = (Going){.run = ns_lockstep_run(lockstep, 0, 0), .json = a->json};
    const NsGradientCheck *result = &going->now;
    ns_interrupt_begin(finish_early, going);
    ns_gradient_check(going->run, (unsigned)a->layer, look, going, &going->now);
    ns_interrupt_end();
    if (ns_interrupt_signal()) {
        report_end(going, result);
        return ns_interrupt_status();
    }
    if (*result->problem) {
        ns_refuse(error, NS_ERROR_SETTING, "%s", result->problem);
        return NS_EXIT_ERROR;
    }
    show_result(going, result);
    return result->agrees ? NS_EXIT_OK : NS_EXIT_ERROR;
}

const NsCommand ns_cli_check = {
    .choice = {.key = "check",
               .purpose = "Check the gradients of a layer against finite differences"},
    .settings = "",
    .one_seed = "checks one seed",
    .trains = "--step",
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
    .examples =
        NS_CLI " check --layer 3\n" NS_CLI " check --set placement=pre --layer 6 --step 100 --json",
    .run = run,
};
