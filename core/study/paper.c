/* The table of studies.  SPDX-License-Identifier: MIT */
#include "core/study/paper.h"

#include "core/base/words.h"
#include "core/probe/token_snapshot.h"
#include "core/store/json.h"

#include <math.h>

/* The setting of the paper's theory: uniform attention with one head, a feed-forward network as
 * wide as the model, independent Gaussian inputs. */
#define THEORY                                                                                     \
    "arch=encoder attention=uniform heads=1 positions=none task=gaussian vocab=256 "               \
    "embedding-norm=off seq=32 batch=4 "
#define AT_START_IN_ALL(quantity) "quantity = " quantity "\nlayer = all\nat = step 0\n"
#define NARROW THEORY "d-model=64 d-ff=64"

#define POST_PRE                                                                                   \
    {                                                                                              \
        {N_("Post-LN"), "placement=post"}, {N_("Pre-LN"), "placement=pre"},                        \
    }

#define AT_START                                                                                   \
    N_("The order of magnitude is proved at initialization, in expectation over the weights, for " \
       "uniform attention and feed-forward networks of width d.")

static const NsPaperStudy studies[] = {
    {
        .choice =
            {"depth", N_("Last layer’s gradient by depth"), NULL,
             "Xiong et al. 2020, Theorem 1, Fig. 3c, 3d",
             N_("Gradient norm of W_2 in the last layer as a function of the number of layers.")},
        .says = N_("Post-LN: it does not depend on the depth L.  Pre-LN: it decreases as 1/√L."),
        .holds = AT_START,
        .settings = NARROW " steps=0",
        .grid = "layers=2,4,8,16,32",
        .result = "quantity = grad-w2\nat = step 0\n",
        .arms = POST_PRE,
        .n_arms = 2,
        .seeds = 5,
        .claims = {{N_("slope of Post-LN"), NS_CLAIM_SLOPE, 0, 0, 0, -0.15, 0.15},
                   {N_("slope of Pre-LN"), NS_CLAIM_SLOPE, 1, 0, -0.5, -0.65, -0.35}},
        .n_claims = 2,
    },
    {
        .choice = {"hidden", N_("Size of the hidden state by layer"), NULL,
                   "Xiong et al. 2020, Lemma 2",
                   N_("Squared norm of the hidden state after every layer, in units of d.")},
        .says = N_("Post-LN: always d.  Pre-LN: it grows by d/2 to 3d/2 per layer."),
        .holds = N_("Proved at initialization, in expectation over the weights, for uniform "
                    "attention and feed-forward networks of width d."),
        .settings = NARROW " layers=12 steps=0",
        .arms = POST_PRE,
        .n_arms = 2,
        .result = AT_START_IN_ALL("hidden-sq"),
        .seeds = 5,
        .claims = {{N_("change of Post-LN"), NS_CLAIM_SPREAD, 0, 0, 0, -INFINITY, 0.01},
                   {N_("growth of Pre-LN per layer, in d"), NS_CLAIM_GROWTH, 1, 0, NAN, 0.5, 1.5}},
        .n_claims = 2,
    },
    {
        .choice = {"layers", N_("Gradient by layer"), NULL,
                   "Xiong et al. 2020, appendix F, Fig. 3a",
                   N_("Norm of the gradient of the hidden state after every layer, before any "
                      "update.")},
        .says = N_("Post-LN: it grows toward the output.  Pre-LN: it is nearly constant across the "
                   "upper layers."),
        .holds = N_("At initialization, in expectation; a preliminary result in the paper, whose "
                    "figure shows gradients of weights.  The gradient of a weight also scales with "
                    "its input, and the gradient of W₁ grows even without any norm."),
        .settings = NARROW " layers=12 steps=0",
        .arms = POST_PRE,
        .n_arms = 2,
        .result = AT_START_IN_ALL("hidden-grad"),
        .seeds = 10,
        .claims = {{N_("ratio of last to middle layer, Post-LN"), NS_CLAIM_UPPER, 0, 0, NAN, 1.5,
                    INFINITY},
                   {N_("ratio of last to middle layer, Pre-LN"), NS_CLAIM_UPPER, 1, 0, 1, 0.67,
                    1.5}},
        .n_claims = 2,
    },
    {
        .choice = {"warmup", N_("Which placement needs warm-up"), NULL,
                   "Xiong et al. 2020, Fig. 2 and 4",
                   N_("Training loss with and without a warm-up of 100 steps, 6 layers.")},
        .says = N_("Post-LN learns poorly without warm-up; Pre-LN learns equally well with and "
                   "without it."),
        .holds = N_("Empirical, not proved.  A small model and 200 steps illustrate the paper’s "
                    "translation experiments; they do not replace them.  The learning rate is "
                    "constant after the warm-up and the same in all four runs."),
        .settings = "layers=6 d-model=64 batch=8 seq=24 lr=3e-3 eval-every=0 steps=200",
        .result = "at = every step\n",
        .arms = {{N_("Post-LN, no warm-up"), "placement=post warmup=1"},
                 {N_("Post-LN, warm-up 100"), "placement=post warmup=100"},
                 {N_("Pre-LN, no warm-up"), "placement=pre warmup=1"},
                 {N_("Pre-LN, warm-up 100"), "placement=pre warmup=100"}},
        .n_arms = 4,
        .seeds = 5,
        .claims = {{N_("loss added without warm-up, Post-LN, in nats"), NS_CLAIM_END, 0, 1, NAN,
                    0.3, INFINITY},
                   {N_("loss added without warm-up, Pre-LN, in nats"), NS_CLAIM_END, 2, 3, 0,
                    -INFINITY, 0.15}},
        .n_claims = 2,
    },
    {
        .choice = {"concentration", N_("Token norms concentrate"), NULL,
                   "Xiong et al. 2020, section 3.4",
                   N_("Distribution over tokens of the squared norm of the last hidden state.")},
        .says = N_("At most 12.5% of the tokens exceed the mean squared norm by more than 10%."),
        .holds =
            N_("Measured in the paper for a translation model, not proved; here at initialization, "
               "for Pre-LN with d = 768.  It holds only for a wide model: compare d = 64."),
        .settings = THEORY "placement=pre layers=6 steps=0",
        .result = "quantity = token-norms\nat = step 0\n",
        .arms = {{N_("d = 768"), "d-model=768 d-ff=768"}, {N_("d = 64"), "d-model=64 d-ff=64"}},
        .n_arms = 2,
        .seeds = 3,
        .claims = {{N_("share of tokens above 1.1 times the mean"), NS_CLAIM_BEYOND, 0, 0, NAN,
                    -INFINITY, 0.125}},
        .n_claims = 1,
    },
    {
        .choice = {"deepnorm", N_("DeepNorm equalizes gradients"), NULL,
                   "Wang et al. 2022, arXiv 2203.00555",
                   N_("Norm of the gradient of W_2 in every layer, before any update.")},
        .says = N_("With x scaled up and the branches scaled down, every layer’s gradient is the "
                   "same."),
        .holds = N_("An observation at initialization; the paper proves a bound on the updates."),
        .settings = NARROW " layers=12 steps=0",
        .arms = {{N_("DeepNorm"), "placement=deepnorm"}, {N_("Pre-LN"), "placement=pre"}},
        .n_arms = 2,
        .result = AT_START_IN_ALL("grad-w2"),
        .seeds = 5,
        .claims = {{N_("ratio of last to first layer, DeepNorm"), NS_CLAIM_RATIO, 0, 0, 1, 0.75,
                    1.33}},
        .n_claims = 1,
    },
};

