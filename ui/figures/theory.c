/* SPDX-License-Identifier: MIT */
#include "ui/figures/theory.h"

#include "core/base/words.h"
#include "core/model/expected_norms.h"
#include "core/model/init.h"
#include "core/model/wiring.h"
#include "core/ops/activation.h"
#include "core/study/statistics.h"
#include "ui/plot/text.h"

#include <math.h>

typedef enum { OUTSIDE, POST, PRE } Reach;

/* Whether the paper covers a model; if not, *why is the reason. */
static Reach reach_of(const NsSettings *settings, const char **why)
{
    const NsPlacement *row = ns_placement(settings->placement);
    const char *placement = row->choice.key;
    const char *init = ns_init_choice((size_t)settings->init)->key;
    const char *activation = ns_activation_choice((size_t)settings->activation)->key;
    bool layernorm = ns_norm_kind(settings, row) == ns_norm(NS_NORM_LAYERNORM);
    bool xavier = g_str_has_prefix(init, "xavier") && fabs(settings->init_scale - 1) < 1e-9;
    bool post = g_str_equal(placement, "post"), pre = g_str_equal(placement, "pre");
    if (settings->arch == NS_ARCH_ENCODER_DECODER)
        *why = _("No theory: the paper covers a single stack only.");
    else if (*settings->mixture || !(post || pre))
        *why = _("No theory: the paper covers Post-LN and Pre-LN only.");
    else if (!layernorm)
        *why = _("No theory: the paper covers LayerNorm only.");
    else if (!xavier)
        *why = _("No theory: the paper assumes Xavier initialization.");
    else if (!g_str_equal(activation, "relu"))
        *why = _("No theory: the paper assumes ReLU.");
    else
        return post ? POST : PRE;
    return OUTSIDE;
}

static bool is_gradient(NsQuantity quantity)
{
    switch ((int)quantity) {
    case NS_QUANTITY_GRAD_WV:
    case NS_QUANTITY_GRAD_W1:
    case NS_QUANTITY_GRAD_W2:
    case NS_QUANTITY_MEAN_GRAD_WV:
    case NS_QUANTITY_MEAN_GRAD_W1:
    case NS_QUANTITY_MEAN_GRAD_W2:
        return true;
    default:
        return false;
    }
}

static void allocate(NsTheory *theory, size_t n, size_t curves)
{
    theory->n = n;
    theory->n_curves = curves;
    theory->x = g_new(double, n);
    for (size_t i = 0; i < curves; i++) theory->y[i] = g_new(double, n);
}

/* A quantity of the batch of step 0; `otherwise` if it was not recorded. */
static double of_batch(NsHistory *history, NsQuantity quantity, double otherwise)
{
    float value;
    bool has = false;
    if (ns_history_layout(history)->count[quantity] == 1)
        ns_history_read(history, quantity, 0, &value, NULL, &has);
    return has ? (double)value : otherwise;
}

/* The contribution of a feed-forward network with a normalized input to |x|^2 / d: 1/2 for f =
 * d. */
static double added(double d, double f)
{
    return 2 * d * f / ((d + f) * (d + f));
}