const NsPaperStudy *ns_paper_study(size_t i)
{
    return i < G_N_ELEMENTS(studies) ? &studies[i] : NULL;
}

const NsChoice *ns_paper_choice(size_t i)
{
    return i < G_N_ELEMENTS(studies) ? &studies[i].choice : NULL;
}

/* ---- As a study ---- */

/* "layers=12 steps=0" as lines. */
static void add_settings(GString *text, const char *settings)
{
    g_auto(GStrv) words = g_strsplit(settings, " ", -1);
    for (char **word = words; *word; word++)
        if (**word) g_string_append_printf(text, "%s\n", *word);
}

bool ns_paper_make(const NsPaperStudy *row, NsStudy *study, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "title = %s\nseeds = %u\n", row->choice.label, row->seeds);
    add_settings(text, row->settings);
    if (row->grid) g_string_append_printf(text, "[grid]\n%s\n", row->grid);
    g_string_append_printf(text, "[result]\n%s", row->result);
    for (unsigned arm = 0; arm < row->n_arms; arm++) {
        g_string_append_printf(text, "[%s]\nname = %s\n", ns_lane_letter(arm),
                               row->arms[arm].label);
        add_settings(text, row->arms[arm].settings);
    }
    ns_study_init(study);
    return ns_study_read(study, text->str, text->len, error);
}