static void fill_hidden(NsTheory *theory, Reach reach, const NsFigureInput *input,
                        const float *values, size_t states, bool root)
{
    const NsSettings *settings = input->settings;
    const char *why = ns_expected_norms_refused(settings);
    double d = (double)settings->d_model;
    g_autofree double *square = g_new(double, states);
    for (size_t l = 0; l < states; l++)
        square[l] = root ? (double)values[l] * (double)values[l] : (double)values[l];
    NsTokenMoments start[NS_STACKS_MAX];
    NsStackWiring stacks[NS_STACKS_MAX];
    size_t n = ns_stacks_wiring(settings, NULL, stacks);
    bool counted = of_batch(input->history, NS_QUANTITY_TOKENS, 0) > 0;
    if (stacks[n - 1].first + stacks[n - 1].layers + n != states)
        return; /* does not match the
                 * settings */
    for (size_t i = 0; i < n; i++) {
        bool source = i + 1 < n;
        int64_t most = source ? ns_settings_source_seq(settings) : settings->seq;
        start[i] = (NsTokenMoments){
            .square = square[stacks[i].first + i] / d,
            .tokens =
                of_batch(input->history, source ? NS_QUANTITY_SOURCE_TOKENS : NS_QUANTITY_TOKENS,
                         (double)most),
            .equal = of_batch(input->history,
                              source ? NS_QUANTITY_EQUAL_SOURCE : NS_QUANTITY_EQUAL_TOKENS, 0)};
    }
    if (why) {
        theory->note = g_strdup(why);
        return;
    }
    allocate(theory, states, reach == PRE ? 3 : 1);
    ns_expected_norms(settings, start, theory->y[0]);
    for (size_t l = 0; l < states; l++) {
        theory->x[l] = (double)l;
        if (root) theory->y[0][l] = sqrt(theory->y[0][l]);
    }
    theory->label[0] = counted ? _("prediction") : _("approximation");
    theory->note = g_strdup(
        counted
            ? /* xgettext:no-c-format */ _(
                  "Prediction: mean over initial weights; in tests within 3% and two standard "
                  "errors at width 512.")
            : /* xgettext:no-c-format */ _(
                  "Approximation: this run does not record how many tokens its sequences have and "
                  "how many of them are equal; if all are different, it is up to 31% too low."));
    if (reach == PRE) {
        /* Add the bounds of Lemma 2. */
        double c = added(d, (double)ns_settings_d_ff(settings));
        for (size_t l = 0; l < theory->n; l++)
            for (int i = 0; i < 2; i++) {
                double bound = square[0] + (c + i) * d * (double)l;
                theory->y[1 + i][l] = root ? sqrt(bound) : bound;
            }
        theory->label[1] = _("lower bound");
        theory->label[2] = _("upper bound");
        g_autofree char *fit = ns_text_number(ns_fit_growth(theory->x, square, theory->n) / d, 2);
        g_autofree char *least = ns_text_number(c, 2), *most = ns_text_number(c + 1, 2);
        theory->more =
            g_strdup_printf(_("Bounds: Lemma 2. ‖x_l‖^2 grows by %s d per layer at step 0 "
                              "(least squares); bounds: %s d and %s d."),
                            fit, least, most);
    }
}

/* The divisors in Lemma 3 follow from Lemma 2: for Post-LN of the norms after the branch of a
 * feed-forward network or of attention, for Pre-LN of those before attention. */
static void fill_sigma(NsTheory *theory, Reach reach, const NsFigureInput *input, size_t layers)
{
    double d = (double)input->settings->d_model, start = 1;
    double c = added(d, (double)ns_settings_d_ff(input->settings));
    bool exact = theory->quantity == NS_QUANTITY_NORM_SIGMA_FFN;
    if (exact && reach == PRE) return;
    if (reach == PRE) {
        g_auto(NsValues) read = ns_values_new(layers + 1);
        ns_history_read(input->history, NS_QUANTITY_HIDDEN_SQ, 0, NULL, read.value, read.has);
        start = (double)read.value[0] / d;
    }
    allocate(theory, layers, exact ? 1 : 2);
    for (size_t i = 0; i < layers; i++) {
        theory->x[i] = (double)(i + 1);
        for (size_t k = 0; k < theory->n_curves; k++) {
            double more = reach == PRE ? (c + (double)k) * (double)i : exact ? c : (double)k;
            theory->y[k][i] = sqrt(start + more);
        }
    }
    theory->label[0] = exact ? _("Lemma 2: the mean") : _("lower bound");
    theory->label[1] = _("upper bound");
    theory->note = g_strdup(_("Lemma 2, for the mean over initial weights; by Lemma 3 the norm "
                              "also divides the gradient by σ."));
}

/* The factor per layer of a fitted exponential, "× 1.03 (0.98 to 1.08)"; NULL if it has no
 * interval. */