NsPaperKind ns_paper_kind_of(const NsStudy *study)
{
    const NsResult *result = &study->result;
    if (result->kind == NS_RESULT_TOKENS) return NS_PAPER_TOKENS;
    if (result->at == NS_RESULT_EVERY) return NS_PAPER_STEP;
    return result->layer == NS_LAYER_ALL ? NS_PAPER_LAYER : NS_PAPER_GRID;
}

static bool has_embedding(const NsStudy *study)
{
    return ns_quantity(study->result.quantity)->domain == NS_DOMAIN_HIDDEN;
}

size_t ns_paper_points(const NsStudy *study)
{
    const NsSettings *settings = &study->experiment.lane[0];
    switch (ns_paper_kind_of(study)) {
    case NS_PAPER_GRID:
        return study->n_grid ? study->grid[0].n : 1;
    case NS_PAPER_LAYER:
        return (size_t)settings->layers + has_embedding(study);
    case NS_PAPER_STEP:
        return (size_t)settings->steps + 1;
    case NS_PAPER_TOKENS:
        return NS_TOKEN_SNAPSHOT_BINS;
    }
    return 0;
}

void ns_paper_abscissae(const NsStudy *study, double *x, size_t n)
{
    NsPaperKind kind = ns_paper_kind_of(study);
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)i;
        if (kind == NS_PAPER_GRID && study->n_grid)
            x[i] = g_ascii_strtod(study->grid[0].values[i], NULL);
        if (kind == NS_PAPER_LAYER && !has_embedding(study)) x[i]++;
        if (kind == NS_PAPER_TOKENS) x[i] *= NS_TOKEN_SNAPSHOT_BIN;
    }
}

void ns_paper_provenance(const NsPaperStudy *row, const NsStudy *study, NsProvenance *provenance)
{
    ns_provenance_init(provenance);
    provenance->study = g_strdup(row->choice.key);
    ns_experiment_set_lanes(&provenance->experiment,
                            (const NsSettings *[]){&study->experiment.lane[0]}, 1);
}

/* ---- Words ---- */

static char *number(const char *format, double value)
{
    if (isnan(value)) return g_strdup("–");
    if (isinf(value)) return g_strdup(value > 0 ? "∞" : "−∞");
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(text, sizeof text, format, value);
    bool zero = g_ascii_strtod(text, NULL) == 0;
    if (*text != '-') return g_strdup(text);
    return zero ? g_strdup(text + 1) : g_strconcat("−", text + 1, NULL);
}

/* As many decimals as the error leaves meaning. */
static const char *format_for(double error)
{
    if (!(error > 0)) return "%.2f";
    return error >= 0.1 ? "%.1f" : error >= 0.005 ? "%.2f" : "%.3f";
}

static char *expected_words(const NsClaim *claim)
{
    g_autofree char *at = number("%.3g", claim->expected);
    g_autofree char *lo = number("%.3g", claim->lo), *hi = number("%.3g", claim->hi);
    bool open = isinf(claim->lo), stated = !isnan(claim->expected);
    if (stated && open) return g_strdup_printf(_("expected %s (at most %s)"), at, hi);
    if (stated) return g_strdup_printf(_("expected %s (%s to %s)"), at, lo, hi);
    if (isinf(claim->hi)) return g_strdup_printf(_("expected above %s"), lo);
    if (open) return g_strdup_printf(_("expected below %s"), hi);
    return g_strdup_printf(_("expected %s to %s"), lo, hi);
}

char *ns_claim_words(const NsClaim *claim)
{
    g_autofree char *expected = expected_words(claim);
    return g_strdup_printf("%s: %s", _(claim->label), expected);
}

NsVerdict ns_claim_verdict(const NsClaim *claim, double value, double reach)
{
    if (isnan(value)) return NS_VERDICT_UNDECIDED;
    double from = value - reach, to = value + reach;
    if (from >= claim->lo && to <= claim->hi) return NS_VERDICT_AGREES;
    return to < claim->lo || from > claim->hi ? NS_VERDICT_DISAGREES : NS_VERDICT_UNDECIDED;
}

const char *ns_verdict_word(NsVerdict verdict)
{
    static const char *const words[] = {
        [NS_VERDICT_AGREES] = N_("agrees"),
        [NS_VERDICT_UNDECIDED] = N_("undecided"),
        [NS_VERDICT_DISAGREES] = N_("disagrees"),
    };
    return words[verdict];
}

char *ns_finding_words(const NsFinding *finding)
{
    const char *format = format_for(finding->reach);
    g_autofree char *value = number(format, finding->value);
    g_autofree char *reach = number(format, finding->reach);
    g_autofree char *measured =
        finding->reach > 0 ? g_strdup_printf("%s ± %s (95%%)", value, reach) : g_strdup(value);
    g_autofree char *expected = expected_words(finding->claim);
    return g_strdup_printf("%s %s, %s: %s", _(finding->claim->label), measured, expected,
                           _(ns_verdict_word(finding->verdict)));
}

/* ---- JSON ---- */

/* Where a run has diverged there is no value. */
static void write_values(NsJson *json, const char *key, const double *values, size_t n)
{
    ns_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++)
        if (isnan(values[i]))
            ns_json_null(json, NULL);
        else
            ns_json_double(json, NULL, values[i]);
    ns_json_close(json, ']');
}

static void write_bound(NsJson *json, const char *key, double value)
{
    if (isfinite(value))
        ns_json_double(json, key, value);
    else
        ns_json_null(json, key);
}

static void write_finding(NsJson *json, const NsFinding *finding)
{
    ns_json_open(json, NULL, '{');
    ns_json_string(json, "label", finding->claim->label);
    write_bound(json, "value", finding->value);
    write_bound(json, "error", finding->error);
    write_bound(json, "reach", finding->reach);
    write_bound(json, "expected", finding->claim->expected);
    ns_json_open(json, "range", '[');
    write_bound(json, NULL, finding->claim->lo);
    write_bound(json, NULL, finding->claim->hi);
    ns_json_close(json, ']');
    ns_json_string(json, "verdict", ns_verdict_word(finding->verdict));
    ns_json_bool(json, "agrees", finding->verdict == NS_VERDICT_AGREES);
    ns_json_close(json, '}');
}

char *ns_paper_json(const NsPaperResult *result)
{
    const NsPaperStudy *study = result->study;
    NsJson json;
    ns_json_init(&json);
    ns_json_string(&json, "study", study->choice.key);
    ns_json_string(&json, "title", study->choice.label);
    ns_json_string(&json, "reference", study->choice.reference);
    ns_json_string(&json, "says", study->says);
    ns_json_string(&json, "holds", study->holds);
    ns_json_string(&json, "verdict", ns_verdict_word(result->verdict));
    ns_json_bool(&json, "agrees", result->verdict == NS_VERDICT_AGREES);
    ns_json_double(&json, "seconds", result->seconds);
    ns_json_open(&json, "findings", '[');
    for (size_t i = 0; i < result->n_findings; i++) write_finding(&json, &result->findings[i]);
    ns_json_close(&json, ']');
    ns_json_open(&json, "series", '[');
    for (size_t i = 0; i < result->n_series; i++) {
        const NsPaperSeries *series = &result->series[i];
        ns_json_open(&json, NULL, '{');
        ns_json_string(&json, "label", series->label);
        ns_json_bool(&json, "theory", series->theory);
        write_values(&json, "x", series->x, series->n);
        write_values(&json, "y", series->y, series->n);
        if (series->lo) write_values(&json, "lo", series->lo, series->n);
        if (series->hi) write_values(&json, "hi", series->hi, series->n);
        ns_json_open(&json, "seeds", '[');
        for (size_t seed = 0; seed < series->seeds; seed++)
            write_values(&json, NULL, series->singles + seed * series->n, series->n);
        ns_json_close(&json, ']');
        ns_json_close(&json, '}');
    }
    ns_json_close(&json, ']');
    ns_json_program(&json);
    return ns_json_finish(&json);
}