static char *measured_factor(const float *values, size_t layers)
{
    g_autofree double *x = g_new(double, layers), *y = g_new(double, layers);
    for (size_t i = 0; i < layers; i++) {
        x[i] = (double)(i + 1);
        y[i] = log((double)values[i]);
        if (!isfinite(y[i])) return NULL;
    }
    NsFit fit;
    if (!ns_fit_line(&fit, x, y, layers) || !isfinite(fit.reach)) return NULL;
    g_autofree char *factor = ns_text_number(exp(fit.slope), 3);
    g_autofree char *least = ns_text_number(exp(fit.slope - fit.reach), 3);
    g_autofree char *most = ns_text_number(exp(fit.slope + fit.reach), 3);
    return g_strdup_printf(_("× %s (%s to %s)"), factor, least, most);
}

static void fill_gradient(NsTheory *theory, Reach reach, const float *values, size_t layers)
{
    allocate(theory, layers, 1);
    for (size_t i = 0; i < layers; i++) {
        double above = (double)(layers - 1 - i);
        double factor = reach == POST ? pow(2 / 3.0, above / 2) : 1;
        theory->x[i] = (double)(i + 1);
        theory->y[0][i] = factor * (double)values[layers - 1];
    }
    theory->label[0] =
        reach == POST ? _("theory: × (2/3)^{(L−l)/2}") : _("theory: equal in all layers");
    const char *what = _("Dotted: theory at initialization, scaled to match the last layer.");
    const char *why =
        _("The theory bounds the gradient from above; the feed-forward layers counteract it.");
    theory->note = g_strdup(what);
    theory->more = reach == POST ? g_strdup(why) : NULL;
    theory->measured = measured_factor(values, layers);
}

static void forget(NsTheory *theory)
{
    g_clear_pointer(&theory->x, g_free);
    for (size_t i = 0; i < NS_THEORY_CURVES; i++) g_clear_pointer(&theory->y[i], g_free);
    g_clear_pointer(&theory->note, g_free);
    g_clear_pointer(&theory->more, g_free);
    g_clear_pointer(&theory->measured, g_free);
    theory->n_curves = theory->n = 0;
}

static void compute(NsTheory *theory, const NsFigureInput *input)
{
    NsQuantity quantity = theory->quantity;
    const NsRecordLayout *layout = ns_history_layout(input->history);
    size_t n = layout->count[quantity];
    bool hidden = quantity == NS_QUANTITY_HIDDEN_SQ || quantity == NS_QUANTITY_HIDDEN_NORM;
    bool sigma =
        quantity == NS_QUANTITY_NORM_SIGMA_FFN || quantity == NS_QUANTITY_NORM_SIGMA_ATTENTION;
    if (n < 2 || !(hidden || sigma || is_gradient(quantity))) return;
    const char *why = NULL;
    Reach reach = reach_of(input->settings, &why);
    if (hidden) why = NULL; /* the prediction is not limited to the paper's models */
    if (ns_history_first_step(input->history) > 0)
        why = _("No theory: the run begins with trained weights.");
    if (why) {
        theory->note = g_strdup(why);
        return;
    }
    g_auto(NsValues) read = ns_values_new(n);
    const float *values = read.value;
    ns_history_read(input->history, quantity, 0, NULL, read.value, read.has);
    for (size_t i = 0; i < n; i++)
        if (!read.has[i] || !isfinite(values[i])) return;
    if (hidden)
        fill_hidden(theory, reach, input, values, n, quantity == NS_QUANTITY_HIDDEN_NORM);
    else if (sigma)
        fill_sigma(theory, reach, input, n);
    else
        fill_gradient(theory, reach, values, n);
}

bool ns_theory_follow(NsTheory *theory, NsQuantity quantity, const NsFigureInput *input, bool shown)
{
    NsHistory *history = shown && input->settings ? input->history : NULL;
    if (history && !ns_history_steps(history)) history = NULL;
    bool other = ns_source_follow(&theory->source, history);
    if (!other && (!history || quantity == theory->quantity)) return false;
    bool had = theory->note != NULL;
    forget(theory);
    theory->quantity = quantity;
    if (history) compute(theory, input);
    return had || theory->note;
}

const char *ns_theory_name(const NsTheory *theory)
{
    return theory->n_curves == 1   ? theory->label[0]
           : theory->n_curves == 2 ? _("bounds (Lemma 2)")
                                   : _("prediction, bounds (Lemma 2)");
}

void ns_theory_clear(NsTheory *theory)
{
    forget(theory);
    ns_source_follow(&theory->source, NULL);
}
